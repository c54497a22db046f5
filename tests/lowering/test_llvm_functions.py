"""Functions that machine code computes without calls: as exact as NumPy's, and theirs where they are special."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points, functions
from xlapy.lowering.llvm.programs import function_of
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(5)
COUNT = 400
#: functions, and ranges of arguments
RANGES = {
    np.exp: [(-700, 700), (-1, 1), (-745.2, -708), (-1e-8, 1e-8)],
    np.log: [(0, 1e300), (0.5, 2), (0, 1e-307), (1 - 1e-6, 1 + 1e-6)],
    np.log1p: [(-0.999, 3), (-1e-5, 1e-5), (0, 1e200), (-1, -0.99)],
    np.tanh: [(-1, 1), (-0.01, 0.01), (-20, 20), (-300, 300)],
    np.expm1: [(-1, 1), (-0.01, 0.01), (-60, 60), (-700, 709.7), (87, 89)],
    np.sinh: [(-2, 2), (-0.01, 0.01), (-60, 60), (709, 710.4), (88, 89.4)],
    np.cosh: [(-2, 2), (-0.01, 0.01), (-60, 60), (709, 710.4), (88, 89.4)],
}
#: units in the last place that errors are below, where that is not 1
LIMITS = {np.tanh: 1.5, np.expm1: 2, np.sinh: 2, np.cosh: 1.5}
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 5e-324, -5e-324, 1e-310, 2.3e-308, 1e-20, -1e-20]
SPECIAL += [709.78, 709.79, 710.0, -745.1, -745.2, -746.0, -708.5, 1e308, -1e308, 20.0, 0.625, -0.625, -0.9999, 8e22]


@pytest.fixture(autouse=True)
def whole(monkeypatch):
    """All programs have to be machine code as a whole."""
    original = native_calls.whole_as_machine_code

    def watched(*args):
        found = original(*args)
        assert found is not None
        return found

    monkeypatch.setattr(native_calls, "whole_as_machine_code", watched)


def ours(function, x):
    return xlapy.jit(lambda x: function(x), returns="numpy")(x)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", RANGES)
def test_errors_in_units_of_the_last_place(function, dtype):
    for low, high in RANGES[function]:
        limits = np.clip([low, high], np.finfo(dtype).min / 2, np.finfo(dtype).max / 2)
        x = RNG.uniform(*limits, COUNT).astype(dtype)
        with np.errstate(all="ignore"):
            exact = function(x.astype(np.longdouble))
            wanted, found = exact.astype(dtype), ours(function, x)
        usual = np.isfinite(wanted)
        np.testing.assert_array_equal(found[~usual], wanted[~usual])
        error = np.abs(found[usual] - exact[usual]) / np.spacing(np.abs(wanted[usual])).astype(np.longdouble)
        assert found.dtype == x.dtype and error.max(initial=0) < LIMITS.get(function, 1)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("function", RANGES)
def test_special_arguments(function, dtype):
    with np.errstate(all="ignore"):
        x = np.array(SPECIAL).astype(dtype)
        wanted, found = function(x), ours(function, x)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(wanted)]), np.signbit(wanted[~np.isnan(wanted)]))
    np.testing.assert_allclose(found, wanted, rtol=3 * np.finfo(dtype).eps, atol=np.finfo(dtype).smallest_subnormal)


#: ranges of bases, and of exponents
POWERS = [((0, 2), (-50, 50)), ((0.5, 1.5), (-1000, 1000)), ((0, 1e300), (-1.02, 1.02)), ((0, 1e-308), (-1, 1))]
POWERS += [((1 - 1e-7, 1 + 1e-7), (-1e9, 1e9)), ((0, 10), (1.7, 1.7)), ((0, 1e5), (-300, 300))]


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize(("bases", "exponents"), POWERS)
def test_errors_of_powers(bases, exponents, dtype):
    largest = np.finfo(dtype).max
    x, y = (RNG.uniform(*np.clip(ends, -largest, largest), COUNT).astype(dtype) for ends in (bases, exponents))
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(np.longdouble), y.astype(np.longdouble))
        wanted, found = exact.astype(dtype), ours_of_two(np.power, x, y)
    usual = np.isfinite(wanted)
    np.testing.assert_array_equal(found[~usual], wanted[~usual])
    error = np.abs(found[usual] - exact[usual]) / np.spacing(np.abs(wanted[usual])).astype(np.longdouble)
    assert found.dtype == x.dtype and error.max(initial=0) < 1


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_special_powers(dtype):
    more = [0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 2.5, -2.5, 2.0**53 + 2, 1023.0, 1024.0, -1074.0, -1075.0]
    with np.errstate(all="ignore"):
        numbers = np.array([*SPECIAL, *more]).astype(dtype)
        x, y = (grid.ravel() for grid in np.meshgrid(numbers, numbers))
        wanted, found = x**y, ours_of_two(lambda x, y: x**y, x, y)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(wanted))
    np.testing.assert_array_equal(np.signbit(found[~np.isnan(wanted)]), np.signbit(wanted[~np.isnan(wanted)]))
    np.testing.assert_allclose(found, wanted, rtol=2 * np.finfo(dtype).eps, atol=np.finfo(dtype).smallest_subnormal)


def test_powers_of_whole_numbers_are_whole():
    x, y = (grid.ravel().astype(float) for grid in np.meshgrid(np.arange(-20, 21), np.arange(12)))
    exact = [int(a) ** int(b) for a, b in zip(x, y, strict=True)]
    found = ours_of_two(lambda x, y: x**y, x, y)
    assert [int(f) for f in found if abs(f) < 2**53] == [e for e in exact if abs(e) < 2**53]


def ours_of_two(function, x, y):
    return xlapy.jit(lambda x, y: function(x, y), returns="numpy")(x, y)


def test_logistic():
    x = np.array([*SPECIAL, *RNG.normal(size=30)])
    found = ours(lambda x: 1 / (1 + np.exp(-x)), x)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(found, 1 / (1 + np.exp(-x)), rtol=1e-15)
    assert set(functions.IN_VECTORS) >= {"pow", *(function.__name__ for function in RANGES)}


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_remainders_are_exact(dtype):
    numbers, sizes = np.array(SPECIAL).astype(dtype), RNG.integers(-40, 40, COUNT)
    x = np.concatenate([np.ldexp(RNG.normal(size=COUNT), sizes), RNG.integers(-50, 50, COUNT), numbers]).astype(dtype)
    y = RNG.permutation(np.concatenate([x[: 2 * COUNT] / 10, numbers]))
    for function in (np.fmod, np.mod, np.floor_divide):
        with np.errstate(all="ignore"):
            wanted, found = function(x, y), ours_of_two(function, x, y)
        np.testing.assert_array_equal(found, wanted)
        usual = ~np.isnan(wanted)
        np.testing.assert_array_equal(np.signbit(found[usual]), np.signbit(wanted[usual]))


def test_large_arrays_of_them():
    x = RNG.normal(size=2000)
    found = ours(lambda x: np.log(np.exp(x - x.max()).sum()) + x.max(), x)
    np.testing.assert_allclose(found, np.logaddexp.reduce(x), rtol=1e-14)


def test_what_takes_long_is_computed_once_for_many_places(monkeypatch):
    """A sine is taken of each element, not for each place that it is read at."""
    made, original = [], native_calls.whole_as_machine_code
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: made.append(args[0]) or original(*args))
    x, y = RNG.normal(size=30), RNG.normal(size=40)
    for function in (
        lambda x, y: np.outer(np.sin(x), np.cos(y)),
        lambda x, y: np.sin(x)[:, None] * np.cos(y),
        lambda x, y: np.repeat(np.sin(x), len(y)).reshape(len(x), -1) * np.cos(y),
    ):
        np.testing.assert_allclose(ours_of_two(function, x, y), function(x, y), rtol=1e-15, atol=1e-15)
    for region in made:
        body = function_of(region, True).body
        calls = [body.count(f"call double @llvm.{name}.f64") for name in ("sin", "cos")]
        assert calls == [1, 1] and body.count("store double") == 3
    assert made
