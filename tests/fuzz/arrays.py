"""Programs over arrays: views and copies, writes through them, sizes that depend on data, branches and loops on data.

Forms are tried on samples (see `scope`); what raises there is mostly left out. Numbers are halves, so that sums and
comparisons do not hang on rounding.
"""

from __future__ import annotations

import re

import numpy as np
from hypothesis import strategies as st

from .programs import SAMPLE_GLOBALS, Generated
from .scope import Scope, Unusable
from .statements import indent

HEADER = """\
import numpy as np


class Box:
    def __init__(self, a):
        self.a = a


def helper(u, n):
    u[-1:] += n
    if n > 1:
        return u[::-1]
    return u * 2


"""
PARAMETERS = {
    "x": ["np.array([1.0, -2.0, 3.0, 0.5, -0.5, 2.0])", "np.array([0.5, 4.0, -1.0, 0.0, 2.0, 2.0])", "np.zeros(6)"],
    "y": ["np.array([2, 0, -1, 5, 1, 3])", "np.array([1, 1, 3, -4, 0, 2])", "np.array([4, 3, 2, 1, 0, 5])"],
    "g": ["np.array([0.5, 2.0, -1.0, 4.0], np.float32)", "np.ones(4, np.float32)"],
    "u": ["np.array([3, 250, 7, 0], np.uint8)", "np.array([1, 2, 3, 4], np.uint8)"],
    "c": ["np.array([True, False, True, True, False, True])", "np.zeros(6, bool)", "np.ones(6, bool)"],
    "m": ["np.arange(12.0).reshape(3, 4) - 4", "np.ones((3, 4))", "np.arange(12.0)[::-1].reshape(3, 4) / 2"],
    "q": ["np.arange(9).reshape(3, 3) % 4", "np.eye(3, dtype=int)"],
    "f": ["np.arange(12.0).reshape(4, 3).T - 3", "np.ones((4, 3)).T"],
    "r": ["np.arange(12.0)[::-2]", "np.array([2.0, 9.0] * 6)[::-2]"],
    "w": ["np.array([3, -4, 100, 7, 0], np.int8)", "np.array([1, 2, -128, 127, 5], np.int8)"],
    "h": ["np.array([0.5, 2.0, -1.0], np.float16)", "np.ones(3, np.float16)"],
    "z": ["np.array([1 + 2j, -0.5, 3j])", "np.array([0j, 1 - 1j, 2.5])"],
    "t": ["np.arange(12.0).reshape(2, 3, 2) - 5", "np.ones((2, 3, 2))"],
    "n": ["np.array([1.0, np.nan, -2.0, np.inf])", "np.array([0.5, 1.0, -0.0, 3.0])"],
    "o": ["np.array(2.5)", "np.array(-1.0)"],
    "p": ["np.array([[2.0]])", "np.zeros((1, 1))"],
    "k": ["3", "1", "0", "5", "-2"],
    "s": ["0.5", "-1.0", "2.0"],
}
INTEGERS = ["0", "1", "2", "-1", "3", "k", "k % 3", "len({V}) // 2", "int({V}.sum()) % 4", "{V}.size - 1", "j"]
INTEGERS += ["np.argmax({V})", "({V} > 0).sum()", "int(s)", "abs(k)", "-k"]
NUMBERS = ["0", "1", "2", "0.5", "s", "k", "-1.5", "{V}.max()", "{V}[0]", "{M}.mean()", "{V}.sum()", "True"]
MASKS = [
    "{V} > {n}",
    "{V} < {n}",
    "({V} > {n}) & ({V} < 3)",
    "{V} == {V}.max()",
    "~({V} > {n})",
    "{V} != 0",
    "{V} >= {W}",
]
VIEWS = """{V}[{i}:{i}] | {V}[{i}:] | {V}[:{i}] | {V}[::-1] | {V}[::2] | {V}[{i}::-1] | {A}[...] | {A}.view()
{A}.T | {M}[{i}] | {M}[:, {i}] | {M}.ravel() | {M}.reshape(-1) | {A}.reshape(-1) | {A}.ravel()
{V}.reshape(2, -1) | {M}.swapaxes(0, 1) | {M}.diagonal() | np.flip({A}) | {V}[None] | {V}[:, None]
np.broadcast_to({V}, (2, len({V}))) | np.split({V}, [{i}])[0] | np.array_split({V}, 2)[1] | {A}.real
np.expand_dims({A}, 0) | np.squeeze({A}) | np.atleast_2d({A}) | np.asarray({A}) | np.ravel({A})
np.ravel({A}, 'K') | {A}.reshape(-1, order='F') | np.rot90({M}) | np.moveaxis({M}, 0, 1) | np.hsplit({M}, 2)[1]
{M}[{i}:{i}, ::-1] | {M}[::2, {i}] | {M}[{i}, {i}:] | {M}[:{i}, :{i}] | np.diag({M}) | {M}.flatten() | {A}.copy()
{A}.squeeze() | np.fliplr({M}) | np.flipud({A}) | np.transpose({A}) | {M}[..., {i}] | {M}[:, None, 1:]
np.triu({M}) | {M}[-1]"""
SELECTIONS = """{V}[{b}] | {V}[{b}] | {V}[np.nonzero({b})] | np.flatnonzero({b}) | np.where({b})[0]
np.unique({V}) | np.compress({b}, {V}) | np.extract({b}, {V}) | {M}[{M} > {n}] | {M}[{M}[:, 0] > {n}]
{M}[:, {M}[0] > {n}] | np.trim_zeros({V}) | {V}[:{i}] | {V}[{i}:{i}] | {V}[[0, -1, 0]] | {V}[{V}.astype(int) % 2]
{M}[[1, 0], [0, 2]] | {M}[:, [1, 0]] | np.take({V}, [0, 1, -1]) | {V}[np.argsort({V}, kind='stable')]
np.delete({V}, 0) | {V}[{V} > {V}.mean()] | {V}[c[:len({V})]] | np.argwhere({b})[:, 0]
{M}[np.ix_([0, 1], [1, 2])] | np.setdiff1d({V}, {W}) | np.intersect1d({V}, {W}) | np.union1d({V}, {W})
np.repeat({V}, 2) | np.insert({V}, 0, {n})"""
COMPUTED = """{A} + {n} | {A} * 0.5 | -{A} | {V} + {W} | {V} - {W} | {A} // 2 | {A} % 3 | abs({A})
np.cumsum({V}) | np.diff({V}) | np.sort({V}) | np.concatenate([{V}, {W}]) | np.where({b}, {V}, {n})
np.maximum({A}, {n}) | np.clip({A}, -1, 2) | {M}.sum(axis=0) | {M}.max(axis=1) | {A}.astype(int) | {M} @ {V}
np.outer({V}, {W}) | {V}[:, None] * {W} | np.zeros_like({A}) | np.arange({i}) | np.full(3, {n})
np.array([{n}, {n}]) | np.stack([{V}, {V}]) | np.roll({A}, {i}) | np.cumprod({V}) | np.append({V}, {n})
{A} > {n} | {A}.astype(np.float32) | np.array({A}) | np.hstack([{V}, {W}]) | np.tile({V}, 2) | np.mean({A})
{V}.sum() | len({V}) | {V}.min() | {V}.any() | np.median({V}) | {V}.argmin() | {V} @ {V} | {A}.std()
np.count_nonzero({V}) | {M}.T + 1"""
WRITES = """{V}[{i}] = {n} | {V}[{i}] += {n} | {A} += {n} | {A} *= 2 | {V} -= {W} | {A}[:] = {n} | {A}[...] = {A}
{V}[:] = {V}[::-1] | {V}[1:] = {V}[:-1] | {V}[:-1] += {V}[1:] | {V}[{i}:] = {n} | {V}[:{i}] *= 2
{V}[{i}:{i}] += {n} | {V}[{b}] = {n} | {V}[{b}] += {n} | {V}[{b}] = {V}[{b}] * 2 | {V}[::2] = {n}
{V}[[0, 0, 1]] = [1, 2, 3] | {V}[[0, 0, 1]] += 1 | {V}[{W}.astype(int) % 2] = {n} | {M}[{i}] = {n}
{M}[:, {i}] = {M}[:, 0] | {M}[{i}, {i}] = {n} | {M}.T[0] += {n} | {M}[{M} > {n}] = {n} | {M}[{i}:, :{i}] = {n}
{M}[:] = {M}[::-1] | {M}[0], {M}[1] = {M}[1].copy(), {M}[0] | np.copyto({A}, {n}) | np.copyto({V}, {W}, where={b})
np.put({A}, [0, 2], {n}) | np.add({V}, {n}, out={V}) | np.add({V}, {W}, out={W}) | np.add.at({V}, [0, 0, 1], {n})
np.maximum.at({V}, {W}.astype(int) % 2, {n}) | {V}.sort() | {A}.fill({n}) | np.multiply({A}, 2, out={A})
{V}[:] = {W} | {V}[{i}], {V}[0] = {V}[0], {V}[{i}] | np.fill_diagonal({M}, {n}) | {M}.flat[{i}] = {n}
{A}.ravel()[0] = {n} | {A}.reshape(-1)[0] = {n} | np.place({V}, {b}, {n}) | np.putmask({V}, {b}, {n}) | {M} += {V}
{V}[{b}] -= {V}[{b}].mean() | {M}[:, {b}[:1][0] * 1] = {n} | helper({V}, {n}) | np.cumsum({V}, out={V}) | {V} /= 2
{V} //= 2 | {V} **= 2 | {M}[1:, 1:] -= {M}[:-1, :-1] | {M}[:, ::-1][0] = {n} | {A}.T[...] = {n} | {V}[{b}] = 0
{V}[::-1][{b}] = {n}"""
HELD = """box.a = {A} | box.a += {n} | box.a[0] = {n} | box.a = box.a[{i}:] | held.append({A}) | held[0] = {A}
held[0][0] = {n} | held[-1] += {n} | named['k'] = {A} | named['k'][0] = {n} | named['k'] += 1 | {N} = held[0]
{N} = box.a | {N} = named['k'] | {N}, {N} = {A}, {A} | {N} = helper({A}, {n}) | {N} = {A} if {n} > 0 else {A}"""
CONDITIONS = [
    "{V}.sum() > {n}",
    "len({V}) > {i}",
    "{n} > 0",
    "{V}[0] > {n}",
    "({b}).any()",
    "np.all({b})",
    "{V}.size == 0",
    "k > 1",
]
LOOPS = [
    "for j in range({i}):",
    "for j in range(len({V})):",
    "for j in range(3):",
    "for z in {V}:",
    "for j, z in enumerate({V}):",
]
LOOPS += ["for z in {M}:", "for j in {V}.astype(int) % 3:", "for z in {V}[{b}]:", "for j in range({i}, 0, -1):"]
SHRINKING = [
    "while len({V}) > 1:\n    {V} = {V}[{V} > {V}.mean()]",
    "while len({V}) > 2:\n    {V} = {V}[1:]",
    "while {V}.size:\n    s += {V}[0]\n    {V} = {V}[1:]",
    "for _ in range(3):\n    {V} = {V}[{V} > s]",
    "while len({V}) > 1:\n    {V} = {V}[::2]",
]


