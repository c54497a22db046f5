"""A control-flow graph becomes a tree of branches, loops and guarded regions.

This is the dominator-tree recursion of N. Ramsey, "Beyond Relooper" (ICFP 2022), with exit tags where that paper has
multi-level breaks:

* A block is a *label* when two forward edges reach it, when an edge that leaves a loop reaches it, or when it handles
  exceptions. Any other block is put in place of the one edge to it.
* A label follows what its immediate dominator became, as a guarded region; if it is outside a loop that its dominator is
  in, it follows the outermost such loop.
* An edge to a label, forward or back, is an `Exit`.

Blocks are taken from last to first in reverse postorder, so that a block's dominated blocks are ready when it comes up:
no recursion, and no limit on the depth of the tree.
"""

from __future__ import annotations

from collections import deque

from xlapy.frontend.graph import Block, Graph, Loops
from xlapy.frontend.program import RETURN, Code, Exit, For, Guarded, If, Loop, Node, Send, Seq


def label(block: int) -> int:
    """The label of a block."""
    return block + 1


def tree(graph: Graph, idom: list[int], loops: Loops) -> tuple[Node, list[int]]:
    """The tree of a graph, and the blocks that are labels in it, handlers and loop headers included."""
    count = len(graph.blocks)
    labels = _labels(graph)
    within: list[list[int]] = [[] for _ in range(count)]
    after: list[list[int]] = [[] for _ in range(count)]
    for n in range(1, count):
        left = loops.left(idom[n], n)
        if left >= 0:
            labels[n] = True
            after[left].append(n)
        elif labels[n]:
            within[idom[n]].append(n)

    parts: list[deque[Node] | None] = [None] * count

    def take(n: int) -> deque[Node]:
        taken = parts[n]
        assert taken is not None, "a block has two places in the tree"
        parts[n] = None
        return taken

    def joined(items: deque[Node]) -> Node:
        return items[0] if len(items) == 1 else Seq(tuple(items))

    for n in range(count - 1, -1, -1):
        block = graph.blocks[n]

        def arm(target: int) -> Node:
            if target <= n or labels[target]:  # noqa: B023 - called in this turn only
                return Exit(label(target))
            return joined(take(target))

        items = _end(block, arm, n, labels, take)
        for segment in reversed(block.segments):
            handler = segment.handler if segment.raises else None
            items.appendleft(Code(tuple(segment.ops), None if handler is None else label(handler)))
        for follower in within[n]:
            items.append(Guarded(label(follower), joined(take(follower))))
        if n in loops.outer:
            items = deque([Loop(label(n), joined(items))])
            for follower in after[n]:
                items.append(Guarded(label(follower), joined(take(follower))))
        parts[n] = items
    marked = [n for n in range(count) if labels[n] or n in loops.outer]
    return joined(take(0)), marked


def _labels(graph: Graph) -> list[bool]:
    """Which blocks are labels for the number of edges to them, or as handlers."""
    forward = [0] * len(graph.blocks)
    for n, targets in enumerate(graph.successors):
        for target in targets:
            if target > n:
                forward[target] += 1
    result = [edges > 1 for edges in forward]
    for n in graph.handlers:
        result[n] = True
    result[0] = False
    return result


def _end(block: Block, arm, n: int, labels: list[bool], take) -> deque[Node]:
    """The nodes that a block's end becomes."""
    end = block.end
    match end.kind:
        case "goto":
            target = end.targets[0]
            if target <= n or labels[target]:
                return deque([Exit(label(target))])
            return take(target)
        case "return":
            return deque([Exit(RETURN)])
        case "stop":
            return deque()
    handler = None if end.handler is None else label(end.handler)
    first, second = arm(end.targets[0]), arm(end.targets[1])
    if end.kind == "for":
        return deque([For(*end.registers, first, second, handler, end.span)])
    if end.kind == "send":
        return deque([Send(*end.registers, first, second, handler, end.span)])
    return deque([If(end.kind, end.registers[0], first, second, end.span)])
