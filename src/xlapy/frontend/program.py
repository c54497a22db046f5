"""The structured program: what the frontend hands to the interpreter.

A program is a tree. Its leaves are straight-line `Code` over numbered *registers* (the value stack of CPython is gone);
its inner nodes are two-way branches, loops and guarded regions. Control flow that does not nest (``break``,
``continue``, ``return``, exceptions) is carried by one *exit tag*:

* The tag is empty at the start.
* Executing a `Seq`: an item that is not `Guarded` runs iff the tag is empty; a `Guarded` item runs iff the tag is its
  label, and clears the tag first.
* `Exit` sets the tag. `Code` leaves the tag empty, or sets it to its handler (`RAISE` if it has none) when an operation
  raises. Every path through an arm of an `If`, `For` or `Send` ends with the tag set.
* A `Loop` runs its body and repeats, clearing the tag, while the tag is its own label. After a `Loop` the tag is never
  the loop's label.
* When the tree is done the tag is `RETURN` (the value is in `Program.return_register`) or `RAISE`.

Registers are ints: first the fast locals of the frame (plain locals, cells, free variables; a cell that is an argument
keeps the argument's register, as in CPython), then one register for each slot of the value stack by depth, then the
return register, then scratch registers.

Nodes compare and hash by identity, so that an analysis may key its memory by node.
"""

from __future__ import annotations

from dataclasses import field
from types import CodeType
from typing import Literal

from xlapy.immutable import immutable

RETURN = 0
"""The tag of a program that has returned."""
RAISE = -1
"""The tag of a program that is left by an exception."""


class FrontendError(Exception):
    """A code object that cannot be decoded or structured; says where."""

    def __init__(self, message: str, code: CodeType, line: int | None = None) -> None:
        self.code = code
        self.line = line if line is not None else code.co_firstlineno
        super().__init__(f"{message} (in {code.co_qualname}, {code.co_filename}:{self.line})")


class TooTangled(FrontendError):
    """Cycles with several entries, which have to be copied to become loops."""


@immutable()
class Span:
    """A place in the source: lines from 1, columns in UTF-8 bytes from 0, as `CodeType.co_positions` gives them; `code`
    is what they are lines of, where that is not the code of the program but of another one of its members."""

    line: int | None = None
    end_line: int | None = None
    col: int | None = None
    end_col: int | None = None
    code: CodeType | None = None


@immutable(eq=False)
class Op:
    """One operation; `instruction_set.OPERATIONS` says for every kind what `dst`, `args` and `imm` are."""

    kind: str
    dst: tuple[int, ...]
    args: tuple[int, ...]
    imm: object
    span: Span


@immutable(eq=False)
class Code:
    """Straight-line operations. `handler` is the label to go to when one raises; None is `RAISE`. `prepared` is room
    for what an executor wants to know of the operations each time."""

    ops: tuple[Op, ...]
    handler: int | None
    prepared: list = field(default_factory=list, init=False, repr=False)


@immutable(eq=False)
class Seq:
    """Nodes in order; see the module's text for which of them run."""

    items: tuple[Node, ...]


@immutable(eq=False)
class If:
    """A branch. 'true' tests a register that always holds a `bool` (a `truth` or like operation precedes it);
    'none' tests whether the register `is None`. The test itself never raises."""

    test: Literal["true", "none"]
    reg: int
    then: Node
    orelse: Node
    span: Span


@immutable(eq=False)
class For:
    """One step of an iterator. `value` is written on the way to `body`; on the way to `exhausted` nothing is written.
    The iterator's ``__next__`` may raise, which goes to `handler`."""

    iterator: int
    value: int
    body: Node
    exhausted: Node
    handler: int | None
    span: Span


@immutable(eq=False)
class Send:
    """One step of ``yield from``: send the register `sent` to `receiver`. `value` is what it yields, on the way to
    `yielded`, or what it returned, on the way to `returned`."""

    receiver: int
    sent: int
    value: int
    yielded: Node
    returned: Node
    handler: int | None
    span: Span


@immutable(eq=False)
class Loop:
    """Run `body`; repeat while the tag is `label`."""

    label: int
    body: Node


@immutable(eq=False)
class Exit:
    """Set the tag."""

    label: int


@immutable(eq=False)
class Guarded:
    """Runs iff the tag is `label`, and clears it first."""

    label: int
    body: Node


Node = Code | Seq | If | For | Send | Loop | Exit | Guarded


@immutable()
class Handler:
    """What lands in registers when an exception enters a handler's label: the exception, for some handlers the offset
    of the raising instruction (`lasti`, used only by `reraise`); the stack is cut to `depth` slots below them."""

    exception: int
    lasti: int | None
    depth: int


@immutable()
class Member:
    """A code object whose operations are in a program: its first register, and those of `co_freevars`, in that
    order."""

    code: CodeType
    first: int
    frees: tuple[int, ...]


@immutable(eq=False)
class Program:
    """One code object, structured.

    Attributes:
        code: the code object.
        name: its qualified name.
        filename: the file of its source.
        registers: how many registers there are.
        register_names: the name of each register that is a local, a cell or a free variable; None for others.
        nlocals: the number of plain locals (`co_nlocals`); they are the first registers.
        cells: the registers of `co_cellvars`, in that order.
        members: the code object, and others that call it and that it calls (see `recursion_elimination`).
        return_register: where the result is when the tag is `RETURN`.
        body: the tree.
        live: the registers live at the entry of each label, stack registers included, exception edges counted.
            At a handler's label this includes the exception's register where it is used.
        handlers: for each label that is the handler of a `Code`, `For` or `Send`: where the exception lands.
        is_generator: whether a call makes a generator.
        labels: where in the source each label's block begins.
        unhandled: the labels at which no exception is being handled.
        instructions: how many bytecode instructions were decoded (for reports of speed).
    """

    code: CodeType
    name: str
    filename: str
    registers: int
    register_names: tuple[str | None, ...]
    nlocals: int
    cells: tuple[int, ...]
    members: tuple[Member, ...]
    return_register: int
    body: Node
    live: dict[int, frozenset[int]]
    handlers: dict[int, Handler]
    is_generator: bool
    labels: dict[int, Span]
    instructions: int
    unhandled: frozenset[int] = frozenset()

    @property
    def frees(self) -> tuple[int, ...]:
        """The registers of `co_freevars`, where the interpreter puts the closure's cells at entry."""
        return self.members[0].frees

    def member(self, code: CodeType) -> Member | None:
        """The member with this code."""
        return next((member for member in self.members if member.code is code), None)
