"""Functions that keep their results (functools.lru_cache) and call themselves as often as data says."""

import functools

import numpy as np

from .runner import Programs

program = Programs()
RNG = np.random.default_rng(0)
A, B = RNG.integers(0, 3, 7), RNG.integers(0, 3, 8)
W, V = RNG.integers(1, 8, 7), RNG.integers(1, 20, 7)


@program((np.array([20]),), (np.array([80]),), compiles=1)
def lru_fib(n):

    @functools.lru_cache(maxsize=None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(int(n[0]))


@functools.lru_cache
def gfib(k):
    return k if k < 2 else gfib(k - 1) + gfib(k - 2)


@program((np.array([20]),), (np.array([80]),), compiles=1)
def global_fib(n):
    return (gfib(int(n[0])), gfib(n[0]))


@program((A, B, np.array([7, 8])), (B, A, np.array([7, 7])))
def edit_cache(a, b, n):

    @functools.cache
    def d(i, j):
        if i == 0:
            return j
        if j == 0:
            return i
        return min(d(i - 1, j) + 1, d(i, j - 1) + 1, d(i - 1, j - 1) + (a[i - 1] != b[j - 1]))

    return d(n[0], n[1])


@functools.lru_cache(maxsize=None)
def gbinom(n, k):
    if k == 0 or k == n:
        return 1
    return gbinom(n - 1, k - 1) + gbinom(n - 1, k)


@program((np.array([20, 7]),), (np.array([30, 15]),), compiles=1)
def global_binomial(a):
    return gbinom(a[0], a[1])


@functools.cache
def gcollatz(n):
    return 1 if n == 1 else 1 + gcollatz(3 * n + 1 if n % 2 else n // 2)


@program((np.array([20, 7]),), (np.array([30, 15]),), compiles=1)
def longest_collatz(a):
    best, where = (0, 0)
    for i in range(1, int(a[0])):
        c = gcollatz(i)
        if c > best:
            best, where = (c, i)
    return (best, where)


@program((W, V, np.array([15])), (W, V, np.array([9])), compiles=1)
def knapsack_cache(w, v, cap):

    @functools.lru_cache(None)
    def best(i, c):
        if i == len(w):
            return 0
        r = best(i + 1, c)
        if w[i] <= c:
            r = max(r, v[i] + best(i + 1, c - w[i]))
        return r

    return best(0, cap[0])


@program((np.array([1, 5, 7]), np.array([23])), (np.array([2, 5, 9]), np.array([13])), compiles=1)
def coins_cache(coins, amount):

    @functools.cache
    def go(a):
        if a == 0:
            return 0
        if a < 0:
            return 10**6
        return 1 + min((go(a - c) for c in coins))

    return go(amount[0])


@program((np.array([5]),), (np.array([7]),), refuse="XP0010")
def side_effect_cache(n):
    log = []

    @functools.cache
    def go(k):
        log.append(k)
        return k if k < 2 else go(k - 1) + go(k - 2)

    return (go(n[0]), log)


@program((np.array([5]),), (np.array([7]),), refuse="XP0010")
def changed_between(n):
    x = np.array([1.0, 2.0])

    @functools.cache
    def go(k):
        return x[0] if k < 2 else go(k - 1) + go(k - 2)

    a = go(n[0])
    x[0] = 5
    return (a, go(n[0]))


@program((np.array([5]),), (np.array([7]),), refuse="XP0008")
def lists_kept_changed(n):

    @functools.cache
    def go(k):
        if k < 1:
            return [k]
        r = go(k - 1)
        r.append(k)
        return r

    return go(n[0])


@program((np.array([2, 3]),), (np.array([1, 5]),), compiles=1)
def ackermann_cache(a):

    @functools.cache
    def ack(m, n):
        if m == 0:
            return n + 1
        if n == 0:
            return ack(m - 1, 1)
        return ack(m - 1, ack(m, n - 1))

    return ack(a[0], a[1])


@program((np.array([2, 6]),), refuse="XP0008")
def keywords_cache(n):

    @functools.cache
    def f(k, step=1):
        return 0 if k <= 0 else k + f(k - step, step=step)

    return f(n[1])


@program((np.array([2.5]),))
def mixed_types(n):

    @functools.cache
    def f(k, j):
        return k if j <= 0 else f(k - 1, j - 1) + f(int(k), j - 1)

    return f(n[0], int(n[0]) + 2)


@program((np.array([350]),), (np.array([300]),))
def deep_cache(n):
    @functools.cache
    def s(k):
        return 0 if k == 0 else k + s(k - 1)

    return s(int(n[0]))


test_programs = program.test()
