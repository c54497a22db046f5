"""Specialisations of a function: a program each, with guards; the warm call finds the one that holds and runs it."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, NamedTuple

import jax

from xlapy.domain.sources import Source
from xlapy.interpreter.analyse import Analysis, analyse
from xlapy.interpreter.world import Guard
from xlapy.lowering.evaluate import evaluate
from xlapy.passes import optimise
from xlapy.runtime import outcome
from xlapy.runtime.binding import Binder
from xlapy.runtime.codegen import MISS, Writer, locate
from xlapy.runtime.jax_internals import ambient_x64, set_x64, swap_x64


class CacheInfo(NamedTuple):
    """Like `functools.lru_cache`'s: calls answered by a compiled program, compilations, programs kept."""

    hits: int
    misses: int
    maxsize: int | None
    currsize: int


class _NewTypes(Exception):
    """The executable was called with operand types for which the program reads or assumes something else."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis = analysis


@jax.tree_util.register_pytree_node_class
class Outputs:
    """Flat outputs of a program that needs finishing on the host; `variant` says which program made them."""

    __slots__ = ("values", "variant")

    def __init__(self, variant: int, values: tuple) -> None:
        self.variant, self.values = variant, values

    def tree_flatten(self):
        return self.values, self.variant

    @classmethod
    def tree_unflatten(cls, variant: int, values: tuple) -> Outputs:
        return cls(variant, tuple(values))


class Specialisation:
    """One executable for one set of guards. Several operand types may share it, each with a program of its own."""

    def __init__(
        self,
        name: str,
        parameters: list[str],
        analysis: Analysis,
        policy: Policy,
        x64: bool,
        shapes: bool,
        compile_: Callable[[tuple], Analysis],
    ) -> None:
        self.name, self.parameters, self.policy = name, parameters, policy
        self.compile = compile_
        #: the arguments of the call in progress, for a program made while JAX traces
        self.arguments: tuple = ()
        self.analysis = analysis
        self.x64 = x64
        self.calls = 0
        self.sources = [p.source for p in analysis.parameters]
        self.variants: dict[tuple, Analysis] = {self._types(analysis): analysis}
        self.numbered: list[Analysis] = [analysis]
        self.guards = guards_of(analysis, shapes)
        self.raises = analysis.raises is not None
        self.jitted = jax.jit(self._trace, **policy.options)
        self.prepare = self._generate()

    @staticmethod
    def _types(analysis: Analysis) -> tuple:
        return tuple((p.var.type.shape, p.var.type.dtype) for p in analysis.parameters)

    def _generate(self) -> Callable:
        writer = Writer()
        if self._depends_on_ambient():
            ambient = writer.name(ambient_x64)
            writer.require(f"{ambient}() is {self.x64}")
        for guard in self.guards:
            writer.guard(guard)
        operands = ", ".join(writer.place(source) for source in self.sources)
        return writer.function("prepare", self.parameters, f"({operands}{',' if operands else ''})")

    def _depends_on_ambient(self) -> bool:
        return True

    def _trace(self, *operands):
        key = tuple((tuple(x.shape), x.dtype) for x in operands)
        analysis = self.variants.get(key)
        if analysis is None:
            analysis = self.compile(self.arguments)
            if analysis.raises is not None or not self.accepts(analysis):
                raise _NewTypes(analysis)
            self.add(analysis)
        environment = dict(zip(analysis.module.entry.params, operands, strict=True))
        results = evaluate(analysis.module.entry, environment)
        pure = not (analysis.effects or analysis.errors or analysis.prints)
        if pure and outcome.is_plain(analysis.result) and not self.policy.numpy:
            return outcome.plain(analysis.result, results)  # type: ignore[arg-type]
        return Outputs(self.numbered.index(analysis), tuple(jax.numpy.asarray(r) for r in results))

    def accepts(self, analysis: Analysis) -> bool:
        """Whether another program may share the executable: the same inputs and the same assumptions."""
        same = [p.source for p in analysis.parameters] == self.sources
        return same and set(map(_guard_key, guards_of(analysis, False))) == set(map(_guard_key, self.guards))

    def add(self, analysis: Analysis) -> None:
        """Let another program share the executable."""
        self.variants[self._types(analysis)] = analysis
        self.numbered.append(analysis)

    def run(self, operands: tuple, arguments: tuple) -> Any:
        """Run on operands that `prepare` found."""
        self.arguments = arguments
        before = swap_x64(not self.policy.narrow)
        try:
            result = self.jitted(*operands)
        finally:
            set_x64(before)
            self.arguments = ()
        if type(result) is Outputs:
            analysis = self.numbered[result.variant]
            named = dict(zip(self.parameters, arguments, strict=True))
            if any(isinstance(v, jax.core.Tracer) for v in result.values):
                outcome.refuse_tracers(self.name, analysis)
            leaf = outcome.to_numpy if self.policy.numpy else outcome.to_jax
            return outcome.finish(analysis, result.values, named, leaf)
        return result


def _guard_key(guard: Guard) -> tuple:
    value = guard.value
    return (guard.kind, guard.source, value if isinstance(value, Source) else id(value) if guard.kind == "is" else repr(value))


def guards_of(analysis: Analysis, shapes: bool) -> list[Guard]:
    """All guards of an analysis; with array types where they have to be told apart in Python."""
    guards = list(analysis.guards)
    if shapes:
        for parameter in analysis.parameters:
            if parameter.python is None:
                type_ = parameter.var.type
                guards.append(Guard("shape", parameter.source, (type_.shape, type_.dtype)))
    written = [source for kind, source in analysis.written if kind == "buffer"]
    if written:
        arrays = [g.source for g in analysis.guards if g.kind == "type" and getattr(g.value, "__name__", "") == "ndarray"]
        for source in written:
            for other in arrays:
                if other != source and not (other in written and arrays.index(other) < arrays.index(source)):
                    guards.append(Guard("apart", source, other))
    changed = [(kind, source) for kind, source in analysis.written if kind in ("list", "dict", "set", "instance")]
    if changed:
        objects = [(g.value, g.source) for g in analysis.guards if g.kind == "type" and g.value not in (int, float, bool)]
        for kind, source in changed:
            mine = next((cls for cls, where in objects if where == source), None)
            for cls, other in objects:
                if other != source and cls is mine:
                    guards.append(Guard("distinct", source, other))
    return [h.guard for h in dict.fromkeys(map(_Hashed, guards))]


class _Hashed:
    def __init__(self, guard: Guard) -> None:
        self.guard, self.key = guard, _guard_key(guard)

    def __hash__(self) -> int:
        return hash(self.key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Hashed) and self.key == other.key


class Policy(NamedTuple):
    """Options of `xlapy.jit`: 32-bit types, NumPy results, and options handed to `jax.jit`."""

    narrow: bool = False
    numpy: bool = False
    options: dict = {}  # noqa: RUF012


class Cache:
    """All specialisations of one function."""

    def __init__(self, function: types.FunctionType, policy: Policy) -> None:
        self.function, self.policy = function, policy
        self.binder = Binder(function)
        self.entries: list[Specialisation] = []
        self.static: set[Source] = set()
        self.dynamic: set[Source] = set()
        self.hits = self.misses = 0

    def call(self, *arguments: Any) -> Any:
        """Run with bound arguments, compiling first where no specialisation holds."""
        for entry in self.entries:
            operands = entry.prepare(*arguments)
            if operands is not MISS:
                if entry.raises:
                    return self._raise(entry, operands, arguments)
                entry.calls += 1
                try:
                    return entry.run(operands, arguments)
                except _NewTypes as new:
                    entry.calls -= 1
                    return self._run_new(arguments, new.analysis)
        self._watch(arguments)
        return self._run_new(arguments, self.compile(arguments))

    def info(self) -> CacheInfo:
        """Counts of calls and compilations."""
        hits = sum(entry.calls for entry in self.entries)
        return CacheInfo(max(hits - self.misses, 0) + self.hits, self.misses, None, sum(len(e.variants) for e in self.entries))

    def clear(self) -> None:
        """Forget all programs."""
        self.entries.clear()
        self.static.clear()
        self.dynamic.clear()
        self.hits = self.misses = 0

    def analyse(self, arguments: tuple) -> Analysis:
        """The program for bound arguments, not kept."""
        named = dict(zip(self.binder.names, arguments, strict=True))
        analysis = analyse(
            self.function, named, self.static, self.dynamic, ambient_x64(), self.policy.narrow
        )
        optimise(analysis.module)
        return analysis

    def compile(self, arguments: tuple) -> Analysis:
        """A program that is going to be kept."""
        before = swap_x64(self._ambient(arguments))
        try:
            analysis = self.analyse(arguments)
        finally:
            set_x64(before)
        self.static |= analysis.static
        self.misses += 1
        return analysis

    def _ambient(self, arguments: tuple) -> bool:
        """The caller's setting, also while a call in progress has replaced it."""
        entry = next((e for e in self.entries if e.arguments is arguments and arguments), None)
        return entry.x64 if entry is not None else ambient_x64()

    def _run_new(self, arguments: tuple, analysis: Analysis) -> Any:
        """Keep a new program and run it. Where the programs of one function read different things, array types are told
        apart by guards; otherwise by JAX."""
        shapes = analysis.raises is not None or any(
            [p.source for p in analysis.parameters] != e.sources for e in self.entries
        )
        if shapes:
            for other in self.entries:
                if len(other.variants) == 1:
                    other.guards = guards_of(other.analysis, True)
                    other.prepare = other._generate()
        entry = Specialisation(
            self.function.__qualname__, self.binder.names, analysis, self.policy, ambient_x64(), shapes, self.compile
        )
        operands = entry.prepare(*arguments)
        if operands is MISS:
            name = self.function.__qualname__
            raise AssertionError(f"xlapy: the guards of {name} do not hold for the call they were made for")
        self.entries.insert(0, entry)
        entry.calls += 1
        if entry.raises:
            return self._raise(entry, operands, arguments)
        return entry.run(operands, arguments)

    def _raise(self, entry: Specialisation, operands: tuple, arguments: tuple) -> Any:
        """A program that raises for certain; parts of its message may be dynamic."""
        analysis = entry.analysis
        environment = dict(zip(analysis.module.entry.params, operands, strict=True))
        before = swap_x64(not self.policy.narrow)
        try:
            outputs = jax.jit(lambda *xs: evaluate(analysis.module.entry, dict(zip(environment, xs, strict=True))))(*operands)
        finally:
            set_x64(before)
        cls, args = analysis.raises  # type: ignore[misc]
        named = dict(zip(self.binder.names, arguments, strict=True))
        if analysis.prints:
            outcome.write_texts(analysis, outputs, named)
        raise outcome.make_exception(cls, args, outputs, named)

    def _watch(self, arguments: tuple) -> None:
        """Numbers in the caller's world that have changed since a program was made become inputs."""
        named = dict(zip(self.binder.names, arguments, strict=True))
        for entry in self.entries:
            for guard in entry.analysis.guards:
                if guard.kind != "equal" or type(guard.value) not in (int, float, complex, bool):
                    continue
                try:
                    now = locate(guard.source, named)
                except (AttributeError, KeyError, IndexError, TypeError, ValueError):
                    continue
                if type(now) is type(guard.value) and repr(now) != repr(guard.value) and guard.source not in self.static:
                    self.dynamic.add(guard.source)
