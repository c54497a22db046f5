"""Whole programs: classes, a helper, closures, a body, and three calls with arguments of the same kinds."""

from __future__ import annotations

import dataclasses
import itertools
import linecache
import math
import types

import numpy as np
from hypothesis import strategies as st

from .scope import Scope
from .statements import block, indent, result

HEADER = """\
import math
from typing import NamedTuple

import numpy as np

total = 0


class Problem(ValueError):
    pass


class Cell:
    base = 2

    def __init__(self, n, v):
        self.n, self.v = n, v
        self.a = np.array([0.5, 1.0, 2.0])

    def push(self, k):
        self.n = (self.n * 3 + k) % 101
        if self.n % 2 == 0:
            self.v = self.v * 0.5 + k
        return self.n

    def flag(self):
        return self.n > self.base

    @property
    def twice(self):
        return self.n * 2

    @twice.setter
    def twice(self, k):
        self.n = k

    def __add__(self, k):
        return type(self)((self.n + k) % 101, self.v)


class Sub(Cell):
    base = 5

    def push(self, k):
        if k > 3:
            return k
        return super().push(k + 1)

    def __bool__(self):
        return self.v > 0


class Pair(NamedTuple):
    n: float
    v: float

"""
SAMPLE_FUNCTIONS = "def bump(k): return 3\ndef f(k): return 5\ndef helper(m, i): return 1.5\n"
PARAMETERS = {
    "a": ("int", ["3", "8", "0", "-2", "1"]),
    "b": ("int", ["2", "5", "1", "4", "0"]),
    "p": ("float", ["0.5", "-1.5", "2.0", "0.0", "3.25"]),
    "flag": ("bool", ["True", "False"]),
    "s": ("numpy", ["np.float64(1.5)", "np.float64(-0.5)", "np.float64(2.0)"]),
    "r": ("numpy", ["np.int32(3)", "np.int32(0)", "np.int32(-5)"]),
    "h": ("numpy", ["np.float32(0.5)", "np.float32(2.5)"]),
    "x": ("vector", ["np.array([1.0, -2.0, 3.0, 0.5])", "np.array([-1.0, 0.0, 2.0, 7.0])", "np.zeros(4)"]),
    "y": ("vector", ["np.array([2, 0, -1, 5])", "np.array([1, 1, 3, -4])"]),
    "g": ("vector", ["np.array([0.5, 2.0, -1.0, 4.0], np.float32)", "np.ones(4, np.float32)"]),
    "m": ("matrix", ["np.array([[1.0, -0.5, 2.0], [0.0, 4.0, -1.0]])", "np.arange(6.0).reshape(2, 3)"]),
    "q": ("matrix", ["np.arange(6, dtype=np.int32).reshape(2, 3)", "np.ones((2, 3), np.int32)"]),
    "l": ("list", ["[1, 2, 3]", "[4, 0, 2]"]),
    "t": ("tuple", ["(1, 0.5)", "(3, -2.0)"]),
    "d": ("dict", ["{'k': 1, 'n': 2}", "{'k': 5, 'n': 0}"]),
    "o": ("object", ["Cell(3, 0.5)", "Cell(2, -1.0)"]),
}
NUMBERS = itertools.count()


@dataclasses.dataclass(frozen=True)
class Generated:
    """A program: the text of a module that defines `program`, and that of the arguments of each call."""

    text: str
    calls: tuple[str, ...]
    #: what `text` starts with, in all programs of the kind
    header: str = HEADER
    #: tolerance of floats; None for that of their types
    rtol: float | None = 1e-6

    def __str__(self) -> str:
        body = self.text.removeprefix(self.header)
        return f"{body}\nCALLS = [{', '.join(f'({call})' for call in self.calls)}]\n"


def load(text: str) -> types.ModuleType:
    """The module of a text, whose lines tracebacks and compilers can show."""
    name = f"generated_{next(NUMBERS)}"
    filename = f"<{name}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    module = types.ModuleType(name)
    exec(compile(text, filename, "exec"), vars(module))
    return module


def sample_globals() -> dict:
    """What samples are run with."""
    names = dict(vars(load(HEADER + SAMPLE_FUNCTIONS)))
    return names | {"math": math, "np": np}


SAMPLE_GLOBALS = sample_globals()


@st.composite
def programs(draw) -> Generated:
    names = draw(st.lists(st.sampled_from(sorted(PARAMETERS)), min_size=3, max_size=6, unique=True))
    if not {"a", "b"} & set(names):
        names.insert(0, "a")
    samples = {name: eval(PARAMETERS[name][1][0], SAMPLE_GLOBALS) for name in names}
    scope = Scope(samples, SAMPLE_GLOBALS, function=True)
    body = [*_closures(draw, scope), *block(draw, scope, draw(st.integers(1, 3)), 5), f"return {result(draw, scope)}"]
    text = HEADER + "\n".join([*_helper(draw), f"def program({', '.join(names)}):", *indent(body)]) + "\n"
    calls = (", ".join(draw(st.sampled_from(PARAMETERS[name][1])) for name in names) + "," for _ in range(3))
    return Generated(text, tuple(calls))


def _helper(draw) -> list[str]:
    """A function that changes an array and may return early."""
    names = {name: value for name, value in SAMPLE_GLOBALS.items() if name not in ("bump", "f", "helper", "total")}
    scope = Scope({"m": np.array([1.0, 2.0, 0.5]), "i": 1}, names, function=True)
    return ["def helper(m, i):", *indent([*block(draw, scope, 1, 2), "return " + _number(draw, scope)]), "", ""]


def _closures(draw, scope: Scope) -> list[str]:
    inner = scope.inner(function=True)
    inner.globals = {name: value for name, value in scope.globals.items() if name != "bump"}
    inner.names["k"] = 1
    captured = [name for name in scope.of("int", "float", "numpy") if name != "k"]
    changed = draw(st.sampled_from(captured))
    update = f"{changed} = ({changed} + {_number(draw, inner)}) * {draw(st.sampled_from(['0.5', '1']))}"
    return [
        "global total",
        "def bump(k):",
        f"    nonlocal {changed}",
        f"    {update}",
        *indent(["if k > 5:", f"    return {_number(draw, inner)}"] if draw(st.booleans()) else []),
        f"    return {changed}",
    ]


def _number(draw, scope: Scope) -> str:
    from .expressions import expression

    return expression(draw, scope, draw(st.sampled_from(["int", "float", "numpy"])), 1)
