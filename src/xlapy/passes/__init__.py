"""Passes: from the representation to the representation.

`optimise` cleans up what the interpreter emits. The result serves for printing, for differentiating and, if its
branches or loops allow of it, as the origin of a second form, `module.entry.fast`, which only has to run.
"""

from xlapy.ir import Module, Region
from xlapy.passes.accumulators import add_always
from xlapy.passes.array_carries import keep_in_arrays
from xlapy.passes.barriers import separate_loads_from_stores
from xlapy.passes.check_elimination import drop_checks
from xlapy.passes.code_motion import copy_region
from xlapy.passes.condition_propagation import decide
from xlapy.passes.counted_loops import count_iterations
from xlapy.passes.dead_code import remove_dead_code
from xlapy.passes.duplicate_carries import merge_equal_slots
from xlapy.passes.if_conversion import speculate
from xlapy.passes.in_place_stores import store_in_place
from xlapy.passes.invariant_joins import hoist_joins
from xlapy.passes.loop_ranges import settle
from xlapy.passes.loop_vectorisation import drop_outdated, find_lanes, plans
from xlapy.passes.matmul_hoisting import multiply_ahead
from xlapy.passes.native_loop_forms import keep_plain
from xlapy.passes.one_sided import change_in_one_arm
from xlapy.passes.reshape_forwarding import access_in_place
from xlapy.passes.reshape_sinking import keep_shapes
from xlapy.passes.scalar_replacement import carry_stored
from xlapy.passes.simplify import simplify
from xlapy.passes.store_forwarding import forward
from xlapy.passes.unroll import unroll


def shorten(module: Module) -> None:
    """Remove checks, loads and stores that others make superfluous, and then those that intervals do."""
    _shorten_once(module)
    if settle(module):
        simplify(module)
        remove_dead_code(module)
        _shorten_once(module)


def _shorten_once(module: Module) -> None:
    known, checks, loads = decide(module), drop_checks(module), forward(module)
    if known or checks or loads:
        simplify(module)


#: what every program goes through
PASSES = (remove_dead_code, simplify, keep_in_arrays, hoist_joins, merge_equal_slots, shorten, remove_dead_code)


def clean(region: Region) -> None:
    """Run these on a region by itself, whose parameters and results keep their places: one that is differentiated."""
    module = Module(region, [])
    for run in PASSES:
        run(module)


def optimise(module: Module) -> None:
    """Run all passes, in order."""
    clean(module.entry)
    module.entry.fast = None
    if any(operation.regions for operation in module.entry.operations):
        module.entry.fast = faster(module)


def faster(module: Module) -> Region | None:
    """A copy of the program that is quicker to run, and has the wrong derivatives; None if there is nothing to gain."""
    copy = Module(copy_region(module.entry, {}), module.parameter_names)
    changed = keep_shapes(copy.entry) | access_in_place(copy.entry)
    keep_plain(copy.entry)
    changed |= speculate(copy.entry)
    changed |= count_iterations(copy.entry)
    if changed:
        simplify(copy)
        remove_dead_code(copy)
    if add_always(copy.entry):
        changed = True
        remove_dead_code(copy)
    changed |= find_lanes(copy.entry)
    inside = plans(copy.entry)
    changed |= carry_stored(copy.entry)
    changed |= multiply_ahead(copy.entry)
    changed |= store_in_place(copy.entry)
    changed |= change_in_one_arm(copy.entry)
    changed |= separate_loads_from_stores(copy.entry)
    changed |= unroll(copy.entry)
    drop_outdated(inside)
    return copy.entry if changed else None
