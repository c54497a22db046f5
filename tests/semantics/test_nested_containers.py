"""Lists, dicts, sets and objects that lie in dicts and lists, under keys and indices that depend on data, and are
changed there: groups, adjacency lists, buckets, records."""

import collections
import copy
import dataclasses

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(5)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
R = np.array([1, 1, 2, 2, 2, 3, 1, 1])
X = rng.normal(size=8)
Y = rng.normal(size=8)
E = np.array([[0, 1], [0, 2], [1, 3], [2, 3], [3, 4], [4, 5]])
E2 = np.array([[0, 3], [0, 1], [5, 3], [2, 3], [1, 4], [2, 5]])
I = np.array([1, 0, 1, 3, 2])  # noqa: E741
J = np.array([0, 0, 2, 1, 1])


@dataclasses.dataclass
class Node:
    value: int
    children: list = dataclasses.field(default_factory=list)


@program((K, X), (R, Y))
def groups_setdefault(k, x):
    g = {}
    for a, b in zip(k, x):
        g.setdefault(int(a), []).append(float(b))
    return g


@program((K, X), (R, Y))
def groups_default(k, x):
    g = collections.defaultdict(list)
    for i in range(len(k)):
        g[k[i] % 3].append(x[i])
    return {a: sum(b) / len(b) for a, b in g.items()}


@program((E,), (E2,))
def adjacency(e):
    adj = [[] for _ in range(6)]
    for u, v in e:
        adj[u].append(int(v))
        adj[v].append(int(u))
    return adj


@program((E, 0), (E2, 1))
def bfs(e, s):
    adj = [[] for _ in range(6)]
    for u, v in e:
        adj[u].append(v)
        adj[v].append(u)
    dist = [-1] * 6
    dist[s] = 0
    q = collections.deque([s])
    while q:
        u = q.popleft()
        for v in adj[u]:
            if dist[v] < 0:
                dist[v] = dist[u] + 1
                q.append(v)
    return dist


@program((E,), (E2,))
def adjacency_dict(e):
    adj = {}
    for u, v in e.tolist():
        adj.setdefault(u, set()).add(v)
        adj.setdefault(v, set()).add(u)
    return sorted(adj)


@program((E,), (E2,))
def topological(e):
    n = 6
    indeg = [0] * n
    adj = collections.defaultdict(list)
    for u, v in e.tolist():
        adj[u].append(v)
        indeg[v] += 1
    ready = [i for i in range(n) if indeg[i] == 0]
    out = []
    while ready:
        u = ready.pop()
        out.append(u)
        for v in adj[u]:
            indeg[v] -= 1
            if indeg[v] == 0:
                ready.append(v)
    return out


@program((K,), (R,))
def buckets_bucket_sort(a):
    b = [[] for _ in range(10)]
    for v in a:
        b[v].append(int(v))
    return [v for x in b for v in x]


@program((K,), (R,))
def hash_table(a):
    size = 4
    t = [[] for _ in range(size)]
    for v in a.tolist():
        slot = t[v % size]
        if v not in slot:
            slot.append(v)
    return t


@program((K,), (R,))
def dict_of_dicts(a):
    g = {}
    for v in a.tolist():
        d = g.setdefault(v % 3, {})
        d[v] = d.get(v, 0) + 1
    return g


@program((K,), (R,))
def default_dict_pair(a):
    g = collections.defaultdict(lambda: [0, 0])
    for v in a.tolist():
        g[v % 3][0] += v
        g[v % 3][1] += 1
    return {k: t / n for k, (t, n) in g.items()}


@program((I,), (J,))
def loan_in_loop(i):
    a = [[] for _ in range(4)]
    for k in i:
        row = a[k]
        for j in range(3):
            row.append(j)
        row[0] = 7
    return a


@program((I,), (J,))
def conditional(i):
    a = [[] for _ in range(4)]
    for k in i:
        row = a[k]
        if k > 1:
            row.append(1)
        row.append(2)
        if k == 0:
            a[1].append(5)
        else:
            a[0].append(6)
    return a


@program((I,), (J,))
def change_rows_in_iteration(i):
    a = [[] for _ in range(4)]
    for k in i:
        a[k].append(int(k))
    for row in a:
        row.append(-1)
    return a


@program((I,), (J,))
def nested_groups(i):
    g = {}
    for k in i.tolist():
        g.setdefault(k % 2, {}).setdefault(k, []).append(k * 10)
    return g


@program((I,), (J,))
def plus_equals(i):
    g = {}
    for k in i.tolist():
        if k not in g:
            g[k] = []
        g[k] += [k]
    g[int(i[0])] += [1, 2]
    return g


@program((I,), (J,))
def in_or_new(i):
    g = {}
    for n, k in enumerate(i.tolist()):
        if k in g:
            g[k].append(n)
        else:
            g[k] = [n]
    return (g, len(g), max((len(v) for v in g.values())))


