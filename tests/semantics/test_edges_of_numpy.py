"""What NumPy does at the edges: of nothing, with infinities, with types one does not think of."""

import math

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, 7.0])
EMPTY = np.zeros(0)
NUMBERS = [0.0, -0.0, 1.0, -1.0, 4.0, np.inf, -np.inf, np.nan, 2.0**30, 2.0**-30]
COMPLEX = np.array([complex(a, b) for a in NUMBERS for b in NUMBERS])


@program((COMPLEX, COMPLEX.reshape(-1, 1)), (COMPLEX.astype("c8"), COMPLEX[::3].reshape(-1, 1).astype("c8")))
def complex_quotients(x, y):
    with np.errstate(all="ignore"):
        q = x / y
    signs = [np.where(np.isnan(part), 0.0, np.copysign(1.0, part)) for part in (q.real, q.imag)]
    return q.real, q.imag, signs


@program((EMPTY, X))
def polynomials_of_nothing(e, x):
    return np.polymul(e, x), np.polymul(x, e), np.polymul([0.0], x), np.polyadd(x, e), np.polysub(e, x[:2])


@program((np.array([0.0, 0.0, 2.0, 1.0]), np.array([0.0, 1.0, -1.0])))
def polynomials_with_leading_zeros(p, q):
    return np.polymul(p, q), np.polyadd(p, q), np.polysub(q, p)


@program((EMPTY, X))
def taking_nothing(e, x):
    none = np.array([], int)
    return np.take(e, none), np.take(x, []), np.take(x, none), np.take(np.zeros((0, 3)), none, axis=0), e.take(none)


@program(EMPTY, raises=IndexError)
def taking_from_nothing(e):
    return np.take(e, [0], mode="wrap")


@program((EMPTY,), (np.zeros((0, 3)),))
def quantiles_of_nothing(e):
    with np.errstate(all="ignore"):
        return (
            np.nanmedian(e, axis=0),
            np.median(e, axis=0),
            np.nanquantile(e, 0.5),
            np.nanquantile(e, [0.1, 0.2], axis=0),
        )


@program((np.array([1, 5, 200, 3], np.uint8), np.array([1, 5, 200, 3], np.uint64), np.array([1, 5, 200, 3], np.int16)))
def unwrapped_integers(a, b, c):
    return np.unwrap(a), np.unwrap(b), np.unwrap(c), np.unwrap(c, period=4)


@program((X, np.array([3.0, 1.0, 2.0])), raises=ValueError)
def falling_edges(x, edges):
    return np.histogram(x, edges)


@program((X, np.array([0.0, 1.0, 1.0, 4.0])))
def repeated_edges(x, edges):
    return np.histogram(x, edges)


@program(X)
def axes_in_tuples(x):
    return np.add.accumulate(x, axis=(0,)), np.maximum.accumulate(x.reshape(2, 3), axis=(-1,))


@program(X, raises=TypeError)
def cumsum_takes_no_tuple(x):
    return np.cumsum(x, axis=(0,))


@program((X, np.array([1.0, 0.0, 1.0, 1.0, 0.0, 1.0])), raises=TypeError)
def masks_are_of_booleans(x, where):
    return np.sum(x, where=where)


@program((X, X[::-1].copy()), raises=TypeError)
def masks_of_moments_are_of_booleans(x, where):
    return np.std(x, where=where)


@program((X, np.array([1.0, -1.0, 2.0, 0.5, 0.5, 1.0])), raises=ValueError)
def negative_weights(x, w):
    return np.percentile(x, 30, method="inverted_cdf", weights=w)


@program(np.array([2, 3, -1]), np.array([3, -2]), raises=ValueError)
def powers_accumulated(k):
    return np.power.accumulate(k)


@program(np.array([2, 3, -1]), raises=ValueError)
def powers_reduced(k):
    return np.power.reduce(k)


