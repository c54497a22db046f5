"""Linear algebra: solutions, decompositions, eigenvalues, norms."""

from __future__ import annotations

import functools
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.numpy.c_signatures import signature_of
from xlapy.dispatch.numpy.determinants import determinant, log_determinant
from xlapy.dispatch.numpy.least_squares import UNFINISHED, computed_dtype, least_squares
from xlapy.dispatch.numpy.numpy_leaves import call_leaf, numpy_leaf
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast_array,
    known,
    operand,
    raise_as_numpy,
)
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import function, function_rule
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, Tuple, Value
from xlapy.ir import Var, constant_value

_LinAlgError = np.linalg.LinAlgError


def _surviving(machine: Machine, bad: Var, call: Callable, args, kwargs, result: Value) -> Value:
    """The result of `call(args, kwargs)`, to which an exception that somebody may catch puts an end where `bad` is
    true: there it has no derivative."""
    if not machine.catching or constant_value(bad) is not None:
        return result
    passes = machine.builder.elementwise("bitwise_not", bad)

    def alive(value: object) -> object:
        if isinstance(value, NdArray):
            return machine.new_array(machine.builder.live(passes, machine.read(value)))
        return JaxArray(machine.builder.live(passes, value.var)) if isinstance(value, JaxArray) else value

    return call(tuple(map(alive, args)), {k: alive(v) for k, v in kwargs.items()})


def _checked(machine: Machine, numpy_function, implementation, args, kwargs, arrays: str, check):
    """A leaf after a check on the device: `check(*operands)` is true where NumPy raises LinAlgError."""
    signature = signature_of(numpy_function)
    names = frozenset(arrays.split())

    def call(args, kwargs):
        return call_leaf(machine, numpy_function, implementation, signature, names, "inexact", args, kwargs)

    result = call(args, kwargs)
    bound = signature.bind(*args, **kwargs).arguments
    matrix = operand(machine, bound[arrays.split()[0]])
    bad = machine.leaf(check, (matrix,), name="check")[0]
    return _surviving(machine, bad, call, args, kwargs, result), bad


def _singular(a):
    a = a.astype(jnp.result_type(a.dtype, jnp.float32)) if a.dtype.kind in "fc" else a.astype(jnp.float64)
    if 0 in a.shape:
        return jnp.zeros((), bool)
    factors = lax.linalg.lu(a)[0]
    return jnp.any(jnp.diagonal(factors, axis1=-2, axis2=-1) == 0)


def _solving(numpy_function, implementation, arrays):
    def rule(machine, /, *args, **kwargs):
        result, bad = _checked(machine, numpy_function, implementation, args, kwargs, arrays, _singular)
        machine.check(bad, _LinAlgError, "Singular matrix")
        return result

    function(numpy_function)(rule)


def _always(machine: Machine, matrix: Var, options: dict[str, Value]) -> bool:
    return True


def _decomposing(numpy_function, implementation, arrays, policy="inexact", applies=_always, tried=None):
    """A leaf that rests on singular values, which do not converge where there is NaN, or infinity: `tried`, if it is
    another function, tells where."""
    numpy_leaf(numpy_function, implementation, arrays, policy)
    leaf = function_rule(numpy_function)
    signature = signature_of(numpy_function)
    tried = tried or numpy_function

    def rule(machine, /, *args, **kwargs):
        result = leaf(machine, *args, **kwargs)
        options = dict(signature.bind(*args, **kwargs).arguments)
        matrix = operand(machine, options.pop(next(iter(options))))
        if matrix.type.dtype.kind not in "fc" or len(matrix.type.shape) < 2 or 0 in matrix.type.shape:
            return result
        if "hermitian" in options and known(machine, options["hermitian"]):
            _refuse_infinite(machine, matrix)
        elif applies(machine, matrix, options):
            with_nan, with_infinity = (_raises(tried, value) for value in (np.nan, np.inf))
            bad = machine.leaf(diverges, (matrix,), (with_nan, with_infinity), name="check")[0]
            machine.check(bad, _LinAlgError, "SVD did not converge")
        return result

    function(numpy_function)(rule)


