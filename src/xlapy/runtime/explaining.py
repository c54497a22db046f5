"""What became of a function, line by line: found in its program, and in what the analysis has noted on the way."""

from __future__ import annotations

import ast
import functools
import linecache
import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

import jax
import numpy as np

from xlapy.domain.growable_lists import Overfull
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Parameter
from xlapy.ir import OURS, Location, Operation, every_operation, to_text
from xlapy.lowering.llvm import may_be_machine_code
from xlapy.passes import optimise
from xlapy.report import NotOffloadableError
from xlapy.report.explanation import Explanation, Listing, SourceLine
from xlapy.runtime.cache import Cache
from xlapy.runtime.codegen import locate
from xlapy.runtime.compile_log import why
from xlapy.runtime.jax_internals import ambient_x64
from xlapy.runtime.specialisation import Specialisation
from xlapy.runtime.stages import Lowered
from xlapy.runtime.transfer_report import Traffic, donated_buffers, traffic

#: a function in a file
_Function = tuple[str, str]
#: what became of a loop, by the strategy that it was executed with
_LOOPS = {
    "unroll": "unrolled",
    "peel": "the first iteration apart, then a loop",
    "peel twice": "the first two iterations apart, then a loop",
    "resized": "a loop, in which arrays have room",
    "peel resized": "the first iteration apart, then a loop in which arrays have room",
    "union": "a loop, of values of several kinds",
}
_BRANCH = "a branch on data"
#: types that conditions, lengths and the numbers of exits have: what a line computes besides these says more
_OF_CONTROL = ("bool[]", "int32[]", "int64[]~")
#: XLA's own counts, and what to call them
_COSTS = {"flops": "operations", "bytes accessed": "bytes accessed"}
#: compilations that are listed
_NEWEST = 8


def explain(cache: Cache, arguments: tuple) -> Explanation:
    """What a call would do: the program's inputs, assumptions and effects, and its source, or every obstacle."""
    try:
        analysis = cache.interpret(arguments)
    except NotOffloadableError as error:
        return Explanation(str(error), _obstacles(error))
    loops = list(analysis.loops)
    optimise(analysis.module)
    analysis.forget_errors()
    cache.reasons |= analysis.reasons
    if analysis.raises is not None:
        return Explanation("\n".join(_facts(cache, arguments, analysis, None)))
    entry = _entry(cache, arguments, analysis)
    facts = _facts(cache, arguments, analysis, entry)
    lines = _Lines(analysis, loops, is_apart=not _is_without_xla(entry, arguments))
    return Explanation("\n".join(facts), lines.listings(), functools.partial(_programs, cache, arguments, analysis))


def _programs(cache: Cache, arguments: tuple, analysis: Analysis) -> dict[str, str]:
    """What the page shows beside the source."""
    lowered = Lowered(cache, arguments)
    costs = lowered.costs()
    sums = ", ".join(f"{costs[key]:,.0f} {name}" for key, name in _COSTS.items() if key in costs)
    return {
        "The program": to_text(analysis.module),
        f"StableHLO{f' ({sums}, loops counted once)' if sums else ''}": _placed(lowered.as_text(debug_info=True)),
    }


def _placed(text: str) -> str:
    """StableHLO with the line of the user's behind each operation, as a typed program has it."""
    names = dict(re.findall(r'^(#loc\d+) = loc\("([^"]*)"', text, re.MULTILINE))
    shown = []
    for line in text.splitlines():
        if line.startswith("#loc"):
            continue
        used = re.search(r" loc\((#loc\d*)\)$", line)
        places = re.findall(r"([^/]+:\d+)(?=/|$)", names.get(used[1], "")) if used else []
        line = re.sub(r" loc\((unknown|#loc\d*|\"[^\"]*\")\)", "", line)
        shown.append(f"{line:<72}  # {places[-1]}" if places else line)
    return "\n".join(shown)


# -- the call as a whole ----------------------------------------------------------------------------------------------


def _entry(cache: Cache, arguments: tuple, analysis: Analysis) -> Specialisation | None:
    """The executable for a call, which is not kept if it is a new one."""
    for entry in cache.entries:
        if entry.holds(arguments) is not None and entry.knows(analysis):
            return entry
    named = cache.binder.named(arguments)
    places = cache.places(analysis, [locate(p.source, named) for p in analysis.parameters])
    made = Specialisation(cache, analysis, ambient_x64(), True, False, cache.policy.narrow, places)
    return made if made.holds(arguments) is not None else None


