"""The C function of a small program that is called with Python's objects and returns one (`machine_code.object_calls`).

To call a C function of numbers and addresses by way of Python takes microseconds: Python makes the results, `ctypes`
converts arguments, and Python puts together what is returned. This one does all of that itself, by the functions of
Python's and NumPy's C interfaces. What it cannot do the other entry of the program does (`entry_points`).
"""

from __future__ import annotations

import ctypes
import functools
import itertools
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import numpy as np

from xlapy.lowering.llvm import object_fields
from xlapy.lowering.llvm.object_fields import address, copied, loaded, main_called
from xlapy.lowering.llvm.programs import Function
from xlapy.lowering.thresholds import BYTES_KEPT, BYTES_ON_STACK, OBJECTS_PER_CALL
from xlapy.machine_code import addresses
from xlapy.machine_code.c_calls import NUMBERS, Given, size_of
from xlapy.machine_code.object_calls import Chosen, Constant, Operand, Output, Plan

#: bytes from the beginning of a number of Python's or NumPy's to what it is; of a tuple to its first item
_NUMBER, _ITEMS = 16, tuple.__basicsize__
#: the types of outputs that become numbers of Python's
_DTYPES = {bool: np.dtype(bool), int: np.dtype(np.int64), float: np.dtype(float), complex: np.dtype(complex)}
#: functions in C: what they return, and their parameters
_API = {
    "PyArray_NewFromDescr": "ptr (ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)",
    "PyArray_Scalar": "ptr (ptr, ptr, ptr)",
    "PyBool_FromLong": "ptr (i64)",
    "PyComplex_FromDoubles": "ptr (double, double)",
    "PyErr_Clear": "void ()",
    "PyEval_RestoreThread": "void (ptr)",
    "PyEval_SaveThread": "ptr ()",
    "PyFloat_FromDouble": "ptr (double)",
    "PyLong_AsLongLongAndOverflow": "i64 (ptr, ptr)",
    "PyLong_FromLongLong": "ptr (i64)",
    "PyTuple_New": "ptr (i64)",
    "PyTuple_SetItem": "i32 (ptr, i64, ptr)",
    "Py_DecRef": "void (ptr)",
    "Py_IncRef": "void (ptr)",
}


@functools.cache
def _is_possible() -> bool:
    """Whether numbers lie in memory as is expected here, and all functions are there."""
    for number, read in ((2.5, ctypes.c_double), (np.float32(2.5), ctypes.c_float), (np.int16(-3), ctypes.c_int16)):
        if read.from_address(id(number) + _NUMBER).value != number:
            return False
    pair = (object(), object())
    if ctypes.c_void_p.from_address(id(pair) + _ITEMS).value != id(pair[0]):
        return False
    return all(addresses.address_of(addresses.api_name(name)) for name in _API)


def object_entry(
    function: Function, params: Sequence, given: Sequence[Given], plan: Plan | None
) -> tuple[dict[str, str], str] | None:
    """The declarations that `@objects` needs, the C function of Python's objects, by name, and its definition; None if
    there is no plan, or the program is too large for its memory to be on the stack.

    Args:
        function: the program.
        params: the parameters of the region that it was made of.
        given: for each of them, what the operand is.
        plan: what becomes of its outputs.
    """
    if plan is None or not _is_possible():
        return None
    writer = _Writer(function, params, given, plan)
    return writer.written() if writer.suits() else None