def _refuse_infinite(machine: Machine, matrix: Var) -> None:
    """Whether NumPy raises for such a matrix that is said to be Hermitian depends on where its elements are."""
    bad = machine.leaf(_infinite_triangle, (matrix,), name="check")[0]
    refuse_where(machine, bad, "XP0013", "NaN or infinity in a matrix that is Hermitian")


def _infinite_triangle(a):
    return ~jnp.all(jnp.isfinite(jnp.tril(a)))


@functools.cache
def _raises(numpy_function: Callable, value: float) -> bool:
    """Whether the function does not converge for a matrix of such elements, which depends on NumPy's version."""
    try:
        numpy_function(np.full((2, 2), value))
    except _LinAlgError:
        return True
    return False


def divergence() -> tuple[bool, bool]:
    """Whether np.linalg.svd does not converge where there is NaN, and where there is infinity."""
    return _raises(np.linalg.svd, np.nan), _raises(np.linalg.svd, np.inf)


def diverges(a, with_nan, with_infinity):
    """Whether a matrix has elements for which its SVD does not converge."""
    return jnp.any(jnp.isnan(a) & with_nan | jnp.isinf(a) & with_infinity)


def solve(a, b):
    """np.linalg.solve: in NumPy 2, `b` is a vector only where it has one dimension."""
    return (
        jnp.linalg.solve(a, b)
        if b.ndim == 1
        else jax.scipy.linalg.solve(a, b)
        if a.ndim == 2
        else jnp.linalg.solve(a, b)
    )


def inv(a):
    """np.linalg.inv."""
    return jnp.linalg.inv(a)


_solving(np.linalg.solve, solve, "a b")
_solving(np.linalg.inv, inv, "a")


def cholesky(a, upper=False):
    """np.linalg.cholesky: reads one triangle only."""
    if upper:
        return jnp.conj(jnp.swapaxes(cholesky(jnp.conj(jnp.swapaxes(a, -1, -2))), -1, -2))
    lower = jnp.tril(a)
    strict = jnp.conj(jnp.swapaxes(jnp.tril(a, -1), -1, -2))
    return jnp.linalg.cholesky(lower + strict, symmetrize_input=False)


def _not_positive(a, factor):
    """Whether a matrix has no factor: all of it is NaN then. Where there is NaN in the matrix, LAPACK goes on."""
    failed = jnp.any(jnp.isnan(factor), axis=(-2, -1))
    if a.dtype.kind in "fc" and not _raises(np.linalg.cholesky, np.nan):
        given = jnp.all(jnp.isfinite(jnp.tril(a)), axis=(-2, -1))
        failed &= given | jnp.isnan(factor[..., 0, 0]) & ~jnp.isnan(a[..., 0, 0])
    return jnp.any(failed)


@function(np.linalg.cholesky)
def cholesky_rule(machine, a, /, *, upper=False):
    """np.linalg.cholesky; LinAlgError where the matrix is not positive definite."""
    named = {"upper": upper} if isinstance(upper, Value) else {}
    signature = signature_of(np.linalg.cholesky)

    def call(args, kwargs):
        return call_leaf(machine, np.linalg.cholesky, cholesky, signature, frozenset("a"), "inexact", args, kwargs)

    result = call((a,), named)
    factor, matrix = operand(machine, result), operand(machine, a)
    if 0 in factor.type.shape:
        return result
    bad = machine.leaf(_not_positive, (matrix, factor), name="check")[0]
    machine.check(bad, _LinAlgError, "Matrix is not positive definite")
    return _surviving(machine, bad, call, (a,), named, result)


def _eigh(a, UPLO="L"):  # noqa: N803
    return jnp.linalg.eigh(_symmetric(a, UPLO), symmetrize_input=False)


def _eigvalsh(a, UPLO="L"):  # noqa: N803
    return jnp.linalg.eigh(_symmetric(a, UPLO), symmetrize_input=False)[0]


def _symmetric(a, triangle):
    if triangle.upper() == "U":
        a = jnp.conj(jnp.swapaxes(a, -1, -2))
    lower = jnp.tril(a, -1)
    diagonal = jnp.eye(a.shape[-1], dtype=bool)
    return lower + jnp.conj(jnp.swapaxes(lower, -1, -2)) + jnp.where(diagonal, jnp.real(a), 0)


