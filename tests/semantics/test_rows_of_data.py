"""Lists whose length depends on data: as the rows of a table that data chooses from, as indices of arrays, and items of
a container that is told apart by data only after they were taken out."""

from collections import defaultdict, deque

import numpy as np

from .runner import Programs

program = Programs()

X, Y = np.array([1.0, -2.0, 3.0, 0.5, 4.0]), np.array([2.5, 1.0, -0.75, 4.0, 9.0])
M = np.arange(15.0).reshape(5, 3)
LINKS = np.array([[0, 1, 0, 0], [0, 0, 1, 1], [1, 0, 0, 0], [0, 0, 0, 0]])
OTHERS = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]])
STEPS, MORE = np.array([1, 0, 2, 1, 2]), np.array([0, 0, 1, 2, 2])


# -- rows -------------------------------------------------------------------------------------------------------------


@program((LINKS, np.array([1, 0, 1])), (OTHERS, np.array([3, 3, 2])), compiles=1)
def rows_of_neighbours(adjacent, at):
    n = len(adjacent)
    rows = [[v for v in range(n) if adjacent[u, v]] for u in range(n)]
    return [(sum(rows[k]), len(rows[k])) for k in at]


@program((LINKS, np.array([1, 0, 1])), (OTHERS, np.array([3, 3, 2])), compiles=1)
def dict_of_neighbours(adjacent, at):
    n = len(adjacent)
    rows = {u: [v for v in range(n) if adjacent[u, v]] for u in range(n)}
    return [sum(v * 2 for v in rows[int(k)]) for k in at], rows[1]


@program((LINKS, 0), (OTHERS, 2), (LINKS, 3), compiles=1)
def reached_from(adjacent, start):
    n = len(adjacent)
    neighbours = [[v for v in range(n) if adjacent[u, v]] for u in range(n)]
    seen = [False] * n
    seen[start] = True
    queue, order = [start], []
    while queue:
        u = queue.pop(0)
        order.append(u)
        for v in neighbours[u]:
            if not seen[v]:
                seen[v] = True
                queue.append(v)
    return order


@program((LINKS, 0), (OTHERS, 2))
def depths_from(adjacent, start):
    n = len(adjacent)
    neighbours = {u: [] for u in range(n)}
    for u in range(n):
        for v in range(n):
            if adjacent[u][v]:
                neighbours[u].append(v)
    depth = {start: 0}
    queue = deque([start])
    while queue:
        u = queue.popleft()
        for v in neighbours[u]:
            if v not in depth:
                depth[v] = depth[u] + 1
                queue.append(v)
    return depth


@program((LINKS, 1), (OTHERS, 3), refuse="maybe")
def a_row_is_written_after_it_was_chosen(adjacent, k):
    n = len(adjacent)
    rows = [[v for v in range(n) if adjacent[u, v]] for u in range(n)]
    first = rows[0]
    rows[k].append(7)
    rows[k - 1].append(9)
    return rows, len(first)


# -- items taken out before data tells them apart ---------------------------------------------------------------------


@program((STEPS, X), (MORE, Y), compiles=1)
def values_of_states(states, rewards):
    values = {(row, column): [0.0, 0.0] for row in range(3) for column in range(2)}
    state = (0, 0)
    for s, reward in zip(states, rewards):
        following = (int(s), 1 - state[1])
        action = values[state].index(max(values[state]))
        values[state][action] += 0.5 * (reward + max(values[following]) - values[state][action])
        state = following
    return values, state


@program((STEPS, X), (MORE, Y), compiles=1)
def values_of_states_met(states, rewards):
    values = defaultdict(lambda: [0.0, 0.0])
    state = (0, 0)
    for s, reward in zip(states, rewards):
        following = (int(s), 1)
        values[state][int(s) % 2] += reward + max(values[following])
        state = following
    return values[state], len(values)


@program((STEPS,), (MORE,), refuse="maybe")
def an_item_has_a_name_of_its_own(at):
    groups = {0: [], 1: [], 2: []}
    zero = groups[0]
    for k in at:
        groups[int(k)].append(len(zero))
    zero.append(100)
    return groups, zero


@program((STEPS,), (MORE,), refuse="maybe")
def a_name_and_a_key(at):
    rows = [[0], [1, 1], [2]]
    one = rows[1]
    rows[at[0]].append(5)
    one.append(6)
    rows[at[1]].append(len(one))
    one.append(len(rows[at[2]]))
    return rows, sum(one)


@program((STEPS,), (MORE,), refuse="maybe")
def two_names_and_a_key(at):
    rows = [[0], [1, 1], [2]]
    zero, one = rows[0], rows[1]
    rows[at[0]].append(5)
    one.append(6)
    zero.append(7)
    rows[at[1]].append(8)
    return rows, zero, one


@program((STEPS,), (MORE,), refuse="maybe")
def one_list_in_two_places(at):
    shared = [0]
    rows = [shared, [1, 1], shared]
    rows[at[0]].append(5)
    shared.append(6)
    rows[at[2]].append(7)
    return rows


