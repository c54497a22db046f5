"""np.nditer of one array, in plain Python that is interpreted like any callee: a position that goes from the first
element to the last, in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.table import function, replacement

_FLAGS = ("multi_index", "c_index", "zerosize_ok", "refs_ok")
_WRITES = ("readwrite", "writeonly")


def _refuse(what: str) -> Any:
    raise NotImplementedError(what)


@function(_refuse)
def _refuse_rule(machine, what):
    raise Refused("XP0003", f"np.nditer with {machine.static(what)}", "go through the indices with np.ndindex")


@replacement(np.nditer)
def nditer(op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None, *rest):
    """np.nditer of one array."""
    if not isinstance(op, np.ndarray):
        _refuse("what is no array, or with several")
    if op_dtypes is not None or op_axes is not None or rest or order not in ("K", "C", "A"):
        _refuse("types, axes, or an order of its own")
    if order != "C" and not op.flags.c_contiguous:
        _refuse("an array that does not lie in C order")
    known = () if flags is None else tuple(flags)
    wanted = () if op_flags is None else tuple(op_flags)
    if len(wanted) == 1 and not isinstance(wanted[0], str):
        wanted = tuple(wanted[0])
    for flag in known:
        if flag not in _FLAGS:
            _refuse(f"the flag {flag!r}")
    for flag in wanted:
        if flag not in (*_WRITES, "readonly"):
            _refuse(f"the flag {flag!r} of an operand")
    if op.size == 0 and "zerosize_ok" not in known:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    return _Iterator(op, known, any(flag in _WRITES for flag in wanted))


class _Iterator:
    """What np.nditer says of one array, and its elements as views of no dimensions."""

    def __init__(self, array, flags, writes):
        self._array = array
        self._elements = array.reshape(-1)
        self._writes = writes
        self.shape = array.shape
        self.ndim = array.ndim
        self.nop = 1
        self.itersize = array.size
        self.has_multi_index = "multi_index" in flags
        self.has_index = "c_index" in flags
        self.iterindex = 0
        self._closed = False
        #: an object of this class cannot leave the program
        self._iters = iter(())

    @property
    def finished(self):
        if self._closed:
            _refuse("what is asked when it has been closed")
        return self.iterindex >= self.itersize

    def _require_element(self):
        if self.finished:
            raise ValueError("Iterator is past the end")

    @property
    def multi_index(self):
        if not self.has_multi_index:
            raise ValueError("Iterator is not tracking a multi-index")
        self._require_element()
        found = ()
        rest = self.iterindex
        for size in self.shape[::-1]:
            found = (rest % size, *found)
            rest = rest // size
        return found

    @property
    def index(self):
        if not self.has_index:
            raise ValueError("Iterator does not have an index")
        self._require_element()
        return self.iterindex

    @property
    def value(self):
        self._require_element()
        element = self._elements[self.iterindex, ...]
        return element if self._writes else np.broadcast_to(element, ())

    def __getitem__(self, key):
        if key not in (0, -1):
            raise IndexError(f"Iterator operand index {key} is out of bounds")
        return self.value

    def __setitem__(self, key, item):
        if key not in (0, -1):
            raise IndexError(f"Iterator operand index {key} is out of bounds")
        self.value[...] = item

    def __len__(self):
        return 1

    def iternext(self):
        if self.iterindex < self.itersize:
            self.iterindex += 1
        return self.iterindex < self.itersize

    def reset(self):
        self.iterindex = 0

    def close(self):
        self._closed = True

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._closed = True

    def __iter__(self):
        while not self.finished:
            yield self.value
            self.iternext()

    def __getattr__(self, name):
        return _refuse(f"the attribute {name!r}")
