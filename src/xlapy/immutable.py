"""Dataclasses that nobody changes once they are made: values, operations, places, guards.

The type checker takes them for frozen; at run time nothing enforces it. The constructor of a frozen dataclass sets each
field by a call of `object.__setattr__`, which takes three times as long as an assignment, and an analysis makes ten
thousands of these objects.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def immutable(eq: bool = True) -> Callable[[type[T]], type[T]]:
    """A dataclass with slots whose objects are not changed.

    Args:
        eq: whether objects with equal fields are equal; otherwise each is equal to itself alone.
    """
    return dataclass(slots=True, eq=eq, unsafe_hash=eq)
