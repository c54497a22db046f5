"""The assumptions under which a program may be used for a call."""

from __future__ import annotations

import types
from collections.abc import Sequence

import numpy as np

from xlapy.domain.sources import Source, holder, item
from xlapy.domain.storage import Storage, grid_of, storage
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Guard
from xlapy.report import Blocker, NotOffloadableError, first_line
from xlapy.runtime.codegen import Writer, locate
from xlapy.runtime.transfer_report import NARROWED

#: what reading a source may raise when the caller's world has changed
READING_ERRORS = (AttributeError, KeyError, IndexError, TypeError, ValueError)


def key_of(guard: Guard) -> tuple:
    """What makes two guards the same."""
    value = guard.value
    if isinstance(value, Source):
        return (guard.kind, guard.source, value)
    return (guard.kind, guard.source, id(value) if guard.kind in ("is", "type") else (type(value), repr(value)))


def guards_of(analysis: Analysis, shapes: bool, narrow: bool = False) -> list[Guard]:
    """All guards of an analysis; with array types where they have to be told apart in Python, those that become one
    by `narrow` excepted."""
    guards = list(analysis.guards)
    if shapes:
        for parameter in analysis.parameters:
            if parameter.python is None and parameter.source.kind != "padded":
                type_ = parameter.var.type
                wide = [kind for kind, name in NARROWED.items() if narrow and type_.dtype == name]
                dtypes = (type_.dtype, *map(np.dtype, wide))
                guards.append(Guard("shape", parameter.source, (type_.shape, dtypes)))
    guards += _apart(analysis)
    guards += _distinct(analysis)
    return list({key_of(guard): guard for guard in guards}.values())


def holders_of(sources: Sequence[Source], guards: Sequence[Guard]) -> list[Source] | None:
    """The lists and tuples all items of which are at some sources, in order; None if these are something else."""
    lengths = {g.source: g.value for g in guards if g.kind == "len"}
    types_ = {g.source: g.value for g in guards if g.kind == "type"}
    found: list[Source] = []
    start = 0
    while start < len(sources):
        if sources[start].kind != "item":
            return None
        holder = sources[start].outer
        count = lengths.get(holder)
        if types_.get(holder) not in (list, tuple) or not isinstance(count, int) or not count:
            return None
        if list(sources[start : start + count]) != [item(holder, k) for k in range(count)]:
            return None
        found.append(holder)
        start += count
    return found


def _apart(analysis: Analysis) -> list[Guard]:
    """Arrays that the program writes share no memory with other arrays that it reads or writes, nor have two elements
    in one place."""
    written = [s for kind, s in analysis.written if kind == "buffer" and s.key != "device_buffer"]
    arrays = _arrays(analysis)
    found = []
    for source in written:
        if source in arrays:
            found.append(Guard("apart", source, source))
        for other in arrays:
            if holder(other) != holder(source) and not (
                other in written and arrays.index(other) < arrays.index(source)
            ):
                found.append(Guard("apart", source, other))
    return found


def _arrays(analysis: Analysis) -> list[Source]:
    """Where the program finds NumPy arrays."""
    types_ = [g for g in analysis.guards if g.kind == "type" and isinstance(g.value, type)]
    return [g.source for g in types_ if issubclass(g.value, np.ndarray)]


def shared_storages(analysis: Analysis, named: dict[str, object], known: Sequence[Storage]) -> list[Storage]:
    """The memory that several arrays show, as far as the program depends on that, besides what is `known`."""
    found = list(known)
    pairs = [*(g for g in analysis.guards if g.kind == "apart"), *_apart(analysis)]
    for guard in pairs:
        if guard.value == guard.source:
            continue
        array, other = locate(guard.source, named), locate(guard.value, named)
        if not isinstance(array, np.ndarray) or not isinstance(other, np.ndarray):
            continue
        root = storage(array)
        if storage(other) is root and np.may_share_memory(array, other) and all(s.root is not root for s in found):
            arrays = [locate(source, named) for source in _arrays(analysis)]
            grids = [grid_of(a, root) for a in arrays if isinstance(a, np.ndarray) and storage(a) is root]
            found.append(Storage(root, tuple(grids)))
    return found


def _distinct(analysis: Analysis) -> list[Guard]:
    """Objects that the program changes are not the same as others that it knows."""
    changed = [source for kind, source in analysis.written if kind in ("list", "dict", "set", "instance")]
    objects = [(g.value, g.source) for g in analysis.guards if g.kind == "type" and g.value not in (int, float, bool)]
    found = []
    for source in changed:
        mine = next((cls for cls, where in objects if where == source), None)
        for cls, other in objects:
            if other != source and cls is mine:
                found.append(Guard("distinct", source, other))
    return found


def failing(guards: list[Guard], parameters: list[str], arguments: tuple, traced: bool) -> Guard | None:
    """The first guard that does not hold for bound arguments."""
    for guard in guards:
        writer = Writer(parameters, traced)
        writer.guard(guard)
        if writer.prepare([])(*arguments) != ():
            return guard
    return None


def refuse(function: types.FunctionType, guard: Guard | None) -> NotOffloadableError:
    """Why a program cannot be used for the call that it was made for."""
    if guard is not None and guard.kind == "apart":
        message = f"{guard.source} and {guard.value} share memory, and one of them is written to"
        if guard.value == guard.source:
            message = f"elements of {guard.source} share memory, and it is written to"
        return NotOffloadableError(
            function.__qualname__, [at(function, "XP0012", message, "pass a copy of one of them")]
        )
    what = f"what is assumed ({guard})" if guard is not None else "an operand"
    message = f"{what} does not hold for the call itself"
    return NotOffloadableError(function.__qualname__, [at(function, "XP0099", message)])


def at(function: types.FunctionType, code: str, message: str, hint: str = "") -> Blocker:
    """An obstacle that is about a function as a whole, at the line where it is defined."""
    where = function.__code__
    return Blocker(code, message, where.co_filename, where.co_qualname, first_line(where), hint=hint)