@program(np.array([-2, 3, 1]), np.array([3, 2]))
def powers_of_powers(k):
    return np.power.reduce(k), np.power.accumulate(k)


@program((np.array([True, False, True]),))
def conjugates_of_selected_booleans(m):
    return m[m].conjugate(), m[::-1][m].conj()


@program(EMPTY, raises=IndexError)
def pieces_of_nothing(e):
    return np.minimum.reduceat(e, [0, 2])


PARTS = np.array([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, np.nan])
COMPLEX = (PARTS[:, None] + 1j * np.array([0.0, 2.5, -3.0, np.inf, np.nan, -0.0, 7.0])).ravel()


@program((COMPLEX, np.repeat(PARTS, 7)), (COMPLEX.astype(np.complex64), np.repeat(PARTS, 7).astype(np.float32)))
def complex_numbers_divided_by_real_ones(z, x):
    with np.errstate(all="ignore"):
        known = z / 3, z / -0.3, z / 2.0**10, z / complex(-2.0, -0.0), z / np.inf, z / 0.0, z / (2 - 1j)
        return known, z / x, z / x[2], z / len(x), z / (x > 1)


@program((np.array([1.5, np.inf, -np.inf, np.nan, -300.0], np.float16),))
def half_floats_as_integers(x):
    """Infinity is no number that wraps."""
    return [x.astype(t) for t in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.int64)]


@program((np.array([250, 5, 10], np.uint8), np.array([1.9, -700.0, 3.0])))
def means_in_integers(k, x):
    """The sum wraps in the type that is asked for, and the quotient is cut."""
    byte = np.mean(k, dtype=np.uint8), np.mean(x, dtype=np.int8), np.mean(k > 7, dtype=bool)
    return byte, np.mean(k, dtype=np.uint64), np.mean(x, dtype=np.int16, where=x > 0), x.mean(0, dtype="u2")


@program((np.array([-(2**63), 6, -9, 0]), np.array([4, -(2**63), 6, -(2**63)])))
def divisors_of_the_smallest_integer(a, b):
    return np.gcd(a, b), np.lcm(a, b % 7), np.gcd(a.astype(np.int8), np.int8(-128)), np.gcd.reduce(a[1:])


@program((np.array([1.0, -1.0, -3.0, -0.5, 0.0, -0.0, -np.inf, 65504.0], np.float16),))
def spacing_of_half_floats(x):
    return np.spacing(x), np.spacing((x[:4] * 2).astype(np.int8))


@program((X, np.array([True, False, True, True, False, True])), (X * 2, np.zeros(6, bool)))
def reductions_over_no_axis_have_an_initial_value(x, m):
    mean = np.add.reduce(x, axis=(), initial=2), np.maximum.reduce(x, axis=(), initial=1)
    power = np.float_power.reduce(np.abs(x), axis=(), initial=2), np.hypot.reduce(x, axis=(), initial=3, where=m)
    return mean, power, np.subtract.reduce(x, axis=())


@program((np.array([1, 2], np.int8),))
def initial_values_are_stored_in_the_type(k):
    return np.sum(k, initial=2.7), np.sum(k, initial=np.float64(-2.7)), np.max(k, initial=-5), np.any(k, where=k > 1)


@program((np.array([1, 2], np.int8),), raises=OverflowError)
def initial_value_too_large(k):
    return np.max(k, initial=300)


@program((np.array([1, 2]),), raises=ValueError)
def initial_value_is_nan(k):
    return np.sum(k, initial=np.nan)


@program((np.array([1, 2]),), raises=OverflowError)
def initial_value_is_infinite(k):
    return np.prod(k, axis=(), initial=np.inf)


@program((np.ones(1), np.array([True, False, True])), raises=ValueError)
def mask_larger_than_the_array(x, m):
    return np.sum(x, where=m)


@program((X, np.ones((2, 6), bool)), raises=ValueError)
def mask_of_more_dimensions(x, m):
    return np.prod(x, axis=0, where=m)


