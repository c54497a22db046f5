"""A control-flow graph becomes a tree of branches, loops and guarded regions.

This is the dominator-tree recursion of N. Ramsey, "Beyond Relooper" (ICFP 2022), with exit tags where that paper has
multi-level breaks:

* A block is a *label* when two forward edges reach it, when an edge that leaves a loop reaches it, or when it handles
  exceptions. Any other block is put in place of the one edge to it.
* A label follows what its immediate dominator became, as a guarded region; if it is outside a loop that its dominator
  is in, it follows the outermost such loop.
* An edge to a label, forward or back, is an `Exit`.

Blocks are taken from last to first in reverse postorder, so that a block's dominated blocks are ready when it comes up:
no recursion, and no limit on the depth of the tree.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from xlapy.frontend.graph import End, Graph, Loops
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

    growing = _Growing(labels, [None] * count)
    for n in range(count - 1, -1, -1):
        items = growing.end(n, graph.blocks[n].end)
        for segment in reversed(graph.blocks[n].segments):
            handler = segment.handler if segment.raises else None
            items.appendleft(Code(tuple(segment.ops), None if handler is None else label(handler)))
        for follower in within[n]:
            items.append(growing.guarded(follower))
        if n in loops.outer:
            items = deque[Node]([Loop(label(n), _joined(items))])
            for follower in after[n]:
                items.append(growing.guarded(follower))
        growing.parts[n] = items
    marked = [n for n in range(count) if labels[n] or n in loops.outer]
    return _joined(growing.take(0)), marked


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


def _joined(items: deque[Node]) -> Node:
    return items[0] if len(items) == 1 else Seq(tuple(items))


@dataclass(slots=True)
class _Growing:
    """The trees of the blocks so far, each of which is taken once."""

    labels: list[bool]
    parts: list[deque[Node] | None]

    def take(self, n: int) -> deque[Node]:
        """The tree of a block, for its one place."""
        taken = self.parts[n]
        assert taken is not None, "a block has two places in the tree"
        self.parts[n] = None
        return taken

    def guarded(self, n: int) -> Node:
        """The tree of a label, for its place among the followers."""
        return Guarded(label(n), _joined(self.take(n)))

    def edge(self, n: int, target: int) -> deque[Node]:
        """What an edge becomes: an exit, or the target itself."""
        if target <= n or self.labels[target]:
            return deque([Exit(label(target))])
        return self.take(target)

    def end(self, n: int, end: End) -> deque[Node]:
        """What the end of a block becomes."""
        match end.kind:
            case "goto":
                return self.edge(n, end.targets[0])
            case "return" | "suspend":
                return deque([Exit(RETURN)])
            case "stop":
                return deque()
        first, second = (_joined(self.edge(n, target)) for target in end.targets)
        handler = None if end.handler is None else label(end.handler)
        node: Node
        match end.kind:
            case "for":
                iterator, value = end.registers
                node = For(iterator, value, first, second, handler, end.span)
            case "send":
                receiver, sent, value = end.registers
                node = Send(receiver, sent, value, first, second, handler, end.span)
            case "true" | "none":
                node = If(end.kind, end.registers[0], first, second, end.span)
        return deque([node])
