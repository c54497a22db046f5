"""numpy.fft, by jax.numpy.fft; single precision stays single, as in NumPy 2."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.leaf import numpy_leaf

for _name in "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
    numpy_leaf(getattr(np.fft, _name), getattr(jnp.fft, _name), "a")
for _name in ("fftshift", "ifftshift"):
    numpy_leaf(getattr(np.fft, _name), getattr(jnp.fft, _name), "x", "keep")
