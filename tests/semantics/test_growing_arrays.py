"""Arrays that grow or shrink in loops: they get room, and a dynamic length."""

import numpy as np
import pytest

import xlapy

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(0)
X, Y, M = RNG.normal(size=50), RNG.normal(size=50), RNG.normal(size=(40, 3))
I, S = RNG.integers(0, 100, 50), RNG.normal(size=8)
A = RNG.random((12, 12)) < 0.2
A = A | A.T
B, S2 = np.sort(RNG.random((20, 2)), 1), RNG.random(20)


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def appended(x, t):
    out = np.array([])
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, x[i])
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def concatenated(x, t):
    out = np.empty(0)
    for i in range(len(x)):
        if x[i] > t:
            out = np.concatenate([out, x[i : i + 1]])
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def side_by_side(x, t):
    out = np.zeros(0)
    for v in x:
        if v > t:
            out = np.hstack((out, v))
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def indices_as_floats(x, t):
    out = np.array([])
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, i)
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def indices_by_which_is_taken(x, t):
    out = np.array([], dtype=int)
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, i)
    return (x[out], out)


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def floats_to_integers(x, t):
    out = np.array([], dtype=int)
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, x[i])
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def two_of_them(x, t):
    a = np.array([])
    b = np.array([])
    for i in range(len(x)):
        if x[i] > t:
            a = np.append(a, x[i])
        else:
            b = np.append(b, x[i])
    return (a.sum(), b.mean(), len(a))


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def in_a_while_loop(x, t):
    out = np.array([])
    i = 0
    while i < len(x):
        if x[i] > t:
            out = np.append(out, x[i])
        i += 1
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def from_a_view(x, t):
    out = x[:1]
    for i in range(1, len(x)):
        if x[i] > out[-1] + t:
            out = np.append(out, x[i])
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def two_at_once(x, t):
    out = np.array([0.0, 1.0])
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, [x[i], x[i] ** 2])
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def rows(m, t):
    out = np.zeros((0, 3))
    for i in range(m.shape[0]):
        if m[i, 0] > t:
            out = np.vstack((out, m[i]))
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def rows_of_rows(m, t):
    out = np.empty((0, 3))
    for row in m:
        if row.sum() > t:
            out = np.vstack([out, row * 2])
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def rows_in_a_list(m, t):
    out = np.empty((0, 3))
    for i in range(len(m)):
        if m[i, 1] > t:
            out = np.append(out, [m[i]], axis=0)
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def rows_by_concatenate(m, t):
    out = m[:0]
    for i in range(len(m)):
        if m[i, 1] > t:
            out = np.concatenate((out, m[i][None]), axis=0)
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def columns(m, t):
    out = np.zeros((3, 0))
    for i in range(len(m)):
        if m[i, 0] > t:
            out = np.hstack((out, m[i][:, None]))
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def columns_beside_others(m, t):
    out = np.zeros((3, 1))
    for i in range(len(m)):
        if m[i, 0] > t:
            out = np.column_stack((out, m[i]))
    return out


@program(6, 27, 1)
def until_data_says_stop(n):
    out = np.array([n])
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        out = np.append(out, n)
    return out


@program((1.0, 0.1), (100.0, 0.01), (0.1, 1.0))
def a_decay(x0, t):
    out = np.array([x0])
    v = x0
    while v > t:
        v = v * 0.9
        out = np.append(out, v)
    return out


@program((X, 10), (X, 40), (X, 0))
def without_a_condition(x, n):
    out = np.array([])
    for i in range(n):
        out = np.append(out, x[i] * 2)
    return out


@program(X, Y)
def of_known_length(x):
    out = np.array([])
    for i in range(len(x)):
        out = np.append(out, x[i] * 2)
    return out.reshape(10, 5)


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def from_an_empty_list(x, t):
    out = []
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, x[i])
    return np.asarray(out).sum()


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def from_none(m, t):
    out = None
    for i in range(len(m)):
        if m[i, 0] > t:
            if out is None:
                out = m[i : i + 1]
            else:
                out = np.vstack((out, m[i]))
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def in_an_attribute(x, t):

    class A:
        pass

    a = A()
    a.v = np.array([])
    for i in range(len(x)):
        if x[i] > t:
            a.v = np.append(a.v, x[i])
    return a.v


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def in_a_dict(x, t):
    d = {"a": np.array([]), "b": np.zeros(0, int)}
    for i in range(len(x)):
        if x[i] > t:
            d["a"] = np.append(d["a"], x[i])
        else:
            d["b"] = np.append(d["b"], i)
    return d


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def in_a_nest(m, t):
    out = np.array([])
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > t:
                out = np.append(out, m[i, j])
    return out


