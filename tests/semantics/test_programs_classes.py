"""Properties, dispatch, protocols and exceptions of users' classes; adaptive quadrature and decompositions."""

import abc
import dataclasses
import functools
import itertools
import math

import numpy as np

from .runner import Call, Programs, do, set_global

program = Programs()
rng = np.random.default_rng(2)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


class Temperature:
    registry = {}

    def __init__(self, c):
        self.c = c
        type(self).registry[len(self.registry)] = c

    @property
    def fahrenheit(self):
        return self.c * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, f):
        if f < -459.67:
            raise ValueError("below absolute zero")
        self.c = (f - 32) * 5 / 9

    @fahrenheit.deleter
    def fahrenheit(self):
        self.c = 0.0

    @classmethod
    def from_kelvin(cls, k):
        return cls(k - 273.15)

    @staticmethod
    def mean(*ts):
        return sum(t.c for t in ts) / len(ts)


@program((300.0, 50.0), (10.0, -500.0), raises=ValueError)
def property_setter(k, f):
    t = Temperature.from_kelvin(k)
    u = Temperature(20.0)
    u.fahrenheit = f
    t.fahrenheit += 10
    r = Temperature.mean(t, u)
    del u.fahrenheit
    return r, t.fahrenheit, u.c, Temperature.registry


class Counter:
    instances = 0

    def __init__(self):
        Counter.instances += 1
        self.n = 0

    def __call__(self, f):
        @functools.wraps(f)
        def g(*a, **k):
            self.n += 1
            return f(*a, **k)

        return g


@program((X,), (Y,))
def counted_calls(x):
    c = Counter()

    @c
    def f(v, *, scale=2):
        return v * scale

    s = 0
    for v in x:
        if v > 0:
            s += f(v)
        else:
            s += f(v, scale=3)
    return s, c.n, Counter.instances, f.__name__


LOG = []
STEP = 1.0


def log(*a):
    LOG.append(a)


@program((3.0,), set_global(log, "STEP", 2.0), (3.0,), set_global(log, "STEP", 7), (3.0,))
def global_step(x):
    log("x", x)
    if x > STEP * 2:
        return x * STEP
    log("small", STEP)
    return x - STEP


total = 0


@program((X,), (Y,))
def global_accumulate(x):
    global total
    for v in x:
        if v > 0:
            total += v
    return total


def append_to(v, acc=[]):
    acc.append(v)
    return acc


@program((1.0,), (2.0,), (3.0,))
def mutable_default(v):
    return len(append_to(v)), sum(append_to(v * 2))


@program((X, None), (X, 2.0), (Y, np.array(1.5)))
def optional_arg(x, s=None):
    s = s or 1.0
    return x * s


@program(Call((X,)), Call((X,), {"axis": 0, "scale": 3.0}), Call((M,), {"axis": 1}))
def kwargs_normalise(x, **kw):
    axis = kw.pop("axis", None)
    scale = kw.get("scale", 1.0)
    if "scale" in kw and scale > 2:
        x = x / 2
    m = x.mean(axis=axis, keepdims=True)
    return scale * (x - m)


@program((X, 3, 0.5), (Y, 5, 2.0))
def while_else_walrus(x, n, t):
    i = 0
    while (d := abs(x[i])) < t:
        i += 1
        if i >= n:
            break
    else:
        return i, d
    return -1, d


@program((K, 9), (K, 7))
def for_else_find(a, key):
    for i, v in enumerate(a):
        if v == key:
            break
    else:
        i = None
    return i, v


def classify(v):
    match v:
        case 0:
            return "zero"
        case int(n) if n < 0:
            return "neg"
        case [a, b]:
            return a + b
        case [a, *rest]:
            return len(rest)
        case {"k": k, **rest}:
            return k
        case Pt(x=0.0, y=y):
            return y
        case Pt(x, y):
            return x * y
        case None:
            return None
        case _:
            return "other"


@dataclasses.dataclass
class Pt:
    x: float
    y: float


@program((3.0, -2), (0.0, 4))
def match_all(f, n):
    return [
        classify(v) for v in (0, -3, [1.0, f], [f, 2, 3], {"k": f, "z": 1}, Pt(0.0, f), Pt(2.0, f), None, "a")
    ], classify(n) == "neg"


@program((2.0, 3.0), (0.0, 4.0))
def match_dynamic_point(a, b):
    match Pt(a, b):
        case Pt(x=0.0, y=y):
            r = y
        case Pt(x, y) if x > 1:
            r = x * y
        case _:
            r = -1.0
    return r


@program((2,), (3,), (9,))
def match_ints(n):
    match n:
        case 1 | 2:
            r = 10.0
        case 3:
            r = 20.0
        case x if x > 5:
            r = float(x)
        case _:
            r = 0.0
    return r


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self): ...
    def __lt__(self, o):
        return self.area() < o.area()


class Sq(Shape):
    def __init__(self, s):
        self.s = s

    def area(self):
        return self.s**2


class Circ(Shape):
    def __init__(self, r):
        self.r = r

    def area(self):
        return math.pi * self.r**2


