"""Graphs and tables by name: dicts of dicts and of lists under texts that data chooses, read and written."""

import collections
import heapq
import math

import numpy as np

from .runner import Programs

program = Programs()
V, W = np.array([0, 2, 1, 3, 0]), np.array([3, 1, 1, 0, 2])
GRAPH = {"a": {"b": 2.0, "c": 5.0}, "b": {"c": 1.0, "d": 7.0}, "c": {"d": 2.0}, "d": {}}
OTHER = {"a": {"b": 9.0, "c": 5.0}, "b": {"c": 1.0, "d": 7.0}, "c": {"d": 2.0}, "d": {}}


def ring(size, seed):
    weights = np.random.default_rng(seed).integers(1, 20, size=(size, 3)).tolist()
    return {
        f"n{i}": {f"n{(i + step) % size}": float(w) for step, w in zip((1, 3, 7), row, strict=True)}
        for i, row in enumerate(weights)
    }


def pairs(graph):
    return {name: list(edges.items()) for name, edges in graph.items()}


@program((GRAPH, "a"), (OTHER, "a"), (ring(12, 0), "n0"), (ring(12, 1), "n0"), compiles=3)
def shortest_paths(graph, start):
    distance = {name: math.inf for name in graph}
    distance[start] = 0.0
    queue, before = [(0.0, start)], {}
    while queue:
        d, u = heapq.heappop(queue)
        if d > distance[u]:
            continue
        for v, w in graph[u].items():
            if d + w < distance[v]:
                distance[v] = d + w
                before[v] = u
                heapq.heappush(queue, (d + w, v))
    return distance, before


@program((pairs(GRAPH), "a"), (pairs(OTHER), "b"))
def shortest_paths_of_pairs(graph, start):
    distance = dict.fromkeys(graph, math.inf)
    distance[start] = 0.0
    queue = [(0.0, start)]
    while queue:
        d, u = heapq.heappop(queue)
        for v, w in graph[u]:
            if d + w < distance[v]:
                distance[v] = d + w
                heapq.heappush(queue, (d + w, v))
    return distance


@program(V, W)
def words(x):
    texts, n, last = [["a", "b"], ["c"], [], ["d", "a", "b"]], {"a": 0, "b": 0, "c": 0, "d": 0}, "-"
    for i in x:
        for word in texts[i]:
            n[word] += 1
            last = word
    return n, last


@program(V, W)
def words_written(x):
    texts = [["a", "b"], ["c", "z", "y"], ["e"], ["d", "a", "b"]]
    for i in x.tolist():
        texts[i][0] = "q"
    return texts


@program(
    (V, {0: ["a", "b"], 1: ["c"], 2: [], 3: ["d", "a", "b"]}),
    (W, {0: ["a", "b"], 1: ["c"], 2: ["z"], 3: ["d", "a", "b"]}),
)
def words_of_the_caller(x, texts):
    n, last = {"a": 0, "b": 0, "c": 0, "d": 0, "z": 0}, None
    for i in x.tolist():
        for word in texts[i]:
            n[word] += i
            last = word
    return n, last


@program(
    (V, [{"a": 1.0, "b": 2.0}, {"c": 3.0}, {}, {"a": 3.0}]), (W, [{"a": 1.0, "b": 2.0}, {"c": 3.0}, {}, {"b": 9.0}])
)
def one_of_several_dicts(x, tables):
    s, weight, sizes = 0.0, {"a": 1, "b": 2, "c": 3}, []
    for i in x.tolist():
        for k, w in tables[i].items():
            s = s * 0.5 + w * weight[k]
        for k in tables[i]:
            s += weight[k]
        for w in tables[i].values():
            s += w
        s += len(tables[i]) + ("a" in tables[i])
        sizes.append(len(tables[i]))
    return s, sizes


@program((V, [("a", 1), ("b", "c"), (None, 2), (3, "d")]), (W, [("a", 1), ("b", "c"), (None, 2), (3, "d")]))
def tuples_of_anything(x, rows):
    found = 0
    for i in x.tolist():
        for item in rows[i]:
            if item == "a":
                found += 1
            elif item == 2:
                found += 5
    return found


# -- reading and writing under names that data chooses ---------------------------------------------------------------


NAMES = ["b", "a", "c", "b"]


@program((V, {"a": 1, "b": 2, "c": 3}), (W, {"a": 1, "b": 5, "c": 3}), (V, {"a": 1.5, "b": 2, "c": 3}))
def numbers(x, table):
    s = 0
    for i in x.tolist():
        k = NAMES[i]
        s = s * 3 + table[k]
        table[k] += i
        table[k] = table.get(k, 0) * 2
        s += k in table
    return s


@program((V, {"a": 1, "b": 2}), (W, {"a": 1, "b": 2}), raises=KeyError)
def a_name_that_is_not_there(x, table):
    s = 0
    for i in x.tolist():
        s += table[NAMES[i]]
    return s


@program((V,), (W,))
def a_name_that_is_ruled_out(x):
    table, s = {"a": 1, "b": 2}, 0
    for i in x.tolist():
        k = NAMES[i]
        if k != "c":
            s += table[k]
            table[k] = s
    return s, table


@program((V,), (W,))
def texts_under_names(x):
    table, seen = {"a": "x", "b": "y", "c": "x"}, []
    for i in x.tolist():
        k = NAMES[i]
        seen.append(table[k])
        table[k] = "z" if i > 1 else k
    return table, seen


@program((V,), (W,))
def objects_under_names(x):
    table = {"a": [1], "b": [2, 3], "c": []}
    for i in x.tolist():
        table[NAMES[i]].append(i)
    return table, len(table[NAMES[x[0]]])


@program((V,), (W,))
def one_object_under_two_names(x):
    shared = [0.0]
    table = {"a": shared, "b": [1.0], "c": shared}
    for i in x.tolist():
        table[NAMES[i]][0] += i
    return table, shared


@program((V,), (W,))
def arrays_under_names(x):
    table = {"a": np.zeros(3), "b": np.ones(3), "c": np.arange(3.0)}
    for i in x.tolist():
        table[NAMES[i]][i % 3] += i
    for i in x.tolist():
        table[NAMES[i]] = table[NAMES[i]] * 2
    return table


@program((V,), (W,))
def true_and_one(x):
    table, keys, s = {1: 5, 0: 6}, ["a", True, None, "a"], 0
    table[None] = 4
    table["a"] = 7
    for i in x.tolist():
        table[keys[i]] += i
        s += table[keys[i]]
    return table, s


@program((V,), (W,))
def transitions(x):
    machine = {("idle", 0): "run", ("idle", 1): "idle", ("run", 0): "stop", ("run", 1): "run", ("stop", 0): "idle"}
    state, visits = "idle", collections.Counter()
    for v in x.tolist():
        state = machine.get((state, v % 2), "idle")
        visits[state] += 1
    return state, dict(visits)


test_programs = program.test()
