"""Registers every rule of Python's own types, built-ins and standard library."""

from xlapy.dispatch import (
    aggregates,
    builtin_functions,
    dict_rules,
    iterators,
    itertools_rules,
    list_rules,
    math_functions,
    math_integers,
    number_functions,
    number_methods,
    ranges,
    scalars,
    set_rules,
    strings,
)

__all__ = [
    "aggregates",
    "builtin_functions",
    "dict_rules",
    "iterators",
    "itertools_rules",
    "list_rules",
    "math_functions",
    "math_integers",
    "number_functions",
    "number_methods",
    "ranges",
    "scalars",
    "set_rules",
    "strings",
]
