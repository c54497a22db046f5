"""Syntax and functions that not all supported versions of Python have: a program is tested where it can be run."""

import collections
import functools
import itertools
import linecache
import math
import operator
import statistics

import numpy as np
import pytest

from .runner import check

X = np.array([1.0, 2.0, 3.0, 4.0])
K = np.array([1, 2, 3, 4])
MODULES = (collections, functools, itertools, math, operator, statistics)

#: what a program needs, from 3.12 on, and the program
PROGRAMS = {
    "generics": (
        "def first[T](v: T) -> T: pass",
        """
def first[T](v: T) -> T:
    return v


class Box[T]:
    def __init__(self, v: T):
        self.v = v


type Number = float


def program(x, k):
    return first(x[0]) + Box(x[1]).v
""",
    ),
    "nested_fstrings": (
        "f'{f'{1}'}'",
        """
def program(x, k):
    n = int(k[1])
    return f"{n} {f'{n!r:>4}'} {n=} {"nested " + f"{n:03d}"}"
""",
    ),
    "exceptions_without_parentheses": (
        "try: pass\nexcept KeyError, IndexError: pass",
        """
def program(x, k):
    try:
        return [1][k[3]]
    except IndexError, KeyError:
        return x[0]
""",
    ),
    "annotations_that_nobody_reads": (
        "def f(a: nothing): pass",
        """
def program(x, k):
    def f(a: undefined_name) -> also_undefined:
        return a * 2

    class P:
        v: nothing_here = 3

    return f(x).sum() + P.v
""",
    ),
    "comprehensions": (
        "",
        """
def program(x, k):
    i = 5
    rows = [[i * v for i in range(3)] for v in x]
    table = {i: v for i, v in enumerate(x)}
    functions = [lambda: i for i in range(3)]
    return rows, table, i, [f() for f in functions]
""",
    ),
    "placeholders": (
        "functools.Placeholder",
        """
P = functools.Placeholder
known = functools.partial(lambda a, b, c: a - b * c, P, 2.0)


def program(x, k):
    def weighed(*values, **named):
        return [n * v for n, v in enumerate(values)], named

    one = functools.partial(weighed, P, x[1])
    two = functools.partial(one, x[2], z=x[3])
    three = functools.partial(functools.partial(weighed, P, x[0], P, x[1]), x[2])
    return known(x[0], x[2]), one(x[0]), one(x[0], 7), two(8), two(), three(x[3]), one.args[1]
""",
    ),
    "too_few_for_placeholders": (
        "functools.Placeholder",
        """
def program(x, k):
    def attempt(action):
        try:
            return action()
        except TypeError as error:
            return str(error)

    P = functools.Placeholder
    f = functools.partial(max, P, x[0].item(), P, 3)
    return (
        attempt(f),
        attempt(lambda: f(1)),
        attempt(lambda: f(1, 9)),
        attempt(lambda: functools.partial(max, 1, P)),
        attempt(lambda: functools.partial(max, key=P)),
    )
""",
    ),
    "reduce_from_something": (
        "functools.reduce(max, [], initial=1)",
        """
def program(x, k):
    def attempt(action):
        try:
            return action()
        except TypeError as error:
            return str(error)

    add = operator.add
    return (
        functools.reduce(add, x, initial=1.0),
        functools.reduce(add, [], initial=x[0]),
        attempt(lambda: functools.reduce(add, x, 1.0, initial=1.0)),
        attempt(lambda: functools.reduce(add, x, begin=1.0)),
        attempt(lambda: functools.reduce(add, x, 1, 2)),
    )
""",
    ),
    "new_functions": (
        "math.sumprod, itertools.batched",
        """
def program(x, k):
    def pairs(n):
        yield from range(n)

    return (
        math.sumprod(x, k),
        math.sumprod(pairs(4), x),
        math.sumprod([], []),
        list(itertools.batched(x, 3)),
        math.nextafter(x[0], 9.0, steps=3),
    )
""",
    ),
    "sumprod_of_two_lengths": (
        "math.sumprod",
        """
def program(x, k):
    def attempt(*given):
        try:
            return math.sumprod(*given)
        except ValueError as error:
            return str(error)

    def items(n):
        yield from range(n)

    return attempt(x, k[1:]), attempt(items(5), x), attempt(items(3), x), attempt(x, items(5)), attempt(x, [])
""",
    ),
}


def runs(needs: str) -> bool:
    try:
        exec(needs, {module.__name__: module for module in MODULES})
    except (SyntaxError, AttributeError, NameError, TypeError):
        return False
    return True


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name):
    needs, text = PROGRAMS[name]
    if not runs(needs):
        pytest.skip("not in this Python")
    namespace = {module.__name__: module for module in MODULES} | {"np": np}
    linecache.cache[f"<{name}>"] = (len(text), None, text.splitlines(keepends=True), f"<{name}>")
    exec(compile(text, f"<{name}>", "exec"), namespace)
    check(namespace["program"], X, K)
