"""Signs of zeros, which the comparison of the semantic tests does not look at."""

import numpy as np
import pytest

import xlapy


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sign_of_zeros(dtype):
    for size in (5, 3000):
        x = np.resize(np.array([-0.0, 0.0, -2.0, np.nan, np.inf], dtype), size)

        def in_a_loop(x):
            y = np.ones(len(x), x.dtype)
            for i in range(len(x)):
                y[i] = np.sign(x[i])
            return y

        for f in (np.sign, lambda x: np.copysign(1.0, np.sign(x)), in_a_loop):
            found, wanted = xlapy.jit(lambda x, f=f: f(x), returns="numpy")(x), f(x)
            assert found.dtype == wanted.dtype
            assert np.array_equal(found, wanted, equal_nan=True)
            assert np.array_equal(np.signbit(found), np.signbit(wanted))
