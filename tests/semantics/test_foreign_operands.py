"""Operators between arrays and objects of classes, of the user's and of others: who decides is NumPy's to say."""

import datetime
import decimal
import fractions

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()
A, F, N = np.array([1.0, 2.5, -3.0]), np.float64(2.5), np.int64(3)


class Vector:
    """Knows numbers and arrays on both sides, and does not tell NumPy so."""

    def __init__(self, x):
        self.x = x

    def __add__(self, other):
        return Vector(self.x + (other.x if isinstance(other, Vector) else other))

    def __radd__(self, other):
        return Vector(self.x + other)

    def __rmul__(self, other):
        return type(other).__name__, self.x * other

    def __lt__(self, other):
        return "lt", self.x

    def __gt__(self, other):
        return "gt", self.x

    def __rpow__(self, other):
        return self.x**other


class Greedy(Vector):
    __array_priority__ = 10


class Decided(Vector):
    __array_ufunc__ = None


class Convertible(Vector):
    def __array__(self, dtype=None, copy=None):
        return np.array([self.x, self.x + 1, self.x])


class Numbers(list):
    def total(self):
        return sum(self)


def added(a, cls):
    r = a + cls(1.5)
    return r.x if isinstance(r, Vector) else r


def added_in_place(a, cls):
    a += cls(1.5)
    return a.x if isinstance(a, Vector) else a


def added_to(a, value):
    a += value
    return a


def added_on_the_right(a, cls):
    r = cls(1.5) + a
    return r.x if isinstance(r, Vector) else r


OPERATORS = {
    "added": added,
    "added_on_the_right": added_on_the_right,
    "times": lambda a, cls: a * cls(1.5),
    "power": lambda a, cls: a ** cls(1.5),
    "less": lambda a, cls: a < cls(1.5),
    "greater": lambda a, cls: a > cls(1.5),
}
for cls in (Greedy, Decided, Convertible):
    steps = [(np.copy(A), cls), (F, cls), (N, cls), (2.0, cls), (np.array(2.0), cls)]
    program.each(*steps, **{f"{name}_{cls.__name__}": f for name, f in OPERATORS.items()})
program.each((F, Vector), (N, Vector), (2.0, Vector), **{f"{n}_Vector": f for n, f in OPERATORS.items()})
program.each((np.array(2.0), Vector), added_0d=added, times_0d=OPERATORS["times"], right_0d=added_on_the_right)
program.each(*((a.copy(), Greedy) for a in (A, A)), in_place_greedy=added_in_place)
program.each((A.copy(), Convertible), in_place_convertible=added_in_place)
program.each(
    (A.copy(),),
    (F,),
    beside_range=lambda a: a + range(3),
    range_beside=lambda a: range(3) * a,
    equal_range=lambda a: a == range(3),
    beside_numbers=lambda a: a + Numbers([1, 2, 3]),
    numbers_beside=lambda a: Numbers([1, 2, 3]) - a,
)
program.each((A.copy(),), product_with_range=lambda a: a @ range(3), in_place_range=lambda a: added_to(a, range(3)))
program.each((np.poly1d([1.0, 2.0]), A[:2].copy()), poly=lambda p, a: a + p, poly_product=lambda p, a: a @ p)
program.each(
    (decimal.Decimal("-1.5"), 2),
    (fractions.Fraction(-1, 3), 2),
    (datetime.timedelta(-1), 2),
    absolute=lambda x, n: str(abs(x)),
    times=lambda x, n: str(x * n),
    less=lambda x, n: x < x + x,
    equal=lambda x, n: (x == n, n != x, x == x + x - x),
)
program.each((2, 2.5), equal_to_others=lambda n, x: (n == None, x == "a", n != ..., x == np.float64, n == (1, 2)))  # noqa: E711
program.each(
    (A.copy(), F),
    arrays_and_others=lambda a, x: (a == None, a != "a", x == None, x == "a", x == ..., x != ()),  # noqa: E711
)
program.add("array_and_none", lambda a: a + None, (A.copy(),), raises=TypeError)
program.add("number_and_text", lambda a: a * "a", (F,), raises=TypeError)
program.add("dtype_and_int", lambda n: np.dtype(float) + n, (2,), raises=TypeError)

for name, function in {
    "item": lambda x: x[0],
    "iteration": lambda x: list(x),
    "member": lambda x: 1 in x,
    "order": lambda x: x < "a",
    "sum": lambda x: sum(x),
    "sign": lambda x: ~x,
    "length": lambda x: len(x),
}.items():
    for k, value in enumerate((decimal.Decimal(1), datetime.date(2020, 1, 1), Vector(1.0), 2.5, np.float64(2.5))):
        if (name, k) != ("order", 2):
            program.add(f"{name}_{k}", function, (value,), raises=(TypeError, IndexError))


class Unwilling:
    """Says of most operators that it has none, and of one comparison only."""

    __add__ = __radd__ = __lt__ = __gt__ = __ne__ = __neg__ = None

    def __eq__(self, other):
        return False

    __hash__ = None


for k, function in enumerate(
    (
        lambda x: Unwilling() + x,
        lambda x: x + Unwilling(),
        lambda x: Unwilling() < x,
        lambda x: x < Unwilling(),
        lambda x: Unwilling() != x,
        lambda x: x != Unwilling(),
        lambda x: -Unwilling(),
    )
):
    program.add(f"none_{k}", function, (2,), raises=TypeError)

test_programs = program.test()


@pytest.mark.parametrize(
    "function",
    [
        lambda a, v: a + v,
        lambda a, v: a * v,
        lambda a, v: a < v,
        lambda a, v: np.add(a, v),
        added_to,
    ],
)
@pytest.mark.parametrize("value", [Vector(1.5), fractions.Fraction(1, 3)])
def test_arrays_of_objects_are_refused(function, value):
    # what NumPy itself refuses is its error
    with pytest.raises((xlapy.NotOffloadableError, np._core._exceptions.UFuncTypeError)):
        xlapy.jit(function)(A.copy(), value)


@pytest.mark.parametrize(
    "function", [lambda t: t + 1, lambda t: 1 + t, lambda t: t == 1, lambda t: -t, lambda t: t < 2]
)
def test_operators_in_compiled_code_are_refused(function):
    torch = pytest.importorskip("torch")
    with pytest.raises(xlapy.NotOffloadableError, match="is compiled code and has no rule"):
        xlapy.jit(function)(torch.ones(3))
