"""Uses of NumPy that `python -m tests.fuzz --arrays` found, made small: each was wrong, or made the compiler fail."""

import numpy as np

from .runner import Programs

program = Programs()
A = np.arange(9.0).reshape(3, 3)
X = np.array([1.0, -2.0, 3.0, 0.5])
I = np.array([1, 0, 3])  # noqa: E741
K = np.array([0, 0, 1])
M = np.array([True, False, True])
EMPTY = np.zeros(0)

# -- memory order ------------------------------------------------------------------------------------------------------


@program(A, np.asfortranarray(A), np.zeros((6, 6))[::2, ::2])
def asarray_copies_where_order_asks(a):
    r = np.asarray(a, order="F")
    r[0] = 9
    s = np.require(a, None, "F")
    s[1] = 8
    t = np.array(a, copy=None, order="F")
    t[2] = 7
    u = np.asarray_chkfinite(a, order="F")
    u[0, 0] = 5
    w = a.astype(float, order="F", copy=False)
    w[0, 0] = 77
    return r, s, t, u, w, r.ravel("K")


@program(A, np.asfortranarray(A))
def order_of_copies(a):
    r = np.asarray(a, order="F")
    made = np.asarray(r, order="C"), np.array(r), np.array(r, order="C"), np.array(r, order="A"), r.copy(), r.copy("A")
    made += np.copy(r), r.astype(int), r.astype(int, order="C"), np.eye(3, order="F"), np.array(r, ndmin=3)
    made += np.asarray(r.T, dtype=np.float32), np.require(a, float, ["C", "W"])
    return [m.flags.c_contiguous for m in made], [m.flags.f_contiguous for m in made]


@program(A)
def uncopied_array_of_more_dimensions_is_a_view(a):
    r = np.array(a, copy=False, ndmin=3)
    r[0, 0] = 5
    return r


@program(A, raises=ValueError)
def copy_cannot_be_avoided(a):
    return np.array(a, dtype=np.float32, copy=False)


# -- ufunc.at ----------------------------------------------------------------------------------------------------------


program.each(
    (X.copy(), K, np.array([1.0, 0.0, 2.0])),
    (np.arange(4), K, np.array([0.5, 0.7, 2.6])),
    at_logical=lambda u, k, w: (np.logical_and.at(u, k, w), np.logical_xor.at(u, k, w), u),
    at_casts_each_time=lambda u, k, w: (np.add.at(u, k, w), np.subtract.at(u, slice(0, 3), w), u),
    at_unary_casts=lambda u, k, w: (np.sqrt.at(u, k), u),
)


@program((I.copy(), np.zeros(0, int), EMPTY))
def at_no_index(u, k, w):
    np.add.at(u, k, w)
    return u


@program(X)
def logical_ufunc_methods(a):
    return np.logical_and.reduceat(a, [0, 1]), np.logical_or.accumulate(a), np.logical_xor.reduce(a)


program.each(
    X,
    axis_of_a_plain_ufunc=lambda a: np.minimum(a, a, axis=None),
    keepdims_of_a_plain_ufunc=lambda a: np.arctan(a, keepdims=True),
    options={"raises": TypeError},
)

# -- odd values and sizes ----------------------------------------------------------------------------------------------

program.each(
    X,
    initial_of_boolean_sums=lambda a: (
        np.prod(a, dtype=bool, initial=0),
        np.sum(a, dtype=bool, initial=1, where=a > 9),
        np.prod(a > 0, dtype=bool, initial=1, where=a > 0),
    ),
    logarithms_of_complex_zero=lambda a: (np.log10(a * 0j), np.log2(a + 0j), np.exp2(a + 1j)),
    triangle_of_no_columns=lambda a: (np.tri(3, M=-2), np.tri(-1), np.tri(2, 3, -1)),
    unravel_nothing=lambda a: np.unravel_index(a[:0].astype(int), (0, 3)),
    empty_mask_of_any_dimension=lambda a: (a[np.zeros(0, bool)], a.reshape(2, 2)[:, a[:0] > 0]),
    reversed_nothing=lambda a: (a.reshape(2, 2, 1)[:, :, :0][1, :, ::-1], a[:0][::-1].sum()),
)

