"""Ahead of time: lower, compile, explain, print."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

from xlapy.interpreter.analyse import Analysis
from xlapy.ir import to_text
from xlapy.lowering.evaluate import evaluate
from xlapy.report import NotOffloadableError
from xlapy.runtime.codegen import locate
from xlapy.runtime.jax_internals import set_x64, swap_x64
from xlapy.runtime.specialisation import Cache


class Lowered:
    """A program as StableHLO, before XLA compiles it."""

    def __init__(self, cache: Cache, analysis: Analysis, lowered: Any, operands: tuple) -> None:
        self._cache, self._analysis, self._lowered, self._operands = cache, analysis, lowered, operands

    def as_text(self) -> str:
        """StableHLO."""
        return self._lowered.as_text()

    def compile(self, **options: Any) -> Any:
        """The executable (`jax.stages.Compiled`): `as_text`, `cost_analysis`, `memory_analysis`, and a call."""
        before = swap_x64(not self._cache.policy.narrow)
        try:
            return self._lowered.compile(**options)
        finally:
            set_x64(before)


def lower(cache: Cache, arguments: tuple) -> Lowered:
    """Lower for bound arguments; those may be `jax.ShapeDtypeStruct`s."""
    analysis = cache.analyse(arguments)
    named = dict(zip(cache.binder.names, arguments, strict=True))
    operands = tuple(_struct(locate(p.source, named), p) for p in analysis.parameters)
    params = analysis.module.entry.params

    def program(*values):
        return [jax.numpy.asarray(r) for r in evaluate(analysis.module.entry, dict(zip(params, values, strict=True)))]

    program.__name__ = program.__qualname__ = cache.function.__name__
    before = swap_x64(not cache.policy.narrow)
    try:
        lowered = jax.jit(program, **cache.policy.options).lower(*operands)
    finally:
        set_x64(before)
    return Lowered(cache, analysis, lowered, operands)


def _struct(found: Any, parameter: Any) -> Any:
    type_ = parameter.var.type
    sharding = getattr(found, "sharding", None)
    return jax.ShapeDtypeStruct(type_.shape, type_.dtype, sharding=sharding, weak_type=type_.weak)


def typed(cache: Cache, arguments: tuple) -> str:
    """The typed program."""
    return to_text(cache.analyse(arguments).module)


def explain(cache: Cache, arguments: tuple) -> str:
    """What a call would do: the program's inputs, assumptions and effects, or every obstacle."""
    try:
        analysis = cache.analyse(arguments)
    except NotOffloadableError as error:
        return str(error)
    lines = [f"{cache.function.__qualname__} is offloaded as one program"]
    lines += [f"  input  {p.source}: {p.var.type}" for p in analysis.parameters]
    lines += [f"  static {s}" for s in sorted(map(str, analysis.static))]
    lines += [f"  assumes {g.kind} {g.source}" for g in analysis.guards if g.kind != "type"]
    lines += [f"  changes {e.source}{'.' + e.name if e.kind == 'instance' else ''}" for e in analysis.effects]
    lines += [f"  may raise {cls.__name__}" for cls, _ in analysis.errors]
    return "\n".join(lines)


__all__ = ["np"]
