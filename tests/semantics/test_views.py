"""Views alias their base, copies do not; overlapping assignments behave as NumPy's."""

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0, 5.0, 0.5, 7.0])
M = np.arange(12.0).reshape(3, 4)


@program(X)
def slice_is_view(x):
    v = x[2:5]
    v[0] = 100.0
    return v


@program(X)
def base_write_seen_through_view(x):
    v = x[2:5]
    x[3] = -9.0
    return v * 1


@program(X)
def view_of_view(x):
    v = x[1:]
    w = v[::2]
    w[:] = 0.0
    v[0] = 4.0
    return w


@program(X)
def negative_step_view(x):
    v = x[::-1]
    v[0] = 1.0
    v[1:3] += 10
    return v


@program(M)
def row_and_column_views(m):
    row, col = m[1], m[:, 2]
    row[2] = 50.0
    col += 1
    return row, col


@program(M)
def transpose_is_view(m):
    t = m.T
    t[0, 1] = 99.0
    t[1] *= 2
    return t.sum(axis=0)


@program(M)
def reshape_is_view(m):
    v = m.reshape(-1)
    v[5] = 55.0
    w = m.reshape(4, 3)
    w[0] = -1.0


@program(M)
def reshape_of_transposed_is_copy(m):
    v = m.T.reshape(-1)
    v[:] = 0.0
    return v


@program(M)
def ravel_is_view_flatten_is_copy(m):
    m.ravel()[0] = 10.0
    m.flatten()[1] = 20.0
    m.T.ravel()[2] = 30.0


@program(M)
def swapaxes_moveaxis_views(m):
    m.swapaxes(0, 1)[0, 0] = 5.0
    np.moveaxis(m, 0, 1)[1, 1] = 6.0
    np.transpose(m)[2, 2] = 7.0


@program(M)
def expand_and_squeeze_views(m):
    m[None][0, 0, 0] = 5.0
    np.expand_dims(m, -1)[1, 1, 0] = 6.0
    m[:1].squeeze()[2] = 7.0
    np.atleast_2d(m[2])[0, 3] = 8.0


@program(np.arange(9.0).reshape(3, 3), raises=ValueError)
def diagonal_view_is_read_only(m):
    d = m.diagonal()
    d[0] = 1.0


@program(np.arange(9.0).reshape(3, 3))
def diagonal_by_strided_reshape(m):
    m.reshape(-1)[::4] = 0.0
    m.flat[1] = 77.0
    return m.diagonal()


@program(np.array([1 + 2j, 3 - 1j]))
def real_imag_views(z):
    z.real[0] = 10.0
    z.imag = [5.0, 6.0]
    z.real += 1


@program(X)
def flip_is_view(x):
    np.flip(x)[0] = 11.0
    np.flipud(x)[1] = 12.0


@program(M)
def rot90_and_fliplr_views(m):
    np.fliplr(m)[0, 0] = 11.0
    np.rot90(m)[0, 2] = 12.0


@program(M)
def split_gives_views(m):
    a, b = np.hsplit(m, 2)
    a[:] = 0.0
    b[0] = 1.0
    np.split(m, 3)[2][0, 0] = 5.0


@program(X)
def copy_is_copy(x):
    a = x.copy()
    b = np.array(x)
    c = x[:].copy()
    d = x + 0
    e = x.astype(float)
    a[0] = b[1] = c[2] = d[3] = e[4] = 100.0
    return a, b, c, d, e


@program(X)
def asarray_and_astype_without_copy(x):
    a = np.asarray(x)
    a[0] = 1.5
    b = x.astype(float, copy=False)
    b[1] = 2.5
    c = np.array(x, copy=None)
    c[2] = 3.5
    np.ascontiguousarray(x)[3] = 4.5


@program(X)
def fancy_index_is_copy(x):
    a = x[[0, 1]]
    a[:] = 0.0
    b = x[x > 2]
    b += 1
    return a


@program(X)
def view_method_and_same_dtype(x):
    v = x.view()
    v[0] = 8.0
    return v is x, v.base is x


@program(X)
def augmented_assign_on_slice(x):
    x[1:4] *= 2
    x[::2] -= x[1::2]
    v = x[:2]
    v **= 2


@program(X)
def overlap_shift_right(x):
    x[1:] = x[:-1]


@program(X)
def overlap_shift_left(x):
    x[:-1] = x[1:]


@program(X)
def overlap_reverse(x):
    x[:] = x[::-1]


@program(X)
def overlap_add(x):
    x[1:] += x[:-1]
    x += x[::-1]


@program(np.arange(9.0).reshape(3, 3))
def overlap_transpose(m):
    m += m.T
    m[:] = m.T * 2


