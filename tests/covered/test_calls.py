"""Every call of the tables against NumPy: those of one function in one program."""

from __future__ import annotations

import copy
import functools
import warnings

import numpy as np
import pytest

import xlapy
from xlapy.verification.comparison import Comparison

from . import array_calls, numpy_calls, refused_calls

CALLS = numpy_calls.CALLS | array_calls.CALLS
NAMES = ", ".join(numpy_calls.ARGUMENTS)


@functools.cache
def program(text: str):
    """A function of all arguments whose value is an expression."""
    return eval(f"lambda {NAMES}: {text}", {"np": np})


def arguments() -> list:
    return copy.deepcopy(list(numpy_calls.ARGUMENTS.values()))


@pytest.mark.parametrize("name", CALLS)
def test_function(name):
    calls = [call for call in CALLS[name] if call not in refused_calls.CALLS]
    if not calls:
        pytest.skip("every call of it is refused")
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = [program(call)(*arguments()) for call in calls]
        got = xlapy.jit(program(f"({', '.join(calls)},)"))(*arguments())
    for call, one, other in zip(calls, expected, got, strict=True):
        Comparison()(one, other, call)


@pytest.mark.parametrize("call", refused_calls.CALLS)
def test_refused(call):
    with pytest.raises(xlapy.NotOffloadableError, match=refused_calls.CALLS[call]):
        xlapy.jit(program(call))(*arguments())
