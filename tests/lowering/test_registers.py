"""Numbers that native loops carry: what they are, and that XLA does not copy them."""

import jax
import numpy as np
import pytest

import xlapy
from tests.passes.programs import program
from xlapy.ir import every_operation
from xlapy.lowering import native
from xlapy.lowering.registers import used_beside

RNG = np.random.default_rng(3)
X = RNG.standard_normal(700)

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not native._TESTED, reason="for CPUs and versions of jaxlib that are known"
)


def recurrence(x, t):
    s = t * 0
    for i in range(len(x)):
        s = t * s + x[i]
    return s


def swapped(a, b, n):
    for _ in range(n):
        a, b = b, a
    return a, b


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a, b


def earlier(x, n):
    first, second, third = x[0], x[1], x[2]
    for i in range(n):
        first, second, third = x[i % 5], first, second - third
    return first, second, third


def escape(c, most):
    z, n = c * 0, 0
    while n < most and abs(z) < 2.0:
        z = z * z + c
        n += 1
    return z, n


def escape_in_parts(re, im, most):
    x = y = 0.0
    n = 0
    while n < most and x * x + y * y < 4.0:
        x, y = x * x - y * y + re, 2 * x * y + im
        n += 1
    return x, y, n


def signs(x, n):
    a, b = x[0], x[1]
    for _ in range(n):
        a, b = -b, a
    return a, b


def flags(x, n):
    on, seen, many = False, False, np.uint8(250)
    for i in range(n):
        seen = on
        on = x[i] > 0 and not on
        many = many + np.uint8(seen)
    return on, seen, many


def where_found(x, limit):
    for i in range(len(x)):
        if x[i] > limit:
            return i, x[i]
    return -1, limit


def trips(start, stop, step):
    count, last, before = 0, -7, -8
    for i in range(start, stop, step):
        before, last = last, i
        count += 1
    return count, last, before


def nested(a, n):
    total, last = 0.0, 0.0
    for i in range(n):
        row = last
        for j in range(i):
            row, last = last * 0.5 + a[i, j], row
        total += row * last
    return total, last


def sums_and_places(x):
    y = np.zeros(len(x))
    s, p = 1.0, 0.0
    for i in range(len(x)):
        y[i] = s - p
        s, p = s * 0.5 + x[i], s
    return y, s, p


CASES = [
    (recurrence, X, -0.5),
    (recurrence, X.astype(np.float32), np.float32(0.9)),
    (recurrence, X + 1j * X[::-1], 0.5j),
    (recurrence, np.arange(50), 3),
    (swapped, 1.5, 2.5, 3),
    (swapped, np.nan, -0.0, 5),
    (swapped, 3 + 1j, -0.0j, 2),
    (fibonacci, 90),
    (fibonacci, 0),
    (earlier, X, 9),
    (earlier, np.array([-0.0, 0.0, np.inf, np.nan, 5.0]), 7),
    (earlier, np.arange(5, dtype=np.int32), 6),
    (escape, -0.1 + 0.7j, 60),
    (escape, 1.0 + 1.0j, 60),
    (escape_in_parts, -0.1, 0.7, 60),
    (escape_in_parts, 1.0, 1.0, 60),
    (signs, np.array([0.0, -0.0]), 3),
    (flags, X, 31),
    (flags, X, 0),
    (where_found, X, 2.0),
    (where_found, X, 200.0),
    (where_found, np.full(9, np.nan), 2.0),
    (trips, 0, 9, 1),
    (trips, 0, 0, 1),
    (trips, 5, 1, 1),
    (trips, 9, -4, -3),
    (trips, 2**63 - 12, 2**63 - 1, 1),
    (trips, -(2**63), -(2**63) + 11, 5),
    (nested, RNG.random((23, 23)), 23),
    (sums_and_places, X),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0].__name__)
def test_values_are_pythons(case):
    function, *arguments = case
    expected = function(*[np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments])
    found = xlapy.jit(function)(*arguments)
    for theirs, ours in zip(jax.tree.leaves(expected), jax.tree.leaves(found), strict=True):
        assert np.asarray(theirs).dtype == np.asarray(ours).dtype
        # A multiplication and an addition may be rounded once (README, accepted differences).
        rtol = 1e-6 if np.asarray(theirs).dtype == np.float32 else 1e-12
        np.testing.assert_allclose(ours, theirs, rtol=rtol, equal_nan=True)
        if np.asarray(theirs).dtype.kind == "f":
            np.testing.assert_array_equal(np.signbit(ours), np.signbit(theirs))


def loops_of(function, *arguments):
    module, _ = program(function, arguments)
    return [o for o in every_operation(module.entry) if o.kind == "for"]


@pytest.mark.parametrize(
    "function, arguments, many",
    [(recurrence, (X, 0.5), 0), (swapped, (1.5, 2.5, 3), 2), (fibonacci, (5,), 2)],
    ids=lambda v: getattr(v, "__name__", None),
)
def test_numbers_that_something_else_depends_on(function, arguments, many):
    (loop,) = loops_of(function, *arguments)
    (body,) = loop.regions
    assert len(used_beside(body)) == many


@pytest.mark.parametrize("case", [(recurrence, X, 0.5), (escape_in_parts, -0.1, 0.7, 60)], ids=lambda c: c[0].__name__)
def test_no_trip_copies_a_number(case):
    text = xlapy.code_xla(*case, opt=True)
    bodies = {line.split("body=%")[1].split(",")[0].strip() for line in text.splitlines() if "body=%" in line}
    assert bodies
    for computation in text.split("\n\n"):
        if computation.strip().split(" ")[0].lstrip("%") in bodies:
            assert " copy(" not in computation
