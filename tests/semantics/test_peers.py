"""The programs that other compilers were tried on (the feature table of PEERS.md), one for each row and variant.

PYTEST_DONT_REWRITE: the assert statements here are programs, and must stay as they are written.
"""

import dataclasses
import functools

import numpy as np

from .runner import Programs, do, set_global

program = Programs()

X = np.arange(8.0)
Y = np.array([-3.0, 7.0, 1.0, -2.0, 9.0, 4.0, 0.0, 5.0])
G = 3.0
D = {"k": 3.0}


@program(X, -X)
def dyn_if(x):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
    return y


@program(X, -X)
def dyn_conditional_expression(x):
    return x * 2 if x.max() > 3 else x / 2


@program(X, Y, -Y)
def dyn_and_in_condition(x):
    if x[0] > -5 and x[1] > 2:
        return x.sum()
    return x.min()


@program((100.0, 1.5), (1.0, 1.5))
def dyn_while(a, t):
    n = 0
    while a > t:
        a = a / 2
        n += 1
    return n


@program((X, 3), (X, 0), (X, 8))
def for_over_dyn_range(x, n):
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


@program(X)
def static_for(x):
    for i in range(100):
        x = x * 0.9 + i
    return x


@program(Y, X)
def dyn_break(x):
    i = 0
    for i in range(8):
        if x[i] > 5:
            break
    return i


@program(Y, X)
def dyn_continue(x):
    s = 0.0
    for v in x:
        if v < 2:
            continue
        s += v
    return s


@program(Y, -X)
def for_else_dyn_break(x):
    for i in range(8):
        if x[i] > 5:
            r = i
            break
    else:
        r = -1
    return r


@program(X, -X)
def dyn_early_return(x):
    if x[1] > 0:
        return x * 10
    x = x + 1
    return x


@program(np.array([1.0, 40.0]), np.array([1.0, 2.0]))
def dyn_return_in_loop(x):
    for v in x:
        if v > 30:
            return v
    return -1.0


@program(X, -X[1:], raises=UnboundLocalError)
def bound_in_one_dyn_arm(x):
    if x[0] >= 0:
        y = x * 2
    return y


@program(X, Y)
def best_none_then_array(x):
    best = None
    for i in range(4):
        c = np.roll(x, i)
        if best is None or c[0] > best[0]:
            best = c
    return best


@program(X)
def int_accumulator_becomes_float(x):
    s = 0
    for i in range(8):
        s += x[i] / 2
    return s


