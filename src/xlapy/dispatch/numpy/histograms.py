"""np.histogram2d and np.histogramdd: counts in the cells of a grid of known size."""

from __future__ import annotations

import builtins
import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.memory_order import set_strides
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast,
    cast_array,
    kind_of,
    known,
    operand,
    raise_real,
    sequence_items,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Tuple, Value
from xlapy.ir import Var
from xlapy.lowering.primitives import searches

_FLOAT = np.dtype(np.float64)
#: what np.histogramdd gives its edges in
_SEQUENCE = type(np.histogramdd(np.zeros((1, 1)), 1)[1])


@function(np.histogramdd)
def histogramdd(machine, sample, bins=10, range=None, density=None, weights=None):
    """np.histogramdd with known numbers of bins, or known edges, of an array of rows or of a sequence of columns."""
    items = sequence_items(machine, sample)
    if items is None:
        rows = operand(machine, sample)
        if len(rows.type.shape) != 2:
            raise Refused("XP0011", "np.histogramdd of an array that is no matrix")
        samples = [machine.leaf(_column, (rows,), (k,), name="column")[0] for k in builtins.range(rows.type.shape[1])]
    else:
        samples = [operand(machine, v) for v in items]
    dtype = np.result_type(*(v.type.dtype for v in samples))
    if kind_of(dtype) == "c" or any(len(v.type.shape) != 1 or v.type.shape != samples[0].type.shape for v in samples):
        raise Refused("XP0011", "np.histogramdd of such arrays")
    samples = [cast(machine, v, dtype if kind_of(dtype) != "b" else _FLOAT) for v in samples]
    wanted, limits = known(machine, bins, "the bins"), known(machine, range, "a range")
    each = [wanted] * len(samples) if not isinstance(wanted, tuple | list | np.ndarray) else list(wanted)
    try:
        np.histogramdd(np.zeros((1, len(samples))), wanted, limits)
    except Exception as error:
        return raise_real(machine, error)
    counts, edges = _in_grid(machine, samples, each, limits, density, weights)
    return Tuple((counts, machine.new_list(edges) if _SEQUENCE is list else Tuple(tuple(edges))))


def check_range(machine: Machine, sample: Var) -> None:
    """ValueError where the range of a sample, which its bins are to cover, is not finite."""
    if kind_of(sample.type.dtype) != "f" or 0 in sample.type.shape:
        return
    low, high, bad = machine.leaf(_extent, (sample,), name="range")
    ends = (machine.numpy_result(v) for v in (low, high))
    machine.check(bad, ValueError, machine.message("autodetected range of [{}, {}] is not finite", *ends))


def _extent(x):
    low, high = jnp.min(x), jnp.max(x)
    return low, high, ~(jnp.isfinite(low) & jnp.isfinite(high))


def _column(rows, k):
    return rows[:, k]


def _in_grid(
    machine: Machine, samples: list[Var], bins: list, limits: Any, density: Any, weights: object
) -> tuple[Value, list]:
    """The counts, and the edges along each dimension."""
    if any(np.isnan(b).any() for b in bins if np.ndim(b)):
        raise Refused("XP0011", "a histogram with edges that are NaN")
    ranges = [None] * len(samples) if limits is None else list(limits)
    static = tuple(
        ("edges", tuple(np.asarray(b).tolist()), np.asarray(b).dtype)
        if np.ndim(b)
        else ("even", int(b), None if r is None else tuple(map(float, r)))
        for b, r in zip(bins, ranges, strict=True)
    )
    for sample, wanted in zip(samples, static, strict=True):
        if wanted[0] == "even" and wanted[2] is None:
            check_range(machine, sample)
    operands = samples if absent(weights) else [*samples, operand(machine, weights, _FLOAT)]
    results = machine.leaf(_grid, operands, (static, bool(known(machine, density))), name="histogramdd")
    counts, *edges = (machine.new_array(v) for v in results)
    if not known(machine, density):
        # NumPy counts in a larger grid, and shows what is inside
        shape = counts.type.shape
        set_strides(machine, counts, np.empty([n + 2 for n in shape])[(slice(1, -1),) * len(shape)].strides)
    return counts, edges


def _grid(*rest):
    *operands, bins, density = rest
    samples, weights = operands[: len(bins)], operands[len(bins) :]
    edges, places, inside = [], [], jnp.ones(samples[0].shape, bool)
    for sample, (kind, wanted, *limits) in zip(samples, bins, strict=True):
        if kind == "edges":
            border = jnp.asarray(np.array(wanted, limits[0]))
        else:
            sample = sample if sample.dtype.kind == "f" else sample.astype(jnp.float64)
            low, high = limits[0] or ((jnp.min(sample), jnp.max(sample)) if sample.size else (0.0, 1.0))
            same = jnp.asarray(low == high)
            low, high = jnp.where(same, low - 0.5, low), jnp.where(same, high + 0.5, high)
            border = jnp.arange(wanted + 1).astype(low.dtype) * ((high - low) / wanted) + low
            border = border.at[-1].set(high)
        common = np.result_type(np.dtype(border.dtype), np.dtype(sample.dtype))
        place = searches.places(cast_array(border, common), cast_array(sample, common), "right") - 1
        place = jnp.where(sample == border[-1], border.size - 2, place)
        inside &= (place >= 0) & (place < border.size - 1)
        edges.append(border)
        places.append(jnp.clip(place, 0, border.size - 2))
    values = jnp.where(inside, weights[0] if weights else 1.0, 0.0)
    counts = jnp.zeros(tuple(b.size - 1 for b in edges)).at[tuple(places)].add(values, mode="promise_in_bounds")
    if density:
        counts = counts / functools.reduce(jnp.multiply, jnp.ix_(*map(jnp.diff, edges))) / jnp.sum(counts)
    return counts, *edges
