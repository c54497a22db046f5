"""`ufunc.at` at indices whose number depends on data, where NumPy's loop is of another type than the array."""

import numpy as np
import pytest

import xlapy

CASES = [
    (np.maximum, bool, 0.5),
    (np.maximum, np.int64, 0.5),
    (np.maximum, np.int8, np.array([300, -2, 1])),
    (np.add, np.int64, np.array([0.5, -0.5, 300.0])),
    (np.add, np.int8, np.array([300, -2, 1])),
    (np.multiply, np.int64, 0.5),
    (np.multiply, np.float32, np.array([0.5, 2.0, -1.5])),
    (np.subtract, np.uint8, np.array([3, 2, 1], np.int8)),
]


@pytest.mark.parametrize("ufunc, dtype, values", CASES, ids=lambda x: getattr(x, "__name__", ""))
@pytest.mark.parametrize("least", [-3, 5])
def test_the_loop_of_another_type(ufunc, dtype, values, least):
    def program(array, indices, values):
        ufunc.at(array, indices[indices > least], values if np.ndim(values) == 0 else values[indices > least])
        return array

    array, indices = np.array([-4, 0, 3]).astype(dtype), np.array([1, -1, 1])
    try:
        found = xlapy.jit(program)(array.copy(), indices, values)
    except xlapy.NotOffloadableError as refusal:
        assert f"np.{ufunc.__name__}.at" in str(refusal)
        return
    expected = program(array.copy(), indices, values)
    assert found.dtype == expected.dtype
    np.testing.assert_allclose(found, expected, rtol=1e-6)
