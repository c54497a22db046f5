"""Items put into one of several lists by what they are: sorts with buckets, groups; the numbers are a list's."""

from collections import defaultdict

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(9)
FEW, FEWER = [15, 22, 9, 1, 5, 6, 0, 33], [7, 7, 70, 12, 3, 99, 4, 41]
MANY, OTHERS = ([int(v) for v in RNG.integers(0, 99, 30)] for _ in range(2))


def in_order_of_their_last_digits(xs):
    buckets = [[] for _ in range(10)]
    for v in xs:
        buckets[v % 10].append(v)
    return [v for bucket in buckets for v in bucket], [len(bucket) for bucket in buckets]


def sorted_in_buckets(xs):
    buckets = [[] for _ in range(4)]
    for v in xs:
        buckets[v * 4 // 100].append(v)
    found = []
    for bucket in buckets:
        found.extend(sorted(bucket))
    return found, max(len(bucket) for bucket in buckets)


def sorted_by_digits(xs):
    place = 1
    while place <= max(xs):
        buckets = [[] for _ in range(10)]
        for v in xs:
            buckets[v // place % 10].append(v)
        at = 0
        for bucket in buckets:
            for v in bucket:
                xs[at] = v
                at += 1
        place *= 10
    return xs


for function in (in_order_of_their_last_digits, sorted_in_buckets):
    program.add(f"{function.__name__}_few", function, FEW, FEWER, compiles=1)
    program.add(f"{function.__name__}_many", function, MANY, OTHERS)
program.add("sorted_by_digits_few", sorted_by_digits, FEW, FEWER)
program.add("sorted_by_digits_many", sorted_by_digits, MANY, OTHERS)


@program(FEW, FEWER)
def groups_of_a_defaultdict(xs):
    groups = defaultdict(list)
    for v in xs:
        groups[v % 3].append(v)
    return dict(groups), {k: len(v) for k, v in groups.items()}


@program((FEW, 3), (FEWER, 2))
def number_of_buckets_is_an_argument(xs, n):
    buckets = [[] for _ in range(n)]
    for k, v in enumerate(xs):
        buckets[k % n].append(v)
    return [sum(bucket) for bucket in buckets], buckets


@program(*((np.array(v, np.int64),) for v in ([], [1], [3, 1], [3, 1, 4, 1, 5, 9, 2, 6])), compiles=4)
def neighbours_in_both_directions(x):
    n, neighbours = len(x), defaultdict(list)
    for i in range(n):
        j = int(x[i]) % n
        neighbours[i].append(j)
        neighbours[j].append(i)
    return {k: sorted(v) for k, v in neighbours.items()}


test_programs = program.test()
