"""Programs with dicts and sets whose keys depend on data, of graphs and of heaps."""

import collections
import dataclasses
import heapq
import math

import numpy as np

from .runner import Programs
from .test_programs_search import UnionFind

program = Programs()
rng = np.random.default_rng(44)
X = rng.normal(size=8)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
R = np.array([1, 1, 2, 2, 2, 3, 1, 1])
M = rng.normal(size=(8, 3))
S = rng.normal(size=(4, 4))
W = rng.integers(1, 20, (6, 6)).astype(float)
np.fill_diagonal(W, 0)
E = np.array([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [6, 6]])
E2 = np.array([[0, 1], [5, 2], [2, 3], [3, 4], [4, 6], [1, 6]])
DAG = np.triu(rng.random((6, 6)) < 0.5, 1)
GRID = np.array([[0, 0, 0, 1, 0], [1, 1, 0, 1, 0], [0, 0, 0, 0, 0], [0, 1, 1, 1, 1], [0, 0, 0, 0, 0]])
G = np.array([[0, 0, 1, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0]])


@program((M, K), (M, R), refuse="maybe")
def rows_as_values_then_written(m, k):
    d = {}
    for i, key in enumerate(k.tolist()):
        d[key] = m[i]
    m[0, 0] = 100.0
    return sum(float(v[0]) for v in d.values()), d


@program((M, K), (M, R), refuse="maybe")
def value_array_mutated_in_table(m, k):
    d = {}
    for i, key in enumerate(k.tolist()):
        d[key] = m[i].copy()
    for key in d:
        d[key][0] = 7.0
    return d


@program((K,), (R,), refuse="maybe")
def list_values(k):
    d = {}
    for i, key in enumerate(k.tolist()):
        d[key] = [i, key]
    d[1].append(5)
    return d


@program((K,), (R,))
def table_in_branch(k):
    d = {}
    if k[0] > 2:
        for v in k.tolist():
            d[v] = 1
    else:
        d[100] = 5
    return d, len(d), 100 in d


@program((K,), (R,))
def table_rebound_in_loop(k):
    prev = {}
    for v in k.tolist():
        cur = {}
        cur[v] = prev.get(v, 0) + 1
        cur[v + 1] = 2
        prev = cur
    return prev


@program((K, 3), (R, 2))
def nested_function_memo(k, n):
    memo = {}

    def f(v):
        if v in memo:
            return memo[v]
        memo[v] = v * v + len(memo)
        return memo[v]

    return [f(v) for v in k.tolist()], memo


@program((K,), (R,))
def two_tables_alias(k):
    a = {}
    b = a
    for v in k.tolist():
        b[v] = b.get(v, 0) + 1
    a[50] = 1
    return a is b, b, len(a)


@program((K,), (R,))
def set_of_tuples_and_ops(k):
    s = set()
    for i, v in enumerate(k.tolist()):
        s.add((v, i % 2))
    t = {(1, 0), (1, 1), (2, 0)}
    return len(s & t), (1, 1) in s, sorted(s), t - s, s >= {(1, 1)}


@program((K,), (R,))
def bool_int_float_keys(k):
    d = {}
    for v in k.tolist():
        d[v > 2] = v
        d[v / 1] = v
    return d


@program((K,), (R,))
def key_in_while(k):
    pos, seen, steps = 0, set(), 0
    while pos not in seen and 0 <= pos < len(k):
        seen.add(pos)
        pos = (pos + int(k[pos])) % len(k)
        steps += 1
    return steps, pos, sorted(seen)


@program((K, 4), (R, 1))
def dict_in_object(k, n):
    class Bag:
        def __init__(self):
            self.items = {}

        def add(self, v):
            self.items[v] = self.items.get(v, 0) + 1
            return self

        def __getitem__(self, v):
            return self.items.get(v, 0)

        def __len__(self):
            return sum(self.items.values())

        def __iter__(self):
            for v, c in self.items.items():
                for _ in range(c):
                    yield v

    b = Bag()
    for v in k:
        b.add(int(v))
    return b[n], len(b), list(b), b.items


@program((K,), (R,))
def nested_counter_sorted(k):
    c = collections.Counter(k.tolist())
    order = sorted(c, key=lambda v: (-c[v], v))
    return order, [c[v] for v in order], sorted(c.items(), key=lambda p: p[1])[-1]


@program((K,), (R,))
def exceptions_from_tables(k):
    d = {}
    for v in k.tolist():
        d[v] = 1
    out = []
    for v in range(4):
        try:
            out.append(d[v])
        except KeyError as e:
            out.append(-e.args[0])
    return out