@program((STEPS,), (MORE,), refuse="maybe")
def a_row_is_replaced(at):
    rows = [[0], [1, 1], [2]]
    one = rows[1]
    rows[at[0]].append(5)
    rows[at[1]] = [9, 9, 9]
    one.append(6)
    return rows, one


@program((STEPS,), (MORE,), refuse="maybe")
def a_value_is_replaced(at):
    groups = {0: [0], 1: [1, 1], 2: [2]}
    one = groups[1]
    groups[int(at[0])].append(5)
    groups[int(at[1])] = [9, 9, 9]
    one.append(6)
    return groups, one


@program((STEPS,), (MORE,), refuse="maybe")
def an_item_is_deleted(at):
    rows = [[0], [1, 1], [2]]
    one = rows[1]
    rows[at[0]].append(5)
    rows.pop(0)
    one.append(6)
    return rows, one


# -- rows that may be one ---------------------------------------------------------------------------------------------


@program((STEPS,), (MORE,), compiles=1)
def moved_from_row_to_row(at):
    rows = [[1, 2, 3] for _ in range(3)]
    for a, b in zip(at, at[1:]):
        rows[a].append(rows[b].pop())
    return rows


@program((STEPS,), (MORE,), compiles=1)
def moved_from_value_to_value(at):
    groups = {k: [k, 2, 3] for k in range(3)}
    for a, b in zip(at.tolist(), at[1:].tolist()):
        groups[a].append(groups[b].pop(0))
    return groups


@program((STEPS,), (MORE,), refuse="maybe")
def two_rows_with_names(at):
    rows = [[1, 2, 3] for _ in range(3)]
    for a, b in zip(at, at[1:]):
        one, other = rows[a], rows[b]
        one.append(other.pop())
        other.append(len(one))
        one[0], other[-1] = other[-1], one[0]
    return rows


@program((STEPS,), (MORE,), refuse="maybe")
def a_row_grows_through_another_name(at):
    rows = [[1, 2, 3] for _ in range(3)]
    for a, b in zip(at, at[1:]):
        one, n = rows[a], 0
        for v in one:
            n += 1
            if n < 3:
                rows[b].append(v)
        rows[b].append(n)
    return rows


@program((STEPS,), (MORE,), refuse="maybe")
def an_inner_row_is_moved(at):
    rows = [[[1], [2], [3]] for _ in range(3)]
    for a, b in zip(at, at[1:]):
        inner = rows[a][1]
        rows[b].pop(0)
        inner.append(7)
        rows[b].append([len(inner)])
    return rows


@program((STEPS,), (MORE,), refuse="maybe")
def an_inner_row_and_its_own(at):
    rows = [[[1], [2], [3]] for _ in range(3)]
    one, other = rows[at[0]], rows[at[1]]
    inner = one[1]
    other[1].append(5)
    inner.append(len(other))
    other.reverse()
    inner.append(6)
    return rows


@program((STEPS,), (MORE,), refuse="maybe")
def objects_that_may_be_one(at):
    class Cell:
        def __init__(self, value):
            self.value, self.seen = value, 0

    cells = [Cell(float(k)) for k in range(3)]
    for a, b in zip(at, at[1:]):
        one, other = cells[a], cells[b]
        one.value += other.value
        other.seen += 1
        one.seen += 10
        other.value -= one.value / 2
    return [(c.value, c.seen) for c in cells]


@program((STEPS,), (MORE,), refuse="maybe")
def rows_are_exchanged_meanwhile(at):
    rows = [[1], [2, 2], [3, 3, 3]]
    for a, b in zip(at, at[1:]):
        one, other = rows[a], rows[b]
        rows[a], rows[b] = other, one
        one.append(len(other))
    return rows


# -- lists of several lengths that grow --------------------------------------------------------------------------------


@program((STEPS,), (MORE,), compiles=1)
def rows_of_several_lengths(at):
    rows = [[0], [1, 1], []]
    for k in at:
        rows[k].append(5)
    return rows, [len(row) for row in rows]


@program((STEPS,), (MORE,), compiles=1)
def values_of_several_lengths(at):
    groups = {0: [0.5], 1: [1, 1], 2: [3.5, 1, 2]}
    for k in at:
        groups[int(k)].append(k)
    return groups


@program((np.array([[0, 2], [0, 1], [2, 1], [0, 2]]),), (np.array([[0, 1], [0, 2], [1, 2], [2, 0]]),), compiles=1)
def towers(moves):
    rods = [[3, 2, 1], [], []]
    for a, b in moves:
        disc = rods[a].pop()
        if rods[b] and rods[b][-1] < disc:
            raise ValueError("a larger disc on a smaller one")
        rods[b].append(disc)
    return rods


@program((np.array([[2, 0, 1], [1, 1, 2], [2, 2, 0]]),), (np.array([[1, 0, 2], [2, 2, 1], [0, 1, 0]]),), compiles=1)
def crates(moves):
    growable_lists = [[1, 2], [3, 4, 5], [6]]
    for count, source, target in moves:
        for _ in range(count):
            growable_lists[target].append(growable_lists[source].pop())
    return [stack[-1] if stack else None for stack in growable_lists], sum(len(stack) for stack in growable_lists)


