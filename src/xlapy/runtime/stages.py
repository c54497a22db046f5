"""Ahead of time: lower, compile for a device or for one that is not there, print."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.export
from jax.sharding import Sharding

from xlapy.interpreter.analyse import Analysis
from xlapy.interpreter.caller_environment import Parameter
from xlapy.ir import to_text
from xlapy.lowering.cpu_xla.compiler_options import compiler_options
from xlapy.lowering.evaluate import evaluate_fast
from xlapy.runtime import portable
from xlapy.runtime.cache import Cache
from xlapy.runtime.codegen import MISS, Writer, locate
from xlapy.runtime.guards import guards_of
from xlapy.runtime.jax_internals import ambient_x64, set_x64, swap_x64
from xlapy.runtime.native_calls import errors_of
from xlapy.runtime.result_kinds import result_kind
from xlapy.runtime.sharding import (
    Places,
    are_sharded,
    in_auto_axes,
    is_spread,
    moved_to,
    operand_shardings,
    placed,
    places_of,
    result_shardings,
    to_devices,
)
from xlapy.runtime.specialisation import reads_large_memory
from xlapy.runtime.targets import target_devices, target_options
from xlapy.runtime.transfer_report import Traffic, traffic

#: the platforms that a saved program is for, unless others are named
PLATFORMS = ("cpu", "cuda", "tpu")


class Lowered:
    """A program for one kind of arguments, before XLA compiles it."""

    def __init__(self, cache: Cache, arguments: tuple) -> None:
        self._cache = cache
        self._analysis = cache.analyse(arguments)
        named = cache.binder.named(arguments)
        self._found = [locate(p.source, named) for p in self._analysis.parameters]
        self._lowered = _lower(cache, self._analysis, self._found, None)

    def as_text(self, debug_info: bool = False) -> str:
        """StableHLO; with the places in the source if `debug_info`."""
        return self._lowered.as_text(debug_info=debug_info)

    def compile(self, target: str | None = None, compiler_options: dict[str, Any] | None = None) -> Compiled:
        """The executable.

        Args:
            target: None for the default device; 'cpu', 'gpu' or 'tpu' for a device of that kind that is here;
                'gpu:h100' (also 'a100', 'l4', 'h200', 'b200') or 'tpu:v5e:2x2' (a TPU generation and topology) for one
                that need not be. Such an executable has a text and analyses, and cannot be called.
            compiler_options: XLA's options, as for `jax.jit`.

        Arguments that lie on several devices lie on those of the target in the same way.

        Raises:
            ValueError: for a target that cannot be compiled for here, or has another number of devices than the
                arguments lie on.
        """
        lowered = self._lowered
        if target is not None:
            lowered = _lower(self._cache, self._analysis, self._found, target)
        before = swap_x64(not self._cache.policy.narrow)
        try:
            executable = lowered.compile(target_options(target) | (compiler_options or {}))
        finally:
            set_x64(before)
        return Compiled(self._cache, self._analysis, executable)

    def save(self, path: str | Path, platforms: Sequence[str] = PLATFORMS) -> None:
        """Write the program to a file as portable StableHLO, which `xlapy.load` reads, here or on another machine.

        The function is not needed there. What it knew of its surroundings is saved with it: arrays from closures and
        globals, and numbers that were known at compile time. Nothing is pickled.

        Args:
            path: of the file.
            platforms: where it has to run, of 'cpu', 'cuda', 'rocm', 'tpu'; the devices need not be here.

        Raises:
            ValueError: for a function whose result or effects are objects that a file cannot hold, or an unknown
                platform.
        """
        unknown = set(platforms) - {*PLATFORMS, "rocm"}
        if unknown:
            raise ValueError(f"unknown platforms: {', '.join(sorted(unknown))}")
        analysis, policy = self._analysis, self._cache.policy
        known = {i: x for i, (x, p) in enumerate(zip(self._found, analysis.parameters, strict=True)) if _elsewhere(p)}
        operands = [_struct(p, None) for p in analysis.parameters]
        before = swap_x64(not policy.narrow)
        try:
            exported = jax.export.export(jax.jit(_program(self._cache, analysis)), platforms=list(platforms))(*operands)
        finally:
            set_x64(before)
        portable.save(path, analysis, exported, self._cache.function, known)

    def costs(self) -> dict[str, float]:
        """XLA's count of what one run does, before it optimises: `flops`, `bytes accessed` and others; the body of a
        loop counts once."""
        found = self._lowered.cost_analysis()
        return found if isinstance(found, dict) else {}

    def traffic(self) -> Traffic:
        """What a call with arguments like these moves between host and device, in bytes."""
        return traffic(self._cache.policy, self._analysis, self._found)


class Compiled:
    """An executable for one kind of arguments; called like the function."""

    def __init__(self, cache: Cache, analysis: Analysis, executable: Any) -> None:
        self._cache, self._analysis, self.executable = cache, analysis, executable
        self._result_kind = result_kind(cache.policy.returns, analysis, cache.says_where(analysis))
        writer = Writer(cache.binder.names, traced=False)
        if analysis.reads_ambient:
            writer.require(f"{writer.name(ambient_x64)}() is {ambient_x64()}")
        for guard in guards_of(analysis, True, cache.policy.narrow):
            writer.guard(guard)
        self._prepare = writer.prepare([p.source for p in analysis.parameters])
        self._run = executable
        if cache.policy.says_where:
            self._run = to_devices(executable, operand_shardings(cache.policy, analysis.parameters))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run; `TypeError` for arguments or a state of the caller's world other than those compiled for."""
        arguments = self._cache.binder.bind(args, kwargs)
        operands = self._prepare(*arguments)
        if operands is MISS:
            raise TypeError(f"{self._cache.name} was compiled for other arguments, or what it reads has changed since")
        before = swap_x64(not self._cache.policy.narrow)
        try:
            outputs = self._run(*operands)
        finally:
            set_x64(before)
        if reads_large_memory(self._analysis):
            jax.block_until_ready(outputs)
        result = self._cache.finish(self._analysis, tuple(outputs), arguments, self._result_kind)
        return placed(result, self._cache.policy.out_shardings)

    def as_text(self) -> str:
        """The optimised HLO."""
        return self.executable.as_text()

    def cost_analysis(self) -> Any:
        """XLA's own count of operations and bytes."""
        return self.executable.cost_analysis()

    def memory_analysis(self) -> Any:
        """XLA's own account of memory."""
        return self.executable.memory_analysis()


