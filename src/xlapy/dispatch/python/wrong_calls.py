"""Calls of compiled code with a wrong number of arguments, or with unknown names: CPython's own TypeError."""

from __future__ import annotations

import builtins
import collections
import functools
import inspect
import re
import types
from collections.abc import Callable, Collection

import numpy as np

#: texts about how many arguments there are, and their names; not those about what the arguments are
_TEXTS = re.compile(
    r"(takes|expected|missing|unexpected|require[sd]|invalid keyword)\b.*\bargument|\barguments? .*\b(missing|given)"
)
#: their effects go beyond the process, even with arguments that nobody else has
_NEVER_TRIED = (print, input, open, exec, eval, compile, breakpoint, __import__)


def wrong_call(item: object, count: int, names: Collection[str]) -> TypeError | None:
    """What CPython raises for a call of `item`, made in C or NumPy's, with so many arguments in places and with such
    named ones, if that depends on nothing else. It is called with objects that no function can use; not if it is a
    method of an object, which it might change."""
    receiver = getattr(item, "__self__", None)
    if not callable(item) or item in _NEVER_TRIED or not (receiver is None or isinstance(receiver, types.ModuleType)):
        return None
    return _tried(item, count, names)


def _tried(item: Callable, count: int, names: Collection[str]) -> TypeError | None:
    try:
        item(*(object() for _ in range(count)), **{name: object() for name in names})
    except TypeError as error:
        return error if _TEXTS.search(str(error)) else None
    except Exception:
        return None
    return None


def wrong_method_call(name: str, count: int, names: Collection[str]) -> TypeError | None:
    """The same for a method of a built-in class, `class.method`; `count` is without the receiver."""
    owner, _, method = name.partition(".")
    cls = getattr(builtins, owner, None) or getattr(collections, owner, None)
    receiver = np.zeros(1) if owner == "ndarray" else cls() if cls in _EMPTY else None
    bound = getattr(receiver, method, None) if receiver is not None else None
    return None if bound is None else _tried(bound, count, names)


_EMPTY = (
    list, dict, set, frozenset, tuple, str, bytes, int, float, complex,
    collections.deque, collections.OrderedDict, collections.defaultdict, collections.Counter,
)  # fmt: skip


def fits(function: Callable, count: int, names: Collection[str]) -> bool:
    """Whether a function in Python has parameters for such arguments."""
    try:
        _signature(function).bind(*range(count), **dict.fromkeys(names))
    except TypeError:
        return False
    return True


_signature = functools.lru_cache(maxsize=1000)(inspect.signature)
