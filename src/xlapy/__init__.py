"""xlapy: an ordinary Python function over NumPy arrays as one XLA program, from its bytecode."""

from xlapy.api import bound, code_typed, code_xla, disable_jit, explain, jit, load, overload, verify
from xlapy.device import DeviceArray, device_array
from xlapy.differentiate import checkpoint, grad, hessian, jacfwd, jacrev, jvp, linearize, value_and_grad, vjp, vmap
from xlapy.numba import install_as_numba
from xlapy.report import Blocker, NotOffloadableError
from xlapy.verification import VerificationError

__all__ = [
    "Blocker",
    "DeviceArray",
    "NotOffloadableError",
    "VerificationError",
    "bound",
    "checkpoint",
    "code_typed",
    "code_xla",
    "device_array",
    "disable_jit",
    "explain",
    "grad",
    "hessian",
    "install_as_numba",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "linearize",
    "load",
    "overload",
    "value_and_grad",
    "verify",
    "vjp",
    "vmap",
]
__version__ = "0.1.0"


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
