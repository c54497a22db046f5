"""list, tuple, dict, set and friends: static structure with dynamic contents, and dynamic indices."""

import collections

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])
K = np.array([3, 1, 2])


@program((X, Y))
def tuple_operations(x, y):
    t = (x, y, 1.0)
    return t + (2,), t * 2, t[1], t[-1], t[::-1], len(t), t[1:]


@program((X, Y))
def list_methods(x, y):
    a = [x]
    a.append(y)
    a.extend([x + y, x * y])
    a.insert(1, 0.5)
    last = a.pop()
    second = a.pop(1)
    a.reverse()
    b = a.copy()
    b.clear()
    return a, last, second, b, len(a)


@program([1.0, 2.0, 3.0, 4.0, 5.0])
def list_slicing(a):
    a[1:3] = [20.0, 30.0, 35.0]
    a[-1] = 50.0
    del a[0]
    return a[::2], a[::-1], a[-2:]


@program([1.0, 2.0, 3.0])
def list_operators(a):
    b = a + [4.0]
    c = a * 2
    alias = a
    a += [9.0]
    return b, c, alias, [0] * 3


@program((1.0, 2.0, 3.0, 4.0))
def star_unpacking(a, b, c, d):
    first, *mid, last = [a, b, c, d]
    (p, q), r = (a, b), c
    *init, z = (a, b)
    return first, mid, last, p, q, r, init, z, [*mid, *init], (*mid, 1), {*"ab"}


@program((X,))
def unpack_array(x):
    a, b, c = x
    return a + b * c


@program(np.arange(6.0).reshape(2, 3))
def unpack_rows(m):
    (a, b, c), second = m
    return a * second + b - c


@program([1.0, 2.0], raises=ValueError)
def unpack_too_many(a):
    p, q, r = a
    return p


@program((1.0, 2.0))
def swap(a, b):
    a, b = b, a
    return a, b


@program([1, 2, 3])
def swap_items(a):
    a[0], a[2] = a[2], a[0]
    i = 1
    i, a[i] = 0, 10
    return a


@program({"a": 1.0, "b": 2.0})
def dict_methods(d):
    e = dict(d)
    e["c"] = d["a"] + d["b"]
    e.update({"a": 10.0}, z=5.0)
    popped = e.pop("b")
    missing = e.pop("nope", -1.0)
    got = e.get("c"), e.get("q"), e.get("q", 7)
    e.setdefault("a", 0.0)
    e.setdefault("new", popped)
    return e, missing, got, list(e), "a" in e, len(e), list(e.items())


@program(({"a": 1.0}, {"a": 2.0, "b": 3.0}))
def dict_merge(p, q):
    r = {**p, **q, "c": 4.0}
    s = q | p
    p |= {"k": 0.0}
    return r, s


@program({"a": 1.0, "b": 2.0})
def dict_deletion_and_order(d):
    v = d["a"]
    del d["a"]
    d["a"] = v + 1
    return list(d.values()), next(iter(d)), d.popitem()


@program({"a": 1.0}, raises=KeyError)
def dict_key_error(d):
    return d["z"]


@program((X, {(0, 1): 2.0, (1, 0): 3.0, None: 1.0}))
def dict_with_other_keys(x, d):
    return x * d[0, 1] + d[None]


@program((X, {0: 10.0, 1: 20.0, 2: 30.0}, 1), (X, {0: 10.0, 1: 20.0, 2: 30.0}, 2))
def dict_indexed_by_int_argument(x, d, k):
    return x * d[k]


@program((np.array([0, 2]), {0: 10.0, 1: 20.0, 2: 30.0}), (np.array([1, 2]), {0: 10.0, 1: 20.0, 2: 30.0}))
def dict_indexed_by_array_element(k, d):
    return d[int(k[0])] + d[int(k[1])]


@program(np.array([0, 9]), raises=KeyError)
def dict_indexed_by_array_element_missing(k):
    d = {0: 1.0, 1: 2.0}
    return d[int(k[1])]


@program(K, np.array([1, 1, 1]), refuse="maybe")
def dict_counts_dynamic_keys(k):
    counts = {}
    for v in k:
        v = int(v)
        counts[v] = counts.get(v, 0) + 1
    return len(counts)


@program(5, 3)
def memo_dict_static(n):
    memo = {0: 0, 1: 1}
    for i in range(2, 10):
        memo[i] = memo[i - 1] + memo[i - 2]
    return memo[9] * n


@program((X, 2))
def set_operations(x, n):
    s = {1, 2, 3}
    t = {3, 4}
    s.add(n + 3 if False else 5)
    s.discard(1)
    u = s | t
    v = frozenset(s & t)
    return u, v, s - t, s ^ t, 3 in s, len(u), v <= s


