"""Operations of lists and deques whose contents are a growable list; those of others go to `lists` and
`container_protocol`."""

from __future__ import annotations

import collections
import operator
from collections.abc import Callable, Sequence

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.containers import (
    borrowed_elements,
    container_protocol,
    growable_list_arrays,
    growable_list_edits,
    growable_list_items,
    growable_list_sorting,
    lists,
    range_objects,
    sequence_sorting,
    sort_keys,
)
from xlapy.dispatch.iterators import iteration, sequences
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.numbers.scalar_values import logical_not, provoke
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.python import register_python
from xlapy.domain import growable_lists
from xlapy.domain.heap import CHANGES
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    BoundMethod,
    Const,
    GrowableList,
    Intrinsic,
    JaxArray,
    NdArray,
    Ref,
    Scalar,
    Value,
    as_ref,
    number_var,
)
from xlapy.ir import Var

_POP_EMPTY = provoke([].pop)
_POP_RANGE = provoke([0].pop, 5)
_DEQUE_EMPTY = provoke(collections.deque().pop)
#: whether this CPython shows the item that `list.index` does not find
_SHOWS_MISSING = "'@'" in str(provoke([].index, "@"))
_ZERO, _ONE, _LAST = Const(0), Const(1), Const(-1)


def write(machine, self: Ref, growable: GrowableList) -> None:
    machine.heap.write(self.object, "<items>", growable)


def _limit(machine, self: Ref) -> int | None:
    if machine.heap.objects[self.object].cls is not collections.deque:
        return None
    return lists.limit(machine, self)


# -- methods ----------------------------------------------------------------------------------------------------------


def _append(machine, self: Ref, growable: GrowableList, item: Value) -> Value:
    limit = _limit(machine, self)
    if limit is not None:
        full = machine.truth(machine.compare(">=", growable.length, Const(limit)))
        growable = _without(machine, growable, full, growable_list_items.pop_first)
    if limit is not None:
        write(machine, self, growable_list_items.push(machine, growable, item))
        return NONE
    borrowed_elements.doubled(machine, self, item)
    with growable_list_items.places_kept(machine), borrowed_elements.receiving(machine, self, growable):
        write(machine, self, growable_list_items.push(machine, growable, item))
    return NONE


def _appendleft(machine, self: Ref, growable: GrowableList, item: Value) -> Value:
    limit = _limit(machine, self)
    if limit is not None:
        full = machine.truth(machine.compare(">=", growable.length, Const(limit)))
        growable = _without(machine, growable, full, growable_list_items.pop)
    write(machine, self, growable_list_items.push_first(machine, growable, item))
    return NONE


def _without(machine, growable: GrowableList, full: bool | Var, remove: Callable) -> GrowableList:
    """The growable list without an item at one end where it is full."""
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


def _extend(machine, self: Value, growable: GrowableList | None, iterable: Value) -> Value:
    machine.call(Const(_append_each), [machine.getattr(self, "append"), iterable])
    return NONE


def _append_each(append, iterable):
    for item in iterable:
        append(item)


def _pop(machine, self: Ref, growable: GrowableList, where: Value = _LAST) -> Value:
    deque = machine.heap.objects[self.object].cls is collections.deque
    _check_filled(machine, growable, _DEQUE_EMPTY if deque else _POP_EMPTY)
    if isinstance(where, Const) and where.value == -1:
        rest, item = growable_list_items.pop(machine, growable)
    elif isinstance(where, Const) and where.value == 0:
        rest, item = growable_list_items.pop_first(machine, growable)
    else:
        at = growable_list_edits.index(machine, growable, lists.size_index(machine, where), _POP_RANGE)
        item = growable_list_items.item(machine, growable, at, place=growable_list_items.FREE)
        rest = growable_list_edits.without(machine, growable, at)
    write(machine, self, rest)
    return item


def _popleft(machine, self: Ref, growable: GrowableList) -> Value:
    return _pop(machine, self, growable, _ZERO)