def forms(text: str) -> list[str]:
    return [form.strip() for line in text.splitlines() for form in line.split(" | ")]


VIEWS, SELECTIONS, COMPUTED, WRITES, HELD = map(forms, (VIEWS, SELECTIONS, COMPUTED, WRITES, HELD))
BOUND = [*VIEWS, *VIEWS, *SELECTIONS, *SELECTIONS, *COMPUTED]
NEW = ("a", "b", "d", "e")
GLOBALS = {"np": np}


def _arrays(scope: Scope, letter: str) -> list[str]:
    def fits(value: object) -> bool:
        if not isinstance(value, np.ndarray) or value.size > 60:
            return False
        return letter == "A" or value.ndim == {"V": 1, "W": 1, "M": 2}[letter]

    return [name for name, value in scope.names.items() if fits(value)]


def _fill(draw, scope: Scope, form: str) -> str | None:
    """A form with its letters replaced: names of arrays (A; V, W vectors; M matrix), i an integer, n a number,
    b a mask, N a new name."""
    tables = {"i": INTEGERS, "n": NUMBERS, "b": MASKS}
    for _ in range(4):
        form = re.sub(r"\{([inb])\}", lambda match: draw(st.sampled_from(tables[match[1]])), form)
    for letter in "VWM":
        if "{" + letter + "}" in form:
            names = _arrays(scope, letter)
            if not names:
                return None
            form = form.replace("{" + letter + "}", draw(st.sampled_from(names)))
    if "{A}" in form and not _arrays(scope, "A"):
        return None
    form = re.sub(r"\{A\}", lambda match: draw(st.sampled_from(_arrays(scope, "A"))), form)
    return re.sub(r"\{N\}", lambda match: draw(st.sampled_from(NEW)), form)


