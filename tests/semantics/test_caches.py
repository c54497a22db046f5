"""functools.lru_cache, cache and cached_property: what is computed once, and what would show that it is not."""

import functools
import math

import numpy as np

from .runner import Programs, set_global

program = Programs()
X = np.array([1.0, -2.0, 3.0])
CALLS = []


@functools.lru_cache(maxsize=None)
def noisy(n):
    CALLS.append(n)
    return n * 2


@program((X,), refuse="maybe")
def effect(x):
    return noisy(1) + noisy(1) + x


@functools.lru_cache
def table_(n):
    return [i * i for i in range(n)]


@program((X,))
def shared_list(x):
    a = table_(4)
    b = table_(4)
    return a is b, a[2] + x[0], len(b)


@program((X,), refuse="maybe")
def shared_list_changed(x):
    a = table_(4)
    a.append(7)
    return len(table_(4)), x


@functools.cache
def arr(n):
    return np.arange(n) * 1.0


@program((X,), refuse="maybe")
def shared_array_changed(x):
    a = arr(3)
    a += x
    return arr(3)


@program((X,), (X * 2,))
def shared_array(x):
    s = 0
    for v in x:
        s += v * arr(3)
    return s


SCALE = 2.0


@functools.cache
def scaled(n):
    return n * SCALE


@program(
    (X,),
    set_global(scaled.__wrapped__, "SCALE", 3.0),
    (X,),
    set_global(scaled.__wrapped__, "SCALE", 4.0),
    (X,),
    refuse="maybe",
)
def stale(x):
    return scaled(2) * x


@program((X,), (X * -1,))
def local_counts(x):
    calls = []

    @functools.lru_cache(maxsize=None)
    def f(n):
        calls.append(n)
        return n * x

    r = f(1) + f(1) + f(2)
    if x[0] > 0:
        r = r + f(3)
    r = r + f(3) + f(1)
    return r, calls, f.__name__


@program((X,), (X * -1,))
def local_stale(x):
    n = 1

    @functools.cache
    def f(k):
        return k + n

    a = f(1)
    n = 10
    b = f(1)
    return a, b, f(2)


@program((X, 2), (X, 4))
def local_dynamic_key(x, k):
    @functools.cache
    def f(v):
        return v * v

    return [f(v) for v in x], f(k), f(float(k))


@program((X,), (X * -1,), refuse="maybe")
def local_dynamic_key_effect(x):
    calls = []

    @functools.cache
    def f(v):
        calls.append(v)
        return v * v

    return [f(v) for v in (x[0], x[0], x[1])], len(calls)


@program((30,), (12,))
def stairs(n):
    @functools.lru_cache(maxsize=None)
    def ways(i):
        return 1 if i <= 1 else ways(i - 1) + ways(i - 2)

    return ways(n)


@program((np.array([1, 5, 11, 5]), np.array([1, 5, 5])), (np.array([1, 2, 3, 2]), np.array([2, 2, 3])))
def lcs_memo(a, b):
    @functools.lru_cache(None)
    def go(i, j):
        if i == len(a) or j == len(b):
            return 0
        if a[i] == b[j]:
            return 1 + go(i + 1, j + 1)
        return max(go(i + 1, j), go(i, j + 1))

    return go(0, 0)


@program((X,), raises=TypeError)
def unhashable(x):
    return arr(x)


@program((X,), raises=TypeError)
def unhashable_list(x):
    return scaled([1])


class Basis:
    def __init__(self, n):
        self.n = n

    @functools.lru_cache(maxsize=None)
    def poly(self, k):
        return [k * i for i in range(4)]

    @functools.cached_property
    def norm(self):
        CALLS.append("norm")
        return math.sqrt(self.n)


@program((X, 2.0), (X, 3.0))
def methods(x, n):
    b = Basis(n)
    return sum(b.poly(2)) + x, b.norm + b.norm, b.poly(3) is b.poly(3)


@program((X, 2.0), (X, -3.0))
def cached_in_branch(x, n):
    if n > 0:
        a = arr(3)
    else:
        a = arr(2)
    c = arr(3)
    return a.sum() + x, c


@program((X, 2.0), (X, -3.0))
def local_in_branch(x, n):
    @functools.cache
    def f(k):
        return np.full(3, n * k)

    if n > 0:
        a = f(1)
    else:
        a = f(2)
    a += 1
    return f(1), f(2)


@program((X, 5), (X, 2))
def in_loop(x, n):
    @functools.cache
    def f(k):
        return np.full(3, 1.0 * k)

    s = 0
    i = 0
    while i < n:
        s = s + f(2) * x[i % 3]
        i += 1
        f(2)[0] += 1
    return s


@program((0.5,), (-0.5,))
def cached_raise(v):
    @functools.cache
    def f(k):
        if v < 0:
            raise ValueError(f"bad {k}")
        return v * k

    n = 0
    for i in range(3):
        try:
            f(1)
        except ValueError:
            n += 1
    return n


@functools.lru_cache(maxsize=4)
def hilbert(n):
    return np.array([[1 / (i + j + 1) for j in range(n)] for i in range(n)])


@program((X, 3), (X, 3), (X[:2], 2))
def hilbert_solve(x, n):
    return np.linalg.solve(hilbert(n), x), hilbert(n)


TAB = np.array([1.0, 2.0])


@functools.cache
def reads(k):
    return TAB[k] * 2


@program((X,), refuse="maybe")
def reading_array(x):
    return x * reads(1)


@program(np.array([1.0, 2.0]), np.array([-1.0, 2.0]))
def forgets_its_results(x):
    calls = [0]

    @functools.lru_cache
    def doubled(i):
        calls[0] += 1
        return x[i] * 2

    @functools.cache
    def listed(i):
        return [i]

    before = listed(1)
    total = doubled(1) + doubled(1)
    if x[0] > 0:
        doubled.cache_clear()
    total += doubled(1)
    same = listed(1) is before
    listed.cache_clear()
    return total, calls[0], same, listed(1) is before


test_programs = program.test()
