"""Where the first of the largest or smallest elements of an array is: machine code finds it in its own way
(`lowering.llvm.min_max_reductions`), and knows the function by its name."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

_NAME = "xlapy_first_place"


class Search(NamedTuple):
    """A search for the largest element of each row, or for the smallest one; or of each of several columns of some
    matrices, one behind the other, of which there are as many as rows."""

    largest: bool
    rows: int
    length: int
    columns: int = 1


def name_of(largest: bool, axis: int | None, rank: int) -> str:
    """The name of a function that finds the places along an axis of an array, or in all of it."""
    return f"{_NAME}_of_{'largest' if largest else 'smallest'}_along_{axis}_of_{rank}"


def search_of(name: object, shapes: Sequence[tuple[int, ...]]) -> Search | None:
    """What a function of that name looks for in arrays of such shapes; None if it is another one, or if it has become
    one of arrays of another rank, as vectorisations are."""
    kind, _, rest = str(name).partition("_along_")
    axis, _, rank = rest.partition("_of_")
    if not kind.startswith(f"{_NAME}_of_") or len(shapes) != 1 or int(rank) != len(shapes[0]) or 0 in shapes[0]:
        return None
    (shape,) = shapes
    if axis == "None":
        return Search(kind.endswith("largest"), 1, prod(shape))
    k = int(axis)
    return Search(kind.endswith("largest"), prod(shape[:k]), shape[k], prod(shape[k + 1 :]))


__all__ = ["Search", "name_of", "search_of"]
