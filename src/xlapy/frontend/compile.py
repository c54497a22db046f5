"""From a code object to its structured program, once per code object."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from types import CodeType

from xlapy.frontend.cleanups import without_detours
from xlapy.frontend.decode import NOWHERE, Machine, arguments_and_free_variables_of, blocks, fast_names
from xlapy.frontend.duplicates import merge_duplicates
from xlapy.frontend.graph import Block, Graph, dominators, handled_at, loops, simplified, thread
from xlapy.frontend.liveness import live_at_entry, registers_of
from xlapy.frontend.node_splitting import size, with_single_entries
from xlapy.frontend.program import RAISE, RETURN, Member, Program, Span, TooTangled
from xlapy.frontend.structure import label, tree
from xlapy.frontend.versions import TABLE

CO_GENERATOR = 0x20
REMEMBERED = 16_384

_programs: OrderedDict[int, Program] = OrderedDict()


def structured(code: CodeType) -> Program:
    """The structured program of a code object.

    Remembered by the identity of the code object (equality of code objects ignores where their source is). A remembered
    program keeps its code object alive, so that the identity stays true; the oldest of many are forgotten.

    Raises:
        FrontendError: the bytecode cannot be decoded, or its control flow is too tangled; neither happens with what
            CPython's compiler emits.
    """
    key = id(code)
    program = _programs.get(key)
    if program is None:
        program = _programs[key] = compiled(code, detours=False)
        if len(_programs) > REMEMBERED:
            _programs.popitem(last=False)
    return program


def compiled(code: CodeType, detours: bool = True) -> Program:
    """The same, not remembered; with the handlers that have no effect if `detours` is true, block by block as CPython
    has it."""
    try:
        return _compiled(code, detours, merging=True)
    except TooTangled:
        return _compiled(code, detours, merging=False)


def _compiled(code: CodeType, detours: bool, merging: bool) -> Program:
    machine = Machine(code)
    found, instructions = blocks(machine, TABLE)
    thread(found)
    most = size(found.values())
    if merging and merge_duplicates(found, 0):
        thread(found)
    graph = simplified(found, 0, machine.handlers)
    if not detours and without_detours(graph, machine.return_register):
        graph = simplified(dict(enumerate(graph.blocks)), 0, graph.handlers)
    return program_of(graph, machine, instructions, most)


def program_of(
    graph: Graph,
    machine: Machine,
    instructions: int,
    most: int,
    returned: frozenset[int] | None = None,
    others: Sequence[Member] = (),
) -> Program:
    """Structures a graph, and says which registers are what and which are live; `returned` those after a return. The
    graph may become as large as `most`. `others` are its members but for the code itself.

    Raises:
        TooTangled: it would become larger.
    """
    code = machine.code
    idom = dominators(graph)
    nest = loops(graph, idom)
    if isinstance(nest, int):
        line = _begin(graph.blocks[nest]).line
        split = with_single_entries(graph, most)
        if split is None:
            raise TooTangled("irreducible control flow", code, line)
        graph = split
        idom = dominators(graph)
        nest = loops(graph, idom)
        assert not isinstance(nest, int)
    body, labels = tree(graph, idom, nest)
    live = live_at_entry(graph, machine.return_register)
    names = machine.names
    registers = machine.scratch + machine.scratch_used
    register_names = [*names, *(None,) * (registers - len(names))]
    for member in others:
        theirs = fast_names(member.code)
        register_names[member.first : member.first + len(theirs)] = theirs
    # `locals()` reads them all
    shown = (1 << len(names)) - 1 if "locals" in code.co_names else 0
    return Program(
        code=code,
        name=code.co_qualname,
        filename=code.co_filename,
        registers=registers,
        register_names=tuple(register_names),
        nlocals=code.co_nlocals,
        cells=tuple(names.index(name) for name in code.co_cellvars),
        members=(member_of(code), *others),
        return_register=machine.return_register,
        body=body,
        live={label(n): registers_of(live[n] | shown) for n in labels}
        | {RETURN: returned or frozenset({machine.return_register}), RAISE: frozenset()},
        handlers={label(n): handler for n, handler in graph.handlers.items()},
        is_generator=bool(code.co_flags & CO_GENERATOR),
        labels={label(n): _begin(graph.blocks[n]) for n in labels},
        instructions=instructions,
        unhandled=_unhandled(graph, code),
    )


def _unhandled(graph: Graph, code: CodeType) -> frozenset[int]:
    """The labels at which no exception is being handled; none is known for what goes on where it was left."""
    if code.co_flags & CO_GENERATOR:
        return frozenset()
    depths = handled_at(dict(enumerate(graph.blocks)), [0])
    return frozenset({label(n) for n, depth in depths.items() if depth == 0} | {RETURN, RAISE})


def member_of(code: CodeType, first: int = 0) -> Member:
    """A code object with these registers."""
    _, free = arguments_and_free_variables_of(code)
    return Member(code, first, tuple(first + register for register in free))


def _begin(block: Block) -> Span:
    """Where a block begins in the source."""
    for segment in block.segments:
        for op in segment.ops:
            if op.span.line is not None:
                return op.span
    return block.end.span if block.end.span.line is not None else NOWHERE