def _is_without_xla(entry: Specialisation | None, arguments: tuple) -> bool:
    """Whether machine code is called for these arguments."""
    operands = None if entry is None else entry.holds(arguments)
    return entry is not None and operands is not None and entry.is_without_xla(operands)


def _facts(cache: Cache, arguments: tuple, analysis: Analysis, entry: Specialisation | None) -> list[str]:
    """The lines about the call as a whole."""
    if analysis.raises is not None:
        lines = [f"{cache.name} raises {analysis.raises.cls.__name__}"]
    else:
        lines = [f"{cache.name} is offloaded as one program"]
    direct = _is_without_xla(entry, arguments)
    moved = _traffic(cache, arguments, analysis) if analysis.raises is None else None
    if moved is not None:
        backend = jax.default_backend() if cache.policy.device is None else cache.policy.device.platform
        lines.append(f"  runs {'as machine code, called without XLA' if direct else f'by XLA on the {backend}'}")
    arrays = {g.source for g in analysis.guards if g.kind == "type" and g.value is np.ndarray}
    lines += [f"  input  {p.source}: {p.var.type}" for p in analysis.parameters]
    lines += sorted(f"  static {s}{why(s, cache.reasons)}" for s in analysis.static)
    lines += dict.fromkeys(f"  assumes that {g}" for g in analysis.guards if g.kind != "type")
    donated = donated_buffers(analysis, cache.policy.narrow)
    lines += [f"  donates {s.base}, which is updated in place on its device" for s in donated]
    read = [p for p in analysis.parameters if p.source in arrays]
    lines += [f"  {_read(p, direct, entry)}" for p in read if analysis.raises is None]
    lines += [f"  copies {e.source} back" for e in analysis.effects if e.source in arrays]
    lines += [f"  changes {e.source}{'.' + e.name if e.kind == 'instance' else ''}" for e in analysis.effects]
    lines += dict.fromkeys(f"  may raise {e.cls.__name__}" for e in analysis.errors if not issubclass(e.cls, Overfull))
    if analysis.guesses:
        most = max(analysis.guesses.values())
        lines.append(f"  has lists with room for {most:,} items, and is compiled again if one outgrows that")
    if moved is not None:
        known = {str(p.source) for p in analysis.parameters if p.source.base in donated}
        lines += [f"  donates {i.source}" for i in moved.inputs if i.how == "donated" and i.source not in known]
        lines += [] if direct else [f"  moves {moved}"]
    return lines + _history(cache)


def _read(parameter: Parameter, direct: bool, entry: Specialisation | None) -> str:
    """How the program gets a NumPy array."""
    if direct or entry is not None and entry.reads_in_place(parameter):
        return f"reads {parameter.source} where it lies"
    return f"copies {parameter.source} to the device"


def _traffic(cache: Cache, arguments: tuple, analysis: Analysis) -> Traffic:
    named = cache.binder.named(arguments)
    return traffic(cache.policy, analysis, [locate(p.source, named) for p in analysis.parameters])


def _history(cache: Cache) -> list[str]:
    """The compilations so far."""
    newest = list(cache.history)[-_NEWEST:]
    if not newest:
        return []
    lines = [f"  compiled {len(cache.history)} time{'s' if len(cache.history) > 1 else ''} so far"]
    for found in newest:
        how = f" to {found.outcome}" if found.outcome else ""
        lines.append(f"    for {found.arguments}: {found.seconds:.2f} s{how}")
        lines += [f"      since {found.reason}"] if found.reason else []
    return lines


# -- line by line -----------------------------------------------------------------------------------------------------


