"""The small programs agree with their hand-written versions; the loops' exponent; the chips' rooflines."""

import jax
import numpy as np
import pytest

from benchmarks.chips import TPUS
from benchmarks.models import data, vgg19
from benchmarks.suites import programs
from benchmarks.suites.loops import exponent


def test_relax_by_hand():
    u = np.zeros((12, 12))
    u[0] = 1.0
    with jax.enable_x64(True):
        it, diff, grid = jax.jit(programs.relax_jax)(u, 1e-4, 100)
    expected = programs.relax(u, 1e-4, 100)
    assert (int(it), float(diff)) == pytest.approx(expected)
    np.testing.assert_allclose(grid, u)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_nested_by_hand(depth):
    x = np.linspace(0.1, 0.9, 4, dtype=np.float32)
    np.testing.assert_allclose(programs.nested_jax(depth)(x, 2), programs.nested(depth)(x, 2), rtol=1e-5)


def test_fresh_functions_have_code_of_their_own():
    first, second = programs.fresh(programs.small), programs.fresh(programs.small)
    assert first.__code__ != second.__code__ != programs.small.__code__
    assert first(2.0, 3.0) == programs.small(2.0, 3.0)


def test_exponent():
    assert exponent({1: 2.0, 2: 4.0, 4: 8.0}) == pytest.approx(1.0)
    assert exponent({1: 1.0, 2: 4.0, 4: 16.0}) == pytest.approx(2.0)


def test_roofline_is_the_longer_of_computing_and_moving():
    chip = TPUS["v5e"]
    assert chip.seconds(197e12, 0.0, "bfloat16") == pytest.approx(1.0)
    assert chip.seconds(1.0, 819e9, "bfloat16") == pytest.approx(1.0)


def test_vgg19_has_the_published_number_of_parameters():
    leaves = [leaf for leaf in jax.tree.leaves(vgg19.shapes()) if hasattr(leaf, "shape")]
    assert sum(int(np.prod(leaf.shape)) for leaf in leaves) == vgg19.PARAMETERS


def test_photographs_are_real_and_different():
    views = data.photographs(4, side=32)
    assert views.shape == (4, 3, 32, 32) and views.dtype == np.float32
    assert all(np.abs(views[i] - views[j]).mean() > 0.05 for i in range(4) for j in range(i))