@program((np.array([[2, 0, 1], [1, 1, 2], [2, 2, 0]]),), (np.array([[1, 0, 2], [2, 2, 1], [0, 1, 0]]),), refuse="maybe")
def crates_moved_together(moves):
    growable_lists = [[1, 2], [3, 4, 5], [6]]
    for count, source, target in moves:
        taken = growable_lists[source][len(growable_lists[source]) - count :]
        del growable_lists[source][len(growable_lists[source]) - count :]
        growable_lists[target].extend(taken)
    return growable_lists


@program((STEPS,), (MORE,), compiles=1)
def pairs_of_several_lengths(at):
    rows = [[(1, 2.0)], [(2, 3.0), (4, 5.0)], []]
    for i, k in enumerate(at):
        rows[k].append((i, 0.5 * i))
    return rows, [sum(w for _, w in row) for row in rows]


# -- rows that data exchanges -----------------------------------------------------------------------------------------


@program((np.array([[1.0, 2, 0], [0, 1, 1], [1, 0, 2]]),), (np.array([[0.0, 1, 1], [1, 3, 2], [1, 0, 0]]),), compiles=1)
def inverse_of_lists(a):
    n = len(a)
    rows = [row + [1.0 if i == j else 0.0 for j in range(n)] for i, row in enumerate(a.tolist())]
    for i in range(n):
        if rows[i][i] == 0:
            for k in range(i + 1, n):
                if rows[k][i] != 0:
                    rows[i], rows[k] = rows[k], rows[i]
                    break
            else:
                raise ValueError("singular")
        pivot = rows[i][i]
        rows[i] = [v / pivot for v in rows[i]]
        for k in range(n):
            if k != i:
                factor = rows[k][i]
                rows[k] = [x - factor * y for x, y in zip(rows[k], rows[i])]
    return [row[n:] for row in rows]


@program((X, Y), (Y, X), compiles=1)
def merged_and_compared(x, y):
    a, b = sorted(x), sorted(y)
    merged, i, j = [], 0, 0
    while i < len(a) or j < len(b):
        if j >= len(b) or (i < len(a) and a[i] <= b[j]):
            merged.append(a[i])
            i += 1
        else:
            merged.append(b[j])
            j += 1
    return merged == sorted([*a, *b]), merged != a, merged[-1]


# -- lists repeated as often as data says ------------------------------------------------------------------------------


@program((np.array([2, 2, 4, 0]),), (np.array([2, 0, 2, 2]),), (np.array([0, 0, 0, 0]),))
def slid_together(line):
    left = [v for v in line if v != 0]
    merged, score, skip = [], 0, False
    for i in range(len(left)):
        if skip:
            skip = False
            continue
        if i + 1 < len(left) and left[i] == left[i + 1]:
            merged.append(left[i] * 2)
            score += left[i] * 2
            skip = True
        else:
            merged.append(left[i])
    merged += [0] * (len(line) - len(merged))
    return merged, score


@program((X, 3), (Y, 3))
def repeated_lists(x, n):
    kept = []
    k = 0
    while k < len(x):
        if x[k] > 0.7:
            kept.append(x[k])
        k += 1
    twice = kept * 2
    kept *= n
    return kept, twice + [1.5] * len(kept), [2, 3] * (len(twice) - 7), 0 * kept


# -- lists as indices -------------------------------------------------------------------------------------------------


@program((X, M), (Y, M), compiles=1)
def chosen_rows(x, m):
    best = []
    for limit in (0.5, 1.0, 2.0):
        above = [i for i in range(len(x)) if x[i] > limit]
        if len(above) > len(best):
            best = above
    return x[best], m[best], m[:, [0, 1]][best], m[best, 0], x[best].mean(), len(best)


@program((X, M), (Y, M), compiles=1)
def written_rows(x, m):
    chosen = []
    for i in range(len(x)):
        if x[i] > 0.7:
            chosen.append(i)
    x[chosen] = 0.0
    m[chosen] += 1.0
    m[chosen, 1] *= 2.0
    return chosen


@program((X, 2.0), (Y, 50.0), compiles=1)
def perhaps_none(x, limit):
    chosen = [0]
    chosen.pop()
    k = 0
    while k < len(x):
        if x[k] > limit:
            chosen.append(k)
        k += 1
    return x[chosen], x[chosen].sum()


@program((X, 4), (X, 5), (Y, 9), raises=IndexError)
def out_of_range(x, n):
    chosen = []
    for i in range(n):
        if i % 2 == 0 or i > 4:
            chosen.append(i + (n > 4))
    return x[chosen]


@program((X,), (Y,), refuse="maybe")
def a_list_of_flags(x):
    flags = []
    for v in x:
        flags.append(bool(v > 0.7))
    return x[flags]


test_programs = program.test()
