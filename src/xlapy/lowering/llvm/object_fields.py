"""What the C functions of a program have in common, in LLVM's language: they read the fields of Python's objects, such
as the elements of an array, if that is as it has to be, and call the program."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np

from xlapy.lowering.llvm.programs import Function
from xlapy.machine_code import addresses
from xlapy.machine_code.c_calls import Given

#: bytes from the beginning of an object to its class; of an array to its elements, the number of its axes, their
#: lengths, the type of its elements, and its flags
CLASS, DATA, AXES, LENGTHS, DTYPE, FLAGS = 8, 16, 24, 32, 56, 64
#: flags: elements lie in rows without gaps, at multiples of their size, and may be written to
SUITS, WRITABLE = 0x1 | 0x100, 0x400


def checked(name: str, one: Given, dtype: np.dtype, following: str, is_written: bool = False) -> list[str]:
    """What goes on to the block `following` with `{name}.data`, the address of the elements of an array, if it is such
    an array, and to the block `other` if not."""
    flags = SUITS | WRITABLE if is_written else SUITS
    lines = loaded(f"{name}.class", name, CLASS, "i64")
    lines += [f"  {name}.is = icmp eq i64 {name}.class, {address(addresses.ARRAY_CLASS)}"]
    block = name.replace("%", "array.")
    lines += [f"  br i1 {name}.is, label %{block}, label %other", f"{block}:"]
    wanted: list[str] = []
    of_dtype = address(addresses.dtype_name(dtype))
    for part, place, type, value in (("dtype", DTYPE, "i64", of_dtype), ("axes", AXES, "i32", len(one.shape))):
        lines += loaded(f"{name}.{part}", name, place, type)
        lines.append(f"  {name}.{part}.is = icmp eq {type} {name}.{part}, {value}")
        wanted.append(f"{name}.{part}.is")
    lines += loaded(f"{name}.flags", name, FLAGS, "i32")
    lines += [f"  {name}.set = and i32 {name}.flags, {flags}", f"  {name}.suits = icmp eq i32 {name}.set, {flags}"]
    wanted.append(f"{name}.suits")
    lines += _all(f"{name}.same", wanted)
    lines += [f"  br i1 {name}.same, label %{block}.lengths, label %other", f"{block}.lengths:"]
    lines += loaded(f"{name}.shape", name, LENGTHS, "ptr")
    wanted = []
    for axis, length in enumerate(one.shape):
        lines += loaded(f"{name}.n{axis}", f"{name}.shape", 8 * axis, "i64")
        lines.append(f"  {name}.n{axis}.is = icmp eq i64 {name}.n{axis}, {length}")
        wanted.append(f"{name}.n{axis}.is")
    lines += _all(f"{name}.fits", wanted)
    lines += loaded(f"{name}.data", name, DATA, "ptr")
    return [*lines, f"  br i1 {name}.fits, label %{following}, label %other"]


def address(name: str) -> str:
    """The address that has a name, as a number."""
    return f"ptrtoint (ptr @{name} to i64)"


def loaded(name: str, base: str, place: int, type: str) -> list[str]:
    """What is so many bytes behind an address."""
    return [f"  {name}.at = getelementptr i8, ptr {base}, i64 {place}", f"  {name} = load {type}, ptr {name}.at"]


def main_called(function: Function, params: Sequence) -> list[str]:
    """What calls `@main` with the elements of operands, results and rooms, at `%p0.data`, `%r0.data`, `%w0.data` and so
    on, when what it changes has been copied to where it changes it.

    Args:
        function: the program.
        params: the parameters of the region that it was made of.
    """
    number = {var: k for k, var in enumerate(params)}
    copies = [(f"%r{k}.data", var) for k, var in function.changed.items()]
    copies += [(f"%w{k}.data", var) for k, (_, var) in enumerate(function.rooms) if var is not None]
    lines = [
        copied(target, f"%p{number[var]}.data", prod(var.type.shape) * var.type.dtype.itemsize)
        for target, var in copies
    ]
    names = {"operand": [f"%p{number[var]}.data" for var in function.operands]}
    names |= {"result": [f"%r{k}.data" for k in range(len(function.results))]}
    names |= {"room": [f"%w{k}.data" for k in range(len(function.rooms))]}
    arguments = ", ".join(f"ptr {names[kind][k]}" for kind, k in function.pointers)
    # LLVM would optimise what it has inlined once more, which takes a fifth of its time.
    return [*lines, f"  call void @main({arguments}) noinline"]


def copied(target: str, source: str, size: int | str) -> str:
    """What copies so many bytes."""
    return f"  call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {size}, i1 false)"


def _all(name: str, wanted: Sequence[str]) -> list[str]:
    """Whether all of some conditions hold."""
    lines, before = [], "true"
    for k, condition in enumerate(wanted):
        lines.append(f"  {name}.{k} = and i1 {before}, {condition}")
        before = f"{name}.{k}"
    return [*lines, f"  {name} = and i1 {before}, true"]


__all__ = [
    "AXES",
    "CLASS",
    "DATA",
    "DTYPE",
    "FLAGS",
    "LENGTHS",
    "SUITS",
    "address",
    "checked",
    "copied",
    "loaded",
    "main_called",
]
