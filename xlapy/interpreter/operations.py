"""What each operation of a structured program does to abstract values."""

from __future__ import annotations

import builtins
import importlib
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from xlapy.dispatch import unions
from xlapy.dispatch.containers import common as containers
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers import mixed, overflow
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.dispatch.python import attributes, exceptions, kinds, objects, texts
from xlapy.domain.join import same_constant
from xlapy.domain.values import (
    DEAD,
    NONE,
    NULL,
    UNBOUND,
    BoundMethod,
    Const,
    Function,
    Intrinsic,
    Mapping,
    Marker,
    MixedScalar,
    Ref,
    Slice,
    Tuple,
    Union,
    Value,
    is_none,
)
from xlapy.frontend import Code, Op
from xlapy.interpreter import classes, resumption
from xlapy.interpreter.frame import Frame
from xlapy.ir import Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

Handler = Callable[..., Value | tuple[Value, ...] | None]
HANDLERS: dict[str, Handler] = {}

#: operations that move values about without looking at them
_MOVES = frozenset(
    "const load load_bound move store load_and_clear make_cell load_deref store_deref store_global store_name delete"
    " push_exc pop_exc tuple list function set_function_attribute setattr is null is_state".split()
)
#: operations on the contents of containers
_CONTENTS = frozenset(
    "call call_ex getitem setitem delitem contains iter unpack truth not binary inplace compare list_append list_extend"
    " dict_set set_add dict_update dict_merge set_update len match_keys list_to_tuple".split()
)

#: those of them that take a number which is Python's or NumPy's as one
_OF_NUMBERS = frozenset(
    "call call_ex getitem setitem truth not binary inplace compare unary list_append format convert".split()
)


#: how many operations one analysis may execute
MAXIMUM_OPERATIONS = 600_000


class TooLarge(Exception):
    """The analysis executes too many operations: unrolling does not end in reasonable time."""


#: how an operation's arguments are treated: moved about, looked into, told apart if they are unions of any kind, or of
#: more than mixed numbers
_MOVE, _LOOK, _CONTENT, _NUMBER = 0, 1, 2, 3
#: operations that may change an object of a built-in class
_CHANGES = frozenset("call call_ex setitem delitem inplace list_extend dict_update dict_merge set_update".split())
_TREATMENTS = ((_MOVE, _MOVES), (_NUMBER, _OF_NUMBERS), (_CONTENT, _CONTENTS))
#: operations that copy a register, if it holds an ordinary value
_COPIES = frozenset(("load", "load_bound", "move", "store"))


class Step(NamedTuple):
    """An operation prepared for execution. `copied` is the register that a plain copy reads; `dst` the one it writes,
    None if there are several or none; `changes` whether it may change an object."""

    op: Op
    handler: Handler
    treatment: int
    copied: int | None
    dst: int | None
    changes: bool


def prepare(code: Code) -> list[Step]:
    """The operations of a `Code`, looked up once."""
    if not code.prepared:
        code.prepared.extend(map(_step, code.ops))
    return code.prepared


def _step(op: Op) -> Step:
    treatment = next((t for t, operations in _TREATMENTS if op.kind in operations), _LOOK)
    copied = op.args[0] if op.kind in _COPIES else None
    changes = op.kind in _CHANGES
    return Step(op, HANDLERS[op.kind], treatment, copied, op.dst[0] if len(op.dst) == 1 else None, changes)


def execute(machine: Machine, frame: Frame, step: Step) -> None:
    """Execute one operation: read its arguments, write its results."""
    op, handler, treatment, copied, target, _ = step
    registers = frame.registers
    if copied is not None:
        value = registers[copied]
        if type(value) is not Marker and type(value) is not Union:
            registers[target] = value
            return
    args = [registers[a] for a in op.args]
    if treatment != _MOVE:
        for value in args:
            kind = type(value)
            if kind is Marker and value.name == "poison":
                for register in op.dst:
                    registers[register] = value
                return
            if kind is Union or kind is MixedScalar and treatment != _NUMBER:
                result = unions.over_unions(machine, args, lambda *values: _applied(machine, frame, step, list(values)))
                _write(frame, op, _unpacked(op, result))  # type: ignore[attr-defined]
                return
        if treatment >= _CONTENT and machine.heap.has_unions:
            _write(frame, op, _unpacked(op, _applied(machine, frame, step, args)))  # type: ignore[attr-defined]
            return
    result = handler(machine, frame, op, *args)
    if target is not None and type(result) is not tuple:
        frame.registers[target] = result  # type: ignore[assignment]
    elif op.dst:
        _write(frame, op, result)


