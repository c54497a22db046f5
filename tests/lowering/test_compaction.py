"""What a mask selects, moved to the front: by loops, of one or several lanes a trip, and by a scatter; derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy
from xlapy.lowering.cpu_xla import rewriting
from xlapy.lowering.jaxprs.jaxpr_dce import needed
from xlapy.lowering.llvm import stream_compaction
from xlapy.lowering.primitives import compaction
from xlapy.lowering.primitives.bincount import _in_parts, _scattered, occurrences

from . import ways

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
        for form in (compaction.compacted, compaction._compacted_at_once):
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
    found = jax.grad(lambda x: jnp.sum(compaction.compacted(x, mask) * weights))(x)
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


RNG = np.random.default_rng(8)
NUMBERS = RNG.standard_normal(1001)
NUMBERS[::7] = np.nan
NUMBERS[3::11] = -0.0


def compared(x):
    return x[x > 0], x[~(x > 0)], np.nonzero(x)[0], np.flatnonzero(x != x), np.where(x < -0.5)[0]


def of_computed(x):
    y = np.exp(x)[x < 0.5] * 2
    return y, (x * 2 + 1)[x * x > 1], np.extract(x > 1, x[::-1])


def of_columns(x):
    a = x[:1000].reshape(100, 10)
    column = a[:, 3]
    return column[a[:, 4] > 0], a[column > 0], a[:, a[0] < 0], a[a > 1], np.argwhere(a < -2)


def in_a_loop(x):
    found = []
    for k in range(4):
        x = x[x > -2 + k * 0.5]
        found.append(x.sum())
    return x, np.array(found)


def in_branches(x):
    y = x[x > 0] if x[1] > 0 else x[x < 0]
    return y, y.size, y[::2]


def stored(x):
    x[x > 0] = x[x > 0][::-1]
    x[x < -1] += 1
    return x, np.unique(np.round(x[x < 0]))


def nothing(x):
    return x[x > 99], np.nonzero(x > 99)[0], x[:0][x[:0] > 0], x[:1][x[:1] == x[:1]]


@pytest.fixture(params=ways.ALL)
def way(request, monkeypatch):
    """Programs are machine code as a whole, or XLA's; the latter also without functions that it calls."""
    yield from ways.chosen(request.param, monkeypatch, (stream_compaction, "suits"))


PROGRAMS = [compared, of_computed, of_columns, in_a_loop, in_branches, stored, nothing]
CASES = [(f, dtype, "jax") for f in PROGRAMS for dtype in ("float64", "int16")]
CASES += [(f, "float64", "numpy") for f in PROGRAMS]
CASES += [(f, dtype, "jax") for f in (compared, nothing) for dtype in ("float32", "complex128")]


@pytest.mark.parametrize(("function", "dtype", "returns"), CASES)
def test_programs(function, dtype, returns, way):
    x = np.nan_to_num(NUMBERS * 3).astype(dtype) if dtype == "int16" else NUMBERS.astype(dtype)
    theirs, ours = x.copy(), x.copy()
    compiled = xlapy.jit(function, returns=returns)
    for _ in range(2):
        with np.errstate(all="ignore"):
            wanted, found = function(theirs), compiled(ours)
        for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
            assert (np.asarray(one).dtype, np.shape(one)) == (np.asarray(other).dtype, np.shape(other))
            np.testing.assert_allclose(one, other, rtol=1e-6 if np.asarray(other).dtype == np.float32 else 1e-12)
            assert returns == "jax" or not isinstance(one, np.ndarray) or one.flags.writeable


def test_machine_code_selects(monkeypatch):
    """Programs of few elements, and such as are XLA's: both have the same function."""
    calls, original = [], stream_compaction._compact
    monkeypatch.setattr(stream_compaction, "_compact", lambda *args: calls.append(args[1].shape) or original(*args))
    rewriting._rewritten.cache_clear()
    for size in (1000, 1_200_000):
        x = RNG.standard_normal(size)
        np.testing.assert_array_equal(xlapy.jit(lambda x: x[x > 0])(x), x[x > 0])
        np.testing.assert_array_equal(xlapy.jit(lambda x: np.flatnonzero(x > 1))(x), np.flatnonzero(x > 1))
    assert calls == [(1000,)] * 2 + [(1_200_000,)] * 2


def test_transformations():
    x, weights = RNG.standard_normal(60), np.arange(60.0)

    def weighted(x):
        chosen = x[x > 0]
        return (chosen**2 * weights[: len(chosen)]).sum()

    expected = np.zeros(60)
    expected[x > 0] = 2 * x[x > 0] * weights[: (x > 0).sum()]
    np.testing.assert_allclose(xlapy.grad(weighted)(x), expected, rtol=1e-12)
    many = RNG.standard_normal((5, 60))
    np.testing.assert_allclose(xlapy.vmap(weighted)(many), [weighted(row) for row in many], rtol=1e-12)


def test_what_nobody_needs_is_not_computed():
    """Operands that only derivatives look at are not evaluated in machine code."""

    @jax.custom_jvp
    def first(x, y):
        return x * 2

    first.defjvp(lambda primals, tangents: (first(*primals), tangents[1]))
    jaxpr = jax.make_jaxpr(lambda x: (first(x, jnp.sort(x)), jnp.cos(x))[0])(np.arange(4.0))
    equations, wanted = needed(jaxpr.jaxpr)
    assert [e.primitive.name for e in equations] == ["custom_jvp_call"]
    assert wanted >= set(jaxpr.jaxpr.invars)
