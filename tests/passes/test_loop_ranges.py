"""Intervals of what loops carry: the checks that they decide are gone, those that they do not decide still raise."""

import numpy as np
import pytest

import xlapy

X = np.arange(20.0)[::-1] - 5.0


def heap_sorted(x):
    a = x.copy()
    start, end = len(a) // 2, len(a)
    while end > 1:
        if start > 0:
            start -= 1
        else:
            end -= 1
            a[0], a[end] = a[end], a[0]
        root = start
        while 2 * root + 1 < end:
            child = 2 * root + 1
            if child + 1 < end and a[child] < a[child + 1]:
                child += 1
            if a[root] >= a[child]:
                break
            a[root], a[child] = a[child], a[root]
            root = child
    return a


def halved(x, wanted):
    low, high = 0, len(x) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if x[middle] < wanted:
            high = middle
        else:
            low = middle
    return low, x[high]


def rung(x):
    ring, head, total = np.zeros(4), 0, 0.0
    for v in x:
        ring[head] = v
        head += 1
        if head >= 4:
            head = 0
        total += ring[head]
    return total


@pytest.mark.parametrize("function, arguments", [(heap_sorted, (X,)), (halved, (X, 3.0)), (rung, (X,))])
def test_no_check_is_left(function, arguments):
    assert "may raise" not in str(xlapy.jit(function).explain(*arguments))
    for size in (20, 4, 2):
        given = (arguments[0][:size], *arguments[1:])
        np.testing.assert_array_equal(xlapy.jit(function)(*given), function(*given))


def behind_the_end(x, n):
    i, total = 0, 0.0
    while i <= n:
        total += x[i]
        i += 3
    return total


def before_the_beginning(x, n):
    i, total = len(x) - 1, 0.0
    while i >= n:
        total += x[i]
        i -= 1
    return total


def pushed(x, n):
    stack, top = np.zeros(6), 0
    for k in range(n):
        if x[k % len(x)] > 0:
            stack[top] = x[k % len(x)]
            top += 1
        elif top > 0:
            top -= 1
    return stack, top


@pytest.mark.parametrize("function", [behind_the_end, before_the_beginning, pushed])
@pytest.mark.parametrize("n", [-21, -20, -3, 0, 1, 6, 9, 18, 20, 24])
def test_what_is_not_decided_raises(function, n):
    try:
        expected = function(X, n)
    except IndexError as error:
        with pytest.raises(IndexError) as raised:
            xlapy.jit(function)(X, n)
        assert str(raised.value) == str(error)
    else:
        found = xlapy.jit(function)(X, n)
        assert isinstance(expected, tuple) == isinstance(found, tuple)
        for a, b in zip(expected, found, strict=True) if isinstance(expected, tuple) else [(expected, found)]:
            np.testing.assert_array_equal(a, b)


def doubled(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a


def wrapped(start, n):
    total = start
    for _ in range(n):
        total = total * np.int64(3) + np.int64(1)
    return total, total < 0


def test_numbers_that_outgrow_their_type():
    compiled = xlapy.jit(doubled)
    assert compiled(90) == doubled(90)
    with pytest.raises(xlapy.NotOffloadableError):
        compiled(200)
    with np.errstate(all="ignore"):
        for n in (0, 5, 39, 40, 41, 42):
            assert xlapy.jit(wrapped)(np.int64(1), n) == wrapped(np.int64(1), n)
