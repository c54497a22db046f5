"""What functions have beside their code: names, documentation, annotations, their `__dict__`, and what
`functools.wraps` and `functools.update_wrapper` copy from one to another."""

import functools

import numpy as np

from .runner import Call, Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
LIMIT = 3


def scaled(x: np.ndarray, by: float = 2.0) -> np.ndarray:
    """Scales."""
    return x * by


scaled.flag = 7
scaled.other = "b"


# -- names, documentation, annotations ---------------------------------------------------------------------------------


@program(X)
def names_and_documentation(x):
    def documented(y):
        """This one has a text."""
        return y

    def number_first(y):
        3
        return y

    class Held:
        def method(self, y):
            "Another text."

    found = [documented, number_first, lambda y: y]
    return [(f.__name__, f.__qualname__, f.__doc__, f.__module__) for f in found], Held.method.__doc__


@program(X)
def names_are_assigned(x):
    def f(y):
        return y

    f.__name__ = "g"
    f.__doc__ = "text"
    f.__annotations__ = {"y": 1}
    return f.__name__, f.__qualname__, f.__doc__, f.__annotations__, f


@program(X)
def annotations_are_read(x):
    def f(y: int, z: "int" = 2, *, k: float) -> float:
        return y

    def bare(y):
        return y

    same = f.__annotations__ is f.__annotations__
    return (
        dict(f.__annotations__),
        bare.__annotations__,
        same,
        hasattr(f, "__annotate__"),
        hasattr(f, "__type_params__"),
    )


@program(X)
def annotations_name_variables(x):
    n = 3

    def f(y: n, z: LIMIT):
        return y

    n = 4
    return f.__annotations__, n


@program(X)
def annotations_are_changed(x):
    def f(y: int):
        return y

    f.__annotations__["z"] = float

    def g(y: float):
        return y

    g.__annotations__ = f.__annotations__
    f.__annotations__["last"] = 1
    return f, g, sorted(g.__annotations__)


@program(X)
def annotated_functions_are_returned(x):
    n = 3

    def f(y: int, z: "int" = 2) -> float:
        return y

    def g(y: n):
        return n

    return f, g


@program(X)
def annotated_functions_in_branches_and_loops(x):
    total, rounds = x, 0
    while total.sum() < 100:

        def grow(y: int) -> float:
            return y + rounds + 1

        total = grow(total)
        rounds += 1
    if x[0] > 0:

        def last(y: int):
            return y + 1

    else:

        def last(y: float):
            return y - 1

    return last(total), rounds


@program(X)
def annotations_of_methods(x):
    class Held:
        size: int = 3

        def method(self, y: int, by: float = 2.0) -> int:
            return y

    return sorted(Held.method.__annotations__), sorted(Held.__annotations__), Held().method(x)


# -- __dict__ ----------------------------------------------------------------------------------------------------------


@program(X)
def attributes_show_in_the_dict(x):
    def f(y):
        return y

    f.b = 1
    f.a = x.sum()

    def g(y):
        return y

    g.a = 1
    g.b = 2
    return list(f.__dict__), list(vars(g)), f.__dict__["a"], "c" in vars(f), len(g.__dict__), f.__dict__ is f.__dict__


@program(X)
def the_dict_makes_attributes(x):
    def f(y):
        return y

    f.__dict__["u"] = x * 2
    f.__dict__.update(v=3)
    f.__dict__ |= {"w": 4}
    f.t = 1
    del f.__dict__["t"]
    return f.u, f.v, f.w, hasattr(f, "t"), f.__dict__.pop("nothing", 0), f.__dict__.pop("w"), hasattr(f, "w")


@program(X)
def functions_with_attributes_are_returned(x):
    def f(y):
        return y

    f.b = 1
    f.a = x + 1
    f.c = 2
    f.__dict__.pop("c")
    f.c = 3
    return f


@program(X, refuse=True)
def an_attribute_that_is_lost_and_got_again(x):
    def f(y):
        return y

    f.b = 1
    f.a = x + 1
    f.__dict__.pop("b")
    f.b = 3
    return f


