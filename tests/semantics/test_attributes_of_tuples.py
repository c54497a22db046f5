"""Attributes of objects of classes that derive from tuple: set by the program, found on the caller's, joined, returned.

They are no part of what the tuple is equal to or hashed by."""

import collections
import copy
import functools
from typing import NamedTuple

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])


class Result(tuple):
    """A tuple without methods."""


class Pair(NamedTuple):
    a: float
    b: float


class Fit(Pair):
    """A named tuple with attributes and methods of its own."""

    scale = 2.0

    @property
    def ratio(self):
        return self.a / self.b * self.weight

    @functools.cached_property
    def total(self):
        return self.a + self.b

    def keep(self, x):
        self.kept = x
        return self


class Counted(tuple):
    """Made by `__new__` and `__init__`."""

    def __new__(cls, items, label=None):
        made = super().__new__(cls, items)
        made.label = label
        return made

    def __init__(self, items, label=None):
        self.count = len(self)
        self.largest = np.max(items)


class Guarded(collections.namedtuple("Guarded", "p q")):
    """Sets attributes through its own `__setattr__`, as SciPy's results do."""

    def __init__(self, p, q):
        self.__dict__["extra"] = p * q

    def __setattr__(self, name, value):
        if name in ("p", "q", "extra"):
            raise AttributeError(f"can't set attribute {name!r}")
        self.__dict__[name] = value

    def __getattr__(self, name):
        if name.startswith("twice_"):
            return 2 * getattr(self, name[6:])
        raise AttributeError(name)


def result(items, **attributes):
    made = Result(items)
    made.__dict__.update(attributes)
    return made


# -- set, read, deleted ----------------------------------------------------------------------------------------------


@program(X)
def set_and_read(x):
    r = Result((x.sum(), x))
    r.kind = "sum"
    r.mean = x.mean()
    same = r
    same.mean = same.mean + 1
    return r.kind, r.mean, r[0], len(r), sorted(vars(r)), hasattr(r, "kind"), hasattr(r, "other")


@program((2.0, 3.0))
def of_a_named_tuple(a, b):
    f = Fit(a, b)
    f.weight = 3.0
    first = f.total
    f.keep(a).more = b
    return f.ratio, first, f.total, f.kept, f.more, f.scale, f._asdict(), list(vars(f)), f._replace(a=b)


@program(2.0)
def hides_what_the_class_has(a):
    f = Fit(a, 1.0)
    before = f.scale
    f.scale = a
    now = f.scale
    del f.scale
    return before, now, f.scale


@program(X)
def made_by_new_and_init(x):
    c = Counted(x, label="x")
    return c.label, c.count, c.largest, c[1], c


@program((2.0, 5.0))
def with_a_setter_of_its_own(p, q):
    g = Guarded(p, q)
    g.note = q
    try:
        g.extra = 1.0
    except AttributeError as error:
        caught = str(error)
    return g.extra, g.note, caught, g.twice_p, g.twice_note, g


@program(2.0, raises=AttributeError)
def without_the_attribute(a):
    r = Result((a,))
    r.one = a
    return r.two


@program(2.0, raises=AttributeError)
def field_of_a_named_tuple(a):
    f = Fit(a, a)
    f.a = 1.0
    return f


@program(2.0, raises=AttributeError)
def deleted(a):
    r = Result((a,))
    r.one = a
    del r.one
    return r.one


@program(2.0, raises=AttributeError)
def without_a_dict(a):
    p = Pair(a, a)
    p.other = a
    return p


@program(2.0, raises=AttributeError)
def of_a_plain_tuple(a):
    t = (a, a)
    t.other = a
    return t


@program(2.0)
def its_dict(a):
    r = Result((a,))
    r.__dict__.update(one=a, two=2 * a)
    vars(r)["three"] = 3 * a
    copied = dict(r.__dict__)
    r.__dict__.pop("two")
    return r.one, r.three, hasattr(r, "two"), copied, list(vars(r).items())


# -- returned, compared, copied --------------------------------------------------------------------------------------


@program(X)
def returned(x):
    r = Result((x.min(), x.max()))
    r.data = x
    r.names = ["low", "high"]
    return r


@program(X)
def returned_in_containers(x):
    r = Result((x.min(),))
    r.value = x
    return {"r": r, "all": [r, r]}, r, (r, 1)


@program(2.0)
def refers_to_itself(a):
    r = Result((a,))
    r.itself = r
    return r.itself.itself[0], r


@program((2.0, 3.0))
def compared_by_items(a, b):
    r, s = Result((a, b)), Result((a, b))
    r.one, s.one = a, b
    return r == s, r is s, r is r, r == (a, b), r < (b, b), hash(Result((1, 2))) == hash((1, 2)), r + s, r * 2, r[:1]


