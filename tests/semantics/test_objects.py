"""Classes: attributes, operators, protocols, properties, inheritance, dataclasses, NamedTuple, Enum."""

from __future__ import annotations

import abc
import collections
import dataclasses
import enum
import functools
import typing

import numpy as np

from .runner import Programs, do

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])


class Vec:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        if not isinstance(other, Vec):
            return NotImplemented
        return Vec(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    def __rmul__(self, k):
        return self * k

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __sub__(self, other):
        return self + -other

    def __iadd__(self, other):
        self.x = self.x + other.x
        self.y = self.y + other.y
        return self

    def __matmul__(self, other):
        return self.x * other.x + self.y * other.y

    def __eq__(self, other):
        return isinstance(other, Vec) and bool(self.x == other.x) and bool(self.y == other.y)

    def __lt__(self, other):
        return self @ self < other @ other

    def __abs__(self):
        return np.sqrt(self @ self)

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.x
        yield self.y

    def __contains__(self, v):
        return bool(v == self.x or v == self.y)

    def __call__(self, t):
        return self.x + self.y * t

    def norm2(self):
        return self @ self


@program((1.0, 2.0))
def object_created_and_used(a, b):
    v = Vec(a, b) + Vec(b, a)
    return v.x, v.y


@program((1.0, 2.0))
def object_returned(a, b):
    return Vec(a, b) * 3.0


@program((Vec(1.0, 2.0), Vec(3.0, 4.0)), (Vec(0.0, 2.0), Vec(1.0, 1.0)))
def object_operators(p, q):
    return p + q, 2.0 * p, p - q, -q, p @ q, abs(p), p == q, p != q, p < q


@program((Vec(1.0, 2.0), Vec(3.0, 4.0)))
def object_inplace_operator(p, q):
    r = p
    p += q
    return r.x


@program(Vec(1.0, 2.0), Vec(5.0, -2.0))
def object_protocols(p):
    x, y = p
    return p[0] + p[1] * len(p), p(2.0), [c for c in p], x in p, 7.0 in p, x - y


@program((Vec(1.0, 2.0), 3.0), raises=TypeError)
def not_implemented_raises(p, k):
    return p + k


@program((Vec(1.0, 2.0), 0), (Vec(1.0, 2.0), 1))
def getitem_dynamic_index(p, i):
    return p[i]


class Body:
    def __init__(self, pos, vel, mass):
        self.pos, self.vel, self.mass = pos, vel, mass

    def kick(self, force, dt):
        self.vel += force / self.mass * dt

    def drift(self, dt):
        self.pos = self.pos + self.vel * dt

    def energy(self):
        return 0.5 * self.mass * (self.vel**2).sum()


def bodies():
    sun = Body(np.array([0.0, 0.0]), np.array([0.0, 0.1]), 2.0)
    return [sun, Body(np.array([1.0, 0.0]), np.array([0.0, -1.0]), 1.0)]


@program((bodies(), 0.01, 5), (bodies(), 0.02, 2), (bodies(), 0.02, 0))
def n_body_with_class(bs, dt, n):
    for _ in range(n):
        for b in bs:
            force = np.zeros(2)
            for other in bs:
                if other is not b:
                    d = other.pos - b.pos
                    force += other.mass * b.mass * d / (d @ d + 0.01) ** 1.5
            b.kick(force, dt)
        for b in bs:
            b.drift(dt)
    return sum(b.energy() for b in bs)


@program((bodies()[0], 3), (bodies()[0], 0))
def attribute_mutation_dynamic_loop(b, n):
    for _ in range(n):
        b.drift(0.5)
    return b.pos


class Counter:
    def __init__(self):
        self.n = 0
        self.total = 0.0

    def add(self, v):
        self.n += 1
        self.total += v
        return self

    @property
    def mean(self):
        return self.total / self.n


@program((X, 1.5), (X, 100.0), (X, -3.0))
def method_changes_attribute_in_dynamic_while(x, t):
    c = Counter()
    while c.total < t and c.n < 10:
        c.add(np.abs(x).sum() / 2)
    return c.n, c.total


@program((Counter(), X), (Counter(), Y))
def attribute_changed_under_dynamic_if(c, x):
    for v in x:
        if v > 0:
            c.add(v)
    return c.n


@program(X)
def chained_methods(x):
    c = Counter().add(x[0]).add(x[2])
    return c.mean


@program(X)
def new_attribute_added(x):
    c = Counter()
    c.extra = x * 2
    return c.extra, hasattr(c, "extra"), hasattr(c, "other")


@program(Counter())
def new_attribute_added_to_argument(c):
    c.extra = 5.0
    c.n = 7


@program(Counter())
def attribute_deleted(c):
    del c.total
    return hasattr(c, "total")


@program(Counter(), raises=AttributeError)
def missing_attribute_raises(c):
    return c.nothing


@program((Counter(), "n"), (Counter(), "total"), (Counter(), "none"))
def getattr_setattr_by_name(c, name):
    setattr(c, "n", 3)
    return getattr(c, name, -1.0)


class Temperature:
    def __init__(self, celsius):
        self._c = celsius

    @property
    def fahrenheit(self):
        return self._c * 9 / 5 + 32

    @fahrenheit.setter
    def fahrenheit(self, f):
        self._c = (f - 32) * 5 / 9

    @classmethod
    def from_kelvin(cls, k):
        return cls(k - 273.15)

    @staticmethod
    def mean(a, b):
        return (a._c + b._c) / 2


@program((Temperature(20.0), 50.0))
def property_and_methods(t, f):
    before = t.fahrenheit
    t.fahrenheit = f
    return before, Temperature.mean(t, Temperature.from_kelvin(300.0)), t.from_kelvin(0.0)._c


class Bounded:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name) * 2

    def __set__(self, obj, value):
        setattr(obj, self.name, min(value, 10.0))


