"""Calls of NumPy's in which values, dtypes, types or exceptions have been other ones than NumPy's.

A row is a few calls in one program. What each of them gives, or raises, is compared, with the signs of zeros.
"""

import numpy as np
import pytest

from .runner import check

NAN, INF = np.nan, np.inf
PARTS = [0.0, -0.0, 1.0, -2.5, 300.0, INF, -INF, NAN]
COMPLEX = np.array([complex(x, y) for x in PARTS for y in PARTS])
X, I = np.arange(4.0), np.arange(5)  # noqa: E741
M = np.arange(4.0).reshape(2, 2)

ROWS = {
    # views of one element
    "def: v = a[b, None]; v += 5; return v, a": (np.zeros(3), 1),
    "def: v = a[..., b]; a[1] = 9; return v": (np.zeros(3), 1),
    # complex numbers on branch cuts, at infinities and NaN
    "np.sqrt(a) | a**0.5 | np.sqrt(np.conj(a))": (np.array([complex(-4, -0.0), -4, 1j]),),
    "np.sign(a) | np.log(a) | np.arcsinh(a) | np.arccosh(a)": (COMPLEX,),
    "np.arcsin(a) | np.arccos(a) | np.arctan(a) | np.arctanh(a)": (COMPLEX,),
    "np.sqrt(a) | np.tanh(a) | np.tan(a) | np.expm1(a) | np.log1p(a)": (COMPLEX,),
    "np.sinh(a) | np.cosh(a) | np.sin(a) | np.cos(a) | np.log10(a)": (COMPLEX,),
    "a**b | np.mean(a[:1] * INF)": (np.complex64(2) * np.ones(1, "c8"), np.complex64(256)),
    "np.mean(a) | np.var(a[1:], dtype=float) | np.cov(a[1:], dtype='f8')": (
        np.array([complex(INF, -INF), 1 + 2j, 3 - 1j]),
    ),
    "a.searchsorted(b) | a.searchsorted(b, 'right') | np.searchsorted(b, b)": (
        X,
        np.array([1j, complex(0, NAN), complex(NAN, 0), complex(NAN, NAN)]),
    ),
    "a[0]**0.5 | a**0.5 | np.power(a, np.array([0.5]))": (np.array([-INF, 4.0]),),
    # denormal numbers
    "np.log2(a) | np.log10(a) | np.cbrt(a)": (np.resize([2.0**-1030, -(2.0**-1026), 2.0**-1074, 8.0, 0.0, INF], 5000),),
    # more than there is
    "np.arange(2**64) | np.arange(2**63) | np.zeros((1 << 31, 1 << 20, 1 << 20)) | np.repeat(a, -1)"
    " | np.repeat(a, [2]) | np.repeat(a, True) | np.repeat(a, [1, 2]) | np.repeat(a[:0], 3) | np.repeat(a, 2.0)": (X,),
    # Python's numbers are weak, and small types are small
    "np.sinc(a) | np.poly(a) | np.poly([]) | np.poly(a.astype('f4'))": (np.array([0.0, 0.5], "f2"),),
    "np.isclose(a, 0.1, rtol=0, atol=0) | np.allclose(0.1, a) | np.isclose(a, a, atol=a)": (
        np.array([0.1, NAN], "f4"),
    ),
    "np.choose(c, (a, -2.5, 4)) | np.choose(c, (a, 1, True)) | np.choose(c, (1, 2, 3.5))": (
        np.array([7, 2, 2], "f4"),
        None,
        np.array([0, 1, 2]),
    ),
    "np.union1d(a, 0) | np.concatenate([a, 1], axis=None) | np.union1d(a, 1.5)": (np.array([1, 2], "u2"),),
    "np.concatenate([a, 1.0], axis=None) | np.union1d(1.5, np.array([a, a]))": (np.float32(1),),
    # integers above 2**53
    "np.histogramdd((a, b), bins=(np.array([-1, 1]), c))": (
        np.array([0]),
        np.array([2**60]),
        np.array([2**60 - 1, 2**60 + 1]),
    ),
    "np.setxor1d(a, b) | np.setxor1d(b, b) | np.setxor1d(a, a[:0])": (
        np.array([2**64 - 1, 1, 2, 2**64 - 2], "u8"),
        np.array([-1, 5]),
    ),
    "np.isin(a, b) | np.isin(b, a, invert=True) | np.intersect1d(a, b) | np.setdiff1d(a, b)": (
        np.array([2**53 + 1, 5], "u8"),
        np.array([2**53, 2**53 + 3, -5]),
    ),
    "np.isin(a, b) | np.isin(a, b, kind='sort') | np.isin(a, b, kind='table') | np.isin(b, a) | np.isin(a, b[:0])": (
        np.arange(2**53, 2**53 + 20),
        np.arange(2**53 - 3, 2**53 + 37, dtype="u8")[::2],
    ),
    "np.isin(a, b, kind='table') | np.isin(a, b) | np.isin(b, a, kind='table')": (
        np.array([0, 1], "i2"),
        np.array([-128, 127], "i1"),
    ),
    "np.histogram(a, 10) | np.histogram(b, 3) | np.histogram_bin_edges(a, 2) | np.histogram(a[:1] * 0, 3)": (
        np.array([1.0, 1 + 2**-52]),
        np.array([2**60]),
    ),
    "np.histogram2d(a[:, 0], a[:, 1], [b, 2]) | np.histogramdd(a, [2, b])": (M, [-INF, 1.5, 10.0]),
    "np.histogram2d(a[:, 0], a[:, 1], [[3, 2, 1], 2])": (M,),
    "np.digitize(a, b) | np.digitize(a, b[::-1], True) | np.digitize(a, [2.0, 2.0, 1.0])": (X, np.array([3.0, 1.0])),
    # functions of a part of an array see this part
    "np.piecewise(a, [a < 2], [lambda v: v - v.mean(), lambda v: v / v.max()])"
    ""
    " | np.piecewise([1, 2], [True, False], [2, 3]) | np.piecewise(a, [a < 0], [lambda v: v[::-1], 7])"
    " | np.piecewise([1, 2], [True, False], [2])": (X,),
    # booleans of NumPy's and of Python's
    "[type(v) is bool for v in (a[0] == 'x', 'x' != a[0], a[0] == None, None != a[0], b == 'x', b != None)]": (
        X,
        np.zeros(()),
    ),
    # arguments that are rare
    "a.take(b, axis=0) | np.insert(a, [True, False, True, False], 9) | np.take(a, b, mode='clip')": (X, I[:0]),
    "np.histogram(a, 'auto') | np.histogram(a, 'fd') | np.histogram(a, 'foo') | np.histogram(a, 'sqrt', (1, 3))"
    " | np.histogram(a > 1, 'rice') | np.histogram(a[:0], 'auto') | np.histogram_bin_edges(a, 'scott')"
    " | np.histogram(a, 'auto', weights=a)": (np.array([1.5, 2.5, 0.0, 7.0, 1.0, 3.5, 2.0, 3.0, 1.0]),),
    "np.trim_zeros(a, axis=()) | np.trim_zeros(a, axis=0) | np.trim_zeros(a, 'front')": (np.array([0, 1.0, 0]),),
    "np.sum(a, out=b) | np.prod(a, out=b) | np.cumsum(a, out=c) | np.max(a, out=b)": (
        np.array([2.7, 2.6, 100.0]),
        np.zeros((), "i4"),
        np.zeros(3, "i4"),
    ),
    "np.linalg.svd(a, hermitian=True) | np.linalg.svd(a, compute_uv=False, hermitian=True)": (
        np.array([[1.0, 2.0], [2.0, 1.0]]),
    ),
    "np.r_[0:36:a] | np.mgrid[0:36:a]": (np.complex64(5j),),
    "np.add(a, b, sig='ii->i', casting='unsafe') | np.add(a, b * INF, sig='ii->i', casting='unsafe')"
    " | np.add(a, b * 1e30, sig='ii->i', casting='unsafe') | np.add(a, NAN, sig='bb->b', casting='unsafe')": (X, 0.5),
    "np.add(a, b, sig='ff->f') | np.add(a, b, signature=(None, None, 'f')) | np.divmod.outer(c, c)": (
        1,
        2,
        np.array([2, 3]),
    ),
    "np.power(a, 2, out=b, where=[0, 1]) | np.add(a, 1, out=())": (np.array([2, 3]), np.zeros(2, int)),
    "np.zeros((2, 3))[a, b] | np.zeros((2, 3))[a, a]": (np.array([-3]), np.array([], int)),
    # numbers and arrays of rank 0
    "np.einsum('ij,ij->', a, a, optimize=True) | np.einsum('ij,ij->', a, a) | np.dot(a[0], a[0], out=b)": (
        M,
        np.zeros(()),
    ),
    "np.squeeze(a, axis=0) | np.ptp(a, axis=0) | np.repeat(a, 2, axis=0) | np.clip(a, 0, 1, out=b)": (
        np.float64(3),
        np.zeros(()),
    ),
    "np.roll(a, b) | np.linspace(0, 1, 1, retstep=True) | list(reversed(a)) | np.astype(a[()], 'f4')": (
        np.array(True),
        1,
    ),
    "np.meshgrid(a, a, sparse=True, copy=False) | np.meshgrid(a, a, sparse=True)": (I,),
    # special methods by name
    "a.__rsub__(2) | a.__add__(a) | a.__neg__() | a.__contains__(2) | a.__pow__('x') | a.__lt__(1)": (X,),
    "a.__rsub__(2) | a.__pow__(2) | a.__eq__(3) | a.__rtruediv__(2)": (np.float64(3),),
    "def: b = a.__iadd__(1); return b is a, a": (X,),
    # what NumPy raises
    "np.gradient(a, a[0]) | np.copyto(a, np.ones(4), where=a > 9) | np.fill_diagonal(a.astype('u4'), -1)": (M,),
    "np.put_along_axis(a, b, -1, axis=1) | np.argmax(a, axis=0, out=a[0] * 0.5)": (
        np.zeros((2, 2), "u1"),
        np.array([[0], [1]]),
    ),
    "np.std(a, out=np.zeros((), int)) | np.round(a, -1, out=a.astype('u1')) | np.sort(a, kind='sort', stable=True)": (
        I,
        np.zeros((), int),
    ),
    "np.std(a, ddof=1, correction=1) | np.concatenate([a], out=a, dtype='f4') | np.isin(a, a, kind='table')": (X,),
    "np.clip(a, 2) | np.isin(a, a, kind='quicksort') | np.searchsorted(a, 0, sorter=[1, 2]) | a.clip(2)": (I,),
    "np.unravel_index([0], ()) | np.ravel_multi_index(([a], [0]), (2**62, 2)) | np.split([1, 2, 3, 4], 2)": (0,),
    "np.put(a, [0], [1], mode='wrap') | np.nanpercentile(a, 101, axis=-1) | np.average(a[None], axis=-3)": (
        np.zeros(0),
    ),
    "np.interp(a, [0], [1, 2], period=360) | np.sqrt(a, dtype='f4', casting='no')": (0.5,),
    "np.cov(M, fweights=a) | np.cov(M, aweights=a) | np.cov(M, fweights=a[0] * a * 0.5)": (np.array([-1, 2]),),
    "np.power.at(a, [0], -4) | np.digitize(a, [1, 2, 3 + 1j]) | np.histogram(a, range=(NAN, 1))": (np.array([2, 3]),),
}


