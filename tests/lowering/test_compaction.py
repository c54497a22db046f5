"""What a mask selects, moved to the front: by a loop and by a scatter, and differentiated."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from xlapy.lowering import compaction
from xlapy.lowering.counting import _in_parts, _scattered, occurrences

RANDOM = np.random.default_rng(5)
MASKS = [RANDOM.random(n) < share for n in (0, 1, 7, 300) for share in (0.0, 0.1, 0.7, 1.0)]


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
