"""Operators and methods of list, tuple, named tuples and deque."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry, value_selection
from xlapy.dispatch.containers import container_protocol, range_objects, sequence_sorting, sort_keys
from xlapy.dispatch.containers.container_protocol import contents, set_contents
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import INT_MAX, defines, device, fold, kind_of, provoke
from xlapy.dispatch.python import namespaces
from xlapy.domain.heap import CHANGES
from xlapy.domain.values import FALSE, NONE, Const, MixedScalar, Ref, Tuple, Value, as_ref, made_tuple
from xlapy.ir import Var

_ZERO = Const(0)
_ONE = Const(1)
_LAST = Const(-1)
_FAR = Const(2**62)
_NOTHING = Tuple(())
_POP_EMPTY = provoke([].pop)
_POP_RANGE = provoke([0].pop, 5)
_REMOVE = provoke([].remove, 0)
_TUPLE_MISSING = provoke(().index, 0)
_DEQUE_EMPTY = provoke(collections.deque().pop)
_DEQUE_INDEX = provoke(operator.getitem, collections.deque(), 0)


def _is_list(machine, value: Value) -> bool:
    return isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list"


def _count(machine, value: Value) -> int:
    """How often to repeat a sequence; asked for if it is dynamic."""
    return max(range_objects.static_count(machine, value, "how often a sequence is repeated"), 0)


# -- operators --------------------------------------------------------------------------------------------------------


@registry.operator(list)
def list_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`+`, `*`, comparisons, and the in-place forms that change the list."""
    if symbol == "+=" and _is_list(machine, left):
        set_contents(machine, as_ref(left), (*contents(machine, left), *iteration.items(machine, right)))
        return left
    if symbol in ("*", "*="):
        return _repeat_list(machine, symbol, left, right)
    if not (_is_list(machine, left) and _is_list(machine, right) and alike(machine, left, right)):
        if symbol == "+" and _is_list(machine, left) and not _has_add(machine, right):
            name = iteration.type_name(machine, right)
            machine.raise_(TypeError, f'can only concatenate list (not "{name}") to list')
        return None
    if symbol == "+":
        return machine.new_list((*contents(machine, left), *contents(machine, right)))
    if symbol in container_protocol.ORDERINGS or symbol in ("==", "!="):
        if left == right and symbol in ("==", "!="):
            return Const(symbol == "==")
        return container_protocol.compare_sequences(machine, symbol, contents(machine, left), contents(machine, right))
    return None


def alike(machine, left: Value, right: Value) -> bool:
    """Whether both of two lists are deques, or none is: a list and a deque have no operators in common."""
    return len({machine.type_of(value) is collections.deque for value in (left, right)}) == 1


def _has_add(machine, value: Value) -> bool:
    return defines(machine, machine.type_of(value), "__radd__")


def no_count(machine, value: Value) -> Value | None:
    """A sequence times what is no int: left to the other operand's type, if that is not one of Python's own."""
    cls = machine.type_of(value)
    if kind_of(value) is None and not issubclass(cls, np.generic) and defines(machine, cls, "__rmul__"):
        return None
    name = iteration.type_name(machine, value)
    return machine.raise_(TypeError, f"can't multiply sequence by non-int of type '{name}'")


def _repeat_list(machine, symbol: str, left: Value, right: Value) -> Value | None:
    if not _is_list(machine, left):
        left, right = right, left
        symbol = "*"
    if not range_objects.is_index(machine, right):
        return no_count(machine, right)
    items = contents(machine, left) * _count(machine, right)
    if symbol == "*=":
        set_contents(machine, as_ref(left), items)
        return left
    return machine.new_list(items)


def no_tuple(machine, right: Value) -> None:
    """What CPython says of something that is added to a tuple, if that does not add itself."""
    if not _has_add(machine, right):
        name = iteration.type_name(machine, right)
        machine.raise_(TypeError, f'can only concatenate tuple (not "{name}") to tuple')


