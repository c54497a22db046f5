"""Cycles with several entries get one: blocks are copied for those who come from outside (node splitting; S. Muchnick,
"Advanced Compiler Design and Implementation", 1997, section 7.7).

CPython's compiler makes no such cycles. They come about where a loop is cut in two, as those of generators are, and
where the two copies of a loop's test have become one in part (see `duplicates`).
"""

from __future__ import annotations

from collections.abc import Iterable

from xlapy.frontend.graph import Block, Graph, copy_of, reverse_postorder, simplified, successors
from xlapy.frontend.program import Handler


def size(blocks: Iterable[Block]) -> int:
    """How many operations and ends blocks have."""
    return sum(1 + sum(len(segment.ops) for segment in block.segments) for block in blocks)


def with_single_entries(graph: Graph, most: int) -> Graph | None:
    """The same program as a graph in which every cycle has one entry; None if it becomes larger than `most`. Consumes
    the graph."""
    blocks, handlers = dict(enumerate(graph.blocks)), dict(graph.handlers)
    while True:
        edges = {n: successors(block) for n, block in blocks.items()}
        found = _tangled(edges, reverse_postorder(edges, 0), 0)
        if found is None:
            return simplified(blocks, 0, handlers)
        _copy_for_outsiders(blocks, handlers, edges, *found)
        if size(blocks.values()) > most:
            return None


def _copy_for_outsiders(
    blocks: dict[int, Block],
    handlers: dict[int, Handler],
    edges: dict[int, list[int]],
    cycle: set[int],
    header: int,
    other: int,
) -> None:
    """Of the entries of a cycle, `header` stays. Copies the part of the cycle around another one, without the header,
    for the ways from outside."""
    inner = {n: [t for t in edges[n] if t in cycle and t != header] for n in cycle if n != header}
    part = next(c for c in components(inner) if other in c)
    twins = {n: len(blocks) + k for k, n in enumerate(sorted(part))}
    for n, twin in twins.items():
        blocks[twin] = copy_of(blocks[n])
        if n in handlers:
            handlers[twin] = handlers[n]
        for target in part:
            _redirect(blocks[twin], target, twins[target])
    for n in edges:
        if n not in cycle:
            for target in part:
                _redirect(blocks[n], target, twins[target])


def _tangled(edges: dict[int, list[int]], reached: list[int], entry: int) -> tuple[set[int], int, int] | None:
    """A cycle with several entries: its blocks, the entry that most of its blocks lead back to, and another one."""
    place = {n: i for i, n in enumerate(reached)}
    todo = [set(reached)]
    while todo:
        nodes = todo.pop()
        for cycle in components({n: [t for t in edges[n] if t in nodes] for n in nodes}):
            head = next(iter(cycle))
            if len(cycle) == 1 and head not in edges[head]:
                continue
            entries = {t for n in reached if n not in cycle for t in edges[n] if t in cycle} | ({entry} & cycle)
            back = {e: sum(t == e for n in cycle for t in edges[n]) for e in entries}
            header = max(entries, key=lambda e: (back[e], -place[e]))
            if len(entries) > 1:
                return cycle, header, min(entries - {header}, key=place.__getitem__)
            todo.append(cycle - entries)
    return None


def components(edges: dict[int, list[int]]) -> list[set[int]]:
    """The strongly connected components (R. Tarjan, 1972)."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    found: list[set[int]] = []
    closed: set[int] = set()
    for root in edges:
        if root in number:
            continue
        path = [(root, iter(edges[root]))]
        number[root] = low[root] = len(number)
        open_.append(root)
        while path:
            node, rest = path[-1]
            for target in rest:
                if target not in number:
                    number[target] = low[target] = len(number)
                    open_.append(target)
                    path.append((target, iter(edges[target])))
                    break
                if target not in closed:
                    low[node] = min(low[node], number[target])
            else:
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[node])
                if low[node] == number[node]:
                    part = set()
                    while not part or node not in part:
                        part.add(open_.pop())
                    closed |= part
                    found.append(part)
    return found


def _redirect(block: Block, target: int, other: int) -> None:
    block.end.targets = [other if t == target else t for t in block.end.targets]
    if block.end.handler == target:
        block.end.handler = other
    for segment in block.segments:
        if segment.handler == target:
            segment.handler = other
