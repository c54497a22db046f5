"""One activation of a Python function under abstract interpretation."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

from xlapy.domain.values import DEAD, NONE, UNBOUND, Ref, Value, is_none
from xlapy.frontend import Fused, Member, Op, Program, Span
from xlapy.ir import Location, Var

#: a key for "this place in the program, reached by these calls and unrolled iterations"
Path = tuple[object, ...]


class Tag(NamedTuple):
    """Where control is to go: one of `labels`; `var` tells which, unless there is only one."""

    labels: frozenset[int]
    var: Var | None = None

    @property
    def label(self) -> int | None:
        """The label, if it is known."""
        return next(iter(self.labels)) if len(self.labels) == 1 else None

    @property
    def selector(self) -> Var:
        """What tells which of several labels it is."""
        assert self.var is not None
        return self.var


@functools.cache
def static_tag(label: int) -> Tag:
    """A tag that is known."""
    return Tag(frozenset((label,)))


NO_SPAN = Span(None, None, None, None)


@dataclass(slots=True, eq=False)
class Frame:
    """Registers and position of one activation. The last register holds the exception that leaves the frame."""

    program: Program
    globals: int
    path: Path
    caller: Location | None
    registers: list[Value]
    function: Value | None = None
    tag: Tag | None = None
    span: Span = NO_SPAN
    handled: Value = NONE
    #: the namespace of a class body
    namespace: int | None = None
    #: the dict that `locals()` of a function gives, if its code names that
    variables: Ref | None = None
    _location: Location | None = None
    _located: Span | None = None
    unrolled: tuple[int, ...] = field(default=())
    #: the nesting of regions where the call is
    region_depth: int = 0
    #: the nesting of regions outside of all branches of the frame, if it is run from its beginning to its end at once
    base_depth: int = -1
    #: what a `yield` of a generator's frame does with its value
    on_yield: Callable[[Value], None] | None = None
    #: whether the consumer of a generator's frame may close it at a `yield`
    may_close: bool = False
    #: what may be called in the place of a built-in that goes through a generator expression in this moment
    fused: Fused | None = None
    #: what is sent to a generator's frame, or thrown at it, where it goes on
    sent: Value = NONE
    thrown: Value | None = None
    #: of a function that calls itself in a loop: whether it is a call from outside, which is a case of its own
    peeled: bool = False
    #: of a function that calls itself in a loop: the states in which activations are suspended, and where they could go
    #: on in which of them, but did not when that was last looked into
    suspended: set[int] = field(default_factory=set)
    not_gone_on: set[tuple[int, int]] = field(default_factory=set)
    #: for each label that control went to: what kinds of values the registers without a name had then
    arrivals: dict[int, dict[int, set[object]]] = field(default_factory=dict)

    @property
    def exception_register(self) -> int:
        """Where the exception is when the tag is RAISE."""
        return len(self.registers) - 1

    @property
    def code(self) -> CodeType:
        """The code that is being executed: the program's own, or that of another member of it."""
        return self.span.code or self.program.code

    @property
    def member(self) -> Member:
        """The member of the program that is being executed."""
        member = self.program.member(self.code)
        assert member is not None
        return member

    def go(self, labels: frozenset[int]) -> None:
        """Control goes to one of these labels, at which no exception may be handled any more."""
        if labels <= self.program.unhandled:
            self.handled = NONE

    def enter(self, op: Op) -> None:
        """Note that `op` is being executed, for locations."""
        self.span = op.span

    def location(self) -> Location:
        """The place in the source that is being executed."""
        if self._located is not self.span or self._location is None:
            span, code = self.span, self.code
            self._location = Location(
                code.co_filename, code.co_qualname, span.line, span.end_line, span.col, span.end_col, self.caller
            )
            self._located = span
        return self._location


def new_frame(program: Program, globals_: int, path: Path, caller: Location | None) -> Frame:
    """A frame with all registers unbound."""
    registers: list[Value] = [UNBOUND] * (program.registers + 1)
    registers[-1] = DEAD
    return Frame(program, globals_, path, caller, registers)


def handled_by(frames: Sequence[Frame]) -> Value:
    """The exception that is being handled in the innermost of these frames that handles one, or None."""
    return next((frame.handled for frame in reversed(frames) if not is_none(frame.handled)), NONE)


def call_path(caller: Frame) -> tuple:
    """How a frame that `caller` calls now is told from others: by the calls that lead to it, and the iterations of
    unrolled loops in which they are made."""
    return (*caller.path, id(caller.span), caller.unrolled)


def place_of(key: tuple) -> tuple:
    """What the key of a loop has in common with that of the same loop in other iterations, and deeper in a
    recursion."""
    node, path, _ = key
    return (node, tuple(dict.fromkeys(part for part in path if not isinstance(part, tuple))))
