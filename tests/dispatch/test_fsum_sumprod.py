"""fsum, sumprod and fma to the last bit, of numbers that cancel, in all forms of loops."""

import itertools
import math
import random

import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import code_selection
from xlapy.lowering.llvm.text import Unsuitable
from xlapy.runtime import native_calls


@pytest.fixture(params=["whole", "called", "xla"])
def numbers(request, monkeypatch):
    """A source of random numbers, and the form of loops."""

    def unsuitable(*_):
        raise Unsuitable("a test of loops of XLA's own")

    if request.param != "whole":
        monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *_: None)
    if request.param == "xla":
        monkeypatch.setattr(code_selection, "function_of", unsuitable)
    return random.Random(7)


def any_float(numbers, wide):
    return numbers.uniform(-1, 1) * 2.0 ** numbers.randint(-wide, wide)


def nearly(numbers, v):
    return v * numbers.choice([1, 1, 1 + 2**-52])


def same(a, b):
    return repr(float(a)) == repr(float(b))


def test_fsum(numbers):
    f = xlapy.jit(lambda x: math.fsum(x))
    special = [
        [1e100, 1e50, 1.0, -1e50, -1e100],
        [1.0, 2.0**-53, 5e-324, 0.0, 0.0],
        [5e-324, 0.0, -1e-323, 0.0, 0.0],
        [-0.0] * 5,
        [math.inf, 1.0, 1.0, 1.0, 1.0],
        [1.7e308, -1.0, 1.0, 2.0, 3.0],
    ]
    for given in special:
        assert same(f(given), math.fsum(given)), given
    for wide in [0, 20, 60, 500, 990] * 20:
        half = [any_float(numbers, wide) for _ in range(20)]
        given = half + [-nearly(numbers, v) for v in half]
        numbers.shuffle(given)
        array = np.array(given)
        assert same(f(array), math.fsum(array)), given


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="new in Python 3.12")
def test_sumprod(numbers):
    f = xlapy.jit(lambda x, y: math.sumprod(x, y))
    for wide in [0, 20, 60, 150] * 25:
        x, y = ([any_float(numbers, wide) for _ in range(20)] for _ in range(2))
        given = x + [-nearly(numbers, v) for v in x], y + y
        assert same(f(*given), math.sumprod(*given)), given


KINDS = [0.1, 3, True, np.float64(0.7), 1e200, math.inf, math.nan, -0.0]


@pytest.mark.skipif(not hasattr(math, "sumprod"), reason="new in Python 3.12")
@pytest.mark.parametrize("kinds", list(itertools.combinations(KINDS, 3)))
def test_sumprod_of_several_kinds(kinds):
    x, y = [*kinds, 0.1, 0.1], [0.1, 1e200, *kinds]
    f = xlapy.jit(lambda x, y: math.sumprod(x, y), returns="numpy")
    assert type(f(x, y)) is type(math.sumprod(x, y)), (x, y)
    assert repr(f(x, y)) == repr(math.sumprod(x, y)), (x, y)


@pytest.mark.skipif(not hasattr(math, "fma"), reason="new in Python 3.13")
def test_fma(numbers):
    f = xlapy.jit(lambda x, y, z: math.fma(x, y, z))
    for wide in [0, 3, 60] * 200:
        x, y = any_float(numbers, wide), any_float(numbers, wide)
        factor = numbers.choice([-1, -1 - 2**-52, 2.0**53, 2.0**-54, 2.0**-52])
        for z in (any_float(numbers, wide), x * y * factor):
            assert same(f(x, y, z), math.fma(x, y, z)), (x, y, z)


def test_gradients():
    x = np.array([1.0, 2.0, 4.0])
    assert list(xlapy.grad(lambda x: math.fsum(x * x))(x)) == [2.0, 4.0, 8.0]
    if hasattr(math, "sumprod"):
        assert list(xlapy.grad(lambda x: math.sumprod(x.tolist(), x[::-1].tolist()))(x)) == [8.0, 4.0, 2.0]
