"""Programs that are machine code as a whole, called with NumPy's arrays where they lie.

XLA's CPU client hands a program with a loop in it to another thread, and waits; arrays are copied on their way in. For
a loop of a few microseconds that takes ten times as long as the loop. Here a program is one C function of Python's
objects: it looks into arrays itself, as every extension module that uses NumPy's C interface does (`PyArray_DATA` and
its like are written into such modules: they read the fields of `PyArrayObject_fields`, whose places do not change).
That they are where they are expected is looked at once; if not, there are no such functions.
"""

from __future__ import annotations

import ctypes
import functools
import re
import sys
import sysconfig
from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from xlapy.lowering.llvm import guard_pages
from xlapy.lowering.llvm.engine import compiled, object_file_of, outside
from xlapy.lowering.llvm.object_entries import object_entry
from xlapy.lowering.llvm.object_fields import AXES, CLASS, DATA, DTYPE, FLAGS, LENGTHS, checked, loaded, main_called
from xlapy.lowering.llvm.programs import Function
from xlapy.lowering.thresholds import BYTES_ALIGNED, LINES_OPTIMISED
from xlapy.machine_code import addresses, object_calls
from xlapy.machine_code.c_calls import LINE, LINE_BITS, NUMBERS, Frame, Given, call_of, size_of

#: of how many results it is said where in a line they begin
_MOST_SHIFTED = 10
#: operands and results that C's functions are called with from Python
_MOST_ARGUMENTS = 1024


class Code(NamedTuple):
    """What another process needs to know of a program: what it is called with, its object file, which is empty if the
    program is for this process alone, and the known arrays that it reads, with the names that these have there."""

    frame: Frame
    object_file: bytes
    arrays: Mapping[str, np.ndarray]


@functools.cache
def is_possible() -> bool:
    """Whether arrays lie in memory as is expected here."""
    if sys.implementation.name != "cpython" or ctypes.sizeof(ctypes.c_void_p) != 8:
        return False
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return False
    for array in (np.arange(6.0).reshape(2, 3), np.arange(8, dtype=np.int32).reshape(2, 2, 2)[:, 1:]):
        if object.__basicsize__ != 16 or type(array).__basicsize__ < FLAGS + 4:
            return False
        start = id(array)
        pointer = {k: ctypes.c_int64.from_address(start + k).value for k in (CLASS, DATA, LENGTHS, DTYPE)}
        axes, flags = (ctypes.c_int32.from_address(start + k).value for k in (AXES, FLAGS))
        if (pointer[CLASS], pointer[DATA], pointer[DTYPE]) != (id(np.ndarray), array.ctypes.data, id(array.dtype)):
            return False
        if axes != array.ndim or bool(flags & 1) != array.flags.c_contiguous or not flags & 0x100:
            return False
        if tuple((ctypes.c_int64 * axes).from_address(pointer[LENGTHS])) != array.shape:
            return False
    return True


def called_directly(
    function: Function,
    params: Sequence,
    given: Sequence[Given],
    aligned: Container[int] = (),
    level: int = 3,
    plan: object_calls.Plan | None = None,
) -> Callable[..., tuple | None] | None:
    """Compiles a program to a function of its operands: the tuple of its results, new arrays; or None where an operand
    is not exactly an `np.ndarray` of the type and shape that is expected, with its elements in rows. None if there are
    too many operands and results, or results of other types than NumPy's.

    Args:
        function: the program.
        params: the parameters of the region that it was made of.
        given: for each of them, what the operand is.
        aligned: results that begin at multiples of 64 where they are large.
        level: how much LLVM does for it, if it is not long and straight.
        plan: what becomes of the results, if it may be called with Python's objects as well: by `objects`, an attribute
            of the function, which is None where it cannot (`machine_code.object_calls`).
    """
    if not all(isinstance(v.type.dtype, np.dtype) for v in function.results):
        return None  # JAX's keys are made by JAX
    outputs = [Given(v.type.dtype, tuple(v.type.shape)) for v in function.results]
    if len(given) + len(outputs) + len(function.rooms) > _MOST_ARGUMENTS:
        return None
    # The types of the elements are kept: the code has their addresses.
    dtypes = [np.dtype(g.dtype) for g in given]
    guarded = guard_pages.SIDE != 0
    large = [k for k, one in enumerate(outputs) if k in aligned and size_of(one) >= BYTES_ALIGNED]
    shifted = [] if guarded else large[:_MOST_SHIFTED]
    external = "external global i8"
    names = {name: f"@{name} = {external}" for name in (addresses.ARRAY_CLASS, *map(addresses.dtype_name, dtypes))}
    entry = _entry(function, params, given, dtypes, shifted)
    objects = None if guarded else object_entry(function, params, given, plan)
    if objects is not None:
        names, entry = names | objects[0], f"{entry}\n{objects[1]}"
    own = {addresses.dtype_name(dtype): id(dtype) for dtype in dtypes}
    for name in names:
        outside(name, own.get(name) or addresses.address_of(name) or 0)
    text = "\n".join([function.body, *names.values(), entry])
    engine = compiled(text, level if function.has_loops or text.count("\n") < LINES_OPTIMISED else 0)
    frame = Frame(tuple(given), tuple(outputs), tuple(size for size, _ in function.rooms), tuple(shifted))
    guards: Any = {"guard": guard_pages.array, "copied": guard_pages.copied} if guarded else None
    kept = engine, dtypes, function.constants
    call: Any = call_of(engine.get_function_address("entry"), frame, kept, guards)
    arrays = re.findall(r"^@(\S+) = external global", function.body, re.MULTILINE)
    # Other addresses than those with names mean nothing in another process.
    object_file = b"" if "inttoptr (i64" in text else object_file_of(engine)
    call.code = Code(frame, object_file, dict(zip(arrays, function.constants, strict=True)))
    call.objects = None
    if objects is not None and plan is not None:
        constants = object_calls.constants_of(plan.result)
        call.objects = object_calls.function_at(engine.get_function_address("objects"), constants, kept)
    return call