def _applied(machine: Machine, frame: Frame, step: Step, args: list[Value]) -> Value:
    """The packed result of an operation, for each of the contents that the containers among its arguments may have."""
    op, handler, treatment, *_ = step
    packed = None
    if treatment >= _CONTENT and machine.heap.has_unions:
        packed = unions.over_contents(machine, _containers(args), lambda: _packed(handler(machine, frame, op, *args)))
    return _packed(handler(machine, frame, op, *args)) if packed is None else packed


def _write(frame: Frame, op: Op, result: Value | tuple[Value, ...] | None) -> None:
    dst = op.dst
    if len(dst) == 1 and type(result) is not tuple:
        frame.registers[dst[0]] = result  # type: ignore[assignment]
    elif dst:
        for register, value in zip(dst, result, strict=True):  # type: ignore[arg-type]
            frame.registers[register] = value


def _containers(args: list[Value]) -> list[Value]:
    """The arguments, and what bound methods among them are bound to."""
    return [a.self if isinstance(a, BoundMethod) else a for a in args]


def _unpacked(op: Op, result: Value) -> Value | tuple[Value, ...]:
    return result.items if op.kind == "unpack" or len(op.dst) > 1 else result  # type: ignore[attr-defined]


def _packed(result: Value | tuple[Value, ...] | None) -> Value:
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


def handles(*kinds: str) -> Callable[[Handler], Handler]:
    """Register the handler of operation kinds: `handler(machine, frame, op, *args)` gives the value of `dst`."""

    def register(handler: Handler) -> Handler:
        for kind in kinds:
            HANDLERS[kind] = handler
        return handler

    return register


# -- registers and names ----------------------------------------------------------------------------------------------


@handles("const")
def _const(machine, frame, op):
    return constant(op.imm)


@handles("set_state")
def _set_state(machine, frame, op):
    return resumption.State.value(op.imm)


def constant(value: object) -> Value:
    """A constant of a code object."""
    if isinstance(value, tuple):
        return Tuple(tuple(map(constant, value)))
    return Const(value)


@handles("null")
def _null(machine, frame, op):
    return NULL


@handles("move", "store")
def _move(machine, frame, op, value):
    return value


@handles("load")
def _load(machine, frame, op, value):
    if type(value) is Marker or type(value) is Union:
        if type(value) is Marker and value.name == "poison":
            return value
        message = f"cannot access local variable '{op.imm}' where it is not associated with a value"
        value = bound(machine, value, UnboundLocalError, message)
        frame.registers[op.args[0]] = value
    return value


@handles("load_bound")
def _load_bound(machine, frame, op, value):
    """On a path where CPython's compiler knows that the variable is bound, whatever it may be elsewhere."""
    if isinstance(value, Union):
        for index, alternative in enumerate(value.alternatives):
            if alternative is UNBOUND:
                value = frame.registers[op.args[0]] = without(machine, value, index)
                break
    return value


@handles("load_and_clear")
def _load_and_clear(machine, frame, op, value):
    return value, UNBOUND


@handles("delete")
def _delete(machine, frame, op, value):
    bound(
        machine,
        value,
        UnboundLocalError,
        f"cannot access local variable '{op.imm}' where it is not associated with a value",
    )
    return UNBOUND


@handles("make_cell")
def _make_cell(machine, frame, op, value):
    return Ref(machine.heap.new("cell", types.CellType, machine.location(), value=value))


@handles("load_deref")
def _load_deref(machine, frame, op, cell):
    if isinstance(cell, Union):
        return unions.over_unions(machine, [cell], lambda one: _load_deref(machine, frame, op, one))
    value = machine.heap.read(cell.object, "value")
    if op.args[0] in frame.program.frees:
        message = f"cannot access free variable '{op.imm}' where it is not associated with a value in enclosing scope"
        return bound(machine, value, NameError, message)
    message = f"cannot access local variable '{op.imm}' where it is not associated with a value"
    return bound(machine, value, UnboundLocalError, message)


