"""decimal.Decimal where what it says is known: sizes and counts rounded as Python rounds them by hand."""

import decimal
from decimal import Decimal
from fractions import Fraction

import numpy as np

from .runner import Programs, do

program = Programs()

X = np.arange(30.0)


def half_up(number):
    return int(Decimal(number).quantize(Decimal("1"), rounding=decimal.ROUND_HALF_UP))


@program((X, 2.5), (X, 3.5), (X, 2.4))
def frames(x, width):
    n = half_up(width)
    return x[: n * (len(x) // n)].reshape(-1, n).sum(axis=1), n


@program((X,))
def constants(x):
    price = Decimal("1.10") * 3
    return float(price) * x[1], int(price.to_integral_value()), price > Decimal(3), half_up(0.025 * 100)


@program((2.5,), (0.1,))
def numbers(x):
    return float(Decimal(str(0.1)) + Decimal(2)) * x, half_up(len(X) / 4)


def rounding(how):
    decimal.getcontext().rounding = how


@program((X,), do(rounding, decimal.ROUND_UP), (X,), do(rounding, decimal.ROUND_HALF_EVEN), (X,))
def the_context_changes(x):
    return int(Decimal("2.1").to_integral_value()) + x[:2], round(Decimal("2.11"), 1)


@program((Decimal("7.25"), Fraction(7, 3)), (Decimal("-2.5"), Fraction(-5, 2)))
def of_callers(price, share):
    return [round(n) for n in (price, share)], round(price, 1), round(share, 1), divmod(price, 2), divmod(7, share)


@program((1.0,), raises=decimal.InvalidOperation)
def no_number(x):
    return x + int(Decimal("one"))


test_programs = program.test()