@program((X, np.ones((2, 6), bool)), raises=ValueError)
def mean_under_a_mask_of_more_dimensions(x, m):
    return np.mean(x, where=m)


NUMBER = np.array(3.0)


@program(NUMBER, raises=np.exceptions.AxisError)
def a_number_has_no_mean_along_an_axis(x):
    return np.mean(x, axis=0)


@program(NUMBER, raises=np.exceptions.AxisError)
def a_number_has_no_average_along_an_axis(x):
    return np.average(x, axis=0)


@program(NUMBER, raises=np.exceptions.AxisError)
def a_number_has_no_sum_along_a_tuple_of_axes(x):
    return np.sum(x, axis=(0,))


@program(NUMBER)
def a_number_along_an_axis(x):
    return np.sum(x, axis=0), np.argsort(x), np.argmax(x, axis=-1), np.nanargmin(x, axis=0), np.cumsum(x, axis=0)


HOLES = np.array([[1 + 2j, np.nan, 3], [4 + 1j, 4 - 1j, np.nan]])


@program((HOLES, np.array([[np.nan, -np.inf], [2.0, np.nan]])), (HOLES[::-1], np.array([[np.inf, np.nan], [1.0, 2.0]])))
def places_without_nan(z, x):
    complex_ones = np.nanargmax(z), np.nanargmin(z, axis=1), np.nanargmax(z, axis=0, keepdims=True)
    return complex_ones, np.nanargmax(x, axis=1), np.nanargmin(x, axis=1), np.nanargmin(x)


@program((np.array(np.nan),), raises=ValueError)
def place_in_nothing_but_nan(x):
    return np.nanargmin(x)


@program(3, 4)
def indices_of_a_generated_shape(n):
    return np.indices(k + 1 for k in range(n))


@program((2.0 ** np.arange(-30, 60), 10.0 ** np.arange(-9, 20)), (2.0 ** np.arange(-9, 81), 10.0 ** np.arange(-20, 10)))
def logarithms_that_are_whole_numbers(x, y):
    """Programs cut or round such results: a last bit too many is the next power of two."""
    whole = np.floor(np.log2(x)), np.ceil(np.log2(x)), np.log10(y).astype(int), np.ceil(np.log10(y))
    n, d = int(math.ceil(math.log2(x[59]))), int(math.log10(y[-5]))
    return whole, n, d, np.log2(x.astype(np.float32)) % 1, [np.log2(x[k]) % 1 for k in range(40)]


@program(np.arange(-30.0, 60.0), np.arange(-90.0, 0.0))
def powers_and_roots_that_are_whole_numbers(k):
    single = np.exp2(k.astype(np.float32)), np.rint(np.cbrt(np.round(k) ** 3)) % 1
    # NumPy's own roots are whole on some processors only
    return np.exp2(k) == 2.0**k, np.exp2(np.abs(k)).astype(int), np.rint(np.cbrt(np.abs(k) ** 3)).astype(int), single


ODD = np.array([0.0, -0.0, -1.0, np.nan, np.inf, -np.inf, 1e-300, 1.7e308, 2.3e-308, 1 + 1e-10, 0.3])


@program(ODD, ODD[::-1], (ODD * 1e-30).astype(np.float32))
def logarithms_of_special_numbers(x):
    with np.errstate(all="ignore"):
        return np.log2(x), np.log10(x), np.exp2(x), np.cbrt(x), np.exp2(-x)


@program((np.linspace(0.1, 9, 40).astype(np.float16), np.linspace(-3, 4, 40).astype(np.float16)), rtol=1e-3)
def functions_of_half_floats(x, y):
    """In float32, and rounded once."""
    logs = np.log2(x), np.log10(x), np.exp2(y), np.expm1(y), np.logaddexp(x, y), np.logaddexp2(x, y)
    return logs, np.hypot(x, y), np.arcsinh(y), np.degrees(x), x // y, x % y, np.divmod(y, x)


