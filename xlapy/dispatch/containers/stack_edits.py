"""Lists that grew in loops, changed as a whole: items in their middle put in and taken out, sorted, sliced."""

from __future__ import annotations

import jax.numpy as jnp

from xlapy.dispatch.containers import ordering, ranges, stacks
from xlapy.dispatch.numbers.scalar_values import device, refuse_nan, refuse_where, scalar
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python.kinds import ordered_as_tuple
from xlapy.domain.coerce import instantiate
from xlapy.domain.values import (
    Const,
    MixedScalar,
    NumpyScalar,
    Range,
    Scalar,
    Stack,
    Stored,
    Tuple,
    Union,
    Value,
    constants,
)
from xlapy.ir import Var

#: items of lists that are compared as lists are
_LONGEST = 64


def index(machine, stack: Stack, key: Value, error: BaseException) -> Value:
    """A Python index as a position in range; `error` where it is out of range."""
    return ranges.in_bounds(machine, ranges.index(machine, key), stack.length, error)


def without(machine, stack: Stack, at: Value) -> Stack:
    """The stack without the item at a position in range."""
    where = device(machine, at, int)
    rows = tuple(machine.leaf(_cut, [row, where], (1,))[0] for row in stack.rows)
    return stack.with_rows(rows, stacks.resized_by(machine, stack, -1))


def inserted(machine, stack: Stack, at: Value, value: Value) -> Stack:
    """The stack after `insert(at, value)`; positions out of range are those of the ends."""
    length = device(machine, stack.length, int)
    where = machine.leaf(ranges.place_of_insertion, [device(machine, at, int), length])[0]
    roomy = stacks.with_room(machine, stack)
    rows = tuple(machine.leaf(_opened, [row, where])[0] for row in roomy.rows)
    return stacks.push(machine, roomy.with_rows(rows), value, at=scalar(machine, int, where))


def _opened(rows, at):
    lane = jnp.arange(rows.shape[0])
    return jnp.take(rows, jnp.maximum(jnp.where(lane > at, lane - 1, lane), 0), axis=0)


def reversed_(machine, stack: Stack) -> Stack:
    """The items in the opposite order."""
    length = device(machine, stack.length, int)
    rows = tuple(machine.leaf(_backwards, [row, length])[0] for row in stack.rows)
    return stack.with_rows(rows)


def _backwards(rows, length):
    return jnp.take(rows, jnp.maximum(length - 1 - jnp.arange(rows.shape[0]), 0), axis=0)


def sorted_(machine, stack: Stack, keys: Stack, reverse: bool) -> Stack:
    """The items in the order of their keys, which are real numbers or tuples of them."""
    columns = _sortable(machine, instantiate(keys.element, iter(keys.rows)))
    length = device(machine, stack.length, int)
    for column_ in columns:
        refuse_nan(machine, column_, length)
    order = machine.leaf(_order, [length, *columns], (reverse, stack.capacity))[0]
    return stack.with_rows([machine.leaf(_reordered, [row, order])[0] for row in stack.rows])


def _sortable(machine, value: Value) -> list[Var]:
    """The rows that sort keys are compared by, the first one first."""
    match value:
        case MixedScalar():
            return _sortable(machine, value.python)
        case Scalar() | NumpyScalar() if value.var.type.dtype.kind != "c":
            return [value.var]
        case Tuple() if ordered_as_tuple(value):
            return [row for part in value.items for row in _sortable(machine, part)]
        case Const():
            return []
        case Stored() if value.kind in ("list", "tuple") and value.cls in (list, tuple):
            return _columns(machine, value)
        case Union() if (ranks := ordering.ranked(machine, [value])) is not None:
            return ranks
    raise Refused("XP0004", "sorting a list whose length depends on data, of items or by keys that are no real numbers")


def _columns(machine, value: Stored) -> list[Var]:
    """The rows that lists or tuples in a stack are compared by: of each position, whether there is an item, and it."""
    if value.held is None:
        return [row for part in value.parts for row in _sortable(machine, part)]
    count = value.held.capacity
    if count > _LONGEST:
        raise Refused("XP0004", f"sorting lists, or by lists, with room for more than {_LONGEST} items")
    parts = _sortable(machine, instantiate(value.held.element, iter(value.held.rows)))
    if not parts or any(len(part.type.shape) != 2 for part in parts):
        raise Refused("XP0004", "sorting lists of lists whose lengths depend on data, or by them")
    length = value.held.length
    lengths = (
        length.var
        if isinstance(length, Scalar)
        else machine.builder.broadcast(device(machine, length, int), parts[0].type.shape[:1])
    )
    return list(machine.leaf(_by_position, [lengths, *parts]))