# -- dynamic sizes -----------------------------------------------------------------------------------------------------


@program((np.array([1.0]), np.array([True])), (np.array([1.0]), np.array([False])))
def list_from_a_loop_of_at_most_one_trip(v, f):
    r = []
    for z in v[f]:
        r.append(z * 2)
    return list(v[f]), [z for z in v[f]], r, len(r)


@program((EMPTY > 0, EMPTY > 0))
def selection_from_nothing(m, f):
    m = m[f]
    return np.true_divide(m, m), m.sum()


program.each(
    (A, M),
    (A, ~M),
    append_to_rows=lambda a, m: (np.append(a[m], a[m], 0), np.append(a, a[0][m]), np.append(3, a[0][m])),
    permuted_rows=lambda a, m: (np.permute_dims(a[m], (1, 0)), a[m].transpose((0, 1)), a[m].transpose(1, 0)),
    like_rows_of_another_shape=lambda a, m: (np.zeros_like(a[m], shape=(2, 2)), np.full_like(a[0][m], 2, shape=3)),
    membership=lambda a, m: (np.isin(2.0, a[0][m]), np.isin(a, a[0][m]), np.isin(a[0][m], [2, 3.0])),
    difference_of_booleans=lambda a, m: (np.diff(m[m]), np.diff(a[0][m])),
    sets_of_two_types=lambda a, m: (
        np.intersect1d(a[0].astype(np.float32), np.arange(3)[m]),
        np.setxor1d(np.array([np.nan, 1, 2])[m], np.array([np.nan, 3])),
    ),
    taken=lambda a, m: (a[0][m].take([0, -1]), np.take(a[0], np.arange(3)[m]), a[0].take(np.arange(3)[m])),
)


@program(A, (-A).T)
def indices_of_two_types(a):
    return np.intersect1d(a.astype(np.float32), np.arange(3), return_indices=True)


# -- Python's numbers in arrays of integers ----------------------------------------------------------------------------

U = np.array([1, 2, 3], np.uint8)


def _set(u, s):
    u[...] = s
    return u


def _put_number(u, s):
    np.put(u, [0], s)
    return u


def _placed(u, s):
    np.place(u, u > 1, s)
    return u


def _masked(u, s):
    u[u > 1] = s
    return u


def _fancy(u, s):
    u[[0, 1]] = s
    return u


for _name, _f in {
    "set": _set,
    "masked": _masked,
    "fancy": _fancy,
    "put": _put_number,
    "placed": _placed,
    "listed": lambda u, s: np.array([s, 1], np.uint8),
    "assigned_list": lambda u, s: u.__setitem__(slice(0, 2), [s, s]),
    "inserted": lambda u, s: np.insert(u, 1, s),
}.items():
    program.add(f"float_fits_{_name}", _f, (U.copy(), 2.75), (U.copy(), 255.9))
    for _what, _value in {"negative": -1.0, "large": 300.5, "nan": np.nan, "huge": 1e30}.items():
        program.add(f"float_{_what}_{_name}", _f, (U.copy(), 2.0), (U.copy(), float(_value)), raises=Exception)


@program((U.copy(), 300.5), (U.copy(), -1.0), (U.copy(), float("nan")))
def full_casts_floats(u, s):
    np.copyto(u, s, casting="unsafe")
    return np.full(2, s, np.uint8), np.full_like(u, s), u


@program((U.copy(), 3), (U.copy(), 300), raises=OverflowError)
def full_checks_integers(u, s):
    return np.full(2, s, np.uint8), np.full_like(u, s)


@program((U.copy(), 1.0), raises=TypeError)
def copyto_does_not_cast_a_float(u, s):
    np.copyto(u, s)


