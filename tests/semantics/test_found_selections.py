"""What is done with arrays whose length depends on data, as it is found in programs."""

import warnings

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(1)
X, Y, M = RNG.normal(size=60), RNG.normal(size=60), RNG.normal(size=(40, 3))
I, J = RNG.integers(0, 6, 60), RNG.integers(0, 9, 60)
IMG = (RNG.random((12, 14)) * 255).astype(np.uint8)


@program((X, 0.3), (Y, -0.5), (Y, 9.0))
def of_their_types(x, t):
    y = x[x > t]
    half = y.astype(np.float32)
    return (
        [str(np.result_type(*v)) for v in ((y, half), (half, 1.0), (half, 1j), (y, np.int64), (half, np.float64(1)))],
        [np.can_cast(y.dtype, "f4"), np.can_cast(half, "f4") if np.__version__ < "2" else 0],
        [f(y) for f in (np.iscomplexobj, np.isrealobj, np.isscalar, np.iterable)],
        np.iscomplexobj(y + 1j),
        np.min_scalar_type(half).name,
        np.common_type(half, y).__name__,
    )


@program((np.array([0.0, 0.0, 3.0]), X[:4]), (np.array([1.0, -0.5, 0.2]), X[:2]), (np.zeros(3), X[:3]))
def trimmed_and_padded(a, b):
    while a.shape[0] > 1 and a[0] == 0.0:
        a = a[1:]
    n = max(a.shape[0], b.shape[0])
    if a.shape[0] < n:
        a = np.concatenate((a, np.zeros(n - a.shape[0], dtype=a.dtype)))
    elif b.shape[0] < n:
        b = np.concatenate((b, np.zeros(n - b.shape[0], dtype=b.dtype)))
    return a, b, np.hstack([a, b, a[:1]])


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def transform(x, t):
    y = x[x > t]
    F = np.fft.fft(y)
    return np.abs(F)


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def real_transform(x, t):
    y = x[x > t]
    return (np.fft.rfft(y), np.fft.rfftfreq(len(y)))


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def filtered(x, t):
    y = x[x > t]
    F = np.fft.fft(y)
    F[2:] = 0
    return np.fft.ifft(F).real


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def there_and_back(x, t):
    y = x[x > t]
    return (np.fft.ifft(np.fft.fft(y)), np.fft.irfft(np.fft.rfft(y)))


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def norms_and_points(x, t):
    y = x[x > t]
    return (
        np.fft.fft(y, norm="ortho"),
        np.fft.ifft(y, norm="forward"),
        np.fft.rfft(y, norm="forward"),
        np.fft.fft(y, 8),
        np.fft.rfft(y, 64),
    )


@program((I, 2), (J, 3))
def power_of_integers(i, t):
    y = i[i > t]
    return np.abs(np.fft.rfft(y)) ** 2


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def transforms_of_rows(m, t):
    y = m[m[:, 0] > t]
    return (np.fft.fft(y), np.fft.fft(y, axis=0), np.fft.rfft(y, axis=0))


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def shifted(x, t):
    y = x[x > t]
    return (np.fft.fftshift(np.fft.fft(y)), np.fft.fftshift(np.fft.fftfreq(len(y), 0.1)), np.fft.ifftshift(y))


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def periodogram(x, t):
    y = x[x > t]
    y = y - y.mean()
    F = np.fft.rfft(y * np.hanning(len(y)))
    p = np.abs(F) ** 2
    f = np.fft.rfftfreq(len(y), d=0.5)
    return (f[np.argmax(p)], p.sum(), len(f))


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def low_pass(x, t):
    y = x[x > t]
    F = np.fft.fft(y)
    fr = np.fft.fftfreq(y.size)
    F[np.abs(fr) > 0.2] = 0
    return np.fft.ifft(F).real


@program((X, 0.3), (X, 99.0), raises=ValueError)
def transform_of_nothing(x, t):
    return np.fft.fft(x[x > t])


@program((X, 0.3), (Y, -0.5), (Y, 1.0), (X, 99.0))
def windows(x, t):
    n = len(x[x > t])
    return (np.bartlett(n), np.blackman(n), np.hamming(n), np.hanning(n))