@program((1.0, 2.0), (3.0, 0.5))
def abc_shapes(a, b):
    shapes = [Sq(a), Circ(b), Sq(b)]
    return sum(s.area() for s in shapes), isinstance(shapes[0], Shape), [type(s).__name__ for s in shapes]


@program((1.0, 2.0), (3.0, 0.5))
def shapes_sorted(a, b):
    shapes = sorted([Sq(a), Circ(b), Sq(b)])
    return [s.area() for s in shapes], max(shapes).area()


@functools.total_ordering
class Frac:
    def __init__(self, n, d=1):
        if d == 0:
            raise ZeroDivisionError(f"Frac({n}, 0)")
        g = math.gcd(n, d)
        self.n, self.d = n // g, d // g

    def __add__(self, o):
        return Frac(self.n * o.d + o.n * self.d, self.d * o.d)

    def __eq__(self, o):
        return self.n == o.n and self.d == o.d

    def __lt__(self, o):
        return self.n * o.d < o.n * self.d

    def __float__(self):
        return self.n / self.d

    def __bool__(self):
        return self.n != 0

    def __hash__(self):
        return hash((self.n, self.d))


@program((3, 4), (0, 5), (7, 0), raises=ZeroDivisionError)
def fractions(n, d):
    a = Frac(n, d)
    b = Frac(1, 3)
    c = a + b
    return c.n, c.d, a >= b, float(c), bool(a), (a or b).n


