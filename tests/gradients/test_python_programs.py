"""Gradients of Python programs: loops on data, containers, exceptions, objects. Each against central differences."""

import collections
import contextlib
import dataclasses
import functools
import itertools
import math

import numpy as np
import pytest
import scipy.linalg as sl
import scipy.special as sp

import xlapy

from .test_gradients import central_differences

X = np.array([1.1, 0.5, 1.9, 0.8])


def while_mask(x):
    y = x.copy()
    n = 0
    while y.max() > 0.3 and n < 20:
        y[y > 0.3] *= 0.7
        n += 1
    return (y**2).sum()


def break_dyn(x):
    s = 0.0
    i = 0
    while True:
        s += x[i % 4] ** 2
        i += 1
        if s > 5:
            break
    return s * i


def continue_dyn(x):
    s = 0.0
    i = 0
    while s < 6:
        i += 1
        if x[i % 4] < 0.6:
            continue
        s = s + x[i % 4] * i
    return s


def return_dyn(x):
    s = 1.0
    for i in range(100):
        s = s * x[i % 4] + 0.3
        if s > 4:
            return s**2
        if s < 0.01:
            return -s
    return s


def nested_dyn(x):
    s = 0.0
    i = 0
    while i * x[0] < 4:
        j = 0
        t = x[1]
        while t < 3:
            t = t * (1 + x[2] / 5) + 0.1
            j += 1
        s += t * j
        i += 1
    return s


def newton(x):
    y = 1.0
    while abs(y * y - x[0]) > 1e-13 * x[0]:
        y = 0.5 * (y + x[0] / y)
    return y * x[1]


def fixed_point(x):
    y = x * 0
    while True:
        z = np.tanh(0.3 * y + x)
        if np.linalg.norm(z - y) < 1e-12:
            break
        y = z
    return z.sum()


def for_else(x):
    s = 0.0
    for v in x:
        s += v**2
        if s > 1000.0:
            break
    else:
        s *= x[0]
    return s


def enumerate_zip(x):
    s = 0.0
    for i, (a, b) in enumerate(zip(x[:-1], x[1:])):
        s += i * a * b
    for a, b in zip(x, reversed(x)):
        s += a * b**2
    return s


def comp(x):
    return sum([v * i for i, v in enumerate(x) if v > 0.6]) + sum((v**2 for v in x))


def setcomp(x):
    d = {i: x[i] for i in range(4)}
    return sum((k * v**2 for k, v in d.items()))


def accumulate_reduce(x):
    return functools.reduce(lambda a, b: a * b + a, x) + sum(itertools.accumulate(x))


def starred(x):
    a, *b = x
    return a * sum(b)


def recursion(x):

    def h(v, n):
        return v if n == 0 else np.sin(h(v, n - 1)) * v

    return h(x[0], 4) + h(x[1], 2)


def mutual_recursion(x):

    def up(v, n):
        return v if v > 4 or n > 6 else down(v * 1.9, n + 1) + x[1]

    def down(v, n):
        below = up(v - x[0] * 0.3, n)
        return below * np.sin(v)

    return up(x[2], 0) + down(x[3], 0)


def gen(x):

    def g(x):
        s = 0.0
        for v in x:
            s = s + v
            yield (s * v)

    return sum(g(x))


def gen_send(x):

    def g():
        t = 0.0
        while True:
            v = yield t
            t = t * 0.5 + v**2

    c = g()
    next(c)
    s = 0.0
    for i in range(4):
        s += c.send(x[i])
    return s


def try_data(x):
    s = 0.0
    for v in x:
        try:
            if v > 1:
                raise ValueError("x")
            s += v**2
        except ValueError:
            s += 3 * v
    return s


def try_finally(x):
    s = x[0]
    try:
        if s > 1:
            s = s * x[1]
        else:
            raise KeyError
    except KeyError:
        s = s + 1
    finally:
        s = s * x[2]
    return s


