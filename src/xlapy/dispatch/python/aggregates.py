"""sum, min, max, any, all: reductions of arrays, short sequences item by item, else a loop written in Python."""

from __future__ import annotations

import math
from collections.abc import Sequence

import jax.numpy as jnp

from xlapy.dispatch import registry, value_selection
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.numbers import math_integers, overflow, range_objects
from xlapy.dispatch.numbers.math_functions import real
from xlapy.dispatch.numbers.scalar_values import (
    bounds_of,
    kind_of,
    logical_and,
    logical_not,
    logical_or,
    provoke,
    scalar,
)
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import NONE, Const, JaxArray, NdArray, Range, Ref, Scalar, Tuple, Value, is_none
from xlapy.ir import Var
from xlapy.library.builtins.consumers import CONSUMERS

_EMPTY = {max: provoke(max, ()), min: provoke(min, ())}
_SYMBOL = {max: ">", min: "<"}


# -- loops in Python: interpreted, so that they become loops on the device where they can ---------------------------


def _max_loop(iterator, best):
    for item in iterator:
        if item > best:
            best = item
    return best


def _min_loop(iterator, best):
    for item in iterator:
        if item < best:
            best = item
    return best


def _max_key_loop(iterator, best, key):
    best_key = key(best)
    for item in iterator:
        item_key = key(item)
        if item_key > best_key:
            best, best_key = item, item_key
    return best


def _min_key_loop(iterator, best, key):
    best_key = key(best)
    for item in iterator:
        item_key = key(item)
        if item_key < best_key:
            best, best_key = item, item_key
    return best


_LOOPS = {(max, False): _max_loop, (min, False): _min_loop, (max, True): _max_key_loop, (min, True): _min_key_loop}


# -- arrays -----------------------------------------------------------------------------------------------------------


def _array(machine, value: Value) -> Var | None:
    """The elements of an array of at least one item, else None."""
    if isinstance(value, NdArray) and value.type.shape and value.type.shape[0]:
        return machine.read(value)
    if isinstance(value, JaxArray) and value.var.type.shape and value.var.type.shape[0]:
        return value.var
    return None


def _result(machine, like: Value, var: Var) -> Value:
    return JaxArray(var) if isinstance(like, JaxArray) else machine.numpy_result(var)


def _sum_array(x):
    """`x[0] + x[1] + ...`, in the dtype of x; booleans count as ints."""
    return jnp.sum(x, axis=0, dtype=jnp.int64 if x.dtype == bool else x.dtype)


def _max_array(x):
    """Python's `max` over a vector: the first of equals; a NaN wins only in the first place."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return x[jnp.argmax(x)]
    return jnp.where(jnp.isnan(x[0]), x[0], x[jnp.argmax(jnp.where(jnp.isnan(x), -jnp.inf, x))])


def _min_array(x):
    """Python's `min` over a vector."""
    if not jnp.issubdtype(x.dtype, jnp.floating):
        return x[jnp.argmin(x)]
    return jnp.where(jnp.isnan(x[0]), x[0], x[jnp.argmin(jnp.where(jnp.isnan(x), jnp.inf, x))])


def _any_array(x):
    return (x != 0).any()


def _all_array(x):
    return (x != 0).all()


# -- sum --------------------------------------------------------------------------------------------------------------


@registry.function(sum)
def sum_(machine, iterable: Value, /, start: Value = Const(0)) -> Value:  # noqa: B008
    """`sum(iterable, start)`."""
    if isinstance(start, Const) and isinstance(start.value, str | bytes | bytearray):
        error = provoke(sum, [], start.value)
        machine.raise_(type(error), *error.args)
    var = _array(machine, iterable)
    if var is not None and not (isinstance(iterable, JaxArray) and var.type.dtype == bool):
        if not isinstance(start, Ref | Tuple):
            total = _result(machine, iterable, machine.leaf(_sum_array, [var])[0])
            zero = isinstance(start, Const) and start.value == 0 and type(start.value) is int
            return total if zero else overflow.binary(machine, "+", start, total)
    if isinstance(iterable, Range) or (isinstance(iterable, Const) and isinstance(iterable.value, range)):
        return overflow.binary(machine, "+", start, _sum_range(machine, iterable))
    return machine.call(Const(CONSUMERS[sum]), [iterable, start])


def _sum_range(machine, value: Value) -> Value:
    if isinstance(value, Const):
        return Const(sum(value.value))
    count = range_objects.length(machine, value)
    first, _, step = range_objects.parts_of(value)
    twice = overflow.binary(machine, "*", count, machine.binary("-", count, Const(1)))
    base = overflow.binary(machine, "*", count, first)
    return overflow.binary(
        machine, "+", base, overflow.binary(machine, "*", step, machine.binary("//", twice, Const(2)))
    )


# -- min and max ------------------------------------------------------------------------------------------------------