numpy_leaf(np.linalg.eigh, _eigh, "a")
_eigh_leaf = function_rule(np.linalg.eigh)
numpy_leaf(np.linalg.eigvalsh, _eigvalsh, "a")
_eigvalsh_leaf = function_rule(np.linalg.eigvalsh)
_UNSETTLED = "Eigenvalues did not converge"


@function(np.linalg.eigh)
def eigh_rule(machine, a, UPLO=Const("L")):  # noqa: N803, B008
    """np.linalg.eigh; LinAlgError where NaN or infinity keep LAPACK from an end, of which JAX makes NaN."""
    result = _eigh_leaf(machine, a, UPLO)
    values, vectors = (operand(machine, item) for item in machine.iterate(result))
    if _may_diverge(machine, a) and values.type.shape[-1] > 2:
        bad = machine.leaf(_all_nan, (values, vectors), name="check")[0]
        machine.check(bad, _LinAlgError, _UNSETTLED)
    return result


def _may_diverge(machine: Machine, a: Value) -> bool:
    matrix = operand(machine, a)
    return matrix.type.dtype.kind in "fc" and 0 not in matrix.type.shape


def _all_nan(values, vectors):
    return jnp.any(jnp.all(jnp.isnan(values), -1) & jnp.all(jnp.isnan(vectors), (-2, -1)))


@function(np.linalg.eigvalsh)
def eigvalsh_rule(machine, a, UPLO=Const("L")):  # noqa: N803, B008
    """np.linalg.eigvalsh; LAPACK finds eigenvalues alone in another way, which does not end where there is NaN in a
    matrix that couples all. Of others with NaN or infinity it depends on where they are."""
    result = _eigvalsh_leaf(machine, a, UPLO)
    if _may_diverge(machine, a) and operand(machine, a).type.shape[-1] > 1:
        _check_eigenvalues(machine, operand(machine, a), known(machine, UPLO))
    return result


def _check_eigenvalues(machine: Machine, matrix: Var, triangle: str) -> None:
    bad, unknown = machine.leaf(_unsettled, (matrix,), (triangle,), name="check")
    machine.check(bad, _LinAlgError, _UNSETTLED)
    refuse_where(machine, unknown, "XP0013", "eigenvalues of a Hermitian matrix with NaN or infinity")


def _unsettled(a, triangle):
    a = _symmetric(a, triangle)
    coupled = jnp.all((a != 0) | jnp.eye(a.shape[-1], dtype=bool), axis=(-2, -1))
    bad = jnp.any(jnp.isnan(a), axis=(-2, -1)) & coupled & (a.shape[-1] > 2)
    return jnp.any(bad), jnp.any(~jnp.all(jnp.isfinite(a), axis=(-2, -1)) & ~bad)


numpy_leaf(np.linalg.det, determinant, "a")
numpy_leaf(np.linalg.slogdet, log_determinant, "a")


def _settled(a):
    """A matrix without infinities, of which NaN is made: LAPACK may not come to an end of its singular values."""
    if a.ndim < 2 or a.dtype.kind not in "fc":
        return a
    return jnp.where(jnp.all(jnp.isfinite(a), axis=(-2, -1), keepdims=True), a, jnp.nan)


def _by_singular_values(machine: Machine, matrix: Var, options: dict[str, Value]) -> bool:
    return known(machine, options.get("p", NONE)) in (None, 2, -2)


def _cond(x, p=None):
    ratio = jnp.linalg.cond(_settled(x) if p in (None, 2, -2) else x, p)
    return jnp.where(jnp.isnan(ratio) & ~jnp.any(jnp.isnan(x), axis=(-2, -1)), jnp.inf, ratio)


_decomposing(np.linalg.cond, _cond, "x", applies=_by_singular_values)


def _svd(a, full_matrices=True, compute_uv=True, hermitian=False):
    if hermitian:
        return _hermitian_svd(a, compute_uv)
    if not compute_uv:
        a = _settled(a)
    if full_matrices and compute_uv and a.shape[-1] != a.shape[-2] and a.size:
        return _complete_svd(a)
    return jnp.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


