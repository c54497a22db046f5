"""Generators advanced step by step: next, send, throw, close; kept in variables, lists and objects; several consumers;
context managers made of them; iterators of one's own."""

import contextlib
import itertools

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0, 0.5])
LONG = np.linspace(-1.0, 1.0, 40)
K = np.array([3, 5])


def running_sums(x):
    s = 0.0
    for v in x:
        s += v
        extra = yield s
        if extra is not None:
            s += extra
    return s * 100


def naturals(n=0):
    while True:
        yield n
        n += 1


def fibonacci(n):
    a, b = 0, 1
    for _ in range(n):
        yield a
        a, b = b, a + b


@program(X, np.array([1.0, 2.0, 3.0, 4.0, 5.0]))
def next_and_send(x):
    g = running_sums(x)
    return next(g), next(g), g.send(10.0), next(g, -1.0), next(g, -1.0), next(g, -1.0)


@program((X, 3), (X, 4), (LONG, 9), (X, 0))
def next_in_a_dynamic_loop(x, n):
    g = running_sums(x)
    t = 0.0
    for i in range(n):
        t += next(g) * (i + 1)
    return t


@program((X, 5), (X, 9), raises=StopIteration)
def next_beyond_the_end(x, n):
    g = running_sums(x)
    t = 0.0
    for _ in range(n):
        t += next(g)
    return t


@program((X, 5), (X, 2))
def value_of_the_return_statement(x, n):
    g = running_sums(x)
    last = 0.0
    try:
        for _ in range(n):
            last = next(g)
    except StopIteration as stop:
        return last, stop.value
    return last, None


@program(K, np.array([0, 0]))
def two_loops_over_one_generator(k):
    g = naturals()
    s = 0
    for v in g:
        if v > k[0]:
            break
        s += v
    for v in g:
        if v > k[0] + k[1]:
            break
        s += 100 * v
    return s, next(g)


@program(X, LONG)
def loop_that_takes_pairs(x):
    g = iter(x)
    s = 0.0
    for v in g:
        s += v * next(g, 0.0)
    return s


@program(X, LONG)
def generator_that_its_loop_advances(x):
    g = running_sums(x)
    s = 0.0
    for v in g:
        s += v
        s -= next(g, 0.5)
    return s


@program(np.array([3.0, 7.0, 9.0]), np.array([10.0, 11.0, 12.0]))
def merged_iterators(a):
    def merge(a, b):
        x, y = next(a, None), next(b, None)
        while x is not None or y is not None:
            if y is None or (x is not None and x <= y):
                yield x
                x = next(a, None)
            else:
                yield y
                y = next(b, None)

    b = np.array([1.0, 4.0, 8.0, 10.0])
    return list(merge(iter(a), iter(b))), sum(merge(iter(b), iter(a)))


@program(6, 1, 0)
def delegation(n):
    def inner(m):
        got = yield from fibonacci(m)
        yield -1
        return got

    g = inner(n)
    first = next(g)
    return first, list(g), [v for v in inner(3)], sum(inner(4))


@program(np.array([6]), np.array([3]), np.array([0]))
def delegation_left_early(k):
    def inner(m):
        yield from fibonacci(m)
        yield -1

    g = inner(k[0])
    s = 0
    for v in g:
        if v > 3:
            break
        s += v
    return s, next(g, None), next(g, None)


@program(X)
def delegation_with_send(x):
    def outer():
        result = yield from running_sums(x)
        yield result

    g = outer()
    return next(g), g.send(5.0), next(g), next(g), next(g)


@program(K)
def consumed_partly_by_builtins(k):
    g = fibonacci(12)
    a = list(itertools.islice(g, 3))
    b = next(v for v in g if v > k[0])
    c = any(v > 20 for v in g)
    d = list(g)
    return a, b, c, d


@program(X)
def exhausted_then_asked(x):
    g = running_sums(x)
    total = sum(g)
    return total, next(g, None), list(g), sum(g)


@program(X)
def round_robin(x):
    gs = [running_sums(x), running_sums(-x), running_sums(x * 2)]
    out = []
    for i in range(9):
        out.append(next(gs[i % 3]))
    return out


class Source:
    def __init__(self, x):
        self.stream = running_sums(x)
        self.count = 0

    def take(self):
        self.count += 1
        return next(self.stream)


@program((X, 4), (LONG, 30))
def kept_in_an_object(x, n):
    source = Source(x)
    s = 0.0
    for _ in range(n):
        s += source.take()
    return s, source.count


