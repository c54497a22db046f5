"""Dicts and sets with keys that are only known on the device: their contents are a `GrowableList` of pairs of key and
value, in the order of insertion. A key is looked for among all rows at once.

    counts = {}
    for v in x:
        counts[v] = counts.get(v, 0) + 1

A key is held by value, and compared as Python compares keys: `1`, `1.0` and `True` are one. Keys with an `__eq__` of
their own are asked one by one, in a loop.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import unions, value_selection
from xlapy.dispatch.containers import hashes
from xlapy.dispatch.containers.container_protocol import compares_by_value, is_foreign_number, key_of, require_hashable
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.kinds import heap_kind
from xlapy.dispatch.numbers.scalar_values import bounds_of, device, logical_and, logical_or, refuse_where, scalar
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import borrowed_elements, dynamic_set_order, growable_list_edits, growable_list_items
from xlapy.dispatch.vectors.equality import same_item
from xlapy.domain import growable_lists
from xlapy.domain.coerce import instantiate
from xlapy.domain.join import JoinFailure
from xlapy.domain.values import (
    TRUE,
    Const,
    GrowableList,
    JaxArray,
    Mapping,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Stored,
    Tuple,
    Union,
    Value,
    as_ref,
    tuple_items,
    variables,
)
from xlapy.ir import Var
from xlapy.library.builtins import dict as dict_library
from xlapy.lowering.primitives import searches

_ZERO = Const(0)
_MANY_CHOICES = 256


def of(machine, value: Value) -> GrowableList | None:
    """The growable list that the contents of a dict or set are, if they are one."""
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind in ("dict", "set"):
        contents = machine.heap.read(value.object, "<items>")
        if isinstance(contents, GrowableList):
            return contents
    return None


def owner(machine, value: Value) -> tuple[Ref, str] | None:
    """The dict or set with unknown keys that a value is, or of which it is a view, and what of it is shown."""
    if isinstance(value, Ref) and of(machine, value) is not None:
        return value, "keys"
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "view":
        source = machine.heap.read(value.object, "source")
        if isinstance(source, Ref) and of(machine, source) is not None:
            return source, machine.heap.objects[value.object].details
    return None


#: keys that are indices of short loops are known: those are unrolled, if that makes no more bodies of loops than this
_MOST_BODIES = 8
#: of how many numbers among the arguments a call is specialised for the keys that they are
_MOST_KEYS = 32


def is_new(machine, key: Value) -> bool:
    """Whether a key makes a dict one of unknown keys: it will not be known when the short loops around are unrolled,
    either, nor when the call is specialised for an argument. Arguments and what is in a container are data, if the
    program can do with that: another call has other numbers there."""
    found = unknown(machine, key)
    if not all(machine.unrolls(var) or machine.specialisable(var) for var in found):
        return True
    if not machine.tables:
        return False
    if machine.bodies_of_nest(found) > _MOST_BODIES:
        machine.has_tables = True
        return True
    if not any(machine.is_of_items(var) or machine.is_of_numbers(var) for var in found):
        return False
    machine.has_tables = machine.keys_of_items = True
    return True


def holds_tuples(machine, key: Value) -> bool:
    """Whether a key is a tuple whose length depends on data, or holds one."""
    if isinstance(key, Tuple):
        return any(holds_tuples(machine, item) for item in key.items)
    if isinstance(key, Union):
        return any(holds_tuples(machine, item) for item in key.alternatives)
    return heap_kind(machine, key) == "tuple"


def unknown(machine, key: Value) -> Sequence[Var]:
    """The device values that a key depends on."""
    match key:
        case Scalar() | NumpyScalar() | MixedScalar():
            return [] if machine.is_static(key) else variables(key)
        case Tuple():
            return [var for item in key.items for var in unknown(machine, item)]
        case Union():
            return [key.selector, *(var for item in key.alternatives for var in unknown(machine, item))]
        case Ref() if compares_by_value(machine, key) or heap_kind(machine, key) == "tuple":
            try:
                return variables(growable_list_items.pack(machine, key))
            except JoinFailure:
                return []
    return []


def choices(key: Value) -> list[Value] | None:
    """The keys that a key may be, all known and few; None if they are not."""
    match key:
        case Const():
            return [key]
        case Union():
            parts = [choices(v) for v in key.alternatives]
            known = [part for part in parts if part is not None]
            return [v for part in known for v in part] if len(known) == len(parts) else None
        case Tuple():
            columns = [choices(v) for v in key.items]
            known = [column for column in columns if column is not None]
            if len(known) < len(columns) or math.prod(map(len, known)) > _MANY_CHOICES:
                return None
            return [Tuple(items, key.cls) for items in itertools.product(*known)]
    return None


# -- looking for keys -------------------------------------------------------------------------------------------------


def locate(machine, growable: GrowableList, key: Value, place: str = "key") -> tuple[Value, bool | Var]:
    """The row of a key, wherever it is there, and whether it is; `place` as for `require_hashable`."""
    _check(machine, key, place)
    if growable.capacity == 0:
        return _ZERO, False
    if not isinstance(growable.element, Tuple):  # too many strings, say, for one of them to be chosen by a number
        raise Refused("XP0007", "a dict or set has keys of too many kinds", "use numbers as keys")
    column = tuple_items(instantiate(growable.element, iter(growable.rows)))
    length = device(machine, growable.length, int)
    pairs = _numbers(machine, column[0], key)
    if pairs:
        columns, numbers = zip(*pairs, strict=True)
        row, there = machine.leaf(searches.row_of(len(pairs)), [*columns, *numbers, length])
        return _within(machine, scalar(machine, int, row), growable), there
    same = _same_rows(machine, column[0], key, growable.capacity)
    if same is False:
        return _ZERO, False
    if same is None:
        listed = _listed(machine, growable, "items")
        at = hashes.only_compared(machine, lambda: machine.call(Const(dict_library.position), [listed, key]))
        there = machine.truth(machine.compare(">=", at, _ZERO))
        return _within(machine, machine.call(Const(max), [at, _ZERO]), growable), there
    if same is True:
        same = machine.builder.broadcast(machine.builder.constant(True), (growable.capacity,))
    row, there = machine.leaf(searches.first_row, [same, length])
    return _within(machine, scalar(machine, int, row), growable), there


def _within(machine, at: Value, growable: GrowableList) -> Value:
    bounds = (0, max(growable.capacity - 1, 0))
    return Scalar(int, at.var, bounds) if isinstance(at, Scalar) else at


def _check(machine, key: Value, place: str) -> None:
    """Raise what CPython does of a key that is not hashable; refuse one that would lose its identity."""
    require_hashable(machine, key, place)
    _check_identity(machine, key)


def _check_identity(machine, key: Value) -> None:
    match key:
        case Tuple():
            for item in key.items:
                _check_identity(machine, item)
        case Union():
            for item in key.alternatives:
                _check_identity(machine, item)
        case Const() | Ref() if is_foreign_number(machine, key):
            raise Refused("XP0004", "a fraction or a decimal, among keys that depend on data")
        case Ref() if compares_by_value(machine, key):
            pass
        case Ref() if heap_kind(machine, key) == "tuple":
            _check_element(growable_list_items.pack(machine, key))
        case Ref():
            if machine.heap.objects[key.object].kind == "instance":
                raise Refused("XP0004", "an object that is compared by identity, among keys that depend on data")
            key_of(machine, key)
        case JaxArray() | NdArray():
            key_of(machine, key)


def _check_element(value: Value) -> None:
    """The same of what a tuple in a growable list may hold."""
    held = isinstance(value, Stored) and value.held
    if isinstance(value, Stored) and value.cls is not tuple:
        raise Refused("XP0004", "a tuple that holds objects, and whose length depends on data, as a key")
    for part in (held.element,) if isinstance(held, GrowableList) else value.children():
        if isinstance(part, Value):
            _check_element(part)


def _numbers(machine, column: Value, key: Value) -> list[tuple[Var, Var]] | None:
    """The columns of numbers that a key is looked for in, each with the number of the key; None if that is not all."""
    column, key = (x.python if isinstance(x, MixedScalar) else x for x in (column, key))
    match column:
        case Tuple():
            items = map(Const, key.value) if isinstance(key, Const) and isinstance(key.value, tuple) else None
            items = tuple(key.items if isinstance(key, Tuple) else items or ())
            if len(items) != len(column.items):
                return None
            found = [_numbers(machine, part, item) for part, item in zip(column.items, items, strict=True)]
            known = [pairs for pairs in found if pairs is not None]
            return [pair for pairs in known for pair in pairs] if len(known) == len(found) else None
        case Scalar() | NumpyScalar() if not isinstance(key, Ref | Union):
            kind = value_selection.signature(key)
            return (
                None
                if kind is None or kind[0] == "tuple"
                else [(column.var, value_selection.as_var(machine, key, kind))]
            )
        case Const():
            return [] if same_item(machine, column, key) is True else None
    return None


def _same_rows(machine, column: Value, key: Value, count: int) -> Var | bool | None:
    """Which rows of a column are equal to a key: a flag for each, or for all; None if they are to be asked."""
    builder = machine.builder
    if isinstance(column, MixedScalar):
        column = column.python
    if isinstance(key, MixedScalar):
        key = key.python
    if isinstance(key, Union):
        return _same_as_one_of(machine, column, key, count)
    match column:
        case Stored():
            return None
        case Tuple():
            items = map(Const, key.value) if isinstance(key, Const) and isinstance(key.value, tuple) else None
            items = key.items if isinstance(key, Tuple) else items
            if items is None:
                return None if isinstance(key, Ref) else False
            items = tuple(items)
            if len(items) != len(column.items):
                return False
            same: Var | bool | None = True
            for part, item in zip(column.items, items, strict=True):
                one = _same_rows(machine, part, item, count)
                if one is None or one is False:
                    return one
                same = logical_and(machine, same, one)
            return same
        case Union():
            found: Var | bool = False
            for index, alternative in enumerate(column.alternatives):
                one = _same_rows(machine, alternative, key, count)
                if one is None:
                    return None
                number = builder.broadcast(builder.constant(index, column.selector.type.dtype), (count,))
                here = builder.elementwise("eq", column.selector, number)
                found = logical_or(machine, found, logical_and(machine, here, one))
            return found
        case Scalar() | NumpyScalar():
            if isinstance(key, Ref):
                return None
            kind = value_selection.signature(key)
            if kind is None or kind[0] == "tuple":
                return False
            return machine.leaf(searches.equal_numbers, [column.var, value_selection.as_var(machine, key, kind)])[0]
    one = same_item(machine, column, key)
    return builder.broadcast(one, (count,)) if isinstance(one, Var) else one


def _same_as_one_of(machine, column: Value, key: Union, count: int) -> Var | bool | None:
    """Which rows of a column are equal to a key that is one of several values."""
    builder = machine.builder
    numbers = _numbers_in(machine, column, key)
    if numbers is not None:
        table = builder.constant(np.array(numbers, key.selector.type.dtype))
        assert isinstance(column, Union)
        return machine.leaf(_with_number, [column.selector, table, key.selector])[0]
    found: Var | bool = False
    for index in unions.possible(machine, key):
        one = _same_rows(machine, column, key.alternatives[index], count)
        if one is None:
            return None
        here = builder.broadcast(unions.selects(machine, key, index), (count,))
        found = logical_or(machine, found, logical_and(machine, here, one))
    return found


def _numbers_in(machine, column: Value, key: Union) -> list[int] | None:
    """Which of the known alternatives of a column each of those of a key is equal to, -1 for none; None if they are not
    known, or equal to several."""
    if not isinstance(column, Union) or not all(
        isinstance(v, Const) for v in (*column.alternatives, *key.alternatives)
    ):
        return None
    found = []
    for alternative in key.alternatives:
        same = [index for index, one in enumerate(column.alternatives) if same_item(machine, one, alternative) is True]
        if len(same) > 1:
            return None
        found.append(same[0] if same else -1)
    return found


def _with_number(rows, numbers, key):
    return rows == numbers[key]


# -- changes ----------------------------------------------------------------------------------------------------------


def place_in(machine, container: Value) -> str:
    """What a key is in a dict or set, as `require_hashable` names it."""
    return "element" if heap_kind(machine, container) == "set" else "key"


def write(machine, self: Ref, growable: GrowableList) -> None:
    """Give a dict or set other contents."""
    machine.heap.write(self.object, "<items>", growable)


def converted(machine, self: Ref, *more: Value) -> GrowableList:
    """The contents of a dict or set as a growable list that can take more pairs, too."""
    contents = machine.heap.read(self.object, "<items>")
    if isinstance(contents, GrowableList):
        return contents
    if isinstance(contents, Union):
        raise Refused("XP0004", "a dict of one of several sizes, with a key that depends on data")
    assert isinstance(contents, Mapping)
    pairs = contents.pairs()
    try:
        for pair in (*pairs, *more):
            _check(machine, tuple_items(pair)[0], place_in(machine, self))
        field = growable_list_items.of_several_lengths(machine, tuple(contents.entries.values()))
        element = growable_list_items.common_element(machine, (*pairs, *more), self, field)
        growable = growable_list_items.of_items(machine, pairs, element, source=self, field=field)
        return growable.with_rows(growable.rows, added=growable_lists.only_added(contents))
    except JoinFailure as error:
        raise Refused("XP0006", f"keys and values of a dict with keys that depend on data {error.reason}") from error


def set_item(machine, self: Ref, key: Value, value: Value) -> None:
    """`self[key] = value`: the first key stays, as in Python."""
    if borrowed_elements.lies_there(machine, self, key, value):
        return
    borrowed_elements.doubled(machine, self, value)
    place = (object(),)
    growable = converted(machine, self, Tuple((key, value)))
    at, there = locate(machine, growable, key)

    def replace() -> Value:
        old = tuple_items(growable_list_items.item(machine, growable, at))
        made = growable_list_items.put(machine, growable, at, Tuple((old[0], value)), place)
        write(machine, self, _with_keys_of(machine, growable, made))
        return Const(None)

    machine.cond(there, replace, lambda: _insert(machine, self, growable, key, value, place))


def _with_keys_of(machine, old: GrowableList, new: GrowableList) -> GrowableList:
    """A growable list of pairs with the keys of another one, which are the same: nothing is stored there."""
    count = len(variables(growable_lists.items_of_element(old)[0]))
    rows = (*old.rows[:count], *new.rows[count:])
    if [(r.type.shape, r.type.dtype) for r in rows] != [(r.type.shape, r.type.dtype) for r in new.rows]:
        return new
    types = [row.type for row in new.rows]
    return new.with_rows(machine.builder.convert(r, t.dtype, t.weak) for r, t in zip(rows, types, strict=True))


def add(machine, self: Ref, key: Value) -> None:
    """`self.add(key)` of a set."""
    growable = converted(machine, self, Tuple((key, TRUE)))
    _, there = locate(machine, growable, key, "element")

    def keep() -> Value:
        write(machine, self, growable)
        return Const(None)

    machine.cond(there, keep, lambda: _insert(machine, self, growable, key, TRUE))


def _insert(machine, self: Ref, growable: GrowableList, key: Value, value: Value, place=None) -> Value:
    _refuse_nan(machine, key)
    growable = _with_room(machine, growable, key)
    with growable_list_items.places_kept(machine):
        write(machine, self, growable_list_items.push(machine, growable, Tuple((key, value)), place))
    return Const(None)


def _with_room(machine, growable: GrowableList, key: Value) -> GrowableList:
    """A growable list with what is known of its length where a key is not in it yet, which is one of few."""
    if growable.capacity == 0 or not isinstance(growable.length, Scalar):
        return growable
    keys = growable_lists.column(growable, "keys").element
    every = growable_lists.number_of_values(
        growable_list_items.exact_joiner(machine).join(
            keys, growable_lists.hollow(growable_list_items.pack(machine, key))
        )
    )
    low, high = bounds_of(growable.length)
    if every is None or high < every or low >= every:
        return growable
    return growable.with_rows(growable.rows, Scalar(int, growable.length.var, (low, every - 1)), growable.added)


def _refuse_nan(machine, key: Value, where: Var | bool = True) -> None:
    """NaN is a key of its own each time that it is put in; `where` says whether the key is."""
    match key:
        case Tuple():
            for item in key.items:
                _refuse_nan(machine, item, where)
        case MixedScalar():
            _refuse_nan(machine, key.python, where)
        case Union():
            for index in unions.possible(machine, key):
                here = logical_and(machine, where, unions.selects(machine, key, index))
                _refuse_nan(machine, key.alternatives[index], here)
        case Scalar() | NumpyScalar() if key.var.type.dtype.kind == "f":
            bad = logical_and(machine, where, machine.leaf(jnp.isnan, [key.var])[0])
            refuse_where(machine, bad, "XP0006", "NaN as a key of a dict or set", "take NaN away before")
        case Const() if isinstance(key.value, float | np.floating) and key.value != key.value:
            if where is True:
                raise Refused("XP0006", "NaN as a key of a dict or set", "take NaN away before")
            refuse_where(machine, where, "XP0006", "NaN as a key of a dict or set", "take NaN away before")


def remove(machine, self: Ref, growable: GrowableList, at: Value) -> None:
    """Take out the pair in a row."""
    write(machine, self, growable_list_edits.without(machine, growable, at))


# -- columns ----------------------------------------------------------------------------------------------------------


def value(machine, growable: GrowableList, at: Value) -> Value:
    """The value in a row."""
    return growable_list_items.item(machine, growable_lists.column(growable, "values"), at)


def borrowed(machine, self: Ref, growable: GrowableList, at: Value, key: Value) -> Value:
    """The value in the row of a key, which may be changed."""
    return borrowed_elements.borrow(machine, self, growable, at, "values", key)


def holds_objects(growable: GrowableList) -> bool:
    """Whether the values of a dict may be changed."""
    return growable_lists.has_own(growable_lists.column(growable, "values").element)


def listed(machine, self: Ref, what: str = "keys") -> Ref:
    """The keys, values or items of a dict as a list; the members of a set in some order."""
    if what != "keys":
        borrowed_elements.share(machine, self)
    growable = of(machine, self)
    assert growable is not None
    return _listed(machine, growable, what)


def _listed(machine, growable: GrowableList, what: str) -> Ref:
    return Ref(machine.heap.new("list", list, machine.location(), growable_lists.column(growable, what)))


def whole(machine, value: Value) -> Value:
    """An iterable; the members of a set of unknown members as a list, in some order."""
    found = owner(machine, value)
    return value if found is None else listed(machine, *found)


def ordered(machine, value: Value) -> Value:
    """An iterable; the members of a set of unknown members as a list, in CPython's order.

    Raises:
        Refused: that is not known.
    """
    found = owner(machine, value)
    if found is None or heap_kind(machine, found[0]) != "set":
        return whole(machine, value)
    growable = of(machine, found[0])
    assert growable is not None
    contents = dynamic_set_order.in_order(machine, growable, found[0].object)
    return Ref(machine.heap.new("list", list, machine.location(), contents))


def forget_order(machine, made: Ref) -> Value:
    """A set to which something else was done than adding one member after the other."""
    contents = machine.heap.read(made.object, "<items>")
    if isinstance(contents, GrowableList):
        write(machine, made, contents.with_rows(contents.rows))
    elif isinstance(contents, Mapping):
        machine.heap.write(made.object, "<items>", Mapping(contents.entries))
    return made


def _has_new(machine, items: Sequence[Value]) -> bool:
    """Whether there are keys among items that make a dict one of unknown keys, as many numbers do that data gives."""
    if any(is_new(machine, item) for item in items):
        return True
    if not machine.tables or sum(bool(unknown(machine, item)) for item in items) <= _MOST_KEYS:
        return False
    machine.has_tables = True
    return True


def has_unknown(machine, iterable: Value) -> bool:
    """Whether an iterable certainly holds numbers that are only known on the device."""
    if isinstance(iterable, NdArray):
        return True
    found = owner(machine, iterable)
    if found is not None:
        return True
    if heap_kind(machine, iterable) == "list":
        contents = machine.heap.read(as_ref(iterable).object, "<items>")
        if isinstance(contents, GrowableList):
            return True
        return isinstance(contents, Tuple) and _has_new(machine, contents.items)
    if isinstance(iterable, Tuple):
        return _has_new(machine, iterable.items)
    is_iterator = sequences.is_iterator(machine, iterable)
    if is_iterator and iteration.plan(machine, iterable) is not None:
        return True
    if is_iterator or heap_kind(machine, iterable) == "generator":
        number = as_ref(iterable).object
        held = [value for slot, value in machine.heap.slots.items() if slot[0] == number]
        return any(has_unknown(machine, value) for value in held)
    return False
