"""Programs that are refused, one or more for each code, and what to write instead: for the tests of the obstacles and
for docs/errors.md (see `page`)."""

from __future__ import annotations

import inspect
import linecache
import textwrap
import types
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
import scipy.special

import xlapy

X = np.array([1.0, 2.0, 3.0])
#: met by nothing that CPython's compiler makes: too tangled control flow, errors of xlapy
INTERNAL = {"XP0014", "XP0099"}


@dataclass
class Program:
    """A program whose only obstacle has `code`, on the line that ends in `# here`, or on that of `def`.

    Attributes:
        caret: the text of the source that is underlined; None if it is not looked at.
        args: of the call.
        compiled: the text of what is called, with the function's name as `{}`.
        others: functions that it calls.
        instead: a function that does what it was for, and compiles.
        instead_args: of the call of that, where they are others.
    """

    code: str
    caret: str | None
    function: types.FunctionType
    args: tuple
    compiled: str
    others: tuple[types.FunctionType, ...]
    instead: types.FunctionType | None = None
    instead_args: tuple = field(default=())

    def callable(self) -> Any:
        """What the program is called through."""
        return eval(self.compiled.format("f"), {"jax": jax, "xlapy": xlapy, "f": self.function})


PROGRAMS: dict[str, Program] = {}


def program(code: str, caret: str | None, *args: Any, compiled: str = "xlapy.jit({})", others: tuple = ()) -> Callable:
    """Enters a program into the table."""

    def register(function):
        PROGRAMS[function.__name__] = Program(code, caret, function, args, compiled, others)
        return function

    return register


def instead_of(function: types.FunctionType, *args: Any) -> Callable:
    """Enters what to write instead of a program; `args` where these are others."""

    def register(better):
        known = PROGRAMS[function.__name__]
        known.instead, known.instead_args = better, args or known.args
        return better

    return register


def source_of(function: types.FunctionType) -> str:
    """The text of a function without its decorators and the marks of lines."""
    text = textwrap.dedent(inspect.getsource(function))
    lines = text.splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith(("def ", "async def ")))
    return "\n".join(line.removesuffix("  # here") for line in lines[first:])


def standalone(known: Program, filename: str) -> Any:
    """The callable of a program whose source is a file of its own, which is named in messages."""
    text = "\n\n\n".join(map(source_of, (*known.others, known.function))) + "\n"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    space = {**known.function.__globals__}
    exec(compile(text, filename, "exec"), space)
    return eval(known.compiled.format(known.function.__name__), space)


# -- one of each, and what to write instead ---------------------------------------------------------------------------


@program("XP0002", None, X)
def skips_what_is_negative(x):
    try:
        if x[0] < 0:
            raise ValueError("negative")
    except* ValueError:  # here
        x = -x
    return x.sum()


@instead_of(skips_what_is_negative)
def skips_what_is_negative_plainly(x):
    try:
        if x[0] < 0:
            raise ValueError("negative")
    except ValueError:
        x = -x
    return x.sum()


@program("XP0003", "zlib.crc32(x)", X)
def sum_of_bytes(x):
    total = x.sum()
    return total, zlib.crc32(x)  # here


@instead_of(sum_of_bytes)
def without_the_sum_of_bytes(x):
    return x.sum()  # and zlib.crc32(x) after the call


@program("XP0004", "float(x[0]) is float(x[1])", X)
def same_number(x):
    return float(x[0]) is float(x[1])  # here


@instead_of(same_number)
def equal_numbers(x):
    return float(x[0]) == float(x[1])


@program("XP0005", None, np.array([1.0, None, 3.0], dtype=object))
def sum_of_what_is_there(x):
    return sum(v for v in x if v is not None)


@instead_of(sum_of_what_is_there, np.array([1.0, np.nan, 3.0]))
def sum_of_numbers(x):
    return np.nansum(x)


@program("XP0006", "x.reshape(int(x[0]), -1)", X)
def rows_from_an_element(x):
    while x[0] < 3:
        x = x + 1
    return x.reshape(int(x[0]), -1)  # here


