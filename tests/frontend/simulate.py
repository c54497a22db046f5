"""Random walks, of a program's tree and of the blocks it was made from.

Neither walk computes anything: an oracle says which way each branch goes and which operation raises, from the number of
operations done so far, so that two walks of the same function meet the same decisions. What is compared is the sequence
of operations and how the walk ended.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from types import CodeType

from xlapy.frontend import RAISE, RETURN, Code, Exit, For, Guarded, If, Loop, Op, Program, Send, Seq
from xlapy.frontend.decode import Machine, blocks
from xlapy.frontend.graph import Block
from xlapy.frontend.instruction_set import RAISING
from xlapy.frontend.versions import TABLE

Event = Op | str
Oracle = Callable[..., int]

Visit = Callable[[int, int | None, tuple[int, ...], tuple[int, ...]], None]

CERTAIN = frozenset({"raise", "reraise", "unsupported"})


def oracle(seed: int) -> Oracle:
    """Decides from a seed and from what it is asked about: a number from 0 to 99."""

    def decide(*question: object) -> int:
        return zlib.crc32(repr((seed, question)).encode()) * 2654435761 % 2**32 * 100 >> 32

    return decide


def raises(op: Op, step: int, decide: Oracle, handled: bool) -> bool:
    """Whether an operation raises: likely enough that handlers are reached, rarely where nothing handles it."""
    if op.kind in CERTAIN:
        return True
    return op.kind in RAISING and decide("raise", step) < (8 if handled else 1)


def steps(step: int, registers: tuple[int, ...], decide: Oracle, handled: bool) -> int:
    """What a `For` or `Send` does: 0 goes on, 1 is exhausted, 2 raises."""
    value = decide("step", step, registers)
    return 2 if value < (8 if handled else 1) else int(value >= 65)


def same(ours: Event, theirs: Event) -> bool:
    """Whether two events are the same; operations that were copies of each other may stand for each other."""
    if isinstance(ours, str) or isinstance(theirs, str):
        return ours == theirs
    if ours is theirs:
        return True
    return (
        ours.kind == theirs.kind
        and ours.dst == theirs.dst
        and ours.args == theirs.args
        and (ours.imm is theirs.imm or ours.imm == theirs.imm)
        and ours.span.line == theirs.span.line
    )


def raw_blocks(code: CodeType) -> tuple[Machine, dict[int, Block]]:
    """The blocks of a code object as they are decoded, before any clean-up."""
    machine = Machine(code)
    found, _ = blocks(machine, TABLE)
    return machine, found


def walk_blocks(found: dict[int, Block], decide: Oracle, limit: int) -> list[Event]:
    """A walk of decoded blocks."""
    events: list[Event] = []
    n: int | None = 0
    fuse = limit * 4
    while len(events) < limit:
        fuse -= 1
        if fuse < 0:
            return events
        if n is None:
            return [*events, "raised"]
        block = found[n]
        handler: int | None = None
        raised = False
        for segment in block.segments:
            for op in segment.ops:
                events.append(op)
                if raises(op, len(events), decide, segment.handler is not None):
                    raised, handler = True, segment.handler
                    break
            if raised:
                break
        if raised:
            n = handler
            continue
        end = block.end
        match end.kind:
            case "goto":
                n = end.targets[0]
            case "return":
                return [*events, "returned"]
            case "stop":
                raise AssertionError("nothing raised where control stops")
            case "true" | "none":
                n = end.targets[decide("if", len(events), end.kind, end.registers[0]) % 2]
            case _:
                way = steps(len(events), end.registers, decide, end.handler is not None)
                n = end.handler if way == 2 else end.targets[way]
    return events


class Again:
    """Marks, on the walk's stack, the end of a loop's body."""

    def __init__(self, loop: Loop) -> None:
        self.loop = loop


class Ended:
    """Marks the end of an arm: the tag must be set."""


def walk_tree(program: Program, decide: Oracle, limit: int, visit: Visit | None = None) -> list[Event]:
    """A walk of a tree, by the rules that `xlapy.frontend.program` gives, which it checks.

    Args:
        visit: told what happens between events: how many came before it, the label that is entered (or None), and the
            registers that a branch or step reads and writes.
    """
    events: list[Event] = []
    tag: int | None = None
    todo: list[object] = [program.body]
    fuse = limit * 40
    while todo and len(events) < limit:
        fuse -= 1
        if fuse < 0:
            return events
        node = todo.pop()
        if isinstance(node, Ended):
            assert tag is not None, "an arm ends without an exit"
            continue
        if isinstance(node, Again):
            if tag == node.loop.label:
                tag = None
                todo += (node, node.loop.body)
                if visit:
                    visit(len(events), node.loop.label, (), ())
            continue
        if isinstance(node, Guarded):
            if tag == node.label:
                tag = None
                todo.append(node.body)
                if visit:
                    visit(len(events), node.label, (), ())
            continue
        if tag is not None:
            continue
        match node:
            case Seq(items=items):
                todo.extend(reversed(items))
            case Exit(label=label):
                tag = label
            case Loop(body=body):
                todo += (Again(node), body)
                if visit:
                    visit(len(events), node.label, (), ())
            case Code(ops=ops, handler=handler):
                for op in ops:
                    events.append(op)
                    if raises(op, len(events), decide, handler is not None):
                        tag = RAISE if handler is None else handler
                        break
            case If(test=test, reg=reg, then=then, orelse=orelse):
                if visit:
                    visit(len(events), None, (reg,), ())
                todo += (Ended(), (then, orelse)[decide("if", len(events), test, reg) % 2])
            case For(handler=handler) | Send(handler=handler):
                if isinstance(node, For):
                    registers, ways = (node.iterator, node.value), (node.body, node.exhausted)
                else:
                    registers, ways = (node.receiver, node.sent, node.value), (node.yielded, node.returned)
                way = steps(len(events), registers, decide, handler is not None)
                if way == 2:
                    tag = RAISE if handler is None else handler
                else:
                    todo += (Ended(), ways[way])
                if visit:
                    visit(len(events), None, registers[:-1], registers[-1:] if way == 0 else ())
    if len(events) >= limit:
        return events
    assert tag in (RETURN, RAISE), f"the tree ends with tag {tag}"
    return [*events, "returned" if tag == RETURN else "raised"]


def compare_walks(program: Program, walks: int, limit: int = 300) -> Iterator[str]:
    """Yields a line for each walk on which the tree and the blocks differ."""
    _, found = raw_blocks(program.code)
    for seed in range(walks):
        ours = walk_tree(program, oracle(seed), limit)
        theirs = walk_blocks(found, oracle(seed), limit)
        if len(theirs) >= limit or len(ours) >= limit:
            shorter = min(len(ours), len(theirs), limit)
            ours, theirs = ours[:shorter], theirs[:shorter]
        if len(ours) != len(theirs) or not all(map(same, ours, theirs)):
            yield f"{program.name} ({program.filename}): seed {seed}"
