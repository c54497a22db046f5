"""Calls, closures, defaults, star arguments, decorators, recursion, comprehensions, generators, functools, operator."""

import functools
import inspect
import itertools
import operator

import numpy as np

from .runner import Call, Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0])
Y = np.array([-1.0, 0.5, -4.0])
GLOBAL_SCALE = 2.5
GLOBAL_ARRAY = np.array([1.0, 10.0, 100.0])
COUNTER = 0
STATE = {"n": 0, "last": None}


def add(a, b):
    return a + b


def scale(x, k=2.0, *, shift=0.0):
    return x * k + shift


@program((X, Y))
def call_helper(x, y):
    return add(add(x, y), x)


@program(X)
def call_with_defaults(x):
    return scale(x), scale(x, 3.0), scale(x, shift=1.0), scale(k=4.0, x=x, shift=2.0)


@program(Call((X,), {"k": 3.0}), Call((X,), {"k": 4}), Call((X, 5.0)))
def keyword_argument_of_the_program(x, k=1.0):
    return x * k


@program(Call((X,), {"n": 2}), Call((X,), {"n": 3}))
def keyword_only(x, *, n, m=1):
    return x**n + m


@program((X, 2.0))
def positional_only(x, k, /):
    return x * k


@program((X, Y), (X, Y, X), (X,))
def star_args(first, *rest):
    s = first
    for r in rest:
        s = s * r
    return s, len(rest)


@program(Call((X,), {"a": 1.0, "b": 2.0}), Call((X,), {"z": 1.0}))
def star_kwargs(x, **kw):
    for name, v in kw.items():
        x = x + v * len(name)
    return x, sorted(kw)


@program((X, Y))
def star_call(x, y):
    args = [x, y]
    kw = {"shift": 1.0}
    return add(*args), scale(x, *(3.0,), **kw), scale(**{"x": y, "k": 1.0})


def inner_sum(*args, **kw):
    return sum(args) + sum(kw.values())


@program((1.0, 2.0))
def star_forwarding(a, b):
    return inner_sum(a, *(b, 3.0), c=4.0, **{"d": a})


@program(X, raises=TypeError)
def wrong_argument_count(x):
    return add(x)


@program(X, raises=TypeError)
def unexpected_keyword(x):
    return add(x, c=x)


@program((X, 2.0))
def lambda_call(x, k):
    f = lambda v, w=3.0: v * k + w  # noqa: E731
    return f(x), f(x, 1.0)


@program((X, 2.0), (X, 5.0))
def closure_reads(x, k):
    def f(v):
        return v * k

    return f(x) + f(k)


@program((X, 2.0))
def closure_sees_later_assignment(x, k):
    def f():
        return x * k

    k = 10.0
    a = f()
    k = 20.0
    return a, f()


@program(X)
def nonlocal_write(x):
    total = 0.0

    def bump(v):
        nonlocal total
        total = total + v
        return total

    for v in x:
        bump(v)
    return total


@program((X, 3), (X, 0))
def nonlocal_write_in_dynamic_loop(x, n):
    count = 0

    def hit(v):
        nonlocal count
        if v > 0:
            count += 1

    for i in range(n):
        hit(x[i])
    return count


@program(X)
def late_binding_closures(x):
    fs = [lambda v: v * i for i in range(3)]
    return [f(x) for f in fs]


@program(X)
def early_binding_by_default(x):
    fs = [lambda v, i=i: v * i for i in range(3)]
    return [f(x) for f in fs]


@program(X)
def counter_factory(x):
    def make():
        n = 0

        def nxt():
            nonlocal n
            n += 1
            return n

        return nxt

    a, b = make(), make()
    a()
    a()
    b()
    return x * a() + b()


@program(X)
def returned_function_called(x):
    def power(p):
        def f(v):
            return v**p

        return f

    return power(2)(x) + power(3)(x)


@program(X)
def function_composition(x):
    def compose(*fs):
        return functools.reduce(lambda f, g: lambda v: g(f(v)), fs)

    return compose(np.abs, np.sqrt, lambda v: v + 1)(x)