@handles("store_deref")
def _store_deref(machine, frame, op, cell, value):
    if isinstance(cell, Union):
        unions.over_unions(machine, [cell], lambda one: _packed(_store_deref(machine, frame, op, one, value)))
        return
    machine.heap.write(cell.object, "value", value)


@handles("delete_deref")
def _delete_deref(machine, frame, op, cell):
    machine.heap.write(cell.object, "value", UNBOUND)


@handles("load_global")
def _load_global(machine, frame, op):
    return global_(machine, frame, op.imm)


def global_(machine: Machine, frame: Frame, name: str) -> Value:
    """A global, else a builtin, else NameError."""
    value = machine.heap.read(frame.globals, name)
    if type(value) is Const:
        return value
    if value is UNBOUND:
        if hasattr(builtins, name):
            return Const(getattr(builtins, name))
        machine.raise_(NameError, f"name '{name}' is not defined")
    return bound(machine, value, NameError, f"name '{name}' is not defined")


@handles("store_global")
def _store_global(machine, frame, op, value):
    machine.heap.write(frame.globals, op.imm, value)


@handles("delete_global")
def _delete_global(machine, frame, op):
    global_(machine, frame, op.imm)
    machine.heap.write(frame.globals, op.imm, UNBOUND)


@handles("load_build_class")
def _load_build_class(machine, frame, op):
    return Const(builtins.__build_class__)


@handles("load_name")
def _load_name(machine, frame, op):
    found = classes.find_name(machine, frame, op.imm)
    return global_(machine, frame, op.imm) if found is None else found


@handles("store_name")
def _store_name(machine, frame, op, value):
    entries = machine.heap.read(frame.namespace, "items").entries
    machine.heap.write(frame.namespace, "items", Mapping({**entries, op.imm: value}))


@handles("delete_name")
def _delete_name(machine, frame, op):
    entries = dict(machine.heap.read(frame.namespace, "items").entries)
    if entries.pop(op.imm, None) is None:
        machine.raise_(NameError, f"name '{op.imm}' is not defined")
    machine.heap.write(frame.namespace, "items", Mapping(entries))


@handles("load_class_deref", "load_from_dict_or_deref")
def _load_class_deref(machine, frame, op, *args):
    found = classes.find_name(machine, frame, op.imm)
    return _load_deref(machine, frame, op, args[-1]) if found is None else found


@handles("load_from_dict_or_globals")
def _load_from_dict_or_globals(machine, frame, op, mapping):
    return _load_name(machine, frame, op)


@handles("load_locals")
def _load_locals(machine, frame, op):
    return Ref(frame.namespace)


@handles("setup_annotations")
def _setup_annotations(machine, frame, op):
    entries = machine.heap.read(frame.namespace, "items").entries
    if "__annotations__" not in entries:
        machine.heap.write(frame.namespace, "items", Mapping({**entries, "__annotations__": machine.new_dict({})}))


@handles("import")
def _import(machine, frame, op, level, fromlist):
    depth = machine.static(level)
    package = frame_package(machine, frame) if depth else None
    name = "." * depth + op.imm if depth else op.imm
    try:
        module = importlib.import_module(name, package)
    except ImportError as error:
        return machine.reraise(error)
    if machine.static(fromlist):
        return Const(module)
    return Const(importlib.import_module(op.imm.partition(".")[0])) if not depth else Const(module)


def frame_package(machine: Machine, frame: Frame) -> str:
    """The package that a relative import in this frame starts from."""
    return str(machine.static(global_(machine, frame, "__package__")))


@handles("import_from")
def _import_from(machine, frame, op, module):
    try:
        return machine.getattr(module, op.imm)
    except PythonError:
        name = f"{module.value.__name__}.{op.imm}"
        try:
            return Const(importlib.import_module(name))
        except ImportError as error:
            return machine.reraise(error)


@handles("import_star")
def _import_star(machine, frame, op, module):
    raise Refused("XP0002", "'import *' inside a function")


# -- attributes, items, operators --------------------------------------------------------------------------------------


@handles("getattr")
def _getattr(machine, frame, op, value):
    return machine.getattr(value, op.imm)


@handles("setattr")
def _setattr(machine, frame, op, value, item):
    if isinstance(value, Union):
        unions.over_unions(machine, [value], lambda one: _packed(machine.setattr(one, op.imm, item)))
    else:
        machine.setattr(value, op.imm, item)


@handles("delattr")
def _delattr(machine, frame, op, value):
    machine.delattr(value, op.imm)


