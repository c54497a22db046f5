"""What functions of the library ask the compiler: each has a rule, and says what it means where it is run by Python.

most = room(data)             # the length that an array can have, known at compile time
size = at_most(count, most)   # a length that data says, for which there is room
"""

from __future__ import annotations

from typing import Any


def refuse(what: str) -> Any:
    """Refuse to compile the program: `what` names what there is no implementation of."""
    raise NotImplementedError(what)


def room(array) -> Any:
    """How many elements an array has room for."""
    return len(array)


def known_length(array) -> Any:
    """The length of an array; None where data says it."""
    return len(array)


def at_most(number, most) -> Any:
    """An int that is known to lie between 0 and `most`."""
    return number


def is_given(matrix) -> bool:
    """Whether an object is the caller's, which the program has not made."""
    return True


def is_known(flag, value) -> bool:
    """Whether `flag` is certainly `value`."""
    return flag == value


def refuse_room(bad) -> None:
    """Refuse the program at run time where a sparse matrix has room that is not used."""


def refuse_unsorted(bad) -> None:
    """Refuse the program at run time where elements of a sparse matrix would have to be sorted or added up."""
