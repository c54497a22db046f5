"""Every code of the table of obstacles, with a program that meets it: code, line, the text over the caret."""

import inspect
import linecache
import re

import jax
import numpy as np
import pytest
import scipy.special

import xlapy
from xlapy.report import CODES, Blocker, NotOffloadableError, first_line

X = np.array([1.0, 2.0, 3.0])
PROGRAMS = {}

#: met by nothing that CPython's compiler makes: too tangled control flow, errors of xlapy
INTERNAL = {"XP0014", "XP0099"}


def program(code, caret, *args):
    """A program whose only obstacle has `code`, on the line marked `# here`; the caret underlines `caret`."""

    def register(f):
        PROGRAMS[f.__name__] = (code, caret, f, args)
        return f

    return register


@program("XP0002", 'type("Local", (), {})', X)
def makes_a_class(x):
    return type("Local", (), {})  # here


@program("XP0003", "memoryview(x)", X)
def compiled_code(x):
    return memoryview(x)  # here


@program("XP0004", "float(x[0]) is float(x[1])", X)
def no_rule_for_types(x):
    return float(x[0]) is float(x[1])  # here


@program("XP0005", None, np.array([1, "a", None], dtype=object))
def object_array(x):
    return x


@program("XP0006", "x.reshape(int(x[0]), -1)", X)
def shape_from_data(x):
    while x[0] < 10:
        x = x + 1
    return x.reshape(int(x[0]), -1)  # here


@program("XP0007", None, X)
def type_changes(x):
    s = "a" if x.sum() > 0 else np.sin
    for _ in range(int(x[0])):
        s = [s]  # here
    return s


@program("XP0008", "deep(x, n - 1)", X)
def endless(x):
    return deep(x, 1000)


def deep(x, n):
    return deep(x, n - 1) if n else x  # here


@program("XP0009", None, X)
def never_ends(x):
    while True:
        x = x + 1  # here


@program("XP0010", None, X)
def returns_a_generator(x):
    return (v + 1 for v in x)


@program("XP0011", 'np.add(x, 1, casting="bogus")', X)
def argument_not_supported(x):
    return np.add(x, 1, casting="bogus")  # here


@program("XP0012", "x.view(np.int8)", X)
def untracked_memory(x):
    return x.view(np.int8)  # here


@program("XP0013", 'np.histogram(x, bins="auto")', X)
def size_from_data(x):
    return np.histogram(x, bins="auto")  # here


@program("XP0002", None, X)
async def asynchronous(x):
    async for y in x:
        pass


def obstacle(f, args):
    with pytest.raises(NotOffloadableError) as refusal:
        f(*args)
    assert len(refusal.value.blockers) == 1, str(refusal.value)
    return refusal.value.blockers[0]


def underlined(blocker):
    """The source text over the caret."""
    lines = str(blocker).splitlines()
    index = next(i for i, line in enumerate(lines) if set(line.strip()) == {"^"})
    return lines[index - 1][lines[index].index("^") : lines[index].rindex("^") + 1]


