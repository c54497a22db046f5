"""What a leaf gives for known operands: few numbers that shapes and choices of a program are made of.

Integers and booleans only, by those of JAX's primitives that NumPy computes bit by bit as the device does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal

from xlapy.ir import TensorType, Var, constant_value
from xlapy.ir.called_jaxprs import called
from xlapy.ir.constant_evaluation import FEW
from xlapy.ir.operations import computed
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr


def evaluated(jaxpr: ClosedJaxpr, operands: Sequence[Var]) -> list[np.ndarray] | None:
    """The results, if all of them are known, few, and discrete."""
    values = []
    for var in operands:
        value = constant_value(var)
        if value is None:
            return None
        values.append(value)
    if not all(_few(aval) and np.dtype(aval.dtype).kind in "biu" for aval in jaxpr.out_avals):
        return None
    with np.errstate(all="ignore"):
        return _run(jaxpr, values)


def _few(aval: Any) -> bool:
    """Whether a value is small enough, and of numbers that are computed alike."""
    return (
        not jax.numpy.issubdtype(aval.dtype, jax.dtypes.extended)
        and np.dtype(aval.dtype).kind in "biuf"
        and math.prod(aval.shape) <= FEW
    )


def _run(closed: ClosedJaxpr, operands: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    jaxpr = closed.jaxpr
    known = dict(zip(jaxpr.invars, operands, strict=True))
    known.update(zip(jaxpr.constvars, map(np.asarray, closed.consts), strict=True))

    def read(var: Any) -> np.ndarray:
        dtype = var.aval.dtype
        return np.asarray(var.val, dtype) if isinstance(var, Literal) else known[var]

    equation: Any
    for equation in jaxpr.eqns:
        avals: list[Any] = [v.aval for v in equation.outvars]
        if not all(map(_few, [*avals, *(v.aval for v in equation.invars)])):
            return None
        found = _computed(equation, [read(v) for v in equation.invars])
        if found is None:
            return None
        for var, value, aval in zip(equation.outvars, found, avals, strict=True):
            if value.shape != tuple(aval.shape) or value.dtype != aval.dtype:
                return None
            known[var] = value
    return [np.asarray(read(v)) for v in jaxpr.outvars]


def _computed(equation: Any, values: list[np.ndarray]) -> list[np.ndarray] | None:
    name, params = str(equation.primitive.name), equation.params
    inner = called(equation)
    if inner is not None:
        return _run(inner, values)
    result = equation.outvars[0].aval
    discrete = all(v.dtype.kind in "biu" for v in values)
    rule = _RULES.get(name)
    if rule is not None:
        found = rule(params, result, *values) if discrete else None
    else:
        found = computed(_NAMES.get(name) or name, values, TensorType(result.shape, np.dtype(result.dtype)))
    if found is None or isinstance(found, list):
        return found
    return [np.asarray(found, result.dtype)]


_NAMES = {
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "not": "bitwise_not",
    "convert_element_type": "convert",
}


def _spread(params: dict[str, Any], result: Any, x: np.ndarray) -> np.ndarray:
    places = params["broadcast_dimensions"]
    shape = [1] * len(result.shape)
    for place, size in zip(places, x.shape, strict=True):
        shape[place] = size
    return np.broadcast_to(x.reshape(shape), result.shape)


def _count(params: dict[str, Any], result: Any) -> np.ndarray:
    shape = [1] * len(result.shape)
    shape[params["dimension"]] = -1
    return np.broadcast_to(np.arange(result.shape[params["dimension"]]).reshape(shape), result.shape)


def _slice(params: dict[str, Any], result: Any, x: np.ndarray) -> np.ndarray:
    steps = params["strides"] or (1,) * x.ndim
    return x[tuple(map(slice, params["start_indices"], params["limit_indices"], steps))]


def _start(sizes: Sequence[int], shape: Sequence[int], starts: Sequence[np.ndarray]) -> tuple[slice, ...]:
    clipped = [min(max(int(s), 0), whole - size) for s, size, whole in zip(starts, sizes, shape, strict=True)]
    return tuple(slice(s, s + size) for s, size in zip(clipped, sizes, strict=True))


def _dynamic_slice(params: dict[str, Any], result: Any, x: np.ndarray, *starts: np.ndarray) -> np.ndarray:
    return x[_start(params["slice_sizes"], x.shape, starts)]


def _update_slice(
    params: dict[str, Any], result: Any, x: np.ndarray, new: np.ndarray, *starts: np.ndarray
) -> np.ndarray:
    made = x.copy()
    made[_start(new.shape, x.shape, starts)] = new
    return made


def _pad(params: dict[str, Any], result: Any, x: np.ndarray, value: np.ndarray) -> np.ndarray | None:
    config = params["padding_config"]
    if any(low < 0 or high < 0 for low, high, _ in config):
        return None
    made = np.full(result.shape, value)
    parts = zip(config, x.shape, strict=True)
    made[tuple(slice(low, low + n + (n - 1) * inside, inside + 1) for (low, _, inside), n in parts)] = x
    return made


def _places(starts: np.ndarray, batch: tuple[int, ...], mapped: Sequence[int], rank: int) -> list[int]:
    """Where the window of an index begins, in each dimension of the array."""
    found = [0] * rank
    for axis, start in zip(mapped, starts[batch], strict=True):
        found[axis] = int(start)
    return found


def _gather(params: dict[str, Any], result: Any, x: np.ndarray, starts: np.ndarray) -> np.ndarray | None:
    dims, sizes = params["dimension_numbers"], params["slice_sizes"]
    if dims.operand_batching_dims or dims.start_indices_batching_dims:
        return None
    window = [d for d in range(x.ndim) if d not in dims.collapsed_slice_dims]
    made = np.empty(result.shape, x.dtype)
    for place in np.ndindex(*result.shape):
        batch = tuple(i for d, i in enumerate(place) if d not in dims.offset_dims)
        begin = _places(starts, batch, dims.start_index_map, x.ndim)
        if any(not 0 <= b <= n - size for b, n, size in zip(begin, x.shape, sizes, strict=True)):
            return None
        for axis, d in zip(window, dims.offset_dims, strict=True):
            begin[axis] += place[d]
        made[place] = x[tuple(begin)]
    return made


def _scatter(
    params: dict[str, Any], result: Any, x: np.ndarray, starts: np.ndarray, updates: np.ndarray
) -> np.ndarray | None:
    dims = params["dimension_numbers"]
    if dims.operand_batching_dims or dims.scatter_indices_batching_dims:
        return None
    window = [d for d in range(x.ndim) if d not in dims.inserted_window_dims]
    made = x.copy()
    for place in np.ndindex(*updates.shape):
        batch = tuple(i for d, i in enumerate(place) if d not in dims.update_window_dims)
        at = _places(starts, batch, dims.scatter_dims_to_operand_dims, x.ndim)
        for axis, d in zip(window, dims.update_window_dims, strict=True):
            at[axis] += place[d]
        if any(not 0 <= i < n for i, n in zip(at, x.shape, strict=True)):
            return None
        made[tuple(at)] = updates[place]
    return made


def _sort(params: dict[str, Any], result: Any, keys: np.ndarray, *others: np.ndarray) -> list[np.ndarray] | None:
    if others and (params["num_keys"] != 1 or not params["is_stable"]):
        return None
    order = np.argsort(keys, axis=params["dimension"], kind="stable")
    return [np.take_along_axis(x, order, params["dimension"]) for x in (keys, *others)]


def _select(params: dict[str, Any], result: Any, which: np.ndarray, *cases: np.ndarray) -> np.ndarray | None:
    if which.dtype != bool:
        return None
    return np.where(which, cases[1], cases[0])


def _reduction(ufunc: np.ufunc) -> Callable:
    def reduced(params: dict[str, Any], result: Any, x: np.ndarray) -> np.ndarray | None:
        if ufunc.identity is None and not all(x.shape[axis] for axis in params["axes"]):
            return None
        return ufunc.reduce(x, axis=tuple(params["axes"]), dtype=x.dtype)

    return reduced


def _accumulation(ufunc: np.ufunc) -> Callable:
    def accumulated(params: dict[str, Any], result: Any, x: np.ndarray) -> np.ndarray:
        x, axis = (np.flip(x, params["axis"]) if params["reverse"] else x), params["axis"]
        found = ufunc.accumulate(x, axis=axis, dtype=x.dtype)
        return np.flip(found, axis) if params["reverse"] else found

    return accumulated


def _extreme(find: Callable) -> Callable:
    def found(params: dict[str, Any], result: Any, x: np.ndarray) -> np.ndarray | None:
        return find(x, axis=params["axes"][0]) if x.size and len(params["axes"]) == 1 else None

    return found


_RULES: dict[str, Callable] = {
    "broadcast_in_dim": lambda params, result, x, *rest: None if rest else _spread(params, result, x),
    "iota": _count,
    "reshape": lambda params, result, x, *rest: x.reshape(result.shape),
    "squeeze": lambda params, result, x: x.reshape(result.shape),
    "expand_dims": lambda params, result, x: x.reshape(result.shape),
    "transpose": lambda params, result, x: np.transpose(x, params["permutation"]),
    "rev": lambda params, result, x: np.flip(x, params["dimensions"]),
    "concatenate": lambda params, result, *xs: np.concatenate(xs, axis=params["dimension"]),
    "copy": lambda params, result, x: x,
    "stop_gradient": lambda params, result, x: x,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "dynamic_update_slice": _update_slice,
    "pad": _pad,
    "gather": _gather,
    "scatter": _scatter,
    "stack": lambda params, result, *xs: np.stack(xs, axis=params["axis"]),
    "sort": _sort,
    "select_n": _select,
    "reduce_sum": _reduction(np.add),
    "reduce_prod": _reduction(np.multiply),
    "reduce_max": _reduction(np.maximum),
    "reduce_min": _reduction(np.minimum),
    "reduce_and": _reduction(np.bitwise_and),
    "reduce_or": _reduction(np.bitwise_or),
    "reduce_xor": _reduction(np.bitwise_xor),
    "cumsum": _accumulation(np.add),
    "cumprod": _accumulation(np.multiply),
    "cummax": _accumulation(np.maximum),
    "cummin": _accumulation(np.minimum),
    "argmax": _extreme(np.argmax),
    "argmin": _extreme(np.argmin),
}
