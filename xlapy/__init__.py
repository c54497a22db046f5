"""xlapy: an ordinary Python function over NumPy arrays as one XLA program, from its bytecode."""

from xlapy.api import bound, code_typed, code_xla, disable_jit, jit, overload
from xlapy.report import Blocker, NotOffloadableError

__all__ = ["Blocker", "NotOffloadableError", "bound", "code_typed", "code_xla", "disable_jit", "jit", "overload"]
__version__ = "0.1.0"
