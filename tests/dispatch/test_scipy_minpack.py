"""Least squares, integrals and line searches: SciPy's compiled code against what stands for it in plain Python."""

import warnings

import numpy as np
import pytest
import scipy.integrate as si
import scipy.optimize as so
from scipy.integrate import _quadpack
from scipy.linalg import lapack
from scipy.optimize import _dcsrch, _minpack

import xlapy
from xlapy.library.scipy import lapack_functions, linesearch, minpack, quadpack

T = np.linspace(0, 4, 40)
Y = 2.5 * np.exp(-1.3 * T) + 0.5 + 0.02 * np.sin(50 * T)
SYSTEMS = {
    "decay": (lambda q: q[0] * np.exp(-q[1] * T) + q[2] - Y, [1.0, 1.0, 0.0]),
    "rosenbrock": (lambda x: np.array([10 * (x[1] - x[0] ** 2), 1 - x[0]]), [-1.2, 1.0]),
    "overdetermined": (lambda x: np.array([x[0] - 1, x[0] + x[1] - 3, x[1] * x[0]]), [0.0, 0.0]),
}


def agree(one, other):
    assert one[-1] == other[-1]
    np.testing.assert_allclose(one[0], other[0], rtol=1e-7, atol=1e-9)
    if len(one) == 3:
        assert list(one[1]) == list(other[1])
        for name, value in one[1].items():
            np.testing.assert_allclose(value, other[1][name], rtol=1e-5, atol=1e-6)
            assert getattr(value, "dtype", int) == getattr(other[1][name], "dtype", int)


@pytest.mark.parametrize("name", SYSTEMS)
@pytest.mark.parametrize("diag", [None, 2.0])
def test_least_squares_take_the_same_steps(name, diag):
    function, start = SYSTEMS[name]
    scales = None if diag is None else np.full(len(start), diag)
    rest = (1.49e-8, 1.49e-8, 0.0)
    agree(
        _minpack._lmdif(function, np.array(start), (), 1, *rest, 500, 2.2e-16, 100.0, scales),
        minpack._lmdif(function, np.array(start), (), 1, *rest, 500, 2.2e-16, 100.0, scales),
    )


def test_least_squares_with_derivatives():
    function, start = SYSTEMS["rosenbrock"]
    slopes = lambda x: np.array([[-20 * x[0], 10.0], [-1.0, 0.0]])  # noqa: E731
    for columns, derivative in ((0, slopes), (1, lambda x: slopes(x).T)):
        rest = (1, columns, 1e-8, 1e-8, 0.0, 300, 100.0, None)
        agree(
            _minpack._lmder(function, derivative, np.array(start), (), *rest),
            minpack._lmder(function, derivative, np.array(start), (), *rest),
        )


@pytest.mark.parametrize("options", [{}, {"lower": 1}, {"unitdiag": 1}, {"lower": 1, "unitdiag": 1}])
def test_inverses_of_triangles(options):
    c = np.array([[2.0, 3.0, 4.0], [7.0, 5.0, 6.0], [8.0, 9.0, 4.0]])
    for matrix in (c, c * [[1, 1, 1], [1, 0, 1], [1, 1, 1]]):
        (one, info), (other, ours) = lapack.dtrtri(matrix, **options), lapack_functions._trtri(matrix, **options)
        assert info == ours
        if not info:
            np.testing.assert_allclose(one, other, rtol=1e-12)


FINITE = {
    "smooth": (lambda x: np.exp(-x * x), 0.0, 2.0),
    "root": (lambda x: x**-0.5, 0.0, 1.0),
    "logarithm": (np.log, 0.0, 1.0),
    "waves": (lambda x: np.sin(50 * x), 0.0, 3.0),
    "corner": (lambda x: abs(x - 0.3), 0.0, 1.0),
    "step": (lambda x: 1.0 * (x < 0.37), 0.0, 1.0),
    "double pole": (lambda x: 1 / (x - 0.3) ** 2, 0.0, 1.0),
    "many waves": (lambda x: np.cos(1 / x), 0.001, 1.0),
    "zero": (lambda x: 0.0, 0.0, 1.0),
}
INFINITE = {
    "bell": (lambda x: np.exp(-x * x), 0.0, 1),
    "both sides": (lambda x: 1 / (1 + x * x), 0.0, 2),
    "below": (np.exp, 1.5, -1),
    "waves": (lambda x: np.sin(x) / x, 0.1, 1),
}


@pytest.mark.parametrize("name", [*FINITE, *INFINITE])
def test_integrals_are_those_of_quadpack(name):
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        rest = ((), 0, 1.49e-8, 1.49e-8, 50)
        if name in FINITE:
            one, other = _quadpack._qagse(*FINITE[name], *rest), quadpack._qagse(*FINITE[name], *rest)
        if name in INFINITE:
            one, other = _quadpack._qagie(*INFINITE[name], *rest), quadpack._qagie(*INFINITE[name], *rest)
    assert one[2] == other[2] and all(type(v) is float for v in other[:2])
    assert one[0] == pytest.approx(other[0], rel=1e-10) and one[1] == pytest.approx(other[1], rel=1e-2, abs=1e-14)


def test_line_searches_take_the_same_steps():
    rng = np.random.default_rng(0)
    for k in range(60):
        x = rng.normal(size=3) * rng.choice([0.1, 1.0, 10.0])
        p = -so.rosen_der(x) * rng.choice([1e-4, 1e-2, 1.0]) + (rng.normal(size=3) if k % 3 == 0 else 0.0)
        found = []
        for search in (_dcsrch.DCSRCH.__call__, linesearch._search):
            values = lambda s, x=x, p=p: so.rosen(x + s * p)  # noqa: E731
            slopes = lambda s, x=x, p=p: so.rosen_der(x + s * p) @ p  # noqa: E731
            found.append(search(_dcsrch.DCSRCH(values, slopes, 1e-4, 0.9, 1e-14, 1e-100, 1e100 if k % 2 else 0.5), 1.0))
        one, other = found
        assert one[3] == other[3] and (one[0] is None) == (other[0] is None)
        assert other[1] == pytest.approx(one[1], rel=1e-9)
        assert one[0] is None or other[0] == pytest.approx(one[0], rel=1e-9)


def integrals(a):
    return si.quad(lambda x: np.exp(-a * x * x), 0, 2), si.quad(lambda x, b: np.exp(-b * x * x), -np.inf, np.inf, (a,))


def test_integrals_compile():
    wanted, got = integrals(1.3), xlapy.jit(integrals)(1.3)
    for one, other in zip(wanted, got, strict=True):
        np.testing.assert_allclose(np.array(one), np.array(other), rtol=1e-7, atol=1e-14)
