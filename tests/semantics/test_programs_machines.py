"""State machines, interpreters, reverse-mode differentiation, registries, coroutines and printing."""

import dataclasses
import itertools
import math

import numpy as np

from .runner import Programs, do

program = Programs()
rng = np.random.default_rng(6)
X = rng.normal(size=12)
Y = rng.normal(size=12)
M = rng.normal(size=(5, 5))
S = M @ M.T + 5 * np.eye(5)
IM = rng.normal(size=(6, 7))
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])


# state machines w/ string states, strings keys
@program((K,), (K % 2,))
def string_states(a):
    state = "start"
    counts = {"start": 0, "low": 0, "high": 0}
    for v in a:
        counts[state] += 1
        if state == "start":
            state = "low" if v < 3 else "high"
        elif state == "low" and v > 4:
            state = "high"
        elif state == "high" and v < 2:
            state = "low"
    return state, counts


@program((K,), (K % 2,))
def transition_table(a):
    table = {("a", 0): "b", ("a", 1): "a", ("b", 0): "b", ("b", 1): "c", ("c", 0): "a", ("c", 1): "c"}
    s = "a"
    path = []
    for v in a:
        s = table[s, int(v) % 2]
        path.append(s)
    return path, s == "c"


@program((K,), (K[::-1].copy(),))
def dispatch_dict(a):
    ops = {0: lambda acc, v: acc + v, 1: lambda acc, v: acc - v, 2: lambda acc, v: acc * 2}
    acc = 0
    for v in a:
        acc = ops[int(v) % 3](acc, v)
    return acc


class VM:
    def __init__(self):
        self.stack = []
        self.pc = 0
        self.regs = [0.0] * 4
        self.steps = 0

    def run(self, prog, limit=100):
        while self.pc < len(prog) and self.steps < limit:
            op, arg = prog[self.pc]
            self.pc += 1
            self.steps += 1
            if op == 0:
                self.regs[0] += arg
            elif op == 1:
                self.regs[1] = self.regs[0] * arg
            elif op == 2:
                if self.regs[0] < arg:
                    self.pc = 0
            elif op == 3:
                break
            else:
                raise ValueError(f"bad opcode {op}")
        return self.regs


@program((np.array([[0, 1.5], [1, 2.0], [2, 6.0], [3, 0.0]]),), (np.array([[0, 1.5], [3, 0.0], [1, 2.0]]),))
def bytecode_vm(prog):
    vm = VM()
    return vm.run(prog), vm.steps


@program((np.array([[0, 1.5], [3, 2.0]]),), (np.array([[0, 1.5], [7, 0.0]]),), raises=ValueError)
def bytecode_vm_error(prog):
    vm = VM()
    return vm.run(prog), vm.pc


class Tape:
    def __init__(self):
        self.ops = []

    def var(self, v):
        return Var(self, v)


class Var:
    def __init__(self, tape, value):
        self.tape, self.value, self.grad = tape, value, 0.0

    def __add__(self, o):
        r = Var(self.tape, self.value + o.value)

        def back():
            self.grad += r.grad
            o.grad += r.grad

        self.tape.ops.append(back)
        return r

    def __mul__(self, o):
        r = Var(self.tape, self.value * o.value)

        def back():
            self.grad += r.grad * o.value
            o.grad += r.grad * self.value

        self.tape.ops.append(back)
        return r

    def sin(self):
        r = Var(self.tape, math.sin(self.value))

        def back():
            self.grad += r.grad * math.cos(self.value)

        self.tape.ops.append(back)
        return r

    def backward(self):
        self.grad = 1.0
        for b in reversed(self.tape.ops):
            b()


@program((1.5, 2.0), (-0.3, 0.7))
def autodiff_tape(a, b):
    t = Tape()
    x, y = t.var(a), t.var(b)
    z = (x * y + x.sin()) * y
    z.backward()
    return z.value, x.grad, y.grad, len(t.ops)


class Expr:
    pass


@dataclasses.dataclass(frozen=True)
class Num(Expr):
    v: float


@dataclasses.dataclass(frozen=True)
class Sym(Expr):
    name: str


@dataclasses.dataclass(frozen=True)
class Bin(Expr):
    op: str
    l: Expr
    r: Expr


def ev(e, env):
    match e:
        case Num(v):
            return v
        case Sym(n):
            return env[n]
        case Bin("+", l, r):
            return ev(l, env) + ev(r, env)
        case Bin("*", l, r):
            return ev(l, env) * ev(r, env)
        case Bin("/", l, r):
            d = ev(r, env)
            if d == 0:
                raise ZeroDivisionError(f"in {e.op}")
            return ev(l, env) / d
        case _:
            raise TypeError(f"unknown {e!r}")


