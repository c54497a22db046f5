"""Registers every rule of Python's own types, built-ins and standard library."""

# ruff: noqa: F401  (imported for what they register)

from xlapy.dispatch.containers import counters, dicts, lists, queues, ranges, sequence_algorithms, sets
from xlapy.dispatch.iterators import combined, generator_rules, groups, itertools_python, itertools_rules
from xlapy.dispatch.numbers import (
    cmath_functions,
    exact_sums,
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
    functools_rules,
    operator_rules,
    signatures,
    statistics_rules,
    strings,
    text_code,
)
