"""Products that go out of loops."""

import numpy as np
import pytest

import xlapy
from xlapy.ir import verify
from xlapy.passes import optimise

from .programs import operations, program

RNG = np.random.default_rng(6)
X, W, U, H = RNG.random((50, 40)), RNG.random((40, 30)), RNG.random((30, 30)) * 0.05, np.zeros(30)


def recurrent(x, w, u, h):
    states = np.zeros((len(x), len(h)))
    for t in range(len(x)):
        h = np.tanh(x[t] @ w + h @ u)
        states[t] = h
    return states


def recurrent_from_the_right(x, w, u, h):
    for t in range(len(x) - 1, -1, -1):
        h = np.tanh(w.T @ x[t] + h)
    return h


def later_columns(x, w, u, h):
    for t in range(20):
        h = h * 0.5 + w.T @ x[:40, t + 3]
    return h


def gram(x, w, u, h):
    found = np.zeros((40, 40))
    for i in range(40):
        found[i:, i] = found[i, i:] = x[:, i] @ x[:, i:]
    return found


def in_a_loop_around(x, w, u, h):
    for k in range(3):
        w = w * 0.5
        for t in range(len(x)):
            h = h * 0.9 + x[t] @ w
    return h


def changed_matrix(x, w, u, h):
    for t in range(len(x)):
        h = np.tanh(x[t] @ w)
        w[:, 0] = h[0]
    return h, w


def changed_rows(x, w, u, h):
    for t in range(1, len(x)):
        h = h + x[t] @ w
        x[t - 1, :30] = h
    return h, x


def unknown_trips(x, w, u, h):
    for t in range(int(x[0, 0] * 20) + 1):
        h = h + x[t] @ w
    return h


def under_a_condition(x, w, u, h):
    for t in range(len(x)):
        if h[0] < 100.0:
            h = h + x[t] @ w
    return h


def products_before(function, *arguments):
    module, _ = program(function, arguments)
    optimise(module)
    fast = module.entry.fast or module.entry
    verify(module)
    return sum(o.kind == "ahead" for o in operations(fast))


ARGUMENTS = (X, W, U, H)


@pytest.mark.parametrize("function", [recurrent, recurrent_from_the_right, later_columns, gram, in_a_loop_around])
def test_products_with_one_matrix_go_before_the_loop(function):
    assert products_before(function, *ARGUMENTS) == 1


@pytest.mark.parametrize("function", [changed_matrix, changed_rows, unknown_trips, under_a_condition])
def test_others_stay(function):
    assert products_before(function, *ARGUMENTS) == 0


@pytest.mark.parametrize(
    "function",
    [
        recurrent,
        recurrent_from_the_right,
        later_columns,
        gram,
        in_a_loop_around,
        changed_matrix,
        changed_rows,
        unknown_trips,
        under_a_condition,
    ],
)
def test_results(function):
    ours, theirs = [a.copy() for a in ARGUMENTS], [a.copy() for a in ARGUMENTS]
    found, expected = xlapy.jit(function)(*ours), function(*theirs)
    found, expected = (v if isinstance(v, tuple) else (v,) for v in (found, expected))
    for a, b in zip((*found, *ours), (*expected, *theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)
