"""How arrays lie in memory: what decides whether NumPy's `reshape` of one is a view."""

from __future__ import annotations

from dataclasses import dataclass

from xlapy.domain.sources import Source


@dataclass(frozen=True, slots=True)
class Strides:
    """The strides of an array of the caller's that is not in C order, in bytes."""

    steps: tuple[int, ...]


#: how an array lies in memory: its axes from slowest to fastest, none for C order; or strides
Layout = tuple[int, ...] | Strides


@dataclass(frozen=True, slots=True)
class Layouts:
    """The `ways` in which an array may lie, one where no paths have met, as long as those of the caller's that it
    `follows` are in C order."""

    ways: frozenset[Layout] = frozenset(((),))
    follows: frozenset[Source] = frozenset()

    def __or__(self, other: Layouts) -> Layouts:
        """How what is one array on one path and another one on the other may lie."""
        if self == other:
            return self
        return Layouts(self.ways | other.ways, self.follows | other.follows)

    @property
    def in_rows(self) -> bool:
        """Whether the array is in C order."""
        return self.ways == IN_ROWS.ways


IN_ROWS = Layouts()
