"""Programs with functions that call themselves, or each other, as often as data says: between other statements, in
loops and branches, under handlers, with arrays and lists that all calls change."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from .expressions import expression, fill
from .programs import HEADER, PARAMETERS, SAMPLE_GLOBALS, Generated
from .scope import Scope
from .statements import block, indent, result

#: what a call of the functions gives, for samples
STUB = "def again(fuel, i, f, v, l): return 1.5\nother = again\n"
CALLS = [
    "z = again(fuel - 1, {i}, {f}, v, l)",
    "z = again(fuel - 1 - abs({i}), i, {f}, {v}, l)",
    "f += again(fuel - 1, {i}, f, v, {l})",
    "again(fuel - 1, {i}, {n}, v, l)",
    "again(fuel - 1 - abs({i}), fuel, f, v, [{n}, {n}, {n}])",
    "f = f * 0.5 + again(fuel - 2, i + 1, {f}, v, l) * again(fuel - 3, i, f, {v}, l)",
    "v[{x}] = again(fuel - 1, {i}, {f}, v, l)",
    "l[0] = again(fuel - 2, {i}, {f}, v, l)",
    "z = again(fuel - 1, {i}, again(fuel - 3, i, f, v, l), v, l)",
    "z = {n} if {b} else again(fuel - 1, l=l, v=v, f={f}, i={i})",
    "z = sum(again(fuel - 1 - k, {i}, f + k, v, l) for k in range(2))",
    "f += max(again(fuel - 2, i, {f}, v, l) + k for k in (0.5, 1))",
    "z = any(again(fuel - 2, i + k, f, v, l) for k in range({i} % 3) if {b})",
    "z = min((again(fuel - 2, i, f * k, v, l) for k in v[:2]), default={n})",
    "z = max([again(fuel - 2 - k, {i}, f, v, l) for k in range(2)])",
    "own = [{n}]; own.append(again(fuel - 2, {i}, {f}, v, l)); f += own[-1] + own[0] + len(own)",
    "own = [{n}, {n}, {n}]; f += again(fuel - 2, i, {f}, v, own) + own[{x}]",
    "own = v + {n}; f += again(fuel - 2, {i}, f, own, l) + own[{x}]",
    "own = v + {n}; f += again(fuel - 2, {i}, f, own, l); own[{x}] += 1; f += own[0]",
    "own = v + {n}; f += again(fuel - 2, {i}, f, v, l); own[{x}] = f; f += again(fuel - 3, i, own[{x}], v, l) + own[0]",
]
WAYS = [
    "if {b}: return {n}",
    "if {b}: return None",
    "if {b}: raise Problem(f'at {i}')",
    "if {n} > 60: raise KeyError('k')",
]


@st.composite
def recursive_programs(draw) -> Generated:
    names = ["a", "p", "x", "l"]
    samples = {name: eval(PARAMETERS[name][1][0], SAMPLE_GLOBALS) for name in names}
    known = {name: value for name, value in SAMPLE_GLOBALS.items() if name not in ("bump", "f", "helper", "total")}
    exec(STUB, known)
    functions = ["again", "other"][: draw(st.integers(1, 2))]
    texts = [line for name in functions for line in _function(draw, name, functions, known)]
    outer = Scope(samples, known | {"again": lambda *_: 1.5}, function=True)
    first = f"again(a % 6 + {draw(st.integers(0, 2))}, {expression(draw, outer, 'int', 1)}, p, x, l)"
    text = HEADER + "\n".join(
        [
            *texts,
            f"def program({', '.join(names)}):",
            *indent([f"z = {first}", f"return z, {result(draw, outer)}"]),
        ]
    )
    calls = (", ".join(draw(st.sampled_from(PARAMETERS[name][1])) for name in names) + "," for _ in range(3))
    return Generated(text + "\n", tuple(calls))


def _function(draw, name: str, functions: list[str], known: dict) -> list[str]:
    """One of the functions, which call all of them."""
    inner = Scope(
        {"i": 2, "f": 0.5, "v": np.array([1.0, -2.0, 3.0, 0.5]), "l": [1, 2, 3]},
        known | {"fuel": 3},
        function=True,
        fixed=frozenset({"v", "l"}),
    )
    body = [
        "if fuel <= 0:",
        f"    return {expression(draw, inner, draw(st.sampled_from(['int', 'float', 'numpy'])), 1)}",
    ]
    for _ in range(draw(st.integers(1, 2))):
        body += [*block(draw, inner, 2, 2), *_call(draw, inner, functions)]
    body += [
        *block(draw, inner, 1, 2),
        "return " + draw(st.sampled_from(["f", "i + f", "v[0] + f", "z", "len(l) + f"])),
    ]
    return [f"def {name}(fuel, i, f, v, l):", *indent(["z = 0.0", *body]), "", ""]


def _call(draw, scope: Scope, functions: list[str]) -> list[str]:
    """A call of one of the functions, alone or within other statements."""
    call = draw(st.sampled_from(CALLS)).split("again(")
    names = [draw(st.sampled_from(functions)) for _ in call[1:]]
    lines = [fill(draw, scope, "".join((call[0], *(f"{n}({rest}" for n, rest in zip(names, call[1:])))))]
    if draw(st.integers(0, 3)) == 0:
        lines = [fill(draw, scope, draw(st.sampled_from(WAYS))), *lines]
    match draw(st.integers(0, 7)):
        case 0:
            return [fill(draw, scope, "if {b}:"), *indent(lines)]
        case 1:
            return [
                fill(draw, scope, draw(st.sampled_from(["for j in range(2):", "for j in range({i} % 3):"]))),
                *indent(lines),
            ]
        case 2:
            leave = fill(draw, scope, "if {b}: " + draw(st.sampled_from(["break", "continue"])))
            return ["for j, w in enumerate(v[:2]):", *indent([leave, *lines])]
        case 3:
            head = draw(st.sampled_from(["except Problem:", "except (KeyError, ValueError):", "except Exception:"]))
            return ["try:", *indent(lines), head, *indent([fill(draw, scope, "z = {n}")])]
        case 4:
            return ["try:", *indent(lines), "finally:", *indent([fill(draw, scope, "v[{x}] += 1")])]
    return lines
