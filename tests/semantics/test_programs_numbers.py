"""Queues, accounts, number theory, backtracking and interpolation."""

import bisect
import collections
import heapq
import math

import numpy as np

from .runner import Programs, do

program = Programs()
rng = np.random.default_rng(3)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


# queues, simulations
@program((X, 0.5), (Y, 0.1))
def mm1_queue(x, rate):
    arrivals = np.cumsum(np.abs(x))
    service = np.abs(x[::-1]) * rate
    free_at = 0.0
    waits = []
    q = []
    for a, s in zip(arrivals, service):
        while q and q[0] <= a:
            q.pop(0)
        start = max(a, free_at)
        waits.append(start - a)
        free_at = start + s
        q.append(free_at)
    return np.mean(waits), max(waits), len(q)


class Event:
    def __init__(self, t, kind):
        self.t, self.kind = t, kind

    def __lt__(self, o):
        return self.t < o.t


@program((X[:4],), (Y[:4],))
def event_queue(x):
    h = []
    for i, v in enumerate(x):
        heapq.heappush(h, (abs(v), i))
    log = []
    t = 0.0
    while h:
        t, i = heapq.heappop(h)
        log.append(i)
        if i < 2 and len(log) < 10:
            heapq.heappush(h, (t + 1.0, i + 2))
    return log, t


class Account:
    interest = 0.02

    def __init__(self, owner, balance=0):
        self.owner = owner
        self.balance = balance
        self.log = []

    def withdraw(self, amt):
        if amt > self.balance:
            raise InsufficientFunds(self.owner, self.balance, amt)
        self.balance -= amt
        self.log.append(("w", amt))

    def deposit(self, amt):
        if amt <= 0:
            raise ValueError("deposit must be positive")
        self.balance += amt
        self.log.append(("d", amt))

    def accrue(self):
        self.balance *= 1 + self.interest


class InsufficientFunds(Exception):
    def __init__(self, owner, balance, amt):
        self.owner, self.short = owner, amt - balance
        super().__init__(f"{owner} lacks funds")


@program((np.array([10.0, -3.0, -4.0, 5.0]),), (np.array([10.0, -30.0, 4.0, -8.0]),))
def bank(moves):
    a = Account("ann")
    bounced = 0
    short = 0.0
    for m in moves:
        try:
            if m < 0:
                a.withdraw(-m)
            else:
                a.deposit(m)
        except InsufficientFunds as e:
            bounced += 1
            short += e.short
        a.accrue()
    return a.balance, bounced, short, len(a.log)


@program((np.array([10.0, -3.0]),), (np.array([1.0, -30.0]),), raises=InsufficientFunds)
def bank_raises(moves):
    a = Account("bob")
    for m in moves:
        if m < 0:
            a.withdraw(-m)
        else:
            a.deposit(m)
    return a.balance


ACC = Account("carl", 100.0)


@program(
    (ACC, 20.0),
    (ACC, 30.0),
    do(lambda a: setattr(a, "interest", 0.5), ACC),
    (ACC, 1.0),
    do(lambda a: setattr(a, "balance", 3), ACC),
    (ACC, 1.0),
)
def bank_object(a, x):
    a.withdraw(x)
    a.accrue()
    return a.balance


class Grid:
    def __init__(self, n, m):
        self.data = np.zeros((n, m))
        self.n, self.m = n, m

    def __getitem__(self, p):
        return self.data[p[0] % self.n, p[1] % self.m]

    def __setitem__(self, p, v):
        self.data[p[0] % self.n, p[1] % self.m] = v

    def neighbours(self, i, j):
        for di, dj in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            yield self[i + di, j + dj]

    def __iter__(self):
        for i in range(self.n):
            for j in range(self.m):
                yield (i, j), self[i, j]


@program((4, 5, 3, 1.0), (3, 3, 2, 7.0))
def diffuse_grid(n, m, steps, v):
    g = Grid(n, m)
    g[1, 1] = v
    for _ in range(steps):
        h = Grid(n, m)
        for (i, j), c in g:
            h[i, j] = 0.5 * c + 0.125 * sum(g.neighbours(i, j))
        g = h
    return g.data, g[-1, -1]


@program((K,), (np.array([1, 1, 1, 2, 2, 3]),))
def run_length(a):
    out = []
    for v in a:
        if out and out[-1][0] == v:
            out[-1][1] += 1
        else:
            out.append([v, 1])
    return out


