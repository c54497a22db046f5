"""Averages, differences, convolutions, closeness, and other functions of whole arrays."""

from __future__ import annotations

import functools
import operator
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numpy.c_signatures import signature_of
from xlapy.dispatch.numpy.numpy_leaves import hashable, numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast_array,
    kind_of,
    known,
    operand,
    raise_as_numpy,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function, function_rule, replacement
from xlapy.domain.values import Const, Tuple, Value
from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import sines
from xlapy.lowering.primitives import symmetric_rank_k, vector_convolution

#: before NumPy 2.2 a matrix with one row holds one variable, whatever `rowvar` says
_ONE_ROW_IS_ONE_VARIABLE = np.lib.NumpyVersion(np.__version__) < "2.2.0"


def has_variables_in_rows(rowvar: bool, shape: tuple[int, ...]) -> bool:
    """What `rowvar` of np.cov means for an array of a shape."""
    return rowvar or _ONE_ROW_IS_ONE_VARIABLE and len(shape) == 2 and shape[0] == 1


def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """np.cov."""
    rowvar = has_variables_in_rows(rowvar, m.shape)
    if dtype is not None:
        m, y = cast_array(m, np.dtype(dtype)), None if y is None else cast_array(y, np.dtype(dtype))
    fweights = None if fweights is None else fweights.astype(jnp.int64)
    if fweights is None and aweights is None:
        count = m.shape[1 if rowvar else 0] if m.ndim == 2 else m.size
        # NumPy divides by zero, not by less
        ddof = min(int(not bias) if ddof is None else ddof, count)
        if m.ndim == 2 and m.shape[0] > 1 and m.shape[1] > 1 and m.dtype == jnp.float64 and y is None:
            x = m if rowvar else m.T  # half of the products are computed, as for `x @ x.T`
            return symmetric_rank_k.product(x - x.mean(axis=1, keepdims=True), True) / (count - ddof)
    return jnp.cov(m, y, rowvar, bias, ddof, fweights, aweights)


numpy_leaf(np.cov, cov, "m y fweights aweights")
_cov = function_rule(np.cov)


@function(np.cov)
def cov_rule(machine, m, *args, **kwargs):
    """np.cov, of which weights are not negative, and frequencies are whole."""
    given = dict(signature_of(np.cov).bind(m, *args, **kwargs).arguments)
    for name in ("fweights", "aweights"):
        if not absent(given.get(name)):
            broken, negative = machine.leaf(_bad_weights, (operand(machine, given[name]),), name="check")
            if name == "fweights":
                machine.check(broken, TypeError, "fweights must be integer")
            machine.check(negative, ValueError, f"{name} cannot be negative")
    return _cov(machine, m, *args, **kwargs)


def _bad_weights(w):
    return jnp.any(w != jnp.round(w)), jnp.any(w < 0)


# -- differences and integrals ---------------------------------------------------------------------------------------


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """np.diff."""
    given = [v for v in (a, prepend, append) if v is not None]
    dtype = np.result_type(*(v.dtype for v in given))
    a, prepend, append = (v if v is None else cast_array(v, dtype) for v in (a, prepend, append))
    return jnp.diff(a, n, axis, prepend, append)


numpy_leaf(np.diff, diff, "a prepend append", "keep")
_diff = function_rule(np.diff)


@function(np.diff)
def diff_rule(machine, a, n=1, axis=-1, **options):
    """np.diff; no differences at all are the array itself."""
    if known(machine, n) == 0:
        return a
    given = {k: v for k, v in (("n", n), ("axis", axis)) if isinstance(v, Value)}
    return _diff(machine, a, **given, **options)


