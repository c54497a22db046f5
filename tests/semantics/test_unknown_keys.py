"""Dicts and sets whose keys depend on data: memo tables, visited sets, counters, groups."""

import collections
import dataclasses

import numpy as np

from .runner import Programs, do

program = Programs()
rng = np.random.default_rng(42)
X = rng.normal(size=12)
Y = rng.normal(size=12)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
R = np.array([1, 1, 2, 2, 2, 3, 1, 1])


@program((K,), (R,))
def visited(a):
    seen = set()
    out = []
    for v in a:
        if int(v) not in seen:
            seen.add(int(v))
            out.append(int(v))
    return out, len(seen), 4 in seen, sorted(seen), seen


@program((K,), (R,))
def counts(a):
    found = {}
    for v in a:
        found[int(v)] = found.get(int(v), 0) + 1
    return found


@program((K,), (R,))
def counts_with_else(a):
    found = {}
    for v in a.tolist():
        if v in found:
            found[v] += 1
        else:
            found[v] = 1
    return found, list(found), list(found.values()), sum(found.values()), max(found, key=found.get)


@program((K,), (R,))
def counts_with_try(a):
    found = {}
    for v in a.tolist():
        try:
            found[v] += 1
        except KeyError:
            found[v] = 1
    return found


@program((K,), (R,))
def counter_class(a):
    c = collections.Counter(a.tolist())
    c.update([1, 1, 7])
    return c, c.most_common(2), c[100], c.total(), len(c)


@program((R, X[:8]), (K, Y[:8]))
def sums_of_groups(keys, values):
    groups = collections.defaultdict(float)
    for k, v in zip(keys, values):
        groups[int(k)] += v
    return dict(groups), max(groups.values())


@program((R, X[:8]), (K, Y[:8]))
def extremes_of_groups(keys, values):
    best = {}
    for k, v in zip(keys.tolist(), values.tolist()):
        best[k] = max(best.get(k, v), v)
    return {k: -v for k, v in best.items()}, sorted(best.items()), min(best.values())


@program((27,), (40,))
def collatz(n):
    cache = {1: 1}
    best, arg = 0, 0
    for start in range(1, n):
        m, steps = start, []
        while m not in cache:
            steps.append(m)
            m = m // 2 if m % 2 == 0 else 3 * m + 1
        length = cache[m]
        for s in reversed(steps):
            length += 1
            cache[s] = length
        if cache[start] > best:
            best, arg = cache[start], start
    return best, arg


@program((np.array([2, 7, 11, 15, -3]), 4), (np.array([1, 1, 1, 1, 1]), 9))
def two_sum(a, target):
    where = {}
    for i, v in enumerate(a.tolist()):
        if target - v in where:
            return where[target - v], i
        where[v] = i
    return None


@program((K,), (R,))
def known_keys_and_a_new_one(a):
    found = {"total": 0, 1: 0, 2: 0}
    for v in a.tolist():
        found["total"] += v
        found[v] = found.get(v, 0) + 1
    return found


@program((K % 3,), (R,))
def known_keys_are_enough_at_first(a):
    found = {0: 0, 1: 0, 2: 0}
    for v in a.tolist():
        found[v] = found.get(v, 0) + 1
    return found


@program((K, R), (R, K))
def operations_of_sets(a, b):
    p, q = set(a.tolist()), {v + 1 for v in b.tolist()}
    return (
        p | q, p & q, p - q, p ^ q, p <= q, p == q, p.isdisjoint(q), p.union([100]), len(p & q),
        p.intersection(b.tolist()), p.issuperset(a.tolist()), p != set(a.tolist()), sum(p), min(q), any(p), 3 in q,
    )  # fmt: skip


@program((K, R), (R, K))
def sets_in_place(a, b):
    p = set(a.tolist())
    p |= {1, 77}
    p -= set(b.tolist())
    p.discard(5)
    p.discard(-1)
    p.add(77)
    p.update(b)
    q = p.copy()
    q.clear()
    return p, len(q), 77 in p


@program((K,), (R,), raises=KeyError)
def removed(a):
    p = set(a.tolist())
    p.remove(4)
    return p


@program((K, 2), (R, 9), raises=KeyError)
def missing_key(a, n):
    found = {}
    for v in a.tolist():
        found[v] = v * v
    return found[n]


