"""Operations on registers, cells, names and modules."""

from __future__ import annotations

import builtins
import importlib
import types
from typing import TYPE_CHECKING, Any

from xlapy.dispatch import libraries, unions
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import (
    NULL,
    UNBOUND,
    Const,
    Mapping,
    Marker,
    Ref,
    Union,
    Value,
)
from xlapy.interpreter import classes, generator_stepping
from xlapy.interpreter.frame import Frame
from xlapy.interpreter.steps import bound, constant_value, handles, packed, without

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


@handles("const")
def _const(machine, frame, op):
    return constant_value(op.imm)


@handles("set_state")
def _set_state(machine, frame, op):
    return generator_stepping.State.value(op.imm)


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


#: whether every call of `locals` in a function gives a dict of its own (CPython 3.13)
_FRESH = (lambda: locals() is not locals())()


def as_dict(machine: Machine) -> Value:
    """`locals()`: the variables of a function that are bound, as a dict; assignments to it do not change them."""
    frame = machine.frame
    if frame.namespace is not None:
        return Ref(frame.namespace)
    if frame.variables is None:
        raise Refused("XP0003", "locals() of a generator or a module", "name the variables")
    found = {} if _FRESH else dict(machine.heap.entries(frame.variables.object))
    program = frame.program
    for register, name in enumerate(program.register_names):
        if name is None:
            break
        value = frame.registers[register]
        if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "cell":
            value = machine.heap.read(value.object, "value")
        if value is UNBOUND:
            found.pop(name, None)
        elif isinstance(value, Marker) or isinstance(value, Union) and UNBOUND in value.alternatives:
            raise Refused(
                "XP0003",
                f"locals() where it depends on data whether '{name}' is bound",
                "give it a value on every path",
            )
        else:
            found[name] = value
    if _FRESH:
        return machine.new_dict(found)
    machine.heap.write(frame.variables.object, "<items>", Mapping(found))
    return frame.variables


@handles("make_cell")
def _make_cell(machine, frame, op, value):
    return Ref(machine.heap.new("cell", types.CellType, machine.location(), value=value))


@handles("load_deref")
def _load_deref(machine, frame, op, cell):
    if isinstance(cell, Union):
        return unions.over_unions(machine, [cell], lambda one: _load_deref(machine, frame, op, one))
    value = machine.heap.read(cell.object, "value")
    if op.args[0] in frame.member.frees:
        message = f"cannot access free variable '{op.imm}' where it is not associated with a value in enclosing scope"
        return bound(machine, value, NameError, message)
    message = f"cannot access local variable '{op.imm}' where it is not associated with a value"
    return bound(machine, value, UnboundLocalError, message)


@handles("store_deref")
def _store_deref(machine, frame, op, cell, value):
    if isinstance(cell, Union):
        unions.over_unions(machine, [cell], lambda one: packed(_store_deref(machine, frame, op, one, value)))
        return
    machine.heap.write(cell.object, "value", value)


@handles("delete_deref")
def _delete_deref(machine, frame, op, cell):
    if isinstance(cell, Union):
        unions.over_unions(machine, [cell], lambda one: packed(_delete_deref(machine, frame, op, one)))
        return
    _load_deref(machine, frame, op, cell)  # which says whether it is bound
    machine.heap.write(cell.object, "value", UNBOUND)


@handles("load_global")
def _load_global(machine, frame, op):
    return global_(machine, frame, op.imm)


_BUILTINS: Any = vars(builtins)


def global_(machine: Machine, frame: Frame, name: str) -> Value:
    """A global, else a builtin, else NameError."""
    value = machine.heap.read(frame.globals, name)
    if type(value) is Const:
        return value
    if value is UNBOUND:
        if name in _BUILTINS:
            return machine.world.builtin(name, _BUILTINS)
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
    entries = machine.heap.read(frame.namespace, "<items>").entries
    machine.heap.write(frame.namespace, "<items>", Mapping({**entries, op.imm: value}))


@handles("delete_name")
def _delete_name(machine, frame, op):
    entries = dict(machine.heap.read(frame.namespace, "<items>").entries)
    if entries.pop(op.imm, None) is None:
        machine.raise_(NameError, f"name '{op.imm}' is not defined")
    machine.heap.write(frame.namespace, "<items>", Mapping(entries))


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
    entries = machine.heap.read(frame.namespace, "<items>").entries
    if "__annotations__" not in entries:
        machine.heap.write(frame.namespace, "<items>", Mapping({**entries, "__annotations__": machine.new_dict({})}))


@handles("import")
def _import(machine, frame, op, level, fromlist):
    depth = machine.static(level)
    package = frame_package(machine, frame) if depth else None
    name = "." * depth + op.imm if depth else op.imm
    try:
        module = importlib.import_module(name, package)
    except ImportError as error:
        machine.world.momentary.append(f"{name} cannot be imported")
        return machine.reraise(error)
    machine.world.imports.add(module.__name__)
    libraries.read_rules()
    if machine.static(fromlist):
        return Const(module)
    return Const(importlib.import_module(op.imm.partition(".")[0])) if not depth else Const(module)


def frame_package(machine: Machine, frame: Frame) -> str:
    """The package that a relative import in this frame starts from."""
    return str(machine.static(global_(machine, frame, "__package__")))


@handles("import_from")
def _import_from(machine, frame, op, module):
    real = module.value
    if not libraries.has_attribute(real, op.imm):
        name = f"{real.__name__}.{op.imm}"
        try:
            submodule = importlib.import_module(name)
        except ImportError as error:
            machine.world.momentary.append(f"{name} cannot be imported")
            if hasattr(real, "__path__") and getattr(error, "name", None) != name:
                return machine.reraise(error)  # the submodule is there and fails
            where = getattr(real, "__file__", None) or "unknown location"
            return machine.raise_(ImportError, f"cannot import name {op.imm!r} from {real.__name__!r} ({where})")
        machine.world.imports.add(name)
        if not libraries.has_attribute(real, op.imm):
            return Const(submodule)
    return machine.getattr(module, op.imm)


@handles("import_star")
def _import_star(machine, frame, op, module):
    raise Refused("XP0002", "'import *' inside a function")
