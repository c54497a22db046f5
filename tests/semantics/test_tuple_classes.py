"""Classes derived from tuple with special methods of their own, and the formats of objects."""

import math
from typing import NamedTuple

import numpy as np

import xlapy

from .runner import Programs

program = Programs()


class V(NamedTuple):
    x: float
    y: float

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __bool__(self):
        return self.x > 0

    def __neg__(self):
        return V(-self.x, -self.y)

    def __add__(self, o):
        return V(self.x + o.x, self.y + o.y)

    def __radd__(self, o):
        return self if o == 0 else V(o + self.x, o + self.y)

    def __sub__(self, o):
        return self + -o

    def __mul__(self, k):
        return V(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y

    def __float__(self):
        return self.x

    def __int__(self):
        return 7

    def __complex__(self):
        return complex(self.x, self.y)

    def __index__(self):
        return 1

    def __round__(self, n=None):
        return V(round(self.x, 1), 0.0)

    def __floor__(self):
        return "floor"

    def __trunc__(self):
        return 3

    def __divmod__(self, o):
        return (self.x // o, self.y % o)

    def __pow__(self, n):
        return self.x**n

    def __contains__(self, v):
        return v == "special"

    def __eq__(self, o):
        return isinstance(o, V) and self.x == o.x

    def __ne__(self, o):
        return not self == o

    def __lt__(self, o):
        return self.y < o.y

    def __hash__(self):
        return 1

    def __getitem__(self, i):
        return 100 + i if isinstance(i, int) else "slice"

    def __call__(self, t):
        return self.x * t

    def __str__(self):
        return "V"

    def __format__(self, spec):
        return "F" + spec


@program((0.5, 2.0), (-0.5, 3.0))
def everything(a, b):
    v, w = V(a, b), V(b, a)
    return (
        abs(v),
        bool(v),
        -v,
        v + w,
        sum([v, w]),
        v - w,
        2 * v,
        v * 3,
        v @ w,
        float(v),
        int(v),
        complex(v),
        [5, 6][v],
        round(v),
        math.floor(v),
        math.trunc(v),
        divmod(v, 2.0),
        v**2,
        "special" in v,
        a in v,
        v == w,
        v != w,
        v < w,
        max(v, w).x,
        v[0],
        v[1:],
        v(2.0),
        not v,
        1 if v else 2,
        (v and w).y,
        str(v),
        f"{v:x}",
    )


class Q:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"<{self.v:.1f}>"

    def __format__(self, spec):
        return f"[{self.v:{spec or '.3f'}}]"


class P0:
    def __init__(self, v):
        self.v = v

    def __str__(self):
        return f"<{self.v:.1f}>"


@program((0.5,))
def formatted(a):
    q = Q(a)
    return f"{q}", f"{q:.2f}", f"{q!s}", f"{q!s:>10}", f"{P0(a)}", f"{P0(a)!s:>8}"


@program((0.5,), raises=TypeError)
def no_format(a):
    return f"{P0(a):>10}"


class Plain(NamedTuple):
    x: float
    y: float


@program((0.5, 1.0))
def plain_truth(a, b):
    return bool(Plain(a, b)), 1 if Plain(a, b) else 2, not Plain(a, b), f"{Plain(a, b).x:.1f}"


class Less(NamedTuple):
    x: float
    y: float

    def __lt__(self, o):
        return self.y < o.y


class Adds(tuple):
    def __radd__(self, o):
        return "radd"

    def __eq__(self, o):
        return "eq"

    __hash__ = None


@program((0.5, 2.0), (2.0, 0.5))
def inherited_operators(a, b):
    v, w = Less(a, b), Less(b, a)
    s, t = Adds((a, b)), Adds((b,))
    return (
        max(v, w).x,
        min(v, w).x,
        v > w,
        v >= w,
        v <= w,
        v < w,
        v == w,
        v != w,
        v + w,
        v * 2,
        2 * v,
        (a, b) < v,
        v > (a, b),
        (a, b) == v,
        [u.x for u in sorted([v, w])],
        s + t,
        s == t,
        s != t,
        (1,) + s,
        s < t,
        s * 2,
    )


class Derived(V):
    def doubled(self):
        return self * 2


class DerivedLess(Less):
    pass


@program((0.5, 2.0), (-2.0, 0.5))
def derived_from_a_named_tuple(a, b):
    v, w = Derived(a, b), Derived(b, a)
    items = [DerivedLess(a, b), DerivedLess(b, a), DerivedLess(a + b, a - b)]
    grown = [DerivedLess(k * a, b / k) for k in (1.0, 2.0, 3.0) if k * a < 5]
    return abs(v), bool(v), v + w, v.doubled(), v @ w, [u.x for u in sorted(items)], min(items).x, len(grown)


@program((np.array([3.0, 1.0, 2.0]), 0.5), (np.array([1.0, -2.0, 5.0]), 9.0), refuse="maybe")
def sorted_by_its_own_order(x, t):
    return [u.x for u in sorted([Less(v, -v) for v in x if v > t])]


class Remembering(tuple):
    def halved(self):
        self.half = self[0] / 2
        return self.half


@program(3.0, -1.0)
def attribute_of_a_tuple(a):
    return Remembering((a, 1.0)).halved()


test_programs = program.test()


class Marked(tuple):
    """A tuple with attributes of its own: `scale` hides that of the class."""

    scale = 3.0


def marked(values, **attributes):
    made = Marked(values)
    made.__dict__.update(attributes)
    return made


attributed = Programs()
attributed.add("of_the_class", lambda t: (t.scale * t[0], len(t), list(t)), marked((1.0, 2.0)), marked((4.0, 5.0)))
attributed.add("beside_attributes", lambda t: t.scale * t[0] + sum(t), marked((1.0, 2.0), other=5.0))
attributed.add("missing", lambda t: t.extra, marked((1.0, 2.0)), raises=AttributeError)
for _name, _program in {
    "own": lambda t: t.extra * t[0],
    "all": lambda t: len(t.__dict__) + t[0],
    "returned": lambda t: t,
    "in_a_list": lambda t: [t],
    "asked_for": lambda t: hasattr(t, "extra"),
}.items():
    attributed.add(f"attribute_{_name}", _program, marked((1.0, 2.0), extra=5.0))
attributed.add("attribute_hides", lambda t: t.scale * t[0], marked((1.0, 2.0), scale=9.0))


@attributed((np.array([1.0, 2.0]),))
def attribute_assigned(x):
    made = Marked(x)
    made.extra = x[0]
    return made.extra


test_attributes = attributed.test()


def test_attributes_of_another_call():
    """A program made for a tuple without attributes is not run for one with them."""
    compiled = xlapy.jit(lambda t: t.scale * t[0])
    assert compiled(marked((1.0, 2.0))) == 3.0
    assert compiled(marked((1.0, 2.0), scale=9.0)) == 9.0
