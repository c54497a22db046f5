"""Sorting with known structure: by known keys at compile time, by dynamic ones with a stable sort on the device.

sorted([a, b, c]), sorted(points, key=lambda p: p[1]), names.sort(key=len, reverse=True)
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import value_selection
from xlapy.dispatch.effects import changes
from xlapy.dispatch.kinds import ordered_as_tuple
from xlapy.dispatch.numbers import mixed, range_objects
from xlapy.dispatch.numbers.scalar_values import refuse_nan, refuse_where
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import Const, JaxArray, Tuple, Union, Value, alternatives, constants
from xlapy.ir import Var
from xlapy.lowering.primitives.long_sorts import lexical

#: more objects than this are not compared one with another
_MANY = 16
#: the refusal of a call in which they are in no order
UNSOUND = ("XP0013", "sorting objects of which `<` gives no order, as of NaN", "sort by numbers that are not NaN")


def _any_truth() -> bool:
    try:
        [].sort(reverse=None)  # type: ignore[call-overload]
    except TypeError:
        return False
    return True


_ANY_TRUTH = _any_truth()


def direction(machine, reverse: Value) -> Value:
    """The argument `reverse`, which has to be an integer before Python 3.13."""
    return reverse if _ANY_TRUTH else range_objects.index(machine, reverse)


def sort(machine, items: Sequence[Value], key: Value, reverse: Value) -> list[Value]:
    """`sorted(items, key=key, reverse=reverse)`."""
    items = list(items)
    keys = items
    if not (isinstance(key, Const) and key.value is None):
        keys = [machine.call(key, [item]) for item in items]
    backwards = machine.truth(direction(machine, reverse))
    if isinstance(backwards, Var):
        backwards = bool(machine.static(machine.boolean(backwards), "the order of sorting"))
    if len(items) < 2:
        return items
    if all(map(machine.is_static, keys)):
        return _known(machine, items, keys, backwards)
    columns = _columns(machine, keys)
    if columns is None:
        return _by_comparison(machine, items, keys, backwards)
    for column in columns:
        refuse_nan(machine, column)
    order = machine.leaf(_order, columns, (backwards,), "sort")[0]
    return value_selection.permute(machine, items, order)


def _known(machine, items: list[Value], keys: list[Value], backwards: bool) -> list[Value]:
    try:
        known = [machine.static(k) for k in keys]
        order = sorted(range(len(items)), key=known.__getitem__, reverse=backwards)
    except TypeError as error:
        machine.raise_(TypeError, *error.args)
        raise
    return [items[i] for i in order]


def _columns(machine, keys: list[Value]) -> list[Var] | None:
    """One device vector for each component of the keys, the most important one first; None if there is none."""
    tuples = [k for k in keys if isinstance(k, Tuple)]
    if len(tuples) == len(keys):
        return _columns_of_tuples(machine, tuples)
    if all(map(machine.is_static, keys)):
        known = [machine.static(k) for k in keys]
        ranks = _ranks(known)
        return None if ranks is None else [machine.builder.constant(np.array([ranks[k] for k in known], np.int64))]
    parts = ranked(machine, keys) or _numbers(machine, keys)
    return None if parts is None else machine.leaf(_beside, parts)


def _columns_of_tuples(machine, keys: list[Tuple]) -> list[Var] | None:
    if not all(map(ordered_as_tuple, keys)) or len({len(k.items) for k in keys}) > 1:
        return None
    columns = [_columns(machine, list(part)) for part in zip(*(k.items for k in keys), strict=True)]
    known = [column for column in columns if column is not None]
    return [var for column in known for var in column] if len(known) == len(columns) else None


def _numbers(machine, keys: list[Value]) -> list[Var] | None:
    """The keys as numbers of one type whose order is Python's; None if they are none."""
    if mixed.of_one_dtype(keys) is not None:
        keys = [mixed.as_python(machine, k) for k in keys]
    kinds = [kind for k in keys if (kind := value_selection.signature(k)) is not None]
    if len(kinds) < len(keys) or any(isinstance(k, JaxArray) and k.var.type.shape for k in keys):
        return None
    different = set(kinds)
    if len(different) == 1:
        kind = kinds[0]
    elif different <= {("python", int), ("python", bool)}:
        kind = ("python", int)
    else:
        return None
    if kind[0] == "tuple" or _complex(kind):
        return None
    return [value_selection.as_var(machine, k, kind) for k in keys]


