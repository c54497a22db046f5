"""scipy.special, scipy.linalg, scipy.fft and scipy.signal inside programs."""

import itertools

import numpy as np
import scipy.fft
import scipy.linalg
import scipy.signal
import scipy.special
import scipy.stats

from .runner import Programs

program = Programs()

X = np.array([0.3, 1.2, 2.5])
A = np.array([[4.0, 1.0], [2.0, 3.0]])
S = A @ A.T
OPTIONS = {"rtol": 1e-9}

program.each(
    (X,),
    (X.astype(np.float32),),
    options={"rtol": 2e-5},
    erf=lambda x: (scipy.special.erf(x), scipy.special.erfc(x), scipy.special.ndtr(x)),
    gammas=lambda x: (scipy.special.gamma(x), scipy.special.gammaln(x), scipy.special.digamma(x)),
    logistic=lambda x: (scipy.special.expit(x), scipy.special.logit(x / 3)),
    logarithms=lambda x: (scipy.special.xlogy(x, x), scipy.special.betaln(x, x), scipy.special.entr(x)),
    bessel=lambda x: (scipy.special.i0(x), scipy.special.i1e(x)),
    sums=lambda x: (scipy.special.logsumexp(x), scipy.special.softmax(x)),
    incomplete=lambda x: (scipy.special.gammainc(x, 1.5), scipy.special.betainc(x, 2.0, 0.3)),
)
program.each(
    (A, X),
    options=OPTIONS,
    factorisations=lambda a, x: (scipy.linalg.lu(a), scipy.linalg.cholesky(a @ a.T, lower=True)),
    solving=lambda a, x: (
        scipy.linalg.solve(a, x[:2]),
        scipy.linalg.solve_triangular(np.tril(a), x[:2], lower=True),
        scipy.linalg.inv(a),
        scipy.linalg.det(a),
    ),
    exponential=lambda a, x: scipy.linalg.expm(a / 4),
    symmetric=lambda a, x: scipy.linalg.eigh(a @ a.T, eigvals_only=True),
    special_matrices=lambda a, x: (scipy.linalg.toeplitz(x), scipy.linalg.norm(a)),
    transforms=lambda a, x: (scipy.fft.fft(x), scipy.fft.rfft(x, n=4), scipy.fft.fft2(a), scipy.fft.ifft(x, axis=-1)),
    cosine=lambda a, x: (scipy.fft.dct(x), scipy.fft.idct(x), scipy.fft.dct(x, norm="ortho")),
    convolutions=lambda a, x: (
        scipy.signal.convolve2d(a, a),
        scipy.signal.convolve2d(a, a, mode="same"),
        scipy.signal.correlate2d(a, a, mode="valid"),
        scipy.signal.convolve(x, x),
        scipy.signal.fftconvolve(x, x),
    ),
)
B, D = np.array([0.1, 0.4, 0.2]), np.array([2.0, -1.0, 0.4])
V, W = np.linspace(-1.0, 2.0, 20) ** 2, np.cos(np.arange(24.0)).reshape(3, 8)
SECTIONS = scipy.signal.butter(4, 0.3, output="sos")
program.each(
    (B, D, W),
    (B[:1], D, W),
    (B, D[:2], W.T),
    (B.astype("f4"), D.astype("f4"), W.astype("f4")),
    (B + 1j, D, W),
    (np.array([1, 2]), D, np.arange(12).reshape(3, 4)),
    options={"rtol": 2e-5},
    filtered=lambda b, a, x: (scipy.signal.lfilter(b, a, x), scipy.signal.lfilter(b, a, x, axis=0), x),
    filtered_lines=lambda b, a, x: [scipy.signal.lfilter(b, a, line) for line in x],
    with_states=lambda b, a, x: scipy.signal.lfilter(b, a, x, zi=np.ones((1, max(len(a), len(b)) - 1))),
)
program.add("sections", lambda s, x: scipy.signal.sosfilt(s, x), (SECTIONS, V), **OPTIONS)
program.add("sections_of_rows", lambda s, x: scipy.signal.sosfilt(s, x, axis=0), (SECTIONS, W), **OPTIONS)
program.add(
    "sections_with_states",
    lambda s, x: scipy.signal.sosfilt(s, x, zi=np.ones((s.shape[0], 2))),
    (SECTIONS, V),
    **OPTIONS,
)
program.add("leading_zero", scipy.signal.lfilter, (B, np.array([0.0, 1.0]), V), raises=ValueError)
program.add("wrong_states", lambda b, a, x: scipy.signal.lfilter(b, a, x, zi=x), (B, D, V), raises=ValueError)
program.add("wrong_axis", lambda b, a, x: scipy.signal.lfilter(b, a, x, axis=1), (B, D, V), raises=ValueError)
program.add("integers", lambda i: (scipy.special.erf(i), scipy.signal.convolve2d(i, i)), np.arange(4).reshape(2, 2))
program.add(
    "lists",
    lambda a, k: (scipy.signal.convolve2d(a, [[-1, 1]], mode="same"), scipy.signal.convolve([0.5, 1.0], k)),
    (A, [1.0, 2.0, 3.0]),
)
program.each(
    (np.arange(20.0).reshape(4, 5) ** 1.5, np.array([[1.0, -2.0, 0.5], [0.25, 3.0, 1.0]])),
    (np.arange(20).reshape(4, 5), np.array([[1, -2], [3, 4], [5, 1]])),
    (np.array([[1.0, 2j]]), np.arange(20.0).reshape(4, 5)),
    options=OPTIONS,
    around_convolved=lambda a, k: [
        scipy.signal.convolve2d(a, k, mode, around, 2)
        for mode in ("full", "same")
        for around in ("fill", "wrap", "symm")
    ],
    around_correlated=lambda a, k: [
        scipy.signal.correlate2d(a, k, mode, around)
        for mode in ("full", "same", "valid")
        for around in ("circular", "symmetric")
        if mode != "valid" or min(a.shape) > 1
    ],
)
program.add("no_such_boundary", lambda a: scipy.signal.convolve2d(a, a, boundary="none"), A, raises=ValueError)
program.each(
    tuple(
        np.array(list(itertools.product([0.001, 0.5, 30], [0.001, 2, 1000], [0, 1e-20, 1e-4, 0.4, 0.9, 1 - 1e-12]))).T
    ),
    options={"rtol": 1e-8},
    complements=lambda a, b, x: scipy.special.betaincc(a, b, x),
)
program.add("raveled", lambda i: np.ravel_multi_index((i, i), np.array([3, 4])), np.arange(3))
program.add("known_tuples", lambda a: np.broadcast_shapes(a.shape, (2,)) + (3, 4), A)
program.add("flags_by_key", lambda a: (a.flags["C_CONTIGUOUS"], a.T.flags["F"]), A)