@registry.operator(tuple)
def tuple_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`+`, `*` and comparisons."""
    left, right = (
        Tuple(contents(machine, v)) if isinstance(v, Const) and type(v.value) is tuple else v for v in (left, right)
    )
    if symbol in ("*", "*="):
        if not isinstance(left, Tuple):
            left, right = right, left
        if not range_objects.is_index(machine, right):
            return no_count(machine, right)
        return Tuple(contents(machine, left) * _count(machine, right))
    if not (isinstance(left, Tuple) and isinstance(right, Tuple)):
        return no_tuple(machine, right) if symbol in ("+", "+=") and isinstance(left, Tuple) else None
    if symbol in ("+", "+="):
        return Tuple((*left.items, *right.items))
    if symbol in container_protocol.ORDERINGS or symbol in ("==", "!="):
        return container_protocol.compare_sequences(machine, symbol, left.items, right.items)
    return None


# -- list -------------------------------------------------------------------------------------------------------------


@registry.method(list, "append")
@registry.takes_mixed
@registry.puts
def _append(machine, self: Ref, item: Value) -> Value:
    set_contents(machine, self, (*contents(machine, self), item))
    return NONE


@registry.method(list, "extend")
def _extend(machine, self: Ref, iterable: Value) -> Value:
    set_contents(machine, self, (*contents(machine, self), *iteration.items(machine, iterable)))
    return NONE


@registry.method(list, "insert")
@registry.takes_mixed
def _insert(machine, self: Ref, where: Value, item: Value) -> Value:
    items = list(contents(machine, self))
    at = _place(machine, where, [*items, item])
    if isinstance(at, Const):
        items.insert(at.value, item)
    else:
        order = machine.leaf(_order_of_insertion, [device(machine, at, int)], (len(items),))[0]
        items = value_selection.permute(machine, [*items, item], order)
    set_contents(machine, self, items)
    return NONE


def _place(machine, value: Value, items: list[Value]) -> Value:
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


def size_index(machine, where: Value) -> Value:
    """An index that C takes as a number of 64 bits."""
    at = range_objects.index(machine, where)
    if isinstance(at, Const) and not -INT_MAX - 1 <= at.value <= INT_MAX:
        return machine.raise_(OverflowError, "Python int too large to convert to C ssize_t")
    return at


@registry.method(list, "pop")
def _pop(machine, self: Ref, where: Value = _LAST) -> Value:
    items = list(contents(machine, self))
    index = size_index(machine, where)
    if not items:
        machine.raise_(IndexError, *_POP_EMPTY.args)
    at = range_objects.in_bounds(machine, index, Const(len(items)), _POP_RANGE)
    set_contents(machine, self, _without(machine, items, at))
    return value_selection.gather(machine, items, at)


def _without(machine, items: list[Value], at: Value) -> list[Value]:
    """The items but the one at a position in range."""
    if isinstance(at, Const):
        return items[: at.value] + items[at.value + 1 :]
    rest = []
    for number in range(len(items) - 1):
        before = machine.truth(machine.compare("<", Const(number), at))
        rest.append(value_selection.choose(machine, before, items[number], items[number + 1]))
    return rest


def _remover(error: BaseException):
    def rule(machine, self: Ref, item: Value) -> Value:
        items = list(contents(machine, self))
        at = _position(machine, items, item, range(len(items)), error)
        set_contents(machine, self, _without(machine, items, at))
        return NONE

    return rule


registry.method(list, "remove")(_remover(_REMOVE))


def _position(machine, items, item: Value, where: range, error: BaseException) -> Value:
    """The position of the first item that is equal; `error` where there is none."""
    numbers: list[Value] = []
    found = []
    for number in where:
        same = container_protocol.same_item(machine, items[number], item)
        if same is False:
            continue
        numbers.append(Const(number))
        found.append(same)
        if same is True:
            break
    return _first_true(machine, found, numbers, error)


_NO_BOUND = str(provoke([].index, 0, None))


def position_among(machine, value: Value, count: Value) -> Value:
    """Where `index(item, start, stop)` begins or ends to look in so many items."""
    at = range_objects.index(machine, value, _NO_BOUND)
    if isinstance(at, Const):
        at = Const(min(max(at.value, -INT_MAX), INT_MAX))
    behind = machine.truth(machine.compare("<", at, _ZERO))
    at = machine.cond(behind, lambda: machine.binary("+", at, count), lambda: at)
    return range_objects.minimum(machine, range_objects.maximum(machine, at, _ZERO), count)


@registry.method(list, "index")
def _index(machine, self: Value, item: Value, start: Value = _ZERO, stop: Value = _FAR) -> Value:
    error: BaseException = _TUPLE_MISSING
    if _is_list(machine, self):
        text = repr(item.value) if isinstance(item, Const) else "{!r}"
        error = ValueError(_missing(machine, item, text, [].index))
    items = contents(machine, self)
    bounds = [machine.static(range_objects.index(machine, bound, _NO_BOUND)) for bound in (start, stop)]
    first, last, _ = slice(*bounds).indices(len(items))
    return _position(machine, items, item, range(first, last), error)


def _missing(machine, item: Value, text: str, index: Callable) -> object:
    """What a method like `list.index` says on this CPython of an item that it does not find."""
    head, shown, tail = str(provoke(index, "@")).partition("'@'")
    if not shown:
        return head
    return head + text + tail if isinstance(item, Const) else machine.message(head + text + tail, item)


def _first_true(machine, found: list, numbers: list[Value], error: BaseException) -> Value:
    """The number that belongs to the first true flag; `error` where there is none."""
    if not found or found[-1] is not True:
        missing: bool | Var = True
        for flag in found:
            missing = container_protocol.logical_and(machine, missing, container_protocol.logical_not(machine, flag))
        machine.check(missing, type(error), *error.args)
        if not found:
            raise AssertionError("the check raises")
    result = numbers[-1]
    for flag, number in reversed(list(zip(found[:-1], numbers[:-1], strict=True))):
        result = value_selection.choose(machine, flag, number, result)
    return result


@registry.method(tuple, "index")
def _tuple_index(machine, self: Value, item: Value, start: Value = _ZERO, stop: Value = _FAR) -> Value:
    return _index(machine, self, item, start, stop)


@registry.method(list, "count")
@registry.method(tuple, "count")
def _count_item(machine, self: Value, item: Value) -> Value:
    total: Value = Const(0)
    for other in contents(machine, self):
        same = container_protocol.same_item(machine, other, item)
        if same is not False:
            total = machine.binary("+", total, machine.boolean(same))
    return total


@registry.method(list, "copy", "__copy__")
def _copy(machine, self: Ref) -> Value:
    return _like(machine, self, contents(machine, self))


@registry.method(list, "clear")
def _clear(machine, self: Ref) -> Value:
    set_contents(machine, self, ())
    return NONE


@registry.method(list, "reverse")
def _reverse(machine, self: Ref) -> Value:
    set_contents(machine, self, contents(machine, self)[::-1])
    return NONE


@registry.method(list, "sort")
def _sort(machine, self: Ref, *, key: Value = NONE, reverse: Value = FALSE) -> Value:
    key = sort_keys.apart(machine, self, key)
    set_contents(machine, self, sequence_sorting.sort(machine, contents(machine, self), key, reverse))
    return NONE


def _like(machine, self: Ref, items) -> Ref:
    """A new list or deque with other items."""
    made = machine.new_list(items)
    info = machine.heap.objects[self.object]
    machine.heap.objects[made.object].cls = info.cls
    if issubclass(info.cls, collections.deque):
        machine.heap.write(made.object, "maxlen", machine.heap.read(self.object, "maxlen"))
        machine.heap.write(made.object, CHANGES, _ZERO)
    return made


@registry.method(list, "__len__")
@registry.method(tuple, "__len__")
def _len(machine, self: Value) -> Value:
    return Const(len(contents(machine, self)))


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
def _iter(machine, self: Value) -> Value:
    return iteration.make_iterator(machine, self)


# -- named tuples -----------------------------------------------------------------------------------------------------


@registry.method(tuple, "_replace")
def _replace(machine, self: Tuple, /, **changes: Value) -> Value:
    fields = self.cls._fields
    unexpected = [name for name in changes if name not in fields]
    if unexpected:
        blank = made_tuple(self.cls, [None] * len(fields))
        error = provoke(lambda: blank._replace(**dict.fromkeys(unexpected)))
        machine.raise_(type(error), *error.args)
    items = [changes.get(f, v) for f, v in zip(fields, self.items, strict=True)]
    return namespaces.new_tuple(machine, items, self.cls)


@registry.method(tuple, "_asdict")
def _asdict(machine, self: Tuple) -> Value:
    return machine.new_dict(dict(zip(self.cls._fields, self.items, strict=True)))


# -- deque ------------------------------------------------------------------------------------------------------------


@registry.function(collections.deque)
def deque(machine, iterable: Value = _NOTHING, maxlen: Value = NONE) -> Value:
    """`collections.deque(iterable, maxlen)`: a list of another class."""
    limit = machine.static(maxlen, "maxlen of a deque")
    fold(machine, collections.deque, (), limit)  # what it says of a wrong one
    items = iteration.items(machine, iterable)
    made = machine.new_list(items if limit is None else items[max(len(items) - limit, 0) :])
    machine.heap.objects[made.object].cls = collections.deque
    machine.heap.write(made.object, "maxlen", Const(limit))
    machine.heap.write(made.object, CHANGES, _ZERO)
    return made


def limit(machine, self: Ref) -> int | None:
    """The `maxlen` of a deque."""
    value = machine.heap.read(self.object, "maxlen")
    if isinstance(value, Const):
        return value.value
    return machine.heap.objects[self.object].real.maxlen


def _push(machine, self: Ref, items: list[Value], left: bool) -> Value:
    most = limit(machine, self)
    if most is not None and len(items) > most:
        items = items[:most] if left else items[len(items) - most :]
    set_contents(machine, self, items)
    return NONE


@registry.method(collections.deque, "append")
@registry.takes_mixed
def _deque_append(machine, self: Ref, item: Value) -> Value:
    return _push(machine, self, [*contents(machine, self), item], False)


@registry.method(collections.deque, "appendleft")
@registry.takes_mixed
def _deque_appendleft(machine, self: Ref, item: Value) -> Value:
    return _push(machine, self, [item, *contents(machine, self)], True)


@registry.method(collections.deque, "extend")
def _deque_extend(machine, self: Ref, iterable: Value) -> Value:
    return _push(machine, self, [*contents(machine, self), *iteration.items(machine, iterable)], False)


@registry.method(collections.deque, "extendleft")
def _deque_extendleft(machine, self: Ref, iterable: Value) -> Value:
    return _push(machine, self, [*iteration.items(machine, iterable)[::-1], *contents(machine, self)], True)


@registry.method(collections.deque, "pop")
def _deque_pop(machine, self: Ref) -> Value:
    items = contents(machine, self)
    if not items:
        machine.raise_(IndexError, *_DEQUE_EMPTY.args)
    set_contents(machine, self, items[:-1])
    return items[-1]


@registry.method(collections.deque, "popleft")
def _deque_popleft(machine, self: Ref) -> Value:
    items = contents(machine, self)
    if not items:
        machine.raise_(IndexError, *_DEQUE_EMPTY.args)
    set_contents(machine, self, items[1:])
    return items[0]


@registry.method(collections.deque, "insert")
def _deque_insert(machine, self: Ref, where: Value, item: Value) -> Value:
    most = limit(machine, self)
    if most is not None and len(contents(machine, self)) >= most:
        machine.raise_(IndexError, *provoke(collections.deque(maxlen=0).insert, 0, 0).args)
    return _insert(machine, self, where, item)


@registry.method(collections.deque, "index")
def _deque_index(machine, self: Ref, item: Value, start: Value = _ZERO, stop: Value = _FAR) -> Value:
    items = contents(machine, self)
    bounds = [machine.static(range_objects.index(machine, bound, _NO_BOUND)) for bound in (start, stop)]
    first, last, _ = slice(*bounds).indices(len(items))
    text = repr(item.value) if isinstance(item, Const) else "{!r}"
    error = ValueError(_missing(machine, item, text, collections.deque().index))
    return _position(machine, items, item, range(first, last), error)


@registry.method(collections.deque, "rotate")
def _deque_rotate(machine, self: Ref, count: Value = _ONE) -> Value:
    items = collections.deque(contents(machine, self))
    by = _place(machine, count, list(items))
    if isinstance(by, Const):
        items.rotate(by.value)
    elif len(items) > 1:
        order = machine.leaf(_order_of_rotation, [device(machine, by, int)], (len(items),))[0]
        items = value_selection.permute(machine, list(items), order)
    set_contents(machine, self, items)
    return NONE


def _order_of_rotation(by, count):
    return (jnp.arange(count) - by) % count


@registry.method(collections.deque, "remove")
def _deque_remove(machine, self: Ref, item: Value) -> Value:
    items = list(contents(machine, self))
    text = repr(item.value) if isinstance(item, Const) else "{!r}"
    error = ValueError(_missing(machine, item, text, collections.deque().remove))
    set_contents(machine, self, _without(machine, items, _position(machine, items, item, range(len(items)), error)))
    return NONE


@registry.attribute(collections.deque, "maxlen")
def _deque_maxlen(machine, self: Ref) -> Value:
    return Const(limit(machine, self))


for _name, _rule in {
    "clear": _clear,
    "copy": _copy,
    "__copy__": _copy,
    "count": _count_item,
    "reverse": _reverse,
    "__len__": _len,
    "__iter__": _iter,
}.items():
    registry.method(collections.deque, _name)(_rule)


#: what is said of an index of a deque that is none
NO_DEQUE_INDEX = "sequence index must be integer, not '{}'"


def _deque_place(machine, key: Value, items: Sequence[Value]) -> Value:
    at = container_protocol.index_of_item(machine, key, NO_DEQUE_INDEX)
    return range_objects.in_bounds(machine, at, Const(len(items)), _DEQUE_INDEX)


@container_protocol.register(container_protocol.GETITEM, collections.deque)
def _deque_getitem(machine, self: Ref, key: Value) -> Value:
    items = contents(machine, self)
    at = _deque_place(machine, key, items)
    return value_selection.gather(machine, items, at)


@container_protocol.register(container_protocol.SETITEM, collections.deque)
def _deque_setitem(machine, self: Ref, key: Value, item: Value) -> None:
    items = contents(machine, self)
    at = _deque_place(machine, key, items)
    set_contents(machine, self, value_selection.scatter(machine, items, at, item))


@container_protocol.register(container_protocol.DELITEM, collections.deque)
def _deque_delitem(machine, self: Ref, key: Value) -> None:
    items = contents(machine, self)
    at = _deque_place(machine, key, items)
    set_contents(machine, self, _without(machine, list(items), _place(machine, at, list(items))))


@container_protocol.register(container_protocol.CONTAINS, collections.deque)
def _deque_contains(machine, item: Value, self: Ref) -> bool | Var:
    return container_protocol.among(machine, item, contents(machine, self))


@registry.operator(collections.deque)
def deque_operator(machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`+`, `*`, comparisons and the in-place forms."""
    if symbol == "+=" and isinstance(left, Ref):
        if iteration.is_users(machine, right):
            machine.call(machine.getattr(left, "extend"), [right])
        else:
            _deque_extend(machine, left, right)
        return left
    if symbol in ("*", "*="):
        return _repeat_deque(machine, symbol, left, right)
    if machine.type_of(left) is not collections.deque or machine.type_of(right) is not collections.deque:
        if symbol == "+" and machine.type_of(left) is collections.deque and not _has_add(machine, right):
            name = iteration.type_name(machine, right)
            machine.raise_(TypeError, f'can only concatenate deque (not "{name}") to deque')
        return None
    if symbol in container_protocol.ORDERINGS or symbol in ("==", "!="):
        found = container_protocol.compare_sequences(machine, symbol, contents(machine, left), contents(machine, right))
        return machine.boolean(machine.truth(found))
    if symbol == "+":
        made = _like(machine, as_ref(left), contents(machine, left))
        _deque_extend(machine, made, right)
        return made
    return None


def _repeat_deque(machine, symbol: str, left: Value, right: Value) -> Value | None:
    if machine.type_of(left) is not collections.deque:
        left, right, symbol = right, left, "*"
    if not range_objects.is_index(machine, right):
        return no_count(machine, right)
    items = contents(machine, left) * _count(machine, right)
    made = left if symbol == "*=" else _like(machine, as_ref(left), ())
    set_contents(machine, as_ref(made), ())
    _deque_extend(machine, as_ref(made), Tuple(items))
    return made
