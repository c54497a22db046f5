"""scipy.signal, by JAX's functions of the same names."""

from __future__ import annotations

import jax.numpy as jnp
import jax.scipy.signal
import scipy.signal
from jax import lax

from xlapy.dispatch.scipy import design  # noqa: F401
from xlapy.dispatch.scipy.scipy_leaves import leaf
from xlapy.library.scipy import filters, peaks  # noqa: F401


def _convolve(jax_function):
    def run(in1, in2, mode="full", method="auto", axes=None):
        if axes is not None:
            raise NotImplementedError("axes=")
        return jax_function(jnp.asarray(in1), jnp.asarray(in2), mode=mode)

    return run


#: what lies around an image, in the words of `jnp.pad`
_AROUND = {"fill": "constant", "pad": "constant", "wrap": "wrap", "circular": "wrap", "symm": "symmetric"}
_AROUND["symmetric"] = _AROUND["symm"]


def _convolve_image(jax_function):
    def run(in1, in2, mode="full", boundary="fill", fillvalue=0):
        image, kernel = jnp.asarray(in1), jnp.asarray(in2)
        around = _AROUND[boundary]
        if mode == "valid" or around == "constant" and fillvalue == 0 or 0 in image.shape + kernel.shape:
            return jax_function(image, kernel, mode=mode)
        # the full result is the valid one of a larger image
        sides = [(n - 1, n - 1) for n in kernel.shape]
        with_values = {"constant_values": fillvalue} if around == "constant" else {}
        full = jax_function(jnp.pad(image, sides, around, **with_values), kernel, mode="valid")
        if mode == "full":
            return full
        starts = [(n - 1) // 2 for n in kernel.shape]
        if jax_function is jax.scipy.signal.correlate2d:
            starts = [n - 1 - start for n, start in zip(kernel.shape, starts, strict=True)]
        return lax.dynamic_slice(full, starts, image.shape)

    return run


for _name in "convolve correlate fftconvolve".split():
    leaf(getattr(scipy.signal, _name), _convolve(getattr(jax.scipy.signal, _name)), "in1 in2")
for _name in "convolve2d correlate2d".split():
    leaf(getattr(scipy.signal, _name), _convolve_image(getattr(jax.scipy.signal, _name)), "in1 in2")
