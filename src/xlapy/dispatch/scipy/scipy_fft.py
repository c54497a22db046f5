"""scipy.fft, by JAX's functions of the same names."""

from __future__ import annotations

import operator

import jax.numpy as jnp
import jax.scipy.fft
import numpy as np
import scipy.fft
from jax import lax

from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import function
from xlapy.dispatch.scipy.scipy_leaves import leaf
from xlapy.domain.values import FALSE, Const, Value


def _transform(jax_function):
    def run(x, n=None, axis=-1, norm=None):
        return jax_function(x, n, axis, norm)

    return run


def _transform_of_many(jax_function, default):
    def run(x, s=None, axes=default, norm=None):
        return jax_function(x, _integers(s), _integers(axes), norm)

    return run


def _integers(found):
    """SciPy takes one integer or any sequence of them, arrays too; JAX tuples."""
    if found is None:
        return None
    return tuple(operator.index(i) for i in (found if np.iterable(found) else (found,)))


for _name in "fft ifft rfft irfft hfft ihfft".split():
    leaf(getattr(scipy.fft, _name), _transform(getattr(jnp.fft, _name)), "x")
for _name in "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
    _axes = (-2, -1) if _name.endswith("2") else None
    leaf(getattr(scipy.fft, _name), _transform_of_many(getattr(jnp.fft, _name), _axes), "x")


def _cosine(jax_function):
    def run(x, type=2, n=None, axis=-1, norm=None, orthogonalize=None):
        if type != 2:
            raise NotImplementedError("only type 2")
        if orthogonalize is not None and bool(orthogonalize) != (norm == "ortho"):
            raise NotImplementedError("orthogonalize= where norm= says otherwise")
        if n is not None and 0 < n < x.shape[axis]:
            x = lax.slice_in_dim(x, 0, n, axis=axis)  # JAX pads by a negative number
        return jax_function(x, type, n, axis, norm)

    return run


leaf(scipy.fft.dct, _cosine(jax.scipy.fft.dct), "x")
leaf(scipy.fft.idct, _cosine(jax.scipy.fft.idct), "x")


def _length(item) -> None:
    """A good length for a transform, of a known one."""

    def rule(machine: Machine, target: Value, real: Value = FALSE) -> Value:
        known = machine.static(target, "the length of a transform"), machine.static(real)
        try:
            return Const(item(*known))
        except Exception as error:
            return machine.reraise(error)

    function(item)(rule)


for _good in (scipy.fft.next_fast_len, scipy.fft.prev_fast_len):
    _length(_good)
