"""Imports every module that fills the tables."""

# ruff: noqa: F401  (imported for what they register)

from xlapy.dispatch import library_intrinsics
from xlapy.dispatch.bounded import (
    array_to_list,
    bounded_bincount,
    bounded_creation,
    bounded_einsum,
    bounded_histograms,
    bounded_matrices,
    bounded_place,
    bounded_repeat,
    bounded_signals,
    bounded_stacking,
    bounded_statistics,
    bounded_ufunc_at,
    bounded_ufunc_methods,
    chirp_z_transform,
    data_dependent_sizes,
    enlarging,
    linear_algebra,
    random_permutations,
    rearranging,
    row_functions,
)
from xlapy.dispatch.containers import (
    sequence_constructors,
    sequence_operators,
    sequence_subscripts,
)
from xlapy.dispatch.jax import (
    device_placement,
    jax_arrays,
    jax_functions,
    linear_functions,
    scopes,
    stacked_lists,
    transformations,
    tree_functions,
)
from xlapy.dispatch.numbers import python_random
from xlapy.dispatch.numpy import dispatcher_errors, register_numpy
from xlapy.dispatch.python import printing, register_python
