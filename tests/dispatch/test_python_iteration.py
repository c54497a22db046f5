"""Iterators, built-in functions over iterables, functools, itertools, operator, copy, dataclasses."""

# ruff: noqa: E501 (one expression a line)

import collections
import copy
import dataclasses
import functools
import itertools
import math
import operator

import jax
import numpy as np
import pytest
from python_check import check, function_of

import xlapy

X = np.array([1.0, -2.0, 3.5])
LONG = np.arange(40.0) % 7
NAMES = {
    "itertools": itertools,
    "functools": functools,
    "operator": operator,
    "math": math,
    "copy": copy,
    "collections": collections,
}


@pytest.mark.parametrize(
    "source",
    [
        "list(enumerate([a, b], start=n))",
        "list(zip([a, b], range(n), 'xyz'))",
        "list(map(lambda v, w: v * w, [a, b], [b, a]))",
        "list(filter(None, [0, 1, '', 'a']))",
        "list(filter(lambda v: v > 1, range(4)))",
        "list(reversed([a, b, 1.0])), list(reversed(range(2, 9, 3))), list(reversed((a,)))",
        "list(itertools.chain([a], (b,), 'xy'))",
        "list(itertools.chain.from_iterable([[a], [b, a]]))",
        "list(itertools.islice(itertools.count(2, 3), 4))",
        "list(itertools.islice([a, b, 1, 2, 3], 1, 5, 2))",
        "list(itertools.islice(range(10), 2, None, 3))",
        "list(itertools.repeat(a, 3)), list(map(pow, [2, 3], itertools.repeat(2)))",
        "list(itertools.islice(itertools.cycle([a, b]), 5))",
        "list(itertools.accumulate([a, b, a]))",
        "list(itertools.accumulate([a, b, 3.0], max, initial=0.5))",
        "list(itertools.pairwise([a, b, 1.0, 2.0]))",
        "list(itertools.product([a, b], 'xy', repeat=1))",
        "list(itertools.product(range(2), range(3)))",
        "list(itertools.product(range(2), repeat=3))",
        "list(itertools.permutations([a, b, 1], 2))",
        "list(itertools.combinations([a, b, 1, 2], 2))",
        "list(itertools.combinations_with_replacement([a, b], 2))",
        "list(itertools.takewhile(lambda v: v < 3, [1, 2, 5, 1]))",
        "list(itertools.dropwhile(lambda v: v < 3, [1, 2, 5, 1]))",
        "list(itertools.starmap(operator.mul, [(a, b), (2, 3)]))",
        "list(itertools.zip_longest([a], [b, 1], fillvalue=0.0))",
        "list(itertools.compress([a, b, 1], [1, 0, 1]))",
        "list(itertools.filterfalse(lambda v: v % 2, range(5)))",
        "[(k, list(g)) for k, g in itertools.groupby([1, 1, 2, 3, 3, 1])]",
        "[(k, list(g)) for k, g in itertools.groupby(['a', 'b', 'cc'], key=len)]",
        "[list(t) for t in itertools.tee([a, b])]",
        "functools.reduce(operator.add, [a, b, 1.0]), functools.reduce(lambda s, v: s * v, [], a)",
        "functools.reduce(lambda s, v: s + v, range(n), a)",
        "functools.partial(lambda u, v, w=1.0: u - v * w, a, w=2.0)(b)",
        "functools.partial(functools.partial(pow, 2), 3)()",
        "sorted([3, 1, 2], key=functools.cmp_to_key(lambda p, q: q - p))",
        "operator.itemgetter(1)([a, b]), operator.itemgetter('k', 'l')({'k': a, 'l': b})",
        "operator.attrgetter('real', 'imag')(complex(1, 2)), operator.methodcaller('index', 5)([4, 5])",
        "operator.add(a, b), operator.lt(a, b), operator.neg(a), operator.not_(a), operator.contains([1, 2], n)",
        "operator.getitem([a, b], 0), operator.truth(a), operator.index(n), operator.countOf([n, 2], n)",
        "sum([a, b]), sum([a, b], 1.0), sum(range(n)), sum(range(3, n, 2)), sum([[1], [2]], []), sum(v * a for v in range(3))",
        "max(a, b), min(a, b), max([a, b, 0.0]), min((a, b), key=lambda v: -v), max([], default=a), max(1, n), min(n, 2.5)",
        "max([1, n], key=lambda v: -v), max('abc'), max({'k': 1, 'z': 0}), max((a, 1), (a, 2)), min(range(2, 9))",
        "any([]), all([]), any([0, a]), all([1, a]), any([v > 2 for v in (a, b)]), all([v > -9 for v in (a, b)])",
        "any(v > 2 for v in (a, b)), all(v > -9 for v in [a, b])",
        "len([a]), len({}), len(range(n)), len('abc'), len(range(9, 2, -2)), len({1, 1})",
        "range(n).start, range(n)[1], range(1, 9, 3)[-1], list(range(9)[2:7:2]), range(3) == range(0, 3, 1), range(5).index(3)",
        "isinstance(a, float), isinstance(n, (str, int)), issubclass(bool, int), callable(len), callable(a), type(n) is int",
        "hasattr(a, 'real'), getattr(a, 'nope', 5), getattr([1], 'append') is None, type([]) is list, isinstance(None, type(None))",
        "dict(zip('ab', [a, b])), dict([(1, a)]), tuple([a]), set(range(2)), frozenset('a'), list({'a': 1}), dict(k=b)",
        "next(iter([a, b])), next(iter([]), b), list(iter({1: 2})), str(12), hash(3), ord('a'), chr(97), abs(-3)",
        "copy.copy([a, [b]]), copy.deepcopy({'k': [a]}), slice(1, 5).indices(3)",
    ],
)
def test_expression(source):
    check(function_of(source, "a", "b", "n", **NAMES), (1.5, -2.0, 3), (-1.0, 4.0, 2))


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(n): s = s * 0.5 + i",
        "for i in range(n, -2, -2): s = s * 0.5 + i",
        "for i in range(1, n, 3): s += i",
        "for i in range(0, 10, n): s += i",
        "for i in reversed(range(n)): s = s * 0.5 + i",
        "for i, v in enumerate(x[:n]): s += i * v",
        "for i, v in enumerate(x): s += i * v",
        "for v, w in zip(x, reversed(x)): s = s * 0.5 + v * w",
        "for i, v in zip(range(n), x): s += i * v",
        "for v in map(lambda t: t * t, x): s += v",
        "for v in x: s = max(s, v)",
        "for i, j in itertools.product(range(n), range(3)): s = s * 0.9 + i * j",
        "for a, b in itertools.pairwise(x): s += abs(a - b)",
        "for i in itertools.count():\n        if i >= n: break\n        s += i",
        "for v in itertools.islice(x, 1, n): s += v",
        "for i in itertools.islice(itertools.count(n, 2), 5): s += i",
        "for v in itertools.repeat(2.0, n): s += v",
        "for v in itertools.chain([1.0], [2.0, s]): s += v",
        "for i in range(n):\n        for j in range(i, n): s += i * j",
        "for k, v in {'a': s, 'b': 2.0}.items(): s += v * len(k)",
        "for v in filter(lambda t: t > 2, x): s += v",
        "for v in itertools.takewhile(lambda t: t < 5, x): s += v",
        "it = iter(x)\n    s += next(it)\n    for v in it:\n        s += v\n        break\n    s += next(it) * 100",
        "it = iter(range(n))\n    for i in it:\n        if i == 1: break\n    for i in it: s += i * 10",
        "s += sum(v * v for v in x) + max(v for v in x) + min(x) + sum(x)",
        "s += any(v > n for v in x) + all(v > -n for v in x)",
        "items = [float(i) for i in range(30)]\n    for v in items: s += v * n",
        "items = [float(i) for i in range(30)]\n    for i, v in enumerate(items): items[29 - i] = v + s\n    s += sum(items)",
        "q = [1.0, 2.0]\n    for v in q:\n        if len(q) < 5: q.append(v + s)\n    s += len(q)",
    ],
)
def test_loop(body):
    source = f"def f(x, n):\n    s = 0.0\n    {body}\n    return s\n"
    namespace = dict(NAMES)
    exec(source, namespace)
    namespace["f"].source = body
    check(namespace["f"], (LONG, 3), (LONG, 1), (LONG, 7), rtol=1e-12)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


