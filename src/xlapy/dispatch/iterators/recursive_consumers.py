"""Built-in consumers of a generator expression in which a function calls itself, in plain Python.

The expression comes in the place of the loop, which is the only one and over the first argument (see
`frontend.generator_fusion`). Names that are not their own would be those of the program: what else they need is an
argument.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, NamedTuple

from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.library.builtins.consumers import CONSUMERS

# None of the items is the class of the error, which stands for none of them.


def _max(iterable, error, message):
    best = error
    for item in iterable:
        if best is error or item > best:
            best = item
    if best is error:
        raise error(message)
    return best


def _min(iterable, error, message):
    best = error
    for item in iterable:
        if best is error or item < best:
            best = item
    if best is error:
        raise error(message)
    return best


def _max_or(iterable, default, error):
    best = error
    for item in iterable:
        if best is error or item > best:
            best = item
    return default if best is error else best


def _min_or(iterable, default, error):
    best = error
    for item in iterable:
        if best is error or item < best:
            best = item
    return default if best is error else best


class Consumer(NamedTuple):
    """A built-in called in one way: the function in Python, and what it is given besides."""

    function: FunctionType
    arguments: tuple[Any, ...] = ()


_EMPTY = {f: (ValueError, str(provoke(f, ()))) for f in (max, min)}
#: by the built-in and how many arguments it is given by position, and the names of the others
_CONSUMERS: dict[tuple[Callable, int, tuple[str, ...]], Consumer] = {
    (sum, 1, ()): Consumer(CONSUMERS[sum], (0,)),
    (sum, 2, ()): Consumer(CONSUMERS[sum]),
    (sum, 1, ("start",)): Consumer(CONSUMERS[sum]),
    (any, 1, ()): Consumer(CONSUMERS[any]),
    (all, 1, ()): Consumer(CONSUMERS[all]),
    (max, 1, ()): Consumer(_max, _EMPTY[max]),
    (min, 1, ()): Consumer(_min, _EMPTY[min]),
    (max, 1, ("default",)): Consumer(_max_or, (ValueError,)),
    (min, 1, ("default",)): Consumer(_min_or, (ValueError,)),
}


def find(function: object, positional: int, names: tuple[str, ...]) -> Consumer | None:
    """What stands for a built-in that is called with these arguments, the first of which is a generator expression."""
    try:
        return _CONSUMERS.get((function, positional, names))  # type: ignore[arg-type]
    except TypeError:
        return None
