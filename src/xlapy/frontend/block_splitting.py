"""Cutting a graph in two behind some of its operations, so that what follows becomes an entry of its own.

Both generators (`generator_state_machines`) and functions that call themselves (`recursion_elimination`) become
programs that run from one cut to the next, with a register that says where to go on. Cutting a loop can leave cycles
with two entries, which are taken apart like others (see `node_splitting`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import CodeType

from xlapy.frontend.decode import Machine, arguments_and_free_variables_of, blocks, fast_names
from xlapy.frontend.duplicates import merge_duplicates
from xlapy.frontend.graph import Block, End, Segment, copied, ordered, thread
from xlapy.frontend.liveness import live_at_entry, registers_of
from xlapy.frontend.program import Handler, Op, Span
from xlapy.frontend.versions import TABLE

#: operations that a program may have when its loops are taken apart
MOST_OPERATIONS = 20_000


@dataclass(frozen=True, eq=False)
class Added:
    """A code object whose blocks have been put among those of another one.

    Attributes:
        code: the code object.
        first: its first register.
        registers: all of its registers.
        entry: the block that it begins with.
        blocks: the numbers of its blocks, as they were then.
        returns: the register of its result.
        ends: how blocks end that return.
    """

    code: CodeType
    first: int
    registers: range
    entry: int
    blocks: tuple[int, ...]
    returns: int
    ends: tuple[End, ...]

    def named(self) -> range:
        """The registers of its variables."""
        return range(self.first, self.first + len(fast_names(self.code)))

    def arguments(self) -> tuple[int, ...]:
        """Those of its arguments."""
        return tuple(self.first + r for r in arguments_and_free_variables_of(self.code)[0])

    def frees(self) -> tuple[int, ...]:
        """Those of its free variables."""
        return tuple(self.first + r for r in arguments_and_free_variables_of(self.code)[1])


class Cut:
    """The blocks of a code object, to be cut, with scratch registers of their own."""

    def __init__(self, code: CodeType, scratch: int) -> None:
        self.code = code
        self.machine = Machine(code)
        self.blocks, self.instructions = decoded(self.machine)
        self.fresh = min(self.blocks) - 1
        self.own: tuple[int, ...] = self.scratch(scratch)

    def scratch(self, count: int) -> tuple[int, ...]:
        """New registers."""
        first = self.machine.scratch + self.machine.scratch_used
        self.machine.scratch_used += count
        return tuple(range(first, first + count))

    def add(self, code: CodeType, span: Span | None = None) -> Added:
        """The blocks of another code object, with registers of their own; its operations are said to be at `span`, if
        that is given."""
        machine = Machine(code)
        added, instructions = decoded(machine)
        self.instructions += instructions
        registers = self.scratch(machine.scratch + machine.scratch_used)
        first = registers[0]
        number = {n: self.fresh - i for i, n in enumerate(added)}
        self.fresh -= len(added)
        shift = _Shift(code, first, number, span)
        blocks = {number[n]: shift.block(block) for n, block in added.items()}
        self.blocks |= blocks
        # nothing is left of a handler where nothing raises, or that is like another one
        handlers = {n: handler for n, handler in machine.handlers.items() if n in number}
        self.machine.handlers |= {number[n]: shift.handler(handler) for n, handler in handlers.items()}
        ends = tuple(block.end for block in blocks.values() if block.end.kind == "return")
        returns = first + machine.return_register
        return Added(code, first, range(first, first + len(registers)), number[0], tuple(blocks), returns, ends)

    def block(self, ops: list[Op], end: End, handler: int | None = None, raises: bool = False) -> int:
        """A new block; its number."""
        number, self.fresh = self.fresh, self.fresh - 1
        self.blocks[number] = Block([Segment(ops, handler, raises)] if ops else [], end)
        return number

    def arguments_and_free_variables(self) -> set[int]:
        """The registers that have a value where the function begins."""
        arguments, free = arguments_and_free_variables_of(self.code)
        return {*arguments, *free}

    def returning(self, ends: tuple[End, ...]) -> list[Block]:
        """The blocks that end like this now: what is cut off from a block takes its end along."""
        return [block for block in self.blocks.values() if any(block.end is end for end in ends)]

    @staticmethod
    def unbind(code: CodeType, first: int = 0) -> list[Op]:
        """What leaves all variables but arguments and free ones without a value, as they are where a function
        begins."""
        arguments, free = arguments_and_free_variables_of(code)
        unbound = tuple(range(first + arguments.stop, first + free.start))
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

    def live(self, entries: list[int], own: set[int], begin: int = 0) -> dict[int, set[int]]:
        """The registers, but for `own`, that are live at each of these blocks; none where it cannot be reached."""
        entry, index = ordered(copied(self.blocks), begin, self.machine.handlers)
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


def decoded(machine: Machine) -> tuple[dict[int, Block], int]:
    """The blocks of the code object of a new machine, from number 0 on, and the number of instructions."""
    found, instructions = blocks(machine, TABLE)
    thread(found)
    if merge_duplicates(found, 0):
        thread(found)
    return found, instructions


class _Shift:
    """Blocks of another code object, as they are with registers from `first` on, and renumbered."""

    def __init__(self, code: CodeType, first: int, number: dict[int, int], place: Span | None) -> None:
        self.code, self.first, self.number, self.place = code, first, number, place
        self.spans: dict[Span, Span] = {}

    def registers(self, registers: tuple[int, ...]) -> tuple[int, ...]:
        return tuple(self.first + register for register in registers)

    def span(self, span: Span) -> Span:
        return self.place or self.spans.setdefault(span, replace(span, code=self.code))

    def target(self, block: int | None) -> int | None:
        return None if block is None else self.number[block]

    def op(self, op: Op) -> Op:
        return Op(op.kind, self.registers(op.dst), self.registers(op.args), op.imm, self.span(op.span))

    def block(self, block: Block) -> Block:
        segments = [Segment(list(map(self.op, s.ops)), self.target(s.handler), s.raises) for s in block.segments]
        end = block.end
        targets, registers = [self.number[t] for t in end.targets], self.registers(end.registers)
        return Block(segments, End(end.kind, targets, registers, self.target(end.handler), self.span(end.span)))

    def handler(self, handler: Handler) -> Handler:
        lasti = None if handler.lasti is None else self.first + handler.lasti
        return Handler(self.first + handler.exception, lasti, handler.depth)