@program((X[:20], 0.1), (Y[:20], 0.3), (X[:20], -1.0))
def pairs(x, t):
    out = np.zeros((0, 2))
    n = len(x)
    for i in range(n):
        for j in range(i + 1, n):
            if abs(x[i] - x[j]) < t:
                out = np.vstack((out, [i, j]))
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def in_a_nest_of_two_kinds(m, t):
    out = np.array([])
    for i in range(m.shape[0]):
        k = 0
        while k < m.shape[1]:
            if m[i, k] > t:
                out = np.append(out, m[i, k])
            k += 1
    return out


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def in_both_loops(m, t):
    tot = np.array([])
    for i in range(m.shape[0]):
        row = np.array([])
        for j in range(m.shape[1]):
            if m[i, j] > t:
                row = np.append(row, m[i, j])
        if len(row) > 1:
            tot = np.append(tot, row.mean())
    return tot


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def in_a_short_loop_too(m, t):
    tot = m[:0, 0]
    for rep in range(3):
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                if m[i, j] > t:
                    tot = np.append(tot, m[i, j] + rep)
    return tot


@program((M, 0.3), (-M, 0.1), (M, 99.0))
def by_a_selection(m, t):
    tot = np.array([])
    for i in range(m.shape[0]):
        sel = m[i][m[i] > t]
        tot = np.concatenate((tot, sel))
    return tot


@program((S, 0.1), (-S, 0.1), (-S, 100.0))
def in_a_short_loop(x, t):
    out = np.array([])
    for i in range(len(x)):
        if x[i] > t:
            out = np.append(out, x[i])
    return (out, out.mean() if len(out) else 0.0)


@program((S, 1), (S, 2))
def short_and_reshaped(x, n):
    out = np.array([])
    for i in range(6):
        out = np.append(out, x[i] * n)
    return out.reshape(2, 3)


@program(X[:5], X[:7])
def doubled(x):
    while len(x) < 40:
        x = np.concatenate([x, x * 2])
    return x


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def a_window(x, t):
    w = np.array([])
    s = 0.0
    for v in x:
        if v > t:
            w = np.append(w, v)
            w = w[-5:]
        if len(w) > 0:
            s += w.mean()
    return (s, w)


@program((A, 0), (~A, 3))
def a_queue(adj, s):
    n = adj.shape[0]
    seen = np.zeros(n, bool)
    seen[s] = True
    q = np.array([s])
    order = np.array([], dtype=int)
    while q.size > 0:
        u = q[0]
        q = q[1:]
        order = np.append(order, u)
        for v in range(n):
            if adj[u, v] and (not seen[v]):
                seen[v] = True
                q = np.append(q, v)
    return order


@program(50, 100)
def primes_by_division(n):
    p = np.array([2])
    for k in range(3, n):
        if np.all(k % p != 0):
            p = np.append(p, k)
    return p


@program((B, S2, 0.3), (B, S2[::-1].copy(), 0.1))
def suppression(b, s, t):
    idx = np.argsort(s)[::-1]
    keep = np.array([], dtype=int)
    while len(idx) > 0:
        i = idx[0]
        keep = np.append(keep, i)
        xx1 = np.maximum(b[i, 0], b[idx[1:], 0])
        xx2 = np.minimum(b[i, 1], b[idx[1:], 1])
        w = np.maximum(0, xx2 - xx1)
        iou = w / (b[i, 1] - b[i, 0] + (b[idx[1:], 1] - b[idx[1:], 0]) - w)
        idx = idx[1:][iou <= t]
    return keep


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def written_meanwhile(x, t):
    out = np.array([0.0])
    for v in x:
        if v > t:
            out = np.append(out, v)
            out[0] += v
        out[-1] *= 1.5
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def the_one_before(x, t):
    out = np.array([])
    p = out
    for v in x:
        if v > t:
            p = out
            out = np.append(out, v)
    return (out, p)


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def until_there_are_five(x, t):
    out = np.array([])
    for v in x:
        if v > t:
            out = np.append(out, v)
        if len(out) >= 5:
            break
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def returned_early(x, t):
    out = np.array([])
    for v in x:
        if v > t:
            out = np.append(out, v)
        if len(out) >= 5:
            return out
    return out[::-1]


