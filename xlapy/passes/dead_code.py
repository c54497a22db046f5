"""Removes operations whose results nobody uses. Operations have no effects: the interpreter threads those as values."""

from __future__ import annotations

from xlapy.ir import Module, Region


def remove_dead_code(module: Module) -> None:
    """Drop what is not used, from the end of each region to its start."""
    _clean(module.entry, set())


def _clean(region: Region, used: set[int]) -> set[int]:
    """Clean a region; `used` are values needed by others. Returns all values that it needs."""
    used = used | set(map(id, region.results))
    kept = []
    for operation in reversed(region.operations):
        if not any(id(r) in used for r in operation.results):
            continue
        for inner in operation.regions:
            used |= _clean(inner, set())
        used.update(map(id, operation.operands))
        kept.append(operation)
    region.operations = kept[::-1]
    return used