def program_of(row):
    """A program of three arguments: a list of what each call gives or raises."""
    lines = ["def program(a, b, c):"]
    if row.startswith("def: "):
        lines += [f"    {line}" for line in row[5:].split("; ")]
    else:
        lines.append("    found = []")
        for call in row.split(" | "):
            lines += ["    try:", f"        found.append({call})", "    except Exception as error:"]
            lines.append("        found.append((type(error).__name__, str(error)))")
        lines.append("    return found")
    namespace = {"np": np, "INF": INF, "NAN": NAN, "M": M}
    exec(compile("\n".join(lines), __file__, "exec"), namespace)
    return namespace["program"]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("row", ROWS)
def test_as_numpy(row):
    arguments = (*ROWS[row], None, None)[:3]
    with np.errstate(all="ignore"):
        check(program_of(row), *arguments)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["sqrt", "arcsin", "arccosh", "arctanh", "sinh", "cosh", "tan", "expm1", "sign"])
def test_signs_of_complex_results(name):
    function = getattr(np, name)

    def program(z):
        w = function(z)
        return [np.where(np.isnan(part), 0.0, np.copysign(1.0, part)) for part in (w.real, w.imag)]

    with np.errstate(all="ignore"):
        check(program, COMPLEX, calls=[(COMPLEX.astype("c8"),)])