@program(10, 3000)
def more_than_guessed(n):
    out = np.array([])
    k = 0
    while k < n:
        k += 1
        out = np.append(out, k * 0.5)
    return out


@program(X, Y)
def inserted_in_order(x):
    out = np.array([])
    for v in x:
        i = np.searchsorted(out, v)
        out = np.insert(out, i, v)
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def some_inserted_in_order(x, t):
    out = np.array([])
    for v in x:
        if v > t:
            i = np.searchsorted(out, v)
            out = np.insert(out, i, v)
    return out


@program(I % 7, I % 13)
def seen_before(x):
    out = np.array([], dtype=x.dtype)
    for v in x:
        if v not in out:
            out = np.append(out, v)
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def by_r_(x, t):
    out = np.r_[x[:0]]
    for v in x:
        if v > t:
            out = np.r_[out, v]
    return out


@program((X, 0.3), (Y, -0.5), (Y, 100.0))
def of_float32(x, t):
    out = np.array([], dtype=np.float32)
    for v in x:
        if v > t:
            out = np.append(out, np.float32(v))
    return out


@program((X, 0.3), (Y, 0.5), (Y, 100.0))
def of_bools(x, t):
    out = np.array([], dtype=bool)
    for v in x:
        if abs(v) > t:
            out = np.append(out, v > 0)
    return out


@program((X, 0), (Y, 0))
def shrinking_by_masks(x, p):
    c = 0
    while len(x) > 0:
        x = x[x > x[0]]
        c += 1
    return c


@program(X, Y)
def first_taken(x):
    q = x.copy()
    s = 0.0
    while len(q) > 0:
        s += q[0] * len(q)
        q = q[1:]
    return s


@program((X, 0), (Y, 0))
def largest_deleted(x, t):
    c = 0
    while len(x) > 0:
        i = np.argmax(x)
        c += x[i] * len(x)
        x = np.delete(x, i)
    return c


@program(X, Y)
def pairs_merged(x):
    c = 0.0
    while len(x) > 1:
        d = np.abs(np.diff(x))
        i = np.argmin(d)
        x[i] = (x[i] + x[i + 1]) / 2
        x = np.delete(x, i + 1)
        c += d[i]
    return (c, x)


@program(100, 50)
def sieve(n):
    a = np.arange(2, n)
    out = np.array([], dtype=int)
    while len(a) > 0:
        p = a[0]
        out = np.append(out, p)
        a = a[a % p != 0]
    return out


@program(X[:32], Y[:16])
def folded(x):
    while len(x) > 1:
        x = x[::2] + x[1::2]
    return x


@program(X, Y)
def last_taken(x):
    s = 0.0
    while x.size:
        s = s * 0.5 + x[-1]
        x = x[:-1]
    return s


