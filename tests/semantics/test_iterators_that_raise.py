"""Iterators of the program's own that raise, end, or are searched, as data says."""

import itertools

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, -1.0, 2.0, 5.0, -4.0, 0.0])
Y = np.array([-3.0, 1.0, -2.0, 0.5, 4.0, 1.0])
CALLS = ((X, 5.0), (Y, 0.5), (X, 77.0), (Y, 77.0))


class Values:
    """The values of an array up to a zero; one of them is an error."""

    def __init__(self, values, bad):
        self.values, self.bad, self.position = values, bad, 0

    def __iter__(self):
        return self

    def __next__(self):
        if self.position >= len(self.values):
            raise StopIteration
        self.position += 1
        value = self.values[self.position - 1]
        if value == self.bad:
            raise ValueError("bad")
        if value == 0:
            raise StopIteration
        return value


class Counted:
    """Values by a generator that counts them."""

    def __init__(self, values):
        self.values, self.count = values, 0

    def __iter__(self):
        for value in self.values:
            self.count += 1
            yield value


@program(*CALLS)
def caught_around_the_loop(x, t):
    total, values = 0.0, Values(x, t)
    try:
        for v in values:
            total += v
        else:
            total += 10
    except ValueError:
        total += 1000
    return total, values.position


@program(*CALLS[2:])
def left_by_break(x, t):
    values, found = Values(x, t), False
    for v in values:
        if v == 2:
            found = True
            break
    return found, values.position


@program((X, 5.0), raises=ValueError)
def not_caught(x, t):
    return sum(Values(x, t))


@program(*CALLS)
def drawn_by_builtins(x, t):
    found = []
    for draw in (sum, max, list, lambda v: any(a > 4 for a in v), lambda v: [a * 2 for a in v if a > 0]):
        try:
            drawn = draw(Values(x, t))
        except ValueError:
            drawn = -1.0
        found.append(drawn if isinstance(drawn, (list, float)) else float(drawn))
    return len(found), found[0], found[1], found[3]


@program(*CALLS)
def zipped_and_mapped(x, t):
    values, out = Values(x, t), 0.0
    try:
        for a, b in zip(values, range(10)):
            out += a * b
            if b > 3:
                break
    except ValueError:
        out += 1000
    count = 0
    try:
        for v in filter(lambda v: v > 0, map(lambda v: v + 1, Values(x, t))):
            count += 1
            if v > 4:
                break
    except ValueError:
        count += 100
    return out, values.position, count


@program(*CALLS)
def function_of_map_raises(x, t):
    def checked(v):
        if v == t:
            raise KeyError("checked")
        return v * 2

    total = 0.0
    try:
        for v in map(checked, x):
            total += v
    except KeyError:
        total += 1000
    return total


@program(*CALLS)
def stop_iteration_inside_a_generator(x, t):
    def pairs(values):
        while True:
            a = next(values)
            if a == t:
                raise ValueError("pairs")
            yield a

    out = []
    try:
        for v in pairs(iter(x)):
            out.append(v)
    except RuntimeError as error:
        return sum(out), str(error)
    except ValueError as error:
        return sum(out), str(error)


@program(*CALLS)
def stop_iteration_inside_a_generator_that_is_stepped(x, t):
    def values():
        for v in x:
            if v == t:
                raise StopIteration
            if v < -3.5:
                raise KeyError(3)
            if v == 0:
                return
            yield v

    total, generator = 0.0, values()
    for _ in range(8):
        try:
            total += next(generator)
        except StopIteration:
            total += 100
        except KeyError:
            total += 1000
        except RuntimeError:
            total += 10000
    return total


class Limited:
    """An object with a property and items that may be missing, or wrong."""

    def __init__(self, value):
        self.value = value

    @property
    def checked(self):
        if self.value > 4:
            raise AttributeError("large")
        if self.value < -2:
            raise ValueError("small")
        return self.value

    def __getitem__(self, index):
        if index > 3:
            raise IndexError
        if self.value * index > 7:
            raise KeyError("large")
        return self.value * index


@program(X, Y, np.ones(6))
def attributes_with_defaults(x):
    found = []
    for v in x:
        try:
            found.append(getattr(Limited(v), "checked", -99.0))
        except ValueError:
            found.append(-5.0)
        try:
            found.append(float(hasattr(Limited(v), "checked")))
        except ValueError:
            found.append(7.0)
    return found


@program(X, Y, np.ones(6))
def items_until_an_index_error(x):
    total = 0.0
    for v in x:
        try:
            for w in Limited(v):
                total += w
            total += sum(Limited(v)) + len(list(Limited(v)))
        except KeyError:
            total += 100
    return total


@program(X)
def zipped_with_a_shorter_one(x):
    def attempt(*iterables):
        seen = []
        try:
            for items in zip(*iterables, strict=True):
                seen.append(items)
        except ValueError as error:
            seen.append(str(error))
        return seen

    return attempt(x, x[:2].tolist(), x.tolist()), attempt(x[:1].tolist(), [1], (2, 3)), attempt(x, x[1:]), attempt(x)


SEARCHES = ((X, 5.0), (Y, 0.5), (X, 77.0))


@program(*SEARCHES)
def search_stops_where_it_finds(x, t):
    values, counted, rest = Values(x, -99.0), Counted(x), iter(x)
    known = iter([1, 2, 3])
    return t in values, values.position, t in counted, counted.count, t in rest, list(rest), 2 in known, list(known)


@program(*SEARCHES)
def search_of_a_generator(x, t):
    generator, mapped = (v * 1 for v in x), map(lambda v: v + 1, x)
    return t in generator, t not in mapped, sum(generator, 0.0), sum(mapped, 0.0)


program.each(
    (X, None),
    options={"raises": TypeError},
    search_of_none=lambda x, n: 1 in n,
    search_of_a_number=lambda x, n: 1 in x[0],
    none_unpacked=lambda x, n: [1, *n],
    none_merged=lambda x, n: {"a": 1, **n},
    pairs_merged=lambda x, n: {**zip(x, x)},
    reversed_number=lambda x, n: reversed(x[0]),
)


@program((np.array([1.0, 2.0]), np.array([3.0]), np.array([4.0, 5.0, 6.0])))
def in_turns(*arrays):
    """`map(next, ...)` ends where an iterator has ended: what is left is asked in turns without it."""

    def items():
        iterators = map(iter, arrays)
        for left in range(len(arrays), 0, -1):
            iterators = itertools.cycle(itertools.islice(iterators, left))
            yield from map(next, iterators)

    return list(items()), list(map(next, [iter(arrays[1]), iter([]), iter(arrays[0])]))


@program(([1, 0, 2],), refuse="XP0009")
def a_function_that_ends_a_map(values):
    def first(items):
        if not items:
            raise StopIteration
        return items[0]

    return list(map(first, [values, [], values]))


test_programs = program.test()
