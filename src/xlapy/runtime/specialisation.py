"""One executable for one set of guards, and the generated function that runs it."""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import jax
import jax.core
import numpy as np
from jax.sharding import get_abstract_mesh

from xlapy.domain.growable_lists import Overfull
from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Guard, Parameter
from xlapy.lowering.cpu_xla.compiler_options import Traits, options_for, traits_of
from xlapy.lowering.cpu_xla.zero_copy_inputs import MemorySlice, passed_by
from xlapy.lowering.evaluate import Environment, evaluate, evaluate_fast
from xlapy.lowering.jaxprs.varying_axes import is_checked
from xlapy.lowering.llvm import Given
from xlapy.lowering.matmul_precision import requested_precision
from xlapy.machine_code.object_calls import OTHER, Plan
from xlapy.runtime import outcome, program_storing, quick, result_code, traced_calls
from xlapy.runtime.codegen import MISS, Writer, is_implied
from xlapy.runtime.guards import guards_of, holders_of, key_of
from xlapy.runtime.jax_internals import (
    MAY_CHECK_RESULTS,
    ConcreteArray,
    ambient_x64,
    narrowing,
    set_x64,
    swap_x64,
)
from xlapy.runtime.native_calls import Direct, errors_of
from xlapy.runtime.operand_checks import NewTypes, is_foreign, is_nested, overflows
from xlapy.runtime.packing import Travelling, packing_of_operands, packing_of_results, travelling, typed
from xlapy.runtime.program_sharing import Moves, mentions, outcome_of
from xlapy.runtime.result_kinds import ResultKind, result_kind
from xlapy.runtime.sharding import (
    Places,
    are_sharded,
    in_auto_axes,
    operand_shardings,
    placed,
    result_shardings,
    several_devices,
    to_devices,
)
from xlapy.runtime.transfer_report import NARROWED, delivered_outputs, donated_buffers, outputs_of
from xlapy.runtime.transfers import staged
from xlapy.runtime.varying_sizes import Metered, lengths

if TYPE_CHECKING:
    from xlapy.runtime.cache import Cache

#: bytes; JAX copies arrays below 100 KiB before it returns
_LARGE = 1 << 15


@jax.tree_util.register_pytree_node_class
class Outputs:
    """Flat outputs of a program that needs finishing on the host; `variant` says which program made them."""

    __slots__ = ("values", "variant")

    def __init__(self, variant: int, values: tuple) -> None:
        self.variant, self.values = variant, values

    def tree_flatten(self):
        """JAX's children and static part."""
        return self.values, self.variant

    @classmethod
    def tree_unflatten(cls, variant: int, values: tuple) -> Outputs:
        """The inverse of `tree_flatten`."""
        return cls(variant, tuple(values))


@dataclass(frozen=True)
class Build:
    """How the programs of an executable are compiled and called.

    Attributes:
        waits: whether a call waits for its results.
        staged: whether large NumPy arrays are handed over without a copy, or copied to memory that is kept
            (`runtime.transfers`).
        zero_copy: parameters that are read where they lie, by number.
        traits: what XLA's options depend on; None where JAX transforms the program.
        direct: whether it may be machine code that is called without XLA.
    """

    waits: bool
    staged: bool
    zero_copy: frozenset[int]
    traits: Traits | None
    direct: bool

    def joined(self, other: Build) -> Build:
        """That for the programs of both; what is not copied does not change once something is staged."""
        traits = None if self.traits is None or other.traits is None else self.traits.joined(other.traits)
        zero_copy = self.zero_copy if self.staged else other.zero_copy
        return Build(self.waits or other.waits, self.staged or other.staged, zero_copy, traits, self.direct)


