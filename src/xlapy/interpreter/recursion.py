"""Functions that call themselves, or each other, as often as data says: one loop over a list of suspended activations.

A function whose calls of itself do not end at compile time is interpreted from another program (`frontend.recursive`),
of which the functions that it calls on the way are *members*, too. What an activation goes on with is put on a list,
the *frames*, which is a list that grows in a loop like any other (see `domain.growable_lists`), and so is held by
value. Objects that were there before the first call are put there by name instead: all activations mean the same ones.
An iterator of a loop around a call is put there as its sort and the contents of its slots, and is made anew, as is the
cell of a variable.

What an activation has made and has several names for is put there once (`options` and `options.append`). Of what others
refer to as well, as the call does that gets it as an argument, a copy is put there: it must not be changed after that,
and nobody may ask which object it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import CO_GENERATOR
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

from xlapy.dispatch import unions
from xlapy.dispatch.containers import lists
from xlapy.dispatch.iterators import sequences
from xlapy.dispatch.numbers.scalar_values import scalar
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python import caches
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain import growable_lists
from xlapy.domain.compiled_functions import owner_of
from xlapy.domain.facts import Facts, Learn
from xlapy.domain.ownership import FREE, SHARED, Ownership
from xlapy.domain.values import (
    DEAD,
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    MixedScalar,
    NdArray,
    Opaque,
    Ref,
    Stored,
    Tuple,
    Union,
    Value,
    as_ref,
    references,
    tuple_items,
    variables,
)
from xlapy.frontend import Call, Fused, Op
from xlapy.interpreter import control, fused_generator_calls, value_operations
from xlapy.interpreter.depth import recursion_limit
from xlapy.interpreter.fused_generator_calls import Fusion
from xlapy.interpreter.steps import handles

if TYPE_CHECKING:
    from xlapy.interpreter.frame import Frame
    from xlapy.interpreter.machine import Machine

_TOO_DEEP = "maximum recursion depth exceeded"
_SHARED = (
    "a function that calls itself as often as data says goes on with an object that it has made, and to which the call"
    " refers, too"
)
_NOT_KEPT = "a call of a function by itself, the depth of which depends on data,"


class Entered(Exception):
    """A frame calls a member of its program: the frame that this would have, with these values in its first registers
    and its free variables."""

    def __init__(self, frame: Frame, bound: list[Value], cells: list[Value]) -> None:
        self.frame, self.bound, self.cells = frame, bound, cells


class _Named(Opaque):
    """An object that was there before the first call; it stands for a value in a list of frames."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "an object from before the calls"


Settings = tuple[tuple[str, object], ...]


class _Sort(Opaque):
    """What is known of an iterator or a cell that is put into a list of frames: its sort, class, settings, and the
    names of its other slots."""

    def __init__(self, details: Any, cls: type, settings: Settings, names: tuple[str, ...]) -> None:
        self.details, self.cls, self.settings, self.names = details, cls, settings, names

    def __repr__(self) -> str:
        return f"a {self.cls.__name__} of a suspended call"


class _Again(Opaque):
    """An object that is held at another place of the same activation."""

    __match_args__ = ("place",)

    def __init__(self, place: int) -> None:
        self.place = place

    def __repr__(self) -> str:
        return "an object that a suspended call has in two places"


class _Method(Opaque):
    """A method, the object of which is held beside it: what it calls, or its name."""

    def __init__(self, function: Const) -> None:
        self.function = function

    def __repr__(self) -> str:
        return "a method of an object"


#: the kinds of objects that are held by value, and those of which activations may have copies
_STORED = ("list", "dict", "set", "instance")
_COPIED = (*_STORED, "buffer")
#: stands for a variable without a value
_NOTHING = Const(_Named(UNBOUND))


class Frames:
    """What is known of a list of frames: the objects that are younger than it are made by activations. Those that are
    older are in a slot of an object of their own, so that loops and branches know them under their names."""

    def __init__(self, mark: int) -> None:
        self.mark = mark
        self._known: dict[object, Const] = {}

    def named(self, key: object, value: object) -> Const:
        """The one constant that stands for an object."""
        return self._known.setdefault(key, Const(_Named(value)))

    def sort(self, details: object, cls: type, settings: Settings, names: tuple[str, ...]) -> Const:
        """The one constant that stands for a sort of iterators."""
        key = details, cls, settings, names
        return self._known.setdefault(key, Const(_Sort(*key)))