@program(X, -X)
def coroutine_average(x):
    def averager():
        total, count, average = 0.0, 0, None
        while True:
            value = yield average
            total += value
            count += 1
            average = total / count

    a = averager()
    next(a)
    out = []
    for v in x:
        out.append(a.send(v))
    a.close()
    return out


@program((LONG, 7), (LONG, 0))
def sent_in_a_dynamic_loop(x, n):
    def averager():
        total, count, average = 0.0, 0, 0.0
        while True:
            value = yield average
            total += value
            count += 1
            average = total / count

    a = averager()
    next(a)
    last = 0.0
    for i in range(n):
        last = a.send(x[i])
    return last


@program(X)
def thrown_and_caught_inside(x):
    def resilient():
        caught = 0
        for v in x:
            try:
                yield v
            except ValueError:
                caught += 1
                yield -1.0 * caught
        yield caught

    g = resilient()
    return next(g), g.throw(ValueError("a")), next(g), next(g), next(g), next(g), next(g, None)


@program(X, raises=KeyError)
def thrown_and_not_caught(x):
    g = running_sums(x)
    next(g)
    g.throw(KeyError("k"))


@program(X)
def closed_with_finally(x):
    log = []

    def managed():
        try:
            for v in x:
                yield v
        finally:
            log.append("closed")

    g = managed()
    a = next(g)
    g.close()
    log.append("after")
    return a, log, next(g, None)


@program(X)
def closed_before_the_start(x):
    g = running_sums(x)
    g.close()
    return list(g)


@program(X, raises=TypeError)
def sent_to_one_just_started(x):
    g = running_sums(x)
    return g.send(1.0)


@program(X, refuse="maybe")
def left_with_a_finally(x):
    log = []

    def managed():
        try:
            for v in x:
                yield v
        finally:
            log.append("closed")

    g = managed()
    a = next(g)
    del g
    return a, log


@program(X, raises=RuntimeError)
def stop_iteration_inside(x):
    def bad():
        yield 1
        raise StopIteration

    g = bad()
    next(g)
    return next(g)


@program((X, 2.5), (X, 100.0))
def nested_loops_with_yield(x, limit):
    def pairs(x):
        for a in x:
            for b in x:
                stop = yield a * b
                if stop:
                    break

    g = pairs(x)
    s = next(g)
    t = 0.0
    for _ in range(8):
        s = g.send(s > limit)
        t = t * 2 + s
    return t


@program((X, 3), (X, 0))
def generator_chosen_by_data(x, n):
    g = running_sums(x) if n > 1 else fibonacci(5)
    return next(g), next(g)


@program(X, -X)
def advanced_under_a_condition(x):
    g = naturals(5)
    a = next(g)
    if x[0] > 0:
        a += next(g) * 10
    return a, next(g)


@program(LONG, X)
def windowed(x):
    def window(it):
        a = next(it)
        for b in it:
            yield a, b
            a = b

    return sum(b - a for a, b in window(iter(x))), [a * b for a, b in window(iter(x))]


@program(K, np.array([1, 4]))
def primes(k):
    def sieve():
        found = []
        n = 2
        while True:
            if all(n % p for p in found):
                found.append(n)
                yield n
            n += 1

    return list(itertools.islice(sieve(), 6)), k


# -- context managers -------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def scaled(x, factor):
    x *= factor
    try:
        yield x
    finally:
        x /= factor


@contextlib.contextmanager
def suppressing():
    try:
        yield
    except ValueError:
        pass


@program((X, 2.0))
def context_manager(x, f):
    with scaled(x, f) as y:
        s = y.sum()
    return s, x


@program((X, 2.0), (-X, 2.0))
def context_manager_and_dynamic_error(x, f):
    try:
        with scaled(x, f) as y:
            if y[0] > 1:
                raise ValueError("large")
            s = y.sum()
    except ValueError:
        s = -1.0
    return s, x


@program(X, -X)
def context_manager_that_suppresses(x):
    s = 0.0
    with suppressing():
        s = 1.0
        if x[0] > 0:
            raise ValueError
        s = 2.0
    return s


@program((X, 3))
def context_manager_in_a_loop(x, n):
    s = 0.0
    for i in range(n):
        with scaled(x, 2.0 ** (i + 1)) as y:
            s += y[0]
    return s, x


