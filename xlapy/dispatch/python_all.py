"""Registers every rule of Python's own types, built-ins and standard library."""

from xlapy.dispatch import containers, gather, iteration, ranges, scalars

__all__ = ["containers", "gather", "iteration", "ranges", "scalars"]