class _Lines:
    """The notes to each line of the functions that are in a program.

    Args:
        analysis: the program, optimised.
        loops: those that were executed, and how.
        is_apart: whether loops may be machine code that XLA calls.
    """

    def __init__(self, analysis: Analysis, loops: Iterable[tuple[Location, str]], is_apart: bool) -> None:
        self.notes: dict[_Function, dict[int, dict[str, None]]] = {}
        self.is_apart = is_apart and jax.default_backend() == "cpu"
        entry = analysis.module.entry
        self.kept: dict[tuple, Operation] = {}
        for region in (entry, entry.fast):
            for operation in every_operation(region) if region is not None else ():
                if operation.kind in ("for", "while") and operation.location is not None:
                    self.kept[_at(operation.location)] = operation
        for location, strategy in loops:
            if not location.filename.startswith(OURS):
                self._note(location, self._loop(location, strategy))
        self._operations(list(every_operation(entry)))
        for source, (what, place) in analysis.reasons.items():
            if place is not None:
                self._note(place, f"{source} is static, for {what}")

    def _note(self, location: Location, note: str) -> None:
        if location.line is not None:
            self.notes.setdefault(_at(location)[:2], {}).setdefault(location.line, {})[note] = None

    def _loop(self, location: Location, strategy: str) -> str:
        """What became of a loop."""
        operation = self.kept.get(_at(location))
        if strategy == "unroll":
            return _LOOPS[strategy]
        if operation is None:
            return "no loop is left"
        note = _LOOPS.get(strategy, "a loop")
        if "lanes" in operation.attributes:
            note += ", vectorised"
        return f"{note}, machine code" if self.is_apart and may_be_machine_code(operation) else note

    def _operations(self, operations: list[Operation]) -> None:
        """The types of what lines compute, the functions that are called in them, and branches."""
        types: dict[tuple, tuple[Location, str]] = {}
        for operation in operations:
            location = _of_the_user(operation.location)
            if location is None:
                continue
            for callee, caller in _calls(location):
                self._note(caller, f"{callee.function} inlined")
            if operation.kind == "if":
                test = operation.operands[0].owner
                place = _of_the_user(test.location) if isinstance(test, Operation) else None
                self._note(place or location, _BRANCH)
            elif operation.results and operation.kind not in ("constant", "for", "while"):
                type_ = str(operation.results[-1].type)
                if type_ not in _OF_CONTROL or _at(location) not in types:
                    types[_at(location)] = location, type_
        for location, type_ in types.values():
            if type_ != "bool[]":
                self._note(location, type_)

    def listings(self) -> list[Listing]:
        """The functions, in the order in which they were met, as far as their source is at hand."""
        found = [_listing(function, notes) for function, notes in self.notes.items()]
        return [listing for listing in found if listing is not None]


def _at(location: Location) -> tuple[str, str, int | None]:
    return location.filename, location.function, location.line


def _of_the_user(location: Location | None) -> Location | None:
    """The innermost place that is none of ours."""
    while location is not None and location.filename.startswith(OURS):
        location = location.caller
    return location


def _calls(location: Location) -> Iterator[tuple[Location, Location]]:
    """The calls that led to a place: of what, and from where."""
    while location.caller is not None:
        yield location, location.caller
        location = location.caller


def _obstacles(error: NotOffloadableError) -> list[Listing]:
    """The functions in which obstacles are."""
    notes: dict[_Function, dict[int, dict[str, None]]] = {}
    for blocker in error.blockers:
        if blocker.filename is not None and blocker.function is not None and blocker.line is not None:
            lines = notes.setdefault((blocker.filename, blocker.function), {})
            lines.setdefault(blocker.line, {})[blocker.code] = None
    found = [_listing(function, lines) for function, lines in notes.items()]
    return [listing for listing in found if listing is not None]


def _listing(function: _Function, notes: dict[int, dict[str, None]]) -> Listing | None:
    """The source of a function with notes to its lines; None if it is not at hand."""
    filename, name = function
    found = _node(filename, name, min(notes), max(notes))
    if found is None:
        return None
    first, last = found.lineno, found.end_lineno
    tests = _lines_of_tests(found)
    lines = linecache.getlines(filename)[first - 1 : last]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    shown = []
    for number, line in enumerate(lines, start=first):
        own = (note for note in notes.get(number, ()) if note != _BRANCH or number in tests)
        shown.append(SourceLine(number, line[margin:].rstrip(), tuple(own)))
    return Listing(name, os.path.basename(filename), tuple(shown))


def _node(filename: str, name: str, first: int, last: int) -> Any:
    """The syntax tree of a function: the innermost one of its name around some lines."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:
        return None
    found: list[Any] = [node for node in ast.walk(tree) if _is_named(node, name.rpartition(".")[2])]
    around = [node for node in found if node.lineno <= first and last <= node.end_lineno]
    return max(around, default=None, key=lambda node: node.lineno)


def _lines_of_tests(tree: ast.AST) -> set[int]:
    """The lines in which something is decided, but for whether a loop goes on."""
    tests: list[ast.expr] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.IfExp | ast.Assert):
            tests.append(node.test)
        elif isinstance(node, ast.comprehension):
            tests += node.ifs
        elif isinstance(node, ast.Match):
            tests.append(node.subject)
    return {line for test in tests for line in range(test.lineno, (test.end_lineno or test.lineno) + 1)}


def _is_named(node: Any, name: str) -> bool:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name == name
    kinds = {"<lambda>": ast.Lambda, "<genexpr>": ast.GeneratorExp, "<listcomp>": ast.ListComp}
    return name in kinds and isinstance(node, kinds[name])


__all__ = ["explain"]
