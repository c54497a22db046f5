"""Small numerical programs as users write them: classes with operators, state machines, parsers of arrays, simulations,
memoised recursion, context managers, `match`, exceptions with `finally`, texts, trees of parameters, containers."""

import collections
import contextlib
import dataclasses
import enum
import functools
import heapq
import itertools
import math
import operator
import typing

import numpy as np

from .runner import Programs

program = Programs()

X = np.array([1.0, -2.0, 3.0, 0.5, 4.0])
LONG = np.linspace(-2.0, 2.0, 41)
K = np.array([3, 1, 4, 1, 5, 9, 2, 6])
M = np.arange(12.0).reshape(3, 4) / 7


# -- classes with operators -------------------------------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Vec:
    x: float
    y: float

    def __add__(self, o):
        return Vec(self.x + o.x, self.y + o.y)

    def __mul__(self, k):
        return Vec(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vec(-self.x, -self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)

    def __iter__(self):
        yield self.x
        yield self.y

    def __matmul__(self, o):
        return self.x * o.x + self.y * o.y


@program((X, 20))
def orbit_of_vectors(x, n):
    p, v = Vec(x[0], 0.0), Vec(0.0, 1.0)
    for _ in range(n):
        r = abs(p)
        v = v + -p * (0.01 / r**3)
        p = p + 0.01 * v
    a, b = p
    return a, b, p @ v, abs(v)


class Dual:
    def __init__(self, a, b=0.0):
        self.a, self.b = a, b

    @staticmethod
    def of(v):
        return v if isinstance(v, Dual) else Dual(v)

    def __add__(self, o):
        o = Dual.of(o)
        return Dual(self.a + o.a, self.b + o.b)

    __radd__ = __add__

    def __mul__(self, o):
        o = Dual.of(o)
        return Dual(self.a * o.a, self.a * o.b + self.b * o.a)

    __rmul__ = __mul__

    def __sub__(self, o):
        return self + (-1.0) * Dual.of(o)

    def __rsub__(self, o):
        return Dual.of(o) - self

    def __truediv__(self, o):
        o = Dual.of(o)
        return Dual(self.a / o.a, (self.b * o.a - self.a * o.b) / (o.a * o.a))

    def __pow__(self, n):
        out = Dual(1.0)
        for _ in range(n):
            out = out * self
        return out


@program(2.0, 0.5)
def derivative_by_dual_numbers(x):
    def f(v):
        return (3 * v**3 - 2 * v + 1) / (v * v + 1)

    d = f(Dual(x, 1.0))
    return d.a, d.b


@program((3.0, 20), (2.0, 3))
def newton_by_dual_numbers(x, n):
    for _ in range(n):
        y = Dual(x, 1.0) ** 2 - 2.0
        if abs(y.a) < 1e-12:
            break
        x = x - y.a / y.b
    return x


class Matrix:
    def __init__(self, rows):
        self.rows = rows

    @classmethod
    def identity(cls, n):
        return cls([[1.0 if i == j else 0.0 for j in range(n)] for i in range(n)])

    def __matmul__(self, other):
        columns = list(zip(*other.rows, strict=True))
        return Matrix([[sum(a * b for a, b in zip(r, c, strict=True)) for c in columns] for r in self.rows])

    def __pow__(self, n):
        result, base = Matrix.identity(len(self.rows)), self
        while n:
            if n & 1:
                result = result @ base
            base = base @ base
            n >>= 1
        return result

    def __getitem__(self, ij):
        i, j = ij
        return self.rows[i][j]

    def __eq__(self, other):
        return self.rows == other.rows

    def trace(self):
        return sum(self[i, i] for i in range(len(self.rows)))


@program(1.5, -0.5)
def power_of_a_matrix_class(a):
    m = Matrix([[a, 1.0], [1.0, 0.0]])
    p = m**7
    return p.rows, p.trace(), p == p, p[0, 1]


class Polynomial:
    def __init__(self, *c):
        self.c = list(c)

    def __call__(self, x):
        return functools.reduce(lambda s, a: s * x + a, reversed(self.c), 0.0)

    def __add__(self, o):
        return Polynomial(*(a + b for a, b in itertools.zip_longest(self.c, o.c, fillvalue=0.0)))

    def __mul__(self, o):
        out = [0.0] * (len(self.c) + len(o.c) - 1)
        for i, a in enumerate(self.c):
            for j, b in enumerate(o.c):
                out[i + j] += a * b
        return Polynomial(*out)

    def derivative(self):
        return Polynomial(*(i * a for i, a in enumerate(self.c) if i))

    def __repr__(self):
        return " + ".join(f"{a:.2f}x^{i}" for i, a in enumerate(self.c))

    def __len__(self):
        return len(self.c)


@program(2.0, -1.0)
def polynomial_class(x):
    p = Polynomial(1.0, x, 3.0) * Polynomial(x, -1.0) + Polynomial(0.5)
    return p(x), p.derivative()(x), repr(p), len(p), bool(p)


@program((X, 0.1))
def measured_with_uncertainty(x, s):
    class Measured:
        def __init__(self, v, e):
            self.v, self.e = v, e

        def __mul__(self, o):
            return Measured(self.v * o.v, math.sqrt((self.e * o.v) ** 2 + (o.e * self.v) ** 2))

        def __str__(self):
            return f"{self.v:.3f} ± {self.e:.3f}"

    p = functools.reduce(operator.mul, [Measured(v, s) for v in x])
    return p.v, p.e, str(p)


# -- state machines and parsers ---------------------------------------------------------------------------------------


class State(enum.Enum):
    IDLE = 0
    RUN = 1
    STOP = 2


@program(X, -X)
def state_machine_of_an_enum(x):
    state = State.IDLE
    visits = {s: 0 for s in State}
    for v in (1.0, -1.0, 2.0, 3.0):
        match state:
            case State.IDLE:
                state = State.RUN
            case State.RUN:
                state = State.STOP if v < 0 else State.IDLE
            case _:
                state = State.IDLE
        visits[state] += 1
    return x * visits[State.RUN], visits[State.STOP], state.name


@program(LONG, X)
def hysteresis(x):
    on, switches, energy = False, 0, 0.0
    for v in x:
        if on and v < -0.5:
            on, switches = False, switches + 1
        elif not on and v > 0.5:
            on, switches = True, switches + 1
        energy += v if on else 0.1
    return on, switches, energy


@program(np.array([1, 1, 1, 2, 2, 3, 1, 1]), np.array([5]), np.array([1, 2, 3, 4]))
def run_lengths(x):
    runs = []
    current, count = x[0], 1
    for v in x[1:]:
        if v == current:
            count += 1
        else:
            runs.append((current, count))
            current, count = v, 1
    runs.append((current, count))
    return runs, max(c for _, c in runs)


@program(np.array([12, 0, 3, 7, 7, 0, 1, 5, -1, 3]), np.array([0, -1]))
def parse_records(stream):
    i, total, records = 0, 0, 0
    while i < len(stream) and stream[i] >= 0:
        size = stream[i] % 3
        for j in range(i + 1, min(i + 1 + size, len(stream))):
            total += stream[j]
        records += 1
        i += size + 1
    return total, records, i


@program(np.array([3, 4, -1, 2, -3]), np.array([5, 1, 2, -1, 4, -3, -1, 3, -2]))
def postfix_calculator(tokens):
    stack = []
    operations = {-1: operator.add, -2: operator.sub, -3: operator.mul}
    for t in tokens:
        if t >= 0:
            stack.append(float(t))
        else:
            b, a = stack.pop(), stack.pop()
            if t == -1:
                stack.append(operations[-1](a, b))
            elif t == -2:
                stack.append(operations[-2](a, b))
            else:
                stack.append(operations[-3](a, b))
    return stack[-1], len(stack)


@program("3 4 + 2 *", "1 2 - 5 *")
def postfix_of_a_string(text):
    stack = []
    for token in text.split():
        match token:
            case "+":
                stack.append(stack.pop() + stack.pop())
            case "*":
                stack.append(stack.pop() * stack.pop())
            case "-":
                b = stack.pop()
                stack.append(stack.pop() - b)
            case number:
                stack.append(float(number))
    (result,) = stack
    return result


@program((np.array([0, 1, 1, 0, 1]), 3))
def elementary_automaton(cells, n):
    rule = {
        (1, 1, 1): 0,
        (1, 1, 0): 1,
        (1, 0, 1): 1,
        (1, 0, 0): 0,
        (0, 1, 1): 1,
        (0, 1, 0): 1,
        (0, 0, 1): 1,
        (0, 0, 0): 0,
    }
    table = np.array([rule[key] for key in itertools.product((0, 1), repeat=3)])
    for _ in range(n):
        left, right = np.roll(cells, 1), np.roll(cells, -1)
        cells = table[4 * left + 2 * cells + right]
    return cells


@program((K, 4), (K, 100), (K, -1))
def match_on_data(k, n):
    match n:
        case 0:
            return "zero", k.sum()
        case int() if n > 50:
            return "large", k.max()
        case int() if n < 0:
            return "negative", k.min()
        case _:
            return "other", k[0]


# -- simulations ------------------------------------------------------------------------------------------------------


@dataclasses.dataclass
class Particle:
    position: np.ndarray
    velocity: np.ndarray
    mass: float = 1.0
    alive: bool = True

    def step(self, force, dt):
        self.velocity = self.velocity + force / self.mass * dt
        self.position = self.position + self.velocity * dt
        if self.position[1] < 0:
            self.position = np.array([self.position[0], -self.position[1]])
            self.velocity = self.velocity * np.array([1.0, -0.8])


@program((np.array([0.0, 1.0]), 50))
def bouncing_particle(start, n):
    p = Particle(start, np.array([1.0, 0.0]))
    highest = 0.0
    for _ in range(n):
        p.step(np.array([0.0, -9.81]), 0.02)
        highest = max(highest, p.position[1])
    return p.position, p.velocity, highest


@dataclasses.dataclass
class Account:
    balance: float
    history: list = dataclasses.field(default_factory=list)

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError(f"bad amount {amount}")
        self.balance += amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise OverflowError("insufficient")
        self.balance -= amount
        self.history.append(-amount)


@program(X, -X)
def account_with_errors(x):
    account = Account(2.0)
    failures = 0
    for v in x:
        try:
            if v > 0:
                account.deposit(v)
            else:
                account.withdraw(-v)
        except OverflowError:
            failures += 1
    return account.balance, failures, account.history


@program((X, 5), (X, 50), raises=ValueError)
def account_error_reaches_the_caller(x, n):
    account = Account(1.0)
    for i in range(n):
        account.deposit(x[0] - i * 0.1)
    return account.balance


@program((np.array([0.9, 0.05, 0.05]), 40))
def epidemic(state, days):
    history = []
    s, i, r = state
    for _ in range(days):
        new, healed = 0.4 * s * i, 0.1 * i
        s, i, r = s - new, i + new - healed, r + healed
        history.append((s, i, r))
        if i < 1e-3:
            break
    return np.array(history), max(h[1] for h in history)


@program((np.array([1.0, 0.0]), 0.1, 30))
def runge_kutta_with_closures(y, h, n):
    def f(t, y):
        return np.array([y[1], -y[0] + 0.1 * np.sin(t)])

    def step(t, y):
        k1 = f(t, y)
        k2 = f(t + h / 2, y + h / 2 * k1)
        k3 = f(t + h / 2, y + h / 2 * k2)
        k4 = f(t + h, y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    path = [y]
    for i in range(n):
        path.append(step(i * h, path[-1]))
    return np.stack(path)


@program((np.array([1.0, 0.2]), 1e-3), (np.array([1.0, 0.2]), 1e-6))
def adaptive_steps(y, tolerance):
    t, h, accepted, rejected = 0.0, 0.1, 0, 0
    while t < 1.0:
        h = min(h, 1.0 - t)
        k1 = np.array([y[1], -y[0]])
        y1 = y + h * k1
        k2 = np.array([y1[1], -y1[0]])
        y2 = y + h / 2 * (k1 + k2)
        error = np.abs(y2 - y1).max()
        if error <= tolerance:
            t, y, accepted = t + h, y2, accepted + 1
        else:
            rejected += 1
        h *= 0.9 * min(2.0, max(0.3, (tolerance / (error + 1e-300)) ** 0.5))
    return y, accepted, rejected


@program((M, 3))
def life(grid, n):
    cells = grid > 0.5
    for _ in range(n):
        neighbours = sum(np.roll(cells, (i, j), (0, 1)).astype(int) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
        cells = (neighbours == 3) | (cells & (neighbours == 2))
    return cells, cells.sum()


@program((K, 5))
def queue_simulation(arrivals, service):
    clock, waiting, served = 0, collections.deque(), []
    for a in arrivals:
        clock += a
        while waiting and waiting[0] + service <= clock:
            served.append(clock - waiting.popleft())
        waiting.append(clock)
    return served, len(waiting)


# -- recursion, memory, closures --------------------------------------------------------------------------------------


@program(20, 5)
def memoised_fibonacci(n):
    @functools.lru_cache(maxsize=None)
    def fib(k):
        return k if k < 2 else fib(k - 1) + fib(k - 2)

    return fib(20) + n


@program((X, 6))
def memo_in_a_dict(x, n):
    memo = {}

    def legendre(k):
        if k not in memo:
            if k == 0:
                memo[k] = np.ones_like(x)
            elif k == 1:
                memo[k] = x
            else:
                memo[k] = ((2 * k - 1) * x * legendre(k - 1) - (k - 1) * legendre(k - 2)) / k
        return memo[k]

    return legendre(5), len(memo), n


@program((X, 4), (X, 0))
def nested_closures_with_nonlocal(x, n):
    total, calls = 0.0, 0

    def make(scale):
        count = 0

        def add(v):
            nonlocal total, calls, count
            count += 1
            calls += 1
            total += v * scale
            return count

        return add

    double, triple = make(2.0), make(3.0)
    last = 0
    for i in range(n):
        last = double(x[i]) + triple(1.0)
    return total, calls, last


def adaptive_simpson(f, a, b, depth):
    c = (a + b) / 2
    whole = (b - a) / 6 * (f(a) + 4 * f(c) + f(b))
    if depth == 0:
        return whole
    return adaptive_simpson(f, a, c, depth - 1) + adaptive_simpson(f, c, b, depth - 1)


@program((0.0, 2.0), (1.0, 3.0))
def recursive_integral(a, b):
    return adaptive_simpson(lambda t: math.exp(-t) * math.sin(t), a, b, 4)


@program(np.array([3.0, 1.0, 2.0, 5.0, 4.0, 0.0, 7.0, 6.0]))
def recursive_fft(x):
    def fft(v):
        n = len(v)
        if n == 1:
            return v.astype(complex)
        even, odd = fft(v[::2]), fft(v[1::2])
        w = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
        return np.concatenate([even + w, even - w])

    return fft(x)


def timed(label):
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs):
            wrapper.calls.append(label)
            return f(*args, **kwargs)

        wrapper.calls = []
        return wrapper

    return decorate


@program(X)
def decorated_inside(x):
    @timed("a")
    def square(v, *, offset=0.0):
        return v * v + offset

    return square(x) + square(x, offset=1.0), square.calls, square.__name__


# -- iterators and context managers -----------------------------------------------------------------------------------


class Grid:
    def __init__(self, a, b, n):
        self.a, self.b, self.n = a, b, n

    def __iter__(self):
        h = (self.b - self.a) / self.n
        for i in range(self.n + 1):
            yield self.a + i * h

    def __len__(self):
        return self.n + 1

    def __contains__(self, v):
        return self.a <= v <= self.b


@program((0.0, 1.0, 0.3), (0.0, 2.0, 2.5))
def iterable_class(a, b, v):
    g = Grid(a, b, 8)
    trapezoid = sum((f0 + f1) / 2 for f0, f1 in itertools.pairwise(t * t for t in g)) * (b - a) / 8
    return trapezoid, len(g), v in g, max(g), list(g)[:3]


@contextlib.contextmanager
def clipped_errors(log):
    log.append("enter")
    try:
        yield log
    except ZeroDivisionError:
        log.append("caught")
    finally:
        log.append("exit")


@program(0.0, 2.0)
def context_manager_of_a_generator(d):
    log, r = [], -1.0
    with clipped_errors(log) as same:
        r = 1 / d
        same.append("inside")
    return r, len(log), log[-1]


class Tolerance:
    current = 1e-3

    def __init__(self, v):
        self.v = v

    def __enter__(self):
        self.before, Tolerance.current = Tolerance.current, self.v
        return self

    def __exit__(self, kind, value, traceback):
        Tolerance.current = self.before
        return False


@program((2.0, 1e-2), (2.0, 1e-9))
def tolerance_as_a_context(a, t):
    def root(a):
        x = a
        n = 0
        while abs(x * x - a) > Tolerance.current:
            x = (x + a / x) / 2
            n += 1
        return n

    with Tolerance(t):
        inside = root(a)
    return inside, root(a)


@program(X)
def exit_stack(x):
    log = []
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, "first")
        stack.callback(log.append, "second")
        y = x * 2
    return y, log


@program((X, 3), (X, 0), (-X, 3))
def finally_on_data(x, n):
    log = []
    try:
        if n == 0:
            raise KeyError("none")
        if x[0] < 0:
            raise ValueError("negative")
        result = x.sum() / n
    except KeyError:
        result = 0.0
    except ValueError as e:
        result = -1.0 if "neg" in str(e) else 1.0
    else:
        log.append("else")
    finally:
        log.append("finally")
    return result, log[-1]


@program((X, 2.0), (X, 0.0), raises=ArithmeticError)
def error_chain(x, d):
    try:
        return [v / d if d else 1 // int(d) for v in (1.0, 2.0)], x
    except ZeroDivisionError as e:
        raise ArithmeticError("bad divisor") from e


# -- texts ------------------------------------------------------------------------------------------------------------


@program((3.14159, 42), (-0.5, 7))
def formatted_texts(v, n):
    return f"{v:8.3f}|{n:05d}|{v!r}|{n:x}", "{:>10.2e}".format(v), "%d items at %.1f" % (n, v), f"{n=}"


@program((X, 2))
def report_lines(x, n):
    lines = [f"row {i}: {v:+.2f}" for i, v in enumerate(x[:3])]
    return "\n".join(lines), lines[0], f"total {sum(x):.1f}" + "!" * 3


# -- parameters and containers ----------------------------------------------------------------------------------------


PARAMETERS = {"layers": [{"w": M, "b": np.ones(4)}, {"w": M.T, "b": np.zeros(3)}], "scale": 0.5}


def tree_map(f, tree):
    if isinstance(tree, dict):
        return {k: tree_map(f, v) for k, v in tree.items()}
    if isinstance(tree, list | tuple):
        return type(tree)(tree_map(f, v) for v in tree)
    return f(tree)


@program((PARAMETERS, np.ones((2, 3))))
def dictionary_of_layers(parameters, x):
    for layer in parameters["layers"]:
        x = np.maximum(x @ layer["w"] + layer["b"], 0.0)
    halves = tree_map(lambda v: v / 2, parameters)
    return x * parameters["scale"], halves


@program((PARAMETERS, 0.1, 3))
def updates_of_a_tree(parameters, rate, n):
    for _ in range(n):
        for layer in parameters["layers"]:
            for name in layer:
                layer[name] = layer[name] - rate * np.sign(layer[name])
    return parameters


@program(X, -X)
def sorted_by_keys(x):
    people = [("ann", x[0]), ("bob", x[1]), ("cat", x[2])]
    by_value = sorted(people, key=lambda p: p[1], reverse=True)
    return [v for _, v in by_value], min(people, key=operator.itemgetter(1))[1], sorted(x)[1]


@program(K, K[::-1].copy())
def heap_of_data(k):
    heap = []
    for v in (5, 3, 8, 1):
        heapq.heappush(heap, v)
    smallest = [heapq.heappop(heap) for _ in range(2)]
    return smallest, heap, k.sum()


@program(X, -X)
def heap_of_dynamic_numbers(x):
    heap = list(x)
    heapq.heapify(heap)
    return heapq.heappop(heap), heapq.nsmallest(2, heap), heapq.nlargest(2, heap)


@program(X)
def counter_and_defaultdict(x):
    words = "the cat the dog the end".split()
    counts = collections.Counter(words)
    groups = collections.defaultdict(list)
    for i, w in enumerate(words[:5]):
        groups[len(w)].append(x[i])
    return counts.most_common(1), counts["cat"], {k: sum(v) for k, v in groups.items()}


@program((LONG, 5))
def moving_average(x, n):
    window, out, total = collections.deque(), [], 0.0
    for v in x:
        window.append(v)
        total += v
        if len(window) > 5:
            total -= window.popleft()
        out.append(total / len(window))
    return np.array(out), n


@program(K)
def ordered_and_chain_maps(k):
    od = collections.OrderedDict(a=1, b=2)
    od.move_to_end("a")
    cm = collections.ChainMap({"x": k[0]}, {"x": 0, "y": k[1]})
    return list(od), cm["x"], cm["y"]


@program(K)
def sets_of_known_numbers(k):
    a, b = {1, 2, 3}, {3, 4}
    return sorted(a | b), sorted(a - b), a & b == {3}, k[len(a ^ b)]


class Config(typing.NamedTuple):
    size: int = 3
    rate: float = 0.1
    name: str = "sgd"

    def scaled(self, k):
        return self._replace(rate=self.rate * k)


@program((X, Config()), (X, Config(2, 0.5, "adam")))
def configuration(x, c):
    d = c.scaled(2.0)
    return x[: c.size] * d.rate, d, c.name == "adam", d._asdict()


@program((X, 3))
def gradient_descent_with_history(x, n):
    history = collections.defaultdict(list)
    w = np.zeros_like(x)
    for step in range(30):
        g = 2 * (w - x)
        w = w - 0.1 * g
        if step % 10 == 0:
            history["loss"].append(((w - x) ** 2).sum())
            history["step"].append(step)
    return w, dict(history), n


@program((LONG, 3), (LONG, 1))
def piecewise_by_bisect(x, n):
    import bisect

    edges = [-1.0, 0.0, 1.0]
    out = [bisect.bisect(edges, v) for v in (-2.0, -0.5, 0.0, 3.0)]
    return out, np.searchsorted(edges, x), n


@program(np.array([[4.0, 1.0], [2.0, 3.0]]))
def power_iteration_with_else(a):
    v = np.ones(2)
    for i in range(200):
        w = a @ v
        w = w / np.linalg.norm(w)
        if np.abs(w - v).max() < 1e-12:
            break
        v = w
    else:
        return -1, v
    return i, v @ a @ v


@program((np.array([5.0, 3.0, 8.0, 1.0, 9.0, 2.0]), 3))
def quickselect(x, k):
    lo, hi = 0, len(x) - 1
    x = x.copy()
    while True:
        pivot, i = x[hi], lo
        for j in range(lo, hi):
            if x[j] < pivot:
                x[i], x[j] = x[j], x[i]
                i += 1
        x[i], x[hi] = x[hi], x[i]
        if i == k:
            return x[i]
        if i < k:
            lo = i + 1
        else:
            hi = i - 1


@program("kitten", "sitting")
def edit_distance(s):
    t = "sitting"
    row = list(range(len(t) + 1))
    for i, a in enumerate(s, 1):
        previous, row[0] = row[0], i
        for j, b in enumerate(t, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (a != b))
    return row[-1]


@program((np.array([2, 3, 5]), np.array([30.0, 40.0, 60.0]), 8))
def knapsack(weights, values, capacity):
    best = np.zeros(9)
    for w, v in zip(weights, values, strict=True):
        for c in range(8, 0, -1):
            if c >= w:
                best[c] = max(best[c], best[c - w] + v)
    return best[-1], capacity


@program(np.array([[0.0, 4.0, 1.0, np.inf], [4.0, 0.0, 2.0, 5.0], [1.0, 2.0, 0.0, 8.0], [np.inf, 5.0, 8.0, 0.0]]))
def dijkstra(graph):
    n = len(graph)
    distance = np.full(n, np.inf)
    distance[0] = 0.0
    done = np.zeros(n, bool)
    for _ in range(n):
        u, best = -1, np.inf
        for v in range(n):
            if not done[v] and distance[v] < best:
                u, best = v, distance[v]
        if u < 0:
            break
        done[u] = True
        for v in range(n):
            if graph[u, v] + distance[u] < distance[v]:
                distance[v] = graph[u, v] + distance[u]
    return distance


@program((np.array([0.2, 0.5, 0.3]), np.array([1, 0, 2, 1])))
def viterbi(start, observed):
    transition = np.array([[0.7, 0.2, 0.1], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]])
    emission = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6], [0.3, 0.3, 0.4]])
    p = np.log(start) + np.log(emission[:, observed[0]])
    back = []
    for o in observed[1:]:
        scores = p[:, None] + np.log(transition)
        back.append(scores.argmax(axis=0))
        p = scores.max(axis=0) + np.log(emission[:, o])
    path = [p.argmax()]
    for b in reversed(back):
        path.append(b[path[-1]])
    return np.array(path[::-1]), p.max()


