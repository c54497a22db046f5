"""Loops of a program whose trips are apart, made by several threads: the same as Python's, errors too."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points, loop_code, parallel_outlining
from xlapy.lowering.llvm.thread_pool import thread_pool
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(5)


def distances(x, y):
    d = np.empty((len(x), len(y)))
    for i in range(len(x)):
        for j in range(len(y)):
            s = 0.0
            for k in range(x.shape[1]):
                s += (x[i, k] - y[j, k]) ** 2
            d[i, j] = np.sqrt(s)
    return d


def escapes(x, y):
    found = np.zeros((len(x), len(y)), np.int64)
    for i in range(len(x)):
        for j in range(len(y)):
            a = b = 0.0
            k = 0
            while k < 30 and a * a + b * b < 4.0:
                a, b = a * a - b * b + x[i, 0] * 3 - 2, 2 * a * b + y[j, 0]
                k += 1
            found[i, j] = k
    return found


def rows_in_order(x, y):
    for i in range(len(x)):
        for a in range(1, x.shape[1]):
            v = x[i, a]
            k = a
            while k > 0 and x[i, k - 1] > v:
                x[i, k] = x[i, k - 1]
                k -= 1
            x[i, k] = v
    return x


def flat(x, y):
    n, m = x.shape
    out = np.zeros(n * m)
    for i in range(n):
        for j in range(m):
            out[i * m + j] = x[i, j] * 2 + i
    return out


def backwards(x, y):
    for i in range(len(x) - 1, -1, -1):
        x[i] = x[i] * 2 + y[i, 0]
    return x


def eliminated(x, y):
    a = x @ x.T + np.eye(len(x)) * 3
    for k in range(len(a)):
        for i in range(k + 1, len(a)):
            a[i, k] /= a[k, k]
            for j in range(k + 1, len(a)):
                a[i, j] -= a[i, k] * a[k, j]
    return a


def pairs(x, y):
    e = 0.0
    for i in range(len(x)):
        for j in range(i + 1, len(x)):
            e += 1.0 / (0.1 + (x[i, 0] - x[j, 0]) ** 2)
    return e


def choices(x, y):
    low = high = np.float64(-0.0)
    count = np.int64(3)
    for i in range(len(x)):
        if x[i, 0] < 0.5:
            low += x[i, 0]
            count += np.int64(i)
        else:
            high -= x[i, 0] * 0.5
    return low, high, count


# -- loops whose trips see each other --


def running(x, y):
    for i in range(1, len(x)):
        x[i] = x[i - 1] * 0.5 + x[i]
    return x


def overlapping(x, y):
    out = np.zeros(2 * len(x) + 3)
    for i in range(len(x)):
        out[2 * i : 2 * i + 3] += x[i, 0]
    return out


def read_later(x, y):
    for i in range(len(x) - 1):
        x[i] = x[i + 1] + 1
    return x


def shifted(x, y):
    for i in range(len(x)):
        x[i, 0] = x[(i + 1) % len(x), 1] + x[i, 0]
        x[i, 1] = i
    return x


def scratch(x, y):
    out, row = np.zeros(len(x)), np.zeros(x.shape[1])
    for i in range(len(x)):
        row[:] = x[i] * 2
        row[0] += row[1]
        out[i] = row.sum()
    return out, row


def looked_at(x, y):
    s = 0.0
    for i in range(len(x)):
        s += x[i, 0]
        x[i, 0] = s
    return s, x


def last_one(x, y):
    last, best = -1, -np.inf
    for i in range(len(x)):
        if x[i, 0] > best:
            best, last = x[i, 0], i
    return last, best


def same_place(x, y):
    out = np.zeros(3)
    for i in range(len(x)):
        out[i // (len(x) // 2 + 1)] += x[i, 0]
    return out


APART = [distances, escapes, rows_in_order, flat, backwards, eliminated, pairs, choices]
TOGETHER = [running, overlapping, read_later, shifted, scratch, looked_at, last_one, same_place]


@pytest.fixture
def shares(monkeypatch, parts):
    """Every loop is shared out, however short it is; the texts of the functions that make a part."""
    monkeypatch.setattr(loop_code, "ITERATIONS_SHARED", 0)
    return parts


def assert_same(found, wanted):
    found, wanted = (v if isinstance(v, tuple) else (v,) for v in (found, wanted))
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert np.shape(a) == np.shape(b)
        np.testing.assert_allclose(np.asarray(a), b, rtol=1e-10, atol=1e-13)


@pytest.mark.parametrize("size", [1, 2, 7, 64, 65, 131])
@pytest.mark.parametrize("function", [*APART, *TOGETHER])
def test_is_what_python_makes(function, size, shares):
    compiled = xlapy.jit(function)
    for _ in range(3):
        x, y = RNG.random((size, 5)), RNG.random((size, 5))
        mine, theirs = x.copy(), x.copy()
        assert_same(compiled(mine, y), function(theirs, y))
        np.testing.assert_allclose(mine, theirs, rtol=1e-10)
    assert shares or thread_pool() is None or size <= 7 or function in TOGETHER


def test_a_number_of_trips_that_is_not_known(shares):
    def integral(n, x):
        s = 0.0
        for i in range(n):
            s += 4.0 / (1.0 + ((i + 0.5) / n) ** 2)
        for i in range(min(n, len(x))):
            x[i] = x[i] + s
        return s / n

    compiled = xlapy.jit(integral)
    for n in (1, 2, 63, 4096, 4097, 100_000, 5):
        mine, theirs = np.arange(6.0), np.arange(6.0)
        np.testing.assert_allclose(float(compiled(n, mine)), integral(n, theirs), rtol=1e-12)
        np.testing.assert_allclose(mine, theirs, rtol=1e-12)


def raises_index(x, k):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[int(k[i])]
    return out


def raises_division(x, k):
    s = 0.0
    for i in range(len(x)):
        s += 1.0 / float(int(k[i]) - 3)
    return s


def raises_own(x, k):
    for i in range(len(x)):
        if k[i] > 500:
            raise ValueError("too large")
        n = 0
        while n < k[i]:
            if n > 400:
                raise KeyError(n)
            n += 1
        x[i] = n
    return x


@pytest.mark.parametrize("function", [raises_index, raises_division, raises_own])
def test_the_first_error_is_raised(function, shares):
    compiled = xlapy.jit(function)
    x, k = RNG.random(300), np.arange(300) % 200 + 4.0
    assert_same(compiled(x.copy(), k), function(x.copy(), k))
    bad = {raises_index: [900, -800, 300], raises_division: [3], raises_own: [501, 450, 470]}[function]
    for places in ([5, 290, 150], [290, 5, 40], [299, 298, 297], [0, 299, 1]):
        wrong = k.copy()
        for place, value in zip(places, bad, strict=False):
            wrong[place] = value
        with pytest.raises(Exception) as wanted:
            function(x.copy(), wrong)
        for _ in range(20):
            with pytest.raises(wanted.type) as found:
                compiled(x.copy(), wrong)
            assert str(found.value) == str(wanted.value)
    assert_same(compiled(x.copy(), k), function(x.copy(), k))


def test_sums_do_not_depend_on_threads(monkeypatch):
    x = RNG.random((3000, 5))
    monkeypatch.setattr(native_calls, "gained_by_machine_code", lambda region: float("inf"))
    shared = xlapy.jit(pairs)(x, x)
    monkeypatch.setattr(parallel_outlining, "thread_pool", lambda: None)
    assert float(xlapy.jit(pairs)(x, x)) == float(shared)


def test_all_threads_treat_the_smallest_numbers_alike(shares):
    def halves(x, y):
        z = np.fft.fft(y).real  # which XLA computes, and calls the loop
        for i in range(len(x)):
            s = x[i]
            for _ in range(40):
                s = s * 0.5 + x[i] * 0.5
            x[i] = s
        return z

    compiled = xlapy.jit(halves)
    for _ in range(20):
        x = np.full(100_000, 5e-310)
        compiled(x, np.ones(1 << 10))
        assert len(np.unique(x)) == 1 and x[0] in (0.0, 5e-310)
    assert shares or thread_pool() is None


def diffused(u, n):
    new = u.copy()
    for _ in range(n):
        for i in range(1, len(u) - 1):
            new[i] = 0.5 * (u[i - 1] + u[i + 1])
        u, new = new, u
    return u, new


def rotated(u, n):
    a, b = u * 2, u + 1
    for t in range(n):
        for i in range(1, len(u)):
            a[i] = b[i - 1] * 0.5 + u[i] + t
        u, a, b = b, u, a
    return u, a, b


def swapped_and_left(u, n):
    new, moved = np.zeros_like(u), 0
    for t in range(n):
        new[1:] = u[:-1]
        if u[0] > t:
            new[0] = u[-1] + t
            moved += 1
        if t > 5:
            raise ValueError("too many steps")
        u, new = new, u
    return u, moved


@pytest.mark.parametrize("size", [3, 400, 200_000])
@pytest.mark.parametrize("function", [diffused, rotated, swapped_and_left])
def test_swapped_arrays(function, size):
    compiled = xlapy.jit(function)
    for n in (0, 1, 2, 3, 4, 5, 6) if size < 1000 else (2, 3):
        mine, theirs = (np.arange(float(size)) * 0.37 % 9 for _ in range(2))
        assert_same(compiled(mine, n), function(theirs, n))
        np.testing.assert_array_equal(mine, theirs)
    if function is swapped_and_left and size < 1000:
        with pytest.raises(ValueError, match="too many steps"):
            compiled(np.arange(float(size)), 8)
