"""What NumPy has in Python, compiled as it is, and from NumPy's own source in place of its rule, against NumPy."""

import contextlib
import re
import warnings

import numpy as np
import pytest

import xlapy
from tests.dispatch.numpy_calls_by_function import ARRAYS, CALLS, DYNAMIC_WITH_A_RULE_ONLY, WITH_A_RULE_ONLY
from tests.dispatch.test_numpy_functions import compare
from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.interpreter import interpreted_functions
from xlapy.runtime.cache import forget_all


def function_of(name):
    """`np.linalg.norm` for "linalg.norm"; None where this NumPy has none."""
    item = np
    for part in name.split("."):
        item = getattr(item, part, None)
    return item


NAMES = [name for name in CALLS if function_of(name) is not None]


def calls_of(name):
    return CALLS[name].replace("f(", "F(").split("; ")


def program(name, calls):
    """All calls of a function, as a user would write them."""
    namespace = {"np": np, "F": function_of(name)}
    exec(f"def program({', '.join([*ARRAYS, 'q'])}):\n    return [{', '.join(calls)}]", namespace)
    return namespace["program"]


def check(name, calls=None, q=None):
    calls = program(name, calls or calls_of(name))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = calls(**ARRAYS, q=q)
        compare(expected, xlapy.jit(calls, returns="numpy")(**ARRAYS, q=q), name)


def replace_rules(monkeypatch, name, rules):
    item = function_of(name)
    monkeypatch.setitem(registry.FUNCTIONS, id(item), (item, rules))
    if not rules:
        monkeypatch.delitem(registry.FUNCTIONS, id(item))
    interpreted_functions.forget()
    forget_all()


@pytest.fixture
def _forgotten():
    """What other rules have left behind is of no use to other tests."""
    yield
    interpreted_functions.forget()
    forget_all()


@pytest.mark.parametrize("name", NAMES)
def test_compiled_as_it_is(name):
    check(name)


@pytest.mark.usefixtures("_forgotten")
@pytest.mark.parametrize(
    "name", [n for n in NAMES if n not in WITH_A_RULE_ONLY and registry.find_function(function_of(n)) is not None]
)
def test_from_source_in_place_of_the_rule(name, monkeypatch):
    replace_rules(monkeypatch, name, {})
    check(name)


#: a selection of vectors, whose length depends on data
Q = np.array([True, True, False, True, False, True])


def of_dynamic_length(name, most=3):
    """The first calls of vectors with these as selections, where NumPy takes such arguments."""
    found = []
    for call in calls_of(name):
        selected = re.sub(r"\b(v|w|i|m|n|z|f32)\b(?!\s*=[^=])", r"\1[q]", call)
        with contextlib.suppress(Exception), np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program(name, [selected])(**ARRAYS, q=Q)
            found += [selected] if selected != call else []
    return found[:most]


def dynamic_rules(name):
    """Whether a function has a rule for arrays of dynamic length, and source in Python; its other rules."""
    item = function_of(name)
    _, rules = registry.FUNCTIONS.get(id(item), (item, {}))
    others = {kind: rule for kind, rule in rules.items() if kind is None or kind.wider is None}
    return DYNAMIC_LENGTH in rules and registry.find_replacement(item) is not None, others


@pytest.mark.usefixtures("_forgotten")
@pytest.mark.parametrize("name", [n for n in NAMES if n not in DYNAMIC_WITH_A_RULE_ONLY and dynamic_rules(n)[0]])
def test_of_dynamic_length(name, monkeypatch):
    calls = of_dynamic_length(name)
    check(name, calls, Q)
    replace_rules(monkeypatch, name, dynamic_rules(name)[1])
    check(name, calls, Q)