class Squares:
    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i >= 4:
            raise IndexError(i)
        return i * i


def test_own_iterators():
    def program(x, n):
        s = 0.0
        for v in Countdown(n):
            s = s * 2 + v
        return (
            s,
            list(Countdown(2)),
            list(Squares()),
            9 in Squares(),
            sum(Squares()),
            list(reversed(Squares())),
            max(Countdown(3)),
        )

    check(program, (1.0, 3), (1.0, 0))


@dataclasses.dataclass(frozen=True)
class Point:
    x: float
    y: float = 2.0
    tags: list = dataclasses.field(default_factory=list)


def test_dataclasses():
    def program(a):
        p = Point(a)
        q = dataclasses.replace(p, y=a + 1)
        r = copy.deepcopy(p)
        r.tags.append(a)
        return (
            dataclasses.asdict(q),
            dataclasses.astuple(p),
            [f.name for f in dataclasses.fields(p)],
            p == q,
            r.tags,
            p.tags,
        )

    check(program, (1.0,), (3.0,))


def test_caches_and_wrappers():
    def program(a):
        @functools.lru_cache(maxsize=None)
        def square(v):
            return v * v

        @functools.cache
        def cube(v):
            return v * v * v

        def twice(function):
            @functools.wraps(function)
            def wrapper(*args):
                return function(*args) * 2

            return wrapper

        @twice
        def half(v):
            return v / 2

        return square(a), cube(a), half(a)

    check(program, (3.0,))


