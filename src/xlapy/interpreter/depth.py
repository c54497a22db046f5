"""How deep calls may nest: those of the interpreter, and those of the program that it interprets."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator

#: calls of Python's that an analysis may nest: a call of the program takes about 20 of them
_CALLS = 10_000
#: the limits that were set when analyses in progress began
_before: list[int] = []


@contextlib.contextmanager
def deep_recursion() -> Iterator[None]:
    """Within this context, an analysis may nest its calls."""
    before = sys.getrecursionlimit()
    _before.append(before)
    sys.setrecursionlimit(max(before, _CALLS))
    try:
        yield
    finally:
        _before.pop()
        sys.setrecursionlimit(before)


def recursion_limit() -> int:
    """How deep CPython would let the program's calls nest."""
    return _before[0] if _before else sys.getrecursionlimit()
