"""Special methods that are seldom written, and rare built-ins: each with values that are only known at run time."""

import array
import contextlib
import copy
import dataclasses
import fractions
import json
import math
import statistics
import string
import sys
import warnings

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])


class Bits:
    """All binary operators, reflected and in place, on an int."""

    def __init__(self, v):
        self.v = v

    def __rshift__(self, k):
        return Bits(self.v >> k)

    def __xor__(self, k):
        return Bits(self.v ^ k)

    def __or__(self, k):
        return Bits(self.v | k)

    def __rlshift__(self, k):
        return Bits(k << self.v)

    def __rrshift__(self, k):
        return Bits(k >> self.v)

    def __rand__(self, k):
        return Bits(k & self.v)

    def __rxor__(self, k):
        return Bits(k ^ self.v)

    def __ror__(self, k):
        return Bits(k | self.v)

    def __rfloordiv__(self, k):
        return Bits(k // (self.v + 1))

    def __rmod__(self, k):
        return Bits(k % (self.v + 1))

    def __rdivmod__(self, k):
        return divmod(k, self.v + 1)

    def __ilshift__(self, k):
        self.v = self.v << k
        return self

    def __irshift__(self, k):
        self.v = self.v >> k
        return self

    def __iand__(self, k):
        self.v = self.v & k
        return self

    def __ixor__(self, k):
        self.v = self.v ^ k
        return self

    def __ior__(self, k):
        self.v = self.v | k
        return self

    def __isub__(self, k):
        self.v -= k
        return self

    def __imul__(self, k):
        self.v *= k
        return self

    def __ifloordiv__(self, k):
        self.v //= k
        return self

    def __imod__(self, k):
        self.v %= k
        return self

    def __ipow__(self, k):
        self.v = self.v**k
        return self


@program((5, 2), (12, 1))
def binary_on_bits(a, k):
    b = Bits(a)
    return (b >> k).v, (b ^ k).v, (b | k).v


@program((5, 2), (3, 1))
def reflected_on_bits(a, k):
    b = Bits(k)
    return (a << b).v, (a >> b).v, (a & b).v, (a ^ b).v, (a | b).v, (a // b).v, (a % b).v, divmod(a, b)


@program((5, 2), (3, 1))
def in_place_on_bits(a, k):
    b = Bits(a)
    b <<= k
    first = b.v
    b >>= 1
    b &= 29
    b ^= k
    b |= 64
    b -= 3
    b *= 2
    b //= 3
    b %= 17
    b **= 2
    return first, b.v


class Matrix:
    def __init__(self, m):
        self.m = m

    def __rmatmul__(self, other):
        return Matrix(other @ self.m)

    def __imatmul__(self, other):
        self.m = self.m @ other
        return self

    def __itruediv__(self, k):
        self.m = self.m / k
        return self


@program((np.arange(4.0).reshape(2, 2), 2.0))
def matrix_operators(m, k):
    class Left:
        pass

    a = Matrix(m)
    a @= m
    a /= k
    return a.m, ([[1.0, 0.0]] @ a).m if False else a.m.sum()


@program((1.5, 2.0), (3.0, 2.0), (2.0, 2.0))
def comparisons(a, b):
    class Size:
        def __init__(self, v):
            self.v = v

        def __gt__(self, other):
            return self.v > other.v

        def __le__(self, other):
            return self.v <= other.v

        def __ne__(self, other):
            return self.v != other.v

    one, two = Size(a), Size(b)
    return one > two, one < two, one <= two, one >= two, one != two


class Near:
    """Equality alone: `!=` is its contrary."""

    def __init__(self, v):
        self.v = v

    def __eq__(self, other):
        return abs(self.v - other.v) < 0.5


@program((1.0, 1.25), (1.0, 2.0))
def unequal_from_equal(a, b):
    return Near(a) != Near(b), Near(a) == Near(b), Near(a) in [Near(b)]


class Summed:
    def __init__(self, v):
        self.v = v

    def __add__(self, other):
        return self.v + other.v

    def __radd__(self, other):
        return 1000.0

    def __lt__(self, other):
        return self.v < other.v

    def __gt__(self, other):
        return 5.0


class Inherits(Summed):
    pass


class Overrides(Summed):
    def __radd__(self, other):
        return other.v * 77.0


@program((1.0, 2.0), (2.0, 2.0))
def subclass_on_the_right(a, b):
    one = Summed(a)
    return one + Inherits(b), one + Overrides(b), Inherits(a) + Summed(b), one < Inherits(b), one < Summed(b)


class Kept:
    def __init__(self, v):
        self.held = v

    @property
    def v(self):
        return self.held

    @v.deleter
    def v(self):
        self.held = -1.0

    @property
    def fixed(self):
        return 1.0


@program(1.5, 2.5)
def property_deleted(a):
    k = Kept(a)
    before = k.v
    del k.v
    return before, k.v


@program(1.5, raises=AttributeError)
def property_without_deleter(a):
    k = Kept(a)
    del k.fixed
    return k.v


class Watched:
    """Assignment and deletion of attributes."""

    def __init__(self, v):
        object.__setattr__(self, "log", 0)
        self.v = v

    def __setattr__(self, name, value):
        object.__setattr__(self, "log", self.log + 1)
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        object.__setattr__(self, "log", self.log + 10)
        object.__delattr__(self, name)


@program(1.5, 2.5)
def attributes_watched(a):
    w = Watched(a)
    w.v = w.v * 2
    w.other = a
    del w.other
    delattr(w, "v")
    return w.log, hasattr(w, "v")


class Clamped:
    """A descriptor."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return getattr(instance, self.name)

    def __set__(self, instance, value):
        setattr(instance, self.name, min(value, 10.0))

    def __delete__(self, instance):
        setattr(instance, self.name, -1.0)


class Tank:
    level = Clamped()

    def __init__(self, level):
        self.level = level


@program(4.0, 40.0)
def descriptor(a):
    t = Tank(a)
    first = t.level
    t.level += 3.0
    second = t.level
    del t.level
    return first, second, t.level


class Row:
    """A container of its own."""

    def __init__(self, items):
        self.items = items

    def __getitem__(self, i):
        return self.items[i]

    def __setitem__(self, i, value):
        self.items[i] = value * 2

    def __delitem__(self, i):
        self.items[i] = 0.0

    def __reversed__(self):
        return iter([self.items[-1], self.items[0]])

    def __length_hint__(self):
        return 2

    def __complex__(self):
        return complex(self.items[0], self.items[1])

    def __trunc__(self):
        return int(self.items[0])

    def __floor__(self):
        return math.floor(self.items[0])

    def __ceil__(self):
        return math.ceil(self.items[0])

    def __format__(self, spec):
        return f"<{spec}:{self.items[0]}>"

    def __bytes__(self):
        return b"row"

    def __dir__(self):
        return ["items"]


@program((X, 5.0), (X * 2, 1.0))
def container_methods(x, v):
    r = Row(x.copy())
    r[1] = v
    del r[2]
    r[0] += 1.0
    return r.items, [k for k in reversed(r)]


@program((X + 0.5), (X * 2.25))
def conversions(x):
    r = Row(x)
    return math.trunc(r), math.floor(r), math.ceil(r), complex(r)


@program((X,), (X * 2,), refuse="maybe")
def formats(x):
    r = Row(x)
    return f"{r:a}", format(r, "b"), bytes(r), dir(r)


class Defaulting(dict):
    def __missing__(self, key):
        return 7.0


@program(X, refuse="maybe")
def missing_keys(x):
    d = Defaulting(a=x[0])
    return d["a"] + d["b"]


class Registered:
    known = []

    def __init_subclass__(cls, factor=1.0, **kw):
        super().__init_subclass__(**kw)
        cls.factor = factor

    def __class_getitem__(cls, item):
        return item * 2


class Doubled(Registered, factor=2.0):
    pass


@program(X)
def class_hooks_outside(x):
    return x * Doubled.factor * Registered[3]


class Shape(type):
    def __instancecheck__(cls, item):
        return hasattr(item, "area")

    def __subclasscheck__(cls, other):
        return hasattr(other, "area")


class HasArea(metaclass=Shape):
    pass


class Square:
    def area(self):
        return 4.0


@program(X)
def instance_checks(x):
    return isinstance(Square(), HasArea), isinstance(x, HasArea), issubclass(Square, HasArea), issubclass(Bits, HasArea)


# -- statements and expressions --------------------------------------------------------------------------------------


@program((X, None), (X, 2.0))
def match_singleton(x, k):
    match k:
        case None:
            return x
        case _:
            return x * k


@program(1, -1)
def match_true(a):
    match a > 0:
        case True:
            return 1.0
        case False:
            return 2.0


@program(X)
def import_from_inside(x):
    from math import pi

    return x * pi


@program(X)
def imports_that_fail(x):
    try:
        from math import nothing_of_this_name
    except ImportError:
        nothing_of_this_name = 2.0
    try:
        import no_module_of_this_name as other
    except ModuleNotFoundError:
        other = 3.0
    return x * nothing_of_this_name * other


@program(X, raises=ImportError)
def import_error_leaves(x):
    from xml import nothing_of_this_name

    return x * nothing_of_this_name


@program(X)
def import_of_a_submodule(x):
    from os import path
    from xml import sax

    return x * len(path.sep) * (sax is not None)


@program(2.0, 0.0, refuse=True)
def exception_groups(a):
    try:
        if a == 0:
            raise ExceptionGroup("several", [ValueError("one")])
        return a
    except* ValueError:
        a = -1.0
    return a


# -- built-ins -------------------------------------------------------------------------------------------------------


@program(5, 12)
def texts_of_numbers(a):
    return oct(a), hex(a), bin(a), ascii(a), format(a, "5d")


@program((1.5, 3))
def text_with_format(a, n):
    return format(a, ".3f"), format(n, "04d")


@program(X)
def hash_of_constants(x):
    return x * (hash(3) + hash((1, 2)) % 2)


@program(X)
def attribute_deleted_by_name(x):
    box = Matrix(x)
    box.b = 1.0
    delattr(box, "b")
    return box.m, hasattr(box, "b")


@program(X)
def memory_of_a_copy(x):
    y = copy.copy(x)
    y[0] = 5.0
    z = copy.deepcopy([x, y])
    z[0][1] = 9.0
    return x, y, z


@dataclasses.dataclass
class Part:
    v: np.ndarray


@program(X)
def deep_copy_of_an_object(x):
    p = Part(x)
    q = copy.deepcopy(p)
    q.v[0] = 7.0
    r = copy.copy(p)
    r.v[1] = 8.0
    return p.v, q.v, r.v is p.v


@program(X)
def constants_of_sys(x):
    return x * (sys.maxsize > 2**40) * len(sys.byteorder)


@program(X)
def bytes_of_a_number(x):
    return x * len(bytes(3)), bytes(2)


@program(X)
def constants_of_fractions(x):
    third = fractions.Fraction(1, 3)
    return x * (third.numerator / third.denominator)


@program((X, 2.5), (X, 3.5))
def statistics_of_numbers(x, a):
    return statistics.fmean([a, 1.0, 2.0]), statistics.median([a, 1.0, 2.0])


@program(X)
def constants_of_string(x):
    return x * len(string.ascii_letters), string.digits


@program((X, 1.0), (X, 9.0))
def warned(x, limit):
    if x.sum() > limit:
        warnings.warn("the sum is large")
    return x


class Finalised:
    log = []

    def __init__(self, v):
        self.v = v

    def __del__(self):
        Finalised.log.append("gone")


@program(X, refuse=True)
def finaliser(x):
    return Finalised(x).v * 2


@program(X, refuse=True)
def typed_array(x):
    return array.array("d", [1.0, 2.0])[0] * x


@program(X)
def text_of_json(x):
    return json.dumps([1, 2]), x


@program((X, 1.0), (X, 9.0))
def suppressed(x, limit):
    with contextlib.suppress(ValueError):
        if x.sum() > limit:
            raise ValueError
        x = x * 2
    return x


test_programs = program.test()