@program(2.0)
def copies(a):
    r = Result((a, [a]))
    r.more = [a, a]
    c, d = copy.copy(r), copy.deepcopy(r)
    c.own = a
    d.more.append(1.0)
    f = Fit(a, a)
    f.weight = 1.0
    return c is r, c.more is r.more, d.more, r.more, hasattr(r, "own"), c, d, copy.copy(f), copy.copy(f) is f


@program(2.0)
def copies_without_attributes(a):
    p = Pair(a, a)
    return copy.copy(p) is p, copy.copy(p), copy.deepcopy(p)


@program(2.0, refuse="maybe")
def as_a_key(a):
    f = Fit(1.0, 2.0)
    f.weight = a
    held = {f: a}
    return held[f], held[(1.0, 2.0)], [k.weight for k in held]


@program(2.0, refuse="maybe")
def keys_returned(a):
    f = Fit(1.0, 2.0)
    f.weight = a
    return {f: a}


@program(2.0)
def class_changes(a):
    f = Fit(a, a)
    Fit.scale = 5.0
    now = f.scale
    Fit.scale = 2.0
    return now, f.scale


@program(2.0)
def chosen_by_the_class(a):
    match Fit(a, 1.0).keep(a):
        case Fit(a=first, kept=kept):
            return first, kept


# -- branches and loops ----------------------------------------------------------------------------------------------


@program((X, 1.0), (X, 5.0))
def joined_at_a_branch(x, t):
    if x.sum() > t:
        r = Result((x.sum(), 1.0))
        r.kind, r.size = x.max(), 1
    else:
        r = Result((t, 2.0))
        r.kind, r.size = x.min(), 2
    return r.kind, r.size, r


@program((X, 1.0), (X, 5.0))
def attribute_under_a_condition(x, t):
    r = Result((x.sum(),))
    r.value = 0.0
    if x.sum() > t:
        r.value = t
        r.extra = t
    return r.value, hasattr(r, "extra"), getattr(r, "extra", -1.0), r


@program((X, 1.0), (X, 5.0))
def one_of_two(x, t):
    r, s = Result((x[0],)), Result((x[1],))
    r.value, s.value = x.sum(), x.max()
    best = r if x.sum() > t else s
    best.value = best.value + 1
    return r.value, s.value, best[0], best is r


@program((X, 4), (X, 0), (X, 1))
def carried_by_a_loop(x, n):
    r = Result((x.sum(), 0.0))
    r.steps, r.last = 0, x[0]
    for k in range(n):
        new = Result((r[0] * 0.5, r[1] + k))
        new.steps = r.steps + 1
        new.last = r[0]
        r = new
    return r.steps, r.last, r


@program((X, 4), (X, 0))
def changed_in_a_loop(x, n):
    r = Fit(x.sum(), x.max())
    r.weight = 1.0
    k = 0
    while k < n:
        r.weight = r.weight * r.a + k
        k += 1
    return r.weight, r.ratio, r


@program((X, 0.0), (X, 9.0))
def collected(x, t):
    found = []
    for v in x:
        if v > t:
            r = Result((v, 2 * v))
            r.cube = v**3
            found.append(r)
    return [r.cube + r[1] for r in found], found


# -- the caller's ----------------------------------------------------------------------------------------------------


@program(result((1.0, 2.0), extra=5.0, data=X.copy()))
def of_the_caller(r):
    r.data[0] = r.extra
    r.extra = r.extra + r[0]
    r.new = r.data.sum()
    return r.extra, r, vars(r)["new"]


@program((result((1.0, 2.0), extra=5.0), 3.0), (result((1.0, 2.0), extra=5.0), -3.0))
def of_the_caller_or_made(r, t):
    s = Result((t, t))
    s.extra = t
    if t > 0:
        r = s
    return r.extra, r[0], r


@program(result((1.0, 2.0), extra=5.0), result((1.0, 2.0), extra=6.0), result((1.0, 3.0)))
def asked_of_the_caller(r):
    return getattr(r, "extra", 0.0) + r[1]


@program(result((1.0, 2.0), extra=5.0))
def deleted_from_the_caller(r):
    del r.extra
    return hasattr(r, "extra")


one = result((1.0, 2.0), extra=5.0)


@program((one, one), (one, result((1.0, 2.0), extra=5.0)))
def twice_the_same(r, s):
    r.extra = 1.0
    return s.extra, r is s


@program(([result((1.0,), extra=5.0), result((2.0,), extra=6.0)],))
def in_a_list_of_the_caller(items):
    items[0].extra = items[1].extra + items[0][0]
    return sum([r.extra for r in items]), items[1]


test_programs = program.test()
