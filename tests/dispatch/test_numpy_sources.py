"""What NumPy has in Python, compiled as it is, and from NumPy's own source in place of its rule, against NumPy."""

import warnings

import numpy as np
import pytest

import xlapy
from tests.dispatch.numpy_calls_by_function import ARRAYS, CALLS, WITH_A_RULE_ONLY
from tests.dispatch.test_numpy_functions import compare
from xlapy.dispatch import registry
from xlapy.interpreter import interpreted_functions
from xlapy.runtime.cache import forget_all


def function_of(name):
    """`np.linalg.norm` for "linalg.norm"; None where this NumPy has none."""
    item = np
    for part in name.split("."):
        item = getattr(item, part, None)
    return item


NAMES = [name for name in CALLS if function_of(name) is not None]


def program(name):
    """All calls of a function, as a user would write them."""
    namespace = {"np": np, "F": function_of(name)}
    calls = ", ".join(CALLS[name].replace("f(", "F(").split("; "))
    exec(f"def program({', '.join(ARRAYS)}):\n    return [{calls}]", namespace)
    return namespace["program"]


def check(name):
    calls = program(name)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = calls(**ARRAYS)
        compare(expected, xlapy.jit(calls, returns="numpy")(**ARRAYS), name)


@pytest.mark.parametrize("name", NAMES)
def test_compiled_as_it_is(name):
    check(name)


@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in WITH_A_RULE_ONLY and registry.find_function(function_of(n)) is not None]
)
def test_from_source_in_place_of_the_rule(name, monkeypatch):
    item = function_of(name)
    monkeypatch.delitem(registry.FUNCTIONS, id(item))
    interpreted_functions.forget()
    forget_all()
    try:
        check(name)
    finally:
        interpreted_functions.forget()
        forget_all()
