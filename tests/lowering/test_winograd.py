"""Convolutions with fewer multiplications (`lowering.llvm.winograd`) against XLA's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import xlapy
from xlapy.lowering.llvm import winograd, winograd_weights

SHAPES = [  # images, channels, height, width, filters: few tiles and many, ends of rows within a tile
    (1, 16, 8, 8, 16),
    (2, 17, 5, 7, 16),
    (1, 512, 7, 7, 16),
    (1, 16, 14, 14, 32),
    (1, 128, 28, 28, 64),
    (1, 16, 1, 80, 16),
    (5, 20, 33, 31, 32),
    (1, 64, 56, 52, 64),
    (1, 200, 40, 40, 16),
]
PADDINGS = [((1, 1), (1, 1)), ((0, 0), (0, 0)), ((2, 1), (0, 2))]
NUMBERS = {False: ("NCHW", "OIHW", "NCHW"), True: ("NCHW", "IOHW", "NCHW")}


def convolved(x, w, padding=((1, 1), (1, 1)), swapped=False, **options):
    return lax.conv_general_dilated(x, w, (1, 1), padding, dimension_numbers=NUMBERS[swapped], **options)


def arrays(images, channels, height, width, filters, swapped=False):
    random = np.random.default_rng(0)
    weights = (channels, filters) if swapped else (filters, channels)
    x = random.normal(size=(images, channels, height, width)).astype(np.float32)
    return x, random.normal(size=(*weights, 3, 3)).astype(np.float32)


def is_close(one, other):
    finite = np.isfinite(other)
    np.testing.assert_array_equal(one[~finite], other[~finite])
    assert one.shape == other.shape and one.dtype == other.dtype
    assert np.abs(one[finite] - other[finite]).max() <= 1e-5 * np.abs(other[finite]).max()


@pytest.fixture
def used(monkeypatch):
    """The convolutions, and derivatives of some, that were computed so, however small they are."""
    monkeypatch.setattr(winograd, "WORK_OF_WINOGRAD", 1)
    monkeypatch.setattr(winograd_weights, "_TILES", 1)
    seen = []
    for module, name in ((winograd, "convolved"), (winograd_weights, "derived")):
        compute = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *args, n=name, f=compute: seen.append((n, args[0])) or f(*args))
    return seen


@pytest.mark.parametrize("padding", PADDINGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_results(shape, padding, used):
    if shape[2] + sum(padding[0]) < 3:
        return
    for swapped in (False, True):
        x, w = arrays(*shape, swapped)
        ours = xlapy.jit(lambda x, w, s=swapped: convolved(x, w, padding, s))(jnp.array(x), w)
        is_close(np.asarray(ours), np.asarray(convolved(x, w, padding, swapped)))
    assert len(used) == 2


@pytest.mark.parametrize("shape", [(2, 16, 9, 9, 16), (1, 16, 40, 36, 16)])
def test_one_special_number_changes_its_neighbours_alone(shape, used):
    compiled = xlapy.jit(lambda x, w: convolved(x, w))
    for number in [np.nan, np.inf, 3e38]:
        x, w = arrays(*shape)
        x[0, 3, shape[2] // 2, 2] = number
        x[-1, 7, 0, 0] = -number
        is_close(np.asarray(compiled(jnp.array(x), w)), np.asarray(convolved(x, w)))
    assert len(used) == 1


def test_short_vectors(used, monkeypatch):
    monkeypatch.setattr(winograd, "rows_in_registers", lambda: {1: 4})
    winograd._library.cache_clear()
    try:
        for shape in [(1, 32, 14, 14, 64), (1, 32, 40, 40, 64)]:
            x, w = arrays(*shape)
            is_close(np.asarray(xlapy.jit(convolved)(jnp.array(x), w)), np.asarray(convolved(x, w)))
        assert len(used) == 2
    finally:
        winograd._library.cache_clear()


def slope_of_weights(x, w, y, padding):
    return jax.vjp(lambda w: convolved(x, w, padding), w)[1](y)[0]


@pytest.mark.parametrize("padding", PADDINGS[:2])
@pytest.mark.parametrize("shape", [s for s in SHAPES if s[1] % 16 == 0] + [(40, 32, 8, 8, 48), (3, 48, 90, 110, 16)])
def test_derivatives_of_weights(shape, padding, used):
    if shape[2] + sum(padding[0]) < 3:
        return
    compiled = xlapy.jit(lambda x, w, y: slope_of_weights(x, w, y, padding))
    for special in (None, np.nan, np.inf):
        x, w = arrays(*shape)
        y = np.random.default_rng(1).normal(size=convolved(x, w, padding).shape).astype(np.float32)
        if special is not None:
            x[0, 3, shape[2] // 2, 2] = special
            y[-1, 2, -1, 0] = -special
        is_close(np.asarray(compiled(jnp.array(x), w, y)), np.asarray(slope_of_weights(x, w, y, padding)))
    assert [name for name, _ in used].count("derived") == 1


@pytest.mark.parametrize("shape", [(3, 32, 33, 18, 16), (1, 16, 33, 18, 48)])
def test_derivatives_of_weights_in_several_blocks(shape, used, monkeypatch):
    monkeypatch.setattr(winograd_weights, "_BLOCK", 1 << 17)
    x, w = arrays(*shape)
    y = np.random.default_rng(1).normal(size=convolved(x, w).shape).astype(np.float32)
    ours = xlapy.jit(lambda x, w, y: slope_of_weights(x, w, y, ((1, 1), (1, 1))))(jnp.array(x), w, y)
    is_close(np.asarray(ours), np.asarray(slope_of_weights(x, w, y, ((1, 1), (1, 1)))))
    assert "derived" in dict(used)


def test_derivatives_and_maps(used):
    x, w = (jnp.array(a) for a in arrays(3, 16, 20, 20, 32))

    def loss(x, w):
        return (jax.vmap(lambda image: convolved(image[None], w)[0])(x) ** 2).mean()

    def slopes(x, w):
        return jax.grad(loss, argnums=(0, 1))(x, w)

    for ours, theirs in zip(xlapy.jit(slopes)(x, w), jax.jit(slopes)(x, w), strict=True):
        is_close(np.asarray(ours), np.asarray(theirs))
    found = {(name, given.channels) for name, given in used}
    assert found == {("convolved", 16), ("convolved", 32), ("derived", 16)}  # the second one is backwards to the images


def test_what_is_left_to_xla(used):
    x, w = arrays(1, 16, 32, 32, 32)
    precise = xlapy.jit(lambda x, w: convolved(x, w, precision=lax.Precision.HIGHEST))(jnp.array(x), w)
    np.testing.assert_array_equal(precise, convolved(x, w))
    for stride, dilation in [((2, 2), (1, 1)), ((1, 1), (2, 2))]:
        strided = xlapy.jit(
            lambda x, w, s=stride, d=dilation: lax.conv_general_dilated(x, w, s, "SAME", rhs_dilation=d)
        )(jnp.array(x), w)
        np.testing.assert_array_equal(strided, lax.conv_general_dilated(x, w, stride, "SAME", rhs_dilation=dilation))
    assert not used
