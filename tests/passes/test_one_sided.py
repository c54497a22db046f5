"""Arrays that are changed in branches of loops."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.ir import Module, verify
from xlapy.passes import optimise
from xlapy.passes.one_sided import change_in_one_arm

from .programs import check_in_place, operations, program
from .test_faster import array_copies


def in_the_second_arm(x):
    for i in range(len(x)):
        if x[i] > 5:
            pass
        else:
            x[i] = 7
    return x


def one_array_or_the_other(x):
    y = np.zeros_like(x)
    for i in range(len(x)):
        if x[i] % 2:
            x[i] = 1
        else:
            y[i] = x[i]
    return x, y


def in_both(x):
    largest = 0
    for i in range(1, len(x)):
        value = x[i] + x[i - 1]
        if value % 2:
            x[i] = value
        else:
            x[i - 1] = value
        largest = max(largest, value)
    return largest, x


def in_three(x):
    k = 0
    for i in range(1, len(x)):
        if i % 5 == 0:
            x[i] = k
            k += 1
        elif x[i] % 3 == 0:
            k += 5
        else:
            x[k] = x[i]
            k += 2
        k = k % len(x)
    return k, x


def by_what_was_stored(x):
    """Which arm is taken in the branch inside depends on what is stored before it."""
    for i in range(2, len(x)):
        if x[i - 1] > x[i]:
            x[i] += x[i - 2]
            if x[i] > 9:
                x[i] = i
            else:
                x[i - 1] = x[i] + 1
        else:
            x[i - 2] = x[i - 1]
    return x


def loops_in_an_arm(x):
    for i in range(len(x) - 4):
        if x[i] % 2 == 0:
            for k in range(x[i + 1] % 4):
                x[i + k] += k
        else:
            while x[i + 2] % 3:
                x[i + 2] += 1
    return x


def to_the_ends(x):
    low, at, high = 0, 0, len(x) - 1
    while at <= high:
        rest = x[at] % 3
        if rest == 0:
            x[low], x[at] = x[at], x[low]
            low += 1
            at += 1
        elif rest == 1:
            at += 1
        else:
            x[at], x[high] = x[high], x[at]
            high -= 1
    return low, high, x


def counted(x):
    count = 0
    for i in range(1, len(x)):
        if x[i] < x[i - 1]:
            x[i] = x[i - 1]
            count += 1
    return count, x


def left_in_between(x):
    last = where = 0
    for i in range(1, len(x)):
        last = x[i - 1] - x[i]
        if last > 100:
            where = i
            break
        x[i - 1] = last
    return last, where, x


def pushed_and_popped(x):
    stack, top, total = np.zeros_like(x), 0, 0
    for i in range(len(x)):
        if x[i] % 3 or top == 0:
            stack[top] = x[i]
            top += 1
        else:
            top -= 1
            total += stack[top]
    return total, top, stack


def rows(x):
    table = np.zeros((len(x), 3))
    norm = 0.0
    for i in range(1, len(x)):
        before = table[i - 1]
        if x[i] % 2:
            table[i] = before + x[i]
        elif x[i] > 3:
            table[i, 1] = before[2] + 1
        norm += before.sum()
    return norm, table


def arrays_that_change_places(x):
    """Nothing can be done: it is one array or another one that goes on."""
    y = x * 2
    for i in range(5):
        if x[i] % 2:
            x, y = y, x
            x[0] = 5
        else:
            y[i] = 1
    return x, y


PROGRAMS = (
    in_the_second_arm,
    one_array_or_the_other,
    in_both,
    in_three,
    by_what_was_stored,
    loops_in_an_arm,
    to_the_ends,
    counted,
    left_in_between,
    pushed_and_popped,
    rows,
    arrays_that_change_places,
)


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_programs(function):
    compiled = xlapy.jit(function)
    for seed in (0, 1):
        check_in_place(function, compiled, np.random.default_rng(seed).integers(0, 20, 80))


@pytest.mark.skipif(jax.default_backend() != "cpu", reason="what XLA's CPU backend copies")
@pytest.mark.parametrize("function", PROGRAMS[:-1], ids=lambda f: f.__name__)
def test_no_array_is_copied_in_a_trip(function):
    """One copy of an operand, which must not be overwritten, and none in the loops."""
    assert array_copies(function, (np.arange(1234),), "1234,3" if function is rows else 1234) <= 1


@pytest.mark.parametrize(
    ("function", "branches"), [(in_both, 0), (one_array_or_the_other, 2), (in_three, 3), (to_the_ends, 3)]
)
def test_branches(function, branches):
    """Only the first arm changes an array; a branch of which both do becomes two, or a store of what is selected."""
    module, _ = program(function, (np.arange(100),))
    optimise(module)
    region = module.entry.fast
    assert not change_in_one_arm(region)
    verify(Module(region, module.parameter_names))
    found = [o for o in operations(region) if o.kind == "if" and "barrier" not in o.attributes]
    assert len(found) == branches