@program((np.arange(12.0).reshape(3, 4), np.array([2, 0, 2])), (np.arange(15.0).reshape(3, 5), np.array([1, 1, 1])))
def deleted_at_known_and_unknown_places(x, i):
    known = np.sort(np.atleast_1d((1, 0)))
    return np.delete(x, known, axis=1), np.delete(x, i, axis=0), np.delete(x, i, axis=1), np.delete(x, i)


@program(np.arange(12.0).reshape(3, 4), np.arange(40.0).reshape(2, 20))
def deleted_and_inserted_at_known_places(x):
    deleted = np.delete(x, 1), np.delete(x, -1, axis=1), np.delete(x, slice(None, None, 2), 1), np.delete(x, [0, 2], 1)
    ends = np.delete(x, [], axis=0), np.delete(x, slice(0, 9), axis=0), np.delete(x, slice(1, 60, 2))
    inserted = np.insert(x, 2, 7), np.insert(x, -1, x[:, 0], axis=1), np.insert(x, 0, 1.5, axis=0)
    return deleted, ends, inserted, np.insert(x, x.shape[1], 5.0, axis=-1), np.insert(x[:0], 0, 3, axis=0)


@program(np.arange(12.0).reshape(3, 4), raises=IndexError)
def deleted_beyond_the_end(x):
    return np.delete(x, 4, axis=1)


@program(np.arange(12.0).reshape(3, 4), raises=IndexError)
def inserted_beyond_the_end(x):
    return np.insert(x, -4, 1.0, axis=0)


@program((X, np.array([True, False, True, True, False, False])), (-X, np.zeros(6, bool)))
def deleted_by_a_mask(x, m):
    rows = x.reshape(6, 1) * np.ones(2)
    return np.delete(x, m), np.delete(rows, m, axis=0), np.delete(rows.T, m, axis=1)


@program(X, -X)
def differences_of_what_turns_out_to_have_a_known_length(x):
    places = np.nonzero(x > -99)[0]
    return np.diff(places, append=[len(x)]), np.diff(np.append(x[x > 0.5], 3), 2, prepend=1.0)


@np.errstate(divide="ignore", invalid="ignore")
def logarithms(x):
    return np.log(x)


@program(X, -X)
def a_function_decorated_with_errstate(x):
    @np.errstate(all="ignore")
    def shares(v):
        return v / (v - v[0])

    return logarithms(x), shares(x)


@program(X)
def points_of_gauss_and_legendre(x):
    points, weights = np.polynomial.legendre.leggauss(4)
    total = (weights * np.exp(points * x[0])).sum()
    return total, np.vecdot(x.reshape(2, 3), x[:2, None], axis=0) if hasattr(np, "vecdot") else 0


@program(np.sin(np.arange(9000.0) ** 1.5), rtol=1e-9)
def autocorrelation_of_a_long_signal(x):
    """XLA crashed: a convolution with 9,000 weights, compiled without the algebraic simplifier."""
    far = x - x.mean()
    return np.correlate(far, far, "full")[-len(x) :] / x.var()


POWERS = np.array([1.5, -2.0, 0.0, -0.0, np.inf, -np.inf, np.nan, 1e10, -1e10, 1e-10, 3.0, 1.0, -1.0])


@program(POWERS, POWERS.astype("f4"))
def known_powers(x):
    """Products and roots, with what `pow` gives for zeros and infinities, but the root of -inf."""
    whole = x**3, x**4, x**5, x**6, x**7, x**12, x**16, x**17, x**-1, x**-2, x**-3, x**-6, x**-12, x**-16, x**-17
    halves = x**1.5, x**2.5, x**3.5, x**4.5, x**5.5, x**-0.5, x**-1.5, x**-2.5, x**-4.5, x**0.5, np.power(x, 0.5)
    signs = [np.where(np.isnan(power), 0.0, np.copysign(1.0, power)) for power in (x**-3, x**5, x**1.5, x**-1.5)]
    minus, zero = x[5], x[3]
    scalars = minus**1.5, minus**-0.5, zero**-1.5, zero**0.5, np.power(minus, 0.5)
    return whole, halves, signs, scalars, np.float_power(x, 0.5), np.float_power(x, -3)


