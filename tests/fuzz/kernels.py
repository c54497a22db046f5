"""Kernels: loops that change several arrays in place, with operands in every layout, products, reductions and sorts.

What they are after is machine code that changes memory: elements and rows at shifted places, arrays that change
places, temporaries, views, early exits, errors on the way. Arrays have a few shapes in common, so forms fit as they are
written, and nothing is tried on samples. Every number is kept a small whole one, so that sums, products and comparisons
are exact in any order; what is not is added to `e`, which nothing else looks at. No view is stored into an array that
it may overlap in another direction: of `a[1] = a[:, 2]`, NumPy makes what the order of its copying makes of it.
"""

from __future__ import annotations

import contextlib
import re
import warnings

import numpy as np
from hypothesis import strategies as st

from .arrays import forms
from .programs import Generated, load
from .statements import indent

HEADER = """\
import numpy as np


def arr(seed, shape, dtype, layout):
    made = np.random.default_rng(seed).integers(0, 8, shape).astype(dtype)
    if np.dtype(dtype).kind in "fc" and seed % 5 == 0:
        made.flat[0] = -0.0
    room = [(2 * n + 1, 3 * n + 1)[k % 2] for k, n in enumerate(made.shape)]
    if layout == "strided":
        found = np.zeros(room, made.dtype)[tuple(np.s_[: 2 * n : 2, : 3 * n : 3][k % 2] for k, n in enumerate(shape))]
    elif layout == "turned":
        found = np.zeros(made.shape[::-1], made.dtype).T
    elif layout == "backwards":
        found = np.zeros_like(made)[tuple(np.s_[::-1] for _ in shape)]
    elif layout == "odd":
        found = np.zeros(made.nbytes + 1, np.uint8)[1:].view(made.dtype).reshape(made.shape)
    else:
        found = np.zeros_like(made)
    found[...] = made
    return found


def r(v):
    return v % 8


def rc(v):
    return v.real % 8 + 1j * (v.imag % 8)


def shifted(u, v):
    u[1:] = u[:-1]
    u[0] = v[-1]
    return u[::-1]


"""
#: arrays by name: their shapes, of lengths n and m
SHAPES = {"x": "n", "y": "n", "z": "n", "v": "m", "a": "nn", "b": "nn", "p": "nm", "q": "mn"}
LAYOUTS = ["rows", "rows", "rows", "strided", "turned", "backwards", "odd"]
DTYPES = ["f8"] * 6 + ["f4", "i8", "i8", "i4", "i2", "u1", "i1", "c16", "u8", "f2", "c8"]
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 13, 17, 33]
#: whole numbers: K any, I places along an axis of n elements, L along one of m, N numbers of a loop's trips
SMALL = "0 | 1 | 2 | -1 | k | i | j | n - 1 | k // 2 | i - j | j + 1"
PLACES = "i | j | i - 1 | -i - 1 | (i + 1) % n | (i * 2) % n | j % n | k % n | 0 | -1 | n - 1 - i | i // 2"
BAD_PLACES = "i + 1 | j + k | k | i * 2 | i + j | int(s) | n"
TRIPS = "n | k | 3 | n - 1 | 1, n | 1, n - 1 | n - 1, -1, -1 | 0, n, 2 | k, n | j, n | i + 1, n | 2 | i | n, 0, -2"
#: single numbers, each of them whole
NUMBER = """{X}[{I}] | {X}[{I}] | {A}[{I}, {I}] | {A}[{I}, {I}] | v[{L}] | p[{I}, {L}] | q[{L}, {I}] | s | t | k | i
2 | {X}[{I}] + {X}[{I}] | {X}[{I}] * {A}[{I}, {I}] | {X}.sum() | {A}[{I}].sum() | {X}.max() | {X} @ {X}
{A}[:, {I}].min() | {A}[{I}] @ {X} | {X}[{I}:].sum() | {A}.sum() | {X}[{I}] - {N} | {N} + {N} | {N} * {N}
{X}.argmax() | {A}.trace() | np.count_nonzero({X} > 3) | {X}[:{I}].sum() | ({A} @ {X})[{I}] | {X}.argmin() | len({X})
{X}[-1] | abs({N} - 3) | max({N}, {N}) | {N} if {B} else {N} | {X}.prod() | ({X} > {X}).sum() | {A}.argmax()
np.sort({X})[{I}]"""
#: arrays of n elements
VECTOR = """{X} | {X} | {X} + {X} | {X} * {N} | {X} - {X} | {A}[{I}] | {A}[:, {I}] | {A} @ {X} | {X} @ {A}
{A}.T @ {X} | {X}[::-1] | {X}.copy() | {A}.sum(axis=0) | {A}.max(axis=1) | np.cumsum({X}) | np.sort({X})
np.roll({X}, 1) | {X}[np.argsort({X}, kind='stable')] | np.where({X} > {N}, {X}, {X}) | np.maximum({X}, {X})
{A}.diagonal() | p @ v | v @ q | q.sum(axis=0) | np.zeros(n) | np.full(n, {N}) | {V} + {V} | {V} * {V}
{A}[::-1, {I}] | {A}.argmax(axis=0) | np.flip({X}) | {A}[{I}, ::-1] | {A}.T[{I}] | np.abs({X} - 4) | {A}.min(axis=0)
{A}.T.sum(axis=1) | p.max(axis=1) | np.concatenate([{X}[1:], {X}[:1]]) | ({A} + {A}.T).sum(axis=0)
np.minimum({V}, {X}) | np.clip({X}, 1, 5) | p[:, {L}] | np.dot({A}, {X}) | -{X} | {A}.any(axis=0) * {X}
np.sort({A}, axis=0)[{I}] | ({A} > {N}).sum(axis=1) | np.argsort({X}, kind='stable') | {X}[{X}.astype(int) % n]
{A}[{I}] + {A}[:, {I}]"""
#: arrays of n rows and columns
MATRIX = """{A} | {A} + {A} | {A} * {N} | {A}.T | {A} @ {A} | {A}.T @ {A} | {A} @ {A}.T | {A}.T @ {A}.T | p @ q
np.outer({X}, {X}) | {X}[:, None] * {X} | {A} + {X} | {A} - {X}[:, None] | np.sort({A}, axis=0)
np.sort({A}, axis=1) | {A}[::-1] | {A}[:, ::-1] | {A}.copy() | np.cumsum({A}, axis=0)
np.where({A} > {N}, {A}, {A}.T) | q.T @ p.T | p @ p.T | q.T @ q | {A}[::-1] @ {A} | {A}[:, ::-1].T @ {A}
np.maximum({A}, {A}) | np.zeros((n, n)) | np.triu({A}) | {M} + {M} | np.dot({A}, {A}) | ({A} @ p) @ q | {M} @ {A}
np.eye(n) * {N} | np.roll({A}, 1, axis=0) | {A} + {A}.T | {A} * {A} | np.cumsum({A}, axis=1)
{A}[np.argsort({X}, kind='stable')] | np.flip({A})"""
BOOL = """{X}[{I}] > {X}[{I}] | {N} > {N} | {N} < 4 | {A}[{I}, {I}] < {X}[{I}] | i % 2 == 0 | {X}[{I}] == {X}[{I}]
i > j | {X}.max() > {N} | ({X} > {N}).any() | k > 2 | {B} and {B} | not {B} | {X}.sum() < {A}.sum()"""
STORES = """{X}[{I}] = {rN} | {X}[{I}] += {N} | {X}[{I}] = {rN} | {A}[{I}, {I}] = {rN} | {A}[{I}, {I}] -= {N}
{X}[{I}], {X}[{I}] = {X}[{I}], {X}[{I}] | {A}[{I}] = {rV} | {A}[:, {I}] = {rV} | {A}[{I}] += {V} | {A}[:, {I}] -= {V}
{X}[:] = {rV} | {X} += {V} | {X} -= {X} | {X}[1:] = {X}[:-1] | {X}[:-1] += {X}[1:] | {X}[1:] -= {X}[:-1]
{X}[::2] += 1 | {X}[:] = {X}[::-1] | {A}[:] = {rM} | {A} += {M} | {A}[:] = {A}.T | {A}[1:] = {A}[:-1]
{A}[:, 1:] += {A}[:, :-1] | {A}[{I}], {A}[{I}] = {A}[{I}].copy(), {A}[{I}].copy() | {A}[[0, n - 1]] = {A}[[n - 1, 0]]
{A}[:-1] = {A}[1:] | {X}[{I}:] = {rN} | {X}[:{I}] += {N} | {X}[{X} > {N}] = {rN} | {A}[{A} > {N}] -= 1 | {X}.sort()
{A}.sort(axis=0) | {A}.sort(axis=1) | {X}.fill({rN}) | {A}[1:-1, 1:-1] = {A}[:-2, 1:-1] + {A}[2:, 1:-1]
{A}[{I}] -= {A}[{I}] * {N} | {A} -= np.outer({A}[:, {I}], {A}[{I}]) | {X}[1:-1] = {X}[:-2] - {X}[2:]
np.add({V}, {V}, out={X}) | v[:] = q @ {X} | p[:] = {A} @ p | q[{L}] = {rV} | v[{L}] = {rN} | p[:, {L}] = {rV}
v += p.T @ {X} | q[:] = r(q @ {A}) | {A}[{I}, :{I}] = {N} | np.fill_diagonal({A}, {rN})
{X}[{X}.astype(int) % n] = {rN} | np.add.at({X}, {X}.astype(int) % n, 1) | {A}.T[{I}] = {rV}
{A}[:, {I}] = {A}[{I}].copy() | {A}[{I}] = {A}[:, {I}].copy() | {X}[::-1][{I}] = {rN} | {A}.reshape(-1)[{I}] = {rN}
shifted({X}, {X}) | shifted({A}[{I}], {A}[{I}]) | shifted({A}[:, {I}], {X}) | {X}[{I}] = shifted({X}, {X})[{I}]
{X} *= 2 | np.matmul({A}, {A}, out={A}) | np.copyto({X}, {rV}) | {A}[{I}:, {I}:] += {N} | {X}[{I}:] = {X}[{I}:][::-1]"""
BINDS = """{X}, {X} = {X}, {X} | {A}, {A} = {A}, {A} | x, y = y, x | a, b = b, a | x, y, z = y, z, x | {X} = {rV}
{X} = {rV} | {A} = {rM} | {A} = {rM} | x, y = y, {rV} | a, b = {rM}, a | x, z = {rV}, {rV} | a, x = {rM}, {rV}
s = int({rN}) | t = int({rN}) | s = int(r(s + {N})) | s, t = t, int(r(s + {N})) | e += {F} | t = int(r(t * {N} + 1))
p, q = q.T, p.T | v = r({X} @ p) | y = x | {X} = {A}[{I}] | {X} = {A}.diagonal().copy() | {X} = {X}[::-1] | b = a.T
{A} = {A}.copy()"""
#: sums of floats, which differ in their last bits
FLOATS = """np.exp(-{X}).sum() | np.tanh({X} * 0.5)[{I}] | np.log1p({X}).max() | np.exp({A}[{I}, {I}] * 0.1)
np.log({A} + 1.0).sum() | np.sqrt({X}).sum() | {X}.mean() | {A}.std() | np.sin({X})[{I}] | np.tanh({A} - 3.0).sum()
np.exp({X} - {X}.max()).sum() | np.linalg.norm({A}) | {A}.mean(axis=0)[{I}] | ({X} * 0.1) @ {X} | {X}[{I}] / 3"""
EXITS = """break | continue | return x, {X}, s, i | return {N} | raise ValueError(int({N})) | raise KeyError(i)
raise ValueError('no')"""
LETTERS = {"X": "xyz", "A": "ab"}
TABLES = dict(zip("ILKNVMBFT", [PLACES, "i % m | -1 | k % m | 0", SMALL, NUMBER, VECTOR, MATRIX, BOOL, FLOATS, TRIPS]))
TABLES = {letter: forms(text) for letter, text in TABLES.items()}
STORES, BINDS, EXITS, BAD_PLACES = map(forms, (STORES, BINDS, EXITS, BAD_PLACES))
#: what stands for what complex numbers have not
SIMPLE = {"N": "s", "V": "x", "M": "a", "F": "0.5", "B": "i > j"}
ORDERED = re.compile(
    r" [<>] |\) % |sort|max|min|clip|argmax|\.any|exp|log|sqrt|tanh|sin|norm|std|astype\(int|int\(|trace|\*="
)