def _entry(
    function: Function,
    params: Sequence,
    given: Sequence[Given],
    dtypes: Sequence[np.dtype],
    shifted: Sequence[int],
) -> str:
    """The C function: looks at the operands, and runs `@main`; what it returns is -1 if an operand is another.

    The results that are `shifted` begin with a line of memory: it returns how far behind the beginning of the memory
    that the caller made, 6 bits for each.
    """
    types = [NUMBERS[g.python][1] if g.python in NUMBERS else "ptr" for g in given]
    results, rooms = len(function.results), len(function.rooms)
    parameters = [f"{type} %p{k}" for k, type in enumerate(types)]
    parameters += [f"ptr %r{k}" for k in range(results)] + [f"ptr %w{k}" for k in range(rooms)]
    lines = ["declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)"]
    lines += [f"define i64 @entry({', '.join(parameters)}) {{", "begin:"]
    for k, type in enumerate(types):
        if type != "ptr":
            lines += [f"  %p{k}.data = alloca {type}", f"  store {type} %p{k}, ptr %p{k}.data"]
    lines += _all_checked(types, given, dtypes)
    lines += _addresses(results, rooms, shifted)
    return "\n".join([*lines, *main_called(function, params), f"  ret i64 %shift.{len(shifted)}", "}"])


def _all_checked(types: Sequence[str], given: Sequence[Given], dtypes: Sequence[np.dtype]) -> list[str]:
    """What looks at all operands that are arrays, and ends where one is another."""
    arrays = [k for k, type in enumerate(types) if type == "ptr"]
    lines = [f"  br label %check{0 if arrays else '.done'}"]
    for n, k in enumerate(arrays):
        following = f"check{n + 1}" if n + 1 < len(arrays) else "check.done"
        lines += [f"check{n}:", *checked(f"%p{k}", given[k], dtypes[k], following)]
    return [*lines, "other:", "  ret i64 -1", "check.done:"]


def _addresses(results: int, rooms: int, shifted: Sequence[int]) -> list[str]:
    """What finds the memory of so many results and rooms, and how far behind its beginning the shifted results are."""
    lines = ["  %shift.0 = add i64 0, 0"]
    for k in range(results):
        lines += loaded(f"%r{k}.start" if k in shifted else f"%r{k}.data", f"%r{k}", DATA, "ptr")
    for k in range(rooms):
        lines += loaded(f"%w{k}.data", f"%w{k}", DATA, "ptr")
    for n, k in enumerate(shifted):
        lines += [
            f"  %r{k}.number = ptrtoint ptr %r{k}.start to i64",
            f"  %r{k}.rest = sub i64 0, %r{k}.number",
            f"  %r{k}.shift = and i64 %r{k}.rest, {LINE - 1}",
            f"  %r{k}.data = getelementptr i8, ptr %r{k}.start, i64 %r{k}.shift",
            f"  %r{k}.bits = shl i64 %r{k}.shift, {n * LINE_BITS}",
            f"  %shift.{n + 1} = or i64 %shift.{n}, %r{k}.bits",
        ]
    return lines


__all__ = ["Code", "Given", "called_directly", "is_possible"]
