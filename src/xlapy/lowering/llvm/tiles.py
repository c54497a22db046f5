"""Loops over the elements of an array whose rows are columns of what it is computed of.

Row after row, each element of a permuted array is on another line of the cache. If all lines of a column are still
there when the next row is computed, that does no harm. So loops along the two axes are the inner ones, where the array
has more. Where rows of the operand are multiples of some power of two apart, a cache has place for few of these lines:
there a few rows are computed at once, column after column (M. D. Lam, E. E. Rothberg and M. E. Wolf, "The cache
performance and optimizations of blocked algorithms", 1991).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from xlapy.lowering.llvm.lazy_arrays import Value, counted, rows_of
from xlapy.lowering.llvm.parallel_outlining import shared_out
from xlapy.lowering.llvm.text import Text, plus, times
from xlapy.lowering.thresholds import ELEMENTS_IN_CACHE, ROW_IN_TILES

#: bytes that are read one behind the other where rows are multiples of so many bytes apart, and elements of a row in a
#: block
_READ, _APART, _COLUMNS = 32, 1 << 10, 1 << 10


def axis_of_tiles(value: Value, shape: Sequence[int], dtype: np.dtype) -> int | None:
    """The axis along which elements lie one behind the other in what an array of a shape is computed of, if the loop
    along it is better not where the order of axes has it; None if there is none."""
    long = [axis for axis, n in enumerate(shape) if n > 1]
    if len(long) < 2 or prod(shape) < ELEMENTS_IN_CACHE or shape[long[-1]] < ROW_IN_TILES:
        return None
    axes = [axis for axis in rows_of(value, tuple(shape)) if axis in long[:-1]]
    if len(axes) != 1 or axes[0] == long[-2] and _rows(shape[axes[0]], dtype) == 1:
        return None
    return axes[0]


def _rows(length: int, dtype: np.dtype) -> int:
    """How many rows are computed at once if elements lie one behind the other along an axis of a length."""
    rows = _READ // dtype.itemsize
    return rows if rows > 1 and rows <= length and length * dtype.itemsize % _APART == 0 else 1


def over_tiles(text: Text, shape: Sequence[int], axis: int, dtype: np.dtype, visit: Callable) -> None:
    """Visit each place of a shape, some of them twice, by several threads if they are many.

    Args:
        text: the function.
        shape: the lengths of the axes.
        axis: the one that is found by `axis_of_tiles`.
        dtype: the type of the elements.
        visit: writes what is done at a place, and gets no numbers.
    """
    last, rows = max(k for k, n in enumerate(shape) if n > 1), _rows(shape[axis], dtype)
    blocks = -(-shape[last] // _COLUMNS) if rows > 1 else 1
    columns = -(-shape[last] // blocks)
    others = [k for k, n in enumerate(shape) if n > 1 and k not in (axis, last)]
    # of the axes along which there are blocks: how many, and of how many elements
    steps = [*((k, shape[k], 1) for k in others), (last, blocks, columns), (axis, -(-shape[axis] // rows), rows)]
    count = prod(many for _, many, _ in steps)

    def block(index: str, numbers: list) -> list:
        first, rest = ["0"] * len(shape), index
        for k, many, size in reversed(steps):
            if many > 1:
                number, rest = text.new(f"urem i64 {rest}, {many}"), text.new(f"udiv i64 {rest}, {many}")
                most = str(shape[k] - size)
                first[k] = text.call("llvm.umin.i64", "i64", times(text, number, size), most) if size > 1 else number

        def column(j: str, numbers: list) -> list:
            def row(i: str, numbers: list) -> list:
                place = list(first)
                place[last], place[axis] = plus(text, first[last], j), plus(text, first[axis], i)
                return list(visit(tuple(place), []))

            return counted(text, rows, [], row, rows)

        return counted(text, columns, [], column)

    def written(begin: str, end: str) -> bool:
        counted(text, count, [], block, part=(begin, end))
        return True

    if text.is_shared:
        counted(text, count, [], block)
    else:
        shared_out(text, str(count), written, count)


__all__ = ["axis_of_tiles", "over_tiles"]
