"""Integers with bounds as positions in sequences: random programs compared with CPython.

The compiler drops checks and items that bounds rule out. A bound that is too narrow gives wrong answers silently, so
indices here are computed in many ways, and lie on both sides of zero and of the ends of what they index.
"""

import random

import numpy as np
import pytest

import xlapy

ARGUMENTS = [(0, 0), (1, 3), (4, 5), (-1, -2), (7, 1), (2, 2)]
PROGRAMS = 60


def integer(draw: random.Random, depth: int, names: list[str]) -> str:
    """An expression of small ints."""
    if depth == 0 or draw.random() < 0.2:
        return draw.choice([*names, str(draw.randrange(-6, 7))])
    a, b = integer(draw, depth - 1, names), integer(draw, depth - 1, names)
    form = draw.choice(
        ["({a} + {b})"] * 3
        + ["({a} - {b})"] * 3
        + ["({a} * {b})", "({a} // {divisor})", "({a} % {divisor})", "min({a}, {b})", "max({a}, {b})", "abs({a})"]
        + ["({a} & {b})", "({a} | {b})", "({a} ^ {b})", "({a} >> 1)", "({a} if {b} > {limit} else {name})"]
    )
    divisor, limit = draw.choice([2, 3, 5, -4, 7]), draw.randrange(-3, 4)
    return form.format(a=a, b=b, divisor=divisor, limit=limit, name=draw.choice(names))


def program(seed: int) -> str:
    """The source of a function `f(i, j)`."""
    draw = random.Random(seed)
    lines = [f"i = i % {draw.choice([2, 3, 5])} + {draw.randrange(-2, 2)}"]
    lines += [f"j = j % {draw.choice([2, 4, 6])} + {draw.randrange(-3, 3)}"]
    count, kind = draw.choice([3, 4, 5, 8]), draw.choice(["known", "dynamic", "tuple", "array", "grown"])
    known = ", ".join(str(draw.randrange(10)) for _ in range(count))
    match kind:
        case "known":
            lines.append(f"c = [{known}]")
        case "dynamic":
            items = (draw.choice([str(draw.randrange(10)), "i", "j * 2", "i + j"]) for _ in range(count))
            lines.append(f"c = [{', '.join(items)}]")
        case "tuple":
            lines.append(f"c = ({known})")
        case "array":
            lines.append(f"c = np.array([{known}])")
        case "grown":
            lines += ["c = []", f"for q in range(abs(i) + {count - 1}):", "    c.append(q * j + 1)"]
    lines.append("s = 0")
    names, inside = ["i", "j"], ""
    if draw.random() < 0.5:
        lines.append(f"for k in range({draw.choice(['4', 'abs(j) + 1', '1, 5', '3, -1, -1', 'i, j'])}):")
        names, inside = [*names, "k"], "    "
    position = integer(draw, 2, names)
    if draw.random() < 0.5:
        position = f"({position}) % {2 * count - 1} - {count - 1}"
    lines.append(f"{inside}s = s + c[{position}]")
    if kind != "tuple" and draw.random() < 0.6:
        place = integer(draw, 1, names)
        place = f"({place}) % {count}" if draw.random() < 0.7 else place
        lines.append(f"{inside}c[{place}] = {draw.choice(['s', f'c[{place}] + 1', names[-1]])}")
    if kind in ("known", "dynamic", "array") and draw.random() < 0.3:
        lines.append(f"s = s + sum(c[{integer(draw, 1, ['i', 'j'])}:])")
    return "\n    ".join(["def f(i, j):", *lines, "return s, i, j, c"])


def outcome(function, arguments):
    """What a call gives or raises, in numbers and texts."""
    try:
        return _plain(function(*arguments))
    except (IndexError, UnboundLocalError) as error:
        return type(error).__name__, str(error)


def _plain(value):
    return [*map(_plain, value)] if isinstance(value, tuple | list) else np.asarray(value).tolist()


@pytest.mark.parametrize("seed", range(PROGRAMS))
def test_positions(seed):
    source = program(seed)
    namespace = {"np": np}
    exec(compile(source, f"<program {seed}>", "exec"), namespace)
    function = namespace["f"]
    compiled = xlapy.jit(function, returns="numpy")
    for arguments in ARGUMENTS:
        assert outcome(compiled, arguments) == outcome(function, arguments), (arguments, source)
