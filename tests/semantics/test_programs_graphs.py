"""Graphs, trees, tables and queues as people write them: dicts of lists, heaps, deques, recursion."""

import collections
import heapq

import numpy as np

from .runner import Programs

program = Programs()
N8 = np.array([5, 3, 8, 1, 9, 2, 7, 4])
M8 = N8[::-1].copy()
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
R = np.array([1, 1, 2, 2, 2, 3, 1, 1])
A_EDGES = np.array([[0, 1, 4], [0, 2, 1], [2, 1, 2], [1, 3, 1], [2, 3, 5]])
B_EDGES = np.array([[0, 1, 1], [0, 2, 1], [2, 1, 2], [1, 3, 9], [2, 3, 5]])
C_EDGES = np.array([[0, 1, 1], [0, 2, 1], [2, 3, 2], [1, 3, 9], [1, 2, 5]])
D_EDGES = np.array([[0, 1], [1, 2], [3, 4]])
E_EDGES = np.array([[0, 5], [1, 5], [2, 4]])


class Graph:
    def __init__(self, n):
        self.n = n
        self.adj = [[] for _ in range(n)]

    def add(self, u, v, w=1):
        self.adj[u].append((v, w))
        self.adj[v].append((u, w))

    def bfs(self, s):
        d = {s: 0}
        q = collections.deque([s])
        while q:
            u = q.popleft()
            for v, _ in self.adj[u]:
                if v not in d:
                    d[v] = d[u] + 1
                    q.append(v)
        return d

    def prim(self):
        seen = [False] * self.n
        h = [(0, 0)]
        total = 0
        while h:
            w, u = heapq.heappop(h)
            if seen[u]:
                continue
            seen[u] = True
            total += w
            for v, c in self.adj[u]:
                if not seen[v]:
                    heapq.heappush(h, (c, v))
        return total


@program(
    (A_EDGES, 0),
    (B_EDGES, 0),
)
def dijkstra_adj(edges, s):
    g = collections.defaultdict(list)
    for u, v, w in edges.tolist():
        g[u].append((v, w))
        g[v].append((u, w))
    dist = {s: 0}
    h = [(0, s)]
    while h:
        d, u = heapq.heappop(h)
        if d > dist.get(u, 10**9):
            continue
        for v, w in g[u]:
            nd = d + w
            if nd < dist.get(v, 10**9):
                dist[v] = nd
                heapq.heappush(h, (nd, v))
    return dist


@program((N8,), (N8[::-1].copy(),))
def queue_sim(arrivals):
    q = collections.deque()
    t = 0
    waits = []
    busy_until = 0
    for k in range(len(arrivals)):
        t += int(arrivals[k])
        q.append(t)
        while q and busy_until <= t:
            s = q.popleft()
            waits.append(max(busy_until, s) - s)
            busy_until = max(busy_until, s) + 6
    return (waits, len(q), sum(waits))


@program((N8, 3), (N8[::-1].copy(), 5))
def sliding_max(a, k):
    dq = collections.deque()
    out = []
    for i, v in enumerate(a):
        while dq and a[dq[-1]] <= v:
            dq.pop()
        dq.append(i)
        if dq[0] <= i - k:
            dq.popleft()
        if i >= k - 1:
            out.append(int(a[dq[0]]))
    return out


