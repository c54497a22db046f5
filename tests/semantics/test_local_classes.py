"""Classes defined inside the function, attributes of classes and functions that are assigned, callables of all
kinds."""

import dataclasses
import enum
import functools
import typing

import numpy as np

from .runner import Programs, do

program = Programs()

X = np.array([1.0, -2.0, 3.0])
K = np.array([3, 5])


@program(X)
def methods_of_all_kinds(x):
    class Local:
        factor = 3.0

        def __init__(self, v):
            self.v = v

        def value(self):
            return self.v * self.factor + x

        @property
        def twice(self):
            return self.v * 2

        @twice.setter
        def twice(self, v):
            self.v = v / 2

        @staticmethod
        def plus(a):
            return a + 1

        @classmethod
        def make(cls, v):
            return cls(v * 2)

        def __add__(self, other):
            return Local(self.v + other.v)

    a = Local.make(x[0])
    a.twice = 10.0
    return a.value(), a.twice, Local.plus(x), (a + Local(1.0)).v, isinstance(a, Local), Local.__name__


@program(X)
def inheritance_and_super(x):
    class Base:
        def __init__(self, v):
            self.v = v

        def f(self):
            return self.v

    class Derived(Base):
        def __init__(self, v):
            super().__init__(v * 2)

        def f(self):
            return super().f() + 1

    return Derived(x).f(), issubclass(Derived, Base), Base(x).f()


@program(X)
def dataclass_inside(x):
    @dataclasses.dataclass
    class Point:
        x: float
        y: float = 2.0
        tags: list = dataclasses.field(default_factory=list)

        def norm(self):
            return self.x**2 + self.y**2

    @dataclasses.dataclass(frozen=True)
    class Fixed:
        v: float

    p = Point(x[0])
    p.tags.append(1)
    q = dataclasses.replace(p, y=x[1])
    return p.norm(), q.norm(), Fixed(1.0) == Fixed(1.0), p.tags, Fixed(x[2]).v


@program(X, raises=dataclasses.FrozenInstanceError)
def frozen_dataclass_inside(x):
    @dataclasses.dataclass(frozen=True)
    class Fixed:
        v: float

    f = Fixed(x[0])
    f.v = 2.0


@program(X)
def named_tuple_and_enum_inside(x):
    class Pair(typing.NamedTuple):
        a: int
        b: float = 1.5

    class Colour(enum.Enum):
        RED = 1
        GREEN = 2

    p = Pair(1, x[1])
    a, b = p
    return p.a + p.b, a * b, Pair(2).b, Colour.RED is Colour.GREEN, Colour(2).value, [c.name for c in Colour]


@program(X)
def attribute_of_the_class_from_data(x):
    z = x * 2

    class Scaled:
        scale = z.sum()

        def __call__(self, y):
            return y * self.scale + z

    return Scaled()(x), Scaled.scale


@program((X, 4))
def class_made_in_a_helper(x, n):
    def make(k):
        class Multiplier:
            def __call__(self, v):
                return v * k

        return Multiplier()

    double, triple = make(2), make(3)
    s = x
    for _ in range(n):
        s = double(s) - triple(x)
    return s


@program(X, -X)
def exception_class_inside(x):
    class Negative(ValueError):
        def __init__(self, v):
            super().__init__(f"negative: {v}")
            self.v = v

    try:
        if x[0] < 0:
            raise Negative(x[0])
        return x
    except Negative as e:
        return e.v, str(e)


class Counter:
    made = 0
    limit = 10

    def __init__(self, v):
        Counter.made += 1
        self.v = v

    @classmethod
    def reset(cls):
        cls.made = 0


def set_made(v):
    Counter.made = v


@program(K, K, do(set_made, 7), K)
def class_attribute_counts(k):
    s = 0
    for i in range(k[0]):
        s += Counter(i).v
    return s, Counter.made


@program(K)
def class_attribute_reset(k):
    Counter(1)
    Counter.reset()
    a = Counter(2)
    return Counter.made, a.made, a.limit


class Derived(Counter):
    pass


@program(K)
def class_attribute_of_a_subclass(k):
    Derived.limit = 20
    return Derived.limit, Counter.limit, Derived(1).limit, Counter(1).limit


def counted(x):
    counted.calls += 1
    return x * counted.calls


counted.calls = 0

program.add("function_attribute_counts", counted, X, X)


# -- callables --------------------------------------------------------------------------------------------------------


@program((X, 2.0))
def callables_kept_in_containers(x, k):
    operations = {"double": lambda v: v * 2, "add": lambda v: v + k, "sum": np.sum}
    pipeline = [operations["double"], operations["add"], functools.partial(np.multiply, 3.0), operations["sum"]]
    for f in pipeline:
        x = f(x)
    return x


@program((X, np.array([2, 0, 1])))
def callable_chosen_by_data(x, k):
    operations = [lambda v: v * 2, lambda v: v + 1, np.sqrt]
    out = x
    for i in range(3):
        out = operations[k[i]](np.abs(out))
    return out


class Affine:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __call__(self, x):
        return self.a * x + self.b


@program((X, Affine(2.0, 1.0), functools.partial(np.power, 2.0), np.cumsum, str.upper))
def callables_as_arguments(x, f, g, h, u):
    return f(x), g(x), h(x), u("ok")


test_programs = program.test()
