"""Calls of a built-in function with a generator expression in which a function calls itself (see
`frontend.generator_fusion`)."""

from __future__ import annotations

import builtins
import contextlib
import functools
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from xlapy.dispatch.iterators import recursive_consumers
from xlapy.domain.values import Const, Value, as_ref
from xlapy.frontend import Fused
from xlapy.interpreter import generator_stepping, generators

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


class Fusion(NamedTuple):
    """What is called in the place of both, and its arguments: those of the built-in but for the first one, and those of
    the generator expression with its free variables."""

    callee: Fused
    arguments: list[Value]


def of_call(machine: Machine, function: object, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Fusion | None:
    """A call of a built-in that goes through a generator expression; None for others."""
    consumer = recursive_consumers.find(function, len(args), tuple(kwargs))
    if consumer is None or not generator_stepping.is_generator(machine, args[0]):
        return None
    generator = as_ref(args[0])
    activation: generator_stepping.Activation = machine.heap.objects[generator.object].details
    program = activation.program
    if program.code.co_name != "<genexpr>" or activation.globals != machine.frame.globals:
        return None
    if not generators.is_whole(machine, function, generator):
        return None
    others = [*args[1:], *kwargs.values()]
    if function is sum and any(isinstance(v, Const) and isinstance(v.value, str | bytes | bytearray) for v in others):
        return None
    own = [machine.heap.read(generator.object, str(register)) for register in (0, *program.frees)]
    given = [*others, *map(Const, consumer.arguments), *own]
    return Fusion(Fused(consumer.function.__code__, program.code, _globals(consumer.function)), given)


@functools.lru_cache(maxsize=100)
def _globals(function: types.FunctionType) -> tuple[tuple[str, Any], ...]:
    """What the names in a function of ours are."""
    found = {**vars(builtins), **function.__globals__}
    return tuple((name, found[name]) for name in function.__code__.co_names if name in found)


@contextlib.contextmanager
def noted(machine: Machine, function: object, args: Sequence[Value], kwargs: Mapping[str, Value]) -> Iterator[None]:
    """In the meantime the frame that calls a built-in knows what may be called in its place."""
    frame = machine.frame
    found = of_call(machine, function, args, kwargs)
    outer, frame.fused = frame.fused, None if found is None else found.callee
    try:
        yield
    finally:
        frame.fused = outer
