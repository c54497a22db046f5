"""Loops whose conditions have conditional expressions in them, which CPython compiles twice."""

import time

import numpy as np

from .runner import Programs

program = Programs()
NUMBERS = np.arange(3.0)

COUNTS = [(3, 4), (3, 6), (0, 1), (5, 5), (10, 7), (12, 3)]


@program(*COUNTS)
def choice_after_or(n, b):
    t = 0
    while t < n and (b < 5 or (b if t > 1 else t) == t):
        t += 1
    return t


@program(*COUNTS)
def choice_alone(n, b):
    t = 0
    while (n if b < t + 4 else b) > t:
        t += 2
    return t


@program(*COUNTS)
def choice_of_two_tests(n, b):
    t = s = 0
    while (t < n if b > 4 else t < b) or s > 2 * t + 1:
        s += b
        if s % 3 == 1:
            continue
        t += 1
        if s > 40:
            break
    else:
        s = -s
    return t, s


@program(*COUNTS)
def choices_in_choices(n, b):
    t, w = 0, 1
    while ((t if w > 2 else b) if t < 5 else n) > t and ((w := w + 1) < 9 or not (n if t % 2 else b) < 3):
        t += 1
    return t, w


@program(*COUNTS)
def values_of_and_and_or(n, b):
    t = 0
    while t < ((b and n) or (t and 2)) and (((t or b) and n) == n or (b or t) < t < n):
        t += 1
    return t


@program(*COUNTS)
def chain_beside_choice(n, b):
    t = 0
    while (0 <= t < n < 20 and (b if b > t else n) != t) or (t == n and b > 5):
        t += 1
        while t < b - 1 and (n < 4 or (n if t > 2 else t) == t):
            t += 1
    return t


@program(*((np.arange(6.0), k) for k in (0.0, 2.5, 9.0)))
def on_elements(x, k):
    i = 0
    while i < len(x) and (x[i] < k or (x[i] if k > 2 else k) == i):
        x[i] = -x[i]
        i += 1
    return i, x


def report(x, verbose, level, log=None):
    if verbose:
        np.save("nowhere", x)
    if level > 1:
        np.savetxt("nowhere", x)
    if log is not None:
        log.write(x)


class Reporter:
    def __init__(self, debug):
        self.debug = debug


@program((NUMBERS, False), (NUMBERS, False, 1), (2 * NUMBERS, False), compiles=2)
def flags_in_front_of_what_is_refused(x, verbose, level=0):
    report(x, verbose, level)
    return x * 2


@program((Reporter(False), NUMBERS), (Reporter(False), NUMBERS, True), compiles=2)
def a_flag_that_decides_what_is_returned(reporter, x, full=False):
    while reporter.debug:
        np.save("nowhere", x)
    y = [v for v in x if full]
    return ({"x": x, "y": np.load} if full and reporter.debug else x), len(y)


@program((NUMBERS, True), refuse=True)
def a_flag_that_is_set(x, verbose):
    if verbose:
        time.sleep(0.0)
    return x * 2


test_programs = program.test()
