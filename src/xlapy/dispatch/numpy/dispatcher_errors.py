"""What NumPy's functions of sequences of arrays say of one argument that is none, before they look at it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import provoke
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import NdArray, Union, Value


def _of_sequences(function: Callable, may_be: Callable[[Machine, Value], bool]) -> None:
    before = registry.function_rule(function)
    error = provoke(function, 1.0)

    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        if args and not isinstance(args[0], Union) and not may_be(machine, args[0]):
            return machine.raise_(type(error), *error.args)
        return registry.passed_on(before, machine, *args, **kwargs)

    for mark, marked in (
        (registry.takes_mixed, registry.accepts(before, True)),
        (registry.takes_unions, registry.accepts(before, False)),
    ):
        rule = mark(rule) if marked else rule
    registry.function(function)(rule)


def _is_iterable(machine: Machine, value: Value) -> bool:
    return iteration.is_iterable(machine, value) and not (isinstance(value, NdArray) and not value.type.shape)


_of_sequences(np.concatenate, _is_iterable)
