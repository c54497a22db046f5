"""What a mask selects, moved to the front: by loops, of one or several lanes a trip, and by a scatter; derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering import compaction
from xlapy.lowering.counting import _in_parts, _scattered, occurrences

RANDOM = np.random.default_rng(5)
MASKS = [RANDOM.random(n) < share for n in (0, 1, 7, 300, 513, 1200) for share in (0.0, 0.1, 0.7, 1.0)]


@pytest.fixture(autouse=True)
def double_precision():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int8, bool, np.complex128])
def test_elements(kind):
    for mask in MASKS:
        x = RANDOM.integers(0, 100, mask.size).astype(kind)
        for form in (compaction.pressed, compaction._pressed_at_once):
            found = jax.jit(form)(x, mask)
            assert found.dtype == x.dtype and found.shape == x.shape
            np.testing.assert_array_equal(found[: mask.sum()], x[mask])


def test_positions():
    for mask in MASKS:
        for form in (compaction.positions, compaction._positions_at_once):
            np.testing.assert_array_equal(jax.jit(form)(mask)[: mask.sum()], np.flatnonzero(mask))


def test_derivatives():
    mask, x = RANDOM.random(40) < 0.4, RANDOM.random(40)
    weights = np.where(np.arange(40) < mask.sum(), np.arange(1.0, 41.0), 0)
    found = jax.grad(lambda x: jnp.sum(compaction.pressed(x, mask) * weights))(x)
    expected = np.zeros(40)
    expected[mask] = weights[: mask.sum()]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [np.uint8, np.int8, np.int32, np.int64])
def test_occurrences(kind):
    for size in (0, 3, 2050, 4099):
        numbers = RANDOM.integers(0, 100, size).astype(kind)
        expected = np.bincount(numbers, minlength=130)
        for form in (occurrences, _scattered, *((_in_parts,) if size else ())):
            np.testing.assert_array_equal(jax.jit(form, static_argnums=1)(numbers, 130), expected)


@pytest.mark.parametrize("size", [1, 511, 512, 513, 519, 520, 5000])
@pytest.mark.parametrize("which", ["none", "all", "some", "last", "first"])
def test_selections(size, which):
    random = np.random.default_rng(size)
    x = random.standard_normal(size)
    mask = {"none": x > 99, "all": x < 99, "some": x > 0.3}.get(which, np.zeros(size, bool))
    if which in ("last", "first"):
        mask[-1 if which == "last" else 0] = True

    def selected(x, mask):
        return x[mask], np.flatnonzero(mask), (x * 100).astype(np.int8)[mask], np.where(mask, x, 0)[mask]

    for got, expected in zip(xlapy.jit(selected)(x, mask), selected(x, mask), strict=True):
        assert np.asarray(got).dtype == expected.dtype
        np.testing.assert_array_equal(got, expected)


def test_a_selection_outlives_the_next_call():
    """It may be the front of what the program made, without a copy."""
    positive = xlapy.jit(lambda x: x[x > 0])
    x = np.abs(np.random.default_rng(0).standard_normal(100_000)) + 1.0
    first = positive(x)
    rest = [positive(-x), positive(2 * x)]
    np.testing.assert_array_equal(first, x)
    np.testing.assert_array_equal(rest[1], 2 * x)
    assert rest[0].shape == (0,)


def test_derivatives_of_a_program():
    x = np.random.default_rng(0).standard_normal(1000)
    slopes = xlapy.grad(lambda x: (x[x > 0] ** 2).sum())(x)
    np.testing.assert_allclose(slopes, np.where(x > 0, 2 * x, 0), rtol=1e-14)
