"""Classes that derive from list, dict or set, with methods of their own."""

import collections
import dataclasses
import heapq

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0, 0.5])


class Record(dict):
    """A dict whose items are attributes, as many a library has one."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(name) from error

    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Vector(list):
    """A list that adds element by element."""

    def __init__(self, items=(), name="v"):
        super().__init__(items)
        self.name = name

    def __add__(self, other):
        return Vector([a + b for a, b in zip(self, other, strict=True)], self.name)

    def __mul__(self, factor):
        return Vector(a * factor for a in self)

    def norm(self):
        return sum(a * a for a in self) ** 0.5

    @property
    def last(self):
        return self[-1]


class Counts(dict):
    def __missing__(self, key):
        return 0

    def count(self, key, by=1):
        self[key] = self[key] + by


class Cache(dict):
    def __init__(self, make):
        self.make = make

    def __missing__(self, key):
        self[key] = value = self.make(key)
        return value


class Doubled(list):
    def append(self, item):
        super().append(item)
        super().append(item)

    def __getitem__(self, at):
        return list.__getitem__(self, at) * 10

    def __len__(self):
        return 99


class Tags(set):
    def add_all(self, *names):
        for name in names:
            self.add(name)
        return self


@program((X, 0), (X, 1))
def record_made_inside(x, i):
    r = Record(x=x[i], n=3)
    r.best = r.x * 2
    r["steps"] = r.n + 1
    if x[i] > 0:
        r.x = x[2]
    del r.n
    return r.x, r.best, r["best"], r.steps, "n" in r, len(r), list(r), sorted(r.keys()), r.get("n", -1)


@program(X)
def record_returned(x):
    return Record(x=x.sum(), nested=Record(y=x))


@program(X, raises=Exception)
def record_without(x):
    return Record(a=x).b


@program((Record(a=1.0, b=X), 2.0), (Record(a=-1.0, b=X), 2.0))
def record_as_argument(r, by):
    r.a = r.a * by
    r.c = r["b"].sum()
    r["b"][0] = by
    return r.a + r.b[0]


@program((X, 3), (X, 0))
def record_in_a_loop(x, n):
    r = Record(total=0.0, trips=0)
    for i in range(n):
        r.total += x[i]
        r["trips"] += 1
    return r.total, r.trips


@program(X)
def vectors(x):
    v = Vector([x[0], x[1]], name="first")
    w = v + [x[2], 1.0]
    return (
        w.norm(),
        w[0],
        len(w),
        w.name,
        (v * 2)[1],
        w.last,
        v[:1],
        list(w),
        1.0 in w,
        isinstance(w, list),
        bool(Vector()),
    )


@program(X)
def vectors_change(x):
    v = Vector()
    v.append(x[0])
    v.extend([x[1], 2.0])
    v += [4.0]
    v[0] = 7.0
    v.insert(0, x[3])
    last = v.pop()
    v.reverse()
    return list(v), last, v == [x[1], 7.0], v != [], sum(v), max(v), v.index(2.0), sorted(v)


@program((Vector([1.0, 2.0]), X), (Vector([3.0]), X))
def vector_as_argument(v, x):
    v.append(x.sum())
    v.name = "changed"
    for i, a in enumerate(v):
        v[i] = a * 2
    return v.norm(), len(v)


@program(X)
def vector_returned(x):
    return Vector([x[0], 2], "made")


@program(X)
def counted(x):
    c = Counts()
    for name in "abca":
        c.count(name)
    c.count("a", by=5)
    return dict(c), c["z"], "z" in c, {**c}, list(c.items()), list(c.values())


@program(X)
def remembered(x):
    made = []

    def square(k):
        made.append(k)
        return x[k] ** 2

    cache = Cache(square)
    return cache[1] + cache[2] + cache[1], made, len(cache)


@program(X)
def overridden_access(x):
    d = Doubled()
    d.append(x[0])
    return d[0], d[1], len(d), [a for a in d]


@program(X)
def sets_with_methods(x):
    t = Tags(["a"]).add_all("b", "c")
    return sorted(t), len(t), "b" in t, sorted(t | {"z"}), sorted(t & {"a"}), t == {"a", "b", "c"}


@program(X)
def defined_inside(x):
    class GrowableList(list):
        def push(self, item):
            self.append(item)
            return self

        @property
        def top(self):
            return self[-1]

    s = GrowableList().push(x[0]).push(x[1])
    return s.top, len(s), list(s)


class Missing(dict):
    def __missing__(self, key):
        return 2 * key


class Raising(dict):
    def __missing__(self, key):
        raise IndexError(key)


@program(np.array([3, 1, 3, 7]), np.array([5, 5, 5, 100]))
def missing_keys_of_data(a):
    d = Missing()
    for v in a.tolist():
        d[v // 3, v % 3] = d.get((v // 3, v % 3), 0) + 1
    twice = Missing()
    for v in a.tolist():
        twice[v] = v
    return d, [twice[k] for k in range(4)], twice[1000]


@program((np.array([3, 1, 3, 7]), 7), (np.array([5, 5, 5, 100]), 7), raises=IndexError)
def missing_key_raises(a, k):
    d = Raising()
    for v in a.tolist():
        d[v] = v * v
    return d[k]


@dataclasses.dataclass(order=True)
class Event:
    kind: int
    cls: float
    location: int


@program(np.array([3, 1, 3, 7]), np.array([5, 5, 5, 100]))
def fields_of_any_name(a):
    queue = []
    for v in a.tolist():
        heapq.heappush(queue, Event(v, v * 2.0, 3))
    kinds = []
    while queue:
        kinds.append(heapq.heappop(queue).kind)
    return kinds


class Recent(collections.OrderedDict):
    """Forgets what was used longest ago."""

    def __init__(self, room=3):
        super().__init__()
        self.room = room

    def __getitem__(self, key):
        value = super().__getitem__(key)
        self.move_to_end(key)
        return value

    def __setitem__(self, key, value):
        super().__setitem__(key, value)
        if len(self) > self.room:
            self.popitem(last=False)


class Ordered(collections.OrderedDict):
    pass


class Groups(collections.defaultdict):
    def add(self, key, item):
        self[key].append(item)
        return self

    def total(self):
        return sum(len(group) for group in self.values())


class Hits(collections.defaultdict):
    def __init__(self, *more):
        super().__init__(int, *more)
        self.n = 0

    def hit(self, key):
        self[key] += 1
        self.n += 1


class Twice(collections.defaultdict):
    def __missing__(self, key):
        self[key] = key * 2
        return key * 2


KEYS = (np.array([3, 1, 4, 1, 5, 9, 2, 6, 5]),), (np.array([7, 7, 2, 8, 1, 8, 2, 8, 1]),)


@program(*KEYS, compiles=1)
def least_recently_used(a):
    cache, hits = Recent(), 0
    for v in a.tolist():
        if v in cache:
            hits += cache[v] > 0
        else:
            cache[v] = v * v
    return hits, list(cache.keys()), list(cache.values()), len(cache)


@program(*KEYS)
def ordered_with_known_keys(a):
    cache = Recent(2)
    cache["x"], cache["y"], cache["z"] = a[0], a[1], a[2]
    return list(cache), cache["y"], list(cache), dict(cache), "x" in cache, cache == {"z": a[2], "y": a[1]}


@program(*KEYS)
def ordered_methods(a):
    d = Ordered()
    for v in a.tolist():
        d[v] = v * 2
    d.extra = 7
    d.move_to_end(int(a[0]))
    first = d.popitem(last=False)
    d.update({1000: 5})
    d.setdefault(1001, 6)
    return first, d.pop(1000), d


@program(*KEYS)
def groups_of_data(a):
    groups = Groups(list)
    for i, v in enumerate(a.tolist()):
        groups.add(v % 3, i)
    return groups, groups.total(), 77 in groups, len(groups)


@program(*KEYS, compiles=1)
def counted_hits(a):
    hits = Hits({5: 2})
    for v in a.tolist():
        hits.hit(v)
    twice = Twice()
    s = sum([twice[v] for v in a.tolist()])
    return dict(hits), hits.n, hits[99], 98 in hits, s, dict(twice), hits.default_factory is int, twice.default_factory


@program(*KEYS, refuse="maybe", raises=KeyError)
def factory_taken_away(a):
    hits = Hits()
    for v in a.tolist():
        hits.hit(v)
    hits.default_factory = None
    return hits[1000]


@program(*KEYS, raises=KeyError)
def factory_of_a_plain_one_taken_away(a):
    counts = collections.defaultdict(int)
    for v in a.tolist():
        counts[v] += 1
    counts.default_factory = None
    return counts[1000]


@program(*KEYS, refuse="maybe")
def factory_taken_away_perhaps(a):
    counts = collections.defaultdict(int)
    if a[0] > 3:
        counts.default_factory = None
    return counts.get(5), len(counts), counts


test_programs = program.test()
