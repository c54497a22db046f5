"""Gradients through loops whose number of trips is known only on the device, against central differences."""

import jax
import numpy as np
import pytest

import xlapy

from .test_gradients import central_differences

X = np.array([1.1, 0.5, 1.9, 0.8])


def breaks(x, n):
    s = 0.0
    for i in range(n):
        s += np.sin(x[i % 4]) * x[0]
        if s > 2.0:
            break
    return s


def continues(x, n):
    s = 0.0
    for i in range(n):
        if x[i % 4] < 0.7:
            continue
        s += x[i % 4] ** 2 / (i + 1)
    return s


def returns_early(x, n):
    s = x[0]
    for i in range(n):
        s = s * x[i % 4]
        if s > 3.0:
            return s**2
    return s


def loop_else(x, n):
    s = 0.0
    for i in range(n):
        s += x[i % 4]
        if s > 100.0:
            break
    else:
        s = s * x[1]
    return s


def writes_in_place(x, n):
    y = x.copy()
    for i in range(1, n):
        k = i % 4
        y[k] = np.sin(y[k - 1]) * x[k] + 0.5 * y[k]
    return (y**2).sum()


def writes_through_views(x, n):
    a = np.outer(x, x)
    inner = a[1:, 1:]
    column = a.T[0]
    for i in range(n):
        inner[i % 3] *= x[i % 4]
        column += 0.1 * inner[0, 0]
    return a.sum() + a[2, 1] ** 2


def slices_of_unknown_length(x, n):
    s = 0.0
    for k in range(n):
        j = k % 4
        s += x[:j] @ x[:j] + x[j] * x[j:].sum()
    return s


def masks_in_a_loop(x, n):
    y = x * 1.0
    for _ in range(n):
        y[y > 1.0] = np.sqrt(y[y > 1.0])
        y = y * 1.2
    return y.sum()


def nested(x, n):
    s = 0.0
    for i in range(n):
        t = x[i % 4]
        for j in range(i):
            t = np.cos(t) * x[j % 4]
            k = 0
            while k < j:
                t = t + 0.01 * x[0] * t
                k += 2
        s += t
    return s


def cholesky_by_loops(x, n):
    a = np.outer(x, x) + np.diag(x + 3.0)
    for j in range(n):
        for k in range(j):
            a[j, j] -= a[j, k] ** 2
        a[j, j] = np.sqrt(a[j, j])
        for i in range(j + 1, n):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
    s = 0.0
    for j in range(n):
        s += np.log(a[j, j])
    return s


def flags_and_integers(x, n):
    found = False
    where = -1
    i = 0
    s = 0.0
    while i < n and not found:
        s = s + x[i % 4] * i
        if s > 3.0:
            found = True
            where = i
        i += 1
    return s * where if found else s


def newton(x, n):
    """The cube root of x[0], the number of trips depends on it."""
    y = x[0]
    last = 0.0
    while abs(y - last) > 1e-12:
        last = y
        y = y - (y**3 - x[0]) / (3 * y**2)
    return y * x[1]


def adaptive_runge_kutta(x, n):
    """Bogacki and Shampine's pair with rejected steps, on Van der Pol's equation."""

    def slope(y):
        return np.array([y[1], x[2] * (1 - y[0] ** 2) * y[1] - y[0]])

    t = 0.0
    h = 0.3
    y = x[:2].copy()
    k1 = slope(y)
    rejected = 0
    while t < 0.5 * n:
        h = min(h, 0.5 * n - t)
        k2 = slope(y + 0.5 * h * k1)
        k3 = slope(y + 0.75 * h * k2)
        new = y + h / 9 * (2 * k1 + 3 * k2 + 4 * k3)
        k4 = slope(new)
        error = np.abs(h * (-5 / 72 * k1 + k2 / 12 + k3 / 9 - k4 / 8)).max()
        if error < 1e-3:
            t = t + h
            y = new
            k1 = k4
        else:
            rejected += 1
        h = h * min(2.0, max(0.3, 0.9 * (1e-3 / (error + 1e-12)) ** (1 / 3)))
    return y[0] * y[1] + 0.0 * rejected


def truncated_svd(x, n):
    """The largest two singular values by power iteration and deflation."""
    a = np.outer(x, [1.0, 0.2, -0.5]) + np.array([[2.0, 0, 0], [0, 1.5, 0], [0.3, 0, 0.5], [0, 0.1, 0]])
    s = 0.0
    for k in range(2):
        v = np.ones(3)
        for _ in range(10 * n):
            v = a.T @ (a @ v)
            v = v / np.sqrt(v @ v)
        u = a @ v
        sigma = np.sqrt(u @ u)
        a = a - np.outer(u, v)
        s += sigma * (k + 1)
    return s