@program((1.7, 2.0 + 1j, X), (0.3, -2.0 + 1j, 2 * X))
def known_powers_of_python_numbers(a, c, x):
    return a**6, a**-3, a**1.5, a**-2.5, c**3, c**-2, [a**k for k in range(-3, 4)], sum(v**12 for v in x)


@program((1e200, 3), raises=OverflowError)
def a_product_that_overflows(x, n):
    return x**3


@program((0.0, 3), raises=ZeroDivisionError)
def a_negative_power_of_zero(x, n):
    return x**-3


PLANE = np.array([1.5 + 2j, -2.0, 0.0, 3j, -4j, 1e3 - 1e3j, 1e-3, -1, 1, np.inf, complex(0, np.inf), np.nan])


@program(PLANE, PLANE[:-3].astype("c8"))
def known_powers_of_complex_numbers(z):
    """NumPy multiplies: -1 to the third is -1, infinite parts become NaN."""
    whole = z**3, z**4, z**5, z**7, z**10, z ** (3 + 0j), np.power(z, 6), z[1] ** 3
    return whole, z**-1, z**-2, z**-3, z**-6, np.reciprocal(z), z**0, z**1


@program(np.exp(2j * np.pi * np.arange(24).reshape(4, 6) / 23), np.ones((3, 5), complex))
def multibrot(c):
    z = np.zeros_like(c)
    inside = np.zeros(c.shape, int)
    for _ in range(12):
        z = z**4 + 1.1 * c
        inside += np.abs(z) < 2
    return inside


INFINITE = np.array([1.0, 2.0, np.inf, 3.0, -np.inf, np.inf])


@program((INFINITE, 1), (INFINITE[:4], 0))
def quantiles_beside_infinities(x, q):
    """With whole `q` NumPy takes a sample; else it interpolates, and inf - inf is NaN."""
    plain = (
        np.quantile(x, 1),
        np.quantile(x, q),
        np.nanquantile(x, [0, 1]),
        np.quantile(x, [0, 1.0]),
        np.quantile(x, 1.0),
    )
    y = x[x > 1]
    return plain, np.quantile(y, 1), np.quantile(y, [0, 1]), np.nanquantile(y, 0), np.percentile(x, [0, 50, 100])


@program((np.array([[3, 1, 2], [9, 7, 8]]), X), (np.array([[3, 1], [9, 7], [5, 5]]), -X))
def whole_quantiles_of_integers(m, x):
    y = m.ravel()[x[: m.size] > 0]
    return np.quantile(m, 1), np.quantile(m, 0, axis=0), np.quantile(m, True), np.quantile(y, 1), np.quantile(m, 0.5)


@program((X, np.zeros(0, bool)), (X[:3], np.zeros(0, bool)))
def empty_masks(x, m):
    """NumPy takes a mask of length 0 for a dimension of any size."""
    table = np.outer(x, x)
    x[m] = 4.0
    x[m] += 1.0
    x[np.zeros(0, bool)] = 7.0
    table[m, 0] = 3.0
    picked = x[m].sum(), x[np.zeros(0, bool)], table[m], table[:, m], table[m, 0]
    return picked, table[np.zeros((0, 2), bool)[:, :0]], x[x > 9][m]


@program((np.ones((3, 2)), np.zeros((0, 2), bool), np.zeros((3, 0), bool)))
def empty_masks_of_matrices(x, m, k):
    x[m] = 3.0
    x[k] = 3.0
    return x[m], x[k], x[np.zeros((0, 0), bool)]


INDICES = (
    np.array([1.0, 0.0]),
    [1.0, 0.0],
    1.0,
    np.array([1, 0], np.uint64),
    np.array([1, 0], np.uint8),
    np.array([True, False]),
    np.zeros(0),
    [],
)


