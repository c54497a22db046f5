"""Views on the host: what the lenses of `dispatch.arrays.views` show of an array, as NumPy shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def shown(array: Any, steps: tuple[tuple[str, tuple], ...], number: Callable[[Any], int]) -> np.ndarray:
    """The view of `array` through lenses; `number` gives an int for a start that the program has found."""
    for kind, params in steps:
        match kind:
            case "index":
                places = [_key(number(start), step, length) for start, step, length in params]
                array = array[*places, ...]  # one element is a view, too
            case "transpose":
                array = array.transpose(params)
            case "reshape" | "flat":
                array = array.reshape(params)
            case "real":
                array = array.real
            case "imag":
                array = array.imag
            case "diagonal":
                array = array.diagonal(*params)
            case "broadcast":
                array = np.broadcast_to(array, params)
            case "bitcast":
                array = array.view(*params)
            case "windows":
                extents, axes = params
                array = np.lib.stride_tricks.sliding_window_view(array, extents, axes)
            case "strided":
                shape, strides, first = params
                unit: int = step_of_elements(array)
                array = array.reshape(-1)[first:]
                array = np.lib.stride_tricks.as_strided(array, shape, [step * unit for step in strides])
            case _:
                raise AssertionError(kind)
    return array


def step_of_elements(array: np.ndarray) -> int:
    """The bytes from one element to the next, of a vector or of an array in C order."""
    return array.strides[0] if array.ndim == 1 else array.itemsize


def _key(start: int, step: int, length: int) -> int | slice:
    if length < 0:
        return start
    stop = start + step * length
    return slice(start, None if stop < 0 else stop, step)
