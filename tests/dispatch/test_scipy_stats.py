"""scipy.stats: SciPy's compiled code against what stands for it in plain Python."""

import numpy as np
import pytest
from scipy.stats import _stats

from xlapy.library.scipy import stats


def test_pairs_in_another_order():
    rng = np.random.default_rng(0)
    for n in (2, 3, 8, 30):
        for most in (2, 9, 40):
            x, y = (np.unique(rng.integers(0, most, n), return_inverse=True)[1] + 1 for _ in range(2))
            order = np.lexsort((y, x))
            x, y = x[order].astype(np.intp), y[order].astype(np.intp)
            assert stats._in_another_order(x, y) == _stats._kendall_dis(x, y)


@pytest.mark.parametrize("name", ["float", "double"])
def test_densities(name):
    rng = np.random.default_rng(1)
    dtype = np.dtype({"float": "f4", "double": "f8"}[name])
    points, at = rng.normal(size=(7, 2)).astype(dtype), rng.normal(size=(3, 2)).astype(dtype)
    values, factor = np.full((7, 1), 1 / 7, dtype), np.array([[1.5, 0.0], [0.3, 0.8]], dtype)
    dtype_name = {"float": "float32", "double": "float64"}[name]
    wanted = _stats.gaussian_kernel_estimate[name](points, values, at, factor, dtype_name)
    found = stats._estimate(points, values, at, factor, dtype_name)
    np.testing.assert_allclose(found, wanted, rtol=1e-5 if name == "float" else 1e-12)