@program((X, 2.0), raises=KeyError)
def context_manager_lets_through(x, f):
    with scaled(x, f):
        raise KeyError("k")


# -- own iterators ----------------------------------------------------------------------------------------------------


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n


@program(np.array([5]), np.array([0]))
def own_iterator_in_two_loops(k):
    c = Countdown(k[0])
    s = 0
    for v in c:
        s += v
        if v == 2:
            break
    for v in c:
        s += 10 * v
    return s, c.n


@program(np.array([5]), np.array([0]))
def own_iterator_by_next(k):
    c = Countdown(k[0])
    return next(c, -1), next(c, -1), list(c)


@program((np.array([5, 1]), 4), raises=StopIteration)
def own_iterator_beyond_the_end(k, n):
    c = Countdown(k[0] - k[1])
    s = 0
    for _ in range(n + 1):
        s += next(c)
    return s


class Tree:
    def __init__(self, value, left=None, right=None):
        self.value, self.left, self.right = value, left, right

    def __iter__(self):
        if self.left is not None:
            yield from self.left
        yield self.value
        if self.right is not None:
            yield from self.right


@program(X)
def recursive_iteration(x):
    tree = Tree(x[0], Tree(x[1]), Tree(x[2], None, Tree(x[3])))
    it = iter(tree)
    return next(it), sum(tree), list(it), max(tree)


# -- generators that are left before their end, inside of `try` --------------------------------------------------------

LOG = []


@program((X,))
def thrown_at_inside_except(x):
    def gen():
        while True:
            try:
                yield 1.0
            except ValueError:
                yield 5.0

    g = gen()
    return x * next(g) + g.throw(ValueError())


@program((X,), (-X,))
def advanced_then_left(x):
    def gen():
        n = 0
        while True:
            try:
                n += 1
                yield x[n]
            except IndexError:
                return

    g = gen()
    a = next(g)
    if x[0] > 0:
        a += next(g)
    return a


@program((X,), refuse="maybe")
def left_with_finally(x):
    def gen():
        try:
            yield 1.0
        finally:
            LOG.append("closed")

    g = gen()
    return x * next(g)


@program((X,), refuse="maybe")
def left_with_exit_handler(x):
    def gen():
        try:
            yield 1.0
        except GeneratorExit:
            print("bye")
            raise

    return x * next(gen())


@program((X,))
def left_inside_with(x):
    def gen():
        for v in x:
            with contextlib.suppress(ZeroDivisionError):
                yield 1 / v

    g = gen()
    return next(g), next(g)


@program((X,), refuse="maybe")
def left_with_base_exception_handler(x):
    box = [0]

    def gen():
        try:
            yield 1.0
        except BaseException:
            box[0] = 1
            raise

    g = gen()
    next(g)
    del g
    return box


@program((X,))
def loop_left_inside_try(x):
    def read():
        for i in range(10):
            try:
                yield x[i] * 2
            except ValueError as e:
                print("bad", e)

    for v in read():
        if v < 0:
            break
    return v


@program((X, 3), (X, 2), (X, 4), raises=ValueError)
def zipped_with_a_generator(x, n):
    total = 0.0
    for a, b in zip((v * 2 for v in x), x[:n], strict=True):
        total += a * b
    return total


@program((X,))
def zipped_with_two_others(x):
    return [a + b + c for a, b, c in zip((v * 2 for v in x), x, x + 1)], list(zip(v + 1 for v in x))


def _blocks(image):
    for i in range(image.shape[0] // 2):
        for j in range(image.shape[1] // 2):
            yield image[2 * i : 2 * i + 2, 2 * j : 2 * j + 2], i, j


def _first_positive(x):
    for v in x.ravel():
        if v > 0:
            return x * 2


IMAGES = np.linspace(-1.0, 1.0, 16).reshape(4, 4), np.random.default_rng(1).normal(size=(8, 8))


@program((IMAGES[0], IMAGES[1], 3), (-np.ones((4, 4)), IMAGES[1], 2), raises=TypeError, compiles=1)
def nest_in_the_body_that_may_raise(d, x, n):
    out = np.zeros(x.shape)
    for _ in range(n):
        slope = _first_positive(d)
        for block, i, j in _blocks(x):
            for a in range(block.shape[0]):
                for b in range(block.shape[1]):
                    if block[a, b] == block.max():
                        out[2 * i + a, 2 * j + b] += slope[i, j]
    return out


test_programs = program.test()
