"""Imports every module that fills the tables."""

from xlapy.dispatch import (
    bounded_at,
    bounded_counting,
    bounded_creation,
    bounded_selection,
    jax_rules,
    jax_trees,
    linear_functions,
    numpy_all,
    printing,
    python_all,
    python_random,
    scipy_rules,
    stack_rules,
    transformations,
)

__all__ = [
    "bounded_at",
    "bounded_counting",
    "bounded_creation",
    "bounded_selection",
    "jax_rules",
    "jax_trees",
    "numpy_all",
    "printing",
    "python_all",
    "python_random",
    "scipy_rules",
    "stack_rules",
    "linear_functions",
    "transformations",
]