# -- keys --------------------------------------------------------------------------------------------------------------


@program((X, True), (X, False))
def boolean_as_the_bound_of_a_slice(x, b):
    return x[b:], x[:b], x[b:3]


@program(X)
def keys_of_numbers(x):
    s = x.sum()
    return s[()], s[...], s[None], s[None, ...]


@program(X, raises=IndexError)
def number_has_no_items(x):
    return [z[0] for z in x]


@program((np.zeros(0), 1.0))
def loop_over_a_selection_from_nothing(x, s):
    a = 2.0
    for z in x[x > s]:
        a += z
    return a


# -- more of odd values ------------------------------------------------------------------------------------------------


@program(X.copy())
def no_differences_are_the_array(x):
    d = np.diff(x, n=0)
    d[0] = 9
    return d


@program((X.astype(np.float32), X.astype(np.float32) * 2), (X.astype(np.float32), I[[0, 1, 2, 0]]))
def edges_have_the_type_of_the_samples(x, y):
    return np.histogram2d(x, y, 3), np.histogram2d(x, y, bins=[[-2, 0, 3], [-1.0, 5.0]])


@program(I)
def reduceat_of_integers(i):
    return (
        np.gcd.reduceat(i * 6, [0, 1]),
        np.maximum.reduceat(i[None], [0, 1], axis=1),
        np.add.reduceat(i, [0, 2], None),
    )


# -- NumPy's numbers in arrays of signed integers ----------------------------------------------------------------------

NUMBERS = {
    "fits": [1.5, 2.0, 3.0, 1.0],
    "large": [300.5, 2.0, 3.0, 1.0],
    "nan": [np.nan, 2.0, 3.0, 1.0],
    "integer": np.array([300, 2, 3, 1]),
    "unsigned": np.array([2**63, 2, 3, 1], np.uint64),
}


def _each(a, v):
    for k in range(len(v)):
        a[k] = v[k]
    return a


def _by_index(a, v):
    a[[0]] = v[0]
    a[a > 0] = v[0]
    np.put(a, [1], v[0])
    return a, np.full(3, v[0], a.dtype), np.asarray(v[0], a.dtype)


for _what, _values in NUMBERS.items():
    for _type in (np.int8, np.uint8, np.int64):
        _v = np.asarray(_values)
        for _f in (
            _each,
            _by_index,
            lambda a, v: (a.__setitem__(slice(0, int(v[3])), v[0]), a.fill(v[1]), a),
            lambda a, v: (a.fill(v[:1].reshape(())), a),
            lambda a, v: (a.__setitem__(slice(0, 2), [v[0], v[1]]), np.array([v[0]], a.dtype)),
        ):
            with np.errstate(all="ignore"):
                try:
                    _f(np.zeros(4, _type), _v)
                    _options = {}
                except Exception:
                    _options = {"raises": Exception}
            _name = f"{_what}_in_{_type.__name__}_{_f.__name__.strip('_<>')}_{len(program.table)}"
            program.add(
                _name, _f, (np.zeros(4, _type), np.array([1, 1, 2, 1], _v.dtype)), (np.zeros(4, _type), _v), **_options
            )

# -- bounds of np.clip -------------------------------------------------------------------------------------------------

program.each(
    *[(x,) for x in (M, np.arange(3, dtype=np.int8), np.arange(3.0, dtype=np.float16), U)],
    clip_known=lambda a: (
        np.clip(a, 0, 255), np.clip(a, -1, 300), a.clip(-300, 5), np.clip(a, None, 2**40), np.clip(a, 0, np.int8(3)),
        np.clip(a, 0, 2.5), np.clip(a, 0, np.float32(3)), np.clip(a, np.uint8(1), 2),
    ),
)  # fmt: skip


@program(*[(x, y) for x in (M, np.arange(3, dtype=np.int8), U) for y in ((0, 3), (-1, 300), (-300, 2), (1, 1000))])
def clip_by_arguments(a, bounds):
    return np.clip(a, *bounds)


