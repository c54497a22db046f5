"""Many small matrices at a time, in machine code: as NumPy's own, also where they are singular."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points
from xlapy.runtime import native_calls

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(3)


def solved(a, b):
    return np.linalg.solve(a, b), np.linalg.inv(a), np.linalg.det(a), np.linalg.slogdet(a)


def of_products(a, b):
    s = a @ a.swapaxes(1, 2) + np.eye(a.shape[1])
    return np.linalg.cholesky(s), s @ b, (np.exp(a) * 0.1) @ (a - 1.5), np.einsum("kij,kj->ki", a, a[:, 0])


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("rows", [2, 3, 4, 5])
@pytest.mark.parametrize("function", [solved, of_products])
def test_factors_and_products(function, rows, dtype, monkeypatch):
    made, original = [], native_calls.whole_as_machine_code
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: made.append(original(*args)) or made[-1])
    a, b = RNG.normal(size=(7, rows, rows)), RNG.normal(size=(7, rows, 2))
    a[3], a[4] = a[3] + 2 * np.eye(rows)[::-1], np.eye(rows)[::-1]  # rows have to be exchanged
    given = a.astype(dtype), b.astype(dtype)
    wanted, found = (jax.tree.leaves(f(*given)) for f in (function, xlapy.jit(function, returns="numpy")))
    assert made and made[0] is not None
    for one, other in zip(found, wanted, strict=True):
        assert np.asarray(one).dtype == np.asarray(other).dtype
        scale = np.abs(other).max()
        np.testing.assert_allclose(one, other, rtol=0, atol=2000 * np.finfo(dtype).eps * scale)


def test_singular_matrices():
    a = RNG.normal(size=(4, 3, 3))
    a[2] = [[1, 2, 3], [2, 4, 6], [0, 0, 1]]
    for function in (np.linalg.inv, lambda a: np.linalg.solve(a, a[:, :, :1])):
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            function(a)
        with pytest.raises(np.linalg.LinAlgError, match="Singular"):
            xlapy.jit(lambda a, f=function: f(a))(a)
    assert xlapy.jit(lambda a: np.linalg.det(a))(a)[2] == np.linalg.det(a)[2] == 0
    with pytest.raises(np.linalg.LinAlgError, match="positive"):
        xlapy.jit(lambda a: np.linalg.cholesky(a))(-np.stack([np.eye(3)] * 4))
