"""Names that share an array or an object on some paths or trips and not on others, written through afterwards."""

import jax
import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

X = np.array([1.0, 2.0, 4.0])
TRIPS = [(X, n) for n in (0, 1, 2, 3)]
PATHS = [(X, 0.0), (X, 1.0), (X, -1.0)]


@program(*TRIPS)
def one_name_becomes_the_other(x, n):
    a, b = x * 2, x * 3
    for _ in range(n):
        a = b
    a[0] = 100
    return a, b


ARRAYS = [(X, X + 1, X + 2, n) for n in (0, 1, 2, 4)]


@program(*ARRAYS)
def one_argument_becomes_another(x, y, z, n):
    for _ in range(n):
        y = z
    return y, y.sum()


@program(*ARRAYS)
def arguments_move_up(x, y, z, n):
    for _ in range(n):
        y = z
        z = x
    return x, y, z


@program(*ARRAYS)
def arguments_change_places_and_are_written(x, y, z, n):
    k = 0
    while k < n:
        x, y = y, z
        k += 1
    y[0] = 100
    return x, y, z


@program(*ARRAYS, *[(list(X), list(X + 1), list(X + 2), n) for n in (0, 1, 2, 4)])
def one_argument_becomes_another_until_data_says_so(x, y, z, n):
    for k in range(5):
        if k == n:
            break
        x = y
        y = z
    return x[0] + y[1], len(x)


@program(*TRIPS)
def new_array_under_two_names(x, n):
    a, b = x * 2, x * 3
    for _ in range(n):
        b = b + 1
        a = b
    a[0] = 100
    return a, b


@program(*TRIPS)
def swapped_with_third_name(x, n):
    a, b = x * 2, x * 3
    c = b
    for _ in range(n):
        a, b = b, a
    a[0] = 100
    return a, b, c


@program(*TRIPS)
def previous_and_current(x, n):
    previous = current = x * 1
    for k in range(n):
        new = current * 2 - previous + k
        previous, current = current, new
    current[0] = 100
    return previous, current


@program(*TRIPS)
def previous_and_current_read_only(x, n):
    previous = current = x * 1
    for k in range(n):
        new = current * 2 - previous + k
        previous, current = current, new
    return previous, current


@program(*TRIPS)
def name_handed_down(x, n):
    a, b = x * 2, x * 3
    for k in range(n):
        a = b
        b = x * k
    a[0] = 100
    return a, b


@program(*TRIPS)
def three_rotate_and_are_written(x, n):
    a, b, c = x * 2, x * 3, x * 4
    for k in range(n):
        a, b, c = b, c, a
        a[0] += k
    c[0] = 100
    return a, b, c


@program(*TRIPS)
def arguments_rotate(x, n):
    y = x + 1
    for k in range(n):
        x, y = y, x
        x[0] = k
    return x, y


@program(*TRIPS)
def old_array_read_after_the_loop(x, n):
    a = x * 2
    old = None
    for k in range(n):
        old = a
        a = a + k
    if old is not None:
        old[0] = -1
    return a, old


@program(*TRIPS)
def items_swapped_and_written(x, n):
    a, b = x * 2, x * 3
    both = [a, b]
    for k in range(n):
        both[0], both[1] = both[1], both[0]
        both[0][0] += k
    a[1] = 100
    return both, a, b


@program(*TRIPS)
def lists_swapped(x, n):
    a, b = [x[0], x[1]], [x[1], x[2]]
    c = a
    for k in range(n):
        a, b = b, a
        a[0] = a[0] + k
    c[1] = 7.0
    return a, b, c


class Box:
    def __init__(self, v):
        self.v = v


@program(*TRIPS)
def objects_swapped(x, n):
    a, b = Box(x * 2), Box(x * 3)
    first = a
    for k in range(n):
        a, b = b, a
        a.v = a.v + k
    first.v = first.v * 10
    return a.v, b.v, first.v


@program(*TRIPS)
def attribute_moves_between_objects(x, n):
    a, b = Box(x * 2), Box(x * 3)
    for _ in range(n):
        a.v = b.v
    a.v[0] = 50
    return a.v, b.v


@program((X, 1e-3), (X, 1e9), (X, 0.0))
def converged_array_returned_early(x, tol):
    a = x * 2
    for it in range(60):
        new = a * 0.5 + 1
        if np.abs(new - a).sum() < tol:
            return new, it
        a = new
    return a, -1


@program((X, 1e-3), (X, 1e9), (X, 0.0))
def converged_array_in_while(x, tol):
    a = x * 2
    it = 0
    while it < 60:
        new = a * 0.5 + 1
        if np.abs(new - a).sum() < tol:
            return new
        a = new
        it += 1
    return a


@program((X, 1e-3), (X, 1e9), (X, 0.0))
def converged_pair_after_break(x, tol):
    a = x * 2
    for it in range(60):
        new = a * 0.5 + 1
        change = np.abs(new - a).sum()
        a = new
        if change < tol:
            break
    new[0] = 5
    return a, new, it


@program(*PATHS)
def shared_on_one_path(x, c):
    if c > 0:
        a = x * 2
        b = a
    else:
        a, b = x * 2, x * 3
    a[0] = 100
    return a, b


