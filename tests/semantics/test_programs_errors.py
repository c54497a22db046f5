"""Custom exceptions, retries, comprehensions, early exits and interval arithmetic."""

import cmath
import collections
import dataclasses
import functools
import math
import operator

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(7)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


@dataclasses.dataclass(frozen=True)
class Pos:
    x: int
    y: int

    def __add__(self, o):
        return Pos(self.x + o.x, self.y + o.y)

    def neighbours(self):
        return [self + Pos(*d) for d in ((0, 1), (1, 0), (0, -1), (-1, 0))]


@program((np.arange(6.0).reshape(2, 3), 1), (np.ones((2, 3)), 2))
def visited_tuples(g, k):
    seen = set()
    order = []

    def visit(i, j):
        if (i, j) in seen or not (0 <= i < 2 and 0 <= j < 3):
            return
        seen.add((i, j))
        order.append(g[i, j])
        visit(i + 1, j)
        visit(i, j + 1)

    visit(0, 0)
    return order, len(seen)


class MyErr(ValueError):
    code = 7

    def __init__(self, msg, **info):
        super().__init__(msg)
        self.info = info

    def __str__(self):
        return f"[{self.code}] {self.args[0]}"


def risky(v):
    if v > 2:
        raise MyErr("too big", v=v)
    if v < -2:
        raise KeyError("small")
    return v * 2


@program((np.array([1.0, 3.0, -1.0, -5.0]),), (np.array([1.0, 0.5]),))
def catch_many(xs):
    out = []
    errs = 0
    for v in xs:
        try:
            out.append(risky(v))
        except MyErr as e:
            errs += e.code
            out.append(e.info["v"])
        except (KeyError, IndexError):
            errs += 100
            out.append(0.0)
        finally:
            errs += 1
    return out, errs


@program((1.0,), (3.0,), raises=MyErr)
def custom_str(v):
    return risky(v)


@program((np.array([1.0, 3.0]),), (np.array([1.0, 2.0]),), refuse="maybe")
def error_messages(xs):
    msgs = []
    for v in xs:
        try:
            risky(v)
            msgs.append("fine")
        except MyErr as e:
            msgs.append(str(e))
    return msgs


def retry(n, exc):
    def deco(f):
        @functools.wraps(f)
        def g(*a):
            for k in range(n):
                try:
                    return f(*a, k)
                except exc as e:
                    last = e
            raise last

        return g

    return deco


@program((0.5,), (1.5,), (9.5,), raises=ValueError)
def retried(x):
    @retry(3, ValueError)
    def f(v, k):
        if v > k + 1:
            raise ValueError(f"attempt {k}")
        return v + k

    return f(x)


@program((X, 4), (Y, 2))
def nonlocal_state(x, n):
    best, arg = -math.inf, None

    def consider(i, v):
        nonlocal best, arg
        if v > best:
            best, arg = v, i
        return best

    hist = [consider(i, v) for i, v in enumerate(x[:n])]
    return best, arg, hist


@program((X,), (Y,))
def comprehension_zoo(x):
    d = {i: v for i, v in enumerate(x[:4]) if i % 2 == 0}
    s = {int(i) for i in range(5) if i > 2}
    m = [[i * j for j in range(3)] for i in range(2)]
    f = [v for row in m for v in row if v]
    g = sum(v * v for v in x if v > 0)
    h = any(v > 2 for v in x), all(v < 5 for v in x)
    t = tuple(zip(*m))
    inv = {v: k for k, v in {"a": 1, "b": 2}.items()}
    return d, s, f, g, h, t, inv, max((v, i) for i, v in enumerate(x))


@program((X, 3), (Y, 5))
def list_methods(x, k):
    l = x.tolist()[:k]
    l2 = l[:]
    l.insert(1, 9.0)
    l.extend(l2[::-1])
    l.remove(9.0)
    p = l.pop()
    q = l.pop(0)
    l.reverse()
    l += [p]
    l *= 2
    del l[0]
    l[1:2] = [q, q]
    return l, l.count(q), l.index(q), l2 == x.tolist()[:k], len(l), sum(l[-2:])


@program((X, "add"), (Y, "mul"), (X, "pow"), raises=AttributeError)
def getattr_dynamic(x, name):
    class Ops:
        def do_add(self, v):
            return v + 1

        def do_mul(self, v):
            return v * 2

    return getattr(Ops(), f"do_{name}")(x)


@program((X,), (Y,))
def operator_module(x):
    f = operator.methodcaller("sum")
    g = operator.attrgetter("size")
    h = operator.itemgetter(0, -1)
    return f(x), g(x), h(x), functools.reduce(operator.mul, x[:4], 1.0), operator.truediv(x[0], x[1])