def with_ctx(x):

    @contextlib.contextmanager
    def c(v):
        yield (v * 2)

    with c(x[0]) as y:
        s = y * x[1]
    with np.errstate(all="ignore"):
        s = s + x[2] ** 2
    return s


def of_match(x):
    match (x[0], 2):
        case [a, 2] if a > 1:
            return a**3
        case [a, b]:
            return a * b


def walrus(x):
    return (y := x.sum()) * y + (y if y > 1 else 0)


def lambda_default(x):
    fs = [lambda v, k=k: v**k for k in range(1, 4)]
    return sum((f(x[i]) for i, f in enumerate(fs)))


def of_partial(x):
    return functools.partial(np.multiply, x[0])(x).sum()


def float_path(x):
    return (
        float(x[0]) ** 2 * math.exp(x[1])
        + math.hypot(x[2], x[3])
        + math.atan2(x[0], x[1])
        + math.fsum([x[0], x[1]])
        + math.prod([x[0], x[3]])
        + math.dist([x[0], x[1]], [x[2], x[3]])
    )


def math_mod(x):
    return (
        math.fmod(x[0], 0.3) * 2
        + math.copysign(x[1], -1)
        + math.fabs(-x[2])
        + math.lgamma(x[0])
        + math.gamma(x[2])
        + math.erf(x[3])
        + math.log(x[0], 3)
        + math.pow(x[0], x[1])
        + math.degrees(x[0])
        + math.modf(x[2])[0] * x[0]
    )


def bool_mul(x):
    return ((x > 0.6) * x**2).sum() + (x > 0.6).sum() * x[0]


def of_complex(x):
    z = x[0] + 1j * x[1]
    w = z**2 * np.exp(1j * x[2])
    return w.real + abs(w) + np.angle(w) + w.imag * w.conjugate().real


def fft(x):
    return (np.abs(np.fft.fft(x)) ** 2 * np.arange(4)).sum() + np.fft.irfft(np.fft.rfft(x) * 2).sum()


def cplx_abs(x):
    return np.abs(np.fft.fft(x)).sum()


def cumul(x):
    return (
        np.cumprod(x).sum()
        + np.cumsum(x**2)[2]
        + np.diff(x).prod()
        + np.maximum.accumulate(x).sum()
        + np.multiply.reduce(x)
        + np.add.reduceat(x, [0, 2]).prod()
    )


def stats(x):
    return (
        np.var(x)
        + np.std(x, ddof=1)
        + np.average(x, weights=x)
        + np.cov(x, x[::-1])[0, 1]
        + np.corrcoef(x, x**2)[0, 1]
        + np.ptp(x)
    )


def interp(x):
    return np.interp(x, [0.0, 1, 2], [0.0, 1, 4]).sum() + np.interp(0.7, [0.0, 1, 2], x[:3]) + np.trapezoid(x, x**2)


def shapes(x):
    return (
        (np.roll(x, 1) * x).sum()
        + np.flip(x)[0]
        + np.tile(x, 2)[5] ** 2
        + np.repeat(x, 2)[3]
        + np.pad(x, 1, mode="edge").sum()
        + np.concatenate([x, x**2])[6]
        + np.vstack([x, x]).T[1].sum()
        + np.meshgrid(x, x)[0][1, 2]
        + np.tril(np.outer(x, x)).sum()
        + np.diag(np.outer(x, x)).sum()
        + np.trace(np.outer(x, x))
        + np.swapaxes(np.outer(x, [1.0, 2]), 0, 1)[1].sum()
        + np.cross(x[:3], x[1:]).sum()
        + np.convolve(x, x)[3]
        + np.correlate(x, x[:2])[1]
    )


