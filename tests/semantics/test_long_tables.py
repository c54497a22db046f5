"""Dicts and sets of many keys, in which machine code has an index that has to follow all that is done to them; lists
from whose beginnings and middles items are taken; places in vectors that are in order."""

import bisect
from collections import deque

import numpy as np

from .runner import Programs

program = Programs()
R = np.random.default_rng(8)
MANY = R.integers(-40, 40, 300)
FLOATS = np.concatenate([R.integers(-30, 30, 200) / 2, [0.0, -0.0, np.inf, -np.inf, 1e300, 5e-324]])
ORDERED = np.array([-np.inf, -2.0, -0.0, 0.0, 0.0, 1.0, 1.0, 7.5, np.inf, np.nan, np.nan])
WANTED = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, 0.5, 8.0, -3.0])


@program(MANY, -MANY)
def counts(a):
    found = {}
    for x in a:
        found[x] = found.get(x, 0) + 1
    return sorted(found.items())


@program(FLOATS, FLOATS[::-1].copy())
def floats_as_keys(a):
    found = {}
    for k, x in enumerate(a):
        if x in found:
            found[x] += k
        else:
            found[x] = k
    return list(found.keys()), list(found.values())


@program((MANY, FLOATS), (-MANY, -FLOATS))
def floats_among_integers(a, b):
    found = {}
    for k, x in enumerate(a):
        found[x] = k
    total, missing = 0, 0
    for y in b:
        if y in found:
            total += found[y]
        else:
            missing += 1
    return total, missing


@program((MANY.astype(np.int8), MANY.astype(np.uint64)), (MANY[::-1].astype(np.int8), MANY.astype(np.uint64)))
def unsigned_among_signed(a, b):
    seen = set()
    for x in a:
        seen.add(x)
    common = 0
    for y in b:
        if y in seen:
            common += 1
    return common, len(seen)


@program(MANY, MANY[::-1].copy())
def pairs_as_keys(a):
    found, hits = {}, 0
    for i in range(len(a) - 1):
        key = (a[i] % 9, a[i + 1] / 4)
        if key in found:
            hits += found[key]
        found[key] = i
    return hits, len(found), sum(found.values())


@program(MANY, -MANY)
def removed_and_put_again(a):
    found, gone = {}, 0
    for k, x in enumerate(a):
        if x in found and k % 3 == 0:
            del found[x]
            gone += 1
        elif x in found and k % 3 == 1:
            gone += found.pop(x)
        else:
            found[x] = k
    return list(found), list(found.values()), gone


@program(MANY, -MANY)
def last_ones_taken(a):
    found, total = {}, 0
    for k, x in enumerate(a):
        found[x] = k
        if k % 5 == 4:
            key, value = found.popitem()
            total += key * value
        if x + 1 in found:
            total += found[x + 1]
    return total, len(found)


@program(MANY, -MANY)
def emptied_at_times(a):
    found, repeated = set(), 0
    for k, x in enumerate(a):
        if x in found:
            repeated += 1
        found.add(x)
        if k % 100 == 99:
            found.clear()
    return repeated, len(found)


@program((MANY, 3), (MANY, 150))
def exchanged(a, n):
    one, other, hits = {0: 1}, {1: 2}, 0
    for k, x in enumerate(a):
        if x in one:
            hits += one[x]
        one[x] = k
        if k % n == n - 1:
            one, other = other, one
    return hits, len(one), len(other), sum(one.values()), sum(other.values())


@program((MANY, 7), (MANY, 70))
def chosen_table(a, n):
    one, other, hits = {}, {}, 0
    for k, x in enumerate(a):
        table = one if x % n else other
        if x in table:
            hits += table[x]
        table[x] = k
    return hits, len(one), len(other)


@program((MANY, 200), (-MANY, 3))
def kept_and_changed(a, n):
    found, before = {}, {}
    for k, x in enumerate(a):
        if k == n:
            before = dict(found)
        found[x] = k
    hits = 0
    for x in a:
        if x in before and before[x] == found[x]:
            hits += 1
    return hits, len(before), len(found)


@program((R.integers(0, 5000, 4000),), (R.integers(0, 9, 4000),))
def more_keys_than_room(a):
    found = {}
    for x in a:
        found[x] = found.get(x, 0) + 1
    return len(found), max(found.values())


@program((20,), (45,))
def paths_in_a_table(n):
    ways = {}
    for i in range(n):
        for j in range(n):
            ways[i, j] = 1 if i == 0 or j == 0 else (ways[i - 1, j] + ways[i, j - 1]) % 10007
    return ways[n - 1, n - 1], len(ways)


@program((60,), (700,))
def chains_in_a_table(n):
    steps = {1: 0}
    for i in range(2, n):
        x, path = i, []
        while x not in steps:
            path.append(x)
            x = x // 2 if x % 2 == 0 else 3 * x + 1
        count = steps[x]
        for y in reversed(path):
            count += 1
            steps[y] = count
    return max(steps.values()), len(steps)


@program(MANY, -MANY)
def both_ends(a):
    waiting, total = deque(), 0
    for k, x in enumerate(a):
        if x % 3:
            waiting.append(x)
        else:
            waiting.appendleft(x)
        if k % 4 == 3:
            total += waiting.popleft() * k
        if k % 7 == 6:
            total -= waiting.pop()
    return total, list(waiting)


@program(MANY, -MANY)
def in_the_middle(a):
    kept = []
    for x in a:
        place = bisect.bisect(kept, x)
        kept.insert(place, x)
        if len(kept) > 50:
            del kept[int(abs(x)) % 40]
        if len(kept) > 45:
            kept.pop(3)
        if len(kept) > 48:
            del kept[5:8]
    return kept


@program((ORDERED, WANTED), (ORDERED[1:-2].copy(), WANTED[1:].copy()), (ORDERED.astype(np.float32), WANTED))
def places_in_order(a, v):
    total = np.zeros(len(v), int)
    for k in range(3):
        total = total * 20 + np.searchsorted(a, v) + np.searchsorted(a, v + k, side="right")
    return total, np.searchsorted(a, v, side="right"), np.searchsorted(a, v[0])


@program((np.arange(0, 90, 3), MANY), (np.arange(0, 90, 3).astype(np.uint8), MANY.astype(np.int16)))
def places_of_integers(a, v):
    total = 0
    for x in v:
        total = total * 3 % 1000003 + np.searchsorted(a, x)
    return total, np.searchsorted(a, v, side="right"), np.searchsorted(a[:1], v), np.digitize(v, a)


@program((np.sort(FLOATS[:100]), FLOATS[100:120] + 0.25), (np.sort(FLOATS[50:150]), FLOATS[100:120]))
def interpolated(xp, x):
    total = np.zeros(len(x))
    for k in range(4):
        total += np.interp(x + k, xp, np.arange(len(xp)) ** 1.5)
    return total


@program((MANY, 4), (-MANY, 9))
def mixed_with_known_keys(a, n):
    found = {0: 0, True: 10}
    for k in range(n):
        found[k] = found.get(k, 5) + 1
    for x in a:
        found[x] = found.get(x, 0) + 1
        found[x] += found[0]
    return list(found), list(found.values())


test_programs = program.test()