def marked_line(f):
    """The line of `f`, or of `deep`, that ends in `# here`; the line of `def` if there is none."""
    for function in (f, deep):
        lines, start = inspect.getsourcelines(function)
        found = [start + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
        if found or function is not endless:
            return found[0] if found else first_line(f.__code__)
    raise AssertionError


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_line_and_caret(name):
    code, caret, f, args = PROGRAMS[name]
    blocker = obstacle(xlapy.jit(f), args)
    assert blocker.code == code, str(blocker)
    assert blocker.filename == __file__ and blocker.line == marked_line(f)
    assert caret is None or underlined(blocker) == caret
    assert f"{code}: " in str(blocker) and f"line {blocker.line}, in " in str(blocker)


def writes(x):
    x[0] = 1.0
    return x.sum()


def overlaps(x, y):
    x[0] = 1.0
    return y.sum()


def test_overlapping_arguments():
    memory = np.zeros(64, np.uint8)
    with pytest.raises(NotOffloadableError) as refusal:
        xlapy.jit(overlaps)(memory[:32].view(np.float64), memory[4:36].view(np.float32))
    (blocker,) = refusal.value.blockers
    assert blocker.code == "XP0012" and blocker.line == overlaps.__code__.co_firstlineno


def test_what_jax_cannot_differentiate():
    blocker = obstacle(xlapy.grad(no_derivative), (X,))
    assert blocker.code == "XP0016" and underlined(blocker) == "scipy.special.betainc(y[0], y[1], 0.3)"


def no_derivative(x):
    y = 2 * x
    return scipy.special.betainc(y[0], y[1], 0.3)


def test_under_a_transformation():
    blocker = obstacle(jax.jit(xlapy.jit(prints)), (X,))
    assert blocker.code == "XP0015" and blocker.line == prints.__code__.co_firstlineno


def prints(x):
    print(x[0])
    return x


def test_every_code_is_tested():
    tested = {code for code, *_ in PROGRAMS.values()} | {"XP0015", "XP0016"} | INTERNAL
    assert tested == set(CODES)


def test_every_code_in_the_source_is_in_the_table():
    from pathlib import Path

    used = set()
    for path in Path(xlapy.__file__).parent.rglob("*.py"):
        used |= set(re.findall(r'"(XP\d{4})"', path.read_text()))
    assert used == set(CODES)


def test_all_obstacles_are_listed_with_the_chain_of_calls():
    with pytest.raises(NotOffloadableError) as refusal:
        xlapy.jit(outer)(X)
    first, second = refusal.value.blockers
    assert first.line + 1 == second.line and first.chain[0][0] == "outer"
    assert "2 obstacles" in str(refusal.value) and "called from" in str(refusal.value)


def inner(x):
    a = memoryview(x)
    b = memoryview(x)
    return a, b


def outer(x):
    return inner(x)


def refused_on_one_path(x):
    y = x
    if x[0] > 0:
        y = memoryview(x)
    return y + 1


def refused_in_a_loop(x):
    for k in range(3):
        y = memoryview(x)
        for item in y:
            x = x + item[k]
    return x


def refused_on_some_trips(x):
    y = x
    for k in range(3):
        if x[k] > 0:
            y = memoryview(x)
        x = x + y
    return x


def delegates_to_what_is_refused(x):
    def values():
        yield 1
        yield from memoryview(x)

    return [value for value in values()]


@pytest.mark.parametrize(
    "function",
    [
        refused_on_one_path,
        refused_in_a_loop,
        refused_on_some_trips,
        delegates_to_what_is_refused,
    ],
)
def test_an_obstacle_brings_no_second_one(function):
    with pytest.raises(NotOffloadableError) as refusal:
        xlapy.jit(function)(X)
    assert {blocker.code for blocker in refusal.value.blockers} == {"XP0003"}, str(refusal.value)


@(lambda f: f)
@(
    lambda f: f  # def no_function():
)
def decorated(x):
    return x


@pytest.mark.parametrize("f", [decorated, endless, asynchronous, inner, lambda x: x])
def test_the_first_line_of_a_function_is_that_of_its_name(f):
    text = linecache.getline(__file__, first_line(f.__code__))
    assert f"def {f.__name__}(" in text or f.__name__ == "<lambda>" and "lambda x: x" in text


def refused_under_a_name(x):
    result = x
    for _ in range(int(x[0])):
        result = (result, 1.0)
    return result


def refused_in_an_attribute(x):
    box = Box()
    box.held = x
    for _ in range(int(x[0])):
        box.held = (box.held, 1.0)
    return box.held


class Box:
    pass


@pytest.mark.parametrize(("f", "name"), [(refused_under_a_name, "'result'"), (refused_in_an_attribute, "'Box.held'")])
def test_what_a_loop_cannot_carry_is_named(f, name):
    blocker = obstacle(xlapy.jit(f), (X,))
    assert blocker.code == "XP0007" and f"a loop gives {name} values that have no common type" in blocker.message
    assert "float64[3] and a tuple" in blocker.message


def test_each_code_says_what_to_do():
    assert all(code.meaning and code.why.endswith(".") and code.advice for code in CODES.values())
    assert "hint: " + CODES["XP0003"].advice in str(obstacle(xlapy.jit(compiled_code), (X,)))


def test_caret_counts_characters_not_bytes():
    line = "    größe = memoryview(x)\n"
    linecache.cache["<text>"] = (len(line), None, [line], "<text>")
    column = len("    größe = ".encode())
    blocker = Blocker("XP0003", "m", "<text>", "f", 1, 1, column, column + len("memoryview(x)"))
    assert underlined(blocker) == "memoryview(x)"
