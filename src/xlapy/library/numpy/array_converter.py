"""`numpy._core._multiarray_umath._array_converter`, with which NumPy's functions in Python take their arguments."""

from __future__ import annotations

import numpy as np

_NUMBERS = (bool, int, float, complex)


class ArrayConverter:
    """Array-likes as arrays, of which one knows later on what they were."""

    def __init__(self, array_likes):
        self.scalar_input = tuple([isinstance(item, (*_NUMBERS, np.generic)) for item in array_likes])
        self._given = tuple([item if isinstance(item, _NUMBERS) else np.asanyarray(item) for item in array_likes])
        self._only_numbers = all([isinstance(item, _NUMBERS) for item in self._given])  # noqa: C419

    def __len__(self):
        return len(self._given)

    def __getitem__(self, index):
        return self.as_arrays()[index]

    def as_arrays(self, subok=True, pyscalars="convert_if_no_array"):
        """The arguments as arrays; Python's numbers as they are, unless there is nothing else."""
        if pyscalars == "preserve" or pyscalars == "convert_if_no_array" and not self._only_numbers:
            return self._given
        return tuple([np.asanyarray(item) for item in self._given])

    def result_type(self, extra_dtype=None, ensure_inexact=False):
        """The type to which the arguments are promoted, where Python's numbers are weak."""
        extra = () if extra_dtype is None else (extra_dtype,)
        return np.result_type(*self._given, *extra, *((0.0,) if ensure_inexact else ()))

    def wrap(self, arr, to_scalar=None):
        """A result: a number in place of an array of rank 0 if that is asked for, or all arguments were numbers."""
        if to_scalar is None:
            to_scalar = all(self.scalar_input)
        return arr[()] if to_scalar and np.ndim(arr) == 0 else arr


def array_converter(*array_likes):
    """`_array_converter(*array_likes)`."""
    return ArrayConverter(array_likes)