def _extremum(machine, function, args: Sequence[Value], key: Value, default: Value | None) -> Value:
    keyed = not is_none(key)
    if not args:
        error = provoke(function)
        machine.raise_(type(error), *error.args)
    if len(args) > 1:
        if default is not None:
            error = provoke(lambda: function(1, 2, default=3))
            machine.raise_(type(error), *error.args)
        return _best(machine, function, list(args), key if keyed else None)
    iterable = args[0]
    var = _array(machine, iterable)
    if var is not None and not keyed and len(var.type.shape) == 1 and var.type.dtype.kind in "biuf":
        reduced = machine.leaf(_max_array if function is max else _min_array, [var])[0]
        return _result(machine, iterable, reduced)
    iterator = iteration.make_iterator(machine, iteration.begun(machine, iterable))
    if iteration.plan(machine, iterator) is None and sequences.is_iterator(machine, iterator):
        items = iteration.items(machine, iterator)
        if not items:
            return default if default is not None else machine.raise_(ValueError, *_EMPTY[function].args)
        return _best(machine, function, items, key if keyed else None)
    more, element = iteration.step(machine, iterator)
    if more is False:
        return default if default is not None else machine.raise_(ValueError, *_EMPTY[function].args)

    def loop() -> Value:
        return machine.call(Const(_LOOPS[function, keyed]), [iterator, element(), *([key] if keyed else [])])

    if default is not None:
        return machine.cond(more, loop, lambda: default)
    if more is not True:
        machine.check(logical_not(machine, more), ValueError, *_EMPTY[function].args)
    return loop()


def _best(machine, function, items: list[Value], key: Value | None) -> Value:
    """The first of the best items."""
    best = items[0]
    best_key = best if key is None else machine.call(key, [best])
    for item in items[1:]:
        item_key = item if key is None else machine.call(key, [item])
        better = machine.truth(machine.compare(_SYMBOL[function], item_key, best_key))
        new_key = _tighter(
            machine, function, item_key, best_key, value_selection.choose(machine, better, item_key, best_key)
        )
        best = new_key if key is None else value_selection.choose(machine, better, item, best)
        best_key = new_key
    return best


def _tighter(machine, function, a: Value, b: Value, chosen: Value) -> Value:
    """The chosen int with the bounds that the larger or smaller of two has."""
    if not (isinstance(chosen, Scalar) and chosen.kind is int and kind_of(a) is int and kind_of(b) is int):
        return chosen
    (low, high), (least, most) = bounds_of(a), bounds_of(b)
    bounds = (function(low, least), function(high, most))
    return scalar(machine, int, chosen.var, bounds)


@registry.function(max)
def max_(machine, *args: Value, key: Value = NONE, default: Value | None = None) -> Value:
    """`max(iterable)`, `max(a, b, ...)`."""
    return _extremum(machine, max, args, key, default)


@registry.function(min)
def min_(machine, *args: Value, key: Value = NONE, default: Value | None = None) -> Value:
    """`min(iterable)`, `min(a, b, ...)`."""
    return _extremum(machine, min, args, key, default)


# -- any and all ------------------------------------------------------------------------------------------------------


def _truths(machine, iterable: Value, loop, reduction) -> Value:
    if isinstance(iterable, Tuple) or (isinstance(iterable, Ref) and _plain_list(machine, iterable)):
        return _truth_of_items(machine, iteration.items(machine, iterable), loop is CONSUMERS[any])
    var = _array(machine, iterable)
    if var is not None and len(var.type.shape) == 1:
        return machine.boolean(machine.leaf(reduction, [var])[0])
    return machine.call(Const(loop), [iterable])


def _plain_list(machine, value: Ref) -> bool:
    return machine.heap.objects[value.object].kind in ("list", "dict", "set") and not growable_list_items.is_whole(
        machine, value
    )


def _truth_of_items(machine, items: list[Value], wanted: bool) -> Value:
    """Whether one of the items is true (wanted), or none is false (not wanted)."""
    combine = logical_or if wanted else logical_and
    found: bool | Var = not wanted
    for item in items:
        found = combine(machine, found, machine.truth(item))
        if found is wanted:
            break
    return machine.boolean(found)


@registry.function(any)
def any_(machine, iterable: Value, /) -> Value:
    """`any(iterable)`."""
    return _truths(machine, iterable, CONSUMERS[any], _any_array)


@registry.function(all)
def all_(machine, iterable: Value, /) -> Value:
    """`all(iterable)`."""
    return _truths(machine, iterable, CONSUMERS[all], _all_array)


@registry.function(math.dist)
def dist(machine, p: Value, q: Value, /) -> Value:
    """`math.dist(p, q)`."""
    one, two = iteration.items(machine, p), iteration.items(machine, q)
    if len(one) != len(two):
        machine.raise_(ValueError, *provoke(math.dist, [1.0], [1.0, 2.0]).args)
    if not one:
        return Const(0.0)
    gaps = []
    for a, b in zip(one, two, strict=True):
        gaps.append(scalar(machine, float, machine.builder.elementwise("sub", real(machine, a), real(machine, b))))
    return math_integers.hypot(machine, *gaps)
