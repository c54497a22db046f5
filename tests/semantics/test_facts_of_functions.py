"""What a program asks of functions that it makes."""

import functools
import math

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([3.0, 1.0, 2.0])


@program((X, 3.0), (X[1:], 2.0))
def partial(x, k):
    power = functools.partial(math.pow, x[0])
    square = functools.partial(power, 2.0)
    kind = type(power) is functools.partial and isinstance(square, functools.partial)
    return (
        square(),
        power.args,
        power.func(2.0, k),
        power(k),
        kind,
        callable(power),
        square.func is math.pow,
        square.args,
    )


@program(X)
def defaults(x):
    def f(a, b=2, *c, **d):
        return a * b

    def g(a):
        return a

    return f.__defaults__, f.__kwdefaults__, g.__defaults__, f.__name__, f(x[0])


program.add("no_such_attribute", lambda x: functools.partial(abs, x).__name__, X, raises=AttributeError)
program.add("closure", lambda x: (lambda: x).__closure__ is None, X, refuse=True)

test_programs = program.test()
