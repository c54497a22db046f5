"""Room for arrays of the caller's whose sizes vary from call to call, and for integers that are such sizes.

One program serves all sizes up to that of the room: it takes the elements in the leading corner of a larger array, and
the lengths beside them.

    for x in batches:        # of 90, 97, 112, 83 ... rows
        f(x)                 # after a few sizes: one program with room for 128 rows
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from xlapy.domain.sources import Source
from xlapy.immutable import immutable

#: the least number of elements that a dimension whose length varies has room for
_LEAST = 32
#: the least lengths that a room may be for
SHORTEST = 8, 2, 1
#: makes a room: tests fill it with numbers that no result may show
blank: Callable[..., np.ndarray] = np.zeros


@immutable()
class Room:
    """Room for one array.

    Attributes:
        shape: that of the room, which takes arrays with at least one element: what is done for each of none is often
            something else.
        lengths: for each dimension where its length is found, or None where it is that of the room. Dimensions that
            have always been equally long share one.
        least: for each dimension the least length that there is room for. That a length is not 1 is worth knowing, as
            nothing is repeated then, and that it is not less than what `x[2:-1]` leaves out.
    """

    shape: tuple[int, ...]
    lengths: tuple[Source | None, ...]
    least: tuple[int, ...]

    def __str__(self) -> str:
        return f"at least {self.least} and at most {self.shape}"


@immutable()
class Span:
    """The least and the largest value of an integer that varies, such as `n` in `x[:n]`."""

    low: int
    high: int


def capacity(length: int) -> int:
    """What a dimension has room for: a power of two."""
    return max(_LEAST, 1 << (length - 1).bit_length())


def least_length(lengths: Iterable[int]) -> int:
    """The least length of a dimension that has had these lengths, of which none is zero."""
    least = min(lengths)
    return next(n for n in SHORTEST if n <= least)


def padded(array: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """An array of a larger shape, in whose leading corner the elements lie."""
    if array.shape == shape:
        return array
    made = blank(shape, array.dtype)
    fitted(made, array.shape)[...] = array
    return made


def fitted(room: np.ndarray, shape: Sequence[int]) -> np.ndarray:
    """What lies in the leading corner of a room."""
    return room if room.shape == shape else room[tuple(map(slice, shape))]


__all__ = ["SHORTEST", "Room", "Span", "capacity", "fitted", "least_length", "padded"]
