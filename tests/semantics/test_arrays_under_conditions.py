"""Lists to which some conditions on data append arrays: how many they are is not known, nor which is where."""

import functools
import math

import numpy as np

from .runner import Programs

program = Programs()

CALLS = tuple((z, y, x) for z in (1.0, -1.0) for y in (2.0, -2.0) for x in (3.0, -3.0))


def chosen(z, y, x):
    found = []
    if z > 0:
        found.append(np.ones(2) * z)
    if y > 0:
        found.append(np.ones(2) * y)
    if x > 0:
        found.append(np.ones(2) * x)
    return found


@program((0.1, 0.2, 0.3), (0.0, 0.2, 0.0), (0.0, 0.0, 0.0), (0.3, 0.0, -2.0))
def rotation(z, y, x):
    """Only those angles are turned by that are none of zero."""
    turns = []
    if z:
        turns.append(np.array([[math.cos(z), -math.sin(z), 0], [math.sin(z), math.cos(z), 0], [0, 0, 1]]))
    if y:
        turns.append(np.array([[math.cos(y), 0, math.sin(y)], [0, 1, 0], [-math.sin(y), 0, math.cos(y)]]))
    if x:
        turns.append(np.array([[1, 0, 0], [0, math.cos(x), -math.sin(x)], [0, math.sin(x), math.cos(x)]]))
    if turns:
        return functools.reduce(np.dot, turns[::-1])
    return np.eye(3)


program.each(
    *CALLS,
    returned=chosen,
    counted=lambda z, y, x: (len(chosen(z, y, x)), sum(chosen(z, y, x))),
    first=lambda z, y, x: chosen(z, y, x)[0] if chosen(z, y, x) else None,
    joined=lambda z, y, x: np.concatenate([np.zeros(1), *chosen(z, y, x)]),
)


@program(*CALLS)
def changed_in_a_loop(z, y, x):
    found = chosen(z, y, x)
    for a in found:
        a *= 2
    return np.sum(found), found


@program(*CALLS)
def the_last_is_changed(z, y, x):
    a, b = np.ones(2) * z, np.ones(2) * y
    found = []
    if z > 0:
        found.append(a)
    if y > 0:
        found.append(b)
    if found:
        found[-1][0] = 9
    a[1] = 5
    return a, b, [f.sum() for f in found]


@program(*CALLS)
def replaced(z, y, x):
    a, b = np.ones(2) * z, np.ones(2) * y
    found = []
    if z > 0:
        found.append(a)
    if x > 0:
        found = [b]
    for f in found:
        f += 1
    return a, b, len(found)


@program(*CALLS, refuse="maybe")
def which_it_is(z, y, x):
    a, b = np.ones(2) * z, np.ones(2) * y
    found = []
    if z > 0:
        found.append((a, 1))
    if y > 0:
        found.append((b, 2))
    return any(f is a for f, _ in found), any(f is b for f, _ in found), [k for _, k in found]


@program(*CALLS, refuse="maybe")
def which_of_several_it_is(z, y, x):
    a, b = np.ones(2) * z, np.ones(2) * y
    found = [(a, 1), (a, 3)] if z > 0 else [(b, 2)]
    return any(f is a for f, _ in found), any(f is b for f, _ in found)


test_programs = program.test()
