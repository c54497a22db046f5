"""Matrices whose number of rows depends on data, made larger: np.insert, np.pad, np.tile, np.repeat and np.stack."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, DYNAMIC_ROWS, involved, require_static
from xlapy.dispatch.bounded import bounded_repeat, bounded_signals, bounded_stacking, masked_axes, rearranging
from xlapy.dispatch.bounded.size_joins import one_array
from xlapy.dispatch.numpy.rule_operands import absent, known, sequence_items, try_known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Tuple, Union, Value


def _is_matrix(value: object) -> bool:
    """Whether only the number of rows of a matrix is dynamic."""
    return isinstance(value, BoundedArray) and len(value.axes) == 2 and value.axes[1] is None


def _along_columns(machine: Machine, item: Callable, array: BoundedArray, *args: Value, **options: Value) -> Value:
    """`item(array, ...)` where it makes new columns of each row's own."""
    room = machine.new_array(machine.read(array.base))
    result = machine.call(Const(item), (room, *args), options)
    return masked_axes.made(machine, result, (*array.axes[:1], None), own=True)


def bounded_shape(machine: Machine, value: Value) -> tuple[int, ...]:
    """The static shape of a value."""
    return (
        masked_axes.taken_apart(machine, machine.call(Const(np.atleast_1d), (value,)))[0].type.shape
        if _has_rank(value)
        else ()
    )


def _has_rank(value: Value) -> bool:
    return not isinstance(value, Const) or np.ndim(value.value) > 0


def _pad(machine, array, pad_width, mode="constant", constant_values=0):
    width = try_known(machine, pad_width)
    plain = _is_matrix(array) and mode == "constant" if isinstance(mode, str) else known(machine, mode) == "constant"
    if not (_is_matrix(array) and plain) or np.ndim(known(machine, constant_values)) > 0:
        options = {} if isinstance(constant_values, int) else {"constant_values": constant_values}
        named = {} if isinstance(mode, str) else {"mode": mode}
        return registry.passed_to(np.pad, DYNAMIC_LENGTH, machine, array, pad_width, **named, **options)
    widths = np.broadcast_to(np.asarray(width), (2, 2)).tolist()
    fill = constant_values if isinstance(constant_values, Value) else Const(constant_values)
    if any(n for n in widths[1]):
        array = _along_columns(machine, np.pad, array, Const(((0, 0), tuple(widths[1]))), constant_values=fill)
    return machine.call(Const(_rows_around), (array, *map(Const, widths[0]), fill))


def _rows_around(array, before, after, fill):
    shape = array.shape[1]
    first, last = np.full((before, shape), fill, array.dtype), np.full((after, shape), fill, array.dtype)
    return np.concatenate((first, array, last))


def _tile(machine, a, reps):
    if not _is_matrix(a) or involved(reps):
        return registry.passed_to(np.tile, DYNAMIC_LENGTH, machine, a, reps)
    counts = known(machine, reps)
    down, across = (1, counts) if isinstance(counts, int) else tuple(counts) if len(counts) == 2 else (0, 0)
    if down < 1 or across < 1:
        raise require_static(machine, a, "np.tile of rows by such numbers")
    if across > 1 or down == 1:
        a = _along_columns(machine, np.tile, a, Const((1, int(across))))
    return machine.call(Const(np.concatenate), (Tuple((a,) * int(down)),)) if down > 1 else a


def _repeat(machine, a, repeats, axis=None):
    if not _is_matrix(a) or involved(repeats) or known(machine, axis) not in (1, -1) or not machine.is_static(repeats):
        return registry.passed_to(
            np.repeat,
            DYNAMIC_LENGTH,
            machine,
            a,
            repeats,
            **({} if absent(axis) else {"axis": axis}),
        )
    return _along_columns(machine, np.repeat, a, repeats, axis=Const(1))


registry.function(np.pad, kind=DYNAMIC_ROWS)(_pad)
registry.function(np.tile, kind=DYNAMIC_ROWS)(_tile)
registry.function(np.repeat, kind=DYNAMIC_ROWS)(_repeat)
registry.method(np.ndarray, "repeat", kind=DYNAMIC_ROWS)(_repeat)

# -- side by side in a new dimension ----------------------------------------------------------------------------------


# -- blocks -----------------------------------------------------------------------------------------------------------


_block_before = registry.function_rule(np.block)


@registry.function(np.block)
def _block(machine, arrays):
    """np.block, where a block has a dynamic length."""
    blocks, depth = _blocks(machine, arrays)
    leaves = _leaves(blocks)
    if not any(map(involved, leaves)) or len({level for _, level in _levels(blocks, 0)}) > 1:
        return registry.passed_on(_block_before, machine, arrays)
    rank = max(depth, *(len(bounded_shape(machine, v)) for v in leaves))
    return machine.call(Const(_put_together), (blocks, Const(depth), Const(rank)))


def _blocks(machine: Machine, value: Value) -> tuple[Value, int]:
    """Nested lists as tuples, with arrays in the place of what is one of several, and how deep they are."""
    value = one_array(machine, value) if isinstance(value, Union) else value
    items = sequence_items(machine, value)
    if not items:
        return value, 0
    inner = [_blocks(machine, item) for item in items]
    return Tuple(tuple(v for v, _ in inner)), 1 + max(depth for _, depth in inner)


def _levels(value: Value, level: int) -> list[tuple[Value, int]]:
    if not isinstance(value, Tuple):
        return [(value, level)]
    return [found for item in value.items for found in _levels(item, level + 1)]


def _leaves(value: Value) -> list[Value]:
    return [leaf for leaf, _ in _levels(value, 0)]


def _put_together(part, depth, rank):
    if not isinstance(part, tuple):
        part = np.asarray(part)
        return part[(None,) * (rank - part.ndim)]
    return np.concatenate([_put_together(inner, depth - 1, rank) for inner in part], axis=-depth)


registry.function(np.block, kind=DYNAMIC_LENGTH)(_block)


__all__ = ["bounded_repeat", "bounded_signals", "bounded_stacking", "rearranging"]
