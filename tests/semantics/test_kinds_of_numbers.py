"""Operators of Python's numbers with NumPy's: the class of the result is CPython's, on either side, and the texts are.

`numpy.float64` is a subclass of float, and `numpy.complex128` one of complex: Python's complex numbers on the left
compute with the first one themselves.
"""

import math
import operator

import numpy as np
import pytest

import xlapy

from .runner import Programs

NUMBERS = (True, 3, 2.5, 1 + 2j)
CLASSES = (np.bool_, np.int64, np.uint8, np.float32, np.float64, np.complex64, np.complex128)
OPERATORS = (
    *(operator.add, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, divmod),
    *(operator.eq, operator.ne, operator.lt, operator.and_, operator.lshift, operator.iadd, operator.imod),
)
SINGLE = ("float16", "float32", "complex64")
program = Programs()


def outcome(f, a, b):
    """The class and value of a result, or the class and text of an exception."""
    try:
        with np.errstate(all="ignore"):
            result = f(a, b)
    except Exception as error:
        return type(error), str(error)
    if isinstance(result, tuple):
        return [type(v) for v in result], np.array(result)
    return type(result), np.array(result)


@pytest.mark.parametrize("function", OPERATORS, ids=lambda f: f.__name__)
def test_grid(function):
    compiled = xlapy.jit(lambda a, b: function(a, b), returns="numpy")
    for number in NUMBERS:
        for cls in CLASSES:
            for a, b in ((number, cls(2)), (cls(2), number)):
                kind, value = outcome(function, a, b)
                found, computed = outcome(compiled, a, b)
                assert found == kind, (a, b, computed)
                if isinstance(value, str):
                    assert computed == value
                else:
                    np.testing.assert_allclose(computed, value, rtol=1e-6 if value.dtype.name in SINGLE else 1e-12)


A, X, Z = np.array([1.0, 2.0]), np.float64(2), np.complex128(2 + 1j)


@program(A, A[:0], A.astype(np.float32))
def sum_from_a_complex_zero(a):
    s = 0j
    for v in a:
        s += v
    return s, type(s) is complex, sum(a, 0j)


@program((A, 1j), (A, Z))
def horner(a, z):
    for k in range(len(a)):
        z = z * a[k] + 1
    return z


@program((1j, X, True), (1j, X, False), (Z, X, True), (Z, X, False), (1j, 2.0, True))
def float_of_either_kind(z, x, chosen):
    y = 0.5
    if chosen:
        y = x
    return z + y, y + z, z * y, z / y, z - y, z == y, y != z


@program((Z, X, True), (Z, X, False), (Z, 2.0, True), (Z, 2.0, False))
def complex_of_either_kind(z, x, chosen):
    w = 1j
    if chosen:
        w = z
    return w + x, x + w, w * x, w / x, w - x, w == x


@program((1j, X), (Z, X))
def known_numbers(z, x):
    return 3j + X, z + 1, 3j * x, x * 3j, 2j == x, pow(1j, x)


@program((1j, [A[0], A[1]]), (1 + 0j, [A[0], A[1]]))
def membership(z, items):
    return z in items, (z, 1) == (items[0], 1)


@program((1j, -X), (0j, X), (0j, -X), raises=ZeroDivisionError)
def powers(z, x):
    return z**x


@program((1j, X), (1j, X * 0), raises=ZeroDivisionError)
def quotients(z, x):
    return z / x


@program((A, Z), raises=TypeError)
def floors_of_arrays(a, z):
    return a // z


@program(A, raises=TypeError)
def none_in_place(a):
    s = 0.0
    for _ in a:
        s += None
    return s


@program("x", raises=TypeError)
def text_in_place(text):
    s = 0
    s -= text
    return s


@program(["x"], raises=TypeError)
def list_in_place(items):
    s = 1
    s *= 2
    s |= None
    return s, items


@program(np.complex128(2.5 - 1j), np.complex64(7.25 + 1j), np.array(1 + 2j), raises=TypeError)
def real_parts(z):
    return float(z), int(z), math.sqrt(z), math.floor(z), math.hypot(z, 1), math.isclose(z, 2.5)


test_programs = program.test()
