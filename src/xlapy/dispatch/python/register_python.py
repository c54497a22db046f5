"""Registers every rule of Python's own types, built-ins and standard library."""

# ruff: noqa: F401  (imported for what they register)

from xlapy.dispatch.containers import counters, dicts, lists, queues, range_objects, sequence_algorithms, sets
from xlapy.dispatch.iterators import combined, generator_methods, groups, itertools_module, itertools_python
from xlapy.dispatch.numbers import (
    cmath_functions,
    fsum_sumprod,
    math_functions,
    math_integers,
    number_functions,
    number_methods,
    scalars,
)
from xlapy.dispatch.python import (
    aggregates,
    builtin_functions,
    decimals,
    environment,
    functools_module,
    operator_module,
    signatures,
    statistics_module,
    strings,
    text_code,
)
