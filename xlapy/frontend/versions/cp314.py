"""To be written."""
from xlapy.frontend.versions.cp311 import OPCODES
__all__ = ["OPCODES"]