@program((K,), (np.array([1, 1, 1, 2, 2, 3]),))
def run_length_arrays(a):
    vals = [a[0]]
    counts = [1]
    for v in a[1:]:
        if v == vals[-1]:
            counts[-1] += 1
        else:
            vals.append(v)
            counts.append(1)
    return np.array(vals), np.array(counts)


@program((K,), (np.array([7, 7, 1]),))
def histogram_dict(a):
    h = dict.fromkeys(range(10), 0)
    for v in a:
        h[int(v)] += 1
    return h, max(h.values())


@program((K,), (np.array([7, 7, 1]),))
def histogram_counter_array(a):
    h = np.zeros(10, int)
    for v in a:
        h[v] += 1
    mode = int(h.argmax())
    return h, mode, [i for i in range(10) if h[i] > 1]


@program((K, 3), (K, 100), (K, 0), raises=ZeroDivisionError)
def modular(a, m):
    r = 1
    for v in a:
        r = r * int(v) % m
    return r, pow(3, 10, m), divmod(int(a.sum()), m)


@program((10, 4), (7, 21), (0, 0))
def gcd_lcm(a, b):
    x, y = a, b
    while y:
        x, y = y, x % y
    return x, (a * b // x if x else 0)


@program((97,), (91,), (1,))
def is_prime(n):
    if n < 2:
        return False
    i = 2
    while i * i <= n:
        if n % i == 0:
            return False
        i += 1
    return True


@program((30,), (10,))
def sieve(n):
    s = np.ones(n + 1, bool)
    s[:2] = False
    for i in range(2, int(n**0.5) + 1):
        if s[i]:
            s[i * i :: i] = False
    return np.flatnonzero(s)


@program((27,), (6,))
def collatz(n):
    seq = [n]
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        seq.append(n)
    return len(seq), max(seq)


@program((13,), (255,), (0,))
def bits(n):
    b = []
    while n:
        b.append(n & 1)
        n >>= 1
    return b[::-1], sum(b)


@program((6,), (1,))
def pascal(n):
    rows = [[1]]
    for _ in range(n - 1):
        r = rows[-1]
        rows.append([1] + [a + b for a, b in zip(r, r[1:])] + [1])
    return rows


@program((3,), (4,))
def hanoi(n):
    moves = []

    def go(k, a, b, c):
        if k:
            go(k - 1, a, c, b)
            moves.append((a, c))
            go(k - 1, b, a, c)

    go(n, 0, 1, 2)
    return moves


@program((4,), (5,))
def queens(n):
    cols = [0] * n
    count = 0

    def ok(r, c):
        for i in range(r):
            if cols[i] == c or abs(cols[i] - c) == r - i:
                return False
        return True

    r, c = 0, 0
    while r >= 0:
        while c < n and not ok(r, c):
            c += 1
        if c < n:
            cols[r] = c
            if r == n - 1:
                count += 1
                c += 1
            else:
                r += 1
                c = 0
        else:
            r -= 1
            if r >= 0:
                c = cols[r] + 1
    return count


@program((X[:6], 0.1), (Y[:6], 0.3))
def nelder_mead(x0, tol):
    def f(p):
        return (p[0] - 1) ** 2 + 3 * (p[1] + 0.5) ** 2

    s = [(f(p), p) for p in x0.reshape(3, 2)]
    for it in range(60):
        s.sort(key=lambda t: t[0])
        if abs(s[-1][0] - s[0][0]) < tol:
            break
        c = (s[0][1] + s[1][1]) / 2
        r = c + (c - s[2][1])
        fr = f(r)
        if fr < s[0][0]:
            e = c + 2 * (c - s[2][1])
            fe = f(e)
            s[2] = (fe, e) if fe < fr else (fr, r)
        elif fr < s[1][0]:
            s[2] = (fr, r)
        else:
            k = c + 0.5 * (s[2][1] - c)
            fk = f(k)
            if fk < s[2][0]:
                s[2] = (fk, k)
            else:
                s = [s[0]] + [(f(s[0][1] + 0.5 * (q - s[0][1])), s[0][1] + 0.5 * (q - s[0][1])) for _, q in s[1:]]
    return s[0], it


@program((S, 1e-8), (M, 1e-8))
def jacobi_eigen(A, tol):
    A = (A + A.T) / 2
    n = len(A)
    V = np.eye(n)
    for sweep in range(30):
        off = np.sqrt(np.sum(np.tril(A, -1) ** 2))
        if off < tol:
            break
        for p in range(n - 1):
            for q in range(p + 1, n):
                if abs(A[p, q]) < 1e-14:
                    continue
                th = 0.5 * math.atan2(2 * A[p, q], A[q, q] - A[p, p])
                c, s = math.cos(th), math.sin(th)
                R = np.eye(n)
                R[p, p] = R[q, q] = c
                R[p, q] = s
                R[q, p] = -s
                A = R.T @ A @ R
                V = V @ R
    return np.sort(np.diag(A)), sweep < 29


@program(
    (
        np.array([1.0, 2.0, 3.0]),
        np.array([4.0, 5.0, 6.0, 7.0]),
        np.array([1.0, 1.0, 1.0]),
        np.array([1.0, 2.0, 3.0, 4.0]),
    )
)
def thomas(a, b, c, d):
    n = len(d)
    cp = np.empty(n - 1)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i - 1] * cp[i - 1]
        if i < n - 1:
            cp[i] = c[i] / m
        dp[i] = (d[i] - a[i - 1] * dp[i - 1]) / m
    x = np.empty(n)
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]
    return x


