"""scipy.special, scipy.linalg, scipy.fft and scipy.signal, by `jax.scipy`; their result types are SciPy's own."""

from __future__ import annotations

import inspect

import jax.numpy as jnp
import jax.scipy.fft
import jax.scipy.linalg
import jax.scipy.signal
import jax.scipy.special
import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.special

from xlapy.dispatch.numpy.leaf import JAX_ERRORS, numpy_leaf
from xlapy.dispatch.numpy.ufuncs import type_of_operand
from xlapy.dispatch.numpy.values import cast_array, deliver, operand, supported
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.table import function
from xlapy.domain.values import Value

#: what says how SciPy is to compute, not what
_IGNORED = frozenset("overwrite_a overwrite_b overwrite_x check_finite workers plan orthogonalize".split())


# -- special ----------------------------------------------------------------------------------------------------------


def _special(ufunc: np.ufunc, implementation) -> None:
    def rule(machine: Machine, *args: Value, out: Value | None = None) -> Value:
        inputs, given = args[: ufunc.nin], args[ufunc.nin :]
        if len(inputs) < ufunc.nin:
            raise Refused("XP0011", f"scipy.special.{ufunc.__name__} of {len(inputs)} arguments")
        kinds = [type_of_operand(machine, v) for v in inputs]
        dtypes = ufunc.resolve_dtypes((*kinds, None))
        if not all(map(supported, dtypes)):
            raise Refused("XP0005", f"scipy.special.{ufunc.__name__} of such types")
        operands = [operand(machine, v) for v in inputs]
        try:
            var = machine.leaf(_apply, operands, (implementation, tuple(dtypes)), name=ufunc.__name__)[0]
        except JAX_ERRORS as error:
            raise Refused("XP0011", f"scipy.special.{ufunc.__name__}: {error}") from error
        return deliver(machine, var, given[0] if given else out, "same_kind")

    function(ufunc)(rule)


def _apply(*rest):
    *operands, implementation, dtypes = rest
    result = implementation(*(cast_array(x, d) for x, d in zip(operands, dtypes, strict=False)))
    return cast_array(result, dtypes[-1])


def _is_real_ufunc(item: object) -> bool:
    return isinstance(item, np.ufunc) and item.nout == 1 and any(t == "d" * item.nin + "->d" for t in item.types)


for _name in dir(jax.scipy.special):
    _item = getattr(scipy.special, _name, None)
    if not _name.startswith("_") and _is_real_ufunc(_item):
        _special(_item, getattr(jax.scipy.special, _name))


# -- functions of arrays ----------------------------------------------------------------------------------------------


def _leaf(item, implementation, arrays: str) -> None:
    """A function computed by `implementation`, which need not take what says how SciPy is to compute."""
    accepted = inspect.signature(implementation).parameters

    def run(*args, **options):
        return implementation(*args, **{k: v for k, v in options.items() if k in accepted or k not in _IGNORED})

    numpy_leaf(item, run, arrays)


for _name, _arrays in {
    "cholesky": "a",
    "solve": "a b",
    "solve_triangular": "a b",
    "expm": "A",
    "det": "a",
    "inv": "a",
    "lu": "a",
    "lu_factor": "a",
    "svd": "a",
    "qr": "a",
    "toeplitz": "c r",
}.items():
    _leaf(getattr(scipy.linalg, _name), getattr(jax.scipy.linalg, _name), _arrays)


def _eigh(a, b=None, lower=True, eigvals_only=False):
    return jax.scipy.linalg.eigh(a, b, lower=lower, eigvals_only=eigvals_only)


_leaf(scipy.linalg.eigh, _eigh, "a b")


def _transform(jax_function):
    def run(x, n=None, axis=-1, norm=None):
        return jax_function(x, n, axis, norm)

    return run


def _transform_of_many(jax_function, default):
    def run(x, s=None, axes=default, norm=None):
        return jax_function(x, s, axes, norm)

    return run


for _name in "fft ifft rfft irfft hfft ihfft".split():
    _leaf(getattr(scipy.fft, _name), _transform(getattr(jnp.fft, _name)), "x")
for _name in "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
    _axes = (-2, -1) if _name.endswith("2") else None
    _leaf(getattr(scipy.fft, _name), _transform_of_many(getattr(jnp.fft, _name), _axes), "x")


def _cosine(jax_function):
    def run(x, type=2, n=None, axis=-1, norm=None):
        if type != 2:
            raise NotImplementedError("only type 2")
        return jax_function(x, type, n, axis, norm)

    return run


_leaf(scipy.fft.dct, _cosine(jax.scipy.fft.dct), "x")
_leaf(scipy.fft.idct, _cosine(jax.scipy.fft.idct), "x")


def _convolve(jax_function):
    def run(in1, in2, mode="full", boundary="fill", fillvalue=0, method="auto", axes=None):
        if boundary != "fill" or fillvalue != 0 or axes is not None:
            raise NotImplementedError("boundary=, fillvalue= and axes=")
        return jax_function(in1, in2, mode=mode)

    return run


for _name in "convolve correlate fftconvolve convolve2d correlate2d".split():
    _leaf(getattr(scipy.signal, _name), _convolve(getattr(jax.scipy.signal, _name)), "in1 in2")
