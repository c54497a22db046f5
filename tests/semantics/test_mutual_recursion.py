"""Functions that call each other as often as data says: one loop over what the suspended calls go on with."""

import functools
from dataclasses import dataclass

import numpy as np

import xlapy

from .runner import Programs, set_global

program = Programs()
RNG = np.random.default_rng(0)
STEP = 1


def text(source):
    return np.frombuffer(source.encode(), np.uint8).astype(int)


def even(n):
    return True if n <= 0 else odd(n - STEP)


def odd(n):
    return False if n <= 0 else even(n - STEP)


@program((np.array([7]),), (np.array([0]),), set_global(odd, "STEP", 3), (np.array([12]),), compiles=2)
def parity(n):
    return even(n[0]), odd(n[0])


def female(n):
    return 1 if n == 0 else n - male(female(n - 1))


def male(n):
    return 0 if n == 0 else n - female(male(n - 1))


@program((np.array([9]),), (np.array([0]),), compiles=1)
def hofstadter(n):
    return female(int(n[0])), male(int(n[0]))


@program((text("2*(3+4)-5*-(1+1)"),), (text("((7))"),), (text("1-2-3"),))
def calculator(codes):
    at = 0

    def expression():
        nonlocal at
        value = term()
        while at < len(codes) and (codes[at] == 43 or codes[at] == 45):
            plus = codes[at] == 43
            at += 1
            right = term()
            value = value + right if plus else value - right
        return value

    def term():
        nonlocal at
        value = factor()
        while at < len(codes) and codes[at] == 42:
            at += 1
            value *= factor()
        return value

    def factor():
        nonlocal at
        if codes[at] == 45:
            at += 1
            return -factor()
        if codes[at] == 40:
            at += 1
            value = expression()
            at += 1
            return value
        value = 0
        while at < len(codes) and 48 <= codes[at] <= 57:
            value = value * 10 + (codes[at] - 48)
            at += 1
        return value

    return expression()


@program((np.array([3, 4]),), (np.array([0, 2]),), (np.array([5, 5]),), compiles=1)
def nim(piles):
    def best(a, b):
        if a + b == 0:
            return -1
        value = -9
        for k in range(1, 3):
            if k <= a:
                value = max(value, worst(a - k, b))
            if k <= b:
                value = max(value, worst(a, b - k))
        return value

    def worst(a, b):
        if a + b == 0:
            return 1
        value = 9
        for k in range(1, 3):
            if k <= a:
                value = min(value, best(a - k, b))
            if k <= b:
                value = min(value, best(a, b - k))
        return value

    return best(piles[0], piles[1])


@dataclass
class Tree:
    left: np.ndarray
    right: np.ndarray
    value: np.ndarray
    visits: int = 0

    def total(self, i, weight=1.0):
        if i < 0:
            return 0.0
        self.visits += 1
        return weight * self.value[i] + self.below(i, weight=weight / 2)

    def below(self, i, *, weight):
        return self.total(self.left[i], weight) + self.total(self.right[i], weight)


LEFT, RIGHT, VALUE = np.array([1, 3, -1, -1, -1]), np.array([2, -1, 4, -1, -1]), np.arange(5.0) + 1


@program((LEFT, RIGHT, VALUE), (RIGHT, LEFT, VALUE), compiles=1)
def tree_of_methods(left, right, value):
    tree = Tree(left, right, value)
    return tree.total(0), tree.visits


class Shape:
    def area(self, n):
        return 1.0 if n <= 0 else self.scale(n)

    def scale(self, n):
        return 2 * self.area(n - 1)


class Round(Shape):
    def scale(self, n):
        return super().scale(n - 1) + 0.5


@program((np.array([8]),), (np.array([1]),), compiles=1)
def methods_by_way_of_super(n):
    return Round().area(n[0])


def ping(x, n):
    x[n % len(x)] += 1
    if n == 0:
        raise KeyError("the end")
    return pong(x, n - 1) + 1


def pong(x, n):
    try:
        return ping(x, n - 1) if n > 0 else 0
    except KeyError:
        x[0] -= 0.5
        if x[1] > 3:
            raise ValueError(int(n)) from None
        return 10


@program((np.zeros(3), 7), (np.zeros(2), 1), (np.zeros(3), 3), (np.zeros(3), 29), raises=ValueError)
def errors_that_the_other_one_handles(x, n):
    x = x.copy()
    return pong(x, n), x


