"""Programs that write through `reshape` and `ravel`: how an array lies in memory decides whether it changes.

The arrays are arguments in several orders, results of functions that keep an order or make one, and what loops,
branches, lists and attributes make of them.
"""

from __future__ import annotations

from hypothesis import strategies as st

from .programs import Generated
from .statements import indent

HEADER = """\
import numpy as np

X = np.array([[1.3, 2.6, 3.1], [4.5, 0.7, 9.1]])


def arr(way):
    if way == "columns":
        return np.asfortranarray(X)
    if way == "backwards":
        return np.asfortranarray(X[::-1])[::-1]
    if way == "every second column":
        return np.repeat(X, 2, axis=1)[:, ::2]
    if way == "every second row":
        return np.asfortranarray(np.repeat(X, 2, axis=0))[::2]
    return X.copy()


class Held:
    pass


"""
WAYS = ["rows", "columns", "backwards", "every second column", "every second row"]
EXPRESSIONS = """\
-{v}; {v} * 2; {v} + {w}; {v}.copy(); {v}.copy(order="F"); np.asfortranarray({v}); {v}[::-1]; {v}[:, ::-1]
np.ascontiguousarray({v}); np.sort({v}, axis=0); np.where({v} > 2, {v}, {w}); np.cumsum({v}, axis=1); {v}; {v}[[1, 0]]
{v}.reshape(3, 2).T; np.ascontiguousarray({v}.T).T; np.roll({v}, 1, axis=0); {v}[:, [2, 0, 1]]; np.zeros_like({v})
np.maximum({v}, {w}); {v}.astype(np.int64).astype(float); np.stack([{v}, {w}]).sum(axis=0); {v}.T.copy().T
np.stack([{v}, {w}], axis=2)[:, :, 0]; {v}.ravel().reshape(2, 3); {v}.ravel(order="F").reshape(2, 3, order="F")
{v}.ravel(order="K").reshape(2, 3); abs({v}.T).T; np.concatenate([{v}[:1], {w}[1:]]); np.array({v}); np.array({v}.T).T
np.full_like({v}, 2.5); np.broadcast_to({v}[0], (2, 3)).copy(); np.piecewise({v}, [{v} < 2], [lambda x: -x, 1.0])
np.vectorize(lambda x: x + 1)({v}); np.zeros_like({v}, order="F"); np.take({v}, [1, 0], axis=0)"""
WRITES = """\
{v}.reshape(-1)[{i}] = {n}; {v}.ravel()[{i}] += 1; {v}.reshape(3, 2)[{i} // 2, {i} % 2] = 7; {v}.ravel()[::2] = 0
{v}.T.reshape(-1)[{i}] = 5; {v}[{i} % 2, {i} // 2] -= 3; {v}[:, ::-1].ravel()[{i}] = 2; {v}[::-1].reshape(-1)[{i}] = 4
{v}.T.ravel()[{i}] = 6; {v}.ravel(order="F")[{i}] = 8; np.reshape({v}, (6,))[{i}] *= 2
{v}[0].reshape(3, 1)[{i} // 2] = 1; {v}.swapaxes(0, 1).reshape(2, 3)[{i} % 2] = 3; {v}.reshape(6, order="F")[{i}] = 9
{v}[:, 1:].reshape(-1)[{i} % 4] = 1"""
NAMES = ["a", "b", "c"]


def _choices(text: str) -> list[str]:
    return [part.strip() for line in text.splitlines() for part in line.split(";")]


@st.composite
def layout_programs(draw) -> Generated:
    body = [*_block(draw, 2), _write(draw)]
    if draw(st.booleans()):
        body.insert(0, "b = a")
    lines = ["c = a + b", "held = Held()", *body, "return a, b, c"]
    text = HEADER + "\n".join(["def program(a, b, n):", *indent(lines)]) + "\n"
    calls = tuple(
        f"arr({draw(st.sampled_from(WAYS))!r}), arr({draw(st.sampled_from(WAYS))!r}), {draw(st.integers(1, 6))}"
        for _ in range(3)
    )
    return Generated(text, calls, HEADER)


def _filled(draw, text: str) -> str:
    places = {"v": st.sampled_from(NAMES), "w": st.sampled_from(NAMES), "i": st.integers(0, 5), "n": st.integers(0, 9)}
    return text.format(**{name: draw(strategy) for name, strategy in places.items()})


def _expression(draw) -> str:
    return _filled(draw, draw(st.sampled_from(_choices(EXPRESSIONS))))


def _write(draw) -> str:
    return _filled(draw, draw(st.sampled_from(_choices(WRITES))))


def _assignment(draw) -> str:
    return f"{draw(st.sampled_from(NAMES))} = {_expression(draw)}"


def _block(draw, depth: int) -> list[str]:
    return [line for _ in range(draw(st.integers(1, 3))) for line in _statement(draw, depth)]


def _statement(draw, depth: int) -> list[str]:
    kind = draw(st.integers(0, 9 if depth else 5))
    if kind < 4:
        return [_assignment(draw)]
    if kind < 6:
        return [_write(draw)]
    match kind:
        case 6:
            return [
                f"if n > {draw(st.integers(1, 5))}:",
                *indent(_block(draw, depth - 1)),
                "else:",
                *indent(_block(draw, depth - 1)),
            ]
        case 7:
            iterations = draw(st.sampled_from(["n", "n", "3", "30"]))
            return [f"for i in range({iterations}):", *indent(_block(draw, depth - 1))]
        case 8:
            append = [f"kept.append({_expression(draw)})"]
            return [
                "kept = []",
                "for i in range(n + 20):",
                *indent(append),
                f"{draw(st.sampled_from(NAMES))} = kept[n]",
            ]
    name = draw(st.sampled_from(NAMES))
    return [f"held.x = {_expression(draw)}", *_block(draw, depth - 1), f"{name} = held.x"]
