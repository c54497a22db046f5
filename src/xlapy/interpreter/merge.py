"""Two-way branches on a device value: run both arms from copies of the state, join what they leave behind."""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from xlapy.dispatch.arrays.memory_order import join_layouts
from xlapy.dispatch.bounded.masked_axes import same
from xlapy.dispatch.protocol import NeedStatic, PythonError
from xlapy.dispatch.python import printing
from xlapy.domain.coerce import coerce, instantiate
from xlapy.domain.heap import ORIGIN, STATE, Heap, Slot
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.ownership import Moves, Ownership
from xlapy.domain.values import (
    DEAD,
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    BoundedArray,
    Const,
    JaxArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    holes,
    number_var,
    references,
)
from xlapy.frontend import RAISE, RETURN, Node
from xlapy.interpreter import walk
from xlapy.interpreter.frame import Frame, Tag
from xlapy.ir import Region, TensorType, Var, has_effects

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

#: where the texts lie that the program prints
TEXTS: Slot = (STATE, "<items>")
TAG_TYPE = TensorType((), np.dtype(np.int32))
_MAXIMUM_ATTEMPTS = 40
#: values that refer to no object: most of what objects hold
_WITHOUT_REFERENCES = frozenset((Const, JaxArray, NumpyScalar, Scalar))


@dataclass
class Path:
    """What one arm left behind: its region, slots, and the values that are joined position by position; and what values
    were before the arm, of which less is known outside of it."""

    region: Region
    slots: dict[Slot, Value]
    owned: dict[int | type, Ownership]
    values: list[Value]
    lost: bool = False
    narrowed: walk.Narrowed = dataclasses.field(default_factory=dict)


# -- joining two states -----------------------------------------------------------------------------------------------


@dataclass
class Joined:
    """The join of two values, and what they were."""

    skeleton: Value
    first: Value
    second: Value
    #: the container that these are the contents of
    holder: Value | None = None


