"""Products of matrices by the library that NumPy itself calls: a BLAS (C. Lawson et al., *Basic Linear Algebra
Subprograms for Fortran Usage*, ACM TOMS 5, 1979), mostly OpenBLAS.

XLA's CPU backend multiplies floats of 64 bits at half the speed, and hands small products to other threads. NumPy is
linked to its library, so its functions are found where NumPy's own code finds them; where they are not, there are only
XLA's. They are called through BLAS's interface for C, whose integers are of 64 bits in the wheels of NumPy. Large
products are shared out to a pool of threads (`parallel_blas`).
"""

from __future__ import annotations

import ctypes
import functools
import sys
from collections.abc import Sequence
from math import prod
from typing import Any, NamedTuple

import jax
import llvmlite.binding as llvm
import numpy as np
from jax import lax

from xlapy.lowering.llvm import parallel_blas
from xlapy.lowering.llvm.engine import applied
from xlapy.lowering.llvm.lazy_arrays import Extent, counted, ranged
from xlapy.lowering.llvm.text import Text, literal, part_of, plus, times, type_in_memory
from xlapy.lowering.llvm.thread_pool import thread_pool
from xlapy.lowering.thresholds import PRODUCT_CALLED, PRODUCT_WITH_VECTOR_CALLED

#: of BLAS's names: of a type
LETTERS = {"float32": "s", "float64": "d", "complex64": "c", "complex128": "z"}
#: names in NumPy's library, by the kind of BLAS's functions that they are
NAMES = ("scipy_cblas_{}64_", "cblas_{}64_")
#: of OpenBLAS's functions that "get" how many threads it uses, and "set" that
_THREADS = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_")
#: how matrices lie: in rows, as they are, or as their transposes
_IN_ROWS, _PLAIN, _TRANSPOSED = 101, 111, 112
#: which half of a symmetric matrix is computed
_UPPER = 121


class Product(NamedTuple):
    """A product of matrices that lie in rows.

    Attributes:
        batch: how many there are, one behind the other.
        rows: of the left ones.
        inner: how many terms an element has.
        columns: of the right ones.
        left: whether the left ones lie as their transposes.
        right: whether the right ones do.
    """

    batch: int
    rows: int
    inner: int
    columns: int
    left: bool
    right: bool

    @property
    def is_large(self) -> bool:
        """Whether a call of a library pays."""
        least = PRODUCT_CALLED if min(self.rows, self.columns) > 1 else PRODUCT_WITH_VECTOR_CALLED
        return self.rows * self.inner * self.columns >= least


def product_of(left: Sequence[int], right: Sequence[int], dimension_numbers: Any) -> Product | None:
    """What `lax.dot_general` computes of arrays of such shapes; None if it takes their axes in another order."""
    (pairs, batch) = (list(zip(*axes, strict=True)) for axes in dimension_numbers)
    pairs.sort()
    count = len(batch)
    if batch != [(k, k) for k in range(count)]:
        return None
    found = []
    for shape, axes in ((left, [k for k, _ in pairs]), (right, [k for _, k in pairs])):
        free = [k for k in range(count, len(shape)) if k not in axes]
        rest = list(range(count, len(shape)))
        if rest not in ([*free, *axes], [*axes, *free]):
            return None
        found.append((prod(shape[k] for k in free), rest == [*free, *axes]))
    (rows, left_in_rows), (columns, right_in_columns) = found
    inner = prod(left[k] for k, _ in pairs)
    return Product(prod(left[:count]), rows, inner, columns, not left_in_rows, right_in_columns)


def is_possible(dtype: Any) -> bool:
    """Whether there are functions for numbers of that type."""
    return isinstance(dtype, np.dtype) and dtype.name in LETTERS and function_of("gemm", dtype) is not None


@functools.cache
def function_of(kind: str, dtype: np.dtype) -> str | None:
    """The name of a function of BLAS's in LLVM's language; None if there is none."""
    letter = LETTERS.get(dtype.name, "")
    found = address_of(NAMES, letter + kind)
    if found is None:
        return None
    threads = limits()
    if threads is not None:
        library = parallel_blas.Library(functools.partial(address_of, NAMES), threads)
        found = parallel_blas.product(library, dtype, letter, kind) or found
    own = f"xlapy_{letter}{kind}"
    llvm.add_symbol(own, found)
    return own


@functools.cache
def limits() -> parallel_blas.Limits | None:
    """What lets the library use one thread for a time; None if it cannot be told to, or there is one processor."""
    get, change = (address_of(_THREADS, what) for what in ("get", "set"))
    return None if get is None or change is None or thread_pool() is None else parallel_blas.limits(get, change)


