"""A key that data gives, among the keys of a dict or set that are all known.

price = {"a": 1.0, "b": 2.0}
price[name], price["a" if x[i] > 0 else "b"] = v; {0: 3.0, 1: 4.0, 2: 5.0}[k]
"""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.dispatch import unions, value_selection
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.containers.container_protocol import entries, key_of, set_entries
from xlapy.dispatch.identities import Identity
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import (
    bounds_of,
    logical_and,
    logical_not,
    logical_or,
    refuse_where,
    scalar,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors.equality import same_item
from xlapy.domain.values import (
    Const,
    Mapping,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    as_ref,
    key_value,
    tuple_items,
    variables,
)
from xlapy.ir import Var

_NEW_KEY = "a new key that depends on the contents of arrays is put into a dict"
_NEW_KEY_HINT = "put every key into the dict before, or count with an array"
#: more keys than this are not compared one by one with a dynamic key
_MANY = 256


# -- numbers ----------------------------------------------------------------------------------------------------------


def is_dynamic(machine, key: Value) -> bool:
    """Whether a key is a number, or a tuple with numbers, that is only known on the device."""
    if isinstance(key, Tuple):
        return any(is_dynamic(machine, item) for item in key.items)
    return isinstance(key, Scalar | NumpyScalar) and not machine.is_static(key)


def matches(machine, table_: dict, key: Value) -> list[tuple[Any, bool | Var]]:
    """The keys of a dict that a dynamic key may be equal to, each with the flag that says so."""
    if len(table_) > _MANY:
        machine.static(key, "a dictionary key")
    found: list[tuple[Any, bool | Var]] = []
    for candidate in table_:
        if container_protocol.is_foreign_number(machine, candidate):
            raise Refused("XP0004", "a number that depends on data, among keys that are fractions or decimals")
        if isinstance(candidate, Identity):
            raise Refused("XP0004", "a number that depends on data, among keys that id() gave")
        if isinstance(candidate, Value) or isinstance(candidate, tuple) != isinstance(key, Tuple):
            continue
        if isinstance(candidate, tuple) and len(candidate) != len(tuple_items(key)):
            continue
        if not isinstance(candidate, tuple | int | float | complex | np.generic):
            continue
        same = same_item(machine, key_value(candidate), key)
        if same is not False:
            found.append((candidate, same))
        if same is True:
            break
    return found


def find(machine, table_: dict, key: Value) -> tuple[Value | None, bool | Var]:
    """The value under a key, wherever it is there, and whether it is."""
    if not is_dynamic(machine, key):
        known = key_of(machine, key, table_)
        return (table_[known], True) if known in table_ else (None, False)
    dense = _dense(table_, key)
    if dense is not None:
        first, values = dense
        low, high = bounds_of(key)
        inside: bool | Var = True
        if low < first or high >= first + len(values):
            above = machine.truth(machine.compare(">=", key, Const(first)))
            below = machine.truth(machine.compare("<", key, Const(first + len(values))))
            inside = logical_and(machine, above, below)
        if inside is False:
            return None, False
        return value_selection.gather(machine, values, _place(machine, key, first, len(values))), inside
    equal = matches(machine, table_, key)
    if not equal:
        return None, False
    anywhere: bool | Var = False
    position: Value = Const(0)
    for number, (_, same) in enumerate(equal):
        anywhere = logical_or(machine, anywhere, same)
        if number:
            position = value_selection.choose(machine, same, Const(number), position)
    return value_selection.gather(machine, [table_[k] for k, _ in equal], position), anywhere


def _dense(table_: dict, key: Value) -> tuple[int, list[Value]] | None:
    """The first key and the values, if all keys are consecutive ints and the key is an int."""
    whole = (
        isinstance(key, Scalar) and key.kind is int or isinstance(key, NumpyScalar) and key.var.type.dtype.kind == "i"
    )
    if not whole or len(table_) < 2 or not all(type(k) is int for k in table_):
        return None
    keys = sorted(table_)
    if keys[-1] - keys[0] != len(keys) - 1:
        return None
    return keys[0], [table_[k] for k in keys]


def _place(machine, key: Value, first: int, count: int) -> Value:
    """The place of a key among so many consecutive ints, of the nearest one if it is none of them."""
    at = range_objects.index(machine, machine.binary("-", key, Const(first)))
    return range_objects.minimum(machine, range_objects.maximum(machine, at, Const(0)), Const(count - 1))


def assign(machine, container: Ref, table_: dict, key: Value, item: Value) -> bool:
    """`d[key] = item` for a dynamic key; False if the key has to be known. Where it is new, the call is refused."""
    _, there = find(machine, table_, key)
    if there is False:
        return False
    if there is not True:
        parts = variables(key)
        if any(machine.specialisable(var) for var in parts) or all(map(machine.unrolls, parts)):
            return False
        refuse_where(machine, logical_not(machine, there), "XP0006", _NEW_KEY, _NEW_KEY_HINT)
    dense = _dense(table_, key)
    if dense is not None:
        first, values = dense
        changed = value_selection.scatter(machine, values, _place(machine, key, first, len(values)), item)
        set_entries(machine, container, {k: changed[k - first] for k in table_})
        return True
    for candidate, same in matches(machine, table_, key):
        table_[candidate] = value_selection.choose(machine, same, item, table_[candidate])
    set_entries(machine, container, table_)
    return True


# -- keys that are one of several known ones --------------------------------------------------------------------------


def known_keys(machine, self: Value, key: Value) -> list[Any] | None:
    """The keys of a dict or set that the alternatives of a key are, if all that are possible are there."""
    if type(key) is not Union or not isinstance(self, Ref) or not all(isinstance(k, Const) for k in key.alternatives):
        return None
    contents = machine.heap.read(self.object, "<items>")
    if not isinstance(contents, Mapping):
        return None
    keys = [key_of(machine, one, contents.entries) for one in key.alternatives]
    there = [keys[index] for index in unions.possible(machine, key)]
    if len(set(there)) < len(there) or not all(one in contents.entries for one in there):
        return None
    return [one if index in unions.possible(machine, key) else there[0] for index, one in enumerate(keys)]


def value_of_known_keys(machine, self: Value, key: Value) -> Value | None:
    """`self[key]` by the number of the alternative that the key is, without a branch for each; None if values differ
    in type."""
    keys = known_keys(machine, self, key)
    if keys is None or not isinstance(key, Union):
        return None
    held = entries(machine, self)
    values = [held[one] for one in keys]
    if all(isinstance(v, Ref) for v in values) and len(set(values)) == len(values):
        kinds = {(machine.heap.objects[as_ref(v).object].kind, machine.type_of(v)) for v in values}
        return Union(key.selector, tuple(values)) if len(kinds) == 1 else None
    numbers = value_selection.signature(values[0]) is not None and value_selection.stackable(machine, values)
    return (
        value_selection.gather(machine, values, _number(machine, key))
        if numbers or value_selection.coded(machine, values)
        else None
    )


def put_under_known_keys(machine, self: Ref, key: Value, item: Value) -> bool:
    """`self[key] = item` in the same way; False if that is not possible."""
    keys = known_keys(machine, self, key)
    if keys is None or not isinstance(key, Union):
        return False
    held = entries(machine, self)
    values = [held[one] for one in keys]
    kind = value_selection.signature(item)
    numbers = kind is not None and kind[0] != "tuple" and value_selection.stackable(machine, [item, *values])
    if not numbers and value_selection.coded(machine, [item, *values]) is None:
        return False
    changed = value_selection.scatter(machine, values, _number(machine, key), item)
    for index in unions.possible(machine, key):
        held[keys[index]] = changed[index]
    set_entries(machine, self, held)
    return True


def _number(machine, key: Union) -> Value:
    return scalar(machine, int, key.selector, (0, len(key.alternatives) - 1))