def _check_filled(machine, growable: GrowableList, error: BaseException) -> None:
    empty = machine.truth(machine.compare("==", growable.length, _ZERO))
    machine.check(empty, type(error), *error.args)


def _insert(machine, self: Ref, growable: GrowableList, where: Value, item: Value) -> Value:
    if isinstance(where, Const) and where.value == 0:
        write(machine, self, growable_list_items.push_first(machine, growable, item))
    else:
        borrowed_elements.doubled(machine, self, item)
        write(machine, self, growable_list_edits.inserted(machine, growable, range_objects.index(machine, where), item))
    return NONE


def _remove_item(items, wanted):
    found = -1
    for position, item in enumerate(items):
        if item == wanted:
            found = position
            break
    if found < 0:
        if isinstance(items, collections.deque) and _SHOWS_MISSING:
            raise ValueError(f"{wanted!r} is not in deque")
        name = "deque" if isinstance(items, collections.deque) else "list"
        raise ValueError(f"{name}.remove(x): x not in {name}")
    del items[found]


def _remove(machine, self: Ref, growable: GrowableList, item: Value) -> Value:
    return machine.call(Const(_remove_item), [self, item])


def _insert_into_deque(machine, self: Ref, growable: GrowableList, where: Value, item: Value) -> Value:
    if _limit(machine, self) is not None:
        raise Refused("XP0004", "insert in a deque of bounded length, whose length depends on data")
    return _insert(machine, self, growable, where, item)


def _copy(machine, self: Ref, growable: GrowableList) -> Value:
    made = machine.new_list(())
    borrowed_elements.share(machine, self)
    write(machine, made, growable_list_items.of(machine, self) or growable)
    info = machine.heap.objects[self.object]
    machine.heap.objects[made.object].cls = info.cls
    if info.cls is collections.deque:
        machine.heap.write(made.object, "maxlen", machine.heap.read(self.object, "maxlen"))
        machine.heap.write(made.object, CHANGES, Const(0))
    return made


def _reverse(machine, self: Ref, growable: GrowableList) -> Value:
    write(machine, self, growable_list_edits.reversed_(machine, growable))
    return NONE


def _rotate_each(items, count):
    if len(items) > 1:
        for _ in range(count % len(items)):
            items.appendleft(items.pop())


def _rotate(machine, self: Ref, growable: GrowableList, count: Value = _ONE) -> Value:
    return machine.call(Const(_rotate_each), [self, range_objects.index(machine, count)])


def _length(machine, self: Ref, growable: GrowableList) -> Value:
    return growable.length


def _count_items(items, wanted):
    total = 0
    for item in items:
        if item == wanted:
            total += 1
    return total


def _not_found(items, wanted):
    name = "deque" if isinstance(items, collections.deque) else "list"
    if _SHOWS_MISSING:
        return f"{wanted!r} is not in {name}"
    return f"{name}.index(x): x not in {name}"


def _find_between(items, wanted, start, stop):
    for position in range(start, stop):
        if items[position] == wanted:
            return position
    raise ValueError(_not_found(items, wanted))


def _find_in_tuple(items, wanted, start, stop):
    for position in range(start, stop):
        if items[position] == wanted:
            return position
    raise ValueError("tuple.index(x): x not in tuple")


def index_in_tuple(machine, items: Value, item: Value, start: Value = _ZERO, stop: Value | None = None) -> Value:
    """`tuple.index`, for the items of a tuple as a list."""
    count = machine.call(Const(len), [items])
    first = lists.position_among(machine, start, count)
    last = count if stop is None else lists.position_among(machine, stop, count)
    return machine.call(Const(_find_in_tuple), [items, item, first, last])


def _find_item(items, wanted):
    for position, item in enumerate(items):
        if item == wanted:
            return position
    raise ValueError(_not_found(items, wanted))


def _count(machine, self: Ref, growable: GrowableList, item: Value) -> Value:
    return machine.call(Const(_count_items), [self, item])