def _outcome(f, *args):
    try:
        return f(*args)
    except TypeError as error:
        return str(error)


def _put(indices):
    x = np.zeros(3)
    np.put(x, indices, 2.0)
    return x


def _pieces(indices):
    return np.add.reduceat(np.arange(3.0), indices) if np.size(indices) else 0


@program(*INDICES)
def numbers_that_are_no_indices(indices):
    found = [_outcome(_put, indices), _outcome(np.take, np.arange(3.0), indices)]
    found.append(_outcome(np.choose, indices, [4, 5]))
    found.append(_outcome(np.unravel_index, indices, (2, 3)))
    return found


@program(*[i for i in INDICES if np.ndim(i) == 1])
def numbers_that_are_no_places(indices):
    return _outcome(_pieces, indices), _outcome(np.ravel_multi_index, (indices, [1] * len(indices)), (3, 2))


@program(([1, 0, 2],), (((1.0, 2.0), (0.0, 4.0)),), ([[True, False], [True, True]],))
def places_in_lists(x):
    return np.nonzero(x), np.where(x), np.argwhere(x), np.flatnonzero(x)


@program(np.array([1, 2]), np.array([1, 900, 4]), np.array([20000, 3], np.uint16), np.array([True, False]))
def more_bins_than_asked_for(x):
    counts = np.bincount(x, minlength=3)
    best = 0
    for k in range(3):
        best += np.bincount(x * k, minlength=2).argmax()
    return counts, best


@program(
    (np.array([1, 2]), np.array([0.5, 1.5])),
    (np.array([1, 2]), np.array([0.5])),
    (np.array([1, 2]), np.array([0.5, 1.0, 2.0])),
    (np.array([1, 2]), np.array([[0.5, 1.0]])),
    (np.array([1, 2]), 1.0),
    (np.array([1, 2]), np.array([1j, 2.0])),
    ([], []),
    (np.zeros(0, int), np.zeros(0)),
    ([], [1.0]),
)
def weights_of_bins(x, w):
    try:
        return np.bincount(x, w)
    except (TypeError, ValueError) as error:
        return type(error).__name__, str(error)


@program((np.zeros((0, 1), np.uint8),), (np.zeros((3, 0), np.uint8),), (np.full((2, 3), 5, np.uint8),))
def bits_of_nothing(x):
    return np.unpackbits(x), np.unpackbits(x, axis=1), np.packbits(x), np.packbits(x, axis=0)


@program((0, 5, 1, None), (0, 500, 2, np.float32), (3, None, None, None))
def ranges_with_a_type_in_place(start, stop, step, dtype):
    return np.arange(start, stop, step, dtype)


@program((slice(-5, -5, -5), -2), (slice(1, 5), 3), (slice(1, None), -1))
def indices_of_slices(s, n):
    try:
        return s.indices(n)
    except ValueError as error:
        return str(error)


@program("abc", 5)
def text_of_a_named_object(x):
    return str(object=x)


PARTS_WITH_NAN = [0.0, -0.0, 1.0, np.nan, -2.0, np.inf]
COMPLEX_WITH_NAN = np.array([complex(a, b) for b in PARTS_WITH_NAN for a in PARTS_WITH_NAN])[::-1]


@program(COMPLEX_WITH_NAN, COMPLEX_WITH_NAN.astype("c8"), np.tile(COMPLEX_WITH_NAN, 20), COMPLEX_WITH_NAN[:2])
def orders_of_complex_numbers(x):
    places = np.argsort(x, kind="stable"), np.lexsort((x.real, x)), np.argsort(x.reshape(2, -1), axis=0, kind="stable")
    across = np.sort(x.reshape(-1, 2), axis=0), np.sort(x.reshape(2, -1), axis=None)
    y = x.copy()
    y.sort()
    return np.sort(x), y, across, places, np.partition(x, 1)[1]


