"""Classes defined inside the program.

The body of the class is interpreted like a function. Then the class is made for real, once for each analysis, by its
metaclass; its functions are real function objects that stand for the program's own (`Machine.functions`), so that what
makes classes out of classes (`dataclass`, `NamedTuple`, `Enum`, `abstractmethod`) works as it does in CPython.
"""

from __future__ import annotations

import abc
import builtins
import collections
import dataclasses
import enum
import functools
import types
import typing
from typing import TYPE_CHECKING, Any

from xlapy.dispatch import registry
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import UNBOUND, Const, Function, Ref, Tuple, Value
from xlapy.interpreter import calls
from xlapy.interpreter.definitions import trusted

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine

_HOOKS = ("__init_subclass__", "__prepare__")


class Dynamic:
    """In the place of a class attribute whose value is only known on the device."""

    def __init__(self, name: str) -> None:
        self.name = name


@registry.function(builtins.__build_class__)
def build_class(machine: Machine, body: Value, name: Value, /, *bases: Value, **keywords: Value) -> Value:
    """The `class` statement."""
    assert isinstance(body, Function)
    known = tuple(real(machine, b, "a base class") for b in bases)
    named = {k: real(machine, v, "an argument of a class definition") for k, v in keywords.items()}
    resolved = types.resolve_bases(known)
    metaclass, namespace, named = types.prepare_class(str(machine.static(name)), resolved, named)
    _refuse_hooks(metaclass, resolved)
    if resolved is not known:
        namespace["__orig_bases__"] = known
    frame = calls.frame_of(machine, body.code, body.globals.object)
    frame.namespace = machine.new_dict({}).object
    cell = calls.run_frame(machine, frame, [], list(body.closure))
    entries = dict(machine.heap.entries(frame.namespace))
    entries.pop("__classcell__", None)
    # Since CPython 3.14 annotations are computed by a function that looks names up in the class, through this cell.
    classdict = entries.pop("__classdictcell__", None)
    cells: dict[int, types.CellType] = {}
    if isinstance(classdict, Ref):
        namespace["__classdictcell__"] = cells[classdict.object] = types.CellType()
    later: dict[str, Value] = {}
    for key, value in entries.items():
        if key == "__annotations__" or machine.is_static(value) or _is_callable(value):
            is_function = isinstance(value, Function)
            namespace[key] = real_function(machine, value, cells) if is_function else real(machine, value, _ENTRY)
        else:
            namespace[key] = Dynamic(key)
            later[key] = value
        _refuse_hook_of(namespace[key])
    if isinstance(cell, Ref):
        namespace["__classcell__"] = types.CellType()
    try:
        made = metaclass(machine.static(name), resolved, namespace, **named)
    except Exception as error:
        return machine.reraise(error)
    if isinstance(cell, Ref):
        machine.heap.write(cell.object, "value", Const(made))
    if later:
        number = machine.world.namespace_of(made)
        for key, value in later.items():
            machine.heap.write(number, key, value)
    return Const(made)


def _refuse_hooks(metaclass: type, bases: tuple) -> None:
    """Code of the user's that runs while a class is made would have to be interpreted."""
    for cls in metaclass.__mro__:
        written = [n for n in ("__new__", "__init__", "__call__", "__prepare__") if n in cls.__dict__]
        if written and not trusted(cls.__module__):
            raise Refused(
                "XP0002", f"a class with the metaclass '{cls.__name__}' is defined inside the function", _HINT
            )
    for base in bases:
        for cls in base.__mro__:
            if any(n in cls.__dict__ for n in _HOOKS) and not trusted(cls.__module__):
                raise Refused("XP0002", f"a class is defined inside the function whose base has {_HOOKS[0]}", _HINT)


def _refuse_hook_of(entry: object) -> None:
    kind = type(entry)
    if hasattr(kind, "__set_name__") and not trusted(kind.__module__):
        raise Refused("XP0002", f"a class with a '{kind.__name__}', which has __set_name__, is defined inside", _HINT)


_HINT = "define the class at module level"
_ENTRY = "an entry of a class"