@program((K, 9), (R, 9), raises=KeyError)
def uncaught(k, n):
    d = {}
    for v in k.tolist():
        d[v] = 1
    del d[n]
    return d


@program((np.array([5, 5, 5, 5]),), (np.arange(40) * 7 % 31,))
def many_keys_grow(k):
    d = {}
    for v in k:
        for j in range(30):
            d[int(v) * 100 + j] = j
    return len(d), sum(d), sum(d.values())


@program((X,), (-X,))
def float_sum_groups(x):
    g = collections.defaultdict(lambda: [0, 0.0][1])
    for v in x.tolist():
        g[math.floor(v)] += v
    return dict(g)


@program((K,), (R,))
def fromkeys_and_comprehensions(k):
    a = dict.fromkeys(k.tolist(), 0)
    b = {v: i for i, v in enumerate(k.tolist())}
    c = {v % 3 for v in k.tolist()}
    d = {v: b[v] for v in b if v > 1}
    return a, b, c, d


@program((K,), (R,))
def deque_of_generator(k):
    q = collections.deque((i for i in range(len(k)) if k[i] > 1), maxlen=4)
    n = len(q)
    order = []
    while q:
        order.append(q.popleft())
    return order, n


@program((K, X), (R, -X))
def last_seen_distance(k, x):
    last = {}
    out = np.full(len(k), -1)
    for i, v in enumerate(k):
        if v in last:
            out[i] = i - last[v]
        last[v] = i
    return out, last


@program((K,), (R,))
def equality_and_update(k):
    a, b = {}, {}
    for v in k.tolist():
        a[v] = 1
    for v in reversed(k.tolist()):
        b[v] = 1
    c = {**a, 77: 2}
    a.update(b)
    return a == b, list(a) == list(b), c, a | {1: 5}, len(c)


@program((K,), (R,))
def pop_until_empty(k):
    d = {}
    for v in k.tolist():
        d[v] = v
    total = 0
    while d:
        key, value = d.popitem()
        total = total * 2 + key
    return total, d


@program((K, 2), (R, 2))
def graph_walk(k, n):
    graph = {0: (1, 2), 1: (3,), 2: (3, 0), 3: ()}
    seen, order, stack = set(), [], [int(k[0]) % 4]
    while stack:
        u = stack.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
    return order, sorted(seen), [len(graph[u]) for u in (0, 1)]


FREQ = collections.Counter()


@program((K,), (R,), (K,))
def global_counter(k):
    for v in k.tolist():
        FREQ[v] += 1
    return FREQ.most_common(1)[0][1]


@program((E,), (E2,))
def union_find(edges):
    dsu = UnionFind(7)
    joined = [dsu.union(int(a), int(b)) for a, b in edges]
    return dsu.count, joined, max(dsu.size)


@program((W,), (W[::-1].copy(),))
def kruskal(w):
    n = len(w)
    edges = sorted((float(w[i, j]), i, j) for i in range(n) for j in range(i + 1, n))
    dsu = UnionFind(n)
    total = 0.0
    tree = []
    for weight, i, j in edges:
        if dsu.union(i, j):
            total += weight
            tree.append((i, j))
    return total, tree


@program((W, 0), (W.T.copy(), 3))
def dijkstra_heapq(w, source):
    n = len(w)
    dist = {i: math.inf for i in range(n)}
    dist[source] = 0.0
    heap = [(0.0, source)]
    seen = set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in seen:
            continue
        seen.add(u)
        for v in range(n):
            if v != u and d + w[u, v] < dist[v]:
                dist[v] = d + w[u, v]
                heapq.heappush(heap, (dist[v], v))
    return dist


@program((DAG,), (DAG.T.copy()[::-1, ::-1].copy(),))
def topological_kahn(a):
    n = len(a)
    indeg = [int(a[:, j].sum()) for j in range(n)]
    queue = collections.deque(i for i in range(n) if indeg[i] == 0)
    order = []
    while queue:
        u = queue.popleft()
        order.append(u)
        for v in range(n):
            if a[u, v]:
                indeg[v] -= 1
                if indeg[v] == 0:
                    queue.append(v)
    if len(order) != n:
        raise ValueError("cycle")
    return order


@program((GRID, (0, 0), (4, 4)), (1 - GRID, (0, 3), (3, 3)))
def maze_bfs(grid, start, goal):
    h, w = grid.shape
    dist = np.full((h, w), -1)
    dist[start] = 0
    queue = collections.deque([start])
    while queue:
        r, c = queue.popleft()
        if (r, c) == goal:
            return int(dist[r, c])
        for dr, dc in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            rr, cc = r + dr, c + dc
            if 0 <= rr < h and 0 <= cc < w and grid[rr, cc] == 0 and dist[rr, cc] < 0:
                dist[rr, cc] = dist[r, c] + 1
                queue.append((rr, cc))
    return None