@program(X)
def reads_global(x):
    return x * GLOBAL_SCALE + GLOBAL_ARRAY


@program(X)
def writes_global(x):
    global COUNTER
    COUNTER += 1
    return x * COUNTER


@program(X, Y)
def writes_global_conditionally(x):
    global COUNTER
    if x[0] > 0:
        COUNTER = COUNTER + 5
    return COUNTER


@program(X)
def writes_global_dict(x):
    STATE["n"] += 1
    STATE["last"] = x * STATE["n"]


@program(X)
def writes_global_array(x):
    GLOBAL_ARRAY[0] = x[0]
    GLOBAL_ARRAY[1:] += x[1:]
    return GLOBAL_ARRAY.sum()


def fact(n):
    return 1 if n <= 1 else n * fact(n - 1)


def tree_sum(t):
    if isinstance(t, (list, tuple)):
        return sum(tree_sum(v) for v in t)
    return t.sum()


@program(X)
def recursion_static(x):
    return x * fact(5)


@program([X, [Y, (X, [Y])], X])
def recursion_over_structure(tree):
    return tree_sum(tree)


def merge_sum(x):
    n = len(x)
    if n == 1:
        return x[0]
    return merge_sum(x[: n // 2]) + merge_sum(x[n // 2 :])


@program(np.arange(7.0), np.arange(4.0))
def recursion_on_shape(x):
    return merge_sum(x)


def fft_recursive(x):
    n = x.shape[0]
    if n == 1:
        return x
    even, odd = fft_recursive(x[::2]), fft_recursive(x[1::2])
    w = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + w, even - w])


@program(np.arange(8.0) + 0j)
def recursion_fft(x):
    return fft_recursive(x)


def half_until(x, n):
    if x.sum() < 1.0:
        return n
    return half_until(x / 2, n + 1)


@program(np.abs(X), refuse="maybe")
def recursion_dynamic(x):
    return half_until(x, 0)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@program(np.array([1, 2]), refuse="maybe")
def recursion_dynamic_not_tail(a):
    return ackermann(a[0], a[1])


def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


@program(X)
def mutual_recursion_static(x):
    return x * 2 if is_even(6) else x


@program(X)
def list_comprehension(x):
    return [v * 2 for v in x]


@program([X, Y])
def nested_comprehension(items):
    return [[v * i for v in x] for i, x in enumerate(items)]


@program(X)
def comprehension_with_static_condition(x):
    return [x * i for i in range(6) if i % 2]


@program(X, Y)
def comprehension_with_dynamic_condition(x):
    return [v for v in x if v > 0]


@program((X, 3), (X, 2), (X, 0))
def comprehension_dynamic_length(x, n):
    return [x[i] + i for i in range(n)]


@program({"a": X, "b": Y})
def dict_comprehension(d):
    return {k.upper(): v.sum() for k, v in d.items()}


@program(X)
def set_comprehension(x):
    s = {i % 3 for i in range(10)}
    return x * len(s), s


@program((X, 10.0))
def comprehension_scope(x, v):
    r = [v + k for v in x for k in (1.0, 2.0)]
    return r, v


@program(X)
def generator_expression_sum(x):
    return sum(v * v for v in x if v > 0)


@program(X, Y)
def generator_expression_any_all(x):
    return any(v > 2 for v in x), all(v > -3 for v in x)


@program(X)
def generator_expression_max_min(x):
    return max(v * v for v in x), min(abs(v) for v in x)


def windows(x, k):
    for i in range(len(x) - k + 1):
        yield x[i : i + k]


@program(np.arange(6.0))
def generator_of_views(x):
    return [w.sum() for w in windows(x, 3)]


def running_mean():
    total, n = 0.0, 0
    mean = 0.0
    while True:
        v = yield mean
        total += v
        n += 1
        mean = total / n


@program(X)
def generator_send(x):
    g = running_mean()
    next(g)
    return [g.send(v) for v in x]


