"""Sets of members that depend on data, gone through in CPython's order; what is not known of the order is refused."""

import collections

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from xlapy.dispatch.vectors import dynamic_set_order

from .runner import Programs

program = Programs()
A = np.array([3, 1, 4, 1, 5, 9, 2, 6, 5])
B = np.array([7, 7, 2, 8, 1, 8, 2, 8, 1])
C = np.array([100, 33, 17, 33, 100, 5, 64, 0, -1])
GRAPH = np.array([[0, 1, 0, 0, 1], [0, 0, 1, 0, 0], [1, 0, 0, 1, 0], [0, 0, 0, 0, 1], [0, 0, 0, 1, 0]])


@program((A,), (B,), (C,), compiles=1)
def loops(a):
    seen = set(a.tolist())
    first, digits = None, 0
    for v in seen:
        first = v if first is None else first
        digits = (digits * 31 + v) % 1000003
    return first, digits, [v for v in seen], next(iter(seen))


@program((A,), (B,), (C,))
def taken_whole(a):
    s = set(a.tolist())
    more = [1]
    more.extend(s)
    queue = collections.deque(s)
    return list(s), [*s], list(enumerate(s)), more, list(queue), list(zip(s, a.tolist())), np.array(list(s))


@program((A,), (B,), (C,))
def keys_of_dicts(a):
    s = {(v, v + 1) for v in a.tolist()}
    counts = collections.Counter([5, 100])
    counts.update(set(a.tolist()))
    d = {1: 2}
    d.update(s)
    return dict.fromkeys(set(a.tolist()), 0), dict(counts), dict(s), d


