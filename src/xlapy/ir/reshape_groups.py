"""Shapes of one array."""

from __future__ import annotations

from collections.abc import Sequence


def groups(old: Sequence[int], new: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """Axes of two shapes of as many elements that go together, as few as possible: in each group both have as many."""
    groups, i, j = [], 0, 0
    while i < len(old):
        olds, news, one, other = [i], [j], old[i], new[j]
        i, j = i + 1, j + 1
        while one != other:
            if one < other:
                olds, one, i = [*olds, i], one * old[i], i + 1
            else:
                news, other, j = [*news, j], other * new[j], j + 1
        while i < len(old) and old[i] == 1:
            olds, i = [*olds, i], i + 1
        while j < len(new) and new[j] == 1:
            news, j = [*news, j], j + 1
        groups.append((olds, news))
    return groups


__all__ = ["groups"]
