"""Operators of frozensets and sets, whose members depend on data."""

import numpy as np

from .runner import Programs

program = Programs()

A = np.array([1, 2, 3, 2])

program.each(
    (A, 3),
    (A, 7),
    union=lambda a, k: (frozenset(a.tolist()) | {k}, {k} | frozenset(a.tolist()), frozenset([1, 2]) | {k}),
    difference=lambda a, k: (frozenset(a.tolist()) - {k}, {k} - frozenset([1, 2, 3]), frozenset([1, 2]) ^ {k}),
    intersection=lambda a, k: (frozenset(a.tolist()) & {k}, {k} & frozenset([1, 3])),
    compared=lambda a, k: (
        frozenset([1, 2]) <= {k},
        {k} <= frozenset([1, 2, 3]),
        frozenset([k]) == {k},
        {k, 1} > frozenset([1]),
        {k} != frozenset([3]),
    ),
    kinds=lambda a, k: [
        type(s) is frozenset
        for s in (frozenset([1]) | {k}, {k} | frozenset([1]), frozenset([1]) - {k}, {k} & frozenset([1]))
    ],
    with_keys=lambda a, k: (
        frozenset([1]) | {k: 0}.keys(),
        {k: 0}.keys() | frozenset([1]),
        {k: 0}.keys() <= frozenset([3]),
    ),
)


@program((A, 3), (A, 7))
def in_place(a, k):
    members = set(a.tolist())
    same = members
    members |= frozenset([5])
    frozen = frozenset([1, 2])
    before = frozen
    frozen |= {k}
    members -= frozenset([1])
    return members, same is members, frozen, before


@program((A, 3), raises=TypeError)
def with_a_list(a, k):
    return frozenset([1]) | [k]


test_programs = program.test()
