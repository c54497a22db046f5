"""np.nditer of one array: with the index of each element, or as views of no dimensions."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([[1.0, -2.0, 3.0], [0.5, 4.0, -1.0]])
I = np.arange(12).reshape(2, 3, 2)


def slope(f, x, h):
    """The numerical gradient as books have it, which changes x for a while."""
    found = np.zeros_like(x)
    it = np.nditer(x, flags=["multi_index"], op_flags=["readwrite"])
    while not it.finished:
        at = it.multi_index
        kept = x[at]
        x[at] = kept + h
        above = f(x)
        x[at] = kept - h
        below = f(x)
        found[at] = (above - below) / (2 * h)
        x[at] = kept
        it.iternext()
    return found


@program((X, 1e-4), (X * 2, 1e-3), (X[0].copy(), 1e-4), rtol=1e-7)
def numerical_gradient(x, h):
    return slope(lambda w: np.sum(w**3) + w.max(), x, h)


@program((X,), (I,), (np.array(3.0),))
def elements(x):
    return sum([v * 2 for v in np.nditer(x)])


@program((X,), (I,))
def squared_in_place(x):
    for v in np.nditer(x, op_flags=["readwrite"]):
        v[...] = v * v
    return x.sum()


@program((X,), (I,))
def in_a_with_statement(x):
    with np.nditer(x, op_flags=[["readwrite"]], flags=["c_index"]) as it:
        for v in it:
            v[...] += it.index
        done = it.finished
    return done


@program((X,), refuse=True)
def after_a_with_statement(x):
    with np.nditer(x, flags=["multi_index"]) as it:
        it.iternext()
    return it.finished


@program((X, 0.7), (X, -5.0))
def first_below(x, t):
    it = np.nditer(x, flags=["multi_index"])
    for v in it:
        if v < t:
            break
    else:
        return None
    return it.multi_index, it.iterindex, it[0] + 1


@program((X,), (I,))
def steps(x):
    it = np.nditer(x, ["multi_index", "c_index"], ["readonly"], order="C")
    more = [it.iternext(), it.iternext()]
    place = it.multi_index, it.index, it.shape, it.ndim, len(it)
    it.reset()
    return more, place, it.multi_index, it.value + 1  # whose memory it shows, np.nditer does not tell


@program((X,), raises=ValueError)
def past_the_end(x):
    it = np.nditer(x, flags=["multi_index"])
    while it.iternext():
        pass
    return it.multi_index


@program((X,), raises=ValueError)
def written_where_it_is_only_read(x):
    for v in np.nditer(x):
        v[...] = 1.0


@program((np.zeros((0, 3)),), raises=ValueError)
def of_no_elements(x):
    return [v for v in np.nditer(x)]


@program((X.T,), refuse=True)
def in_the_order_of_memory(x):
    return [v * 2 for v in np.nditer(x)]


@program((X, X[:, ::2]), refuse=True)
def of_an_array_that_does_not_lie_in_order(x, y):
    return [a * b for a, b in np.nditer([x[:, :2], y])]


@program((X, X * 2), (X, X[:, :1].copy()))
def of_two_arrays(x, y):
    total, steps = 0.0, []
    for a, b in np.nditer([x, y]):
        total += float(a) * float(b)
        steps.append(a + b)
    return total, steps


@program((X, X[0].copy()), (np.arange(6).reshape(2, 3), 1.5))
def into_an_array_that_it_makes(x, y):
    it = np.nditer([x, y, None])
    for a, b, c in it:
        c[...] = a * b + 1
    return it.operands[2], it.nop


@program((X, I[0, :2].copy()[:, :, None] * 1.0 + X[:, :1, None]))
def with_flags_of_each(x, y):
    with np.nditer([x, x.copy()], op_flags=[["readwrite"], ["readonly"]]) as it:
        for a, b in it:
            a[...] = 2 * b
    count = 0
    for _ in np.nditer((y, x[:, None])):
        count += 1
    return count


@program((np.float64(2.5),), (3,))
def of_a_number(x):
    return [float(v) for v in np.nditer(x)]


@program((X, X[:, :2].copy()), raises=ValueError)
def of_shapes_that_do_not_fit(x, y):
    return [a for a, b in np.nditer([x, y])]


test_programs = program.test()