class StateJoin:
    """Joins slots that differ, and follows references to objects that were made or merged on the way."""

    def __init__(self, heap: Heap, joiner: Joiner, first: Path, second: Path, mark: int) -> None:
        self.heap, self.joiner = heap, joiner
        self.first, self.second = first.slots, second.slots
        #: whether each path certainly ends in an exception that nobody handles: nobody sees then what it has changed
        self.lost = (first.lost, second.lost)
        self.narrowed = (first.narrowed, second.narrowed)
        self.narrows = bool(first.narrowed or second.narrowed)
        #: objects numbered above `mark` were made on one of the two paths
        self.mark = mark
        self.slots: dict[Slot, Joined] = {}
        self._seen: set[int] = set()
        self._todo: list[Value] = []

    def value(self, first: Value, second: Value, slot: Slot | None = None) -> Joined:
        """The join of two values that sit in one place (a slot of an object)."""
        if self.narrows:
            one, two = (known.get(id(v), (v, v))[1] for known, v in zip(self.narrowed, (first, second), strict=True))
            if one is two:
                # it is what it was before the branch
                first = second = one
        name = slot[1] if slot is not None else None
        join = self.joiner.contents if name == "<items>" else self.joiner.join
        holder = self.joiner.holder = Ref(slot[0]) if slot is not None and name == "<items>" else None
        if slot is not None and name == "<data>":
            skeleton = self.joiner.elements(slot[0], first, second)
        else:
            skeleton = join(first, second)
        joined = Joined(skeleton, first, second, holder)
        if name == "<data>" and isinstance(joined.skeleton, Union):
            raise JoinFailure(first, second)  # one array object has elements of one type and shape
        self._todo.append(joined.skeleton)
        return joined

    def changed_slots(self) -> None:
        """Join the slots of older objects that differ between the two paths."""
        for slot in self._differing():
            if not self.heap.made_since(slot[0], self.mark):
                first = DEAD if self._is_lost(0, slot) else self._older(self.first, slot)
                second = DEAD if self._is_lost(1, slot) else self._older(self.second, slot)
                if first is not second:
                    if slot == TEXTS:
                        first, second = printing.aligned(first, second)
                    self.slots[slot] = self.value(first, second, slot)

    def _differing(self) -> list[Slot]:
        """The slots that hold different values on the two paths: few of many, and always in the same order."""
        first, second = self.first, self.second
        found = [slot for slot, value in first.items() if second.get(slot) is not value]
        return found + [slot for slot in second if slot not in first]

    def _is_lost(self, side: int, slot: Slot) -> bool:
        return self.lost[side] and slot[0] != STATE and not issubclass(self.heap.objects[slot[0]].cls, BaseException)

    def _older(self, slots: dict[Slot, Value], slot: Slot) -> Value:
        value = slots.get(slot)
        if value is None:
            value = self.heap.entry_value(*slot)
            if value is UNBOUND and slot[0] == STATE:
                return Tuple(()) if slot[1] == "<items>" else DEAD
        return value

    def follow(self) -> None:
        """Join the contents of all objects made or merged on the two paths that the joined state refers to."""
        while self._todo:
            for number in references(self._todo.pop()):
                if self.heap.made_since(number, self.mark) and number not in self._seen:
                    self._seen.add(number)
                    self._contents(number)

    def _contents(self, number: int) -> None:
        heap = self.heap
        pair = next((pair for pair, made in self.joiner.merged.items() if made == number), (number, number))
        for name in sorted(heap.objects[pair[0]].fields | heap.objects[pair[1]].fields):
            first = self.first.get((pair[0], name))
            second = self.second.get((pair[1], name))
            if pair[0] != pair[1]:
                first = heap.entry_value(pair[0], name) if first is None else first
                second = heap.entry_value(pair[1], name) if second is None else second
            self.slots[(number, name)] = self.value(first or DEAD, second or DEAD, (number, name))
            heap.objects[number].fields.add(name)
        for value in detail_values(heap.objects[number].details):
            self._todo.append(value)
        if heap.objects[number].kind == "buffer":
            self._origin(number, pair)

    def _origin(self, number: int, pair: tuple[int, int]) -> None:
        """Join what says which of the caller's arrays a buffer is."""
        heap, slot = self.heap, (number, ORIGIN)
        if pair[0] != pair[1]:
            possible = [heap.origins.get(n, frozenset((n,) if heap.is_callers_array(n) else ())) for n in pair]
            heap.origins[number] = possible[0] | possible[1]
        if heap.origins.get(number):
            sides = zip(pair, (self.first, self.second), strict=True)
            first, second = (slots.get((n, ORIGIN), Const(n if heap.is_callers_array(n) else 0)) for n, slots in sides)
            self.slots[slot] = self.value(first, second, slot)

    def aliases(self, values: Iterable[Joined], frames: Iterable[Value]) -> set[int]:
        """Merged objects that the joined state can still reach under their own name, on the path where a merged one
        stands for them. `frames` are values in the frames further out."""
        merged = self.joiner.merged
        if not merged:
            return set()
        rest, found = [*frames], set()
        for side in range(2):
            mine = {pair[side] for pair in merged} - set(merged.values())
            if mine:
                found |= mine & self._reachable(side, values, rest)
        return found

    def _reachable(self, side: int, values: Iterable[Joined], frames: list[Value]) -> set[int]:
        """The objects that the joined state can reach after one of the paths."""
        stands = {made: pair[side] for pair, made in self.joiner.merged.items()}

        def named(joined: Value | Joined) -> Sequence[int]:
            if not isinstance(joined, Joined):
                return references(joined)
            own = set(references(joined.second if side else joined.first))
            return [n for n in references(joined.skeleton) if n in own or stands.get(n) in own]

        slots: dict[Slot, Value | Joined] = {**(self.second if side else self.first), **self.slots}
        return _closure(self.heap, [*frames, *values], slots, named)


def detail_values(details: object) -> list[Value]:
    """Abstract values in the static description of an object (what an iterator iterates over)."""
    if details is None:
        return []
    if isinstance(details, Value):
        return [details]
    if isinstance(details, tuple | list):
        return [v for part in details for v in detail_values(part)]
    if dataclasses.is_dataclass(details) and not isinstance(details, type):
        return [v for f in dataclasses.fields(details) for v in detail_values(getattr(details, f.name))]
    return []


def reachable(heap: Heap, roots: Iterable[Value], slots: dict[Slot, Value]) -> set[int]:
    """Objects that can be reached from `roots`, from the caller's world, or from one another."""
    return _closure(heap, roots, slots, references)


def forget_moves(machine: Machine, live: Iterable[int]) -> None:
    """Objects that were in two containers are in one again, once the other one cannot be reached; `live` are the
    registers of the current frame that may still be read."""
    heap = machine.heap
    marks = [(cls, known.loop, known.where) for cls, known in heap.owned.items() if isinstance(known.where, Moves)]
    if not any(moves.made for _, _, moves in marks):
        return
    roots = [machine.frame.registers[register] for register in live]
    roots += [v for frame in machine.frames[:-1] for v in frame.registers]
    found = reachable(heap, [*roots, *(frame.handled for frame in machine.frames)], heap.slots)
    for cls, loop, moves in marks:
        left = heap.settle(moves, lambda n: n if n in found else None, found.__contains__)
        if left is not None:
            heap.hold(cls, Ownership(loop, left))
        else:
            heap.untold += 1
            del heap.owned[cls]