def until_settled(x, n):
    """The measure that ends the loop has no influence on the result."""
    u = x * 1.0
    change = 1.0
    while change > 10.0**-n:
        new = 0.5 * (u + np.cos(u) * x)
        change = np.abs(new - u).max()
        u = new
    return (u**2).sum()


def with_the_last_change(x, n):
    u = x * 1.0
    change = 1.0
    total = 0.0
    while change > 10.0**-n:
        new = 0.5 * (u + np.cos(u) * x)
        change = np.abs(new - u).max()
        total = total + change
        u = new
    return change * 100 + u[0]


def convolutions(x, n):
    v = np.cos(x)
    for _ in range(n):
        v = np.convolve(x, v[:2], "same") * 0.5
    return v.sum()


def triangular(x, n):
    """Inner loops that make at most five trips, as is known, and none at first."""
    y = x.copy()
    for i in range(6):
        for j in range(i):
            y[j % 4] = np.sin(y[i % 4]) * x[j % 4] + y[j % 4] / (n + 1)
    return (y**2).sum()


def few_trips(x, n):
    """A number of trips that data gives, and is small."""
    s, t = x[0], x * 1.0
    for k in range(n % 7):
        s = s * x[k % 4] + np.cos(s)
        t = t * s + x
    return s + (t * x).sum()


def few_trips_one_of_which_leaves(x, n):
    s = x[0]
    for k in range(n % 9):
        if s > 2.5:
            break
        s = s * 1.3 + x[k % 4] ** 2
    return s * x[1]


def in_few_trips(x, n):
    """A loop of any number of trips in one of few."""
    s = x[0]
    for k in range(n % 5):
        while s < 3.0 + k:
            s = s * 1.2 + x[k % 4] * 0.1
        s = s * x[1]
    return s