class _Writer:
    """Writes the statements of a program of some arrays."""

    def __init__(self, draw, names: list[str], is_complex: bool, is_bad: bool) -> None:
        self.draw, self.names, self.is_complex, self.is_bad = draw, names, is_complex, is_bad
        self.letters = {letter: [name for name in some if name in names] for letter, some in LETTERS.items()}
        absent = "".join(name for name in SHAPES if name not in names)
        self.absent = re.compile(rf"\b[{absent}]\b" if absent else "$^")

    def of(self, table: list[str]) -> str:
        """A form that names no array that there is not."""
        return self.draw(st.sampled_from([form for form in table if not self.absent.search(form)]))

    def filled(self, form: str, depth: int = 0) -> str:
        """A form with its letters replaced: names of arrays (X vectors, A matrices), I and L places along axes of n and
        m elements, N a number, V, M expressions of vectors and matrices, B a condition, F a float, T what a range is
        of; with an r before, kept small."""

        def part(match: re.Match) -> str:
            kept, letter = match[1], match[2]
            if letter in LETTERS:
                return self.draw(st.sampled_from(self.letters[letter]))
            table = TABLES[letter]
            if letter == "I" and self.is_bad and self.draw(st.integers(0, 5)) == 0:
                table = BAD_PLACES
            simple = [one for one in table if not re.search(r"\{[NVMB]\}", one)] if depth > 1 else table
            inner = self.filled(self.of(simple), depth + 1)
            if self.is_complex and letter in SIMPLE and ORDERED.search(inner):
                inner = SIMPLE[letter]
            if kept:
                return f"{'rc' if self.is_complex else 'r'}({inner})"
            return f"({inner})" if depth and letter in "NVMB" and not inner.isidentifier() else inner

        return re.sub(r"\{(r?)([A-Z])\}", part, form)

    def one(self) -> list[str]:
        """A statement that holds no others."""
        form = self.of(STORES if self.draw(st.integers(0, 2)) else BINDS)
        return [self.filled(form)] if not self.is_complex or not ORDERED.search(form) else []

    def block(self, depth: int, most: int, in_loop: bool) -> list[str]:
        lines: list[str] = []
        for _ in range(self.draw(st.integers(1, most))):
            choice = self.draw(st.integers(0, 11)) if depth else 0
            if choice <= 5:
                lines += self.one()
            elif choice <= 7:
                lines += self.branch(depth, in_loop)
            elif choice == 8:
                lines += self.leave(in_loop)
            else:
                lines += self.loop(depth)
        return lines or ["pass"]

    def branch(self, depth: int, in_loop: bool) -> list[str]:
        lines = [self.filled("if {B}:"), *indent(self.block(depth - 1, 2, in_loop))]
        if self.draw(st.booleans()):
            lines += ["else:", *indent(self.block(depth - 1, 2, in_loop))]
        return lines

    def leave(self, in_loop: bool) -> list[str]:
        way = self.draw(st.sampled_from(EXITS))
        if not in_loop and way in ("break", "continue"):
            return self.one()
        return [self.filled("if {B}:"), "    " + self.filled(way)]

    def loop(self, depth: int) -> list[str]:
        if self.draw(st.integers(0, 5)) == 0:
            place = f"c{depth}"  # a name of its own, so that there is an end
            test = f" and {{X}}[{place} - 1] > {{X}}[{place}]" if not self.is_complex else ""
            lines = [f"j = {place} = n - 1", self.filled(f"while {place} > 0{test}:")]
            return [*lines, *indent([*self.block(depth - 1, 2, True), f"j = {place} = {place} - 1"])]
        index = self.draw(st.sampled_from("ij"))
        return [self.filled(f"for {index} in range({{T}}):"), *indent(self.block(depth - 1, 4, True))]


