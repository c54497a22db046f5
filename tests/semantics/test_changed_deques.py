"""Deques that change while somebody goes through them, which iterators notice; lists, from the last item on."""

import collections

import numpy as np

from .runner import Programs

program = Programs()
FEW = collections.deque([3.0, 2.0, 1.0])
MANY = collections.deque(list(np.arange(30.0) / 7))
FULL = collections.deque([1.0, 2.0, 3.0], maxlen=3)
DEQUES = [(FEW, 1), (FEW, 7), (FULL, 1), (MANY, 1), (collections.deque(), 1)]


@program(*DEQUES)
def turned(q, n):
    try:
        for _ in q:
            q.rotate(1)
            n += 1
    except RuntimeError as error:
        return str(error), n
    return n


@program(*DEQUES)
def perhaps_extended(q, n):
    found = []
    for change in range(4):
        try:
            for _ in q:
                if change == 0:
                    q.extend([] if n < 5 else [1.0])
                elif change == 1:
                    q += [0.5][n:]
                elif change == 2:
                    q[0] = 9.0
                else:
                    q.append(q.pop())
        except RuntimeError as error:
            found.append(str(error))
        found.append(list(q))
    return found


@program(*DEQUES)
def left_at_the_change(q, n):
    total = 0.0
    for v in q:
        total += v
        if v > n:
            q.append(v - 1)
            break
    for v in q:
        total += v
    return total


@program(*DEQUES[:4])
def iterators(q, n):
    it = iter(q)
    found = [next(it)]
    for change in (True, False, True):
        if change:
            q.appendleft(5.0)
        try:
            found.append(next(it))
        except RuntimeError as error:
            found.append(str(error))
        it = iter(q)
    return found, [v for v in q], type(it).__name__


@program(*DEQUES)
def a_queue_that_is_looked_through(q, n):
    q.append(n)
    total = 0.0
    while q and total < 20:
        v = q.popleft()
        total += 1
        for other in q:
            total += other * 0.1
        if v > 2:
            q.append(v - 1)
            q.append(v - 2)
    return total


@program((np.array([3.0, 2.0, -1.0]),), (np.array([3.0, 2.0, 1.0]),), refuse="maybe")
def grows_as_data_says(x):
    q, n = collections.deque(x), 0
    try:
        for v in q:
            n += 1
            if v < 0:
                q.append(v)
    except RuntimeError as error:
        return str(error), n
    return n


@program(*DEQUES[:3])
def backwards(q, n):
    found = []
    try:
        for v in reversed(q):
            found.append(v)
            if len(found) == 2:
                q.extend([] if n > 5 else [v])
    except RuntimeError as error:
        found.append(str(error))
    return found, q


@program((np.array([3.0, 2.0, -1.0]),), (np.array([-3.0, 2.0, 1.0]),))
def lists_from_the_last_item_on(x):
    found = []
    for times in range(1, 4):
        items = [1, 2, 3, 4]
        it = reversed(items)
        found.append(next(it))
        if x[0] > 0:
            del items[-times:]
        found.append(next(it, -1))
        items += [7, 8]
        found.append(next(it, -1))
    return found


@program((np.arange(20.0),), (-np.arange(20.0),))
def a_long_list_from_the_last_item_on(x):
    items, found = [float(v) for v in x], 0.0
    for v in reversed(items):
        found += v
        items.pop()
        if v != 15.0:
            items.pop()
    return found, len(items)


test_programs = program.test()
