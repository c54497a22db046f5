"""Functions that call themselves, mostly as often as is known from the arguments, or from a loop that is unrolled."""

import cmath
import sys

import numpy as np

from .runner import Programs

program = Programs()


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


program.each((10,), (3,), (0,), factorial=lambda n: fact(n), fibonacci=lambda n: fib(n), mutual=lambda n: is_even(n))
program.each((48, 18), (7, 3), common_divisor=lambda a, b: gcd(a, b))
program.each((2, 2), (1, 3), nested_calls=lambda m, n: ackermann(m, n))


@program((2.0, 10), (3.0, 5), (3.0, 0))
def power_by_squaring(x, n):
    def power(x, n):
        if n == 0:
            return 1.0
        half = power(x * x, n // 2)
        return half * x if n % 2 else half

    return power(x, n)


@program((6,), (3,))
def recursion_in_a_loop(n):
    total = 0
    for i in range(n):
        total += fact(i)
    return total


@program((3,), (4,))
def towers_of_hanoi(n):
    moves = []

    def move(count, source, by, target):
        if count:
            move(count - 1, source, target, by)
            moves.append((source, target))
            move(count - 1, by, source, target)

    move(n, 0, 1, 2)
    return moves


@program((3,), (9,))
def towers_of_a_limited_height(n):
    def move(count, source, by, target):
        if count == 0:
            return 0
        return move(count - 1, source, target, by) + 1 + move(count - 1, by, source, target)

    return move(min(n, 5), 0, 1, 2)


@program((3,), (4,))
def subsets(n):
    out = []

    def extend(i, chosen):
        if i == n:
            out.append(list(chosen))
            return
        extend(i + 1, chosen)
        extend(i + 1, [*chosen, i])

    extend(0, [])
    return out


@program((np.array([1, 2, 3]),))
def permutations_in_place(a):
    found = []

    def go(k):
        if k == len(a):
            found.append(a.copy())
            return
        for i in range(k, len(a)):
            a[k], a[i] = a[i], a[k]
            go(k + 1)
            a[k], a[i] = a[i], a[k]

    go(0)
    return np.array(found)


@program((np.array([3.0, 1.0, 2.0]), 2), (np.array([3.0, 1.0, 2.0]), 4))
def smoothed(x, n):
    def smooth(x, n):
        return x if n == 0 else smooth((np.roll(x, 1) + x) / 2, n - 1)

    return smooth(x, n)


@program((0.0, 1.0), (0.0, 2.0))
def simpson_to_a_depth(a, b):
    def f(x):
        return 1.0 / (1.0 + x * x)

    def simpson(a, b, depth):
        m = (a + b) / 2
        whole = (b - a) / 6 * (f(a) + 4 * f(m) + f(b))
        left = (m - a) / 6 * (f(a) + 4 * f((a + m) / 2) + f(m))
        right = (b - m) / 6 * (f(m) + 4 * f((m + b) / 2) + f(b))
        if depth <= 0 or abs(left + right - whole) < 1e-5:
            return left + right
        return simpson(a, m, depth - 1) + simpson(m, b, depth - 1)

    return simpson(a, b, 3)


@program((np.array([2.0, 3.0]),), (np.array([0.0, 3.0]),), compiles=1)
def depth_depends_on_array(x):
    def halve(v):
        return v if v < 1 else halve(v / 2)

    return halve(x[0])


@program((40.0,), (3.0,), compiles=1)
def depth_depends_on_float(x):
    def halve(v):
        return v if v < 1 else halve(v / 2)

    return halve(x)


def transformed(x):
    n = len(x)
    if n == 1:
        return x
    even, odd = transformed(x[0::2]), transformed(x[1::2])
    out = [0j] * n
    for k in range(n // 2):
        t = cmath.exp(-2j * cmath.pi * k / n) * odd[k]
        out[k] = even[k] + t
        out[k + n // 2] = even[k] - t
    return out


WAVES = np.random.default_rng(5).normal(size=(2, 64))


@program(WAVES[0].tolist(), WAVES[1].tolist(), WAVES[0][:8].tolist(), rtol=1e-9)
def fast_fourier_transform_of_a_list(x):
    return transformed(x)


def retried(x, n):
    if n < 2:
        return 1.0
    t = 0
    for _ in range(2):
        try:
            x[n] += retried(x, n - 3)
        except IndexError:
            t = 1
            continue
    return retried(x, n - 2) + n + t


def named(x, n):
    if n < 2:
        return 1.0
    t = 0
    try:
        x[n] += named(x, n - 3)
    except IndexError as error:
        t = len(error.args)
    except ValueError:
        t = 2
    return named(x, n - 2) + n + t


@program((np.ones(4), np.array([3])), (np.ones(4), np.array([6])), (np.ones(4), np.array([9])), compiles=1)
def calls_behind_handlers(x, n):
    return retried(x, n[0]), named(x, n[0])


def tried(x, n):
    if n < 2:
        return x[n]
    t = 0.0
    for _ in range(2):
        try:
            t += tried(x, n - 3)
        except IndexError:
            t += 1.0
    try:
        return t + tried(x, n - 2)
    except ValueError:
        return t


@program((np.ones(2), np.array([7])), (np.ones(1), np.array([8])), compiles=2)
def calls_in_several_handlers(x, n):
    return tried(x, n[0])


def ended(x, n):
    if n == 0:
        raise KeyError("the end")
    return counted(x, n - 1) + 1


def counted(x, n):
    try:
        return ended(x, n - 1) if n > 0 else 0
    except KeyError:
        x[0] -= 0.5
        return 10


@program((np.ones(4), np.array([7])), (np.ones(4), np.array([2])), (np.ones(4), np.array([4])), compiles=1)
def needed_by_handlers_only(x, n):
    return ended(x, n[0])


def which_is_handled(x, n):
    if n < 2:
        return type(sys.exception()).__name__
    try:
        x[n] += 1
    except IndexError:
        x[0] += 10
    below = which_is_handled(x, n - 2)
    try:
        x[n] -= 1
    except IndexError:
        x[1] = isinstance(sys.exception(), IndexError)
    return below


@program((np.ones(4), np.array([3])), (np.ones(4), np.array([6])), (np.ones(4), np.array([9])), compiles=1)
def nothing_is_handled_behind_handlers(x, n):
    return which_is_handled(x, n[0])


@program((np.ones(4), np.array([3])), refuse=True)
def called_by_a_handler(x, n):
    def again(n):
        if n < 2:
            return 1.0
        try:
            x[n] += 1
        except IndexError:
            return again(n - 3)
        return again(n - 2) + n

    return again(n[0])


test_programs = program.test()