@program(X)
def shape_changes_in_static_loop(x):
    for _ in range(3):
        x = x[: len(x) // 2] + x[len(x) // 2 :]
    return x


@program(X)
def setitem(x):
    y = np.zeros(8)
    for i in range(8):
        y[i] = x[7 - i]
    return y


@program(X)
def view_written(x):
    y = x.copy()
    v = y[2:5]
    v[0] = 100.0
    return y


@program(X)
def alias_written(x):
    y = x * 1
    z = y
    y += 1.0
    return z


@program(X)
def argument_mutated(x):
    x[0] = 5.0
    x *= 2


@program(X, Y)
def mask_assigned(x):
    y = x.copy()
    y[y > 4] = 0
    return y


@program(X)
def list_append_static(x):
    out = []
    for i in range(3):
        out.append(x[i] * 2)
    return np.stack(out)


@program(Y, X, -X)
def list_append_under_dyn_if(x):
    out = []
    for v in x:
        if v > 3:
            out.append(v)
    return len(out)


@program(X)
def dict_and_set(x):
    d = {"a": x, "b": x * 2}
    s = {1, 2} | {3}
    return d["a"] + d["b"] * len(s)


@program((X, 2.0))
def closure_read(x, k):
    def f(v):
        return v * k

    return f(x)


@program(X)
def nonlocal_written(x):
    s = 0.0

    def f(v):
        nonlocal s
        s = s + v

    for v in x:
        f(v)
    return s


def stale_global(x):
    return x * G


program.add("stale_global", stale_global, X, set_global(stale_global, "G", 10.0), X)


def write_d(v):
    D["k"] = v


@program(X, do(write_d, 10.0), X)
def stale_dict_item(x):
    return x * D["k"]


class Thing:
    def __init__(self, k):
        self.k = k


THING = Thing(3.0)


@program((THING, X), do(setattr, THING, "k", 10.0), (THING, X))
def stale_attribute(o, x):
    return x * o.k


def make_cell():
    k = 3.0

    def f(x):
        return x * k

    def put(v):
        nonlocal k
        k = v

    return f, put


cell_reader, cell_writer = make_cell()
program.add("stale_closure_cell", cell_reader, X, do(cell_writer, 10.0), X)


def callee(x, k=2.0):
    return x * k


def callee2(x, k=2.0):
    return x - k


def calls(x):
    return callee(x)


program.add("rebound_callee", calls, X, set_global(calls, "callee", callee2), X)
program.add("changed_defaults", calls, X, do(setattr, callee, "__defaults__", (7.0,)), X)


@dataclasses.dataclass
class P:
    a: np.ndarray
    b: float = 1.0


@program(X)
def dataclass_used(x):
    p = P(x, 2.0)
    return dataclasses.replace(p, b=5.0).b * p.a


class V:
    def __init__(self, d):
        self.d = d

    def __add__(self, o):
        return V(self.d + o.d)

    def __call__(self, k):
        return self.d * k

    def __getitem__(self, i):
        return self.d[i]

    def __len__(self):
        return self.d.shape[0]

    @property
    def total(self):
        return self.d.sum()

    def scaled(self):
        return self.d


class W(V):
    def scaled(self):
        return super().scaled() * 2


@program((X, Y))
def dunder_add(x, y):
    return (V(x) + V(y)).d


@program(X)
def dunder_call_getitem_len(x):
    v = V(x)
    return v(2.0) + v[1] * len(v)


@program(X)
def property_read(x):
    return V(x).total


@program(X)
def super_call(x):
    return W(x).scaled()


class Counter:
    def __init__(self):
        self.n = 0

    def step(self, x):
        self.n += 1
        return x / 2


@program(X, np.zeros(8))
def attribute_mutated_in_dyn_while(x):
    c = Counter()
    while x.max() > 0.5:
        x = c.step(x)
    return c.n


@program((Counter(), X))
def attribute_of_argument_mutated_in_dyn_while(c, x):
    while x.max() > 0.5:
        x = c.step(x)
    return x


@functools.singledispatch
def kind(v):
    return 1.0


@kind.register(np.ndarray)
def _(v):
    return 2.0


@program(X)
def singledispatch(x):
    return x * kind(x) + kind(3)


@program(X)
def partial(x):
    return functools.partial(callee, k=4.0)(x)


def power(x, n):
    return x if n == 1 else x * power(x, n - 1)


def halve(x):
    return x if x < 1 else halve(x / 2)


@program(X)
def recursion_static(x):
    return power(x, 4)


@program(50.0, 0.3, refuse="maybe")
def recursion_dyn(x):
    return halve(x)


def pairs(x):
    for i in range(len(x) - 1):
        yield x[i] * x[i + 1]


@program(X)
def generator_function(x):
    s = 0.0
    for p in pairs(x):
        s += p
    return s


@program(X)
def generator_expression(x):
    return sum(v * v for v in x)


@program(X)
def list_comprehension_stacked(x):
    return np.stack([x * i for i in range(3)])


@program(X, X[:2], raises=AssertionError)
def assert_static(x):
    assert x.shape == (8,), "shape"
    return x


@program(X, Y, raises=AssertionError)
def assert_dyn(x):
    assert x.min() >= 0, "negative"
    return x + 1


@program(X)
def raise_under_untaken_dyn_condition(x):
    if x.min() < 0:
        raise ValueError("negative")
    return np.sqrt(x)


@program((X, {"a": 1.0}))
def try_except_key_error(x, d):
    try:
        k = d["b"]
    except KeyError:
        k = 2.0
    return x * k


@program(X)
def try_finally(x):
    log = []
    try:
        y = x + 1
    finally:
        log.append(1)
    return y * len(log)


class Scope:
    depth = 0

    def __enter__(self):
        Scope.depth += 1
        return self

    def __exit__(self, *exc):
        Scope.depth -= 1
        return False


@program(X)
def user_with(x):
    with Scope() as s:
        y = x * s.depth
    return y + Scope.depth


@program(X)
def print_array(x):
    print(x)
    return x


@program(X)
def fstring(x):
    return {f"a{len(x)}": x}


@program((X, ("scale", 2.0)), (X, ("shift", 3.0)))
def match_statement(x, op):
    match op:
        case ("scale", k):
            return x * k
        case ("shift", k):
            return x + k


def gather(*args, **kw):
    return args[0] * kw["k"] + len(args)


@program(X)
def args_kwargs(x):
    return gather(x, 1, 2, k=2.0)


@program(X)
def np_random_global_state(x):
    np.random.seed(0)
    v = np.random.normal(size=2000)
    return abs(v.mean()) < 0.2, abs(v.std() - 1) < 0.2, v.shape, (np.random.rand(3) == np.random.rand(3)).any()


@program(X, Y)
def boolean_selection(x):
    return x[x > 3.5]


@program(X, Y)
def np_nonzero(x):
    return np.nonzero(x)[0]


@program(3, 5)
def zeros_of_argument(n):
    return np.zeros(n)


@program((X, 2), (X, 4))
def reshape_by_argument(x, n):
    return np.reshape(x, (n, 8 // n))


@program(X, Y)
def int_of_traced(x):
    return int(x.sum()) + int(np.argmax(x))


@program(X, Y)
def float_of_traced(x):
    return float(x.max()) * 2


@program(X, Y)
def item_of_traced(x):
    return x.sum().item() + x[1].item()


@program(X, X * 100)
def while_chained_walrus(x):
    while 0.0 < (s := np.sum(x)) < 100.0:
        x = x * 2
    return s


test_programs = program.test()