@program((X, 0.1), (Y, 0.5))
def either_end(x, y):
    while len(x) > 2:
        if x[0] < y:
            x = x[1:]
        else:
            x = x[:-1]
    return x


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def with_another_name(x, t):
    out = np.zeros(2)
    keep = out
    for v in x:
        if v > t:
            out = np.append(out, v)
        out[0] += 1
    return (out, keep)


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def kept_in_a_list(x, t):
    out = x[:0]
    saved = []
    for v in x:
        if v > t:
            out = np.append(out, v)
            saved.append(out)
    return (out, len(saved), saved[-1] if saved else None)


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def until_an_exception(x, t):
    out = np.array([])
    try:
        for v in x:
            if v > t:
                out = np.append(out, v)
            if len(out) > 6:
                raise ValueError("many")
    except ValueError:
        out = out[:2]
    return out


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def two_that_change_places(x, t):
    a = np.array([])
    b = np.array([])
    for v in x:
        if v > t:
            a, b = (b, np.append(a, v))
    return (a, b)


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def a_stack_of_numbers(x, t):
    q = np.array([0])
    n = 0
    while len(q) and n < 40:
        k = q[-1]
        q = q[:-1]
        n += 1
        if x[k % 50] > t:
            q = np.append(q, [k + 1, k + 2])
        else:
            q = np.append(q, k + 3)
    return (q, n)


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def in_a_list_of_arrays(x, t):
    outs = [np.array([]) for _ in range(3)]
    for i in range(len(x)):
        if x[i] > t:
            outs[i % 3] = np.append(outs[i % 3], x[i])
    return outs


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def none_at_first(x, t):
    s = "none"
    out = None
    for v in x:
        if v > t:
            if out is None:
                out = np.array([v])
                s = "one"
            else:
                out = np.append(out, v)
                s = "more"
    return (s, out)


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def begun_anew(x, t):
    rows = []
    out = np.array([])
    for v in x:
        if v > t:
            out = np.append(out, v)
        elif len(out):
            rows.append(out)
            out = np.array([])
    return ([r.sum() for r in rows], len(rows))


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0))
def in_a_closure(x, t):
    out = np.array([])

    def add(v):
        nonlocal out
        out = np.append(out, v)

    for v in x:
        if v > t:
            add(v)
    return out


@program((X, 0.3), (Y, -0.5), (Y, 1.5), (Y, 99.0), refuse=True)
def list_of_selections(x, t):
    rows = []
    for i in range(0, 50, 5):
        seg = x[i : i + 5]
        seg = seg[seg > t]
        if len(seg):
            rows.append(seg)
    return rows


@program((X, 0.3), (Y, -0.5), (Y, 99.0))
def appended_in_both_arms(x, t):
    up, down = np.array([]), np.array([], dtype=int)
    for i in range(len(x)):
        if x[i] > t:
            up = np.append(up, x[i])
        else:
            down = np.append(down, i)
        if len(up) > 3:
            up[-1] += up[0]
    return up, down


@program((X, 0.3), (Y, -0.5), (Y, 99.0))
def parts_of_any_length_appended(x, t):
    out = np.zeros(0)
    for i in range(0, 50, 5):
        seg = x[i : i + 5]
        out = np.concatenate([out, seg[seg > t], [i]])
    return out, out.sum()


@program((X, 0.3), (Y, -0.5), (Y, 99.0))
def appended_in_arms(x, t):
    up, down = np.array([]), np.array([], dtype=int)
    for i in range(len(x)):
        if x[i] > t:
            up = np.append(up, x[i])
        else:
            down = np.append(down, i)
    return up, down


@program((M, 0.3), (M[::-1].copy(), -0.5), (M, 99.0))
def rows_stacked(m, t):
    out = np.empty((0, 3))
    for row in m:
        if row[0] > t:
            out = np.vstack([out, row])
    return out


@program((M, 0.3), (M[::-1].copy(), -0.5), (M, 99.0))
def rows_appended(m, t):
    out = np.empty((0, 3))
    for row in m:
        if row[0] > t:
            out = np.vstack([out, row])
            out[0] -= 1
    return out


@program((X, 0.3), (Y, -0.5), (Y, 99.0))
def put_before_and_appended(x, t):
    """What is put before moves the rest."""
    out = np.array([])
    for v in x:
        out = np.append(out, v) if v > t else np.append(v, out)
    return out


@program((X, 0.3), (Y, -0.5))
def resized_by_numpy(x, t):
    out = np.resize(x[:3], 5)
    for k in range(4):
        out = np.resize(out, 5) if x[k] > t else np.append(out[:-1], x[k])
    return out


@pytest.mark.parametrize("program", [appended, appended_in_arms, rows_stacked])
def test_appending_is_a_store(program):
    """One program for all data, one loop of one size, and no array larger than the room."""
    shape = (40, 3) if program is rows_stacked else (50,)
    text = xlapy.code_typed(program, np.zeros(shape), 0.5)
    assert text.count(" = for(") == 1
    assert "append_in_room" not in text
    more = xlapy.code_typed(program, np.zeros((2 * shape[0], *shape[1:])), 0.5)
    assert len(more.splitlines()) == len(text.splitlines())


test_programs = program.test()