@program((K, 2), (R, 3))
def methods(a, n):
    d = {}
    for i, v in enumerate(a.tolist()):
        d[v] = i
    first = d.pop(a[0], None)
    gone = d.pop(-5, "none")
    e = d.copy()
    del e[int(a[2])]
    e.update({1000: 1, int(a[4]): -1})
    last = e.popitem()
    s = e.setdefault(int(a[3]) + 50, 12)
    d2 = dict(e)
    d2[0] = 5
    return d, e, first, gone, last, s, e == d2, e != d, d == d.copy(), len(d2), n in d, bool(d), d | e


@program((K,), (R,))
def pairs_as_keys(a):
    grid = {}
    x = y = 0
    for v in a.tolist():
        if v % 2:
            x += v
        else:
            y -= v
        grid[x, y] = grid.get((x, y), 0) + v
    return grid, (0, 0) in grid, [(p, q) for p, q in grid]


@program((K,), (R,))
def numbers_of_several_types(a):
    d = {}
    for v in a:
        d[v] = 1
        d[float(v)] = d[int(v)] + 1
    return d


@program((X,), (np.round(X),))
def floats_as_keys(a):
    seen = set()
    for v in a:
        seen.add(round(float(v)))
    return len(seen), sorted(seen), -0.0 in seen


@program((np.array([1.0, np.nan, 2.0]),), refuse=True)
def nan_as_key(a):
    seen = set()
    for v in a.tolist():
        seen.add(v)
    return len(seen)


@program((K,), (R,))
def order_of_a_set(a):
    out = []
    for v in set(a.tolist()):
        out.append(v)
    return out


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    y: int

    def moved(self, dx, dy):
        return Point(self.x + dx, self.y + dy)


@program((K,), (R,))
def dataclasses_as_keys(a):
    here = Point(0, 0)
    seen = {here}
    moves = [(0, 1), (1, 0), (0, -1), (-1, 0)]
    crossings = 0
    for v in a:
        here = here.moved(*moves[v % 4])
        if here in seen:
            crossings += 1
        seen.add(here)
    return len(seen), crossings, Point(0, 1) in seen


@program((K,), (R,))
def iteration_and_change(a):
    d = {}
    for v in a.tolist():
        d[v] = d.get(v, 0) + v
    for k in d:
        d[k] = d[k] * 2
    total = 0
    for k, v in d.items():
        total += k * v
    for k in list(d):
        if k % 2 == 0:
            del d[k]
    return d, total, sorted(d), [v for v in d.values() if v > 4]


@program((K, 3), (R, 1), raises=RuntimeError)
def size_changes_while_iterated(a, n):
    d = {}
    for v in a.tolist():
        d[v] = v
    for k in d:
        if k == n:
            d[k + 100] = 1
    return d


@program((K, 3), (R, 1))
def changed_then_left(a, n):
    d = {}
    for v in a.tolist():
        d[v] = v
    for k in d:
        if k == n:
            del d[k]
            break
    return d


class Cache:
    def __init__(self, size):
        self.size = size
        self.items = collections.OrderedDict()
        self.hits = self.misses = 0

    def get(self, key):
        if key in self.items:
            self.hits += 1
            self.items.move_to_end(key)
            return self.items[key]
        self.misses += 1
        value = key * key
        self.items[key] = value
        if len(self.items) > self.size:
            self.items.popitem(last=False)
        return value


@program((K, 3), (R, 2))
def least_recently_used(a, n):
    cache = Cache(n)
    out = [cache.get(v) for v in a.tolist()]
    return out, cache.hits, cache.misses, list(cache.items.items())


MEMO = {}


@program((K,), do(MEMO.clear), (R,), (K,))
def table_of_the_caller(a):
    for v in a.tolist():
        if v not in MEMO:
            MEMO[v] = v**2
    return len(MEMO)


@program(({5: 1}, K), ({}, R), ({1: 2, 2: 3, 9: 0}, R))
def dict_argument(d, a):
    for v in a.tolist():
        d[v] = d.get(v, 0) + 1
    return sum(d.values())


@program((K, 7), (R, 4))
def sequence_until_it_repeats(a, m):
    seen = {}
    x, n = int(a[0]), 0
    while x not in seen:
        seen[x] = n
        x = (x * x + int(a[1])) % (m * 100 + 1)
        n += 1
    return n - seen[x], n


@program((X, K), (Y, R))
def rows_kept_by_key(x, k):
    last = {}
    for i, key in enumerate(k.tolist()):
        last[key] = x * i
    total = np.zeros_like(x)
    for key, row in last.items():
        total += key * row
    return total, last


class Thing:
    def __init__(self, v):
        self.v = v


T1, T2 = Thing(1.0), Thing(2.0)
THINGS = {T1: 10.0, T2: 20.0}


@program((T1, {T1: 1.0, T2: 2.0}))
def objects_as_keys_of_an_argument(t, d):
    return d[t] + 1


