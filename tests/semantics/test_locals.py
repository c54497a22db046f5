"""`locals()`: the variables of a function as a dict."""

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0])


@program(X, -X)
def read(x):
    k = 2.0
    return x * locals()["k"] * k


@program((X, 2.0, None), (X, None, 3.0))
def options(x, scale=None, shift=None):
    chosen = {}
    for name in ("scale", "shift", "power"):
        value = locals().get(name)
        if value is not None:
            chosen[name] = value
    return x * chosen.get("scale", 1.0) + chosen.get("shift", 0.0), list(chosen)


@program((1.0, 2), (-1.0, 3))
def after_a_branch(x, n):
    if x > 0:
        y, unused = x, n
    else:
        y, unused = -x, 2 * n
    i = 0
    while i < n:
        i += 1
        y += i
    return dict(locals())


@program(1.5)
def names(x):
    before = list(locals())
    z = x * 2
    del x
    return before, list(locals()), z


@program(1.5)
def kept(x):
    first = dict(locals())
    x = x + 1
    y = x * 2
    second = dict(locals())
    return len(first), second["x"], second["y"]


@program(1.5)
def assigned(x):
    found = locals()
    found["x"] = 7.0
    found["other"] = 1.0
    return x, found["x"], found["other"]


@program(1.5)
def the_same_dict(x):
    first = locals()
    y = x + 1
    locals()
    return "y" in first, first is locals(), y


@program(2.0)
def variables_of_a_closure(x):
    k = x + 1

    def inner(y):
        z = k * y
        return sorted(locals()), locals()["k"] + z

    return inner(2.0), sorted(locals())


@program(3.0, -3.0, refuse="maybe")
def bound_on_one_path(x):
    if x > 0:
        y = x
    return len(locals())


@program("%(x).1f and %(name)s", "%(name)s")
def formatted(text):
    x, name = 1.5, "a"
    return text % locals()


@program((3, 1), (3, 0), (3, 2), raises=UnboundLocalError)
def deleted_twice(x, n):
    def again():
        return x  # noqa: F821

    for _ in range(n):
        del x
    return n if n else again()


@program((3, 1), (3, 2), raises=NameError)
def deleted_from_inside(x, n):
    def delete():
        nonlocal x
        del x

    for _ in range(n):
        delete()
    return n


test_programs = program.test()