def _is_callable(value: Value) -> bool:
    return isinstance(value, Function)


def real(machine: Machine, value: Value, what: str) -> Any:
    """The Python object of a known value; functions made inside the program get a real one that stands for them."""
    if isinstance(value, Function):
        return real_function(machine, value)
    if isinstance(value, Tuple) and value.cls is tuple:
        return tuple(real(machine, v, what) for v in value.items)
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "dict":
        entries = container_protocol.entries(machine, value)
        return {k: real(machine, v, what) for k, v in entries.items()}
    return machine.static(value, what)


def real_function(
    machine: Machine, value: Function, known: dict[int, types.CellType] | None = None
) -> types.FunctionType:
    """A function object that stands for a function made inside the program; `known` are real cells of its closure."""
    code: types.CodeType = value.code
    namespace = machine.heap.objects[value.globals.object].real
    cells = tuple(_cell(machine, cell, known or {}) for cell in value.closure)
    made: Any = types.FunctionType(code, namespace, value.name, None, cells)
    made.__qualname__ = code.co_qualname
    defaults = [_default(machine, d) for d in value.defaults]
    made.__defaults__ = tuple(defaults) or None
    made.__kwdefaults__ = {k: _default(machine, d) for k, d in value.kwdefaults.items()} or None
    annotations = value.attributes.get("annotations")
    if annotations is not None:
        made.__annotations__ = real(machine, annotations, "annotations")
    annotate = value.attributes.get("annotate")
    if isinstance(annotate, Function):
        made.__annotate__ = real_function(machine, annotate, known)
    machine.functions[id(made)] = (made, value)
    return made


def _cell(machine: Machine, cell: Value, known: dict[int, types.CellType]) -> types.CellType:
    """A real cell; what is in it matters for functions that run while the class is made, as those of annotations."""
    assert isinstance(cell, Ref)
    number = cell.object
    if number in known:
        return known[number]
    content = machine.heap.read(number, "value")
    return types.CellType(content.value) if isinstance(content, Const) else types.CellType()


def _default(machine: Machine, value: Value) -> Any:
    return machine.static(value) if machine.is_static(value) else Dynamic("default")


# -- names in the body ------------------------------------------------------------------------------------------------


def _entries(machine: Machine, frame) -> dict:
    return machine.heap.entries(frame.namespace)


def find_name(machine: Machine, frame, name: str) -> Value | None:
    """A name in the namespace of a class body."""
    if frame.namespace is None:
        return None
    found = _entries(machine, frame).get(name)
    return None if found is UNBOUND else found


# -- decorators and other callables that take functions or classes as they are -----------------------------------------


def folds(item: object) -> bool:
    """Whether a callable of the standard library is run at compile time on the functions and classes it is given."""
    if not isinstance(item, types.FunctionType | type):
        return False
    return item in _FOLDED or getattr(item, "__qualname__", "") == _DECORATOR and item.__module__ == "dataclasses"


def fold(machine: Machine, item, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Run such a callable."""
    known = [real(machine, a, "an argument") for a in args]
    named = {k: real(machine, v, "an argument") for k, v in kwargs.items()}
    try:
        made = item(*known, **named)
    except Exception as error:
        return machine.reraise(error)
    return Const(made)


#: what `dataclass(frozen=True)` returns
_DECORATOR = "dataclass.<locals>.wrap"
_FOLDED = frozenset(
    {
        property, staticmethod, classmethod, functools.cached_property, functools.total_ordering,
        dataclasses.dataclass, dataclasses.field, dataclasses.make_dataclass, collections.namedtuple,
        abc.abstractmethod, enum.unique, enum.auto, typing.final, typing.NamedTuple, typing.TypeVar,
    }
)  # fmt: skip


def _property_method(name: str):
    def rule(machine: Machine, self: Const, function: Value) -> Value:
        return Const(getattr(self.value, name)(real(machine, function, "an accessor")))

    return rule


for _name in ("getter", "setter", "deleter"):
    registry.method(property, _name)(_property_method(_name))
