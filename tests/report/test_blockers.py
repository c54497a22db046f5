"""Every code of the table of obstacles, with a program that meets it: code, line, the text over the caret."""

import inspect
import linecache
import re

import jax
import numpy as np
import pytest

import xlapy
from tests.semantics.runner import check
from xlapy.report import CODES, Blocker, NotOffloadableError, first_line

from . import page
from .programs import INTERNAL, PROGRAMS, X


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


def marked_line(known):
    """The line of a program, or of what it calls, that ends in `# here`; the line of `def` if there is none."""
    for function in (*known.others, known.function):
        lines, start = inspect.getsourcelines(function)
        found = [start + i for i, line in enumerate(lines) if line.rstrip().endswith("# here")]
        if found:
            return found[0]
    return first_line(known.function.__code__)


@pytest.mark.parametrize("name", PROGRAMS)
def test_code_line_and_caret(name):
    known = PROGRAMS[name]
    blocker = obstacle(known.callable(), known.args)
    assert blocker.code == known.code, str(blocker)
    assert blocker.filename == inspect.getfile(known.function) and blocker.line == marked_line(known)
    assert known.caret is None or underlined(blocker) == known.caret
    assert f"{known.code}: " in str(blocker) and f"line {blocker.line}, in " in str(blocker)


@pytest.mark.parametrize("name", [name for name, known in PROGRAMS.items() if known.instead is not None])
def test_what_to_write_instead_compiles(name):
    known = PROGRAMS[name]
    if "xlapy.jit" in known.compiled:
        check(known.instead, *known.instead_args)
    else:
        step, args = 1e-6, known.instead_args
        shifted = [known.instead(*(a + sign * step for a in args)) for sign in (1, -1)]
        slope = eval(known.compiled.format("f"), {"xlapy": xlapy, "f": known.instead})(*args)
        np.testing.assert_allclose(np.sum(slope), (shifted[0] - shifted[1]) / (2 * step), rtol=1e-6)


@pytest.mark.skipif(not jax.__version__.startswith("0.10."), reason="the page has a message of JAX 0.10")
def test_the_page_is_not_stale():
    assert page.PAGE.read_text() == page.text(), "run `python -m tests.report.page`"


def test_functions_of_this_package_are_no_places():
    known = PROGRAMS["no_derivative"]
    with pytest.raises(NotOffloadableError) as refusal:
        known.callable()(*known.args)
    assert str(refusal.value).startswith("grad(no_derivative) cannot be offloaded")
    assert not refusal.value.blockers[0].chain


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


def test_every_code_is_tested():
    assert {known.code for known in PROGRAMS.values()} | INTERNAL == set(CODES)
    assert {known.code for known in PROGRAMS.values() if known.instead is not None} | INTERNAL == set(CODES)


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


@pytest.mark.parametrize("f", [decorated, PROGRAMS["asynchronous"].function, lambda x: x])
def test_the_first_line_of_a_function_is_that_of_its_name(f):
    text = linecache.getline(f.__code__.co_filename, first_line(f.__code__))
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
    assert "hint: " + CODES["XP0003"].advice in str(obstacle(PROGRAMS["sum_of_bytes"].callable(), (X,)))


def test_caret_counts_characters_not_bytes():
    line = "    größe = memoryview(x)\n"
    linecache.cache["<text>"] = (len(line), None, [line], "<text>")
    column = len("    größe = ".encode())
    blocker = Blocker("XP0003", "m", "<text>", "f", 1, 1, column, column + len("memoryview(x)"))
    assert underlined(blocker) == "memoryview(x)"


def test_the_users_line_comes_first_where_the_place_is_in_a_library():
    path = "/usr/lib/python3/site-packages/tables/core.py"
    chain = (("read", path, 4), ("load", path, 9), ("mine", __file__, 3), ("main", __file__, 1))
    text = str(Blocker("XP0003", "no rule", path, "inner", 2, chain=chain)).splitlines()
    places = [line.strip() for line in text if "File" in line or "called from" in line]
    assert places[0] == f'File "{__file__}", line 3, in mine'
    assert places[1] == f'File "{path}", line 2, in inner'
    assert places[2:] == [f'called from "{__file__}", line 1, in main']
    assert "calls a function of tables, 3 functions further in:" in "\n".join(text)
    assert text[-1].endswith("call load before or after the compiled function, or say what it does with xlapy.overload")
