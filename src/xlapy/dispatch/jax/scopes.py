"""Contexts of JAX's that mean nothing, or nothing new, inside of a program: named scopes and their like."""

from __future__ import annotations

import contextlib
import contextvars

import jax
import jax.extend.core
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import (
    NONE,
    Value,
)


class NoScope:
    """What `jax.named_scope` and `np.errstate` are inside a program, also as decorators: names are for tools only."""

    def __call__(self, function):
        """The decorated function, as it is."""
        return function

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return None


@registry.function(jax.named_scope)
def _named_scope(machine: Machine, name: Value) -> Value:
    return machine.world.helper_instance(NoScope)


@registry.function(jax.extend.core.get_opaque_trace_state)
def _trace_state(machine: Machine, **options: Value) -> Value:
    """Which transformation is under way: none that the program's objects could have been made outside of."""
    known = {name: machine.static(value) for name, value in options.items()}
    return machine.world.wrap_anchored(jax.extend.core.get_opaque_trace_state(**known))


@registry.function(np.errstate)
def _errstate(machine: Machine, **how: Value) -> Value:
    """Floating-point warnings: the device gives none."""
    if any(machine.static(v) in ("raise", "call") for v in how.values()):
        raise Refused("XP0010", "np.errstate that raises or calls")
    return machine.world.helper_instance(NoScope)


#: what a function decorated with `np.errstate(...)` calls: it stores the settings in a variable of the context
_SETTINGS = getattr(np.errstate.__call__, "__globals__", {})
if "_make_extobj" in _SETTINGS:
    registry.function(_SETTINGS["_make_extobj"])(_errstate)


@registry.method(contextvars.ContextVar, "set", "reset")
def _set(machine: Machine, self: Value, value: Value) -> Value:
    if getattr(self, "value", None) is not _SETTINGS.get("_extobj_contextvar", machine):
        raise Refused("XP0003", "a variable of the context is set")
    return NONE


_SCOPE = type(jax.named_scope("xlapy"))


@registry.function(_SCOPE.__enter__, _SCOPE.__exit__)
def _scope_method(machine: Machine, /, *args: Value) -> Value:
    return NONE


if _SCOPE.__module__.startswith("jax."):
    # Functions decorated with `jax.named_scope(...)` make one at each call.
    registry.function(_SCOPE)(_named_scope)


@registry.function(contextlib._GeneratorContextManager._recreate_cm)
def _recreated(machine: Machine, manager: Value) -> Value:
    """A function decorated with `jax.named_scope(...)`."""
    real = getattr(manager, "value", None)
    if getattr(getattr(real, "func", None), "__module__", "").startswith("jax."):
        return machine.world.helper_instance(NoScope)
    raise Refused("XP0003", "a generator's context manager as a decorator")
