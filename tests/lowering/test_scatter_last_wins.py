"""Elements that are put to places some of which are equal: the last one counts, on CPUs and elsewhere."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.primitives import scatter_last_wins


def by_arrays(a, rows, columns, values):
    a[rows, columns] = values
    return a


def by_selected(a, rows, values, mask):
    a[rows[mask]] = values[mask]
    return a


def behind(a, columns, values):
    a[:, columns] = values
    return a


def repeatedly(a, rows, values, n):
    for k in range(n):
        a[rows] = values + k
        rows = (rows * 3 + 1) % a.shape[0]
    return a


def escaped(z, c, n):
    """Points that leave a disc, each written where it began."""
    places = np.arange(z.size)
    when = np.zeros(z.size, dtype=np.int64)
    last = np.zeros_like(z)
    for k in range(n):
        z = z * z + c
        out = abs(z) > 2.0
        when[places[out]] = k + 1
        last[places[out]] = z[out]
        z, c, places = z[~out], c[~out], places[~out]
    return when, last


def same(function, *arguments):
    mine = [np.copy(x) if isinstance(x, np.ndarray) else x for x in arguments]
    wanted, found = function(*arguments), xlapy.jit(function)(*mine)
    for one, other in zip(*(x if isinstance(x, tuple) else (x,) for x in (wanted, found)), strict=True):
        other = np.asarray(other)
        assert one.dtype == other.dtype
        np.testing.assert_allclose(other, one, rtol=1e-12)
    for one, other in zip(arguments, mine, strict=True):
        np.testing.assert_array_equal(np.asarray(one), np.asarray(other))


@pytest.mark.parametrize("count", [5, 3000])
@pytest.mark.parametrize("dtype", [np.float64, np.int16, np.complex128, np.bool_])
def test_of_equal_places_the_last_counts(dtype, count):
    rng = np.random.default_rng(count)
    values = rng.integers(0, 2 if dtype is np.bool_ else 1000, count).astype(dtype)
    rows, columns = rng.integers(-50, 50, count), rng.integers(-40, 40, count)
    mask = rng.random(count) < 0.5
    same(by_arrays, np.zeros((50, 40), dtype), rows, columns, values)
    same(by_selected, np.zeros(50, dtype), rows, values, mask)
    same(by_selected, np.zeros((50, 3), dtype), rows, np.stack([values] * 3, 1), mask)
    same(behind, np.zeros((3, 40), dtype), columns, np.stack([values] * 3))


def test_none_is_selected():
    same(by_selected, np.arange(7.0), np.zeros(4, dtype=int), np.ones(4), np.zeros(4, dtype=bool))


def test_in_loops():
    rng = np.random.default_rng(1)
    same(repeatedly, np.zeros(6000), rng.integers(0, 6000, 2000), rng.random(2000), 9)
    grid = np.linspace(-2, 1, 60) + 1j * np.linspace(-1, 1, 60)[:, None]
    # not many trips: each makes what was rounded some times as large
    same(escaped, np.zeros(grid.size, complex), grid.ravel(), 15)


def test_outside_the_array_is_an_error():
    with pytest.raises(IndexError, match="index 9 is out of bounds"):
        xlapy.jit(by_selected)(np.zeros(9), np.array([1, 9]), np.ones(2), np.array([False, True]))


def test_gradient():
    rows = np.array([3, 1, 3, 0])

    def total(values):
        a = np.zeros(5)
        a[rows] = values
        return np.sum(a * np.arange(5.0))

    found = xlapy.grad(total)(np.ones(4))
    np.testing.assert_array_equal(np.asarray(found), [0.0, 1.0, 3.0, 0.0])

    def chosen(values, mask):
        a = np.zeros(5)
        a[rows[mask]] = values[mask]
        return np.sum(a * np.arange(5.0))

    found = xlapy.grad(chosen)(np.ones(4), np.array([True, True, False, True]))
    np.testing.assert_array_equal(np.asarray(found), [3.0, 1.0, 0.0, 0.0])


def test_both_ways_agree():
    rng = np.random.default_rng(2)
    base, new = jnp.zeros(40), jnp.asarray(rng.random(500))
    key = jnp.asarray(rng.integers(0, 40, 500))

    def at_once(base, new):
        last = jnp.full(40, -1).at[key].max(jnp.arange(500))
        return jnp.where(last >= 0, new[last], base)

    found = jax.jit(lambda base, new: scatter_last_wins.put(base, key, new, "drop", at_once))(base, new)
    np.testing.assert_array_equal(np.asarray(found), np.asarray(at_once(base, new)))