class Poly:
    def __init__(self, *c):
        self.c = tuple(c)

    def __call__(self, x):
        r = 0
        for a in reversed(self.c):
            r = r * x + a
        return r

    def __add__(self, o):
        return Poly(*(a + b for a, b in itertools.zip_longest(self.c, o.c, fillvalue=0)))

    def __mul__(self, o):
        if isinstance(o, (int, float)):
            return Poly(*(a * o for a in self.c))
        r = [0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                r[i + j] += a * b
        return Poly(*r)

    __rmul__ = __mul__

    def deriv(self):
        return Poly(*(i * a for i, a in enumerate(self.c) if i))

    def __len__(self):
        return len(self.c)

    def __iter__(self):
        return iter(self.c)

    def __contains__(self, v):
        return v in self.c

    def __neg__(self):
        return self * -1

    def __sub__(self, o):
        return self + -o


@program((X, 2.0), (Y, 1.0))
def polynomials(x, a):
    p = Poly(1, a, 3)
    q = Poly(-a, 1)
    r = 2 * (p * q) - p.deriv()
    return r(x), len(r), list(r), 3 in p, a in p


class GrowableList:
    def __init__(self):
        self._items = []

    def push(self, v):
        self._items.append(v)
        return self

    def pop(self):
        if not self._items:
            raise IndexError("pop from empty stack")
        return self._items.pop()

    def __len__(self):
        return len(self._items)

    def __bool__(self):
        return len(self) > 0

    def __getitem__(self, i):
        return self._items[i]


@program((np.array([3.0, 4.0, -1.0, 2.0, -2.0]),), (np.array([3.0, -1.0, -1.0, 2.0]),), raises=IndexError)
def rpn(tokens):
    s = GrowableList()
    for t in tokens:
        if t == -1.0:
            b, a = s.pop(), s.pop()
            s.push(a + b)
        elif t == -2.0:
            b, a = s.pop(), s.pop()
            s.push(a * b)
        else:
            s.push(t)
    return s.pop(), len(s)


class ReLU:
    def __call__(self, x):
        return np.maximum(x, 0)


class Linear:
    def __init__(self, i, o, rng=None):
        self.w = np.linspace(-1, 1, i * o).reshape(i, o)
        self.b = np.zeros(o)

    def __call__(self, x):
        return x @ self.w + self.b


class Sequential:
    def __init__(self, *ls):
        self.layers = list(ls)

    def __call__(self, x):
        for l in self.layers:
            x = l(x)
        return x

    def __getitem__(self, i):
        return self.layers[i]

    def parameters(self):
        for l in self.layers:
            if hasattr(l, "w"):
                yield l.w
                yield l.b


NET = Sequential(Linear(3, 4), ReLU(), Linear(4, 2))


@program((X.reshape(4, 3),), do(lambda n: setattr(n[0], "b", np.ones(4)), NET), (Y.reshape(4, 3),))
def net_forward(x):
    out = NET(x)
    return out, sum(p.size for p in NET.parameters()), sum(float((p**2).sum()) for p in NET.parameters())


@program((NET, X.reshape(4, 3), 2), (NET, Y.reshape(4, 3), 3))
def net_decay(net, x, n):
    for _ in range(n):
        for p in net.parameters():
            p *= 0.9
    net.calls = n
    return net(x)


def simpson(f, a, b, eps, whole=None, depth=10):
    m = (a + b) / 2
    h = b - a
    s1 = h / 6 * (f(a) + 4 * f(m) + f(b))
    l = (h / 2) / 6 * (f(a) + 4 * f((a + m) / 2) + f(m))
    r = (h / 2) / 6 * (f(m) + 4 * f((m + b) / 2) + f(b))
    if depth <= 0 or abs(l + r - s1) < 15 * eps:
        return l + r
    return simpson(f, a, m, eps / 2, l, depth - 1) + simpson(f, m, b, eps / 2, r, depth - 1)


@program((0.0, 1.0), (0.0, 2.0))
def adaptive_simpson(a, b):
    return simpson(lambda x: math.exp(-x * x), a, b, 1e-3, depth=3)


def bisect_root(f, a, b, tol=1e-9):
    fa, fb = f(a), f(b)
    if fa * fb > 0:
        raise ValueError("f(a) and f(b) must have different signs")
    while b - a > tol:
        m = 0.5 * (a + b)
        fm = f(m)
        if fm == 0:
            return m
        if fa * fm < 0:
            b, fb = m, fm
        else:
            a, fa = m, fm
    return (a + b) / 2


@program((0.0, 2.0), (3.0, 4.0), raises=ValueError)
def bisection(a, b):
    return bisect_root(lambda x: x**3 - x - 1, a, b)


@program((0.0, 2.0), (3.0, 4.0))
def bisection_guarded(a, b):
    try:
        r = bisect_root(lambda x: x**3 - x - 1, a, b)
    except ValueError as e:
        print("failed:", e)
        return None
    else:
        print("root", round(r, 6))
    finally:
        print("done")
    return r


def golden(f, a, b, tol=1e-5):
    g = (math.sqrt(5) + 1) / 2
    c, d = b - (b - a) / g, a + (b - a) / g
    n = 0
    while abs(b - a) > tol:
        if f(c) < f(d):
            b = d
        else:
            a = c
        c, d = b - (b - a) / g, a + (b - a) / g
        n += 1
    return (a + b) / 2, n


@program((0.0, 3.0), (-1.0, 1.0))
def golden_section(a, b):
    return golden(lambda x: (x - 1.2) ** 2, a, b)


@program((S, X[:5]), (S + np.eye(5), Y[:5]))
def conj_grad(A, b):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for k in itertools.count():
        Ap = A @ p
        al = rs / (p @ Ap)
        x += al * p
        r -= al * Ap
        new = r @ r
        if math.sqrt(new) < 1e-10:
            break
        p = r + (new / rs) * p
        rs = new
    return x, k < 10


@program((S,), (S * 2,))
def power_iter(A):
    v = np.ones(A.shape[0])
    lam = None
    while True:
        w = A @ v
        new = np.linalg.norm(w)
        v = w / new
        if lam is not None and abs(new - lam) < 1e-9 * new:
            return new, np.abs(v)
        lam = new


@program((S,), (np.zeros((3, 3)),), raises=np.linalg.LinAlgError)
def cholesky(A):
    n = len(A)
    L = np.zeros_like(A)
    for i in range(n):
        for j in range(i + 1):
            s = A[i, j] - np.dot(L[i, :j], L[j, :j])
            if i == j:
                if s <= 0:
                    raise np.linalg.LinAlgError("Matrix is not positive definite")
                L[i, i] = np.sqrt(s)
            else:
                L[i, j] = s / L[j, j]
    return L


@program((M,), (S,))
def qr_householder(A):
    m, n = A.shape
    R = A.copy()
    Q = np.eye(m)
    for k in range(n - 1):
        x = R[k:, k]
        e = np.zeros_like(x)
        e[0] = np.copysign(np.linalg.norm(x), x[0])
        v = x + e
        v /= np.linalg.norm(v)
        R[k:] -= 2 * np.outer(v, v @ R[k:])
        Q[:, k:] -= 2 * np.outer(Q[:, k:] @ v, v)
    return Q @ R, np.triu(R)


# -- methods that two classes inherit and that ask each for others of its own -----------------------------------------


class Figure(abc.ABC):
    @abc.abstractmethod
    def sizes(self): ...

    @abc.abstractmethod
    def area(self): ...

    def scaled(self, factor):
        return type(self)(*[factor * size for size in self.sizes()])

    def __lt__(self, other):
        return self.area() < other.area()


class Box(Figure):
    def __init__(self, width, height):
        self.width, self.height = width, height

    def sizes(self):
        return self.width, self.height

    def area(self):
        return self.width * self.height


class Disc(Figure):
    def __init__(self, radius):
        self.radius = radius

    def sizes(self):
        return (self.radius,)

    def area(self):
        return math.pi * self.radius**2


@program(([0, 1, 0, 1], [1.0, 2.0, 3.0, 0.5]), ([1, 1, 0, 0], [1.0, 2.0, 3.0, 0.5]), compiles=1)
def shapes_by_code(codes, sizes):
    shapes = []
    for code, size in zip(codes, sizes):
        shapes.append(Box(size, 2 * size) if code == 0 else Disc(size))
    shapes = [shape.scaled(1.5) for shape in shapes]
    largest = max(shapes, key=lambda shape: shape.area())
    return sum(s.area() for s in shapes), largest.area(), [type(s).__name__ for s in shapes].count("Box")


test_programs = program.test()