def _line(draw, scope: Scope) -> list[str]:
    """One statement that runs on the samples."""
    for _ in range(6):
        choice = draw(st.integers(0, 9))
        if choice <= 3:
            form = "{N} = " + draw(st.sampled_from(BOUND))
        elif choice <= 7:
            form = draw(st.sampled_from(WRITES))
        elif choice == 8 and not scope.loop:
            form = draw(st.sampled_from(HELD))
        else:
            names = _arrays(scope, "V") or ["x"]
            form = f"{draw(st.sampled_from(names))} = " + draw(st.sampled_from([*SELECTIONS, *COMPUTED]))
        text = _fill(draw, scope, form)
        if text is None:
            continue
        try:
            scope.execute(text)
        except Unusable:
            continue
        return [text]
    return []


def _block(draw, scope: Scope, depth: int, most: int) -> list[str]:
    lines: list[str] = []
    for _ in range(draw(st.integers(1, most))):
        choice = draw(st.integers(0, 9)) if depth else 0
        if choice <= 6:
            lines += _line(draw, scope)
        elif choice == 7:
            lines += _branch(draw, scope, depth)
        else:
            lines += _loop(draw, scope, depth)
    return lines or ["pass"]


def _branch(draw, scope: Scope, depth: int) -> list[str]:
    condition = _fill(draw, scope, draw(st.sampled_from(CONDITIONS)))
    if condition is None:
        return []
    arms = [scope.inner(), scope.inner()]
    lines = [f"if {condition}:", *indent(_block(draw, arms[0], depth - 1, 3))]
    if draw(st.booleans()):
        lines += ["else:", *indent(_block(draw, arms[1], depth - 1, 2))]
    common = set(arms[0].names) & set(arms[1].names)
    scope.names = {name: value for name, value in arms[draw(st.integers(0, 1))].names.items() if name in common}
    return lines