def _hermitian_svd(a, compute_uv):
    """By eigenvalues, as NumPy does it: so the signs are those of eigenvectors."""
    if not compute_uv:
        return jnp.sort(jnp.abs(_eigvalsh(a)))[..., ::-1]
    values, vectors = _eigh(a)
    order = jnp.argsort(jnp.abs(values))[..., ::-1]
    values = jnp.take_along_axis(values, order, axis=-1)
    vectors = jnp.take_along_axis(vectors, order[..., None, :], axis=-1)
    return vectors, jnp.abs(values), _adjoint(vectors * jnp.sign(values)[..., None, :])


@jax.custom_jvp
def _complete_svd(a):
    """With a basis of the null space, too, of which JAX has no derivative."""
    return jnp.linalg.svd(a, full_matrices=True)


@_complete_svd.defjvp
def _complete_svd_jvp(primals, tangents):
    """The singular vectors turn as those of the reduced decomposition; the rest turns no more than it has to, to stay
    orthogonal to them. What does not depend on the choice of that basis has the right derivative."""
    found = _complete_svd(*primals)
    u, s, vh = found
    reduced, (du, ds, dvh) = jax.jvp(partial(jnp.linalg.svd, full_matrices=False), primals, tangents)
    count = s.shape[-1]
    signs = jnp.sum(jnp.conj(reduced[0]) * u[..., :count], axis=-2)
    du, dvh = du * signs[..., None, :], dvh * jnp.conj(signs)[..., None]
    return found, type(found)(_followed(u, du), ds, _adjoint(_followed(_adjoint(vh), _adjoint(dvh))))


def _followed(basis, moved):
    """The tangent of a whole orthonormal basis, given that of its first vectors."""
    first, rest = basis[..., : moved.shape[-1]], basis[..., moved.shape[-1] :]
    return jnp.concatenate((moved, -first @ (_adjoint(moved) @ rest)), axis=-1)


def _adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


def _qr(a, mode="reduced"):
    return jnp.linalg.qr(a, mode=mode)


_decomposing(np.linalg.svd, _svd, "a")
numpy_leaf(np.linalg.qr, _qr, "a")


@function(np.linalg.lstsq)
def lstsq(machine, a, b, rcond=None):
    """np.linalg.lstsq; the residuals have a size that depends on the rank, here as for full rank."""
    left, right = operand(machine, a), operand(machine, b)
    rows, columns = left.type.shape if len(left.type.shape) == 2 else (0, 0)
    if rows == 0 or len(right.type.shape) not in (1, 2) or right.type.shape[0] != rows:
        return raise_as_numpy(machine, np.linalg.lstsq, (a, b), {}, "shapes do not fit")
    if np.float16 in (left.type.dtype, right.type.dtype):
        return raise_as_numpy(machine, np.linalg.lstsq, (a, b), {}, "the type")
    dtype = computed_dtype(left.type.dtype, right.type.dtype)
    limit = () if absent(rcond) else (operand(machine, rcond),)
    solution, residuals, rank, values, bad = machine.leaf(_lstsq, (left, right, *limit), (dtype,), name="lstsq")
    machine.check(bad, _LinAlgError, UNFINISHED)
    expected = min(rows, columns)
    bad = machine.builder.elementwise("lt", rank, machine.builder.constant(expected, np.int32))
    if rows <= columns:
        empty = machine.builder.constant(np.zeros(0, np.dtype(dtype.char.lower())))
        residuals = empty
    else:
        _refuse_rank(machine, bad)
    results = (machine.numpy_result(v) for v in (solution, residuals))
    return Tuple((*results, machine.numpy_result(rank), machine.new_array(values)))


def _refuse_rank(machine: Machine, bad) -> None:
    """A matrix of deficient rank has no residuals in NumPy: their size would depend on data."""
    refuse_where(machine, bad, "XP0013", "least squares of a matrix of deficient rank, which have no residuals")


def _lstsq(a, b, *rest):
    *rcond, dtype = rest
    return least_squares(cast_array(a, dtype), cast_array(b, dtype), *a.shape, *rcond)
