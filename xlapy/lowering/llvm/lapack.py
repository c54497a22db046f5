"""Factors of matrices, and solutions of triangular systems, by the library that NumPy itself calls: LAPACK (E. Anderson
et al., *LAPACK Users' Guide*, 1999), as OpenBLAS has it.

XLA calls SciPy's library for them, in another thread, and copies what it reads. For a small matrix that takes longer
than to compute the factors. LAPACK's matrices lie in columns: what lies in rows is the transpose.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
import numpy as np

from xlapy.lowering.llvm import blas, memory
from xlapy.lowering.llvm.arrays import Lazy, Room, Value, counted, dtype_of, shape_of, view
from xlapy.lowering.llvm.memory import Array, Memory
from xlapy.lowering.llvm.numbers import RULES, convert
from xlapy.lowering.llvm.text import INDEX, Number, Text, Unsuitable, literal

#: names in NumPy's library, of LAPACK's functions for Fortran whose integers are of 64 bits
_NAMES = ("scipy_{}_64_", "{}_64_")
#: rows and columns up to which the library uses one thread: others wait for each other (`blas_parts`)
_ALONE = 400
#: what BLAS calls sides, triangles, transposes and diagonals
_IN_ROWS, _LEFT, _RIGHT, _UPPER, _LOWER, _PLAIN, _TRANSPOSED, _CONJUGATED = 101, 141, 142, 121, 122, 111, 112, 113
_ANY_DIAGONAL, _ONES = 131, 132


def evaluated(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value] | None:
    """What an equation of `lax.linalg` computes; None if it is another one.

    Raises:
        Unsuitable: there are several matrices, or no such function.
    """
    rule = _RULES.get(equation.primitive.name)
    if rule is None:
        return None
    if any(isinstance(x, Number) or len(shape_of(x)) != 2 for x in operands):
        raise Unsuitable("factors of several matrices, or of a number")
    return rule(text, room, equation.params, *operands)


def _cholesky(text: Text, room: Room, params: dict, x: Value) -> list[Value]:
    """The lower factor; where there is none, NaN."""
    place = room.kept(x).now()
    count, info = place.shape[0], _integer(text, 0)
    with _one_thread(text, count):
        side = text.name()
        text.rooms[side] = f"  {side} = alloca i8"
        text.do(f"store i8 {ord('U')}, ptr {side}")
        size = _integer(text, count)
        _call(text, "potrf", place.dtype, [side, size, place.pointer, size, info], hidden=1)
    _or_nan(text, place, text.new(f"icmp ne i64 {text.new(f'load i64, ptr {info}')}, 0"))
    return [_stored(text, place)]


def _lu(text: Text, room: Room, params: dict, x: Value) -> list[Value]:
    """Both factors in one matrix, which rows were exchanged one after the other, and where each row is then. Who solves
    a system asks for the factors, and who asks whether it can be solved."""
    known = room.factors.get(x) if isinstance(x, Array) else None
    if known is not None and all(array.version == array.memory.version for array in known):
        return _of_lu(text, *known)
    found = _factored(text, room, x)
    if isinstance(x, Array):
        room.factors[x] = found
    return _of_lu(text, *found)


def _of_lu(text: Text, factors: Array, exchanged: Array, order: Array) -> list[Value]:
    made = view(text, factors, factors.memory.shape[::-1], lambda at: [at[1], at[0]])
    return [made._replace(transposed=factors), exchanged, order]


def _factored(text: Text, room: Room, x: Value) -> tuple[Array, Array, Array]:
    """The same, of which the factors lie as their transpose."""
    rows, columns = shape_of(x)
    turned = view(text, x, (columns, rows), lambda at: [at[1], at[0]])
    place, count = room.kept(turned).now(), min(rows, columns)
    pivots = room.made(INDEX, (count,))
    info = _integer(text, 0)
    with _one_thread(text, count):
        sizes = [_integer(text, rows), _integer(text, columns)]
        _call(text, "getrf", place.dtype, [*sizes, place.pointer, sizes[0], pivots.pointer, info])
    array, found = _stored(text, place), _stored(text, pivots)
    exchanged, order = (room.made(np.dtype(np.int32), (n,)) for n in (count, rows))

    def begin(k: str, numbers: list) -> list:
        memory.put(text, order, convert(text, Number(INDEX, (k,)), order.dtype), (k,))
        return []

    def exchange(k: str, numbers: list) -> list:
        other = RULES["sub"](text, memory.load(text, found, (k,)), literal(1, INDEX))
        memory.put(text, exchanged, convert(text, other, exchanged.dtype), (k,))
        now = Array(order, order.version)
        one, two = memory.load(text, now, (k,)), memory.load(text, now, (other.name,))
        memory.put(text, order, two, (k,))
        memory.put(text, order, one, (other.name,))
        return []

    counted(text, rows, [], begin)
    counted(text, count, [], exchange)
    return array, exchanged.change(), order.change()


def _triangular_solve(text: Text, room: Room, params: dict, a: Value, b: Value) -> list[Value]:
    """What, multiplied with a triangular matrix, is another one."""
    turned = a.transposed if isinstance(a, Lazy) else None
    if params["conjugate_a"] and (turned is not None or not params["transpose_a"]) and dtype_of(a).kind == "c":
        raise Unsuitable("the conjugate of a triangular matrix")
    matrix = turned or (a if isinstance(a, Array) else room.kept(a))
    place = room.kept(b).now()
    is_lower, is_transposed = (bool(params[name]) != (turned is not None) for name in ("lower", "transpose_a"))
    how = _PLAIN if not is_transposed else _CONJUGATED if params["conjugate_a"] else _TRANSPOSED
    side, half = _LEFT if params["left_side"] else _RIGHT, _LOWER if is_lower else _UPPER
    words = [_IN_ROWS, side, half, how, _ONES if params["unit_diagonal"] else _ANY_DIAGONAL]
    rows, columns = place.shape
    count = matrix.memory.shape[0]
    given = [*(f"i32 {word}" for word in words), f"i64 {rows}", f"i64 {columns}", blas.factor(text, place.dtype, 1)]
    given += [f"ptr {memory.address(matrix)}", f"i64 {count}", f"ptr {place.pointer}", f"i64 {columns}"]
    name = _function("trsm", place.dtype)
    types = ", ".join(word.split()[0] for word in given)
    text.declared[name] = f"declare void @{name}({types}) nounwind willreturn"
    text.do(f"call void @{name}({', '.join(given)})")
    return [_stored(text, place)]


_RULES: dict[str, Callable[..., list[Value]]] = {
    "cholesky": _cholesky,
    "lu": _lu,
    "triangular_solve": _triangular_solve,
}


@contextmanager
def _one_thread(text: Text, count: int) -> Iterator[None]:
    """What is written inside is done while the library uses one thread, if a matrix is small."""
    limits = blas.limits() if count <= _ALONE else None
    if limits is not None:
        text.new(f"call i64 inttoptr (i64 {limits.enter} to ptr)()")
    yield
    if limits is not None:
        text.do(f"call void inttoptr (i64 {limits.leave} to ptr)()")


def _stored(text: Text, place: Memory) -> Array:
    text.note_store(place.pointer, "0")
    return place.change()


def _or_nan(text: Text, place: Memory, fails: str) -> None:
    """Make all elements NaN in one case."""
    bad, done = text.label(), text.label()
    text.do(f"br i1 {fails}, label %{bad}, label %{done}, !prof {text.unlikely()}")
    text.begin(bad)

    def row(i: str, numbers: list) -> list:
        def column(j: str, numbers: list) -> list:
            memory.put(text, place, literal(np.nan, place.dtype), (i, j))
            return []

        return counted(text, place.shape[1], [], column, 0)

    counted(text, place.shape[0], [], row, 0)
    text.do(f"br label %{done}")
    text.begin(done)


def _integer(text: Text, value: int) -> str:
    """The address of an integer."""
    name = text.name()
    text.rooms[name] = f"  {name} = alloca i64"
    text.do(f"store i64 {value}, ptr {name}")
    return name


def _call(text: Text, kind: str, dtype: np.dtype, pointers: Sequence[str], hidden: int = 0) -> None:
    """Call a function of LAPACK's; behind its operands are the lengths of its words."""
    name = _function(kind, dtype)
    types = ", ".join(["ptr"] * len(pointers) + ["i64"] * hidden)
    text.declared[name] = f"declare void @{name}({types}) nounwind willreturn"
    text.do(f"call void @{name}({', '.join([*(f'ptr {p}' for p in pointers), *['i64 1'] * hidden])})")


@functools.cache
def _found(kind: str, dtype: np.dtype) -> str | None:
    if kind == "trsm":
        return blas.function_of(kind, dtype)
    found = blas.address_of(_NAMES, blas.LETTERS[dtype.name] + kind) if dtype.name in blas.LETTERS else None
    if found is None:
        return None
    own = f"xlapy_{blas.LETTERS[dtype.name]}{kind}"
    llvm.add_symbol(own, found)
    return own


def _function(kind: str, dtype: np.dtype) -> str:
    """The name of a function in LLVM's language."""
    name = _found(kind, dtype)
    if name is None:
        raise Unsuitable(f"{kind} of {dtype}")
    return name


__all__ = ["evaluated"]
