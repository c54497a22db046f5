"""Lists and tuples whose length depends on data, compared and sorted as CPython compares them, item by item."""

from collections import defaultdict

import numpy as np

from .runner import Programs

program = Programs()
K1 = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
K2 = np.array([7, 7, 2, 8, 1, 8, 2, 8, 1])
K3 = np.array([100, 33, 17, 33, 100, 5, 64, 0, 8])


def grouped(a, n):
    groups = {}
    for v in a.tolist():
        groups.setdefault(v % n, []).append(v)
    return groups


@program((K1,), (K2,), (K3,), compiles=1)
def sorted_groups(a):
    return sorted(grouped(a, 4).values())


@program((K1,), (K2,), (K3,), compiles=1)
def sorted_groups_backwards(a):
    return sorted(grouped(a, 3).values(), reverse=True)


@program((K1,), (K2,), (K3,))
def sorted_by_groups(a):
    groups = defaultdict(list)
    for i, v in enumerate(a.tolist()):
        groups[v % 4].append((v, i * 0.5))
    return sorted(groups.items(), key=lambda pair: pair[1]), sorted(groups, key=lambda k: (len(groups[k]), k))


@program((K1,), (K2,), (K3,))
def sorted_pairs(a):
    pairs = []
    for i, v in enumerate(a.tolist()):
        if v > 1:
            pairs.append([v % 3, -i])
    pairs.sort(reverse=True)
    return pairs


@program((K1,), (K2,), (K3,))
def sorted_tuples(a):
    found = []
    for k in range(int(a[0]) % 3 + 2):
        found.append(tuple(v for v in a.tolist() if v % 3 == k))
    return sorted(found), sorted(found, reverse=True)


@program((K1,), (K2,), (K3,))
def extremes(a):
    groups = grouped(a, 4)
    return max(groups.values()), len(min(groups.values())), [len(g) for g in sorted(groups.values(), key=len)]


@program((K1,), (K2,), (K3,))
def compared(a):
    one, two = ([v for v in a.tolist() if v > k] for k in (1, 2))
    x, y = tuple(one), tuple(two)
    return one < two, one <= one, one > two, two >= [3], [3, 1000] < one, x < y, x >= x, y > (), max(x, y)


@program((np.array([1.0, np.nan, 2.0]),), (np.array([np.nan, 3.0, 3.0]),), (np.array([1.0, 2.0, 3.0]),))
def compared_with_nan(x):
    one, two = [v for v in x.tolist() if v != 3], [v + 0.0 for v in x.tolist() if v != 2]
    return one < two, one <= two, one > two, one >= two


@program((np.array([1.0, np.nan, 2.0]),), (np.array([1.0, 2.0, 3.0]),), refuse="maybe")
def sorted_with_nan(x):
    groups = defaultdict(list)
    for i, v in enumerate(x.tolist()):
        groups[i % 2].append(v)
    return sorted(groups.values())


@program((K1,), (K2,), refuse="maybe")
def changed_afterwards(a):
    groups = grouped(a, 4)
    ordered = sorted(groups.values())
    ordered[0].append(99)
    return groups


class Job:
    def __init__(self, number, cost):
        self.number, self.cost = number, cost

    def __lt__(self, other):
        return self.cost < other.cost


class Counted(Job):
    asked = 0

    def __lt__(self, other):
        Counted.asked += 1
        return self.cost < other.cost


def jobs_over(a, least, cls=Job):
    return [cls(i, cost % 5) for i, cost in enumerate(a.tolist()) if cost > least]


@program((K1,), (K2,), (K3,), compiles=1)
def objects_with_an_order(a):
    jobs = jobs_over(a, 1)
    backwards = [job.number for job in sorted(jobs, reverse=True)]
    jobs.sort()
    jobs[0].cost += 7
    return [job.number for job in jobs], backwards, jobs[0].cost


@program((K1,), (K2,), compiles=1)
def keys_with_an_order(a):
    pairs = [(i, v) for i, v in enumerate(a.tolist()) if v > 1]
    pairs.sort(key=lambda pair: Job(*pair))
    return pairs


@program((K1,), (K1 * 0,), compiles=1)
def none_with_an_order(a):
    return [job.number for job in sorted(jobs_over(a, 100))]


WITH_NAN = tuple((np.array(v),) for v in ([2.0, 3.0, np.nan, 1.0], [1.0, np.nan, 1.0, 0.0], [4.0, 3.0, 2.0, 2.0]))


@program(*WITH_NAN, refuse="maybe")
def objects_with_nan(x):
    jobs = sorted(Job(i, v) for i, v in enumerate(x.tolist()) if v != 0)
    return [job.number for job in jobs]


@program(*WITH_NAN, refuse="maybe")
def known_objects_with_nan(x):
    jobs = sorted(Job(i, v) for i, v in enumerate(x.tolist()))
    return [job.number for job in jobs]


@program((K1,), (K2,), refuse="maybe")
def order_that_counts(a):
    jobs = sorted(jobs_over(a, 1, Counted))
    return [job.number for job in jobs], Counted.asked


test_programs = program.test()