@program((I,), (J,))
def two_graphs(i):
    succ = [[] for _ in range(5)]
    pred = [[] for _ in range(5)]
    for n, k in enumerate(i):
        succ[k].append(n % 5)
        pred[n % 5].append(int(k))
    return (succ, pred, [len(s) for s in succ])


@program((I,), (J,))
def account_objects(i):
    acc = {}
    for n, k in enumerate(i.tolist()):
        if k not in acc:
            acc[k] = Node(0)
        acc[k].value += n
        acc[k].children.append(n)
    return {k: (v.value, v.children) for k, v in acc.items()}


@program((I,), (J,))
def clear_and_pop(i):
    a = [[] for _ in range(4)]
    for n, k in enumerate(i):
        a[k].append(n)
        a[k].append(n + 1)
        if n == 2:
            a[k].clear()
        elif n == 3:
            a[k].pop()
    return a


@program((I,), (J,))
def overfull(i):
    a = [[] for _ in range(4)]
    for r in range(30):
        for k in i:
            a[k].append(r)
    return a


@program((I,), (J,))
def rows_of_growing(i):
    out = []
    for k in i.tolist():
        row = []
        for j in range(k):
            row.append(j)
        out.append(row)
    return (out, sum((len(r) for r in out)))


@program((6,), (4,))
def pascal(n):
    rows = [[1]]
    for k in range(1, n):
        prev = rows[-1]
        row = [1]
        for j in range(1, k):
            row.append(prev[j - 1] + prev[j])
        row.append(1)
        rows.append(row)
    return rows


@program((E, 0), (E2, 1))
def dfs_recursive_graph(e, s):
    g = {k: set() for k in range(6)}
    for u, v in e.tolist():
        g[u].add(v)
        g[v].add(u)
    return ([len(x) for x in g.values()], sorted(g[s]), g)


@program((E, 0), (E2, 1))
def known_dict_static_access(e, s):
    g = {k: [] for k in range(6)}
    for u, v in e.tolist():
        g[u].append(v)
    g[0].append(100)
    g[3] += [5]
    g[2] = [7]
    del g[1]
    return (g, len(g[0]))


@program((E, 0), (E2, 1))
def levels(e, s):
    g = {k: [] for k in range(6)}
    for u, v in e.tolist():
        g[u].append(v)
        g[v].append(u)
    depth = [-1] * 6
    depth[s] = 0
    frontier = [s]
    by = [[s]]
    while frontier:
        nxt = []
        for u in frontier:
            for v in g[u]:
                if depth[v] < 0:
                    depth[v] = depth[u] + 1
                    nxt.append(v)
        frontier = nxt
        if nxt:
            by.append(nxt)
    return (depth, by)


@program((E, 0), (E2, 1))
def words(e, s):
    g = {"a": [], "b": [], "c": []}
    for u, v in e.tolist():
        g["abc"[u % 3]].append(v)
    return g


@program((E, 0), (E2, 1))
def by_label(e, s):
    rows = [{"id": i, "n": 0, "links": []} for i in range(6)]
    for u, v in e.tolist():
        rows[u]["n"] += 1
        rows[u]["links"].append(v)
    return rows


class Nd:
    def __init__(self, i):
        self.i = i
        self.n = 0
        self.links = []


@program((E, 0), (E2, 1))
def node_objects(e, s):
    ns = [Nd(i) for i in range(12)]
    for u, v in e.tolist():
        ns[u].n += 1
        ns[u].links.append(v)
        ns[v + 3].n -= 1
    return [(x.i, x.n, len(x.links)) for x in ns]


@program((E, 0), (E2, 1))
def big_matrix(e, s):
    m = [[0] * 12 for _ in range(12)]
    for u, v in e.tolist():
        m[u][v] += 1
        m[v + 4][u + 2] -= 1
    return (m, sum(map(sum, m)))


@program((E, 0), (E2, 1))
def concat_rows(e, s):
    rows = [[] for _ in range(6)]
    out = [1]
    for u, v in e.tolist():
        rows[u].append(v)
    for r in rows:
        out += r
    out.extend(rows[e[1, 1]])
    return out


@program((np.array([[0, 1], [1, 2], [3, 4], [4, 5], [5, 3]]),), (np.array([[0, 1], [1, 2], [2, 0], [4, 5], [3, 4]]),))
def components(e):
    g = {i: [] for i in range(6)}
    for u, v in e.tolist():
        g[u].append(v)
        g[v].append(u)
    seen = set()
    comps = []
    for s in range(6):
        if s in seen:
            continue
        st = [s]
        comp = []
        while st:
            u = st.pop()
            if u in seen:
                continue
            seen.add(u)
            comp.append(u)
            st.extend(g[u])
        comps.append(len(comp))
    return sorted(comps)


