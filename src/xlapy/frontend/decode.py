"""Bytecode becomes basic blocks of operations on registers.

The `bytecode` library reads instructions, positions and the exception table. What each instruction does is the matter
of one table per CPython version (`versions`); here is the abstract machine that the tables drive: a stack whose depth
is known everywhere, so that each slot of it is a register, and on which the slots that hold CPython's NULL are known.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from opcode import hasjrel, opmap, opname
from types import CodeType

from bytecode import ConcreteBytecode, ConcreteInstr

from xlapy.frontend.graph import Block, End, Ending, Segment
from xlapy.frontend.instruction_set import BOOLEAN, RAISING
from xlapy.frontend.program import FrontendError, Handler, Op, Span

NOWHERE = Span()
CACHE, EXTENDED_ARG = opmap["CACHE"], opmap["EXTENDED_ARG"]


class Machine:
    """The abstract machine that the version tables drive; one per code object.

    Attributes:
        code: the code object.
        names: the names of the fast locals.
        base: the register of the stack's bottom.
        depth: the depth of the stack now.
        nulls: the slots that hold NULL now, as a bit set by depth.
        target: where a jump of the current instruction goes.
        following: the block after the current instruction, if that is a jump.
        keywords: what ``KW_NAMES`` left for the next call.
        end: how the current block ends, once an instruction has ended it.
    """

    __slots__ = (
        "base",
        "code",
        "consts",
        "depth",
        "end",
        "entries",
        "extra",
        "following",
        "handlers",
        "keywords",
        "names",
        "nulls",
        "ops",
        "pending",
        "return_register",
        "scratch",
        "scratch_used",
        "span",
        "target",
        "global_names",
    )

    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.consts = code.co_consts
        self.global_names = code.co_names
        self.names = fast_names(code)
        self.base = len(self.names)
        self.return_register = self.base + code.co_stacksize
        self.scratch = self.return_register + 1
        self.scratch_used = 0
        self.depth = 0
        self.nulls = 0
        self.ops: list[Op] = []
        self.span = NOWHERE
        self.target = -1
        self.following = -1
        self.handlers: dict[int, Handler] = {}
        self.keywords: tuple[str, ...] = ()
        self.end: End | None = None
        self.entries: dict[int, tuple[int, int]] = {0: (0, 0)}
        self.pending: list[int] = [0]
        self.extra: dict[int, Block] = {}

    # the stack

    def pop(self) -> int:
        """The register of the top slot, which is dropped."""
        self.depth -= 1
        return self.base + self.depth

    def popn(self, count: int) -> tuple[int, ...]:
        """The registers of the topmost slots, lowest first, which are dropped."""
        self.depth -= count
        first = self.base + self.depth
        return tuple(range(first, first + count))

    def push(self) -> int:
        """The register of a new slot."""
        register = self.base + self.depth
        self.nulls &= ~(1 << self.depth)
        self.depth += 1
        return register

    def push_null(self) -> None:
        """A new slot that holds NULL: nothing reads it, so nothing is written."""
        self.nulls |= 1 << self.depth
        self.depth += 1

    def peek(self, n: int) -> int:
        """The register of the n-th slot from the top, which is 1."""
        return self.base + self.depth - n

    def is_null(self, n: int) -> bool:
        """Whether the n-th slot from the top holds NULL."""
        return bool(self.nulls >> (self.depth - n) & 1)

    def temporary(self, n: int = 0) -> int:
        """The n-th scratch register; free again after the instruction."""
        self.scratch_used = max(self.scratch_used, n + 1)
        return self.scratch + n

    # operations

    def emit(self, kind: str, dst: tuple[int, ...], args: tuple[int, ...], imm: object = None) -> None:
        """Appends an operation to the block."""
        self.ops.append(Op(kind, dst, args, imm, self.span))

    def literal(self) -> object:
        """Pops a constant that was just loaded, and takes its loading back."""
        register = self.pop()
        last = self.ops.pop()
        if last.kind != "const" or last.dst != (register,):
            raise FrontendError("a constant is expected on the stack", self.code, self.span.line)
        return last.imm

    # the ends of a block

    def begin(self, start: int) -> None:
        """Begins a block, with the stack that was recorded for it."""
        self.depth, self.nulls = self.entries[start]
        self.ops = []
        self.end = None
        self.span = NOWHERE

    def flow(self, target: int, depth: int) -> None:
        """Records that control may reach a block with the stack cut to a depth."""
        state = depth, self.nulls & ((1 << depth) - 1)
        known = self.entries.get(target)
        if known is None:
            self.entries[target] = state
            self.pending.append(target)
        elif known != state:
            raise FrontendError(f"two stacks at offset {target}: {known} and {state}", self.code, self.span.line)

    def stop(self) -> None:
        """Ends the block after an operation that always raises."""
        self.end = End("stop", [], span=self.span)

    def unsupported(self, name: str) -> None:
        """Ends the block with something that has no meaning here."""
        self.emit("unsupported", (), (), name)
        self.stop()

    def returns(self) -> None:
        """Ends the block after the return register is written. What was moved about on the stack just before, and is
        not the result, is left out: to return out of a `for`, CPython exchanges the value with the iterator, which
        would be needed after the loop then."""
        self.end = End("return", [], span=self.span)
        needed: set[int] = {self.return_register}
        moves: list[Op] = []
        while self.ops and self.ops[-1].kind == "move" and self.ops[-1].dst[0] >= self.base:
            last = self.ops.pop()
            if last.dst[0] in needed:
                needed = needed - {*last.dst} | {*last.args}
                moves.append(last)
        self.ops += reversed(moves)

    def goto(self, target: int) -> None:
        """Ends the block with a jump."""
        self.flow(target, self.depth)
        self.end = End("goto", [target], span=self.span)

    def branch(self, test: Ending, register: int, then: int, orelse: int) -> None:
        """Ends the block with a branch; the stack is as it is now on both ways."""
        self.flow(then, self.depth)
        self.flow(orelse, self.depth)
        self.end = End(test, [then, orelse], (register,), span=self.span)

    def truth(self, register: int, result: int) -> int:
        """A register with the truth of a value: the value's own if it is a `bool` for certain, else `result`."""
        if self.ops:
            last = self.ops[-1]
            if last.kind in BOOLEAN and last.dst == (register,):
                return register
        self.emit("truth", (result,), (register,))
        return result

    def detour(self, op: Op, target: int) -> int:
        """A new block, on the way to a target, that holds one operation that does not raise."""
        number = -1 - len(self.extra)
        self.extra[number] = Block([Segment([op], None, False)], End("goto", [target], span=op.span))
        return number


