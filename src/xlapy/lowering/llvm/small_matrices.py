"""Factors of many small matrices, and solutions of as many small systems, in straight code.

A function of LAPACK's takes longer to be called than to work on a matrix of three rows. Here all elements of one are
numbers, of which none is loaded twice; rows are exchanged by choosing numbers, since a processor cannot foresee which
ones, and several matrices are computed at a time, or by several threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from xlapy.lowering.llvm.bufferisation import Array, put
from xlapy.lowering.llvm.lazy_arrays import Place, Room, Value, dtype_of, element, over, shape_of
from xlapy.lowering.llvm.scalar_instructions import RULES, select
from xlapy.lowering.llvm.text import Number, Text, literal
from xlapy.lowering.thresholds import RIGHT_IN_STRAIGHT_CODE, ROWS_IN_STRAIGHT_CODE

_INT = np.dtype(np.int32)


def suits(equation: Any, operands: Sequence[Value]) -> bool:
    """Whether an equation of `lax.linalg` is of several small matrices, and is one of those here."""
    if equation.primitive.name not in _RULES or any(isinstance(x, Number) or len(shape_of(x)) < 3 for x in operands):
        return False
    rows, columns = shape_of(operands[0])[-2:]
    right = shape_of(operands[-1])[-2:]
    small = rows == columns <= ROWS_IN_STRAIGHT_CODE and right[0] * right[1] <= RIGHT_IN_STRAIGHT_CODE
    return small and all(dtype_of(x).kind == "f" for x in operands)


def evaluated(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
    """What such an equation computes."""
    kept = [x if isinstance(x, Array) else room.kept(x) for x in operands]
    batch = shape_of(kept[0])[:-2]
    made = [room.made(np.dtype(v.aval.dtype), tuple(v.aval.shape)) for v in equation.outvars]

    def visit(at: Place, numbers: list) -> list:
        def loaded(x: Value) -> list[list[Number]]:
            rows, columns = shape_of(x)[-2:]
            return [[element(text, x, (*at, str(i), str(j))) for j in range(columns)] for i in range(rows)]

        found = _RULES[equation.primitive.name](text, equation.params, *map(loaded, kept))
        for place, values in zip(made, found, strict=True):
            for index in np.ndindex(*place.shape[len(batch) :]):
                number: Any = values
                for k in index:
                    number = number[k]
                put(text, place, number, (*at, *map(str, index)))
        return []

    over(text, batch, [], visit, is_apart=True)
    return [place.change() for place in made]


def _lu(text: Text, params: dict, a: list[list[Number]]) -> list:
    """Both factors in one matrix, the rows that are exchanged, and where each row is then."""
    count, dtype = len(a), a[0][0].dtype
    order = [literal(k, _INT) for k in range(count)]
    exchanged = []
    for k in range(count):
        best, place = RULES["abs"](text, a[k][k]), literal(k, _INT)
        for i in range(k + 1, count):
            size = RULES["abs"](text, a[i][k])
            better = RULES["gt"](text, size, best)
            best, place = select(text, better, size, best), select(text, better, literal(i, _INT), place)
        exchanged.append(place)
        for i in range(k + 1, count):
            is_here = RULES["eq"](text, place, literal(i, _INT))
            for row in (a, [[x] for x in order]):
                for j in range(len(row[0])):
                    one, two = row[k][j], row[i][j]
                    row[k][j], row[i][j] = select(text, is_here, two, one), select(text, is_here, one, two)
                if row is not a:
                    order = [x for (x,) in row]
        # below a pivot that is zero all is, and stays
        pivot = select(text, RULES["eq"](text, a[k][k], literal(0, dtype)), literal(1, dtype), a[k][k])
        for i in range(k + 1, count):
            a[i][k] = RULES["div"](text, a[i][k], pivot)
            for j in range(k + 1, count):
                a[i][j] = RULES["sub"](text, a[i][j], RULES["mul"](text, a[i][k], a[k][j]))
    return [a, exchanged, order]


def _triangular_solve(text: Text, params: dict, a: list[list[Number]], b: list[list[Number]]) -> list:
    """What, multiplied with a triangular matrix, is another one."""
    is_left, is_lower = params["left_side"], params["lower"]
    if params["transpose_a"] == is_left:  # of rows or columns, whichever sums are along
        a, is_lower = [list(row) for row in zip(*a, strict=True)], not is_lower
    if not is_left:
        b = [list(row) for row in zip(*b, strict=True)]
    count = len(a)
    for i in range(count) if is_lower else reversed(range(count)):
        for column in range(len(b[0])):
            found = b[i][column]
            for j in range(i) if is_lower else range(i + 1, count):
                found = RULES["sub"](text, found, RULES["mul"](text, a[i][j], b[j][column]))
            b[i][column] = found if params["unit_diagonal"] else RULES["div"](text, found, a[i][i])
    return [b if is_left else [list(row) for row in zip(*b, strict=True)]]


def _cholesky(text: Text, params: dict, a: list[list[Number]]) -> list:
    """The lower factor; NaN where there is none."""
    count, zero = len(a), literal(0, a[0][0].dtype)
    found = [[zero] * count for _ in range(count)]
    failed = None
    for j in range(count):
        for i in range(j, count):
            left = a[i][j]
            for k in range(j):
                left = RULES["sub"](text, left, RULES["mul"](text, found[i][k], found[j][k]))
            if i > j:
                found[i][j] = RULES["div"](text, left, found[j][j])
                continue
            bad = RULES["bitwise_not"](text, RULES["gt"](text, left, zero))
            failed = bad if failed is None else RULES["bitwise_or"](text, failed, bad)
            found[j][j] = RULES["sqrt"](text, left)
    assert failed is not None
    lost = literal(np.nan, zero.dtype)
    return [[[select(text, failed, lost, x) for x in row] for row in found]]


_RULES = {"lu": _lu, "triangular_solve": _triangular_solve, "cholesky": _cholesky}

__all__ = ["evaluated", "suits"]