_POINTS = np.array([-1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, np.nan, np.inf, -np.inf])
_NODES = np.array([0.0, 1.0, 2.0, 3.0])
_SAMPLES = [
    np.array([1.0, np.inf, 4.0, 8.0]),
    np.array([np.inf, np.inf, np.nan, -np.inf]),
    np.array([-1e308, 1e308, -1e308, 1.0]),
]


@program(
    *((_NODES, samples) for samples in _SAMPLES),
    *((_NODES, samples + 0j) for samples in _SAMPLES),
    *((_NODES, samples[::-1] * 1j + 2) for samples in _SAMPLES),
    (_NODES, np.array([1, 2 + 1j * np.nan, 4 + 1j * np.inf, 8 - 1j])),
    (np.array([0.0, 1.0, np.inf, np.inf]), np.array([1, 2j, 4.0, 8 - 1j]), None),
    (np.array([0.0, 1.0, 1.0, 3.0]), np.array([1, 2j, 4.0, 8 - 1j], np.complex64)),
    (np.array([2.0]), np.array([3.0])),
    (np.array([2.0]), np.array([3j])),
)
def interpolated(xp, fp, period=3.5):
    ends = np.interp(_POINTS, xp, fp, left=-5, right=np.nan), np.interp(np.nan, xp, fp), np.interp(1.0, xp, fp)
    return np.interp(_POINTS, xp, fp), ends, np.interp(_POINTS[:9], xp, fp, period=period)


_NARROW = np.random.default_rng(4).integers(0, 256, (4, 5))


@program(
    *(_NARROW.astype(t) for t in ("u1", "i1", "i4", "f2", "c8", bool, "f8")),
    np.array([[np.inf, 1.0, 2.0, 3.0, 4.0]] * 4),
)
def integrals_of_narrow_numbers(x):
    spaced = (
        np.trapezoid(x, np.array([0, 1, 3, 4, 9])),
        np.trapezoid(x, [0, 1, 2, 4, 7], axis=1),
        np.trapezoid(x[:, :1]),
    )
    return np.trapezoid(x), np.trapezoid(x, dx=2, axis=0), np.trapezoid(x[0], dx=0.5), spaced


@program(*(_NARROW.astype(t) for t in ("u1", "i1", "i2", "f2", "f4")))
def differences_of_narrow_numbers(x):
    turned = np.unwrap(x), np.unwrap(x, period=100.0, axis=0)
    return np.diff(x, prepend=0), np.diff(x, n=2, axis=0, append=1.5), turned, np.round(x, -1), np.round(x, -2)


@program(np.array([1 + 1j * np.inf, np.inf - 2j, 3.14 + 1.55j]))
def rounded_complex_numbers(x):
    return np.round(x, 1), np.round(x), x.round(-1)


@program(
    (np.arange(5), np.array([1, 0, 1, 0, 0, 0, 0])), (np.arange(5.0), np.array([True, False] * 4)), raises=IndexError
)
def more_conditions_than_elements(x, condition):
    return np.compress(condition, x), np.extract(condition, x), np.compress([1, 1, 0, 0, 0, 0, 0], x)


@program(np.arange(6.0).reshape(2, 3), np.zeros((0, 3)))
def pieces_of_no_places(x):
    return np.add.reduceat(x, []), np.maximum.reduceat(x.astype(np.uint8), np.zeros(0, int), axis=1), x.sum(axis=0)


@program([1.0, np.inf, 2.0], [-np.inf, 1.0], [np.inf, np.inf], [np.nan, 1.0], [1.0, 4.0])
def ranges_that_are_not_finite(values):
    x = np.array(values)
    try:
        return np.histogram2d(x, x, 3)
    except ValueError as error:
        two = str(error)
    try:
        return np.histogram(x)
    except ValueError as error:
        return two, str(error)


