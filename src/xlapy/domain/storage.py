"""NumPy arrays of the caller's that show one memory: the array that owns it, and the steps that lead to each of them.

Arrays that share memory, one of which is written, are views of one buffer for the program. How they lie in it is known
at compile time: `layout` is what a call must have in common with the one that was compiled for.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

#: one step from the storage to a view: kind and parameters, as in `dispatch.arrays.views`
Step = tuple[str, tuple]


@dataclass(frozen=True, eq=False)
class Storage:
    """An array that owns memory, and shapes in which other arrays see it (`grid_of`)."""

    root: np.ndarray
    grids: tuple[tuple[int, ...], ...] = ()


def storage(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory of `array`, as far as NumPy knows."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array


def layout(array: np.ndarray, root: np.ndarray) -> tuple:
    """How an array lies in the memory of `root`: equal for calls that one program serves."""
    own = (type(array), array.shape, array.strides, array.dtype, array.flags.writeable)
    base = (type(root), root.shape, root.strides, root.dtype, root.flags.writeable)
    return own, base, storage(array) is root, _address(array) - _address(root)


def _address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


def is_one_to_one(array: np.ndarray) -> bool:
    """Whether each element of an array has memory of its own, as far as its strides say so."""
    reach = array.itemsize
    for step, length in sorted((abs(s), n) for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        if step < reach:
            return array.size == 0
        reach += step * (length - 1)
    return True


def grid_of(array: np.ndarray, root: np.ndarray) -> tuple[int, ...]:
    """A shape of the elements of `root`, in the order in which they lie in memory, along whose axes `array` may run."""
    size, steps = root.size, sorted({abs(s) // root.itemsize for s in array.strides} - {0}, reverse=True)
    grid: list[int] = []
    for step in steps:
        step = math.gcd(step, size)
        if 1 < step < size:
            grid.append(size // step)
            size = step
    return (*grid, size)


def steps_to(array: np.ndarray, shared: Storage) -> tuple[Step, ...] | None:
    """The steps that lead from the owner of the memory to `array`; None where there are none."""
    root = shared.root
    if not root.flags.forc or not root.size:
        return None
    first: list[Step] = []
    shape = root.shape
    if not root.flags.c_contiguous:
        first.append(("transpose", tuple(reversed(range(root.ndim)))))
        shape = shape[::-1]
    offset, within = divmod(_address(array) - _address(root), root.itemsize)
    last = _part(array.dtype, root.dtype, within)
    if last is None or any(s % root.itemsize for s, n in zip(array.strides, array.shape, strict=True) if n > 1):
        return None
    dims = [
        (i, s // root.itemsize, n) for i, (s, n) in enumerate(zip(array.strides, array.shape, strict=True)) if n > 1
    ]
    own = grid_of(array, root)
    for grid in dict.fromkeys((shape, own, *shared.grids, (root.size,))):
        middle = _along(grid, offset, [d for d in dims if d[1]])
        if middle is not None:
            reached = _reshaped(shape, grid)
            return (*first, *reached, *middle, *_padded(array, dims), *last)
    return None


def _part(dtype: np.dtype, whole: np.dtype, within: int) -> list[Step] | None:
    """The last step: a real or imaginary part, or none."""
    if dtype == whole:
        return None if within else []
    if whole.kind == "c" and dtype.kind == "f" and 2 * dtype.itemsize == whole.itemsize:
        parts = {0: "real", dtype.itemsize: "imag"}
        return [(parts[within], ())] if within in parts else None
    plain = dtype.kind in "iuf" and whole.kind in "iuf" and dtype.itemsize == whole.itemsize
    return [("bitcast", (dtype,))] if plain and not within else None


def _reshaped(shape: tuple[int, ...], grid: tuple[int, ...]) -> Iterable[Step]:
    """The steps from an array in C order to the first of its elements in the shape `grid`."""
    size, kept = math.prod(shape), math.prod(grid)
    if shape == grid:
        return
    if kept < size:
        yield ("reshape", (size,))
        yield ("index", ((0, 1, kept),))
    yield ("reshape", grid)


def _along(grid: tuple[int, ...], offset: int, dims: list[tuple[int, int, int]]) -> list[Step] | None:
    """An index into `grid` and a transposition that give the elements from `offset` on, with the strides and extents
    of `dims`; None where these do not run along its axes."""
    if math.prod(grid) <= offset:
        return None
    strides = [math.prod(grid[axis + 1 :]) for axis in range(len(grid))]
    starts = [offset // stride % extent for stride, extent in zip(strides, grid, strict=True)]
    taken: dict[int, tuple[int, int, int]] = {}
    for dim, step, extent in dims:
        fitting = [a for a, t in enumerate(strides) if a not in taken and grid[a] > 1 and step % t == 0]
        if not fitting:
            return None
        axis = max(fitting, key=lambda a: strides[a])
        step //= strides[axis]
        if not 0 <= starts[axis] + step * (extent - 1) < grid[axis]:
            return None
        taken[axis] = (dim, step, extent)
    index = tuple((start, *taken[a][1:]) if a in taken else (start, 1, -1) for a, start in enumerate(starts))
    order = [taken[axis][0] for axis in sorted(taken)]
    steps: list[Step] = [("index", index)]
    if order != sorted(order):
        steps.append(("transpose", tuple(int(k) for k in np.argsort(order))))
    return steps


def _padded(array: np.ndarray, dims: list[tuple[int, int, int]]) -> Iterable[Step]:
    """Dimensions of one element, and those that repeat one."""
    repeated = {i for i, step, _ in dims if not step}
    shape = tuple(1 if i in repeated else n for i, n in enumerate(array.shape))
    if len(dims) - len(repeated) < array.ndim:
        yield ("reshape", shape)
    if repeated:
        yield ("broadcast", array.shape)
