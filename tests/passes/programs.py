"""Functions whose typed programs the tests of passes and lowering take apart, with arguments."""

from __future__ import annotations

import types
from collections.abc import Callable

import jax
import numpy as np

from xlapy.interpreter.analyse import analyse
from xlapy.ir import Module, Operation, Region, every_operation
from xlapy.lowering.evaluate import evaluate


def count_down(n):
    c = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        c += 1
    return c


def running_sum(x):
    y = x.copy()
    s = 0.0
    for i in range(x.shape[0]):
        s += x[i]
        y[i] = s
    return y


def shortest_paths(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]
    return d.copy()


def escape(a, b, n):
    x = 0.0
    y = 0.0
    for k in range(n):
        t = x * x - y * y + a
        y = 2.0 * x * y + b
        x = t
        if x * x + y * y > 4.0:
            break
    return k, x, y


def bubble(x):
    n = x.shape[0]
    for i in range(n):
        for j in range(n - 1 - i):
            if x[j] > x[j + 1]:
                t = x[j]
                x[j] = x[j + 1]
                x[j + 1] = t
    return x.copy()


def butterflies(x):
    for i in range(0, x.shape[0] - 1, 2):
        a = x[i]
        b = x[i + 1]
        x[i] = a + b
        x[i + 1] = a - b
    return x.copy()


def matrix_product(a, b):
    c = a @ b
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            s = 0.0
            for k in range(a.shape[1]):
                s += a[i, k] * b[k, j]
            c[i, j] = s
    return c


def relax(u, tol, n):
    it = 0
    diff = 0.0
    while it < n:
        new = u.copy()
        new[1:-1] = 0.5 * (u[:-2] + u[2:])
        diff = abs(new - u).max()
        u[:] = new
        it += 1
        if diff < tol:
            break
    return it, diff


def clamp(x, low, high):
    if x < low:
        y = low
    elif x > high:
        y = high
    else:
        y = x * x / high
    return y


def counters(x, n):
    used = 0.0
    unused = 0
    same = x
    for i in range(n):
        unused += 1
        used += x * i
        same = same * 1.0
    return used


def conditional_rows(a, n):
    for i in range(n):
        if a[i, 0] > 0.5:
            for j in range(a.shape[1]):
                a[i, j] = a[i, j] * 2.0
    return a.copy()


def evens_and_odds(x):
    evens = 0
    odds = 0
    for i in range(x.shape[0]):
        if x[i] % 2 == 0:
            evens += 1
        else:
            odds += x[i]
    return evens, odds


_R = np.random.default_rng(5)

PROGRAMS: list[tuple[Callable, tuple]] = [
    (count_down, (27,)),
    (running_sum, (_R.random(9),)),
    (shortest_paths, (_R.random((7, 7)),)),
    (escape, (-0.4, 0.6, 40)),
    (escape, (1.0, 1.0, 40)),
    (bubble, (_R.random(11),)),
    (butterflies, (_R.random(8),)),
    (matrix_product, (_R.random((4, 5)), _R.random((5, 3)))),
    (relax, (_R.random(12), 1e-3, 50)),
    (clamp, (0.3, 0.1, 0.9)),
    (clamp, (0.0, 0.1, 0.9)),
    (counters, (1.5, 10)),
    (conditional_rows, (_R.random((6, 4)), 6)),
    (evens_and_odds, (_R.integers(0, 50, 20),)),
]
NAMES = [f"{f.__name__}{i}" for i, (f, _) in enumerate(PROGRAMS)]


def program(function: Callable, arguments: tuple) -> tuple[Module, list]:
    """The typed program of a function as the interpreter emits it, and operands for it."""
    assert isinstance(function, types.FunctionType)
    named = dict(zip(function.__code__.co_varnames, arguments, strict=False))
    analysis = analyse(function, named, set(), set(), False, False)
    operands = [np.copy(named[name]) for name in analysis.module.parameter_names]
    return analysis.module, operands


def run(module: Module, operands: list, evaluate: Callable = evaluate) -> list[np.ndarray]:
    """The results of a program."""
    with jax.enable_x64(True):
        compiled = jax.jit(lambda *xs: evaluate(module.entry, dict(zip(module.entry.params, xs, strict=True))))
        return [np.asarray(r) for r in compiled(*operands)]


def operations(region: Region) -> list[Operation]:
    """All operations of a region and of the regions in it."""
    return list(every_operation(region))


def kinds(region: Region) -> list[str]:
    """The kinds of all operations, leaves by name."""
    return [str(o.attributes["name"]) if o.kind == "leaf" else o.kind for o in operations(region)]


def check_in_place(function: Callable, compiled: Callable, x: np.ndarray) -> None:
    """A function of an array that it changes: what it returns and what the array is then, the same compiled."""
    expected, mine = x.copy(), x.copy()
    wanted = function(expected)
    jax.tree.map(np.testing.assert_array_equal, compiled(mine), wanted)
    np.testing.assert_array_equal(mine, expected)
