"""A generator expression and the built-in function that goes through what it yields, as one function.

The built-in is written in Python, with one `for` loop over its first argument (see
`dispatch.iterators.recursive_consumers`). In the place of that loop comes the graph of the generator expression, and in
the place of its `yield` the body of the loop: there is no generator any more, and a function that is called in the
expression is called by a function.
"""

from __future__ import annotations

import dis
from dataclasses import replace
from types import CodeType
from typing import Any, NamedTuple

from xlapy.frontend.block_splitting import Added, Cut
from xlapy.frontend.graph import End
from xlapy.frontend.program import FrontendError, Op, Span


class Fused(NamedTuple):
    """The code of a built-in function as it is in Python, and that of the generator expression that it goes through.
    `globals` is what the names in the former are, which are not those of the module that calls it."""

    consumer: CodeType
    generator: CodeType
    globals: tuple[tuple[str, Any], ...]


def assigned_in(code: CodeType) -> set[str]:
    """The variables of functions around it that a function, or one inside of it, assigns to or deletes."""
    found = {i.argval for i in dis.get_instructions(code) if i.opname in ("STORE_DEREF", "DELETE_DEREF")}
    inner = (assigned_in(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return found.union(*inner)


def fuse(cut: Cut, fused: Fused, span: Span) -> tuple[Added, Added]:
    """Put both into a graph, where control is to begin with the consumer, which is called at `span`. Its first argument
    is not needed, but those of the generator are.

    Raises:
        FrontendError: the generator has several `yield`s, or none.
    """
    # a call by the built-in is none by the function that calls it
    consumer = cut.add(fused.consumer, replace(span, col=None, end_col=None))
    generator = cut.add(fused.generator)
    iterable, *_ = consumer.arguments()
    for number in (*consumer.blocks, *generator.blocks):
        for segment in cut.blocks[number].segments:
            segment.ops = [op for op in segment.ops if op.kind != "return_generator" and iterable not in op.args]
    known: dict[object, object] = dict(fused.globals)
    for number in consumer.blocks:
        for segment in cut.blocks[number].segments:
            segment.ops = [
                Op("const", op.dst, (), known[op.imm], op.span) if op.kind == "load_global" else op
                for op in segment.ops
            ]
    begun = cut.split(lambda op: op.kind == "iter" and op.dst[0] in consumer.registers)
    head = next(n for n in consumer.blocks if cut.blocks[n].end.kind == "for")
    yielded = cut.split(lambda op: op.kind == "yield" and op.args[0] in generator.registers)
    if len(begun) != 1 or len(yielded) != 1:
        raise FrontendError("a generator of several yields", fused.generator)
    (body, exhausted), (_, value) = cut.blocks[head].end.targets, cut.blocks[head].end.registers
    unbound = cut.unbind(fused.generator, generator.first)
    cut.blocks[begun[0][0]].end = End("goto", [cut.block(unbound, End("goto", [generator.entry]))], span=span)
    number, resume, op, _ = yielded[0]
    cut.append(cut.blocks[number], [Op("move", (value,), op.args, None, op.span)])
    cut.blocks[number].end = End("goto", [body], span=op.span)
    sent = [Op("const", op.dst, (), None, op.span)] if op.dst else []
    cut.blocks[head].end = End("goto", [cut.block(sent, End("goto", [resume]))], span=op.span)
    for block in cut.returning(generator.ends):
        block.end = End("goto", [exhausted], span=span)
    return consumer, generator