class _Writer:
    def __init__(self, function: Function, params: Sequence, given: Sequence[Given], plan: Plan) -> None:
        self.function, self.params, self.given, self.plan = function, params, given, plan
        self.outputs = [Given(v.type.dtype, tuple(v.type.shape)) for v in function.results]
        self.returned = list(_outputs(plan.result))
        #: the outputs that are arrays of NumPy's
        self.arrays = [one.index for one in self.returned if one.kind == "array"]
        self.changed = {operand for operand, _ in plan.writes}
        self.lines: list[str] = []
        self.names: dict[str, str] = {}
        #: the numbers of names, and of known objects
        self._number, self._constants = itertools.count(), itertools.count()

    def suits(self) -> bool:
        """Whether all of it can be done here."""
        stack = [size_of(one) for k, one in enumerate(self.outputs) if k not in self.arrays]
        stack += [size for size, _ in self.function.rooms]
        if sum(stack) > BYTES_ON_STACK or len(self.given) + len(self.outputs) > OBJECTS_PER_CALL:
            return False
        if len(set(self.arrays)) < len(self.arrays):
            return False
        if any(one.python not in NUMBERS and one.python is not None for one in self.given):
            return False
        if any(self.outputs[k].shape or self.outputs[k].dtype.kind not in "iu" for k in _selectors(self.plan.result)):
            return False
        dtypes = [one.dtype for one in (*self.given, *self.outputs)]
        if any(addresses.address_of(addresses.dtype_name(dtype)) is None for dtype in dtypes):
            return False
        same = [self.given[p][:2] == self.outputs[k][:2] and self.given[p].python is None for p, k in self.plan.writes]
        return all(same) and all(map(self._can_be_made, self.returned))

    def _can_be_made(self, one: Output) -> bool:
        type = self.outputs[one.index]
        if one.kind == "array":
            return one.length is None or self.outputs[one.length][:2] == (_DTYPES[int], ())
        return not type.shape and (one.kind == "scalar" or _DTYPES.get(one.kind) == type.dtype)

    # -- text -------------------------------------------------------------------------------------------------------

    def written(self) -> tuple[dict[str, str], str]:
        """The declarations and the definition."""
        self._begin()
        for k, one in enumerate(self.given):
            following = f"check{k + 1}"
            self.lines.append(f"check{k}:")
            self._operand(k, one, following)
        self.lines.append(f"check{len(self.given)}:")
        self._results()
        self._run()
        for operand, output in self.plan.writes:
            self.lines.append(copied(f"%p{operand}.data", f"%r{output}.data", size_of(self.outputs[output])))
        self.lines += [f"  ret ptr {self._made(self.plan.result)}"]
        self.lines.append("failed:")
        self.lines += [f"  %free{k} = load ptr, ptr %made{k}" for k in self.arrays]
        for k in self.arrays:
            self._call("Py_DecRef", f"ptr %free{k}")
        self._call("PyErr_Clear")
        self.lines += ["  br label %other", "other:"]
        other = self._known(addresses.object_name("other"))
        self._call("Py_IncRef", f"ptr {other}")
        self.lines += [f"  ret ptr {other}", "}"]
        return self.names, "\n".join([*self._shapes(), *self.lines])

    def _begin(self) -> None:
        self.lines += ["define ptr @objects(ptr %self, ptr %args, i64 %count) {", "begin:"]
        for k, one in enumerate(self.given):
            if one.python in NUMBERS:
                self.lines.append(f"  %p{k}.data = alloca {NUMBERS[one.python][1]}")
        if any(one.python is int for one in self.given):
            self.lines.append("  %overflow = alloca i32")
        for k, one in enumerate(self.outputs):
            if k in self.arrays:
                # what is freed where something fails: nothing yet
                self.lines += [f"  %made{k} = alloca ptr", f"  store ptr null, ptr %made{k}"]
            else:
                self.lines.append(f"  %r{k}.data = alloca [{max(size_of(one), 1)} x i8], align 16")
        for k, (size, _) in enumerate(self.function.rooms):
            self.lines.append(f"  %w{k}.data = alloca [{max(size, 1)} x i8], align 64")
        for k in range(len(self.given)):
            self.lines += loaded(f"%p{k}", "%args", 8 * k, "ptr")
        self.lines.append("  br label %check0")

    def _operand(self, k: int, one: Given, following: str) -> None:
        """Goes on to a block with the address of what an operand is, if it is what it has to be."""
        name = f"%p{k}"
        if one.python is None and one.shape:
            self._needs(addresses.ARRAY_CLASS, addresses.dtype_name(one.dtype))
            self.lines += object_fields.checked(name, one, one.dtype, following, k in self.changed)
        elif one.python is None:
            self._array_or_scalar(k, one, following)
        elif one.python is bool:
            true, false = (self._known(addresses.object_name(str(value))) for value in (True, False))
            self.lines += [
                f"  {name}.true = icmp eq ptr {name}, {true}",
                f"  {name}.false = icmp eq ptr {name}, {false}",
                f"  {name}.is = or i1 {name}.true, {name}.false",
                f"  {name}.value = zext i1 {name}.true to i8",
                f"  store i8 {name}.value, ptr {name}.data",
                f"  br i1 {name}.is, label %{following}, label %other",
            ]
        else:
            self._number_of_python(name, one.python, following)

    def _number_of_python(self, name: str, python: type, following: str) -> None:
        block = name.replace("%", "number.")
        self._is_of(name, addresses.object_name(python.__name__), block, "other")
        self.lines.append(f"{block}:")
        if python is float:
            self.lines += loaded(f"{name}.value", name, _NUMBER, "double")
            self.lines += [f"  store double {name}.value, ptr {name}.data", f"  br label %{following}"]
            return
        value = self._call("PyLong_AsLongLongAndOverflow", f"ptr {name}, ptr %overflow")
        self.lines += [
            f"  store i64 {value}, ptr {name}.data",
            f"  {name}.overflow = load i32, ptr %overflow",
            f"  {name}.fits = icmp eq i32 {name}.overflow, 0",
            f"  br i1 {name}.fits, label %{following}, label %other",
        ]

    def _array_or_scalar(self, k: int, one: Given, following: str) -> None:
        """An operand without axes is an array, or a number of NumPy's."""
        name, array = f"%p{k}", f"%p{k}.array"
        self._needs(addresses.ARRAY_CLASS, addresses.dtype_name(one.dtype))
        scalar = "other" if k in self.changed else f"scalar{k}"
        self._is_of(name, addresses.scalar_name(one.dtype), scalar, f"zero{k}")
        self.lines += [f"zero{k}:", f"  {array} = getelementptr i8, ptr {name}, i64 0"]
        self.lines += object_fields.checked(array, one, one.dtype, f"found{k}", k in self.changed)
        into = [f"[{array}.data, %{array.replace('%', 'array.')}.lengths]"]
        if k not in self.changed:
            self.lines += [f"scalar{k}:", f"  {name}.number = getelementptr i8, ptr {name}, i64 {_NUMBER}"]
            self.lines.append(f"  br label %found{k}")
            into.append(f"[{name}.number, %scalar{k}]")
        self.lines += [f"found{k}:", f"  {name}.data = phi ptr {', '.join(into)}", f"  br label %{following}"]

    def _is_of(self, name: str, known: str, then: str, otherwise: str) -> None:
        """Branches on the class of an object."""
        self._needs(known)
        part = f"{name}.{next(self._number)}"
        self.lines += loaded(f"{part}.class", name, object_fields.CLASS, "i64")
        self.lines.append(f"  {part}.is = icmp eq i64 {part}.class, {address(known)}")
        self.lines.append(f"  br i1 {part}.is, label %{then}, label %{otherwise}")

    def _results(self) -> None:
        """Makes the arrays of the result."""
        array = self._known(addresses.ARRAY_CLASS)
        for k in self.arrays:
            dtype = self._known(addresses.dtype_name(self.outputs[k].dtype))
            self._call("Py_IncRef", f"ptr {dtype}")
            axes = len(self.outputs[k].shape)
            parts = f"ptr {array}, ptr {dtype}, i32 {axes}, ptr @shape{k}, ptr null, ptr null, i32 0, ptr null"
            made = self._call("PyArray_NewFromDescr", parts)
            self.lines += [
                f"  store ptr {made}, ptr %made{k}",
                f"  %r{k}.none = icmp eq ptr {made}, null",
                f"  br i1 %r{k}.none, label %failed, label %result{k}",
                f"result{k}:",
                *loaded(f"%r{k}.data", made, object_fields.DATA, "ptr"),
            ]

    def _shapes(self) -> list[str]:
        return [
            f"@shape{k} = internal constant [{max(len(self.outputs[k].shape), 1)} x i64] "
            f"[{', '.join(f'i64 {n}' for n in self.outputs[k].shape or (0,))}]"
            for k in self.arrays
        ]

    def _run(self) -> None:
        """Runs the program, and leaves where it has met an error."""
        # Other threads run meanwhile, if it may take long.
        state = self._call("PyEval_SaveThread") if self.function.has_loops else None
        self.lines += main_called(self.function, self.params)
        if state is not None:
            self._call("PyEval_RestoreThread", f"ptr {state}")
        error = self.plan.error
        if error is not None:
            type = f"i{8 * self.outputs[error].dtype.itemsize}"
            self.lines += [
                f"  %error = load {type}, ptr %r{error}.data",
                f"  %fine = icmp eq {type} %error, 0",
                "  br i1 %fine, label %finish, label %failed",
                "finish:",
            ]

    def _made(self, result: Any) -> str:
        """The address of the object that the result is, with a reference to it."""
        if type(result) is tuple:
            made = self._call("PyTuple_New", f"i64 {len(result)}")
            for place, item in enumerate(result):
                self._call("PyTuple_SetItem", f"ptr {made}, i64 {place}, ptr {self._made(item)}")
            return made
        if isinstance(result, Output):
            return self._output(result)
        if isinstance(result, Chosen):
            return self._chosen(result)
        if isinstance(result, Operand):
            name = f"%p{result.index}"
        else:
            assert isinstance(result, Constant)
            place = next(self._number)
            name = f"%constant{place}"
            self.lines += loaded(name, "%self", _ITEMS + 8 * next(self._constants), "ptr")
        self._call("Py_IncRef", f"ptr {name}")
        return name

    def _output(self, one: Output) -> str:
        data = f"%r{one.index}.data"
        if one.kind == "array":
            name = f"%object{one.index}"
            self.lines.append(f"  {name} = load ptr, ptr %made{one.index}")
            return name if one.length is None else self._cut(name, one.index, one.length)
        if one.kind == "scalar":
            dtype = self._known(addresses.dtype_name(self.outputs[one.index].dtype))
            return self._call("PyArray_Scalar", f"ptr {data}, ptr {dtype}, ptr null")
        name = f"%number{next(self._number)}"
        if one.kind is complex:
            self.lines += loaded(f"{name}.real", data, 0, "double") + loaded(f"{name}.imag", data, 8, "double")
            return self._call("PyComplex_FromDoubles", f"double {name}.real, double {name}.imag")
        if one.kind is float:
            self.lines += loaded(name, data, 0, "double")
            return self._call("PyFloat_FromDouble", f"double {name}")
        if one.kind is int:
            self.lines += loaded(name, data, 0, "i64")
            return self._call("PyLong_FromLongLong", f"i64 {name}")
        self.lines += [*loaded(f"{name}.byte", data, 0, "i8"), f"  {name} = zext i8 {name}.byte to i64"]
        return self._call("PyBool_FromLong", f"i64 {name}")

    def _chosen(self, choice: Chosen) -> str:
        """One of several numbers; the last one if it is none of the others."""
        name, type = f"choice{next(self._number)}", f"i{8 * self.outputs[choice.selector].dtype.itemsize}"
        self.lines += loaded(f"%{name}.number", f"%r{choice.selector}.data", 0, type)
        *first, last = range(len(choice.alternatives))
        to = " ".join(f"{type} {k}, label %{name}.{k}" for k in first)
        self.lines.append(f"  switch {type} %{name}.number, label %{name}.{last} [{to}]")
        made = []
        for k, one in enumerate(choice.alternatives):
            self.lines.append(f"{name}.{k}:")
            made.append(f"[{self._output(one)}, %{name}.{k}]")
            self.lines.append(f"  br label %{name}.made")
        self.lines += [f"{name}.made:", f"  %{name} = phi ptr {', '.join(made)}"]
        return f"%{name}"

    def _cut(self, whole: str, k: int, length: int) -> str:
        """The first rows of an array: itself, made shorter, unless much of its memory were kept for little."""
        rows, *others = self.outputs[k].shape
        row = prod(others) * self.outputs[k].dtype.itemsize
        name, most = f"%cut{next(self._number)}", max(rows // 2 - BYTES_KEPT // max(row, 1), 0)
        keep, block = f"{name}.keep"[1:], name[1:]
        self.lines += loaded(f"{name}.rows", f"%r{length}.data", 0, "i64")
        self.lines += loaded(f"{name}.lengths", whole, object_fields.LENGTHS, "ptr")
        self.lines += [
            f"  store i64 {name}.rows, ptr {name}.lengths",
            f"  {name}.few = icmp slt i64 {name}.rows, {most}",
            f"  br i1 {name}.few, label %{block}.copy, label %{keep}",
            f"{keep}:",
            f"  br label %{block}.done",
            f"{block}.copy:",
        ]
        array, dtype = self._known(addresses.ARRAY_CLASS), self._known(addresses.dtype_name(self.outputs[k].dtype))
        self._call("Py_IncRef", f"ptr {dtype}")
        parts = (
            f"ptr {array}, ptr {dtype}, i32 {1 + len(others)}, ptr {name}.lengths, ptr null, ptr null, i32 0, ptr null"
        )
        made = self._call("PyArray_NewFromDescr", parts)
        self.lines += [
            f"  {name}.none = icmp eq ptr {made}, null",
            f"  br i1 {name}.none, label %{keep}.all, label %{block}.made",
            f"{keep}.all:",
        ]
        self._call("PyErr_Clear")
        self.lines += [f"  br label %{block}.done", f"{block}.made:"]
        self.lines += loaded(f"{name}.data", made, object_fields.DATA, "ptr")
        self.lines.append(f"  {name}.bytes = mul i64 {name}.rows, {row}")
        self.lines.append(copied(f"{name}.data", f"%r{k}.data", f"{name}.bytes"))
        self._call("Py_DecRef", f"ptr {whole}")
        into = ", ".join(
            f"[{value}, %{label}]" for value, label in ((whole, keep), (whole, f"{keep}.all"), (made, f"{block}.made"))
        )
        self.lines += [f"  br label %{block}.done", f"{block}.done:", f"  {name} = phi ptr {into}"]
        return name

    def _needs(self, *names: str) -> None:
        self.names |= {name: f"@{name} = external global i8" for name in names}

    def _known(self, name: str) -> str:
        self._needs(name)
        return f"@{name}"

    def _call(self, function: str, arguments: str = "") -> str:
        """Calls a function of Python's or NumPy's C interface; its result."""
        result, _, parameters = _API[function].partition(" ")
        name = addresses.api_name(function)
        self.names[name] = f"declare {result} @{name}{parameters}"
        if result == "void":
            self.lines.append(f"  call void @{name}({arguments})")
            return ""
        value = f"%call{next(self._number)}"
        self.lines.append(f"  {value} = call {result} @{name}({arguments})")
        return value


def _outputs(result: Any) -> Iterator[Output]:
    if isinstance(result, Output):
        yield result
    elif isinstance(result, Chosen):
        yield from result.alternatives
    elif type(result) is tuple:
        for item in result:
            yield from _outputs(item)


def _selectors(result: Any) -> Iterator[int]:
    if isinstance(result, Chosen):
        yield result.selector
    elif type(result) is tuple:
        for item in result:
            yield from _selectors(item)


__all__ = ["object_entry"]