def _lower(cache: Cache, analysis: Analysis, found: list, target: str | None) -> Any:
    policy = cache.policy
    told = operand_shardings(policy, analysis.parameters)
    given = told or [getattr(x, "sharding", None) for x in found]
    device, sharding = policy.device, None
    if target is not None:
        devices = target_devices(target)
        device, told, given = devices[0], None, [moved_to(s, devices, target) for s in given]
    if device is not None and not any(map(is_spread, given)):
        sharding = jax.sharding.SingleDeviceSharding(device)
        given = [sharding] * len(given)
    operands = [_struct(p, place) for p, place in zip(analysis.parameters, given, strict=True)]
    donated = tuple(i for i, p in enumerate(analysis.parameters) if p.source.root().key in policy.donated)
    options = dict(policy.jax)
    options["compiler_options"] = compiler_options(analysis.module.entry, options.get("compiler_options"), device)
    if sharding is not None and not operands:
        options["out_shardings"] = sharding
    placed = [x.sharding for x in operands if x.sharding is not None]
    platform = next(iter(placed[0].device_set)).platform if placed else jax.default_backend()
    if told is not None:
        options["in_shardings"] = tuple(told)
    partitioned = cache.says_where(analysis) or are_sharded(operands)
    places = places_of(policy, analysis, operands) if partitioned else None
    program = _program(cache, analysis, platform if device is None else device.platform, places)
    before = swap_x64(not policy.narrow)
    try:
        return jax.jit(program, donate_argnums=donated, **options).lower(*operands)
    finally:
        set_x64(before)


def _program(
    cache: Cache,
    analysis: Analysis,
    platform: str | None = None,
    places: Places | None = None,
) -> Callable:
    """The program as a function of its operands, for one platform or any; `places` as for `Specialisation`."""
    params, wanted = analysis.module.entry.params, result_shardings(analysis, cache.policy, places)
    errors = errors_of(analysis, None)

    def run(*values):
        environment = dict(zip(params, values, strict=True))
        results = evaluate_fast(
            analysis.module.entry, environment, platform=platform, partitioned=places is not None, errors=errors
        )
        return [r if isinstance(r, jax.Array) else jax.numpy.asarray(r) for r in results]

    def program(*values):
        return in_auto_axes(run, values, wanted)

    program.__name__ = program.__qualname__ = cache.function.__name__
    return program


def _elsewhere(parameter: Parameter) -> bool:
    """Whether an input of the program is no argument of the function."""
    return parameter.source.root().kind != "argument"


def _struct(parameter: Any, sharding: Any) -> jax.ShapeDtypeStruct:
    type_ = parameter.var.type
    sharding = sharding if isinstance(sharding, Sharding) else None
    return jax.ShapeDtypeStruct(type_.shape, type_.dtype, sharding=sharding, weak_type=type_.weak)


def typed(cache: Cache, arguments: tuple, opt: bool = True) -> str:
    """The typed program, before or after the passes."""
    return to_text((cache.analyse if opt else cache.interpret)(arguments).module)
