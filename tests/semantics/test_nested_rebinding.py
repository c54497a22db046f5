"""Arrays, objects and numbers that every level of a nest of loops binds anew: what is known of an inner loop from the
last time it was met must not hide which names are one array, and which are not."""

import sys

import numpy as np

import xlapy

from .runner import Programs

program = Programs()

X = np.arange(5.0)
A = np.arange(12.0).reshape(3, 4)


@program((X, 3), (X, 0), (X, 1))
def every_level(x, n):
    for _ in range(n):
        x = x + 1.0
        for _ in range(n):
            x = x * 1.5
            for _ in range(n):
                x = x - 0.25
    return x


@program((X, 3), (X, 0), (X, 1))
def written_after_the_inner_loop(x, n):
    for _ in range(n):
        for _ in range(n):
            x = x * 1.5
        x[1] += 10.0
    return x


@program((X, 3), (X, 0), (X, 1))
def written_inside_and_rebound_outside(x, n):
    for _ in range(n):
        x = x + 1.0
        for i in range(n):
            x[i] = x[i] * 2.0
    return x


@program((X, 3), (X, 0), (X, 1))
def the_argument_itself_is_written_if_no_trip_is_made(x, n):
    y = x
    for i in range(n):
        for _ in range(i):
            y = y + 1.0
    y[0] = 99.0
    return x, y


@program((X, 4), (X, 0), (X, 1))
def one_that_was(x, n):
    old = x
    for _ in range(n):
        for _ in range(n):
            old, x = x, x * 0.5 + old
    return old, x, old is x


@program((X, 4), (X, 0), (X, 1))
def two_names_of_one_array(x, n):
    y = x
    for _ in range(n):
        for _ in range(n):
            x = x + 1.0
            y = x
        y[0] = 0.0
    return x, y, x is y


@program((X, 4), (X, 0), (X, 1))
def kept_in_a_list(x, n):
    seen = []
    for _ in range(n):
        for _ in range(n):
            x = x + 1.0
        seen.append(x)
    return x, seen


@program((X, X * 2.0, 5), (X, X, 0), (X, X, 1))
def exchanged(a, b, n):
    for i in range(n):
        for _ in range(i):
            a, b = b, a
        a = a + 1.0
    return a, b


class Field:
    def __init__(self, u):
        self.u = u
        self.steps = 0

    def step(self):
        self.u = self.u + 0.5 * np.roll(self.u, 1)
        self.steps += 1


@program((X, 3), (X, 0), (X, 1))
def attribute_of_an_object(x, n):
    field = Field(x)
    for _ in range(n):
        for _ in range(n):
            field.step()
        field.u = field.u / field.u.max()
    return field.u, field.steps


@program((A, 3), (A, 0), (A, 1))
def views_of_what_was_bound(a, n):
    row = a[0]
    for _ in range(n):
        for k in range(n):
            a = a + row
            row = a[k % 3]
    return a, row


@program((X, 4), (X, 0), (X, 1))
def none_at_first(x, n):
    last = None
    for i in range(n):
        for _ in range(i):
            if last is None:
                last = x
            else:
                last = last + x
    return 0 if last is None else last


@program((X, 1e-3), (X, 10.0))
def until_it_settles(x, tolerance):
    outer = 0
    while True:
        start = x
        change = 1.0
        while change > 0.5:
            new = 0.5 * (x + np.roll(x, 1))
            change = np.abs(new - x).max()
            x = new
        outer += 1
        if np.abs(start - x).max() < tolerance or outer > 20:
            break
    return x, outer


test_programs = program.test()


def _nested(depth):
    lines = ["def nested(x, n):"]
    for level in range(depth):
        lines.append("    " * (level + 1) + f"for i{level} in range(n):")
        lines.append("    " * (level + 2) + f"x = x + {level + 1}.0")
    lines += ["    " * (depth + 1) + "x = np.sin(x)", "    return x"]
    scope = {"np": np}
    exec("\n".join(lines), scope)
    return scope["nested"]


def _lines_executed(action):
    """How many lines of Python an action runs."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += 1
        return trace

    outer = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(outer)
    return count


def test_the_work_does_not_double_with_each_level():
    """Two rounds for each level at first, one for each time it is met again."""
    xlapy.jit(_nested(1)).lower(X, 2)
    costs = {depth: _lines_executed(lambda d=depth: xlapy.jit(_nested(d)).lower(X, 2)) for depth in (3, 6)}
    assert costs[6] < 4 * costs[3], costs