class Described:
    level = Bounded()

    def __init__(self, level):
        self.level = level


@program(Described(3.0), Described(30.0))
def descriptor(d):
    a = d.level
    d.level = a + 1
    return a, d.level


class Shape(abc.ABC):
    sides = 0

    def __init__(self, scale):
        self.scale = scale

    @abc.abstractmethod
    def area(self): ...

    def describe(self):
        return self.area() * 10 + self.sides


class Square(Shape):
    sides = 4

    def area(self):
        return self.scale**2


class Rect(Square):
    def __init__(self, scale, ratio):
        super().__init__(scale)
        self.ratio = ratio

    def area(self):
        return super().area() * self.ratio


@program(([Square(2.0), Rect(3.0, 0.5)],))
def inheritance_super(shapes):
    return [s.describe() for s in shapes], isinstance(shapes[1], Square), issubclass(Rect, Shape)


class Left:
    def go(self, x):
        return x + 1


class Mid(Left):
    def go(self, x):
        return super().go(x) * 2


class Right(Left):
    def go(self, x):
        return super().go(x) * 3


class Diamond(Mid, Right):
    def go(self, x):
        return super().go(x) + 0.5


@program(X)
def diamond_mro(x):
    return Diamond().go(x)


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a, b):
        self.a, self.b = a, b


@program(Slotted(1.0, X))
def slots(s):
    s.a += 1
    return s.a * s.b


class Shared:
    hits = 0
    table = [1.0, 2.0]

    def hit(self):
        Shared.hits += 1
        return self.hits


@program(X)
def class_attribute_write(x):
    s = Shared()
    s.hit()
    s.hit()
    return x * Shared.hits


@program(X)
def instance_attribute_shadows_class(x):
    s, t = Shared(), Shared()
    s.hits = 10
    s.table.append(3.0)
    return s.hits + t.hits, t.table, x


@dataclasses.dataclass
class Params:
    a: float
    b: np.ndarray
    name: str = "p"
    history: list = dataclasses.field(default_factory=list)


@program(Params(2.0, X))
def dataclass_read_write(p):
    p.a = p.a * 2
    p.b[0] = 50.0
    p.history.append(p.a)
    return p.a * p.b


@program((1.0, X))
def dataclass_created_and_returned(a, b):
    p = Params(a, b)
    q = dataclasses.replace(p, a=a + 1, name="q")
    return p, q, p.history is q.history, [f.name for f in dataclasses.fields(p)]


@dataclasses.dataclass(frozen=True)
class State:
    x: np.ndarray
    t: float = 0.0

    def step(self, dt):
        return dataclasses.replace(self, x=self.x - dt * self.x, t=self.t + dt)


@program((State(X), 3), (State(X), 0))
def frozen_dataclass_state_in_loop(s, n):
    for _ in range(n):
        s = s.step(0.1)
    return s


@program(State(X), raises=dataclasses.FrozenInstanceError)
def frozen_dataclass_write_raises(s):
    s.t = 1.0


