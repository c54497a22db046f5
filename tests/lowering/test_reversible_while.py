"""Derivatives of loops with any number of trips, against scans of known length and against differences."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from xlapy.lowering.loop_derivatives.checkpoints import reverse, run_and_keep
from xlapy.lowering.loop_derivatives.reversible_while import reversible_while


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


def body(w, i, x, s):
    x = jnp.sin(x * w) + 0.1 * jnp.cos(jnp.asarray(i, x.dtype))
    return [i + 1, x, s + jnp.sum(x * x)]


def by_while(w, x, n):
    state = [jnp.zeros((), jnp.int64), x, jnp.zeros((), x.dtype)]
    return reversible_while(lambda i, x, s: i < n, lambda *c: body(w, *c), state)[2]


def by_scan(w, x, n):
    state = [jnp.zeros((), jnp.int64), x, jnp.zeros((), x.dtype)]
    return lax.scan(lambda c, _: (body(w, *c), None), state, None, length=n)[0][2]


W, X = np.asarray(1.3), np.array([0.2, 0.5, -0.4])
TRIPS = [0, 1, 2, 700]


def close(a, b, tolerance=1e-9):
    jax.tree.map(lambda p, q: np.testing.assert_allclose(p, q, rtol=tolerance, atol=1e-12), a, b)


def compare(transform, iterations=TRIPS, tolerance=1e-9):
    """The loop, compiled once for all numbers of trips, against scans."""
    found = jax.jit(lambda n: transform(lambda w, x: by_while(w, x, n)))
    for n in iterations:
        close(found(n), jax.jit(lambda n=n: transform(lambda w, x: by_scan(w, x, n)))(), tolerance)


def compare_eagerly(transform, iterations=TRIPS, tolerance=1e-9):
    for n in iterations:
        close(transform(lambda w, x: by_while(w, x, n)), transform(lambda w, x: by_scan(w, x, n)), tolerance)


def test_value():
    compare_eagerly(lambda f: f(W, X))
    compare(lambda f: f(W, X))


def test_forward_mode():
    compare(lambda f: jax.jvp(f, (W, X), (jnp.array(0.7), X + 1)))


def test_reverse_mode():
    compare_eagerly(lambda f: jax.grad(f, (0, 1))(W, X))
    compare(lambda f: jax.grad(f, (0, 1))(W, X))


def test_reverse_mode_against_differences():
    f = jax.jit(lambda w, x: by_while(w, x, 25))
    step = 1e-6
    (dw, dx) = jax.grad(f, (0, 1))(W, X)
    np.testing.assert_allclose(dw, (f(W + step, X) - f(W - step, X)) / (2 * step), rtol=1e-6)
    for k in range(3):
        e = jnp.zeros(3).at[k].set(step)
        np.testing.assert_allclose(dx[k], (f(W, X + e) - f(W, X - e)) / (2 * step), rtol=1e-5, atol=1e-8)


SECOND = [0, 3, 12]


@pytest.mark.parametrize("outer", [jax.jacfwd, jax.jacrev])
@pytest.mark.parametrize("inner", [jax.jacfwd, jax.jacrev])
def test_second_order(outer, inner):
    compare(lambda f: outer(inner(f, (0, 1)), (0, 1))(W, X), SECOND, 1e-8)


def test_second_order_without_batches():
    compare(lambda f: jax.grad(lambda w: jax.grad(f)(w, X))(W), SECOND, 1e-8)
    compare(lambda f: jax.grad(lambda w: jax.jvp(lambda v: f(v, X), (w,), (1.0,))[1])(W), SECOND, 1e-8)
    compare(lambda f: jax.jvp(lambda w: jax.grad(f)(w, X), (W,), (1.0,)), SECOND, 1e-8)


def test_third_order():
    compare(lambda f: jax.grad(jax.grad(jax.grad(f)))(W, X), [3], 1e-7)
    compare(lambda f: jax.jacfwd(jax.grad(jax.grad(f)))(W, X), [3], 1e-7)


BATCH = np.arange(4.0)[:, None] * 0.1 + X


@pytest.mark.parametrize("axes", [(None, 0), (0, None), (0, 0)])
def test_batches(axes):
    ws = jnp.linspace(0.5, 1.4, 4)
    arguments = (ws if axes[0] == 0 else W, BATCH if axes[1] == 0 else X)
    compare(lambda f: jax.vmap(f, axes)(*arguments), [0, 30])
    compare(lambda f: jax.vmap(jax.grad(f, (0, 1)), axes)(*arguments), [0, 30])
    compare(lambda f: jax.grad(lambda w, x: jax.vmap(f, axes)(w, x).sum(), (0, 1))(*arguments), [0, 30])
    compare(lambda f: jax.vmap(lambda w, x: jax.jvp(f, (w, x), (w, x)), axes)(*arguments), [3])
    compare(lambda f: jax.vmap(jax.grad(jax.grad(f)), axes)(*arguments), [3], 1e-8)


def test_batch_axis_that_is_not_the_first():
    compare(lambda f: jax.vmap(jax.grad(f, 1), (None, 1), 1)(W, BATCH.T), [3])


def test_examples_that_end_at_different_times():
    ns = jnp.array([0, 3, 17, 5])

    def one(n, w, x):
        return by_while(w, x, n)

    found = jax.vmap(jax.grad(one, (1, 2)), (0, None, 0))(ns, W, BATCH)
    for k in range(4):
        close(tuple(f[k] for f in found), jax.grad(by_scan, (0, 1))(W, BATCH[k], int(ns[k])))
    total = jax.grad(lambda w: jax.vmap(one, (0, None, 0))(ns, w, BATCH).sum())(W)
    close(total, sum(jax.grad(by_scan)(W, BATCH[k], int(ns[k])) for k in range(4)))


def newton(a):
    """The end depends on the values."""
    start = [a, jnp.asarray(jnp.inf, a.dtype)]
    return reversible_while(lambda x, last: abs(x - last) > 1e-13, lambda x, last: [0.5 * (x + a / x), x], start)[0]


def test_number_of_trips_that_depends_on_the_values():
    close(jax.grad(newton)(7.0), 0.5 / np.sqrt(7.0))
    close(jax.vmap(jax.grad(newton))(jnp.array([2.0, 700.0])), 0.5 / np.sqrt([2.0, 700.0]))


def test_loops_in_loops():
    def nested(x, run):
        def inner(y):
            return run(lambda j, y: j < 4, lambda j, y: [j + 1, jnp.sin(y) * x], [jnp.zeros((), jnp.int64), y])[1]

        return run(lambda i, y: i < 5, lambda i, y: [i + 1, inner(y) + 0.1], [jnp.zeros((), jnp.int64), x])[1]

    def plain(condition, step, initial):
        return lax.while_loop(lambda c: condition(*c), lambda c: step(*c), initial)

    x = jnp.array(0.8)
    close(jax.grad(lambda x: nested(x, reversible_while))(x), jax.jacfwd(lambda x: nested(x, plain))(x))


def test_loop_in_a_scan_and_a_branch():
    def f(w):
        def step(c, n):
            return lax.cond(n > 2, lambda: by_while(w, X * c, n), lambda: c * w), None

        return lax.scan(step, jnp.array(0.3), jnp.arange(5))[0]

    def g(w):
        c = jnp.array(0.3)
        for n in range(5):
            c = by_scan(w, X * c, n) if n > 2 else c * w
        return c

    close(jax.grad(f)(W), jax.grad(g)(W))
    close(jax.grad(jax.checkpoint(f))(W), jax.grad(g)(W))


def test_arrays_changed_in_place_and_integers():
    def cumulative(x, n):
        def step(i, y, total):
            return [i + 1, y.at[i].set(y[i] * total), total + y[i] ** 2]

        state = [jnp.zeros((), jnp.int64), x, jnp.ones((), x.dtype)]
        return reversible_while(lambda i, y, t: i < n, step, state)[1]

    def expected(x):
        total, out = 1.0, []
        for k in range(x.shape[0]):
            out.append(x[k] * total)
            total = total + x[k] ** 2
        return jnp.stack(out)

    x = jnp.array([0.3, -0.2, 0.9, 1.1])
    close(jax.jacrev(lambda x: cumulative(x, 4))(x), jax.jacrev(expected)(x))


def test_complex_states():
    def run(c, loop):
        if loop:
            return abs(reversible_while(lambda i, z: i < 6, lambda i, z: [i + 1, z * z * 0.5 + c], _start(c))[1])
        z = c
        for _ in range(6):
            z = z * z * 0.5 + c
        return abs(z)

    def _start(c):
        return [jnp.zeros((), jnp.int64), c]

    c = jnp.asarray(0.3 + 0.4j)
    close(jax.grad(lambda c: run(c, True))(c), jax.grad(lambda c: run(c, False))(c))


def test_no_derivative_is_zero_and_not_an_error():
    def f(x):
        i, _ = reversible_while(lambda i, y: i < 3, lambda i, y: [i + 1, y * x], [jnp.zeros((), jnp.int64), x])
        return i * x

    close(jax.grad(f)(2.0), 3.0)


@pytest.mark.parametrize("unit", [1, 2, 8])
@pytest.mark.parametrize("slots", [4, 6, 10, 256])
@pytest.mark.parametrize("iterations", [0, 1, 2, 3, 7, 8, 33, 300])
def test_schedules_visit_every_trip_once_and_in_order(iterations, slots, unit):
    """The adjoint reads the state before each unit of trips, from the last to the first."""

    def condition(i, seen):
        return i < iterations

    def step(i, seen):
        return [i + 1, seen + i]

    def adjoint(carried, count, cotangents, totals):
        (visited, place) = cotangents
        i, total = carried
        right = total == i * (i - 1) // 2
        return [visited.at[place].set(jnp.where(right, i, -1)), place + 1], [totals[0] + count]

    start = [jnp.zeros((), jnp.int64), jnp.zeros((), jnp.int64)]
    _, kept = run_and_keep(condition, step, start, slots, unit)
    empty = [jnp.full(iterations + 1, -7), jnp.zeros((), jnp.int64)]
    (visited, place), (count,) = reverse(step, adjoint, kept, empty, [jnp.zeros((), jnp.int64)], unit)
    assert int(count) == iterations and int(kept.iterations) == iterations
    units = [*range(0, iterations, unit)][::-1]
    assert int(place) == len(units)
    assert visited.tolist() == [*units, *[-7] * (iterations + 1 - len(units))]


def test_memory_does_not_grow_with_the_number_of_trips():
    """The number of trips is an operand: one program, and its memory is that of 256 states."""
    size = 1000

    def f(x, n):
        return reversible_while(
            lambda i, y: i < n, lambda i, y: [i + 1, jnp.sin(y) + 0.1], [jnp.zeros((), jnp.int64), x]
        )[1].sum()

    compiled = jax.jit(jax.grad(f)).lower(jnp.ones(size), 10).compile()
    memory = compiled.memory_analysis()
    states = memory.temp_size_in_bytes / (8 * size)
    assert states < 256
    np.testing.assert_allclose(compiled(jnp.full(size, 0.3), 20_000), 0.0, atol=1e-6)


def test_numbers_of_trips_around_those_that_fill_the_slots():
    f = jax.jit(jax.grad(lambda x, n: by_while(x, X, n)))
    for n in (127, 128, 129, 1000, 5000):
        close(f(W, n), jax.grad(by_scan)(W, X, n), 1e-7)
