"""Products that go out of loops."""

import numpy as np
import pytest

import xlapy
from xlapy.ir import verify
from xlapy.lowering.llvm import blas
from xlapy.passes import optimise

from .programs import operations, program

RNG = np.random.default_rng(6)
X, W, U, H = RNG.random((50, 40)), RNG.random((40, 30)), RNG.random((30, 30)) * 0.05, np.zeros(30)
#: of the same shapes, or large enough for machine code to make products before loops, too
LARGE = RNG.random((150, 90)), RNG.random((90, 80)), RNG.random((80, 80)) * 0.01, np.zeros(80)


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
        h = h * 0.5 + w.T @ x[: len(w), t + 3]
    return h


def gram(x, w, u, h):
    found = np.zeros((x.shape[1], x.shape[1]))
    for i in range(x.shape[1]):
        found[i:, i] = found[i, i:] = x[:, i] @ x[:, i:]
    return found


def gram_of_rows(x, w, u, h):
    found = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        found[i, : i + 1] = x[: i + 1] @ x[i]
    return found


def gram_but_for_the_last(x, w, u, h):
    n = x.shape[1]
    found = np.eye(n)
    for i in range(n - 1):
        found[i + 1 : n, i] = found[i, i + 1 : n] = x[:, i] @ x[:, i + 1 : n]
    return found


def gram_backwards(x, w, u, h):
    found = np.zeros((len(x), len(x)))
    for i in range(len(x) - 1, -1, -1):
        found[i] = x @ x[i] + h[0]
    return found


def rows_with_themselves_turned(x, w, u, h):
    for i in range(len(u)):
        h = h + u[i] @ u + u @ u[:, i] - np.dot(u.T, u[i]) * 0.5
    return h


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
        x[t - 1, : len(h)] = h
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
MOVED = [recurrent, recurrent_from_the_right, later_columns, gram, gram_of_rows, gram_but_for_the_last, gram_backwards]
MOVED += [in_a_loop_around]
OTHERS = [changed_matrix, changed_rows, unknown_trips, under_a_condition]


@pytest.mark.parametrize("function", MOVED)
def test_products_with_one_matrix_go_before_the_loop(function):
    assert products_before(function, *ARGUMENTS) == 1


@pytest.mark.parametrize("function", OTHERS)
def test_others_stay(function):
    assert products_before(function, *ARGUMENTS) == 0


@pytest.mark.parametrize("arguments", [ARGUMENTS, LARGE], ids=["small", "large"])
@pytest.mark.parametrize("function", [*MOVED, *OTHERS, rows_with_themselves_turned])
def test_results(function, arguments):
    ours, theirs = [a.copy() for a in arguments], [a.copy() for a in arguments]
    found, expected = xlapy.jit(function)(*ours), function(*theirs)
    found, expected = (v if isinstance(v, tuple) else (v,) for v in (found, expected))
    for a, b in zip((*found, *ours), (*expected, *theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-12)


@pytest.mark.skipif(not blas.is_possible(np.dtype("float64")), reason="NumPy's library is not found")
@pytest.mark.parametrize("function", [gram_of_rows, gram_but_for_the_last])
def test_half_of_a_matrix_is_computed_where_rows_meet_each_other(function, monkeypatch):
    seen = []
    original = blas.multiply_by_itself
    monkeypatch.setattr(blas, "multiply_by_itself", lambda *args: seen.append(args) or original(*args))
    test_results(function, LARGE)
    assert len(seen) == 1


@pytest.mark.parametrize("function", [recurrent, gram_of_rows])
def test_gradients(function):
    def loss(x, w, u, h):
        return (function(x, w, u, h) ** 2).sum()

    gradient = xlapy.grad(loss, argnums=(0, 1))(*ARGUMENTS)
    step = 1e-6
    for k, found in enumerate(gradient):
        change = np.zeros_like(ARGUMENTS[k])
        change[3, 2] = step
        up, down = (loss(*(a + s * change if i == k else a for i, a in enumerate(ARGUMENTS))) for s in (1, -1))
        np.testing.assert_allclose(found[3, 2], (up - down) / (2 * step), rtol=1e-5, atol=1e-6)
