"""scipy.stats, which calls functions that Cython has compiled for several types of numbers.

The rest is plain Python: `xlapy.library.scipy.stats`.
"""

from __future__ import annotations

from scipy.stats import _stats  # type: ignore[attr-defined]

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, Ref, Value
from xlapy.library.scipy import stats  # noqa: F401


@registry.method(type(_stats.gaussian_kernel_estimate), "__getitem__")
def _of_type(machine: Machine, self: Value, key: Value) -> Value:
    """A function of Cython's for one type of numbers: `function["double"]`."""
    real = machine.heap.objects[self.object].real if isinstance(self, Ref) else machine.static(self)
    return Const(real[machine.static(key)])
