"""Shape functions: reshape, joining, splitting, repeating, axes, padding, rolling; sizes from arguments."""

import numpy as np

from .runner import Programs

program = Programs()

M = np.arange(12.0).reshape(3, 4)
T = np.arange(24.0).reshape(2, 3, 4)
X = np.array([3.0, 1.0, 2.0, 5.0])

program.each(
    T,
    reshape_forms=lambda t: (t.reshape(6, 4), t.reshape((4, -1)), np.reshape(t, -1), t.reshape(2, 3, 4, order="F")),
    reshape_order_f=lambda t: (t.reshape((6, 4), order="F"), t.ravel(order="F"), t.flatten()),
    transpose_forms=lambda t: (
        t.T,
        t.transpose(1, 0, 2),
        np.transpose(t, (2, 0, 1)),
        t.swapaxes(0, 2),
        np.permute_dims(t, (1, 0, 2)),
    ),
    move_axes=lambda t: (np.moveaxis(t, 0, -1), np.moveaxis(t, [0, 1], [1, 0]), np.rollaxis(t, 2), t.mT),
    expand_squeeze=lambda t: (
        t[None],
        np.expand_dims(t, (0, 2)),
        np.squeeze(t[:1]),
        t[:, :1].squeeze(1),
        t[..., None].squeeze(),
    ),
    attributes=lambda t: (
        t.shape,
        t.ndim,
        t.size,
        t.itemsize,
        t.nbytes,
        len(t),
        t.dtype.kind,
        t.T.shape,
        t.shape[-1] * t.shape[0],
    ),
    stacking=lambda t: (
        np.stack([t[0], t[1]], axis=-1),
        np.concatenate([t[0], t[1]], axis=1),
        np.vstack(t),
        np.hstack((t[0], t[1])),
    ),
    dstack_column_stack=lambda t: (
        np.dstack((t[0], t[1])),
        np.column_stack([t[0, 0], t[1].T[:, 0]]),
        np.concat([t, t], axis=None),
    ),
    splitting=lambda t: (
        np.split(t, 2),
        np.array_split(t, 3, axis=2),
        np.split(t, [1, 2], axis=1),
        np.hsplit(t, 3),
        np.dsplit(t, 2),
    ),
    flips=lambda t: (np.flip(t), np.flip(t, axis=1), np.fliplr(t), np.flipud(t), np.flip(t, (0, 2))),
    rotations=lambda t: (np.rot90(t[0]), np.rot90(t[0], 2), np.rot90(t, -1, axes=(1, 2))),
    rolling=lambda t: (np.roll(t, 1), np.roll(t, -2, axis=2), np.roll(t, (1, 2), axis=(0, 1))),
    tiling=lambda t: (
        np.tile(t[0], 2),
        np.tile(t[0, 0], (2, 3)),
        np.repeat(t, 2, axis=0),
        np.repeat(t[0, 0], 3),
        t[0].repeat(2),
    ),
    repeat_with_counts=lambda t: (np.repeat(t[0], [0, 2, 1], axis=0), np.repeat([1, 2], (3, 1))),
    broadcast=lambda t: (
        np.broadcast_to(t[0, 0], (3, 4)),
        np.broadcast_arrays(t[0], t[0, 0]),
        np.atleast_2d(t[0, 0]),
        np.atleast_3d(t[0]),
    ),
    pads=lambda t: (np.pad(t[0], 1), np.pad(t[0], ((0, 1), (2, 0)), constant_values=7.0), np.pad(t[0], 1, mode="edge")),
    pad_modes=lambda t: [
        np.pad(t[0, 0], 2, mode=m) for m in ("reflect", "symmetric", "wrap", "maximum", "mean", "linear_ramp")
    ],
    diagonals=lambda t: (
        np.diagonal(t[0]),
        t.diagonal(1, 0, 2),
        np.trace(t[0]),
        np.diag(t[0], 1),
        np.diag(t[0, 0]),
        np.diagflat([1, 2]),
    ),
    triangles=lambda t: (np.tril(t[0]), np.triu(t[0], 1), np.tri(3, 4, -1), np.tril_indices(3), np.triu_indices(3, 1)),
    append_insert_delete=lambda t: (
        np.append(t[0, 0], 5.0),
        np.insert(t[0], 1, -1.0, axis=1),
        np.delete(t[0], 0, axis=1),
        np.delete(t[0, 0], [0, 2]),
    ),
    insert_several=lambda t: (
        np.insert(t[0, 0], [1, 3], [9.0, 8.0]),
        np.append(t[0], t[1], axis=0),
        np.resize(t[0, 0], (2, 3)),
    ),
    blocks=lambda t: (np.block([[t[0], t[1]], [t[1], t[0]]]), np.kron(np.eye(2), t[0, :2, :2])),
    meshes=lambda t: (
        np.meshgrid(t[0, 0], t[0, :, 0]),
        np.meshgrid([1, 2], [3, 4, 5], indexing="ij"),
        np.meshgrid([1, 2], [3], sparse=True),
    ),
    grids=lambda t: (np.mgrid[0:2, 0:3], np.ogrid[0:2, 0:3], np.indices((2, 3)), np.ix_([0, 1], [2])),
    index_arithmetic=lambda t: (
        np.unravel_index([5, 17], t.shape),
        np.ravel_multi_index(([0, 1], [2, 1], [3, 0]), t.shape),
        list(np.ndindex(2, 2)),
    ),
    ndenumerate=lambda t: [i[0] * v for i, v in np.ndenumerate(t[0, :2])],
    sliding_windows=lambda t: np.lib.stride_tricks.sliding_window_view(t[0, 0], 2),
    apply_functions=lambda t: (np.apply_along_axis(lambda v: v.sum(), 1, t[0]), np.apply_over_axes(np.sum, t, [0, 2])),
    vectorize=lambda t: np.vectorize(lambda a, b: a * 2 if a > b else b)(t[0], 3.0),
    where_three=lambda t: (np.where(t > 5, t, -t), np.where([True, False], 1, 2.5), np.where(t[0] > 2, t[0, 0], 0)),
    select_choose=lambda t: (
        np.select([t < 3, t > 20], [t, -t], default=0.5),
        np.choose([0, 1, 0, 1], [t[0, 0], t[1, 0]]),
        np.piecewise(t[0], [t[0] > 5], [1.0, -1.0]),
    ),
    trim_and_unique_static=lambda t: (np.trim_zeros([0, 1, 2, 0]), np.unique([3, 1, 3])),
    as_array_functions=lambda t: (
        np.asarray(t),
        np.array(t, dtype=int),
        np.ascontiguousarray(t.T),
        np.copy(t),
        np.array(t[0], ndmin=3),
        np.asarray([t[0], t[1]]),
    ),
    array_of_scalars=lambda t: (
        np.array([t[0, 0, 0], t[1, 1, 1], 2]),
        np.array([[t[0, 0, 0]], [1.0]]),
        np.array(t[0, 0, 0]),
        np.array([t.sum(), t.max()]),
    ),
    iteration=lambda t: [plane.sum() for plane in t] + [v for v in t[0, 0]] + [v * 2 for v in t[0].flat],
    flat_indexing=lambda t: (t.flat[5], t.T.flat[3], t.flat[[1, 2]], list(t[0, :1].flat)),
    view_as_bytes=lambda t: t[0].view(np.int64),
    real_imag=lambda t: ((t + 2j).real, (t[0] * 1j).imag, np.conj(t[0] + 1j), np.real(t[0]), np.imag(t[0])),
    tolist=lambda t: (t[0].tolist(), t[0, 0, 1].tolist(), t[:, 0, 0].tolist()),
    put_take=lambda t: (
        np.take(t, [1, 2], axis=2),
        t.take(3),
        np.take(t[0], [5, 1], mode="wrap"),
        np.compress([True, False, True], t[0], axis=0),
    ),
)


