"""collections.Counter, from its own source: a dict with methods and operators written in Python.

counts = collections.Counter(x); counts.update(y); counts.subtract(z)
counts.most_common(3), counts.total(), counts + other, counts - other, counts <= other
"""

from __future__ import annotations

import collections
import types
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.containers.container_protocol import new_dict
from xlapy.dispatch.containers.dicts import dict_operator
from xlapy.dispatch.numbers.scalar_values import COMPARISONS
from xlapy.dispatch.symbols import BINARY
from xlapy.domain.values import Const, Value, as_ref

_METHODS = {name: f for name, f in vars(collections.Counter).items() if isinstance(f, types.FunctionType)}
_NAMES = {
    **{symbol: f"__{name}__" for symbol, name in BINARY.items()},
    **{f"{symbol}=": f"__i{name}__" for symbol, name in BINARY.items()},
    **{symbol: f"__{function.__name__}__" for symbol, function in COMPARISONS.items()},
}


@registry.function(collections.Counter)
def make_counter(machine, /, *args: Value, **kwargs: Value) -> Value:
    """`collections.Counter(iterable, **counts)`."""
    made = new_dict(machine, collections.Counter, {})
    machine.call(Const(_METHODS["__init__"]), [made, *args], kwargs)
    return made


def _interpreted(function: types.FunctionType) -> Callable[..., Value]:
    def rule(machine, /, *args: Value, **kwargs: Value) -> Value:
        return machine.call(Const(function), args, kwargs)

    return rule


for _name, _function in _METHODS.items():
    registry.method(collections.Counter, _name)(_interpreted(_function))


@registry.operator(collections.Counter)
def counter_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """Operators of counters; those that a counter does not have are dict's."""
    counters = [issubclass(machine.type_of(side), collections.Counter) for side in (left, right)]
    plain = symbol if symbol in COMPARISONS else symbol.removesuffix("=")
    if all(counters) and plain != symbol:
        # the same counts in the same order as those of the new counter
        made = counter_operator(machine, plain, left, right)
        if made is None:
            return None
        machine.heap.write(as_ref(left).object, "<items>", machine.heap.read(as_ref(made).object, "<items>"))
        return left
    function = _METHODS.get(_NAMES.get(symbol, "")) if counters[0] else None
    if function is not None:
        result = machine.call(Const(function), [left, right])
        if not (isinstance(result, Const) and result.value is NotImplemented):
            return result
    return dict_operator(machine, symbol, left, right)
