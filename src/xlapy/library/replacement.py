"""Which functions stand for those of Python, NumPy and SciPy that have no bytecode, or none that compiles.

@replacement(_quadpack._qagse)
def qagse(func, a, b, args=(), ...): ...     # interpreted wherever a program calls `_qagse`
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

REPLACEMENTS: dict[int, tuple[object, Callable]] = {}
REPLACEMENTS_OF: dict[type, Callable[[Any], Callable | None]] = {}


def replacement(*callables: object) -> Callable[[F], F]:
    """Register an implementation in plain Python in the place of callables; without any, of none."""

    def register(implementation: F) -> F:
        for item in callables:
            REPLACEMENTS[id(item)] = (item, implementation)
        return implementation

    return register


def replacement_of(cls: type) -> Callable[[F], F]:
    """Register what finds the implementation in plain Python of callables of a class, None where there is none."""

    def register(find: F) -> F:
        REPLACEMENTS_OF[cls] = find
        return find

    return register


def find_replacement(item: object) -> Callable | None:
    """The Python implementation that stands for a callable, if there is one."""
    entry = REPLACEMENTS.get(id(item))
    if entry is not None:
        return entry[1]
    find = REPLACEMENTS_OF.get(type(item))
    return find(item) if find is not None else None