PROGRAMS = [
    triangular,
    few_trips,
    few_trips_one_of_which_leaves,
    in_few_trips,
    convolutions,
    until_settled,
    with_the_last_change,
    breaks,
    continues,
    returns_early,
    loop_else,
    writes_in_place,
    writes_through_views,
    slices_of_unknown_length,
    masks_in_a_loop,
    nested,
    cholesky_by_loops,
    flags_and_integers,
    newton,
    adaptive_runge_kutta,
    truncated_svd,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_reverse_mode(function):
    made = xlapy.grad(function)
    for n in (4, 0, 1, 3):
        expected = central_differences(lambda x, n=n: function(x, n), X)
        np.testing.assert_allclose(made(X, n), expected, rtol=2e-6, atol=1e-8)


#: programs that do with their argument what a `jax.Array`, which it is under JAX's own transformations, does not allow
NUMPY_ONLY = {triangular, writes_in_place, masks_in_a_loop, slices_of_unknown_length}


@pytest.mark.parametrize("function", [f for f in PROGRAMS if f not in NUMPY_ONLY], ids=lambda f: f.__name__)
def test_from_outside(function):
    """`jax.grad` of a compiled function, under `jax.jit`, where `n` is not known either."""
    with jax.enable_x64(True):
        made = jax.jit(jax.grad(xlapy.jit(function)))(X, 4)
    np.testing.assert_allclose(made, xlapy.grad(function)(X, 4), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    "function",
    [triangular, few_trips, in_few_trips, writes_in_place, newton, nested, until_settled, with_the_last_change],
    ids=lambda f: f.__name__,
)
def test_second_order(function):
    found = np.asarray(xlapy.hessian(function)(X, 3))
    gradient = xlapy.grad(function)
    rows = [central_differences(lambda x, i=i: float(gradient(x, 3)[i]), X, 1e-5) for i in range(4)]
    np.testing.assert_allclose(found, np.array(rows), rtol=1e-5, atol=1e-6)


def test_many_numbers_of_trips_at_once():
    xs = np.stack([X, X * 1.1, X * 0.9])
    ns = np.array([0, 9, 4])
    for function in (nested, few_trips, few_trips_one_of_which_leaves, in_few_trips):
        with jax.enable_x64(True):
            found = jax.vmap(jax.grad(xlapy.jit(function)))(xs, ns)
        expected = [xlapy.grad(function)(x, int(n)) for x, n in zip(xs, ns, strict=True)]
        np.testing.assert_allclose(found, np.array(expected), rtol=1e-10)


def test_few_trips_with_large_states():
    """What all trips leave behind is too much to keep, or what one of them does."""

    def grow(x, n, size):
        y = np.ones(size) * x[0]
        for k in range(n % 9):
            y = np.sin(y) * x[k % 4] + y
        return (y**2).mean()

    for size in (10, 3000, 200_000):
        found = xlapy.grad(grow)(X, 8, size)
        expected = central_differences(lambda x, size=size: grow(x, 8, size), X)
        np.testing.assert_allclose(found, expected, rtol=2e-6, atol=1e-8)


def test_what_only_ends_the_loop_takes_no_room():
    def size(function):
        x = np.linspace(0.5, 1.0, 1000)
        with jax.enable_x64(True):
            program = jax.jit(jax.grad(xlapy.jit(function))).lower(x, 3).compile()
        return program.memory_analysis().temp_size_in_bytes

    assert size(until_settled) < size(with_the_last_change)


def test_inside_of_a_compiled_loop():
    """Descent whose loss is a loop, in a loop that stays a loop."""

    def descend(x, n, steps):
        for _ in range(steps):
            x = x - 0.01 * xlapy.grad(writes_in_place)(x, n)
        return x

    expected = X
    for _ in range(5):
        expected = expected - 0.01 * np.asarray(xlapy.grad(writes_in_place)(expected, 7))
    np.testing.assert_allclose(xlapy.jit(descend)(X, 7, 5), expected, rtol=1e-10)


def decay(x, n):
    s = 0.0
    for i in range(n):
        s = 0.999 * s + x[0] * 0.001 * np.cos(x[1] * s)
    return s


def test_a_million_trips_in_little_memory():
    with jax.enable_x64(True):
        program = jax.jit(lambda x, n: jax.grad(xlapy.jit(decay))(x, n)).lower(X, 10).compile()
        assert program.memory_analysis().temp_size_in_bytes < 2**20
        found = program(X, 1_000_000)
    # The end is the fixed point s = x0 cos(x1 s), whatever the start.
    s = 0.0
    for _ in range(1000):
        s = X[0] * np.cos(X[1] * s)
    slope = 1 + X[0] * X[1] * np.sin(X[1] * s)
    np.testing.assert_allclose(found, [np.cos(X[1] * s) / slope, -X[0] * s * np.sin(X[1] * s) / slope, 0, 0], rtol=1e-6)


def test_errors_in_a_loop_are_raised():
    def beyond(x, n):
        s = 0.0
        for i in range(n):
            s += x[i] ** 2
        return s

    np.testing.assert_allclose(xlapy.grad(beyond)(X, 3), [2.2, 1.0, 3.8, 0.0])
    with pytest.raises(IndexError, match="index 4 is out of bounds for axis 0 with size 4"):
        xlapy.grad(beyond)(X, 5)


def cumulative(x):
    y = x.copy()
    s = 0.0
    for i in range(1, x.shape[0]):
        y[i] = np.sin(y[i - 1]) * x[i] + 0.1 * y[i]
        s += y[i] * x[-i]
        if y[i] > 0.5:
            y[i] *= 0.5
    return s + (y**2).sum()


def test_known_number_of_trips_over_the_elements_of_a_large_array():
    x = np.linspace(0.1, 1.0, 300)
    gradient = xlapy.grad(cumulative)
    direction = np.cos(np.arange(300.0))
    step = 1e-6
    expected = (cumulative(x + step * direction) - cumulative(x - step * direction)) / (2 * step)
    np.testing.assert_allclose(np.asarray(gradient(x)) @ direction, expected, rtol=1e-6)
    curvature = xlapy.jvp(gradient, (x,), (direction,))[1]
    up, down = gradient(x + step * direction), gradient(x - step * direction)
    np.testing.assert_allclose(curvature, (np.asarray(up) - np.asarray(down)) / (2 * step), rtol=1e-4, atol=1e-6)


def drift(x):
    s = 0.0
    v = x * 1.0
    for _ in range(100_000):
        v = v + 1e-5 * np.sin(v) * x
        s = s + v[0]
    return s * 1e-5


def drift_in_rows(x):
    v = x * 1.0
    for _ in range(500):
        for _ in range(200):
            v = v + 1e-5 * np.sin(v) * x
    return v.sum()


@pytest.mark.parametrize("function", [drift, drift_in_rows])
def test_a_hundred_thousand_known_trips_in_little_memory(function):
    x = np.linspace(0.5, 1.5, 50)
    with jax.enable_x64(True):
        program = jax.jit(jax.grad(xlapy.jit(function))).lower(x).compile()
        assert program.memory_analysis().temp_size_in_bytes < 2**22
        found = program(x)
    direction = np.cos(np.arange(50.0))
    run = xlapy.jit(function)
    expected = (float(run(x + 1e-6 * direction)) - float(run(x - 1e-6 * direction))) / 2e-6
    np.testing.assert_allclose(np.asarray(found) @ direction, expected, rtol=1e-6)