def _index(machine, self: Ref, growable: GrowableList, item: Value, *bounds: Value) -> Value:
    if bounds:
        first, *last = (lists.position_among(machine, bound, growable.length) for bound in bounds)
        return machine.call(Const(_find_between), [self, item, first, *(last or [growable.length])])
    return machine.call(Const(_find_item), [self, item])


def _sort(machine, self: Ref, growable: GrowableList, *, key: Value = NONE, reverse: Value = Const(False)) -> Value:  # noqa: B008
    descending = bool(machine.static(sequence_sorting.direction(machine, reverse), "reverse of sort"))
    key = sort_keys.apart(machine, self, key)
    write(machine, self, growable_list_sorting.sort(machine, self, growable, key, descending))
    return NONE


def _for_growable_lists(cls: type, name: str, rule: Callable) -> None:
    before = registry.method_rule(cls, name)

    def either(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
        if name == "extend" and args:
            args = (iteration.begun(machine, args[0], sized=cls is list), *args[1:])
        growable = growable_list_items.of(machine, self)
        if growable is None and name in _REARRANGE and isinstance(self, Ref):
            growable = growable_list_items.of_objects(machine, self)
        if growable is None and name == "extend" and args:
            growing = grows(machine, args[0])
            each = lambda: _extend(machine, self, None, *args)  # noqa: E731
            if growing is None:
                return growable_list_items.whole_or_each(machine, lambda: before(machine, self, *args), each)
            if growing:
                return each()
        apart = (
            growable is not None
            and growable_list_items.is_short(growable)
            and not growable_lists.has_choice(growable.element)
        )
        if growable is None or (name not in _CHEAP and apart):
            return registry.passed_on(before, machine, self, *args, **kwargs)
        return registry.passed_on(rule, machine, self, growable, *args, **kwargs)

    for mark, marked in (
        (registry.takes_mixed, registry.accepts(before, True)),
        (registry.puts, registry.puts_item(before)),
    ):
        either = mark(either) if marked else either
    registry.method(cls, name)(either)


#: methods that do not take a short growable list of known length apart
_CHEAP = {"append", "appendleft", "extend", "pop", "popleft", "__len__", "copy"}
#: methods after which another item is where one was, which one data may say
_REARRANGE = {"pop", "popleft", "sort", "insert", "remove"}
_METHODS = {
    "append": _append,
    "extend": _extend,
    "pop": _pop,
    "copy": _copy,
    "__copy__": _copy,
    "reverse": _reverse,
    "__len__": _length,
    "count": _count,
    "index": _index,
}
for _name, _rule in {**_METHODS, "insert": _insert, "remove": _remove, "sort": _sort}.items():
    _for_growable_lists(list, _name, _rule)
for _name, _rule in {
    **_METHODS,
    "appendleft": _appendleft,
    "popleft": _popleft,
    "rotate": _rotate,
    "insert": _insert_into_deque,
    "remove": _remove,
}.items():
    _for_growable_lists(collections.deque, _name, _rule)


def as_growable_list(machine, value: Value) -> GrowableList:
    """The items of an iterable as a growable list."""
    borrowed_elements.share(machine, value)
    made = machine.call(Const(list), [value])
    borrowed_elements.share(machine, made)
    growable = growable_list_items.of(machine, made)
    if growable is not None:
        return growable
    items = container_protocol.contents(machine, made)
    return growable_list_items.of_items(machine, items, growable_list_items.common_element(machine, items))


# -- operators --------------------------------------------------------------------------------------------------------


def _operators(cls: type) -> None:
    before = registry.OPERATORS[cls]

    def either(machine, symbol: str, left: Value, right: Value) -> Value | None:
        known = growable_list_items.of(machine, left)
        if symbol == "+=" and container_protocol.heap_kind(machine, right) in ("generator", "instance"):
            machine.call(machine.getattr(left, "extend"), [right])
            return left
        if symbol == "+=" and (known is not None or _lists(machine, left, right)):
            _extend(machine, left, known, right)
            return left
        if symbol in ("*", "*=") and _repeats_by_data(machine, left, right):
            items, count = (left, right) if range_objects.is_index(machine, right) else (right, left)
            if isinstance(count, Const):
                range_objects.static_count(machine, count, "how often a list is repeated")
            made = machine.call(Const(_repeated), [items, count])
            if symbol == "*" or not isinstance(left, Ref):
                return made
            write(machine, left, as_growable_list(machine, made))
            return left
        if symbol == "+" and _both_lists(machine, left, right):
            made = _copy(machine, as_ref(left), _growable_of(machine, as_ref(left), as_ref(right)))
            _extend(machine, made, growable_list_items.of(machine, made), right)
            return made
        if symbol in ("==", "!=") and _both_lists(machine, left, right):
            same = machine.call(Const(_equal), [left, right])
            return same if symbol == "==" else machine.boolean(logical_not(machine, machine.truth(same)))
        if symbol in _ORDERINGS and _both_lists(machine, left, right):
            return machine.call(Const(_in_order), [left, right, Const(_ORDERINGS[symbol])])
        return before(machine, symbol, left, right)

    registry.OPERATORS[cls] = either


def _both_lists(machine, left: Value, right: Value) -> bool:
    """Whether both are lists, or both deques, of which one is not taken apart."""
    return _lists(machine, left, right) and lists.alike(machine, left, right)


def _lists(machine, left: Value, right: Value) -> bool:
    """Whether each is a list or a deque, and one is not taken apart."""
    kinds = [container_protocol.heap_kind(machine, v) == "list" for v in (left, right)]
    return all(kinds) and (growable_list_items.is_whole(machine, left) or growable_list_items.is_whole(machine, right))


def _repeats_by_data(machine, left: Value, right: Value) -> bool:
    """Whether one is a list and the other a number, and the length of their product depends on data."""
    items, count = (right, left) if range_objects.is_index(machine, left) else (left, right)
    if container_protocol.heap_kind(machine, items) != "list" or not range_objects.is_index(machine, count):
        return False
    if growable_list_items.is_whole(machine, items):
        return True
    if machine.is_static(count) or machine.specialisable(number_var(count)):
        return False
    machine.could_prefer_growable = True
    return machine.prefers_growable


def _repeated(items, count):
    made = []
    for _ in range(count):
        for item in items:
            made.append(item)  # noqa: PERF402
    return made


def _growable_of(machine, left: Ref, right: Ref) -> GrowableList:
    """The contents of `left` as a growable list; of known ones, as a growable list that takes what is in `right`,
    too."""
    found = growable_list_items.of(machine, left)
    if found is not None:
        return found
    other = growable_list_items.of(machine, right)
    assert other is not None
    items = container_protocol.contents(machine, left)
    if not items:
        return growable_list_items.of_items(machine, items, other.element)
    element = growable_list_items.exact_joiner(machine).join(
        growable_list_items.common_element(machine, items), other.element
    )
    return growable_list_items.of_items(machine, items, element)


_ORDERINGS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def _in_order(left, right, holds):
    for k in range(min(len(left), len(right))):
        if left[k] != right[k]:
            return holds(left[k], right[k])
    return holds(len(left), len(right))


def _equal(left, right):
    if len(left) != len(right):
        return False
    for k in range(len(left)):
        if left[k] != right[k]:
            return False
    return True


_operators(list)


# -- as arrays --------------------------------------------------------------------------------------------------------

#: functions that take a sequence of arrays, not an array
_OF_SEQUENCES = {
    np.concatenate, np.vstack, np.hstack, np.dstack, np.column_stack, np.block, np.stack, np.select, np.choose,
    np.linalg.multi_dot, np.savez, np.lexsort,
}  # fmt: skip


_OF_PLACES = (np.ix_, np.lexsort, np.argsort, np.nonzero, np.flatnonzero, np.count_nonzero, np.argwhere)
_METHODS_OF_UFUNCS = ("outer", "reduce", "accumulate", "reduceat")
#: contents that are told apart by branches
_FEW_CONTENTS = 3
#: functions with several arguments that all may be arrays
_OF_ARRAYS = {
    np.dot, np.vdot, np.inner, np.outer, np.cross, np.convolve, np.correlate, np.interp, np.polyval, np.where,
    np.searchsorted, np.isin, np.allclose, np.isclose, np.array_equal, np.append,
    np.meshgrid, np.ix_, np.broadcast_arrays, np.repeat, np.delete, np.insert,
}  # fmt: skip


def as_arrays(machine, function: object, args: Sequence[Value], kwargs: dict[str, Value]) -> tuple[list, dict]:
    """The arguments of a function of NumPy's or JAX's, with arrays in the place of lists that grew in loops."""

    def convert(value: Value, of_arrays: bool) -> Value:
        made = growable_list_arrays.as_array(machine, value)
        if made is None:
            return value
        if not of_arrays and container_protocol.heap_kind(machine, value) == "tuple":
            # axes or a shape, perhaps
            raise Refused("XP0004", "a tuple whose length depends on data, as this argument", "make an array of it")
        return JaxArray(machine.read(made)) if jax and isinstance(made, NdArray) else made

    jax = (getattr(function, "__module__", None) or "").startswith("jax")
    of_arrays = isinstance(function, np.ufunc) or function in _OF_ARRAYS
    given = [convert(a, of_arrays or k == 0) for k, a in enumerate(args)]
    return given, {k: convert(v, of_arrays) for k, v in kwargs.items()}


def ufunc_of(method: Intrinsic, receiver: Value) -> np.ufunc | None:
    """The ufunc, if a method is one of its that makes arrays of the lists it is given."""
    if not isinstance(receiver, Const) or not isinstance(receiver.value, np.ufunc):
        return None
    return receiver.value if method.name.rpartition(".")[2] in _METHODS_OF_UFUNCS else None


def takes_arrays(function: object) -> bool:
    """Whether a callable makes arrays of the lists it is given."""
    if isinstance(function, np.ufunc):
        return True
    root = (getattr(function, "__module__", None) or "").partition(".")[0]
    if root not in ("numpy", "jax"):
        return False
    try:
        return function not in _OF_SEQUENCES
    except TypeError:
        return False


def gives_places(function: Value) -> bool:
    """Whether a function gives integers, whatever the type of the numbers is that it is given."""
    return isinstance(function, Const) and any(function.value is f for f in _OF_PLACES)


def are_many(machine, function: Value, args: Sequence[Value]) -> bool:
    """Whether a function that makes arrays of lists is given one that may have one of many contents."""
    if isinstance(function, BoundMethod):
        takes = isinstance(function.function, Intrinsic) and ufunc_of(function.function, function.self) is not None
    else:
        takes = isinstance(function, Const) and takes_arrays(function.value)
    if not takes:
        return False
    for value in args:
        if isinstance(value, Ref) and growable_list_items.holds_numbers(machine, value):
            contents = machine.heap.read(value.object, "<items>")
            if len(contents.alternatives) > _FEW_CONTENTS:
                return True
    return False


def _by_jax(function: Callable) -> None:
    """The same for a function of JAX's, whose arrays have known lengths."""

    def either(machine, /, *args: Value, **kwargs: Value) -> Value:
        made = _joined_by_jax(machine, function, args[0]) if len(args) == 1 and not kwargs else None
        return made if made is not None else jax_functions.call(machine, function, list(args), kwargs)

    registry.function(function)(either)


for _function in (jnp.stack, jnp.array, jnp.asarray, jnp.concatenate, jnp.hstack, jnp.vstack):
    _by_jax(_function)


def _joined_by_jax(machine, function: Callable, value: Value) -> Value | None:
    growable = growable_list_items.of(machine, value)
    if growable is None or not isinstance(growable.length, Const) or growable.length.value == 0:
        return None
    whole = growable_list_arrays.of_rows(machine, growable)
    if whole is None:
        return None
    count: int = growable.length.value
    rows = JaxArray(whole)
    if count != whole.type.shape[0]:
        rows = machine.getitem(rows, Const(slice(count)))
    rank = len(whole.type.shape) - 1
    stacked = function in (jnp.stack, jnp.array, jnp.asarray) or (function is jnp.vstack and rank < 2)
    if stacked:
        return jax_functions.call(machine, jnp.asarray, [rows], {})
    if rank == 0 or (function is jnp.hstack and rank > 1):
        return None
    shape = whole.type.shape
    return machine.call(Const(jnp.reshape), [rows, Const((count * shape[1], *shape[2:]))])


# -- copies -----------------------------------------------------------------------------------------------------------


def _copies(function: Callable, implementation: Callable) -> None:
    before = registry.function_rule(function)

    def either(machine, /, *args: Value, **kwargs: Value) -> Value:
        users = bool(args) and container_protocol.heap_kind(machine, args[0]) == "instance"
        if users:
            args = (iteration.begun(machine, args[0], sized=function is not collections.deque), *args[1:])
            if container_protocol.heap_kind(machine, args[0]) == "generator":
                return machine.call(Const(function), list(args), kwargs)
        growing = grows(machine, args[0]) if args else False
        each = lambda: machine.call(Const(implementation), list(args), kwargs)  # noqa: E731
        whole = lambda: registry.passed_on(before, machine, *args, **kwargs)  # noqa: E731
        if growing is None and users:
            few = lambda: before(machine, _few_items(machine, args[0]), *args[1:], **kwargs)  # noqa: E731
            return growable_list_items.whole_or_each(
                machine, few, lambda: growable_list_items.each_or_whole(machine, each, whole)
            )
        if growing is None:
            return growable_list_items.whole_or_each(machine, whole, each)
        if growing is False:
            return (
                growable_list_items.each_or_whole(machine, each, whole)
                if args and _is_long(machine, args[0])
                else whole()
            )
        return each()

    registry.function(function)(either)


def grows(machine, value: Value) -> bool | None:
    """Whether an iterable has a number of items that is only known on the device; None if that is to be found out."""
    growable = growable_list_items.of(machine, value)
    if growable is not None and (not isinstance(growable.length, Const) or growable_lists.has_choice(growable.element)):
        return True
    if isinstance(value, BoundedArray):
        return True
    if container_protocol.heap_kind(machine, value) in ("dict", "set"):
        contents = machine.heap.read(as_ref(value).object, "<items>")
        return isinstance(contents, GrowableList) and not isinstance(contents.length, Const)
    if container_protocol.heap_kind(machine, value) in ("generator", "instance"):
        return None
    if not sequences.is_iterator(machine, value):
        return False
    plan = iteration.plan(machine, value)
    if plan is None:
        return None if iteration.known_length(machine, value) is None else False
    return isinstance(plan.iterations, Scalar) and not machine.specialisable(plan.iterations.var)


def _few_items(machine, value: Value) -> Value:
    """A list of the items of an iterable, of which there are not many."""
    return machine.new_list(iteration.items(machine, value, growable_list_items.MANY_ITEMS))


def _is_long(machine, value: Value) -> bool:
    """Whether an iterable has so many items that a loop is better than to make each of them by itself."""
    growable = growable_list_items.of(machine, value)
    if growable is not None:
        return not growable_list_items.is_short(growable)
    if not sequences.is_iterator(machine, value):
        return False
    length = iteration.known_length(machine, value)
    return length is not None and length > growable_list_items.MANY_ITEMS


def _list(iterable, /):
    return [item for item in iterable]  # noqa: C416


def _sorted(iterable, /, *, key=None, reverse=False):
    items = [item for item in iterable]  # noqa: C416
    items.sort(key=key, reverse=reverse)
    return items


def _deque(iterable=(), maxlen=None):
    made = collections.deque(maxlen=maxlen)
    for item in iterable:
        made.append(item)
    return made


_copies(list, _list)
_copies(sorted, _sorted)
_copies(collections.deque, _deque)

__all__ = ["register_python"]