def _by_position(lengths, *parts):
    found = []
    for position in range(parts[0].shape[1]):
        present = lengths > position
        found.append(present)
        found += [jnp.where(present, part[:, position], jnp.zeros((), part.dtype)) for part in parts]
    return found


def _order(length, *columns):
    """A stable sort in which lanes beyond the length stay behind all others."""
    *columns, reverse, capacity = columns
    lane = jnp.arange(capacity)
    outside = lane >= length
    if not reverse:
        return jnp.lexsort((lane, *columns[::-1], outside))
    return jnp.lexsort((-lane, *columns[::-1], ~outside))[::-1]


def _reordered(rows, order):
    return jnp.take(rows, order[: rows.shape[0]], axis=0)


def sliced(machine, stack: Stack, key: Value) -> Stack:
    """The items of a slice."""
    start, stop, step = wanted = ranges.slice_indices(machine, key, stack.length)
    known = constants(wanted)
    count = ranges.length(machine, Range(start, stop, step)) if known is None else Const(len(range(*known)))
    operands = [device(machine, v, int) for v in (start, step)]
    rows = tuple(machine.leaf(_strided, [row, *operands])[0] for row in stack.rows)
    return stack.with_rows(rows, count)


def replaced(machine, stack: Stack, key: Value, new: Stack) -> Stack:
    """The stack after `items[key] = new` for a slice, which must be as long as what it replaces."""
    start, stop, step = ranges.slice_indices(machine, key, stack.length)
    count = ranges.length(machine, Range(start, stop, step))
    other = machine.truth(machine.compare("!=", count, new.length))
    if other is not False:
        bad = other if isinstance(other, Var) else machine.builder.constant(True)
        refuse_where(machine, bad, "XP0004", "a slice of a list is replaced by one of another length, on data")
    if isinstance(new.length, Const) and new.length.value == 0:
        return stack
    element = stacks.exact_joiner(machine).join(stack.element, new.element)
    stack, new = stacks.widened(machine, stack, element), stacks.widened(machine, new, element)
    operands = [device(machine, v, int) for v in (start, step, count)]
    pairs = zip(stack.rows, new.rows, strict=True)
    return stack.with_rows(machine.leaf(_replaced, [old, row, *operands])[0] for old, row in pairs)


def _inside(rows, start, step, count):
    """Where each row is in a slice, and whether it is."""
    distance = jnp.arange(rows.shape[0]) - start
    at = distance // step
    return at, (at >= 0) & (at < count) & (distance % step == 0)


def _replaced(rows, new, start, step, count):
    at, inside = _inside(rows, start, step, count)
    taken = jnp.take(new, jnp.clip(at, 0, new.shape[0] - 1), axis=0).astype(rows.dtype)
    return jnp.where(inside.reshape(inside.shape + (1,) * (rows.ndim - 1)), taken, rows)


def cut(machine, stack: Stack, key: Value) -> Stack:
    """The stack without the items of a slice."""
    start, stop, step = ranges.slice_indices(machine, key, stack.length)
    count = ranges.length(machine, Range(start, stop, step))
    if isinstance(step, Const) and step.value == 1:
        operands = [device(machine, v, int) for v in (start, count)]
        rows = [machine.leaf(_cut, [row, *operands])[0] for row in stack.rows]
    else:
        operands = [device(machine, v, int) for v in (start, step, count)]
        rows = [machine.leaf(_thinned, [row, *operands])[0] for row in stack.rows]
    return stack.with_rows(rows, machine.binary("-", stack.length, count))


def _cut(rows, start, count):
    lane = jnp.arange(rows.shape[0])
    return jnp.take(rows, jnp.minimum(jnp.where(lane >= start, lane + count, lane), rows.shape[0] - 1), axis=0)


def _thinned(rows, start, step, count):
    _, inside = _inside(rows, start, step, count)
    return jnp.take(rows, jnp.argsort(inside, stable=True), axis=0)


def _strided(rows, start, step):
    return jnp.take(rows, jnp.clip(start + step * jnp.arange(rows.shape[0]), 0, max(rows.shape[0] - 1, 0)), axis=0)
