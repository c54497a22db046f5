"""The Python function around a C function of arrays: it makes the results and the memory that the C function needs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Mapping
from math import prod
from typing import Any, NamedTuple

import numpy as np

from xlapy.machine_code.result_pool import BLOCKS

#: bytes of a line, and how many bits say where in a line something begins
LINE, LINE_BITS = 64, 6
#: bytes of memory that is kept between calls
_KEPT = range(1 << 16, 1 << 23)
#: Python's numbers that travel as numbers: how C has them, and LLVM
NUMBERS = {bool: (ctypes.c_bool, "i8"), int: (ctypes.c_int64, "i64"), float: (ctypes.c_double, "double")}


class Given(NamedTuple):
    """An operand of a program: its type, and its class if it is a number of Python's."""

    dtype: np.dtype
    shape: tuple[int, ...]
    python: type | None = None

    @property
    def is_number(self) -> bool:
        """Whether it is handed over as a number, not as an array."""
        return self.python in NUMBERS


class Frame(NamedTuple):
    """What a C function is called with: operands, results, rooms.

    Attributes:
        given: what each operand is.
        outputs: the type of each result, which is an array.
        rooms: the bytes of each memory that it needs besides.
        shifted: the results that begin with a line of memory, by number.
    """

    given: tuple[Given, ...]
    outputs: tuple[Given, ...]
    rooms: tuple[int, ...]
    shifted: tuple[int, ...]


def call_of(
    address: int, frame: Frame, kept: object, guards: Mapping[str, Callable] | None = None
) -> Callable[..., tuple | None]:
    """The function of operands that calls the C function at an address: it returns the tuple of the results, or None
    where an operand is another than it has to be.

    Args:
        address: of the C function.
        frame: what it is called with.
        kept: what has to stay as long as the function is there.
        guards: what makes an "array" beside a guard page, and a "copy" of an operand there, if that is wanted.
    """
    given, outputs = frame.given, frame.outputs
    kinds = [NUMBERS[g.python][0] if g.python in NUMBERS else ctypes.py_object for g in given]
    made = [ctypes.py_object] * (len(outputs) + len(frame.rooms))
    run = ctypes.CFUNCTYPE(ctypes.c_int64, *kinds, *made)(address)
    namespace = {"run": run, "empty": np.empty, "array": np.ndarray, "byte": np.dtype(np.uint8), "block": BLOCKS.of}
    namespace |= {"kept": kept, **(guards or {})}
    namespace |= {f"d{k}": one.dtype for k, one in enumerate(outputs)}
    namespace |= {f"free{k}": [] for k in range(len(frame.rooms))}
    names = ", ".join(f"o{k}" for k in range(len(given)))
    body = "\n".join(f"    {line}" for line in _lines(frame, guards is not None))
    exec(compile(f"def call({names}):\n{body}\n", "<xlapy direct>", "exec"), namespace)
    return namespace["call"]


def size_of(one: Given) -> int:
    """The bytes of an array."""
    return prod(one.shape) * one.dtype.itemsize


def _lines(frame: Frame, guarded: bool) -> list[str]:
    """The lines of the Python function that makes the results and the rooms, and calls the C function."""
    names, results, working = (
        [f"{letter}{k}" for k in range(len(many))]
        for letter, many in (("o", frame.given), ("r", frame.outputs), ("w", frame.rooms))
    )
    lines = [
        f"if not {-(2**63)} <= {name} < {2**63}: raise OverflowError('int too large for 64 bits')"
        for name, one in zip(names, frame.given, strict=True)
        if one.python is int
    ]
    lines += [f"{name} = copied({name})" for name in names] if guarded else []
    new_array = "guard" if guarded else "empty"
    for k, one in enumerate(frame.outputs):
        new = f"block({size_of(one) + LINE - 1})" if k in frame.shifted else f"{new_array}({one.shape!r}, d{k})"
        lines.append(f"r{k} = {new}")
    # Memory that is new to the process is dear: it is kept, for one call at a time.
    kept = [k for k, size in enumerate(frame.rooms) if size in _KEPT and not guarded]
    for k, size in enumerate(frame.rooms):
        new = f"{new_array}(({size},), byte)"
        lines.append(f"w{k} = free{k}.pop() if free{k} else {new}" if k in kept else f"w{k} = {new}")
    lines.append(f"found = run({', '.join([*names, *results, *working])})")
    lines += [f"free{k}.append(w{k})" for k in kept]
    lines.append("if found < 0: return None")
    for n, k in enumerate(frame.shifted):
        lines.append(f"r{k} = array({frame.outputs[k].shape!r}, d{k}, r{k}, found >> {n * LINE_BITS} & {LINE - 1})")
    return [*lines, f"return ({''.join(f'{name}, ' for name in results)})"]


def plainly(operand: Any, given: Given) -> Any:
    """An operand as machine code wants it: with its elements in rows, its type the one object that stands for it."""
    if given.is_number:
        return operand
    if isinstance(operand, np.generic):
        operand = np.asarray(operand)
    if type(operand) is np.ndarray and operand.dtype is given.dtype:
        if operand.flags.c_contiguous and operand.flags.aligned:
            return operand
    made = np.empty(given.shape, given.dtype)
    made[...] = operand
    return made


__all__ = ["Frame", "Given", "LINE", "LINE_BITS", "NUMBERS", "call_of", "plainly", "size_of"]
