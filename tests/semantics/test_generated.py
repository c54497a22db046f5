"""Random small programs: CPython's answer, or a refusal.

Source text is generated, so that what fails can be read. Every loop is bounded and every integer is reduced modulo a
prime, so that all programs end and none overflows; floats are only added and halved, so that rounding is no excuse.
XLAPY_GENERATED=1000 runs that many programs in place of a few; how
many were right, refused or crashed stands at the end of pytest's output.
"""

import collections
import itertools
import linecache
import os
import types

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from . import runner

EXAMPLES = int(os.environ.get("XLAPY_GENERATED", "25"))
LONG = "XLAPY_GENERATED" in os.environ
INTS = ("a", "b", "c")
FLOATS = ("p", "q")
ARRAYS = ("x", "y")
SIZE = 5
NUMBERS = itertools.count()
TALLY: collections.Counter = collections.Counter()

HEADER = """\
import numpy as np


class Cell:
    def __init__(self, n, v):
        self.n, self.v = n, v

    def push(self, k):
        self.n = (self.n * 3 + k) % 101
        if self.n % 2 == 0:
            self.v = self.v * 0.5 + k
        return self.n

    def __add__(self, k):
        return Cell((self.n + k) % 101, self.v)


def helper(m, i):
    m[i] = m[i] * 0.5 + 1.0
    if m[i] > 2.0:
        return i
    m[0] = m[0] - 0.25
    return (i * 7 + 1) % 101


"""


def indent(lines):
    return ["    " + line for line in lines]


@st.composite
def int_expression(draw, depth=2):
    """A Python expression of an int in range(101) (or a small negative one)."""
    if depth == 0 or draw(st.booleans()):
        return draw(
            st.sampled_from([*INTS, "1", "2", "7", "o.n", "len(x)", f"int(x[{draw(st.integers(0, SIZE - 1))}] % 101)"])
        )
    left, right = draw(int_expression(depth - 1)), draw(int_expression(depth - 1))
    form = draw(
        st.sampled_from(
            [
                "({l} + {r}) % 101",
                "({l} * {r}) % 101",
                "({l} - {r}) % 101",
                "({l} // 3)",
                "max({l}, {r})",
                "abs({l} - {r})",
                "({l} if {c} else {r})",
                "f({l})",
                "o.push({l})",
            ]
        )
    )
    return form.format(l=left, r=right, c=draw(condition(depth - 1)))


@st.composite
def float_expression(draw, depth=2):
    if depth == 0 or draw(st.booleans()):
        i = draw(st.integers(-SIZE, SIZE - 1))
        return draw(st.sampled_from([*FLOATS, "0.5", "2.0", "o.v", f"x[{i}]", f"y[{i}]", "x.sum()", "y.max()"]))
    left, right = draw(float_expression(depth - 1)), draw(float_expression(depth - 1))
    form = draw(
        st.sampled_from(
            [
                "({l} + {r}) * 0.5",
                "({l} - {r})",
                "({l} * 0.25)",
                "min({l}, {r})",
                "np.floor({l})",
                "({l} if {c} else {r})",
            ]
        )
    )
    return form.format(l=left, r=right, c=draw(condition(depth - 1)))


@st.composite
def condition(draw, depth=1):
    kind = draw(st.integers(0, 5))
    if depth > 0 and kind == 0:
        join = draw(st.sampled_from(["and", "or"]))
        return f"({draw(condition(depth - 1))} {join} {draw(condition(depth - 1))})"
    if depth > 0 and kind == 1:
        return f"not {draw(condition(depth - 1))}"
    if kind == 2:
        return f"{draw(float_expression(0))} < {draw(float_expression(0))}"
    if kind == 3:
        return f"0 < {draw(int_expression(0))} <= {draw(st.sampled_from(INTS))}"
    return f"{draw(int_expression(0))} % {draw(st.integers(2, 4))} == {draw(st.integers(0, 1))}"


@st.composite
def index(draw):
    return draw(st.sampled_from(["0", "-1", "2", "a % 5", "b % 5", "i % 5", "c % 5 - 5"]))


@st.composite
def simple_statement(draw):
    kind = draw(st.integers(0, 11))
    if kind <= 2:
        return f"{draw(st.sampled_from(INTS))} = {draw(int_expression())}"
    if kind == 3:
        return f"{draw(st.sampled_from(FLOATS))} = {draw(float_expression())}"
    if kind == 4:
        return f"{draw(st.sampled_from(ARRAYS))}[{draw(index())}] = {draw(float_expression())}"
    if kind == 5:
        return f"{draw(st.sampled_from(ARRAYS))}[{draw(index())}] -= {draw(float_expression(1))}"
    if kind == 6:
        target, source = draw(st.permutations(ARRAYS))
        return draw(
            st.sampled_from(
                [
                    f"{target} = {source} * 0.5",
                    f"{target} = {source}",
                    f"{target} *= 0.5",
                    f"{target}[1:4] = {source}[:3]",
                    f"{target}[:3] += {source}[2:] * 0.25",
                    f"{target}[{source} > 1.0] = 0.5",
                    f"{target} = {source}[::-1]",
                    f"{target} = {source}.copy()",
                    f"{target} = np.where({source} > {draw(st.sampled_from(FLOATS))}, {source}, {target})",
                ]
            )
        )
    if kind == 7:
        return draw(st.sampled_from(["v = x[1:4]; v[0] = p", "v = y[::2]; v += 0.5", "v = x[b % 5:]; v *= 0.5"]))
    if kind == 8:
        return draw(st.sampled_from(["a, b = b, a", "p, q = q, p", "x, y = y, x", "t[0], t[1] = t[1], t[0]"]))
    if kind == 9:
        return draw(
            st.sampled_from(["t[0] = a", "t[a % 3] = b", "t.append(c)", "d['k'] = b", "d['n'] += 1", "bump(a)"])
        )
    if kind == 10:
        return f"c = helper({draw(st.sampled_from(ARRAYS))}, {draw(st.sampled_from(['a % 5', '2', 'i % 5']))})"
    return draw(st.sampled_from(["o.v = p", "o.push(b)", "o = o + a", "o.n = c % 101", "w = o; w.push(1)"]))


