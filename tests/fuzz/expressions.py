"""Expressions, by the kind of their value.

Integers are reduced modulo a prime where they could grow, and floats are mostly added and halved, so that no
answer hangs on the number of bits or the order of a sum.
"""

from __future__ import annotations

import re

from hypothesis import strategies as st

from .scope import Scope, Unusable, kind_of

NUMBERS = ("int", "float", "bool", "npint", "npfloat", "npbool")
ARRAYS = ("vector", "matrix")

INT = [
    "({i} + {i}) % 101",
    "({i} * {i}) % 101",
    "({i} - {i})",
    "{i} // {d}",
    "{i} % {d}",
    "-{i}",
    "abs({i})",
    "({i} & {i})",
    "({i} ^ 3)",
    "({i} << 1) % 101",
    "max({i}, {i})",
    "min({i}, {i}, 4)",
    "({i} if {b} else {i})",
    "({i} or {i})",
    "({i} and {i})",
    "int({f})",
    "len({v})",
    "len({l})",
    "int({v}[{x}])",
    "{l}.index({l}[0])",
    "sum({l}[:2])",
    "round({f})",
    "int({b})",
    "{b} + {i}",
    "divmod({i}, {d})[1]",
    "({i} + 1) ** 2 % 101",
    "pow({i}, 2, 7)",
    "sum([{i} for j in range(3)]) % 101",
    "sum(j * {i} for j in range(3)) % 101",
    "{v}.size",
    "{m}.shape[1]",
    "int(np.argmax({v}))",
    "int({v}.sum()) % 101",
    "np.count_nonzero({v})",
    "(lambda k: k * 2 + {i})({i}) % 101",
]
FLOAT = [
    "({f} + {f}) * 0.5",
    "({f} - {f})",
    "{f} * 0.25",
    "-{f}",
    "abs({f})",
    "min({f}, {f})",
    "max({f}, {f}, 0.5)",
    "({f} if {b} else {f})",
    "({f} or {f})",
    "({f} and {f})",
    "float({i})",
    "float({v}[{x}])",
    "({i} + {f})",
    "{i} / {d}",
    "{f} / {d}",
    "{f} // {d}",
    "{f} % {d}",
    "float({b})",
    "{f} ** 2",
    "math.floor({f}) + 0.5",
    "math.sqrt(abs({f}))",
    "sum([{f}, {f}], 0.0)",
    "{v}.mean().item()",
    "{i} * 0.5",
    "math.copysign({f}, {f})",
    "round({f}, 1)",
]
BOOL = [
    "{f} < {f}",
    "{i} == {i}",
    "{i} % 2 == 0",
    "{n} > {n}",
    "0 < {i} <= {i}",
    "{f} >= 0.5 > {f}",
    "not {b}",
    "({b} and {b})",
    "({b} or {b})",
    "bool({n})",
    "bool({v}[{x}] > {n})",
    "({v} > {n}).any()",
    "np.all({v} >= {n})",
    "{i} in (1, 3, 5)",
    "{i} in {l}",
    "{v}[{x}] in {v}",
    "isinstance({n}, int)",
    "{n} != {n}",
    "{o}.flag()",
    "len({l}) > {i}",
    "all([{b}, {b}])",
    "any(k > {n} for k in {v})",
    "(w := {i}) > 2",
    "{b} is True",
]
NUMPY = [
    "{v}[{x}]",
    "{m}[{x}, {x}]",
    "{v}.sum()",
    "{m}.sum()",
    "{v}.max()",
    "{v}.min()",
    "{v}.mean()",
    "{v}.dot({v})",
    "np.float32({f})",
    "np.int32({i})",
    "np.float64({f})",
    "np.int64({i})",
    "np.uint8({i} & 127)",
    "np.bool_({b})",
    "np.abs({n})",
    "np.maximum({n}, {n})",
    "np.floor({f})",
    "np.sqrt(np.abs({f}))",
    "{u} + {n}",
    "{n} - {u}",
    "{u} * 0.5",
    "{u} // {d}",
    "{u} % {d}",
    "{u} / 2",
    "-{u}",
    "abs({u})",
    "{u}.astype(np.float32)",
    "({u} if {b} else {u})",
    "{v}.argmax()",
    "np.sign({n})",
    "{v}.any()",
    "{u} > {n}",
    "{v}[-1]",
    "np.where({b}, {n}, {n})[()]",
]
VECTOR = [
    "{v} + {n}",
    "{n} - {v}",
    "{v} * 0.5",
    "{v} + {v}",
    "{v} - {v}",
    "{v} // 2",
    "{v} % 3",
    "{v} / 2",
    "-{v}",
    "abs({v})",
    "{v}.copy()",
    "{v}[::-1]",
    "{v}[1:]",
    "{v}[:-1]",
    "{v}[::2]",
    "{v}[{x}:]",
    "{v}[:{i}]",
    "{v}[{v} > {n}]",
    "{v}[[0, -1, 1]]",
    "{m}[{x}]",
    "{m}[:, {x}]",
    "{m}.ravel()",
    "{m}.reshape(-1)",
    "{m}.T[0]",
    "{m}.sum(axis=0)",
    "{m}.max(axis=1)",
    "{m} @ {v}",
    "np.where({v} > {n}, {v}, {n})",
    "np.maximum({v}, {n})",
    "np.minimum({v}, {v})",
    "np.clip({v}, 0, 2)",
    "np.zeros(4)",
    "np.ones(3, dtype=np.int32)",
    "np.arange(4)",
    "np.full(3, {n})",
    "np.array([{n}, {n}, {n}])",
    "np.cumsum({v})",
    "np.sort({v})",
    "np.roll({v}, {i})",
    "{v}.astype(np.float32)",
    "{v}.astype(int)",
    "{v} > {n}",
    "({v} > {n}) & ({v} < {n})",
    "~({v} > {n})",
    "np.concatenate([{v}, {v}])",
    "np.zeros_like({v})",
    "np.diff({v})",
    "({v} if {b} else {v})",
    "np.floor({v})",
    "np.sqrt(np.abs({v}))",
    "np.stack([{v}, {v}])[{x}]",
    "np.array({l})",
    "np.asarray({v})",
    "np.array([{f} for j in range(3)])",
    "np.argsort({v}, kind='stable')",
    "np.take({v}, [0, 1, 1])",
    "{v}.view()",
]
MATRIX = [
    "{m} + {n}",
    "{m} * 0.5",
    "{m} + {m}",
    "{m}.T",
    "{m}.copy()",
    "{m}[::-1]",
    "{m}[:, ::-1]",
    "{m}[:, 1:]",
    "{m} @ {m}.T",
    "{m} + {v}",
    "np.zeros((2, 3))",
    "{v}.reshape(2, -1)",
    "np.outer({v}, {v})",
    "np.where({m} > {n}, {m}, 0)",
    "{v}[:, None] - {v}",
    "-{m}",
    "np.stack([{v}, {v}])",
    "np.array([[{n}, {n}], [{n}, {n}]])",
    "({m} if {b} else {m})",
]
FORMS = {
    "int": INT,
    "float": FLOAT,
    "bool": BOOL,
    "numpy": NUMPY,
    "vector": VECTOR,
    "matrix": MATRIX,
    "list": ["[{i}, {i}, {i}]", "[{f}, {n}]", "[k + {i} for k in range(3)]", "{l}[1:]", "{l} + [{n}]", "{l}[::-1]"]
    + ["list({t})", "sorted({l})", "[k for k in {l}]", "[{v}, {v}]", "list(reversed({l}))", "{l}.copy()", "{l} * 2"]
    + ["list(map(lambda k: k + {n}, {l}))", "[k * 2 for k in {l} if k is not None]", "list(zip({l}, {l}))"],
    "tuple": ["({n}, {n})", "({i}, {f})", "({v}, {n})", "tuple({l})", "{t}[::-1]", "{t} + ({n},)", "({n},) * 2"]
    + ["divmod({i}, {d})", "({t} if {b} else {t})", "tuple({v})[:2]", "{m}.shape"],
    "dict": ["{'k': {n}, 'n': {i}}", "{**{e}, 'z': {n}}", "dict({e})", "dict(k={n}, n={f})"]
    + ["{k: {i} for k in ('k', 'n')}"],
    "object": ["Cell({i}, {f})", "Sub({i}, {f})", "{o} + {i}", "({o} if {b} else {o})", "Pair({n}, {n})", "{o}"],
}
ATOMS = {
    "int": ["0", "1", "2", "3", "-1", "7"],
    "float": ["0.5", "2.0", "-1.5", "0.25", "0.0"],
    "bool": ["True", "False"],
    "numpy": ["np.float64(1.5)", "np.int32(3)", "np.float32(0.5)", "np.int64(-2)"],
    "vector": ["np.array([1.0, -2.0, 0.5, 3.0])", "np.array([3, 0, -1, 2])"],
    "matrix": ["np.array([[1.0, 2.0, 0.5], [-1.0, 0.0, 4.0]])"],
    "list": ["[1, 2, 3]", "[0.5, 2.0]"],
    "tuple": ["(1, 0.5)", "(2, 3)"],
    "dict": ["{'k': 1, 'n': 0.5}"],
    "object": ["Cell(1, 0.5)", "Sub(2, 1.5)"],
}
#: where in the kinds of samples a kind of expression finds its variables
SAMPLES = {"numpy": ("npint", "npfloat", "npbool")}
#: letters of the forms: i int, f float, b bool, u NumPy scalar, n any number, d divisor, x index, v vector, m matrix,
#: l list, t tuple, e dict, o object
LETTERS = {
    "i": ("int",),
    "f": ("float",),
    "b": ("bool",),
    "u": ("numpy",),
    "n": ("int", "float", "numpy", "float", "bool"),
    "v": ("vector",),
    "m": ("matrix",),
    "l": ("list",),
    "t": ("tuple",),
    "e": ("dict",),
    "o": ("object",),
}
INDICES = ["0", "1", "-1", "2", "{i} % 3", "{i}", "-1 - {i} % 2"]
DIVISORS = ["2", "3", "4", "{i}", "{f}", "-2"]
EXTRA = {
    "object": {"int": ["{o}.n", "{o}.push({i})", "{o}.twice"], "float": ["{o}.v"]},
    "list": {"int": ["{l}[{x}]"], "float": ["{l}[{x}]"], "numpy": ["{l}[0]"]},
    "tuple": {"int": ["{t}[0]"], "float": ["{t}[1]"], "numpy": ["{t}[-1]"]},
    "dict": {"int": ["{e}['n']"], "float": ["{e}.get('k', 0.5)"], "numpy": ["{e}['k']"]},
    "function": {"int": ["bump({i})", "f({i})"], "float": ["helper({v}, {x})"], "numpy": ["helper({v}, {x})"]},
}


