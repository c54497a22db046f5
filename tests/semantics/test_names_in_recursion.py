"""Functions that call themselves in an expression, in a module whose names are those of built-in functions."""

import numpy as np

from .runner import Programs

program = Programs()


def abs(value):
    return 7.0 if value > 0 else 0.0


type = isinstance = float = None
math = None


def total(x, n):
    return 1.0 if n <= 0 else sum(total(x, n - v) for v in x)


def largest(x, n):
    return 0.5 if n <= 0 else max(largest(x, n - v) * v for v in x)


@program((np.array([1.5, 2.0, 1.0]),), (np.array([3.0, 2.0, 1.1]),))
def names_of_the_module(x):
    return total(x, x.sum()), largest(x, x.sum()), abs(x[0])


@program(([0.1, 0.2, 0.7],), ([0.3, 0.3, 0.3],))
def of_floats(x):
    return total(x, 1.5)


test_programs = program.test()