@program(X)
def overlap_ufunc_out(x):
    np.add(x[:-1], x[1:], out=x[1:])
    np.multiply(x[::-1], 2.0, out=x)


@program((X, 2), (X, 0))
def dynamic_view_written(x, i):
    v = x[i : i + 3]
    v[1] = 9.0
    v += 1
    return v.sum()


@program((M, 1), (M, -1))
def dynamic_row_view_written(m, i):
    row = m[i]
    row[0] = 5.0
    row *= 2
    m[i, 1] = -3.0
    return row


@program((M, 1), (M, 2))
def view_index_fixed_at_creation(m, i):
    row = m[i]
    i = 0
    row[:] = 4.0
    return i


@program(M)
def views_made_in_loop(m):
    rows = [m[i] for i in range(3)]
    for r in rows:
        r -= r.mean()
    rows[0][0] = 100.0
    return rows[0]


@program((X, True), (X, False))
def view_or_copy_by_static_flag(x, flag):
    v = x[1:3] if flag else x[1:3].copy()
    v[:] = 0.0
    return x.sum()


@program(X, -X)
def view_chosen_by_data(x):
    v = x[:3] if x[0] > 0 else x[3:]
    v[:] = 0.0


@program((X, 3), (X, 0))
def view_written_in_dynamic_loop(x, n):
    v = x[1:5]
    for i in range(n):
        v[i] = x[i] + 1


@program((X, 3), (X, 0))
def view_rebound_in_dynamic_loop(x, n):
    v = x
    for i in range(n):
        v[0] = i * 10.0
        v = x[1:4] if i == 0 else v


@program(M)
def helper_receives_view(m):
    def zero(v):
        v[:] = 0.0

    zero(m[0])
    zero(m[:, -1])
    zero(m[1:, 1:].T[0])


@program(X)
def view_in_container(x):
    d = {"v": x[2:4], "x": x}
    d["v"][0] = 70.0
    d["x"][3] = 80.0
    return d["v"]


@program(X)
def view_held_by_object(x):
    class Window:
        def __init__(self, base):
            self.part = base[1:3]

    w = Window(x)
    w.part += 5
    x[1] = 0.0
    return w.part


@program(X)
def view_outlives_rebinding(x):
    v = x[:2]
    x = x * 2
    v[0] = 6.0
    return x, v


@program(X)
def closure_over_view(x):
    v = x[3:]

    def bump():
        v[0] += 1

    bump()
    bump()


@program(np.zeros((2, 2)))
def broadcast_then_copy(m):
    b = np.broadcast_to(m[0], (3, 2)).copy()
    b[0] = 1.0
    return b


@program(np.zeros((2, 2)), raises=ValueError)
def broadcast_to_is_read_only(m):
    np.broadcast_to(m[0], (3, 2))[0] = 1.0


@program(M)
def shape_attribute_assigned(m):
    v = m.copy()
    v.shape = (4, 3)
    v[0] = 1.0
    return v


@program(M)
def memory_sharing_queries(m):
    return np.shares_memory(m, m[0]), np.may_share_memory(m, m.copy()), m[0].base is m, m.copy().base is None


@program(X)
def unpacked_views(x):
    m = x.reshape(2, 3)
    a, b = m
    a[0] = 30.0
    b += a


@program(X)
def chained_assignment(x):
    a = b = x[1:3]
    a[0] = 3.0
    b[1] = 4.0
    y = z = np.zeros(2)
    y[0] = 1.0
    return z


@program(X)
def iterating_while_writing(x):
    for i, v in enumerate(x):
        x[i] = v + (x[i - 1] if i else 0)


@program(np.arange(8.0))
def butterfly_in_place(x):
    half = x.reshape(2, 4)
    top = half[0].copy()
    half[0] += half[1]
    half[1] = top - half[1]


@program((np.arange(6.0), np.zeros(3)))
def view_copied_into_other(x, y):
    y[:] = x[::2]
    y[0] = 50.0
    x[2] = 60.0


@program(np.arange(4, dtype=np.int32))
def inplace_ops_keep_view_dtype(k):
    v = k[1:]
    v += 2
    v <<= 1
    v |= 1
    v %= 7
    k //= 2


LONG = np.random.default_rng(7).normal(size=(60, 40))


@program((LONG,), (LONG.astype(np.float32),))
def long_windows(x):
    windows = np.lib.stride_tricks.sliding_window_view
    spectra = np.abs(np.fft.rfft(windows(x[:, 0], 32)[::8] * np.hanning(32), axis=1))
    last, both = windows(x, 20, axis=0), windows(x, (12, 30))
    x[3] = 0.5
    return spectra, last.max(axis=-1), both[::7, ::5].sum(axis=(2, 3)), last[4, 5, 2:9].copy(), windows(x[0], 40).copy()


test_programs = program.test()
