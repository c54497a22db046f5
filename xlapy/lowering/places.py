"""Where the first of the largest or smallest elements of an array is: machine code finds it in its own way
(`lowering.llvm.extremes`), and knows the function by its name."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

_NAME = "xlapy_first_place"


class Search(NamedTuple):
    """A search for the largest element of each row, or for the smallest one."""

    largest: bool
    rows: int
    length: int


def name_of(largest: bool, axis: int | None, rank: int) -> str:
    """The name of a function that finds the places along an axis of an array, or in all of it."""
    return f"{_NAME}_of_{'largest' if largest else 'smallest'}_along_{axis}_of_{rank}"


def search_of(name: object, shapes: Sequence[tuple[int, ...]]) -> Search | None:
    """What a function of that name looks for in arrays of such shapes; None if it is another one, if the elements of a
    row are not neighbours, or if it has become one of arrays of another rank, as vectorisations are."""
    kind, _, rest = str(name).partition("_along_")
    axis, _, rank = rest.partition("_of_")
    if not kind.startswith(f"{_NAME}_of_") or len(shapes) != 1 or int(rank) != len(shapes[0]) or 0 in shapes[0]:
        return None
    (shape,) = shapes
    if axis == "None":
        return Search(kind.endswith("largest"), 1, prod(shape))
    if int(axis) != len(shape) - 1:
        return None
    return Search(kind.endswith("largest"), prod(shape[:-1]), shape[-1])


__all__ = ["Search", "name_of", "search_of"]
