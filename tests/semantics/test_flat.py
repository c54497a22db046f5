"""`array.flat`: reading a part of it copies, and what is written to a part of it is repeated."""

import statistics

import numpy as np

from .runner import Programs

program = Programs()

A = np.arange(12.0).reshape(3, 4)


@program(A, A + 1)
def parts_are_copies(a):
    parts = a.flat[2:5], a.flat[[1, 2]], a.flat[:], a.T.flat[1:4], a.flat[a.ravel() > 3]
    for part in parts:
        part += 100
    return parts, a.flat[5], a.flat[-1], len(a.flat)


@program(A, A + 1)
def written_values_are_repeated(a):
    a.flat[3] = 50
    a.flat[::5] = -1
    a.flat[[1, 2, 4]] = [7, 8]
    a.flat[6:] = (1, 2, 3, 4)
    a.T.flat[1:3] = 9
    a.flat[[0, 1]] = np.array([[5, 6, 7]])
    grid = np.zeros((4, 4))
    grid.flat[1::5] = [1, 2]
    return grid


@program((A, 3.0), (A - 4, 5.0), compiles=1)
def masks_of_flat(a, limit):
    a.flat[a.ravel() > limit] = [1, 2]
    low = a.copy()
    low.flat[low.ravel() < 2] = 0
    return low


@program(A, A + 1)
def flat_in_loops(a):
    mixed = 0.0
    for v in a.T.flat:
        mixed = mixed * 0.5 + v
    for i in range(a.size):
        a.flat[i] *= 2
    return mixed, [v + 1 for v in a.flat], sum(a.flat), np.sum(a.flat), np.asarray(a.flat), a.flat.copy()


@program((A, 2), (A, 40), raises=IndexError)
def flat_out_of_bounds(a, i):
    a.flat[i] = 1


@program((A, -20), raises=IndexError)
def flat_read_out_of_bounds(a, i):
    return a.flat[i]


@program((A, 1), (np.arange(5), 2))
def attributes_there_are(a, i):
    names = "__array__", "__array_interface__", "flat", "fit", "__len__", "iloc", "__dict__", "data", "item"
    return [hasattr(a, name) for name in names], [hasattr(a[0], name) for name in names]


def attempt(action):
    try:
        return action()
    except (TypeError, ValueError, IndexError, AttributeError) as error:
        return type(error), str(error)


@program(A, A + 1)
def an_iterator_with_a_place(a):
    f = a.flat
    first = f.index, f.coords, f.base is a, iter(f) is f, f is a.flat, bool(f), isinstance(f, np.flatiter), type(f)
    begun = next(f), f.__next__(), f.index, f.coords, len(f), 5.0 in f, f.index
    rest = next(f), sum(f), list(f), f.index, f.coords
    f[2:4]
    return first, begun, rest, f.index, list(zip(f, f)), f.index, f.copy(), f.index


@program((A.reshape(2, 3, 2), 3.0), (A.reshape(2, 3, 2) - 4, 1.0))
def place_where_a_loop_stops(a, limit):
    places = []
    for b in (a, a.T):
        f = b.flat
        for v in f:
            if v > limit:
                break
        places.append((f.index, f.coords, list(f), f.coords))
    return places


@program(A, A + 1)
def what_it_has_not(a):
    f = a.flat
    names = "sum", "mean", "shape", "size", "dtype", "ndim", "T", "tolist", "index", "coords", "base", "copy", "next"
    wrong = [lambda: f.sum(), lambda: f + 1, lambda: -f, lambda: f @ f, lambda: f + f, lambda: reversed(f)]
    wrong += [lambda: hash(f), lambda: float(f), lambda: f.shape, lambda: divmod(f, 2), lambda: [1] + f]
    return (
        [hasattr(f, name) for name in names],
        [getattr(f, name, 7) == 7 for name in names[:7]],
        [attempt(w) for w in wrong],
    )


@program(A, A + 1)
def beside_arrays(a):
    f = a.flat
    next(f)
    of_numpy = np.sum(f), np.mean(f), np.concatenate([f, a[0].flat]), np.dot(f, f), np.exp(f), np.shape(f), np.sort(f)
    compared = f == 2, f > a.ravel(), 3 < f, f != f, [1] == f[:1], f == a.flat
    operated = a.ravel() + f, np.float64(2) * f, a.ravel()[np.array([1, 2]).flat]
    return of_numpy, compared, operated, f.index, np.fromiter(f, float), f.index


@program((A, A.T.copy()), (A + 1, A.T - 1))
def arrays_of_it(a, b):
    shared, apart = np.asarray(a.flat), np.asarray(b.T.flat)
    shared[0] = 77
    return apart, apart.flags.writeable, shared.flags.writeable, attempt(lambda: apart.fill(0))


@program(A, A + 1)
def keys_of_it(a):
    f = a.flat
    good = f[()], f[...], f[(0,)], f[(1, 2),], f[[0, -1]], f[[]], f[np.array([[0, 1], [2, 3]])], f[np.int64(3)]
    wrong = [lambda: f[None], lambda: f[0, 1], lambda: f["a"], lambda: f[[True] * 12], lambda: f[a > 2]]
    wrong += [lambda: f[[0, 99]], lambda: f[::0], lambda: f[np.array([1.0])]]
    return good, [attempt(w) for w in wrong]


@program(A, A + 1)
def wrong_items_of_it(a):
    f = a.flat

    def put(key, value):
        f[key] = value

    cases = (
        (0, [1, 2]),
        (0, []),
        (0, a),
        (0, "x"),
        (np.array(1), [7, 8]),
        ((0,), [7]),
        ((), 1),
        (None, 1),
        (slice(2), 1j),
    )
    return [attempt(lambda: put(*case)) for case in cases], a


@program(A, A + 1)
def what_is_written_is_read_on(a):
    b, c = a.copy(), a.copy()
    a.flat[1:5] = a
    b.flat[::-1] = b
    c.flat[c.ravel() > 3] = c[0]
    d = np.zeros((2, 3))
    d.flat[np.array([[0, 1], [2, 3]])] = [7, 8]
    d.flat[4:] = []
    return a, b, c, d


@program(A, A + 1)
def mean_of_what_is_left(a):
    f = a.flat
    next(f)
    return statistics.fmean(f), f.index


test_programs = program.test()
