"""Items of containers that are changed where they lie, on some ways through the program only."""

import collections
import dataclasses

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(7)
SHORT, LONG, BRIEF = RNG.integers(0, 9, 14), RNG.integers(0, 9, 60), np.array([3, 8, 1, 7, 2, 7])


@program(SHORT, LONG)
def neighbours(x):
    adjacent = [[] for _ in range(9)]
    for a, b in zip(x[::2], x[1::2]):
        if a < b:
            adjacent[a].append(int(b))
    return adjacent


@program(SHORT, LONG)
def topological_order(x):
    n = 9
    adjacent, incoming = [[] for _ in range(n)], [0] * n
    for a, b in zip(x[::2], x[1::2]):
        if a < b:
            adjacent[a].append(int(b))
            incoming[b] += 1
    waiting = collections.deque(i for i in range(n) if incoming[i] == 0)
    order = []
    while waiting:
        u = waiting.popleft()
        order.append(u)
        for v in adjacent[u]:
            incoming[v] -= 1
            if incoming[v] == 0:
                waiting.append(v)
    return order


@program(SHORT, LONG)
def lists_under_known_keys(x):
    where = {i: [] for i in range(9)}
    for i in range(len(x)):
        if x[i] < 4:
            where[int(x[i])].append(i)
    return where


@program(SHORT, -SHORT % 9)
def before_any_loop(x):
    lists = [[] for _ in range(4)]
    if x[0] > 3:
        lists[int(x[1]) % 4].append(1)
    else:
        lists[int(x[2]) % 4].append(2)
    lists[int(x[3]) % 4].append(3)
    return lists, sum(len(one) for one in lists)


@dataclasses.dataclass
class Account:
    balance: float
    bookings: int = 0


@program(SHORT, LONG)
def accounts(x):
    found = [Account(float(k)) for k in range(20)]
    for i in range(1, len(x)):
        if x[i] > x[i - 1]:
            found[int(x[i])].balance += 1.5
            found[int(x[i])].bookings += 1
    return [(a.balance, a.bookings) for a in found]


@program(SHORT, LONG, refuse=True)
def two_lists_of_the_same_lists(x):
    first = [[] for _ in range(4)]
    second = list(first)
    for v in x.tolist():
        if v > 3:
            first[v % 4].append(v)
        else:
            second[v % 4].append(-v)
    return first, second


@program(SHORT, LONG)
def one_list_under_two_names(x):
    lists = [[] for _ in range(4)]
    one = lists
    for v in x.tolist():
        if v > 3:
            lists[v % 4].append(v)
        else:
            one[v % 4].append(-v)
    return lists


# -- the last of several lists ----------------------------------------------------------------------------------------


@program(SHORT, LONG, np.full(40, 3))
def segments(x):
    out = [[]]
    for v in x.tolist():
        if v == 3:
            out.append([])
        else:
            out[-1].append(v)
    return out, [len(one) for one in out]


@program(SHORT, LONG)
def rising_runs(x):
    out = [[0]]
    for i in range(1, len(x)):
        if x[i] >= x[i - 1]:
            out[-1].append(i)
        else:
            out.append([i])
    return out, len(max(out, key=len))


@program(SHORT, LONG)
def records_of_segments(x):
    out = [{"count": 0, "sum": 0}]
    for v in x.tolist():
        if v == 3:
            out.append({"count": 0, "sum": 0})
        out[-1]["count"] += 1
        out[-1]["sum"] += v
    return out


@program(BRIEF, LONG, refuse=True)
def first_list_under_a_name_of_its_own(x):
    first = [1]
    out = [first]
    for v in x.tolist():
        if v > 6:
            out.append([v])
        out[-1].append(v)
    return len(first), sum(first)


@program(BRIEF, LONG, refuse=True)
def first_list_in_two_lists(x):
    first = [1]
    out, other = [first], [first]
    for v in x.tolist():
        if v > 6:
            out.append([v])
        out[-1].append(v)
    return len(other[0]), [sum(one) for one in out]


@program(SHORT, LONG)
def copies_of_what_starts_anew(x):
    out, current = [], []
    for v in x.tolist():
        current.append(v)
        if v == 3:
            out.append(current[:])
            current = []
    return out, current


@program(SHORT, LONG)
def what_starts_anew_itself(x):
    out, current = [], []
    for v in x.tolist():
        current.append(v)
        if v == 3:
            out.append(current)
            current = []
    return out, current


test_programs = program.test()