class Node:
    """A number that knows how it was made, and its derivative after `backward`."""

    def __init__(self, value, parents=()):
        self.value, self.slope, self.parents = value, 0.0, set(parents)
        self.pull = lambda: None

    def __add__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        made = Node(self.value + other.value, (self, other))

        def pull():
            self.slope += made.slope
            other.slope += made.slope

        made.pull = pull
        return made

    def __mul__(self, other):
        other = other if isinstance(other, Node) else Node(other)
        made = Node(self.value * other.value, (self, other))

        def pull():
            self.slope += other.value * made.slope
            other.slope += self.value * made.slope

        made.pull = pull
        return made

    def relu(self):
        made = Node(0 if self.value < 0 else self.value, (self,))

        def pull():
            self.slope += (made.value > 0) * made.slope

        made.pull = pull
        return made

    def backward(self):
        order, seen = [], set()

        def visit(node):
            if node not in seen:
                seen.add(node)
                for parent in node.parents:
                    visit(parent)
                order.append(node)

        visit(self)
        self.slope = 1.0
        for node in reversed(order):
            node.pull()

    __radd__, __rmul__ = __add__, __mul__


@program((np.array([2.0, -3.0]), np.array([0.5, -1.0])), (np.array([2.0, 3.0]), np.array([0.5, -1.0])))
def tape_of_nodes(x, w):
    inputs, weights = [Node(v) for v in x], [Node(v) for v in w]
    out = sum((a * b for a, b in zip(inputs, weights, strict=True)), Node(0.3)).relu()
    loss = (out + -1.0) * (out + -1.0)
    loss.backward()
    return loss.value, [n.slope for n in inputs], [n.slope for n in weights]


test_programs = program.test()
