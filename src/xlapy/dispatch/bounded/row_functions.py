"""Matrices whose number of rows depends on data: functions along their rows and columns, which are of known number."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_AXES, DYNAMIC_LENGTH, involved, require_static
from xlapy.dispatch.bounded import bounded_statistics, masked_axes
from xlapy.dispatch.bounded.bounded_elementwise import on_lanes
from xlapy.dispatch.bounded.bounded_indexing import getitem
from xlapy.dispatch.bounded.library_functions import is_rows
from xlapy.dispatch.bounded.masked_axes import INT64, fresh
from xlapy.dispatch.numpy.rule_operands import absent, known, known_order
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, Value

# -- along one dimension ----------------------------------------------------------------------------------------------


def _flatten(machine: Machine, self: BoundedArray, order: Any = "C") -> Value:
    if order != "C" and known_order(machine, order) != "C" or len(self.axes) == 1:
        return registry.method_rule(np.ndarray, "flatten", DYNAMIC_LENGTH)(machine, self, order)
    if any(self.axes[1:]):
        masked_axes.settle_widths(machine, self)
        var = machine.read(self.base)
        mask = masked_axes.valid_mask(machine, var.type.shape, self.axes)
        assert mask is not None
        mask = machine.leaf(_flat, (mask,), name="flatten")[0]
        lengths = [masked_axes.length_int(machine, x, n) for x, n in zip(self.axes, var.type.shape, strict=True)]
        length = functools.reduce(functools.partial(masked_axes.multiply, machine), lengths)
        lanes = Lanes(masked_axes.var_of(machine, length), 0, mask)
        return fresh(machine, machine.leaf(_flat, (var,), name="flatten")[0], (lanes,))
    if len(self.axes) != 2:
        return registry.method_rule(np.ndarray, "flatten", DYNAMIC_LENGTH)(machine, self)
    var, (lanes, *_) = masked_axes.compacted(machine, self)
    assert lanes is not None
    columns = machine.builder.constant(var.type.shape[1], INT64)
    length = machine.builder.elementwise("mul", lanes.length, columns)
    return fresh(machine, machine.leaf(_flat, (var,), name="flatten")[0], (Lanes(length),))


def _flat(x) -> Any:
    return jnp.reshape(x, (-1,))


registry.method(np.ndarray, "flatten", kind=DYNAMIC_AXES)(_flatten)


def _along(item: Callable, by_columns: Callable, default: int | None, keeps: bool) -> None:
    """`item(a, *options, axis=default)` of rows: along the columns that are there, in all the room, else column by
    column. `keeps` says whether the result has the rows and columns of the array."""

    def rule(machine, a, *args, **kwargs):
        before = registry.function_rule(item, DYNAMIC_LENGTH)
        if not isinstance(a, BoundedArray) or len(a.axes) == 1 or involved(*args, *kwargs.values()):
            return registry.passed_on(before, machine, a, *args, **kwargs)
        named = dict(kwargs)
        place = known(machine, named.pop("axis", Const(default)))
        if place is None:
            return machine.call(Const(item), (_flatten(machine, a), *args), named)
        if not is_rows(a):
            return registry.passed_on(before, machine, a, *args, **kwargs)
        if place not in (-2, -1, 0, 1) or (keeps and (args or named)) or any(not machine.is_static(v) for v in args):
            raise require_static(machine, a, f"np.{item.__name__} with such arguments")
        if place in (0, -2):
            return machine.call(Const(by_columns), (Const(item), a, *args), named)
        scalar = all(np.ndim(known(machine, v)) == 0 for v in args)
        if not scalar:
            raise require_static(machine, a, f"np.{item.__name__} with such arguments")
        named["axis"] = Const(1)
        if keeps:
            return on_lanes(machine, a, lambda room: machine.call(Const(item), (room, *args), named))
        result = machine.call(Const(item), (machine.new_array(machine.read(a.base)), *args), named)
        return masked_axes.made(machine, result, a.axes[:1], own=True)

    registry.function(item, kind=DYNAMIC_AXES)(rule)


def _columns(item, a):
    return np.column_stack([item(a[:, k]) for k in range(a.shape[1])])


def _numbers(item, a, *args, **options):
    found = [item(a[:, k], *args, **options) for k in range(a.shape[1])]
    return np.array(found) if np.ndim(found[0]) == 0 else np.column_stack(found)


for _item in (np.sort, np.argsort, np.diff):
    _along(_item, _columns, -1, True)
for _item in (np.median, np.percentile, np.quantile, np.nanmedian):
    _along(_item, _numbers, None, False)

# -- side by side -----------------------------------------------------------------------------------------------------


# -- more or fewer dimensions -----------------------------------------------------------------------------------------


def _squeeze(machine: Machine, a: BoundedArray, axis: Value | None = None) -> Value:
    place = None if absent(axis) else known(machine, axis)
    rank = len(a.axes)
    if not isinstance(place, int) or not -rank <= place < rank:
        raise require_static(machine, a, "np.squeeze with such arguments")
    if a.axes[place] is not None or a.base.type.shape[place] != 1:
        raise require_static(machine, a, "np.squeeze with such arguments")
    key: list[slice | int] = [slice(None)] * rank
    key[place] = 0
    return getitem(machine, a, Const(tuple(key)))


registry.function(np.squeeze, kind=DYNAMIC_LENGTH)(_squeeze)
registry.method(np.ndarray, "squeeze", kind=DYNAMIC_LENGTH)(_squeeze)

__all__ = ["bounded_statistics"]
