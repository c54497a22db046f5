"""Functions of heapq that want a list, in the form that heapq.py gives them in Python.

heapq.heappush(heap, (d, k)); d, k = heapq.heappop(heap)
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.numbers.scalar_values import provoke, stand_in
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, Value
from xlapy.library.builtins.own_functions import OF_A_LIST


def _of_a_list(function: Callable, implementation: Callable) -> None:
    others = len(inspect.signature(function).parameters) - 1

    def rule(machine: Machine, heap: Value, /, *rest: Value) -> Value:
        if len(rest) != others:
            raise registry.Unfit(f"{function.__name__}() has not so many parameters")
        cls = machine.type_of(heap)
        if not issubclass(cls, list):
            wrong = None if cls is type(None) else stand_in(cls)
            error = provoke(function, wrong, *([None] * len(rest)))
            machine.raise_(type(error), *error.args)
        return machine.call(Const(implementation), [heap, *rest])

    registry.function(function)(rule)


for _function, _implementation in OF_A_LIST.items():
    _of_a_list(_function, _implementation)