@st.composite
def block(draw, depth, in_loop):
    lines = []
    for _ in range(draw(st.integers(1, 3))):
        lines += draw(statement(depth, in_loop))
    return lines


@st.composite
def result(draw):
    """A return of everything there is, in one of a few orders of the same types."""
    ints, floats, arrays = draw(st.permutations(INTS)), draw(st.permutations(FLOATS)), draw(st.permutations(ARRAYS))
    return f"return {', '.join([*ints, *floats, *arrays])}, i, o.n, o.v, t, d, count"


@st.composite
def statement(draw, depth, in_loop):
    kind = draw(st.integers(0, 9)) if depth > 0 else 0
    if kind <= 4:
        return [draw(simple_statement())]
    if kind == 5 and in_loop:
        return [f"if {draw(condition())}:", "    " + draw(st.sampled_from(["break", "continue"]))]
    if kind == 6:
        return [f"if {draw(condition())}:", "    " + draw(result())]
    if kind in (5, 7):
        lines = [f"if {draw(condition())}:", *indent(draw(block(depth - 1, in_loop)))]
        if draw(st.booleans()):
            lines += [f"elif {draw(condition())}:", *indent(draw(block(depth - 1, in_loop)))]
        if draw(st.booleans()):
            lines += ["else:", *indent(draw(block(depth - 1, in_loop)))]
        return lines
    return draw(loop(depth))


@st.composite
def loop(draw, depth):
    """A loop of a few trips, over something static or dynamic; a while loop counts in a variable of its own."""
    body = indent(draw(block(depth - 1, True)))
    if draw(st.booleans()):
        over = draw(st.sampled_from(["range(3)", "range(a % 4)", "range(b % 5, 0, -1)", "range(len(x))", "(1, 4, 2)"]))
        lines = [f"for i in {over}:", *body]
    else:
        n = f"n{depth}"
        lines = [f"{n} = 0", f"while {n} < 4 and {draw(condition())}:", f"    {n} += 1", *body]
    if draw(st.integers(0, 3)) == 0:
        lines += ["else:", *indent(draw(block(depth - 1, False)))]
    return lines


@st.composite
def source(draw):
    body = [
        "i = 0",
        "c, q = 1, 0.25",
        "o = Cell(a, p)",
        "t = [0, 1, 2]",
        "d = {'k': 0, 'n': 0}",
        "count = 0",
        "def f(k):",
        "    return (k * a + 1) % 101",
        "def bump(k):",
        "    nonlocal count",
        "    count = (count + k) % 101",
    ]
    for _ in range(draw(st.integers(2, 5))):
        body += draw(statement(draw(st.integers(1, 3)), False))
    body.append(draw(result()))
    return HEADER + "\n".join(["def program(a, b, p, x, y):", *indent(body)]) + "\n"


def load(text):
    """The function `program` of the source, in a module whose lines tracebacks and compilers can show."""
    name = f"generated_{next(NUMBERS)}"
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = types.ModuleType(name)
    exec(compile(text, filename, "exec"), vars(module))
    return module.program


CALLS = [
    (3, 5, 0.5, np.array([1.0, -2.0, 3.0, 0.5, 4.0]), np.array([0.0, 2.5, -1.0, 1.5, 0.25])),
    (8, 2, -1.5, np.array([-1.0, 0.0, 2.0, 7.0, 1.0]), np.array([3.0, -0.5, 1.0, 2.0, -4.0])),
    (0, 1, 2.0, np.zeros(5), np.ones(5)),
]


def outcome(text, crashes):
    """Check one program: "right", "refused", or "crash", which is kept. A wrong answer is raised."""
    try:
        runner.check(load(text), calls=CALLS, rtol=1e-9)
    except runner.CompilerCrash as error:
        crashes.append((text, error))
        return "crash"
    except Exception as error:
        if runner.is_refusal(error):
            return "refused"
        error.add_note(f"the program:\n{text}")
        raise
    return "right"


def test_generated_programs():
    """None is wrong; then: none crashes the compiler."""
    crashes = []

    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        derandomize=not LONG,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
        report_multiple_bugs=False,
    )
    @given(source())
    def examples(text):
        TALLY[outcome(text, crashes)] += 1

    examples()
    if crashes:
        text, error = min(crashes, key=lambda crash: len(crash[0]))
        raise runner.CompilerCrash(f"{len(crashes)} programs, the shortest:\n{text}") from error
