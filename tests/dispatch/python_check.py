"""Compare a compiled function with CPython, call by call: values, Python types, signs of zero, exceptions."""

from __future__ import annotations

import math

import numpy as np

import xlapy

KINDS = {"b": bool, "i": int, "f": float, "c": complex}


def outcome(function, args):
    """The value of a call or the exception it raised, with its type and message."""
    try:
        return "value", function(*args)
    except xlapy.NotOffloadableError as error:
        return "refused", error
    except Exception as error:
        return "raised", (type(error), str(error))


def check(function, *calls, rtol=1e-13, may_refuse=False):
    """Assert that `xlapy.jit(function)` does what `function` does for each tuple of arguments."""
    jitted = xlapy.jit(function)
    for args in calls:
        expected = outcome(function, args)
        got = outcome(jitted, args)
        if got[0] == "refused" and may_refuse:
            continue
        where = f"{getattr(function, 'source', function.__name__)} of {args!r}: expected {expected}, got {got}"
        assert got[0] == expected[0], where
        if expected[0] == "raised":
            assert got[1] == expected[1], where
        else:
            assert same(expected[1], got[1], rtol), where


def same(expected, got, rtol) -> bool:
    """Whether two results are equal, nested containers included."""
    if isinstance(expected, list | tuple):
        return (
            type(expected) is type(got)
            and len(expected) == len(got)
            and all(map(lambda a, b: same(a, b, rtol), expected, got))
        )
    if isinstance(expected, dict):
        return (
            type(expected) is type(got)
            and list(expected) == list(got)
            and all(same(v, got[k], rtol) for k, v in expected.items())
        )
    if isinstance(expected, np.ndarray | np.generic):
        return np.asarray(got).dtype == expected.dtype and np.allclose(expected, got, rtol, 0, equal_nan=True)
    if isinstance(expected, bool | int | float | complex):
        if hasattr(got, "dtype"):
            if KINDS[np.dtype(got.dtype).kind] is not type(expected):
                return False
            got = np.asarray(got).item()
        return type(got) is type(expected) and same_number(expected, got, rtol)
    return type(expected) is type(got) and expected == got


def same_number(expected, got, rtol) -> bool:
    """Equality of numbers to rounding; NaN equals NaN, zeros have their sign."""
    if isinstance(expected, complex):
        size = abs(expected) if math.isfinite(abs(expected)) else 0.0
        return all(near(a, b, rtol, size) for a, b in ((expected.real, got.real), (expected.imag, got.imag)))
    if isinstance(expected, float):
        return near(expected, got, rtol, 0.0)
    return expected == got


def near(a: float, b: float, rtol: float, size: float) -> bool:
    """Equality of floats to rounding, relative to `size` if that is larger."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) and math.isnan(b)
    if a == b:
        return a != 0 or size > 0 or math.copysign(1, a) == math.copysign(1, b)
    return abs(a - b) <= rtol * max(abs(a), size)


def function_of(source: str, *names: str, **environment):
    """A function of `names` that returns the value of an expression."""
    namespace = dict(environment)
    exec(compile(f"def f({', '.join(names)}):\n    return {source}", "<test>", "exec"), namespace)
    namespace["f"].source = source
    return namespace["f"]