@program(X, X[:7])
def frequencies(x):
    return (np.fft.fftfreq(len(x)), np.fft.rfftfreq(x.size, 2))


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def vectorized(x, t):
    y = x[x > t]
    f = np.vectorize(lambda v: v * 2 if v > 1 else v - 1)
    return f(y)


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def vectorized_to_integers(x, t):
    y = x[x > t]
    f = np.vectorize(lambda v: int(v * 10) if v > 0 else -1)
    return f(y)


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def in_one_dimension(m, t):
    y = m[m[:, 0] > t]
    return (y.ravel(), y.flatten(), y.reshape(-1), np.ravel(y))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def a_view_in_one_dimension(m, t):
    y = m[m[:, 0] > t]
    z = y.ravel()
    z[0] = 99.0
    w = y[1:].ravel()
    w[-1] = 3
    return (y, z, w)


@program((M, 3), (M, 7))
def a_slice_in_one_dimension(m, k):
    y = m[k:]
    z = y.reshape(-1)
    z *= 2
    return (z.sum(), m[1:k].ravel())


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def grown_in_pairs(x, t):
    o = np.array([], dtype=int)
    for i in range(len(x)):
        if x[i] > t:
            o = np.append(o, [i, i + 1])
    return o.reshape(-1, 2)


@program((X, 0.3), (Y, -0.5), (Y, 1.0), (X, -9.0), raises=ValueError)
def grown_into_rows(x, t):
    o = np.array([])
    for i in range(len(x)):
        if x[i] > t:
            o = np.append(o, x[i])
    return o.reshape(-1, 3)


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def column_inserted(m, t):
    return np.insert(m[m[:, 0] > t], 0, 5.0, axis=1)


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def row_inserted(m, t):
    return np.insert(m[m[:, 0] > t], 0, [1.0, 2, 3], axis=0)


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def columns_inserted(m, t):
    return (np.insert(m[m[:, 0] > t], 1, 5, axis=1), np.insert(m[m[:, 0] > t], [0, 2], 5.0, axis=1))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def rows_inserted(m, t):
    return (np.insert(m[m[:, 0] > t], 1, 7.0, axis=0), np.insert(m[m[:, 0] > t], -1, m[0], axis=0))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def padded(m, t):
    return np.pad(m[m[:, 0] > t], ((0, 1), (1, 1)))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def padded_all_around(m, t):
    return (np.pad(m[m[:, 0] > t], 1, constant_values=-1.0), np.pad(m[m[:, 0] > t], ((2, 0), (0, 0))))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def tiled(m, t):
    return (np.tile(m[m[:, 0] > t], (1, 2)), np.tile(m[m[:, 0] > t], (2, 1)))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def repeated(m, t):
    return (np.repeat(m[m[:, 0] > t], 2, axis=0), np.repeat(m[m[:, 0] > t], 2, axis=1))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def stacked(m, t):
    y = m[m[:, 0] > t]
    return (np.stack([y, y * 2]), np.stack([y[:, 0], y[:, 1]], axis=1), np.stack([y, y + 1], axis=2), np.dstack([y, y]))


@program((M, 0.3), (-M, 0.1), (M, 1.0), raises=ValueError)
def stacked_of_two_lengths(m, t):
    return np.stack([m[m[:, 0] > t], m[m[:, 1] > t]])


@program(M, -M)
def counted_in_a_grid(m):
    h, e = np.histogramdd(m, bins=(4, 5, 3))
    return (h, e)


@program(M, -M)
def weighted_in_a_grid(m):
    return np.histogramdd(m, bins=[np.array([-3, -1, 0, 1.5, 3]), 3, 2], weights=m[:, 0] ** 2, density=True)


@program(M, -M)
def counted_by_columns(m):
    return np.histogramdd((m[:, 0], m[:, 1]), bins=4)


@program(M, raises=ValueError)
def wrong_number_of_bins(m):
    return np.histogramdd(m, bins=(4, 5))


