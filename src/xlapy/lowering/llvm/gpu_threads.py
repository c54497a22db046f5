"""What the threads of a GPU do of a function.

    for i in range(n):              # a grid: each thread makes some of the iterations
        for j in range(m):
            out[i, j] = ...

    for step in range(steps):       # a block: all threads make all steps together,
        u[1:-1] = ...               # and each computes some of the elements

The threads of a block execute the same instructions, with the same numbers, but where something is `shared_in_block`:
there each makes some iterations. What else is stored, one thread alone stores. All wait for each other before something
is stored, since others may still want to load what was there, and behind it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from math import prod

import numpy as np

from xlapy.lowering.llvm.text import BARRIER, BLOCK, INDEX, NoGrid, Number, Text, Unsuitable
from xlapy.lowering.thresholds import INSTRUCTIONS_OF_BARRIER, ITERATIONS_AT_ONCE_IN_BLOCK


def on_grid(text: Text, count: str, loop: Callable[[str, str], bool]) -> bool:
    """Write the iterations of one thread of a grid, some in a row; see `parallel_outlining.shared_out`."""
    more = text.new(f"add i64 {count}, %threads")
    chunk = text.new(f"udiv i64 {text.new(f'sub i64 {more}, 1')}, %threads")
    first = text.new(f"mul i64 %thread, {chunk}")
    behind = text.new(f"add i64 {first}, {chunk}")
    end = text.new(f"select i1 {text.new(f'icmp slt i64 {behind}, {count}')}, i64 {behind}, i64 {count}")
    text.is_shared = text.is_grid = True
    may_be = loop(first, end)
    text.is_shared = False
    if not may_be:
        raise NoGrid
    return True


def first_thread(text: Text) -> Number:
    """Whether a thread is the first one of a grid."""
    return Number(np.dtype(bool), (text.new("icmp eq i64 %thread, 0"),))


def shared_in_block(text: Text, count: str, loop: Callable[[str, str], bool]) -> bool:
    """Write the iterations of one thread of a block, which are as many apart as there are threads; see
    `parallel_outlining.shared_out`."""
    wait(text)
    head, body, end = text.label(), text.label(), text.label()
    phis = text.phis([Number(INDEX, ("%lane",))])
    text.do(f"br label %{head}")
    phis.begin(head)
    (index,) = phis.numbers
    text.do(f"br i1 {text.new(f'icmp slt i64 {index.name}, {count}')}, label %{body}, label %{end}")
    text.begin(body)
    before, text.often = (
        text.often,
        text.often * (-(-int(count) // ITERATIONS_AT_ONCE_IN_BLOCK) if count.isdigit() else 1),
    )
    text.is_shared, text.shared = True, text.shared + 1
    may_be = loop(index.name, text.new(f"add nuw nsw i64 {index.name}, 1"))
    text.is_shared, text.often = False, before
    if not may_be:
        raise Unsuitable("iterations that leave numbers behind")
    phis.close([Number(INDEX, (text.new(f"add nuw nsw i64 {index.name}, %lanes"),))])
    text.do(f"br label %{head}")
    text.begin(end)
    wait(text)
    return True


def place_in(text: Text, shape: Sequence[int], index: str) -> tuple[str, ...]:
    """The place in an array of a shape with the number of an element, in the order of rows."""
    place, rest = [], index
    for k in reversed(range(len(shape))):
        is_last = prod(shape[:k]) == 1
        place.append("0" if shape[k] == 1 else rest if is_last else text.new(f"urem i64 {rest}, {shape[k]}"))
        rest = rest if is_last or shape[k] == 1 else text.new(f"udiv i64 {rest}, {shape[k]}")
    return tuple(reversed(place))


def wait(text: Text) -> None:
    """Let the threads of a block wait for each other."""
    if not text.is_settled:
        text.declared[BARRIER] = f"declare void @{BARRIER}(i32)"
        text.do(f"call void @{BARRIER}(i32 0)")
        text.work += text.often * INSTRUCTIONS_OF_BARRIER
        text.is_settled = True


@contextlib.contextmanager
def alone(text: Text) -> Iterator[None]:
    """What is written within, one thread does, while the others of a block wait; nothing that it makes is known
    behind."""
    if text.threads != BLOCK or text.is_shared or text.is_alone:
        yield
        return
    wait(text)
    one, rest = text.label(), text.label()
    text.do(f"br i1 {text.new('icmp eq i64 %lane, 0')}, label %{one}, label %{rest}")
    text.begin(one)
    text.is_alone = True
    yield
    text.is_alone = False
    text.do(f"br label %{rest}")
    text.begin(rest)
    wait(text)


__all__ = ["alone", "first_thread", "on_grid", "place_in", "shared_in_block", "wait"]
