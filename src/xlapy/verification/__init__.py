"""A call both ways, in CPython and compiled, compared in everything that the caller can see."""

from xlapy.verification.both_ways import VerificationError, both_ways

__all__ = ["VerificationError", "both_ways"]
