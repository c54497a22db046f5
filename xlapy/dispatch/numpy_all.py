"""Imports every module of NumPy rules."""

from xlapy.dispatch import numpy_attributes, numpy_methods, numpy_operators, numpy_reductions, ufuncs

__all__ = ["numpy_attributes", "numpy_methods", "numpy_operators", "numpy_reductions", "ufuncs"]
