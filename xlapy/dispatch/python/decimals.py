"""decimal.Decimal: numbers of the program, not of the device, so that they are known when it is compiled."""

from __future__ import annotations

import decimal
from typing import Any

from xlapy.dispatch import table
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import Const, Value


def _folded(machine, function: Any, args: tuple[Value, ...], kwargs: dict[str, Value]) -> Value:
    known = [machine.static(a, "an argument of decimal.Decimal") for a in args]
    named = {k: machine.static(v, "an argument of decimal.Decimal") for k, v in kwargs.items()}
    try:
        return Const(function(*known, **named))
    except Exception as error:
        return machine.reraise(error)


@table.function(decimal.Decimal)
def _made(machine, /, *args: Value, **kwargs: Value) -> Value:
    return _folded(machine, decimal.Decimal, args, kwargs)


def _method(name: str) -> None:
    def rule(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        if name == "quantize" and len(args) < 2 and "rounding" not in kwargs:
            raise Refused("XP0003", "Decimal.quantize asks decimal's context how to round", "say so with rounding=")
        return _folded(machine, getattr(decimal.Decimal, name), (self, *args), kwargs)

    table.method(decimal.Decimal, name)(rule)


#: what does not depend on decimal's context, which may be another one with each call
_OF_NO_CONTEXT = (
    "adjusted as_integer_ratio as_tuple canonical compare_total compare_total_mag conjugate copy_abs copy_negate"
    " copy_sign is_canonical is_finite is_infinite is_nan is_qnan is_signed is_snan is_zero quantize radix"
)
for _name in _OF_NO_CONTEXT.split():
    _method(_name)
