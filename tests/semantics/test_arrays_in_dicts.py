"""Arrays in dicts and lists whose keys or lengths depend on data, changed where they lie."""

from collections import defaultdict

import numpy as np

from .runner import Programs

program = Programs()
S = np.array([0, 1, 2, 1, 0, 2, 2, 1])
A = np.array([0, 1, 1, 0, 1, 0, 1, 0])
R = np.random.default_rng(0).normal(size=8)


@program((S, A, R), (S[::-1].copy(), A, R * 2), compiles=1)
def learning(s, a, r):
    q = defaultdict(lambda: np.zeros(2))
    for t in range(len(s) - 1):
        best = np.max(q[int(s[t + 1])])
        q[int(s[t])][int(a[t])] += 0.5 * (r[t] + 0.9 * best - q[int(s[t])][int(a[t])])
    return dict(q)


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def aug_whole(s, a, r):
    q = defaultdict(lambda: np.zeros(2))
    for t in range(len(s)):
        q[int(s[t])] += r[t]
    return dict(q), sum(float(v.sum()) for v in q.values())


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def tuple_keys(s, a, r):
    q = defaultdict(lambda: np.zeros(3))
    n = defaultdict(lambda: np.zeros(3, int))
    for t in range(len(s) - 1):
        st = (int(s[t]), int(a[t]))
        ac = int(np.argmax(q[st]))
        nxt = (int(s[t + 1]), int(a[t + 1]))
        n[st][ac] += 1
        q[st][ac] += (r[t] + 0.9 * q[nxt].max() - q[st][ac]) / n[st][ac]
    return dict(q), dict(n)


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def under_another_name(s, a, r):
    q = {}
    for t in range(len(s)):
        k = int(s[t])
        if k not in q:
            q[k] = np.zeros(2)
        row = q[k]
        row[int(a[t])] += r[t]
        row *= 0.5
        if q[k][0] > 0:
            row[1:] -= 1
    return q


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def one_array_under_several_keys(s, a, r):
    z = np.zeros(2)
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = z
    q[int(s[0])][0] = 5.0
    return z[0], [float(v[0]) for v in q.values()]


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def in_a_list(s, a, r):
    rows = []
    for t in range(len(s)):
        if r[t] > 0:
            rows.append(np.zeros(2))
    for t in range(len(s)):
        if len(rows) > int(s[t]):
            rows[int(s[t])][int(a[t])] += r[t]
    return rows, np.array(rows).sum()


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def two_names(s, a, r):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.zeros(2)
    x = q[int(s[0])]
    y = q[int(s[1])]
    x[0] += 1
    y[0] += 10
    x[0] += 100
    return x, y, q


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def view_kept(s, a, r):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.zeros(4)
    v = q[int(s[0])][1:3]
    q[int(s[0])][:] = 7
    return v.sum()


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def base_kept(s, a, r):
    q = {}
    base = np.zeros((3, 4))
    for t in range(len(s)):
        q[int(s[t])] = base[int(s[t])]
    q[int(s[0])][:] = 7
    return base


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def kept_outside(s, a, r):
    q = {}
    last = None
    for t in range(len(s)):
        z = np.full(2, r[t])
        q[int(s[t])] = z
    z[0] = 99.0
    return q, z


@program((S, A, R, np.zeros(3)), (S[::-1].copy(), A, R * 2, np.ones(3)), refuse="maybe")
def callers(s, a, r, out):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = out
    q[int(s[0])][1] += 5
    return 1


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def swap(s, a, r):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.full(2, float(t))
    q[0], q[1] = q[1], q[0]
    q[0][0] += 3
    return q


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def in_objects(s, a, r):
    class Node:
        def __init__(self):
            self.w = np.zeros(2)
            self.n = 0

    q = {}
    for t in range(len(s)):
        k = int(s[t])
        if k not in q:
            q[k] = Node()
        q[k].w[int(a[t])] += r[t]
        q[k].n += 1
    return {k: (v.w, v.n) for k, v in q.items()}


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def setdefault(s, a, r):
    q = {}
    for t in range(len(s)):
        q.setdefault(int(s[t]), np.zeros(2))[int(a[t])] += r[t]
        q.get(int(s[t]))[0] += 0
    return q


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def get_mut(s, a, r):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.zeros(2)
    for k, v in q.items():
        v[0] += k
    for v in q.values():
        v -= 1
    return q


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def kalman(s, a, r):
    est = {}
    for t in range(len(s)):
        k = int(s[t])
        if k not in est:
            est[k] = [np.zeros(2), np.eye(2)]
        x, p = est[k]
        x += r[t] * p[0]
        p *= 0.9
        est[k][1][0, 0] += 1
    return est


@program((S, A, R), (S[::-1].copy(), A, R * 2), compiles=1)
def centroid(s, a, r):
    sums = defaultdict(lambda: np.zeros(2))
    counts = defaultdict(int)
    for t in range(len(s)):
        sums[int(s[t])] += np.array([r[t], 1.0])
        counts[int(s[t])] += 1
    return {k: sums[k] / counts[k] for k in sorted(sums)}


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def listrows(s, a, r):
    hist = []
    cur = np.zeros(2)
    for t in range(len(s)):
        cur = cur + r[t]
        hist.append(cur)
        if r[t] > 0:
            hist[-1][0] = 0.0
    return hist, cur


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def two_dicts(s, a, r):
    p, q = {}, {}
    for t in range(len(s)):
        z = np.zeros(2)
        p[int(s[t])] = z
        q[int(s[t])] = z
    p[int(s[0])][0] += 5
    return float(q[int(s[0])][0])


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def same_twice(s, a, r):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.zeros(2)
    q[int(s[1])] = q[int(s[0])]
    q[int(s[1])][0] += 5
    return float(q[int(s[0])][0])


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def cond_alias(s, a, r):
    q = {0: np.zeros(2), 1: np.ones(2), 2: np.ones(2) * 2}
    for t in range(len(s)):
        if r[t] > 0:
            q[int(s[t])] = q[int(a[t])]
    q[0][0] = 50
    return [float(v[0]) for v in q.values()]


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def list_alias(s, a, r):
    rows = []
    for t in range(len(s)):
        if r[t] > 0:
            z = np.zeros(2)
            rows.append(z)
            rows.append(z)
    rows[0][0] = 9
    return [float(v[0]) for v in rows]


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def list_in_dict(s, a, r):
    q = defaultdict(list)
    for t in range(len(s)):
        q[int(s[t])].append(np.full(2, r[t]))
    q[int(s[0])][0][1] = 77.0
    x = q[int(s[0])][0]
    x += 1
    return dict(q), x.sum()


@program((S, A, R), (S[::-1].copy(), A, R * 2))
def fn_mutates(s, a, r):
    def bump(v, x):
        v[0] += x

    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.full(2, r[t])
    for t in range(len(s)):
        bump(q[int(s[t])], r[t])
        np.add(q[int(s[t])], 1, out=q[int(s[t])])
    return q


@program((S, A, R), (S[::-1].copy(), A, R * 2), refuse="maybe")
def popped(s, a, r):
    q = {}
    for t in range(len(s)):
        q[int(s[t])] = np.full(2, r[t])
    x = q.pop(int(s[0]))
    x[0] = 3
    q[99] = x
    x[1] = 4
    return float(q[99][1]), float(q[99][0])


test_programs = program.test()
