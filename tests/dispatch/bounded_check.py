"""Compare a program on arrays of dynamic length with CPython: values, dtypes, shapes, mutation, exceptions."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable

import numpy as np

import xlapy


def outcome(function: Callable, args: tuple) -> tuple:
    """The value, the exception and the arguments afterwards."""
    args = copy.deepcopy(args)
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), None, args
        except Exception as error:
            return None, error, args


def same(expected: object, found: object) -> None:
    """Assert that two results are alike."""
    if isinstance(expected, tuple | list):
        assert type(expected) is type(found) and len(expected) == len(found), (expected, found)
        for one, two in zip(expected, found, strict=True):
            same(one, two)
    elif isinstance(expected, dict):
        same(list(expected.items()), list(found.items()))
    elif expected is None or isinstance(expected, str):
        assert expected == found
    else:
        one, two = np.asarray(expected), np.asarray(found)
        assert (one.shape, one.dtype) == (two.shape, two.dtype), (expected, found)
        assert np.allclose(one, two, equal_nan=True), (expected, found)


def agree(function: Callable, *args: object, loops: int | None = None, raises: type | None = None) -> None:
    """Assert that `function(*args)` and its compiled form do the same, with `loops` loops in the program."""
    value, error, after = outcome(function, args)
    found, failure, changed = outcome(xlapy.jit(function), args)
    assert type(error) is type(failure), failure
    assert type(error) is (raises or type(None)), error
    if error is not None:
        assert str(error) == str(failure)
        return
    same(value, found)
    same(after, changed)
    if loops is not None:
        text = xlapy.code_typed(function, *copy.deepcopy(args))
        assert text.count(" = for(") + text.count(" = while(") == loops
