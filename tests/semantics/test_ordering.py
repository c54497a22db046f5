"""Sorting objects and keys of mixed kinds by data, and what a comparison sees."""

import bisect
import dataclasses
import functools
import heapq

import numpy as np

from .runner import Programs

program = Programs()
X = np.sin(np.arange(12.0))
Y = np.cos(np.arange(12.0))


class Ev:
    n = 0

    def __init__(self, t, k):
        self.t, self.k = t, k

    def __lt__(self, o):
        return self.t < o.t


class Cnt(Ev):
    def __lt__(self, o):
        Cnt.n += 1
        return self.t < o.t


@program((3.0, 1.0), (1.0, 2.0), (2.0, 2.0))
def objects_by_less_than(a, b):
    e = [Ev(a, "a"), Ev(2.0, "c"), Ev(b, "b"), Ev(2.0, "d")]
    f = sorted(e)
    e.sort(reverse=True)
    return [v.k for v in f], [v.t for v in e], [v.k for v in e]


@program((3.0, 1.0), (1.0, 2.0), refuse="maybe")
def comparison_counts(a, b):
    e = sorted([Cnt(a, "a"), Cnt(2.0, "c"), Cnt(b, "b")])
    return [v.t for v in e], Cnt.n


@program((3.0, 1.0), (1.0, 2.0), (2.0, 2.0))
def heap_of_objects(a, b):
    e = [Ev(a, 1), Ev(2.0, 2), Ev(b, 3)]
    h = []
    for v in e:
        heapq.heappush(h, v)
    out = []
    while h:
        out.append(heapq.heappop(h).k)
    return out


@program((3.0, 1.0), (1.0, 2.0), (2.0, 2.0))
def cmp_to_key_tolerant(a, b):
    cmp = lambda p, q: (p > q) - (p < q) if abs(p - q) > 0.5 else 0  # noqa: E731
    return sorted([a, b, 2.0, 2.2], key=functools.cmp_to_key(cmp)), sorted([(a, "x"), (b, "y")], key=lambda t: t[0])


@program((3.0, 1.0), (1.0, 2.0), (2.0, 2.0))
def lists_and_tuples(a, b):
    return sorted([[a, 1], [b, 0], [2.0, 5]]), max([a, [0]][0], b), sorted([(a, 2), (b, 1)], reverse=True)


@program((3, 1.5), (1, 2.0), (2, 2.0))
def ints_and_floats(a, b):
    return sorted([a, b, 2]), sorted([b, a, 1.5, 2])


@program((float("nan"), 1.0), (1.0, float("nan")), refuse="maybe")
def sorted_nan(a, b):
    return sorted([a, b, 2.0, 0.5]), sorted([0.1, a, b])


@program((float("nan"), 1.0), (1.0, float("nan")), refuse="maybe")
def extremes_nan(a, b):
    return max(a, b), min(a, b), max([a, b, 3.0]), min([2.0, a, b]), min([a, b], key=lambda v: -v)


@program((np.array([1.0, 3.0, 2.0]),), (np.array([1.0, np.nan, 2.0]),), refuse="maybe")
def grown_list_nan(x):
    kept = []
    for v in x:
        if not v < 1.5:
            kept.append(v)
    kept.sort()
    return kept, sorted(x.tolist(), reverse=True)


@program((np.array([10, 9, 2, 5, 3, 7, 101, 18]),), (np.array([4, 3, 2, 1]),))
def increasing_subsequence(a):
    tails = []
    for v in a:
        i = bisect.bisect_left(tails, v)
        if i == len(tails):
            tails.append(v)
        else:
            tails[i] = v
    return len(tails), tails


class RingBuffer:
    def __init__(self, n):
        self.buf = np.zeros(n)
        self.i = 0
        self.full = False

    def push(self, v):
        self.buf[self.i] = v
        self.i = (self.i + 1) % len(self.buf)
        if self.i == 0:
            self.full = True

    def view(self):
        if not self.full:
            return self.buf[: self.i]
        return np.concatenate([self.buf[self.i :], self.buf[: self.i]])

    def mean(self):
        return self.view().mean()


@program((X, 5), (Y[:3], 5))
def ring_buffer(x, n):
    r = RingBuffer(n)
    for v in x:
        r.push(v)
    return r.mean(), r.i, r.full


@dataclasses.dataclass(order=True)
class Item:
    priority: float
    name: str = dataclasses.field(compare=False, default="")
    data: list = dataclasses.field(compare=False, default_factory=list)


@program((2.0, 1.0), (1.0, 2.0), (1.0, 1.0))
def dataclass_order(a, b):
    p, q = Item(a, "p"), Item(b, "q")
    lo = min(p, q)
    p.data.append(a)
    return lo.name, p < q, p == q, p >= q, len(q.data), dataclasses.astuple(q), sorted([p, q])[0].name


K = np.array([3, 1, 4, 1, 5])


@program((K,), (K[::-1].copy(),))
def sorted_by_item(a):
    return sorted(range(len(a)), key=a.__getitem__), a.__getitem__(1), list(map(a.__getitem__, [0, 2]))


@program((K,))
def items_by_method(a):
    a.__setitem__(0, 9)
    pair = [1, 2]
    pair.__setitem__(0, 5)
    d = {}
    d.__setitem__("a", a[0])
    return a, pair, d, pair.__getitem__(1), d.__getitem__("a"), a.__len__(), pair.__len__()


@program((K,))
def extremes_by_item(a):
    d = {"x": a[0], "y": a[1]}
    return (
        max(d, key=d.get),
        max(d, key=d.__getitem__),
        min(range(len(a)), key=lambda i: a[i]),
        max(range(5), key=a.tolist().__getitem__),
    )


@program(*((np.arange(float(n)) * 7 % 5,) for n in (0, 1, 2, 40)))
def many_by_a_comparison(x):
    def compare(one, other):
        return (one % 3 > other % 3) - (one % 3 < other % 3)

    return sorted(x.tolist(), key=functools.cmp_to_key(compare))


test_programs = program.test()