def _closure(heap: Heap, roots: Iterable, slots: dict, named: Callable[..., Sequence[int]]) -> set[int]:
    """The objects that can be reached from `roots`, or from the caller's world, where `slots` hold what they hold;
    `named` gives the objects that one of these refers to."""
    contents: dict[int, list] = {}
    for (number, _), value in slots.items():
        if type(value) not in _WITHOUT_REFERENCES:
            contents.setdefault(number, []).append(value)
    todo = [n for value in roots for n in named(value)]
    todo += heap.outside
    found: set[int] = set()
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            for value in contents.get(number, ()):
                todo += named(value)
            details = heap.objects[number].details
            if details is not None:
                todo += [n for value in detail_values(details) for n in references(value)]
    return found


# -- if ---------------------------------------------------------------------------------------------------------------


def _merge(machine: Machine, predicate: Var, mark: int, first: Path, second: Path, frames: list[Frame]) -> list[Value]:
    """Emit the `if`, set the heap to the joined slots, and return the joined values."""
    pinned: set[int] = set()
    for attempt in itertools.count():
        if attempt > _MAXIMUM_ATTEMPTS:
            raise JoinFailure(DEAD, DEAD, "do not settle")
        machine.count_joins(len(first.slots))
        joiner = machine.joiner(first.region.depth, widen=False, unions=True)
        joiner.pinned = pinned
        joiner.states, joiner.owned_states = (first.slots, second.slots), (first.owned, second.owned)
        join = StateJoin(machine.heap, joiner, first, second, mark)
        values = [join.value(a, b) for a, b in zip(first.values, second.values, strict=True)]
        join.changed_slots()
        join.follow()
        aliases = join.aliases(values, (v for frame in frames for v in frame.registers))
        if not aliases - pinned:
            break
        pinned |= aliases
    for pair, made in joiner.merged.items():
        if machine.heap.objects[made].kind == "buffer":
            join_layouts(machine, made, pair)
    everything = [*values, *join.slots.values()]
    for path, side in ((first, "first"), (second, "second")):
        machine.heap.slots, machine.heap.owned = path.slots, path.owned
        with machine.builder.inside(path.region):
            path.region.results = []
            for joined in everything:
                joiner.holder = joined.holder
                found = coerce(getattr(joined, side), joined.skeleton, joiner, machine.builder)
                path.region.results.extend(found)
    machine.count_joins(0, len(first.region.results))
    leaders, types = _keep_lanes_equal(everything, first.region, second.region)
    does_something = types or has_effects(*first.region.operations, *second.region.operations)
    arms = first.region, second.region
    found = machine.builder.emit("if", (predicate,), {}, types, arms) if does_something else []
    results = iter([found[k] for k in leaders])
    out = [instantiate(j.skeleton, results) for j in values]
    slots = dict(first.slots)
    slots.update((slot, instantiate(j.skeleton, results)) for slot, j in join.slots.items())
    machine.heap.slots = slots
    machine.heap.untold += 1
    machine.heap.owned = _owned(first, second, joiner)
    return out


def _owned(first: Path, second: Path, joiner: Joiner) -> dict[int | type, Ownership]:
    """What is owned after a branch: what is so on one path at least, and what stands for such an object there."""
    found = {**first.owned}
    for number, ownership in second.owned.items():
        found[number] = ownership.joined(found.get(number))
    for pair, made in joiner.merged.items():
        for number, path in zip(pair, (first, second), strict=True):
            if number in path.owned:
                found[made] = path.owned[number].joined(found.get(made))
    merged = {number for pair in joiner.merged for number in pair}
    for cls, ownership in found.items():
        if isinstance(ownership.where, Moves) and any(merged & {*move} for move in ownership.where.made):
            found[cls] = Ownership(ownership.loop, Moves()).joined(ownership)
    return found