@program(Call((X,)), Call((-X,)))
def attributes_on_some_paths(x):
    def f(y):
        return y

    if x[0] > 0:
        f.tag = 1
    return f


@program(X, refuse=True)
def how_many_attributes_on_some_paths(x):
    def f(y):
        return y

    if x[0] > 0:
        f.tag = 1
    return len(f.__dict__)


@program(X, refuse=True)
def a_function_and_its_dict(x):
    def f(y):
        return y

    return f, f.__dict__


@program(X, refuse=True)
def the_dict_is_another(x):
    def f(y):
        return y

    f.__dict__ = {"q": 1}
    return f.q


@program(X)
def the_dict_of_a_function_of_the_module(x):
    before = sorted(scaled.__dict__)
    scaled.flag = 9
    held = scaled.__dict__["flag"], vars(scaled)["other"]
    scaled.flag = 7
    return before, held, "flag" in vars(scaled), scaled.__dict__["flag"]


@program(X, refuse=True)
def the_dict_of_a_function_of_the_module_is_changed(x):
    scaled.__dict__["flag"] = 9
    return scaled.flag


# -- functools.wraps ---------------------------------------------------------------------------------------------------


@program(X)
def wraps_copies_everything(x):
    def f(y: int):
        """Documented."""
        return y

    f.tag = 3

    @functools.wraps(f)
    def g(*args):
        return f(*args)

    return g.__name__, g.__qualname__, g.__doc__, sorted(g.__annotations__), g.tag, g.__wrapped__ is f, g(x), g


@program(X)
def wraps_a_function_of_the_module(x):
    @functools.wraps(scaled)
    def g(*args):
        return scaled(*args)

    return g.flag, list(g.__dict__), g.__annotations__ == scaled.__annotations__, g.__wrapped__ is scaled, g(x)


@program(X)
def wraps_after_an_attribute_has_changed(x):
    scaled.flag = 9

    @functools.wraps(scaled)
    def g(y):
        return y

    scaled.flag = 7
    return g.flag, scaled.flag


@program(X)
def wraps_in_part(x):
    @functools.wraps(scaled, assigned=("__doc__",))
    def g(*args):
        return scaled(*args)

    @functools.wraps(scaled, updated=())
    def h(*args):
        return scaled(*args)

    return g.__name__, g.__doc__, g.flag, h.__name__, hasattr(h, "flag")


@program(X)
def wrapper_is_updated(x):
    def f(y):
        return y

    def g(*args):
        return f(*args)

    h = functools.update_wrapper(g, f)
    return h is g, h.__name__, g.__name__, g.__wrapped__ is f


@program(X)
def an_object_wraps(x):
    class Doubled:
        def __init__(self, f):
            self.f = f
            functools.update_wrapper(self, f)

        def __call__(self, y):
            return self.f(y) * 2

    held = Doubled(scaled)
    return held.__name__, held.__doc__, held(x), held.__wrapped__ is scaled, held.flag


@program(X)
def an_object_is_wrapped(x):
    class Same:
        def __call__(self, y):
            return y

    same = Same()
    same.k = 5

    @functools.wraps(same)
    def g(*args):
        return same(*args)

    return g.k, g.__name__, g.__doc__, g(x)


@program(X)
def compiled_code_is_wrapped(x):
    @functools.wraps(np.sin)
    def g(y):
        return np.sin(y)

    @functools.wraps(len)
    def h(y):
        return len(y)

    return g.__name__, g.__qualname__, sorted(g.__dict__), g(x), g, h.__name__, h.__module__, h(x)


@program(X)
def a_wrapper_counts(x):
    def counted(f):
        @functools.wraps(f)
        def inner(*args):
            inner.calls += 1
            return f(*args)

        inner.calls = 0
        return inner

    @counted
    def double(y):
        return y * 2

    double(x)
    return double(x), double.calls, double.__wrapped__(x), list(double.__dict__)


@program(X)
def a_wrapped_function_keeps_its_own_attributes(x):
    def f(y):
        return y

    f.tag = 1

    @functools.wraps(f)
    def g(y):
        return y

    del g.__dict__["tag"]
    return f.tag, hasattr(g, "tag")


test_programs = program.test()
