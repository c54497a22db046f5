"""The values of a function that is being written, and the memory that their elements lie in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import count
from math import prod
from typing import NamedTuple

import numpy as np

from xlapy.ir import Region, Var, constant_value
from xlapy.lowering.llvm import bufferisation, equations
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.engine import vector_of
from xlapy.lowering.llvm.lazy_arrays import (
    OWN,
    Lazy,
    Part,
    Place,
    Value,
    bounded,
    dtype_of,
    element,
    is_computed_in_place,
    is_uniform,
    lies_in_rows,
    over,
    reads,
    rest_of,
    shape_of,
)
from xlapy.lowering.llvm.text import BLOCK, Number, Text, Unsuitable, part_of, plus, type_in_memory, type_of
from xlapy.lowering.llvm.tiles import axis_of_tiles, over_tiles
from xlapy.lowering.thresholds import ROOM_OF_ALL, ROOM_OF_ARRAY, ROOM_OF_THREAD, ROOM_OUTSIDE


class Arm(NamedTuple):
    """An arm of a branch: its results, and the versions of memories behind it."""

    results: list[Value]
    versions: dict[Memory, int]


class Frame:
    """What stands for each value of a region, and the memory that there is."""

    def __init__(self, region: Region, may_have_rooms: bool, text: Text) -> None:
        self.may_have_rooms = may_have_rooms
        self.text = text
        self.values: dict[Var, Value] = {}
        #: how often a value is still used
        self.uses = uses_in(region)
        self.factors: dict[Array, tuple[Array, Array, Array]] = {}
        self.is_cut = False
        #: loops and branches that are open
        self.around = 0
        #: whether what is written now is done once, though in a loop
        self.is_once = False
        #: memories that are wanted as they are behind a branch which is being written
        self.wanted_behind: frozenset[Memory] = frozenset()
        #: memory of the caller's, and copies of that
        self.outside: dict[Memory, Var] = {}
        self.copies: dict[Memory, Var] = {}
        #: memory that the caller has: its bytes, and what lies there at first, by name
        self.rooms_outside: dict[str, tuple[int, Var | None]] = {}
        #: bytes of memory of its own
        self._room = 0
        self._numbers = count()

    def outer(self, var: Var, name: str) -> Value:
        """What stands for a value of the regions around."""
        shape, dtype, constant = var.type.shape, var.type.dtype, constant_value(var)
        if constant is not None:
            try:
                return equations.known(self.text, constant)
            except Unsuitable:
                pass  # it is an operand
        type_of(dtype)
        if prod(shape) == 0:
            raise Unsuitable("an array without elements")
        place = Memory(name, dtype, shape, True)
        self.outside[place] = var
        array = Array(place, place.version)
        return bufferisation.load(self.text, array, ("0",) * len(shape)) if prod(shape) == 1 else array

    def changeable(self, value: Value) -> Value:
        """What a loop carries, in a memory that it may change."""
        if self.text.arms and not isinstance(value, Number):
            return self.kept(value)  # behind the branch it is as it was
        if isinstance(value, Number) or isinstance(value, Array) and self.is_own(value.now()):
            return value
        if self.around or self.text.loops or not isinstance(value, Array) or value.memory not in self.outside:
            return self.kept(value)
        place = Memory(f"%c{next(self._numbers)}", *value.memory.type(), False)
        self.copies[place] = self.outside[value.memory]
        return Array(place, place.version)

    def apart(self, values: list[Value]) -> list[Value]:
        """What a loop carries, each array in a memory of its own."""
        seen: set[Memory] = set()
        for k, value in enumerate(values):
            if isinstance(value, Array):
                values[k] = value = self.kept(value) if value.memory in seen else value
                seen.add(value.memory)
        return values

    def is_own(self, place: Memory) -> bool:
        """Whether a memory may be changed here: not if the next iteration of a loop around finds it as it was, or what
        is behind a branch."""
        return not place.fixed and place.depth == self.text.loops and place not in self.wanted_behind

    # -- arrays --

    def kept(self, value: Value) -> Array:
        """A copy of an array in a memory of its own."""
        place = self.made(dtype_of(value), shape_of(value))
        self.fill(place, value)
        return Array(place, place.version)

    def stored(self, value: Lazy, others: Iterable[Value] = ()) -> Array:
        """An array that is computed, in memory: where one lies of which it is computed element by element, and which
        nothing else wants (neither what is known here, nor `others`), or in a memory of its own."""
        for place, where in value.origins or ():
            if where is OWN and place.type() == (value.dtype, value.shape) and self.is_own(place):
                if is_computed_in_place(value, place, OWN) and place not in reads(*others) and not self._wants(place):
                    self.fill(place, value)
                    return place.change()
        return self.kept(value)

    def _wants(self, place: Memory) -> bool:
        """Whether a value that is still used is computed of what lies in a memory."""
        return any(self.uses[var] > 0 and place in reads(value) for var, value in self.values.items())

    def writable(self, value: Value) -> Array:
        """An array in a memory that may be changed: that of the array itself, if nothing else wants it as it is."""
        found = self.changeable(value)
        assert isinstance(found, Array)
        self.settle([found.memory])
        return found

    def made(self, dtype: np.dtype, shape: tuple[int, ...]) -> Memory:
        """A memory of its own, which holds nothing yet."""
        size = prod(shape) * dtype.itemsize
        if size == 0:
            raise Unsuitable("an array without elements")
        if self.text.threads == BLOCK and not self.text.is_shared:
            return self._made_outside(dtype, shape, size)
        if size > ROOM_OF_ARRAY or self._room + size > (ROOM_OF_THREAD if self.text.for_gpu else ROOM_OF_ALL):
            if self.text.is_shared and self.text.for_gpu:
                raise Unsuitable("memory of each thread of a GPU that is too large")
            return self._made_outside(dtype, shape, size)
        self._room += size
        place = Memory(f"%a{next(self._numbers)}", dtype, shape, False)
        place.depth = self.text.loops
        many = prod(shape) * (2 if dtype.kind in "cV" else 1)
        type = type_in_memory(part_of(dtype))
        self.text.rooms[place.pointer] = f"  {place.pointer} = alloca [{many} x {type}], align 64"
        return place

    def _made_outside(self, dtype: np.dtype, shape: tuple[int, ...], size: int) -> Memory:
        """The same, in memory that the caller has."""
        place = Memory(f"%w{next(self._numbers)}", dtype, shape, False)
        place.depth = self.text.loops
        self.take_outside(place.pointer, size, None)
        return place

    def take_outside(self, name: str, size: int, holds: Var | None) -> None:
        """Let the caller have so many bytes of memory, in which a value lies at first."""
        if not self.may_have_rooms or sum(size for size, _ in self.rooms_outside.values()) + size > ROOM_OUTSIDE:
            raise Unsuitable("an array that is too large to be made here")
        self.rooms_outside[name] = size, holds

    def fill(self, place: Memory, value: Value, where: Callable[[Place], Place] | None = None) -> None:
        """Store the elements of an array, at the places in a memory that they go to."""
        if prod(place.shape) == 0:
            return
        if where is not None:
            self.fill_with(value, place, place.shape if isinstance(value, Number) else shape_of(value), where)
            return
        if isinstance(value, Lazy) and value.is_unset:
            return
        if not (self.is_once and isinstance(value, Array)):
            bounded(self.text, place.shape, value)
        number = rest_of(value) if isinstance(value, Number) or is_uniform(value) else None
        if isinstance(value, Lazy) and value.reshaped is not None and number is None and place not in value.reads:
            place, value = Memory(place.pointer, place.dtype, value.reshaped.shape, place.fixed), value.reshaped
        if isinstance(value, Array):
            bufferisation.copy(self.text, value, place)
        elif number is not None and bufferisation.is_zero(number):
            bufferisation.clear(self.text, place)
        else:
            self.fill_with(value, place, place.shape, lambda at: at, lies_in_rows(value, place.shape))

    def fill_with(
        self,
        value: Value,
        place: Memory,
        shape: Sequence[int],
        where: Callable[[Place], Place],
        in_rows: bool = False,
    ) -> None:
        """Store the elements of an array of a shape `where` they go to; a row at a time, if they lie in rows."""
        bounded(self.text, shape, value)
        parts = value.parts if isinstance(value, Lazy) else ()
        together = parts if len({shape_of(part.value) for part in parts}) == 1 else ()
        for part in () if together else parts:
            onwards = partial(self._shifted, part=part)
            self.fill_with(part.value, place, shape_of(part.value), lambda at, on=onwards: where(on(at)))
        if parts and not together:
            return

        def visit(at: Place, numbers: list) -> list:
            # all are computed before one is stored: LLVM sees that they load the same
            found = [(element(self.text, part.value, at), where(self._shifted(at, part))) for part in together]
            for number, position in found or [(element(self.text, value, at), where(at))]:
                bufferisation.put(self.text, place, number, position)
            return []

        again = place not in reads(value, *(part.value for part in together))
        width = vector_of(place.dtype) if again else 1
        shape = shape_of(together[0].value) if together else shape
        axis = axis_of_tiles(value, shape, place.dtype) if again and not parts and not self.text.for_gpu else None
        if axis is not None:
            over_tiles(self.text, shape, axis, place.dtype, visit)
            return
        over(self.text, shape, [], visit, in_rows=in_rows and not parts, width=width, is_apart=True)

    def _shifted(self, at: Place, part: Part) -> Place:
        """Where an element of a part is in the array."""
        return [*at[: part.axis], plus(self.text, at[part.axis], str(part.first)), *at[part.axis + 1 :]]

    def settle(self, changing: Iterable[Memory]) -> None:
        """Compute what is still wanted of memories that are about to be changed."""
        changing = set(changing)
        for var, value in list(self.values.items()):
            if isinstance(value, Lazy | Array) and self.uses[var] > 0 and not changing.isdisjoint(reads(value)):
                if isinstance(value, Lazy) or value.version == value.memory.version:
                    self.values[var] = self.kept(value)

    def wanted_but_in(self, uses: Sequence[Counter[Var]]) -> frozenset[Memory]:
        """The memories that are wanted as they are in other places than the arms of a branch, in which values are used
        so often."""
        found = [v for var, v in self.values.items() if self.uses[var] > sum(within[var] for within in uses)]
        return self.wanted_behind | reads(*found)

    def value(self, var: Var) -> Value:
        """What stands for a value."""
        found = self.values.get(var)
        if found is None:
            raise Unsuitable("a value from elsewhere")
        return found

    def number(self, var: Var) -> Number:
        """The number that stands for a value."""
        found = self.value(var)
        if not isinstance(found, Number):
            raise Unsuitable("an array in place of a number")
        return found

    def rooms_for(self, arms: Sequence[Arm], before: Mapping[Memory, int]) -> list[Memory | None]:
        """Where the results of a branch lie that are arrays which the arms have in different places: where one arm has
        it, if that is a memory of its own or it has changed what lies there.

        Args:
            arms: both.
            before: the versions of memories before the branch.
        """
        found: list[Memory | None] = []
        for pair in zip(*(arm.results for arm in arms), strict=True):
            one, other = pair
            if isinstance(one, Number) and isinstance(other, Number):
                found.append(None)
            elif isinstance(one, Array) and isinstance(other, Array) and one.memory is other.memory:
                found.append(None)
            else:
                own = (self._place_in(*both, before) for both in zip(pair, arms, reversed(arms), strict=True))
                place = next((p for p in own if p is not None and p not in found), None)
                shape = shape_of(other) if isinstance(one, Number) else shape_of(one)
                found.append(self.made(dtype_of(one), shape) if place is None else place)
        return found

    def _place_in(self, value: Value, arm: Arm, other: Arm, before: Mapping[Memory, int]) -> Memory | None:
        """The memory that an arm has a result in, if the other one may store its own there."""
        if not isinstance(value, Array) or not self.is_own(value.memory):
            return None
        place = value.memory
        is_changed = arm.versions.get(place, place.version) != before.get(place)
        twice = sum(isinstance(x, Array) and x.memory is place for x in arm.results) > 1
        return place if is_changed and not twice and place not in reads(*other.results) else None

    def back_to(self, versions: dict[Memory, int]) -> None:
        """Take memories to hold what they held before something else was written, which another block does."""
        for place, version in versions.items():
            place.version = version

    def merged(self, one: Number, other: Number, blocks: list[str]) -> Number:
        """A number that is one or another, by the block that was left last."""
        if one.parts == other.parts:
            return one
        type = type_of(one.dtype)
        pairs = zip(one.parts, other.parts, strict=True)
        names = [self.text.new(f"phi {type} [{a}, %{blocks[0]}], [{b}, %{blocks[1]}]") for a, b in pairs]
        return Number(one.dtype, tuple(names))

    def versions(self) -> dict[Memory, int]:
        """The versions of all memories that are known of."""
        memories = {value.memory for value in self.values.values() if isinstance(value, Array)}
        return {place: place.version for place in memories}


def uses_in(region: Region) -> Counter[Var]:
    """How often values are used in a region, in regions inside of it, and as their results."""
    found: Counter[Var] = Counter(region.results)
    for operation in region.operations:
        found.update(operation.operands)
        for nested in operation.regions:
            found.update(uses_in(nested))
    return found


__all__ = ["Arm", "Frame", "uses_in"]
