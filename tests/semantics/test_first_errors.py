"""The first error ends a program, wherever it is met: what follows it changes nothing, and its message is its own."""

import numpy as np
import pytest

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(3)
PLACES = RNG.integers(0, 8, 60)
LATE = np.concatenate([PLACES, [9], PLACES])
EARLY = np.concatenate([[-9], PLACES, [12]])
X = RNG.random(60)


@program((PLACES,), (LATE,), (EARLY,), raises=IndexError)
def counted(places):
    counts = np.zeros(8, dtype=np.int64)
    for i in range(len(places)):
        counts[places[i]] += 1
    return counts


@program((X.copy(), PLACES), (X.copy(), LATE), raises=IndexError)
def changes_its_argument(x, places):
    for i in range(len(places)):
        x[i % len(x)] = x[places[i] * 7] + i


@program((PLACES, 8), (PLACES, 5), (LATE, 8), (EARLY, 8), raises=IndexError)
def two_arrays(places, n):
    first, second = np.zeros(n), np.zeros(7)
    for p in places:
        first[p] += 1.0
        if first[p] > 2:
            second[p] -= first[p]
    return first, second


@program((X, 0.5), (X, 2.0), (np.append(X, 7.0), 8.0), (np.arange(12.0), 20.0), raises=(ValueError, RuntimeError))
def own_errors(x, limit):
    stack = np.zeros(9)
    top = 0
    for i in range(len(x)):
        if x[i] > limit:
            raise ValueError(f"{x[i] > 0} at {i}: {top} of {len(stack)}")
        while top > 0 and stack[top - 1] > x[i]:
            top -= 1
        if top == len(stack):
            raise RuntimeError("full", top)
        stack[top] = x[i]
        top += 1
    return stack, top


@program((np.arange(6), 3), (np.arange(6), -1), (np.arange(6), 0), (np.arange(6), 40), raises=IndexError)
def errors_in_nests(x, k):
    total = 0
    for i in range(len(x)):
        j = i
        while j < len(x):
            if (i + j) % 2:
                total += x[j] * x[i]
            else:
                for n in range(j):
                    total -= x[n * k]
            j += 1
    return total


@program((PLACES,), (LATE,), (EARLY,), (np.array([3, 3, 100, 200]),), raises=IndexError)
def behind_the_loop(places):
    found = np.zeros(8)
    last = 0
    for p in places:
        if p >= 0:
            last = last + p
            found[min(last, 7)] += 1
    return found[places[0]] + found[places[-1]], found


@program((PLACES,), (LATE,), (EARLY,))
def errors_that_are_caught(places):
    found = np.zeros(8)
    missed = 0
    for p in places:
        try:
            found[p] += 1
        except IndexError:
            missed += 1
    return found, missed


@program((PLACES, 1), (LATE, 1), (EARLY, 0), (PLACES, 0), raises=ZeroDivisionError)
def caught_and_not_caught(places, d):
    found = np.zeros(8)
    missed = 0
    for k, p in enumerate(places):
        try:
            found[p] += 1
            missed += k // d
        except IndexError:
            missed += 1
    return found, missed


@program((PLACES, X), (LATE, X), (EARLY, X), raises=IndexError)
def printed_before(places, x):
    found = np.zeros(8)
    print("so many:", len(places), int(places[0]))
    for p in places:
        found[p] += x[p]
    print("done", found[0] > 0)
    return found


@program((X[:9], 4), (X[:9], 9), (X[:9], -10), (X[:9], 10**12), raises=IndexError)
def error_of_the_same_place_twice(x, k):
    total = 0.0
    for turn in range(4):
        for i in range(3):
            total = total * 0.5 + x[k - i * turn]
    return total


class Account:
    def __init__(self, amount):
        self.amount = amount

    def take(self, n):
        if n > self.amount:
            raise ValueError(n, self.amount)
        self.amount -= n


@program((np.array([1, 2, 3, 1, 1, 0, 2] * 4), 50), (np.array([1, 2, 3, 1, 1, 0, 2] * 4), 11), raises=ValueError)
def errors_of_methods(amounts, first):
    account = Account(first)
    for n in amounts:
        account.take(int(n))
    return account.amount


@program((X, PLACES), (X, LATE), raises=IndexError)
def a_sum_over_places(x, places):
    total = 0.0
    for i in range(len(places)):
        total += x[:8][places[i]]
    return total


@program((np.arange(12.0).reshape(3, 4), PLACES), (np.arange(12.0).reshape(3, 4), LATE), raises=IndexError)
def rows_and_columns(a, places):
    b = a.copy()
    for p in places:
        row = b[p % 3]
        row[p // 2] += a[p // 3, p % 4]
        b.T[p // 2][p % 3] *= 0.5
    return b


@program((X, 3), (X, 80), raises=IndexError)
def many_numbers(x, k):
    a = x[0] + x[1] * x[2]
    b = x[k] - a
    c = x[k - 1] * b
    d = x[k - 2] * c + a
    for i in range(k):
        a, b, c, d = b, c, d, a * x[i] + b
    return a, b, c, d, [a, b], {"c": c}


NAN, INF = float("nan"), float("inf")


@program(
    (np.array([0.5, 3.9, -1.2]), 4),
    (np.array([0.5, 4.0, NAN]), 4),
    (np.array([0.5, NAN, 9.0]), 4),
    (np.array([INF, NAN]), 4),
    (np.array([-INF]), 4),
    (np.array([0.5, -4.9, -5.1, NAN]), 4),
    (np.array([], float), 4),
    raises=(IndexError, ValueError, OverflowError),
)
def places_of_floats(x, n):
    counts = np.zeros((n, n), dtype=np.int64)
    for k in range(len(x)):
        counts[int(x[k]), int(-x[k])] += 1
    return counts


@program((np.array([1.0, NAN, 2.5]),), (np.array([INF, -2.5, NAN]),), (np.array([-0.5]),))
def caught_where_no_int_is(x):
    total = unfit = 0
    for v in x:
        try:
            total += int(v)
        except ValueError:
            unfit += 1
        except OverflowError:
            unfit += 100
    return total, unfit


test_programs = program.test()


@pytest.mark.parametrize("returns", ["jax", "numpy"])
def test_results_of_their_own(returns):
    """What a call returns is not what another call returns, nor its own other results."""
    import xlapy

    def twice(x):
        y = np.zeros(5)
        for i in range(len(x)):
            y[i % 5] += x[i]
        return y, y.copy(), y[0]

    f = xlapy.jit(twice, returns=returns)
    first, second = f(X), f(X[::-1].copy())
    for got, wanted in zip(first + second, twice(X) + twice(X[::-1].copy()), strict=True):
        np.testing.assert_array_equal(np.asarray(got), wanted)
    if returns == "numpy":
        first[0][:] = 0
        np.testing.assert_array_equal(first[1], twice(X)[1])
        assert first[1].flags.writeable and type(first[2]) is np.float64
