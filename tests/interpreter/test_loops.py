"""Which loops stay loops, what the analysis of a nest costs, and what has to be known for a loop to unroll."""

import re
import textwrap

import jax
import numpy as np
import pytest

import xlapy
from xlapy.interpreter import walk
from xlapy.runtime.cache import Cache

X = np.arange(6.0)
M = np.arange(12.0).reshape(3, 4)


def whiles(f, *args):
    """How many loops the program has."""
    return len(re.findall(r"= (while|for)\(|^ *(while|for)\(", xlapy.code_typed(f, *args), re.M))


def test_range_stays_one_loop():
    def f(x, n):
        s = 0.0
        for i in range(n):
            s += x[i % 6] * i
        return s

    assert whiles(f, X, 10) == 1
    jitted = xlapy.jit(f)
    assert [float(jitted(X, n)) for n in (0, 1, 10)] == [float(f(X, n)) for n in (0, 1, 10)]
    assert jitted.cache_info().misses == 1


def test_while_with_break_and_else():
    def f(x, tol):
        n = 0
        while n < 100:
            x = x * 0.5
            n += 1
            if x.sum() < tol:
                break
        else:
            n = -1
        return x, n

    assert whiles(f, X, 1e-3) == 1
    jitted = xlapy.jit(f)
    for tol in (1e-3, 1.0, 0.0):
        np.testing.assert_array_equal(jitted(X, tol)[0], f(X, tol)[0])
        assert jitted(X, tol)[1] == f(X, tol)[1]


def test_rows_of_an_array():
    def f(m):
        s = np.zeros(4)
        for row in m:
            s = s * 2 + row
        return s

    assert whiles(f, M) == 1
    np.testing.assert_array_equal(xlapy.jit(f)(M), f(M))


def test_accumulator_widens():
    def f(x, n):
        s = 0
        for i in range(n):
            s = s + x[i]
        return s

    assert whiles(f, X, 3) == 1
    assert float(xlapy.jit(f)(X, 3)) == 3.0


def test_peeled_first_trip():
    def f(x, n):
        best = None
        for i in range(1, n):
            v = np.sin(x * i)
            if best is None or v.sum() > best.sum():
                best = v
        return best

    assert whiles(f, X, 5) <= 2
    np.testing.assert_allclose(xlapy.jit(f)(X, 5), f(X, 5))


class Layer:
    def __init__(self, w):
        self.w = w

    def __call__(self, x):
        return np.tanh(x @ self.w)


def test_layers_unroll():
    layers = [Layer(np.ones((6, 5))), Layer(np.ones((5, 4))), Layer(np.ones((4, 3)))]

    def f(x):
        for layer in layers:
            x = layer(x)
        return x

    assert whiles(f, X) == 0
    np.testing.assert_allclose(xlapy.jit(f)(X), f(X))


def test_an_array_that_grows_keeps_the_loop():
    def f(x, n):
        for _ in range(n):
            x = np.concatenate([x, x[:1]])
        return x

    assert whiles(f, X, 3) == 1
    assert "static n" not in xlapy.jit(f).explain(X, 3)
    jitted = xlapy.jit(f)
    for n in (3, 0, 7):
        np.testing.assert_array_equal(jitted(X, n), f(X, n))
    assert jitted.cache_info().misses == 1


def test_shapes_that_settle_nowhere_make_the_count_static():
    def f(x, n):
        for _ in range(n):
            x = x[None]
        return x

    assert whiles(f, X, 3) == 0
    assert "static n" in xlapy.jit(f).explain(X, 3)
    np.testing.assert_array_equal(xlapy.jit(f)(X, 3), f(X, 3))


def test_demand_makes_only_what_is_needed_static():
    def f(x, n, k):
        return np.zeros(n) + x.sum() * k

    text = xlapy.jit(f).explain(X, 3, 2)
    assert "static n" in text and "static k" not in text


def test_contents_of_arrays_are_static_where_nothing_else_helps():
    def f(x, labels):
        scores = np.zeros((labels.max() + 1, int(x[1])))
        scores[labels] += x[0]
        return scores

    jitted = xlapy.jit(f)
    for first, columns, labels in ((1.0, 2.0, [0, 2]), (5.0, 2.0, [2, 1]), (5.0, 3.0, [2, 1]), (5.0, 3.0, [0, 0])):
        arguments = np.array([first, columns, 9.0]), np.array(labels)
        np.testing.assert_array_equal(jitted(*arguments), f(*arguments))
    assert jitted.cache_info().misses == 3


def test_array_data_is_never_static_where_it_changes_or_takes_a_loop_to_tell():
    def f(x):
        while x[0] < 10:
            x = x * 2
        return np.zeros(int(x[0]))

    def g(x):
        for k in range(100):
            x = x + np.zeros((int(x[0]) + k, 1)).sum()
        return x

    for program in (f, g):
        with pytest.raises(xlapy.NotOffloadableError, match="XP0006|XP0013"):
            jax.jit(xlapy.jit(program))(X)
    with pytest.raises(xlapy.NotOffloadableError, match="XP0006|XP0013"):
        xlapy.jit(f)(X)


