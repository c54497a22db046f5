"""Functions that call themselves as often as data says, and go on with lists, arrays and objects of their own."""

import math

import numpy as np

from .runner import Programs

program = Programs()
RNG = np.random.default_rng(0)
POINTS, MORE_POINTS = RNG.random((20, 2)), RNG.random((20, 2))


class Box:
    def __init__(self, x):
        self.x = x

    def total(self, y):
        return self.x + y

    def add(self, y):
        self.x += y
        return self.x


@program((np.array([1, 5, 7]), np.array([11])), (np.array([2, 5, 9]), np.array([13])), compiles=1)
def coin_list(coins, amount):

    def go(a):
        if a == 0:
            return 0
        if a < 0:
            return 10**6
        return 1 + min([go(a - c) for c in coins])

    return go(amount[0])


@program((np.array([1, 5, 7]), np.array([11])), (np.array([2, 5, 9]), np.array([13])), compiles=1)
def coin_append(coins, amount):

    def go(a):
        if a == 0:
            return 0
        if a < 0:
            return 10**6
        options = []
        for c in coins:
            options.append(go(a - c))
        return 1 + min(options)

    return go(amount[0])


@program((np.array([1, 5, 7]), np.array([11])), (np.array([2, 5, 9]), np.array([13])), compiles=1)
def coin_append_if(coins, amount):

    def go(a):
        if a == 0:
            return 0
        options = [99]
        for c in coins:
            if c <= a:
                options.append(go(a - c) + 1)
        return min(options)

    return go(amount[0])


@program((POINTS,), (MORE_POINTS,), compiles=1)
def quickhull(points):
    hull = []

    def side(pts, a, b):
        return (b[0] - a[0]) * (pts[:, 1] - a[1]) - (b[1] - a[1]) * (pts[:, 0] - a[0])

    def go(pts, a, b):
        if len(pts) == 0:
            return
        d = side(pts, a, b)
        c = pts[np.argmax(d)]
        go(pts[side(pts, a, c) > 1e-12], a, c)
        hull.append(c)
        go(pts[side(pts, c, b) > 1e-12], c, b)

    a, b = (points[np.argmin(points[:, 0])], points[np.argmax(points[:, 0])])
    s = side(points, a, b)
    go(points[s > 1e-12], a, b)
    n = len(hull)
    return (n, np.array(hull))


@program(
    (np.zeros(2), np.array([1.0, 0.0]), np.array([2])), (np.zeros(2), np.array([1.0, 0.5]), np.array([3])), compiles=1
)
def koch(p, q, n):
    n = n[0]
    out = [p]
    r = np.array([[0.5, -math.sqrt(3) / 2], [math.sqrt(3) / 2, 0.5]])

    def go(a, b, n):
        if n == 0:
            out.append(b)
            return
        d = (b - a) / 3
        c, e = (a + d, a + 2 * d)
        t = c + r @ d
        go(a, c, n - 1)
        go(c, t, n - 1)
        go(t, e, n - 1)
        go(e, b, n - 1)

    go(p, q, n)
    return np.array(out)


@program(
    (np.zeros(2), np.array([1.0, 0.0]), np.array([2])), (np.zeros(2), np.array([1.0, 0.5]), np.array([3])), compiles=1
)
def koch_return(p, q, n):
    n = n[0]
    r = np.array([[0.5, -math.sqrt(3) / 2], [math.sqrt(3) / 2, 0.5]])

    def go(a, b, n):
        if n == 0:
            return [a]
        d = (b - a) / 3
        c, e = (a + d, a + 2 * d)
        t = c + r @ d
        return go(a, c, n - 1) + go(c, t, n - 1) + go(t, e, n - 1) + go(e, b, n - 1)

    return np.array(go(p, q, n) + [q])


@program((RNG.random((3, 3)), np.array([4])), (RNG.random((3, 3)), np.array([2])), compiles=1)
def list_scratch(x, n):
    n = n[0]

    def go(k):
        mine = [0.0, 0.0, 0.0]
        if k >= n:
            return 1.0
        for i in range(3):
            mine[i] = go(k + 1) * x[i, k % 3]
        return mine[0] * mine[1] + mine[2]

    return go(0)


@program((1.0, 3.0, 1e-3), (1.0, 2.0, 1e-4), compiles=1)
def adaptive_extend(a, b, tol):
    f = lambda x: math.sin(x * x)

    def go(a, b):
        m = (a + b) / 2
        if abs(f(m) - (f(a) + f(b)) / 2) < tol:
            return [a]
        pts = go(a, m)
        pts.extend(go(m, b))
        return pts

    return go(a, b)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def list_passed_and_read(n):

    def go(v):
        if n[0] == 0:
            return len(v)
        n[0] -= 1
        mine = [1, n[0], 2]
        below = go(mine)
        return below + mine[1] * 10 + v[0]

    return go([4])


