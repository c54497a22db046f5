"""decimal.Decimal: numbers of the program, not of the device, so that they are known when it is compiled."""

from __future__ import annotations

import decimal
from typing import Any

from xlapy.dispatch import registry
from xlapy.domain.sources import anchor, attribute
from xlapy.domain.values import Const, Value


def _folded(machine, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    known = [machine.static(a, "an argument of decimal.Decimal") for a in args]
    named = {k: machine.static(v, "an argument of decimal.Decimal") for k, v in kwargs.items()}
    context = decimal.getcontext()
    for name in ("prec", "rounding"):
        machine.world.guard("equal", attribute(anchor(context), name), getattr(context, name))
    try:
        return Const(function(*known, **named))
    except Exception as error:
        return machine.reraise(error)


@registry.function(decimal.Decimal)
def _made(machine, /, *args: Value, **kwargs: Value) -> Value:
    return _folded(machine, decimal.Decimal, args, kwargs)


def _method(name: str) -> None:
    def rule(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        return _folded(machine, getattr(decimal.Decimal, name), (self, *args), kwargs)

    registry.method(decimal.Decimal, name)(rule)


for _name in dir(decimal.Decimal):
    if not _name.startswith("_") and callable(getattr(decimal.Decimal, _name)):
        _method(_name)
