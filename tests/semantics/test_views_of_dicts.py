"""Views of dicts: whether they are empty, as sets, beside other iterables; and what NumPy does not take for arrays."""

from collections import Counter

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, 1.0, 2.0])
NUMBERS = np.array([3, 1, 4, 1, 5])


@program(({},), ({1: 2},), ({1: 2, 3: 4},))
def truth(d):
    found = [bool(d.keys()), bool(d.values()), not d.items(), 1 if d.keys() else 2]
    while d.values():
        d.popitem()
        found.append(0)
    return found


@program(NUMBERS, NUMBERS[:0])
def truth_where_keys_are_data(x):
    d = {}
    for v in x:
        if v > 1:
            d[int(v)] = v
    return bool(d.keys()), 5 if d.values() else 6, bool(d.items())


program.each(
    X,
    set_of_items=lambda x: set({1: 2, 3: 4}.items()),
    items_without=lambda x: {1: 2, 3: 4}.items() - {(1, 2)},
    items_and=lambda x: {1: 2}.items() & {1: 2, 3: 4}.items(),
    items_or=lambda x: {1: 2}.items() | {(1, 5)},
    items_or_else=lambda x: {"a": 1}.items() ^ {("a", 1), ("b", 2)},
    items_and_pairs=lambda x: {1: 2}.items() | [(3, 4)],
    keys_without_a_list=lambda x: {1: 2, 3: 4}.keys() - [1],
    keys_and_an_array=lambda x: {1: 2, 3: 4}.keys() | x.tolist(),
    list_without_keys=lambda x: [1, 2] - {1: 2}.keys(),
    in_a_loop=lambda x: sorted({1: 2, 3: 0}.items() - {(1, 2)}),
)
program.add("keys_and_a_number", lambda x: {1: 2}.keys() & 1, X, raises=TypeError)


@program(NUMBERS, NUMBERS[:2])
def counters(x):
    c = Counter(a=3, b=-2)
    del c["neither"]
    c.subtract(a=1)
    return +c, -c, c


@program(NUMBERS, NUMBERS[:0])
def counters_of_data(x):
    c = Counter()
    for v in x:
        c[int(v)] += 1
    for key in (1, 7):
        del c[key]
    return c


program.each(
    X,
    options={"refuse": True},
    array_of_a_set=lambda x: np.array({1, 2}),
    array_of_pairs=lambda x: np.array(zip(x, x)),
    array_of_sets=lambda x: np.array([{1, 2}]),
    sum_of_a_generator=lambda x: np.any(v > 2 for v in x),
    maximum_of_map=lambda x: np.isin(x, {3.0}),
)
program.add("list_of_values", lambda x: np.array(list({1: x[0], 2: 3.0}.values())), X)

test_programs = program.test()
