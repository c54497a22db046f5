"""Classes that derive from Counter, and the caller's objects of classes that derive from a container, with attributes
of their own."""

import collections

import numpy as np

from .runner import Programs

program = Programs()
KEYS = (np.array([3, 1, 4, 1, 5, 9, 2, 6]), np.array([2, 7, 1, 8, 2, 8, 1, 9]))


class Tally(collections.Counter):
    def best(self):
        return max(self.values())

    def top(self):
        return self.most_common(1)[0]


class Hits(collections.Counter):
    """A counter with a constructor and attributes of its own."""

    def __init__(self, items=(), name="hits"):
        super().__init__(items)
        self.name, self.n = name, 0

    def put(self, key):
        self[key] += 1
        self.n += 1
        return self

    def probability(self, key):
        return self[key] / self.n if self.n else 0.0


class Hundred(collections.Counter):
    def __missing__(self, key):
        return 100


@program(*KEYS, compiles=1)
def counted(x):
    t = Tally()
    for v in x.tolist():
        t[v] += 1
    return t.best(), t.top(), dict(t), len(t), 99 in t, t[99]


@program(*KEYS)
def made_of_data(x):
    t, u = Tally(x.tolist()), Tally(v % 3 for v in x.tolist())
    t.update([1, 2])
    return t, t[99], t.best(), t.total(), u


@program(*KEYS)
def with_attributes(x):
    hits = Hits(name="seen")
    for v in x:
        hits.put(int(v))
    return hits.name, hits.n, hits.probability(1), hits, sorted(hits)


@program(([1, 2, 3, 3], 3), ([1, 2], 1))
def operators(items, k):
    a, b = Tally(items), Tally([3, 1, 1, k])
    both, less, same = a + b, a - b, b.copy()
    a.subtract(b)
    same["z"] = k
    b += Tally([1])
    kinds = type(both) is Tally, type(same) is Tally, type(b) is Tally
    return both, less, a, same, b, kinds, a == b, a == {}, a != b, b | same, b & same, +a, -a


@program()
def elements():
    t = Tally([1, 1, 2])
    return list(t.elements()), list(t.items()), t.pop(1), t, bool(t), {**t}, sorted(t.items())


@program((Tally({1: 2, 2: 1}), 3), (Tally({1: 2, 2: 1}), 5), (Tally({1: 1}), 5))
def passed(t, k):
    t[1] += k
    return t.best(), t[9], t.most_common()


@program((Tally({1: 2, 2: 1}), KEYS[0]), (Tally({1: 2, 2: 1}), KEYS[1]))
def passed_with_data(t, x):
    t.update(x.tolist())
    for v in x.tolist():
        t[v] -= 1
    return t.best(), t[9]


@program((3,), (1,), refuse="maybe")
def another_answer_for_what_is_missing(k):
    t = Hundred()
    t[k] = 1
    t.update([k, 7])
    return t[k], t[55], t


# -- the caller's objects ---------------------------------------------------------------------------------------------


class Lru(collections.OrderedDict):
    def put(self, key, value):
        self[key] = value
        self.n += 1
        if len(self) > self.room:
            self.popitem(last=False)


class Sums(collections.defaultdict):
    def __reduce__(self):
        return (
            type(self),
            (self.default_factory,),
            vars(self),
            None,
            iter(self.items()),
        )  # CPython leaves out attributes

    def put(self, key, value):
        self[key] += value
        self.n += 1


class Record(dict):
    def put(self, key, value):
        self[key] = value
        self.n += 1


class GrowableList(list):
    def put(self, key, value):
        self.append(value)
        self.n += key


class Bag(set):
    def put(self, key, value):
        self.add(value)
        self.n += key


def made(cls, *args):
    found = cls(*args)
    found.n, found.room = 0, 3
    return found


CLASSES = ((Lru,), (Sums, float), (Record,), (GrowableList,), (Bag,))


def attributes(o, x):
    for k, v in ((1, x), (2, 5.0), (3, 3.0), (1, 7.0), (9, 7.0)):
        o.put(k, v)
    o.last = x
    return o.room, o.n, len(o), hasattr(o, "other"), list(o)


for cls, *more in CLASSES:
    steps = [(made(cls, *more), 2.5), (made(cls, *more), 4.5)]
    program.add(f"attributes_of_a_{cls.__name__.lower()}", attributes, *steps, refuse="maybe" if cls is Bag else None)


@program((made(Record, {"a": 1.0}), 2.0), (made(Record, {"a": 3.0}), 5.0), compiles=1)
def written(o, x):
    o.n += 1
    o.mean = o["a"] / x
    o["a"] = x
    return o


class Numbers(list):
    pass


@program((Numbers([1.0, 2.0]), 2.0), (Numbers([1.0, 5.0]), 3.0))
def as_an_array(numbers, k):
    numbers[0] *= k
    return np.array(numbers).sum(), np.mean(numbers), np.stack([numbers, numbers]), numbers + [k], numbers[::-1]


# -- what a defaultdict makes ----------------------------------------------------------------------------------------


@program((collections.defaultdict(float, {1: 2.0}), 3.0), (collections.defaultdict(int, {1: 2}), 4.0))
def factory_stays(d, x):
    d[1] += x
    d[5] += 1
    return len(d), d.default_factory is float


@program((collections.defaultdict(float, {1: 2.0}), KEYS[0]), (collections.defaultdict(int, {1: 2}), KEYS[1]))
def factory_stays_with_data(d, x):
    for v in x.tolist():
        d[v] += 1
    return len(d)


@program((collections.defaultdict(float, {1: 2.0}), 3.0), refuse="maybe")
def another_factory(d, x):
    d[1] += x
    d.default_factory = int
    return d[7]


@program((collections.defaultdict(float, {1: 2.0}), 3.0), refuse="maybe")
def only_another_factory(d, x):
    d.default_factory = None
    return x


def factors(n, found=None, p=2):
    if n == 1:
        return collections.Counter({1: 1})
    found = found or collections.Counter()
    found[p] += n % p == 0
    if n == p:
        return found
    return factors(n, found, p + 1) if n % p else factors(n // p, found, p)


@program((18, 45), (23, 37), (1, 6))
def common_factors_of_one_of_two_counters(x, y):
    same = factors(x)
    same &= factors(y)
    total = 0
    for p in same:
        total += p
    return total


@program(*((np.array(v, np.int64),) for v in ([], [3], [1, 1], [3, 1, 4, 1, 5])), [])
def compared_and_repeated(x):
    every, large = collections.Counter(int(v) for v in x), collections.Counter(int(v) for v in x if v > 1)
    known = collections.Counter("aab")
    answers = large <= every, every < large, every >= large, every == large, known > collections.Counter("ab")
    return answers, sorted(every.elements()), sorted((every - large).elements()), known != {"a": 2, "b": 1}


test_programs = program.test()
