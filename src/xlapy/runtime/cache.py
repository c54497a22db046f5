"""All programs of one function: finds the one for a call, compiles where there is none."""

from __future__ import annotations

import collections
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from jax.sharding import get_abstract_mesh

from xlapy.domain.growable_lists import Overfull, is_of_items
from xlapy.domain.rooms import SHORTEST
from xlapy.domain.set_iteration_order import times_asked
from xlapy.domain.sources import Source
from xlapy.domain.storage import Storage
from xlapy.interpreter.analyse import Analysis, analyse
from xlapy.interpreter.depth import deep_recursion
from xlapy.ir import Location
from xlapy.lowering.jaxprs.meshes import with_auto_mesh
from xlapy.passes import optimise
from xlapy.report import NotOffloadableError
from xlapy.runtime import compile_log, outcome, program_sharing, traced_calls
from xlapy.runtime.binding import Binder, Entrance
from xlapy.runtime.cache_info import CacheInfo
from xlapy.runtime.codegen import locate
from xlapy.runtime.collection import uncollected
from xlapy.runtime.guards import READING_ERRORS, failing, guards_of, refuse, shared_storages
from xlapy.runtime.jax_internals import ambient_x64, narrowing
from xlapy.runtime.loggers import LOGGERS
from xlapy.runtime.operand_checks import overflows
from xlapy.runtime.options import Policy, static_sources
from xlapy.runtime.result_kinds import ResultKind
from xlapy.runtime.sharding import Places, are_sharded, check_devices, places_of
from xlapy.runtime.specialisation import Specialisation
from xlapy.runtime.stored_programs import StoredProgram, StoredPrograms
from xlapy.runtime.switch import off
from xlapy.runtime.tracebacks import depth_of_caller
from xlapy.runtime.varying_sizes import Rooms, has_arrays, lengths, rooms, serves_all, widens

#: how much more room a list gets that was too long for what was guessed
_MORE = 8
#: every compiled function, so that a new overload can make all of them forget their programs
CACHES: weakref.WeakSet[Cache] = weakref.WeakSet()

#: programs that are made for one number each before one for all is looked for
_PROGRAMS = 2
#: programs that a call tries one after the other, each within the one before
_CHAINED = 32
#: compilations that are remembered
_REMEMBERED = 64
#: programs of one function that were made for other functions and cells
_MOVED = 8


