"""xlapy: an ordinary Python function over NumPy arrays as one XLA program, from its bytecode."""

from xlapy.api import code_typed, code_xla, jit
from xlapy.differentiate import checkpoint, grad, hessian, jacfwd, jacrev, jvp, value_and_grad, vmap
from xlapy.report import Blocker, NotOffloadableError

__all__ = [
    "Blocker",
    "NotOffloadableError",
    "checkpoint",
    "code_typed",
    "code_xla",
    "grad",
    "hessian",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "value_and_grad",
    "vmap",
]
__version__ = "0.1.0"