def calls_on_the_way(machine: Machine, first: int, code: CodeType) -> frozenset[Call] | None:
    """The calls that lead from a frame to the one that is about to be made of a function, and those that are known of
    the frames between; None if it is not each time a function that is run as it is called."""
    frames = machine.frames[first:]
    found: set[Call] = set()
    generator: CodeType | None = None
    for index, frame in enumerate(frames):
        if generator not in (None, frame.program.code):
            continue  # the frames of a built-in
        if frame.span.line is None or frame.namespace is not None or "locals" in frame.code.co_names:
            return None
        callee = frame.fused or (frames[index + 1].program.code if index + 1 < len(frames) else code)
        generator = callee.generator if isinstance(callee, Fused) else None
        if isinstance(callee, CodeType) and _is_generator(callee):
            return None
        found.add(Call(frame.code, replace(frame.span, code=None), callee))
    if generator is not None:
        return None
    return frozenset(found.union(*(machine.facts.recursions.get(frame.program.code, ()) for frame in frames)))


def _is_generator(code: CodeType) -> bool:
    return bool(code.co_flags & CO_GENERATOR)


def enters(machine: Machine, code: CodeType) -> bool:
    """Whether a call that is about to be made is one of a member of the program that makes it.

    Raises:
        Learn: it is called in a place, or on a way, that has not been known.
        Refused: it is not called by a frame, but by what that calls.
    """
    if machine.entering is not None and machine.entering.program.member(code) is not None:
        return True
    if _is_generator(code):
        return False  # it is made, and not run
    for first, frame in enumerate(machine.frames):
        is_loop = frame.program.code in machine.facts.recursions and not frame.peeled
        if is_loop and frame.program.member(code) is not None:
            need = loop_around(machine, first, code)
            if need is None:
                message = f"'{code.co_qualname}' calls itself by way of another function, as often as data says"
                raise Refused("XP0008", message)
            raise need
    return False


def loop_around(machine: Machine, first: int, code: CodeType) -> Learn | None:
    """Which function has to be a loop, of which calls, as one of that code is called again on the way from a frame;
    None if that is known, or cannot be. The outermost one of those on the way begins it: what is called there is in the
    program once then."""
    on_the_way = {code, *(frame.program.code for frame in machine.frames[first:])}
    outermost = next(k for k, frame in enumerate(machine.frames) if frame.program.code in on_the_way)
    for begin in dict.fromkeys((outermost, first)):
        calls, begun = calls_on_the_way(machine, begin, code), machine.frames[begin].program.code
        if calls is not None and not calls <= machine.facts.recursions.get(begun, frozenset()):
            return Learn(Facts(recursions={begun: calls}))
    return None


@handles("frames")
def _frames(machine, frame, op):
    made = machine.new_list(())
    machine.lists_of_frames.add(as_ref(made).object)
    older = sorted(reachable(machine, [v for f in machine.frames for v in f.registers], 0))
    known = machine.heap.new("frame", Frames, machine.location(), named=Tuple(tuple(map(Ref, older))))
    machine.heap.objects[known].details = Frames(known)
    return made, Ref(known)


@handles("enter")
def _enter(machine, frame, op, function, *args):
    def entered(one: Value) -> Value:
        if isinstance(function, BoundMethod):
            one = replace(function, self=one)
        return Tuple(_entered(machine, frame, op, one, args))

    # which of several it is, is told apart here; its arguments are moved as they are
    result = unions.over_unions(machine, [function.self if isinstance(function, BoundMethod) else function], entered)
    if not isinstance(result, Tuple):
        raise Refused("XP0008", f"{_NOT_KEPT} or of another one, as data says")
    return result.items