def flatten(t):
    for v in t:
        if isinstance(v, list):
            yield from flatten(v)
        else:
            yield v


@program([X, [Y, [X * 2]], Y])
def generator_yield_from(tree):
    return [v.sum() for v in flatten(tree)]


def gen_with_return(x):
    yield x
    return x * 2


def delegating(x):
    r = yield from gen_with_return(x)
    yield r


@program(X)
def generator_return_value(x):
    return list(delegating(x))


@program(X)
def generator_lazy_order(x):
    log = []

    def gen():
        for i in range(3):
            log.append(i)
            yield x * i

    g = gen()
    first = next(g)
    log.append("between")
    rest = [v.sum() for v in g]
    return first, rest, log


def twice(f):
    @functools.wraps(f)
    def g(*args, **kw):
        return 2 * f(*args, **kw)

    return g


@twice
def decorated(x, k=1.0):
    return x + k


@program(X)
def decorator_wraps(x):
    return decorated(x), decorated(x, k=3.0)


def repeat(n):
    def deco(f):
        def g(x):
            for _ in range(n):
                x = f(x)
            return x

        return g

    return deco


@repeat(3)
def plus_one(x):
    return x + 1


@program(X)
def decorator_with_argument(x):
    return plus_one(x)


@program(X)
def partial_call(x):
    f = functools.partial(scale, k=3.0)
    g = functools.partial(add, x)
    return f(x), f(x, shift=1.0), g(x)


program.add("partial_as_program", functools.partial(scale, k=3.0), X, Y)
program.add("builtin_ufunc_in_partial", functools.partial(np.add, 1.0), X)


def scaler(k):
    def scaled(x):
        return x * k

    return scaled


program.add("closure_as_program", scaler(2.0), X, Y)
program.add("closure_over_array", scaler(GLOBAL_ARRAY), X, Y)
program.add("lambda_as_program", lambda x, y=2.0: x + y, X, (X, 3.0))


def counting():
    n = 0

    def count(x):
        nonlocal n
        n += 1
        return x * n

    return count


program.add("closure_with_nonlocal_as_program", counting(), X, X, Y)


@program([X, Y, X])
def reduce_operator(items):
    return functools.reduce(operator.add, items), functools.reduce(lambda a, b: a * b, items, 2.0)


@program(X)
def reduce_over_array(x):
    return functools.reduce(lambda a, b: a * 2 + b, x, 0.0)


@functools.singledispatch
def describe(v):
    return 0.0


@describe.register
def _(v: np.ndarray):
    return v.sum()


@describe.register
def _(v: list):
    return sum(describe(u) for u in v)


@describe.register(float)
def _(v):
    return v * 100


@program([X, 2.0, [Y, "s"]])
def singledispatch_call(items):
    return describe(items)


@functools.lru_cache(maxsize=None)
def slow_table(n):
    return n * n + 1


@program(X)
def lru_cache_static(x):
    return x * slow_table(3) + slow_table(3)


@functools.cache
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@program(X)
def cached_recursion(x):
    return x * fib(15)


@program((X, Y, 2, 3))
def operator_module(x, y, m, n):
    return (
        operator.mul(x, y),
        operator.itemgetter(1)(x),
        operator.itemgetter(0, 2)([x, y, x + y]),
        operator.attrgetter("T")(x),
        operator.methodcaller("sum")(y),
        operator.floordiv(m, n),
        operator.matmul(x, y),
        operator.neg(x),
        operator.lt(m, n),
        operator.index(m),
        operator.truth(n),
    )


@program(X)
def operator_inplace(x):
    y = operator.iadd(x, 1.0)
    operator.setitem(x, 0, 9.0)
    return y


def default_from_global(x, k=GLOBAL_SCALE):
    return x * k


program.add("default_from_global", default_from_global, X, (X, 1.0))


def remember(x, seen=[]):  # noqa: B006
    seen.append(1)
    return x * len(seen)


program.add("mutable_default", remember, X, X)


def attributed(x):
    attributed.calls += 1
    return x * attributed.calls


