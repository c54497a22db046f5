"""Statements and blocks."""

from __future__ import annotations

from hypothesis import strategies as st

from .expressions import expression, fill
from .scope import Scope, Unusable, kind_of

KINDS = ("int", "float", "bool", "numpy", "vector", "matrix", "list", "tuple", "dict", "object")
#: how often a kind is assigned, by its place in KINDS
OFTEN = ("int", "int", "float", "float", "numpy", "vector", "vector", *KINDS)
NEW = ("u", "v", "w", "z")

CHANGES = {
    "vector": [
        "{V}[{x}] = {n}",
        "{V}[{x}] += {n}",
        "{V}[{x}] -= {f}",
        "{V} += {n}",
        "{V} *= 0.5",
        "{V} -= {v}",
        "{V}[:] = {v}",
        "{V}[:] = {n}",
        "{V}[1:] = {V}[:-1]",
        "{V}[:2] = {n}, {n}",
        "{V}[::2] += {n}",
        "{V}[{V} > {n}] = {n}",
        "{V}[{i} % 3:] = {n}",
        "{V}[{x}], {V}[{x}] = {V}[{x}], {V}[{x}]",
        "{V}.sort()",
        "{V}.fill({n})",
        "{V} = {V} * 0.5",
        "np.add({v}, {n}, out={V})",
        "{V}[[0, 1]] = {V}[[1, 0]]",
        "{V}[-1] = {V}.sum()",
    ],
    "matrix": [
        "{M}[{x}, {x}] = {n}",
        "{M}[{x}] = {n}",
        "{M}[{x}] += {v}",
        "{M}[:, {x}] *= 0.5",
        "{M} += {n}",
        "{M}[{M} > {n}] = {n}",
        "{M} = {M}.T",
        "{M}[0], {M}[1] = {M}[1].copy(), {M}[0].copy()",
        "{M}[:] = {M}[::-1]",
        "{M}.T[{x}] = {n}",
        "{M}.reshape(-1)[{x}] = {n}",
    ],
    "list": [
        "{L}[{x}] = {n}",
        "{L}[0] += {n}",
        "{L}.reverse()",
        "{L}[-1] = {v}",
        "{L} = {L}[1:] + [{n}]",
        "{L}[0], {L}[-1] = {L}[-1], {L}[0]",
        "{L} = [{n}] * 2",
    ],
    "dict": ["{E}['k'] = {n}", "{E}['n'] = {i}", "{E}['k'] += 1", "{E}['k'] = {v}", "{E}.update(n={n})"],
    "object": [
        "{O}.v = {f}",
        "{O}.n = {i}",
        "{O}.push({i})",
        "{O}.v += {n}",
        "{O}.twice = {i}",
        "{O} = {O} + {i}",
        "{O}.a = {v}",
        "{O}.a[{x}] = {n}",
        "{O}.a += {n}",
        "{O}.n, {O}.v = {i}, {n}",
    ],
}
LETTERS = {"V": "vector", "M": "matrix", "L": "list", "E": "dict", "O": "object"}
#: lengths change: not in loops on data
GROWTH = ["{L}.append({n})", "{L}.insert(0, {n})", "{L}.extend({t})", "{L} += [{i}]", "{L}.pop()", "del {L}[0]"]
GROWTH += ["{E}['z'] = {n}", "{E}.pop('k', None)", "{E}.setdefault('y', {n})", "{L}.sort()", "print({n}, {i})"]
PLAIN = [
    "{I} += {i} % 5",
    "{I} = ({I} * 3 + {i}) % 101",
    "{I} //= {d}",
    "{F} = ({F} + {n}) * 0.5",
    "{F} -= {n}",
    "{F} /= {d}",
    "{I}, {F} = {F}, {I}",
    "({I}, *{N}) = ({i}, {n}, {n})",
    "{I} = {I} if {b} else {f}",
    "{F} = None if {b} else {F}",
    "{I} = {b}",
    "total += {i}",
    "assert {n} > -50, 'too small'",
    "assert {n} < 90, f'{I} is too large'",
    "if {b}: raise ValueError({i})",
    "if {n} > 40: raise KeyError('k')",
    "if {b}: raise Problem(f'at {I}')",
    "del {I}",
    "{N} = lambda k: k + {i}",
    "helper({v}, {x})",
    "bump({i})",
]
OVER = [
    ("{J}", "range(3)"),
    ("{J}", "range({i} % 4)"),
    ("{J}", "range({i} % 5, 0, -1)"),
    ("{J}", "range(len({v}))"),
    ("{J}", "(1, 4, 2)"),
    ("{J}", "{v}"),
    ("{J}", "{l}"),
    ("{J}", "{m}"),
    ("{J}", "{e}"),
    ("{J}, {N}", "enumerate({v})"),
    ("{J}, {N}", "zip({v}, {v})"),
    ("{J}, {N}", "{e}.items()"),
    ("{J}", "reversed(range({i} % 4))"),
    ("{J}, {N}", "zip(range(2), {l})"),
    ("{J}", "(k * 2 for k in range(3))"),
    ("{J}", "range({i} % 3, {i} % 7, 2)"),
]