@program(
    (np.array([0.0, 1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0, 5.0]), 1.5),
    (np.array([0.0, 1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0, 5.0]), 9.0),
    raises=ValueError,
)
def interp_lookup(xs, ys, x):
    if not xs[0] <= x <= xs[-1]:
        raise ValueError("A value (%g) is outside the range [%g, %g]" % (x, xs[0], xs[-1]))
    i = bisect.bisect_right(xs, x) - 1
    i = min(i, len(xs) - 2)
    t = (x - xs[i]) / (xs[i + 1] - xs[i])
    return (1 - t) * ys[i] + t * ys[i + 1]


@program(
    (np.array([0.0, 1.0, 2.0, 4.0]), np.array([1.0, 3.0, 2.0, 5.0])),
    (np.array([0.0, 1.0, 3.0]), np.array([1.0, 0.0, 2.0])),
)
def newton_divided(xs, ys):
    c = ys.astype(float).copy()
    n = len(xs)
    for j in range(1, n):
        for i in range(n - 1, j - 1, -1):
            c[i] = (c[i] - c[i - 1]) / (xs[i] - xs[i - j])

    def p(t):
        r = c[-1]
        for a, x in zip(c[-2::-1], xs[-2::-1]):
            r = r * (t - x) + a
        return r

    return c, p(0.5), [p(t) for t in xs]


@program((X, 3), (Y, 5))
def moving_window(x, k):
    win = collections.deque(maxlen=k)
    out = []
    for v in x:
        win.append(v)
        if len(win) == k:
            out.append(sum(win) / k)
    return out


@program((X,), (Y,))
def welford(x):
    n, mean, m2 = 0, 0.0, 0.0
    for v in x:
        n += 1
        d = v - mean
        mean += d / n
        m2 += d * (v - mean)
    if n < 2:
        return mean, None
    return mean, m2 / (n - 1)


@program((X, 0.3), (Y, 0.6))
def peaks(x, h):
    p = [i for i in range(1, len(x) - 1) if x[i - 1] < x[i] > x[i + 1] and x[i] >= h]
    return p, [x[i] for i in p], len(p)


@program((3, 7), (2, 9), (3, -7), (-3, 7), (0, 1), (10**9 + 7, 998244353), (2, 4), (0, 5), raises=ValueError)
def modular_inverse(a, m):
    return pow(a, -1, m)


@program((3, 2, 7), (3, -2, 7), (3, -3, -7), (3, 0, 1), (6, -1, 9), (3, 5, 0), raises=ValueError)
def powers_modulo(a, e, m):
    return pow(a, e, m)


@program(([3, 5, 7], [2, 3, 2]), ([3, 4, 5], [2, 3, 1]))
def remainders_combined(moduli, remainders):
    product, total = 1, 0
    for m in moduli:
        product *= m
    for m, r in zip(moduli, remainders):
        rest = product // m
        total += r * pow(rest, -1, m) * rest
    return total % product


@program((5, 20, 23), (2, 11, 23))
def exponent_of_unknown_sign(a, n, m):
    e = n
    while e % 2 == 0:
        e /= 2
    return pow(a, int(e), m)


test_programs = program.test()