@handles("load_super_attr")
def _load_super_attr(machine, frame, op, super_, cls, self):
    name, _ = op.imm
    if not (isinstance(super_, Const) and super_.value is super):
        proxy = machine.call(super_, [cls, self] if op.imm[1] else [])
        return machine.getattr(proxy, name)
    return machine.getattr(Intrinsic("super", None, (cls, self)), name)


@handles("load_special")
def _load_special(machine, frame, op, value):
    return attributes.special(machine, value, op.imm)


@handles("getitem")
def _getitem(machine, frame, op, value, key):
    return machine.getitem(value, key)


@handles("setitem")
def _setitem(machine, frame, op, value, key, item):
    machine.setitem(value, key, item)


@handles("delitem")
def _delitem(machine, frame, op, value, key):
    machine.delitem(value, key)


@handles("slice")
def _slice(machine, frame, op, start, stop, step=NONE):
    parts = (start, stop, step)
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*(p.value for p in parts)))
    return Slice(*parts)


@handles("unary")
def _unary(machine, frame, op, value):
    result = machine.unary(op.imm, value)
    return overflow.guarded_negation(machine, value, result) if op.imm == "-" else result


@handles("not")
def _not(machine, frame, op, value):
    test = machine.truth(value)
    if isinstance(test, Var):
        return machine.boolean(machine.builder.elementwise("bitwise_not", test))
    return Const(not test)


@handles("truth")
def _truth(machine, frame, op, value):
    return machine.boolean(machine.truth(value))


@handles("binary")
def _binary(machine, frame, op, left, right):
    return overflow.binary(machine, op.imm, left, right)


@handles("inplace")
def _inplace(machine, frame, op, left, right):
    return overflow.binary(machine, op.imm + "=", left, right)


@handles("compare")
def _compare(machine, frame, op, left, right):
    return machine.compare(op.imm, left, right)


@handles("is")
def _is(machine, frame, op, left, right):
    test = machine.is_(left, right)
    return invert(machine, test) if op.imm else machine.boolean(test)


@handles("contains")
def _contains(machine, frame, op, item, container):
    test = objects.contains(machine, item, container)
    return invert(machine, test) if op.imm else machine.boolean(test)


def invert(machine: Machine, test: bool | Var) -> Value:
    """`not test`."""
    if isinstance(test, Var):
        return machine.boolean(machine.builder.elementwise("bitwise_not", test))
    return Const(not test)


# -- building ----------------------------------------------------------------------------------------------------------


@handles("tuple")
def _tuple(machine, frame, op, *items):
    return Tuple(items)


@handles("list")
def _list(machine, frame, op, *items):
    return machine.new_list(items)


@handles("set")
def _set(machine, frame, op, *items):
    made = machine.new_set([])
    _add_each(machine, made, items)
    return made


@handles("dict")
def _dict(machine, frame, op, *parts):
    made = machine.new_dict({})
    for index in range(0, len(parts), 2):
        containers.setitem(machine, made, parts[index], parts[index + 1])
    return made


@handles("string")
def _string(machine, frame, op, *parts):
    return texts.join_strings(machine, parts)


@handles("format")
def _format(machine, frame, op, value, specification=None):
    return texts.format_value(machine, value, specification or Const(""), op.imm)


@handles("convert")
def _convert(machine, frame, op, value):
    return texts.format_value(machine, value, Const(""), op.imm)


@handles("list_append")
def _list_append(machine, frame, op, target, value):
    items = machine.heap.read(target.object, "items")
    if isinstance(items, Tuple):
        machine.heap.write(target.object, "items", Tuple((*items.items, value)))
    else:
        machine.call(machine.getattr(target, "append"), [value])


@handles("set_add")
def _set_add(machine, frame, op, target, value):
    _add_each(machine, target, [value])


def _add_each(machine, target, items):
    add = machine.getattr(target, "add")
    for item in items:
        machine.call(add, [item])


@handles("dict_set")
def _dict_set(machine, frame, op, target, key, value):
    containers.setitem(machine, target, key, value)


@handles("list_extend")
def _list_extend(machine, frame, op, target, iterable):
    machine.call(machine.getattr(target, "extend"), [iterable])


@handles("set_update")
def _set_update(machine, frame, op, target, iterable):
    machine.call(machine.getattr(target, "update"), [iterable])