@program(np.zeros((0, 5)), np.zeros((5, 0)), np.ones((2, 3)))
def functions_of_empty_rows(x):
    found = []
    for function in (
        lambda: np.quantile(x, 0.3, axis=1, keepdims=True),
        lambda: np.apply_along_axis(np.sort, 0, x),
        lambda: np.apply_along_axis(np.sum, 1, x),
        lambda: np.nanargmin(x),
        lambda: np.nanargmax(x, axis=0),
        lambda: np.interp(x + 1j, [0.0, 1.0], [1.0, 2.0]),
    ):
        try:
            found.append(function())
        except (ValueError, TypeError, IndexError) as error:
            found.append(str(error))
    return found


_WRONG_METHODS = """x.reshape()|x.reshape(1.5)|x.sum([])|x.mean(1.5)|x.max(axis="a")|x.sort(None)|x.argsort(1.5)
x.copy([])|x.copy(1)|x.flatten(1)|x.ravel((0, 5))|x.transpose(bad=1)|x.swapaxes()|x.swapaxes(1)|x.swapaxes("a", 0)
x.put()|x.choose()|x.nonzero(1)|x.argpartition()|x.item("a")|x.item(1.5)|x.conj(1)|x.conj(bad=1)|x.take()
x.tolist(1)|x.squeeze("a")|x.trace("a")|x.searchsorted()|x.dot()|x.compress()|x.std(bad=1)
np.einsum()|np.einsum(x)|np.einsum("ij")|np.einsum(x, 3)""".replace("\n", "|").split("|")


@pytest.mark.parametrize("source", _WRONG_METHODS)
def test_methods_with_wrong_arguments(source):
    text = f"def caught(x):\n    try:\n        {source}\n    except Exception as error:\n        return repr(error)\n"
    names = {"np": np}
    exec(compile(text, f"<wrong call {source}>", "exec"), names)
    for x in (np.ones((2, 3), int), np.ones((200, 300))):
        assert xlapy.jit(names["caught"])(x) == names["caught"](x)


@program((np.arange(6),), (np.arange(6.0),), (np.arange(6.0, dtype="f4").reshape(2, 3)[:, :2],))
def seen_as_floats_by_default(x):
    return x.copy().view(), (x * 0).astype(np.float64).view(None), x.sum(axis=-1), x.reshape(-1), x.item(1)


@program((2j,), (np.zeros(12),), ([1.0],), (-1,), (np.float32(2.0),))
def wrong_ends_of_interpolations(left):
    try:
        return np.interp(_POINTS, _NODES, _NODES, left), np.interp(0.5, _NODES, _NODES, right=left)
    except TypeError as error:
        return str(error)


_WRONG_CALLS = """math.pow(x, x, x)|math.acos()|math.atan2(x)
math.log(x, x, x)|math.log()
math.sqrt(x=x)|math.fmod(x)|math.isclose(x)
bool(x, x)|float(x, x)|list(x, x)|set(x, x)|sorted(x, x)|sorted()|tuple(x, x)|iter()
abs(x, x)|len()|divmod(x)|range()
[x].append()|[x].insert(x)|[x].sort(x)|[x].pop(bad=x)
{1: x}.items(x)|{1: x}.get()|math.fsum(x, x)|math.prod()
np.sum()|np.zeros()|np.sqrt()|np.ones(3).sum(bad=x)|np.dot(x)|np.linalg.norm()|np.where()
np.abs(x, bad=x)|np.add(x)""".replace("\n", "|").split("|")


@pytest.mark.parametrize("source", _WRONG_CALLS)
def test_calls_with_wrong_arguments(source):
    text = f"""
def never(x):
    if x > 100.0:
        {source}
    return x + 1.0

def caught(x):
    try:
        {source}
    except TypeError as error:
        return str(error)
"""
    names = {"math": math, "np": np}
    exec(compile(text, f"<wrong call {source}>", "exec"), names)
    for name in ("never", "caught"):
        assert xlapy.jit(names[name])(2.0) == names[name](2.0)


test_programs = program.test()