@program((np.array([3]),), (np.array([5]),), compiles=1)
def two_names(n):

    def go(k):
        if n[0] == 0:
            return k
        n[0] -= 1
        a = [k, n[0]]
        b = a
        below = go(k + 1)
        a.append(below)
        return len(b) * 100 + below + b[0]

    return go(1)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def two_names_arrays(n):

    def go(k):
        if n[0] == 0:
            return k * 1.0
        n[0] -= 1
        a = np.array([k, n[0], 1.0])
        b = a
        below = go(k + 1)
        a[0] += below
        return b[0] * 2 + below

    return go(1)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def view_of_own_read(n):

    def go(k):
        if n[0] == 0:
            return k * 1.0
        n[0] -= 1
        a = np.array([k, n[0], 1.0])
        b = a[1:]
        below = go(k + 1)
        return a[1] * 2 + below + b[1]

    return go(1)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def nested_lists_read(n):

    def go(k):
        if n[0] == 0:
            return k
        n[0] -= 1
        a = [k, n[0]]
        b = [a, [k, 1]]
        below = go(k + 1)
        return a[1] * 100 + below + b[1][0] + b[0][1]

    return go(1)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def method_of_own(n):

    def go(k):
        if n[0] == 0:
            return k
        n[0] -= 1
        box = Box(k * 2)
        return box.total(go(k + 1)) + box.add(go(k + 1)) + box.x

    return go(1)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def box_passed(n):

    def go(b):
        if n[0] == 0:
            return b.x
        n[0] -= 1
        box = Box(b.x + 1)
        below = go(box)
        return below * 2 + box.x

    return go(Box(1))


@program((np.array([3]),), (np.array([5]),), compiles=1)
def stored_in_older_read(n):
    best = [np.zeros(2)]

    def go(k):
        if n[0] == 0:
            return best[0][0]
        n[0] -= 1
        mine = np.array([k, 1.0])
        best[0] = mine
        below = go(k + 1)
        return below + mine[0]

    return (go(1), best[0])


@program((np.array([3]),), (np.array([5]),), compiles=1)
def iterator_and_list(n):

    def go(k):
        if n[0] <= 0:
            return k
        n[0] -= 1
        todo = [k, k + 1]
        total = 0
        for t in todo:
            total += go(t + 1)
            if len(todo) < 4:
                todo.append(t + 5)
        return total + len(todo)

    return go(1)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def generator_argument(n):

    def go(a):
        if n[0] <= 0:
            return sum(a)
        n[0] -= 1
        mine = [x + 1 for x in a]
        return go(mine) + sum(mine)

    return go([1, 2])


@program((np.array([3]),), (np.array([5]),), compiles=1)
def swapped(n):

    def go(a, b):
        if n[0] <= 0:
            return a[0] - b[0]
        n[0] -= 1
        c = a + b
        d = a - b
        r = go(c, d)
        return r + go(d, c) + c[0] * 0.5

    return go(np.array([1.0, 2.0]), np.array([0.5, 4.0]))


@program((np.array([3]),), (np.array([5]),), compiles=1)
def dict_passed(n):

    def go(d):
        if n[0] <= 0:
            return d["a"]
        n[0] -= 1
        mine = {"a": d["a"] + 1, "b": 2}
        r = go(mine)
        return r + mine["b"] + d["a"]

    return go({"a": 1, "b": 3})


@program((np.array([3]),), (np.array([5]),), compiles=1)
def fresh_in_loop(n):
    out = []

    def go(v):
        if n[0] <= 0:
            out.append(v[0])
            return
        for i in range(2):
            n[0] -= 1
            w = v.copy()
            w[0] += i + 1
            go(w)
            out.append(w.sum())

    go(np.zeros(2))
    return np.array(out)


@program((np.array([3]),), (np.array([5]),), compiles=1)
def tuple_of_arrays(n):

    def go(p):
        if n[0] <= 0:
            return p[0][0]
        n[0] -= 1
        q = (p[0] + 1, p[1] * 2)
        r = go(q)
        return r + q[1][0] + q[0][1]

    return go((np.zeros(2), np.ones(2)))


@program((np.array([3]),), (np.array([5]),), compiles=1)
def raises_and_catches(n):

    def go(v):
        if n[0] <= 0:
            raise ValueError("x")
        n[0] -= 1
        w = v + 1
        try:
            return go(w) + w[0]
        except ValueError:
            return w[1] * 3

    return go(np.zeros(2))