def _keep_lanes_equal(
    everything: list[Joined], first: Region, second: Region
) -> tuple[list[int], tuple[TensorType, ...]]:
    """Lets the regions yield lanes of arrays once that are equal on both paths.

    Returns:
        Which of the results that are left fills each hole, and the types of these.
    """
    leaders: list[int] = []
    kept: list[int] = []
    lanes: list[int] = []
    types: list[TensorType] = []
    for joined in everything:
        for hole in holes(joined.skeleton):
            number = len(leaders)
            leader = None
            if isinstance(joined.skeleton, BoundedArray):
                one, two = first.results[number], second.results[number]
                leader = next((k for k in lanes if same(first.results[k], one) and same(second.results[k], two)), None)
                lanes.append(number)
            leaders.append(len(kept) if leader is None else leaders[leader])
            if leader is None:
                kept.append(number)
                types.append(hole.type)
    for region in (first, second):
        region.results = [region.results[k] for k in kept]
    return leaders, tuple(types)


def _is_lost(machine: Machine, path: Path, exception: Value, mark: int) -> bool:
    """Whether what a path changed is lost, since it ends in an exception that nobody handles, and that does not refer
    to anything that was there before."""
    if machine.catching:
        return False
    heap, todo, seen = machine.heap, list(references(exception)), set()
    while todo:
        number = todo.pop()
        if number in seen:
            continue
        seen.add(number)
        if not heap.made_since(number, mark) and not issubclass(heap.objects[number].cls, BaseException):
            return False
        todo += [n for (of, _), value in path.slots.items() if of == number for n in references(value)]
    return True


def _inverse(machine: Machine, predicate: Var) -> Var:
    return machine.builder.elementwise("bitwise_not", predicate)


class _Arm:
    """The context in which an arm of a branch runs: it emits into a region, under a condition; pending exceptions do
    not cross the border."""

    __slots__ = ("machine", "predicate", "region")

    def __init__(self, machine: Machine, region: Region, predicate: Var) -> None:
        self.machine, self.predicate = machine, predicate
        self.region = machine.region(region)

    def __enter__(self) -> None:
        self.region.__enter__()
        self.machine.conditions.append(self.predicate)

    def __exit__(self, *raised: object) -> None:
        if isinstance(raised[1], NeedStatic | JoinFailure):
            self.machine.deciding.append(self.predicate)
        self.machine.conditions.pop()
        self.region.__exit__(*raised)


def rule_branch(machine: Machine, predicate: Var, then: Callable[[], Value], orelse: Callable[[], Value]) -> Value:
    """`Machine.cond` for a predicate that is not known."""
    mark = machine.heap.next_identity
    before = machine.save()
    paths: list[Path] = []
    called = False
    for arm in (then, orelse):
        machine.restore(before)
        machine.before = before.before
        region = machine.builder.open_region()
        with _Arm(machine, region, predicate):
            try:
                value = arm()
                if machine.pending and machine.before is not before.before and machine.before is not None:
                    _take_back(machine, machine.before)
                values = [value, *_raised(machine)]
            except PythonError as error:
                values = [DEAD, *_raised(machine, error.value)]
        path = Path(region, machine.heap.slots, machine.heap.owned, values)
        path.lost = values[0] is DEAD and values[1] is not DEAD and _is_lost(machine, path, values[1], mark)
        paths.append(path)
        called |= machine.before is not before.before
    machine.restore(before)
    first, second = paths
    result, raised, bad = _merge(machine, predicate, mark, first, second, machine.frames)
    machine.before = walk.Before(machine) if called else before.before
    certain = [path.values[2] is TRUE for path in (first, second)]
    if all(certain):
        raise PythonError(raised)
    if any(certain) and FALSE in (first.values[2], second.values[2]):
        machine.may_raise(predicate if certain[0] else _inverse(machine, predicate), raised)
    elif bad is not FALSE:
        machine.may_raise(number_var(bad), raised)
    return result


def _take_back(machine: Machine, before: walk.Before) -> None:
    """What a rule changes in an arm, after it has called functions, is not changed where one of these has raised."""
    machine.before = None
    if before.is_other(machine):
        machine.cond(
            _any(machine, [bad for bad, _ in machine.pending]), lambda: before.undo(machine) or NONE, lambda: NONE
        )
    machine.before = before


