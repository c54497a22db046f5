"""xlapy: an ordinary Python function over NumPy arrays as one XLA program, from its bytecode."""

from xlapy.api import code_typed, code_xla, jit
from xlapy.report import Blocker, NotOffloadableError

__all__ = ["Blocker", "NotOffloadableError", "code_typed", "code_xla", "jit"]
__version__ = "0.1.0"
