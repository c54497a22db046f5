"""numpy.fft, by jax.numpy.fft; single precision stays single, as in NumPy 2."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf
from xlapy.dispatch.numpy.rule_operands import absent, array_type
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function, function_rule

for _name in "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
    numpy_leaf(getattr(np.fft, _name), getattr(jnp.fft, _name), "a")
for _name in ("fftshift", "ifftshift"):
    numpy_leaf(getattr(np.fft, _name), getattr(jnp.fft, _name), "x", "keep")


def _with_out(item):
    """NumPy computes some of several dimensions in `out`, and some in an array of its own if that has another type."""
    before = function_rule(item)

    def rule(machine, a, *args, out=None, **kwargs):
        if absent(out):
            return before(machine, a, *args, **kwargs)
        if item(np.zeros((2, 2), array_type(machine, a).dtype)).dtype != array_type(machine, out).dtype:
            raise Refused("XP0011", f"np.fft.{item.__name__} with out= of another type", "out[...] = the result")
        return before(machine, a, *args, out=out, **kwargs)

    function(item)(rule)


for _name in "fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn".split():
    _with_out(getattr(np.fft, _name))
