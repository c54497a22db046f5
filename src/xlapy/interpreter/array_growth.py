"""Arrays that grow or shrink in a loop that stays a loop: how much room they need.

An array that is longer after an iteration than before it (`out = np.append(out, x[i])`, under a condition or not) is
one of dynamic length at the head of the loop. If each iteration makes it longer by the same number, and the number of
iterations has a bound, this gives the room; else the room is a guess, kept by the host and raised when the program
finds that it was too small, as for lists that grow (`list_growth`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING

from xlapy.dispatch.bounded import size_joins
from xlapy.domain import dynamic_sizes, growable_lists
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.values import DEAD, Const, MixedScalar, Tuple, Union, Value, alternatives
from xlapy.interpreter import merge
from xlapy.interpreter.list_growth import Check, most_iterations
from xlapy.ir import Region, Var, greatest_increase

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine, State

Place = tuple
Shape = tuple[int, ...]
#: bytes that an array may take
_MOST_BYTES = 1 << 32
#: how often an array may grow by another number of elements before its room is a guess
_IRREGULAR = 4


class Rough(Exception):
    """An array that changes its size is a view, or has its elements here and there: it has to be copied first, at the
    end of the iteration, or before the loop."""

    def __init__(self, place: Place, at_entry: bool) -> None:
        super().__init__()
        self.place, self.at_entry = place, at_entry


class Resizing:
    """The arrays that change their size in one loop. `shrinking` says that also those count that only get smaller."""

    def __init__(self, machine: Machine, key: object, iterations: Value | None, shrinking: bool) -> None:
        self.machine, self.key, self.iterations, self.shrinking = machine, key, iterations, shrinking
        self.service = size_joins.Service(machine)
        #: the place whose value is joined
        self.place: Place = ()
        #: by how much arrays got longer that had a given room, in each place
        self._steps: dict[Place, dict[Shape, Shape]] = {}
        self._first: dict[Place, Shape] = {}
        self._regular: dict[Place, Shape]
        self._guessed: dict[Place, Shape]
        #: the step that gave the room in a place, here or when the interpreter met the loop before; and the room
        self._regular, guessed = machine.loop_sizes.get(key, ({}, {}))
        self._regular, self._guessed = dict(self._regular), dict(guessed)
        self._rooms: dict[Place, Shape] = {}
        #: whether a loop so short is unrolled rather
        self.prefers_unrolling: Callable[[], bool] = bool
        #: places of arrays that have several sizes at the end of one iteration
        self.several: set[Place] = set()
        #: places in which one of these was left out of the last join: there has to be another iteration
        self.left_out: set[Place] = set()
        #: lengths at the end of the iteration that may be more than there is room for: with what guesses the room
        self.checks: list[Check] = []
        #: values at the head of the current iteration, by place
        self.begin: dict[Place, Value] = {}

    # -- joins --

    def join(self, joiner: Joiner, a: Value, b: Value) -> Value | None:
        """The join of an array at the head of the loop with one at its end, if their sizes differ."""
        if not dynamic_sizes.are_alike(a, b) or dynamic_sizes.are_one_kind(a, b):
            return None
        if joiner.placing:
            raise JoinFailure(a, b)
        grows = any(m < n for m, n in zip(dynamic_sizes.room_of(a), dynamic_sizes.room_of(b), strict=True))
        known = self.place in self._steps
        if not (grows or known or self.shrinking):
            return None
        if grows and not known and self.place not in self.several and self.prefers_unrolling():
            return None
        for value, at_entry in ((a, True), (b, False)):
            if not dynamic_sizes.is_plain(value):
                raise Rough(self.place, at_entry)
        room = self._room(a, b)
        found = dynamic_sizes.joined(joiner, a, b, room)
        self._check(room, b)
        return found

    def one_of(self, value: Value) -> Value:
        """`value`, of which alternatives that are arrays of several sizes count as one, the largest: in the next
        iteration that is one of dynamic length."""
        if not dynamic_sizes.are_several(value):
            return value
        assert isinstance(value, Union)
        kept: list[Value] = []
        for option in value.alternatives:
            for k, other in enumerate(kept):
                if dynamic_sizes.are_alike(other, option):
                    larger = sum(dynamic_sizes.room_of(option)) > sum(dynamic_sizes.room_of(other))
                    kept[k] = option if larger else other
                    break
            else:
                kept.append(option)
        self.machine.resizing = True
        self.several.add(self.place)
        self.left_out.add(self.place)
        return kept[0] if len(kept) == 1 else Union(value.selector, tuple(kept))

    def resized(self, var: Var, shape: Shape) -> Var:
        """An array with other sizes, what it has in both being the same."""
        return self.service.resized(var, shape)

    # -- room --

    def _room(self, a: Value, b: Value) -> Shape:
        """The room of the array at the head of the loop, after an iteration that leaves `b` where `a` was."""
        old, new = dynamic_sizes.room_of(a), dynamic_sizes.room_of(b)
        largest = tuple(map(max, old, new))
        place = self.place
        first = self._first.setdefault(place, old)
        step = tuple(n - m for m, n in zip(old, largest, strict=True))
        steps = self._steps.setdefault(place, {})
        # an array of a known size has to fit
        least = tuple(
            m if x is not None else max(m, n) for m, n, x in zip(old, new, dynamic_sizes.axes_of(b), strict=True)
        )
        if any(step):
            steps[old] = step
        if place in self._guessed:
            return tuple(map(max, least, self._guessed[place]))
        if not any(step):
            return old
        regular, seen = self._regular.get(place), steps.get(self._rooms.get(place, ()))
        if regular is not None and (seen is None or all(m <= n for m, n in zip(seen, regular, strict=True))):
            step = regular
        elif list(steps.values()).count(step) < 2:
            return self._guess(place, largest, step, a) if len(steps) > _IRREGULAR else largest
        iterations = most_iterations(self.machine, self.iterations, "an array")
        if iterations is None:
            return self._guess(place, largest, step, a)
        room = tuple(max(n, f + s * iterations) for n, f, s in zip(least, first, step, strict=True))
        if self._bytes(room, a) > _MOST_BYTES:
            return self._guess(place, largest, step, a)
        self._rooms[place] = tuple(max(n, self._asked(place)) if s else n for n, s in zip(room, step, strict=True))
        self._regular[place] = step
        return self._rooms[place]

    def remember(self) -> None:
        """What an iteration adds, and a guess, is taken for known when the interpreter meets the loop again."""
        self.machine.loop_sizes[self.key] = (self._regular, self._guessed)

    def _guess(self, place: Place, largest: Shape, step: Shape, like: Value) -> Shape:
        row = max(self._bytes(tuple(1 if s else n for n, s in zip(largest, step, strict=True)), like), 1)
        rows = max(self._asked(place), growable_lists.guessed_rows(row))
        self._guessed[place] = tuple(max(n, rows) if s else n for n, s in zip(largest, step, strict=True))
        return self._guessed[place]

    def _asked(self, place: Place) -> int:
        """The room that the host has asked for, after there was too little."""
        return self.machine.settings.capacities.get(self._name(place), 0)

    def _name(self, place: Place) -> object:
        return (self.key, ("sizes", *place))

    @staticmethod
    def _bytes(room: Shape, like: Value) -> int:
        size = dynamic_sizes.base_of(like).type.dtype.itemsize
        for n in room:
            size *= n
        return size

    def _check(self, room: Shape, b: Value) -> None:
        """Note the lengths of `b` that may be too much, unless it is known by how much an iteration makes it longer."""
        begin = self.begin.get(self.place)
        begun = (
            dynamic_sizes.axes_of(begin) if begin is not None and dynamic_sizes.is_array(begin) else (None,) * len(room)
        )
        step = self._steps.get(self.place, {}).get(room, (0,) * len(room))
        for axis, (lanes, most, space) in enumerate(
            zip(dynamic_sizes.axes_of(b), room, dynamic_sizes.room_of(b), strict=True)
        ):
            if space <= most or lanes is None or not isinstance(lanes.length, Var):
                continue
            before = begun[axis]
            if self.place not in self._guessed and before is not None:
                increase = greatest_increase(lanes.length, before.length)
                if increase is not None and increase <= step[axis]:
                    continue
            name = self._name(self.place)
            self.machine.guesses[name] = max(self.machine.guesses.get(name, 0), most)
            self.checks.append((lanes.length, most, name))

    def check(self) -> None:
        """Emit the checks of the current iteration: where there is too little room, the host compiles again with
        more."""
        machine = self.machine
        for length, most, name in self.checks:
            full = machine.builder.elementwise("gt", length, machine.builder.constant(most, length.type.dtype))
            machine.register_error(full, machine.exception(growable_lists.Overfull, Const(name)))
        self.checks.clear()


def is_rough(value: Value) -> bool:
    """Whether a value has an array that is a view, or has its elements here and there, or is one of several arrays that
    one with a dynamic length covers."""
    if isinstance(value, Tuple):
        return any(map(is_rough, value.items))
    if dynamic_sizes.are_several(value):
        return True
    found = alternatives(value) if not isinstance(value, MixedScalar) else ()
    return any(dynamic_sizes.is_array(v) and not dynamic_sizes.is_plain(v) for v in found)


def smooth(machine: Machine, place: Place, state: State, body: Region | None = None) -> None:
    """Copy the arrays in one place of a state, at the end of an iteration (in `body`) or before the loop."""
    machine.restore(state)
    is_register = len(place) == 1
    value = state.registers[place[0]] if is_register else state.slots.get(place)
    if value is None or not is_rough(value):
        raise JoinFailure(DEAD, DEAD, "are views of different arrays")
    rest = [v for r, v in enumerate(state.registers) if (r,) != place]
    rest += [v for frame in machine.frames[:-1] for v in frame.registers]
    with machine.region(body) if body is not None else contextlib.nullcontext():
        value = _smoothed(machine, value, place, rest)
    state.slots.update(machine.heap.slots)
    if is_register:
        state.registers[place[0]] = value
    else:
        state.slots[place] = value


def _smoothed(machine: Machine, value: Value, place: Place, roots: list[Value]) -> Value:
    """`value` with copies of the arrays in it that are views, or have their elements here and there. `roots` are the
    values in other registers: what is two arrays now must not be written where something else refers to it."""

    def copy(array: Value) -> Value:
        if isinstance(array, Tuple):
            return array.mapped(copy)
        if dynamic_sizes.are_several(array):
            found = [v for v in alternatives(array) if dynamic_sizes.is_array(v)]
            array = size_joins.as_one(machine, array)
            made = [v for v in alternatives(array) if dynamic_sizes.is_array(v) and v not in found]
            for one in made:
                tell(one, [v for v in found if dynamic_sizes.are_alike(v, one)])
        if isinstance(array, Union) and not isinstance(array, MixedScalar):
            return Union(array.selector, tuple(map(copy, array.alternatives)))
        if not dynamic_sizes.is_array(array) or dynamic_sizes.is_plain(array):
            return array
        new = size_joins.plain(machine, array)
        tell(new, [array])
        return new

    def tell(new: Value, arrays: list[Value]) -> None:
        """Something else may refer to one of the arrays of which there is a copy now."""
        heap = machine.heap
        others = {slot: v for slot, v in heap.slots.items() if slot != place}
        reachable = merge.reachable(heap, roots, others)
        for array in arrays:
            old = dynamic_sizes.base_of(array).buffer
            if (heap.objects[old].source is not None or old in reachable) and all(dynamic_sizes.room_of(array)):
                if heap.facts.aliases:
                    raise JoinFailure(array, new, "are views of different arrays")
                heap.entangled |= {old, dynamic_sizes.base_of(new).buffer}

    return copy(value)