@program((np.arange(8.0), 2), (np.arange(8.0), 4))
def reshape_by_argument(x, n):
    return np.reshape(x, (n, 8 // n)), x.reshape(n, -1)


@program((X, 1), (X, 3), (X, -1))
def roll_by_dynamic_amount(x, k):
    return np.roll(x, k)


@program((X, 2), (X, 3))
def tile_and_repeat_by_argument(x, n):
    return np.tile(x, n), np.repeat(x, n), np.pad(x, n)


@program((np.arange(3), X))
def roll_by_array_element(k, x):
    return [np.roll(x, int(s)) for s in k]


@program((M, 2), (M, 0))
def split_at_dynamic_point(m, k):
    a, b = m[:k], m[k:]
    return a.sum(), b.sum()


@program(M)
def shape_unpacking_drives_loops(m):
    rows, cols = m.shape
    out = np.empty((cols, rows))
    for i in range(rows):
        for j in range(cols):
            out[j, i] = m[i, j]
    return out


@program(M, M[:, :0], M[:0])
def zero_extents(m):
    return m.sum(axis=0), m.sum(axis=1), m.T @ m, m.reshape(-1), np.concatenate([m, m])


@program(np.array(5.0), np.array(3))
def zero_dimensional(x):
    return x + 1, x.reshape(1), x[()], x[None], x.sum(), x.shape, x.T, float(x)


@program((np.arange(6), np.array([2, 3])))
def reshape_by_array_elements(x, shape):
    return x.reshape(shape[0], shape[1]), x.reshape(tuple(shape))


@program([X, X * 2])
def join_list_argument(items):
    return (
        np.concatenate(items),
        np.stack(items),
        np.array(items),
        np.vstack(items),
        np.r_[items[0], 1.0],
        np.c_[items[0], items[1]],
    )


@program((np.float32([1, 2]), np.array([1, 2])))
def joining_promotes(a, b):
    return np.concatenate([a, b]), np.stack([b, b > 1]), np.append(b, 2.5), np.hstack([a, 1]), np.where(b > 1, a, b)


K = np.array([[5, -3, 8], [2, 9, -6]])
program.each(
    K,
    K.astype(np.int16),
    K / 4,
    K * 1j,
    K > 0,
    ramps=lambda k: (
        np.pad(k, 3, "linear_ramp"),
        np.pad(k, ((0, 2), (4, 1)), "linear_ramp", end_values=((7, -4), (1, 2))),
    ),
    ramps_of_vector=lambda k: (np.pad(k[0], (2, 3), "linear_ramp", end_values=(5, -4)), np.pad(k[1], 0, "linear_ramp")),
)
program.add("extreme_of_complex", lambda z: np.pad(z, 1, "maximum"), K * 1j, refuse="XP0011")


test_programs = program.test()
