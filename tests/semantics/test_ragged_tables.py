"""Lists and tuples of lists of several lengths, such as the neighbours of the nodes of a graph, at rows that depend on
data: one program for all numbers in them."""

import heapq
import math
from collections import deque

import numpy as np

from .runner import Programs

program = Programs()

SMALL = [[1, 2], [0, 3], [0], [1, 4], [3], []]
OTHER = [[1, 3], [0, 2], [4], [1, 0], [2], []]
RNG = np.random.default_rng(5)
LARGE = [[int(v) for v in RNG.integers(0, 40, RNG.integers(0, 5))] for _ in range(40)]
WEIGHTED = [[(v, float(v % 7) + 0.5) for v in row] for row in LARGE]
MIXED = [[(v, v / 2 if v % 2 else v // 2) for v in row] for row in LARGE]
NAMED = {10 * k: [10 * v for v in row] for k, row in enumerate(SMALL)}
MOVES = ((1, 2, 3), (0,), (), (1, 0))
AT = np.array([0, 3, 2, 5, 1])


@program((SMALL, 0), (OTHER, 2), compiles=1)
def breadth_first(graph, start):
    seen, order = [False] * len(graph), []
    queue = deque([start])
    seen[start] = True
    while queue:
        node = queue.popleft()
        order.append(node)
        for other in graph[node]:
            if not seen[other]:
                seen[other] = True
                queue.append(other)
    return order


program.add("many_nodes", breadth_first, (LARGE, 1), (LARGE, 7))
program.add("tuples", breadth_first, (tuple(map(tuple, SMALL)), 0), (tuple(map(tuple, OTHER)), 3), compiles=1)
program.add("dict", breadth_first, (dict(enumerate(LARGE)), 0), (dict(enumerate(LARGE)), 9))


@program((NAMED, 0), (NAMED, 40))
def depth_first_by_name(graph, start):
    seen, stack = set(), [start]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            stack.extend(graph[node])
    return sorted(seen)


@program((WEIGHTED, 0), (WEIGHTED, 11))
def shortest_paths(graph, start):
    distance = [math.inf] * len(graph)
    distance[start] = 0
    heap = [(0, start)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for other, weight in graph[node]:
            if d + weight < distance[other]:
                distance[other] = d + weight
                heapq.heappush(heap, (d + weight, other))
    return distance


program.add("mixed_weights", shortest_paths, (MIXED, 0), (MIXED, 5))


@program((0, 3), (3, 2), (2, 4))
def walk_of_known_moves(node, n):
    path = []
    for k in range(n):
        if not MOVES[node]:
            return path, "stuck"
        node = MOVES[node][k % len(MOVES[node])]
        path.append(node)
    return path, "still going"


@program((SMALL, AT), (OTHER, AT[::-1].copy()), compiles=1)
def questions_about_rows(rows, at):
    found = []
    for k in at:
        row = rows[k]
        if row:
            found.append((len(row), row[0], row[-1], sum(row), max(row), 2 in row, sorted(row)[0]))
    return found


@program(*((SMALL, *at) for at in ((0, 1), (4, 0), (-6, -2), (4, 1), (5, 0), (6, 0), (2, -2))), raises=IndexError,
         compiles=1)  # fmt: skip
def item_of_a_row(rows, i, j):
    return rows[i][j], len(rows[i])


program.add("item_of_a_tuple", item_of_a_row, *((tuple(map(tuple, SMALL)), *at) for at in ((0, 1), (4, 1))),
            raises=IndexError)  # fmt: skip


@program(*((SMALL, *at, 7) for at in ((0, 1), (4, 0), (-3, -2), (4, 1), (5, 0))), raises=IndexError, compiles=1)
def item_of_a_row_is_written(rows, i, j, value):
    row = rows[i]
    row[j] = value
    return row is rows[0], row, [r[0] if r else -1 for r in rows]


@program((tuple(map(tuple, SMALL)), 0), raises=TypeError)
def item_of_a_tuple_is_written(rows, i):
    rows[i][0] = 3
    return rows


@program((SMALL, AT), (OTHER, AT), compiles=1)
def comprehensions_over_rows(rows, at):
    return [[v * 2 for v in rows[k]] for k in at], [list(enumerate(rows[k])) for k in at]


@program((SMALL, AT), (OTHER, AT), compiles=1)
def rows_side_by_side(rows, at):
    total = 0
    for k in at:
        for place, v in enumerate(rows[k]):
            total += place * v
        for v, w in zip(rows[k], at):
            total -= v * w
        for v in reversed(rows[k]):
            total = total * 3 + v
    return total


@program((SMALL, 1, 5), (SMALL, 5, 3))
def a_row_grows(rows, i, value):
    rows[i].append(value)
    return [len(row) for row in rows], rows[i][-1]


@program(([[1, 2, 3], [4, 5, 6], [7, 8, 9]] * 4, np.array([3, 11, 0])))
def many_short_rows(rows, at):
    total = 0
    for k in at:
        for v in rows[k]:
            total = total * 2 + v
    return total


ROADS = {0: {1: 2.0, 2: 5.0}, 1: {0: 1.0}, 2: {3: 1.5}, 3: {}}
TOLLS = {0: {1: 7.0, 2: 1.0}, 1: {0: 1.0}, 2: {3: 4.0}, 3: {}}


@program((ROADS, 0), (TOLLS, 1))
def shortest_paths_by_dicts(graph, start):
    distance = dict.fromkeys(graph, math.inf)
    distance[start] = 0.0
    heap = [(0.0, start)]
    while heap:
        d, node = heapq.heappop(heap)
        if d > distance[node]:
            continue
        for other, weight in graph[node].items():
            if d + weight < distance[other]:
                distance[other] = d + weight
                heapq.heappush(heap, (d + weight, other))
    return distance


@program((ROADS, np.array([0, 3, 1])), (TOLLS, np.array([2, 2, 1])), compiles=1)
def questions_about_dicts(graph, at):
    found = []
    for k in at:
        found.append((len(graph[k]), sum(graph[k].values()), max(graph[k].values(), default=0.0)))
        for other, weight in graph[k].items():
            found.append((other, weight, 0.0))
    return found


@program((ROADS, 0), (ROADS, 1), raises=RuntimeError)
def a_dict_is_written_meanwhile(graph, k):
    total = 0.0
    for _, weight in graph[k].items():
        total = total * 3 + weight
        graph[k][1] = 50.0
    return total, graph


@program((ROADS, 3), (ROADS, 0), raises=RuntimeError)
def a_dict_grows_meanwhile(graph, k):
    total = 0
    for other in graph[k]:
        total += other
        graph[k][9] = 50.0
    return total


@program(*(([{1, 2}, {5}, {8, 1, 3}, set()], k) for k in range(4)), compiles=1)
def members_of_one_of_several_sets(sets, k):
    total = 0
    for v in sets[k]:
        total = total * 2 + v
    return total


@program(({0: {1: 2, 2: 3}, 1: {0: 1, 2: 1}}, np.array([0, 1, 1])))
def dicts_of_one_length(graph, at):
    total = 0
    for k in at:
        for other, weight in graph[k].items():
            total = total * 3 + other * weight
    return total


test_programs = program.test()
