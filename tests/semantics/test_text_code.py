"""`exec` of text that defines functions, and `types.MethodType`."""

import types

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([0.5, -1.0, 2.0])
TEXT = """
def scaled(self, x, by=2, *, shift=3.0):
    "What it does."
    return abs(x) * by + shift + self.own

def nested(x):
    def inner(y):
        return len(y)
    return inner(x), sum(v for v in x)
"""


class Holder:
    def __init__(self, own):
        self.own = own


@program(2.5, -1.0)
def functions_of_a_text(x):
    names = {}
    exec(TEXT, names)
    held = Holder(x)
    held.scaled = types.MethodType(names["scaled"], held)
    f = names["scaled"]
    return (
        held.scaled(x),
        held.scaled(x, by=x, shift=1.0),
        f(held, 1.0),
        names["nested"]([x, x]),
        list(names),
        f.__doc__,
    )


@program(2.5)
def text_made_of_parts(x):
    names = {"a": 1}
    for name in ("one", "two"):
        exec(f"def {name}(x, {name}_more=1.0):\n    return x + {name}_more", names)
    return names["one"](x), names["two"](x, two_more=x), sorted(names)


@program(2.5, refuse="maybe")
def builtin_names_hidden(x):
    names = {"abs": max}
    exec("def f(x): return abs(x, 3.0)", names)
    return names["f"](x)


@program(2.5, refuse="maybe")
def functions_that_call_each_other(x):
    names = {}
    exec("def f(x): return g(x) + 1\ndef g(x): return 2 * x", names)
    names["g"] = lambda x: -x
    return names["f"](x)


@program(2.5, refuse="maybe")
def text_that_changes_globals(x):
    names = {}
    exec("def f(x):\n    global n\n    n = x\n    return x", names)
    return names["f"](x), names["n"]


@program(2.5, refuse="maybe")
def text_that_does_more(x):
    names = {"x": x}
    exec("y = 2 * x", names)
    return names["y"]


@program(2.5, raises=TypeError)
def method_of_nothing(x):
    return types.MethodType(lambda self: x, None)()


@program((X, 2.0))
def methods_made(x, k):
    bound = types.MethodType(lambda self, y: self.own * y + k, Holder(x))
    vectorised = types.MethodType(np.vectorize(lambda self, y: y + k), k)
    return bound(2.0), bound.__self__.own, bound.__func__(Holder(k), 1.0), vectorised(x)


test_programs = program.test()
