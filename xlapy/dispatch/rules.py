"""Imports every module that fills the tables."""

# ruff: noqa: F401  (imported for what they register)

from xlapy.dispatch.bounded import (
    at,
    contractions,
    counting,
    creation,
    enlarging,
    histograms,
    linear_algebra,
    lists,
    matrices,
    methods_of_ufuncs,
    norms,
    own_code,
    placing,
    random,
    rearranging,
    repeats,
    rows,
    selection,
    signals,
    stacking,
    statistics,
    transforms,
)
from xlapy.dispatch.containers import (
    loaded_modules,
    stack_rules,
    stack_subscripts,
    stack_tuples,
    table_rules,
    table_sets,
)
from xlapy.dispatch.jax import arrays, linear_functions, rules, scopes, transformations, trees
from xlapy.dispatch.numbers import python_random
from xlapy.dispatch.numpy import all as numpy_all
from xlapy.dispatch.numpy import dispatchers
from xlapy.dispatch.python import all as python_all
from xlapy.dispatch.python import printing