def _entered(machine: Machine, frame: Frame, op: Op, function: Value, args: Sequence[Value]) -> tuple[Value, ...]:
    kind, imm, expected = cast(tuple, op.imm)
    fusion = _fusion(machine, kind, imm, function, args)
    if fusion is not None and any(callee == fusion.callee for callee, _, _ in expected):
        return _entering(expected, fusion.callee, fusion.arguments)
    code = _code_of(function)
    outer = machine.entering
    machine.entering = frame if any(code is callee for callee, _, _ in expected) else None
    try:
        result = control.called(machine, kind, imm, function, *args)
    except Entered as entered:
        assert code is not None
        if entered.frame.region_depth != machine.builder.region.depth:
            raise Refused("XP0008", f"{_NOT_KEPT} or of another one, as data says") from None
        return _entering(expected, code, _bound(machine, frame, entered))
    finally:
        machine.entering = outer
    return (FALSE, DEAD, result, *(DEAD,) * (len(op.dst) - 3))


def _entering(expected: tuple, code: CodeType | Fused, bound: Sequence[Value]) -> tuple[Value, ...]:
    """What `enter` gives for a call of a member with these values: those of others are none."""
    state = next(state for callee, state, _ in expected if callee == code)
    given = [v for callee, _, n in expected for v in (bound if callee == code else (DEAD,) * n)]
    return (TRUE, Const(state), DEAD, *given)


def _fusion(machine: Machine, kind: str, names: object, function: Value, args: Sequence[Value]) -> Fusion | None:
    """What is called in the place of a built-in and a generator expression."""
    if kind != "call" or not isinstance(function, Const):
        return None
    names = cast(tuple, names or ())
    split = len(args) - len(names)
    return fused_generator_calls.of_call(
        machine, function.value, args[:split], dict(zip(names, args[split:], strict=True))
    )


def _bound(machine: Machine, frame: Frame, entered: Entered) -> list[Value]:
    """What a call of a member puts into the registers that this begins with."""
    called = entered.frame
    if called.globals != frame.globals:
        raise Refused("XP0008", f"{_NOT_KEPT} by way of a function of another module")
    if called.program.code is not frame.program.code:
        return [*entered.bound, *entered.cells]
    for own, given in zip(frame.program.frees, entered.cells, strict=True):
        if machine.is_(frame.registers[own], given) is not True:
            raise Refused("XP0008", f"{_NOT_KEPT} with other variables of the function around it")
    return entered.bound


def _code_of(function: Value) -> CodeType | None:
    """The code that a call of a function begins with."""
    if caches.keeps(function):
        return caches.memoised.__code__
    if isinstance(function, BoundMethod):
        return _code_of(function.function)
    if isinstance(function, Function):
        return function.code
    found = function.value if isinstance(function, Const) else None
    if isinstance(found, MethodType):
        found = found.__func__
    if owner_of(found) is not None:
        found = found.__dict__["__wrapped__"]
    return found.__code__ if isinstance(found, FunctionType) else None


def _limit(machine: Machine) -> int:
    """How many activations may be suspended."""
    return max(recursion_limit() - len(machine.frames), 1)


@handles("check_depth")
def _check_depth(machine, frame, op, frames):
    length = machine.call(Const(len), [frames])
    # from Python 3.12 on, what looks for a result that is kept does not count
    each = 1 if frame.program.member(caches.memoised.__code__) is None else 2
    deep = machine.truth(machine.compare(">=", length, Const(each * _limit(machine))))
    if deep is True:
        machine.raise_(RecursionError, _TOO_DEEP)
    if deep is not False:
        machine.check(deep, RecursionError, _TOO_DEEP)


@handles("suspend")
def _suspend(machine, frame, op, frames, keeper, *held):
    states, bound, read, handles, only = op.imm
    arguments = [frame.registers[register] for register in bound]
    known: Frames = machine.heap.objects[as_ref(keeper).object].details
    if handles:
        raise Refused("XP0008", f"{_NOT_KEPT} while an exception is handled that was raised in it")
    frame.handled = NONE
    frame.suspended.update(states)
    holding = _Holding(machine, known, held)
    holding.share(arguments, {n for k in read for n in references(arguments[k])})
    state = known.named("state", Const(states[0])) if only else Const(states[0])
    value_operations.append(machine, frames, Tuple((state, *holding.all_held(held))))