@program(2, 7)
def membership_in_literal(n):
    return n in (1, 2, 3), n not in [7, 8], n in {2, 4}, n in range(0, 10, 2)


@program((X, 3.0), (X, 4.0))
def membership_in_array_and_list(x, v):
    return v in x, v in [x[0], x[1], x[2]], [1.0, 3.0].count(v)


@program([3.0, 1.0, 2.0], [2.0, 9.0, -2.0])
def sorting_scalars(a):
    b = sorted(a)
    a.sort(reverse=True)
    return b, a, min(a), max(b)


@program([3.0, 1.0, 2.0], [2.0, 9.0, -2.0])
def sorting_with_dynamic_key(a):
    return sorted(a, key=lambda v: -v), sorted(a, key=abs, reverse=True)


@program(([("b", 1.0), ("a", 2.0), ("c", 0.5)],))
def sorting_by_static_key(pairs):
    return sorted(pairs), sorted(pairs, key=lambda p: p[0], reverse=True)


@program(([(2.0, "x"), (1.0, "y")],))
def sorting_pairs_by_dynamic_value_uses_numbers(pairs):
    return [v for v, _ in sorted(pairs, key=lambda p: p[0])]


@program(X, Y)
def sorting_array_elements(x):
    return sorted(x), sorted(x.tolist(), reverse=True)


@program(([X, Y, X * 2], 0), ([X, Y, X * 2], 2), ([X, Y, X * 2], -1))
def list_dynamic_index(items, i):
    return items[i]


@program(([X, Y, X * 2], 5), raises=IndexError)
def list_dynamic_index_out_of_range(items, i):
    return items[i]


@program((K, [X, Y, X * 2, Y * 2]))
def list_indexed_by_array_element(k, items):
    s = np.zeros(3)
    for v in k:
        s += items[v]
    return s


@program((K, 3), (K, 1))
def list_dynamic_setitem(k, n):
    items = [0.0, 0.0, 0.0, 0.0]
    for i in range(n):
        items[k[i]] = i + 1.0
    return items


@program(([1, 2, 3, 4], 2), ([1, 2, 3, 4], 0))
def list_dynamic_slice(items, n):
    return items[:n], sum(items[n:])


@program((5,), (9,))
def list_of_zeros_dynamic_length(n):
    a = [0] * n
    for i in range(n):
        a[i] = i * i
    return sum(a)


@program((K, 4))
def nested_list_table(k, n):
    t = [[0] * 3 for _ in range(4)]
    for i in range(n):
        for j in range(3):
            t[i][j] = i * k[j]
    return t


@program(3, 4)
def shared_rows_alias(n):
    t = [[0] * 2] * 3
    t[0][1] = n
    return t


@program(([3, 5, 3], 3), ([3, 5, 3], 5))
def list_index_count_remove(a, v):
    i = a.index(v)
    c = a.count(v)
    a.remove(v)
    return i, c, len(a)


@program(([3, 5], 4), raises=ValueError)
def list_index_missing(a, v):
    return a.index(v)


@program([1.0, 2.0])
def list_argument_appended(a):
    a.append(a[0] + a[1])
    return len(a)


@program(([1.0], 3), ([1.0], 0))
def list_argument_appended_in_dynamic_loop(a, n):
    for i in range(n):
        a.append(a[-1] * 2)


@program([X, Y])
def list_argument_items_replaced(items):
    items[0] = items[0] + 1
    items[1][0] = 77.0
    items[:] = items[::-1]


@program({"w": X, "b": Y})
def dict_argument_changed(d):
    d["w"] = d["w"] * 2
    d["b"][0] = 5.0
    d["new"] = d["w"] + d["b"]


@program({"layers": [{"w": X}, {"w": Y}], "n": 2})
def nested_structure_changed(d):
    for layer in d["layers"]:
        layer["w"] = layer["w"] * d["n"]
    d["layers"].append({"w": d["layers"][0]["w"]})
    return d["layers"][-1]["w"]


@program(({"a": X},))
def nested_structure_returned(d):
    return {"out": [d["a"], (d["a"] * 2, None, "s")], "n": 3, 4: d["a"].sum()}


@program((1.0, 2.0))
def deque_operations(a, b):
    q = collections.deque([a, b])
    q.append(a + b)
    q.appendleft(0.0)
    first = q.popleft()
    q.rotate(1)
    return first, list(q), len(q)


@program((np.array([[1, 2], [2, 3], [3, 3], [3, 3]]), 0), (np.array([[1, 2], [2, 3], [3, 3], [3, 3]]), 2))
def queue_breadth_first(adj, start):
    seen = np.zeros(4, dtype=bool)
    queue = np.zeros(16, dtype=np.int64)
    head, tail = 0, 1
    queue[0] = start
    seen[start] = True
    while head < tail:
        v = queue[head]
        head += 1
        for w in adj[v]:
            if not seen[w]:
                seen[w] = True
                queue[tail] = w
                tail += 1
    return seen, tail


