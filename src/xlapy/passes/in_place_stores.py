"""Stores into most of an array that happen in place.

    for t in range(n):
        b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + ...)
        a[1:-1, 1:-1] = 0.2 * (b[1:-1, 1:-1] + b[:-2, 1:-1] + ...)

Such a store is a select over the whole array, which XLA fuses with what computes the part; but it makes another array,
which a loop copies to where it carries it. If nothing that is stored comes from another place of the same array, XLA
can store in place instead (measured: 1.1 to 2.7 times as fast). Else it would need a copy again, and the select is
better; so it is outside loops, where the array has to be copied in any case.
"""

from __future__ import annotations

from xlapy.ir import Operation, Region, Var
from xlapy.ir.access_regions import Dimension, touched
from xlapy.passes.costs import is_overlay, is_read, is_store

_NONE: frozenset[Operation] = frozenset()


def store_in_place(region: Region, inside_loop: bool = False) -> bool:
    """Set the attribute `in_place` of stores; whether there were any."""
    changed = False
    for operation in region.operations:
        if "lanes" not in operation.attributes:
            for nested in operation.regions:
                changed |= store_in_place(nested, inside_loop or operation.kind in ("for", "while"))
    return (inside_loop and _stores(region)) or changed


def _stores(region: Region) -> bool:
    changed = False
    #: for each value, the loads that XLA could fuse into what uses it
    fused: dict[Var, frozenset[Operation]] = {}
    roots: dict[Var, Var] = {}
    for operation in region.operations:
        used = _NONE.union(*(fused.get(v, _NONE) for v in operation.operands))
        if is_read(operation):
            used |= {operation}
        elif is_store(operation) or is_overlay(operation):
            base = operation.operands[0]
            root = roots.get(base, base)
            place = touched(operation)
            if place is not None and _suits(operation, place):
                loads = [o for o in used if roots.get(o.operands[0], o.operands[0]) is root]
                if all(touched(o) == place for o in loads):
                    operation.attributes = {**operation.attributes, "in_place": True}
                    changed = True
            roots[operation.results[0]] = root
            used = _NONE
        for result in operation.results:
            fused[result] = used
    return changed


def _suits(store: Operation, place: list[Dimension]) -> bool:
    return is_overlay(store) and all(isinstance(d.start, int) and (d.step == 1 or d.count == 1) for d in place)


__all__ = ["store_in_place"]