def _call(draw, names: list[str], lengths: dict[str, int], dtypes: dict[str, str]) -> str:
    parts = []
    seeds = iter(draw(st.permutations(range(len(names) + 1))))
    alias = draw(st.sampled_from(["", "", "", "same", "behind", "before"]))
    for name in names:
        shape = tuple(lengths[letter] for letter in SHAPES[name])
        layout = draw(st.sampled_from(LAYOUTS))
        if name == "x" and alias:
            room = (shape[0] + 2,) if alias != "same" else shape
            shown = {"same": "", "behind": "[2:]", "before": "[:-2]"}[alias]
            parts.append(f"(w := arr({next(seeds)}, {room}, {dtypes[name]!r}, {layout!r})){shown}")
        elif name == "y" and alias:  # a second argument that shows the same memory
            parts.append({"same": "w", "behind": "w[:-2]", "before": "w[2:]"}[alias])
        else:
            parts.append(f"arr({next(seeds)}, {shape}, {dtypes[name]!r}, {layout!r})")
    return ", ".join([*parts, str(draw(st.integers(0, 4)))])


def _runs(program: Generated) -> bool:
    """Whether CPython takes the first call."""
    module = load(program.text)
    with contextlib.redirect_stdout(None), np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module.program(*eval(f"({program.calls[0]},)", vars(module)))
        except Exception:
            return False
    return True


