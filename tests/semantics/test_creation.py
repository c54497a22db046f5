"""Making arrays: constants, ranges, like-functions, identity, from functions, from scalars in arguments."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, 1.0, 2.0])
K = np.array([[1, 2], [3, 4]], dtype=np.int16)

program.each(
    X,
    zeros_ones_full=lambda x: (
        np.zeros(3),
        np.ones((2, 2)),
        np.full(2, 7),
        np.full((2,), 1.5),
        np.zeros((2, 0)),
        np.zeros(()),
    ),
    creation_dtypes=lambda x: (
        np.zeros(2, int),
        np.ones(2, dtype="f4"),
        np.full(2, 3, dtype=np.uint8),
        np.zeros(2, dtype=x.dtype),
        np.ones(2, bool),
    ),
    likes=lambda x: (
        np.zeros_like(x),
        np.ones_like(x, dtype=int),
        np.full_like(x, 2),
        np.empty_like(x).shape,
        np.zeros_like(x, shape=(2, 2)),
    ),
    empty_filled=lambda x: [buf := np.empty(3), buf.fill(2.0), buf][2],
    aranges=lambda x: (
        np.arange(4),
        np.arange(1, 9, 3),
        np.arange(5, 0, -2),
        np.arange(0.0, 1.0, 0.25),
        np.arange(3.0),
        np.arange(3, dtype="f4"),
    ),
    linspaces=lambda x: (
        np.linspace(0, 1, 5),
        np.linspace(2, 3, 4, endpoint=False),
        np.linspace(0, 1, 3, retstep=True),
        np.linspace(0, 10, 3, dtype=int),
    ),
    logspaces=lambda x: (np.logspace(0, 2, 3), np.geomspace(1, 8, 4), np.logspace(0, 3, 4, base=2.0)),
    dynamic_linspace=lambda x: (np.linspace(x[0], x[1], 4), np.linspace(0, x.max(), 3), np.linspace(x, x + 1, 3)),
    identities=lambda x: (np.eye(3), np.eye(2, 3, 1), np.identity(2), np.eye(2, dtype=int), np.diag(x), np.diag(x, -1)),
    special=lambda x: (np.tri(3), np.vander(x), np.vander(x, 2, increasing=True)),
    windows=lambda x: (np.hanning(5), np.hamming(5), np.blackman(5), np.bartlett(5), np.kaiser(5, 2.0)),
    fromfunction=lambda x: (
        np.fromfunction(lambda i, j: i * 10 + j, (2, 3)),
        np.fromiter((v * 2 for v in [1.0, 2.0]), float),
    ),
    from_lists=lambda x: (
        np.array([1, 2, 3]),
        np.array([[1.0, 2], [3, 4]]),
        np.array([]),
        np.array([True, 2]),
        np.array((1, 2.5)),
        np.array(3j),
    ),
    from_range=lambda x: (np.array(range(4)), np.array(list(range(2, 5))), np.asarray([i * i for i in range(3)])),
    from_dynamic_items=lambda x: (
        np.array([x[0], x[1]]),
        np.array([x, x + 1]),
        np.array([[x[0], 0], [0, x[1]]]),
        np.array([x.sum(), 1]),
    ),
    array_dtype_argument=lambda x: (
        np.array(x, dtype=int),
        np.array([1, 2], dtype=float),
        np.asarray(x, np.float32),
        np.array([1.7, 2.2]).astype(int),
    ),
    scalars=lambda x: (
        np.float64(3),
        np.int64(2.9),
        np.bool_(1),
        np.complex128(1),
        np.float32(0.1),
        np.array(2),
        np.int32(7) // 2,
    ),
    constants=lambda x: (
        np.pi,
        np.inf,
        np.nan,
        np.e,
        -np.inf,
        np.newaxis,
        np.float64.__name__,
        np.iinfo(np.int32).max,
        np.finfo(float).eps,
    ),
    fft_frequencies=lambda x: (
        np.fft.fftfreq(4),
        np.fft.rfftfreq(5, 0.1),
        np.fft.fftshift(np.arange(4)),
        np.fft.ifftshift(np.arange(5)),
    ),
    fft_forms=lambda x: (
        np.fft.fft(x),
        np.fft.ifft(x),
        np.fft.rfft(x),
        np.fft.irfft(np.fft.rfft(x), 3),
        np.fft.fft(x, 4),
        np.fft.hfft(x + 0j),
    ),
    fft_two_dimensional=lambda x: (
        np.fft.fft2(np.outer(x, x)),
        np.fft.ifftn(np.outer(x, x)),
        np.fft.rfft2(np.outer(x, x)),
        np.fft.fft(np.outer(x, x), axis=0, norm="ortho"),
    ),
)

program.each(
    K,
    like_keeps_dtype=lambda k: (
        np.zeros_like(k),
        np.full_like(k, 3.9),
        np.ones_like(k) * 2,
        np.empty_like(k, dtype=float).dtype.name,
    ),
    copies=lambda k: (
        k.copy(),
        np.copy(k),
        np.array(k),
        k.astype(k.dtype),
        k.astype(float, copy=False),
        np.asarray(k) is k,
        np.array(k, copy=True) is k,
    ),
)


@program(3, 5, 0)
def sizes_from_argument(n):
    return np.zeros(n), np.ones((n, 2)), np.arange(n), np.eye(n), np.linspace(0, 1, n), np.full(n, n), np.empty(n).shape


@program((1, 7, 2), (0, 3, 1), (5, 0, -1))
def arange_from_arguments(a, b, c):
    return np.arange(a, b, c), np.arange(a, b * 1.0 + c, c)[:1]


@program((X, 2.5), (X, 3))
def full_of_argument(x, v):
    return np.full(3, v), np.full_like(x, v), np.array([v, v]), np.zeros(3) + v, np.array(v)


@program((np.array([2, 3]), 1.5))
def size_from_array_element(k, v):
    return np.zeros(k[0]) + v, np.full((k[0], k[1]), v)


@program(np.arange(5.0))
def size_from_shape(x):
    n = x.shape[0]
    return np.zeros((n, n - 1)), np.arange(n // 2), np.empty((0, n))


@program((4, 0.5), (6, 0.1))
def arange_float_step(n, h):
    x = np.arange(n) * h
    return np.sin(x), np.arange(n, dtype=float)


@program(3, 4)
def nested_list_to_array(n):
    rows = []
    for i in range(n):
        rows.append([i * j for j in range(3)])
    return np.array(rows)


@program((2, 3), (4, 1))
def matrix_filled_by_loops(n, m):
    a = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            a[i, j] = 1.0 / (i + j + 1)
    return a


@program(4, 6)
def array_of_ints_from_argument(n):
    return np.array([n, n + 1]), np.array([n, 2.0]), np.array([[n], [1]]), np.int32(n) * np.ones(2, dtype=np.int32)


@program(X, refuse="maybe")
def random_seeded_shape(x):
    rng = np.random.default_rng(0)
    return rng.normal(size=3).shape, rng.integers(0, 10, 5).dtype.name, (rng.random(4) < 1).all(), x


@program(X, refuse="maybe")
def random_legacy_shape(x):
    np.random.seed(1)
    v = np.random.rand(3)
    return v.shape, ((v >= 0) & (v < 1)).all(), np.random.uniform(0, 1, (2, 2)).shape


@program((X,))
def from_iterables_of_sequences(x):
    found = []
    for items in ([(1, 2)], [[1.0]], np.zeros((2, 2)), [x], ["1.5", 2]):
        for kind in (float, int):
            try:
                found.append(np.fromiter(items, kind))
            except (TypeError, ValueError) as error:
                found.append((type(error), str(error)))
    it = iter([1, 2, 3])
    return found, np.fromiter(it, float, count=2), list(it)


@program((X,))
def sequences_that_do_not_fit(x):
    found = []

    def put(kind, place, value):
        v = np.zeros(3, kind)
        try:
            v[place] = value
        except (TypeError, ValueError) as error:
            found.append((type(error), str(error), type(error.__cause__), str(error.__cause__)))
        found.append(v)

    put(float, 1, (1, [1, 2]))
    put(int, 1, (1, [1, 2]))
    put(float, 1, [x[0], x[1]])
    put(int, 1, [])
    put(float, 1, (x, 1))
    put(float, slice(0, 2), (1, [1, 2]))
    put(float, slice(0, 2), [[1, 2], [3, 4]])
    put(int, slice(None), [])
    put(float, (1,), x[:2])
    put(float, slice(None), [1, 2, 3, 4])
    return found


program.each(
    (np.array([2.0, 3.0]), np.array([[1.0], [2.0]])),
    (np.array([[2.0], [3.0]]), np.array(1.5)),
    several_bases=lambda base, start: [np.logspace(start, 3.0, num=4, base=base, axis=k) for k in (0, -1, 1)],
    without_end=lambda base, start: np.logspace(start, 3.0, 3, endpoint=False, base=base, dtype=np.float32),
)


test_programs = program.test()
