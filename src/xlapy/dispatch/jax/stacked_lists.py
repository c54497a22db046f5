"""`jnp.stack(items)`, `jnp.concatenate(items)` and their like of a list that grew in a loop to a known length.

Its items are the rows of an array already, which is arranged anew.
"""

from __future__ import annotations

from collections.abc import Callable

import jax.numpy as jnp

from xlapy.dispatch import registry
from xlapy.dispatch.bounded import growable_list_arrays
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import Const, JaxArray, Value


def _by_jax(function: Callable) -> None:
    def either(machine, /, *args: Value, **kwargs: Value) -> Value:
        made = _joined_by_jax(machine, function, args[0]) if len(args) == 1 and not kwargs else None
        return made if made is not None else jax_functions.call(machine, function, list(args), kwargs)

    registry.function(function)(either)


for _function in (jnp.stack, jnp.array, jnp.asarray, jnp.concatenate, jnp.hstack, jnp.vstack):
    _by_jax(_function)


def _joined_by_jax(machine, function: Callable, value: Value) -> Value | None:
    growable = growable_list_items.of(machine, value)
    if growable is None or not isinstance(growable.length, Const) or growable.length.value == 0:
        return None
    whole = growable_list_arrays.of_rows(machine, growable)
    if whole is None:
        return None
    count: int = growable.length.value
    rows = JaxArray(whole)
    if count != whole.type.shape[0]:
        rows = machine.getitem(rows, Const(slice(count)))
    rank = len(whole.type.shape) - 1
    stacked = function in (jnp.stack, jnp.array, jnp.asarray) or (function is jnp.vstack and rank < 2)
    if stacked:
        return jax_functions.call(machine, jnp.asarray, [rows], {})
    if rank == 0 or (function is jnp.hstack and rank > 1):
        return None
    shape = whole.type.shape
    return machine.call(Const(jnp.reshape), [rows, Const((count * shape[1], *shape[2:]))])