class Cache:
    """All specialisations of one function.

    `entries` are for calls with known arrays, the newest first, chained by their generated functions; `traced` are for
    calls under JAX's transformations. Both are replaced, never changed, so that other threads may read them.
    """

    def __init__(
        self,
        function: types.FunctionType,
        binder: Binder,
        policy: Policy,
        entrance: Entrance,
        stored: StoredPrograms,
    ) -> None:
        self.function, self.binder, self.policy, self.stored = function, binder, policy, stored
        self.name = function.__qualname__
        self.lock = threading.RLock()
        self.entries: tuple[Specialisation, ...] = ()
        self.traced: tuple[Specialisation, ...] = ()
        self.static: set[Source] = set()
        self.dynamic: set[Source] = set()
        #: for what is static: what asked for it first, and where
        self.reasons: dict[Source, tuple[str, Location | None]] = {}
        #: the newest compilations
        self.history: collections.deque[compile_log.Compilation] = collections.deque(maxlen=_REMEMBERED)
        #: room for lists that grow in loops, where a guess was too small
        self.capacities: dict[object, int] = {}
        #: whether there is no program whose lists have room for any number of trips
        self.fixed_sizes = False
        #: whether there is no program for arrays of many sizes
        self.fixed_shapes = False
        #: the least length of a dimension for which there may be a program for many sizes
        self.shortest = 1
        self.misses = 0
        self.refused: set[tuple] = set()
        self.warned = False
        self.entrance = entrance
        self._install(())
        CACHES.add(self)

    # -- information ------------------------------------------------------------------------------------------------

    def info(self) -> CacheInfo:
        """Counts of calls and compilations."""
        entries = (*self.entries, *self.traced)
        calls = sum(entry.calls for entry in entries)
        programs = {id(entry.variants): len(entry.variants) for entry in entries}
        count = sum(programs.values()) + len(self.stored.programs)
        return CacheInfo(max(calls - self.misses, 0) + self.stored.calls(), self.misses, None, count)

    def clear(self) -> None:
        """Forget all programs."""
        with self.lock:
            self.static, self.dynamic, self.refused = set(), set(), set()
            self.reasons = {}
            self.history.clear()
            self.fixed_sizes = self.fixed_shapes = False
            self.shortest = 1
            self.misses = 0
            self.traced = ()
            self.stored.forget()
            self._install(())
            program_sharing.forget(self)

    # -- calls ------------------------------------------------------------------------------------------------------

    def slow(self, *arguments: Any) -> Any:
        """A call for which no program with known arrays holds."""
        return self._slow(arguments, self.stored.find)

    def without_stored(self, arguments: tuple) -> Any:
        """A call that a program from disk cannot deal with."""
        return self._slow(arguments, lambda arguments: None)

    def _slow(self, arguments: tuple, stored: Callable[[tuple], StoredProgram | None]) -> Any:
        if off():
            return self.binder.call(arguments)
        if self.policy.fallback and traced_calls.kinds(arguments) in self.refused:
            return self.binder.call(arguments)
        with compile_log.Compiling(self, arguments):
            try:
                with self.lock, uncollected():
                    found = self._found(arguments) or stored(arguments)
                    entry: Any = found or self._moved(arguments) or self._make(arguments)
            except NotOffloadableError as error:
                compile_log.refused(error)
                return self._fall_back(arguments, error)
            return entry.call(*arguments)

    def _fall_back(self, arguments: tuple, error: NotOffloadableError) -> Any:
        """Run a refused call in CPython, if that was asked for; never without a word."""
        if not self.policy.fallback:
            raise error
        self.refused.add(traced_calls.kinds(arguments))
        if not self.warned:
            self.warned = True
            warnings.warn(f"running in CPython: {error}", RuntimeWarning, stacklevel=depth_of_caller())
        return self.binder.call(arguments)

    def _found(self, arguments: tuple) -> Specialisation | None:
        """The same program, which is the first one to be tried from now on if there are many."""
        entry = self._find(arguments)
        if entry is not None and entry in self.entries[_CHAINED:]:
            self._install((entry, *(other for other in self.entries if other is not entry)))
        return entry

    def _find(self, arguments: tuple) -> Specialisation | None:
        """A program whose guards hold: for a call under a transformation, or one that another thread has just made."""
        return next((entry for entry in (*self.entries, *self.traced) if self._fits(entry, arguments)), None)

    def _fits(self, entry: Specialisation, arguments: tuple) -> bool:
        operands = entry.holds(arguments)
        if operands is None:
            return False
        if entry.traced:
            return traced_calls.any_tracer(operands) and self._narrow(True) == entry.narrow
        return not overflows(operands, entry.narrow)

    def _moved(self, arguments: tuple) -> Specialisation | None:
        """A program of a function with the same code; or of this one, where a function among its arguments was another
        one with the same code."""
        named = self.binder.named(arguments)
        for cache in (self, *program_sharing.relatives(self)):
            for entry in (*cache.entries, *cache.traced):
                moves = program_sharing.moves(entry, cache.function, self.function, named)
                if moves is None:
                    continue
                moved = entry.moved(self, moves)
                if self._fits(moved, arguments):
                    LOGGERS["cache"].info("%s: the program of another function with its code", self.name)
                    self._adopt(moved)
                    return moved
                self.static |= set(map(moves.source, cache.static))
                self.dynamic |= set(map(moves.source, cache.dynamic))
                self._watch(moved, named)
        return None

    def _adopt(self, entry: Specialisation) -> None:
        """Keep a program that was moved, and not too many of these."""
        own = self.traced if entry.traced else self.entries
        others = [e for e in own if e.is_moved]
        kept = [e for e in own if e not in others[_MOVED - 1 :]]
        if entry.traced:
            self.traced = (entry, *kept)
        else:
            self._install((entry, *kept))

    def _narrow(self, traced: bool) -> bool:
        """Whether types are 32-bit: also under a JAX transformation without 64-bit types, where JAX knows no others."""
        return self.policy.narrow or (traced and not ambient_x64())

    # -- compilation ------------------------------------------------------------------------------------------------

    def analyse(self, arguments: tuple, narrow: bool | None = None, returns_views: bool = False) -> Analysis:
        """The program for bound arguments, not kept."""
        with compile_log.stage("analysis"):
            analysis = self.interpret(arguments, narrow, returns_views)
        with compile_log.stage("passes"):
            _optimise(analysis)
        return analysis

    def _for_call(self, arguments: tuple, narrow: bool | None = None) -> Analysis:
        """The same for a call, which returns views as `returns` says."""
        return self.analyse(arguments, narrow, returns_views=self.policy.returns != "jax")

    def _for_any_size(self, arguments: tuple) -> Analysis | None:
        """After some programs for one size each: one for all sizes of arrays, if that can be."""
        if self.fixed_shapes or self.policy.donated or self.misses < _PROGRAMS:
            return None
        if self.policy.says_where or not get_abstract_mesh().empty:
            return None
        named = self.binder.named(arguments)
        static = static_sources(self.policy, named)
        analyses = [analysis for entry in self.entries for analysis in entry.numbered]
        found_rooms = rooms(analyses, self.static - static, named, self.shortest)
        tries = [found for found in found_rooms if self.fixed_sizes or has_arrays(found)]
        for found in tries:
            known = static | self.static - set(found)
            try:
                with narrowing(self.policy.narrow), deep_recursion(), uncollected():
                    analysis = self._analyse(
                        named, self.policy.narrow, self.policy.returns != "jax", known, (), True, found
                    )
            except NotOffloadableError:
                continue
            except Exception as error:  # the call has programs for known sizes, which must not fail for this one
                LOGGERS["cache"].info("%s: no program for many sizes: %r", self.name, error)
                continue
            if widens(analysis, analyses):
                longer = [n for n in SHORTEST if n > self.shortest]
                if not longer:
                    continue
                self.shortest = min(longer)  # shorter arrays keep programs of their own
                return self._for_any_size(arguments)
            _optimise(analysis)
            guards = guards_of(analysis, False)
            if serves_all(analysis, analyses) and failing(guards, self.binder.names, arguments, False) is None:
                return analysis
        self.fixed_shapes = bool(tries)
        return None

    def interpret(self, arguments: tuple, narrow: bool | None = None, returns_views: bool = False) -> Analysis:
        """The program for bound arguments as the interpreter has emitted it, before any pass."""
        named = self.binder.named(arguments)
        static = static_sources(self.policy, named)
        narrow = self.policy.narrow if narrow is None else narrow
        run = partial(self._analyse, named, narrow, returns_views)
        with narrowing(narrow), deep_recursion(), uncollected(), with_auto_mesh():
            return self._of_any_size(run, static) or run(self.static | static)

    def _of_any_size(self, run: Callable[..., Analysis], static: set[Source]) -> Analysis | None:
        """After some programs for one number each: one for all numbers, if that only takes lists with room for any
        number of trips."""
        if self.misses < _PROGRAMS or self.fixed_sizes or self.static <= static:
            return None
        try:
            analysis = run(static, sizes_vary=True)
        except NotOffloadableError:
            self.fixed_sizes = True
            return None
        self.fixed_sizes = self.static <= analysis.static
        return None if self.fixed_sizes else analysis

    def _analyse(
        self,
        named: dict,
        narrow: bool,
        returns_views: bool,
        static: set[Source],
        storages: Sequence[Storage] = (),
        sizes_vary: bool = False,
        found: Rooms | None = None,
    ) -> Analysis:
        """Where arrays share memory that the program writes, once more with this memory as one array."""
        x64, room = ambient_x64(), self.capacities
        options = room, storages, sizes_vary, returns_views, found
        before = times_asked()
        analysis = analyse(self.function, named, static, self.dynamic, x64, narrow, *options)
        if times_asked() != before:
            analysis.momentary.append("the order of a set, or a hash, is asked for")
        more = shared_storages(analysis, named, storages)
        if len(more) <= len(storages):
            return analysis
        return self._analyse(named, narrow, returns_views, static | analysis.static, more, sizes_vary, found)

    def _make(self, arguments: tuple) -> Specialisation:
        """Compile for a call, and keep the program."""
        named = self.binder.named(arguments)
        for entry in self.entries:
            self._watch(entry, named)
        compile_log.because(compile_log.first_difference(self, arguments, self.entries or self.traced))
        analysis = self._for_any_size(arguments) or self._for_call(arguments)
        operands = [locate(p.source, named) for p in analysis.parameters]
        traced = traced_calls.any_tracer(operands)
        narrow = self._narrow(traced)
        if narrow != self.policy.narrow:
            analysis = self._for_call(arguments, narrow)
        if traced:
            traced_calls.refuse(self.function, analysis)
        others = self.traced if traced else self.entries
        sources = [p.source for p in analysis.parameters]
        shapes = analysis.raises is not None or any(sources != e.sources for e in others)
        places = None if traced else self.places(analysis, operands)
        return self._keep(arguments, analysis, shapes, traced, narrow, places)

    def places(self, analysis: Analysis, operands: Sequence) -> Places | None:
        """Where arrays belong that a program over several devices writes; None for a program over one."""
        if not self.says_where(analysis) and not are_sharded(operands):
            return None
        check_devices([p.source for p in analysis.parameters], operands)
        return places_of(self.policy, analysis, operands)

    def says_where(self, analysis: Analysis) -> bool:
        """Whether a program is one for several devices wherever its operands lie."""
        return analysis.spans_devices or self.policy.says_where or not get_abstract_mesh().empty

    def _keep(
        self,
        arguments: tuple,
        analysis: Analysis,
        shapes: bool,
        traced: bool,
        narrow: bool,
        places: Places | None,
    ) -> Specialisation:
        """Where the programs of one function read or assume different things, array types are told apart by guards
        (`shapes`); otherwise by JAX."""
        entry = Specialisation(self, analysis, ambient_x64(), shapes, traced, narrow, places)
        if entry.holds(arguments) is None:
            raise refuse(self.function, failing(entry.guards, self.binder.names, arguments, traced))
        self._learn(analysis)
        self.misses += 1
        if traced:
            self.traced = (entry, *self.traced)
        else:
            self._install((entry, *self.entries))
        program_sharing.remember(self)
        return entry

    def _install(self, entries: tuple[Specialisation, ...]) -> None:
        """Chain the entries: each calls the next one where its guards do not hold, the last one compiles. Where they
        are many, those at the end are looked for before that, so that no call nests too deeply."""
        chained, others = entries[:_CHAINED], entries[_CHAINED:]
        for entry, following in zip(chained, chained[1:], strict=False):
            entry.then(following.call)
        last = self.stored.chain(self.slow)
        for entry in (*chained[-1:], *others):
            entry.then(last)
        self.entries = entries
        self.entrance.call = entries[0].call if entries else last

    def renew(self) -> None:
        """Chain the entries again: one has been compiled anew."""
        self._install(self.entries)

    def new_types(self, entry: Specialisation, arguments: tuple) -> Any:
        """A call whose operand types an executable does not know yet: another program joins it, or gets its own."""
        with compile_log.Compiling(self, arguments):
            compile_log.because(compile_log.difference(self, entry, arguments))
            try:
                with self.lock:
                    entry = self._joined(entry, arguments)
            except NotOffloadableError as error:
                compile_log.refused(error)
                return self._fall_back(arguments, error)
            return entry.call(*arguments)

    def for_one_size(self, arguments: tuple) -> Any:
        """A call in which a program for many sizes has met an exception, and nothing has been done yet: by a program
        for this size alone, which tells what CPython tells."""
        try:
            with compile_log.Compiling(self, arguments), self.lock:
                analysis = self._for_call(arguments)
                entry = self._keep(arguments, analysis, True, False, self.policy.narrow, None)
        except NotOffloadableError as error:
            return self._fall_back(arguments, error)
        return entry.call(*arguments)

    def _joined(self, entry: Specialisation, arguments: tuple) -> Specialisation:
        """The executable `entry` with another program for other types, or one of its own for that."""
        sized = None if entry.traced or lengths(entry.analysis) else self._for_any_size(arguments)
        analysis = sized or self._for_call(arguments, entry.narrow)
        if entry.traced:
            traced_calls.refuse(self.function, analysis)
        if not entry.accepts(analysis):
            return self._keep(arguments, analysis, True, entry.traced, entry.narrow, entry.places)
        self._learn(analysis)
        self.misses += 1
        entry.add(analysis)
        self._install(self.entries)
        return entry

    def _learn(self, analysis: Analysis) -> None:
        """Numbers that a program had to know, others are going to have to know as well."""
        self.static |= analysis.static
        self.reasons |= analysis.reasons

    def _watch(self, entry: Specialisation, named: dict) -> None:
        """Numbers in the caller's world that have changed since a program was made become inputs."""
        for guard in entry.guards:
            if guard.kind != "equal" or type(guard.value) not in (int, float, complex, bool):
                continue
            try:
                now = locate(guard.source, named)
            except READING_ERRORS:
                continue
            changed = type(now) is type(guard.value) and repr(now) != repr(guard.value)
            if changed and guard.source not in self.static:
                self.dynamic.add(guard.source)

    def with_more_room(self, full: Overfull, arguments: tuple) -> Any:
        """Call again with more room for a list that grew beyond what was guessed; nothing has been written back.

        Raises:
            Overfull: the arguments were given away to the first call (`donate_argnums`).
        """
        if self.policy.donated:
            raise full
        guess = full.args[0]
        with self.lock:
            found = [e for e in (*self.entries, *self.traced) if guess in e.guesses()]
            before = max((e.guesses()[guess] for e in found), default=0)
            # where one list of lists has long ones, others may well have
            like = {other for e in found for other in e.guesses() if is_of_items(guess) and is_of_items(other)}
            for each in {guess, *like}:
                self.capacities[each] = max(self.capacities.get(each, 0), before * _MORE)
            LOGGERS["cache"].info("%s: a list outgrew its room for %d items", self.name, before)
            self.traced = tuple(e for e in self.traced if e not in found)
            self._install(tuple(e for e in self.entries if e not in found))
        return self.slow(*arguments)

    def finish(self, analysis: Analysis, values: tuple, arguments: tuple, kind: ResultKind) -> Any:
        """Errors, effects, the result."""
        named = self.binder.named(arguments)
        if analysis.raises is not None:
            if analysis.prints:
                outcome.write_texts(analysis, values, named)
            raise outcome.exception_of(analysis.raises, values, named)
        return outcome.finish(analysis, values, named, outcome.LEAF_MAKERS[kind])


def _optimise(analysis: Analysis) -> None:
    optimise(analysis.module)
    analysis.forget_errors()


def forget_all() -> None:
    """Forget the programs of all functions."""
    for cache in list(CACHES):
        cache.clear()