@handles("dict_update", "dict_merge")
def _dict_update(machine, frame, op, target, mapping, function=None):
    if op.kind == "dict_update":
        machine.call(machine.getattr(target, "update"), [mapping])
        return
    entries = containers.entries(machine, target)
    new = objects.mapping_entries(machine, mapping)
    for key in new:
        if key in entries:
            name = getattr(objects.callable_object(function), "__qualname__", "function")
            machine.raise_(TypeError, f"{name}() got multiple values for keyword argument '{key}'")
    machine.heap.write(target.object, "items", Mapping({**entries, **new}))


@handles("list_to_tuple")
def _list_to_tuple(machine, frame, op, target):
    return Tuple(tuple(machine.iterate(target)))


@handles("unpack")
def _unpack(machine, frame, op, sequence):
    before, after = op.imm
    items = machine.iterate(sequence)
    count = len(items)
    if after is None:
        if count < before:
            machine.raise_(ValueError, f"not enough values to unpack (expected {before}, got {count})")
        if count > before:
            known = isinstance(sequence, Tuple) or kinds.type_of(machine, sequence) in (list, dict)
            got = f", got {count}" if known and objects.REPORTS_TOO_MANY else ""
            machine.raise_(ValueError, f"too many values to unpack (expected {before}{got})")
        return tuple(items)
    if count < before + after:
        machine.raise_(ValueError, f"not enough values to unpack (expected at least {before + after}, got {count})")
    middle = machine.new_list(items[before : count - after])
    return (*items[:before], middle, *items[count - after :])


# -- iteration and calls -----------------------------------------------------------------------------------------------


@handles("iter")
def _iter(machine, frame, op, value):
    return iteration.make_iterator(machine, value)


@handles("call")
def _call(machine, frame, op, function, *args):
    names = op.imm or ()
    if not names:
        return machine.call(function, args)
    split = len(args) - len(names)
    return machine.call(function, args[:split], dict(zip(names, args[split:], strict=True)))


@handles("call_ex")
def _call_ex(machine, frame, op, function, positional, keywords=None):
    kwargs = {}
    if keywords is not None and not isinstance(keywords, Marker):
        kwargs = objects.mapping_entries(machine, keywords)
        for key in kwargs:
            if not isinstance(key, str):
                machine.raise_(TypeError, "keywords must be strings")
    return machine.call(function, machine.iterate(positional), kwargs)


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
        defaults = value.items  # type: ignore[attr-defined]
    elif name == "kwdefaults":
        kwdefaults = dict(objects.mapping_entries(machine, value))
    elif name == "closure":
        closure = value.items  # type: ignore[attr-defined]
    named = made.attributes
    if name == "annotations":
        named = {**named, name: _annotations(machine, value)}
    return Function(made.code, made.globals, made.name, defaults, kwdefaults, closure, named, made.namespace)


def _annotations(machine: Machine, value: Value) -> Value:
    """Annotations as a dict: CPython up to 3.13 gives a tuple of names and annotations."""
    if not isinstance(value, Tuple):
        return value
    names = [machine.static(v) for v in value.items[::2]]
    return machine.new_dict(dict(zip(names, value.items[1::2], strict=True)))


# -- exceptions --------------------------------------------------------------------------------------------------------


@handles("raise")
def _raise(machine, frame, op, exception=None, cause=None):
    if exception is None:
        if is_none(frame.handled):
            machine.raise_(RuntimeError, "No active exception to reraise")
        raise PythonError(frame.handled)
    raised = exceptions.as_exception(machine, exception)
    if cause is not None and isinstance(raised, Ref):
        chained = NONE if is_none(cause) else exceptions.as_exception(machine, cause)
        machine.heap.write(raised.object, "__cause__", chained)
    raise PythonError(raised)


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
    wanted = [objects.key(machine, k) for k in keys.items]
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
    return containers.length(machine, subject)


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
    return resumption.resume(machine, frame, op.imm)


@handles("is_state")
def _is_state(machine, frame, op, state):
    return resumption.is_state(machine, state, op.imm)


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
    raise Refused("XP0002", f"the operation {op.imm} is not supported")


@handles("unsupported")
def _unsupported(machine, frame, op):
    raise Refused("XP0002", f"the bytecode operation {op.imm} is not supported")


__all__ = ["HANDLERS", "execute", "same_constant"]
