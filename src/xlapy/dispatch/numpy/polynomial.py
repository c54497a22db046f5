"""Polynomials: coefficients from the highest power down."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.least_squares import UNFINISHED, scaled_away
from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf
from xlapy.dispatch.numpy.rule_operands import absent, known, operand
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function, function_rule, replacement
from xlapy.domain.values import Const, Ref, Value


def polyval(p, x):
    """np.polyval: Horner's rule."""
    result = jnp.zeros(x.shape, jnp.result_type(p.dtype, x.dtype))
    for k in range(p.shape[0]):
        result = result * x + p[k]
    return result


numpy_leaf(np.polyval, polyval, "p x", "promote")


@replacement(np.polymul)
def polymul(a1, a2):
    """np.polymul: leading zeros of the factors are dropped, of all zeros the last one stays."""
    a1, a2 = np.atleast_1d(a1), np.atleast_1d(a2)
    a1 = a1 if len(a1) else np.zeros(1, a1.dtype)
    a2 = a2 if len(a2) else np.zeros(1, a2.dtype)
    return np.convolve(a1, a2)[_leading_zeros(a1) + _leading_zeros(a2) :]


@replacement(np.polydiv)
def polydiv(u, v):
    """np.polydiv: the remainder without the leading coefficients that are about 0."""
    are_polynomials = isinstance(u, np.poly1d) or isinstance(v, np.poly1d)
    u, v = np.atleast_1d(u) + 0.0, np.atleast_1d(v) + 0.0
    dtype = (u[0] + v[0]).dtype
    m, n = len(u) - 1, len(v) - 1
    scale = 1.0 / v[0]
    q = np.zeros(max(m - n + 1, 1), dtype)
    r = u.astype(dtype)
    for k in range(m - n + 1):
        d = scale * r[k]
        q[k] = d
        r[k : k + n + 1] -= d * v
    small = np.isclose(r, 0, rtol=1e-14)
    small[-1] = False
    r = r[np.argmin(small) :]
    if are_polynomials:
        return np.poly1d(q), np.poly1d(r)
    return q, r


def _leading_zeros(a):
    return int(np.argmax(a != 0)) if (a != 0).any() else len(a) - 1


@function(np.poly)
def poly(machine, seq_of_zeros):
    """np.poly of real zeros."""
    var = operand(machine, seq_of_zeros)
    if len(var.type.shape) != 1 or var.type.dtype.kind == "c":
        raise Refused("XP0013", "np.poly of a matrix or of complex zeros: the dtype of its result depends on data")
    if not var.type.shape[0]:
        return Const(1.0)
    return machine.call(Const(_poly), (machine.new_array(var),))


def _poly(zeros):
    zeros = zeros.astype(np.float32 if zeros.dtype == np.float32 else np.float64)
    product = np.ones((1,), zeros.dtype)
    for k in range(len(zeros)):
        product = np.convolve(product, np.array([1, -zeros[k]], zeros.dtype), mode="full")
    return product


def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    """np.polyfit: scaled least squares, as NumPy does it."""
    matrix, scale = _powers(x, deg, w)
    right = y if w is None else y * (w[:, None] if y.ndim == 2 else w)
    limit = x.shape[0] * np.finfo(np.dtype(x.dtype)).eps if rcond is None else rcond
    solution = jnp.linalg.lstsq(jnp.where(jnp.all(jnp.isfinite(matrix)), matrix, jnp.nan), right, rcond=limit)[0]
    solution = jnp.where(scaled_away(right), jnp.nan, solution)
    return (solution.T / scale).T


def _powers(x, deg, w=None):
    """The scaled matrix of a fit, and the scale of each column."""
    matrix = jnp.vander(x, deg + 1)
    if w is not None:
        matrix = matrix * w[:, None]
    scale = jnp.sqrt(jnp.sum(matrix * matrix, axis=0))
    return matrix / scale, scale


def _unfinished(x, *rest):
    """Whether the powers of `x`, which may have weights, cannot be fitted."""
    *w, deg = rest
    return ~jnp.all(jnp.isfinite(_powers(x, deg, *w)[0]))


numpy_leaf(np.polyfit, polyfit, "x y w")
_fitted = function_rule(np.polyfit)


@function(np.polyfit)
def polyfit_rule(machine, x, y, deg, rcond=None, full=False, w=None, cov=False):
    """np.polyfit."""
    if known(machine, full) or known(machine, cov):
        given = {"rcond": rcond, "full": full, "w": w, "cov": cov}
        given = {k: v if isinstance(v, Value) else Const(v) for k, v in given.items()}
        return machine.call(Const(np.polyfit.__wrapped__), (x, y, deg), given)
    options = {k: v for k, v in (("rcond", rcond), ("w", w)) if not absent(v)}
    result = _fitted(machine, x, y, deg, **options)
    operands = [operand(machine, v) for v in (x, w) if not absent(v)]
    dtype = np.result_type(*(v.type.dtype for v in operands), np.float64)
    floats = [machine.builder.convert(v, dtype) for v in operands]
    bad = machine.leaf(_unfinished, tuple(floats), (int(known(machine, deg)),), name="check")[0]
    machine.check(bad, np.linalg.LinAlgError, UNFINISHED)
    return result


# -- np.poly1d, which keeps its coefficients under the name of a property ---------------------------------------------


@function(np.poly1d._coeffs.fget)  # type: ignore[attr-defined]
def _coefficients(machine, self):
    if not isinstance(self, Ref):
        raise Refused("XP0003", "a numpy.poly1d from outside", "pass its coefficients")
    return machine.heap.read(self.object, "coeffs")


@function(np.poly1d._coeffs.fset)  # type: ignore[attr-defined]
def _set_coefficients(machine, self, coeffs):
    machine.heap.write(self.object, "coeffs", coeffs)
    return Const(None)
