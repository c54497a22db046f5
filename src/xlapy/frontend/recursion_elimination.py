"""Functions that call themselves, or each other, as loops over a list of suspended activations.

The graphs of these functions, the *members*, are put together in one and cut at the calls by which they call each
other. In the place of such a call its arguments are bound, the registers that are needed afterwards are put on a list
of *frames* with the number of the call, and control goes to the beginning of the function that is called. A `return`
takes the last frame from the list, if there is one, and goes on behind the call that it came from. All of that is one
loop, whose head branches by a register, the *state*: k for what follows the k-th call, 0 for the beginning of the first
member, and negative numbers for those of the others.

A handler around such a call gets what the activations within have raised: an exception that none of them handles takes
the frames from the list, one after the other, and is raised where each was suspended.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import CodeType
from typing import NamedTuple

from xlapy.frontend.block_splitting import MOST_OPERATIONS, Added, Cut
from xlapy.frontend.compile import REMEMBERED, member_of, program_of
from xlapy.frontend.decode import arguments_and_free_variables_of, fast_names
from xlapy.frontend.generator_fusion import Fused, assigned_in, fuse
from xlapy.frontend.graph import Block, End, Segment, handled_at, simplified
from xlapy.frontend.liveness import landed, registers_of
from xlapy.frontend.program import FrontendError, Handler, Member, Op, Program, Span

BEGINNING = 0
_CALLS = ("call", "call_ex")
_LOADS = ("load", "load_bound", "load_deref", "load_global")


class Call(NamedTuple):
    """A call of a function by another one, or by itself: the code of both, and where in the first it is made. What is
    called may be a built-in function that goes through a generator expression."""

    code: CodeType
    span: Span
    callee: CodeType | Fused


class NoCall(FrontendError):
    """Where a function is called there is no call in its caller's text: it is an operator, or the step of a loop."""


_programs: OrderedDict[tuple[int, frozenset[Call]], tuple[CodeType, Program]] = OrderedDict()


def recursive(code: CodeType, calls: frozenset[Call]) -> Program:
    """The program of a function and of those that it is called by again, which may call each other at these places,
    remembered like `structured`.

    Raises:
        FrontendError: its control flow is too tangled, or there is no call in one of the places.
    """
    key = id(code), calls
    found = _programs.get(key)
    if found is None:
        found = _programs[key] = code, _Looped(code, calls).run()
        if len(_programs) > REMEMBERED:
            _programs.popitem(last=False)
    return found[1]


@dataclass(frozen=True, eq=False)
class _Function:
    """A member.

    Attributes:
        code: its code.
        parts: what its blocks are of; empty for the one that is called from outside.
        named: the registers of its variables.
        unbound: what leaves those without a value that are no arguments.
        entry: the block that it begins with.
        state: the state for that.
        parameters: the registers of its arguments, and of its free variables unless they are always the same.
        bound: those that its caller binds, one for each parameter.
        ends: how blocks end that return.
        returns: the register of what it returns.
        returned: the register of what it has returned.
        read: of `bound`, the places of cells whose variables are not assigned to.
    """

    code: CodeType | Fused
    parts: tuple[Added, ...]
    named: frozenset[int]
    unbound: list[Op]
    entry: int
    state: int
    parameters: tuple[int, ...]
    bound: tuple[int, ...]
    ends: tuple[End, ...]
    returns: int
    returned: int
    read: tuple[int, ...] = ()

    def begin(self) -> list[Op]:
        """What an activation begins with."""
        moved = [Op("move", (p,), (b,), None, Span()) for p, b in zip(self.parameters, self.bound, strict=True)]
        kill = [Op("kill", self.bound, (), None, Span())] if self.bound else []
        return [*self.unbound, *moved, *kill]

    def members(self) -> list[Member]:
        """What its operations are said to be of."""
        shown = [self.parts[-1]] if isinstance(self.code, Fused) else self.parts
        return [member_of(part.code, part.first) for part in shown]


