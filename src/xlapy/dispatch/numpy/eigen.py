"""np.linalg.eig, eigvals and np.roots: before NumPy 2.5 with real results where all imaginary parts are zero."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy.numpy_leaves import JAX_ERRORS
from xlapy.dispatch.numpy.rule_operands import kind_of, operand, raise_as_numpy
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import function, replacement
from xlapy.domain.values import NONE, Tuple, Value
from xlapy.ir import Var, constant_value

_EigResult = type(np.linalg.eig(np.eye(1)))
#: whether eigenvalues are complex numbers even where all are real
_COMPLEX = np.linalg.eigvals(np.eye(1)).dtype.kind == "c"


def _eig(a):
    if a.dtype.kind not in "fc":
        a = a.astype(jnp.float64)
    values, vectors = jnp.linalg.eig(a)
    return jnp.all(values.imag == 0), jnp.any(~jnp.isfinite(a)), values, vectors


def _eigvals(a):
    """Has a derivative, unlike that of the eigenvectors."""
    if a.dtype.kind not in "fc":
        a = a.astype(jnp.float64)
    values = jnp.linalg.eigvals(a)
    return jnp.all(values.imag == 0), jnp.any(~jnp.isfinite(a)), values


def _general(
    machine: Machine, numpy_function, leaf, a: Value, always_complex: bool = _COMPLEX
) -> tuple[Var, list[Var]]:
    """Whether all eigenvalues are real; eigenvalues, and eigenvectors if `leaf` gives them."""
    var = operand(machine, a)
    shape = var.type.shape
    if len(shape) < 2 or shape[-1] != shape[-2] or var.type.dtype == np.float16:
        raise_as_numpy(machine, numpy_function, (a,), {}, "the shape or type")
    try:
        real, bad, *results = machine.leaf(leaf, (var,), name="eig")
    except JAX_ERRORS as error:
        raise_as_numpy(machine, numpy_function, (a,), {}, error)
        raise
    machine.check(bad, np.linalg.LinAlgError, "Array must not contain infs or NaNs")
    if kind_of(var.type.dtype) == "c" or always_complex:
        real = machine.builder.constant(False)
    return real, results


def _either(machine: Machine, real: Var, results: list[Var], made) -> Value:
    """`made` of real arrays where all eigenvalues are real, else of complex ones."""
    if constant_value(real) is not None:
        return made([machine.new_array(v) for v in results])
    return machine.cond(
        real,
        lambda: made([machine.new_array(machine.leaf(_real, (v,), name="real")[0]) for v in results]),
        lambda: made([machine.new_array(v) for v in results]),
    )


def _real(x):
    return x.real


@function(np.linalg.eig)
def eig(machine, a):
    """np.linalg.eig."""
    real, results = _general(machine, np.linalg.eig, _eig, a)
    return _either(machine, real, results, lambda found: Tuple(tuple(found), _EigResult))


@function(np.linalg.eigvals)
def eigvals(machine, a):
    """np.linalg.eigvals."""
    real, results = _general(machine, np.linalg.eigvals, _eigvals, a)
    return _either(machine, real, results, lambda found: found[0])


@replacement(np.roots)
def roots(p):
    """np.roots: the eigenvalues of the companion matrix. How many there are must be known: leading and trailing zeros
    of the coefficients change it."""
    if np.ndim(p) == 0:
        raise TypeError("dispatcher for __array_function__ did not return an iterable")
    p = np.atleast_1d(p)
    if p.ndim != 1:
        raise ValueError("Input must be a rank-1 array.")
    if len(p) < 2:
        return np.array([])
    _require_ends(p)
    if p.dtype.kind not in "fc":
        p = p.astype(float)
    companion = np.diag(np.ones((len(p) - 2,), p.dtype), -1)
    companion[0, :] = -p[1:] / p[0]
    return _real_if_all_are(companion)


def _real_if_all_are(companion):
    raise NotImplementedError


@function(_real_if_all_are)
def _companion_eigvals(machine, a):
    real, results = _general(machine, np.linalg.eigvals, _eigvals, a, always_complex=False)
    return _either(machine, real, results, lambda found: found[0])


def _require_ends(p):
    raise NotImplementedError


@function(_require_ends)
def _ends(machine, p):
    var = operand(machine, p)
    bad = machine.leaf(_zero_ends, (var,), name="check")[0]
    refuse_where(machine, bad, "XP0013", "np.roots of coefficients of which the first or the last is zero")
    return NONE


def _zero_ends(p):
    return (p[0] == 0) | (p[-1] == 0)
