"""Gradients of programs on arrays: masks, views, sorting, linear algebra. Each against central differences."""

import numpy as np
import pytest

import xlapy

from .test_gradients import central_differences

X = np.array([1.1, 0.5, 1.9, 0.8])


def mask_read(x):
    return (x[x > 0.9] ** 2).sum()


def mask_write(x):
    y = x.copy()
    y[y > 0.9] = 0.0
    return (y**2).sum()


def mask_assign_bounded(x):
    y = np.zeros(4)
    m = x > 0.9
    y[m] = np.sqrt(x[m])
    return (y * x).sum()


def nonzero_idx(x):
    i = np.nonzero(x > 0.9)[0]
    return (x[i] * np.arange(len(i))).sum()


def where1(x):
    (i,) = np.where(x > 0.6)
    return x[i].prod()


def compress(x):
    return np.compress(x > 0.6, x).std()


def mask_mean_std_var(x):
    y = x[x > 0.6]
    return y.mean() + y.std() * y.var()


def mask_sort(x):
    y = np.sort(x[x > 0.6])
    return y[0] * 2 + y[-1] * 3


def mask_median(x):
    return np.median(x[x > 0.6])


def mask_max(x):
    return x[x > 0.6].max() * x[x < 1.0].min()


def mask_cumsum(x):
    return np.cumsum(x[x > 0.6])[-1] ** 2


def mask_dot(x):
    y = x[x > 0.6]
    return y @ y


def mask_list(x):
    out = []
    for v in x:
        if v > 0.6:
            out.append(v * v)
    return sum(out)


def list_accum(x):
    out = []
    for i in range(4):
        out.append(np.sin(x[i]) * i)
    return np.array(out).sum() * np.stack(out)[1]


def list_while(x):
    out = []
    s = 0.0
    i = 0
    while s < 3.0:
        s = s + x[i % 4]
        out.append(s**2)
        i += 1
    return np.sum(np.array(out))


def list_pop(x):
    st = [x[0], x[1] * 2]
    st.append(x[2])
    a = st.pop()
    b = st.pop(0)
    return a * b + sum(st)


def stack_loop(x):
    st = [x[0]]
    s = 0.0
    n = 0
    while len(st) > 0 and n < 10:
        v = st.pop()
        s += v**2
        n += 1
        if v < 3.0:
            st.append(v * 1.7)
    return s


def dict_state(x):
    d = {"a": x[0], "b": x[1]}
    for i in range(3):
        d["a"] = d["a"] * d["b"] + x[i]
    return d["a"]


def dict_dyn(x):
    d = {}
    for i in range(4):
        d[i] = x[i] ** 2
    return sum(d.values())


def views(x):
    a = np.outer(x, x)
    b = a.T
    b[0] *= 2
    a[1:, 1:] += b[:-1, :-1]
    return a.sum() + a.diagonal().prod()


def overlap(x):
    y = x.copy()
    y[1:] += y[:-1]
    y[::2] *= y[1::2]
    return (y**2).sum()


def reshape_view(x):
    a = np.zeros(4)
    v = a.reshape(2, 2)
    v[:] = x.reshape(2, 2)
    v[0, :] *= v[1, :]
    return a.sum() ** 2


def out_kw(x):
    y = np.empty_like(x)
    np.multiply(x, x, out=y)
    np.exp(y, out=y, where=x > 0.9)
    return y.sum()


def add_at(x):
    y = np.zeros(3)
    np.add.at(y, np.array([0, 1, 1, 2]), x)
    return (y**3).sum()


def multiply_at(x):
    y = np.outer(x, x)
    np.multiply.at(y, ([0, 0, 1], slice(1, 3)), np.array([[1.0], [0.0], [3.0]]) + x[:2])
    z = np.ones(3)
    np.multiply.at(z, [0, 2, 2], np.array([2.0, 3.0, 1.0]) * (x[:3] - x[0]))
    return (y**2).sum() + z @ x[1:]


def multiply_at_masked(x):
    y = np.ones(4) * x[0]
    m = x > 0.6
    np.multiply.at(y, (x[m] * 2).astype(int) % 3, x[m])
    return (y**2).sum()


def fancy(x):
    i = np.array([0, 0, 3])
    return (x[i] ** 2 * np.arange(3)).sum()


def fancy_write_dup(x):
    y = np.zeros(4)
    y[np.array([1, 2])] = x[:2]
    y[[1]] += x[3]
    return (y**2).sum()


def argsort_gather(x):
    i = np.argsort(x)
    return (x[i] * np.arange(4)).sum()


def of_sort(x):
    return (np.sort(x) * np.arange(4)).sum()


def argmax_idx(x):
    return x[np.argmax(x)] ** 2 * x[x.argmin()]


def of_median(x):
    return np.median(x) ** 2


def of_percentile(x):
    return np.percentile(x, 30) + np.quantile(x, 0.9)


def py_minmax(x):
    return max(x) * min(x[0], x[1], x[2])


def py_max_key(x):
    return max(x[0], x[1], x[2], key=lambda v: -v) ** 2


def of_sorted(x):
    a = sorted([x[0], x[1], x[2]])
    return a[0] * a[1] ** 2 * a[2] ** 3


def solve(x):
    a = np.outer(x, x) + np.diag(x + 1)
    return np.linalg.solve(a, x * 2).sum()


def solve_mat(x):
    a = np.outer(x, x) + np.diag(x + 1)
    return np.linalg.solve(a, np.outer(x, [1.0, 2.0])).sum()


def inv(x):
    a = np.outer(x, x) + np.diag(x + 1)
    return (np.linalg.inv(a) ** 2).sum()