class _Holding:
    """How the values that an activation goes on with are put into a list of frames.

    Attributes:
        known: what is known of the list.
        places: of objects that are values themselves, where among them they are found first.
        shared: objects of which copies are put there.
    """

    def __init__(self, machine: Machine, known: Frames, values: Sequence[Value]) -> None:
        self.machine, self.known = machine, known
        self.places: dict[object, int] = {}
        for place, value in enumerate(values):
            name = self._name(value)
            if name is not None:
                self.places.setdefault(name, place)
        self.found = [self._reached(value, place) for place, value in enumerate(values)]
        self.shared: set[int] = set()

    def _name(self, value: Value) -> object:
        """What tells an object that activations have made, and that may be changed, from others; None for others."""
        match value:
            case Ref(number) if number in reachable(self.machine, [value], self.known.mark):
                return number if self.machine.heap.objects[number].kind in _STORED else None
            case NdArray() if not value.lenses and reachable(self.machine, [value], self.known.mark):
                return value.buffer, value.identity
        return None

    def _elsewhere(self, value: Value, place: int) -> int | None:
        """Where an object is held that is met again at a place."""
        first = self.places.get(self._name(value)) if self.places else None
        return None if first == place else first

    def _reached(self, value: Value, place: int) -> set[int]:
        """The objects made by activations that are to be held for a value."""
        match value:
            case Ref() | NdArray() if self._elsewhere(value, place) is not None:
                return set()
            case BoundMethod():
                return self._reached(value.function, -1) | self._reached(value.self, -1)
            case Ref(number) if sequences.is_iterator(self.machine, value) and number > self.known.mark:
                slots = [self.machine.heap.read(number, name) for name in self.machine.heap.objects[number].fields]
                return {number}.union(*(self._reached(slot, -1) for slot in slots))
            case Tuple():
                return set().union(*(self._reached(part, -1) for part in value.children()))
        return reachable(self.machine, [value], self.known.mark)

    def share(self, arguments: Sequence[Value], cells: set[int]) -> None:
        """Finds out to which objects others refer meanwhile, but for these cells among the arguments, whose variables
        are not assigned to there."""
        machine, mark = self.machine, self.known.mark
        made: set[int] = set().union(*self.found)
        if not made:
            return
        before = [v for (number, _), v in machine.heap.slots.items() if number <= mark and references(v)]
        others = [v for f in machine.frames[:-1] for v in f.registers]
        shared = made & reachable(machine, [*before, *others], mark)
        shared |= (made & reachable(machine, arguments, mark)) - cells
        twice = sum(map(len, self.found)) - len(made)
        if twice:
            shared |= {n for n in made if sum(n in found for found in self.found) > 1}
        if any(machine.heap.objects[number].kind not in _COPIED for number in shared):
            raise Refused("XP0008", _SHARED, "make a copy for the call, or keep the values in an array made before it")
        # what is in one of them is shared with it
        self.shared = shared.union(*(found for found in self.found if found & shared))
        for number in self.shared:
            lies = machine.heap.owned.get(number)
            machine.heap.show(number)
            if lies is None or lies.where is FREE:
                machine.heap.hold(number, Ownership(SHARED, SHARED))

    def all_held(self, values: Sequence[Value]) -> list[Value]:
        """The values as the list holds them."""
        heap = self.machine.heap
        before = {n: heap.owned.get(n) for n in set().union(*self.found) - self.shared}
        held = [self._held(value, place) for place, value in enumerate(values)]
        for number, lies in before.items():
            # nothing refers to it any more: where its name stands for something else, that has not been put there
            if number in heap.owned and (lies is None or lies.where is FREE):
                heap.release(number, lies)
        return held

    def _held(self, value: Value, place: int = -1) -> Value:
        """A value as the list holds it; `place` is its own among the values."""
        machine, known = self.machine, self.known
        elsewhere = self._elsewhere(value, place)
        if elsewhere is not None:
            return known.named(("again", elsewhere), _Again(elsewhere))
        match value:
            case Ref(number):
                info = machine.heap.objects[number]
                if number <= known.mark or info.source is not None:
                    return known.named(number, value)
                if info.kind == "cell" or sequences.is_iterator(machine, value):
                    slots = {name: machine.heap.read(number, name) for name in sorted(info.fields)}
                    settings = {name: cast(Const, slots.pop(name)).value for name in sequences.SETTINGS & {*slots}}
                    held = (self._held(value) for value in slots.values())
                    return Tuple((known.sort(info.details, info.cls, tuple(settings.items()), tuple(slots)), *held))
            case NdArray() if not value.children() and not reachable(machine, [value], known.mark):
                lenses = tuple((lens.kind, lens.params) for lens in value.lenses)
                own = None if lenses else value.identity
                return known.named((value.buffer, lenses, own, value.writeable), value)
            case BoundMethod() if not reachable(machine, [value.function], known.mark):
                if reachable(machine, [value.self], known.mark):
                    return Tuple((self._method(value), self._held(value.self)))
                name = _name_of_older(value)
                if name is not None:
                    return known.named(name, value)
            case Function() | BoundMethod() | Intrinsic() if reachable(machine, [value], known.mark):
                raise Refused("XP0008", f"{_NOT_KEPT} with a function that was made in it")
            case Tuple():
                return value.mapped(self._held)
            case Union() if not isinstance(value, MixedScalar):
                return Union(value.selector, tuple(self._held(v) for v in value.alternatives))
        if value is UNBOUND:
            return _NOTHING
        return self._by_value(value)

    def _method(self, method: BoundMethod) -> Const:
        """The one constant that stands for a method without its object."""
        function, owner = method.function, method.self
        if isinstance(function, Const):
            return self.known.named(("method", id(function.value)), _Method(function))
        cls = self.machine.type_of(owner)
        if isinstance(function, Intrinsic) and cls.__module__ in ("builtins", "collections", "numpy"):
            name = function.name.rpartition(".")[2]
            return self.known.named(("method", name), _Method(Const(name)))
        raise Refused("XP0008", f"{_NOT_KEPT} with a method of an object that was made in it")

    def _by_value(self, value: Value) -> Value:
        """A value as a growable list holds it; to parts of which others refer, as a copy that must not be changed."""
        machine, heap = self.machine, self.machine.heap
        made = reachable(machine, [value], self.known.mark)
        if not made:
            return value
        if not made & self.shared:
            return growable_list_items.pack(machine, value)
        # what another growable list holds may be changed there, which makes this copy out of date
        only_here = all(heap.owned[number].where == SHARED for number in made)
        return growable_lists.disowned(growable_list_items.pack(machine, value, SHARED, seen={} if only_here else None))


