"""Which built-ins go through what a generator yields: their implementations are in `library.builtins.consumers`."""

from __future__ import annotations

import collections
import types
from collections.abc import Callable

from xlapy.library.builtins.consumers import CONSUMERS, PRODUCERS, STOPPING
from xlapy.library.builtins.consumers import UPDATING as UPDATING

_EXHAUSTING = frozenset({sum, list, tuple, set, collections.deque, sorted, dict, max, min})


def consumes(item: object) -> bool:
    """Whether a built-in goes through what a generator yields."""
    try:
        return item in CONSUMERS or item in PRODUCERS
    except TypeError:
        return False


def stopping(item: object) -> types.FunctionType | None:
    """The implementation of a built-in that may complain of an item, if it is one."""
    try:
        return STOPPING.get(item)
    except TypeError:
        return None


def exhausts(item: object) -> bool:
    """Whether a built-in takes all that a generator yields."""
    try:
        return item in _EXHAUSTING
    except TypeError:
        return False


def find(item: object, generators: list[bool]) -> Callable | None:
    """The implementation of a built-in for arguments of which `generators` says which are generators."""
    if True not in generators:
        return None
    try:
        if item is zip and len(generators) != 2:
            return None
        if generators[0]:
            return CONSUMERS.get(item)
        return PRODUCERS.get(item) if len(generators) == 2 else None
    except TypeError:
        return None