def expression(draw, scope: Scope, kind: str, depth: int = 2) -> str:
    """Text of an expression of a kind (or of a similar one: what the samples say counts)."""
    for _ in range(3):
        text = _attempt(draw, scope, kind, depth)
        try:
            found = kind_of(scope.evaluate(text))
        except Unusable:
            continue
        if found in (kind, *SAMPLES.get(kind, ())) or found in NUMBERS and kind in ("int", "float", "numpy", "bool"):
            return text
    return draw(st.sampled_from(ATOMS[kind]))


def _attempt(draw, scope: Scope, kind: str, depth: int) -> str:
    known = scope.of(*SAMPLES.get(kind, (kind,)))
    choice = draw(st.integers(0, 9))
    if known and (depth == 0 or choice < 4):
        return draw(st.sampled_from(known))
    if depth == 0 or choice == 9:
        return draw(st.sampled_from(ATOMS[kind]))
    forms = FORMS[kind] + 2 * EXTRA["object"].get(kind, []) * bool(scope.of("object"))
    for container in ("list", "tuple", "dict"):
        forms = forms + EXTRA[container].get(kind, []) * bool(scope.of(container))
    if "bump" in scope.globals:
        forms = forms + EXTRA["function"].get(kind, [])
    return fill(draw, scope, draw(st.sampled_from(forms)), depth - 1)


def fill(draw, scope: Scope, form: str, depth: int = 1) -> str:
    """A form with an expression in the place of each letter."""
    return re.sub(r"\{([a-z])\}", lambda match: _letter(draw, scope, match[1], depth), form)


def _letter(draw, scope: Scope, letter: str, depth: int) -> str:
    if letter in "xd":
        return fill(draw, scope, draw(st.sampled_from(INDICES if letter == "x" else DIVISORS)), 0)
    inner = expression(draw, scope, draw(st.sampled_from(LETTERS[letter])), depth)
    return f"({inner})" if any(c in inner for c in " -") and not _closed(inner) else inner


def _closed(text: str) -> bool:
    """Whether the text is one bracketed whole."""
    if text[0] not in "([{":
        return False
    level = 0
    for position, char in enumerate(text):
        level += (char in "([{") - (char in ")]}")
        if level == 0:
            return position == len(text) - 1
    return False