@program((M, 0.3), (-M, 0.1), (M, 1.0), (M, 99.0))
def selected_in_a_grid(m, t):
    h, e = np.histogramdd(m[m[:, 0] > t], bins=4, range=[(-3, 3)] * 3)
    return h


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def selected_in_two_dimensions(m, t):
    y = m[m[:, 0] > t]
    h, a, b = np.histogram2d(y[:, 0], y[:, 1], bins=5, range=[[-3, 3], [-3, 3]])
    return (h, a, b)


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def selected_with_weights(m, t):
    y = m[m[:, 0] > t]
    return np.histogram2d(y[:, 0], y[:, 1], bins=(4, [-1, 0, 2]), weights=y[:, 2], density=True)[0]


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def selected_between_their_ends(m, t):
    y = m[m[:, 0] > t]
    return np.histogram2d(y[:, 0], y[:, 1], bins=3)


@program(
    (np.array([1.0, 5, 6, 3]), np.array([1.0, 2])),
    (np.array([2.0, 5, 6, 3]), np.array([3, 2.0])),
    (np.array([1.0, 2, 1]), np.array([1.0, 1])),
)
def divided_polynomials(a, b):
    return np.polydiv(a, b)


@program((X, 3), (X, -1), (X, 60), (X, -61), raises=IndexError)
def deleted_at(x, k):
    return np.delete(x, k)


@program((M, 3), (M, -1), (M, 40), raises=IndexError)
def row_deleted_at(m, k):
    return np.delete(m, k, axis=0)


@program((M, 1), (M, -1), (M, 3), raises=IndexError)
def column_deleted_at(m, k):
    return np.delete(m, k, axis=1)


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def deleted_where(x, t):
    return np.delete(x, np.where(x > t)[0])


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def smallest_deleted(x, t):
    return np.delete(x, np.argsort(x)[:5])


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def deleted_of_selected(x, t):
    y = x[x > t]
    return np.delete(y, np.flatnonzero(y > 1))


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def rows_deleted(m, t):
    return np.delete(m, np.flatnonzero(m[:, 0] > t), axis=0)


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def stored_at_found(x, t):
    y = x[x > t]
    i = np.flatnonzero(y > 1)
    y[i] = 0
    y[np.flatnonzero(y < 0.5)] = np.arange(np.sum(y < 0.5))
    return y


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def stored_at_smallest(x, t):
    y = x[x > t]
    y[np.argsort(y)[:3]] = 7
    return y


@program((M, 0.3), (-M, 0.1), (M, 1.0))
def stored_in_found_rows(m, t):
    y = m[m[:, 0] > t]
    y[np.flatnonzero(y[:, 1] > 0)] = 5
    return y


@program((X, 0.3), (Y, -0.5), (Y, 1.0))
def ranked(x, t):
    n = int((x > t).sum())
    y = np.zeros(n)
    y[np.argsort(x[x > t])] = np.arange(n)
    return y


@program((X, 3, 1.0), (X, -1, 2.0), (X, 60, 2.0), (X, 61, 1.0), (X, 3, [1, 2.0]), (I, -2, 2.7), raises=IndexError)
def inserted_at(x, k, v):
    return np.insert(x, k, v)


@program((M, 3, 1.0), (M, -1, M[0]), (M, 40, M[:3]), (M, 41, M[:3]), raises=IndexError)
def row_inserted_at(m, k, v):
    return np.insert(m, k, v, axis=0)


@program((M, 1, 1.0), (M, -1, M[:, 0]), (M, 4, 0.0), raises=IndexError)
def column_inserted_at(m, k, v):
    return np.insert(m, k, v, axis=1)


@program((M, 3, 1.0), (M, -1, M[0]), (M, 120, M[:3]), raises=ValueError)
def inserted_flat(m, k, v):
    return np.insert(m, k, v)


@program(I, J % 6)
def run_lengths(i):
    ch = np.flatnonzero(np.diff(i) != 0) + 1
    st = np.concatenate(([0], ch))
    ln = np.diff(np.append(st, len(i)))
    return (i[st], st, ln)


@program(I, J % 6)
def run_lengths_by_r_(i):
    pos = np.r_[True, i[1:] != i[:-1]]
    idx = np.nonzero(pos)[0]
    return (i[idx], np.diff(np.r_[idx, i.size]))