# what may be one object is one, or refused


@program((I,), (J,), refuse="maybe")
def shared_row(i):
    row = []
    a = [row for _ in range(4)]
    for k in i:
        a[k].append(int(k))
    return a


@program((I,), (J,), refuse="maybe")
def alias_read_after(i):
    a = [[] for _ in range(4)]
    x = a[i[0]]
    y = a[i[2]]
    x.append(5)
    return (len(y), a)


@program((I,), (J,), refuse="maybe")
def alias_write_both(i):
    a = [[] for _ in range(4)]
    x = a[i[0]]
    y = a[i[2]]
    x.append(5)
    y.append(6)
    return (x, y, a)


@program((I,), (J,), refuse="maybe")
def original_read(i):
    rows = [[] for _ in range(4)]
    first = rows[0]
    rows[i[1]].append(3)
    return (len(first), rows)


@program((I,), (J,), refuse="maybe")
def put_twice(i):
    g = {}
    lst = []
    for k in i.tolist():
        g[k] = lst
    g[int(i[0])].append(1)
    return g


@program((I,), (J,), refuse="maybe")
def copies(i):
    g = collections.defaultdict(list)
    for k in i.tolist():
        g[k].append(k)
    h = dict(g)
    g[int(i[0])].append(100)
    return (h, dict(g))


@program((I,), (J,), refuse="maybe")
def copies2(i):
    a = [[] for _ in range(4)]
    for k in i.tolist():
        a[k].append(k)
    b = a.copy()
    c = a[1:]
    d = list(a)
    e = sorted(a, key=len)
    a[int(i[0])].append(100)
    return (a, b, c, d)


@program((I,), (J,), refuse="maybe")
def values_list(i):
    g = {}
    for k in i.tolist():
        g.setdefault(k, []).append(k)
    v = list(g.values())
    g[int(i[0])].append(100)
    return v


@program((I,), (J,), refuse="maybe")
def moved(i):
    g = {}
    for k in i.tolist():
        g.setdefault(k, []).append(k)
    a = int(i[0])
    b = int(i[1])
    g[a] = g[b]
    g[a].append(77)
    return g


@program((I,), (J,), refuse="maybe")
def detached(i):
    g = {}
    for k in i.tolist():
        g.setdefault(k, []).append(k)
    a = int(i[0])
    x = g[a]
    g[a] = []
    x.append(9)
    return (g, x)


@program((I,), (J,), refuse="maybe")
def deleted(i):
    a = [[] for _ in range(4)]
    x = a[i[0]]
    x.append(1)
    a.pop(0)
    x.append(2)
    return (a, x)


@program((I,), (J,), refuse="maybe")
def loan_kept_over_trips(i):
    a = [[] for _ in range(4)]
    last = a[i[0]]
    for k in i:
        last.append(int(k))
        last = a[k]
    return (a, last)


@program((I,), (J,), refuse="maybe")
def iterate_and_change(i):
    g = {}
    for k in i.tolist():
        g.setdefault(k, []).append(k)
    out = []
    for k, v in g.items():
        g[int(i[0])].append(50)
        out.append(len(v))
    return (out, g)


@program((I,), (J,), refuse="maybe")
def iterate_inner_and_change(i):
    a = [[] for _ in range(4)]
    for k in i:
        a[k].append(int(k))
    n = 0
    for v in a[i[0]]:
        n += 1
        if n < 5:
            a[v].append(n)
    return (a, n)


@program((I,), (J,), refuse="maybe")
def nested_alias(i):
    g = {}
    for k in i.tolist():
        g.setdefault(k % 2, {}).setdefault(k, []).append(k * 10)
    inner = g[int(i[0]) % 2]
    g[int(i[1]) % 2][int(i[1])].append(99)
    return (len(inner[int(i[0])]), g)


@program((I,), (J,), refuse="maybe")
def swap_rows(i):
    a = [[] for _ in range(4)]
    for k in i:
        a[k].append(int(k))
    p, q = (int(i[0]), int(i[1]))
    a[p], a[q] = (a[q], a[p])
    a[p].append(3)
    return a


@program((I,), (J,), refuse="maybe")
def deep(i):
    a = [[] for _ in range(4)]
    for k in i:
        a[k].append(int(k))
    b = copy.deepcopy(a)
    c = copy.copy(a)
    a[i[0]].append(3)
    return (a, b, c)


@program((I,), (J,), refuse="maybe")
def append_same(i):
    out = []
    row = []
    for k in i.tolist():
        row.append(k)
        out.append(row)
    return out


@program((I,), (J,), refuse="maybe")
def an_item_at_two_places(i):
    a = [[] for _ in range(4)]
    x = a[int(i[0])]
    x.append(3)
    a.append(x)
    return a


test_programs = program.test()
