"""Methods of list, tuple, named tuples and deque.

    items.append(x); items.insert(0, x); last = items.pop()
    recent = collections.deque(maxlen=5); recent.appendleft(x)
    items.index(x), items.count(x)

What a list holds is known item by item (`Tuple`), or lies in rows on the device (`GrowableList`). A rule gets either.
What follows from reading, writing, appending and popping is Python, in `library.builtins.list`.
"""

from __future__ import annotations

import collections
from collections.abc import Callable

import jax.numpy as jnp

from xlapy.dispatch import kinds, registry, value_selection
from xlapy.dispatch.containers import container_protocol, growable_list_sorting, sequence_sorting, sort_keys
from xlapy.dispatch.containers.container_protocol import contents, set_contents
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.iterators.deques import is_deque, note_change
from xlapy.dispatch.numbers import range_objects
from xlapy.dispatch.numbers.scalar_values import INT_MAX, check, device, logical_and, logical_not, logical_or, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.vectors import borrowed_elements, equality, growable_list_edits, growable_list_items
from xlapy.domain import growable_lists
from xlapy.domain.heap import CHANGES
from xlapy.domain.values import (
    FALSE,
    NONE,
    BoundedArray,
    Const,
    GrowableList,
    MixedScalar,
    Ref,
    Scalar,
    Tuple,
    Value,
    as_ref,
)
from xlapy.ir import Var
from xlapy.library.builtins import list as list_library

_ZERO = Const(0)
_ONE = Const(1)
_LAST = Const(-1)
_POP_EMPTY = provoke([].pop)
_POP_RANGE = provoke([0].pop, 5)
_DEQUE_EMPTY = provoke(collections.deque().pop)
_DEQUE_FULL = provoke(collections.deque(maxlen=0).insert, 0, 0)
_NO_BOUND = str(provoke([].index, 0, None))


