"""What the rounds of an analysis learn about a program, each of which begins with what the earlier ones have learnt.

    def f(x, n):
        return x.reshape(n, -1)     # `n` must be known: `Learn(Facts(static={n}))`, and the next round knows it

A fact says that something which is taken for granted at first does not hold, or that a value or a way is needed.
"""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from xlapy.domain.sources import Source


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts about a program; `a | b` has the facts of both."""

    #: inputs whose values are known, and questions that are answered from the contents of arrays
    static: frozenset[Source] = frozenset()
    #: loops that have to be unrolled
    unrolled: frozenset[tuple] = frozenset()
    #: functions that call themselves and are loops for that, with the calls by which they do
    recursions: Mapping[types.CodeType, frozenset] = field(default_factory=dict)
    #: whether calls of such a function from outside are cases of their own
    peels_recursions: bool = False
    #: whether no function becomes such a loop
    unrolls_recursions: bool = False
    #: whether arrays that may or may not be one object must not be taken for different ones until one is written
    aliases: bool = False
    #: whether containers and objects that may or may not be one must not be
    shares: bool = False
    #: whether an object of the caller's and those that take its place in a loop must not be
    hands_over: bool = False
    #: classes of tuples each of which has an object that holds its attributes
    namespaces: frozenset[type] = frozenset()
    #: the room of lists that grow in these loops, which are items of lists that grow: it is a guess
    rooms: Mapping[object, int] = field(default_factory=dict)
    #: whether loops are unrolled that take more operations
    unrolls_more: bool = False
    #: whether lists of lists are not taken for tables (see `dispatch.containers.nested_lists`)
    no_tables: bool = False
    #: whether lists become growable lists that need not be: a few among which data chooses, or that are repeated by
    #: data
    grows_lists: bool = False
    #: the same of lists of objects that loops go through
    grows_lists_of_objects: bool = False

    def __or__(self, other: Facts) -> Facts:
        return Facts(*[_both(getattr(self, f.name), getattr(other, f.name)) for f in fields(Facts)])

    def without_loops(self, static: frozenset[Source], **facts: Any) -> Facts:
        """The facts but for those about loops and recursions, and what has become static for these, with others."""
        return replace(self, static=static, unrolled=frozenset(), **facts)


#: nothing is known yet
NO_FACTS = Facts()


def _both(one: Any, two: Any) -> Any:
    if not isinstance(one, dict):
        return one | two
    sets = {key: one[key] | value for key, value in two.items() if isinstance(value, frozenset) and key in one}
    return {**one, **two, **sets}


class Learn(Exception):
    """A round of an analysis has learnt facts, and the analysis begins again with them."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self.facts = facts