@program((T1,))
def objects_as_keys_of_a_global(t):
    return THINGS[t] + THINGS[T2]


@program((1.0,))
def objects_as_keys_of_a_global_iterated(x):
    return [k.v for k in THINGS], T1 in THINGS, Thing(1.0) in THINGS


@program(({Point(0, 0): 1.0, Point(0, 1): 2.0}, Point(0, 1)))
def dataclasses_as_keys_of_an_argument(d, p):
    return d[p], d[Point(0, 0)], Point(5, 5) in d, d.get(Point(0, 1))


@program(({Point(0, 0), Point(0, 1)}, Point(0, 1)))
def dataclasses_in_a_set_of_the_callers(d, p):
    return p in d, Point(3, 3) in d, len(d)


@program((np.arange(3.0),))
def known_dataclasses_as_keys(x):
    ops = {Point(0, 1): np.sum, Point(1, 0): lambda v: v.max(), Point(1, 1): x}
    ops[Point(1, 0)] = len
    return (
        ops[Point(0, 1)](x),
        ops[Point(1, 0)](x),
        ops[Point(1, 1)],
        len(ops),
        Point(0, 1) in ops,
        [(k.x, k.y) for k in ops],
    )


@program((np.arange(3.0),), raises=KeyError)
def known_dataclass_is_missing(x):
    ops = {Point(0, 1): np.sum}
    return ops[Point(2, 2)](x)


@program((K,), (R,))
def values_change_while_they_are_iterated_over(a):
    d = {}
    for v in a.tolist():
        d[v] = v
    out = []
    for k, v in d.items():
        for j in d:
            d[j] = d[j] + k
        out.append(v)
    for v in d.values():
        for j in d:
            d[j] += 1
        out.append(v)
    return out, d


@program((K,), (R,))
def values_change_in_iterators_of_iterators(a):
    d = {}
    for v in a.tolist():
        d[v] = v
    out = []
    for i, (k, v) in enumerate(d.items()):
        for j in d:
            d[j] += i
        out.append(v + k)
    for v, w in zip(d.values(), d):
        d[w] -= v
        out.append(v)
    for v in map(lambda x: x * 2, d.values()):
        for j in d:
            d[j] += 1
        out.append(v)
    return out, d


@program((K,), (R,))
def values_change_between_two_steps(a):
    d = {}
    for v in a.tolist():
        d[v] = v
    items = iter(d.items())
    first = next(items)
    for j in d:
        d[j] += 10
    return first, next(items), sum(d.values()), [x for x in items]  # noqa: C416


@program((K,), raises=RuntimeError)
def a_dict_grows_while_it_is_zipped(a):
    d = {}
    for v in a.tolist():
        d[v] = v
    out = []
    for v, w in zip(d.values(), d):
        d[w + 50] = v
        out.append(v * w)
    return out


@dataclasses.dataclass
class Reading:
    place: int
    value: float


@program((np.array([1.5, 2.5, 1.5, 0.5]), 0, 2), (np.array([1.5, 2.5, 1.5, 0.5]), 1, 1), (np.array([1.5, 2.5]), 0, 1))
def dataclasses_that_may_be_one(xs, i, j):
    readings = []
    for v in xs:
        if v > 0:
            readings.append(Reading(int(v), float(v)))
    first, second = readings[int(xs[i]) % len(readings)], readings[int(xs[j]) % len(readings)]
    return first == second, first != second, first == Reading(int(xs[i]), float(xs[i])), readings.count(first)


@program(K, R)
def copies_of_other_classes(a):
    found = {}
    for v in a:
        found[int(v)] = found.get(int(v), 0) + 1
    ordered, default = collections.OrderedDict(found), collections.defaultdict(int, found)
    default[77] += 1
    first = ordered.popitem(last=False)
    ordered.move_to_end(2)
    return first, list(ordered.items()), sorted(default.items()), ordered == found, len(default)


@program((collections.OrderedDict,), (lambda *dicts: collections.defaultdict(int, *dicts),), (dict,))
def too_many_dicts(make):
    try:
        return len(make({}, {}))
    except TypeError as error:
        return str(error)


@program(*((np.array(v, np.int64),) for v in ([], [3], [7, 2], [3, 1, 4, 1, 5, 9, 2, 6])))
def sets_changed_by_operators(x):
    found = {1}
    found.update(int(v) for v in x)
    found.discard(2)
    found -= {3}
    found |= {7}
    found ^= {7, 8}
    return sorted(found), sorted(found ^ {int(v) for v in x})


test_programs = program.test()