def chol(x):
    a = np.outer(x, x) + np.diag(x + 1)
    return (np.linalg.cholesky(a) * np.arange(16).reshape(4, 4)).sum()


def eigh(x):
    a = np.outer(x, x) + np.diag(x + 1)
    w, v = np.linalg.eigh(a)
    return (w * np.arange(4)).sum() + (v[:, 0] ** 2 * np.arange(4)).sum()


def eigvalsh(x):
    return (np.linalg.eigvalsh(np.outer(x, x) + np.diag(x)) * np.arange(4)).sum()


def svd(x):
    a = np.outer(x, x) + np.diag(x + 1)
    u, s, vt = np.linalg.svd(a[:, :3], full_matrices=False)
    return (s * np.arange(3)).sum() + (np.abs(u[:, 0]) * np.arange(4)).sum()


def null_space(x):
    a = np.outer(x, x) + np.diag(x + 1)
    n = np.linalg.svd(a[:3])[2][3]
    u, s, vt = np.linalg.svd(a[:, :2])
    p = u[:, 2:] @ u[:, 2:].T
    return (n @ x) ** 2 + s.sum() + p[0, 1] * x[0] + (p @ x) @ x + vt[0, 0] ** 2


def qr(x):
    a = np.outer(x, x) + np.diag(x + 1)
    q, r = np.linalg.qr(a)
    return np.abs(r).sum() + (np.abs(q) * np.arange(16).reshape(4, 4)).sum()


def det(x):
    return np.linalg.det(np.outer(x, x) + np.diag(x + 1))


def slogdet(x):
    s, l = np.linalg.slogdet(np.outer(x, x) + np.diag(x + 1))
    return s * l


def lstsq(x):
    a = np.stack([np.ones(4), x, x**2], 1)
    return np.linalg.lstsq(a, np.arange(4.0) * x, rcond=None)[0][1]


def pinv(x):
    a = np.stack([np.ones(4), x, x**2], 1)
    return (np.linalg.pinv(a) ** 2).sum()


def matrix_power(x):
    return np.linalg.matrix_power(np.outer(x, x), 3).trace()


def norms(x):
    a = np.outer(x, x) + np.diag(x)
    return (
        np.linalg.norm(x)
        + np.linalg.norm(a)
        + np.linalg.norm(x, 1)
        + np.linalg.norm(x, np.inf)
        + np.linalg.norm(a, 2)
        + np.linalg.norm(x, 3)
    )


def norm_axis(x):
    return np.linalg.norm(np.outer(x, x), axis=1).sum()


def of_cond(x):
    return np.linalg.cond(np.outer(x, x) + np.diag(x + 1))


def multi_dot(x):
    return np.linalg.multi_dot([x, np.outer(x, x), x])


def kron_einsum(x):
    return np.einsum("ij,jk,i->k", np.outer(x, x), np.diag(x), x).sum() + np.kron(x, x).sum()


def of_clip(x):
    return (np.clip(x, 0.7, 1.5) ** 2).sum()


def of_mod(x):
    return (x % 0.7).sum() + np.fmod(x, 0.3).sum() + (x // 0.7).sum() * x[0]


def of_divmod(x):
    q, r = divmod(x[0], 0.3)
    return q * x[1] + r


def of_modf(x):
    f, i = np.modf(x)
    return (f * i).sum()


def logs(x):
    return (
        np.log1p(x).sum()
        + np.expm1(x).sum()
        + np.log2(x).sum()
        + np.log10(x).sum()
        + np.logaddexp(x, 1.0).sum()
        + np.exp2(x).sum()
        + np.cbrt(x).sum()
        + np.sinc(x).sum()
    )


def unary_and_power_at(x):
    y = x.copy()
    np.negative.at(y, [0, 0, 3])
    np.power.at(y, [1, 1, 2], x[2])
    return (y**3).sum()


def convolutions_of_selections(x):
    m = x > 0.7
    return np.convolve(x[m], x[:2]).sum() + np.convolve(x[m], x[x < 1.5])[1] ** 2


PROGRAMS = [
    unary_and_power_at,
    convolutions_of_selections,
    mask_read,
    mask_write,
    mask_assign_bounded,
    nonzero_idx,
    where1,
    compress,
    mask_mean_std_var,
    mask_sort,
    mask_median,
    mask_max,
    mask_cumsum,
    mask_dot,
    mask_list,
    list_accum,
    list_while,
    list_pop,
    stack_loop,
    dict_state,
    dict_dyn,
    views,
    overlap,
    reshape_view,
    out_kw,
    add_at,
    multiply_at,
    multiply_at_masked,
    fancy,
    fancy_write_dup,
    argsort_gather,
    of_sort,
    argmax_idx,
    of_median,
    of_percentile,
    py_minmax,
    py_max_key,
    of_sorted,
    solve,
    solve_mat,
    inv,
    chol,
    eigh,
    eigvalsh,
    svd,
    null_space,
    qr,
    det,
    slogdet,
    lstsq,
    pinv,
    matrix_power,
    norms,
    norm_axis,
    of_cond,
    multi_dot,
    kron_einsum,
    of_clip,
    of_mod,
    of_divmod,
    of_modf,
    logs,
]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_program(function):
    value, gradient = xlapy.value_and_grad(function)(X.copy())
    np.testing.assert_allclose(value, function(X.copy()), rtol=1e-10)
    expected = central_differences(lambda x: float(function(x)), X)
    np.testing.assert_allclose(gradient, expected, rtol=1e-5, atol=1e-7)
