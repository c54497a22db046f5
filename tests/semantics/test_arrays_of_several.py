"""Arrays of items that are one of several numbers, or None; single booleans as masks; flags; np.broadcast, np.emath."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.arange(6.0) + 0.5
LONG = np.arange(100.0) / 10


@program(X, -X, LONG)
def zero_or_its_reciprocal(x):
    y = [0 if v <= 1 else 1 / v for v in x]
    return np.array(y, dtype=float), np.array(y, np.float32), np.array(y, complex), np.array([*y, 2.0])


@program(X, X + 3)
def kinds_of_numbers(x):
    return (
        np.array([True if x[0] < 1 else 3, 1]),
        np.array([np.float32(1) if x[0] < 1 else 3.0, 1.0]),
        np.array([1j, 1 if x[0] < 1 else 3.0]),
        np.array((0 if x[0] < 1 else x[0], 1, 2.0)),
        np.asarray([(1 if x[0] < 1 else x[0], 1), (2.0, 3)]),
        np.array([[0 if v <= 1 else 1 / v, v] for v in x]),
        np.full(3, 0 if x[0] < 1 else x[0], dtype=float),
    )


@program(X, X + 3)
def norms(x):
    d = float(x[0]) if x[1] > 3 else x[1]
    e = 3 if x[0] > 1 else x[1]
    return np.linalg.norm([d, 1.0]), np.linalg.norm([e, 4.0], 1), np.median([e, 4.0]), np.sum([e, d]), np.mean((1.0, e))


@program(X, refuse=True)
def type_of_one_that_depends_on_data(x):
    return np.array([0 if v <= 1 else 1 / v for v in x])


@program(X, X + 3, X * 1e12, raises=OverflowError)
def integers_of_one_or_another(x):
    y = np.zeros(4, int)
    y[1:3] = [1 if x[0] < 1 else x[0], 2]
    return y, np.array([1 if x[0] < 1 else x[0], 1], dtype=np.int32)


@program(X, X + 3)
def none_is_not_a_number(x):
    y = np.zeros(4)
    y[1:3] = [None, 2]
    y[:1] = None
    return (
        y,
        np.asarray(None, dtype=float),
        np.array(None, np.float32),
        np.array(None, complex),
        np.array(None, bool),
        np.array([x[0], None], dtype=float),
        np.array([[None, 2], [x[1], None]], dtype=np.float32),
        np.full(2, None, dtype=float),
        np.asarray([None if v <= 1 else 1 / v for v in x], dtype=float),
        np.asarray(None if x[0] > 1 else x[0], dtype=float),
    )


@program(X, raises=TypeError)
def none_is_no_integer(x):
    return x, np.asarray(None, dtype=int)


@program(2.5, 3.5)
def mask_of_rank_0(a):
    a = np.asarray(a)
    return bool(np.any(a[np.asarray(a < 3)])), a[a < 3], a[np.asarray(a > 3)].shape


@program(X, -X)
def truth_as_a_mask(x):
    y, z, w = x * 2, x * 2, np.asarray(x[2])
    y[x[0] < 0] = 3
    z[x[0] > 0] += x
    w[w < 3] = 1
    return y, z, w, x[x[0] > 0].shape, x[np.asarray(x.sum() < 1)].sum(), x.reshape(2, 3)[x[0] < 1].shape, x[True]


@program(X)
def array_protocol(x):
    same = x.__array__() is x, x.__array__(float) is x, x.__array__(copy=True) is x, x.__array__(copy=False) is x
    return same, x.__array__(np.float32), x[0].__array__(), x[0].__array__(np.int8)


@program(X, raises=ValueError)
def array_protocol_without_a_copy(x):
    return x.__array__(np.float32, copy=False)


@program(X, X.reshape(2, 3), X.reshape(2, 3).T, X[::2])
def flags(x):
    f = x.flags
    names = "c_contiguous f_contiguous contiguous fortran fnc forc carray farray behaved writeable aligned"
    keys = "C F W A X B CA FA FNC FORC CONTIGUOUS FORTRAN WRITEABLE C_CONTIGUOUS".split()
    return [getattr(f, n) for n in names.split()], [f[k] for k in keys], x[1:].flags.owndata


@program(X, refuse=True)
def who_owns_the_memory(x):
    return x.T.flags.owndata


@program(X, raises=KeyError)
def unknown_flag(x):
    return x.flags["c"]


@program(X)
def writeable(x):
    y = x * 2
    f, early = y.flags, y[1:]
    y.setflags(write=False)
    late = y[1:]
    early[0] = 5
    try:
        late[0] = 3
    except ValueError:
        y.flags.writeable = True
        y[0] = 9
    return y.copy(), f.writeable, late.flags.writeable, early


@program(X)
def already_writeable(x):
    x.flags.writeable = True
    x.setflags(write=1, align=True, uic=False)
    x.flags["W"] = True
    x[0] = 8
    return x


@program(X, raises=ValueError)
def no_longer_writeable(x):
    y = x * 2
    y.flags.writeable = False
    y[0] = 1
    return y


def first_written(y):
    """What comes of it to write the first element."""
    try:
        y[0] = 5.0
    except ValueError as error:
        return str(error)
    return y.sum()


@program((X, 1.0), (X, -1.0))
def read_only_on_one_path(x, t):
    y = x * 2
    if t > 0:
        y.flags.writeable = False
    return first_written(y)


@program((X, 1.0), (X, -1.0))
def read_only_or_not(x, t):
    y = np.broadcast_to(x[0], (3,)) if t > 0 else x.copy()
    w, z = x * 2, x + 1
    w.setflags(write=False)
    return first_written(y), first_written(w if t < 0 else z), z


@program((X, 5), (X, 2))
def read_only_after_some_trips(x, n):
    y, failures = x * 2, 0
    for k in range(n):
        try:
            y[0] = k
        except ValueError:
            failures += 1
        if k > 1:
            y.flags.writeable = False
    return failures, y


@program((X, 1.0), (X, -1.0))
def read_only_or_of_another_size(x, t):
    y = x[x > 0] if t > 0 else np.broadcast_to(x[0], (2,))
    return first_written(y)


class Locked:
    def __init__(self, window):
        if not np.isfinite(window).all():
            raise ValueError
        self.window = window
        self.window.setflags(write=False)


@program(X)
def read_only_in_an_object(x):
    locked = Locked(x * 2)
    return first_written(locked.window), locked.window * 1


@program(X)
def read_by_who_has_handed_it_over(x):
    y = x * 2
    locked = Locked(y)
    return y + locked.window, y[1:], y.sum()


@program(X, refuse="maybe")
def written_by_who_has_handed_it_over(x):
    y = x * 2
    Locked(y)
    return first_written(y)


@program(X, refuse="maybe")
def view_written_by_who_has_handed_it_over(x):
    y = x * 2
    Locked(y)
    return first_written(y[1:]), y.flags.writeable


@program(X, refuse="maybe")
def joined_after_it_was_handed_over(x):
    y, z = x * 2, x * 3
    Locked(y)
    w = y if x[0] > 5 else z
    return first_written(w), first_written(y)


@program(X)
def writeable_windows(x):
    w = np.lib.stride_tricks.sliding_window_view(x * 1, 2, writeable=True)
    r = np.lib.stride_tricks.sliding_window_view(x * 1, 2)
    return w * 2, w.flags.writeable, r.flags.writeable, first_written(r[0])


@program(X, refuse=True)
def caller_s_array_is_made_read_only(x):
    x.flags.writeable = False
    return x.sum()


@program(X)
def broadcasting(x):
    b = np.broadcast(x, np.ones((4, 1)), 2.0)
    return b.shape, b.nd, b.ndim, b.size, b.numiter, np.broadcast(1, [1, 2]).shape


@program(X, raises=ValueError)
def cannot_broadcast(x):
    return np.broadcast(x, np.ones(2)).shape


@program(X)
def goes_through_a_broadcast(x):
    both = np.broadcast(x, x.reshape(-1)[:1])
    first = next(both)
    rest = [(a + b, type(a) is np.float64) for a, b in both]
    return first, rest, both.shape, both.numiter, list(both), [a for (a,) in np.broadcast(x)], next(iter(both), None)


@program(X, refuse="XP0003")
def says_where_a_broadcast_is(x):
    return np.broadcast(x, x).index


def complex_results(function, *before, after=()):
    def run(x):
        def of(v):
            return function(*before, v, *after)

        real = of(0.5), of(-3.0), of([0.5, 0.2]), of(np.float32(0.5)), of(np.array([0.2, -0.5]))
        return real, of(x + 0.1j), abs(of(x))

    return run


for _name in np.emath.__all__:
    _before, _after = (2,) if _name == "logn" else (), (3,) if _name == "power" else ()
    program.add(f"emath_{_name}", complex_results(getattr(np.emath, _name), *_before, after=_after), X, -X)


test_programs = program.test()