@dataclass(frozen=True)
class _Site:
    """A call that may be one of a member: the block that ends with it, the block that goes on behind it, the operation,
    its handler, the registers that are needed if it returns and if it raises, and whether an exception is being handled
    there."""

    block: int
    after: int
    op: Op
    handler: int | None
    returned: frozenset[int]
    raised: frozenset[int]
    handles: bool

    @property
    def live(self) -> frozenset[int]:
        """The registers that an activation goes on with."""
        return self.returned | self.raised


class _Looped(Cut):
    """A variable has one place in all frames; a slot of the value stack, which means something else behind each call,
    one for each call."""

    def __init__(self, code: CodeType, calls: frozenset[Call]) -> None:
        super().__init__(code, 7)
        self.frames, self.known, self.state, self.test, self.raised, self.result, self.nothing = self.own
        called = {call.callee: _place(call, code) for call in reversed(_sorted(calls)) if call.callee is not code}
        self.first = self._first()
        others = enumerate(reversed(called.items()), 1)
        self.functions = [self.first, *(self._other(callee, span, -i) for i, (callee, span) in others)]
        calls = self._with_like(calls)
        sites = self._sites({_place(call, code) for call in calls})
        #: the calls by their states, from 1 on: the place, and the function that is called there
        self.calls: list[tuple[_Site, _Function]] = []
        for call in _sorted(calls):
            # what is done in `finally` is in the bytecode once for each way to it
            found = [site for site in sites if site.op.span == _place(call, code)]
            if not found:
                called_code = call.callee.generator if isinstance(call.callee, Fused) else call.callee
                raise NoCall(f"no call of '{called_code.co_qualname}'", call.code, call.span.line)
            callee = next(f for f in self.functions if f.code == call.callee)
            self.calls += ((site, callee) for site in found)
        needed = sorted(set().union(*(site.live for site in sites)))
        named = [r for r in needed if self._is_named(r)]
        #: what lies where in a frame: for each place a register of its own, since what has been restored for the next
        #: iteration is another object than what the variable has where this iteration goes on elsewhere
        self.places: list[int] = list(self.scratch(len(named)))
        #: for each place of a call, the places of what is needed after it
        self.slots: dict[int, dict[int, int]] = {}
        place_of = dict(zip(named, self.places, strict=True))
        for site in sites:
            slots = sorted(r for r in site.live if not self._is_named(r))
            scratch = dict(zip(slots, self.scratch(len(slots)), strict=True))
            self.places += scratch.values()
            self.slots[site.block] = {r: place_of[r] for r in named if r in site.live} | scratch
        self.sites = sites

    def _first(self) -> _Function:
        """The function that is called from outside: its free variables are the same ones in all activations."""
        arguments, free = arguments_and_free_variables_of(self.code)
        returns = self.machine.return_register
        self.own += (returns, *free)
        ends = tuple(block.end for block in self.blocks.values() if block.end.kind == "return")
        named = frozenset(range(len(fast_names(self.code))))
        bound, parameters = self.scratch(len(arguments)), tuple(arguments)
        unbound = self.unbind(self.code)
        return _Function(
            self.code, (), named, unbound, 0, BEGINNING, parameters, bound, ends, returns, returned=returns
        )

    def _other(self, code: CodeType | Fused, span: Span, state: int) -> _Function:
        """Another function, which is called with the cells of its free variables as well; one of the places is
        `span`."""
        parts = fuse(self, code, span) if isinstance(code, Fused) else (self.add(code),)
        begun = parts[0]
        parameters = tuple(r for part in parts for r in (*part.arguments(), *part.frees()))
        if isinstance(code, Fused):
            # not what the built-in goes through, but what the generator expression does
            parameters = parameters[1:]
        (returned,) = self.scratch(1)
        self.own += (returned,)
        function = _Function(
            code,
            parts,
            frozenset(r for part in parts for r in part.named()),
            self.unbind(begun.code, begun.first),
            begun.entry,
            state,
            parameters,
            self.scratch(len(parameters)),
            begun.ends,
            begun.returns,
            returned,
            self._read(code, parameters),
        )
        for block in self.returning(function.ends):
            self.append(block, [Op("move", (returned,), (function.returns,), None, block.end.span)])
        return function

    @staticmethod
    def _read(code: CodeType | Fused, parameters: tuple[int, ...]) -> tuple[int, ...]:
        """Of the parameters, the places of free variables that a generator expression does not assign to. The function
        that it is in waits for it: the two need not have the same cell."""
        if not isinstance(code, Fused):
            return ()
        names, first = code.generator.co_freevars, len(parameters) - len(code.generator.co_freevars)
        assigned = assigned_in(code.generator)
        return tuple(first + k for k, name in enumerate(names) if name not in assigned)

    def _with_like(self, calls: frozenset[Call]) -> frozenset[Call]:
        """These calls, and those in other places of what has the same name: it is the same function in all likelihood,
        which the analysis would have to find out one by one."""
        written: dict[Span, object] = {}
        for block in self.blocks.values():
            loaded: dict[int, object] = {}
            for op in (op for segment in block.segments for op in segment.ops):
                name = None
                if op.kind in _CALLS:
                    written[op.span] = loaded.get(op.args[0])
                elif op.kind == "move" or op.kind == "getattr" and op.args[0] in loaded:
                    name = loaded.get(op.args[0]) if op.kind == "move" else (op.imm, loaded[op.args[0]])
                elif op.kind in _LOADS:
                    name = op.imm
                loaded |= dict.fromkeys(op.dst, name)
        of_functions = [call for call in calls if not isinstance(call.callee, Fused)]
        known = {name: c.callee for c in of_functions if (name := written.get(_place(c, self.code))) is not None}
        like = (
            Call(span.code or self.code, replace(span, code=None), known[name])
            for span, name in written.items()
            if name in known and span.line is not None
        )
        return calls.union(like)

    def _is_named(self, register: int) -> bool:
        return any(register in function.named for function in self.functions)

    def _sites(self, places: set[Span]) -> list[_Site]:
        sites = self.split(lambda op: op.kind in _CALLS and op.span in places)
        for block, _, op, handler in sites:
            self.append(self.blocks[block], [op], handler, True)
        all_of_them = self.block([], End("goto", [function.entry for function in self.functions]))
        wanted = [n for _, resume, _, handler in sites for n in (resume, handler) if n is not None]
        live = self.live(wanted, {*self.own}, all_of_them)
        del self.blocks[all_of_them]
        handled = handled_at(self.blocks, [function.entry for function in self.functions])
        for block, *_ in sites:
            self.blocks[block].segments[-1].ops = self.blocks[block].segments[-1].ops[:-1]
        found = []
        for block, resume, op, handler in sites:
            returned, raised = live[resume] - {*op.dst}, set()
            if handler is not None:
                raised = live[handler] - registers_of(landed(self.machine.handlers[handler]))
            handles = handled.get(resume, 0) != 0
            found.append(_Site(block, resume, op, handler, frozenset(returned), frozenset(raised), handles))
        return found

    def run(self) -> Program:
        """The whole transformation."""
        ends = [block for function in self.functions for block in self.returning(function.ends)]
        #: the block to which exceptions go that no handler gets; None if there is none around a call
        self.unwind: int | None = None
        if any(site.handler is not None for site in self.sites):
            self.unwind = self.block([], End("goto", [0]))
            self.machine.handlers[self.unwind] = Handler(self.raised, None, 0)
        head = self._head()
        for site in self.sites:
            self._suspend(site, head)
        for block in ends:
            self._return(block, head)
        if self.unwind is not None:
            self._unwind(head)
        function = self.first
        start = [
            Op("frames", (self.frames, self.known), (), None, Span()),
            *(Op("move", (b,), (p,), None, Span()) for p, b in zip(function.parameters, function.bound, strict=True)),
            self._forget({self.nothing, self.raised, *(r for f in self.functions[1:] for r in f.bound)}, Span()),
            Op("const", (self.state,), (), BEGINNING, Span()),
        ]
        entry = self.block(start, End("goto", [head]))
        graph = simplified(self.blocks, entry, self.machine.handlers)
        others = [member for function in self.functions[1:] for member in function.members()]
        return program_of(graph, self.machine, self.instructions, MOST_OPERATIONS, others=others)

    def _forget(self, more: set[int], span: Span) -> Op:
        """What a new activation finds nothing in: an argument that is a cell's lies elsewhere until it is made one."""
        registers = {*self.places, *(r for f in self.functions for r in (*f.parameters, f.returned))} | more
        return Op("kill", tuple(sorted(registers | self._used())), (), None, span)

    def _used(self) -> set[int]:
        """What an activation goes on with: another one finds nothing there, though its handlers may seem to look."""
        return {r for slots in self.slots.values() for r in slots}

    def _by_state(self, targets: Sequence[tuple[int, tuple[int, ...], int]]) -> int:
        """A block from which control goes where the state says: for each state the registers that are needed there, and
        the block to go to."""
        state, needed, chosen = targets[-1]
        others: tuple = ((state, needed),)
        for state, needed, target in reversed(targets[:-1]):
            test = Op("goes_on", (self.test,), (self.state,), ((state, needed), others), Span())
            chosen = self.block([test], End("true", [target, chosen], (self.test,)))
            others = ((state, needed), *others)
        return chosen

    def _needed(self, site: _Site, registers: frozenset[int]) -> tuple[int, ...]:
        """The places from which an activation takes these registers."""
        slots = self.slots[site.block]
        return tuple(slots[r] for r in sorted(registers))

    def _restored(self, site: _Site) -> list[Op]:
        """Variables and the slots of the value stack as they were at a call."""
        return [Op("move", (r,), (place,), None, Span()) for r, place in self.slots[site.block].items()]

    def _head(self) -> int:
        """The head of the loop: to the beginning, or to what follows a call."""
        targets = [(f.state, f.bound, self.block(f.begin(), End("goto", [f.entry]))) for f in self.functions]
        if self.unwind is not None:
            targets += self._raised(self.unwind)
        for number, (site, callee) in enumerate(self.calls, 1):
            returned = Op("move", site.op.dst, (callee.returned,), None, site.op.span)
            after = self.block([*self._restored(site), returned], End("goto", [site.after]))
            targets.append((number, (*self._needed(site, site.returned), callee.returned), after))
        # the head of a loop of its own, which nothing is merged with
        return self.block([], End("goto", [self._by_state(targets)]))

    def _suspend(self, site: _Site, head: int) -> None:
        """In the place of a call: if it is one of a member, to the beginning of that with other arguments."""
        block, op = self.blocks[site.block], site.op
        calls = [(number, callee) for number, (s, callee) in enumerate(self.calls, 1) if s is site]
        given = [register for _, callee in calls for register in callee.bound]
        expected = tuple((callee.code, callee.state, len(callee.bound)) for _, callee in calls)
        imm = (op.kind, op.imm, expected)
        enter = Op("enter", (self.test, self.state, self.result, *given), op.args, imm, op.span)
        self.append(block, [enter], site.handler, True)
        slots = {place: r for r, place in self.slots[site.block].items()}
        held = [slots.get(place, self.nothing) for place in self.places]
        deeper = [Op("check_depth", (), (self.frames,), None, op.span)]
        targets = []
        for number, callee in calls:
            suspend = [
                Op(
                    "suspend",
                    (),
                    (self.frames, self.known, *held),
                    (
                        (number, len(self.calls) + number),
                        callee.bound,
                        callee.read,
                        site.handles,
                        len(self.calls) == 1,
                    ),
                    op.span,
                ),
                self._forget({self.result, self.raised}, op.span),
                Op("const", (self.state,), (), callee.state, Span()),
            ]
            again = self.block(deeper, End("goto", [head], span=op.span), site.handler, True)
            self.blocks[again].segments.append(Segment(suspend, None, True))
            targets.append((callee.state, (), again))
        other = self.block([Op("move", op.dst, (self.result,), None, op.span)], End("goto", [site.after], span=op.span))
        block.end = End("true", [self._by_state(targets), other], (self.test,), span=op.span)

    def _take(self, span: Span, more: int = 0, but: set[int] | None = None) -> list[Op]:
        """What takes a frame from the list; `more` is added to its state. An exception is no longer known, unless it is
        in one of the registers `but`."""
        used = (self._used() | {self.raised}) - (but or set())
        forget = Op("kill", tuple(sorted(used)), (), None, span)
        return [forget, Op("restore", (self.state, *self.places), (self.frames, self.known), more, span)]

    def _return(self, block: Block, head: int) -> None:
        """In the place of a `return`: to what follows the call, if there was one."""
        span = block.end.span
        self.append(block, [Op("truth", (self.test,), (self.frames,), None, span)], None, True)
        last = self.block([], End("return", [], span=span))
        back = self.block([*self._take(span)], End("goto", [head], span=span))
        block.end = End("true", [back, last], (self.test,), span=span)

    def _raised(self, unwind: int) -> list[tuple[int, tuple[int, ...], int]]:
        """As `_by_state` takes them: where exceptions go that the activation which a call made has not handled."""
        again = self.block([Op("reraise", (), (self.raised,), None, Span())], End("stop", []), unwind, True)
        targets = []
        for number, (site, _) in enumerate(self.calls, 1):
            target = again
            if site.handler is not None:
                raised = Op("reraise", (), (self.raised,), None, site.op.span)
                target = self.block([raised], End("stop", []), site.handler, True)
                if restored := self._restored(site):
                    self.blocks[target].segments.insert(0, Segment(restored, None, False))
            needed = (*self._needed(site, site.raised), self.raised)
            targets.append((len(self.calls) + number, needed, target))
        return targets

    def _unwind(self, head: int) -> None:
        """Where exceptions go that an activation does not handle: to the call before."""
        assert self.unwind is not None
        caught = [block for number, block in self.blocks.items() if number != self.unwind]
        for block in caught:
            for segment in block.segments:
                if segment.raises and segment.handler is None:
                    segment.handler = self.unwind
            if block.end.kind in ("for", "send") and block.end.handler is None:
                block.end.handler = self.unwind
        again = Op("reraise", (), (self.raised,), None, Span())
        last = self.block([again], End("stop", []), None, True)
        back = self.block(self._take(Span(), len(self.calls), {self.raised}), End("goto", [head]))
        test = Op("truth", (self.test,), (self.frames,), None, Span())
        segment = Segment([Op("unhandle", (), (), None, Span()), test], None, False)
        self.blocks[self.unwind] = Block([segment], End("true", [back, last], (self.test,)))


def _place(call: Call, first: CodeType) -> Span:
    """Where a call is, in the graph of all members."""
    return call.span if call.code is first else replace(call.span, code=call.code)


def _sorted(calls: frozenset[Call]) -> list[Call]:
    """Calls in an order that is always the same."""

    def key(call: Call) -> tuple:
        callee = call.callee
        called = (callee.generator, callee.consumer) if isinstance(callee, Fused) else (callee,)
        codes = [(code.co_firstlineno, code.co_qualname) for code in (call.code, *called)]
        span = call.span
        return (*codes[:2], *(n or 0 for n in (span.line, span.col, span.end_line, span.end_col)))

    return sorted(calls, key=key)
