"""Operators of NumPy's numbers and arrays with objects of classes that define operators of their own."""

from collections import namedtuple

import numpy as np

from .runner import Programs

program = Programs()

NUMBERS = tuple(np.array([3, 1, 2], dtype=t) for t in ("f8", "f4", "i8", "u1", "?", "c16"))
X = NUMBERS[0]


class Noting:
    """Notes what its methods are given, and takes Python's own numbers alone."""

    def __init__(self):
        self.given = []

    def _take(self, other):
        self.given.append(type(other).__name__)
        return "taken" if type(other) in (int, float, bool, complex) else NotImplemented

    __mul__ = __rmul__ = __lt__ = __eq__ = __rmatmul__ = _take
    __hash__ = None


class First(Noting):
    """One that NumPy leaves operators to."""

    __array_priority__ = 1


class Lower(Noting):
    """One that comes before NumPy's numbers, not before its arrays."""

    __array_priority__ = -5


class Apart(Noting):
    """One that NumPy's functions do not take."""

    __array_ufunc__ = None


def outcome(operator, thing, number):
    try:
        found = operator(thing, number)
    except TypeError as error:
        found = str(error)
    return found, thing.given


@program(*NUMBERS)
def what_methods_are_given(x):
    operators = [
        lambda c, v: c * v,
        lambda c, v: v * c,
        lambda c, v: c < v,
        lambda c, v: v > c,
        lambda c, v: v <= c,
        lambda c, v: c == v,
        lambda c, v: v == c,
        lambda c, v: v != c,
        lambda c, v: v @ c,
        lambda c, v: v + c,
    ]
    return [outcome(f, c(), x[0]) for c in (Noting, First, Lower, Apart) for f in operators]


class Length:
    def __init__(self, metres):
        self.metres = metres

    def __mul__(self, factor):
        return Length(self.metres * factor) if isinstance(factor, (int, float)) else NotImplemented

    __rmul__ = __mul__

    def __add__(self, other):
        return Length(self.metres + other.metres) if isinstance(other, Length) else NotImplemented

    def __radd__(self, other):
        return self if other == 0 else NotImplemented

    def __rtruediv__(self, other):
        return other / self.metres

    def __lt__(self, other):
        return self.metres < (other.metres if isinstance(other, Length) else other)


@program(*NUMBERS[:4])
def numbers_of_any_type_times_an_object(x):
    unit, total = Length(2), Length(0)
    for v in x:
        total = total + v * unit if v > 1 else total + unit * v
    return total, sum([unit * x[0], x[1] * unit]), x[0] / unit, unit < x[0], x[0] > unit


@program((X, 2.0), (X, 9.0))
def number_of_numpy_or_python(x, t):
    v = x[0] if x[0] > t else t
    return v * Length(2), Length(2) * v, v / Length(3)


@program((NUMBERS[2], 2), (NUMBERS[2], 9))
def python_integers_do_not_wrap_around(x, t):
    v = x[0] if x[0] > t else x[1]
    return v * Length(2**40), Length(3) * v


class Plain:
    def __init__(self, value):
        self.value = value


@program(X, X > 1)
def equality_with_an_object_of_another_kind(x):
    p = Plain(1)
    return x == p, x != p, p == x, p != x, x[0] == p, p != x[0], x == First(), First() != x, x[0] in [p]


program.each(
    X,
    options={"raises": TypeError},
    sum_of_array=lambda x: x + Plain(1),
    sum_of_number=lambda x: Plain(1) + x[0],
    array_in_place=lambda x: x.__setitem__(0, 2) or [x := x + Plain(1)],
    order_of_array=lambda x: x < Plain(1),
    order_of_number=lambda x: x[0] < Plain(1),
    order_of_dict=lambda x: x[0] < {},
    order_of_none=lambda x: x < None,
    order_of_text=lambda x: x < "a",
    sum_of_set=lambda x: x + {1},
    called=lambda x: x[0](1),
    list_and_number=lambda x: [1] + 1.5,
    list_times_list=lambda x: [1] * [2],
    list_and_object=lambda x: [1] + Plain(1),
    object_times_tuple=lambda x: Plain(1) * (1,),
    apart=lambda x: x + Apart(),
    behind=lambda x: Apart() + x,
)


program.each((X, [1.0, 2.0]), options={"raises": ValueError}, list_of_another_length=lambda x, items: items < x)


@program(X, raises=TypeError)
def in_place(x):
    x *= Length(2)


@program((X, 0.0), raises=ValueError)
def range_in_steps_of_nothing(x, step):
    return np.arange(0, x[0], step)


program.add("each_element_is_an_operand", lambda x: Length(2) * x, X, refuse=True)
program.add("each_element_is_compared", lambda x: x > Length(2), X, refuse=True)
program.add("array_to_which_an_object_comes_first", lambda x: (x * First(), x > First()), X, raises=TypeError)


class Pair(namedtuple("Pair", "a b")):
    def __add__(self, other):
        return "own"

    def __radd__(self, other):
        return "never"


@program(X)
def named_tuples_are_arrays(x):
    p = Pair(1.0, 2.0)
    return x[0] + p, x[:2] + p, p + x[0], p * x[:2], x[:2] == p


@program(np.arange(3))
def what_is_known_of_errors(x):
    found = []
    try:
        x += 0.5
    except TypeError as error:
        found.append(str(error))
    try:
        return x < "a"
    except TypeError as error:
        found.append(str(error))
    try:
        return x.sum(axis=5)
    except np.exceptions.AxisError as error:
        found += [str(error), error.axis, error.ndim]
    try:
        return x.neither
    except AttributeError as error:
        found += [str(error), error.name]
    try:
        raise SystemExit(int(x[1]))
    except SystemExit as error:
        found.append(error.code)
    return found


@program(X, refuse=True)
def what_is_not_known_of_errors(x):
    try:
        raise OSError(int(x[0]), "text")
    except OSError as error:
        return error.errno


test_programs = program.test()
