"""The control-flow graph of a code object: blocks, their clean-up, dominators and loops.

Blocks are dense lists indexed in reverse postorder, so that an edge goes forward iff its target's index is larger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from xlapy.frontend.instruction_set import RAISING
from xlapy.frontend.program import Handler, Op, Span

Ending = Literal["goto", "true", "none", "for", "send", "return", "suspend", "stop"]


@dataclass(slots=True)
class Segment:
    """Operations of a block that share a handler; a block is a list of segments."""

    ops: list[Op]
    handler: int | None
    raises: bool


@dataclass(slots=True)
class End:
    """How control leaves a block. Targets are blocks: one for 'goto', two for 'true' and 'none' (then, else), 'for'
    (body, exhausted) and 'send' (yielded, returned); none for 'return', 'suspend' (a generator yields or ends) and
    'stop' (the last operation raises).

    `registers` is what the end reads and writes: the tested one; iterator and value; receiver, sent and value; what a
    suspended generator keeps.
    """

    kind: Ending
    targets: list[int]
    registers: tuple[int, ...] = ()
    handler: int | None = None
    span: Span = Span()


@dataclass(slots=True)
class Block:
    """A basic block. Exceptions leave it from anywhere in a segment that has a handler."""

    segments: list[Segment]
    end: End


@dataclass(slots=True)
class Graph:
    """A control-flow graph; the entry is block 0 (or the given entry before `ordered`). `handlers` are the blocks that
    exceptions enter."""

    blocks: list[Block]
    handlers: dict[int, Handler]
    successors: list[list[int]] = field(default_factory=list)
    """For each block the targets of its end, then its handlers, without repetition of handlers."""


def successors(block: Block) -> list[int]:
    """All edges out of a block; an end with the same target twice gives two edges."""
    found = list(block.end.targets)
    seen = set()
    for segment in block.segments:
        handler = segment.handler
        if handler is not None and handler not in seen:
            seen.add(handler)
            found.append(handler)
    handler = block.end.handler
    if handler is not None and handler not in seen:
        found.append(handler)
    return found


def simplified(blocks: dict[int, Block], entry: int, handlers: dict[int, Handler]) -> Graph:
    """Merges chains of blocks, and orders what can be reached.

    Args:
        blocks: by any number; consumed.
        entry: the number of the entry.
        handlers: where exceptions land, by block.
    """
    edges = {n: successors(block) for n, block in blocks.items()}
    order = reverse_postorder(edges, entry)
    incoming = dict.fromkeys(order, 0)
    for n in order:
        for target in edges[n]:
            incoming[target] += 1
    absorbed = set()
    for n in order:
        if n not in absorbed:
            _absorb(n, blocks, incoming, absorbed, entry)
    edges = {n: successors(blocks[n]) for n in order if n not in absorbed}
    order = reverse_postorder(edges, entry)
    return _renumbered(blocks, order, handlers, edges)


def copied(blocks: dict[int, Block]) -> dict[int, Block]:
    """Blocks that may be consumed; operations are shared."""
    return {n: copy_of(block) for n, block in blocks.items()}


def copy_of(block: Block) -> Block:
    """Another block like this one."""
    end = block.end
    segments = [Segment(list(s.ops), s.handler, s.raises) for s in block.segments]
    return Block(segments, End(end.kind, list(end.targets), end.registers, end.handler, end.span))


def ordered(blocks: dict[int, Block], entry: int, handlers: dict[int, Handler]) -> tuple[Graph, dict[int, int]]:
    """What can be reached as a graph, without merging anything, and where each block is in it; consumes the blocks."""
    edges = {n: successors(block) for n, block in blocks.items()}
    order = reverse_postorder(edges, entry)
    return _renumbered(blocks, order, handlers, edges), {n: i for i, n in enumerate(order)}


def handled_at(blocks: Mapping[int, Block], entries: Iterable[int]) -> dict[int, int | None]:
    """How many exceptions are being handled where each block begins that can be reached from these, where it is none;
    None if it is not the same on all ways: in bytecode it is, but for what comes from several functions."""
    found: dict[int, int | None] = dict.fromkeys(entries, 0)
    todo = list(found)
    while todo:
        number = todo.pop()
        depth = found[number]
        end = blocks[number].end
        after: list[tuple[int, int | None]] = []
        for segment in blocks[number].segments:
            for op in segment.ops:
                if segment.handler is not None and op.kind in RAISING:
                    after.append((segment.handler, depth))
                if op.kind == "unhandle":
                    depth = 0
                elif depth is not None:
                    depth += (op.kind == "push_exc") - (op.kind == "pop_exc")
        after += [(target, depth) for target in (*end.targets, end.handler) if target is not None]
        for target, here in after:
            known = found.get(target, here)
            merged = known if known == here else None
            if target not in found or found[target] != merged:
                found[target] = merged
                todo.append(target)
    return found


def thread(blocks: dict[int, Block]) -> None:
    """Makes every jump to an empty block a jump to where that block goes, and every branch whose arms are then the same
    a jump. Handlers keep their block: exceptions land there."""

    def final(n: int) -> int:
        passed = {}
        while n not in resolved and n not in passed:
            block = blocks[n]
            passed[n] = None
            if block.segments or block.end.kind != "goto":
                break
            n = block.end.targets[0]
        end = resolved.get(n, n)
        for each in passed:
            resolved[each] = end
        return end

    resolved: dict[int, int] = {}
    for block in blocks.values():
        end = block.end
        end.targets = [final(n) for n in end.targets]
        if end.kind in ("true", "none") and end.targets[0] == end.targets[1]:
            block.end = End("goto", end.targets[:1], span=end.span)


def _absorb(n: int, blocks: dict[int, Block], incoming: dict[int, int], absorbed: set[int], entry: int) -> None:
    """Appends to a block, while it ends in a jump, the block it jumps to, if that is the only way there."""
    block = blocks[n]
    while block.end.kind == "goto":
        target = block.end.targets[0]
        if incoming[target] != 1 or target == n or target == entry:
            return
        following = blocks[target]
        for segment in following.segments:
            last = block.segments[-1] if block.segments else None
            if last is None or (last.raises and segment.raises and last.handler != segment.handler):
                block.segments.append(segment)
                continue
            last.ops += segment.ops
            if segment.raises:
                last.raises, last.handler = True, segment.handler
        block.end = following.end
        absorbed.add(target)


def reverse_postorder(edges: dict[int, list[int]], entry: int) -> list[int]:
    """The nodes reachable from the entry, in an order in which only back edges go backwards (in a reducible graph)."""
    order: list[int] = []
    seen = {entry}
    path = [(entry, iter(edges[entry][::-1]))]
    while path:
        node, rest = path[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                path.append((target, iter(edges[target][::-1])))
                break
        else:
            order.append(node)
            path.pop()
    order.reverse()
    return order


def _renumbered(
    blocks: dict[int, Block], order: list[int], handlers: dict[int, Handler], edges: dict[int, list[int]]
) -> Graph:
    index = {n: i for i, n in enumerate(order)}
    result = []
    for n in order:
        block = blocks[n]
        end = block.end
        end.targets = [index[t] for t in end.targets]
        if end.handler is not None:
            end.handler = index[end.handler]
        for segment in block.segments:
            if segment.handler is not None:
                segment.handler = index[segment.handler]
        result.append(block)
    return Graph(
        result,
        {index[n]: handler for n, handler in handlers.items() if n in index},
        [[index[t] for t in edges[n]] for n in order],
    )


def dominators(graph: Graph) -> list[int]:
    """The immediate dominator of each block; the entry's is itself.

    K. D. Cooper, T. J. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001.
    """
    predecessors: list[list[int]] = [[] for _ in graph.blocks]
    for n, targets in enumerate(graph.successors):
        for target in targets:
            predecessors[target].append(n)
    idom = [-1] * len(graph.blocks)
    idom[0] = 0
    changed = True
    while changed:
        changed = False
        for n in range(1, len(idom)):
            new = -1
            for p in predecessors[n]:
                if idom[p] < 0:
                    continue
                if new < 0:
                    new = p
                    continue
                while p != new:
                    while p > new:
                        p = idom[p]
                    while new > p:
                        new = idom[new]
            if idom[n] != new:
                idom[n] = new
                changed = True
    return idom


@dataclass(slots=True)
class Loops:
    """The natural loops of a reducible graph.

    Attributes:
        innermost: for each block the header of the smallest loop it is in, or -1.
        outer: for each header the header of the loop around it, or -1.
        depth: for each header how many loops it is in, itself included.
    """

    innermost: list[int]
    outer: dict[int, int]
    depth: dict[int, int]

    def left(self, source: int, target: int) -> int:
        """The outermost loop that holds `source` and not `target`, or -1; `source` dominates `target`."""
        inside, around = self.innermost[source], self.innermost[target]
        found = -1
        while inside >= 0:
            depth = self.depth[inside]
            while around >= 0 and self.depth[around] > depth:
                around = self.outer[around]
            if around == inside:
                break
            found = inside
            inside = self.outer[inside]
        return found


def loops(graph: Graph, idom: list[int]) -> Loops | int:
    """Finds the loops, or returns a block with an edge to it that makes the graph irreducible."""
    latches: dict[int, list[int]] = {}
    predecessors: list[list[int]] = [[] for _ in graph.blocks]
    for n, targets in enumerate(graph.successors):
        for target in targets:
            predecessors[target].append(n)
            if target <= n:
                dominator = n
                while dominator > target:
                    dominator = idom[dominator]
                if dominator != target:
                    return target
                latches.setdefault(target, []).append(n)
    innermost = [-1] * len(graph.blocks)
    outer: dict[int, int] = {}
    for header in sorted(latches, reverse=True):  # an inner header has the larger index
        innermost[header], outer[header] = header, -1
        todo = latches[header][:]
        while todo:
            n = todo.pop()
            # A block that is already in a loop stands for the outermost loop around it found so far.
            inner = innermost[n]
            if inner >= 0:
                while inner != header and outer[inner] >= 0:
                    inner = outer[inner]
                if inner == header:
                    continue
                outer[inner] = header
                n = inner
            else:
                innermost[n] = header
            todo += predecessors[n]
    depth: dict[int, int] = {}
    for header in sorted(outer):
        depth[header] = depth[outer[header]] + 1 if outer[header] >= 0 else 1
    return Loops(innermost, outer, depth)
