"""The order in which CPython goes through a set of members that are only known on the device.

    seen = set()
    for v in x: seen.add(v)
    for v in seen: ...

A set to which members were only ever added, one after the other (`GrowableList.added`), has a hash table that follows
from their hashes: its table is filled here as CPython fills it (`set_add_entry` and `set_table_resize` of
Objects/setobject.c, which the tests compare with those of the Python that runs), and read from its start to its end.
"""

from __future__ import annotations

import sys

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.numbers.scalar_values import device
from xlapy.dispatch.protocol import Refused
from xlapy.domain import growable_lists
from xlapy.domain.coerce import instantiate
from xlapy.domain.values import (
    Const,
    GrowableList,
    Mapping,
    MixedScalar,
    NumpyScalar,
    Scalar,
    Tuple,
    Value,
    alternatives,
)
from xlapy.ir import Var

_LINEAR_PROBES, _PERTURB_SHIFT = 9, 5
_MODULUS = sys.hash_info.modulus
_PRIMES = (11400714785074694791, 14029467366897019727, 2870177450012600261)
_MANY = 50_000


def order_refusal() -> Refused:
    """The refusal of an iteration over a set of unknown members."""
    return Refused(
        "XP0004",
        "iteration over a set whose members depend on data: CPython's order is that of their hashes",
        "iterate over sorted(...) of it, or use a dict",
    )


def has_order(contents: Value) -> bool:
    """Whether the order of a set with one of several contents can be found on the device."""

    def plain(key: object) -> bool:
        return all(map(plain, key)) if type(key) is tuple else isinstance(key, int | np.integer)

    if not growable_lists.only_added(contents):
        return False
    return all(all(map(plain, v.entries)) for v in alternatives(contents) if isinstance(v, Mapping))


def in_order(machine, pairs: GrowableList, number: int = 0) -> GrowableList:
    """The members of a set, in CPython's order, as the contents of a list; `number` is the set in the heap.

    Raises:
        Refused: something else was done to the set than adding members, or their hashes are not known.
    """
    keys = growable_lists.column(pairs, "keys")
    if not pairs.capacity or isinstance(pairs.length, Const) and pairs.length.value < 2:
        return keys
    found = machine.orders_of_sets.get((number, keys.rows[0])) if keys.rows and not pairs.added else None
    if found is not None:
        return found()
    return _permuted(machine, keys, machine.leaf(_order, _operands(machine, pairs))[0])


def in_order_of_difference(machine, pairs: GrowableList, others: Value) -> tuple[GrowableList, Var]:
    """The members of a set in the order in which they come into its difference with one of `others` members, and
    whether that is a copy of it from which members are taken out: then this is the order of the difference, too."""
    keys = growable_lists.column(pairs, "keys")
    operands = [*_operands(machine, pairs), device(machine, others, int)]
    order, copied = machine.leaf(_order_of_difference, operands)
    return _permuted(machine, keys, order), copied


def in_order_unless(machine, pairs: GrowableList, listed: Var) -> GrowableList:
    """The members of a set in CPython's order, or as they are listed."""
    keys = growable_lists.column(pairs, "keys")
    if not pairs.capacity:
        return keys
    return _permuted(machine, keys, machine.leaf(_order_unless, [*_operands(machine, pairs), listed])[0])


def _operands(machine, pairs: GrowableList) -> list[Var]:
    """The hashes of the members of a set, and their number."""
    keys = growable_lists.column(pairs, "keys")
    known = pairs.added and sys.hash_info.width == 64
    hashes = _hashes(machine, instantiate(keys.element, iter(keys.rows))) if known else None
    if hashes is None:
        raise order_refusal()
    return [hashes, device(machine, pairs.length, int)]


def _permuted(machine, keys: GrowableList, order: Var) -> GrowableList:
    return keys.with_rows([machine.leaf(_taken, [row, order])[0] for row in keys.rows])


def _taken(rows, order):
    return jnp.take(rows, order, axis=0)


# -- hashes -----------------------------------------------------------------------------------------------------------


def _hashes(machine, column: Value) -> Var | None:
    """The hash of each row, as an unsigned number; None if it is not known."""
    match column:
        case MixedScalar():
            return _hashes(machine, column.python)
        case Scalar() | NumpyScalar() if column.var.type.dtype.kind in "biu":
            return machine.leaf(_of_integers, [column.var])[0]
        case Tuple() if column.cls.__hash__ is tuple.__hash__:
            known = [_constant_hash(part) if isinstance(part, Const) else None for part in column.items]
            parts = [
                _hashes(machine, part) if one is None else machine.builder.constant(np.uint64(one))
                for one, part in zip(known, column.items, strict=True)
            ]
            return None if None in parts or all(k is not None for k in known) else machine.leaf(_of_tuples, parts)[0]
    return None


