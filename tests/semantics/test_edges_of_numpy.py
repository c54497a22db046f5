"""What NumPy does at the edges: of nothing, with infinities, with types one does not think of."""

import numpy as np

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


test_programs = program.test()