class Specialisation:
    """One executable for one set of guards. Several operand types may share it, each with a program of its own.

    Args:
        cache: the compiled function it belongs to.
        analysis: its first program.
        x64: whether 64-bit types are on for the caller, which programs that call JAX depend on.
        shapes: whether array types are told apart by guards.
        traced: whether it is for calls under a JAX transformation.
        narrow: whether 64-bit types become 32-bit ones.
        places: where outputs belong; None unless XLA partitions it, for several devices.
    """

    def __init__(
        self,
        cache: Cache,
        analysis: Analysis,
        x64: bool,
        shapes: bool,
        traced: bool,
        narrow: bool,
        places: Places | None,
    ) -> None:
        self.precision = requested_precision()
        self.sharded, self.places, self.mesh = places is not None, places, get_abstract_mesh()
        self.checked = is_checked()
        self.cache, self.analysis, self.x64, self.traced, self.narrow = cache, analysis, x64, traced, narrow
        self.calls = 0
        #: functions and cells of the caller's in whose place others are (see `program_sharing`)
        self.own: dict[int, object] = {}
        self.is_moved = False
        #: whether small loops may become native functions
        self.native = True
        self.sources = [p.source for p in analysis.parameters]
        self.result_kind = result_kind(cache.policy.returns, analysis, traced or places is not None)
        self.numbered: list[Analysis] = [analysis]
        self.guards = guards_of(analysis, shapes, narrow)
        self.donated = self._donated()
        apart = range(len(self.sources)) if traced or narrow or cache.policy.jax else self.donated
        self.packing = packing_of_operands(analysis.parameters, apart)
        self.variants: dict[tuple, Analysis] = {self._types(analysis): analysis}
        #: the programs as they are compiled, of what travels
        self.travelling: dict[int, Travelling] = {id(analysis): self._as_it_travels(analysis)}
        self.quick = [self._quick(analysis)]
        self.build = self._build_of(analysis)
        self.jitted = self._jit()
        self._generate()

    # -- making it --------------------------------------------------------------------------------------------------

    def _donated(self) -> tuple[int, ...]:
        """The inputs that are given away."""
        kept = donated_buffers(self.analysis, self.narrow) if not self.traced else ()
        names = self.cache.policy.donated
        return tuple(i for i, source in enumerate(self.sources) if source.root().key in names or source.base in kept)

    def _as_it_travels(self, analysis: Analysis) -> Travelling:
        """The program that is compiled."""
        if self.traced or self.sharded:
            return Travelling(analysis.module, None)
        plain = _is_plain(analysis, self.result_kind)
        results = None if plain else packing_of_results(analysis, self.result_kind, self._is_on_host())
        return travelling(analysis, self.packing, results)

    def _is_on_host(self) -> bool:
        """Whether it runs on a CPU, in the caller's memory."""
        here = self.cache.policy.device is None and not self.sharded
        return here and not self.narrow and jax.default_backend() == "cpu"

    def _build_of(self, analysis: Analysis) -> Build:
        """How a program is to be compiled and called."""
        waits = reads_large_memory(analysis)
        if self.traced:
            return Build(waits, False, frozenset(), None, False)
        policy = self.cache.policy
        on_host = self._is_on_host()
        staged = waits and on_host
        entry = self.travelling[id(analysis)].module.entry
        zero_copy = passed_by(entry) if staged else frozenset()
        direct = on_host and not policy.jax and not self.donated
        return Build(waits, staged, zero_copy, traits_of(entry, bool(zero_copy)), direct)

    def _jit(self) -> Callable:
        """The compiled program, of operands as they travel."""
        policy = self.cache.policy
        alone = self._alone()
        donated = tuple(k for k, place in enumerate(alone) if place in self.donated)
        native, build = self.native, self.build

        def _trace(*operands: Any) -> Any:
            return self._trace(operands, native, build)

        options = dict(policy.jax)
        if build.traits is not None:
            options["compiler_options"] = options_for(build.traits, options.get("compiler_options"), policy.device)
        shardings = operand_shardings(policy, [self.analysis.parameters[k] for k in alone])
        if shardings is not None:
            groups = self.packing.groups if self.packing is not None else ()
            options["in_shardings"] = (*shardings, *(None for _ in groups))
        if policy.out_shardings is not None and _is_plain(self.analysis, self.result_kind):
            options["out_shardings"] = policy.out_shardings
        jitted = jax.jit(_trace, donate_argnums=donated, **options)
        if self.sharded or several_devices() and not self.traced:
            jitted = to_devices(jitted, options.get("in_shardings"))
            jitted = _narrowing(jitted) if self.narrow and self.sharded else jitted
        if self.traced and self.narrow:
            return _narrowing(jitted)
        if policy.device is not None:
            return lambda *operands: jitted(*jax.device_put(operands, policy.device))
        if build.staged:
            places = [k for k in range(len(alone)) if k not in donated]
            jitted = staged(jitted, places, [k for k in places if k in build.zero_copy])
        if build.waits:
            jitted = _waiting(jitted)
        sizes = lengths(self.analysis)
        places = [k for k, place in enumerate(alone) if self.sources[place] in sizes]
        if build.direct:
            python = [self.analysis.parameters[k].python for k in alone]
            python += [None] * (len(self.packing.groups) if self.packing is not None else 0)
            jitted = Direct(jitted, python, self._program, self._finished, self._plan, self._store)
        return Metered(jitted, places, NewTypes) if places else jitted

    def _alone(self) -> Sequence[int]:
        """The inputs that travel alone."""
        return self.packing.alone if self.packing is not None else range(len(self.sources))

    def _program(self, given: Sequence[Given]) -> tuple[Analysis, Travelling, Sequence[int], Sequence[int]] | None:
        """The program for operands as they travel, which of its results the caller gets as `jax.Array`s, and which of
        them become parts of such."""
        count = len(self._alone())
        analysis = self.variants.get(tuple((g.shape, str(g.dtype), False) for g in given[:count]))
        if analysis is None:
            return None
        found = self.travelling[id(analysis)]
        delivered = delivered_outputs(analysis, self.result_kind)
        parts = set(outputs_of(analysis.result)) - delivered if self.result_kind is ResultKind.JAX else set()
        if found.results is not None:
            alone = list(enumerate(found.results.alone))
            delivered, parts = ({place for place, k in alone if k in known} for known in (delivered, parts))
        return analysis, found, sorted(delivered), sorted(parts)

    def _finished(self, analysis: Analysis) -> Callable[[tuple], Any]:
        """What makes of the results of a program what it returns."""
        if _is_plain(analysis, self.result_kind):
            return outcome.plainly(analysis.result)
        return partial(Outputs, self.numbered.index(analysis))

    def _plan(self, analysis: Analysis) -> tuple[Plan, result_code.Finish | None] | None:
        """What a C function does that is called with the operands, and what is done then."""
        if self.packing is not None or self.travelling[id(analysis)].results is not None or lengths(analysis):
            return None
        if self.cache.policy.out_shardings is not None:
            return None
        count = len(analysis.module.entry.results)
        return result_code.plan(analysis, count, self.sources, self.cache.binder.names, self.result_kind)

    def _store(self, analysis: Analysis, call: Callable) -> None:
        """Keep a program on disk that is called without XLA, if that can be."""
        usual = self.packing is None and self.travelling[id(analysis)].results is None and not lengths(analysis)
        usual = (
            usual and not several_devices() and self.mesh.empty and not delivered_outputs(analysis, self.result_kind)
        )
        if usual and self.quick[self.numbered.index(analysis)] is not None:
            program_storing.store(self, analysis, call)

    def _quick(self, analysis: Analysis) -> quick.Maker | None:
        """What finishes most runs of a program."""
        policy = self.cache.policy
        if self.traced or policy.out_shardings is not None or self.travelling[id(analysis)].results is not None:
            return None
        leaf = outcome.LEAF_MAKERS[self.result_kind]
        cut = partial(outcome.cut, leaf=leaf)
        return quick.finisher(analysis, self.cache.binder.names, self.result_kind, cut)

    def _generate(self) -> None:
        """Write the functions `prepare` (arguments to operands) and `call` (the warm call)."""
        self.prepare = self._writer().prepare(self.sources)
        writer = self._writer()
        direct = self.jitted if isinstance(self.jitted, Direct) and self.packing is None else None
        self.call = writer.warm(
            self.sources,
            self.packing,
            None if direct is None else self._writer(writer),
            self.is_moved,
            native=direct,
            may_check=MAY_CHECK_RESULTS,
            OTHER=OTHER,
            finished=_is_plain(self.analysis, self.result_kind),
            swap_x64=swap_x64,
            set_x64=set_x64,
            wide=not self.narrow,
            jitted=self.jitted,
            NewTypes=NewTypes,
            new_types=self._new_types,
            overflows=partial(overflows, narrow=self.narrow),
            is_foreign=is_foreign,
            is_nested=is_nested,
            JaxRuntimeError=jax.errors.JaxRuntimeError,
            without_native=self.without_native,
            run_at_once=self.run_at_once,
            finish=self.finish,
            entry=self,
            slow=self.cache.slow,
            miss=self.cache.slow,
        )
        #: the call as Python text, to look at
        self.text = writer.text

    def _writer(self, of: Writer | None = None) -> Writer:
        """What writes the guards; for the C function of the operands, which looks at these itself, with the names `of`
        another writer."""
        writer = Writer(self.cache.binder.names, self.traced, of)
        if self.analysis.reads_ambient:
            writer.require(f"{writer.name(ambient_x64)}() is {self.x64}")
        if self.analysis.has_products:
            writer.require(f"{writer.name(requested_precision)}() == {self.precision!r}")
        groups = self.packing.groups if self.packing is not None else ()
        together = {}
        for group in groups:
            holders = holders_of([self.sources[k] for k in group.places], self.guards)
            if holders is not None and group.places == tuple(range(group.places[0], group.places[-1] + 1)):
                together[group] = holders
        operands = {p.source: (p.python, p.var.type.shape) for p in self.analysis.parameters}
        at_once = {self.sources[k] for group in together for k in group.places}
        for guard in self.guards:
            if of is not None and is_implied(guard, operands, self.analysis.effects):
                continue
            if guard.kind != "type" or guard.source not in at_once:
                writer.guard(guard)
        known = set(map(key_of, self.guards))
        for group in groups:
            sources = [self.sources[k] for k in group.places]
            assert group.python is not None
            if group in together:
                writer.numbers(sources, together[group], group.python)
                continue
            for source in sources:
                guard = Guard("type", source, group.python)
                if key_of(guard) not in known:
                    writer.guard(guard)
        self._require_devices(writer)
        return writer

    def _require_devices(self, writer: Writer) -> None:
        """Check that operands lie on several devices, or do not, and that the caller's mesh is the same."""
        if not several_devices() and self.mesh.empty:
            return
        writer.require(f"{writer.name(get_abstract_mesh)}() == {writer.name(self.mesh)}")
        if self.mesh.manual_axes:
            writer.require(f"{writer.name(is_checked)}() is {self.checked}")
        anywhere = self.analysis.spans_devices or self.cache.policy.says_where or not self.mesh.empty
        if not self.traced and not anywhere:
            arrays = [p.source for p in self.analysis.parameters if not p.is_number]
            operands = writer.operands([s for s in arrays if s in self.sources]) if arrays else ""
            writer.require(f"{writer.name(are_sharded)}(({operands})) is {self.sharded}")

    def then(self, miss: Callable) -> None:
        """What is tried next where a guard of this one does not hold."""
        self.call.__globals__["miss"] = miss

    def moved(self, cache: Cache, moves: Moves) -> Specialisation:
        """The same executable for a function with the same code, or with another function among its arguments."""
        other = copy.copy(self)
        other.cache, other.calls, other.is_moved = cache, 0, True
        other.sources = [moves.source(s) for s in self.sources]
        other.guards = [moves.guard(g) for g in self.guards]
        self.own |= moves.changed
        other.own = {id(new): new for new in map(moves.item, moves.changed.values())}
        other._generate()
        return other

    # -- several programs -------------------------------------------------------------------------------------------

    def _types(self, analysis: Analysis) -> tuple:
        """The types of what travels alone; the rest is the same in all programs."""
        parameters = [analysis.parameters[k] for k in self._alone()]
        return tuple(
            (p.var.type.shape, str(p.var.type.dtype), p.python is None and p.var.type.weak) for p in parameters
        )

    def accepts(self, analysis: Analysis) -> bool:
        """Whether another program may share the executable: the same inputs and the same assumptions."""
        same = [p.source for p in analysis.parameters] == self.sources and analysis.raises is None
        if self.packing is not None:
            same = same and [p.python for p in analysis.parameters] == [p.python for p in self.analysis.parameters]
        if self.own and mentions(outcome_of(analysis), self.own):
            return False
        if not same or analysis.reads_ambient != self.analysis.reads_ambient:
            return False
        if analysis.spans_devices != self.analysis.spans_devices:
            return False
        if analysis.has_products != self.analysis.has_products or requested_precision() != self.precision:
            return False
        kind = result_kind(self.cache.policy.returns, analysis, self.traced or self.sharded)
        if kind is not self.result_kind or _is_plain(analysis, kind) != _is_plain(self.analysis, kind):
            return False
        return set(map(key_of, guards_of(analysis, False))) == set(map(key_of, self.guards))

    def knows(self, analysis: Analysis) -> bool:
        """Whether it has a program for operands of these types already."""
        return [p.source for p in analysis.parameters] == self.sources and self._types(analysis) in self.variants

    def is_without_xla(self, operands: tuple) -> bool:
        """Whether such operands go to machine code that is called without XLA."""
        if not isinstance(self.jitted, Direct):
            return False
        return self.jitted.suits(operands if self.packing is None else self.packing.packed(operands))

    def reads_in_place(self, parameter: Parameter) -> bool:
        """Whether XLA gets an input where it lies."""
        places = [k for k, place in enumerate(self._alone()) if self.sources[place] == parameter.source]
        return self.build.staged and not self.build.zero_copy.isdisjoint(places)

    def add(self, analysis: Analysis) -> None:
        """Let another program share the executable, which is compiled anew for all of them if it has to be."""
        self.numbered.append(analysis)
        self.travelling[id(analysis)] = self._as_it_travels(analysis)
        self.quick.append(self._quick(analysis))
        self.variants[self._types(analysis)] = analysis
        build = self.build.joined(self._build_of(analysis))
        if build != self.build:
            self.build = build
            self.jitted = self._jit()
            self._generate()
        direct = self.jitted.run if isinstance(self.jitted, Metered) else self.jitted
        if isinstance(direct, Direct):
            direct.look_again()

    def _trace(self, operands: Sequence, native: bool, build: Build) -> Any:
        if self.narrow:
            operands = tuple(map(_narrowed, operands))
        device = self.cache.policy.device
        platform = jax.default_backend() if device is None else getattr(device, "platform", None)
        parts = {k: x for k, x in enumerate(operands) if type(x) is MemorySlice}
        operands = [x.array() if type(x) is MemorySlice else x for x in operands]
        parameters = [self.analysis.parameters[k] for k in self._alone()]
        key = tuple(
            (tuple(x.shape), str(x.dtype), p.python is None and jax.typeof(x).weak_type)
            for x, p in zip(operands, parameters, strict=False)
        )
        analysis = self.variants.get(key)
        if analysis is None:
            raise NewTypes
        program = self.travelling[id(analysis)]
        entry, errors = program.module.entry, errors_of(analysis, program.results)
        own = build.traits.own_reductions if build.traits is not None else None

        def run(*values: Any) -> list:
            environment: Environment = dict(zip(entry.params, values, strict=True))
            if self.traced:
                return evaluate(entry, environment)
            return evaluate_fast(entry, environment, native, platform, own, parts, True, self.sharded, errors)

        with narrowing(self.narrow):
            results = in_auto_axes(run, operands, self._wanted(analysis))
        if not self.traced and not self.narrow:
            results = [typed(x, v.type) for x, v in zip(results, entry.results, strict=True)]
        if _is_plain(analysis, self.result_kind):
            return outcome.plain(analysis.result, results)
        return Outputs(self.numbered.index(analysis), tuple(jax.numpy.asarray(r) for r in results))

    def _wanted(self, analysis: Analysis) -> dict[int, Any]:
        """How outputs are to be laid out."""
        return result_shardings(analysis, self.cache.policy, self.places)

    def _new_types(self, arguments: tuple) -> Any:
        return self.cache.new_types(self, arguments)

    # -- running it -------------------------------------------------------------------------------------------------

    def finish(self, outputs: Outputs, arguments: tuple) -> Any:
        """What is to be done on the host: errors, effects, the result."""
        make, values = self.quick[outputs.variant], outputs.values
        if make is not None and values and type(values[-1]) in _CONCRETE:
            made = make(values, arguments)
            if made is not quick.NOT_QUICK:
                return made
        try:
            return self._finish(outputs, arguments)
        except Overfull as full:
            return self.cache.with_more_room(full, arguments)

    def guesses(self) -> dict[object, int]:
        """Room that was guessed for lists that grow in loops."""
        return {k: v for analysis in self.numbered for k, v in analysis.guesses.items()}

    def _finish(self, outputs: Outputs, arguments: tuple) -> Any:
        analysis = self.numbered[outputs.variant]
        values = outputs.values
        if self.traced:
            return traced_calls.finish(self.cache, analysis, values, arguments)
        if values and type(values[-1]) is not ConcreteArray and isinstance(values[-1], jax.core.Tracer):
            # known operands while JAX traces something else: CPython would compute at once
            values = self.run_at_once(self.prepare(*arguments)).values
        packing = self.travelling[id(analysis)].results
        if packing is not None:
            values = tuple(packing.taken_apart(values))
        if isinstance(self.jitted, Metered) and outcome.meets_an_error(analysis, values):
            return self.cache.for_one_size(arguments)
        made = self.cache.finish(analysis, values, arguments, self.result_kind)
        return placed(made, self.cache.policy.out_shardings)

    def run(self, operands: tuple) -> Any:
        """Run on operands that `prepare` found."""
        before = swap_x64(not self.narrow)
        try:
            return self.jitted(*(operands if self.packing is None else self.packing.packed(operands)))
        finally:
            set_x64(before)

    def without_native(self, error: Exception, operands: tuple) -> Any:
        """Compile anew and run, if XLA has something in a native function that it cannot do there.

        Raises:
            MemoryError: XLA found none, as NumPy would not have.
        """
        if "RESOURCE_EXHAUSTED" in str(error):
            raise MemoryError(str(error).partition(": ")[2]) from error
        if not self.native or "UNIMPLEMENTED" not in str(error):
            raise error
        with self.cache.lock:
            self.native = False
            self.jitted = self._jit()
            self._generate()
            self.cache.renew()
        return self.run(operands)

    def run_at_once(self, operands: tuple) -> Any:
        """Run on known operands while JAX traces something else, as CPython would."""
        with jax.ensure_compile_time_eval():
            return self.run(operands)

    def holds(self, arguments: tuple) -> tuple | None:
        """The operands, if the guards hold for bound arguments."""
        operands = self.prepare(*arguments)
        return None if operands is MISS else operands


