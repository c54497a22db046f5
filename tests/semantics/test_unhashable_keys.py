"""Keys and members that have no hash: in the place of a key, of an element, of what is counted; where data chooses one
of several; in tuples, and in tuples in those. What Python says of each differs from version to version."""

import collections

import numpy as np

from .runner import Programs

program = Programs()

FEW, MORE = np.array([1.0, 2.0]), np.array([1.0, 2.0, 5.0])
MANY = np.concatenate([np.arange(60.0) % 3, MORE])


@program((FEW,), (MORE,), raises=TypeError)
def members_that_data_makes_of_lists(a):
    s = set()
    for v in a.tolist():
        s.add((v, [v]) if v > 3 else (v, 1))
    return len(s)


@program((FEW,), (MORE,), raises=TypeError)
def keys_that_data_makes_of_lists(a):
    d = {}
    for v in a.tolist():
        d[(v, {v}) if v > 3 else (v, 1)] = 1
    return len(d)


@program((FEW,), (MORE,), raises=TypeError)
def nested(a):
    s = set()
    for v in a.tolist():
        s.add((v, (v, [v]) if v > 3 else (v, 1)))
    return len(s)


@program((FEW,), (MORE,), raises=TypeError)
def looked_up(a):
    d, found = dict.fromkeys(a.tolist(), 1), 0
    for v in a.tolist():
        key = (v, [v]) if v > 3 else v
        found += d.get(key, 3) + (key in d) + d[key]
    return found


@program((FEW,), (MORE,))
def looked_up_and_caught(a):
    d, found = dict.fromkeys(a.tolist(), 1), 0
    for v in a.tolist():
        try:
            found += d[(v, [v]) if v > 3 else v]
        except TypeError:
            found += 10
    return found


@program((FEW,), (MORE,), raises=TypeError)
def taken_out(a):
    d = dict.fromkeys(a.tolist(), 1)
    for v in a.tolist():
        del d[(v, [v]) if v > 3 else v]
    return len(d)


@program((MORE,), raises=TypeError)
def removed(a):
    s = set(a.tolist())
    s.remove((a[0], a))


@program((MORE,), raises=TypeError)
def discarded(a):
    s = set(a.tolist())
    s.discard((a[0].item(), {}))


@program((MORE,), raises=TypeError)
def in_a_set(a):
    return (a[0].item(), [1]) in set(a.tolist())


@program((MORE,), raises=TypeError)
def in_keys(a):
    return (a[0].item(), [1]) in dict.fromkeys(a.tolist()).keys()


@program((MORE,), raises=TypeError)
def set_by_default(a):
    return dict.fromkeys(a.tolist()).setdefault((a[0].item(), {}), 1)


@program((FEW,), (MORE,), raises=TypeError)
def in_none(a):
    """Also where there is nothing to be compared with."""
    d, s = {}, set()
    for v in a.tolist():
        if v > 100:
            d[v] = s.add(v)
    return (a[0].item(), [1]) in (d if len(a) > 2 else s)


@program((MORE,), raises=TypeError)
def comprehension(a):
    return {(v, (v, np.ones(2))) for v in a.tolist()}


@program((MORE,), (MANY,), raises=TypeError)
def counted(a):
    return collections.Counter([(v, []) for v in a.tolist()])


@program((MORE,), (MANY,), raises=TypeError)
def counted_more(a):
    c = collections.Counter(a.tolist())
    c.update([(a[0].item(), [])])
    return c


@program((MORE,), (MANY,), raises=TypeError)
def subtracted(a):
    c = collections.Counter(a.tolist())
    c.subtract([(a[0].item(), [])])
    return c


def of_methods(name):
    def of_data(a):
        return getattr(set(a.tolist()), name)([a[0].item() + 7, [1]])

    def of_known(a):
        return getattr({1, 2}, name)([[a[0].item()]])

    return of_data, of_known


for _name in "intersection difference union symmetric_difference issubset isdisjoint update".split() + [
    f"{n}_update" for n in "intersection difference symmetric_difference".split()
]:
    for _function in of_methods(_name):
        _function.__name__ = f"{_name}_{_function.__name__}"
        program((MORE,), raises=TypeError)(_function)


@program((MORE,), raises=TypeError)
def not_a_superset(a):
    s = set(a.tolist())
    return {1.0}.issuperset([a[0].item(), [1]]), s.issuperset([a[0].item(), [1]])


@program((MORE,))
def behind_the_one_that_decides(a):
    """Nobody asks for its hash."""
    s, first = set(a.tolist()), a[0].item()
    known = {1}.isdisjoint([1, [1]]), {1}.issuperset([2, [1]]), frozenset([1]).isdisjoint((1, [a]))
    return known, s.isdisjoint([first, [1]]), s.issuperset([first + 7, [1]]), s.isdisjoint(([], first)[1:])


@program((MORE,), raises=KeyError)
def popped_of_none(a):
    """A dict that is empty does not ask for the hash."""
    d = {}
    return d.pop((a[0].item(), []), 5), d.pop([a[0].item()])


test_programs = program.test()
