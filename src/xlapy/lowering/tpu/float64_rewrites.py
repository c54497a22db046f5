"""What XLA's compiler for TPUs is not able to do with 64-bit numbers, in operations that it knows.

A TPU has no unit for 64-bit floating-point numbers: each is a pair of shorter ones. XLA compiles that, but for
transforms of Fourier, which it refuses, and for windows, of which cumulative sums are made: of a hundred elements they
take it minutes. Both are put in other words here, wherever in a program they stand.

A transform of a length with small factors follows Cooley and Tukey, "An algorithm for the machine calculation of
complex Fourier series" (Mathematics of Computation 19, 1965); of one with a large prime factor L. I. Bluestein, "A
linear filtering approach to the computation of discrete Fourier transform" (IEEE Transactions on Audio and
Electroacoustics 18, 1970).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun, primitives

from xlapy.lowering.jaxprs.jaxpr_evaluation import bound, evaluated
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr

#: elements that are summed in one go
_BLOCK = 128
#: the longest transform that is one product with a matrix
_RADIX = 64
_WIDE = (np.dtype(np.float64), np.dtype(np.complex128))


def computed(function: Callable[..., list], values: Sequence, certain: bool) -> list:
    """`function(*values)`, in operations that XLA compiles for a TPU; `certain` if it runs nowhere else."""
    program = jax.make_jaxpr(function)(*values)
    return jaxpr_as_fun(_in_other_words(program, certain))(*values)


def cumulative(operation: Callable, x: jax.Array, axis: int, reverse: bool = False) -> jax.Array:
    """Sums, or the like, of all elements up to each one, along an axis: in blocks, in each of them by doubling."""
    x = jnp.moveaxis(x, axis, -1)
    x = _along_last(operation, x[..., ::-1])[..., ::-1] if reverse else _along_last(operation, x)
    return jnp.moveaxis(x, -1, axis)


def _along_last(operation: Callable, x: jax.Array) -> jax.Array:
    size = x.shape[-1]
    if size <= _BLOCK:
        return _doubled(operation, x)
    # What stands behind the last element is not looked at.
    filled = jnp.concatenate([x, x[..., : -size % _BLOCK]], -1)
    blocks = _doubled(operation, filled.reshape(*x.shape[:-1], -1, _BLOCK))
    before = _along_last(operation, blocks[..., :-1, -1])
    rest = operation(before[..., None], blocks[..., 1:, :])
    return jnp.concatenate([blocks[..., :1, :], rest], -2).reshape(filled.shape)[..., :size]


def _doubled(operation: Callable, x: jax.Array) -> jax.Array:
    distance = 1
    while distance < x.shape[-1]:
        x = jnp.concatenate([x[..., :distance], operation(x[..., :-distance], x[..., distance:])], -1)
        distance *= 2
    return x


def fft(x: jax.Array, kind: str, lengths: Sequence[int]) -> jax.Array:
    """A transform along the last axes, as `lax.fft` has it: `kind` is 'FFT', 'IFFT', 'RFFT' or 'IRFFT'."""
    axes = range(x.ndim - len(lengths), x.ndim)
    if kind == "RFFT":
        last = _fourier(x.astype(np.complex128))[..., : lengths[-1] // 2 + 1]
        return _along(last, axes[:-1], _fourier)
    if kind == "FFT":
        return _along(x, axes, _fourier)
    if kind == "IFFT":
        return _along(x, axes, _inverse)
    half = _along(x, axes[:-1], _inverse)
    size = lengths[-1]
    return _inverse(jnp.concatenate([half, jnp.conj(half[..., 1 : (size + 1) // 2][..., ::-1])], -1)).real


def _along(x: jax.Array, axes: Sequence[int], transform: Callable[[jax.Array], jax.Array]) -> jax.Array:
    for axis in axes:
        x = jnp.moveaxis(transform(jnp.moveaxis(x, axis, -1)), -1, axis)
    return x


def _inverse(x: jax.Array) -> jax.Array:
    return jnp.conj(_fourier(jnp.conj(x))) / x.shape[-1]


def _fourier(x: jax.Array) -> jax.Array:
    """The transform of complex numbers along the last axis."""
    size = x.shape[-1]
    if size <= 1:
        return x
    factor = next((k for k in range(min(size, _RADIX), 1, -1) if size % k == 0), None)
    if factor is None:
        return _by_convolution(x)
    roots = _roots(size)
    rows = x.reshape(*x.shape[:-1], factor, size // factor)
    products = np.outer(np.arange(factor), np.arange(factor)) % factor
    rows = jnp.einsum("kj,...jm->...km", _roots(factor)[products], rows, precision="highest")
    if size > factor:
        rows = _fourier(rows * roots[np.outer(np.arange(factor), np.arange(size // factor))])
    return jnp.swapaxes(rows, -1, -2).reshape(x.shape)


def _by_convolution(x: jax.Array) -> jax.Array:
    """The transform of a length without factors that are small."""
    size = x.shape[-1]
    whole = 1 << (2 * size - 2).bit_length()
    places = np.arange(size, dtype=np.int64)
    chirp = _roots(2 * size)[places * places % (2 * size)]
    kernel = np.zeros(whole, np.complex128)
    kernel[:size] = np.conj(chirp)
    kernel[whole - size + 1 :] = np.conj(chirp[:0:-1])
    padded = jnp.concatenate([x * chirp, jnp.zeros((*x.shape[:-1], whole - size), x.dtype)], -1)
    return _inverse(_fourier(padded) * np.fft.fft(kernel))[..., :size] * chirp


def _roots(size: int) -> np.ndarray:
    """exp(-2 pi i k / size), of all k."""
    return np.exp(-2j * np.pi * np.arange(size) / size)


def _of_cumulative(operation: Callable) -> Callable:
    return lambda x, *, axis, reverse: cumulative(operation, x, axis, reverse)


def _of_fft(x: jax.Array, *, fft_type: Any, fft_lengths: Sequence[int], **_: Any) -> jax.Array:
    return fft(x, fft_type.name, fft_lengths)


_RULES: dict[object, Callable] = {
    primitives.cumsum_p: _of_cumulative(lax.add),
    primitives.cumprod_p: _of_cumulative(lax.mul),
    primitives.cummax_p: _of_cumulative(lax.max),
    primitives.cummin_p: _of_cumulative(lax.min),
    primitives.cumlogsumexp_p: _of_cumulative(jnp.logaddexp),
    primitives.fft_p: _of_fft,
}


def _has(program: ClosedJaxpr) -> bool:
    for equation in program.jaxpr.eqns:
        if _is_replaced(equation) or any(map(_has, _programs_in(equation.params))):
            return True
    return False


def _is_replaced(equation: Any) -> bool:
    if equation.primitive not in _RULES:
        return False
    aval = equation.invars[0].aval
    return aval.dtype in _WIDE and 0 not in aval.shape


def _programs_in(params: dict) -> list[ClosedJaxpr]:
    found = []
    for value in params.values():
        found += [x for x in (value if isinstance(value, tuple) else (value,)) if isinstance(x, ClosedJaxpr)]
    return found


def _in_other_words(program: ClosedJaxpr, certain: bool) -> ClosedJaxpr:
    """The same program, of the same types."""
    if not _has(program):
        return program
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in program.in_avals]
    return jax.make_jaxpr(lambda *values: _evaluate(program, values, certain))(*structs)


def _evaluate(program: ClosedJaxpr, values: Sequence, certain: bool) -> list:
    def inside(parameter: Any) -> Any:
        if isinstance(parameter, tuple) and any(isinstance(x, ClosedJaxpr) for x in parameter):
            return tuple(map(inside, parameter))
        return _in_other_words(parameter, certain) if isinstance(parameter, ClosedJaxpr) else parameter

    def rule(equation: Any, operands: list) -> Sequence:
        if _is_replaced(equation):
            return [_replaced(equation, operands, certain)]
        return bound(equation, operands, {name: inside(value) for name, value in equation.params.items()})

    return evaluated(program, values, rule)


def _replaced(equation: Any, operands: Sequence, certain: bool) -> jax.Array:
    primitive, params = equation.primitive, equation.params

    def other(*operands: jax.Array) -> jax.Array:
        return _RULES[primitive](*operands, **params)

    def plain(*operands: jax.Array) -> jax.Array:
        return primitive.bind(*operands, **params)

    return other(*operands) if certain else lax.platform_dependent(*operands, tpu=other, default=plain)


__all__ = ["computed", "cumulative", "fft"]