# -- masks and targets that do not fit ---------------------------------------------------------------------------------


@program((np.arange(6.0), np.arange(6) > 2), (np.arange(6.0), np.arange(6) > 9))
def masks_of_another_shape(x, b):
    np.putmask(x, b.reshape(2, 3), [7, 8])
    np.place(x, (x < 2).reshape(3, 2), [5, 6])
    np.putmask(x, b, [])
    return x


program.each(
    (np.arange(6.0), np.arange(6) > 2),
    nothing_to_place=lambda x, b: np.place(x, b, []),
    short_mask_to_place=lambda x, b: np.place(x, b[1:], 1),
    out_is_too_long=lambda x, b: np.add(x[1:], 0, out=x),
    out_is_too_short=lambda x, b: np.add(x, 0, where=b, out=x[:1]),
    options={"raises": ValueError},
)


@program((np.arange(6.0), True), (np.arange(6.0), False))
def out_of_one_of_two_lengths(x, b):
    y = x if b else x[1:]
    np.add(y, 1, out=y)
    return y


@program(np.arange(6), np.array([5, 1, 2]))
def ravel_of_a_dynamic_slice(c):
    e = c[: np.argmax(c)]
    e.ravel()[:1] = 9
    f = c[np.argmax(c) :: -1]
    g = f.flatten()
    g[0] = 7
    f.reshape(-1)[0] = 50
    return e, f, g


@program(np.arange(6))  # a copy, unless there is one element
def ravel_of_a_reversed_slice(c):
    e = c[np.argmax(c) :: -1]
    e.ravel()[0] = 0
    return c


# -- arrays of other kinds in later calls ------------------------------------------------------------------------------

READ_ONLY = np.arange(3.0)
READ_ONLY.flags.writeable = False


def _write(a):
    a[0] = 5.0
    return a


program.add("read_only_then_writeable", _write, READ_ONLY, np.arange(3.0), READ_ONLY, raises=ValueError)
program.add("writeable_then_read_only", _write, np.arange(3.0), READ_ONLY, raises=ValueError)
for _name, _other in {
    "foreign_byte_order": np.arange(3.0).astype(np.dtype(float).newbyteorder()),
    "objects": np.arange(3.0).astype(object),
    "dates": np.array(["2020"], "M8[D]"),
    "long_floats": np.arange(3.0).astype(np.longdouble),
}.items():
    program.add(f"{_name}_in_a_later_call", lambda a: a.copy(), np.arange(3.0), _other, refuse=True)


# -- statistics of selections ------------------------------------------------------------------------------------------

S = np.array([1.5, np.nan, -2.0, 4.0, 0.5, np.nan, 3.0])
T = np.array([2.0, 1.0, 0.5, -1.0, 4.0, 2.0, 3.5])
STATISTICS = {
    "nan_sums": lambda x, y, m: (np.nansum(x[m]), np.nanprod(x[m]), np.nanmean(x[m]), np.nansum(m[m])),
    "nan_spreads": lambda x, y, m: (np.nanvar(x[m]), np.nanstd(x[m], ddof=1), np.nanmedian(x[m])),
    "averages": lambda x, y, m: (np.average(y[m]), np.average(x[m], weights=y[m] ** 2 + 1)),
    "integrals": lambda x, y, m: (np.trapezoid(y[m]), np.trapezoid(y[m], np.cumsum(y[m])), np.ediff1d(x[m])),
    "covariances": lambda x, y, m: (np.cov(y[m]), np.cov(y[m], y[m] ** 2)),
    "correlations": lambda x, y, m: np.corrcoef(y[m], y[m] ** 2),
    "equal": lambda x, y, m: (np.array_equal(y[m], y[m]), np.array_equal(y[m], x[m]), np.array_equal(y[m], y[y > 1])),
    "tables": lambda x, y, m: (
        np.interp(y[m], [0.0, 1.0, 3.0], [1.0, 5.0, 2.0], left=-1.0),
        np.searchsorted([0.0, 1.0, 3.0], y[m]),
        np.digitize(y[m], [0.0, 1.0, 3.0]),
    ),
    "single": lambda x, y, m: (np.nansum(x.astype(np.float32)[m]), np.nanmean(x.astype(np.float32)[m])),
    "integers": lambda x, y, m: (np.nansum(y.astype(int)[m]), np.nanmean(y.astype(np.int8)[m])),
}
for _name, _f in STATISTICS.items():
    program.add(f"{_name}_of_a_selection", _f, (S, T, T > 0), (S, T, T > 3), (S, T, T > 0.7))
