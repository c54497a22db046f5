"""np.nditer, in plain Python that is interpreted like any callee: a position that goes from the first
element to the last, in C order."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function, replacement

_FLAGS = ("multi_index", "c_index", "zerosize_ok", "refs_ok")
_WRITES = ("readwrite", "writeonly")


def _refuse(what: str) -> Any:
    raise NotImplementedError(what)


@function(_refuse)
def _refuse_rule(machine, what):
    raise Refused("XP0003", f"np.nditer with {machine.static(what)}", "go through the indices with np.ndindex")


def _flags_of(op_flags, count):
    """The flags of each operand."""
    if op_flags is None:
        return [()] * count
    found = list(op_flags)
    if all(isinstance(flag, str) for flag in found):
        return [tuple(found)] * count
    return [(flags,) if isinstance(flags, str) else tuple(flags) for flags in found]


@replacement(np.nditer)
def nditer(
    op, flags=None, op_flags=None, op_dtypes=None, order="K", casting="safe", op_axes=None, itershape=None, buffersize=0
):
    """np.nditer."""
    given = list(op) if isinstance(op, (list, tuple)) else [op]
    known = () if flags is None else tuple(flags)
    wanted = _flags_of(op_flags, len(given))
    if (
        op_dtypes is not None
        or op_axes is not None
        or itershape is not None
        or buffersize
        or order not in ("K", "C", "A")
    ):
        _refuse("types, axes, or an order of its own")
    if len(wanted) != len(given):
        _refuse("other flags than for each operand")
    for flag in known:
        if flag not in _FLAGS:
            _refuse(f"the flag {flag!r}")
    for own in wanted:
        for flag in own:
            if flag not in (*_WRITES, "readonly", "allocate"):
                _refuse(f"the flag {flag!r} of an operand")
    there = [np.asarray(one) for one in given if one is not None]
    try:
        shape = np.broadcast_shapes(*[one.shape for one in there])
    except ValueError:
        texts = " ".join([_text_of(one.shape) for one in there])
        raise ValueError(f"operands could not be broadcast together with shapes {texts} ") from None
    made = []
    for one, own in zip(given, wanted, strict=True):
        writes = one is None or any(flag in _WRITES for flag in own)
        if one is None:
            one = np.empty(shape, np.result_type(*there))
        one = np.asarray(one)
        if order != "C" and not one.flags.c_contiguous:
            _refuse("an array that does not lie in C order")
        if writes and one.shape != shape:
            _refuse("an operand that is written and has another shape")
        made.append((one, writes))
    if 0 in shape and "zerosize_ok" not in known:
        raise ValueError("Iteration of zero-sized operands is not enabled")
    return _Iterator(made, shape, known)


def _places(own, shape):
    """Which element of an array of shape `own` is repeated at each place of the larger shape."""
    if own == shape:
        return None
    size = 1
    for n in own:
        size *= n
    return np.broadcast_to(np.arange(size).reshape(own), shape).reshape(-1)


def _text_of(shape):
    return "(" + ",".join([str(n) for n in shape]) + (",)" if len(shape) == 1 else ")")


class _Iterator:
    """What np.nditer says of some arrays, and their elements as views of no dimensions."""

    def __init__(self, operands, shape, flags):
        self.operands = tuple([one for one, _ in operands])
        self._elements = [one.reshape(-1) for one, _ in operands]
        self._places = [_places(one.shape, shape) for one, _ in operands]
        self._writes = [writes for _, writes in operands]
        self.shape = shape
        self.ndim = len(shape)
        self.nop = len(operands)
        self.itersize = 1
        for size in shape:
            self.itersize *= size
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

    def _value(self, n):
        places = self._places[n]
        element = self._elements[n][self.iterindex if places is None else places[self.iterindex], ...]
        return element if self._writes[n] else np.broadcast_to(element, ())

    @property
    def value(self):
        self._require_element()
        return self._value(0) if self.nop == 1 else self._values(0)

    def _values(self, first):
        rest = self._values(first + 1) if first + 1 < self.nop else ()
        return self._value(first), *rest

    def _operand(self, key):
        if not -self.nop <= key < self.nop:
            raise IndexError(f"Iterator operand index {key} is out of bounds")
        self._require_element()
        return self._value(key % self.nop)

    def __getitem__(self, key):
        return self._operand(key)

    def __setitem__(self, key, item):
        self._operand(key)[...] = item

    def __len__(self):
        return self.nop

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
