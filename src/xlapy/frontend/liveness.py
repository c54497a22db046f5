"""Which registers are live where: the classic backward analysis, with one Python int as the set of a block."""

from __future__ import annotations

from xlapy.frontend.graph import Block, Graph
from xlapy.frontend.instruction_set import RAISING
from xlapy.frontend.program import Handler

_END_READS = {"goto": 0, "true": 1, "none": 1, "for": 1, "send": 2, "return": 0, "suspend": 0, "stop": 0}


def live_at_entry(graph: Graph, return_register: int) -> list[int]:
    """The registers live at the entry of each block, as bit sets.

    An exception may leave a segment anywhere, so what its handler needs is live throughout the segment, except for what
    the exception itself brings and for what is written before anything in the segment raises.
    """
    live = [0] * len(graph.blocks)
    summaries = [_summary(block, return_register) for block in graph.blocks]
    brought = {n: landed(handler) for n, handler in graph.handlers.items()}
    predecessors: list[list[int]] = [[] for _ in graph.blocks]
    for n, targets in enumerate(graph.successors):
        for target in targets:
            predecessors[target].append(n)
    todo = list(range(len(live)))
    waiting = [True] * len(live)
    while todo:
        n = todo.pop()
        waiting[n] = False
        block = graph.blocks[n]
        now = 0
        for target in block.end.targets:
            now |= live[target]
        reads, writes, segments = summaries[n]
        now = now & ~writes | reads
        handler = block.end.handler
        if handler is not None:
            now |= live[handler] & ~brought[handler]
        for reads, writes, handler, settled in segments:
            now = now & ~writes | reads
            if handler is not None:
                now |= live[handler] & ~brought[handler] & ~settled
        if now != live[n]:
            live[n] = now
            for p in predecessors[n]:
                if not waiting[p]:
                    waiting[p] = True
                    todo.append(p)
    return live


def landed(handler: Handler) -> int:
    """What an exception brings to its handler."""
    return _bit(handler.exception) | _bit(handler.lasti)


def registers_of(bits: int) -> frozenset[int]:
    """The members of a bit set."""
    found = []
    while bits:
        low = bits & -bits
        found.append(low.bit_length() - 1)
        bits ^= low
    return frozenset(found)


def _bit(register: int | None) -> int:
    return 0 if register is None else 1 << register


def _summary(block: Block, return_register: int) -> tuple[int, int, list[tuple[int, int, int | None, int]]]:
    """Reads before writes, and writes: of the end, then of each segment, last segment first.

    For a segment also its handler, and what it writes before the first operation that raises.
    """
    end = block.end
    count = _END_READS[end.kind]
    reads = 0
    for register in end.registers[:count]:
        reads |= 1 << register
    # A value written on one of two ways only counts as written: on the other way the stack ends below it.
    writes = 0
    for register in end.registers[count:]:
        writes |= 1 << register
    if end.kind == "return":
        reads = 1 << return_register
    elif end.kind == "suspend":
        reads = sum(1 << register for register in end.registers)
        writes = 0
    segments = []
    for segment in reversed(block.segments):
        used = defined = settled = 0
        calm = True
        for op in segment.ops:
            if calm and op.kind in RAISING:
                calm, settled = False, defined
            read = 0
            for register in op.args:
                read |= 1 << register
            used |= read & ~defined
            for register in op.dst:
                defined |= 1 << register
        segments.append((used, defined, segment.handler if segment.raises else None, settled))
    return reads, writes, segments