_some = {
    "nan_extremes": lambda x, y, m: (np.nanmax(x[m]), np.nanmin(x[m]), np.nanmax(y.astype(int)[m])),
    "quantiles": lambda x, y, m: (
        np.quantile(y[m], 0.3),
        np.percentile(y[m], [0, 25, 90, 100]),
        np.percentile(x[m], 50),
    ),
    "quantiles_of_integers": lambda x, y, m: (
        np.quantile(y.astype(int)[m], 0.8),
        np.percentile(y.astype(np.uint8)[m], 10),
    ),
}
for _name, _f in _some.items():
    program.add(f"{_name}_of_a_selection", _f, (S, T, T > 0), (S, T, T > 3.7), (S, T, np.isnan(S)))
program.each(
    (S, T, T > 0),
    (S, T, T > 9),
    **{f"{_name}_of_nothing": _f for _name, _f in _some.items()},
    weights_of_nothing=lambda x, y, m: np.average(y[m], weights=y[m]),
    options={"raises": Exception},
)


# -- subscripts --------------------------------------------------------------------------------------------------------


def _filled(subscripts):
    def f(a):
        r = np.einsum(subscripts, a)
        r[...] = 7
        return a, r

    return f


for _text in ("ij->ij", "ij->ji", "ii->i", "ba", "...ij->...ji", "i...->...i", "ij"):
    program.add(f"einsum_view_{_text}", _filled(_text), A, np.asfortranarray(A), A[::-1])
program.add("einsum_view_of_three", _filled("iji->ji"), np.arange(12.0).reshape(2, 3, 2))


@program(A)
def einsum_by_lists(a):
    r = np.einsum(a, [0, 1], [1, 0])
    r[0] = 5
    return np.einsum("ii", a), np.einsum("ij->i", a), np.einsum("ij,jk", a, a)


@program(I.astype(bool), I)
def nan_totals_with_a_start(a):
    return np.nanprod(a, initial=2), np.nansum(a, initial=2), np.nansum(a, dtype=np.int8, where=a > 0)


@program(np.array([[-3, 0], [6, -4]]))
def single_elements_of_reductions(a):
    return np.gcd.reduce(a[:1]), np.gcd.reduce(a, axis=1), np.hypot.reduce(a[:1] * 0.5), np.lcm.reduce(a[:1])


@program((np.arange(6.0), 0), (np.arange(6.0), 1))
def array_of_another_shape_on_some_trips(x, k):
    for _ in range(3):
        r = x
        x = x[::2]
        if k:
            x = -r
    return x


# -- errors of shapes --------------------------------------------------------------------------------------------------


@program((np.arange(6.0), 1.0), raises=ValueError)
def changed_in_place_by_a_longer_one(x, s):
    d = x[3:]
    d -= x * s


@program((np.arange(6.0), 1.0), raises=ValueError)
def out_beside_operands_that_do_not_fit(x, s):
    np.add(x[3:], x * s, out=x[3:])


@program((np.arange(6.0), 1.0), raises=ValueError)
def row_changed_by_rows(x, s):
    y = x[:3]
    y += x.reshape(2, 3) * s


