"""Parts of a program that are worked out before it runs: machine code, where that is made; and what they give."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.dispatch.host_evaluation import HostValue

COUNTS = np.array([3, 1, 2, 3, 3, 1])


def in_rows(y, x):
    """As many rows as the largest number says."""
    return x.reshape(y.max(), -1) * np.sort(y).sum()


def up_to_the_largest(y, x):
    return np.zeros(y.max() + 1) + x.sum()


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="machine code is for CPUs")
@pytest.mark.parametrize("function", [in_rows, up_to_the_largest])
def test_machine_code(function, monkeypatch):
    """No program of XLA's is made to tell a size; another one is noticed, also of arrays that do not lie in rows."""
    asked = []
    original = HostValue._as_machine_code
    monkeypatch.setattr(HostValue, "_by_xla", lambda self: pytest.fail("compiled by XLA"))
    monkeypatch.setattr(HostValue, "_as_machine_code", lambda self: asked.append(self) or original(self))
    compiled = xlapy.jit(function, returns="numpy")
    x = np.random.default_rng(0).random(12)
    for y in (COUNTS, COUNTS + 1, COUNTS // 2, COUNTS[::-1], np.repeat(COUNTS, 2)[::2], COUNTS):
        wanted = function(y, x)
        found = compiled(y, x)
        assert found.shape == wanted.shape and found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-14)
    assert asked


def test_what_xla_has_to_tell():
    """A size that needs a library of linear algebra."""

    def ranked(a):
        return np.ones(int(np.abs(np.linalg.solve(a, a[0])).sum()) + 2)

    a = np.array([[2.0, 1.0], [1.0, 3.0]])
    compiled = xlapy.jit(ranked, returns="numpy")
    for matrix in (a, a.T, a * 2):
        np.testing.assert_array_equal(compiled(matrix), ranked(matrix))
