"""Generators as state machines: a program that runs from one `yield` to the next.

The graph of a generator is cut at each `yield`. What follows a `yield` becomes an entry of its own, and a new first
block branches to one of the entries by a register, the *state*: 0 before the start, k after the k-th `yield` of the
text, -1 at the end. A run ends with the tag `RETURN` when it has yielded, too; the state tells which it was.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from types import CodeType

from xlapy.frontend.block_splitting import MOST_OPERATIONS, Cut
from xlapy.frontend.compile import REMEMBERED, program_of
from xlapy.frontend.graph import Block, End, Segment, simplified
from xlapy.frontend.program import Op, Program, Span

START, FINISHED = 0, -1

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


class _Cut(Cut):
    def __init__(self, code: CodeType) -> None:
        super().__init__(code, 3)
        self.state, self.value, self.test = self.own
        self.cleans_up = False

    def run(self) -> Resumable:
        """The whole transformation."""
        start = self._start()
        resumed = self._split()
        special = {self.state, self.value, self.machine.return_register}
        live = self.live([resume for _, resume in resumed], special)
        kept = sorted(set().union(*live.values(), self.arguments_and_free_variables()))
        for number, (block, resume) in enumerate(resumed, 1):
            self._suspend(block, number, live[resume], kept)
        for block in self.blocks.values():
            if block.end.kind == "return":
                self._finish(block, kept)
        entry = self._dispatch(start, [resume for _, resume in resumed], kept)
        graph = simplified(self.blocks, entry, self.machine.handlers)
        program = program_of(graph, self.machine, self.instructions, MOST_OPERATIONS, frozenset({*kept, *special}))
        return Resumable(program, self.state, self.value, tuple(kept), self.cleans_up)

    def _start(self) -> int:
        """Where a generator begins that was not advanced yet: its variables are unbound."""
        ops = [*self.unbind(self.code), Op("resume", (self.test,), (), "start", Span())]
        return self.block(ops, End("goto", [0]), None, True)

    def _split(self) -> list[tuple[int, int]]:
        """Cuts blocks behind each `yield`: the blocks that end in one, each with the block that goes on."""
        delegating = {block.end.targets[0] for block in self.blocks.values() if block.end.kind == "send"}
        found: list[tuple[int, int]] = []
        for number, resume, op, handler in self.split(lambda op: op.kind == "yield"):
            sent = Op("resume", op.dst, (), "delegated" if number in delegating else None, op.span)
            after = self.blocks[resume]
            if after.segments and after.segments[0].raises and after.segments[0].handler == handler:
                after.segments[0].ops.insert(0, sent)
            else:
                after.segments.insert(0, Segment([sent], handler, True))
            self.append(self.blocks[number], [Op("move", (self.value,), op.args, None, op.span)])
            self.cleans_up = self.cleans_up or self._protects(handler)
            found.append((number, resume))
        return found

    def _protects(self, handler: int | None) -> bool:
        """Whether a handler is one of the program's own, and not CPython's conversion of StopIteration."""
        if handler is None:
            return False
        kinds = [op.kind for segment in self.blocks[handler].segments for op in segment.ops]
        return "intrinsic" not in kinds[:2] and kinds[:1] != ["cleanup_throw"]

    def _suspend(self, number: int, state: int, live: set[int], kept: list[int]) -> None:
        block = self.blocks[number]
        dead = tuple(r for r in (*kept, self.machine.return_register) if r not in live)
        ops = [Op("set_state", (self.state,), (), state, block.end.span)]
        if dead:
            ops.append(Op("kill", dead, (), None, block.end.span))
        self.append(block, ops)
        block.end = End(
            "suspend", [], (self.state, self.value, self.machine.return_register, *kept), span=block.end.span
        )

    def _finish(self, block: Block, kept: list[int]) -> None:
        ops = [Op("set_state", (self.state,), (), FINISHED, block.end.span)]
        ops.append(Op("kill", (self.value, *kept), (), None, block.end.span))
        self.append(block, ops)
        block.end = End(
            "suspend", [], (self.state, self.value, self.machine.return_register, *kept), span=block.end.span
        )

    def _dispatch(self, start: int, entries: list[int], kept: list[int]) -> int:
        """The first block: to the entry that the state says."""
        none = Op("const", (self.machine.return_register,), (), None, Span())
        ended = Op("resume", (self.test,), (), "ended", Span())
        last = self.block([ended, none], End("return", []), None, True)
        self._finish(self.blocks[last], kept)
        for number, target in reversed(list(enumerate([start, *entries]))):
            test = Op("is_state", (self.test,), (self.state,), number, Span())
            last = self.block([test], End("true", [target, last], (self.test,)))
        return last
