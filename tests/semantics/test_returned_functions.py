"""Functions that the program makes leave it: with their defaults, attributes, and what their variables hold at the
end."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.arange(5.0)
OFFSET = 5


@program((X, 2 * X + 1))
def fitted_line(x, y):
    slope = ((x - x.mean()) * (y - y.mean())).sum() / ((x - x.mean()) ** 2).sum()
    level = y.mean() - slope * x.mean()

    def predict(t, scale=1.0, *, shift=slope):
        """The line at t."""
        return scale * (slope * t + level) + shift

    return predict


@program((3,))
def of_itself(n):
    def factorial(k):
        return 1 if k <= 1 else k * factorial(k - 1)

    return factorial, factorial, factorial(n)


@program((X,), (X + 1,))
def counter(x):
    total = x.sum()

    def get():
        return total

    def add(value):
        nonlocal total
        total = total + value

    add(1.0)
    return {"get": get, "add": add}


@program((X,), (-X,))
def one_of_two(x):
    if x.sum() > 0:
        return lambda t: t + 1
    return lambda t: t - 1


@program((X,))
def with_defaults_of_a_loop(x):
    return [lambda t, i=i: t * i + x[i] for i in range(3)]


@program((X,))
def globals_and_attributes(x):
    def shifted(t):
        return t + OFFSET

    shifted.points = x * 2
    return shifted


class Model:
    pass


@program((Model(), X))
def stored_in_an_object(model, x):
    mean = x.mean()
    model.centred = lambda t: t - mean


@program((X,))
def of_a_function_in_a_function(x):
    def outer(k):
        y = x * k

        def inner(t):
            return t + y[0]

        return inner

    return outer(2), outer


@program((X,))
def a_variable_that_is_never_set(x):
    if len(x) > 10:
        late = 1

    def get():
        return late

    return get


test_programs = program.test()
