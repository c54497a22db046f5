"""Why a function was compiled, how long that took and for what: kept for `explain`, and said by `logging`.

`XLAPY_LOG=compile,recompile,cache` turns on the loggers `xlapy.compile` (one record for each program, or refusal),
`xlapy.recompile` (what differs from the program before) and `xlapy.cache` (programs found for other functions, lists
that outgrew their room). On a terminal, a line shows what a compilation of more than a second is doing.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Sequence, Sized
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from xlapy.domain.sources import Source
from xlapy.interpreter.caller_environment import Guard
from xlapy.ir import TensorType
from xlapy.report import NotOffloadableError, first_line
from xlapy.runtime.codegen import locate
from xlapy.runtime.guards import READING_ERRORS, failing
from xlapy.runtime.loggers import LOGGERS

if TYPE_CHECKING:
    from xlapy.runtime.cache import Cache
    from xlapy.runtime.specialisation import Specialisation

#: seconds after which a terminal shows that something is being compiled, and between two looks at it
_PATIENCE, _INTERVAL = 1.0, 0.25
#: what XLA needs for a program; the event comes at its end
_COMPILED_BY_XLA = "/jax/core/compile/backend_compile_duration"
_LONGEST = 60
#: what may be asked for its length, and what may be printed: no code of the user's runs for that
_CONTAINERS = (list, tuple, dict, set, frozenset)
_PRINTED = (int, float, complex, bool, str, bytes, type(None))


@dataclass
class Compilation:
    """One program that was made, or refused.

    Attributes:
        function: its name.
        place: file and line.
        arguments: what it was made for.
        reason: what differs from the program before; empty for the first one.
        stages: seconds by what they went to.
        outcome: "machine code", "XLA", or what was refused.
    """

    function: str
    place: str
    arguments: str
    reason: str = ""
    stages: dict[str, float] = field(default_factory=dict)
    outcome: str = ""

    @property
    def seconds(self) -> float:
        """All stages together."""
        return sum(self.stages.values())

    def __str__(self) -> str:
        """One line."""
        stages = ", ".join(f"{name} {seconds:.2f}" for name, seconds in self.stages.items())
        how = f": {self.outcome}" if self.outcome else ""
        return f"{self.function}({self.arguments}) at {self.place} in {self.seconds:.2f} s ({stages}){how}"


# -- what is being compiled -------------------------------------------------------------------------------------------


class _Here(threading.local):
    """What this thread compiles."""

    compiling: Compiling | None = None


_here = _Here()


class Compiling:
    """Around a call that may compile: what it does is timed, shown, kept and said."""

    def __init__(self, cache: Cache, arguments: tuple) -> None:
        self.cache, self.arguments = cache, arguments
        self.found = Compilation(cache.name, "", "")
        #: what is being done; empty once the program runs
        self.stage = "analysis"
        self.ended = threading.Event()
        #: the thread that shows it
        self.shown: threading.Thread | None = None
        #: since when the time belongs to no stage
        self.mark = time.perf_counter()

    def __enter__(self) -> Compiling:
        self.outer, _here.compiling = _here.compiling, self
        if self.outer is None and sys.stderr is not None and sys.stderr.isatty():
            self.shown = threading.Thread(target=self._show, daemon=True)
            self.shown.start()
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        _here.compiling = self.outer
        self.ended.set()
        if self.shown is not None:
            self.shown.join()
        found = self.found
        if not found.stages:
            return
        code = self.cache.function.__code__
        found.place = f"{os.path.basename(code.co_filename)}:{first_line(code)}"
        found.arguments = kinds_of(self.cache.binder.named(self.arguments))
        self.cache.history.append(found)
        LOGGERS["compile"].info("%s", found)
        if found.reason:
            LOGGERS["recompile"].info("%s: %s", found.function, found.reason)

    def spent(self, name: str, seconds: float) -> None:
        """So many seconds went to a stage, until now."""
        self.found.stages[name] = self.found.stages.get(name, 0.0) + seconds
        self.mark = time.perf_counter()

    def _show(self) -> None:
        """Say on the terminal what takes so long, in one line that is removed in the end."""
        begin, shown = time.perf_counter(), False
        patience = _PATIENCE
        while not self.ended.wait(patience):
            patience = _INTERVAL
            seconds = time.perf_counter() - begin
            text = f"xlapy: compiling {self.cache.name} for {seconds:.0f} s: {self.stage}" if self.stage else ""
            if text or shown:
                _write(f"\r\x1b[K{text}")
            shown = bool(text)
        if shown:
            _write("\r\x1b[K")


def _write(text: str) -> None:
    if sys.stderr is not None:
        sys.stderr.write(text)
        sys.stderr.flush()


class stage:  # noqa: N801  (a context manager that reads as a word)
    """A stage of the compilation that this thread is at, if it is at one."""

    def __init__(self, name: str, outcome: str = "") -> None:
        self.name, self.outcome = name, outcome

    def __enter__(self) -> None:
        self.begin = time.perf_counter()
        if _here.compiling is not None:
            _here.compiling.stage = self.name

    def __exit__(self, *error: object) -> None:
        compiling = _here.compiling
        if compiling is not None:
            compiling.spent(self.name, time.perf_counter() - self.begin)
            compiling.stage = "lowering"


def compiled(outcome: str) -> None:
    """The program is there, and about to run."""
    compiling = _here.compiling
    if compiling is not None and compiling.found.stages:
        compiling.found.outcome, compiling.stage = outcome, ""


def refused(error: NotOffloadableError) -> None:
    """There is no program."""
    count = len(error.blockers)
    compiled(f"refused, {count} obstacle{'s' if count != 1 else ''}")


def because(reason: str) -> None:
    """Why this thread compiles."""
    if _here.compiling is not None:
        _here.compiling.found.reason = reason


def _heard(event: str, duration_secs: float, **kwargs: str | int) -> None:
    """XLA has compiled something. Before that, JAX has traced and lowered it."""
    compiling = _here.compiling
    if event == _COMPILED_BY_XLA and compiling is not None and compiling.found.stages:
        compiling.spent("lowering", max(time.perf_counter() - compiling.mark - duration_secs, 0.0))
        compiling.spent("XLA", duration_secs)
        compiled("XLA")


jax.monitoring.register_event_duration_secs_listener(_heard)


# -- what a program was made for, and what has changed since ----------------------------------------------------------


def kind_of(value: object) -> str:
    """What a compilation looks at first in an argument: type and shape."""
    if isinstance(value, np.ndarray | np.generic | jax.Array | jax.ShapeDtypeStruct):
        if isinstance(value, np.ndarray | np.generic) and value.dtype.names:
            return f"records[{'x'.join(map(str, value.shape))}]"
        kind = str(TensorType(tuple(value.shape), value.dtype))
        return kind if isinstance(value, np.ndarray | np.generic) else f"jax {kind}"
    if isinstance(value, Sized) and type(value) in _CONTAINERS:
        return f"{type(value).__name__} of {len(value)}"
    return type(value).__name__


def kinds_of(named: dict[str, object]) -> str:
    """The arguments of a call by name, each with its kind."""
    return ", ".join(f"{name}: {kind_of(value)}" for name, value in named.items())


def difference(cache: Cache, entry: Specialisation, arguments: tuple) -> str:
    """What a program was not made for in a call."""
    named = cache.binder.named(arguments)
    for parameter in entry.analysis.parameters:
        with suppress(*READING_ERRORS):
            now, type_ = locate(parameter.source, named), parameter.var.type
            is_array = parameter.python is None and isinstance(now, np.ndarray | np.generic | jax.Array)
            if is_array and (now.dtype, now.shape) != (type_.dtype, type_.shape):
                return f"{parameter.source} is {kind_of(now)}, and was {type_}"
    guard = failing(entry.guards, cache.binder.names, arguments, entry.traced)
    if guard is not None:
        return _changed(guard, named, cache.reasons)
    return "JAX's settings, or what transforms the call, have changed"


def _changed(guard: Guard, named: dict[str, Any], reasons: dict[Source, tuple]) -> str:
    """How an assumption has failed."""
    try:
        now = locate(guard.source, named)
    except READING_ERRORS:
        return f"{guard.source} is there no more"
    match guard.kind:
        case "equal":
            return f"{guard.source} is {_short(now)}{why(guard.source, reasons)}, and was {_short(guard.value)}"
        case "type":
            return f"{guard.source} is of the class {type(now).__name__}, and was of {guard.value.__name__}"
        case "len" if type(now) in _CONTAINERS:
            return f"{guard.source} has {len(now)} items, and had {guard.value}"
        case "shape":
            shape, dtypes = guard.value
            return f"{guard.source} is {kind_of(now)}, and was {TensorType(shape, dtypes[0])}"
        case "is" if now is None or guard.value is None:
            return f"{guard.source} is {_short(now)}, and was {_short(guard.value)}"
        case "is":
            return f"{guard.source} is another object than it was"
    return f"it does not hold any more that {guard}"


def why(source: Source, reasons: dict[Source, tuple]) -> str:
    """Behind a number that is static: what it is needed for."""
    what, place = reasons.get(source, ("", None))
    where = f" in line {place.line}" if place is not None else ""
    return f", which is needed for {what}{where}" if what else ""


def _short(value: object) -> str:
    text = repr(value) if type(value) in _PRINTED or isinstance(value, np.generic) else kind_of(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."


def first_difference(cache: Cache, arguments: tuple, entries: Sequence[Specialisation]) -> str:
    """Why no program of `entries` holds for a call: what the newest one was not made for."""
    return difference(cache, entries[0], arguments) if entries else ""


__all__ = ["Compilation", "Compiling", "because", "compiled", "stage"]
