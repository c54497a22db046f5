"""np.einsum of arrays of dynamic length: all that is dead is zero in every factor."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import made, same_length
from xlapy.dispatch.numpy.rule_operands import known, operand
from xlapy.domain.values import BoundedArray, Const, Lanes


def _einsum(machine, subscripts, *arrays, optimize=False):
    given = first_of((subscripts, *arrays), {})
    text = known(machine, subscripts) if isinstance(subscripts, Const) else None
    if not isinstance(text, str) or "." in text:
        raise require_static(machine, given, "np.einsum with such subscripts")
    left, arrow, result = "".join(text.split()).partition("->")
    labels = left.split(",")
    if not arrow:
        result = "".join(sorted(c for c in set(left) - {","} if left.count(c) == 1))
    lengths: dict[str, Lanes | None] = {}
    factors = []
    for names, array in zip(labels, arrays, strict=False):
        var, axes = (
            masked_axes.compacted(machine, array) if isinstance(array, BoundedArray) else (operand(machine, array), ())
        )
        axes = axes or (None,) * len(var.type.shape)
        if len(names) != len(axes) or len(labels) != len(arrays) or len(set(names)) != len(names):
            raise require_static(machine, given, "np.einsum with such subscripts")
        for name, lanes in zip(names, axes, strict=True):
            other = lengths.setdefault(name, lanes)
            alike = lanes is other or (lanes is not None and other is not None and same_length(lanes, other))
            summed = lanes is not None and name not in result
            if not alike or (summed and not all(name in factor for factor in labels)):
                raise require_static(machine, given, "np.einsum of such arrays")
        zeros = machine.builder.broadcast(machine.builder.constant(0, var.type.dtype), var.type.shape)
        factors.append(machine.new_array(masked_axes.select_valid(machine, var, zeros, axes)))
    if len(factors) == 1 and set(labels[0]) == set(result):
        raise require_static(machine, given, "np.einsum as a view")
    return made(
        machine, machine.call(Const(np.einsum), (Const(text), *factors)), [lengths[c] for c in result], own=True
    )


registry.function(np.einsum, kind=DYNAMIC_LENGTH)(_einsum)
