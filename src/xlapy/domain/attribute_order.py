"""In which order objects get their attributes: that of their `__dict__`."""

from __future__ import annotations

from collections.abc import Callable, Sequence


class AttributeOrder:
    """For each object, and for all objects of a class together, an order of attributes: whenever an object gets one,
    those that it has come before. What agrees on none has none.

    An object that stands for several, or lies in a list, has no trace of how it came about, but its class has.
    """

    def __init__(self) -> None:
        self._of: dict[int | type, list[str] | None] = {}
        self._again: dict[int, set[str]] = {}

    def created(self, number: int, cls: type, name: str, has: Callable[[str], bool], again: bool = False) -> None:
        """An object that `has` other attributes gets one that it has not had, or not on every path.

        Args:
            again: it has had that attribute before.
        """
        for key in (number, cls):
            order = self._of.setdefault(key, [])
            if order is not None and name not in order:
                order.append(name)
            elif order is not None and any(map(has, order[order.index(name) + 1 :])):
                self._of[key] = order = None
            if again and order is None and key == number:
                self._again.setdefault(number, set()).add(name)

    def forget(self, number: int) -> None:
        """An object was made of parts that tell nothing of the order."""
        self._of[number] = None

    def made_again(self, number: int) -> frozenset[str]:
        """Attributes that an object lost and got again, after others that it kept."""
        return frozenset(self._again.get(number, ()))

    def found(self, number: int, cls: type, names: Sequence[str]) -> None:
        """An object came with these attributes from outside."""
        for position, name in enumerate(names):
            self.created(number, cls, name, names[:position].__contains__)

    def sorted(self, number: int | type, cls: type, names: set[str]) -> list[str] | None:
        """The names in the order in which the object has them, or all objects of a class (`number` is that); None if
        that is not known."""
        for key in (number, cls):
            order = self._of.get(key)
            if order is not None and names <= set(order):
                return [name for name in order if name in names]
        return list(names) if len(names) < 2 else None
