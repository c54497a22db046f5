"""Loops along rows that make all trips for a few rows, then for the next few."""

import copy

import jax
import numpy as np
import pytest

import xlapy
from xlapy.ir import verify
from xlapy.passes import optimise
from xlapy.passes.native_loop_forms import plain

from .programs import operations, program

RNG = np.random.default_rng(8)


def autoregression(x, e, v, n):
    for k in range(1, x.shape[1]):
        x[:, k] = v[0] * x[:, k - 1] + e[:, k]


def tridiagonal(x, e, v, n):
    c, d = np.zeros_like(x), np.zeros_like(x)
    c[:, 0], d[:, 0] = 0.25, e[:, 0] / 4.0
    for k in range(1, x.shape[1]):
        m = 4.0 - x[:, k] * c[:, k - 1]
        c[:, k] = 1.0 / m
        d[:, k] = (e[:, k] - x[:, k] * d[:, k - 1]) / m
    x[:, -1] = d[:, -1]
    for k in range(x.shape[1] - 2, -1, -1):
        x[:, k] = d[:, k] - c[:, k] * x[:, k + 1]


def inner_rows(x, e, v, n):
    for k in range(1, x.shape[1]):
        x[1:-1, k] = x[1:-1, k - 1] + e[2:, k] - e[:-2, k - 1]
    return x.sum()


def carried_vector(x, e, v, n):
    level = v * 2.0
    for k in range(x.shape[1]):
        level = np.maximum(level * 0.5, e[:, k])
        x[:, k] = level - v
    return level


def carried_numbers(x, e, v, n):
    weight, last = 1.0, 0
    for k in range(x.shape[1]):
        weight = weight * 0.75 + 0.25
        x[:, k] += weight * e[:, k]
        last = k
    return weight, last


def as_often_as_data_says(x, e, v, n):
    for k in range(n):
        x[:, k + 1] = x[:, k] * 0.5 + e[:, k]
    return n


def conditions(x, e, v, n):
    for k in range(1, x.shape[1]):
        grown = x[:, k - 1] + e[:, k]
        x[:, k] = np.where(grown > 1.0, grown - 1.0, grown)


def planes(x, e, v, n):
    a = np.zeros((260, 3, 12))
    b = np.stack([e[:, :12], x[:, :12], e[:, 3:15]], axis=1)
    for k in range(1, 12):
        a[:, :, k] = b[:, :, k] * 2.0 + a[:, :, k - 1]
    return a, b


def columns_of_another(x, e, v, n):
    turned = e.T.copy()
    for k in range(1, x.shape[1]):
        x[:, k] = x[:, k - 1] + turned[k] * turned[0]
    return turned


def two_steps_back(x, e, v, n):
    for k in range(2, x.shape[1]):
        x[:, k] = x[:, k - 1] - x[:, k - 2] * 0.5
        e[:, k] = x[:, k] + e[:, k - 1]


def several_columns(x, e, v, n):
    for k in range(1, x.shape[1] - 1):
        x[:, k] = e[:, k + 1] + x[:, k - 1]
        x[:, k + 1] = x[:, k] * 0.5


def integers(x, e, v, n):
    counts = np.zeros(x.shape, np.int32)
    for k in range(1, x.shape[1]):
        counts[:, k] = np.where(e[:, k] > 0.5, counts[:, k - 1] + 1, 0)
    return counts


def neighbours(x, e, v, n):
    for k in range(1, x.shape[1]):
        x[1:, k] = x[:-1, k - 1] + e[1:, k]


def all_of_them(x, e, v, n):
    for k in range(1, x.shape[1]):
        x[:, k] = x[:, k - 1] - x[:, k - 1].mean() + e[:, k]


def turned_round(x, e, v, n):
    for k in range(1, x.shape[1]):
        x[:, k] = x[::-1, k - 1] + e[:, k]


def a_vector_in_two_ways(x, e, v, n):
    for k in range(1, x.shape[1]):
        v[:] = v * 0.5 + e[:, k]
        x[:, k] = v + v[0]


def rows(x, e, v, n):
    for k in range(1, len(x)):
        x[k] = x[k - 1] * 0.5 + e[k]


STRIPS = [autoregression, tridiagonal, inner_rows, carried_vector, carried_numbers, as_often_as_data_says, conditions]
STRIPS += [planes, columns_of_another, two_steps_back, several_columns, integers]
OTHERS = [neighbours, all_of_them, turned_round, a_vector_in_two_ways, rows]


def arguments(count=260, n=20):
    return RNG.random((count, 30)), RNG.random((count, 30)), RNG.random(count), n


@pytest.mark.parametrize("function", STRIPS)
def test_loops_along_rows_are_run_for_some_rows_after_the_other(function):
    whole = [o for o in operations(plain(optimised(function))) if o.kind == "for"]
    assert any(o.kind == "for" for loop in whole for o in loop.regions[0].operations)


@pytest.mark.parametrize("function", OTHERS)
def test_others_stay(function):
    whole = [o for o in operations(plain(optimised(function))) if o.kind == "for"]
    assert not any(o.kind == "for" for loop in whole for o in loop.regions[0].operations)


def optimised(function):
    module, _ = program(function, arguments())
    optimise(module)
    region = plain(module)
    checked = copy.copy(module)
    checked.entry = region
    verify(checked)
    return module


@pytest.mark.parametrize("x64", [False, True])
@pytest.mark.parametrize("count", [260, 263, 1024])
@pytest.mark.parametrize("function", [*STRIPS, *OTHERS])
def test_results(function, count, x64):
    if function is planes and count != 260:
        pytest.skip("has rows of its own")
    compiled = xlapy.jit(function, returns="numpy")
    with jax.enable_x64(x64):
        for n in (20, 0, 7):
            ours = arguments(count, n)
            theirs = copy.deepcopy(ours)
            found, wanted = compiled(*ours), function(*theirs)
            for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
                assert type(one) is type(other)
                np.testing.assert_array_equal(np.asarray(one).dtype, np.asarray(other).dtype)
                np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def test_an_error_is_raised_before_anything_is_changed():
    def beyond(x, e, n):
        for k in range(1, n):
            x[:, k] = x[:, k - 1] + e[:, k]

    x, e, _, _ = arguments()
    before = x.copy()
    compiled = xlapy.jit(beyond)
    compiled(x, e, 30)
    wanted = before.copy()
    beyond(wanted, e, 30)
    np.testing.assert_allclose(x, wanted)
    before = x.copy()
    with pytest.raises(IndexError, match="index 30 is out of bounds for axis 1 with size 30"):
        compiled(x, e, 31)
    np.testing.assert_array_equal(x, before)
