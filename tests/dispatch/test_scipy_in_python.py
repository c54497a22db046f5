"""What SciPy does in compiled code, and here in plain Python: filters, labels, peaks, splines, assignments."""

import copy
import warnings

import numpy as np
import pytest
import scipy.interpolate as si
import scipy.linalg as sl
import scipy.ndimage as nd
import scipy.optimize as so
import scipy.signal as sg

import xlapy

RNG = np.random.default_rng(0)
LINE, IMAGE, SQUARE = RNG.random(30), RNG.random((6, 7)), RNG.random((4, 4)) + np.eye(4)
PATTERN, WHOLE = (RNG.random((8, 9)) > 0.5).astype(int), RNG.integers(0, 255, (6, 7))
KNOTS, VALUES = np.sort(RNG.random(9)), RNG.random(9)
PLACES = np.array([-0.1, 0.3, 0.5, 2.0, np.nan])


def same(got, wanted):
    if isinstance(wanted, tuple | list):
        assert len(got) == len(wanted)
        for one, other in zip(got, wanted, strict=True):
            same(one, other)
    elif isinstance(wanted, dict):
        assert list(got) == list(wanted)
        same(list(got.values()), list(wanted.values()))
    else:
        one, other = np.asarray(got), np.asarray(wanted)
        assert one.shape == other.shape and one.dtype == other.dtype
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def check(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            wanted = function(*copy.deepcopy(args))
        except Exception as error:
            with pytest.raises(type(error)) as found:
                xlapy.jit(function, returns="numpy")(*args)
            assert str(found.value) == str(error)
            return
        same(xlapy.jit(function, returns="numpy")(*copy.deepcopy(args)), wanted)


def smoothed(m, k):
    smooth = nd.gaussian_filter(m, (1, 2), mode="wrap"), nd.uniform_filter1d(m, 4, axis=0, mode="mirror")
    return *smooth, nd.sobel(m), nd.laplace(m, mode="nearest"), nd.convolve(m, k), nd.correlate(m, k, cval=1.0)


def ranked(m, g):
    ranks = (
        nd.maximum_filter(m, 3),
        nd.minimum_filter1d(m, 2),
        nd.median_filter(m, (3, 2)),
        nd.percentile_filter(m, 30, 3),
    )
    return *ranks, nd.binary_erosion(g), nd.binary_dilation(g, np.ones((3, 3))), nd.binary_opening(g)


def test_filters():
    check(smoothed, IMAGE, RNG.random((2, 3)))
    check(lambda x: sg.medfilt(x, 5), LINE)
    check(lambda m: (nd.uniform_filter(m, 3), nd.convolve(m, np.ones((3, 3), int))), WHOLE)
    check(ranked, IMAGE, PATTERN)


def test_labels():
    check(lambda g: nd.label(g, structure=np.ones((3, 3))), PATTERN)
    check(lambda g: nd.label(g[0]), PATTERN)
    with pytest.raises(xlapy.NotOffloadableError, match="two dimensions"):
        xlapy.jit(lambda g: nd.label(g))(PATTERN.reshape(2, 4, 9))


def peaks(x):
    found, about = sg.find_peaks(x, height=(0.2, 0.9), distance=3)
    return found, about, sg.find_peaks(x, prominence=0.2, width=1)


def test_peaks():
    check(peaks, LINE)
    check(lambda x: sg.find_peaks(x, plateau_size=1), np.round(LINE * 4))


def designed(x):
    b, a = sg.butter(3, 0.2)
    sections = sg.butter(4, [0.1, 0.4], "bandpass", output="sos")
    smooth = sg.filtfilt(b, a, x), sg.sosfilt(sections, x), sg.savgol_filter(x, 5, 2), sg.detrend(x, type="constant")
    return *smooth, sg.firwin(5, 0.3), sg.windows.hann(5), sg.get_window(("kaiser", 4.0), 5)


def test_designs_of_known_filters():
    check(designed, LINE)
    check(lambda w: sg.butter(2, w), 0.3)
    check(lambda w: sg.butter(2, w), 2.3)


def splines(x, y, t):
    spline = si.CubicSpline(x, y)
    others = si.CubicSpline(x, y, bc_type="natural")(t), si.CubicSpline(x, y, extrapolate=False)(t)
    return spline(t), spline(t, 1), spline.c, *others, si.PchipInterpolator(x, y)(t)


def test_splines():
    check(splines, KNOTS, VALUES, PLACES)


@pytest.mark.parametrize(
    "cost",
    [
        RNG.random((5, 5)),
        RNG.integers(0, 4, (6, 4)),
        RNG.integers(0, 3, (3, 7)),
        np.array([[np.inf, np.inf], [1.0, 2.0]]),
    ],
    ids=["square", "more rows", "more columns", "infeasible"],
)
def test_assignments(cost):
    check(lambda m: (so.linear_sum_assignment(m), so.linear_sum_assignment(-m, maximize=True)), cost)


def solved(m, b):
    positive = m @ m.T + np.eye(4)
    triangles, factor = sl.lu_factor(m), sl.cho_factor(positive)
    first = sl.lu_solve(triangles, b), sl.lu_solve(triangles, b, trans=1), sl.cho_solve(factor, b), factor[0]
    return *first, sl.lstsq(m[:, :2], b), sl.solve_banded((1, 1), m[:3], b), sl.solve_banded((2, 1), m, b)


def test_solutions():
    check(solved, SQUARE, VALUES[:4])
    check(lambda m: sl.cho_factor(m), -SQUARE @ SQUARE.T)
    check(lambda m: sl.solve_banded((1, 1), m, np.ones(4)), np.zeros((3, 4)))
    check(lambda m, b: sl.solve_banded((1, 1), m, b), np.arange(1.0, 13.0).reshape(3, 4) + 1j, np.arange(4))
