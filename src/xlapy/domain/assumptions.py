"""What a program assumes about the caller's world."""

from __future__ import annotations

from typing import Any

from xlapy.domain.sources import Source
from xlapy.immutable import immutable

#: texts of assumed values that are longer are not shown
_LONGEST = 40


@immutable()
class Guard:
    """An assumption about the caller's world.

    kind: 'is' (identity with `value`), 'equal' (same type and equal), 'type', 'isinstance', 'len', 'keys', 'missing',
    'same' (identity with what is found at the source `value`), 'distinct' (the contrary), 'apart' (an array that shares
    no memory with the one there), 'layout' (how an array lies in the memory of another), 'gives' (what a `HostValue`
    gives for what is found at sources), 'absent' (a class without the attributes named in `value`), 'room' (the size of
    a set's table in bytes), 'subclasses' (the classes derived from one), 'registry' (the implementations of a generic
    function), 'registrations' (of classes with abstract ones), 'fits' (an array of a dtype for which a `Room` has
    room), 'equals' (a number that is equal to the one at the source `value`), 'within' (a number of
    at least and at most so much).
    """

    kind: str
    source: Source
    value: Any = None

    def __str__(self) -> str:
        shown = repr(self.value)
        shown = shown if len(shown) < _LONGEST else f"the {type(self.value).__name__} it was"
        match self.kind:
            case "is":
                return f"{self.source} is the same object as now"
            case "equal":
                return f"{self.source} is {shown}"
            case "type" | "isinstance":
                return f"{self.source} is of the class {getattr(self.value, '__qualname__', self.value)}"
            case "len":
                return f"{self.source} has {self.value} items"
            case "keys":
                return f"{self.source} has the same keys"
            case "missing":
                return f"there is no {'global ' * (self.source.kind == 'global')}{self.source}"
            case "absent":
                return f"{self.source} has none of the attributes that were looked for"
            case "same":
                return f"{self.source} and {self.value} are one object"
            case "distinct":
                return f"{self.source} and {self.value} are two objects"
            case "apart":
                return f"{self.source} and {self.value} share no memory"
            case "fits":
                return f"{self.source} is an array of {self.value[0]} of {self.value[1]}"
            case "within":
                return f"{self.source} is from {self.value[0]} to {self.value[1]}"
            case "equals":
                return f"{self.source} and {self.value} are equal"
        return f"the {self.kind} of {self.source} is the same"


__all__ = ["Guard"]