def address_of(names: Sequence[str], what: str) -> int | None:
    """Where a function of NumPy's library is; None if there is none of such names."""
    library = _library()
    found = (getattr(library, name.format(what), None) for name in names if library is not None)
    return next((ctypes.cast(f, ctypes.c_void_p).value for f in found if f is not None), None)


@functools.cache
def _library() -> ctypes.CDLL | None:
    """NumPy's own machine code, with the libraries that it is linked to."""
    module = sys.modules.get("numpy._core._multiarray_umath")
    try:
        return None if module is None else ctypes.CDLL(module.__file__)
    except OSError:
        return None


# -- calls -----------------------------------------------------------------------------------------------------------


def multiply(
    text: Text, dtype: np.dtype, product: Product, left: str, right: str, result: str, lanes: Extent | None = None
) -> None:
    """Write what multiplies matrices at two addresses, and stores the products at a third one; of a matrix and a
    vector some elements of the product, if nobody looks at others."""
    sizes = product.rows * product.inner, product.inner * product.columns, product.rows * product.columns
    type = type_in_memory(part_of(dtype))
    parts = 2 if dtype.kind == "c" else 1

    def iteration(k: str, numbers: list) -> list:
        one, other, to = (
            text.new(f"getelementptr inbounds {type}, ptr {pointer}, i64 {times(text, k, parts * size)}")
            for pointer, size in zip((left, right, result), sizes, strict=True)
        )
        _call(text, dtype, product, one, other, to)
        return []

    if product.batch == 1:
        _call(text, dtype, product, left, right, result, lanes)
    else:
        counted(text, product.batch, [], iteration)


def multiply_by_itself(text: Text, dtype: np.dtype, shape: Sequence[int], of_rows: bool, x: str, result: str) -> None:
    """Write what multiplies a matrix of floats, at an address, with its transpose (`primitives.symmetric_rank_k`), and
    stores the product at another one."""
    count, terms = shape if of_rows else shape[::-1]
    one, zero = (factor(text, dtype, value) for value in (1, 0))
    operands = [f"i32 {_UPPER}", f"i32 {_PLAIN if of_rows else _TRANSPOSED}", f"i64 {count}", f"i64 {terms}", one]
    _do(text, "syrk", dtype, [*operands, f"ptr {x}", f"i64 {shape[1]}", zero, f"ptr {result}", f"i64 {count}"])
    type = type_in_memory(dtype)

    def at(row: str, column: str) -> str:
        index = plus(text, times(text, row, count), column)
        return text.new(f"getelementptr inbounds {type}, ptr {result}, i64 {index}")

    def row(i: str, numbers: list) -> list:
        def column(j: str, numbers: list) -> list:
            text.do(f"store {type} {text.new(f'load {type}, ptr {at(j, i)}')}, ptr {at(i, j)}")
            return []

        return ranged(text, Extent("0", i), [], column)

    counted(text, count, [], row)


def _call(
    text: Text, dtype: np.dtype, product: Product, left: str, right: str, result: str, lanes: Extent | None = None
) -> None:
    """One product: of two matrices, or of a matrix and a vector."""
    _, rows, inner, columns, *turned = product
    one, zero = (factor(text, dtype, value) for value in (1, 0))
    if rows > 1 and columns > 1:
        widths = [rows if turned[0] else inner, inner if turned[1] else columns]
        orders = [f"i32 {_TRANSPOSED if flag else _PLAIN}" for flag in turned]
        lengths = [f"i64 {n}" for n in (rows, columns, inner)]
        operands = [one, f"ptr {left}", f"i64 {widths[0]}", f"ptr {right}", f"i64 {widths[1]}"]
        _do(text, "gemm", dtype, [*orders, *lengths, *operands, zero, f"ptr {result}", f"i64 {columns}"])
        return
    if columns == 1:
        matrix, vector, count, is_turned = left, right, rows, turned[0]
    else:  # the transpose of the matrix, times the vector
        matrix, vector, count, is_turned = right, left, columns, not turned[1]
    length, width = str(count), count if is_turned else inner
    if lanes is not None:
        type = type_in_memory(dtype) if dtype.kind != "c" else f"[2 x {type_in_memory(part_of(dtype))}]"
        begin = lanes.first if is_turned else times(text, lanes.first, inner)
        matrix = text.new(f"getelementptr inbounds {type}, ptr {matrix}, i64 {begin}")
        result = text.new(f"getelementptr inbounds {type}, ptr {result}, i64 {lanes.first}")
        least = text.call("llvm.smax.i64", "i64", text.new(f"sub i64 {lanes.end}, {lanes.first}"), "0")
        length = text.call("llvm.smin.i64", "i64", least, str(count))
    sizes = [str(inner), length] if is_turned else [length, str(inner)]
    operands = [f"i32 {_TRANSPOSED if is_turned else _PLAIN}", *(f"i64 {n}" for n in sizes), one]
    operands += [f"ptr {matrix}", f"i64 {width}", f"ptr {vector}", "i64 1", zero, f"ptr {result}", "i64 1"]
    _do(text, "gemv", dtype, operands)