def _loop(draw, scope: Scope, depth: int) -> list[str]:
    if draw(st.integers(0, 4)) == 0:
        text = _fill(draw, scope, draw(st.sampled_from(SHRINKING)))
        if text is None:
            return []
        try:
            scope.execute(text)
        except Unusable:
            return []
        return text.splitlines()
    header = _fill(draw, scope, draw(st.sampled_from(LOOPS)))
    if header is None:
        return []
    inner = scope.inner(loop=True)
    try:
        inner.execute(header + " pass")
    except Unusable:
        return []
    return [header, *indent(_block(draw, inner, depth - 1, 3))]


@st.composite
def array_programs(draw) -> Generated:
    """A program over arrays, and three calls of it."""
    names = ["x", "k", "s", *draw(st.lists(st.sampled_from("ygucmqfr"), min_size=1, max_size=3, unique=True))]
    samples = {name: eval(PARAMETERS[name][0], SAMPLE_GLOBALS) for name in names}
    exec(HEADER, SAMPLE := {})
    start = ["j = 1"]
    samples["j"] = 1
    if draw(st.integers(0, 2)) == 0:
        start += [f"box, held, named = Box({names[0]}), [{names[-1]}], {{'k': {names[0]}[1:]}}"]
    scope = Scope(samples, SAMPLE | GLOBALS)
    for line in start:
        scope.execute(line)
    body = [*start, *_block(draw, scope, 2, 8)]
    shown = [name for name, value in scope.names.items() if isinstance(value, np.ndarray | np.generic | int | float)]
    held = ["box.a", "held", "named"] if "box" in scope.names else []
    body.append(f"return {', '.join([*shown, *held])},")
    text = HEADER + "\n".join([f"def program({', '.join(names)}):", *indent(body)]) + "\n"
    calls = (", ".join(draw(st.sampled_from(PARAMETERS[name])) for name in names) + "," for _ in range(3))
    return Generated(text, tuple(calls), HEADER, rtol=None)