def test_next_of_a_dynamic_range():
    def program(n):
        it = iter(range(n))
        return next(it, -1), next(it, -1), next(iter(range(n, 5)))

    check(program, (0,), (1,), (4,), (5,))


# -- lists of many items --


class Halves:
    """Halves of numbers, one after the other."""

    def __init__(self, values):
        self.values, self.place = values, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.place == len(self.values):
            raise StopIteration
        self.place += 1
        return self.values[self.place - 1] / 2


def sums(x):
    return list(itertools.accumulate(x))


def filtered(x):
    found = list(itertools.accumulate(x, lambda s, v: 0.5 * s + v))
    found.append(found[-1] * 2)
    return found, len(found)


def mapped(x):
    steps = map(lambda v: v * v, x)
    first = next(steps)
    found = list(steps)
    return first, found[::-1], next(steps, None)


def pairs(x):
    found = list(zip(x, x[::-1], strict=True))
    return found[3], [a - b for a, b in found]


def numbered(x):
    rest = enumerate(x)
    found = list(rest)
    return found[120], list(rest)


def halves(x):
    return list(Halves(np.abs(x) + 1.0))


@pytest.mark.parametrize("function", [sums, filtered, mapped, pairs, numbered, halves], ids=lambda f: f.__name__)
@pytest.mark.parametrize("count", [130, 700])
def test_lists_of_many_items(function, count):
    x = np.random.default_rng(0).normal(size=count)
    got, wanted = xlapy.jit(function)(x), function(x)
    assert jax.tree.structure(got) == jax.tree.structure(wanted)
    for one, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)


def test_more_results_than_a_function_of_c_can_have():
    def program(x):
        found = ()
        s = x[0]
        for k in range(1050):
            s = s * 0.5 + x[k % 3]
            found = (*found, s)
        return found

    x = np.linspace(0.0, 1.0, 3)
    np.testing.assert_allclose(xlapy.jit(program)(x), program(x), rtol=1e-12)