def _ranks(known: Iterable[Any]) -> dict[Any, int] | None:
    """The place of each of some known values in their order; None if they have none."""
    try:
        return {k: i for i, k in enumerate(sorted(set(known)))}
    except TypeError:
        return None


def ranked(machine, keys: Sequence[Value]) -> list[Var] | None:
    """The place of each key in the order of all that the keys may be, if these are known, such as texts; a key may be
    a whole column of them."""
    options = [alternatives(k) for k in keys]
    columns = [known for found in options if (known := constants(found)) is not None]
    if len(columns) < len(options):
        return None
    ranks = _ranks(one for column in columns for one in column)
    if ranks is None:
        return None
    tables = [machine.builder.constant(np.array([ranks[one] for one in column], np.int64)) for column in columns]
    selectors = [k.selector if isinstance(k, Union) else machine.builder.constant(0) for k in keys]
    return [machine.leaf(jnp.take, pair)[0] for pair in zip(tables, selectors, strict=True)]


def _complex(kind: tuple) -> bool:
    dtype = {"python": lambda k: k, "numpy": lambda d: d, "jax": lambda t: t.dtype}[kind[0]](kind[1])
    return np.dtype(dtype).kind == "c"


def _beside(*parts):
    return jnp.stack(parts)


def _order(*columns):
    """The stable order by columns, the first being the most important one; descending with equal keys in place."""
    *keys, backwards = columns
    if not backwards:
        return lexical(keys[::-1])
    order = lexical([k[::-1] for k in keys[::-1]])
    return (keys[0].shape[0] - 1 - order)[::-1]


def _by_comparison(machine, items: list[Value], keys: list[Value], backwards: bool) -> list[Value]:
    """By `<` of the keys: at compile time where its results are known, else by counting what each item comes after."""
    before, mark = machine.heap.slots.copy(), machine.heap.next_identity

    def compare(i: int, j: int) -> int:
        less = machine.truth(machine.compare("<", keys[i], keys[j]))
        if isinstance(less, Var):
            raise _Unknown
        return -1 if less else 1

    try:
        order = sorted(range(len(items)), key=functools.cmp_to_key(compare), reverse=backwards)
    except _Unknown:
        if len(items) > _MANY or changes(machine, before, mark):
            raise Refused(
                "XP0006",
                "sorting by keys of different types, or of objects, whose order depends on data",
                "sort by one number, or by tuples of numbers",
            ) from None
        return _by_counting(machine, items, keys, backwards, before, mark)
    return [items[i] for i in order]


class _Unknown(Exception):
    """A comparison depends on data."""


def _by_counting(machine, items, keys, backwards: bool, before, mark: int) -> list[Value]:
    """The stable order of items: the place of each is the number of those that come before it."""
    numbers = range(len(items))
    less: dict[tuple[int, int], Var] = {}
    for i in numbers:
        for j in numbers:
            if i != j:
                first, second = (j, i) if backwards else (i, j)
                found = machine.truth(machine.compare("<", keys[first], keys[second]))
                less[i, j] = found if isinstance(found, Var) else machine.builder.constant(found)
    if changes(machine, before, mark):
        raise Refused("XP0006", "sorting objects whose comparison changes something, by data")
    order, sound = machine.leaf(_from_comparisons, [less[p] for p in sorted(less)], (len(items),), "sort")
    refuse_where(machine, machine.builder.elementwise("bitwise_not", sound), *UNSOUND)
    return value_selection.permute(machine, items, order)


def _from_comparisons(*flags):
    """The order of `count` items, given for each pair (i, j), row by row, whether item i is less than item j; and
    whether the answers are those of an order."""
    *flags, count = flags
    rows = jnp.stack(flags).reshape(count, count - 1)
    less = jnp.stack([jnp.insert(row, i, False) for i, row in enumerate(rows)])
    earlier = jnp.tril(jnp.ones((count, count), bool), -1) & ~less & ~less.T
    rank = less.sum(axis=0)
    return jnp.argsort((less.T | earlier).sum(axis=1)), jnp.all(less == (rank[:, None] < rank))