def _name_of_older(method: BoundMethod) -> tuple | None:
    """What tells a method of an object that was there before the first call from others; None if nothing does."""
    function, owner = method.function, method.self
    if variables(method) or not (isinstance(owner, Ref) or caches.keeps(method)):
        return None
    if isinstance(function, Const):
        return "method of", id(function.value), tuple(references(owner))
    return ("method of", function.name, tuple(references(owner))) if isinstance(function, Intrinsic) else None


def reachable(machine: Machine, values: Sequence[Value], mark: int) -> set[int]:
    """The objects of the program's own, made after `mark`, that values refer to, or what they refer to does."""
    heap = machine.heap
    found: set[int] = set()
    todo = [n for value in values for n in references(value)]
    while todo:
        number = todo.pop()
        if number <= mark or number in found or heap.objects[number].source is not None:
            continue
        found.add(number)
        for name in heap.objects[number].fields:
            todo.extend(references(heap.read(number, name)))
    return found


@handles("restore")
def _restore(machine, frame, op, frames, keeper):
    known: Frames = machine.heap.objects[as_ref(keeper).object].details
    frame.handled = NONE
    state, *held = tuple_items(_last_of(machine, frames))
    if isinstance(state, Const) and isinstance(state.value, _Named):
        state = state.value.value
    if op.imm:
        state = _moved(machine, state, op.imm)
    values = _Taking(machine, held).values()
    heap = machine.heap
    for number in reachable(machine, values, known.mark):
        lies = heap.owned.get(number)
        if lies is not None and lies.where is not FREE and not heap.is_twice(heap.objects[number].cls):
            heap.hold(number, Ownership(SHARED, SHARED))
    return (state, *values)


