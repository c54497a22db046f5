"""What libraries do around their numbers: questions about functions and options; arrays that happen to be empty."""

import inspect
import keyword

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0, 4.0])


@program(X)
def keywords(x):
    names = [name for name in ("x", "if", "lambda") if keyword.iskeyword(name)]
    member = frozenset((1, 2)).__contains__
    return x * len(names), names, member(2), member(3)


def scaled(x, by=2.0, *rest, shift=0.5, **options):
    return x * by + shift


@program(X)
def arguments_of_a_function(x):
    found = inspect.getfullargspec(scaled)
    options = {name: 3.0 for name in found.args[1:] + found.kwonlyargs}
    return scaled(x, **options), found.defaults, found.varargs, found.varkw, found.kwonlydefaults


@program(X)
def namespace_of_an_array(x):
    if hasattr(x, "__array_namespace__"):
        xp = x.__array_namespace__()
        return xp.sum(x), xp.asarray([1.0, 2.0])
    return x


@program((X, 1), (X, 2))
def rows_of_a_selection(x, k):
    y = x[x > k]
    powers = np.cumprod(np.tile(y, (3, 1)), axis=0)
    return powers, np.tile(y, (2, 2)), np.arange(6.0).reshape(2, 3) @ powers


@program((X, 3), (X, 2), compiles=1)
def rows_of_selections(x, n):
    total = 0.0
    for i in range(n):
        total += np.dot(np.arange(6.0).reshape(2, 3), np.cumprod(np.tile(x[x > i], (3, 1)), axis=0)).sum()
    return total


@program((X, np.zeros(4, bool)), (-X, np.zeros(4, bool)))
def nothing_is_assigned(x, mask):
    x[mask] = np.empty(0)
    return x


@program(X, -X)
def nothing_is_taken(x):
    return x[x > 0][np.array([], int)], x[x > 0].sum()


@program((1.5, 2), (-1.5, 2))
def text_among_numbers(x, k):
    flags = {0: "fine", -1: "bad", 2: "unknown"}
    message = f"{x:.1f}"
    return message in flags, k in flags, flags[0]


class Found(Exception):
    pass


def marked(x):
    error = ValueError("outside")
    if x > 2:
        error.place = x
    if x > 1:
        raise error
    return x


@program(3.0, 1.5, 0.5)
def attribute_on_one_path(x):
    try:
        return marked(x)
    except ValueError as error:
        if hasattr(error, "place"):
            return 10 * error.place
        return -1.0


program.add("attribute_leaves", marked, 3.0, raises=ValueError)
program.add("no_attribute_leaves", marked, 1.5, raises=ValueError)

test_programs = program.test()