@program((N8, N8[::-1].copy()), (N8[::-1].copy(), N8))
def lcs(a, b):
    n, m = (len(a), len(b))
    L = [[0] * (m + 1) for _ in range(n + 1)]
    for i in range(n):
        for j in range(m):
            L[i + 1][j + 1] = L[i][j] + 1 if a[i] == b[j] else max(L[i][j + 1], L[i + 1][j])
    i, j = (n, m)
    out = []
    while i and j:
        if a[i - 1] == b[j - 1]:
            out.append(int(a[i - 1]))
            i -= 1
            j -= 1
        elif L[i - 1][j] >= L[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return (L[n][m], out[::-1])


@program((N8,), (N8[::-1].copy(),))
def mergesort(a):

    def merge(l, r):
        out = []
        i = j = 0
        while i < len(l) and j < len(r):
            if l[i] <= r[j]:
                out.append(l[i])
                i += 1
            else:
                out.append(r[j])
                j += 1
        return out + l[i:] + r[j:]

    def ms(x):
        if len(x) <= 1:
            return x
        m = len(x) // 2
        return merge(ms(x[:m]), ms(x[m:]))

    return ms(a.tolist())


@program((N8,), (N8[::-1].copy(),))
def quicksort_stack(a):
    a = a.copy()
    st = [(0, len(a) - 1)]
    while st:
        lo, hi = st.pop()
        if lo >= hi:
            continue
        p = a[hi]
        i = lo
        for j in range(lo, hi):
            if a[j] < p:
                a[i], a[j] = (a[j], a[i])
                i += 1
        a[i], a[hi] = (a[hi], a[i])
        st.append((lo, i - 1))
        st.append((i + 1, hi))
    return a


@program(
    (A_EDGES,),
    (C_EDGES,),
)
def graph_class(e):
    g = Graph(4)
    for u, v, w in e.tolist():
        g.add(u, v, w)
    return (g.bfs(0), g.prim(), [len(x) for x in g.adj])


@program((D_EDGES,), (E_EDGES,))
def union_find(e):
    parent = list(range(6))
    size = [1] * 6

    def find(x):
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for u, v in e.tolist():
        a, b = (find(u), find(v))
        if a != b:
            if size[a] < size[b]:
                a, b = (b, a)
            parent[b] = a
            size[a] += size[b]
    groups = {}
    for i in range(6):
        groups.setdefault(find(i), []).append(i)
    return groups


@program((N8,), (M8,))
def lru_sim(a):
    cache = collections.OrderedDict()
    hits = 0
    for v in a.tolist() * 2:
        if v in cache:
            hits += 1
            cache.move_to_end(v)
        else:
            cache[v] = True
            if len(cache) > 5:
                cache.popitem(last=False)
    return (hits, list(cache))


@program((N8,), (M8,))
def bst(a):
    left = [-1] * 8
    right = [-1] * 8
    val = [0] * 8
    n = 0
    for v in a.tolist():
        val[n] = v
        if n:
            c = 0
            while True:
                if v < val[c]:
                    if left[c] < 0:
                        left[c] = n
                        break
                    c = left[c]
                else:
                    if right[c] < 0:
                        right[c] = n
                        break
                    c = right[c]
        n += 1
    out = []
    st = []
    c = 0
    while st or c >= 0:
        while c >= 0:
            st.append(c)
            c = left[c]
        c = st.pop()
        out.append(val[c])
        c = right[c]
    return out


@program((N8,), (M8,))
def trie_dicts(a):
    root = {}
    for v in a.tolist():
        node = root
        for b in (v >> 2 & 1, v >> 1 & 1, v & 1):
            node = node.setdefault(b, {})
    return len(root)


@program((np.arange(16).reshape(4, 4) % 3,), (np.arange(16).reshape(4, 4) % 5,))
def flood(g):
    g = g.tolist()
    n = 4
    seen = [[False] * n for _ in range(n)]
    sizes = []
    for i in range(n):
        for j in range(n):
            if seen[i][j]:
                continue
            st = [(i, j)]
            seen[i][j] = True
            c = 0
            while st:
                y, x = st.pop()
                c += 1
                for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0)):
                    p, q = (y + dy, x + dx)
                    if 0 <= p < n and 0 <= q < n and (not seen[p][q]) and (g[p][q] == g[i][j]):
                        seen[p][q] = True
                        st.append((p, q))
            sizes.append(c)
    return sizes


@program((N8,), (M8,))
def intervals_lists(a):
    iv = sorted(([int(a[i]), int(a[i]) + int(a[i + 1])] for i in range(0, 8, 2)))
    out = []
    for s, e in iv:
        if out and s <= out[-1][1]:
            out[-1][1] = max(out[-1][1], e)
        else:
            out.append([s, e])
    return out


@program((N8, 5), (M8, 3))
def knap(a, cap):
    best = {0: 0}
    for v in a.tolist()[:4]:
        for w, val in list(best.items()):
            if w + v <= cap + 10:
                nw = w + v
                if best.get(nw, -1) < val + v * 2:
                    best[nw] = val + v * 2
    return max(best.values())


@program((N8, N8 * 1.0), (M8, M8 * 0.5))
def ledger(ids, x):
    book = []
    for k, v in zip(ids.tolist(), x.tolist()):
        book.append({"id": k, "amount": v, "tags": []})
    for r in book:
        if r["amount"] > 4:
            r["tags"].append("big")
        r["amount"] *= 2
    return (sum((r["amount"] for r in book)), [len(r["tags"]) for r in book])


@program((K,), (R,))
def anagrams(a):
    g = collections.defaultdict(list)
    for v in a.tolist():
        g[v % 2, v % 3].append(v)
    return sorted(g.items())


@program((K,), (R,))
def sorted_groups(a):
    g = {}
    for v in a.tolist():
        g.setdefault(v % 4, []).append(v)
    out = []
    for k, vs in sorted(g.items(), reverse=True):
        out.append((k, len(vs), sum(vs)))
    return (out, min(g.items())[0], {k: sorted(v) for k, v in sorted(g.items())})


@program((K,), (R,))
def longest_group(a):
    g = {}
    for v in a.tolist():
        g.setdefault(v % 4, []).append(v)
    k = max(g, key=lambda q: len(g[q]))
    return (k, g[k], sorted(g, key=lambda q: (-len(g[q]), q)), [len(v) for v in g.values()])


test_programs = program.test()
