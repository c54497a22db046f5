"""Methods and operators of sequences, given places and counts that are integers only to some of them, or to nobody."""

import collections
import itertools
import math
import operator
import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from .runner import Programs, check


class Index:
    """An integer to those who ask for `__index__`."""

    def __index__(self):
        return 1


WORLD = {"np": np, "Index": Index, "deque": collections.deque, "itertools": itertools}
X = np.array([3.0, 1.0, 2.0, 5.0, 4.0])
K = np.array([3, 1, 2, 1, 0])
LISTS = {
    "of known length": "a = [x[0], x[1], x[2]]",
    "of a length from data": "a = []\n    for n in range(int(k[0])):\n        a.append(x[n])",
}
INTEGERS = ("0", "-1", "int(k[2])", "-int(k[1])", "k[1]", "True")
OTHERS = ("10", "x[0] > 0", "1.0", "None", "np.array([1])", "-(10**20)", "Index()")
STATEMENTS = """
a.insert(?, 9.0)
r = a.pop(?)
r = a[?]
a[?] = 9.0
del a[?]
r = a * ?
r = ? * a
r = tuple(a) * ?
r = a.index(a[-1], ?)
r = a.index(a[0], 0, ?)
r = tuple(a).index(a[-1], ?)
r = list(itertools.islice(a, ?))
r = deque(a)[?]
r = deque(a); r.rotate(?)
r = deque(a); del r[?]
r = deque(a).index(a[-1], ?)
""".strip().splitlines()


def outcome(program) -> type | None:
    """The class of what CPython raises."""
    try:
        program(X, K)
    except Exception as error:
        return type(error)
    return None


@pytest.mark.parametrize("statement", STATEMENTS)
@pytest.mark.parametrize("made", LISTS)
def test_places_and_counts(made, statement):
    for value in (*INTEGERS, *OTHERS):
        namespace = dict(WORLD)
        body = f"    {LISTS[made]}\n    r = None\n    {statement.replace('?', value)}\n    return a, r\n"
        exec(compile(f"def program(x, k):\n{body}", __file__, "exec"), namespace)
        program = namespace["program"]
        check(program, X, K, raises=outcome(program), refuse="maybe" if value in OTHERS else False)


program = Programs()


@program((X, 2), (X, 9))
def members_of_ranges(x, n):
    def looked_for(member):
        try:
            return member in range(1, 4), range(1, 4).count(member), range(1, 4).index(member)
        except ValueError as error:
            return str(error)

    few = looked_for(n), looked_for(x[1]), looked_for(x[:1]), looked_for(np.array(2.0)), looked_for(Fraction(2))
    return few, looked_for("a"), looked_for(None), looked_for(True), looked_for(x), looked_for(n + 0.5)


@program((X,))
def fractions_among_keys(x):
    table, members = {1.0: x[0], "a": x[1]}, {1, 2}
    table[Fraction(1)] = x[2]
    table[Fraction(1, 2)] = x[3]
    members.add(Fraction(2))
    members.discard(Fraction(1))
    return table.get(Fraction(1)), table[0.5], len(table), members, Fraction(4, 2) in members, table.pop(Fraction(2, 4))


@program((X,))
def numbers_that_do_not_go_together(x):
    def attempt(action):
        try:
            return action()
        except TypeError as error:
            return str(error)

    items = [x[0], x[1]]
    return (
        attempt(lambda: statistics.mean([*items, x])),
        attempt(lambda: statistics.mean([*items, np.float32(x[2])])),
        attempt(lambda: statistics.stdev([*items, 1j])),
        attempt(lambda: math.fsum([*items, "a"])),
        attempt(lambda: math.fsum([*items, None])),
        attempt(lambda: math.trunc(np.int64(x[0]))),
        attempt(lambda: math.trunc(x[0])),
        operator.countOf(items, x[:1]),
    )


@program((K, X), (K[::-1].copy(), X))
def queues_that_have_grown(k, x):
    q, a = collections.deque(), []
    for n in range(int(k[0]) + 2):
        q.appendleft(n % 3)
        a.append(x[n])
    q.rotate(1)
    q.insert(1, 7)
    q.remove(1)
    del q[0]
    found = []
    try:
        q.remove(99)
    except ValueError as error:
        found.append(str(error))
    first, *middle, last = a
    return q, first, middle, last, found, collections.deque(a).index(x[1], 1)


@program((X,))
def decimals_and_concatenations(x):
    def attempt(action):
        try:
            return action()
        except (TypeError, ArithmeticError) as error:
            return type(error).__name__

    third = Decimal(1) / Decimal(3)
    return (
        str(third),
        str(Decimal(7) // 2),
        str(Decimal(2) ** 3),
        attempt(lambda: Decimal(1) / 0),
        attempt(lambda: operator.concat(1, 2)),
        attempt(lambda: operator.concat(x[0], 2)),
        operator.concat([x[0]], [2]),
    )


@program((K, X))
def items_that_are_among_those_of_a_table(k, x):
    table = {}
    for n in range(int(k[0])):
        table[int(k[n])] = x[n]

    def attempt(item):
        try:
            return item in table.items()
        except TypeError as error:
            return str(error)

    return attempt((3, 3.0)), attempt((3, 9.0)), attempt((8, 3.0)), attempt((3,)), attempt(([], 1.0)), attempt((x, 1.0))


program.add(
    "a decimal among keys from data",
    lambda k, x: {int(n): 1 for n in k if x[n] > 0}.get(Decimal(1)),
    (K, X),
    refuse="XP0004",
)


test_programs = program.test()
