"""Operations as the walk executes them: what is looked up once, unions told apart, results written."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from math import prod
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from xlapy.dispatch import registry, unions
from xlapy.dispatch.bounded import growable_list_arrays
from xlapy.dispatch.containers import container_protocol, dynamic_tuples
from xlapy.dispatch.iterators import dict_views
from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import growable_list_items, nested_lists
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    DEAD,
    NONE,
    POISON,
    UNBOUND,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    MixedScalar,
    Ref,
    Tuple,
    Union,
    Value,
    tuple_items,
)
from xlapy.frontend import Code, Op
from xlapy.interpreter import widening
from xlapy.interpreter.frame import Frame

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

Handler = Callable[..., Value | tuple[Value, ...] | None]
H = TypeVar("H", bound=Handler)
HANDLERS: dict[str, Handler] = {}

#: operations that move values about without looking at them
_MOVES = frozenset(
    "const load load_bound move store load_and_clear make_cell load_deref store_deref store_global store_name delete"
    " push_exc pop_exc tuple list function set_function_attribute setattr is null is_state enter".split()
)
#: operations on the contents of containers
_CONTENTS = frozenset(
    "call call_ex getitem setitem delitem contains iter unpack truth not binary inplace compare list_append list_extend"
    " dict_set set_add dict_update dict_merge set_update len match_keys list_to_tuple"
    " check_depth suspend restore".split()
)

#: those of them that take a number which is Python's or NumPy's as one
_OF_NUMBERS = frozenset(
    "call call_ex getitem setitem truth not binary inplace compare unary list_append format convert".split()
)


#: those that take one of several lists of one length as it is
_OF_ROWS = frozenset("getitem setitem iter unpack".split())


#: those on dicts and sets that take a key which is one of several values: where the container is, and where the key
_OF_KEYS = dict.fromkeys(("getitem", "setitem", "delitem", "dict_set", "set_add"), (0, 1)) | {"contains": (1, 0)}


#: those that put their last argument into a list, or may call what does
_PUTS = frozenset("setitem list_append call".split())


#: ways to choose arguments for each of which a function is called
_MOST_CALLS = 4
#: how many operations one analysis may execute
MAXIMUM_OPERATIONS = 600_000
#: how many a program may have: to compile it takes about a millisecond for each
MOST_EMITTED = 50_000
#: what it costs to compare a place of two states, and to give a value that differs a place in their join
COMPARED, JOINED = 1 / 4, 16
#: how much that may cost for all attempts at a program: some ten seconds
MAXIMUM_JOINS = 2_000_000
#: how much if there may be a shorter way: some three seconds
FEW_JOINS = 150_000
#: how much if functions call themselves, be it that they are loops, for which there may be another way, or inlined
JOINS_OF_RECURSIONS = 600_000


class TooLarge(Exception):
    """The analysis executes too many operations, or joins too many places: it does not end in reasonable time."""


#: how an operation's arguments are treated: moved about, looked into, told apart if they are unions of any kind, or of
#: more than mixed numbers
_MOVE, _LOOK, _CONTENT, _NUMBER = 0, 1, 2, 3
#: operations that may change an object of a built-in class
_CHANGES = frozenset("call call_ex setitem delitem inplace list_extend dict_update dict_merge set_update".split())
_TREATMENTS = ((_MOVE, _MOVES), (_NUMBER, _OF_NUMBERS), (_CONTENT, _CONTENTS))
#: operations that copy a register, if it holds an ordinary value
_COPIES = frozenset(("load", "load_bound", "move", "store"))


_NO_ARGUMENTS: Sequence[Value] = ()


class Step(NamedTuple):
    """An operation prepared for execution.

    Attributes:
        treatment: how its arguments are treated.
        copied: the register that a plain copy reads.
        dst: the register that it writes; -1 if there are several or none.
        changes: whether it may change an object.
        constant: what it gives, if it is a constant.
        called: the register of the function that it calls.
        fetch: the register of its one argument, or what takes several from all registers.
        asks: whether it may ask after the class of its arguments.
    """

    op: Op
    handler: Handler
    treatment: int
    copied: int | None
    dst: int
    changes: bool
    constant: Value | None
    called: int | None
    fetch: itemgetter | int | None
    asks: bool


def prepare(code: Code) -> list[Step]:
    """The operations of a `Code`, looked up once."""
    if not code.prepared:
        code.prepared.extend(map(_step, code.ops))
    return code.prepared


def _step(op: Op) -> Step:
    treatment = _treatment(op.kind)
    copied = op.args[0] if op.kind in _COPIES else None
    changes = op.kind in _CHANGES
    target = op.dst[0] if len(op.dst) == 1 else -1
    constant = constant_value(op.imm) if op.kind == "const" else None
    called = op.args[0] if op.kind in ("call", "call_ex") else None
    asks = op.kind in widening.LOOKED_AT
    fetch = itemgetter(*op.args) if len(op.args) > 1 else op.args[0] if op.args else None
    return Step(op, HANDLERS[op.kind], treatment, copied, target, changes, constant, called, fetch, asks)


@functools.cache
def _treatment(kind: str) -> int:
    return next((t for t, operations in _TREATMENTS if kind in operations), _LOOK)


def constant_value(value: object) -> Value:
    """A constant of a code object."""
    if isinstance(value, tuple):
        return Tuple(tuple(map(constant_value, value)))
    return Const(value)


def execute(machine: Machine, frame: Frame, step: Step) -> None:
    """Execute one operation: read its arguments, write its results."""
    op, handler, treatment, fetch, target = step.op, step.handler, step.treatment, step.fetch, step.dst
    registers = frame.registers
    args = _NO_ARGUMENTS
    if isinstance(fetch, int):
        args = (registers[fetch],)
    elif fetch is not None:
        args = fetch(registers)
    if step.asks and machine.widened:
        widening.look(machine, op, args)
    if treatment != _MOVE:
        for value in args:
            kind = type(value)
            if value is POISON:
                for register in op.dst:
                    registers[register] = value
                return
            if kind is Union or kind is MixedScalar and treatment != _NUMBER:
                if op.kind in _OF_ROWS and value is args[0] and _is_row(machine, args):
                    break
                if op.kind in _OF_KEYS and _is_key(machine, args, *_OF_KEYS[op.kind]):
                    break
                if op.kind in _PUTS and _is_put(machine, args[0], args[1:]):
                    break
                if op.kind == "call" and (_takes_unions(args[0]) or _has_many_lists(machine, args)):
                    break
                result = unions.over_unions(machine, args, lambda *values: _applied(machine, frame, step, list(values)))
                _write(frame, op, _unpacked(op, result))
                return
        if treatment >= _CONTENT and machine.heap.has_unions:
            _write(frame, op, _unpacked(op, _applied(machine, frame, step, args)))
            return
    result: Any = handler(machine, frame, op, *args)
    if target >= 0 and type(result) is not tuple:
        frame.registers[target] = result
    elif op.dst:
        _write(frame, op, result)


def _is_row(machine: Machine, args: Sequence[Value]) -> bool:
    """Whether the first argument is one of several lists of one length, and the only union."""
    return not any(isinstance(a, Union) for a in args[1:]) and nested_lists.of(machine, args[0]) is not None


def _is_key(machine: Machine, args: Sequence[Value], container: int, key: int) -> bool:
    """Whether the only union among the arguments is the key of a dict or set, but for constants that are put there."""
    if type(args[key]) is not Union or not container_protocol.takes_unions(machine, args[container]):
        return False
    others = [a for a in args if type(a) is Union and a is not args[key]]
    return all(a is args[-1] and all(type(v) is Const for v in a.alternatives) for a in others)


def _is_put(machine: Machine, target: Value, args: Sequence[Value]) -> bool:
    """Whether the only union among the arguments is what is put into a list, by an operation or by a method of it."""
    if isinstance(target, BoundMethod):
        if not (isinstance(target.function, Intrinsic) and registry.puts_item(target.function.rule)):
            return False
        target = target.self
    if any(isinstance(a, Union) or container_protocol.is_slice(a) for a in args[:-1]):
        return False
    return bool(args) and container_protocol.takes_choice(machine, target, args[-1])


def _takes_unions(function: Value) -> bool:
    """Whether a method of a built-in class tells unions among its arguments apart by itself."""
    inner = function.function if isinstance(function, BoundMethod) else None
    return isinstance(inner, Intrinsic) and registry.accepts(inner.rule, False)


def _has_many_lists(machine: Machine, args: Sequence[Value]) -> bool:
    """Whether a function of Python's gets one of several lists for so many arguments that it looks at them where it
    uses them: each of the ways to choose them would be a call of its own."""
    function = args[0].value if isinstance(args[0], Const) else args[0]
    if not isinstance(function, Function | types.FunctionType):
        return False
    several = [a for a in args[1:] if isinstance(a, Union)]
    ways = prod(len(unions.possible(machine, a)) for a in several)
    return ways > _MOST_CALLS and all(_is_list(machine, v) for a in several for v in a.alternatives)


def _is_list(machine: Machine, value: Value) -> bool:
    return isinstance(value, Ref) and machine.heap.objects[value.object].cls is list


def _applied(machine: Machine, frame: Frame, step: Step, args: Sequence[Value]) -> Value:
    """The packed result of an operation, for each of the contents that the containers among its arguments may have."""
    op, handler, treatment = step.op, step.handler, step.treatment
    whole = lambda: packed(handler(machine, frame, op, *args))  # noqa: E731
    result = None
    if treatment >= _CONTENT and machine.heap.has_unions:
        apart = op.kind == "iter" and dict_views.is_one(machine, args[0])
        apart = apart or op.kind == "call_ex" and dynamic_tuples.zips(machine, args[0], args[1])
        containers = [] if apart else _containers(args)
        if op.kind == "call" and growable_list_arrays.are_many(machine, args[0], args[1:]):
            each = lambda: unions.over_contents(machine, containers, whole) or whole()  # noqa: E731
            result = growable_list_items.settled_or(
                machine, args[1:], whole, each, growable_list_arrays.gives_places(args[0])
            )
        else:
            result = unions.over_contents(machine, containers, whole)
    return whole() if result is None else result


def _write(frame: Frame, op: Op, result: Any) -> None:
    """Write what an operation gives: a value, a tuple of values for several registers, or nothing."""
    dst = op.dst
    if len(dst) == 1 and type(result) is not tuple:
        frame.registers[dst[0]] = result
    elif dst:
        for register, value in zip(dst, result, strict=True):
            frame.registers[register] = value


def _containers(args: Sequence[Value]) -> list[Value]:
    """The arguments, and what bound methods among them are bound to."""
    return [a.self if isinstance(a, BoundMethod) else a for a in args]


def _unpacked(op: Op, result: Value) -> Value | tuple[Value, ...]:
    if op.kind not in ("unpack", "restore") and len(op.dst) < 2:
        return result
    if isinstance(result, Union):
        raise JoinFailure(result, result, "have items of too many kinds")
    return tuple_items(result)


def packed(result: Value | tuple[Value, ...] | None) -> Value:
    """The results of an operation as one value."""
    if isinstance(result, tuple):
        return Tuple(result)
    return NONE if result is None else result


def bound(machine: Machine, value: Value, cls: type, message: str) -> Value:
    """`value`, which may be unbound: then an exception."""
    if value is UNBOUND:
        machine.raise_(cls, message)
    if isinstance(value, Union):
        for index, alternative in enumerate(value.alternatives):
            if alternative is UNBOUND:
                machine.check(unions.selects(machine, value, index), cls, message)
                return without(machine, value, index)
    if value is DEAD:
        raise Refused("XP0099", "a value that liveness says nobody reads is read")
    return value


def without(machine: Machine, union: Union, index: int) -> Value:
    """A union of which alternative `index` is ruled out."""
    rest = (*union.alternatives[:index], *union.alternatives[index + 1 :])
    if len(rest) == 1:
        return rest[0]
    builder = machine.builder
    dtype = union.selector.type.dtype
    selector = union.selector
    after = builder.elementwise("gt", selector, builder.constant(index, dtype))
    down = builder.elementwise("sub", selector, builder.constant(1, dtype))
    return mixed.united(machine, builder.elementwise("select", after, down, selector), rest)


def is_exception(machine: Machine, value: Value) -> bool:
    """Whether a value is an exception object."""
    return isinstance(value, Ref | Const) and issubclass(machine.type_of(value), BaseException)


def handles(*kinds: str) -> Callable[[H], H]:
    """Register the handler of operation kinds: `handler(machine, frame, op, *args)` gives the value of `dst`."""

    def register(handler: H) -> H:
        for kind in kinds:
            HANDLERS[kind] = handler
        return handler

    return register