@function(np.gradient)
def gradient_rule(machine, f, *varargs, axis=None, edge_order=1):
    """np.gradient; spacings are numbers or coordinate vectors."""
    var = operand(machine, f)
    order: Any = known(machine, edge_order)
    if np.ndim(order):
        raise Refused("XP0011", "np.gradient of an array of orders")
    order = order.item() if isinstance(order, np.ndarray) else order
    axes: Any = hashable(known(machine, axis))
    steps = [operand(machine, v) for v in varargs]
    kinds = kind_of(var.type.dtype)
    dtype = var.type.dtype if kinds in "fc" else np.dtype(np.float64)
    shown = np.broadcast_to(np.ones((), var.type.dtype), tuple(min(n, 4) for n in var.type.shape))
    try:
        if not any(s.type.shape for s in steps):
            np.gradient(shown, *([1.0] * len(steps)), axis=axes, edge_order=order)
    except Exception:
        return raise_as_numpy(
            machine, np.gradient, (f, *varargs), {"axis": Const(axes), "edge_order": Const(order)}, "shapes"
        )
    if any(len(s.type.shape) > 1 for s in steps):
        return raise_as_numpy(machine, np.gradient, (f, *varargs), {}, "distances must be either scalars or 1d")
    results = machine.leaf(_gradient, (var, *steps), (axes, order, dtype), name="gradient")
    items = tuple(machine.new_array(v) for v in results)
    single = len(items) == 1
    return items[0] if single else Tuple(items)