# -- cost -------------------------------------------------------------------------------------------------------------


def nest(depth):
    """A function with `depth` loops, one in the other, over one array and two numbers."""
    lines = ["def f(x, n):", "    s = 0", "    c = 0.0"]
    for level in range(depth):
        lines.append("    " * (level + 1) + f"for i{level} in range(n):")
    pad = "    " * (depth + 1)
    lines += [f"{pad}s = s + x[i0 % 6]", f"{pad}c = c + s * 0.5", "    return s, c"]
    namespace = {}
    exec(textwrap.dedent("\n".join(lines)), namespace)
    return namespace["f"]


def operations_walked(f, *args, monkeypatch):
    """How many operations of bytecode the interpreter executes to compile `f`."""
    count = [0]
    execute = walk.execute

    def counted(*arguments):
        count[0] += 1
        return execute(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(walk, "execute", counted)
        xlapy.code_typed(f, *args)
    return count[0]


def test_passes_grow_with_the_depth_of_a_nest(monkeypatch):
    counts = [operations_walked(nest(depth), X, 3, monkeypatch=monkeypatch) for depth in range(1, 9)]
    per_level = [count / (depth + 1) for depth, count in enumerate(counts, start=1)]
    # linear in (operations) times (passes): both grow with the depth, so a quadratic is allowed and no power of two
    assert counts[-1] < 16 * counts[0], counts
    assert per_level[-1] < 4 * per_level[0], counts


@pytest.mark.parametrize("depth", [1, 2, 4])
def test_nests_are_right(depth):
    f = nest(depth)
    made, expected = xlapy.jit(f)(X, 3), f(X, 3)
    np.testing.assert_allclose([float(v) for v in made], [float(v) for v in expected])
    assert whiles(f, X, 3) == depth


def test_compilation_does_not_depend_on_the_number_of_trips(monkeypatch):
    def f(x, n):
        for i in range(n):
            x = x * 0.5 + i
        return x

    def g10(x):
        for i in range(10):
            x = x * 0.5 + i
        return x

    def g100000(x):
        for i in range(100_000):
            x = x * 0.5 + i
        return x

    assert xlapy.code_typed(f, X, 10) == xlapy.code_typed(f, X, 100_000)
    small, large = (operations_walked(g, X, monkeypatch=monkeypatch) for g in (g10, g100000))
    assert small == large
    assert len(xlapy.code_xla(g10, X)) - len(xlapy.code_xla(g100000, X)) in range(-40, 40)


def test_one_analysis_for_one_compilation(monkeypatch):
    calls = []
    original = Cache.analyse
    monkeypatch.setattr(Cache, "analyse", lambda self, *a, **k: calls.append(1) or original(self, *a, **k))
    f = xlapy.jit(lambda x: x + 1)
    f(X)
    f(X)
    assert len(calls) == 1


def test_trips_are_peeled_until_types_settle():
    def f(x, n):
        y = np.zeros(6, int)
        for _ in range(n):
            x, y = x * 0.5 + y, x
        return x, y

    assert whiles(f, np.arange(6), 10) == 1
    jitted = xlapy.jit(f)
    for n in (10, 20, 30, 40):
        jitted(np.arange(6), n)
    assert jitted.cache_info().misses <= 2


def relaxed(x, use):
    """A loop of 24 trips with about forty operations each, whose losses go into a list."""
    losses, moments = [], {}
    for _ in range(24):
        loss = np.mean((x - 1.0) ** 2)
        losses.append(loss)
        g = 2 * (x - 1.0) / len(x)
        m, v = moments.get("m", np.zeros_like(x)), moments.get("v", np.zeros_like(x))
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        moments["m"], moments["v"] = m, v
        x = x - 0.1 * m / (np.sqrt(v) + 1e-8)
    return use(losses), x


def test_a_list_grows_in_a_loop_of_few_long_trips():
    def f(x):
        return relaxed(x, lambda losses: losses)

    assert whiles(f, X) == 1
    (made, x), (expected, y) = xlapy.jit(f)(X), f(X)
    np.testing.assert_allclose(made, expected, rtol=1e-12)
    np.testing.assert_allclose(x, y, rtol=1e-12)


def test_such_a_loop_is_unrolled_where_the_list_has_to_be_known():
    def f(x):
        return relaxed(x, lambda losses: {round(k / 2, 1): loss for k, loss in enumerate(losses)})

    made, expected = xlapy.jit(f)(X)[0], f(X)[0]
    assert list(made) == list(expected)
    np.testing.assert_allclose(list(made.values()), list(expected.values()), rtol=1e-12)