@program((np.array([3]),), (np.array([5]),), compiles=1)
def pops_own(n):

    def go(k):
        if n[0] <= 0:
            return k
        n[0] -= 1
        todo = [k, k + 1, k + 2]
        total = 0
        while todo:
            total += go(todo.pop())
        return total

    return go(1)


@program((np.array([3]),), refuse="XP0008")
def callee_changes_array(n):

    def go(v):
        if n[0] == 0:
            v[0] = 99
            return v[0]
        n[0] -= 1
        mine = np.array([1.0, n[0]])
        below = go(mine)
        return below + mine[0] * 10

    return go(np.zeros(2))


@program((np.array([3]),), refuse="XP0008")
def caller_changes_after(n):

    def go(v):
        if n[0] == 0:
            return v[1]
        n[0] -= 1
        mine = np.array([1.0, n[0]])
        below = go(mine)
        mine[0] += below
        return mine[0] + v[1]

    return go(np.zeros(2))


@program((np.array([3]),), refuse="XP0007")
def callee_keeps_it(n):
    keep = []

    def go(v):
        keep.append(v)
        if n[0] == 0:
            return v[1]
        n[0] -= 1
        mine = np.array([1.0, n[0]])
        below = go(mine)
        mine[0] += below
        return mine[0] + v[1]

    return (go(np.zeros(2)), keep)


@program((np.array([3]),), refuse="XP0008")
def returned_and_changed(n):

    def go(v):
        if n[0] == 0:
            return v
        n[0] -= 1
        mine = np.array([1.0, n[0]])
        below = go(mine)
        below[0] += 5
        return mine

    return go(np.zeros(2))


@program((np.array([3]),), refuse="XP0008")
def returned_then_changed_outside(n):

    def go(v):
        if n[0] == 0:
            return v
        n[0] -= 1
        mine = np.array([1.0, n[0]])
        below = go(mine)
        return below if mine[1] > 1 else mine

    r = go(np.zeros(2))
    r[1] += 7
    return r


@program((np.array([3]),), refuse="XP0008")
def list_passed_and_appended(n):

    def go(v):
        if n[0] == 0:
            v.append(3)
            return len(v)
        n[0] -= 1
        mine = [1, n[0], 2]
        below = go(mine)
        return below + len(mine) * 10 + v[0]

    return go([4])


@program((np.array([3]),), refuse="XP0008")
def view_of_own(n):

    def go(k):
        if n[0] == 0:
            return k * 1.0
        n[0] -= 1
        a = np.array([k, n[0], 1.0])
        b = a[1:]
        below = go(k + 1)
        b[0] += below
        return a[1] * 2 + below

    return go(1)


@program((np.array([3]),), refuse="XP0008")
def nested_lists(n):

    def go(k):
        if n[0] == 0:
            return k
        n[0] -= 1
        a = [k, n[0]]
        b = [a, [k]]
        below = go(k + 1)
        a.append(below)
        return len(b[0]) * 100 + below

    return go(1)


@program((np.array([3]),), refuse="XP0008")
def box_passed_changed(n):

    def go(b):
        b.x += 1
        if n[0] == 0:
            return b.x
        n[0] -= 1
        box = Box(b.x + 1)
        below = go(box)
        return below * 2 + box.x

    return go(Box(1))


@program((np.array([3]),), refuse="XP0008")
def stored_in_older(n):
    best = [np.zeros(2)]

    def go(k):
        if n[0] == 0:
            best[0][0] = 77.0
            return 1.0
        n[0] -= 1
        mine = np.array([k, 1.0])
        best[0] = mine
        below = go(k + 1)
        return below + mine[0]

    return (go(1), best[0])


@program((np.array([3]),), refuse="XP0007")
def appended_to_older(n):
    all_ = []

    def go(k):
        if n[0] == 0:
            all_[0][0] = 50.0
            return 1.0
        n[0] -= 1
        mine = np.array([k, 1.0])
        all_.append(mine)
        below = go(k + 1)
        return below + mine[0]

    return (go(1), all_)


@program((np.array([3]),), refuse="XP0004")
def identity_of_lists(n):

    def go(a):
        if n[0] == 0:
            return a
        n[0] -= 1
        mine = [1, 2]
        below = go(mine)
        return below if below is mine else a

    return go([3, 4])


