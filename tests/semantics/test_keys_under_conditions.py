"""Dicts, sets and counters that get known keys, or items of a generator, on some paths only."""

from collections import Counter, deque

import numpy as np

from .runner import Programs

program = Programs()

X, Y = np.array([9.0, -3.0, 2.0, -50.0, 5.0, 7.0]), np.array([1.0, -3.0, 2.0, -5.0, -1.0, 0.0])
LINKS = np.array([[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
OTHERS = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]])


@program((X,), (Y,), (-X,), compiles=1)
def chosen_items(x):
    found = {}
    for i in range(6):
        if x[i] > 0:
            found[i] = x[i]
    best = max(found, key=found.get) if found else None
    return found, len(found), sum(found.values()), best, 3 in found, found.get(2, -1.0)


@program((X,), (Y,), compiles=1)
def in_the_order_of_insertion(x):
    found = {2: 0.0}
    for i in range(6):
        if x[i] > 4:
            found[i] = 1.0
    for i in range(5, -1, -1):
        if x[i] < 0:
            found[i] = 2.0
    return list(found), list(found.items()), found


@program((X,), (Y,), compiles=1)
def items_come_and_go(x):
    left = dict.fromkeys(range(3), 0)
    for i in range(6):
        if x[i] > 0:
            left.pop(i, None)
        else:
            left[i] = i
    return left, len(left), min(left.values()), 3 in left


@program((X,), (Y,), raises=KeyError)
def one_that_is_missing(x):
    found = {}
    for i in range(6):
        if x[i] > 0:
            found[i] = x[i]
    return found[0] + found[4]


@program((X,), (Y,), compiles=1)
def named_items(x):
    found = {"a": 0, "b": 1}
    for i, name in enumerate(("c", "d", "e", "f")):
        if x[i] > 0:
            found[name] = i
    return found, len(found), "c" in found


@program((X,), (Y,), compiles=1)
def keys_of_two_kinds(x):
    found = {}
    for i in range(6):
        if x[i] > 0:
            found[(i, i % 2)] = i
        elif x[i] < -10:
            found[i] = 2.5
    return found, (2, 0) in found


@program((LINKS,), (OTHERS,), compiles=1)
def mean_distances(adjacent):
    n, means = len(adjacent), {}
    for start in range(n):
        distance = {start: 0}
        queue = deque([start])
        while queue:
            u = queue.popleft()
            for v in range(n):
                if adjacent[u, v] and v not in distance:
                    distance[v] = distance[u] + 1
                    queue.append(v)
        means[start] = sum(distance.values()) / len(distance)
    return means


@program((X,), (Y,), compiles=1)
def members(x):
    found = set()
    for i in range(6):
        if x[i] > 0:
            found.add(i)
    return len(found), 4 in found, found | {0}, found - {2}


@program((X,), (Y,), compiles=1)
def the_given_dict(x):
    found = {1: 5.0}
    kept = found
    for i in range(6):
        if x[i] > 0:
            found[i] = x[i]
    kept[7] = 1.0
    return found, kept is found, len(kept)


@program((np.array([5, 1, 4, 2]), 2), (np.array([1, 3, 3, 6]), 2), compiles=1)
def times_of_completion(jobs, slice_):
    queue = deque((i, int(t)) for i, t in enumerate(jobs))
    clock, done = 0, {}
    while queue:
        i, left = queue.popleft()
        run = min(slice_, left)
        clock += run
        if left > run:
            queue.append((i, left - run))
        else:
            done[i] = clock
    return done, [done[i] for i in range(len(jobs))], clock


# -- items of generators ----------------------------------------------------------------------------------------------


@program((X,), (Y,), compiles=1)
def counted(x):
    found = Counter(int(v) % 3 for v in x if v > 0)
    return found, found.most_common(1), len(found)


@program((X,), (Y,), compiles=1)
def counted_twice(x):
    found = Counter()
    found.update(int(v) % 3 for v in x if v > 0)
    found.update(i for i in range(6) if x[i] > 0)
    found.subtract(i for i in range(6) if x[i] < 0)
    return found, found[0], sum(found.values())


@program((LINKS,), (OTHERS,), compiles=1)
def most_frequent_label(adjacent):
    labels = list(range(len(adjacent)))
    for u in range(len(adjacent)):
        counts = Counter(labels[v] for v in range(len(adjacent)) if adjacent[u, v])
        if counts:
            labels[u] = max(counts.items(), key=lambda item: (item[1], -item[0]))[0]
    return labels


@program((X,), (Y,), compiles=1)
def lists_that_take_items_of_generators(x):
    found = [1.0]
    found.extend(v for v in x if v > 0)
    found += (v for v in x if v < 0)
    return found, len(found), [0.5, *(v for v in x if v > 2)]


@program((X,), (Y,), compiles=1)
def sets_and_dicts_that_take_items_of_generators(x):
    members, found = {7}, {3: 0.5}
    members.update(int(v) % 3 for v in x if v > 0)
    found.update((i, v) for i, v in enumerate(x) if v > 0)
    return members, found, len(set(int(v) % 3 for v in x if v < 0)), dict((i, v) for i, v in enumerate(x) if v > 2)


@program((X,), (-X,), raises=ValueError)
def an_exception_in_a_generator(x):
    def checked():
        for v in x:
            if v < -20:
                raise ValueError("too small")
            if v > 0:
                yield v

    found = [1.0]
    found.extend(checked())
    return found, Counter(int(v) % 2 for v in checked())


test_programs = program.test()
