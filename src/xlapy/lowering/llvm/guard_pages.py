"""Guard pages: memory in which one byte too far ends the process at the instruction that went there.

With `XLAPY_GUARD=1` in the environment, the arrays that machine code reads and writes end directly before a page that
may not be touched; with `XLAPY_GUARD=-1` they begin directly behind one. Memory that nobody has written yet is filled
with a pattern, so that reading it shows. This is B. Perens' Electric Fence (1987), for arrays.
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import os
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

#: 1: a guard page behind each array; -1: before it; 0: none
SIDE = int(os.environ.get("XLAPY_GUARD") or 0)
#: a byte of which a float64 that is read by mistake is -1.4e-168, and an index is far outside of any array
_PATTERN = 0x9D
_PAGE = mmap.PAGESIZE
_libc = ctypes.CDLL(None, use_errno=True)
_libc.mprotect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int


def empty(size: int) -> np.ndarray:
    """So many bytes beside a guard page, each of them the pattern."""
    room = -(-size // _PAGE) * _PAGE
    mapped = mmap.mmap(-1, room + 2 * _PAGE)
    whole = np.frombuffer(mapped, np.uint8)
    start = whole.ctypes.data
    whole[:] = _PATTERN
    for guard in (start, start + _PAGE + room):
        if _libc.mprotect(guard, _PAGE, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    first = _PAGE if SIDE < 0 else _PAGE + room - size
    return whole[first : first + size]


def array(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """An array beside a guard page, of a shape."""
    return empty(prod(shape) * dtype.itemsize).view(dtype).reshape(shape)


def copied(operand: Any) -> Any:
    """An operand of a program beside a guard page, if it is an array that machine code looks into."""
    if type(operand) is not np.ndarray or not operand.flags.c_contiguous or operand.dtype.hasobject:
        return operand
    found = array(operand.shape, operand.dtype)
    found[...] = operand
    return found


#: bytes of an element, by the number that XLA's interface has for its type (`xla/ffi/api/c_api.h`)
_BYTES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 2, 11: 4, 12: 8, 15: 8, 18: 16, 16: 2}
#: places in a frame and in a buffer of the same interface
_EXTENSION, _OPERANDS, _RESULTS, _DTYPE, _DATA, _RANK, _LENGTHS, _BUFFER = 8, 72, 112, 16, 24, 32, 40, 48
_Handler = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


def handler(inner: Callable[[int], int], operands: int, results: int) -> Any:
    """A handler of XLA's that calls another one with copies of all buffers beside guard pages."""

    def outer(frame: int) -> int | None:
        if _pointer(frame + _EXTENSION):
            return inner(frame)
        copies: dict[int, tuple[np.ndarray, int]] = {}
        own = ctypes.create_string_buffer(ctypes.string_at(frame, _RESULTS + 8))
        kept: list[Any] = [own]
        for place, count in ((_OPERANDS, operands), (_RESULTS, results)):
            table = (ctypes.c_void_p * max(count, 1))()
            for k in range(count):
                buffer = _pointer(_pointer(frame + place) + 8 * k)
                mine = ctypes.create_string_buffer(ctypes.string_at(buffer, _BUFFER))
                data, size = _pointer(buffer + _DATA), _size(buffer)
                if data not in copies or copies[data][1] < size:
                    found = empty(size)
                    if place == _OPERANDS:
                        ctypes.memmove(found.ctypes.data, data, size)
                    copies[data] = found, size
                ctypes.c_int64.from_buffer(mine, _DATA).value = copies[data][0].ctypes.data
                table[k] = ctypes.addressof(mine)
                kept.append(mine)
            ctypes.c_int64.from_buffer(own, place).value = ctypes.addressof(table)
            kept.append(table)
        error = inner(ctypes.addressof(own))
        for k in range(results):
            buffer = _pointer(_pointer(frame + _RESULTS) + 8 * k)
            data = _pointer(buffer + _DATA)
            ctypes.memmove(data, copies[data][0].ctypes.data, _size(buffer))
        return error

    return _Handler(outer)


def _pointer(at: int) -> int:
    return ctypes.c_int64.from_address(at).value


def _size(buffer: int) -> int:
    """The bytes of a buffer."""
    kind = ctypes.c_int32.from_address(buffer + _DTYPE).value
    rank, lengths = _pointer(buffer + _RANK), _pointer(buffer + _LENGTHS)
    return prod(itertools.islice((ctypes.c_int64 * rank).from_address(lengths), rank)) * _BYTES[kind]


__all__ = ["SIDE", "array", "copied", "empty", "handler"]
