"""Generators as state machines: a program that runs from one `yield` to the next.

The graph of a generator is cut at each `yield`. What follows a `yield` becomes an entry of its own, and a new first
block branches to one of the entries by a register, the *state*: 0 before the start, k after the k-th `yield` of the
text, -1 at the end. A run ends with the tag `RETURN` when it has yielded, too; the state tells which it was.

Cutting a loop can leave cycles with two entries. Blocks are then copied until every cycle has one (node splitting;
S. Muchnick, "Advanced Compiler Design and Implementation", 1997, section 7.7).
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
    Graph,
    Segment,
    copied,
    copy_of,
    ordered,
    reverse_postorder,
    simplified,
    successors,
    thread,
)
from xlapy.frontend.liveness import live_at_entry, registers_of
from xlapy.frontend.program import FrontendError, Op, Program, Span
from xlapy.frontend.versions import TABLE

START, FINISHED = 0, -1
_MOST_BLOCKS = 2000

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
        graph = self._reducible(entry)
        special = {self.state, self.value, self.machine.return_register}
        program = program_of(graph, self.machine, self.instructions, frozenset({*kept, *special}))
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

    # -- node splitting -----------------------------------------------------------------------------------------------

    def _reducible(self, entry: int) -> Graph:
        """The graph, in which every cycle has one entry. Of a cycle with several, one stays; what leads from the others
        to it is copied for those who come from outside."""
        handlers = self.machine.handlers
        while True:
            edges = {n: successors(block) for n, block in self.blocks.items()}
            found = _tangled(edges, reverse_postorder(edges, entry), entry)
            if found is None:
                return simplified(self.blocks, entry, handlers)
            if len(self.blocks) > _MOST_BLOCKS:
                raise FrontendError("a generator whose control flow is too tangled to be resumed", self.code)
            self._copy_for_outsiders(edges, *found)

    def _copy_for_outsiders(self, edges: dict[int, list[int]], cycle: set[int], header: int, other: int) -> None:
        """Copies the part of a cycle around one of its entries, without the header, for the ways from outside."""
        inner = {n: [t for t in edges[n] if t in cycle and t != header] for n in cycle if n != header}
        part = next(c for c in components(inner) if other in c)
        twins = {}
        for n in part:
            twins[n], self.fresh = self.fresh, self.fresh - 1
        for n, twin in twins.items():
            self.blocks[twin] = copy_of(self.blocks[n])
            if n in self.machine.handlers:
                self.machine.handlers[twin] = self.machine.handlers[n]
            for target in part:
                _redirect(self.blocks[twin], target, twins[target])
        for n in [n for n in edges if n not in cycle and n not in twins.values()]:
            for target in part:
                _redirect(self.blocks[n], target, twins[target])


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