@program(X)
def defaultdict_counter(x):
    d = collections.defaultdict(float)
    for i, v in enumerate(x):
        d[i % 2] += v
    c = collections.Counter("abca")
    return dict(d), c["a"]


@program((X, Y))
def ordered_dict(x, y):
    d = collections.OrderedDict(a=x)
    d["b"] = y
    d.move_to_end("a")
    return list(d), d["a"]


@program(((1, 2.0), (1, 3.0)), ((2, 0.0), (1, 3.0)))
def tuple_comparison(p, q):
    return p < q, p == q, max(p, q), [1, 2] < [1, 3], (p[0],) * 2


@program(([1.0, 2.0], [1.0, 2.0]), ([1.0, 2.0], [1.0, 5.0]))
def list_equality(a, b):
    return a == b, a != b, a is b


@program((3, 1), (2, 2))
def dict_of_lists_grouping(n, k):
    groups = {}
    for i in range(6):
        groups.setdefault(i % 3, []).append(i * n + k)
    return groups


@program((X, 1))
def zip_star_transpose(x, k):
    pairs = [(v, v * k) for v in x]
    a, b = zip(*pairs)
    return a, b, list(zip(a, b))


@program(X)
def array_to_list_and_back(x):
    a = x.tolist()
    a[0] = 10.0
    a.append(1.0)
    return np.array(a), np.asarray([x, x]), np.array([[1.0, x[0]], [x[1], 2.0]])


@program((X, [0, 2]))
def index_array_by_list(x, idx):
    return x[idx], x[[True, False, True]]


@program(X)
def bytes_strings_constants(x):
    s = "abc" + "d" * 2
    return x * len(s), s.upper(), s[1:3], "-".join(["p", "q"]), s.split("b"), b"ab"[0], "x" in s


@program((X, "mean"))
def string_formatting_static(x, name):
    key = f"np_{name:>6}_{len(x):02d}"
    return key, "%s-%d" % (name, 3), "{}:{:.2f}".format(name, 0.5), name.startswith("me")


@program(X)
def slice_objects(x):
    s = slice(1, None)
    return x[s], s.indices(3), list(range(5))[s]


@program((X, 2), (X, 1))
def list_multiplication_and_rotation(x, n):
    ring = [0.0, 1.0, 2.0]
    for i in range(n):
        ring = ring[1:] + [ring[0] + x[i]]
    return ring


@program((X, 2), (X, 3))
def keep_last_two(x, n):
    window = [0.0, 0.0]
    for i in range(n):
        window.append(x[i])
        window.pop(0)
    return window


# -- dicts and keys that depend on data --------------------------------------------------------------------------------

COUNTED = np.array([3, 1, 4, 1, 5, 9, 2, 6])


@program((COUNTED,), (np.array([7, 7, 1]),))
def count_into_known_keys(a):
    counts = dict.fromkeys(range(10), 0)
    for v in a:
        counts[int(v)] += 1
    return counts


@program((COUNTED,), (np.array([7, 7, 10]),), refuse="maybe")
def count_may_meet_a_new_key(a):
    counts = dict.fromkeys(range(10), 0)
    for v in a:
        counts[int(v)] = counts.get(int(v), 0) + 1
    return counts


@program((COUNTED,), (np.array([7, 7, 10]),), raises=KeyError)
def count_misses_a_key(a):
    counts = dict.fromkeys(range(10), 0)
    for v in a:
        counts[int(v)] += 1
    return counts


@program((COUNTED,), (np.array([7, 2, 10]),))
def count_what_is_there(a):
    counts, missed = {1: 0.0, 5: 0.0, 7: 1.0}, 0
    for v in a:
        if int(v) in counts:
            counts[int(v)] += 0.5
        try:
            counts[int(v)] *= 2
        except KeyError:
            missed += 1
    return counts, missed


@program((COUNTED,), (np.array([0, 2, 1]),))
def count_pairs(a):
    pairs = {(0, 1): 1, (1, 1): 2, (1, 0): 0}
    for v, w in zip(a % 2, (a // 2) % 2):
        if (int(v), int(w)) in pairs:
            pairs[int(v), int(w)] += 1
    return pairs


@program((COUNTED, 1), (COUNTED, 9))
def new_key_is_an_argument(a, k):
    found = {1: 0.0}
    found[k] = a.sum()
    return found


@program((COUNTED,), (np.array([0, 2, 1]),), refuse="maybe")
def new_key_in_except_exception(a):
    found = {1: 0.0}
    try:
        found[int(a[1])] = 2.0
    except Exception:
        found[1] = -1.0
    return found


test_programs = program.test()