@dataclasses.dataclass(order=True)
class Card:
    rank: int
    suit: int


@program((Card(3, 1), Card(3, 2)), (Card(4, 1), Card(3, 2)))
def dataclass_order_and_eq(a, b):
    return a < b, a == b, max(a, b).suit


@dataclasses.dataclass
class PostInit:
    n: int
    square: int = dataclasses.field(init=False)

    def __post_init__(self):
        self.square = self.n * self.n


@program(3, 5)
def dataclass_post_init(n):
    return PostInit(n).square


class Point(typing.NamedTuple):
    x: float
    y: float = 0.0

    def dist(self):
        return (self.x**2 + self.y**2) ** 0.5


@program(Point(3.0, 4.0))
def namedtuple_methods(p):
    a, b = p
    return p.dist(), p._replace(x=a + 1), p[1] * b, p._asdict()


Pair = collections.namedtuple("Pair", "first second")


@program((X, 3), (X, 0))
def namedtuple_state_in_loop(x, n):
    p = Pair(x, 0)
    for i in range(n):
        p = Pair(p.first * 2, p.second + i)
    return p


class Colour(enum.Enum):
    RED = 1
    GREEN = 2

    def weight(self):
        return self.value * 10


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


@program((X, Colour.RED), (X, Colour.GREEN))
def enum_argument(x, c):
    return x * c.weight(), c is Colour.RED, c.name, [m.value for m in Colour]


@program((X, Level.LOW), (X, Level.HIGH))
def int_enum(x, level):
    return x * level, level > 3, Level(5) is Level.HIGH


class Timer:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, value, tb):
        self.log.append("out" if kind is None else kind.__name__)
        return kind is KeyError


@program(X)
def with_statement(x):
    log = []
    with Timer(log) as t, Timer(t.log):
        x = x + len(log)
    return x, log


@program(X)
def with_swallows_exception(x):
    log = []
    with Timer(log):
        raise KeyError("no")
    return x, log


@program(X, Y)
def with_around_dynamic_branch(x):
    log = []
    with Timer(log):
        if x[0] > 0:
            y = x * 2
        else:
            y = x
    return y, log


class Matrix:
    def __init__(self, data):
        self.data = data

    def __setitem__(self, key, value):
        self.data[key] = value

    def __getitem__(self, key):
        return self.data[key]

    def __delitem__(self, key):
        self.data[key] = 0.0


@program(Matrix(np.arange(6.0).reshape(2, 3)))
def setitem_delitem(m):
    m[0, 1] = 10.0
    m[1] *= 2
    del m[0, 0]
    return m[:, 1]


class Everything:
    def __init__(self, v):
        self.v = v

    def __radd__(self, o):
        return ("radd", o + self.v)

    def __rsub__(self, o):
        return o - self.v

    def __pow__(self, o):
        return self.v**o

    def __rpow__(self, o):
        return o**self.v

    def __truediv__(self, o):
        return self.v / o

    def __rtruediv__(self, o):
        return o / self.v

    def __floordiv__(self, o):
        return self.v // o

    def __mod__(self, o):
        return self.v % o

    def __divmod__(self, o):
        return divmod(self.v, o)

    def __invert__(self):
        return -self.v - 1

    def __pos__(self):
        return self.v

    def __and__(self, o):
        return "and"

    def __lshift__(self, o):
        return self.v * 2**o

    def __float__(self):
        return float(self.v)

    def __int__(self):
        return int(self.v)

    def __index__(self):
        return 2

    def __round__(self, n=0):
        return round(self.v, n)

    def __hash__(self):
        return 5

    def __ge__(self, o):
        return self.v >= o


