"""Handlers without an effect that anybody can see.

Since CPython 3.12 comprehensions are part of the function around them, and an exception in one passes a handler that
restores the variables that the comprehension shadows. Where those are not read any more (mostly the exception leaves
the function) the handler is a detour: without it an operation in a comprehension may raise as freely as in 3.11. The
handler around a generator's body that turns a StopIteration into a RuntimeError is one, too: whoever runs a generator
does that on every version.
"""

from __future__ import annotations

from xlapy.frontend.graph import Block, Graph
from xlapy.frontend.liveness import landed, live_at_entry
from xlapy.frontend.program import Op


def without_detours(graph: Graph, return_register: int) -> bool:
    """Sends exceptions past handlers that have no effect, to where those would send them; whether there were any."""
    live: list[int] = []
    detours: dict[int, int | None] = {}
    for n, handler in graph.handlers.items():
        block = graph.blocks[n]
        if _reraises(block, handler.exception):
            outer = block.segments[-1].handler
            live = live or live_at_entry(graph, return_register)
            written = sum({1 << register for s in block.segments for op in s.ops for register in op.dst})
            if outer is None or not written & live[outer] & ~landed(graph.handlers[outer]):
                detours[n] = outer
    if not detours:
        return False
    for block in graph.blocks:
        for segment in block.segments:
            segment.handler = _destination(segment.handler, detours)
        block.end.handler = _destination(block.end.handler, detours)
    return True


def _reraises(block: Block, exception: int) -> bool:
    """Whether a handler moves registers about and raises again what it was entered with."""
    if block.end.kind != "stop" or not block.segments:
        return False
    *moves, last = [op for segment in block.segments for op in segment.ops]
    holder = exception
    for op in moves:
        if op.kind not in ("move", "store") and not _ends_generator(op):
            return False
        if op.args[0] == holder:
            holder = op.dst[0]
        elif op.dst[0] == holder:
            return False
    return last.kind == "reraise" and last.args[0] == holder


def _ends_generator(op: Op) -> bool:
    return op.kind == "intrinsic" and op.imm == "stopiteration_error"


def _destination(handler: int | None, detours: dict[int, int | None]) -> int | None:
    while handler in detours:
        handler = detours[handler]
    return handler