def selects(x):
    return (
        np.select([x > 1, x > 0.6], [x**2, x**3], x).sum()
        + np.choose([0, 1, 0, 1], [x, x**2]).sum()
        + np.piecewise(x, [x > 1], [lambda v: v**2, lambda v: v]).sum()
        + np.take(x, [1, 1]).prod()
        + np.take_along_axis(x, np.argsort(x), 0)[1]
        + np.place.__name__.__len__()
    )


def put_place(x):
    y = x.copy()
    np.put(y, [0, 1], [x[2], x[3]])
    np.putmask(y, y > 1.5, x * 2)
    np.copyto(y, x**2, where=x < 0.6)
    np.fill_diagonal(np.zeros((2, 2)), 1.0)
    return (y**2).sum()


def nanfun(x):
    y = x.copy()
    y[1] = np.nan
    return np.nansum(y**2) + np.nanmean(y) + np.nanmax(y) + np.nanstd(y)


def of_searchsorted(x):
    return x[np.searchsorted(np.array([0.0, 1, 2]), x[0])] ** 2


def of_nditer(x):
    s = 0.0
    for i, v in np.ndenumerate(x):
        s += i[0] * v**2
    for i in np.ndindex(2, 2):
        s += x[i[0]] * x[i[1] + 2]
    return s


def gammainc_a(x):
    return sp.gammainc(x, 1.5).sum() + sp.gammaincc(x, 1.5).sum()


def scipylin(x):
    a = np.outer(x, x) + np.diag(x + 1)
    return (
        sl.solve(a, x).sum()
        + sl.det(a)
        + sl.inv(a).sum()
        + sl.cholesky(a, lower=True).sum()
        + sl.expm(a / 10).sum()
        + sl.solve_triangular(a, x, lower=True).sum()
    )


def attr_obj(x):

    class A:
        def __init__(s, v):
            s.v = v
            s.n = 0

        def step(s, k):
            s.v = s.v * k
            s.n += 1

        @property
        def q(s):
            return s.v**2

    a = A(x[0])
    for i in range(3):
        a.step(x[i])
    return a.q * a.n


def attr_obj_dyn(x):

    class A:
        def __init__(s, v):
            s.v = v
            s.n = 0

    a = A(x[0])
    while a.v < 20:
        a.v = a.v * (1 + x[1])
        a.n += 1
    return a.v * a.n


def opover(x):

    class V:
        def __init__(s, a, b):
            s.a, s.b = (a, b)

        def __add__(s, o):
            return V(s.a + o.a, s.b + o.b)

        def __mul__(s, k):
            return V(s.a * k, s.b * k)

        __rmul__ = __mul__

        def __abs__(s):
            return (s.a**2 + s.b**2) ** 0.5

    v = V(x[0], x[1])
    w = V(x[2], x[3])
    for i in range(3):
        v = v + 0.5 * w
    return abs(v)


def of_namedtuple(x):
    Pt = collections.namedtuple("Pt", "a b")
    q = Pt(x[0], x[1] * x[2])
    return q.a * q._replace(a=x[3]).a * q.b


def dc(x):

    @dataclasses.dataclass
    class D:
        a: float
        b: float = 2.0

    d = D(x[0])
    d.b *= x[1]
    e = dataclasses.replace(d, a=x[2])
    return d.a * d.b + e.a * e.b


def of_deque(x):
    d = collections.deque(maxlen=2)
    for v in x:
        d.append(v**2)
    return d[0] * d[1]


def matmul_dyn(x):
    a = np.outer(x, x) / 5
    v = x.copy()
    n = 0
    while np.abs(v).max() < 50 and n < 30:
        v = a @ v
        n += 1
    return v.sum()


def gauss_elim(x):
    a = np.outer(x, x) + np.diag(x + 1)
    b = x * 2
    n = 4
    for k in range(n):
        p_ = k + np.argmax(np.abs(a[k:, k]))
        a[[k, p_]] = a[[p_, k]]
        t = b[k]
        b[k] = b[p_]
        b[p_] = t
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    y = np.zeros(n)
    for i in range(n - 1, -1, -1):
        y[i] = (b[i] - a[i, i + 1 :] @ y[i + 1 :]) / a[i, i]
    return y.sum()