@instead_of(rows_from_an_element, X, 3)
def rows_from_an_argument(x, n):
    while x[0] < n:
        x = x + 1
    return x.reshape(n, -1)


@program("XP0007", "(states, x)", X, 4)
def nested_pairs(x, n):
    states = ()
    while x.sum() < n:
        x = x * 2
        states = (states, x)  # here
    return states


@instead_of(nested_pairs)
def list_of_states(x, n):
    states = []
    while x.sum() < n:
        x = x * 2
        states.append(x)
    return states


@program("XP0008", "half[0]", X)
def halve(x):
    if x[0] < 0.1:
        return x
    half = x / 2
    halve(half)
    half[0] = 1.0  # here
    return half


@instead_of(halve)
def halve_a_copy(x):
    if x[0] < 0.1:
        return x
    half = x / 2
    halve_a_copy(half.copy())
    half[0] = 1.0
    return half


@program("XP0009", None, np.ones(20_000))
def largest_argument(x):  # here
    return max(*x)


@instead_of(largest_argument)
def largest_element(x):
    return max(x)


@program("XP0010", None, X)
def squares(x):
    return (v * v for v in x)


@instead_of(squares)
def list_of_squares(x):
    return [v * v for v in x]


def fill(vector, width, axis, options):
    vector[: width[0]] = 0.0
    vector[len(vector) - width[1] :] = 0.0


@program("XP0011", "np.pad(x, 2, mode=fill)", X, others=(fill,))
def padded_by_a_function(x):
    return np.pad(x, 2, mode=fill)  # here


@instead_of(padded_by_a_function)
def padded_by_a_constant(x):
    return np.pad(x, 2, mode="constant")


@program("XP0012", "x.view(np.int8)", X)
def bytes_of_numbers(x):
    return x.view(np.int8)  # here


@instead_of(bytes_of_numbers)
def rounded_numbers(x):
    return x.astype(np.int8)


@program("XP0013", "np.argwhere(x.max())", X)
def places_in_a_number(x):
    return np.argwhere(x.max())  # here


@instead_of(places_in_a_number)
def places_of_the_largest(x):
    return np.argwhere(x == x.max())


@program("XP0015", None, X, compiled="jax.jit(xlapy.jit({}))")
def prints_its_sum(x):
    print(x.sum())
    return 2 * x


@instead_of(prints_its_sum)
def returns_its_sum(x):
    return 2 * x, x.sum()


@program("XP0016", "scipy.special.betainc(y[0], y[1], 0.3)", X, compiled="xlapy.grad({})")
def no_derivative(x):
    y = 2 * x
    return scipy.special.betainc(y[0], y[1], 0.3)  # here


@instead_of(no_derivative)
def derivative_by_the_last_argument(x):
    return scipy.special.betainc(2.0, 4.0, x[0] / 4)


# -- more of some -----------------------------------------------------------------------------------------------------


@program("XP0002", 'type("Local", (), {})', X)
def makes_a_class(x):
    return type("Local", (), {})  # here


@program("XP0002", None, X)
async def asynchronous(x):
    async for y in x:
        pass


@program("XP0003", "memoryview(x)", X)
def compiled_code(x):
    return memoryview(x)  # here


@program("XP0007", None, X)
def type_changes(x):
    s = "a" if x.sum() > 0 else np.sin
    for _ in range(int(x[0])):
        s = [s]  # here
    return s


def branching(x, n):
    return n if n <= x[0] else sum(sorted(branching(x, n - v) for v in x))  # here


@program("XP0008", "sorted(branching(x, n - v) for v in x)", X, others=(branching,))
def endless(x):
    return branching(x, x.sum())


@program("XP0009", None, X)
def never_ends(x):
    while True:
        x = x + 1  # here


@program("XP0011", 'np.add(x, 1, order="A")', X)
def argument_not_supported(x):
    return np.add(x, 1, order="A")  # here
