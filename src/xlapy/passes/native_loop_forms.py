"""Loops as they were written, for machine code: branches are branches there, and stores are where they were.

What makes a loop faster for XLA (`if_conversion`, `scalar_replacement`, `barriers`, `unroll` ...) makes it slower for a
native compiler that sees the loop as a whole: an index that is selected waits for the comparison, a branch is
    predicted.
So each loop keeps a copy of what it was.
"""

from __future__ import annotations

from typing import NamedTuple

from xlapy.ir import Module, Region, Var
from xlapy.passes.code_motion import copy_region
from xlapy.passes.counted_loops import count_iterations
from xlapy.passes.dead_code import remove_dead_code
from xlapy.passes.matmul_hoisting import LARGE, multiply_ahead
from xlapy.passes.reshape_forwarding import access_in_place
from xlapy.passes.reshape_sinking import keep_shapes
from xlapy.passes.simplify import simplify
from xlapy.passes.store_forwarding import look_at_newest
from xlapy.passes.strip_mining import in_strips

#: operations in a loop that is kept
_LONGEST = 2000


class Plain(NamedTuple):
    """The attribute `plain` of a loop: another form of it.

    Attributes:
        region: computes the same from the same values of the regions around it.
        results: the results of the loop that it gives, in the same order.
    """

    region: Region
    results: tuple[Var, ...]


def keep_plain(region: Region) -> None:
    """Keep every loop in a region, and in the regions in it, as it is now."""
    for operation in region.operations:
        if operation.kind in ("for", "while") and operation.size() <= _LONGEST:
            whole = Region((), region.depth)
            whole.operations, whole.results = [operation], list(operation.results)
            copy = copy_region(whole, {})
            count_iterations(copy)
            _suit_machine_code(copy)
            operation.attributes = {**operation.attributes, "plain": Plain(copy, tuple(operation.results))}
        for nested in operation.regions:
            keep_plain(nested)


def plain(module: Module) -> Region:
    """A copy of a whole program as it was written, for machine code."""
    copy = Module(copy_region(module.entry, {}), module.parameter_names)
    if keep_shapes(copy.entry) | access_in_place(copy.entry) | count_iterations(copy.entry):
        simplify(copy)
        remove_dead_code(copy)
    _suit_machine_code(copy.entry)
    return copy.entry


def _suit_machine_code(region: Region) -> None:
    """Order loads, products and the iterations of loops as machine code has them."""
    look_at_newest(region)
    multiply_ahead(region, LARGE)
    in_strips(region)


__all__ = ["Plain", "keep_plain", "plain"]
