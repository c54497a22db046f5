"""Tuples whose length depends on data: of lists that grew, of generators, the columns of zip(*pairs)."""

from collections import defaultdict

import numpy as np

from .runner import Programs

program = Programs()
K1 = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
K2 = np.array([7, 7, 2, 8, 1, 8, 2, 8, 1])
K3 = np.array([100, 33, 17, 33, 100, 5, 64, 0, 8])
Z = np.arange(24.0).reshape(2, 3, 4)
LONG = tuple(np.r_[np.zeros(20, int), tail] for tail in ([1, 2, 0], [0, 2, 1], [0, 0, 1]))


class Record:
    def __init__(self):
        self.h = ()


@program((K1,), (K2,), (K3,))
def tuple_basic(a):
    out = [v for v in a.tolist() if v > 3]
    t = tuple(out)
    out.append(7)
    return t, len(t), t[0], t[-1], sum(t), 5 in t, t[1:], t[::-1], max(t), sorted(t), t.count(5), bool(t), list(t), out


@program((K1,), (K2,), (K3,))
def tuple_gen(a):
    t = tuple(v * 2 for v in a.tolist() if v % 2)
    u = tuple(sorted(set(a.tolist())))
    return (
        t,
        u,
        t + (1, 2),
        (0,) + t,
        t * 2,
        t == u,
        t == t,
        t != (1,),
        isinstance(t, tuple),
        isinstance(t, list),
        type(t) is tuple,
    )


@program((K1,), (K2,), (K3,))
def tuple_zip(a):
    pairs = [(v, i * 0.5) for i, v in enumerate(a.tolist()) if v > 2]
    vs, ws = zip(*pairs)
    cols = list(zip(*sorted(pairs)))
    return vs, ws, np.array(vs).mean(), cols[0], sum(cols[1]), [x + y for x, y in zip(vs, ws)]


@program((K1,), (K2,), (K3,))
def tuple_loop(a):
    t = tuple(x for x in a.tolist() if x > 1)
    s = 0
    for i, v in enumerate(t):
        s += i * v
    for v, w in zip(t, t[1:]):
        s += v * w
    return s, [v for v in t], {v: 1 for v in t}, np.array(t) * 2, tuple(map(float, t))


