"""Generators, and generators that delegate to others, that may raise or end under a condition, whose consumers leave
their loops, catch what is raised, or take all."""

import numpy as np

from .runner import Programs

program = Programs()
V = np.array([3, 1, 4, 1, 5, 9, 2, 6])
STEPS = (V, -V, np.array([1, 1, 1, -1, 2, 2, 2, 2]), np.array([1, 1, 1, 1, 2, 2, 2, -2]))


def may_raise(x):
    for v in x:
        if v < 0:
            raise ValueError("negative")
        yield v * 2


def may_end(x):
    for v in x:
        if v < 0:
            return v
        yield v * 2
    return 50


def of_one(x):
    yield 1
    yield from may_raise(x)
    yield 5


def of_its_result(x):
    yield 1
    result = yield from may_end(x)
    yield result


def of_two(x):
    yield from may_raise(x)
    yield from may_end(x[::-1])
    yield 7


def guarded(x):
    try:
        yield from may_raise(x)
    except ValueError:
        yield -100
    else:
        yield 200
    yield 300


def consumers(make):
    def leaves(x):
        s = n = 0
        for v in make(x.tolist()):
            s, n = s * 3 + v, n + 1
            if s > 200:
                break
        else:
            n = -n
        return s, n

    def catches(x):
        s = n = 0
        try:
            for v in make(x.tolist()):
                s, n = s * 3 + v, n + 1
            n += 100
        except ValueError:
            s = -s - 1
        finally:
            n *= 2
        return s, n

    def catches_and_leaves(x):
        s = 0
        for _ in range(2):
            try:
                for v in make(x.tolist()):
                    s = s * 3 + v
                    if v > 6:
                        break
                    if v == 4:
                        continue
                    s += 1
                else:
                    s += 1000
            except ValueError:
                s = -s - 1
        return s

    def returns(x):
        s = 0
        for v in make(x.tolist()):
            s = s * 3 + v
            if s > 100:
                return s, 1
        return s, 2

    def takes_all(x):
        return list(make(x.tolist())), sum(make(x.tolist()))

    return leaves, catches, catches_and_leaves, returns, takes_all


for made in (may_raise, of_one, of_its_result, of_two, guarded):
    raising = made in (may_raise, of_one, of_two)
    for consumer in consumers(made):
        raises = ValueError if raising and not consumer.__name__.startswith("catches") else None
        program.add(f"{made.__name__}_{consumer.__name__}", consumer, *STEPS, raises=raises)


@program(*STEPS, raises=ValueError)
def closed_in_the_end(x):
    log = []

    def numbers():
        try:
            yield from may_raise(x.tolist())
        finally:
            log.append(len(log))

    s = 0
    for v in numbers():
        s += v
        if s > 9:
            break
    return s, log


def swallows(x, log):
    """A generator that just ends when it is closed: who delegates to it is closed all the same."""
    for v in x:
        try:
            yield v
        except GeneratorExit:
            log.append(5)
            return


def delegates(x, log):
    yield from swallows(x, log)
    log.append(55)
    yield 1000


@program(*STEPS)
def closed_though_the_inner_one_returns(x):
    log, s = [], 0
    for v in delegates(x.tolist(), log):
        s = s * 3 + v
        if abs(s) > 200:
            break
    return s, log


@program(*STEPS)
def closed_inside_of_enumerate_and_any(x):
    log = []
    for i, v in enumerate(delegates(x.tolist(), log)):
        if v > 4 or i > 6:
            break
    return v, any(v > 5 for v in delegates(x.tolist(), log)), log


test_programs = program.test()
