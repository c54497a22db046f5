"""Where objects lie whose state a growable list holds (see `domain.growable_lists`), and whether they may lie in two of
them.

An item that an iterator gives may be *moved* into another container: `kept.append(p)` in a loop over `ps`. From then on
two growable lists hold it. What is changed in one of them makes the other one out of date, which is no harm where
nobody reads that again, as in `ps = [p for p in ps if p.alive]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

#: where an object lies that is in no growable list: one that must not be changed, and one that was taken out of its
#: only growable list
FROZEN, FREE = ("frozen",), ("free",)
#: where one lies that must not be changed, since calls of a function by itself have copies of it
SHARED = ("shared",)


class Ownership(NamedTuple):
    """An object whose state lies in a growable list (see `domain.growable_lists`): the loop in which it was put there,
    and where it lies. Two owners at one place are one."""

    loop: Any = None
    where: tuple[object, ...] = FROZEN

    def joined(self, other: Ownership | None) -> Ownership:
        """Of an object that is owned in two ways on two paths, it is not known where it lies."""
        if other is None or self.where == other.where:
            return self
        if isinstance(self.where, Moves) and isinstance(other.where, Moves):
            return Ownership(self.loop, self.where.joined(other.where))
        if {self.where, other.where} == {FREE, SHARED}:
            return self if self.where == SHARED else other
        return Ownership(self.loop, (object(),))

    def like(self, other: Ownership) -> bool:
        """Whether the same may be done to objects that are owned in these two ways."""
        if isinstance(self.where, Moves) or isinstance(other.where, Moves):
            return self.where == other.where
        return (self.where is FREE) == (other.where is FREE)


class Moves(NamedTuple):
    """Where objects of a class lie that may be in two growable lists: `made` by iterators, each of which has moved
    items of a container into another one, no item twice; `others` if there is more than that."""

    made: frozenset[tuple[int, int, int]] = frozenset()
    others: bool = True

    def joined(self, other: Moves) -> Moves:
        """What is known after two branches: the moves of both."""
        return Moves(self.made | other.made, self.others or other.others)

    def at_head(self, name: Callable[[int], int | None], lasts: Callable[[int], bool]) -> Moves | None:
        """What is known of it at the head of the next iteration of a loop, where containers have other names, or none,
        and some iterators are no more; None if every object is in one container again."""
        made, others = set(), self.others
        for group in self._groups():
            left = {name(n) for move in group for n in move[1:]} - {None}
            if len(left) < 2:
                continue
            for move in group:
                if lasts(move[0]) and (name(move[1]), name(move[2])) == move[1:]:
                    made.add(move)
                else:
                    others = True
        return Moves(frozenset(made), others) if made or others else None

    def _groups(self) -> list[set[tuple[int, int, int]]]:
        """The moves, those of one group between containers that may hold the same objects."""
        groups: list[set[tuple[int, int, int]]] = []
        for move in self.made:
            near = [g for g in groups if any({*move[1:]} & {*other[1:]} for other in g)]
            groups = [g for g in groups if g not in near] + [{move}.union(*near)]
        return groups


class OwnedObjectChanged(Exception):
    """An object is changed of which a list that grew in a loop holds the state. `loop` says which loop that was."""

    def __init__(self, loop: Any) -> None:
        super().__init__("an object is changed after it was appended to a list in a loop")
        self.loop = loop