def reads_large_memory(analysis: Analysis) -> bool:
    """Whether JAX may still read the caller's memory after it has returned: it copies or shares large NumPy arrays
    while the caller goes on. NumPy code may write to them at once, so the call has to wait for its results."""
    memory = {g.source for g in analysis.guards if g.kind == "type" and g.value in (np.ndarray, np.memmap)}
    return any(
        p.source in memory and math.prod(p.var.type.shape) * p.var.type.dtype.itemsize >= _LARGE
        for p in analysis.parameters
    )


#: arrays whose elements are there
_CONCRETE = (np.ndarray, ConcreteArray)


def _waiting(run: Callable) -> Callable:
    """`run`, which has ended when it returns."""
    return lambda *operands: jax.block_until_ready(run(*operands))


def _narrowing(run: Callable) -> Callable:
    """`run`, whose NumPy operands get the types that JAX is going to have."""
    return lambda *operands: run(*map(_narrow_memory, operands))


def _is_plain(analysis: Analysis, kind: ResultKind) -> bool:
    """Whether JAX itself puts the result together."""
    if analysis.raises is not None or analysis.effects or analysis.errors or analysis.prints:
        return False
    return outcome.is_plain(analysis.result, kind)


def _narrowed(operand: Any) -> Any:
    narrow = NARROWED.get(str(operand.dtype))
    return operand if narrow is None else jax.lax.convert_element_type(operand, np.dtype(narrow))


def _narrow_memory(operand: Any) -> Any:
    """A NumPy operand as JAX is going to have it; it would warn."""
    narrow = NARROWED.get(str(operand.dtype)) if isinstance(operand, np.ndarray | np.generic) else None
    return operand if narrow is None else operand.astype(narrow)


__all__ = ["Outputs", "Specialisation"]
