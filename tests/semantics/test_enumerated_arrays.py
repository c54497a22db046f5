"""np.ndenumerate and np.ndindex: loops that stay loops, and see what is written on the way."""

import numpy as np

from .runner import Programs

program = Programs()
A = np.arange(12.0).reshape(3, 4)
BIG = np.sin(np.arange(900.0)).reshape(30, 30)


@program((A,), (A.T.copy(),), (A[:, ::2].copy(),))
def writes_while_enumerating(a):
    for (i, j), v in np.ndenumerate(a):
        a[i, j] = v * 2
        if j + 1 < a.shape[1]:
            a[i, j + 1] += v
    return a


@program((A,), (A[0],), (A[0, 0],))
def collects(a):
    return [(i, v) for i, v in np.ndenumerate(a)]


@program((BIG, 3), (BIG[:9, :7].copy(), 5))
def median_window(img, k):
    p = np.pad(img, k // 2, mode="edge")
    out = np.empty_like(img)
    for (i, j), _ in np.ndenumerate(img):
        out[i, j] = np.median(p[i : i + k, j : j + k])
    return out


@program((A,), (A[::-1, ::2],))
def on_a_view(a):
    s = 0.0
    for idx, v in np.ndenumerate(a.T):
        s += v * idx[0] - idx[1]
        a[0, 0] += 1
    return s


@program((A,))
def transposed_writes(a):
    t = a.T
    for (i, j), v in np.ndenumerate(t):
        if i + 1 < t.shape[0]:
            t[i + 1, j] += v
    return t


@program((A,))
def find_first(a):
    for idx, v in np.ndenumerate(a):
        if v > 4.5:
            return idx, v
    return None


@program((A,))
def by_next(a):
    it = np.ndenumerate(a)
    first = next(it)
    second = next(it)
    return first, second, sum(v for _, v in it)


@program((BIG,), (A,))
def every_index(a):
    out = np.zeros_like(a)
    for i, j in np.ndindex(*a.shape):
        out[i, j] = a[i, j - 1] * 2
    for idx in np.ndindex(a.shape):
        out[idx] -= a[idx[0], 0]
    return out, list(np.ndindex(2, 2)), list(np.ndindex()), next(np.ndindex(3))


test_programs = program.test()