@program(*PATHS)
def shared_list_on_one_path(x, c):
    if c > 0:
        a = [x[0], x[1]]
        b = a
    else:
        a, b = [x[1], x[0]], [x[2], x[0]]
    a[0] = 100.0
    return a, b


@program(*PATHS)
def one_of_older_arrays(x, c):
    p, q = x * 2, x * 3
    a, b = (p, p) if c > 0 else (p, q)
    b[0] = 100
    return a, b, p, q


@program(*PATHS)
def swapped_on_one_path(x, c):
    a, b = x * 2, x * 3
    first = a
    if c > 0:
        a, b = b, a
    a[0] = 100
    first[1] = 7
    return a, b


@program(*PATHS)
def three_paths_share_differently(x, c):
    a, b = x * 2, x * 3
    if c > 0:
        b = a
    elif c < 0:
        a = b
    a += 1
    return a, b


@program(*[(X, c, n) for c in (0.0, 1.0) for n in (0, 1, 3)])
def shared_on_one_path_of_a_trip(x, c, n):
    a, b = x * 2, x * 3
    for k in range(n):
        if c * k > 0:
            b = a
        a = a + 1
    b[0] = 100
    return a, b


class Mover:
    """Steps that make a new array, or fail and leave the old one."""

    def __init__(self, at):
        self.at, self.before, self.failed, self.time = at, None, False, 0

    def step(self, limit):
        new, tries = self.at * 2.0, 0
        while new.sum() > limit and tries < 3:
            new = new / 4.0
            tries += 1
        self.failed = tries == 3
        if not self.failed:
            self.before, self.at = self.at, new
            self.time += 1


@program((np.ones(2), 5, 10.0), (np.ones(2), 5, 0.001), (np.ones(2), 1, 10.0), (np.ones(2), 9, 3.0))
def last_state_is_kept_in_a_cell(x, n, limit):
    mover, status = Mover(x), None
    while status is None:
        mover.step(limit)
        if mover.time == n:
            status = 0
        elif mover.failed:
            status = -1
            break
        at = mover.at
    return status, mover.at, mover.before, mover.time, (lambda: at)() if status == 0 else x


@program((np.ones(2), 5, 10.0), (np.ones(2), 5, 0.001), (np.ones(2), 1, 10.0))
def state_in_a_cell_is_written(x, n, limit):
    mover, status = Mover(x), None
    while status is None:
        mover.step(limit)
        if mover.time == n:
            status = 0
        elif mover.failed:
            status = -1
            break
        at = mover.at
        at[0] += 0.5
    return status, mover.at, mover.before, (lambda: at)() if status == 0 else x


IF_NEEDED, NEVER, ALWAYS = np._CopyMode.IF_NEEDED, np._CopyMode.NEVER, np._CopyMode.ALWAYS


@program(X.copy())
def copied_if_needed(x):
    y = np.array(x, copy=IF_NEEDED)
    y[0] = 5
    z = np.array(x, copy=ALWAYS)
    z[1] = 7
    np.array(x, copy=NEVER)[2] = 9
    np.asarray(x, copy=0)[1] += 1
    return x, y, z


@program((X, 1.0), (X, 3.0))
def selections_copied_if_needed(x, t):
    m = x[x > t]
    y, z, w = np.array(m, copy=IF_NEEDED), np.array(m, copy=None, order="C"), np.array(m, copy=True)
    y[0] = 5
    z[0] += 5
    w[0] = 100
    wide = np.array(m, np.int64, ndmin=1)
    return m, w, np.asarray(m, dtype=np.float32, copy=None), np.array(m[::-1], copy=None), wide


@program(X)
def polynomials_returned(x):
    p = np.polynomial.Polynomial(x) * 2
    return p, p.deriv(), np.polynomial.Chebyshev.fit(x, 2 * x, 1), np.poly1d(x) + 1


@program(({}, X, 1), ({}, X, -1))
def stored_under_a_condition(held, x, c):
    held["chosen"] = x if c > 0 else -x
    held["again"] = [held["chosen"], (x, x + 1)[c > 0]]


def either(x, y, c):
    return x if c > 0 else -x


def part_of_either(x, y, c):
    z = x if c > 0 else y if c < 0 else x + y
    return z[1:], {"z": z}


def item(x, y, c):
    return [x, y, x + y][c], max(x, y, key=lambda v: v.sum() * c)


def in_a_nest(x, y, c):
    z = -x
    if c >= 0:
        w = y if c > 0 else x * 2
        if w.sum() > 1.0:
            z = w
    return [z, z]


@pytest.mark.parametrize("function", [either, part_of_either, item, in_a_nest])
def test_which_array_of_the_caller_is_returned(function):
    compiled = xlapy.jit(function, returns="numpy")
    for c in (1, 0, -1):
        seen = []
        for run in (function, compiled):
            x, y = np.arange(3.0), np.arange(3.0) + 5
            found = list(jax.tree.leaves(run(x, y, c)))
            shared = [(v is x, v is y, np.shares_memory(v, x), np.shares_memory(v, y), v.tolist()) for v in found]
            seen.append((shared, found[0] is found[-1]))
        assert seen[0] == seen[1]


def test_which_array_is_returned_to_jax():
    tangent = jax.jvp(lambda x: xlapy.jit(either, returns="numpy")(x, x, x.sum()), (-X,), (X,))[1]
    np.testing.assert_allclose(tangent, -X, rtol=1e-6)


test_programs = program.test()
