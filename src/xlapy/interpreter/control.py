"""Operations that call, iterate, raise, match and yield."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING

from xlapy.dispatch import kinds
from xlapy.dispatch.containers import container_protocol, dynamic_tuples
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.dispatch.python import attributes, exceptions, objects
from xlapy.domain.values import (
    DEAD,
    NONE,
    UNBOUND,
    Const,
    Function,
    Marker,
    Ref,
    Tuple,
    Union,
    Value,
    is_none,
    tuple_items,
)
from xlapy.frontend import STATEMENTS
from xlapy.interpreter import generator_stepping
from xlapy.interpreter.frame import Frame, handled_by
from xlapy.interpreter.steps import handles

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


@handles("iter")
def _iter(machine, frame, op, value):
    return iteration.make_iterator(machine, value)


def called(machine: Machine, kind: str, imm: object, *args: Value) -> Value:
    """What an operation of kind 'call' or 'call_ex' gives."""
    return _call(machine, imm, *args) if kind == "call" else _call_ex(machine, *args)


@handles("call", "call_ex")
def _call_operation(machine, frame, op, *args):
    return called(machine, op.kind, op.imm, *args)


def _call(machine, names, function, *args):
    names = names or ()
    if not names:
        return machine.call(function, args)
    split = len(args) - len(names)
    return machine.call(function, args[:split], dict(zip(names, args[split:], strict=True)))


def _call_ex(machine, function, positional, keywords=None):
    kwargs = {}
    if keywords is not None and not isinstance(keywords, Marker):
        kwargs = objects.mapping_entries(machine, keywords)
        for key in kwargs:
            if not isinstance(key, str):
                machine.raise_(TypeError, "keywords must be strings")
    if not kwargs and dynamic_tuples.zips(machine, function, positional):
        return dynamic_tuples.columns(machine, positional)
    if not isinstance(positional, Union) and not iteration.is_iterable(machine, positional):
        name, given = objects.called_name(machine, function), iteration.type_name(machine, positional)
        machine.raise_(TypeError, f"{name} argument after * must be an iterable, not {given}")
    return machine.call(function, machine.iterate(iteration.begun(machine, positional, sized=True)), kwargs)


@handles("function")
def _function(machine, frame, op, code, *attributes):
    given = dict(zip(op.imm, attributes, strict=True))
    namespace = machine.heap.new("function", types.FunctionType, machine.location())
    made = Function(code.value, Ref(frame.globals), code.value.co_name, namespace=namespace)
    for name, value in given.items():
        made = _with_attribute(machine, made, name, value)
    return made


@handles("set_function_attribute")
def _set_function_attribute(machine, frame, op, function, value):
    return _with_attribute(machine, function, op.imm, value)


def _with_attribute(machine: Machine, made: Function, name: str, value: Value) -> Function:
    defaults, kwdefaults, closure = made.defaults, made.kwdefaults, made.closure
    if name == "defaults":
        defaults = tuple_items(value)
    elif name == "kwdefaults":
        kwdefaults = dict(objects.mapping_entries(machine, value))
    elif name == "closure":
        closure = tuple_items(value)
    named = made.attributes
    if name == "annotations":
        named = {**named, name: _annotations(machine, value)}
    elif name == "annotate":
        named = {**named, name: value}
    return Function(made.code, made.globals, made.name, defaults, kwdefaults, closure, named, made.namespace)


def _annotations(machine: Machine, value: Value) -> Value:
    """Annotations as a dict: CPython up to 3.13 gives a tuple of names and annotations."""
    if not isinstance(value, Tuple):
        return value
    names = [machine.static(v) for v in value.items[::2]]
    return machine.new_dict(dict(zip(names, value.items[1::2], strict=True)))


# -- exceptions --------------------------------------------------------------------------------------------------------


_NO_CAUSE = "exception causes must derive from BaseException"


@handles("raise")
def _raise(machine, frame, op, exception=None, cause=None):
    if exception is None:
        raise PythonError(_to_raise_again(machine, frame))
    raised = exceptions.as_exception(machine, exception)
    if cause is not None and isinstance(raised, Ref):
        chained = NONE if is_none(cause) else exceptions.as_exception(machine, cause, _NO_CAUSE)
        machine.heap.write(raised.object, "__cause__", chained)
    if isinstance(raised, Ref):
        machine.heap.objects[raised.object].location = machine.location()
    raise PythonError(raised)


def _to_raise_again(machine: Machine, frame: Frame) -> Value:
    """What a bare `raise` raises: what the function handles, or else its caller, or one further out."""
    if not is_none(frame.handled):
        return frame.handled
    machine.heap.untold += 1
    handled = handled_by(machine.frames)
    return machine.raise_(RuntimeError, "No active exception to reraise") if is_none(handled) else handled


@handles("reraise")
def _reraise(machine, frame, op, exception, lasti=None):
    raise PythonError(exception)


@handles("push_exc")
def _push_exc(machine, frame, op, exception):
    before = frame.handled
    frame.handled = exception
    return before, exception


@handles("pop_exc")
def _pop_exc(machine, frame, op, before):
    frame.handled = before


@handles("unhandle")
def _unhandle(machine, frame, op):
    frame.handled = NONE


@handles("match_exc")
def _match_exc(machine, frame, op, exception, type_):
    classes = machine.static(type_)
    for cls in classes if isinstance(classes, tuple) else (classes,):
        if not (isinstance(cls, type) and issubclass(cls, BaseException)):
            machine.raise_(TypeError, "catching classes that do not inherit from BaseException is not allowed")
    return Const(issubclass(kinds.type_of(machine, exception), classes))


@handles("enter_with")
def _enter_with(machine, frame, op, manager):
    exit_ = attributes.special(machine, manager, "__exit__")
    return exit_, machine.call(attributes.special(machine, manager, "__enter__"), [])


@handles("with_except_start")
def _with_except_start(machine, frame, op, exit_, exception):
    return machine.call(exit_, [Const(kinds.type_of(machine, exception)), exception, NONE])


# -- match -------------------------------------------------------------------------------------------------------------


@handles("match_class")
def _match_class(machine, frame, op, subject, cls, names):
    return objects.match_class(machine, subject, cls, machine.static(names), op.imm)


@handles("match_keys")
def _match_keys(machine, frame, op, subject, keys):
    entries = objects.mapping_entries(machine, subject)
    wanted = [container_protocol.key_of(machine, k) for k in keys.items]
    if all(k in entries for k in wanted):
        return Tuple(tuple(entries[k] for k in wanted))
    return NONE


@handles("match_mapping")
def _match_mapping(machine, frame, op, subject):
    return Const(kinds.type_of(machine, subject).__flags__ & (1 << 6) != 0)


@handles("match_sequence")
def _match_sequence(machine, frame, op, subject):
    return Const(kinds.type_of(machine, subject).__flags__ & (1 << 5) != 0)


@handles("len")
def _len(machine, frame, op, subject):
    return container_protocol.length(machine, subject)


# -- generators and the rest -------------------------------------------------------------------------------------------


@handles("return_generator")
def _return_generator(machine, frame, op):
    return None


@handles("yield")
def _yield(machine, frame, op, value):
    frame.on_yield(value)
    return NONE


@handles("resume")
def _resume(machine, frame, op):
    return generator_stepping.resume(machine, frame, op.imm)


@handles("is_state")
def _is_state(machine, frame, op, state):
    return generator_stepping.is_state(machine, state, op.imm)


@handles("unbind")
def _unbind(machine, frame, op):
    return (UNBOUND,) * len(op.dst)


@handles("kill")
def _kill(machine, frame, op):
    return (DEAD,) * len(op.dst)


@handles("get_yield_from_iter")
def _get_yield_from_iter(machine, frame, op, value):
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "generator":
        return value
    return iteration.make_iterator(machine, value)


@handles("cleanup_throw")
def _cleanup_throw(machine, frame, op, exception):
    raise PythonError(exception)


@handles("intrinsic")
def _intrinsic(machine, frame, op, *args):
    match op.imm:
        case "INTRINSIC_STOPITERATION_ERROR" | "stopiteration_error":
            raise PythonError(args[0])
        case "INTRINSIC_UNARY_POSITIVE":
            return machine.unary("+", args[0])
        case "INTRINSIC_LIST_TO_TUPLE":
            return Tuple(tuple(machine.iterate(args[0])))
    raise Refused("XP0002", f"the bytecode operation {op.imm} is not compiled")


@handles("unsupported")
def _unsupported(machine, frame, op):
    what = STATEMENTS.get(op.imm, f"the bytecode operation {op.imm}")
    raise Refused("XP0002", f"{what} is not compiled")
