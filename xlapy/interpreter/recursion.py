"""Functions that call themselves, or each other, as often as data says: one loop over a list of suspended activations.

A function whose calls of itself do not end at compile time is interpreted from another program (`frontend.recursive`),
of which the functions that it calls on the way are *members*, too. What an activation goes on with is put on a list,
the *frames*, which is a list that grows in a loop like any other (see `domain.stacks`), and so is held by value.
Objects that were there before the first call are put there by name instead: all activations mean the same ones. An
iterator of a loop around a call is put there as its sort and the contents of its slots, and is made anew, as is the
cell of a variable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from inspect import CO_GENERATOR
from types import CellType, CodeType, FunctionType, MethodType
from typing import TYPE_CHECKING, Any, cast

from xlapy.dispatch import unions
from xlapy.dispatch.iterators import sequences
from xlapy.dispatch.protocol import NeedLoop, Refused
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
    Tuple,
    Union,
    Value,
    as_ref,
    references,
    tuple_items,
)
from xlapy.frontend import Call, Fused, Op
from xlapy.interpreter import control, fusing, operations
from xlapy.interpreter.depth import recursion_limit
from xlapy.interpreter.fusing import Fusion
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

    def __init__(self, value: Value) -> None:
        self.value = value


Settings = tuple[tuple[str, object], ...]


class _Sort(Opaque):
    """What is known of an iterator or a cell that is put into a list of frames: its sort, class, settings, and the
    names of its other slots."""

    def __init__(self, details: Any, cls: type, settings: Settings, names: tuple[str, ...]) -> None:
        self.details, self.cls, self.settings, self.names = details, cls, settings, names


#: stands for a variable without a value
_NOTHING = Const(_Named(UNBOUND))


class Frames:
    """What is known of a list of frames: the objects that are younger than it are made by activations. Those that are
    older are in a slot of an object of their own, so that loops and branches know them under their names."""

    def __init__(self, mark: int) -> None:
        self.mark = mark
        self._known: dict[object, Const] = {}

    def named(self, key: object, value: Value) -> Const:
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
    return frozenset(found.union(*(machine.recursions.get(frame.program.code, ()) for frame in frames)))


def _is_generator(code: CodeType) -> bool:
    return bool(code.co_flags & CO_GENERATOR)


def enters(machine: Machine, code: CodeType) -> bool:
    """Whether a call that is about to be made is one of a member of the program that makes it.

    Raises:
        NeedLoop: it is called in a place, or on a way, that has not been known.
        Refused: it is not called by a frame, but by what that calls.
    """
    if machine.entering is not None and machine.entering.program.member(code) is not None:
        return True
    if _is_generator(code):
        return False  # it is made, and not run
    for first, frame in enumerate(machine.frames):
        if frame.program.code in machine.recursions and frame.program.member(code) is not None:
            known = machine.recursions[frame.program.code]
            calls = calls_on_the_way(machine, first, code)
            if calls is None or calls == known:
                message = f"'{code.co_qualname}' calls itself by way of another function, as often as data says"
                raise Refused("XP0008", message)
            raise NeedLoop(frame.program.code, calls)
    return False


@handles("frames")
def _frames(machine, frame, op):
    made = machine.new_list(())
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
    return fusing.of_call(machine, function.value, args[:split], dict(zip(names, args[split:], strict=True)))


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
    if isinstance(function, BoundMethod):
        return _code_of(function.function)
    if isinstance(function, Function):
        return function.code
    found = function.value if isinstance(function, Const) else None
    if isinstance(found, MethodType):
        found = found.__func__
    if isinstance(found, FunctionType) and "_xlapy_cache" in found.__dict__:
        found = found.__dict__["__wrapped__"]
    return found.__code__ if isinstance(found, FunctionType) else None


def _limit(machine: Machine) -> int:
    """How many activations may be suspended."""
    return max(recursion_limit() - len(machine.frames), 1)


@handles("check_depth")
def _check_depth(machine, frame, op, frames):
    length = machine.call(Const(len), [frames])
    deep = machine.truth(machine.compare(">=", length, Const(_limit(machine))))
    if deep is True:
        machine.raise_(RecursionError, _TOO_DEEP)
    if deep is not False:
        machine.check(deep, RecursionError, _TOO_DEEP)


@handles("suspend")
def _suspend(machine, frame, op, frames, keeper, *held):
    state, bound, read, handles = op.imm
    arguments = [frame.registers[register] for register in bound]
    known: Frames = machine.heap.objects[as_ref(keeper).object].details
    if handles:
        raise Refused("XP0008", f"{_NOT_KEPT} while an exception is handled that was raised in it")
    frame.handled = NONE
    frame.suspended.add(state)
    _require_alone(machine, known, held, arguments, {n for k in read for n in references(arguments[k])})
    operations.append(machine, frames, Tuple((Const(state), *(_held(machine, known, value) for value in held))))


def _require_alone(
    machine: Machine, known: Frames, held: Sequence[Value], arguments: Sequence[Value], cells: set[int]
) -> None:
    """What an activation has made and goes on with is held by value: nothing else may refer to it meanwhile, but for
    these cells among the arguments, whose variables are not assigned to there."""
    places = [reachable(machine, [value], known.mark) for value in held]
    made = set().union(*places)
    if not made:
        return
    before = [v for (number, _), v in machine.heap.slots.items() if number <= known.mark and references(v)]
    others = [v for f in machine.frames[:-1] for v in f.registers]
    shared = made & reachable(machine, [*before, *others], known.mark)
    shared |= (made & reachable(machine, arguments, known.mark)) - cells
    if shared or sum(map(len, places)) > len(made):
        raise Refused("XP0008", _SHARED, "make a copy for the call, or keep the values in an array made before it")


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
    taken = machine.call(machine.getattr(frames, "pop"), [])
    frame.handled = NONE
    state, *held = tuple_items(taken)
    return (state, *(_taken(machine, known, value) for value in held))


def _held(machine: Machine, known: Frames, value: Value) -> Value:
    """A value as a list of frames holds it."""
    match value:
        case Ref(number):
            info = machine.heap.objects[number]
            if number <= known.mark or info.source is not None:
                return known.named(number, value)
            if info.kind == "cell" or sequences.is_iterator(machine, value):
                slots = {name: machine.heap.read(number, name) for name in sorted(info.fields)}
                settings = {name: cast(Const, slots.pop(name)).value for name in sequences.SETTINGS & {*slots}}
                held = (_held(machine, known, value) for value in slots.values())
                return Tuple((known.sort(info.details, info.cls, tuple(settings.items()), tuple(slots)), *held))
        case NdArray() if not value.children() and not reachable(machine, [value], known.mark):
            lenses = tuple((lens.kind, lens.params) for lens in value.lenses)
            own = None if lenses else value.identity
            return known.named((value.buffer, lenses, own, value.writeable), value)
        case Function() | BoundMethod() | Intrinsic() if reachable(machine, [value], known.mark):
            raise Refused("XP0008", f"{_NOT_KEPT} with a function that was made in it")
        case Tuple():
            return Tuple(tuple(_held(machine, known, item) for item in value.items), value.cls)
        case Union() if not isinstance(value, MixedScalar):
            return Union(value.selector, tuple(_held(machine, known, v) for v in value.alternatives))
    return _NOTHING if value is UNBOUND else value


def _taken(machine: Machine, known: Frames, value: Value) -> Value:
    """What such a value stands for."""
    match value:
        case Const() if isinstance(value.value, _Named):
            return value.value.value
        case Tuple(items=(Const(value=_Sort() as sort), *slots)):
            made: dict[str, Value] = {name: Const(value) for name, value in sort.settings}
            made |= {name: _taken(machine, known, slot) for name, slot in zip(sort.names, slots, strict=True)}
            if sort.cls is CellType:
                return Ref(machine.heap.new("cell", CellType, machine.location(), **made))
            return sequences.new(machine, sort.details, sort.cls, **made)
        case Tuple():
            return Tuple(tuple(_taken(machine, known, item) for item in value.items), value.cls)
        case Union() if not isinstance(value, MixedScalar):
            return Union(value.selector, tuple(_taken(machine, known, v) for v in value.alternatives))
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
