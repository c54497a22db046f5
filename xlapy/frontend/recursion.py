"""Functions that call themselves as loops over a list of suspended activations.

The graph is cut at calls of the function by itself. In the place of such a call its arguments are bound, the registers
that are needed afterwards are put on a list of *frames* with the number of the call, and control goes to the beginning.
A `return` takes the last frame from the list, if there is one, and goes on behind the call that it came from. All of
that is one loop, whose head branches by a register, the *state*: 0 for the beginning, k for what follows the k-th call.

A handler around such a call gets what the activations within have raised: an exception that none of them handles takes
the frames from the list, one after the other, and is raised where each was suspended.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from types import CodeType

from xlapy.frontend.compile import REMEMBERED, program_of
from xlapy.frontend.cutting import MOST_OPERATIONS, Cut
from xlapy.frontend.graph import Block, End, Segment, simplified
from xlapy.frontend.liveness import landed, registers_of
from xlapy.frontend.program import Handler, Op, Program, Span

BEGINNING = 0
_CALLS = ("call", "call_ex")

_programs: OrderedDict[tuple[int, frozenset[Span]], tuple[CodeType, Program]] = OrderedDict()


def recursive(code: CodeType, calls: frozenset[Span]) -> Program:
    """The program of a function of which the calls at these places may be calls of itself, remembered like
    `structured`.

    Raises:
        FrontendError: its control flow is too tangled.
    """
    key = id(code), calls
    found = _programs.get(key)
    if found is None:
        found = _programs[key] = code, _Looped(code, calls).run()
        if len(_programs) > REMEMBERED:
            _programs.popitem(last=False)
    return found[1]


@dataclass(frozen=True)
class _Call:
    """A call that may be one of the function by itself: the block that ends with it, the block that goes on behind it,
    the operation, its handler, and the registers that are needed afterwards."""

    block: int
    after: int
    op: Op
    handler: int | None
    live: frozenset[int]


class _Looped(Cut):
    """A variable has one place in all frames; a slot of the value stack, which means something else behind each call,
    one for each call."""

    def __init__(self, code: CodeType, calls: frozenset[Span]) -> None:
        count = len(self.arguments_and_free_variables_of(code)) - len(code.co_freevars)
        super().__init__(code, count + 7)
        self.frames, self.known, self.state, self.test, self.raised, self.result, self.nothing, *self.bound = self.own
        self.parameters = range(count)
        self.first_free = len(self.machine.names) - len(code.co_freevars)
        self.calls = self._calls(calls)
        named = len(self.machine.names)
        needed = sorted(set().union(*(call.live for call in self.calls)))
        #: what lies where in a frame: for each place the register that is restored from it
        self.places: list[int] = [r for r in needed if r < named]
        #: for each call, the places of slots of the value stack
        self.slots: list[dict[int, int]] = []
        for call in self.calls:
            self.slots.append({r: self._scratch() for r in sorted(call.live) if r >= named})
            self.places += self.slots[-1].values()

    def _scratch(self) -> int:
        register = self.machine.scratch + self.machine.scratch_used
        self.machine.scratch_used += 1
        return register

    def _calls(self, spans: frozenset[Span]) -> list[_Call]:
        sites = self.split(lambda op: op.kind in _CALLS and op.span in spans)
        free = range(self.first_free, len(self.machine.names))
        own = {*self.own, self.machine.return_register, *free}
        for block, _, op, handler in sites:
            self.append(self.blocks[block], [op], handler, True)
        live = self.live([n for _, resume, _, handler in sites for n in (resume, handler) if n is not None], own)
        for block, *_ in sites:
            self.blocks[block].segments[-1].ops = self.blocks[block].segments[-1].ops[:-1]
        found = []
        for block, resume, op, handler in sites:
            needed = live[resume] - {*op.dst}
            if handler is not None:
                needed |= live[handler] - registers_of(landed(self.machine.handlers[handler]))
            found.append(_Call(block, resume, op, handler, frozenset(needed)))
        return found

    def run(self) -> Program:
        """The whole transformation."""
        ends = [block for block in self.blocks.values() if block.end.kind == "return"]
        head = self._head()
        for number, call in enumerate(self.calls, 1):
            self._suspend(call, number, head)
        for block in ends:
            self._return(block, head)
        if any(call.handler is not None for call in self.calls):
            self._unwind()
        start = [
            Op("frames", (self.frames, self.known), (), None, Span()),
            *(Op("move", (b,), (p,), None, Span()) for p, b in zip(self.parameters, self.bound, strict=True)),
            self._forget({self.nothing}, Span()),
            self._to(BEGINNING),
        ]
        entry = self.block(start, End("goto", [head]))
        graph = simplified(self.blocks, entry, self.machine.handlers)
        return program_of(graph, self.machine, self.instructions, MOST_OPERATIONS)

    def _forget(self, more: set[int], span: Span) -> Op:
        """What a new activation finds nothing in: an argument that is a cell's lies elsewhere until it is made one."""
        registers = {*self.places, *self.parameters, self.machine.return_register} | more
        return Op("kill", tuple(sorted(registers)), (), None, span)

    def _to(self, state: int) -> Op:
        return Op("const", (self.state,), (), state, Span())

    def _by_state(self, targets: list[int], first: int) -> int:
        """A block from which control goes to one of `targets`, as the state says, which is `first` for the first."""
        chosen = targets[-1]
        for number, target in reversed(list(enumerate(targets[:-1], first))):
            test = Op("goes_on", (self.test,), (self.state,), number, Span())
            chosen = self.block([test], End("true", [target, chosen], (self.test,)))
        return chosen

    def _restored(self, number: int) -> list[Op]:
        """The slots of the value stack as they were at a call."""
        return [Op("move", (r,), (place,), None, Span()) for r, place in self.slots[number - 1].items()]

    def _head(self) -> int:
        """The head of the loop: to the beginning, or to what follows a call."""
        begin = self.unbind()
        begin += [Op("move", (p,), (b,), None, Span()) for p, b in zip(self.parameters, self.bound, strict=True)]
        begin += [Op("kill", tuple(self.bound), (), None, Span())] if self.bound else []
        targets = [self.block(begin, End("goto", [0]))]
        for number, call in enumerate(self.calls, 1):
            returned = Op("move", call.op.dst, (self.machine.return_register,), None, call.op.span)
            targets.append(self.block([*self._restored(number), returned], End("goto", [call.after])))
        # the head of a loop of its own, which nothing is merged with
        return self.block([], End("goto", [self._by_state(targets, BEGINNING)]))

    def _suspend(self, call: _Call, number: int, head: int) -> None:
        """In the place of a call: if the function calls itself, to its beginning with other arguments."""
        block, op = self.blocks[call.block], call.op
        enter = Op("enter", (self.test, self.result, *self.bound), op.args, (op.kind, op.imm), op.span)
        self.append(block, [enter], call.handler, True)
        slots = {place: r for r, place in self.slots[number - 1].items()}
        held = [r if r in call.live else slots.get(r, self.nothing) for r in self.places]
        suspend = [
            Op("suspend", (), (self.frames, self.known, *held, *self.bound), (number, len(held)), op.span),
            self._forget({self.result}, op.span),
            self._to(BEGINNING),
        ]
        deeper = Op("check_depth", (), (self.frames,), None, op.span)
        again = self.block([deeper], End("goto", [head], span=op.span), call.handler, True)
        self.blocks[again].segments.append(Segment(suspend, None, True))
        other = self.block([Op("move", op.dst, (self.result,), None, op.span)], End("goto", [call.after], span=op.span))
        block.end = End("true", [again, other], (self.test,), span=op.span)

    def _take(self, span: Span) -> Op:
        return Op("restore", (self.state, *self.places), (self.frames, self.known), None, span)

    def _return(self, block: Block, head: int) -> None:
        """In the place of a `return`: to what follows the call, if there was one."""
        span = block.end.span
        self.append(block, [Op("truth", (self.test,), (self.frames,), None, span)], None, True)
        last = self.block([], End("return", [], span=span))
        back = self.block([self._take(span)], End("goto", [head], span=span))
        block.end = End("true", [back, last], (self.test,), span=span)

    def _unwind(self) -> None:
        """Where exceptions go that an activation does not handle: to the call before."""
        caught = list(self.blocks.values())
        unwind = self.block([], End("goto", [0]))
        self.machine.handlers[unwind] = Handler(self.raised, None, 0)
        for block in caught:
            for segment in block.segments:
                if segment.raises and segment.handler is None:
                    segment.handler = unwind
            if block.end.kind in ("for", "send") and block.end.handler is None:
                block.end.handler = unwind
        again = Op("reraise", (), (self.raised,), None, Span())
        last = self.block([again], End("stop", []), None, True)
        targets = []
        for number, call in enumerate(self.calls, 1):
            segments = [Segment(ops, None, False) for ops in [self._restored(number)] if ops]
            raised = Op("reraise", (), (self.raised,), None, call.op.span)
            targets.append(self.block([raised], End("stop", []), call.handler or unwind, True))
            self.blocks[targets[-1]].segments[:0] = segments
        back = self.block([self._take(Span())], End("goto", [self._by_state(targets, 1)]))
        test = Op("truth", (self.test,), (self.frames,), None, Span())
        self.blocks[unwind] = Block([Segment([test], None, False)], End("true", [back, last], (self.test,)))