E1 = Bin("+", Bin("*", Num(2.0), Sym("x")), Bin("/", Sym("y"), Sym("z")))


@program((1.0, 2.0, 4.0), (1.0, 2.0, 0.0), raises=ZeroDivisionError)
def expression_tree(x, y, z):
    return ev(E1, {"x": x, "y": y, "z": z})


@program((1.0, 2.0, 4.0), raises=KeyError)
def expression_tree_key(x, y, z):
    return ev(E1, {"x": x, "y": y})


@dataclasses.dataclass(order=True)
class Item:
    priority: float
    name: str = dataclasses.field(compare=False, default="")
    data: list = dataclasses.field(compare=False, default_factory=list)


@dataclasses.dataclass
class Params:
    w: np.ndarray
    b: float = 0.0
    meta: dict = dataclasses.field(default_factory=dict)

    def update(self, **kw):
        for k, v in kw.items():
            if not hasattr(self, k):
                raise AttributeError(f"no parameter {k}")
            setattr(self, k, getattr(self, k) - 0.1 * v)
        return self

    @property
    def size(self):
        return self.w.size + 1


P = Params(np.ones(3))


@program((P, X[:3]), (P, Y[:3]), do(lambda p: p.meta.update(frozen=True), P), (P, X[:3]))
def dataclass_params(p, g):
    if p.meta.get("frozen"):
        return p.w.sum()
    return p.update(w=g, b=g.sum()).w, p.size


@program((P, X[:3]), raises=AttributeError)
def dataclass_params_err(p, g):
    return p.update(w=g, q=1.0)


class Registry(dict):
    def register(self, name):
        def deco(f):
            self[name] = f
            return f

        return deco


REG = Registry()


@REG.register("relu")
def _relu(x):
    return np.maximum(x, 0)


@REG.register("sq")
def _sq(x):
    return x**2


@program((X, "relu"), (X, "sq"), (X, "nope"), raises=KeyError)
def registry(x, name):
    return REG[name](x), sorted(REG)


class Chain:
    def __init__(self, v):
        self.v = v

    def __getattr__(self, n):
        if n.startswith("_"):
            raise AttributeError(n)
        f = getattr(np, n)
        return lambda *a: Chain(f(self.v, *a))

    def done(self):
        return self.v


@program((np.abs(X),), (np.abs(Y) + 1,))
def fluent_chain(x):
    return Chain(x).sqrt().add(1.0).clip(0.5, 1.5).done()


class Once:
    _inst = None

    def __new__(cls, *a):
        if cls._inst is None:
            cls._inst = super().__new__(cls)
        return cls._inst


@program((1.0,), (2.0,), refuse="maybe")
def singleton(v):
    a = Once()
    b = Once()
    return a is b, v


def gen_fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b


@program((100,), (5,))
def generator_takewhile(n):
    return list(itertools.takewhile(lambda v: v < n, gen_fib())), sum(itertools.islice(gen_fib(), 10))


def averager():
    total = n = 0
    avg = None
    while True:
        v = yield avg
        if v is None:
            return avg
        total += v
        n += 1
        avg = total / n


@program((X[:4],), (Y[:6],))
def coroutine_average(x):
    c = averager()
    next(c)
    out = []
    for v in x:
        out.append(c.send(v))
    try:
        c.send(None)
    except StopIteration as e:
        out.append(e.value)
    return out


def flatten(t):
    for i in t:
        if isinstance(i, (list, tuple)):
            yield from flatten(i)
        else:
            yield i


@program((1.0, 2.0), (3.0, -1.0))
def nested_flatten(a, b):
    return list(flatten([a, [b, (a, [b * 2])], [], 7])), sum(flatten([[a], [b]]))


class Ctx:
    depth = 0

    def __enter__(self):
        Ctx.depth += 1
        return Ctx.depth

    def __exit__(self, *e):
        Ctx.depth -= 1


@program((1.0,), (-1.0,), raises=ValueError)
def nested_contexts(x):
    with Ctx() as a, Ctx() as b:
        if x < 0:
            raise ValueError("x")
        r = a * 10 + b
    return r, Ctx.depth


@program((3, 2.0), (5, -1.0))
def string_building(n, x):
    parts = [f"{i}:{x * i:.2f}" for i in range(3)]
    print(", ".join(parts))
    print("n =", n, end=";\n")
    print(f"{x=:.3f} {n:>4d}|{x:+e}")
    print("%d items, %.1f%%" % (n, x * 10), "{:.2f} {}".format(x, n), sep=" | ")
    return len(parts)


@program((X[:3], 2), (Y[:3], 0))
def print_arrays(x, n):
    print(x[:2].round(3))
    print("sum", round(float(x.sum()), 4), n > 1)
    for i in range(n):
        print(i, "->", x[i] > 0)
    return None


test_programs = program.test()
