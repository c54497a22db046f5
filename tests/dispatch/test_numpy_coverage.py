"""Every public function of numpy, numpy.linalg and numpy.fft has a rule, is in Python, or is refused with a reason."""

import types

import numpy as np
import pytest

from xlapy.dispatch import register_all
from xlapy.dispatch.numpy import reasons
from xlapy.dispatch.numpy.ufunc_table import GENERALISED, REFUSED, TABLE
from xlapy.dispatch.registry import find_attribute, find_function, find_method, find_replacement

assert register_all


def public(module):
    names = [n for n in dir(module) if not n.startswith("_")]
    return [n for n in names if callable(getattr(module, n)) and not isinstance(getattr(module, n), type)]


@pytest.mark.parametrize("module", [np, np.linalg, np.fft], ids=lambda m: m.__name__)
def test_every_function_has_a_rule_or_a_reason(module):
    missing = []
    for name in public(module):
        item = getattr(module, name)
        if isinstance(item, np.ufunc):
            known = item in TABLE or item in GENERALISED or item in REFUSED
        else:
            known = isinstance(item, types.FunctionType) or find_function(item) or find_replacement(item)
        if not known:
            missing.append(name)
    # NumPy 2.0 to 2.3 still have these two, which say that they are going; they compile from their source.
    assert not set(missing) - {"in1d", "trapz"}


@pytest.mark.parametrize("cls", [np.ndarray, np.generic])
def test_every_method_and_attribute_of_arrays_has_a_rule(cls):
    names = [n for n in dir(cls) if not n.startswith("_")]
    missing = [n for n in names if find_method(cls, n) is None and find_attribute(cls, n) is None]
    if cls is np.generic:
        missing = [n for n in missing if n not in HOST_ONLY]
    assert not missing


HOST_ONLY = {"base", "data", "device", "fill", "flags", "flat", "resize", "sort", "strides"}


def test_reasons_are_given_once_and_for_functions_that_exist_or_existed():
    for name in reasons.REASONS:
        assert find_function(getattr(np, name, None)) is not None or not hasattr(np, name)