attributed.calls = 0
program.add("function_attribute", attributed, X, X)


@program((X, 1), (X, 0))
def table_of_functions(x, i):
    return [np.sin, np.cos][i](x)


@program((X, np.array(1)), (X, np.array(0)))
def table_of_functions_dynamic_index(x, i):
    return [np.sin, np.cos][i](x)


@program((X, "tanh"), (X, "relu"))
def dict_of_functions(x, name):
    acts = {"tanh": np.tanh, "relu": lambda v: np.maximum(v, 0)}
    return acts[name](x)


@program(X)
def callback_argument(x):
    def apply(f, n, v):
        for _ in range(n):
            v = f(v)
        return v

    return apply(lambda v: v * 0.5 + 1, 4, x)


@program((1.0, 4.0), (0.0, 2.0))
def higher_order_integrate(a, b):
    def simpson(f, n):
        h = (b - a) / n
        s = f(a) + f(b)
        for i in range(1, n):
            s += f(a + i * h) * (4 if i % 2 else 2)
        return s * h / 3

    return simpson(lambda t: t * t, 10), simpson(np.sin, 20)


@program(X)
def multiple_returns_unpacked(x):
    def stats(v):
        return v.min(), v.max(), v.mean()

    lo, hi, _ = stats(x)
    a, *rest = stats(-x)
    return hi - lo, a, rest


@program((X, Y))
def helper_mutates_argument(x, y):
    def normalise(v):
        v /= np.abs(v).max()

    normalise(x)
    normalise(y[1:])


@program((X, 2))
def inner_function_shadowing(x, n):
    def n_times(n):
        return x * n

    return n_times(n + 1), n


@program(X)
def return_nothing(x):
    x.sum()


@program(X)
def return_constant(x):
    return "done"


@program(X)
def return_function_result_none(x):
    def f():
        pass

    return f(), x


@program(X)
def builtin_functions_as_values(x):
    fs = (abs, np.negative, float.__add__)
    return fs[0](x), fs[1](x), fs[2](1.0, 2.0)


@program((X, 3), (X, 1))
def early_return_in_helper(x, n):
    def find(v, t):
        for i in range(len(v)):
            if v[i] > t:
                return i
        return -1

    return find(x, 2.0), find(x, n)


@program(X)
def docstring_and_annotations(x: np.ndarray, k: "float" = 2.0) -> np.ndarray:
    """A docstring is no code."""
    y: np.ndarray = x * k
    return y


@program(X)
def signature_star_middle(x):
    def f(a, *mid, last, **kw):
        return a + last * len(mid) + len(kw)

    return f(x, 1, 2, 3, last=2.0, p=1, q=2)


@program(X)
def accumulate_with_function_state(x):
    return [float(v) for v in itertools.accumulate([1.0, 2.0, 3.0], max)], x


@program([1.0, 2.0])
def varargs_from_list_argument(items):
    def f(a, b):
        return a - b

    return f(*items)


class Scaled:
    def by(self, x, factor=3.0):
        return x * factor


@program(X)
def parameters_of_functions(x):
    def local(u, v=1.5, *, w=None):
        return u * v

    names = [list(inspect.signature(f).parameters) for f in (local, lambda p, q: p, scale, Scaled().by)]
    bound = inspect.signature(local).bind(x, v=3.0)
    takes = "shift" in inspect.signature(scale).parameters
    return names, takes, inspect.signature(local).parameters["v"].default, local(*bound.args, **bound.kwargs)


@program(X)
def annotations_of_functions(x):
    def local(u, v=1.5):
        return u * v

    before = dict(local.__annotations__)
    local.__annotations__["u"] = "an array"
    return before, local.__annotations__, (lambda: 0).__annotations__, local(x)


@program(X, refuse="maybe")
def annotations_that_are_written(x):
    """Since CPython 3.14 they are made when they are asked for."""

    def local(u: int, v=1.5) -> float:
        return u * v

    return sorted(local.__annotations__), local(x)


test_programs = program.test()