def _gradient(f, *rest):
    *steps, axis, order, dtype = rest
    f = cast_array(f, dtype)
    axes = tuple(range(f.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    if not steps:
        steps = [jnp.asarray(1.0, f.real.dtype)] * len(axes)
    elif len(steps) == 1:
        steps = steps * len(axes)
    return [_gradient_along(f, step, a, order) for step, a in zip(steps, axes, strict=True)]


def _gradient_along(f, step, axis, order):
    """Central differences inside, one-sided ones at the edges, as in np.gradient."""
    f = jnp.moveaxis(f, axis, 0)
    real = f.real.dtype
    if step.ndim == 0:
        h = step.astype(real)
        inside = (f[2:] - f[:-2]) / (2 * h)
        first = (f[1] - f[0]) / h
        last = (f[-1] - f[-2]) / h
        if order == 2:
            first = -1.5 / h * f[0] + 2.0 / h * f[1] - 0.5 / h * f[2]
            last = 0.5 / h * f[-3] - 2.0 / h * f[-2] + 1.5 / h * f[-1]
    else:
        gaps = jnp.diff(step.astype(real)).reshape((-1,) + (1,) * (f.ndim - 1))
        left, right = gaps[:-1], gaps[1:]
        a, b, c = -right / (left * (left + right)), (right - left) / (left * right), left / (right * (left + right))
        inside = a * f[:-2] + b * f[1:-1] + c * f[2:]
        first = (f[1] - f[0]) / gaps[0]
        last = (f[-1] - f[-2]) / gaps[-1]
        if order == 2:
            one, two = gaps[0], gaps[1]
            first = (
                -(2.0 * one + two) / (one * (one + two)) * f[0]
                + (one + two) / (one * two) * f[1]
                - one / (two * (one + two)) * f[2]
            )
            one, two = gaps[-2], gaps[-1]
            last = (
                two / (one * (one + two)) * f[-3]
                - (two + one) / (one * two) * f[-2]
                + (2.0 * two + one) / (two * (one + two)) * f[-1]
            )
    return jnp.moveaxis(jnp.concatenate([first[None], inside, last[None]]), 0, axis)


# -- convolutions ----------------------------------------------------------------------------------------------------

#: numbers up to which a convolution is a sum of shifted arrays; and of types of 32 bits or fewer
_FEW, _FEW_NARROW = 4, 16


def convolve(a, v, mode="full"):
    """np.convolve: in the operands' own type; integers too."""
    if mode not in ("full", "same", "valid"):
        raise ValueError(mode)
    a, v = jnp.atleast_1d(a), jnp.atleast_1d(v)
    if v.size > a.size:
        a, v = v, a
    if not v.size or a.dtype.kind not in "iuf":
        return _convolved(a, v, mode)
    return vector_convolution.of_vectors(_convolved, mode, a, v)


def _convolved(a, v, mode):
    """`np.convolve(a, v, mode)`, where `v` is the shorter one."""
    if a.dtype.kind in "iub":
        return _shifted_sum(a, v, mode)
    if 0 < v.size <= (_FEW_NARROW if a.dtype.itemsize <= 4 else _FEW):
        return _short(a, v, mode)
    return jnp.convolve(a, v, mode=mode, precision="highest")


def _short(a, v, mode):
    """A convolution with few numbers, which XLA fuses with what is around it; its own, of a vector of 32-bit numbers,
    takes 18 times as long on a CPU."""
    m = v.size
    left = {"full": 0, "same": (m - 1) // 2, "valid": m - 1}[mode]
    right = {"full": 0, "same": m - 1 - left, "valid": m - 1}[mode]
    zero = jnp.zeros((), a.dtype)
    return functools.reduce(
        operator.add, (lax.pad(v[k] * a, zero, [(k - left, m - 1 - k - right, 0)]) for k in range(m))
    )


def _shifted_sum(a, v, mode):
    """An exact convolution: XLA's is of floats only on some devices."""
    n, m = a.size, v.size
    work = jnp.int64 if a.dtype != jnp.uint64 else jnp.uint64
    padded = jnp.pad(a.astype(work), (m - 1, m - 1))
    windows = padded[np.arange(n + m - 1)[:, None] + np.arange(m)[None, :]]
    full = windows @ v[::-1].astype(work)
    full = full.astype(a.dtype) if a.dtype != bool else full != 0
    start = (m - 1) // 2
    return {"full": full, "same": full[start : start + n], "valid": full[m - 1 : n]}[mode]


def correlate(a, v, mode="valid"):
    """np.correlate."""
    a, v = jnp.atleast_1d(a), jnp.atleast_1d(v)
    is_short = v.size <= _FEW or a.dtype.kind == "f" and v.size <= a.size
    if a.dtype.kind in "fc" and 0 < v.size <= a.size and is_short and mode in ("full", "same", "valid"):
        return convolve(a, jnp.conj(v[::-1]), mode)
    return jnp.correlate(a, v, mode=mode, precision="highest")


numpy_leaf(np.convolve, convolve, "a v", "promote")
numpy_leaf(np.correlate, correlate, "a v", "promote")

# -- closeness -------------------------------------------------------------------------------------------------------


@replacement(np.isclose)
def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """np.isclose, in which numbers of Python's are weak."""
    x = a if isinstance(a, int | float | complex) else np.asanyarray(a)
    y = float(b) if isinstance(b, int) else b if isinstance(b, float | complex) else _inexact(b)
    relative = rtol if isinstance(rtol, int | float | complex) else np.asanyarray(rtol)
    absolute = atol if isinstance(atol, int | float | complex) else np.asanyarray(atol)
    near = np.less_equal(abs(x - y), absolute + relative * abs(y)) & np.isfinite(y) | (x == y)
    if equal_nan:
        near = near | np.isnan(x) & np.isnan(y)
    return near[()]


def _inexact(array):
    array = np.asanyarray(array)
    return np.asanyarray(array, dtype=np.result_type(array, 1.0))


# -- element by element ----------------------------------------------------------------------------------------------


def around(a, decimals=0):
    """np.round: halves to even; NumPy scales, rounds, scales back."""
    if a.dtype.kind == "b":
        return a.astype(jnp.float16)
    if a.dtype.kind in "iu":
        if decimals >= 0:
            return a
        return cast_array(jnp.round(a / 10.0**-decimals) * 10.0**-decimals, a.dtype)
    if decimals == 0:
        return jnp.round(a)
    scale = 10.0 ** abs(decimals)
    parts = (a.real, a.imag) if a.dtype.kind == "c" else (a,)
    done = [jnp.round(p * scale) / scale if decimals > 0 else jnp.round(p / scale) * scale for p in parts]
    return done[0] if len(done) == 1 else lax.complex(*done)


numpy_leaf(np.round, around, "a", "keep")
numpy_leaf(np.around, around, "a", "keep")


def _sinc(x):
    """np.sinc, whose derivative at zero NumPy's own formula does not give."""
    tiny = np.finfo(np.dtype(x.dtype)).eps if x.dtype.kind == "f" else 1e-20
    y = np.pi * x
    y = jnp.where(y == 0, jnp.asarray(tiny, y.dtype), y)
    return differentiated_as(sines.sin(y) / y, jnp.sinc(x).astype(y.dtype))


numpy_leaf(np.sinc, _sinc, "x")


numpy_leaf(np.i0, jnp.i0, "x")
