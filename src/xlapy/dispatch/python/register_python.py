"""Registers every rule of Python's own types, built-ins and standard library."""

# ruff: noqa: F401  (imported for what they register)

from xlapy.dispatch.containers import counters, dicts, heaps, lists, sets
from xlapy.dispatch.iterators import combined, groups, itertools_module
from xlapy.dispatch.numbers import (
    cmath_functions,
    fsum_sumprod,
    math_functions,
    math_integers,
    number_functions,
    number_methods,
    range_objects,
    scalars,
)
from xlapy.dispatch.python import (
    aggregates,
    builtin_functions,
    decimals,
    environment,
    functools_module,
    generator_methods,
    log_records,
    operator_module,
    pure_functions,
    signatures,
    statistics_module,
    strings,
    text_code,
)
from xlapy.library.builtins import counter, queues