program.add("moments", lambda x: (scipy.stats.sem(x), scipy.stats.skew(x), scipy.stats.trim_mean(x, 0.1)), X, X * X)
program.add("ranks", lambda x: (scipy.stats.rankdata(x), scipy.stats.zscore(x)), X, X * X)

program.add(
    "lengths_of_transforms",
    lambda x, n: (
        scipy.fft.next_fast_len(2 * x.shape[0] + 6, real=True),
        scipy.fft.prev_fast_len(97),
        scipy.fft.rfft(x, scipy.fft.next_fast_len(n)),
    ),
    (X, 97),
    (X, 31),
)
program.add("axis_of_a_transform", lambda a: (scipy.fft.fftn(a, axes=1), scipy.fft.rfftn(a, 4, 0)), np.eye(6, 4))
program.add("no_length_of_a_transform", lambda x: scipy.fft.next_fast_len(-len(x)), X, raises=ValueError)

CORNERS = np.array([-1, -0.0, 0, 1e-8, 1e-3, 0.1, 0.5, 1, 2, 3.7, 5, 10, 30, 100, 300, np.inf, np.nan])
DEGREES = np.array([-1, 0, 0.1, 0.5, 1.5, 2, 3, 10, 30, 100, 300, np.nan])
COUNTS = np.array([-2, -1, -0.5, 0, 0.5, 1, 2, 7.5, 20, 100, np.nan])
TIMES = np.concatenate([-CORNERS[4:], CORNERS[4:]])


def grid(*axes):
    return tuple(axis.ravel() for axis in np.meshgrid(*axes, indexing="ij"))


def far(f):
    """A function without the results that only denormal numbers hold, which the device does not have."""
    return lambda *args: np.where(np.abs(f(*args)) < 1e-290, 0.0, f(*args))


for _name in ("gammainc", "gammaincc", "chdtr", "chdtrc", "stdtr", "fdtr", "fdtrc", "pdtr", "pdtrc", "gdtr", "gdtrc"):
    _axes = {"g": (DEGREES, CORNERS), "c": (DEGREES, CORNERS), "f": (DEGREES[:-1], DEGREES[1:], CORNERS)}.get(_name[0])
    if _name in ("gdtr", "gdtrc"):
        _axes = (DEGREES[2:7], DEGREES, CORNERS)
    if _name == "stdtr":
        _axes = (np.append(DEGREES, [2999, 3001, 1e5, 1e8, np.inf]), TIMES)
    program.add(_name, far(getattr(scipy.special, _name)), grid(*(_axes or (COUNTS, CORNERS))), rtol=1e-10)
program.add("distributions_of_floats", scipy.special.stdtr, (np.float32(3), np.arange(4, dtype=np.float32)))
program.add(
    "elementary",
    lambda x, z: (
        [f(x) for f in (scipy.special.expm1, scipy.special.exp2, scipy.special.cbrt)] + [scipy.special.log1p(z)]
    ),
    (X, X + 1j),
)
program.add("p_values", lambda x, y: (scipy.stats.chi2.sf(x, 3), scipy.stats.f_oneway(x, y).pvalue), (X, X * X))

test_programs = program.test()
