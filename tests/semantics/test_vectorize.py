"""np.vectorize, np.frompyfunc and other functions that apply a Python function to elements."""

import math

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0, 0.5])
M = np.arange(6.0).reshape(2, 3)


@np.vectorize
def soft(v, t=1.0):
    if v > t:
        return v - t
    if v < -t:
        return v + t
    return 0.0


@program((X,), (M,))
def scalars_and_keywords(x):
    return soft(x), soft(x, 0.5), soft(x, t=2.0)


@program((X, M), (X[:1], M))
def broadcast_arguments(x, m):
    f = np.vectorize(lambda a, b: a * 2 if a > b else b)
    return f(m, 3.0), f(x[:, None], x), f(1.0, 2.0)


@program((X,), (-X,))
def several_results(x):
    f = np.vectorize(lambda a: (a + 1, a > 0))
    return f(x)


@program((X,))
def kinds_of_results(x):
    return (
        np.vectorize(math.floor)(x),
        np.vectorize(lambda a: int(a))(x),
        np.vectorize(lambda a: a * 2, otypes=[np.float32])(x),
    )


@program((np.array([3, 4, 1]),), (np.array([1, 0, 7]),))
def loop_on_data(n):
    def collatz(k):
        c = 0
        while k > 1:
            k = k // 2 if k % 2 == 0 else 3 * k + 1
            c += 1
        return c

    return np.vectorize(collatz)(n)


@program((np.array([]),), raises=ValueError)
def empty_input(x):
    return soft(x)


@program((X,))
def calls_are_counted(x):
    calls = []

    def f(v):
        calls.append(v)
        return v * 2

    return np.vectorize(f)(x[:2]), len(calls), np.vectorize(f, cache=True)(x[:2]), len(calls)


@program((X,), (-X,), refuse="maybe")
def type_depends_on_data(x):
    return np.vectorize(lambda v: 1 if v > 0 else v)(x)


@program((X,), (-X,))
def excluded_argument(x):
    return np.vectorize(lambda v, w: w * v, excluded=["w"])(x, w=3)


@program((M,), refuse="maybe")
def signature(m):
    return np.vectorize(lambda r: r.sum(), signature="(n)->()")(m)


@program((X,), raises=ValueError)
def error_in_the_function(x):
    def f(v):
        if v < 0:
            raise ValueError("negative")
        return math.sqrt(v)

    return np.vectorize(f)(x)


@program((np.array([True, False]),), refuse="maybe")
def strings(x):
    return np.vectorize(lambda b: "a" if b else "b")(x)


@program((X,), refuse="maybe")
def frompyfunc(x):
    return np.frompyfunc(lambda a: a * 2, 1, 1)(x).astype(float)


@program((M,))
def other_appliers(m):
    return (
        np.fromiter((v * 2 for v in m[0]), float),
        np.apply_along_axis(lambda r: r.max() - r.min(), 0, m),
        np.array(list(map(math.sin, m[1]))),
    )


test_programs = program.test()
