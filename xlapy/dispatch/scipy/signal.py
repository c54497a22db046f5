"""scipy.signal, by JAX's functions of the same names."""

from __future__ import annotations

import jax.numpy as jnp
import jax.scipy.signal
import scipy.signal

from xlapy.dispatch.scipy.leaf import leaf


def _convolve(jax_function):
    def run(in1, in2, mode="full", boundary="fill", fillvalue=0, method="auto", axes=None):
        if boundary != "fill" or fillvalue != 0 or axes is not None:
            raise NotImplementedError("boundary=, fillvalue= and axes=")
        return jax_function(jnp.asarray(in1), jnp.asarray(in2), mode=mode)

    return run


for _name in "convolve correlate fftconvolve convolve2d correlate2d".split():
    leaf(getattr(scipy.signal, _name), _convolve(getattr(jax.scipy.signal, _name)), "in1 in2")
