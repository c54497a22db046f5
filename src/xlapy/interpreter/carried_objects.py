"""Objects of the caller's in whose place each iteration of a loop puts one of its own:
`parameters = update(parameters)`.

At the head of the loop one name stands for both (see `ObjectNames`), since no iteration tells the first from the
others: who changes what may be either, or asks which one it is, makes the analysis start again without that. After the
last iteration it is an object of the program's own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from xlapy.domain.heap import Heap
from xlapy.domain.join import Joiner
from xlapy.domain.unordered_keys import Unordered
from xlapy.domain.values import Mapping, Value

if TYPE_CHECKING:
    from xlapy.interpreter.loop_fixpoint import Head


class Orders:
    """Dicts that have their keys in another order from the second iteration on."""

    def __init__(self) -> None:
        self._keys: dict[int, list] = {}

    def differ(self, number: int, before: Value, after: Value) -> bool:
        """Whether a dict has the same keys in another order after an iteration, which is the one to keep."""
        if not isinstance(before, Mapping) or not isinstance(after, Mapping) or before.history or after.history:
            return False
        old, new = list(dict.keys(before.entries)), list(dict.keys(after.entries))
        if old == new or set(old) != set(new):
            return False
        self._keys[number] = new
        return True

    def arranged(self, number: int, value: Value) -> Value:
        """Contents before the loop, as those of the object `number` at its head."""
        if number not in self._keys or not isinstance(value, Mapping):
            return value
        return Mapping(Unordered((key, value.entries[key]) for key in self._keys[number]))


def take_over(heap: Heap, head: Head, joiner: Joiner) -> None:
    """After the last iteration of a loop, in the place of an object of the caller's is one that the iteration has
    made."""
    for number in head.entries:
        rivals = heap.shared.get(number, set()) & head.entries.keys()
        if rivals == {number} and joiner.absorbed.get(number) not in (None, *heap.shared):
            heap.part(number)
            contents = heap.slots.get((number, "<items>"))
            if isinstance(contents, Mapping):
                heap.slots[(number, "<items>")] = Mapping(dict(dict.items(contents.entries)), contents.history)