@program((K1,), (K2,), (K3,), refuse="maybe", raises=IndexError)
def tuple_index_arr(a):
    t = tuple(x for x in a.tolist() if x > 60)
    m = np.arange(9.0).reshape(3, 3)
    return m[t]


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe")
def tuple_set_arr2(a):
    t = tuple(x for x in a.tolist() if x > 0)
    m = np.arange(9.0).reshape(3, 3)
    m[t] = 5
    return m


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe")
def tuple_shape(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return np.zeros(t)


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe")
def tuple_axis(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return np.zeros((2, 3, 4)).sum(axis=t)


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe")
def tuple_key(a):
    t = tuple(x for x in a.tolist() if x > 0)
    d = {}
    d[t] = 5
    return d


@program((K1,), (K2,), (K3,), raises=TypeError)
def tuple_mutate(a):
    t = tuple(x for x in a.tolist() if x > 0)
    t[0] = 3
    return t


@program((K1,), (K2,), (K3,), raises=AttributeError)
def tuple_attr(a):
    t = tuple(x for x in a.tolist() if x > 0)
    t.append(3)
    return t


@program((K1,), (K2,), (K3,), raises=IndexError)
def tuple_out(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return t[20]


@program((K1,), (K2,), (K3,), raises=TypeError)
def tuple_badkey(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return t["a"]


@program((K1,), (K2,), (K3,), raises=TypeError)
def tuple_cat(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return t + [1]


@program((K1,), (K2,), (K3,), raises=ValueError)
def tuple_unpack(a):
    t = tuple(x for x in a.tolist() if x > 4)
    x, y = t
    return x


@program((K1,), (K2,), (K3,))
def tuple_star(a):
    t = tuple(x for x in a.tolist() if x > 0)
    x, *r = t
    return x, r


@program((K1,), (K2,), (K3,), refuse="maybe")
def tuple_print(a):
    t = tuple(x for x in a.tolist() if x > 2)
    print(t)
    return f"{t}"


@program((K1,), (K2,), (K3,))
def tuple_cond(a):
    best = ()
    for k in range(3):
        t = tuple(x for x in a.tolist() if x > k)
        if sum(t) > 20:
            best = t
    return best


@program((K1,), (K2,), (K3,))
def tuple_cmp(a):
    best = tuple(x for x in a.tolist() if x > 1)
    for k in range(3):
        t = tuple(x for x in a.tolist() if x % 3 == k)
        if len(t) > len(best):
            best = t
    return best, best[0]


@program((K1, Record()), (K2, Record()), (K3, Record()))
def tuple_obj(a, r):
    t = tuple(x for x in a.tolist() if x > 1)
    r.h = t
    d = {"x": t}
    return [t, t], d


@program((K1,), (K2,), (K3,))
def tuple_return_pair(a):
    def split(v):
        lo, hi = [], []
        for x in v:
            if x > 4:
                hi.append(x)
            else:
                lo.append(x)
        return tuple(lo), tuple(hi)

    lo, hi = split(a.tolist())
    return len(lo) - len(hi), lo, hi, np.mean(hi), np.std(lo), min(lo, default=0)


@program((K1,), (K2,), (K3,))
def tuple_list_of(a):
    out = []
    for k in range(a[0] % 5 + 2):
        out.append(tuple(x for x in a.tolist() if x > k))
    return out, len(out[0])


@program((K1,), (K2,), (K3,))
def tuple_in_dict(a):
    d = defaultdict(list)
    for i, v in enumerate(a.tolist()):
        d[v % 3].append(i)
    return {k: tuple(v) for k, v in d.items()}


@program((K1,), (np.array([0, 1, 0, 1, 1, 1, 1, 1, 1]),), refuse="maybe", raises=ValueError)
def tuple_zip_empty(a):
    pairs = [(v, i) for i, v in enumerate(a.tolist()) if v > 2]
    vs, ws = zip(*pairs)
    return vs


@program((K1,), (K2,), (K3,), refuse="maybe")
def tuple_lt(a):
    t = tuple(x for x in a.tolist() if x > 1)
    u = tuple(x for x in a.tolist() if x > 2)
    return t < u, t == list(t), max(t, u), min([t, u])


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe")
def other_sum(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return np.sum(Z, axis=t)


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe", raises=ValueError)
def other_transpose(a):
    t = tuple(sorted(set(a.tolist())))
    return np.transpose(np.zeros((1,) * 3), t)


@program((LONG[0],), (LONG[1],), (LONG[2],), refuse="maybe")
def other_hash(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return hash(t) == hash(t)


@program((LONG[0],), (LONG[1],), (LONG[2],))
def other_fn(a):
    t = tuple(x for x in a.tolist() if x > 0)

    def f(*args):
        return len(args)

    return f(*t)


@program((LONG[0],), (LONG[1],), (LONG[2],))
def other_isin(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return t is t, t is tuple(t), not t, t or 3


@program((LONG[0],), (LONG[1],), (LONG[2],))
def other_default(a):
    t = tuple((x, x + 1) for x in a.tolist() if x > 0)
    s = 0
    for x, y in t:
        s += x * y
    d = dict(t)
    return s, d, t, dict(zip(*zip(*t))), [p[0] for p in t], max(t, key=lambda p: -p[0])


@program((LONG[0],), (LONG[1],), (LONG[2],))
def other_enum(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return (
        list(enumerate(t)),
        list(zip(t, range(9))),
        list(reversed(t)),
        list(map(lambda v: v + 1, t)),
        any(t),
        all(t),
        next(iter(t)),
    )


@program((LONG[0],), (LONG[1],), (LONG[2],))
def more_ops(a):
    t = tuple(x for x in a.tolist() if x >= 0)
    b = np.arange(23.0)
    c = b.copy()
    c += t
    u = t
    u += (1, 2)
    return b + t, t * b, t - b, b == t, t < b, c, u, np.add(t, b), np.where(b > 3, t, 0), np.dot(t, b), t * np.int64(2)


@program((LONG[0],), (LONG[1],), (LONG[2],))
def more_sum_axis(a):
    t = tuple(x for x in a.tolist() if x > 0)
    return np.sum(t), np.mean(t), np.sum(np.array(t)), np.array(t).sum(), np.array(t, dtype=float)


# -- columns of selected rows -----------------------------------------------------------------------------------------


POINTS = [[0.0, 0.0], [1.0, 0.0], [9.0, 9.0], [8.0, 9.0], [0.0, 1.0]]
MOVED = [[0.0, 0.0], [1.0, 5.0], [9.0, 9.0], [8.0, 9.0], [3.0, 1.0]]


@program((POINTS, 0.5), (MOVED, 2.0), rtol=1e-9)
def columns_of_the_callers_rows(points, t):
    xs, ys = zip(*[p for p in points if p[0] > t])
    return sum(xs), max(ys), xs, len(ys)


@program((POINTS, 0.5), (MOVED, 2.0))
def rows_change_after_their_columns(points, t):
    chosen = [p for p in points if p[0] > t]
    xs, _ = zip(*chosen)
    for p in chosen:
        p[0] += 1
    return xs


@program((np.array(POINTS), 0.5), (np.array(MOVED), 2.0), rtol=1e-9)
def columns_of_rows_of_arrays(points, t):
    chosen = [p for p in points if p[0] > t]
    xs, ys = zip(*chosen)
    lists = [list(p) for p in points if p[0] > t]
    return (
        sum(xs),
        max(ys),
        len(xs),
        [sum(c) for c in zip(*lists)],
        [max(c) for c in zip(*[p.tolist() for p in chosen])],
    )


@program((np.array(POINTS), 0.5), (np.array(MOVED), 2.0), rtol=1e-9)
def columns_of_a_few_tuples(points, t):
    xs, ys = zip(*[(a, a + b) for a, b in points.tolist() if a > t])
    return xs, sum(ys)


@program((K1,), (K2,), (K3,), compiles=1)
def runs_as_keys(a):
    seen, run = {}, []
    for v in a.tolist():
        if v > 3:
            run.append(v % 3)
        elif run:
            key = tuple(run)
            seen[key] = seen.get(key, 0) + 1
            run = []
    return seen, seen.get((1,), -1), (1, 2) in seen, (2.0,) in seen


@program((K1,), (K2,), compiles=1)
def states_until_one_comes_again(a):
    state, seen, trips = [v for v in a.tolist() if v > 2], set(), 0
    while tuple(state) not in seen:
        seen.add(tuple(state))
        state[trips % len(state)] //= 2
        trips += 1
    return trips, len(seen), state


@program((K1,), (K2,), compiles=1)
def tuples_in_keys(a):
    memo, path = {}, []
    for v in a.tolist():
        path.append(v % 2)
        if len(path) > 2:
            path.pop(0)
        memo[len(path), tuple(path)] = v
    return memo, memo.get((2, (0, 1)), -1)


@program((K1,), (K2,), raises=TypeError)
def lists_in_keys(a):
    seen, run = set(), []
    for v in a.tolist():
        if v > 3:
            run.append([v])
        else:
            seen.add(tuple(run))
    return len(seen)


test_programs = program.test()
