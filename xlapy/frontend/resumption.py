"""Generators as state machines: a program that runs from one `yield` to the next.

The graph of a generator is cut at each `yield`. What follows a `yield` becomes an entry of its own, and a new first
block branches to one of the entries by a register, the *state*: 0 before the start, k after the k-th `yield` of the
text, -1 at the end. A run ends with the tag `RETURN` when it has yielded, too; the state tells which it was.

Cutting a loop can leave cycles with two entries, which are taken apart like others (see `splitting`).
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from types import CodeType

from xlapy.frontend.compile import REMEMBERED, program_of
from xlapy.frontend.decode import Machine, blocks
from xlapy.frontend.duplicates import merge_duplicates
from xlapy.frontend.graph import (
    Block,
    End,
    Segment,
    copied,
    ordered,
    simplified,
    thread,
)
from xlapy.frontend.liveness import live_at_entry, registers_of
from xlapy.frontend.program import Op, Program, Span
from xlapy.frontend.versions import TABLE

START, FINISHED = 0, -1
#: operations that a generator may have when its loops are taken apart
_MOST = 20_000

_resumable: OrderedDict[int, Resumable] = OrderedDict()


@dataclass(frozen=True, eq=False)
class Resumable:
    """A generator that can be advanced step by step.

    Attributes:
        program: runs from one suspension to the next.
        state: the register of the state.
        value: the register of what is yielded.
        saved: the registers that are kept from one run to the next.
        cleans_up: whether something has to run where it is abandoned (`finally`, `with`, `except` around a `yield`).
    """

    program: Program
    state: int
    value: int
    saved: tuple[int, ...]
    cleans_up: bool


def resumable(code: CodeType) -> Resumable:
    """The state machine of a generator's code object, remembered like `structured`.

    Raises:
        FrontendError: its control flow is too tangled.
    """
    key = id(code)
    found = _resumable.get(key)
    if found is None:
        found = _resumable[key] = _Cut(code).run()
        if len(_resumable) > REMEMBERED:
            _resumable.popitem(last=False)
    return found


class _Cut:
    def __init__(self, code: CodeType) -> None:
        self.code = code
        self.machine = Machine(code)
        self.blocks, self.instructions = blocks(self.machine, TABLE)
        thread(self.blocks)
        if merge_duplicates(self.blocks, 0):
            thread(self.blocks)
        self.fresh = min(self.blocks) - 1
        first = self.machine.scratch + self.machine.scratch_used
        self.state, self.value, self.test = first, first + 1, first + 2
        self.machine.scratch_used += 3
        self.cleans_up = False

    def run(self) -> Resumable:
        """The whole transformation."""
        start = self._start()
        resumed = self._split()
        live = self._live(resumed)
        kept = sorted(set().union(*live.values(), self._kept_at_start()) if live else self._kept_at_start())
        for number, (block, resume) in enumerate(resumed, 1):
            self._suspend(block, number, live[resume], kept)
        for block in self.blocks.values():
            if block.end.kind == "return":
                self._finish(block, kept)
        entry = self._dispatch(start, [resume for _, resume in resumed], kept)
        graph = simplified(self.blocks, entry, self.machine.handlers)
        special = {self.state, self.value, self.machine.return_register}
        program = program_of(graph, self.machine, self.instructions, _MOST, frozenset({*kept, *special}))
        return Resumable(program, self.state, self.value, tuple(kept), self.cleans_up)

    def _block(self, ops: list[Op], end: End, handler: int | None = None, raises: bool = False) -> int:
        number, self.fresh = self.fresh, self.fresh - 1
        self.blocks[number] = Block([Segment(ops, handler, raises)] if ops else [], end)
        return number

    def _kept_at_start(self) -> set[int]:
        """The arguments and the free variables."""
        code = self.code
        count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4) + bool(code.co_flags & 8)
        names = self.machine.names
        return {*range(count), *range(len(names) - len(code.co_freevars), len(names))}

    def _start(self) -> int:
        """Where a generator begins that was not advanced yet: its variables are unbound."""
        unbound = tuple(sorted(set(range(len(self.machine.names))) - self._kept_at_start()))
        ops = [Op("unbind", unbound, (), None, Span())] if unbound else []
        ops.append(Op("resume", (self.test,), (), "start", Span()))
        return self._block(ops, End("goto", [0]), None, True)

    def _split(self) -> list[tuple[int, int]]:
        """Cuts blocks behind each `yield`: the blocks that end in one, each with the block that goes on."""
        delegating = {block.end.targets[0] for block in self.blocks.values() if block.end.kind == "send"}
        found: list[tuple[int, int]] = []
        todo = sorted(self.blocks, reverse=True)
        while todo:
            number = todo.pop()
            block = self.blocks[number]
            place = next(
                ((s, i) for s, g in enumerate(block.segments) for i, op in enumerate(g.ops) if op.kind == "yield"), None
            )
            if place is None:
                continue
            which, index = place
            segment = block.segments[which]
            op = segment.ops[index]
            rest = Segment(
                [
                    Op("resume", op.dst, (), "delegated" if number in delegating else None, op.span),
                    *segment.ops[index + 1 :],
                ],
                segment.handler,
                True,
            )
            resume = self._block([], block.end)
            self.blocks[resume].segments = [rest, *block.segments[which + 1 :]]
            before = [*segment.ops[:index], Op("move", (self.value,), op.args, None, op.span)]
            block.segments = [*block.segments[:which], Segment(before, segment.handler, segment.raises)]
            block.end = End("goto", [resume], span=op.span)
            self.cleans_up = self.cleans_up or self._protects(segment.handler)
            found.append((number, resume))
            todo.append(resume)
        return found

    def _protects(self, handler: int | None) -> bool:
        """Whether a handler is one of the program's own, and not CPython's conversion of StopIteration."""
        if handler is None:
            return False
        kinds = [op.kind for segment in self.blocks[handler].segments for op in segment.ops]
        return "intrinsic" not in kinds[:2] and kinds[:1] != ["cleanup_throw"]

    def _live(self, resumed: list[tuple[int, int]]) -> dict[int, set[int]]:
        """The registers that are live where a generator goes on."""
        entry, index = ordered(copied(self.blocks), 0, self.machine.handlers)
        live = live_at_entry(entry, self.machine.return_register)
        own = {self.state, self.value, self.machine.return_register}
        return {resume: set(registers_of(live[index[resume]])) - own for _, resume in resumed if resume in index} | {
            resume: set() for _, resume in resumed if resume not in index
        }

    def _suspend(self, number: int, state: int, live: set[int], kept: list[int]) -> None:
        block = self.blocks[number]
        dead = tuple(r for r in (*kept, self.machine.return_register) if r not in live)
        ops = [Op("set_state", (self.state,), (), state, block.end.span)]
        if dead:
            ops.append(Op("kill", dead, (), None, block.end.span))
        self._append(block, ops)
        block.end = End(
            "suspend", [], (self.state, self.value, self.machine.return_register, *kept), span=block.end.span
        )

    def _finish(self, block: Block, kept: list[int]) -> None:
        ops = [Op("set_state", (self.state,), (), FINISHED, block.end.span)]
        ops.append(Op("kill", (self.value, *kept), (), None, block.end.span))
        self._append(block, ops)
        block.end = End(
            "suspend", [], (self.state, self.value, self.machine.return_register, *kept), span=block.end.span
        )

    @staticmethod
    def _append(block: Block, ops: list[Op]) -> None:
        """Operations that do not raise, at the end of a block."""
        if block.segments:
            block.segments[-1].ops = [*block.segments[-1].ops, *ops]
        else:
            block.segments = [Segment(ops, None, False)]

    def _dispatch(self, start: int, entries: list[int], kept: list[int]) -> int:
        """The first block: to the entry that the state says."""
        none = Op("const", (self.machine.return_register,), (), None, Span())
        ended = Op("resume", (self.test,), (), "ended", Span())
        last = self._block([ended, none], End("return", []), None, True)
        self._finish(self.blocks[last], kept)
        for number, target in reversed(list(enumerate([start, *entries]))):
            test = Op("is_state", (self.test,), (self.state,), number, Span())
            last = self._block([test], End("true", [target, last], (self.test,)))
        return last
