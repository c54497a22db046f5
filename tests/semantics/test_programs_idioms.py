"""Decorators, closures, containers, context managers, descriptors and iterators in everyday use."""

import contextlib
import enum
import functools
import itertools
import math
import operator

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(4)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


class Color(enum.IntEnum):
    RED = 1
    GREEN = 2
    BLUE = 4


class Perm(enum.Flag):
    R = enum.auto()
    W = enum.auto()
    X = enum.auto()


@program((X, Color.RED), (X, Color.BLUE), (Y, Color.GREEN))
def enum_arg(x, c):
    table = {Color.RED: 0.5, Color.GREEN: 1.0, Color.BLUE: 2.0}
    r = x * table[c] + int(c)
    if c is Color.BLUE:
        r += 1
    return r, c.name, Color(2) == Color.GREEN, [m.value for m in Color]


@program((1.0,), (-1.0,))
def flags(v):
    p = Perm.R | Perm.W
    if Perm.W in p and v > 0:
        v += 1
    return v, bool(p & Perm.X)


class Vector:
    def __init__(self, *v):
        self.v = np.array(v, dtype=float)

    def __add__(self, o):
        return Vector(*(self.v + (o.v if isinstance(o, Vector) else o)))

    __radd__ = __add__

    def __iadd__(self, o):
        self.v += o.v
        return self

    def __mul__(self, k):
        if isinstance(k, Vector):
            return float(self.v @ k.v)
        return Vector(*(self.v * k))

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return -1 * self

    def __getitem__(self, i):
        return self.v[i]

    def __len__(self):
        return len(self.v)

    def __eq__(self, o):
        return bool((self.v == o.v).all())

    def __abs__(self):
        return math.sqrt(self * self)

    def __repr__(self):
        return "Vector(" + ", ".join(f"{c:.2f}" for c in self.v) + ")"


@program((1.0, 2.0), (-3.0, 0.5))
def vectors(a, b):
    u, v = Vector(a, b, 1), Vector(b, a, 2)
    w = u
    w += v
    s = sum([u, v, 2 * v], Vector(0, 0, 0))
    print(v)
    return u is w, u[0], abs(s), list(s), len(s), u * v, v == v


@program((1.0, 2.0), (-3.0, 0.5))
def vector_norm_sum(a, b):
    return sum((Vector(a, b), Vector(b, b)))[0]


