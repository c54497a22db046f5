"""Tests and returns that CPython's compiler emits twice become one again.

CPython up to 3.13 compiles ``while c: body`` with the test at the top and again at the bottom, and a ``continue`` in it
jumps to the first copy: two nested loops, as far as the graph can tell. From 3.12 on it copies a short ``return`` to
each jump to it, so that a loop with a ``break`` is left for two places. Two blocks that end in the same way, with the
same targets, after the same operations from the same place in the source, can share those operations: then a loop has
one header and one exit, and the same shape in every version. A conditional expression in the test has blocks that end
in a jump, too: two of these become one where they are the same from beginning to end.
"""

from __future__ import annotations

from xlapy.frontend.graph import Block, End, Segment, reverse_postorder, successors
from xlapy.frontend.instruction_set import RAISING
from xlapy.frontend.program import Op

COPIED = ("true", "none", "return")


def merge_duplicates(blocks: dict[int, Block], entry: int) -> bool:
    """Splits the shared end off blocks that are copies; returns whether there were any. Takes blocks of one segment."""
    places: dict[object, int] = {}
    for block in blocks.values():
        if block.end.kind in COPIED:
            place = _place(block.end)
            places[place] = places.get(place, 0) + 1
    if all(count == 1 for count in places.values()):
        return False

    merged = False
    fresh = min(blocks) - 1  # detours have negative numbers
    alias: dict[int, int] = {}
    found: dict[object, int] = {}
    edges = {n: successors(block) for n, block in blocks.items()}
    # What a block branches to comes before it, so that tests of several blocks (`while a and b`) merge from their end.
    for n in reversed(reverse_postorder(edges, entry)):
        end = blocks[n].end
        if end.kind == "goto" and blocks[n].segments:
            target = end.targets[0]
            other = found.setdefault(("goto", _begin(blocks[n]), alias.get(target, target)), n)
            if other != n and _equal(blocks[n], blocks[other]):
                merged = True
                _cut(blocks[n], len(blocks[n].segments[0].ops), other)
                alias[n] = other
            continue
        if end.kind not in COPIED or places[_place(end)] == 1:
            continue
        key = _place(end), *(alias.get(target, target) for target in end.targets)
        other = found.get(key)
        shared = 0 if other is None else _shared(blocks[n], blocks[other])
        if other is None or not shared:
            found.setdefault(key, n)
            continue
        merged = True
        if shared < len(blocks[other].segments[0].ops):
            found[key] = _split(blocks, other, shared, fresh)
            fresh -= 1
        _cut(blocks[n], shared, found[key])
        if not blocks[n].segments:
            alias[n] = found[key]
    return merged


def _place(end: End) -> tuple[object, ...]:
    return end.kind, end.registers, end.span


def _shared(block: Block, other: Block) -> int:
    """How many of the last operations of two blocks are the same, or 0 if they raise to different handlers."""
    if not (block.segments and other.segments):
        return 0
    ops, others = block.segments[0].ops, other.segments[0].ops
    count = 0
    for op, twin in zip(reversed(ops), reversed(others), strict=False):
        if not _same(op, twin):
            break
        count += 1
    if count == 1 and block.end.kind == "return" and ops[-1].kind == "move":
        return 0  # two values for one `return`, as of a conditional expression: nothing was copied
    if block.segments[0].handler != other.segments[0].handler and _raises(ops[len(ops) - count :]):
        return 0
    return count


def _begin(block: Block) -> tuple[object, ...]:
    first = block.segments[0].ops[0]
    return first.kind, first.span


def _equal(block: Block, other: Block) -> bool:
    """Whether two blocks are copies of all of their operations."""
    ops, others = block.segments[0].ops, other.segments[0].ops
    if block.segments[0].handler != other.segments[0].handler or len(ops) != len(others):
        return False
    return all(op.span == twin.span and _same(op, twin) for op, twin in zip(ops, others, strict=True))


def _same(op: Op, twin: Op) -> bool:
    if op.kind != twin.kind or op.args != twin.args or op.dst != twin.dst or op.span.line != twin.span.line:
        return False
    if op.kind == "const":
        return op.imm is twin.imm
    # An instruction made of two takes the place of the first.
    return op.imm == twin.imm and (op.span == twin.span or op.kind in ("move", "load", "load_bound"))


def _split(blocks: dict[int, Block], n: int, count: int, number: int) -> int:
    """Makes the last operations of a block, and its end, a block of their own, of the given number."""
    segment = blocks[n].segments[0]
    ops = segment.ops[len(segment.ops) - count :]
    raises = _raises(ops)
    blocks[number] = Block([Segment(ops, segment.handler if raises else None, raises)], blocks[n].end)
    _cut(blocks[n], count, number)
    return number


def _cut(block: Block, count: int, target: int) -> None:
    """Replaces the last operations of a block, and its end, by a jump."""
    segment = block.segments[0]
    ops = segment.ops[: len(segment.ops) - count]
    raises = _raises(ops)
    block.segments = [Segment(ops, segment.handler if raises else None, raises)] if ops else []
    block.end = End("goto", [target], span=block.end.span)


def _raises(ops: list[Op]) -> bool:
    return any(op.kind in RAISING for op in ops)
