"""One iterator in several places, as in `zip(it, it)`; and `array.flat`, which is an iterator."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([3.0, 1.0, 2.0, 0.0, 5.0, 4.0])


def pairs(x):
    it = iter(x)
    next(it)
    return list(zip(it, it)), list(it)


def products_of_pairs(x):
    it, s = iter(x), 0.0
    for a, b in zip(it, it):
        s += a * b
    return s


def with_a_map_of_itself(x):
    it = iter(x)
    return [(a, b) for a, b in zip(it, map(lambda v: v * 10, it))]


def moved_in_the_loop(x):
    it, s = iter(x), 0.0
    for i, v in enumerate(it):
        s = s * 10 + v * i + next(it)
    return s


def with_enumerate_of_itself(x):
    it, s = iter(x), 0.0
    for a, (i, b) in zip(it, enumerate(it)):
        s += a * b + i
    return s


def twice_of_three(x):
    it, s = iter(x), 0.0
    for a, b, c in zip(x, it, it):
        s += a * b - c
    return s


def of_a_range(x, n):
    it, s = iter(range(n)), 0
    for a, b in zip(it, it):
        s += a * b
    return s, list(it)


program.each(
    (X,),
    (X[:5],),
    (X[:1],),
    pairs=pairs,
    products_of_pairs=products_of_pairs,
    groups=lambda x: [a + b for a, b in zip(*[iter(x)] * 2)],
    map_of_two=lambda x: list(map(lambda a, b: a - b, *[iter(x)] * 2)),
    with_a_map_of_itself=with_a_map_of_itself,
    with_enumerate_of_itself=with_enumerate_of_itself,
    twice_of_three=twice_of_three,
)
program.each((X,), moved_in_the_loop=moved_in_the_loop)
program.each((X, 7), (X, 4), of_a_range=of_a_range)


def begun(function):
    """What is left of `x.flat` to a function, and behind it."""

    def used(x):
        it = x.flat
        return next(it), function(it), list(it)

    return used


def left_by_break(x):
    it, s = x.flat, 0.0
    for v in it:
        s += v
        if s > 3:
            break
    return s, [v for v in it]


def moved_where_data_says(x, n):
    it = x.flat
    if n > 2:
        next(it)
    s = 0.0
    for _ in range(n):
        s += next(it)
    return s, next(it), sum(it), list(it)


def each_time_anew(x):
    s = 0.0
    for r in range(3):
        for v in x.flat:
            s = s * 2 + v * r
    return s, sum(x.flat), max(x.flat), sorted(x.flat), list(x.T.flat)


def indexed(x):
    it = x.flat
    a = next(it)
    it[2] = 9.0
    b = next(it)
    c, d = it[3], next(it)
    for i, v in enumerate(x.flat):
        x.flat[i] = v * i
    return a, b, c, d, x


program.each(
    (X.reshape(2, 3),),
    (np.asfortranarray(X.reshape(2, 3)),),
    left_by_break=left_by_break,
    each_time_anew=each_time_anew,
    indexed=indexed,
    unpacked=lambda x: [*x.flat][::2],
    **{
        f"rest_{name}": begun(function)
        for name, function in {
            "sum": sum,
            "max": max,
            "min": min,
            "any": any,
            "all": all,
            "sorted": sorted,
            "list": list,
            "tuple": tuple,
            "member": lambda it: 5.0 in it,
            "map": lambda it: [v * 2 for v in it],
            "pairs": lambda it: list(zip(it, it)),
            "array": lambda it: np.sum(it),
            "generator": lambda it: sum(v for v in it),
        }.items()
    },
)
program.each((X.reshape(2, 3), 1), (X.reshape(2, 3), 3), moved_where_data_says=moved_where_data_says)

test_programs = program.test()