Execute = Callable[[Machine, int], None]
"""What one opcode does to the machine, given its argument."""


def fast_names(code: CodeType) -> tuple[str, ...]:
    """The names of the fast locals: locals, then the cells that are not among them, then free variables."""
    own = code.co_varnames
    return (*own, *(name for name in code.co_cellvars if name not in own), *code.co_freevars)


def arguments_and_free_variables_of(code: CodeType) -> tuple[range, range]:
    """The registers that have a value where a function begins."""
    count = len(fast_names(code))
    given = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
    return range(given), range(count - len(code.co_freevars), count)


Position = tuple[int | None, int | None, int | None, int | None]
"""Line, last line, column, last column."""


@dataclass(slots=True)
class Listing:
    """The instructions of a code object, as the decoder walks them.

    Attributes:
        rows: offset (in code units), opcode, argument, the offset a jump goes to, or -1, position in the source.
        row_at: the row of the instruction at an offset; prefixes count as part of their instruction.
        leaders: by offset, whether a block must begin there.
        covered: for offsets in the exception table: the offset of the handler, and the stack's depth there.
    """

    rows: list[tuple[int, int, int, int, Position | None]]
    row_at: dict[int, int]
    leaders: bytearray
    covered: dict[int, tuple[int, int]]


def blocks(machine: Machine, table: Sequence[Execute | None]) -> tuple[dict[int, Block], int]:
    """Decodes the code object of a machine.

    Args:
        machine: a new one; afterwards its `handlers` say where exceptions land.
        table: what each opcode does.

    Returns:
        The blocks that can be reached, by the offset of their first instruction (negative for detours), and the number
        of instructions. The entry is block 0.
    """
    listing = _listing(machine)
    result = machine.extra
    while machine.pending:
        start = machine.pending.pop()
        result[start] = _block(machine, table, listing, start)
    return result, len(listing.rows)