@program((RNG.random((8, 8)) < 0.25, 0), (np.zeros((8, 8), bool), 3), compiles=1)
def walk_of_two_kinds(edges, start):
    seen = [False] * 8
    order = []

    def there(u):
        seen[u] = True
        order.append(u)
        for v in range(8):
            if edges[u, v] and not seen[v]:
                back(v)

    def back(u):
        seen[u] = True
        order.append(-u)
        for v in range(7, -1, -1):
            if edges[v, u] and not seen[v]:
                there(v)

    there(start)
    return order, seen


@program((np.array([17, 3]),), (np.array([4, 1]),), compiles=1)
def three_in_a_row(n):
    def a(k):
        return 1 if k <= 0 else b(k - n[1]) + c(k - 2)

    def b(k):
        return 2 if k <= 0 else c(k - n[1] - 1) * 2

    def c(k, by=1):
        return 3 if k <= 0 else a(k - by - 2) - 1

    return a(n[0]), c(n[0] // 2, by=3)


def collatz_even(n, steps):
    return collatz(n // 2, steps + 1)


def collatz_odd(n, steps):
    return collatz(3 * n + 1, steps + 1)


def collatz(n, steps=0):
    if n == 1:
        return steps
    return collatz_even(n, steps) if n % 2 == 0 else collatz_odd(n, steps)


@program((np.array(27),), (np.array(1),), (np.array(97),), compiles=1)
def collatz_by_cases(n):
    return collatz(int(n))


@program((np.array(27),), (np.array(6),), compiles=1)
def one_of_two_functions(n):
    """Which one is called, data says."""

    def down(n, steps):
        return go(n // 2, steps + 1)

    def up(n, steps):
        return go(3 * n + 1, steps + 1)

    def go(n, steps):
        if n == 1:
            return steps
        return (down if n % 2 == 0 else up)(n, steps)

    return go(int(n), 0)


def traced(f):
    @functools.wraps(f)
    def wrapper(*args):
        return f(*args) + 1

    return wrapper


@traced
def decorated(n):
    return 0 if n <= 0 else decorated(n - 1)


@program((np.array([9]),), (np.array([0]),), compiles=1)
def by_way_of_a_decorator(n):
    return decorated(n[0])


@xlapy.jit
def jitted_one(n):
    return n if n < 2 else jitted_other(n - 1) + 1


@xlapy.jit
def jitted_other(n):
    return n * 2 if n < 3 else jitted_one(n - 2) * 2


@program((np.array([9]),), (np.array([0]),), compiles=1)
def compiled_functions(n):
    return jitted_one(n[0])


@program((np.array([4.0, 0.5]),), (np.array([0.1, 0.5]),), compiles=1)
def arrays_are_passed_on(x):
    def grow(v, depth):
        if v.sum() > 20:
            return v, depth
        return shift(v * 1.5, depth + 1)

    def shift(v, depth):
        w = np.roll(v, 1)
        w[0] += 1
        below, depth = grow(w + 0.0, depth)
        return below[0] + w, depth

    return grow(x, 0)


@program((np.array([6]),), (np.array([1]),), compiles=1)
def depth_is_a_list(n):
    trail = []

    def one(k):
        trail.append(k)
        if k > 0:
            two(k - 1)
        trail.append(-k)

    def two(k):
        if k % 3 == 0:
            trail.append(100 + k)
            return
        one(k - 1)

    one(int(n[0]))
    return trail


@program((np.array([5]),), (np.array([400]),), raises=UnboundLocalError)
def unbound_in_the_other_one(n):
    def one(k):
        return two(k - 1) + 1

    def two(k):
        if k > 0:
            return one(k - 2)
        if n[0] < 300:
            found = 2
        return found

    return one(n[0])


@program((np.array([5]),), refuse="XP0008")
def with_a_generator_between(n):
    def one(k):
        return 0 if k <= 0 else sum(two(k))

    def two(k):
        yield one(k - 1)
        yield one(k - 2)

    return one(n[0])


@program((np.array([2, 5]),), refuse="XP0008")
def with_a_key_function_between(n):
    def one(k):
        return k if k <= n[0] else max([k - 1, k - 2], key=one)

    return one(n[1])


def halved(x, n):
    return 1 if n < 2 else guarded(x, n // 2)


def guarded(x, n):
    try:
        x[n] += 1
    except IndexError as error:
        n = 3
    except ValueError as error:
        n = 4
    return halved(x, n - 2) + n


@program((np.array([9.0, 1.0, 2.0]), np.array([11])), (np.array([9.0, 0.0, 1.0]), np.array([1])))
def handlers_that_are_alike(x, n):
    return halved(x, n[0])


test_programs = program.test()
