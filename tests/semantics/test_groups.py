"""itertools.groupby, and slices of lists between bounds that depend on data."""

import itertools

import numpy as np

from .runner import Programs

program = Programs()
rng = np.random.default_rng(42)
X = rng.normal(size=12)
Y = rng.normal(size=12)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
R = np.array([1, 1, 2, 2, 2, 3, 1, 1])


@program((R,), (K,))
def keys(a):
    out = []
    for k, g in itertools.groupby(a):
        out.append(k)
    return out


@program((R,), (K,))
def with_for(a):
    out = []
    for k, g in itertools.groupby(a):
        n = 0
        for item in g:
            n += item
        out.append((k, n))
    return out


@program((R,), (K,))
def with_sum(a):
    out = []
    for k, g in itertools.groupby(a):
        out.append((k, sum(g)))
    return out


@program((R,), (K,))
def with_list(a):
    out = []
    for k, g in itertools.groupby(a):
        out.append((k, len(list(g))))
    return out


@program((R,), (K,))
def in_a_comprehension(a):
    return [(k, len(list(g))) for k, g in itertools.groupby(a, key=lambda v: v % 2)]


@program((R,), (K,))
def keys_that_outgrow_no_integer(a):
    """That they do not is checked during the run, and nobody sees that."""
    return [(k, len(list(g))) for k, g in itertools.groupby(a.tolist(), lambda v: v * v * v)]


@program((R,), (K,))
def keys_that_need_room(a):
    def digits(v):
        found = []
        while v > 0:
            found.append(v % 2)
            v //= 2
        return len(found)

    return [(k, len(list(g))) for k, g in itertools.groupby(a.tolist(), digits)]


@program((R,), (K,))
def group_left_early(a):
    out = []
    for k, g in itertools.groupby(a):
        for item in g:
            out.append(item)
            break
    return out


@program(([1, 1, 2, 3, 3, 3, 1],))
def known_items(items):
    return [(k, len(list(g))) for k, g in itertools.groupby(items)]


@program((R,), (K,))
def of_map(a):
    return [(k, len(list(g))) for k, g in itertools.groupby(map(lambda v: v * 2, a.tolist()))]


@program((R,), (K,))
def of_generator(a):
    return [(k, sum(g)) for k, g in itertools.groupby(v // 2 for v in a)]


@program((R,), (K,))
def groups_kept(a):
    groups = list(itertools.groupby([1, 1, 2]))
    return [list(g) for k, g in groups], [k for k, g in groups]


@program((R,), (K,))
def of_string(a):
    return [(k, len(list(g))) for k, g in itertools.groupby("aabccc")], {
        k: [v for _, v in g] for k, g in itertools.groupby([("a", a[0]), ("a", a[1]), ("b", a[2])], key=lambda p: p[0])
    }


@program((R,), (K,))
def sorted_then_grouped(a):
    out = {}
    for k, g in itertools.groupby(sorted(a.tolist(), key=lambda v: v % 3), key=lambda v: v % 3):
        out[k] = sum(g)
    return out


@program((X,), (Y,))
def groupby_sign_longest(a):
    best = 0
    for positive, run in itertools.groupby(a, key=lambda v: v > 0):
        n = len(list(run))
        if positive and n > best:
            best = n
    return best


@program((5,), (6,))
def fannkuch(n):
    perm1 = list(range(n))
    count = list(range(n))
    maxflips = checksum = r = nperm = 0
    r = n
    while True:
        while r != 1:
            count[r - 1] = r
            r -= 1
        perm = perm1[:]
        flips = 0
        k = perm[0]
        while k:
            perm[: k + 1] = perm[k::-1]
            flips += 1
            k = perm[0]
        if flips > maxflips:
            maxflips = flips
        checksum += flips if nperm % 2 == 0 else -flips
        while True:
            if r == n:
                return checksum, maxflips
            p0 = perm1[0]
            for i in range(r):
                perm1[i] = perm1[i + 1]
            perm1[r] = p0
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1
        nperm += 1


@program((K, 3), (K[::-1].copy(), 5))
def reverse_prefix(a, k):
    p = a.tolist()
    for i in range(3):
        j = p[i] % k
        p[: j + 1] = p[j::-1]
    return p


@program((R,), (K,), refuse=True)
def sequence_changes_meanwhile(a):
    items = a.tolist()
    out = []
    for k, g in itertools.groupby(items):
        items[-1] = k
        out.append(sum(g))
    return out


@program((R, 2), (K, 5))
def slices_on_data(a, n):
    p = a.tolist()
    i = int(a[0]) % 4
    q = p[i:]
    r = p[: i + 2]
    p[i : i + 2] = [10, 20]
    del q[:i]
    s = p[-i - 1 :: -1]
    return p, q, r, s, len(q), sum(r), [v for v in p[i : int(a[1])]]


@program((R, 2), (K, 5))
def tokens_of_a_moving_position(a, n):
    items = list(a)
    position, out = 0, []
    while position < len(items):
        step = int(items[position]) % 3 + 1
        out.append(sum(items[position : position + step]))
        position += step
    return out


@program((R,), refuse=True)
def key_prints(a):
    def key(v):
        print(v)
        return v

    return [(k, sum(g)) for k, g in itertools.groupby(a, key=key)]


@program((R,), refuse=True)
def key_counts(a):
    n = [0]

    def key(v):
        n[0] += 1
        return v

    return [(k, sum(g)) for k, g in itertools.groupby(a, key=key)], n


@program((R,), refuse=True)
def key_raises(a):
    def key(v):
        if v > 2:
            raise ValueError(v)
        return v

    for k, g in itertools.groupby(a, key=key):
        if k == 2:
            break
    return k


test_programs = program.test()