@program((np.arange(6.0), np.arange(6)), raises=TypeError)
def integers_changed_by_longer_floats(x, i):
    j = i[:3]
    j += x


@program((np.array([0.0, 1.0, 2.0, 0.0]), 0), (np.array([0.0, 1.0, 2.0, 0.0]), 9), (np.zeros(2), 1))
def zeros_trimmed(x, k):
    y = x[k:]
    r = np.trim_zeros(y)
    r[:1] = 7
    return r, np.trim_zeros(x[x < k], "f"), np.trim_zeros(x[x < 2], "b"), x


# -- selections rearranged ---------------------------------------------------------------------------------------------

V = np.array([3.0, -1.0, 2.0, 5.0, -0.5])
for _name, _f in {
    "extracted": lambda v, a, k: (
        np.extract(v[v > 0] > k, v[v > 0]),
        np.extract(v > k, v),
        v[v > k].compress(v[v > k] > 2),
    ),
    "compressed": lambda v, a, k: (np.compress(v[v > k] > 2, v[v > k]), np.compress([True, False], v[v > -9], axis=0)),
    "rolled": lambda v, a, k: (np.roll(v[v > k], 1), np.roll(v[v > 0], -k), np.roll(v[v > 9], 2)),
    "deleted": lambda v, a, k: (np.delete(v[v > -9], k), np.delete(v[v > 0], -1)),
    "tiled": lambda v, a, k: (np.tile(v[v > k], 3), np.tile(v[v > k], 0)),
    "moved_axes": lambda v, a, k: (
        np.moveaxis(a[a[:, 0] > k], 0, 1),
        a[a[:, 0] > k].swapaxes(0, 1),
        np.swapaxes(a[a[:, 0] > k], 0, -1),
    ),
    "widened": lambda v, a, k: (np.atleast_1d(v[v > k]), np.atleast_2d(v[v > k]), np.atleast_2d(a[a[:, 0] > k])),
}.items():
    program.add(f"selection_{_name}", _f, (V, A, 0), (V, A, 2), (-V, A, 1))


@program((V.copy(), 2), (V.copy(), 4), (V.copy(), 0))
def views_of_dynamic_slices(v, k):
    a = v[: np.argmax(v) + 1]
    b = a.view()
    b += 1
    np.copyto(a[:2], v[3:])
    np.copyto(v[k:], a.astype(int)[:1])
    return v, b


@program((V, 9), raises=IndexError)
def deleted_beyond_the_end(v, k):
    return np.delete(v[v > 0], k)


@program(X.astype(np.float16), X.astype(np.float32), I)
def edges_have_the_type_of_the_sample(x):
    return np.histogram(x, 3), np.histogram(x, 4, range=(0, 4)), np.histogram_bin_edges(x, 2)


@program((A, np.array(1)), (A, np.array(0, np.int8)), (A, np.array(-2)))
def arrays_without_dimensions_as_bounds(a, k):
    b = a.copy()
    b[k:] = 9
    return a[k : k + 2].sum(), a[:k], a[k], b, [1, 2, 3][k]


@program((A, np.array(1.0)), raises=TypeError)
def float_array_as_a_bound(a, k):
    return a[k:]


@program((np.arange(12.0).reshape(3, 4), np.array([True, False, True]), 2.0), raises=IndexError)
def one_of_several_arrays_that_change_their_size(m, c, s):
    d = m.reshape(-1)
    b = m
    for _ in c:
        if d.sum() > 3:
            b = np.delete(c, 0)
        else:
            b = m.reshape(-1)
            d = np.split(c, [int(s)])[0]
        for _ in range(3):
            c = c[c > s]
    return b, d, c


program.each(
    (A.copy(), A > 3),
    condition_of_two_dimensions=lambda a, m: np.compress(m, a),
    diagonal_of_a_broadcast_array=lambda a, m: np.fill_diagonal(np.broadcast_to(a[0], (3, 3)), 1.0),
    options={"raises": ValueError},
)


test_programs = program.test()