@st.composite
def kernel_programs(draw) -> Generated:
    """A kernel, and two calls of it."""
    others = draw(st.lists(st.sampled_from(list(SHAPES)), min_size=1, max_size=4, unique=True))
    names = [name for name in SHAPES if name in ("x", "a", *others)]
    dtype = draw(st.sampled_from(DTYPES))
    dtypes = dict.fromkeys(names, dtype)
    if draw(st.integers(0, 5)) == 0:
        dtypes |= {
            name: draw(st.sampled_from(["f8", "f4", "i8", "i4", "u1"])) for name in draw(st.permutations(names))[:2]
        }
    is_complex, is_bad = np.dtype(dtype).kind == "c", draw(st.integers(0, 3)) == 0
    lengths = {"n": draw(st.sampled_from(LENGTHS)), "m": draw(st.sampled_from(LENGTHS))}
    for _ in range(5):
        writer = _Writer(draw, names, is_complex, is_bad)
        width = next((f"{name}.shape[{SHAPES[name].index('m')}]" for name in names if "m" in SHAPES[name]), "3")
        start = [f"n, m, i, j, s, t, e = len(x), {width}, 0, 0, k, 1, 0.0"]
        if draw(st.booleans()):
            start.append("x, a = x.copy(), a * 1")
        results = ", ".join([*names, "i, j, s, t, e"])
        body = [*start, *writer.block(2, 3, False), *writer.loop(2), f"return {results}"]
        text = HEADER + "\n".join([f"def program({', '.join(names)}, k):", *indent(body)]) + "\n"
        calls = tuple(_call(draw, names, lengths, dtypes) for _ in range(2))
        found = Generated(text, tuple(f"{call}," for call in calls), HEADER, rtol=None)
        if is_bad or _runs(found):
            break
    return found
