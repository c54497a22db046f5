"""Factors and eigenvalues of matrices, and solutions of triangular systems, by the library that NumPy itself calls:
LAPACK (E. Anderson et al., *LAPACK Users' Guide*, 1999), as OpenBLAS has it.

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

from xlapy.lowering.llvm import blas, bufferisation, small_matrices
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.lazy_arrays import Lazy, Room, Value, counted, dtype_of, over, shape_of, view
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, select
from xlapy.lowering.llvm.text import INDEX, Number, Text, Unsuitable, literal, part_of

#: names in NumPy's library, of LAPACK's functions for Fortran whose integers are of 64 bits
_NAMES = ("scipy_{}_64_", "{}_64_")
#: rows and columns up to which the library uses one thread: others wait for each other (`parallel_blas`)
_ALONE = 400
#: columns that functions take at a time, if they have room for that
_BLOCK = 64
#: what BLAS calls sides, triangles, transposes and diagonals
_IN_ROWS, _LEFT, _RIGHT, _UPPER, _LOWER, _PLAIN, _TRANSPOSED, _CONJUGATED = 101, 141, 142, 121, 122, 111, 112, 113
_ANY_DIAGONAL, _ONES = 131, 132


def evaluated(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
    """What an equation of `lax.linalg` computes, of one of the primitives in `FACTORS`.

    Raises:
        Unsuitable: there are several large matrices, or no such function.
    """
    if small_matrices.suits(equation, operands):
        return small_matrices.evaluated(text, room, equation, operands)
    if any(isinstance(x, Number) or len(shape_of(x)) != 2 for x in operands):
        raise Unsuitable("factors of several large matrices, or of a number")
    return FACTORS[equation.primitive.name](text, room, equation.params, *operands)


def _cholesky(text: Text, room: Room, params: dict, x: Value) -> list[Value]:
    """The lower factor; where there is none, NaN."""
    place = room.kept(x).now()
    count, info = place.shape[0], _integer(text, 0)
    with _one_thread(text, count):
        size = _integer(text, count)
        _call(text, "potrf", place.dtype, [_letter(text, "U"), size, place.pointer, size, info], hidden=1)
    _or_nan(text, place, _failed(text, info))
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
    return [_as_rows(text, factors), exchanged, order]


def _factored(text: Text, room: Room, x: Value) -> tuple[Array, Array, Array]:
    """The same, of which the factors lie as their transpose."""
    rows, columns = shape_of(x)
    place, count = _in_columns(text, room, x), min(rows, columns)
    pivots = room.made(INDEX, (count,))
    info = _integer(text, 0)
    with _one_thread(text, count):
        sizes = [_integer(text, rows), _integer(text, columns)]
        _call(text, "getrf", place.dtype, [*sizes, place.pointer, sizes[0], pivots.pointer, info])
    array, found = _stored(text, place), _stored(text, pivots)
    exchanged, order = (room.made(np.dtype(np.int32), (n,)) for n in (count, rows))

    def begin(k: str, numbers: list) -> list:
        bufferisation.put(text, order, convert(text, Number(INDEX, (k,)), order.dtype), (k,))
        return []

    def exchange(k: str, numbers: list) -> list:
        other = RULES["sub"](text, bufferisation.load(text, found, (k,)), literal(1, INDEX))
        bufferisation.put(text, exchanged, convert(text, other, exchanged.dtype), (k,))
        now = Array(order, order.version)
        one, two = bufferisation.load(text, now, (k,)), bufferisation.load(text, now, (other.name,))
        bufferisation.put(text, order, two, (k,))
        bufferisation.put(text, order, one, (other.name,))
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
    given += [f"ptr {bufferisation.address(matrix)}", f"i64 {count}", f"ptr {place.pointer}", f"i64 {columns}"]
    name = _function("trsm", place.dtype)
    types = ", ".join(word.split()[0] for word in given)
    text.declared[name] = f"declare void @{name}({types}) nounwind willreturn"
    text.do(f"call void @{name}({', '.join(given)})")
    return [_stored(text, place)]


def _eigh(text: Text, room: Room, params: dict, x: Value) -> list[Value]:
    """Eigenvectors and eigenvalues of a matrix of which one triangle is read."""
    if params.get("subset_by_index") is not None or params.get("algorithm") is not None:
        raise Unsuitable("some of the eigenvalues, or an algorithm that is asked for")
    place = _in_columns(text, room, x)
    dtype, count, info = place.dtype, place.shape[0], _integer(text, 0)
    values = room.made(part_of(dtype), (count,))
    letters = _letter(text, "V"), _letter(text, "L" if params["lower"] else "U")
    size, reals, integers = _integer(text, count), 1 + 5 * count + 2 * count**2, 3 + 5 * count
    if dtype.kind == "c":
        work = _work(text, room, dtype, 2 * count + count**2 + _BLOCK * count)
        work += _work(text, room, part_of(dtype), reals)
    else:
        work = _work(text, room, dtype, reals + count + _BLOCK * count)
    work += _work(text, room, INDEX, integers)
    operands = [*letters, size, place.pointer, size, values.pointer, *work, info]
    with _one_thread(text, count):
        _call(text, "heevd" if dtype.kind == "c" else "syevd", dtype, operands, hidden=2)
    failed = _failed(text, info)
    _or_nan(text, place, failed)
    _or_nan(text, values, failed)
    return [_as_rows(text, _stored(text, place)), _stored(text, values)]


def _svd(text: Text, room: Room, params: dict, x: Value) -> list[Value]:
    """Singular values, and the vectors that belong to them."""
    if params.get("subset_by_index") is not None or params.get("algorithm") is not None:
        raise Unsuitable("some of the singular values, or an algorithm that is asked for")
    (rows, columns), place = shape_of(x), _in_columns(text, room, x)
    dtype, least, most, info = place.dtype, *sorted((rows, columns)), _integer(text, 0)
    values = room.made(part_of(dtype), (least,))
    both, all_of = params["compute_uv"], params["full_matrices"]
    made = [
        room.made(dtype, (rows if all_of else least, rows)),
        room.made(dtype, (columns, columns if all_of else least)),
    ]
    if not both:
        made = []
    pointers = [one.pointer for one in made] or [place.pointer] * 2
    widths = [_integer(text, one.shape[1]) for one in made] or [_integer(text, 1)] * 2
    square = 4 * least**2 if both else 0
    work = _work(text, room, dtype, square + 10 * least + most + _BLOCK * (least + most))
    if dtype.kind == "c":
        reals = max(5 * least**2 + 5 * least, 2 * most * least + 2 * least**2 + least) if both else 7 * least
        work.append(room.made(part_of(dtype), (reals,)).pointer)
    work.append(room.made(INDEX, (8 * least,)).pointer)
    sizes = [_integer(text, n) for n in (rows, columns)]
    letter = _letter(text, "N" if not both else "A" if all_of else "S")
    vectors = [pointers[0], widths[0], pointers[1], widths[1]]
    operands = [letter, *sizes, place.pointer, sizes[0], values.pointer, *vectors, *work, info]
    with _one_thread(text, least):
        _call(text, "gesdd", dtype, operands, hidden=1)
    failed = _failed(text, info)
    for one in (values, *made):
        _or_nan(text, one, failed)
    return [_stored(text, values), *(_as_rows(text, _stored(text, one)) for one in made)]


def _qr(text: Text, room: Room, params: dict, x: Value) -> list[Value]:
    """An orthogonal matrix and an upper triangle."""
    (rows, columns), place = shape_of(x), _in_columns(text, room, x)
    if params["pivoting"] or params["full_matrices"] and rows > columns:
        raise Unsuitable("more columns than a matrix has, or in another order")
    dtype, count, info = place.dtype, min(rows, columns), _integer(text, 0)
    factors = room.made(dtype, (count,))
    work = _work(text, room, dtype, _BLOCK * max(rows, columns))
    sizes = [_integer(text, n) for n in (rows, columns, count)]
    with _one_thread(text, count):
        _call(text, "geqrf", dtype, [*sizes[:2], place.pointer, sizes[0], factors.pointer, *work, info])
        array, upper = _stored(text, place), room.made(dtype, (count, columns))

        def row(i: str, numbers: list) -> list:
            def column(j: str, numbers: list) -> list:
                above = RULES["le"](text, Number(INDEX, (i,)), Number(INDEX, (j,)))
                number = select(text, above, bufferisation.load(text, array, (j, i)), literal(0, dtype))
                bufferisation.put(text, upper, number, (i, j))
                return []

            return counted(text, columns, [], column, 0)

        counted(text, count, [], row, 0)
        name = "ungqr" if dtype.kind == "c" else "orgqr"
        _call(text, name, dtype, [sizes[0], sizes[2], sizes[2], place.pointer, sizes[0], factors.pointer, *work, info])
    array = _stored(text, place)
    turned = view(text, array, (rows, count), lambda at: [at[1], at[0]])
    return [turned._replace(transposed=array if count == columns else None), upper.change()]


FACTORS: dict[str, Callable[..., list[Value]]] = {
    "cholesky": _cholesky,
    "lu": _lu,
    "triangular_solve": _triangular_solve,
    "eigh": _eigh,
    "svd": _svd,
    "qr": _qr,
}


def _in_columns(text: Text, room: Room, x: Value) -> Memory:
    """A copy of a matrix, in memory that holds it column after column."""
    rows, columns = shape_of(x)
    return room.kept(view(text, x, (columns, rows), lambda at: [at[1], at[0]])).now()


def _as_rows(text: Text, array: Array) -> Lazy:
    """A matrix that lies in columns."""
    return view(text, array, array.memory.shape[::-1], lambda at: [at[1], at[0]])._replace(transposed=array)


def _work(text: Text, room: Room, dtype: np.dtype, count: int) -> list[str]:
    """The addresses of memory to work in, and of how many numbers it has room for."""
    return [room.made(dtype, (count,)).pointer, _integer(text, count)]


def _failed(text: Text, info: str) -> str:
    """Whether a function has not found what it was to find."""
    return text.new(f"icmp ne i64 {text.new(f'load i64, ptr {info}')}, 0")


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

    def visit(at: Sequence[str], numbers: list) -> list:
        bufferisation.put(text, place, literal(np.nan, place.dtype), at)
        return []

    over(text, place.shape, [], visit)
    text.do(f"br label %{done}")
    text.begin(done)


def _integer(text: Text, value: int) -> str:
    """The address of an integer."""
    name = text.name()
    text.rooms[name] = f"  {name} = alloca i64"
    text.do(f"store i64 {value}, ptr {name}")
    return name


def _letter(text: Text, letter: str) -> str:
    """The address of a letter."""
    name = text.name()
    text.rooms[name] = f"  {name} = alloca i8"
    text.do(f"store i8 {ord(letter)}, ptr {name}")
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


__all__ = ["FACTORS", "evaluated"]
