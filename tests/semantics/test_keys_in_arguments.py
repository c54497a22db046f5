"""Numbers of an argument's list that are keys of dicts and members of sets: data, of which any call has others."""

import collections

from .runner import Programs

program = Programs()

CALLS = ([3, 1, 4, 1, 5, 2], [2, 7, 1, 8, 2, 8], [9, 9, 9, 9, 9, 9], [0, -1, 0, -1, 5, 6])


@program(*((values, 9) for values in CALLS), compiles=1)
def two_that_sum_up(values, target):
    seen = {}
    for i, v in enumerate(values):
        if target - v in seen:
            return seen[target - v], i
        seen[v] = i
    return ()


@program(*CALLS, compiles=1)
def counts(values):
    found = {}
    for v in values:
        found[v] = found.get(v, 0) + 1
    return found


@program(*CALLS, compiles=1)
def most_common(values):
    return collections.Counter(values).most_common(1)[0]


@program(*CALLS, compiles=1)
def whether_one_is_there_twice(values):
    return len(set(values)) < len(values)


@program(*CALLS, compiles=1)
def first_that_comes_again(values):
    seen = set()
    for v in values:
        if v in seen:
            return v
        seen.add(v)
    return None


@program(*CALLS, compiles=1)
def groups_by_remainder(values):
    groups = collections.defaultdict(list)
    for v in values:
        groups[v % 3].append(v)
    return sorted(groups), max(len(g) for g in groups.values())


@program(*CALLS)
def members_in_order(values):
    return [v * 2 for v in set(values)]


@program(*CALLS, compiles=1)
def longest_run(values):
    there, best = set(values), 0
    for v in values:
        if v - 1 not in there:
            n = 1
            while v + n in there:
                n += 1
            best = max(best, n)
    return best


test_programs = program.test()
