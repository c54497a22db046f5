"""Keys that are looked for in tables: the first row that is the right one ends the search, and longer tables have an
index, in memory of the function's own.

An index holds the rows that were in the table when a key was looked for last, at places that follow from their numbers
(open addressing). Rows that have come since are put into it at the next search. Every store into a column says which
row it changes: if that is one of those in the index, it is made anew.

Places in vectors that are in order are found by halves, without branches.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from xlapy.lowering.llvm.bufferisation import Array
from xlapy.lowering.llvm.lazy_arrays import Lazy, Place, Room, Value, dtype_of, element, is_slow, reads, shape_of
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, select
from xlapy.lowering.llvm.text import (
    FALSE,
    INDEX,
    TRUE,
    Number,
    Text,
    Unsuitable,
    literal,
    plus,
    type_in_memory,
    type_of,
)
from xlapy.lowering.thresholds import ROWS_INDEXED, ROWS_LOOKED_AT

_FACTOR = -7046029254386353131  # the golden ratio, of 64 bits


def first_row(text: Text, room: Room, rows: int, operands: Sequence[Value], params: dict) -> list[Value]:
    """What the kernel `primitives.searches.FIRST` gives, of a column that has room for so many rows."""
    same, length = operands
    assert isinstance(length, Number)
    return _first(text, rows, length, lambda k: element(text, same, (k,)))


def row_of(text: Text, room: Room, rows: int, operands: Sequence[Value], params: dict) -> list[Value]:
    """What the kernel `primitives.searches.ROW` gives."""
    *operands, length = operands
    assert isinstance(length, Number)
    half = len(operands) // 2
    return _row_of(text, room, rows, operands[:half], operands[half:], length)


def places(text: Text, room: Room, rows: int, operands: Sequence[Value], params: dict) -> list[Value]:
    """What the kernel `primitives.searches.PLACES` gives, in a vector of so many numbers."""
    return [_placed(text, room, rows, *operands, left=params["side"] == "left")]


def _row_of(
    text: Text, room: Room, rows: int, columns: Sequence[Value], numbers: Sequence[Value], length: Number
) -> list[Value]:
    found, exact = [], TRUE
    for column, number in zip(columns, numbers, strict=True):
        assert isinstance(number, Number)
        same, is_exact = _exactly(text, number, dtype_of(column))
        found.append(same)
        exact = RULES["bitwise_and"](text, exact, is_exact)
    arrays = [x for x in columns if isinstance(x, Array)]
    if len(arrays) == len(columns) and rows >= ROWS_INDEXED:
        row, there = _looked_up(text, room, arrays, found, length)
    else:

        def is_right(k: str) -> Number:
            right = TRUE
            for column, number in zip(columns, found, strict=True):
                right = RULES["bitwise_and"](text, right, RULES["eq"](text, element(text, column, (k,)), number))
            return right

        row, there = _first(text, rows, length, is_right)
    assert isinstance(there, Number)
    return [row, RULES["bitwise_and"](text, there, exact)]


def _exactly(text: Text, number: Number, dtype: np.dtype) -> tuple[Number, Number]:
    """A number as one of another type, and whether it is the same number."""
    if number.dtype == dtype:
        return number, TRUE
    if "c" in (number.dtype.kind, dtype.kind):
        raise Unsuitable("complex keys")
    made = convert(text, number, dtype)
    same = RULES["eq"](text, convert(text, made, number.dtype), number)
    if {number.dtype.kind, dtype.kind} == {"i", "u"}:
        signed = number if number.dtype.kind == "i" else made
        same = RULES["bitwise_and"](text, same, RULES["ge"](text, signed, literal(0, signed.dtype)))
    return made, same


def _first(text: Text, rows: int, length: Number, is_right: Callable[[str], Number]) -> list[Value]:
    """The first row that is the right one, or 0, and whether there is one."""
    count = RULES["min"](text, convert(text, length, INDEX), literal(rows, INDEX))
    text.has_loops = True
    phis = text.phis([literal(0, INDEX)])
    head, body, following, end = (text.label() for _ in range(4))
    text.do(f"br label %{head}")
    phis.begin(head)
    (index,) = phis.numbers
    text.do(f"br i1 {text.new(f'icmp slt i64 {index.name}, {count.name}')}, label %{body}, label %{end}")
    text.begin(body)
    right = is_right(index.name)
    tail = text.block
    text.do(f"br i1 {right.name}, label %{end}, label %{following}")
    text.begin(following)
    phis.close([Number(INDEX, (plus(text, index.name, "1"),))])
    text.do(f"br label %{head}")
    text.begin(end)
    row = text.new(f"phi i64 [0, %{head}], [{index.name}, %{tail}]")
    there = text.new(f"phi i1 [false, %{head}], [true, %{tail}]")
    return [convert(text, Number(INDEX, (row,)), length.dtype), Number(FALSE.dtype, (there,))]


# -- a search in halves --


def _placed(text: Text, room: Room, count: int, x: Value, values: Value, left: bool) -> Value:
    """Where in so many numbers in order others belong, before or behind those that are equal; NaN is the largest."""
    if dtype_of(x).kind == "c":
        raise Unsuitable("complex numbers in order")
    if isinstance(x, Lazy):
        x = room.kept(x)

    def comes_later(place: str, value: Number) -> Number:
        here = element(text, x, (place,))
        if left:
            return _is_less(text, here, value)
        return RULES["bitwise_not"](text, _is_less(text, value, here))

    def at(place: Place) -> Number:
        value, first, rest = element(text, values, place), literal(0, INDEX), count
        while rest:
            half = (rest + 1) // 2
            later = comes_later(plus(text, first.name, str(half - 1)), value)
            first = select(text, later, Number(INDEX, (plus(text, first.name, str(half)),)), first)
            rest -= half
        return first

    shape = shape_of(values)
    if prod(shape) == 1:
        return at(("0",) * len(shape))
    return room.kept(Lazy(INDEX, shape, at, reads(x, values), False, is_slow(values)))


def _is_less(text: Text, x: Number, y: Number) -> Number:
    less = RULES["lt"](text, x, y)
    if x.dtype.kind != "f":
        return less
    nan, number = RULES["ne"](text, y, y), RULES["eq"](text, x, x)
    return RULES["bitwise_or"](text, less, RULES["bitwise_and"](text, nan, number))


# -- an index --


def _looked_up(
    text: Text, room: Room, columns: Sequence[Array], numbers: Sequence[Number], length: Number
) -> list[Value]:
    """The row of numbers that have the types of the columns."""
    memories = tuple(x.now() for x in columns)
    for memory in memories:
        memory.used = True
    if memories not in text.indices:
        size = 1 << (2 * memories[0].shape[0] - 1).bit_length()
        name = f"row.{len(text.indices)}"
        table = room.made(np.dtype(np.int32), (size,)).pointer
        text.indices[memories] = name, table
        for memory in memories:
            text.watched.setdefault(memory.pointer, []).append(f"%{name}.known")
        text.functions.append(_definition(name, [m.dtype for m in memories], size))
        text.declared["llvm.memset.p0.i64"] = "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)"
        text.begins.append(f"  %{name}.known = alloca i64")
        text.begins.append(f"  store i64 -1, ptr %{name}.known")
    name, table = text.indices[memories]
    operands = [f"ptr {m.pointer}" for m in memories]
    operands += [f"{type_of(x.dtype)} {x.name}" for x in numbers]
    # behind an error there may be more rows than there is room for
    count = RULES["min"](text, convert(text, length, INDEX), literal(memories[0].shape[0], INDEX))
    operands += [f"i64 {count.name}", f"ptr {table}", f"ptr %{name}.known"]
    row = Number(INDEX, (text.new(f"call i64 @{name}({', '.join(operands)})"),))
    there = RULES["ge"](text, row, literal(0, INDEX))
    return [convert(text, RULES["max"](text, row, literal(0, INDEX)), length.dtype), there]


def _definition(name: str, dtypes: Sequence[np.dtype], size: int) -> str:
    """The function that finds the row of numbers: -1 if there is none."""
    types = list(map(type_of, dtypes))
    parameters = [f"ptr noalias nocapture readonly %c{k}" for k in range(len(types))]
    parameters += [f"{type} %k{k}" for k, type in enumerate(types)]
    parameters += ["i64 %length", "ptr noalias nocapture %table", "ptr noalias nocapture %known"]
    few = [*_row("few", "%f", dtypes), *_same("few", dtypes)]
    new, one = _row("new", "%r", dtypes), [*_row("one", "%row", dtypes), *_same("one", dtypes)]
    keys = [f"%k{k}" for k in range(len(types))]
    lines = [
        f"define internal i64 @{name}({', '.join(parameters)}) noinline nounwind {{",
        "begin:",
        f"  %short = icmp sle i64 %length, {ROWS_LOOKED_AT}",
        "  br i1 %short, label %scan, label %long",
        "scan:",
        "  %f = phi i64 [0, %begin], [%f.next, %scan.next]",
        "  %f.is = icmp slt i64 %f, %length",
        "  br i1 %f.is, label %scan.one, label %none",
        "scan.one:",
        *few,
        "  br i1 %few.same, label %scanned, label %scan.next",
        "scan.next:",
        "  %f.next = add nsw i64 %f, 1",
        "  br label %scan",
        "scanned:",
        "  ret i64 %f",
        "none:",
        "  ret i64 -1",
        "long:",
        "  %before = load i64, ptr %known",
        "  %lost = icmp ugt i64 %before, %length",
        "  br i1 %lost, label %clear, label %grow",
        "clear:",
        f"  call void @llvm.memset.p0.i64(ptr %table, i8 0, i64 {4 * size}, i1 false)",
        "  br label %grow",
        "grow:",
        "  %from = phi i64 [0, %clear], [%before, %long]",
        "  br label %more",
        "more:",
        "  %r = phi i64 [%from, %grow], [%r.next, %put]",
        "  %r.is = icmp slt i64 %r, %length",
        "  br i1 %r.is, label %add, label %look",
        "add:",
        *new,
        *_place("add", [f"%new.{k}" for k in range(len(types))], dtypes, size),
        "  br label %probe",
        "probe:",
        "  %p = phi i64 [%add.place, %add], [%p.next, %taken]",
        "  %p.at = getelementptr inbounds i32, ptr %table, i64 %p",
        "  %p.row = load i32, ptr %p.at",
        "  %p.free = icmp eq i32 %p.row, 0",
        "  br i1 %p.free, label %put, label %taken",
        "taken:",
        "  %p.more = add nuw nsw i64 %p, 1",
        f"  %p.next = and i64 %p.more, {size - 1}",
        "  br label %probe",
        "put:",
        "  %r.next = add nuw nsw i64 %r, 1",
        "  %r.entry = trunc i64 %r.next to i32",
        "  store i32 %r.entry, ptr %p.at",
        "  br label %more",
        "look:",
        "  store i64 %length, ptr %known",
        *_place("key", keys, dtypes, size),
        "  br label %seek",
        "seek:",
        "  %s = phi i64 [%key.place, %look], [%s.next, %other]",
        "  %s.at = getelementptr inbounds i32, ptr %table, i64 %s",
        "  %s.row = load i32, ptr %s.at",
        "  %s.free = icmp eq i32 %s.row, 0",
        "  br i1 %s.free, label %none, label %compare",
        "compare:",
        "  %entry = zext i32 %s.row to i64",
        "  %row = add nsw i64 %entry, -1",
        *one,
        "  br i1 %one.same, label %found, label %other",
        "other:",
        "  %s.more = add nuw nsw i64 %s, 1",
        f"  %s.next = and i64 %s.more, {size - 1}",
        "  br label %seek",
        "found:",
        "  ret i64 %row",
        "}",
    ]
    return "\n".join(lines)


def _row(name: str, row: str, dtypes: Sequence[np.dtype]) -> list[str]:
    """The numbers in a row."""
    lines = []
    for k, dtype in enumerate(dtypes):
        type = type_in_memory(dtype)
        loaded = f"%{name}.{k}" if dtype.kind != "b" else f"%{name}.{k}.byte"
        lines.append(f"  %{name}.{k}.at = getelementptr inbounds {type}, ptr %c{k}, i64 {row}")
        lines.append(f"  {loaded} = load {type}, ptr %{name}.{k}.at")
        if dtype.kind == "b":
            lines.append(f"  %{name}.{k} = trunc i8 {loaded} to i1")
    return lines


def _same(name: str, dtypes: Sequence[np.dtype]) -> list[str]:
    """Whether they are those that are looked for."""
    lines, before = [], "true"
    for k, dtype in enumerate(dtypes):
        comparison = "fcmp oeq" if dtype.kind == "f" else "icmp eq"
        lines.append(f"  %{name}.{k}.is = {comparison} {type_of(dtype)} %{name}.{k}, %k{k}")
        lines.append(f"  %{name}.{k}.all = and i1 {before}, %{name}.{k}.is")
        before = f"%{name}.{k}.all"
    return [*lines, f"  %{name}.same = and i1 {before}, true"]


def _place(name: str, numbers: Sequence[str], dtypes: Sequence[np.dtype], size: int) -> list[str]:
    """Where in the index numbers are looked for first: of equal ones it is the same place."""
    lines, total = [], "0"
    for k, (number, dtype) in enumerate(zip(numbers, dtypes, strict=True)):
        part, type = f"%{name}.p{k}", type_of(dtype)
        if dtype.kind == "f":
            bits = f"i{8 * dtype.itemsize}"
            lines.append(f"  {part}.zero = fadd {type} {number}, 0.0")  # of -0.0, too
            lines.append(f"  {part}.bits = bitcast {type} {part}.zero to {bits}")
            number, type = f"{part}.bits", bits
        lines.append(f"  {part} = {'add' if type == 'i64' else 'zext'} {_wide(type, number)}")
        lines.append(f"  {part}.with = xor i64 {total}, {part}")
        lines.append(f"  {part}.times = mul i64 {part}.with, {_FACTOR}")
        lines.append(f"  {part}.high = lshr i64 {part}.times, 32")
        lines.append(f"  {part}.all = xor i64 {part}.times, {part}.high")
        total = f"{part}.all"
    return [*lines, f"  %{name}.place = and i64 {total}, {size - 1}"]


def _wide(type: str, number: str) -> str:
    return f"i64 {number}, 0" if type == "i64" else f"{type} {number} to i64"


__all__ = ["first_row", "places", "row_of"]