def timed(name):
    def deco(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            STATS[name] = STATS.get(name, 0) + 1
            return f(*args, **kwargs)

        return wrapper

    return deco


STATS = {}


@timed("sq")
def sq(x):
    return x * x


@timed("cube")
def cube(x):
    return x**3


@program((X,), (Y,))
def decorated_stats(x):
    return sq(x).sum() + cube(x).sum() + sq(x[0])


def make_counter(start=0):
    n = start

    def inc(by=1):
        nonlocal n
        n += by
        return n

    def get():
        return n

    return inc, get


@program((X,), (Y,))
def closures_counter(x):
    inc, get = make_counter()
    inc2, get2 = make_counter(10)
    for v in x:
        if v > 0:
            inc()
        else:
            inc2(2)
    return get(), get2(), inc(100)


@program((X,), (Y,))
def late_binding(x):
    fs = [lambda v: v * i for i in range(3)]
    gs = [lambda v, i=i: v * i for i in range(3)]
    return [f(x[0]) for f in fs], [g(x[0]) for g in gs]


class LazyTable:
    def __init__(self, f):
        self.f = f
        self.cache = {}
        self.misses = 0

    def __getitem__(self, k):
        try:
            return self.cache[k]
        except KeyError:
            self.misses += 1
            v = self.cache[k] = self.f(k)
            return v

    def __contains__(self, k):
        return k in self.cache


@program((2.0,), (3.0,))
def lazy_table(a):
    t = LazyTable(lambda k: a**k)
    s = t[2] + t[3] + t[2]
    return s, t.misses, 3 in t, 4 in t, sorted(t.cache)


class Suppress:
    def __init__(self, *exc):
        self.exc = exc
        self.caught = None

    def __enter__(self):
        return self

    def __exit__(self, tp, v, tb):
        if tp is not None and issubclass(tp, self.exc):
            self.caught = tp.__name__
            return True
        return False


@program((4.0, 2.0), (4.0, 0.0))
def suppress_own(a, b):
    r = -1.0
    with Suppress(ZeroDivisionError) as s:
        r = a / b
        r += 1
    return r, s.caught


@program((4.0, 2.0), (4.0, 0.0))
def suppress_std(a, b):
    with contextlib.suppress(ZeroDivisionError):
        return a / b
    return 0.0


@program((X, 3), (X, 20), raises=IndexError)
def index_error(x, i):
    return x.tolist()[i]


@program((X, 3), (X, 20))
def index_error_caught(x, i):
    try:
        v = x[i]
    except IndexError as e:
        return str(e)
    return v


@program(({"a": 1.0, "b": 2.0}, "a"), ({"a": 1.0, "b": 2.0}, "z"), raises=KeyError)
def dict_key_error(d, k):
    return d[k] * 2


@program(({"a": 1.0, "b": X}, "a"), ({"a": 1.0, "c": X}, "z"))
def dict_get_default(d, k):
    d["n"] = d.get(k, 0.0) + 1
    d.pop("b", None)
    d.setdefault("q", []).append(k)
    return list(d)


@program((4.0,), (0.0,), (-4.0,))
def try_else_finally(x):
    log = []
    try:
        if x < 0:
            raise ValueError("neg", x)
        y = 1 / x
    except ZeroDivisionError:
        log.append("zde")
        y = math.inf
    except ValueError as e:
        log.append(e.args[0])
        y = -e.args[1]
    else:
        log.append("ok")
    finally:
        log.append("end")
    return y, len(log), log[-1]


@program((4.0,), (-1.0,), raises=RuntimeError)
def chained(x):
    try:
        return math.sqrt(x)
    except ValueError as e:
        raise RuntimeError("bad input") from e


@program((4.0,), (-1.0,), raises=ValueError)
def math_domain(x):
    return math.sqrt(x) + math.log(x)


@program((4.0,), (1e3,), raises=OverflowError)
def overflow(x):
    return math.exp(x)


@program((X,), (Y,))
def itemgetters(x):
    rows = [{"v": v, "i": i} for i, v in enumerate(x[:5])]
    best = max(rows, key=operator.itemgetter("v"))
    worst = min(rows, key=lambda r: abs(r["v"]))
    return best["i"], worst["v"], best is worst


@program((X,), (Y,))
def zip_star(x):
    pts = [(x[0], x[1]), (x[2], x[3]), (x[4], x[5])]
    xs, ys = zip(*pts)
    (a, b), *rest = pts
    first, *mid, last = x[:5]
    return sum(xs), max(ys), a, len(rest), len(mid), last


@program((5,), (1,))
def star_call(n):
    def f(a, b=2, *args, c, d=4, **kw):
        return a + b + sum(args) + c * d + sum(kw.values())

    args = (n, 1, 2)
    kw = {"c": 3, "z": n}
    return f(*args, **kw), f(1, c=n), f(*[1, 2], *(3, 4), c=1, **{"d": n})


@program((X, 2), (Y, 0))
def chained_compare(x, k):
    a, b, c = x[0], x[1], x[2]
    if a < b < c or a > b > c:
        r = 1
    elif not (a <= b) and (c if k else b) > 0:
        r = 2
    else:
        r = 3
    return r, (a and b) or c, a if a > 0 else -a


class Meta(type):
    reg = []

    def __new__(m, name, bases, ns):
        c = super().__new__(m, name, bases, ns)
        m.reg.append(name)
        return c


class Base(metaclass=Meta):
    scale = 1.0

    def apply(self, x):
        return x * self.scale


class Derived(Base):
    scale = 3.0

    def apply(self, x):
        return super().apply(x) + 1


@program((X, 0), (X, 1))
def metaclass_dispatch(x, k):
    obj = (Base, Derived)[k]()
    return obj.apply(x), type(obj).__name__, Meta.reg


class Mixin:
    def norm(self):
        return math.sqrt(sum(v * v for v in self))


class Tri(Mixin, tuple):
    pass


@program((X[:3],), (Y[:3],))
def tuple_subclass(x):
    t = Tri(x.tolist())
    return t.norm(), t[1], len(t)


class Unit:
    def __init__(self, name):
        self.name = name

    def __set_name__(self, owner, n):
        self.attr = "_" + n

    def __get__(self, obj, tp=None):
        if obj is None:
            return self
        return getattr(obj, self.attr)

    def __set__(self, obj, v):
        if v < 0:
            raise ValueError(f"{self.name} must be >= 0")
        setattr(obj, self.attr, v)


class Body:
    mass = Unit("mass")
    radius = Unit("radius")

    def __init__(self, m, r):
        self.mass = m
        self.radius = r


@program((2.0, 3.0), (2.0, -3.0), raises=ValueError)
def descriptors(m, r):
    b = Body(m, 1.0)
    b.radius = r
    b.mass *= 2
    return b.mass / b.radius**2


@functools.singledispatch
def describe(v):
    return -1.0


@describe.register
def _(v: int):
    return v * 10.0


@describe.register(list)
def _(v):
    return float(len(v))


@describe.register(np.ndarray)
def _(v):
    return v.sum()


@program((3, X), (4, Y))
def single_dispatch(n, x):
    return describe(n), describe([n, n]), describe(x), describe("s"), describe(x[0] > 0)


@program((X, 3), (Y, 4))
def itertools_mix(x, n):
    a = list(itertools.islice(itertools.cycle(x[:3]), n + 2))
    b = list(itertools.takewhile(lambda v: v < 5, itertools.count(1, 2)))
    c = [p + q for p, q in itertools.product(x[:2], repeat=2)]
    d = list(itertools.chain.from_iterable([[1, 2], [x[0]]]))
    e = list(itertools.starmap(lambda p, q: p * q, zip(x, range(3))))
    f = list(itertools.compress(x, [1, 0, 1]))
    return a, b, c, d, e, f, list(itertools.permutations(range(3), 2))[-1]


test_programs = program.test()
