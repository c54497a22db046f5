"""Comparisons that a branch or a loop has decided: they are gone, and what is left is right."""

import numpy as np
import pytest

import xlapy

X = np.arange(20.0) - 5.0


def guarded_below(x):
    y = np.zeros(20)
    for i in range(20):
        if i > 0:
            y[i] = y[i - 1] + x[i]
    return y


def guarded_above(x):
    y = x.copy()
    for i in range(20):
        if i + 1 < len(x):
            y[i + 1] = y[i] * 0.5 + x[i]
    return y


def guarded_by_and(x):
    total = 0.0
    for i in range(-3, 30):
        if 0 <= i and i < 20:
            total += x[i] * i
    return total


def guarded_by_a_chain(x):
    total = 0.0
    for i in range(30):
        j = i - 4
        if 0 <= j < 20:
            total += x[j]
    return total


def in_the_other_arm(x):
    total = 0.0
    for i in range(30):
        if i >= 20 or i == 3:
            total += 1.0
        else:
            total += x[i]
    return total


def while_below(x):
    total, i = 0.0, 0
    while i < 20:
        total += x[i] * total + 1.0
        i += 2
    return total


def while_and(x):
    i = 19
    while i >= 0 and x[i] > 3.0:
        i -= 1
    return i


def skipped_by_continue(x):
    total = 0.0
    for i in range(40):
        if i >= 20:
            continue
        total += x[i]
    return total


def two_indices(x):
    y = np.zeros((20, 20))
    for i in range(20):
        for j in range(20):
            if i > 0 and j > 0:
                y[i, j] = max(y[i - 1, j], y[i, j - 1]) + x[i] * x[j]
    return y


NO_CHECK = [
    guarded_below,
    guarded_above,
    guarded_by_and,
    guarded_by_a_chain,
    in_the_other_arm,
    while_below,
    while_and,
    skipped_by_continue,
    two_indices,
]


@pytest.mark.parametrize("function", NO_CHECK, ids=lambda f: f.__name__)
def test_no_error_is_left(function):
    for x in (X, X[::-1].copy()):
        np.testing.assert_allclose(np.asarray(xlapy.jit(function)(x)), function(x), rtol=1e-12)
    assert "may raise" not in str(xlapy.jit(function).explain(X))


def too_wide(x):
    total = 0.0
    for i in range(20):
        if i + 1 < 22:
            total += x[i + 1]
    return total


def changed_after_the_test(x):
    i = 0
    while i < 20:
        i += 1
        x[i] = 1.0
    return i


def changed_in_the_branch(x):
    total = 0.0
    for i in range(25):
        j = i
        if j < 20:
            j = j + 3
            total += x[j]
    return total


def wrong_arm(x):
    total = 0.0
    for i in range(25):
        if i < 20:
            total += x[i]
        else:
            total += x[i - 3]
    return total


def either(x):
    total = 0.0
    for i in range(25):
        if i < 20 or x[0] < 100:
            total += x[i]
    return total


def not_both(x):
    total = 0.0
    for i in range(25):
        if not (i >= 20 and x[0] > 100):
            total += x[i]
    return total


@pytest.mark.parametrize(
    "function", [too_wide, changed_after_the_test, changed_in_the_branch, wrong_arm, either, not_both]
)
def test_errors_that_occur(function):
    with pytest.raises(IndexError) as expected:
        function(X.copy())
    with pytest.raises(IndexError) as found:
        xlapy.jit(function)(X.copy())
    assert str(found.value) == str(expected.value)


def negative(x):
    total = 0.0
    for i in range(20):
        if i < 10:
            total += x[i - 15]
    return total


def of_numpy(x, k):
    """NumPy's integers are wrapped: `k[0] + 1 < 20` does not say that `k[0]` is less than 19."""
    total = 0.0
    i = k[0]
    with np.errstate(over="ignore"):
        if i + 1 < 20:
            total = 1.0 if i < 19 else 2.0
    return total


def test_negative_indices_stay_right():
    np.testing.assert_allclose(xlapy.jit(negative)(X), negative(X))


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int8])
def test_wrapped_numbers(dtype):
    for number in (np.iinfo(dtype).max, 3, 18, 19, 100):
        k = np.array([number], dtype)
        assert float(xlapy.jit(of_numpy)(X, k)) == of_numpy(X, k)
