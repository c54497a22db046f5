"""Cutting a graph in two behind some of its operations, so that what follows becomes an entry of its own.

Both generators (`resumption`) and functions that call themselves (`recursion`) become programs that run from one cut to
the next, with a register that says where to go on. Cutting a loop can leave cycles with two entries, which are taken
apart like others (see `splitting`).
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType

from xlapy.frontend.decode import Machine, blocks, fast_names
from xlapy.frontend.duplicates import merge_duplicates
from xlapy.frontend.graph import Block, End, Segment, copied, ordered, thread
from xlapy.frontend.liveness import live_at_entry, registers_of
from xlapy.frontend.program import Op, Span
from xlapy.frontend.versions import TABLE

#: operations that a program may have when its loops are taken apart
MOST_OPERATIONS = 20_000


class Cut:
    """The blocks of a code object, to be cut, with scratch registers of their own."""

    def __init__(self, code: CodeType, scratch: int) -> None:
        self.code = code
        self.machine = Machine(code)
        self.blocks, self.instructions = blocks(self.machine, TABLE)
        thread(self.blocks)
        if merge_duplicates(self.blocks, 0):
            thread(self.blocks)
        self.fresh = min(self.blocks) - 1
        first = self.machine.scratch + self.machine.scratch_used
        self.own = tuple(range(first, first + scratch))
        self.machine.scratch_used += scratch

    def block(self, ops: list[Op], end: End, handler: int | None = None, raises: bool = False) -> int:
        """A new block; its number."""
        number, self.fresh = self.fresh, self.fresh - 1
        self.blocks[number] = Block([Segment(ops, handler, raises)] if ops else [], end)
        return number

    @staticmethod
    def arguments_and_free_variables_of(code: CodeType) -> set[int]:
        """The registers that have a value where the function begins."""
        names = fast_names(code)
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        return {*range(count), *range(len(names) - len(code.co_freevars), len(names))}

    def arguments_and_free_variables(self) -> set[int]:
        """The registers that have a value where the function begins."""
        return self.arguments_and_free_variables_of(self.code)

    def unbind(self) -> list[Op]:
        """What leaves all other variables without a value, as they are where the function begins."""
        unbound = tuple(sorted(set(range(len(self.machine.names))) - self.arguments_and_free_variables()))
        return [Op("unbind", unbound, (), None, Span())] if unbound else []

    def split(self, is_cut: Callable[[Op], bool]) -> list[tuple[int, int, Op, int | None]]:
        """Cuts blocks at each operation for which `is_cut` holds, which is taken out: the blocks that end there, each
        with the block that goes on, the operation, and its handler."""
        found: list[tuple[int, int, Op, int | None]] = []
        todo = sorted(self.blocks, reverse=True)
        while todo:
            number = todo.pop()
            block = self.blocks[number]
            place = next(
                ((s, i) for s, g in enumerate(block.segments) for i, op in enumerate(g.ops) if is_cut(op)), None
            )
            if place is None:
                continue
            which, index = place
            segment = block.segments[which]
            resume = self.block([], block.end)
            rest = Segment(segment.ops[index + 1 :], segment.handler, segment.raises)
            self.blocks[resume].segments = [*([rest] if rest.ops else []), *block.segments[which + 1 :]]
            before = Segment(segment.ops[:index], segment.handler, segment.raises)
            block.segments = [*block.segments[:which], *([before] if before.ops else [])]
            op = segment.ops[index]
            block.end = End("goto", [resume], span=op.span)
            found.append((number, resume, op, segment.handler if segment.raises else None))
            todo.append(resume)
        return found

    def live(self, entries: list[int], own: set[int]) -> dict[int, set[int]]:
        """The registers, but for `own`, that are live at each of these blocks; none where it cannot be reached."""
        entry, index = ordered(copied(self.blocks), 0, self.machine.handlers)
        live = live_at_entry(entry, self.machine.return_register)
        return {n: set(registers_of(live[index[n]])) - own if n in index else set() for n in entries}

    @staticmethod
    def append(block: Block, ops: list[Op], handler: int | None = None, raises: bool = False) -> None:
        """Operations at the end of a block."""
        last = block.segments[-1] if block.segments else None
        if last is not None and (not raises or last.raises and last.handler == handler):
            last.ops = [*last.ops, *ops]
        else:
            block.segments = [*block.segments, Segment(ops, handler, raises)]
