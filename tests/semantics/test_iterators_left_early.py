"""Iterators that several consumers go through, one after the other: what the one leaves is there for the next."""

from itertools import compress, count, cycle, dropwhile, islice, pairwise, tee, zip_longest

import numpy as np

from .runner import Programs

program = Programs()

A = np.array([3.0, -1.0, 2.0, 5.0])
B = np.array([-3.0, 1.0, 0.0, 2.0])


@program(A, B)
def searched_by_any_and_all(a):
    numbers = (v for v in a)
    found = any(v > 1.5 for v in numbers)
    others = iter(v * 2 for v in a)
    small = all(v < 5 for v in others)
    return found, list(numbers), small, sum(others)


@program(A, B)
def searched_by_in(a):
    numbers, others = (v for v in a), iter(v for v in a)
    return 2.0 in (v for v in numbers), list(numbers), -1.0 in others, list(others)


@program(A, B)
def iter_of_a_generator_is_itself(a):
    numbers = iter(v * 2 for v in a)
    for v in numbers:
        if v != 3.0:
            break
    large = iter(filter(lambda v: v > 0, a))
    for v in large:
        if v > 2.5:
            break
    return list(numbers), list(large)


def passed_on(numbers):
    for v in numbers:
        yield v


def delegated(numbers):
    yield from numbers


@program(A, B)
def left_through_other_generators(a):
    numbers = (v for v in a)
    for v in (2 * u for u in passed_on(numbers)):
        if v > 3:
            break
    closed = (v for v in a)
    for v in delegated(closed):
        if v > 2:
            break
    plain = iter([1, 2, 3])
    for v in delegated(plain):
        break
    return list(numbers), list(closed), list(plain)


@program(A, B)
def left_by_an_exception(a):
    def consume(numbers):
        for v in numbers:
            if v > 2:
                raise ValueError

    numbers = (v for v in a)
    try:
        consume(numbers)
    except ValueError:
        pass
    return list(numbers)


@program(A, B)
def left_in_islice(a):
    numbers = iter(a)
    for v in islice(numbers, 3):
        if v < 0:
            break
    others = iter(a)
    taken = list(islice(islice(others, 3), 1))
    return list(numbers), taken, list(others)


@program((A, 4), (B, 5))
def bounds_of_islice(a, n):
    def attempt(*bounds):
        numbers = iter(a)
        try:
            return list(islice(numbers, *bounds)), list(numbers)
        except ValueError as error:
            return str(error)

    bounds = (-1,), (-5,), ("a",), (3, 1), (n - 1, n - 3), (-1, 2), (0, -1), (0, 2, 0), (1.0,), (n - 9,), (n - 2,)
    return [attempt(*b) for b in bounds]


@program((A, 4), (B, 5))
def items_that_zip_has_taken_for_nothing(a, n):
    sources = a, range(n), "abcd", a.tolist(), {1: 2, 3: 4, 5: 6}.items()
    found = []
    for source in sources:
        numbers = iter(source)
        found.append((list(zip(numbers, range(2))), list(numbers)))
        numbers = map(str, range(n))
        found.append((list(zip(range(2), numbers)), list(numbers)))
        numbers = enumerate(source)
        for _, _ in zip(numbers, [1, 2]):
            pass
        found.append(list(numbers))
    return found


@program((A, 4), (B, 5))
def lazy_ones_of_itertools(a, n):
    numbers = iter(range(n))
    late = dropwhile(lambda v: False, numbers)
    first = next(numbers), list(late)
    numbers = iter(a.tolist())
    chosen = compress([1, 2, 3], numbers)
    second = list(chosen), list(numbers)
    numbers = iter(range(n))
    return first, second, list(zip_longest(*[numbers] * 3, fillvalue=-1)), list(zip_longest(iter(a.tolist()), [1]))


@program(*((np.array(v, np.int64),) for v in ([], [3], [1, 2], [3, 1, 4, 1, 5, 9])))
def gone_round_and_doubled(x):
    kept = [int(v) for v in x if v > 1]
    round_and_round, (one, other) = cycle(kept), tee(kept)
    products = [int(a) * b for a, b in zip(x, cycle([*kept, 2]))]
    return [next(round_and_round, None) for _ in range(3)], sum(one), list(other), products


@program(*((np.array(v, np.int64),) for v in ([], [3], [1, 2], [3, 1, 4, 1, 5, 9, 2, 6])))
def parts_of_generators(x):
    kept, rest = (int(v) for v in x if v > 1), iter(int(v) for v in x)
    part = list(islice(rest, 1, 4, 2))
    squares = list(islice((v * v for v in count(len(x))), 2, 5))
    return list(islice(kept, 2)), list(kept), part, list(rest), squares, list(pairwise(v for v in x if v > 1))


@program(*((np.array(v, np.int64),) for v in ([], [3], [1, 2], np.arange(20))))
def ended_for_good(x):
    kept, seen = [int(v) for v in x if v > 1], {int(v): 1 for v in x}
    items, numbered, keys = iter(kept), enumerate(kept), iter(seen)
    total = sum(v for v in items) + sum(k * v for k, v in numbered)
    for k in keys:
        total += k
    kept.append(5)
    seen[77] = 1
    return total, next(items, None), next(numbered, None), next(keys, None)


@program({1: 1, 2: 2, 3: 3}, refuse="maybe", raises=RuntimeError)
def keys_that_take_the_place_of_others(d):
    found = []
    for k, v in d.items():
        found.append((k, v))
        if k == 1:
            del d[1]
            d[7] = 5
    return found


test_programs = program.test()
