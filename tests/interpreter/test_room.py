"""How much room lists have that grow in loops."""

import numpy as np

import xlapy


def test_of_lists_that_are_as_long_as_others_let_them_be():
    """Each trip of `for u in frontier` adds items to the next frontier, which has no bound but that of this one."""

    def levels(edges, start):
        neighbours = {k: [] for k in range(6)}
        for u, v in edges.tolist():
            neighbours[u].append(v)
        seen, frontier, by = [k == start for k in range(6)], [start], []
        while frontier:
            following = []
            for u in frontier:
                for v in neighbours[u]:
                    if not seen[v]:
                        seen[v] = True
                        following.append(v)
            by.append(frontier)
            frontier = following
        return by

    edges = np.array([[0, 1], [1, 2], [0, 3], [3, 4]])
    assert xlapy.jit(levels)(edges, 0) == levels(edges, 0) == [[0], [1, 3], [2, 4]]
    memory = xlapy.jit(levels).lower(edges, 0).compile().memory_analysis()
    assert memory.output_size_in_bytes + memory.temp_size_in_bytes < 2**25


def test_of_lists_in_lists_of_which_each_could_be_as_long_as_all():
    def split(x):
        runs, run = [], []
        for v in x.tolist():
            if v < 0:
                runs.append(run)
                run = []
            else:
                run.append(v)
        return runs, run

    x = np.where(np.arange(3000) % 40 == 7, -1, np.arange(3000))
    x[500:700] = 1
    jitted = xlapy.jit(split)
    assert jitted(x) == split(x)
    # one of them was longer than was guessed
    assert jitted.cache_info().misses == 2
    memory = jitted.lower(x).compile().memory_analysis()
    assert memory.output_size_in_bytes + memory.temp_size_in_bytes < 2**26


def test_of_lists_in_lists_that_grow_in_calls():
    def subsets(x):
        found, chosen = [], []

        def go(k):
            if k == len(x):
                found.append(list(chosen))
                return
            go(k + 1)
            if x[k] > 0:
                chosen.append(k)
                go(k + 1)
                chosen.pop()

        go(0)
        return found

    x = np.array([1.0, -1.0, 2.0, 3.0])
    compiled = xlapy.jit(subsets)
    assert compiled(x) == subsets(x)
    (entry,) = compiled._xlapy_cache.cache.entries
    types = [v.type for v in entry.analysis.module.entry.results]
    assert sum(np.prod(t.shape) * t.dtype.itemsize for t in types) < 2**21  # 2**23 if each has room for 1024 items


def test_of_several_lists_of_lists_grows_together():
    def ordered(x):
        if len(x) < 2:
            return x
        pivot = x[0]
        low = [v for v in x[1:] if v < pivot]
        high = [v for v in x[1:] if v >= pivot]
        return ordered(low) + [pivot] + ordered(high)

    def program(x):
        return ordered([v for v in x if v > 0.1])

    x = np.random.default_rng(0).random(200)
    compiled = xlapy.jit(program, returns="numpy")
    assert compiled(x) == program(x) and compiled.cache_info().misses == 2