def _listing(machine: Machine) -> Listing:
    code = machine.code
    words = code.co_code
    rows: list[tuple[int, int, int, int, Position | None]] = []
    row_at: dict[int, int] = {}
    leaders = bytearray(len(words) // 2 + 1)
    start, prefix = 0, 0
    after_jump = False
    position: Position | None = None
    for offset, (opcode, low, here) in enumerate(zip(words[::2], words[1::2], code.co_positions(), strict=True)):
        if opcode == CACHE:
            start = offset + 1
            continue
        argument = prefix << 8 | low
        if opcode == EXTENDED_ARG:
            prefix = argument
            continue
        if here != position:
            position = here
        if after_jump:
            leaders[start] = 1
        jump = _jump(opcode)
        after_jump = jump is not None
        target = -1
        if jump is not None:
            target = offset + jump[0] + jump[1] * argument
            leaders[target] = 1
        row_at[start] = len(rows)
        rows.append((start, opcode, argument, target, position))
        start, prefix = offset + 1, 0
    covered: dict[int, tuple[int, int]] = {}
    for entry in ConcreteBytecode()._parse_exception_table(code.co_exceptiontable) if code.co_exceptiontable else ():
        first, stop, target, depth = entry.start_offset, entry.stop_offset + 1, entry.target, entry.stack_depth
        leaders[first] = leaders[stop] = leaders[target] = 1
        landing = machine.base + depth
        handler = Handler(landing + entry.push_lasti, landing if entry.push_lasti else None, depth)
        if machine.handlers.setdefault(target, handler) != handler:
            raise FrontendError(f"two stacks at the handler at offset {target}", code)
        for n in range(first, stop):
            covered[n] = target, depth
    return Listing(rows, row_at, leaders, covered)


@functools.cache
def _jump(opcode: int) -> tuple[int, int] | None:
    """Where a jump goes from its last code unit: so far, and as many times its argument further; None for others."""
    if opcode not in hasjrel:
        return None
    nearest, next_one = (ConcreteInstr(opname[opcode], argument).get_jump_target(0) for argument in (0, 1))
    assert nearest is not None and next_one is not None
    return nearest, next_one - nearest


def _block(machine: Machine, table: Sequence[Execute | None], listing: Listing, start: int) -> Block:
    """Runs the machine from a block's first instruction to its end."""
    rows, leaders = listing.rows, listing.leaders
    machine.begin(start)
    row = listing.row_at[start]
    location = None
    while machine.end is None:
        offset, opcode, argument, machine.target, position = rows[row]
        if leaders[offset] and offset != start:
            machine.goto(offset)
            break
        row += 1
        if position is not location:
            location = position
            machine.span = Span(*position) if position is not None else NOWHERE
        execute = table[opcode]
        if execute is None:
            machine.unsupported(opname[opcode])
        else:
            if machine.target >= 0 and row < len(rows):
                machine.following = rows[row][0]
            execute(machine, argument)
    ops, end = machine.ops, machine.end
    assert end is not None
    raises = any(op.kind in RAISING for op in ops)
    steps = end.kind in ("for", "send")
    handler = None
    if start in listing.covered and (raises or steps):
        handler, depth = listing.covered[start]
        machine.nulls &= (1 << depth) - 1
        machine.flow(handler, machine.handlers[handler].exception - machine.base + 1)
        if steps:
            end.handler = handler
    return Block([Segment(ops, handler if raises else None, raises)] if ops else [], end)