@program((X, 0.0), (Y, 1.0))
def peaks_above(x, h):
    p = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])) + 1
    p = p[x[p] > h]
    return (p, x[p])


@program((X, 4), (Y, 8))
def peaks_apart(x, d):
    p = np.flatnonzero((x[1:-1] > x[:-2]) & (x[1:-1] > x[2:])) + 1
    o = np.argsort(x[p])[::-1]
    keep = np.ones(len(p), bool)
    for k in o:
        if keep[k]:
            near = np.abs(p - p[k]) < d
            near[k] = False
            keep[near] = False
    return p[keep]


@program((I, X), (J, Y))
def means_of_groups(i, x):
    o = np.argsort(i, kind="stable")
    g = np.split(x[o], np.flatnonzero(np.diff(i[o])) + 1)
    return [v.mean() for v in g]


@program((M, 5, 4), (-M, 5, 4))
def clusters(x, k, n):
    c = x[:k].copy()
    for _ in range(n):
        d = ((x[:, None, :] - c[None]) ** 2).sum(2)
        l = d.argmin(1)
        for j in range(k):
            if np.any(l == j):
                c[j] = x[l == j].mean(axis=0)
    return (c, l)


@program((M, 5), (-M, 5))
def clusters_until_settled(x, k):
    c = x[:k].copy()
    while True:
        l = np.argmin(np.linalg.norm(x[:, None] - c, axis=2), axis=1)
        n = np.array([x[l == j].mean(0) if (l == j).sum() > 0 else c[j] for j in range(k)])
        if np.allclose(n, c):
            break
        c = n
    return (c, l)


@program((M, 0.7, 3), (-M * 0.7, 0.5, 4))
def density_clusters(x, eps, mp):
    n = len(x)
    lab = np.full(n, -1)
    cl = 0
    for i in range(n):
        if lab[i] != -1:
            continue
        nb = np.where(np.linalg.norm(x - x[i], axis=1) < eps)[0]
        if len(nb) < mp:
            continue
        lab[i] = cl
        seeds = list(nb)
        while seeds:
            j = seeds.pop()
            if lab[j] == -1:
                lab[j] = cl
                nj = np.where(np.linalg.norm(x - x[j], axis=1) < eps)[0]
                if len(nj) >= mp:
                    seeds.extend(nj)
        cl += 1
    return lab


@program((M, 0.7, 3), (-M * 0.7, 0.5, 4))
def density_clusters_by_arrays(x, eps, mp):
    n = len(x)
    lab = np.full(n, -1)
    cl = 0
    for i in range(n):
        if lab[i] != -1:
            continue
        nb = np.flatnonzero(((x - x[i]) ** 2).sum(1) < eps**2)
        if nb.size < mp:
            continue
        lab[i] = cl
        queue = nb
        while queue.size > 0:
            j = queue[0]
            queue = queue[1:]
            if lab[j] == -1:
                lab[j] = cl
                nj = np.flatnonzero(((x - x[j]) ** 2).sum(1) < eps**2)
                if nj.size >= mp:
                    queue = np.concatenate((queue, nj))
        cl += 1
    return lab


@program(np.where(M > 0, M, 0), np.where(M < 0.5, M, 0))
def to_sparse(m):
    data = []
    idx = []
    ptr = [0]
    for row in m:
        nz = np.nonzero(row)[0]
        data.extend(row[nz])
        idx.extend(nz)
        ptr.append(len(data))
    return (np.array(data), np.array(idx), np.array(ptr))


