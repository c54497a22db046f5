"""Keys of several index arrays that are broadcast, of which some have a dynamic length: those of np.ix_."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.dispatch.argument_kinds import involved, require_static
from xlapy.dispatch.arrays import indexing
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import same_lanes, select_valid
from xlapy.dispatch.numpy.rule_operands import operand
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, JaxArray, Lanes, NdArray, Value


def first_bounded(items: Sequence[Value]) -> BoundedArray:
    """The first array of dynamic length."""
    return next(v for v in items if isinstance(v, BoundedArray))


def is_mesh(machine: Machine, items: Sequence[Value]) -> bool:
    """Whether a key has index arrays of several dimensions, or of known and of dynamic length."""
    return any(not indexing.is_integer(v) and (not involved(v) or len(v.axes) != 1) for v in items)


def mesh(machine: Machine, items: Sequence[Value]) -> tuple[tuple[Lanes | None, ...], list[Value]]:
    """Index arrays of which each dimension is that of one array, or of some that are alike, as `np.ix_` makes them; the
    dimensions of what they broadcast to. There are zeros in the dead lanes."""
    given = first_bounded(items)
    pairs: list = []
    for item in items:
        if indexing.is_integer(item):
            pairs.append((item, ()))
            continue
        plain = isinstance(item, BoundedArray | NdArray)
        room, axes = masked_axes.parts(machine, item) if plain else (machine.new_array(operand(machine, item)), None)
        if room.type.dtype.kind not in "iu":
            raise require_static(machine, given, "such a key")
        pairs.append((room, axes if axes is not None else (None,) * len(room.type.shape)))
    rank = max(len(axes) for _, axes in pairs)
    dimensions: list[Lanes | None] = [None] * rank
    for back in range(1, rank + 1):
        here = [(x.type.shape[-back], axes[-back]) for x, axes in pairs if len(axes) >= back]
        here = [(size, lanes) for size, lanes in here if lanes is not None or size != 1]
        for size, lanes in here[1:]:
            other = here[0][1]
            known = lanes is None and other is None
            if not known and (lanes is None or other is None or size != here[0][0] or not same_lanes(lanes, other)):
                raise require_static(machine, given, "such a key")
        if here:
            dimensions[-back] = here[0][1]
    found: list[Value] = []
    for item, axes in pairs:
        if not axes or all(lanes is None for lanes in axes):
            found.append(item)
        else:
            zero = machine.builder.constant(0, item.type.dtype)
            found.append(JaxArray(select_valid(machine, machine.read(item), zero, axes)))
    return tuple(dimensions), found
