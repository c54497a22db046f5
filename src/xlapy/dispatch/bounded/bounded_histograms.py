"""np.histogram, np.histogram2d and np.histogramdd of arrays whose length depends on data: dead lanes count nothing."""

from __future__ import annotations

import builtins
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.library_functions import is_rows
from xlapy.dispatch.numpy.rule_operands import absent, kind_of, sequence_items
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, NdArray, Tuple, Value


def _histogram(machine, a, bins=10, range=None, density=None, weights=None):
    """np.histogram: the dead lanes count nothing, and hold what is there (0 and 1 where there is nothing)."""
    if is_rows(a) and absent(weights):
        a = machine.call(machine.getattr(a, "flatten"), ())
    if (
        not isinstance(a, BoundedArray)
        or len(a.axes) != 1
        or a.base.type.shape[0] < 2
        or kind_of(a.base.type.dtype) not in "iuf"
    ):
        raise require_static(machine, first_of((a, bins, range, weights), {}), "np.histogram of such arrays")
    if involved(bins, range):
        raise require_static(machine, a, "np.histogram with such arguments")
    lanes = a.lanes
    valid = masked_axes.valid_lanes(machine, lanes, a.base.type.shape[0])
    filled = machine.new_array(machine.leaf(_lively, (machine.read(a.base), valid), name="fill")[0])
    if absent(weights):
        counted = machine.builder.convert(valid, np.dtype(np.int64))
    else:
        if not isinstance(weights, BoundedArray) or not masked_axes.same_lanes(weights.lanes, lanes):
            raise require_static(machine, a, "np.histogram with such weights")
        given = machine.read(weights.base)
        zeros = machine.builder.broadcast(machine.builder.constant(0, given.type.dtype), given.type.shape)
        counted = machine.builder.elementwise("select", valid, given, zeros)
    options: dict[str, Any] = {"weights": machine.new_array(counted)}
    options |= {k: v for k, v in (("range", range), ("density", density)) if not absent(v)}
    return machine.call(Const(np.histogram), (filled, bins if isinstance(bins, Value) else Const(bins)), options)


def _lively(x, valid):
    first = x[jnp.argmax(valid)]
    nothing = (jnp.arange(x.shape[0]) > 0).astype(x.dtype)
    return jnp.where(valid, x, jnp.where(jnp.any(valid), first, nothing))


registry.function(np.histogram, kind=DYNAMIC_LENGTH)(_histogram)


def _in_grid(machine: Machine, item: object, samples: list[Value], bins, range, density, weights) -> Value:
    """np.histogram2d or np.histogramdd of vectors that have the same lanes."""
    first = samples[0]
    if not isinstance(first, BoundedArray) or len(first.axes) != 1 or first.base.type.shape[0] < 2:
        raise require_static(machine, first_of((*samples, bins, range, weights), {}), "a histogram of such arrays")
    lanes, room = first.axes[0], first.base.type.shape
    if lanes is None or involved(bins, range):
        raise require_static(machine, first_of((*samples, bins, range, weights), {}), "a histogram of such arrays")
    given = [] if absent(weights) else [weights]
    rooms: list[NdArray] = []
    for one in (*samples, *given):
        like = isinstance(one, BoundedArray) and len(one.axes) == 1 and one.axes[0] is not None
        if not isinstance(one, BoundedArray) or not like or kind_of(one.base.type.dtype) not in "iuf":
            raise require_static(machine, first_of((*samples, *given), {}), "a histogram of such arrays")
        if not masked_axes.same_lanes(one.lanes, lanes) or one.base.type.shape != room:
            raise require_static(machine, first_of((*samples, *given), {}), "a histogram of such arrays")
        rooms.append(one.base)
    builder = machine.builder
    valid = masked_axes.valid_lanes(machine, lanes, room[0])
    filled = [
        machine.new_array(machine.leaf(_lively, (machine.read(base), valid), name="fill")[0])
        for base in rooms[: len(samples)]
    ]
    counted = builder.convert(valid, np.dtype(np.float64))
    if given:
        values = builder.convert(machine.read(weights.base), np.dtype(np.float64))
        counted = builder.elementwise(
            "select", valid, values, builder.broadcast(builder.constant(0.0), counted.type.shape)
        )
    options: dict[str, Any] = {"weights": machine.new_array(counted)}
    options |= {k: v for k, v in (("range", range), ("density", density)) if not absent(v)}
    options["bins"] = bins if isinstance(bins, Value) else Const(bins)
    return machine.call(Const(item), filled if item is np.histogram2d else (Tuple(tuple(filled)),), options)


def _of_two(machine, x, y, bins=10, range=None, density=None, weights=None):
    return _in_grid(machine, np.histogram2d, [x, y], bins, range, density, weights)


def _of_rows(machine, sample, bins=10, range=None, density=None, weights=None):
    items = sequence_items(machine, sample)
    if items is None:
        if not is_rows(sample):
            raise require_static(
                machine, first_of((sample, bins, range, weights), {}), "np.histogramdd of such an array"
            )
        columns = builtins.range(sample.base.type.shape[1])
        items = [machine.getitem(sample, Const((slice(None), k))) for k in columns]
    return _in_grid(machine, np.histogramdd, items, bins, range, density, weights)


registry.function(np.histogram2d, kind=DYNAMIC_LENGTH)(_of_two)
registry.function(np.histogramdd, kind=DYNAMIC_LENGTH)(_of_rows)