@program(IMG, IMG // 3)
def equalised(img):
    h = np.bincount(img.ravel(), minlength=256)
    cdf = h.cumsum()
    cm = np.ma.masked_equal(cdf, 0) if False else cdf[cdf > 0]
    out = (cdf - cm.min()) * 255 / (cdf[-1] - cm.min())
    return out.clip(0).astype(np.uint8)[img]


@program((X, 0.2), (Y, 0.5))
def events(x, t):
    a = (x > t).astype(int)
    d = np.diff(np.concatenate(([0], a, [0])))
    s = np.flatnonzero(d == 1)
    e = np.flatnonzero(d == -1)
    return (s, e, e - s, (e - s).max() if len(s) else 0, [x[p:q].max() for p, q in zip(s, e)])


@program((IMG, 120), (IMG, 60))
def components_by_a_stack(img, t):
    b = img > t
    lab = np.zeros(b.shape, int)
    n = 0
    for i in range(b.shape[0]):
        for j in range(b.shape[1]):
            if b[i, j] and lab[i, j] == 0:
                n += 1
                st = [(i, j)]
                lab[i, j] = n
                while st:
                    y, x = st.pop()
                    for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                        a, c = (y + dy, x + dx)
                        if 0 <= a < b.shape[0] and 0 <= c < b.shape[1] and b[a, c] and (lab[a, c] == 0):
                            lab[a, c] = n
                            st.append((a, c))
    return (lab, n)


@program((IMG, 120), (IMG, 60))
def components_by_maxima(img, t):
    b = img > t
    lab = np.where(b, np.arange(b.size).reshape(b.shape) + 1, 0)
    while True:
        p = np.pad(lab, 1)
        m = np.maximum.reduce([p[1:-1, 1:-1], p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]])
        m = np.where(b, m, 0)
        if np.array_equal(m, lab):
            break
        lab = m
    u = np.unique(lab[lab > 0])
    return (np.searchsorted(u, lab) * b + b, len(u))


@program(X, Y)
def gaps_filled(x):
    y = np.where(x < -1, np.nan, x)
    n = np.isnan(y)
    y[n] = np.interp(np.flatnonzero(n), np.flatnonzero(~n), y[~n])
    return y


@program(X, Y)
def last_carried_forward(x):
    n = x < 0
    idx = np.where(~n, np.arange(len(x)), 0)
    np.maximum.accumulate(idx, out=idx)
    return x[idx]


@program((X, 1.0), (Y, 1.0), (Y, 99.0))
def between_first_and_last(x, t):
    m = x > t
    if not m.any():
        return (np.array([]), 0)
    f = np.argmax(m)
    l = len(m) - np.argmax(m[::-1])
    return (x[f:l], l - f)


@program(M, -M)
def not_dominated(m):
    n = len(m)
    keep = np.ones(n, bool)
    for i in range(n):
        if keep[i]:
            keep[keep] = np.any(m[keep] > m[i], axis=1)
            keep[i] = True
    return (m[keep], np.nonzero(keep)[0])


@program(X, Y)
def without_outliers(x):
    q1, q3 = np.percentile(x, [25, 75])
    i = q3 - q1
    m = (x < q1 - 0.5 * i) | (x > q3 + 0.5 * i)
    return (x[~m], np.where(m)[0], x[~m].std())


@program(X, Y)
def without_warnings(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(x)
    return y


@program(X, Y)
def without_some_warnings(x):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        y = np.nanmean(np.where(x > 0, x, np.nan))
    return y


@program((X, 0.3), (Y, -99.0))
def own_warning_ignored(x, t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        if x.sum() > t:
            warnings.warn("bad", RuntimeWarning)
        y = np.sqrt(x)
    return np.nanmean(y)


@program((X, 0.3), (Y, -99.0))
def filters_in_a_loop(x, t):
    s = 0.0
    for i in range(len(x)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            s += np.nan_to_num(np.log(x[i]))
    return s


@program((X, 0.3), (Y, -99.0))
def filters_and_exceptions(x, t):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if x[0] > t:
                raise ValueError("a")
            return x
    except ValueError:
        return -x


@program((X, 0.3))
def own_warning_shown(x, t):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        warnings.warn("bad")
    return x


@program((X, 0.3))
def filter_at_the_start(x, t):
    with warnings.catch_warnings(action="ignore"):
        warnings.warn("bad")
        return x * 2


@program((X, 0.3), refuse=True)
def filters_of_the_process(x, t):
    warnings.filterwarnings("ignore")
    return x


@program((X, 0.3), refuse=True)
def warnings_as_errors(x, t):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return x * 2


test_programs = program.test()