@program((G,), (1 - G,))
def flood_components(g):
    h, w = g.shape
    label = [[0] * w for _ in range(h)]
    current = 0
    for r in range(h):
        for c in range(w):
            if g[r, c] and not label[r][c]:
                current += 1
                stack = [(r, c)]
                while stack:
                    y, x = stack.pop()
                    if 0 <= y < h and 0 <= x < w and g[y, x] and label[y][x] == 0:
                        label[y][x] = current
                        stack.extend([(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)])
    return current, label


@program((K, 10), (R, 5))
def knapsack_dict(weights, cap):
    best = {0: 0}
    for i, w in enumerate(weights.tolist()):
        new = dict(best)
        for used, value in best.items():
            if used + w <= cap:
                new[used + w] = max(new.get(used + w, 0), value + (i + 1))
        best = new
    return max(best.values()), len(best)


@program((K,), (R,))
def subset_sums_set(a):
    sums = {0}
    for v in a.tolist()[:5]:
        sums |= {s + v for s in sorted(sums)}
    return sorted(sums), len(sums)


class Matrix:
    def __init__(self, rows):
        self.rows = [list(r) for r in rows]

    @property
    def shape(self):
        return len(self.rows), len(self.rows[0])

    @staticmethod
    def identity(n):
        return Matrix([[float(i == j) for j in range(n)] for i in range(n)])

    def __matmul__(self, o):
        return Matrix([[sum(a * b for a, b in zip(r, c)) for c in zip(*o.rows)] for r in self.rows])

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __setitem__(self, ij, v):
        self.rows[ij[0]][ij[1]] = v

    def det(self):
        n, _ = self.shape
        a = [r[:] for r in self.rows]
        sign = 1
        d = 1.0
        for k in range(n):
            p = max(range(k, n), key=lambda i: abs(a[i][k]))
            if a[p][k] == 0:
                return 0.0
            if p != k:
                a[k], a[p] = a[p], a[k]
                sign = -sign
            d *= a[k][k]
            for i in range(k + 1, n):
                f = a[i][k] / a[k][k]
                for j in range(k, n):
                    a[i][j] -= f * a[k][j]
        return sign * d

    def minor(self, i, j):
        return Matrix([r[:j] + r[j + 1 :] for k, r in enumerate(self.rows) if k != i])

    def laplace(self):
        if len(self.rows) == 1:
            return self.rows[0][0]
        return sum((-1) ** j * self[0, j] * self.minor(0, j).laplace() for j in range(len(self.rows)))


@program((S,), (S.T.copy(),))
def matrix_det(m):
    a = Matrix(m)
    a[0, 0] += 1
    return a.det(), a.laplace(), (a @ Matrix.identity(4))[1, 2]


@dataclasses.dataclass(order=True, frozen=True)
class Event:
    due: float
    priority: int = 0
    name: str = dataclasses.field(default="", compare=False)


@program((0.3, 1.2), (1.2, 0.3))
def dataclass_heap(a, b):
    q = [Event(a, 1, "x"), Event(b, 0, "y"), Event(0.5 * (a + b), 2, "z")]
    heapq.heapify(q)
    out = []
    while q:
        e = heapq.heappop(q)
        out.append((e.due, e.priority))
        if e.priority == 2 and e.due < 2:
            heapq.heappush(q, dataclasses.replace(e, due=e.due + 1.0, priority=3))
    return out


@program((K, 6), (R, 3))
def two_heaps_median(a, n):
    lo, hi = [], []
    out = []
    for v in a.tolist():
        heapq.heappush(lo, -heapq.heappushpop(hi, v))
        if len(lo) > len(hi):
            heapq.heappush(hi, -heapq.heappop(lo))
        out.append(hi[0] if len(hi) > len(lo) else (hi[0] - lo[0]) / 2)
    return out


@program((K,), (R,))
def merge_sort_lists(a):
    def sort(v):
        if len(v) <= 1:
            return v
        m = len(v) // 2
        l, r = sort(v[:m]), sort(v[m:])
        out, i, j = [], 0, 0
        while i < len(l) and j < len(r):
            if l[i] <= r[j]:
                out.append(l[i])
                i += 1
            else:
                out.append(r[j])
                j += 1
        return out + l[i:] + r[j:]

    return sort(a.tolist())


test_programs = program.test()