@program((A,), (B,), (C,), compiles=1)
def comprehensions(a):
    s = set(a.tolist())
    halves = {v // 2 for v in s}
    return sum(v * v for v in s), any(v > 8 for v in s), [v for v in halves], {v: v % 3 for v in halves}


@program((A,), (B,), (C,))
def tuples(a):
    s = {(v, -v, (v % 3, True)) for v in a.tolist()}
    return [v for v in s], [v for _, v, _ in s]


@program((A,), (B,))
def numbers_of_numpy(a):
    return [v for v in set(a)], [v for v in {np.uint8(v) for v in a}], [v for v in {v > 3 for v in a}]


@program((A, 1), (B, 8))
def known_members_first(a, k):
    s = {77, 5}
    s.update(a.tolist(), [1, 200])
    s.add(k)
    t = set()
    if k > 3:
        t.add(k)
        t.add(8)
    return [v for v in s], [v for v in t]


@program((A,), (B,), (C,))
def cleared(a):
    s = set(a.tolist())
    s.clear()
    for v in a.tolist():
        s.add(v * 5)
    return [v for v in s]


@program((A,), (B,), (C,))
def in_a_dict(a):
    groups = collections.defaultdict(set)
    for v in a.tolist():
        groups[v % 3].add(v * 7)
    return {k: [v for v in group] for k, group in groups.items()}


@program((A, 1), (B, 8), (C, 0))
def under_conditions(a, k):
    s = set()
    for i in range(4):
        if a[i] > k:
            s.add(i * 100)
    return [v for v in s]


@program((GRAPH, 0), (GRAPH.T.copy(), 2), compiles=1)
def levels(adjacent, start):
    seen, frontier, sizes = {start}, {start}, []
    while frontier:
        sizes.append(len(frontier))
        following = set()
        for u in frontier:
            for v in range(len(adjacent)):
                if adjacent[u, v] and v not in seen:
                    seen.add(v)
                    following.add(v)
        frontier = following
    return sizes, len(seen)


@program((np.array([[0, 1], [1, 1], [2, 1]]), 3), (np.array([[1, 0], [2, 1], [0, 2]]), 3))
def life(cells, steps):
    alive = {(int(i), int(j)) for i, j in cells}
    for _ in range(steps):
        counts = collections.Counter()
        for i, j in alive:
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    if di or dj:
                        counts[(i + di, j + dj)] += 1
        alive = {cell for cell, k in counts.items() if k == 3 or (k == 2 and cell in alive)}
    return sorted(alive), counts


@program((GRAPH, 0), (GRAPH.T.copy(), 3), compiles=1)
def neighbours_as_sets(adjacent, start):
    graph = collections.defaultdict(set)
    for i in range(len(adjacent)):
        for j in range(len(adjacent)):
            if adjacent[i, j]:
                graph[i].add(j)
                graph[j].add(i)
    seen, todo, order = set(), [start], []
    while todo:
        u = todo.pop()
        if u in seen:
            continue
        seen.add(u)
        order.append(u)
        for v in graph[u]:
            if v not in seen:
                todo.append(v)
    return order


def pairs_of_sets():
    """Members of two sets, of which one has many more than the other, or as many, in tables of several sizes."""
    random = np.random.default_rng(5)
    for scale in (20, 200, 2000):
        for one, two in ((30, 3), (30, 30), (5, 30), (30, 1), (12, 12)):
            yield np.resize(random.integers(0, scale, one), 30), np.resize(random.integers(0, scale, two), 30)


@program(*pairs_of_sets(), compiles=1)
def differences(a, b):
    s, t = set(a.tolist()), set(b.tolist())
    return list(s - t), [v for v in t - s]


@program(*pairs_of_sets(), compiles=1)
def intersections(a, b):
    s, t = set(a.tolist()), set(b.tolist())
    return list(s & t), [v for v in t & s]


@program((GRAPH, 0), (GRAPH.T.copy(), 2), compiles=1)
def neighbours_not_seen(adjacent, start):
    n = len(adjacent)
    graph = {i: set() for i in range(n)}
    for i in range(n):
        for j in range(n):
            if adjacent[i, j]:
                graph[i].add(j)
    seen, todo, order = set(), [start], []
    while todo:
        u = todo.pop()
        if u not in seen:
            seen.add(u)
            order.append(u)
            todo.extend(graph[u] - seen)
    return order


@program((A,), refuse=True)
def difference_in_place(a):
    s = set(a.tolist())
    s -= {1, 5}
    return [v for v in s]


@program((A,), refuse=True)
def difference_and_more(a):
    s = set(a.tolist()) - {5}
    s.add(1000)
    return [v for v in s]


@program((A, 1), refuse=True)
def after_a_removal(a, k):
    s = set(a.tolist())
    s.discard(k)
    return [v for v in s]


@program((A,), refuse=True)
def of_a_copy(a):
    return [v for v in set(a.tolist()).copy()]


@program((A, B), refuse=True)
def of_a_copy_of_a_difference(a, b):
    return [v for v in (set(a.tolist()) - set(b.tolist())).copy()]


@program((A, B), refuse=True)
def of_a_union(a, b):
    return list(set(a.tolist()) | set(b.tolist()))


@program((A,), refuse=True)
def after_an_update_by_a_set(a):
    s = {77}
    s.update({v + 1 for v in a.tolist()})
    return [v for v in s]


@program((A,), refuse=True)
def of_a_dict(a):
    return [v for v in set({v: 1 for v in a.tolist()})]


@program((A, 9), refuse="maybe", raises=RuntimeError)
def changed_in_the_loop(a, k):
    s, total = set(a.tolist()), 0
    for v in s:
        total += v
        if v == k:
            s.add(1000)
    return total


_LONG = np.random.default_rng(8).integers(0, 50, 300)


@program(_LONG.tolist(), _LONG[:40].tolist(), _LONG[:290].tolist(), (_LONG / 2).tolist())
def members_of_a_long_list(x):
    s = set(x)
    s.add(3)
    return s, len(s), sorted(s)


@program(_LONG.tolist(), (_LONG / 2).tolist(), (tuple(_LONG.tolist()),))
def order_of_members_of_a_long_list(x):
    s = set(x)
    items = []
    while len(s) > 0:
        items.append(s.pop())
    return items


@program(_LONG.tolist(), _LONG[:7].tolist(), (_LONG / 2).tolist())
def dict_of_a_long_list(x):
    return dict.fromkeys(x, 0), list(dict.fromkeys(x)), {v: 1 for v in x}


test_programs = program.test()


@pytest.mark.parametrize("capacity", [9, 90, 700])
def test_order_is_that_of_the_table(capacity):
    """Random members, with hashes that are reduced, equal or -1, in tables of every size up to that of the capacity."""
    random = np.random.default_rng(capacity)
    of_integers = jax.jit(lambda v, n: dynamic_set_order._order(dynamic_set_order._of_integers(v), n))
    of_pairs = jax.jit(
        lambda v, n: dynamic_set_order._order(dynamic_set_order._of_tuples(*map(dynamic_set_order._of_integers, v)), n)
    )
    special = [-1, -2, 0, 2**61 - 1, 2**61 - 2, -(2**61), 2**62, 2**63 - 1, -(2**63)]
    with jax.enable_x64(True):
        for trial in range(40):
            scale = int(random.choice([10, 1000, 2**40, 2**62]))
            found = [*random.integers(-scale, scale, capacity).tolist(), *special[: trial % 10]]
            random.shuffle(found)
            members = list(dict.fromkeys(found))[: random.integers(capacity)]
            pairs = [(v, w) for v, w in zip(members, members[::-1])]
            rows = jnp.array(members + [0] * (capacity - len(members)), jnp.int64)
            others = jnp.array(members[::-1] + [0] * (capacity - len(members)), jnp.int64)
            count = len(members)
            orders = of_integers(rows, count), of_pairs((rows, others), count)
            for listed, order in zip((members, pairs), orders):
                assert [listed[k] for k in np.asarray(order)[:count]] == list(set(listed))
