"""Syntax and functions that not all supported versions of Python have: a program is tested where it can be run."""

import collections
import copy
import functools
import heapq
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
MODULES = (collections, copy, functools, heapq, itertools, math, operator, statistics)

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
    "sums": (
        "",
        """
def program(x, k):
    large, one = x[3].item() * 1e16, x[0].item()
    floats = [large, int(k[0]), one, True, -large, 1]
    complexes = [complex(large, one), one, 1, complex(0.5, large), -large, complex(0.0, -large), int(k[1])]
    grown = []
    for v in x.tolist():
        if v > 1:
            grown.append(complex(v * 1e16, -v))
    return (
        sum(floats),
        sum(floats[:3] + [x[0], -large]),
        sum(complexes),
        sum(complexes, -0.0),
        sum(complexes[:3] + [x[0], -large]),
        sum(floats[:3] + complexes),
        sum(complex(v, -v) for v in (large, one, -large)),
        sum(grown + [1.0]),
    )
""",
    ),
    "strict_maps": (
        "map(len, [], strict=True)",
        """
def program(x, k):
    def attempt(*iterables, strict=True):
        seen = []
        try:
            for v in map(lambda *given: sum(given), *iterables, strict=strict):
                seen.append(v)
        except ValueError as error:
            seen.append(str(error))
        return seen

    return (
        attempt(x, k),
        attempt(x, k[:2].tolist(), x.tolist()),
        attempt(x[:1].tolist(), [1], (2, 3)),
        attempt(x, [1], strict=False),
        attempt(x),
        list(map(operator.add, x[x > 1], k[x > 1], strict=True)),
    )
""",
    ),
    "what_closed_generators_return": (
        "",
        """
def program(x, k):
    def items(v):
        try:
            yield v
        except GeneratorExit:
            return v * 2

    started, new, ended = items(x[0]), items(x[1]), items(x[2])
    next(started)
    return started.close(), new.close(), list(ended), ended.close(), started.close()
""",
    ),
    "replaced_fields": (
        "copy.replace",
        """
def program(x, k):
    class Box:
        def __init__(self, v):
            self.v = v

        def __replace__(self, **changes):
            return Box(changes.get("v", self.v) * 2)

    try:
        return copy.replace([x[0]], a=2)
    except TypeError as error:
        return copy.replace(Box(x[0]), v=x[1]).v, copy.replace(Box(x[0])).v, str(error)
""",
    ),
    "heaps_with_the_largest_first": (
        "heapq.heapify_max",
        """
def program(x, k):
    known = [float(v) % 3 for v in x]
    heapq.heapify_max(known)
    heapq.heappush_max(known, x[2].item())
    found = [heapq.heappop_max(known), heapq.heappushpop_max(known, 0.5), heapq.heapreplace_max(known, x[1].item())]
    grown = []
    for v in k:
        if v != 2:
            heapq.heappush_max(grown, (int(v) % 3, float(v)))
    while grown:
        found.append(heapq.heappop_max(grown))
    for wrong in (lambda: heapq.heapify_max(x), lambda: heapq.heappop_max(()), lambda: heapq.heappop_max([])):
        try:
            wrong()
        except (TypeError, IndexError) as error:
            found.append(str(error))
    return known, found
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