def indent(lines: list[str]) -> list[str]:
    return ["    " + line for line in lines]


def one(draw, scope: Scope) -> list[str]:
    """A statement that holds no others; the samples are changed by it."""
    for _ in range(4):
        text = _simple(draw, scope)
        if text is None:
            continue
        try:
            scope.execute(text)
        except Unusable:
            if not text.startswith(("assert", "if", "del")):
                continue
        return [text]
    return ["pass"]


def _simple(draw, scope: Scope) -> str | None:
    choice = draw(st.integers(0, 9))
    if choice <= 3:
        kind = draw(st.sampled_from(OFTEN))
        return f"{_target(draw, scope, kind)} = {expression(draw, scope, kind)}"
    if choice <= 7:
        kinds = [kind for kind in CHANGES if scope.of(kind)]
        if kinds:
            kind = draw(st.sampled_from(kinds))
            return _changed(draw, scope, draw(st.sampled_from(CHANGES[kind])))
    if choice == 8 and not scope.dynamic:
        return _changed(draw, scope, draw(st.sampled_from(GROWTH)))
    return _changed(draw, scope, draw(st.sampled_from(PLAIN)))


def _target(draw, scope: Scope, kind: str) -> str:
    mine = [
        name for name in scope.of(kind, *(("npint", "npfloat") if kind == "numpy" else ())) if name not in scope.fixed
    ]
    choice = draw(st.integers(0, 5))
    if mine and choice <= 3:
        return draw(st.sampled_from(mine))
    if choice == 4:
        others = [name for name in scope.names if name not in scope.fixed]
        return draw(st.sampled_from(others))
    return _new(draw, scope)


def _new(draw, scope: Scope) -> str:
    """A name that need not have been bound before."""
    return draw(st.sampled_from([name for name in NEW if name not in scope.fixed]))


def _changed(draw, scope: Scope, form: str) -> str | None:
    """Text of a form whose capitals are names, as in `LETTERS`, and I int, F float, N new, J of a loop."""
    if "total" in form and "total" not in scope.globals or "bump" in form and "bump" not in scope.globals:
        return None
    for letter, kind in (*LETTERS.items(), ("I", "int"), ("F", "float")):
        if "{" + letter + "}" in form:
            names = [name for name in scope.of(kind) if name not in scope.fixed]
            if not names:
                return None
            form = form.replace("{" + letter + "}", draw(st.sampled_from(names)))
    form = form.replace("{J}", draw(st.sampled_from("ijk"))).replace("{N}", _new(draw, scope))
    return fill(draw, scope, form)


def block(draw, scope: Scope, depth: int, most: int = 3) -> list[str]:
    """Some statements."""
    lines = []
    for _ in range(draw(st.integers(1, most))):
        lines += statement(draw, scope, depth if scope.left[0] > 0 else 0)
        if scope.left[0] <= 0:
            break
    return lines


def statement(draw, scope: Scope, depth: int) -> list[str]:
    """A statement, with others in it where `depth` is not used up."""
    scope.left[0] -= 1
    choice = draw(st.integers(0, 11)) if depth else 0
    if choice <= 4:
        return one(draw, scope)
    if choice == 5:
        return leave(draw, scope)
    if choice <= 7:
        return branch(draw, scope, depth)
    if choice == 8:
        return handled(draw, scope, depth)
    if choice == 9 and draw(st.booleans()):
        return match(draw, scope, depth)
    return loop(draw, scope, depth)


def leave(draw, scope: Scope) -> list[str]:
    """A way out, under a condition."""
    ways = ["break", "continue", "break"] if scope.loop else []
    ways += ["return " + result(draw, scope)]
    return [f"if {expression(draw, scope, 'bool')}:", "    " + draw(st.sampled_from(ways))]


def result(draw, scope: Scope) -> str:
    """A tuple of some names and an expression, or fewer."""
    if draw(st.integers(0, 5)) == 0:
        return expression(draw, scope, draw(st.sampled_from(KINDS)))
    names = sorted(name for name in scope.names if kind_of(scope.names[name]) != "other")
    return ", ".join([*draw(st.permutations(names)), expression(draw, scope, draw(st.sampled_from(KINDS)))])