@program((np.array([3]),), refuse="XP0004")
def in_list_by_identity(n):

    def go(a):
        if n[0] == 0:
            return [a]
        n[0] -= 1
        mine = [1, n[0]]
        below = go(mine)
        return below + [mine] if mine in below else below

    return go([3, 4])


@program((np.array([3]),), refuse="XP0008")
def iterator_handed_on(n):

    def go(it):
        if n[0] <= 0:
            return 0
        n[0] -= 1
        own = iter([1, 2, 3])
        below = go(own)
        return below * 2 + next(own) + next(it, 7)

    return go(iter([4, 5]))


@program((np.array([3]),), refuse="XP0008")
def closure_variable(n):

    def go(f):
        if n[0] <= 0:
            return f(1)
        n[0] -= 1
        k = n[0]
        r = go(lambda x: x + k)
        return r + k

    return go(lambda x: x)


@program((np.array([3]),), refuse="XP0008")
def caller_changes_only_sometimes(n):

    def go(v, k):
        if n[0] == 0:
            return v[0] + k
        n[0] -= 1
        mine = v + 1
        r = go(mine, k + 1)
        if k > 1:
            mine[0] = r
        return mine[0] + v[1]

    return go(np.zeros(2), 0)


@program((np.array([3]),), refuse="XP0008")
def fresh_in_loop_changed_between(n):
    out = []

    def go(v):
        if n[0] <= 0:
            out.append(v[0])
            return
        w = v.copy()
        for i in range(2):
            n[0] -= 1
            w[0] += i + 1
            go(w)
            out.append(w.sum())

    go(np.zeros(2))
    return np.array(out)


@program((np.array([3]),), refuse="XP0008")
def callee_changes_sometimes(n):

    def go(v, k):
        if k % 2:
            v[0] += 10
        if n[0] == 0:
            return v[0] + k
        n[0] -= 1
        mine = v + 1
        r = go(mine, k + 1)
        return r + mine[0] + v[1]

    return go(np.zeros(2), 0)


@program((np.array([3]),), refuse="XP0008")
def dict_passed_changed(n):

    def go(d):
        if n[0] <= 0:
            d["b"] = 50
            return d["a"]
        n[0] -= 1
        mine = {"a": d["a"] + 1, "b": 2}
        r = go(mine)
        return r + mine["b"] + d["a"]

    return go({"a": 1, "b": 3})


@program((np.array([3]),), refuse="XP0008")
def results_in_two_lists(n):
    a, b = ([], [])

    def go(k):
        if n[0] <= 0:
            return [k]
        n[0] -= 1
        r = go(k + 1)
        a.append(r)
        b.append(r)
        s = go(k + 2)
        r.append(5)
        return s + r

    go(1)
    return (a, b)


@program((np.array([3]),), refuse="XP0008")
def tuple_of_arrays_changed(n):

    def go(p):
        if n[0] <= 0:
            p[1][0] = 5
            return p[0][0]
        n[0] -= 1
        q = (p[0] + 1, p[1] * 2)
        r = go(q)
        return r + q[1][0] + q[0][1]

    return go((np.zeros(2), np.ones(2)))


@program((1.0, 3.0, 1e-3), (1.0, 2.0, 1e-4), compiles=1)
def adaptive_default(a, b, tol):
    f = lambda x: math.sin(x * x)

    def go(a, b, pts=None):
        if pts is None:
            pts = []
        m = (a + b) / 2
        if abs(f(m) - (f(a) + f(b)) / 2) < tol:
            pts.append(a)
            return pts
        go(a, m, pts)
        go(m, b, pts)
        return pts

    return go(a, b)


@program((np.array([3, 1]),), (np.array([150, 70]),), compiles=2)
def lists_that_are_longer_than_expected(n):
    found, chosen = [], []

    def go(k):
        if k % n[1] == 0:
            found.append(list(chosen))
        if k < n[0]:
            chosen.append(k)
            go(k + 1)

    go(0)
    return found


@program((RNG.random(7),), (np.arange(7.0),), compiles=1)
def quicksort_arrays(a):

    def sort(a):
        if len(a) <= 1:
            return a
        p = a[0]
        rest = a[1:]
        return np.concatenate([sort(rest[rest < p]), a[:1], sort(rest[rest >= p])])

    return sort(a)


@program((np.array([3, 1, 2, 1, 2]),), (np.array([1, 3, 1, 2, 2]),), compiles=1)
def the_first_call_is_another_case(x):
    def go(k, before=None, path=()):
        if before is None:
            before = []
        before.append(len(path))
        if k <= 0:
            return before
        return go(k - x[k], before, "inner")

    return go(x[0]), go(x[1], [7.0])


test_programs = program.test()
