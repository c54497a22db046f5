"""Sets are gone through in the order of CPython's hash tables, which depends on how a set was made, too."""

import collections
import copy
import functools
import itertools

import numpy as np
import pytest

import xlapy
from tests.semantics.runner import Programs, do

program = Programs()

FEW = [100, 33, 1, 17]
MANY = [64, 0, 100, 2.5, 17, -147.0, -49.0, 33, 1025, "a", (1, 2)]
MARKS = {33, 1, 65}


@program(FEW, [0, 17, 2, 3, 4], [-1, -2, 1e10, 2.5, 3.75])
def from_a_list(values):
    return list(set(values))


@program(FEW, MANY)
def from_a_dict(values):
    table = dict.fromkeys(values, 0)
    return list(set(table)), list(set(table.keys())), list({*table}), list(frozenset(table))


@program((FEW, [17, 65, 129]), (MANY, FEW))
def operations(one, two):
    s, t = set(one), {v for v in two}
    return list(s | t), list(s & t), list(s - t), list(s ^ t), list(t.union(one, {5: 0})), list(s.intersection(two))


@program((FEW, [17, 65, 129, 33, 1]), (MANY, FEW))
def changes(one, two):
    s = set(one)
    t = s
    s |= set(two)
    s.discard(33)
    s.update(one, two)
    s -= {1}
    s.add(16)
    return list(s), list(t), list(s.copy()), list(copy.copy(s)), list(copy.deepcopy(s))


@program([3.5, 33, 1, 17, 2, 65, 129, 9, 8], MANY)
def with_itself(values):
    s = set(values)
    s.discard(2)
    either, both, t, u, v, w = s | s, s & s, s.copy(), s.copy(), s.copy(), s.copy()
    same = t
    t &= t
    u |= u
    v.update(v, [24], v)
    w.intersection_update(w)
    lists = [list(one) for one in (either, both, s.union(s), s.intersection(s), t, u, v, w, same)]
    s ^= s
    s.update(values)
    return lists, list(s), s - s


@program(({3.5, 33, 1, 17, 2, 65, 129, 9, 8},), (set(MANY),))
def a_passed_one_with_itself(values):
    values.discard(2)
    values &= values
    return list(values)


@program(MANY, FEW)
def popped(values):
    s, order = set(values), []
    while s:
        order.append(s.pop())
        if len(order) == 2:
            s.add(7)
    return order


@program()
def displays():
    return list({100, 33, 1, 17, 64}), list({100, 33}), [v for v in {64, 0, 9, 17, 33, 1}], list(frozenset([33, 65, 1]))


@program(({100, 33, 1, 17},), ({17, 1, 33, 100},), ({0, 8, 16, 24, 32, 40},), ({40, 32, 24, 16, 8, 0},), compiles=4)
def passed(values):
    return list(values), sum(v * 0.1 for v in values)


@program((frozenset([0, 8]),), (frozenset([8, 0]),))
def frozen(values):
    return list(values)


@program(({33, 1, 65}, 17), ({33, 1, 65, 129, 7}, 17))
def passed_and_changed(values, new):
    values.add(new)
    return list(values), list(values | {5})


@program(({1: 0.5},), ({1.0: 0.5},), ({True: 0.5},))
def kinds_of_keys(table):
    return list(table), list(set(table))


def grow():
    MARKS.add(129)


@program((), do(grow), (), compiles=2)
def global_set():
    return list(MARKS)


def global_dict_keys():
    s = {1, 2}
    t = s
    s |= {3: 0}.keys()
    return sorted(s), sorted(t)


program.add("in_place_with_a_view", global_dict_keys)


@program(1.0, -1.0)
def both_branches(x):
    s = {100, 33, 1}
    if x > 0:
        s.add(17)
        y = x
    else:
        s.add(17)
        y = -x
    return list(s), y


@program(1.0, -1.0, refuse="maybe")
def branches_in_another_order(x):
    s = {100, 33, 1}
    if x > 0:
        s.add(17)
        s.add(65)
    else:
        s.add(65)
        s.add(17)
    return list(s)


@program(1.0, -1.0)
def small_members(x):
    s = {5, 3}
    if x > 0:
        s.add(1)
        s.add(7)
    else:
        s.add(7)
        s.add(1)
    return list(s)


@program([100, 33, 1, 17, 64, -5, 2**40])
def ways_through(values):
    s = set(values)
    first, *rest = s
    pairs = list(enumerate(s)), list(zip(s, values)), {v: 1 for v in s}, dict.fromkeys(s), collections.Counter(s)
    lists = rest, [*s], list(map(abs, s)), list(filter(None, s)), tuple(s), list(itertools.chain(s, frozenset(values)))
    chosen = max(s, key=lambda v: v % 3), sorted(s, key=lambda v: v % 3), next(iter(s)), np.array(list(s))
    return first, pairs, lists, chosen, functools.reduce(lambda p, q: 0.5 * p + q, s), sum(0.1 * v for v in s)


@program(["b", "a", "dd", "c", "e", "ff"])
def texts(names):
    s = set(names)
    print(s, frozenset(names))
    return ",".join(s), str(s), {k: len(k) for k in s}


@program({10: {33, 1}, 33: {100, 10}, 1: {10, 100}, 100: {33, 1, 64}, 64: {10}})
def order_of_a_search(edges):
    seen, todo, order = {10}, [10], []
    while todo:
        node = todo.pop()
        order.append(node)
        for other in edges[node]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return order, list(seen)


@program(([1, 2], 3))
def dicts_from_keys(keys, value):
    ordered, found = collections.OrderedDict.fromkeys(keys, value), collections.defaultdict.fromkeys(keys)
    return dict.fromkeys(keys), {5: 0}.fromkeys(keys, value), ordered, found, ordered.fromkeys([7])


@program([1], raises=TypeError)
def no_factory(values):
    return collections.defaultdict({1: 1}, values)


test_programs = program.test()


def test_a_returned_set_has_the_order_of_cpython():
    def made(values):
        s = set(values)
        s.discard(33)
        return s, s | {65}

    expected, got = made(FEW), xlapy.jit(made)(FEW)
    assert [list(s) for s in expected] == [list(s) for s in got]
    assert [list(s) for s in expected] == [list(s) for s in xlapy.jit(made)(FEW)]


def added_and_removed(s, values):
    s.add(3)
    s.discard(1)
    s |= {7, 8}


def emptied_first(s, values):
    s.clear()
    s.update([9, 1, 17, 33])
    s.remove(17)


def many_more(s, values):
    s.update(range(20))
    s -= {4, 5}


def one_taken(s, values):
    s.pop()
    s.add(100)


def by_operators(s, values):
    s &= {1, 2, 50}
    s ^= {50, 51}


def on_one_of_two_paths(s, values):
    if values[0] > 0:
        s.add(40)
    else:
        s.add(41)


def in_and_out(s, values):
    for value in values:
        if value in s:
            s.discard(value)
        else:
            s.add(value)


CHANGES = (added_and_removed, emptied_first, many_more, one_taken, by_operators, on_one_of_two_paths, in_and_out)


@pytest.mark.parametrize("members", [[1, 2], [8, 1, 16, 3], range(30), [5]], ids=str)
@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_set_has_the_order_of_cpython(change, members):
    jitted = xlapy.jit(change)
    for values in ([1, 1, 2, 40], [-1, 8, 8, 8]):
        expected, got = set(members), set(members)
        change(expected, values)
        jitted(got, values)
        assert list(got) == list(expected)