@program((3.7, -2), (-3.2, 5))
def builtin_zoo(v, n):
    return (
        divmod(v, 2),
        divmod(n, 3),
        round(v),
        round(v, 1),
        abs(n),
        int(v),
        float(n),
        bool(n),
        pow(n, 2),
        pow(2, n) if n > 0 else 0,
        math.trunc(v),
        math.fmod(v, 2),
        -n // 2,
        n % -3,
        v // 1,
        complex(v, n).conjugate(),
        math.copysign(1, v),
        math.isclose(v, 3.7),
        min(v, n),
        max(n, v, 1),
        n & 3,
        n | 8,
        n ^ 1,
        ~n,
        n << 2,
        n >> 1,
    )


@program((5, 12), (0, 7))
def integer_math(a, b):
    return (
        math.gcd(a, b),
        math.comb(b, a),
        math.isqrt(b),
        a.bit_length(),
        bin(5),
        math.factorial(a),
        math.hypot(a, b),
        math.perm(b, 2),
        sum(divmod(b, 5)),
        math.lcm(a, b),
    )


@program((X,), (Y,))
def slices_and_masks(x):
    y = x.copy()
    y[y < 0] *= -1
    y[::3] = 0
    y[-2:] += 1
    z = np.where(x > 0, x, np.nan)
    k = np.flatnonzero(x > 0)
    a, b = np.divmod(np.arange(6), 4)
    return y, np.nansum(z), k, x[k].sum(), x[[0, -1]], a, b, np.clip(x, *(-0.5, 0.5)), x[::-1][:3], np.isnan(z).sum()


@program((X, 2.5), (Y, -1.0))
def early_return_nested(x, t):
    for i in range(3):
        for j in range(4):
            v = x[i * 4 + j]
            if v > t:
                return i, j, v
            if v < -t:
                break
        else:
            continue
        if i == 1:
            return -1, i, v
    return None


@program((10, 3), (7, 7), (2, 5))
def while_many_exits(n, k):
    steps = 0
    while True:
        steps += 1
        if n % k == 0:
            return "div", steps
        if n > 50:
            break
        if n < k:
            n += k
            continue
        n = n * 2 - 1
    return "big", steps, n


@program((X,), (Y,))
def two_pointers(x):
    a = np.sort(x)
    i, j = 0, len(a) - 1
    best = (math.inf, -1, -1)
    while i < j:
        s = a[i] + a[j]
        if abs(s) < best[0]:
            best = (abs(s), i, j)
        if s > 0:
            j -= 1
        elif s < 0:
            i += 1
        else:
            break
    return best


@program((np.array([[1, 2], [3, 4]]), 5), (np.array([[1, 1], [1, 0]]), 10), (np.array([[2, 0], [0, 2]]), 0))
def matrix_power(m, n):
    r = np.eye(len(m), dtype=m.dtype)
    while n:
        if n & 1:
            r = r @ m
        m = m @ m
        n >>= 1
    return r


@program((1 + 2j, 3), (0.5j, 6))
def complex_iter(z, n):
    out = [z]
    for k in range(n):
        out.append(out[-1] ** 2 + z if abs(out[-1]) < 4 else z)
    return out, cmath.phase(z), abs(out[-1]), z.real, cmath.exp(z)


class Interval:
    def __init__(self, lo, hi):
        if lo > hi:
            raise ValueError(f"empty interval [{lo}, {hi}]")
        self.lo, self.hi = lo, hi

    def __add__(self, o):
        o = self._lift(o)
        return Interval(self.lo + o.lo, self.hi + o.hi)

    __radd__ = __add__

    def __mul__(self, o):
        o = self._lift(o)
        p = [a * b for a in (self.lo, self.hi) for b in (o.lo, o.hi)]
        return Interval(min(p), max(p))

    def __and__(self, o):
        return Interval(max(self.lo, o.lo), min(self.hi, o.hi))

    def __contains__(self, v):
        return self.lo <= v <= self.hi

    @staticmethod
    def _lift(v):
        return v if isinstance(v, Interval) else Interval(v, v)

    def __iter__(self):
        yield self.lo
        yield self.hi

    def __eq__(self, o):
        return tuple(self) == tuple(o)


@program((1.0, 3.0), (-2.0, 0.5))
def intervals(a, b):
    i = Interval(a, b)
    j = 2 + i * i
    return tuple(j), 1.5 in j, i == Interval(a, b), sum([i, i], Interval(0, 0)).hi


@program((1.0, 3.0), (2.5, 0.5), raises=ValueError)
def intervals_err(a, b):
    return tuple(Interval(0.0, 2.0) & Interval(a, a + 1) & Interval(b - 1, b + 1))


@program((X[:5], 2), (Y[:5], 7))
def defaultdict_groups(x, k):
    g = collections.defaultdict(list)
    for i, v in enumerate(x):
        g[i % k].append(v)
    c = collections.Counter([i % k for i in range(5)])
    return {a: sum(b) for a, b in g.items()}, c.most_common(1)[0][1], dict(c), collections.OrderedDict(a=1)["a"]


test_programs = program.test()