def factor(text: Text, dtype: np.dtype, value: int) -> str:
    """A factor: a complex one is given by its address."""
    if dtype.kind == "c":
        return f"ptr {text.table([literal(value, dtype)])}"
    return f"{type_in_memory(dtype)} {literal(value, dtype).name}"


def _do(text: Text, kind: str, dtype: np.dtype, operands: Sequence[str]) -> None:
    name = function_of(kind, dtype)
    assert name is not None
    given = [f"i32 {_IN_ROWS}", *operands]
    types = ", ".join(operand.split()[0] for operand in given)
    text.declared[name] = f"declare void @{name}({types}) nounwind willreturn"
    text.do(f"call void @{name}({', '.join(given)})")


# -- products that XLA calls -----------------------------------------------------------------------------------------


def suits(left: Any, right: Any, dimension_numbers: Any) -> bool:
    """Whether a product is for the library.

    Args:
        left: something with a shape and a dtype, as `right`.
        right: the other operand.
        dimension_numbers: those of `lax.dot_general`.
    """
    if left.dtype != right.dtype or not is_possible(left.dtype):
        return False
    (contracted, _), (batch, _) = dimension_numbers
    count, inner = (prod(left.shape[k] for k in axes) for axes in (batch, contracted))
    if count * inner == 0:
        return False
    rows, columns = (prod(x.shape) // (count * inner) for x in (left, right))
    return Product(count, rows, inner, columns, False, False).is_large


def multiplied(left: jax.Array, right: jax.Array, dimension_numbers: Any) -> jax.Array:
    """`lax.dot_general` of floats or complex numbers of one type, on a CPU."""
    product = product_of(left.shape, right.shape, dimension_numbers)
    if product is None:
        contracted, batch = dimension_numbers
        left, right = (_in_order(x, *axes) for x, *axes in zip((left, right), contracted, batch, strict=True))
        before, terms = len(batch[0]), len(contracted[0])
        axes = (tuple(range(x.ndim - terms, x.ndim)) for x in (left, right))
        return multiplied(left, right, (tuple(axes), (tuple(range(before)),) * 2))
    contracted, batch = dimension_numbers
    shape = [left.shape[k] for k in batch[0]]
    for x, *axes in zip((left, right), contracted, batch, strict=True):
        shape += [n for k, n in enumerate(x.shape) if all(k not in some for some in axes)]
    return applied(_body(product, np.dtype(left.dtype)), [(tuple(shape), left.dtype)], left, right, level=1)


def suits_itself(dtype: Any, shape: Sequence[int], of_rows: bool) -> bool:
    """Whether the product of a matrix with its transpose is for the library."""
    if not isinstance(dtype, np.dtype) or dtype.kind != "f" or not is_possible(dtype) or prod(shape) == 0:
        return False
    count, terms = shape if of_rows else shape[::-1]
    return function_of("syrk", dtype) is not None and Product(1, count, terms, count, False, False).is_large


def multiplied_by_itself(x: jax.Array, of_rows: bool) -> jax.Array:
    """The product of a matrix of floats with its transpose (`lowering.primitives.symmetric_rank_k`), on a CPU."""
    text, count = Text(), x.shape[0 if of_rows else 1]
    multiply_by_itself(text, np.dtype(x.dtype), x.shape, of_rows, "%x", "%result")
    return applied(_main(text, ["%x", "%result"]), [((count, count), x.dtype)], x, level=1)


def _in_order(x: jax.Array, contracted: Sequence[int], batch: Sequence[int]) -> jax.Array:
    """An array with the axes of a batch first, and those that are summed over last."""
    free = [k for k in range(x.ndim) if k not in (*contracted, *batch)]
    return lax.transpose(x, (*batch, *free, *contracted))


def _body(product: Product, dtype: np.dtype) -> str:
    """The function of the addresses of two arrays and of their product."""
    text = Text()
    multiply(text, dtype, product, "%left", "%right", "%result")
    return _main(text, ["%left", "%right", "%result"])


def _main(text: Text, pointers: Sequence[str]) -> str:
    """A function of some addresses."""
    head = f"define internal void @main({', '.join(f'ptr {pointer}' for pointer in pointers)}) {{"
    lines = [*text.tables, *text.declared.values(), head, "entry:", *text.lines, "  ret void", "}", *text.notes]
    return "\n".join(lines)


__all__ = [
    "LETTERS",
    "NAMES",
    "Product",
    "address_of",
    "factor",
    "function_of",
    "is_possible",
    "limits",
    "multiplied",
    "multiplied_by_itself",
    "multiply",
    "multiply_by_itself",
    "product_of",
    "suits",
    "suits_itself",
]