@program(3.0, 4.0)
def all_operator_methods(v):
    e = Everything(v)
    return (1 + e, 1 - e, e**2, 2**e, e / 2, 1 / e, e // 2, e % 2, divmod(e, 2), ~e, +e, e & 1, e << 2, e >= 3)


@program(3.25, 4.5)
def conversion_methods(v):
    e = Everything(v)
    return float(e), int(e), X[e], round(e, 1), range(10)[e], {e: 1}[e]


class Missing:
    def __init__(self):
        self.known = 2.0

    def __getattr__(self, name):
        if name.startswith("x"):
            return len(name)
        raise AttributeError(name)


@program(X)
def dunder_getattr(x):
    m = Missing()
    return x * m.known + m.xyz, hasattr(m, "abc")


class Lazy:
    def __init__(self, x):
        self.x = x

    @functools.cached_property
    def total(self):
        return self.x.sum()


@program(Lazy(X))
def cached_property(o):
    return o.total + o.total


class Layer:
    def __init__(self, w, b):
        self.w, self.b = w, b

    def __call__(self, x):
        return np.tanh(self.w @ x + self.b)


class Network:
    def __init__(self, layers):
        self.layers = layers

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


NET = Network([Layer(np.ones((2, 3)) * 0.1, np.zeros(2)), Layer(np.ones((4, 2)), np.ones(4))])


@program((NET, X), (NET, Y))
def network_call(net, x):
    return net(x)


program.add("callable_object_as_program", NET, X, Y)
program.add("bound_method_as_program", Vec(1.0, 2.0).norm2, ())
program.add("mutating_bound_method_as_program", Counter().add, 1.0, 2.0)


@program((NET, X, 0.1), (NET, Y, 0.2))
def network_updated_in_place(net, x, lr):
    for layer in net.layers:
        layer.w -= lr * layer.w
        layer.b = layer.b - lr
    return net(x).sum()


class Registry(type):
    classes: typing.ClassVar[list] = []

    def __new__(mcs, name, bases, namespace):
        cls = super().__new__(mcs, name, bases, namespace)
        Registry.classes.append(name)
        return cls

    def __call__(cls, *args):
        obj = super().__call__(*args)
        obj.made = True
        return obj


class Made(metaclass=Registry):
    def __init__(self, v):
        self.v = v


@program(X)
def metaclass_call(x):
    m = Made(x)
    return m.v * 2, m.made


@program(X)
def class_defined_inside(x):
    class Local:
        k = 3.0

        def __init__(self, v):
            self.v = v

        def value(self):
            return self.v * self.k + x

    return Local(2.0).value()


class Node:
    def __init__(self, value, nxt=None):
        self.value, self.next = value, nxt


@program(Node(1.0, Node(2.0, Node(3.0))))
def linked_list_walk(node):
    s = 0.0
    while node is not None:
        s = s * 10 + node.value
        node = node.next
    return s


@program(X)
def linked_list_built_static(x):
    head = None
    for i in range(3):
        head = Node(x[i], head)
    return head.value, head.next.next.value, head.next.next.next is None


@program((Node(1.0), Node(2.0)))
def cyclic_objects(a, b):
    a.next, b.next = b, a
    return a.next.next.value


@program((Vec(1.0, 2.0), Vec(3.0, 4.0)), (Vec(9.0, 2.0), Vec(3.0, 4.0)))
def object_chosen_by_data(p, q):
    big = p if p.x > q.x else q
    return big.norm2()


@program((Vec(1.0, 2.0), Vec(3.0, 4.0)), (Vec(9.0, 2.0), Vec(3.0, 4.0)))
def chosen_object_mutated(p, q):
    big = p if p.x > q.x else q
    big.x = 0.0


@program((Vec(1.0, 2.0), 4), (Vec(1.0, 2.0), 0))
def object_rebuilt_in_dynamic_loop(v, n):
    for _ in range(n):
        v = v * 0.5 + Vec(1.0, 1.0)
    return v.x, v.y


@program(([Vec(3.0, 1.0), Vec(1.0, 1.0), Vec(2.0, 0.0)],))
def sort_objects_by_dynamic_key(vs):
    return [v.x for v in sorted(vs, key=lambda v: v.norm2())]


@program(Vec(1.0, 2.0))
def vars_and_type(v):
    return type(v).__name__, v.__class__ is Vec, sorted(vars(v)), callable(v), isinstance(v, (int, Vec))


class Welford:
    """Running mean and variance."""

    def __init__(self):
        self.n, self.mean, self.m2 = 0, 0.0, 0.0

    def push(self, v):
        self.n += 1
        d = v - self.mean
        self.mean += d / self.n
        self.m2 += d * (v - self.mean)

    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


@program(X, Y, X[:1])
def welford(x):
    w = Welford()
    for v in x:
        w.push(v)
    return w.mean, w.variance()


class GrowableList:
    def __init__(self, room):
        self.items = np.zeros(room)
        self.top = 0

    def push(self, v):
        self.items[self.top] = v
        self.top += 1

    def pop(self):
        self.top -= 1
        return self.items[self.top]


@program((X, 3), (X, 2), (X, 0))
def array_stack(x, n):
    s = GrowableList(4)
    for i in range(n):
        s.push(x[i])
        if x[i] < 0:
            s.pop()
    return s.top, s.items


class Adam:
    def __init__(self, lr):
        self.lr, self.t, self.m, self.v = lr, 0, None, None

    def step(self, w, g):
        if self.m is None:
            self.m, self.v = np.zeros_like(w), np.zeros_like(w)
        self.t += 1
        self.m = 0.9 * self.m + 0.1 * g
        self.v = 0.99 * self.v + 0.01 * g * g
        m, v = self.m / (1 - 0.9**self.t), self.v / (1 - 0.99**self.t)
        return w - self.lr * m / (np.sqrt(v) + 1e-8)


@program((Adam(0.1), X, 4), (Adam(0.1), X, 1))
def adam_with_lazy_state(opt, w, n):
    for _ in range(n):
        w = opt.step(w, 2 * w)
    return w


# -- members of enumerations with methods of their own, and methods chosen by data -----------------------------------


class Loudness(enum.Enum):
    LOW = 0
    HIGH = 2

    def __bool__(self):
        return self.value > 1

    def __mul__(self, x):
        return self.value * x

    __rmul__ = __mul__

    def __lt__(self, other):
        return self.value < other.value + LEVEL_SHIFT

    def __len__(self):
        return 7

    def __getitem__(self, i):
        return self.value + i

    def __contains__(self, i):
        return self.value < i

    def __neg__(self):
        return -self.value

    @classmethod
    def of(cls, x):
        return cls.LOW if x < 0 else cls.HIGH


LEVEL_SHIFT = 0


def shift_levels(shift):
    global LEVEL_SHIFT
    LEVEL_SHIFT = shift


@program((1.0,), (-1.0,), do(shift_levels, -5), (1.0,))
def operators_of_members(x):
    one = Loudness.of(x)
    values = [
        bool(one),
        one * x,
        x * one,
        Loudness.LOW < Loudness.HIGH,
        len(one),
        one[x],
        x in one,
        -one,
        one is Loudness.LOW,
    ]
    return values, 1 if one else 2, not one, bool(Loudness.LOW)


class Access(enum.Flag):
    READ = 1
    WRITE = 2
    RUN = 4


@program((1.0,), (-1.0,))
def truth_of_flags(x):
    rights = Access.READ if x > 0 else Access.READ | Access.WRITE
    return (
        bool(rights & Access.WRITE),
        Access.WRITE in rights,
        (rights & Access.RUN).value,
        1 if Access.READ & Access.RUN else 2,
    )


class Scaled:
    def __init__(self):
        self.by = 1.0

    def apply(self, x):
        return x * self.by


class Shifted(Scaled):
    def __init__(self):
        super().__init__()
        self.offset = 3.0

    def apply(self, x):
        return super().apply(x) + self.offset


@program((np.arange(4.0), 0), (np.arange(4.0), 1))
def class_chosen_by_number(x, k):
    chosen = (Scaled, Shifted)[k]()
    return chosen.apply(x), type(chosen).__name__


@program((np.arange(4.0),), (np.arange(4.0) + 5,))
def bound_method_chosen_by_data(x):
    one, other = Scaled(), Shifted()
    method = one.apply if x[0] > 2 else other.apply
    for i in range(3):
        method = other.apply if method(x)[0] > i else one.apply
    return method(x)


class Leaf:
    def __init__(self, feature=0, threshold=0.0, left=None, right=None, value=None):
        self.feature, self.threshold, self.left, self.right, self.value = feature, threshold, left, right, value

    def find(self, x):
        node = self
        while node.value is None:
            node = node.left if x[node.feature] <= node.threshold else node.right
        return node.value


FOREST = Leaf(0, 0.5, Leaf(1, 0.5, Leaf(value=1.0), Leaf(value=2.0)), Leaf(2, -0.2, Leaf(value=3.0), Leaf(value=4.0)))


@program((np.arange(12.0).reshape(4, 3) % 5 / 3,), (-np.arange(12.0).reshape(4, 3) % 4 / 3,))
def decisions_of_a_tree(xs):
    return np.array([FOREST.find(x) for x in xs])


@program((1.0, 2.0), (3.0, 0.5))
def sum_over_objects_that_may_raise(a, b):
    class Square:
        def __init__(self, side):
            self.side = side

        def area(self):
            return self.side**2

    class Circle(Square):
        def area(self):
            return 3.14 * self.side**2

    return sum(s.area() for s in [Square(a), Circle(b), Square(b)])


test_programs = program.test()
