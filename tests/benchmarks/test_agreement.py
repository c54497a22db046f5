"""Nothing is timed before the answers agree."""

import numpy as np
import pytest

from benchmarks.agreement import disagreement


@pytest.mark.parametrize(
    ("expected", "actual", "fragment"),
    [
        (np.ones(3), np.ones(4), "shape"),
        ((1.0, 2.0), (1.0,), "parts"),
        ({"a": 1.0}, {"b": 1.0}, "parts"),
        (np.array([1.0, 2.0]), np.array([1.0, 2.1]), "differs in 1 of 2 values, first at (1,)"),
        (np.array([1, 2]), np.array([1, 3]), "differs"),
        (np.array([np.nan, 1.0]), np.array([1.0, 1.0]), "differs"),
        (3.0, 4.0, "differs"),
    ],
)
def test_differences_are_named(expected, actual, fragment):
    assert fragment in disagreement(expected, actual, rtol=1e-6)


def test_equal_results_agree():
    pair = (np.array([1.0, np.nan]), {"k": [np.arange(3), None]})
    assert disagreement(pair, pair, rtol=0.0) is None
    assert disagreement(1.0, 1.0 + 1e-9, rtol=1e-6) is None


def test_dtypes_count_where_asked():
    a, b = np.ones(2, np.float64), np.ones(2, np.float32)
    assert disagreement(a, b, rtol=1e-6) is None
    assert "dtype" in disagreement(a, b, rtol=1e-6, dtypes=True)
