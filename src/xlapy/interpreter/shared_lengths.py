"""Arrays of dynamic length that share their lanes in a loop."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from xlapy.dispatch.bounded.masked_axes import same
from xlapy.domain.values import BoundedArray, Hole, Value, holes, variables
from xlapy.ir import Var

if TYPE_CHECKING:
    from xlapy.interpreter.loop_fixpoint import Head


class EqualLanes:
    """Arrays of dynamic length that have the same lanes before the loop have the same ones in each iteration, until an
    iteration is found to make a difference: `z, c = z[inside], c[inside]` keeps one mask."""

    def __init__(self) -> None:
        #: holes of the head that are filled with what fills another one, and places in which they are not
        self._leaders: dict[int, int] = {}
        self._apart: set[tuple] = set()

    def assume(self, head: Head, at_entry: list[Value]) -> None:
        """Find those that are equal in `at_entry`, what stands in the places of the head before the loop."""
        self._leaders, position = {}, 0
        found: list[tuple[int, Var]] = []
        for place, skeleton, value in zip(head.places(), head.skeletons(), at_entry, strict=True):
            inner, outer = variables(skeleton), variables(value)
            if isinstance(skeleton, BoundedArray) and isinstance(value, BoundedArray) and len(inner) == len(outer):
                numbers = itertools.count(position)
                for k, (part, var) in enumerate(zip(inner, outer, strict=True)):
                    if not isinstance(part, Hole):
                        continue
                    number = next(numbers)
                    if (*place, k) in self._apart:
                        continue
                    leader = next((n for n, v in found if v.type == var.type and same(v, var)), None)
                    if leader is None:
                        found.append((number, var))
                    else:
                        self._leaders[number] = leader
            position += len(holes(skeleton))

    def filled(self, values: list[Var]) -> list[Var]:
        """What fills the holes of the head, where `values` would."""
        return [values[self._leaders.get(k, k)] for k in range(len(values))]

    def tell_apart(self, head: Head, finals: list[Var]) -> bool:
        """Whether values that were taken for equal differ at the end of an iteration; they are told apart from then
        on."""
        wrong = {k for k, leader in self._leaders.items() if not same(finals[k], finals[leader])}
        position = 0
        for place, skeleton in zip(head.places(), head.skeletons(), strict=True):
            numbers = itertools.count(position)
            for k, part in enumerate(variables(skeleton)):
                if isinstance(part, Hole) and next(numbers) in wrong:
                    self._apart.add((*place, k))
            position += len(holes(skeleton))
        return bool(wrong)
