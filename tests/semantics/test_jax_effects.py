"""Effects of JAX in compiled functions happen as often, with such values, as they do without xlapy."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import checkify, io_callback

import xlapy

#: what the callbacks were called with
LOG: list = []
PAIR = jax.ShapeDtypeStruct((2,), np.float32)


def note(tag, value):
    LOG.append((tag, np.asarray(value, np.float32).tolist()))


def each_trip(x, n):
    for i in range(n):
        jax.debug.callback(lambda i, s: note("trip", i * 10 + s), i, x.sum())
    return x


def without_results(x, n):
    for i in range(n):
        if x[i] > 0:
            jax.debug.callback(note, "positive", i)


def in_one_arm(x, n):
    total = 0.0
    for i in range(n):
        if x[i] > 0:
            total += x[i]
            io_callback(lambda v: note("total", v), None, total, ordered=True)
        else:
            total -= 1
    return total


def in_inner_loops(x, n):
    for i in range(n):
        for j in range(i):
            if x[j] < x[i]:
                jax.debug.callback(functools.partial(note, "pair"), i * 10 + j)
                break
    return x * 2


def until_data_says(x, n):
    total, steps = 0.0, 0
    while total < n:
        total += 1.0
        jax.debug.callback(note, "step", total)
        if steps > 5:
            break
    return total


def beside_writes(x, n):
    for i in range(n):
        x[i] += 1
        jax.debug.callback(note, "written", x[i])
    return x.sum()


def results_of_the_host(x, n):
    return [float(jax.pure_callback(np.exp, jax.ShapeDtypeStruct((), np.float32), x[i])) for i in range(n)]


@pytest.mark.parametrize("n", [0, 1, 2, 5, 40])
@pytest.mark.parametrize(
    "f",
    [
        each_trip,
        without_results,
        in_one_arm,
        in_inner_loops,
        until_data_says,
        beside_writes,
        results_of_the_host,
    ],
)
def test_effects_happen_as_often(f, n):
    x = np.random.default_rng(n).integers(-3, 4, 64).astype(np.float32)
    compiled = xlapy.jit(f)
    for _ in range(2):
        logs, results = [], []
        for function in (f, compiled):
            LOG.clear()
            results.append(function(x.copy(), n))
            jax.effects_barrier()
            logs.append(sorted(map(str, LOG)) if f is not in_one_arm else list(map(str, LOG)))
        assert logs[0] == logs[1]
        np.testing.assert_allclose(*(np.zeros(0) if r is None else np.asarray(r) for r in results), rtol=1e-6)


def test_print_is_not_dropped(capfd):
    @xlapy.jit
    def f(x, n):
        for i in range(n):
            jax.debug.print("{i}: {x}", i=i, x=x[0], ordered=True)
        return x + 1

    for n in (0, 1, 3, 50):
        capfd.readouterr()
        f(np.ones(2, np.float32), n)
        jax.effects_barrier()
        assert capfd.readouterr().out == "".join(f"{i}: 1.0\n" for i in range(n))


def test_callback_with_a_result():
    @xlapy.jit
    def f(x):
        return jax.pure_callback(lambda v: np.asarray(v) * 2, PAIR, x), io_callback(np.cos, PAIR, x, ordered=True)

    x = np.array([0.5, 1], np.float32)
    doubled, cosine = f(x)
    np.testing.assert_array_equal(doubled, x * 2)
    np.testing.assert_array_equal(cosine, np.cos(x))


def test_callback_that_keeps_in_an_object_of_the_caller():
    kept = []

    @xlapy.jit
    def f(x):
        jax.debug.callback(kept.append, x[0])
        jax.debug.callback(lambda v: kept.append(-v), x[1])
        return 3

    for _ in range(2):
        f(np.array([1, 2], np.float32))
        jax.effects_barrier()
    assert sorted(map(float, kept)) == [-2, -2, 1, 1]
    old, kept = kept, []
    f(np.array([1, 2], np.float32))
    jax.effects_barrier()
    assert sorted(map(float, kept)) == [-2, 1] and len(old) == 4


def test_callback_that_uses_a_value_of_the_program_is_refused():
    @xlapy.jit
    def f(x):
        y = x * 2
        jax.debug.callback(lambda v: note("y", v + y), x)
        return y

    with pytest.raises(xlapy.NotOffloadableError, match="argument of the callback"):
        f(np.ones(2))


def test_transformations():
    def inner(z):
        jax.debug.callback(note, "inner", z)
        return (z**2).sum()

    x = np.ones(2, np.float32)
    for f in (
        lambda x: jax.vmap(inner)(jnp.stack([x, x + 1])),
        lambda x: jax.grad(inner)(x),
        lambda x: jax.lax.scan(lambda c, i: (inner(c * jnp.ones(2)), i), x.sum(), jnp.arange(3))[0],
    ):
        logs = []
        for function in (jax.jit(f), xlapy.jit(f)):
            LOG.clear()
            function(x)
            jax.effects_barrier()
            logs.append(sorted(map(str, LOG)))
        assert logs[0] == logs[1] and logs[0]


def checked(x):
    checkify.check(x.sum() > 5, "the sum is {s}", s=x.sum())
    return x + 1


def test_checkify_inside():
    compiled = xlapy.jit(checkify.checkify(checked))
    with pytest.raises(checkify.JaxRuntimeError, match="the sum is 2.0"):
        compiled(np.ones(2, np.float32))[0].throw()
    compiled(np.full(2, 3, np.float32))[0].throw()


def test_a_check_that_nobody_makes_an_error_of_is_refused_by_jax():
    for f in (xlapy.jit(checked), checkify.checkify(xlapy.jit(checked))):
        with pytest.raises(ValueError, match="not functionalized"):
            f(np.ones(2, np.float32))


def logarithm(x):
    return np.log(x)


def doubled_sum(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i] * 2
    return total


def write_only(x):
    x[0] = np.inf - np.inf
    return 3


@pytest.mark.parametrize("returns", ["jax", "numpy"])
@pytest.mark.parametrize("f,bad", [(logarithm, -1.0), (doubled_sum, np.nan), (write_only, 1.0)])
def test_debug_nans(f, bad, returns):
    x = np.array([bad, 1.0])
    with jax.debug_nans(True):
        compiled = xlapy.jit(f, returns=returns)
        for _ in range(2):
            with pytest.raises(FloatingPointError):
                compiled(x.copy())
    compiled(x.copy())


@pytest.mark.parametrize("f,bad", [(logarithm, -1.0), (doubled_sum, np.nan), (write_only, 1.0)])
def test_debug_nans_is_asked_for_after_a_call_without_xla(f, bad, monkeypatch):
    """What XLA has run before is not checked, as is so with `jax.jit`."""
    compiled = xlapy.jit(f)
    monkeypatch.undo()  # every form of loops
    x = np.array([bad, 1.0])
    for _ in range(2):
        compiled(x.copy())
        with jax.debug_nans(True), pytest.raises(FloatingPointError):
            compiled(x.copy())


@pytest.mark.parametrize("returns", ["jax", "numpy"])
def test_debug_infs(returns):
    with jax.debug_infs(True), pytest.raises(FloatingPointError):
        xlapy.jit(logarithm, returns=returns)(np.zeros(2))