def _constant_hash(part: Const) -> int | None:
    """The hash of a constant, if it is the same in every process."""
    if not isinstance(part.value, bool | int | float | np.number):
        return None
    return hash(part.value) % (1 << 64)


def _of_integers(numbers):
    if numbers.dtype == jnp.uint64:
        return numbers % jnp.uint64(_MODULUS)
    negative = numbers.astype(jnp.int64) < 0
    bits = numbers.astype(jnp.int64).astype(jnp.uint64)
    rest = jnp.where(negative, jnp.uint64(0) - bits, bits) % jnp.uint64(_MODULUS)
    found = jnp.where(negative, jnp.uint64(0) - rest, rest)
    minus_one = jnp.uint64((1 << 64) - 1)
    return jnp.where(found == minus_one, minus_one - jnp.uint64(1), found)


def _of_tuples(*lanes):
    """`hash` of tuples of items with these hashes (xxHash, of Objects/tupleobject.c)."""
    one, two, five = (jnp.uint64(prime) for prime in _PRIMES)
    total = five
    for lane in lanes:
        total = total + lane * two
        total = (total << jnp.uint64(31)) | (total >> jnp.uint64(33))
        total = total * one
    total = total + (jnp.uint64(len(lanes)) ^ (five ^ jnp.uint64(3527539)))
    return jnp.where(total == jnp.uint64((1 << 64) - 1), jnp.uint64(1546275796), total)


# -- tables -----------------------------------------------------------------------------------------------------------


def _tables(capacity: int) -> tuple[list[int], list[int]]:
    """The sizes of the tables that a set of up to so many members has had, and how many members make each too small."""
    size, sizes, limits = 8, [], []
    while True:
        limit = -(-(size - 1) * 3 // 5)
        sizes.append(size)
        limits.append(limit)
        if limit > capacity:
            return sizes, limits
        wanted = limit * (2 if limit > _MANY else 4)
        while size <= wanted:
            size *= 2


def _order(hashes, length):
    """The positions of the members in the order of the table that they make when they are added in turn."""
    return _grown(hashes, length)[0]


def _order_of_difference(hashes, length, others):
    """The order of a set from which members are taken, and whether CPython copies it for that."""
    order, size = _grown(hashes, length)
    wanted = jnp.int64(8)
    for _ in range(2 * len(_tables(hashes.shape[0])[0])):
        wanted = jnp.where((length >= 5) & (wanted <= 2 * length), wanted * 2, wanted)
    copied = (length >> 2) > others
    again = copied & (wanted != size)
    return lax.cond(again, lambda: _filled(hashes, order, length, wanted), lambda: order), copied


def _order_unless(hashes, length, listed):
    return lax.cond(listed, lambda: jnp.arange(hashes.shape[0], dtype=jnp.int64), lambda: _order(hashes, length))


def _grown(hashes, length):
    """The order of a table that grows, and its size."""
    count = hashes.shape[0]
    sizes, limits = (jnp.array(v, jnp.int64) for v in _tables(count))

    def stage(state):
        number, order, _ = state
        limit = limits[number]
        order = _filled(hashes, order, jnp.minimum(length, limit), sizes[number])
        return number + 1, order, length >= limit

    everyone = jnp.arange(count, dtype=jnp.int64)
    stages, order, _ = lax.while_loop(lambda state: state[2], stage, (jnp.int64(0), everyone, jnp.bool_(True)))
    return order, sizes[stages - 1]


def _filled(hashes, order, length, size):
    """The order of a table of a size into which the first members of an order are put in turn."""
    count = hashes.shape[0]
    mask = (size - 1).astype(jnp.uint64)

    def probes(at):
        return jnp.where(at + jnp.uint64(_LINEAR_PROBES) <= mask, _LINEAR_PROBES, 0)

    def following(probe):
        at, left, base, perturb = probe
        perturbed = perturb >> jnp.uint64(_PERTURB_SHIFT)
        far = (base * jnp.uint64(5) + jnp.uint64(1) + perturbed) & mask
        near = left > 0
        return (
            jnp.where(near, at + jnp.uint64(1), far),
            jnp.where(near, left - 1, probes(far)),
            jnp.where(near, base, far),
            jnp.where(near, perturb, perturbed),
        )

    def inserted(step, table):
        member = order[step]
        start = hashes[member] & mask
        first = (start, probes(start), start, hashes[member])
        place = lax.while_loop(lambda probe: table[probe[0]] >= 0, following, first)[0]
        return table.at[place].set(member)

    table = jnp.full(_tables(count)[0][-1], -1, jnp.int64)
    table = lax.fori_loop(0, length, inserted, table)
    used = table >= 0
    to = jnp.where(used, jnp.cumsum(used) - 1, count)
    return order.at[to].set(table, mode="drop")
