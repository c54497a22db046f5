"""Linear algebra of matrices whose numbers of rows and columns depend on data.

All the room is factored at once, with zeros in the dead rows and columns, or with those of the unit matrix where the
matrix has to be regular: a block-diagonal matrix has the factors of its blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import INT64, Int, length_int, made, same_length, var_of
from xlapy.dispatch.numpy.least_squares import UNFINISHED, computed_dtype, least_squares, pseudo_inverse
from xlapy.dispatch.numpy.linalg import divergence, diverges
from xlapy.dispatch.numpy.rule_operands import absent, kind_of, known, operand
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, NdArray, Tuple, Value
from xlapy.ir import Var

Axes = tuple[Lanes | None, ...]
_LinAlgError = np.linalg.LinAlgError


def _compacted(machine: Machine, value: Value, what: str, given: Sequence[Value]) -> tuple[Var, Axes]:
    """The elements of an array with all lanes at the front, and its dimensions."""
    if machine.world.lengths:  # a matrix of known size is faster, and may hold infinities
        raise require_static(machine, first_of(given, {}), f"{what} of a matrix whose size varies")
    if not isinstance(value, BoundedArray | NdArray):
        value = machine.new_array(operand(machine, value))
    var, axes = (
        masked_axes.compacted(machine, value)
        if isinstance(value, BoundedArray)
        else (machine.read(value), (None,) * len(value.type.shape))
    )
    if var.type.dtype == np.float16 or kind_of(var.type.dtype) not in "biufc":
        raise require_static(machine, first_of(given, {}), f"{what} of such a type")
    return var, axes


def _filled(machine: Machine, var: Var, axes: Axes, other: Callable | None = None) -> Var:
    """A matrix with zeros outside its lanes, or with what `other` gives for it."""
    zeros = machine.builder.broadcast(machine.builder.constant(0, var.type.dtype), var.type.shape)
    filled = masked_axes.select_valid(machine, var, zeros, axes)
    if other is None:
        return filled
    return masked_axes.select_valid(machine, filled, machine.leaf(other, (filled,), name="fill")[0], axes)


def _unit(a):
    return jnp.broadcast_to(jnp.eye(a.shape[-1], dtype=a.dtype), a.shape)


def _length(machine: Machine, axes: Axes, var: Var, axis: int) -> Int:
    return length_int(machine, axes[axis], var.type.shape[axis])


def _differ(machine: Machine, one: Int, two: Int) -> Var:
    return machine.builder.elementwise("ne", var_of(machine, one), var_of(machine, two))


def _smaller(machine: Machine, axes: Axes, var: Var) -> Lanes | None:
    """As many lanes as the matrix has rows or columns, whichever are fewer."""
    if axes[-1] is None and axes[-2] is None:
        return None
    pair = [var_of(machine, _length(machine, axes, var, k)) for k in (-2, -1)]
    return Lanes(machine.builder.elementwise("min", *pair))


def _square(machine: Machine, a: Value, what: str, given: Sequence[Value]) -> tuple[Var, Axes]:
    """A matrix that has to be square, in square room."""
    var, axes = _compacted(machine, a, what, given)
    shape = var.type.shape
    if len(shape) < 2 or shape[-1] != shape[-2]:
        raise require_static(machine, first_of(given, {}), f"{what} of such a shape")
    last, before = axes[-1], axes[-2]
    one_static = (last is None) != (before is None)
    if one_static or last is not None and before is not None and not same_length(last, before):
        bad = _differ(machine, _length(machine, axes, var, -2), _length(machine, axes, var, -1))
        machine.check(bad, _LinAlgError, "Last 2 dimensions of the array must be square")
        axes = (*axes[:-1], axes[-2])
    return var, axes


# -- square matrices --------------------------------------------------------------------------------------------------


def _of_square(item: Callable, fill: Callable, shapes: str) -> None:
    """A function of a stack of square matrices. `shapes` says what its results are: numbers, vectors or matrices."""
    what = f"np.linalg.{item.__name__}"

    def rule(machine, a, *args, **kwargs):
        if not isinstance(a, BoundedArray) or involved(*args, *kwargs.values()):
            raise require_static(machine, first_of((a, *args), kwargs), f"{what} with such arguments")
        var, axes = _square(machine, a, what, (a,))
        if fill is _above_all and kind_of(var.type.dtype) in "biu":
            var = machine.builder.convert(var, np.dtype(np.float64))
        result = machine.call(Const(item), (machine.new_array(_filled(machine, var, axes, fill)), *args), kwargs)
        return _with_axes(machine, result, [axes[: len(axes) - 2 + int(rank)] for rank in shapes])

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


def _with_axes(machine: Machine, result: Value, axes: Sequence[Axes]) -> Value:
    if isinstance(result, Tuple):
        return Tuple(tuple(_with_axes(machine, v, [x]) for v, x in zip(result.items, axes, strict=True)), result.cls)
    return made(machine, result, axes[0], own=True) if axes[0] else result


def _above_all(a):
    """A diagonal above all eigenvalues of the rest (Gershgorin): theirs come last.

    Not for np.linalg.eigh: LAPACK would give some eigenvectors another sign than without the dead rows.
    """
    return _unit(a) * _bound(a)


def _bound(a):
    sizes = jnp.abs(jax.lax.stop_gradient(a))
    largest = jnp.max(jnp.where(jnp.isfinite(sizes), sizes, 0), axis=(-2, -1), keepdims=True, initial=0)
    return jnp.where(largest == 0, 1, 2 * a.shape[-1] * largest).astype(a.dtype)


_of_square(np.linalg.inv, _unit, "2")
_of_square(np.linalg.det, _unit, "0")
_of_square(np.linalg.slogdet, _unit, "00")
_of_square(np.linalg.cholesky, _unit, "2")


_of_square(np.linalg.eigvalsh, _above_all, "1")


def _solve(machine, a, b):
    """np.linalg.solve of one matrix."""
    given = (a, b)
    matrix, axes = _square(machine, a, "np.linalg.solve", given)
    right, others = _compacted(machine, b, "np.linalg.solve", given)
    if len(axes) != 2 or len(others) not in (1, 2):
        raise require_static(machine, first_of(given, {}), "np.linalg.solve of stacks")
    rows, room = others[0], matrix.type.shape[0]
    size, count = _length(machine, axes, matrix, 0), _length(machine, others, right, 0)
    if rows is None or axes[0] is None or not same_length(rows, axes[0]):
        name, core = ("solve1", "(m,m),(m)->(m)") if len(others) == 1 else ("solve", "(m,m),(m,n)->(m,n)")
        template = f"{name}: Input operand 1 has a mismatch in its core dimension 0, with gufunc signature {core}"
        shown = (masked_axes.scalar(machine, count), masked_axes.scalar(machine, size))
        text = machine.message(template + " (size {} is different from {})", *shown)
        machine.check(_differ(machine, size, count), ValueError, text)
    right = masked_axes.moved(machine, right, 0, rows, axes[0], room)
    others = (axes[0], *others[1:])
    arrays = (
        machine.new_array(_filled(machine, matrix, axes, _unit)),
        machine.new_array(_filled(machine, right, others)),
    )
    return made(machine, machine.call(Const(np.linalg.solve), arrays), others, own=True)


registry.function(np.linalg.solve, kind=DYNAMIC_LENGTH)(_solve)

# -- any matrices -----------------------------------------------------------------------------------------------------


def _qr(machine, a, mode="reduced"):
    """np.linalg.qr: what is reflected to build the first vectors has zeros in dead rows."""
    var, axes = _compacted(machine, a, "np.linalg.qr", (a,))
    kind = known(machine, mode)
    if kind not in ("reduced", "complete", "r"):
        raise require_static(machine, a, f"np.linalg.qr with mode={kind!r}")
    result = machine.call(Const(np.linalg.qr), (machine.new_array(_filled(machine, var, axes)), Const(kind)))
    batch, rows, columns = axes[:-2], axes[-2], axes[-1]
    inner = rows if kind == "complete" else _smaller(machine, axes, var)
    return _with_axes(machine, result, [(*batch, rows, inner), (*batch, inner, columns)][kind == "r" :])


registry.function(np.linalg.qr, kind=DYNAMIC_LENGTH)(_qr)


def _singular_values(machine, x):
    """np.linalg.svdvals: what the dead rows and columns add are zeros, which come last."""
    var, axes = _compacted(machine, x, "np.linalg.svdvals", (x,))
    result = machine.call(Const(np.linalg.svdvals), (machine.new_array(_filled(machine, var, axes)),))
    return made(machine, result, (*axes[:-2], _smaller(machine, axes, var)), own=True)


def _svd(machine, a, full_matrices=True, compute_uv=True, hermitian=False):
    if known(machine, compute_uv):
        # the vectors that belong to zeros of the matrix would be mixed with those of dead rows
        raise require_static(machine, a, "np.linalg.svd with singular vectors")
    return _singular_values(machine, a)


registry.function(np.linalg.svd, kind=DYNAMIC_LENGTH)(_svd)


def _pinv(machine, a):
    """np.linalg.pinv of one matrix: the dead rows and columns stay zero."""
    var, axes = _compacted(machine, a, "np.linalg.pinv", (a,))
    if len(axes) != 2 or 0 in var.type.shape:
        raise require_static(machine, a, "np.linalg.pinv of such shapes")
    if kind_of(var.type.dtype) in "biu":
        var = machine.builder.convert(var, np.dtype(np.float64))
    var = _filled(machine, var, axes)
    sizes = [var_of(machine, _length(machine, axes, var, k)) for k in (0, 1)]
    inverse, bad = machine.leaf(_pseudo_inverse, (var, *sizes), divergence(), name="pinv")
    machine.check(bad, _LinAlgError, "SVD did not converge")
    return masked_axes.fresh(machine, inverse, axes[::-1])


def _pseudo_inverse(a, rows, columns, with_nan, with_infinity):
    return pseudo_inverse(a, rows, columns), diverges(a, with_nan, with_infinity)


registry.function(np.linalg.pinv, kind=DYNAMIC_LENGTH)(_pinv)


def _condition(x):
    if x.size == 0:
        raise np.linalg.LinAlgError("cond is not defined on empty arrays")
    values = np.linalg.svdvals(x)
    ratio = values[0] / values[-1]
    return np.where(np.isnan(ratio) & ~np.isnan(x).any(), np.inf, ratio)[()]


def _cond(machine, x, p=None):
    if not isinstance(x, BoundedArray) or len(x.axes) != 2 or (not absent(p) and known(machine, p) != 2):
        raise require_static(machine, first_of((x,), {}), "np.linalg.cond with such arguments")
    return machine.call(Const(_condition), (x,))


registry.function(np.linalg.cond, kind=DYNAMIC_LENGTH)(_cond)

# -- least squares ----------------------------------------------------------------------------------------------------


def _lstsq(machine, a, b, rcond=None):
    """np.linalg.lstsq: the smallest solution is zero in dead columns. The residuals are there or not, as in NumPy."""
    given = (a, b)
    left, axes = _compacted(machine, a, "np.linalg.lstsq", given)
    right, others = _compacted(machine, b, "np.linalg.lstsq", given)
    plain = len(axes) == 2 and len(others) in (1, 2) and 0 not in (*left.type.shape, *right.type.shape)
    if not plain or involved(rcond):
        raise require_static(machine, first_of(given, {}), "np.linalg.lstsq of such shapes")
    count, found = _length(machine, axes, left, 0), _length(machine, others, right, 0)
    if axes[0] is None or others[0] is None or not same_length(axes[0], others[0]):
        machine.check(_differ(machine, count, found), _LinAlgError, "Incompatible dimensions")
        room = max(left.type.shape[0], right.type.shape[0])
        goal = axes[0] or others[0]
        left, right = (masked_axes.moved(machine, v, 0, x[0], goal, room) for v, x in ((left, axes), (right, others)))
        axes, others = (goal, *axes[1:]), (goal, *others[1:])
    dtype = computed_dtype(left.type.dtype, right.type.dtype)
    left, right = (_filled(machine, machine.builder.convert(v, dtype), x) for v, x in ((left, axes), (right, others)))
    rows, columns = (var_of(machine, _length(machine, axes, left, k)) for k in (0, 1))
    limit = () if absent(rcond) else (operand(machine, rcond),)
    solution, residuals, rank, values, bad = machine.leaf(
        least_squares, (left, right, rows, columns, *limit), name="lstsq"
    )
    machine.check(bad, _LinAlgError, UNFINISHED)
    whole = machine.leaf(_has_residuals, (rows, columns, rank), name="residuals")[0]
    width = var_of(machine, _length(machine, others, right, 1) if len(others) == 2 else masked_axes.known_int(1))
    length = machine.builder.elementwise("select", whole, width, machine.builder.constant(0, INT64))
    return Tuple(
        (
            masked_axes.fresh(machine, solution, (axes[1], *others[1:])),
            masked_axes.fresh(machine, residuals, (Lanes(length),)),
            machine.numpy_result(rank),
            masked_axes.fresh(machine, values, (_smaller(machine, axes, left),)),
        )
    )


registry.function(np.linalg.lstsq, kind=DYNAMIC_LENGTH)(_lstsq)


def _has_residuals(rows, columns, rank):
    return (rank == columns) & (rows > columns)