def _last_of(machine: Machine, frames: Value) -> Value:
    """The last frame, which is taken from the list: there is one."""
    growable = growable_list_items.of(machine, frames)
    if growable is None:
        return machine.call(machine.getattr(frames, "pop"), [])
    rest, taken = growable_list_items.pop(machine, growable)
    lists.write(machine, as_ref(frames), rest)
    return taken


def _moved(machine: Machine, state: Value, by: int) -> Value:
    """The state for a call that has raised."""
    if isinstance(state, Const):
        return Const(state.value + by)
    var = machine.scalar_var(state, int)
    return scalar(
        machine, int, machine.builder.elementwise("add", var, machine.builder.constant(by, var.type.dtype, True))
    )


class _Taking:
    """What the values in a list of frames stand for."""

    def __init__(self, machine: Machine, held: Sequence[Value]) -> None:
        self.machine, self.held = machine, held
        self.found: dict[int, Value] = {}

    def values(self) -> list[Value]:
        """All of them."""
        return [self._at(place) for place in range(len(self.held))]

    def _at(self, place: int) -> Value:
        if place not in self.found:
            self.found[place] = self._taken(self.held[place])
        return self.found[place]

    def _taken(self, value: Value) -> Value:
        match value:
            case Const(value=_Named(value=_Again(place=place))):
                return self._at(place)
            case Const() if isinstance(value.value, _Named):
                return value.value.value
            case Tuple(items=(Const(value=_Sort() as sort), *slots)):
                made: dict[str, Value] = {name: Const(value) for name, value in sort.settings}
                made |= {name: self._taken(slot) for name, slot in zip(sort.names, slots, strict=True)}
                if sort.cls is CellType:
                    return Ref(self.machine.heap.new("cell", CellType, self.machine.location(), **made))
                return sequences.new(self.machine, sort.details, sort.cls, **made)
            case Tuple(items=(Const(value=_Named(value=_Method(function=function))), owner)):
                found = self._taken(owner)
                if isinstance(function.value, str):
                    return self.machine.getattr(found, function.value)
                return BoundMethod(function, found)
            case Tuple():
                return value.mapped(self._taken)
            case Union() if not isinstance(value, MixedScalar):
                return Union(value.selector, tuple(map(self._taken, value.alternatives)))
            case Stored():
                return growable_list_items.unpacked(self.machine, value, None, FREE)
        return value


@handles("goes_on")
def _goes_on(machine, frame, op, state):
    (number, needed), others = op.imm
    if not isinstance(state, Const):
        # what nothing has been restored for in this round of the analysis, is where the loop does not go
        gone_on = [_is_complete(frame, op, *each) for each in ((number, needed), *others)]
        if not gone_on[0]:
            return FALSE
        if not any(gone_on[1:]):
            return TRUE
    return machine.boolean(machine.truth(machine.compare("==", state, Const(number))))


def _is_complete(frame: Frame, op: Op, number: int, registers: tuple[int, ...]) -> bool:
    """Whether there are values already of what an activation goes on with in a state. What the call has returned comes
    last: it is noted where that is there and something else is not."""
    missing = [register for register in registers if frame.registers[register] is DEAD]
    if missing and registers[-1] not in missing:
        frame.not_gone_on.add((id(op), number))
    else:
        frame.not_gone_on.discard((id(op), number))
    return not missing


def check_all_go_on(frame: Frame) -> None:
    """What is suspended goes on when the call has returned.

    Raises:
        Refused: some activation would not, as the analysis has lost what it goes on with.
    """
    if any(number in frame.suspended for _, number in frame.not_gone_on):
        raise Refused("XP0099", f"what '{frame.program.name}' goes on with behind a call of itself is lost")
