"""Imports every module that fills the tables."""

from xlapy.dispatch import jax_rules, numpy_all, printing, python_all

__all__ = ["jax_rules", "numpy_all", "printing", "python_all"]