def _method(name: str, *classes: type, spreads: bool = True, rearranges: bool = False) -> Callable:
    """Register `rule(machine, self, contents, *args)` for a method of sequences.

    Args:
        name: the name of the method.
        classes: the classes that have it.
        spreads: whether the items of a short growable list of known length are taken one by one.
        rearranges: whether the method puts another item where one was: data may say which.
    """

    def register(rule: Callable) -> Callable:
        def with_contents(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
            growable = growable_list_items.of(machine, self)
            if growable is None and rearranges and isinstance(self, Ref):
                growable = growable_list_items.of_objects(machine, self)
            if growable is None or spreads and _is_few(growable):
                return registry.passed_on(rule, machine, self, Tuple(contents(machine, self)), *args, **kwargs)
            return registry.passed_on(rule, machine, self, growable, *args, **kwargs)

        with_contents.__dict__.update(rule.__dict__)
        for cls in classes:
            registry.method(cls, name)(with_contents)
        return rule

    return register


def _is_few(growable: GrowableList) -> bool:
    return growable_list_items.is_short(growable) and not growable_lists.has_choice(growable.element)


def write(machine, self: Ref, growable: GrowableList) -> None:
    """Give a list other contents."""
    machine.heap.write(self.object, "<items>", growable)


# -- one end and the other --------------------------------------------------------------------------------------------


@_method("append", list, collections.deque, spreads=False)
@registry.takes_mixed
@registry.puts
def _append(machine, self: Ref, held: Tuple | GrowableList, item: Value) -> Value:
    most = limit(machine, self)
    if isinstance(held, Tuple):
        _put_all(machine, self, (*held.items, item), most)
    elif most is not None:
        shorter = _shorter(machine, held, most, growable_list_items.pop_first)
        write(machine, self, growable_list_items.push(machine, shorter, item))
    else:
        borrowed_elements.doubled(machine, self, item)
        with growable_list_items.places_kept(machine), borrowed_elements.receiving(machine, self, held):
            write(machine, self, growable_list_items.push(machine, held, item))
    note_change(machine, self, _ONE)
    return NONE


@_method("appendleft", collections.deque, spreads=False)
@registry.takes_mixed
def _appendleft(machine, self: Ref, held: Tuple | GrowableList, item: Value) -> Value:
    most = limit(machine, self)
    if isinstance(held, Tuple):
        set_contents(machine, self, (item, *held.items)[:most])
    else:
        shorter = held if most is None else _shorter(machine, held, most, growable_list_items.pop)
        write(machine, self, growable_list_items.push_first(machine, shorter, item))
    note_change(machine, self, _ONE)
    return NONE


def _put_all(machine, self: Ref, items: tuple[Value, ...], most: int | None) -> None:
    set_contents(machine, self, items if most is None else items[max(len(items) - most, 0) :])


def _shorter(machine, growable: GrowableList, most: int, remove: Callable) -> GrowableList:
    """The growable list without an item at one end where it is full."""
    full = machine.truth(machine.compare(">=", growable.length, Const(most)))
    if full is False:
        return growable
    if full is True:
        return remove(machine, growable)[0]
    holder = Ref(machine.heap.new("list", list, machine.location(), growable))

    def shorter() -> Value:
        write(machine, holder, remove(machine, growable)[0])
        return NONE

    machine.cond(full, shorter, lambda: NONE)
    return machine.heap.read(holder.object, "<items>")


@registry.method(list, "extend")
@registry.method(collections.deque, "extend")
def extend(machine, self: Ref, iterable: Value) -> Value:
    """`self.extend(iterable)`."""
    iterable = iteration.begun(machine, iterable, sized=not is_deque(machine, self))
    return _extended(machine, self, iterable, "append")


@registry.method(collections.deque, "extendleft")
def _extendleft(machine, self: Ref, iterable: Value) -> Value:
    return _extended(machine, self, iteration.begun(machine, iterable), "appendleft")


def _extended(machine, self: Ref, iterable: Value, put: str) -> Value:
    """Put all items of an iterable at one end."""

    def whole() -> Value:
        items, held = iteration.items(machine, iterable), contents(machine, self)
        most = limit(machine, self)
        if put == "append":
            _put_all(machine, self, (*held, *items), most)
        else:
            set_contents(machine, self, (*items[::-1], *held)[:most])
        note_change(machine, self, Const(len(items)))
        return NONE

    def each() -> Value:
        machine.call(Const(list_library.append_each), [machine.getattr(self, put), iterable])
        return NONE

    growing = growable_list_items.of(machine, self) is not None or grows(machine, iterable)
    if growing is None:
        return growable_list_items.whole_or_each(machine, whole, each)
    return each() if growing else whole()


@_method("pop", list, spreads=False, rearranges=True)
def _pop(machine, self: Ref, held: Tuple | GrowableList, where: Value = _LAST) -> Value:
    return _taken(machine, self, held, size_index(machine, where), _POP_EMPTY)


@_method("pop", collections.deque, spreads=False)
def _deque_pop(machine, self: Ref, held: Tuple | GrowableList) -> Value:
    return _taken(machine, self, held, _LAST, _DEQUE_EMPTY)


@_method("popleft", collections.deque, spreads=False)
def _popleft(machine, self: Ref, held: Tuple | GrowableList) -> Value:
    return _taken(machine, self, held, _ZERO, _DEQUE_EMPTY)


def _taken(machine, self: Ref, held: Tuple | GrowableList, where: Value, empty: BaseException) -> Value:
    """Take the item at an index out of a list; `empty` is raised if there is none."""
    if isinstance(held, Tuple):
        if not held.items:
            machine.raise_(type(empty), *empty.args)
        at = range_objects.in_bounds(machine, where, Const(len(held.items)), _POP_RANGE)
        set_contents(machine, self, without(machine, held.items, at))
        item = value_selection.gather(machine, held.items, at)
    else:
        machine.check(machine.truth(machine.compare("==", held.length, _ZERO)), type(empty), *empty.args)
        rest, item = growable_list_edits.taken(machine, held, where, _POP_RANGE)
        write(machine, self, rest)
    note_change(machine, self, _ONE)
    return item


def size_index(machine, where: Value) -> Value:
    """An index that C takes as a number of 64 bits."""
    at = range_objects.index(machine, where)
    if isinstance(at, Const) and not -INT_MAX - 1 <= at.value <= INT_MAX:
        return machine.raise_(OverflowError, "Python int too large to convert to C ssize_t")
    return at


def without(machine, items: tuple[Value, ...], at: Value) -> tuple[Value, ...]:
    """The items but the one at a position in range."""
    if isinstance(at, Const):
        return items[: at.value] + items[at.value + 1 :]
    rest = []
    for number in range(len(items) - 1):
        before = machine.truth(machine.compare("<", Const(number), at))
        rest.append(value_selection.choose(machine, before, items[number], items[number + 1]))
    return tuple(rest)


# -- in the middle ----------------------------------------------------------------------------------------------------


@_method("insert", list, collections.deque, rearranges=True)
@registry.takes_mixed
def _insert(machine, self: Ref, held: Tuple | GrowableList, where: Value, item: Value) -> Value:
    most = limit(machine, self)
    if isinstance(held, Tuple):
        if most is not None and len(held.items) >= most:
            machine.raise_(IndexError, *_DEQUE_FULL.args)
        set_contents(machine, self, _inserted(machine, list(held.items), where, item))
    elif most is not None:
        raise Refused("XP0004", "insert in a deque of bounded length, whose length depends on data")
    elif isinstance(where, Const) and where.value == 0:
        write(machine, self, growable_list_items.push_first(machine, held, item))
    else:
        borrowed_elements.doubled(machine, self, item)
        write(machine, self, growable_list_edits.inserted(machine, held, range_objects.index(machine, where), item))
    note_change(machine, self, _ONE)
    return NONE


def _inserted(machine, items: list[Value], where: Value, item: Value) -> list[Value]:
    at = place(machine, where, (*items, item))
    if isinstance(at, Const):
        items.insert(at.value, item)
        return items
    order = machine.leaf(_order_of_insertion, [device(machine, at, int)], (len(items),))[0]
    return value_selection.permute(machine, [*items, item], order)


def place(machine, value: Value, items: tuple[Value, ...]) -> Value:
    """An index that may depend on data if the items are numbers, and tuples of them: others would be copies."""
    at = range_objects.index(machine, value)
    if isinstance(at, Const) or all(
        value_selection.signature(i) is not None or isinstance(i, MixedScalar) for i in items
    ):
        return at
    return Const(machine.static(at, "where a list changes its length"))


def _order_of_insertion(at, count):
    """Where in a list, to which an item was appended, those are that are in it after an insertion."""
    at = range_objects.place_of_insertion(at, count)
    places = jnp.arange(count + 1)
    return jnp.where(places < at, places, jnp.where(places == at, count, places - 1))


@_method("remove", list, collections.deque, rearranges=True)
def _remove(machine, self: Ref, held: Tuple | GrowableList, item: Value) -> Value:
    if isinstance(held, GrowableList):
        return machine.call(Const(list_library.remove), [self, item])
    error = _missing(machine, item, collections.deque().remove if is_deque(machine, self) else [].remove)
    at = _position(machine, held.items, item, range(len(held.items)), error)
    set_contents(machine, self, without(machine, held.items, at))
    note_change(machine, self, _ONE)
    return NONE


@_method("reverse", list, collections.deque)
def _reverse(machine, self: Ref, held: Tuple | GrowableList) -> Value:
    if isinstance(held, GrowableList):
        write(machine, self, growable_list_edits.reversed_(machine, held))
    else:
        set_contents(machine, self, held.items[::-1])
    return NONE


@_method("rotate", collections.deque)
def _rotate(machine, self: Ref, held: Tuple | GrowableList, count: Value = _ONE) -> Value:
    if isinstance(held, GrowableList):
        return machine.call(Const(list_library.rotate), [self, range_objects.index(machine, count)])
    items = collections.deque(held.items)
    by = place(machine, count, held.items)
    if isinstance(by, Const):
        items.rotate(by.value)
    elif len(items) > 1:
        order = machine.leaf(_order_of_rotation, [device(machine, by, int)], (len(items),))[0]
        items = value_selection.permute(machine, list(items), order)
    set_contents(machine, self, items)
    note_change(machine, self, Const(len(items) // 2))
    return NONE


def _order_of_rotation(by, count):
    return (jnp.arange(count) - by) % count


@_method("sort", list, rearranges=True)
def _sort(machine, self: Ref, held: Tuple | GrowableList, *, key: Value = NONE, reverse: Value = FALSE) -> Value:
    if isinstance(held, Tuple):
        key = sort_keys.apart(machine, self, key)
        set_contents(machine, self, sequence_sorting.sort(machine, held.items, key, reverse))
        return NONE
    descending = bool(machine.static(sequence_sorting.direction(machine, reverse), "reverse of sort"))
    key = sort_keys.apart(machine, self, key)
    write(machine, self, growable_list_sorting.sort(machine, self, held, key, descending))
    return NONE


@registry.method(list, "clear")
@registry.method(collections.deque, "clear")
def _clear(machine, self: Ref) -> Value:
    note_change(machine, self, container_protocol.length(machine, self))
    set_contents(machine, self, ())
    return NONE


# -- looking for items ------------------------------------------------------------------------------------------------


@_method("index", list, tuple, collections.deque)
def _index(machine, self: Value, held: Tuple | GrowableList, item: Value, *bounds: Value) -> Value:
    if len(bounds) > 2:
        raise registry.Unfit("index() takes at most three arguments")
    if isinstance(held, Tuple):
        known = [machine.static(range_objects.index(machine, bound, _NO_BOUND)) for bound in bounds]
        where = range(*slice(*(known or [0]), *[None] * (2 - len(bounds))).indices(len(held.items)))
        sequence = (built_in(machine, self) or tuple)()
        return _position(machine, held.items, item, where, _missing(machine, item, sequence.index))
    if not bounds:
        return machine.call(Const(list_library.index), [self, item])
    first, *last = (_bound(machine, bound, held.length) for bound in bounds)
    return machine.call(Const(list_library.index_between), [self, item, first, *(last or [held.length])])


def _bound(machine, value: Value, count: Value) -> Value:
    """Where `index(item, start, stop)` begins or ends to look in so many items."""
    at = range_objects.index(machine, value, _NO_BOUND)
    if isinstance(at, Const):
        at = Const(min(max(at.value, -INT_MAX), INT_MAX))
    behind = machine.truth(machine.compare("<", at, _ZERO))
    at = machine.cond(behind, lambda: machine.binary("+", at, count), lambda: at)
    return range_objects.minimum(machine, range_objects.maximum(machine, at, _ZERO), count)


def _missing(machine, item: Value, method: Callable) -> ValueError:
    """What a method like `list.index` raises on this CPython for an item that it does not find."""
    head, shown, tail = str(provoke(method, "@")).partition("'@'")
    if not shown:
        return ValueError(head)
    if isinstance(item, Const):
        return ValueError(head + repr(item.value) + tail)
    return ValueError(machine.message(head + "{!r}" + tail, item))


def _position(machine, items, item: Value, where: range, error: BaseException) -> Value:
    """The position of the first item that is equal; `error` where there is none."""
    numbers: list[Value] = []
    found = []
    for number in where:
        if found and equality.runs_code(machine, items[number]):
            rest = where[where.index(number) :]
            given = [item, Tuple(tuple(items[k] for k in rest)), Const(number)]
            return _position_behind(machine, found, numbers, given, error)
        same = equality.same_item(machine, items[number], item)
        if same is False:
            continue
        numbers.append(Const(number))
        found.append(same)
        if same is True:
            break
    return _first_true(machine, found, numbers, error)


def _position_behind(machine, found: list, numbers: list[Value], given: list[Value], error: BaseException) -> Value:
    """The first position where one is true; what follows is compared only if none is, since it may raise."""
    before, there = numbers[-1], found[-1]
    for flag, number in reversed(list(zip(found[:-1], numbers[:-1], strict=True))):
        before = value_selection.choose(machine, flag, number, before)
        there = logical_or(machine, there, flag)
    at = machine.call(Const(list_library.position_if_not), [machine.boolean(there), before, *given])
    check(machine, machine.truth(machine.compare("<", at, _ZERO)), error)
    return at


def _first_true(machine, found: list, numbers: list[Value], error: BaseException) -> Value:
    """The number that belongs to the first true flag; `error` where there is none."""
    if not found or found[-1] is not True:
        missing: bool | Var = True
        for flag in found:
            missing = logical_and(machine, missing, logical_not(machine, flag))
        machine.check(missing, type(error), *error.args)
        if not found:
            raise AssertionError("the check raises")
    result = numbers[-1]
    for flag, number in reversed(list(zip(found[:-1], numbers[:-1], strict=True))):
        result = value_selection.choose(machine, flag, number, result)
    return result


@_method("count", list, tuple, collections.deque)
def _count(machine, self: Value, held: Tuple | GrowableList, item: Value) -> Value:
    if isinstance(held, GrowableList):
        return machine.call(Const(list_library.count), [self, item])
    total: Value = _ZERO
    for other in held.items:
        same = equality.same_item(machine, other, item)
        if same is not False:
            total = machine.binary("+", total, machine.boolean(same))
    return total


# -- as a whole -------------------------------------------------------------------------------------------------------


@registry.method(list, "copy", "__copy__")
@registry.method(collections.deque, "copy", "__copy__")
def copied(machine, self: Ref) -> Ref:
    """`self.copy()`."""
    borrowed_elements.share(machine, self)
    growable = growable_list_items.of(machine, self)
    made = like(machine, self, () if growable is not None else contents(machine, self))
    if growable is not None:
        write(machine, made, growable)
    return made


def like(machine, self: Ref, items) -> Ref:
    """A new list or deque with other items."""
    made = machine.new_list(items)
    if is_deque(machine, self):
        machine.heap.objects[made.object].cls = collections.deque
        machine.heap.write(made.object, "maxlen", machine.heap.read(self.object, "maxlen"))
        machine.heap.write(made.object, CHANGES, _ZERO)
    return made


@_method("__len__", list, tuple, collections.deque, spreads=False)
def _len(machine, self: Value, held: Tuple | GrowableList) -> Value:
    return held.length if isinstance(held, GrowableList) else Const(len(held.items))


@registry.method(list, "__getitem__")
@registry.method(tuple, "__getitem__")
@registry.method(dict, "__getitem__")
def _getitem(machine, self: Value, key: Value) -> Value:
    return container_protocol.getitem(machine, self, key)


@registry.method(list, "__setitem__")
@registry.method(dict, "__setitem__")
def _setitem(machine, self: Value, key: Value, item: Value) -> Value:
    container_protocol.setitem(machine, self, key, item)
    return NONE


@registry.method(list, "__delitem__")
@registry.method(dict, "__delitem__")
def _delitem(machine, self: Value, key: Value) -> Value:
    container_protocol.delitem(machine, self, key)
    return NONE


@registry.method(list, "__contains__")
@registry.method(tuple, "__contains__")
@registry.method(dict, "__contains__")
@registry.method(set, "__contains__")
@registry.method(frozenset, "__contains__")
def _contains(machine, self: Value, item: Value) -> Value:
    return machine.boolean(container_protocol.contains(machine, item, self))


@registry.method(list, "__iter__")
@registry.method(tuple, "__iter__")
@registry.method(dict, "__iter__")
@registry.method(set, "__iter__")
@registry.method(collections.deque, "__iter__")
def _iter(machine, self: Value) -> Value:
    return iteration.make_iterator(machine, self)


def grows(machine, value: Value) -> bool | None:
    """Whether an iterable has a number of items that is only known on the device; None if that is to be found out."""
    growable = growable_list_items.of(machine, value)
    if growable is not None and (not isinstance(growable.length, Const) or growable_lists.has_choice(growable.element)):
        return True
    if isinstance(value, BoundedArray):
        return True
    kind = kinds.heap_kind(machine, value)
    if kind in ("dict", "set"):
        held = machine.heap.read(as_ref(value).object, "<items>")
        return isinstance(held, GrowableList) and not isinstance(held.length, Const)
    if kind in ("generator", "instance"):
        return None
    if not sequences.is_iterator(machine, value):
        return False
    plan = iteration.plan(machine, value)
    if plan is None:
        return None if iteration.known_length(machine, value) is None else False
    return isinstance(plan.iterations, Scalar) and not machine.specialisable(plan.iterations.var)


# -- which of them, and deques ----------------------------------------------------------------------------------------


def built_in(machine, value: Value) -> type | None:
    """Which of list, deque and tuple a value is; None for anything else."""
    match value:
        case Tuple():
            return tuple
        case Const():
            return tuple if type(value.value) is tuple else None
        case Ref():
            kind = machine.heap.objects[value.object].kind
            if kind == "list":
                return collections.deque if is_deque(machine, value) else list
            return tuple if kind == "tuple" else None
    return None


def limit(machine, self: Ref) -> int | None:
    """The `maxlen` of a deque; None for a list."""
    if not is_deque(machine, self):
        return None
    value = machine.heap.read(self.object, "maxlen")
    if isinstance(value, Const):
        return value.value
    return machine.heap.objects[self.object].real.maxlen


@registry.attribute(collections.deque, "maxlen")
def _maxlen(machine, self: Ref) -> Value:
    return Const(limit(machine, self))