def _raised(machine: Machine, certain: Value | None = None) -> tuple[Value, Value]:
    """The exceptions that are pending inside an arm of a rule, and the one that is raised after them for certain: as
    one, and whether it is raised. Where nobody catches them, the pending ones become errors."""
    pending = machine.pending.copy()
    machine.pending.clear()
    if not machine.catching:
        for bad, exception in pending:
            machine.register_error(bad, exception)
        pending.clear()
    if not pending:
        return (DEAD, FALSE) if certain is None else (certain, TRUE)
    builder = machine.builder
    flags = [bad for bad, _ in pending]
    exceptions = [exception for _, exception in pending] + ([] if certain is None else [certain])
    raised = exceptions[0]
    if len(exceptions) > 1:
        selector = builder.constant(len(exceptions) - 1, TAG_TYPE.dtype)
        for index, bad in reversed(list(enumerate(flags[: len(exceptions) - 1]))):
            selector = builder.elementwise("select", bad, builder.constant(index, TAG_TYPE.dtype), selector)
        raised = Union(selector, tuple(exceptions))
    if certain is not None:
        return raised, TRUE
    return raised, machine.boolean(_any(machine, flags))


def _any(machine: Machine, flags: Sequence[Var]) -> Var:
    return functools.reduce(lambda a, b: machine.builder.elementwise("bitwise_or", a, b), flags)


def node_branch(
    machine: Machine,
    predicate: Var,
    then: Callable[[], walk.Narrowed | None],
    orelse: Callable[[], walk.Narrowed | None],
) -> None:
    """Branch of the program itself: each arm runs nodes, and leaves registers and a tag. An arm gives what values were
    before it, of which it knows more."""
    frame = machine.frame
    live = frame.program.live
    mark = machine.heap.next_identity
    before = machine.save()
    paths: list[Path] = []
    ends: list[tuple[list[Value], Tag, Value, set[int]]] = []
    poison: Exception | None = None
    for arm in (then, orelse):
        machine.restore(before)
        region = machine.builder.open_region()
        try:
            with _Arm(machine, region, predicate):
                narrowed = arm()
        except walk.Poison as error:
            poison = error
            continue
        if frame.tag is None and machine.blockers:
            # an obstacle cut the arm short
            poison = walk.Poison()
            continue
        assert frame.tag is not None
        needed: set[int] = set()
        for label in frame.tag.labels:
            needed |= live_at(frame, label, live)
        frame.go(frame.tag.labels)
        ends.append((frame.registers, frame.tag, frame.handled, needed))
        path = Path(region, machine.heap.slots, machine.heap.owned, [], narrowed=narrowed or {})
        if frame.tag.label == RAISE:
            path.lost = _is_lost(machine, path, frame.registers[frame.exception_register], mark)
        paths.append(path)
    machine.restore(before)
    if poison is not None:
        raise poison
    registers = sorted(ends[0][3] | ends[1][3])
    tags = [end[1] for end in ends]
    for path, (values, tag, handled, needed) in zip(paths, ends, strict=True):
        with machine.builder.inside(path.region):
            number = JaxArray(tag_var(machine, tag)) if any(t.var is not None for t in tags) else DEAD
        path.values = [number, handled, *(values[r] if r in needed else DEAD for r in registers)]

    if paths[0].lost and paths[1].lost:
        paths[0].lost = paths[1].lost = False
    try:
        joined = _merge(machine, predicate, mark, paths[0], paths[1], machine.frames[:-1])
    except JoinFailure:
        machine.deciding.append(predicate)
        raise
    labels = tags[0].labels | tags[1].labels
    if len(labels) == 1:
        frame.tag = Tag(labels)
    elif isinstance(joined[0], JaxArray):
        frame.tag = Tag(labels, joined[0].var)
    else:
        one, two = (tag_var(machine, tag) for tag in tags)
        frame.tag = Tag(labels, machine.builder.elementwise("select", predicate, one, two))
    frame.handled = joined[1]
    after: list[Value] = [DEAD] * len(before.registers)
    for register, value in zip(registers, joined[2:], strict=True):
        after[register] = value
    frame.registers = after


def tag_var(machine: Machine, tag: Tag) -> Var:
    """The tag as a device value."""
    return tag.var if tag.var is not None else machine.builder.constant(tag.label, TAG_TYPE.dtype)


def live_at(frame, label: int, live: dict[int, frozenset[int]]) -> frozenset[int] | set[int]:
    """Registers that are read after an exit to `label`."""
    if label == RETURN:
        return frame.program.live[RETURN]
    if label == RAISE:
        return {frame.exception_register}
    return live[label]


def run_if(machine: Machine, node_then: Node, node_else: Node, predicate: Var) -> None:
    """An `If` whose test is only known on the device."""

    def arm(node: Node, holds: bool) -> walk.Narrowed:
        narrowed = walk.narrow(machine, predicate, holds)
        walk.run(machine, node)
        return narrowed

    node_branch(machine, predicate, lambda: arm(node_then, True), lambda: arm(node_else, False))