def dp(x):
    n = 6
    c = np.zeros((n, n))
    for i in range(1, n):
        for j in range(1, n):
            c[i, j] = min(c[i - 1, j], c[i, j - 1], c[i - 1, j - 1]) + abs(x[i % 4] - x[j % 4] * 0.7)
    return c[-1, -1]


def heat(x):
    u = x.copy()
    u = np.concatenate([u, u**2])
    for _ in range(50):
        u[1:-1] += 0.1 * (u[:-2] - 2 * u[1:-1] + u[2:])
    return (u**2).sum()


def swap(x):
    a, b = (x[:2].copy(), x[2:].copy())
    for i in range(5):
        a, b = (b * x[0], a + b)
    return (a * b).sum()


def bubble(x):
    y = x.copy()
    for i in range(4):
        for j in range(3 - i):
            if y[j] > y[j + 1]:
                y[j], y[j + 1] = (y[j + 1], y[j])
    return (y * np.arange(4)).sum()


def ifexp_arrays(x):
    y = x if x.sum() > 3 else x**2
    z = (x, x * 2) if x[0] > 1 else (x * 3, x)
    return y.sum() + (z[0] * z[1]).sum()


def andor(x):
    return (x[0] > 2 and x[1] or x[2]) * x[3]


def none_join(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best**2


def argbest(x):
    best = -np.inf
    k = -1
    for i in range(4):
        if x[i] > best:
            best = x[i]
            k = i
    return best * k


def logsumexp_hand(x):
    m = x.max()
    return m + np.log(np.exp(x - m).sum())


def softplus_if(x):
    return sum((np.log1p(np.exp(-abs(v))) + max(v, 0.0) for v in x))


def inplace_scalar(x):
    s = x[0]
    s += x[1]
    s *= s
    s /= x[2]
    s -= 1
    s **= 2
    return s


def einsum2(x):
    return (
        np.einsum("i,j->", x, x**2)
        + np.tensordot(np.outer(x, x), np.outer(x, x))
        + np.inner(x, x)
        + np.vdot(x, x)
        + np.dot(x, np.outer(x, x)).sum()
    )


def of_gradient(x):
    return (np.gradient(x) ** 2).sum() + np.ediff1d(x).prod() + np.apply_over_axes(np.sum, np.outer(x, x), [0]).sum()


PROGRAMS = [
    while_mask,
    break_dyn,
    continue_dyn,
    return_dyn,
    nested_dyn,
    newton,
    fixed_point,
    for_else,
    enumerate_zip,
    comp,
    setcomp,
    accumulate_reduce,
    starred,
    recursion,
    mutual_recursion,
    gen,
    gen_send,
    try_data,
    try_finally,
    with_ctx,
    of_match,
    walrus,
    lambda_default,
    of_partial,
    float_path,
    math_mod,
    bool_mul,
    of_complex,
    fft,
    cplx_abs,
    cumul,
    stats,
    interp,
    shapes,
    selects,
    put_place,
    nanfun,
    of_searchsorted,
    of_nditer,
    gammainc_a,
    scipylin,
    attr_obj,
    attr_obj_dyn,
    opover,
    of_namedtuple,
    dc,
    of_deque,
    matmul_dyn,
    gauss_elim,
    dp,
    heat,
    swap,
    bubble,
    ifexp_arrays,
    andor,
    none_join,
    argbest,
    logsumexp_hand,
    softplus_if,
    inplace_scalar,
    einsum2,
    of_gradient,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_program(function):
    value, gradient = xlapy.value_and_grad(function)(X.copy())
    np.testing.assert_allclose(value, function(X.copy()), rtol=1e-10)
    expected = central_differences(lambda x: float(function(x)), X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)