def _merge(scope: Scope, arms: list[Scope]) -> None:
    """Names bound in every arm stay; one arm's samples stand for all."""
    common = set.intersection(*(set(arm.names) for arm in arms))
    scope.names = {k: v for k, v in arms[-1].names.items() if k in common}


def branch(draw, scope: Scope, depth: int) -> list[str]:
    lines, arms = [], []
    words = ["if"] + ["elif"] * draw(st.integers(0, 1))
    for word in words:
        arms.append(scope.inner())
        lines += [f"{word} {expression(draw, scope, 'bool')}:", *indent(block(draw, arms[-1], depth - 1))]
    arms.append(scope.inner())
    if draw(st.booleans()):
        lines += ["else:", *indent(block(draw, arms[-1], depth - 1))]
    _merge(scope, arms)
    return lines


def match(draw, scope: Scope, depth: int) -> list[str]:
    subject = expression(draw, scope, draw(st.sampled_from(["int", "tuple", "object", "list"])))
    cases = [
        "case 1 | 3:",
        "case 0 if {b}:",
        "case (u, v):",
        "case [1, *z]:",
        "case Cell(n=2):",
        "case Sub():",
        "case int(w):",
    ]
    lines = [f"match {subject}:"]
    for case in draw(st.lists(st.sampled_from(cases), min_size=1, max_size=2, unique=True)):
        arm = scope.inner()
        lines += indent([fill(draw, scope, case), *indent(block(draw, arm, depth - 1, 2))])
    return lines


def handled(draw, scope: Scope, depth: int) -> list[str]:
    """A `try`, with an exception on data in it."""
    inner = scope.inner()
    body = block(draw, inner, depth - 1)
    raising = [
        "if {b}: raise ValueError('no')",
        "1 / {i}",
        "if {b}: raise Problem({i})",
        "{v}[{i}]",
        "{l}[{i}]",
        "{e}['q']",
    ]
    raising += ["int('7' if {b} else 'x')", "1 // int({b})", "math.sqrt({f})", "[][0]", "{t}[{i}]"]
    cause = fill(draw, scope, draw(st.sampled_from(raising)))
    body = [cause, *body] if draw(st.booleans()) else [*body, cause]
    lines = ["try:", *indent(body)]
    kind = draw(st.integers(0, 5))
    if kind:
        heads = [
            "except ValueError:",
            "except (ZeroDivisionError, IndexError, KeyError):",
            "except Exception as error:",
        ]
        heads += ["except Problem as error:", "except LookupError:", "except ArithmeticError:"]
        for head in draw(st.lists(st.sampled_from(heads), min_size=1, max_size=2, unique=True)):
            arm = block(draw, scope.inner(), depth - 1, 2)
            if draw(st.integers(0, 5)) == 0:
                arm.append(draw(st.sampled_from(["raise", "raise RuntimeError('again')"])))
            lines += [head, *indent(arm)]
        if kind == 5:
            lines += ["else:", *indent(block(draw, scope.inner(), depth - 1, 2))]
    if kind in (0, 4):
        lines += ["finally:", *indent(block(draw, scope.inner(loop=False), depth - 1, 2))]
    return lines


def loop(draw, scope: Scope, depth: int) -> list[str]:
    """A loop of a few trips; a `while` counts in a name of its own."""
    if draw(st.integers(0, 2)):
        target, over = draw(st.sampled_from(OVER))
        header = None
        while header is None:
            header = _changed(draw, scope, f"for {target} in {over}:")
        inner = scope.inner(loop=True)
        try:
            inner.execute(header + " pass")
        except Unusable:
            return one(draw, scope)
        lines = [header]
        inner.dynamic = scope.dynamic or "range(" in header or "{v}" in over
        body = block(draw, inner, depth - 1)
        if draw(st.booleans()):
            # a name that is unbound if there is no trip
            targets = header.removeprefix("for ").split(" in ")[0].split(", ")
            scope.names |= {name: inner.names[name] for name in targets if name in inner.names}
    else:
        counter = f"c{len(scope.fixed)}"
        inner = scope.inner(loop=True, dynamic=True, fixed=scope.fixed | {counter})
        inner.names[counter] = 1
        condition = draw(st.sampled_from([f"{counter} < 3", f"{counter} < 4 and {expression(draw, scope, 'bool')}"]))
        lines = [f"{counter} = 0", f"while {condition}:", f"    {counter} += 1"]
        body = block(draw, inner, depth - 1)
        scope.names[counter] = 1
        scope.fixed |= {counter}
    lines += indent(body)
    if draw(st.integers(0, 3)) == 0:
        lines += ["else:", *indent(block(draw, scope.inner(loop=scope.loop), depth - 1, 2))]
    return lines
