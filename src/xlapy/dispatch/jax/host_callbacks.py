"""Functions that JAX calls on the host while a program runs: `jax.debug.callback`, `jax.pure_callback`, `io_callback`.

    jax.debug.callback(log.append, loss)      # `log` is the caller's list

Such a function is not compiled: JAX gets the real one. It may use what is known when the program is compiled, and
objects of the caller's, which it finds as they are during the run.
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

import jax
from jax.experimental import io_callback

from xlapy.dispatch import registry
from xlapy.dispatch.kinds import PARTIAL
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import UNBOUND, BoundMethod, Const, Function, Intrinsic, Ref, Tuple, Value, tuple_items

#: functions whose first argument is called on the host
HOST_CALLBACKS: tuple[Callable, ...] = (jax.debug.callback, jax.pure_callback, io_callback)
_HINT = "hand it over as an argument of the callback"


def on_host(machine: Machine, value: Value) -> Any:
    """The real function that JAX calls.

    Raises:
        Refused: it uses a value that the program computes, or an object that the program makes or changes.
    """
    match value:
        case Const():
            return value.value
        case BoundMethod(function=Intrinsic(name=name)) if name == PARTIAL:
            function, given, names, named = (on_host(machine, part) for part in tuple_items(value.self))
            return functools.partial(function, *given, **dict(zip(names, named, strict=True)))
        case BoundMethod(function=Const() | Intrinsic() as function):
            name = function.name if isinstance(function, Intrinsic) else getattr(function.value, "__name__", "")
            method = getattr(on_host(machine, value.self), name.rpartition(".")[2], None)
            if callable(method):
                return method
        case Function():
            namespace = machine.heap.objects[value.globals.object].real
            cells = tuple(types.CellType(*_in_cell(machine, cell)) for cell in value.closure)
            defaults = tuple(on_host(machine, d) for d in value.defaults)
            made = types.FunctionType(value.code, namespace, value.name, defaults or None, cells)
            made.__kwdefaults__ = {name: on_host(machine, d) for name, d in value.kwdefaults.items()} or None
            return made
        case Tuple():
            return tuple(on_host(machine, item) for item in value.items)
        case Ref():
            info = machine.heap.objects[value.object]
            changed = any(number == value.object for number, _ in machine.heap.slots)
            if info.real is not None and info.source is not None and not changed:
                machine.world.guard("is", info.source, info.real)
                return info.real
    raise Refused("XP0011", f"a callback on the host that uses {machine.describe(value)} of the program", _HINT)


def _in_cell(machine: Machine, cell: Value) -> tuple:
    """What a cell of a closure holds, if anything."""
    assert isinstance(cell, Ref)
    held = machine.heap.read(cell.object, "value")
    return () if held is UNBOUND else (on_host(machine, held),)


@registry.function(jax.ShapeDtypeStruct)
def _result_type(machine: Machine, shape: Value, dtype: Value, **others: Value) -> Value:
    """What a callback returns is described by known values."""
    named = {name: machine.static(value) for name, value in others.items()}
    return Const(jax.ShapeDtypeStruct(machine.static(shape), machine.static(dtype), **named))


__all__ = ["HOST_CALLBACKS", "on_host"]
