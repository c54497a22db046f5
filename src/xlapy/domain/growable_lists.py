"""Lists that grow in loops: their contents as rows on the device (`GrowableList`), with room for a number of items
known at compile time.

A growable list holds its items by value. Numbers and immutable arrays are values anyway; of an array, list or object
with attributes it holds the state at the time when it was put there. The object itself is *owned by the list* then: a
later change of it, which the list would show in CPython, is noticed (`ownership.OwnedObjectChanged`), and the loop is
unrolled or refused. What is taken out of a growable list again may be changed there (see
`dispatch.vectors.borrowed_elements`).

Where the number of iterations has no bound, the room is a guess, and the growable list is `elastic`: an item that does
not fit is the error `Overfull`, after which the host compiles the program again with more room; nothing was written
back.
"""

from __future__ import annotations

import collections
import math
from collections.abc import Callable, Sequence

import numpy as np

from xlapy.domain import set_iteration_order
from xlapy.domain.heap import Heap
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.numbers import is_python_scalar, known_bounds, scalar_type
from xlapy.domain.ownership import FREE, Ownership
from xlapy.domain.values import (
    DEAD,
    STALE,
    Const,
    Function,
    GrowableList,
    Hole,
    Intrinsic,
    JaxArray,
    Mapping,
    Marker,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Stored,
    Tuple,
    Union,
    Value,
    alternatives,
    held_items,
    hole,
    variables,
)
from xlapy.ir import TensorType, Var

_DEEPEST = 8
#: classes of containers that hold nothing but their contents, and a factory of them
_BY_CONTENTS = (list, tuple, dict, set, collections.Counter, collections.OrderedDict, collections.defaultdict)
#: rows of an elastic growable list at first: as many as fit into so many bytes, within these limits
_GUESS_BYTES = 1 << 24
_GUESS = (16, 1024)


class Overfull(Exception):
    """A list grew beyond the room that was guessed for it; the argument names the guess."""

    def __str__(self) -> str:
        return "a list or an array grew in a loop beyond the room it has; bound the number of trips with xlapy.bound"


def is_of_items(guess: object) -> bool:
    """Whether a room was guessed for lists that are items of others (see `interpreter.list_growth`)."""
    return isinstance(guess, tuple) and len(guess) == 3 and guess[2] is True


# -- items by value ---------------------------------------------------------------------------------------------------


def packed(
    heap: Heap,
    value: Value,
    array: Callable[[NdArray], Var],
    field: Callable[[int, str], Value],
    loop: object,
    depth: int = 0,
    place: tuple[object, ...] | None = None,
    seen: dict[int, tuple] | None = None,
) -> Value:
    """A value as a growable list holds it; `array` gives the elements of an array, `field` the contents of a slot.
    `place` is where it is put; if it is not put there yet, objects are noted in `seen`.

    Raises:
        JoinFailure: for a value that has no state that could be held.
    """

    def inner(part: Value, at: object) -> Value:
        return packed(heap, part, array, field, loop, depth + 1, None if place is None else (*place, at), seen)

    match value:
        case Const() | Scalar() | NumpyScalar() | JaxArray() | Stored():
            return value
        case NdArray():
            own = _owned_array(heap, value, loop, place, seen)
            lies = heap.layouts(value, field(value.buffer, "<data>"))
            return Stored("buffer", np.ndarray, (), (JaxArray(array(value)),), own, lies=lies)
        case Ref():
            return _packed_object(heap, value, field, inner, loop, depth, place, seen)
        case Function() | Intrinsic() if not variables(value):
            return value
        case Marker():
            if value is DEAD:
                return value
            raise JoinFailure(value, value, "are not both bound")
    parts = value.children()
    if isinstance(value, GrowableList) or not parts or not all(isinstance(p, Value | Var | Hole) for p in parts):
        raise JoinFailure(value, value, "are items of a list that grows, which cannot hold them by value")
    return value.rebuilt(tuple(inner(p, k) if isinstance(p, Value) else p for k, p in enumerate(parts)))


def _owned_array(heap: Heap, value: NdArray, loop: object, place, seen) -> bool:
    """An array is put into a growable list; whether nothing else refers to its memory."""
    if value.lenses or not value.writeable or heap.objects[value.buffer].source is not None:
        heap.hold(value.buffer, heap.owned.get(value.buffer, Ownership(loop, (object(),))))
        return False
    return _owned(heap, value.buffer, loop, place, seen)


def _owned(heap: Heap, number: int, loop: object, place, seen) -> bool:
    """An object is put into a growable list; whether it is in no other place."""
    if seen is None:
        return heap.take_ownership(number, loop, place or (object(),))
    heap.hold(number, heap.owned.get(number, Ownership(loop, FREE)))
    alone = heap.owned[number].where in (FREE, place) or place is not None and heap.may_move(number, place)
    if not alone and heap.hopes and not heap.is_twice(heap.objects[number].cls):
        return True
    return alone and seen.setdefault(number, place) == place


def _packed_object(heap: Heap, value: Ref, field, inner, loop: object, depth: int, place, seen) -> Value:
    number = value.object
    info = heap.objects[number]
    if info.source is not None:
        return value
    if depth > _DEEPEST or info.kind not in ("list", "tuple", "dict", "set", "instance"):
        raise JoinFailure(value, value, f"are objects of class {info.cls.__name__} in a list that grows")
    own = _owned(heap, number, loop, place, seen)
    if info.kind == "instance":
        names = tuple(heap.order.sorted(info.cls, info.cls, info.fields) or sorted(info.fields))
        parts = tuple(inner(field(number, name), name) for name in names)
        return Stored("instance", info.cls, names, parts, own)
    contents = field(number, "<items>")
    if issubclass(info.cls, collections.deque):
        limit = field(number, "maxlen")
        if not (isinstance(limit, Const) and limit.value is None):
            raise JoinFailure(value, value, "are deques with a maxlen in a list that grows")
    factory = _factory(value, field(number, "default_factory")) if info.cls is collections.defaultdict else None
    if isinstance(contents, Tuple):
        parts = tuple(inner(v, k) for k, v in enumerate(contents.items))
        return Stored("list", info.cls, (), parts, own)
    if isinstance(contents, Mapping) and info.cls in _BY_CONTENTS:
        parts = tuple(inner(v, k) for k, v in contents.entries.items())
        added = info.kind == "set" and only_added(contents)
        return Stored(info.kind, info.cls, tuple(contents.entries), parts, own, factory, added)
    if isinstance(contents, GrowableList) and info.cls in _BY_CONTENTS:
        heap.copied(classes_of(contents))
        return Stored(info.kind, info.cls, (), (contents,), own, factory)
    raise JoinFailure(value, value, "are containers of unknown length in a list that grows")


def _factory(value: Ref, factory: Value) -> Value:
    """The `default_factory` of a defaultdict, if it is a constant."""
    if isinstance(factory, Const) or isinstance(factory, Function) and not factory.children():
        return factory
    raise JoinFailure(value, value, "are defaultdicts of which each may make other values")


def hollow(value: Value) -> Value:
    """What a packed value has in common with all of its kind: a hole for every number and array."""
    match value:
        case Const():
            item = value.value
            if is_python_scalar(item):
                return Scalar(type(item), hole(scalar_type(type(item))))
            if isinstance(item, np.generic) and item.dtype.kind in "biufc":
                return NumpyScalar(hole(TensorType((), item.dtype)))
            return Const(item)
        case Scalar():
            return Scalar(value.kind, hole(scalar_type(value.kind)))
        case NumpyScalar():
            return NumpyScalar(hole(TensorType((), value.var.type.dtype)))
        case JaxArray():
            return JaxArray(hole(value.var.type))
        case GrowableList() if isinstance(value.length, Const):
            return value.with_rows((hole(row.type) for row in value.rows), added=value.added)
    parts = value.children()
    if not parts:
        return value
    return value.rebuilt(tuple(hollow(p) if isinstance(p, Value) else hole(p.type) for p in parts))


# -- contents of lists ------------------------------------------------------------------------------------------------


def is_contents(value: Value) -> bool:
    """Whether a value is the contents of a list, dict or set."""
    return all(isinstance(v, Tuple | Mapping | GrowableList) for v in alternatives(value))


def items_of(contents: Tuple | Mapping) -> tuple[Value, ...]:
    """The items that known contents have as a growable list: those of a list, the pairs of a dict."""
    return contents.pairs() if isinstance(contents, Mapping) else contents.items


def values_of(contents: Tuple | Mapping) -> tuple[Value, ...]:
    """The items of a list, the values of a dict."""
    return tuple(contents.entries.values()) if isinstance(contents, Mapping) else contents.items


def items_of_whole(value: Value) -> tuple[Value, ...]:
    """The items, or pairs, of contents that are no growable list."""
    assert isinstance(value, Tuple | Mapping), value
    return items_of(value)


def items_of_element(pairs: GrowableList) -> tuple[Value, ...]:
    """The parts of the items of a growable list of tuples."""
    assert isinstance(pairs.element, Tuple)
    return pairs.element.items


def column(pairs: GrowableList, what: str) -> GrowableList:
    """The 'keys' or the 'values' of a growable list of pairs as a growable list of their own; the pairs themselves for
    'items'."""
    if what == "items":
        return pairs
    key, value = items_of_element(pairs)
    count = len(variables(key))
    element, rows = (key, pairs.rows[:count]) if what == "keys" else (value, pairs.rows[count:])
    return GrowableList(element, rows, pairs.length, pairs.capacity, pairs.elastic, pairs.loop)


def sizes(contents: Value) -> tuple[int, int]:
    """The least and the largest length that the contents of a list may have."""
    low, high = [], []
    for value in alternatives(contents):
        if isinstance(value, Tuple | Mapping):
            count = len(value.items if isinstance(value, Tuple) else value.entries)
            bounds = (count, count)
        else:
            assert isinstance(value, GrowableList)
            bounds = known_bounds(value.length) or (0, value.capacity)
        low.append(bounds[0])
        high.append(bounds[1])
    return min(low), max(high)


def differ(*contents: Value) -> bool:
    """Whether contents of a container have to be a growable list to cover all of them: lists of several lengths, dicts
    of which one has keys that are not known."""
    found = [v for c in contents for v in alternatives(c)]
    return (
        any(isinstance(v, GrowableList) for v in found)
        or len({len(v.items) for v in found if isinstance(v, Tuple)}) > 1
    )


def differ_in_keys(*contents: Value) -> bool:
    """Whether these are contents of dicts with known keys, which are not the same."""
    found = [v for c in contents for v in alternatives(c)]
    keys = {tuple(dict.keys(v.entries)) for v in found if isinstance(v, Mapping)}
    return len(keys) > 1 and all(isinstance(v, Mapping) for v in found)


def only_added(*contents: Value) -> bool:
    """Whether nothing was done to sets with these contents but adding members in this order (see
    `GrowableList.added`)."""

    def one(value: Value) -> bool:
        if isinstance(value, Mapping):
            return set_iteration_order.added(value.history, value.entries)
        return isinstance(value, GrowableList) and value.added

    return all(one(v) for c in contents for v in alternatives(c))


def capacity_of(contents: Value) -> int:
    """The room that contents of a list have."""
    return max(v.capacity if isinstance(v, GrowableList) else len(items_of_whole(v)) for v in alternatives(contents))


def element_of(joiner: Joiner, *contents: Value, states: Sequence[int] | None = None) -> Value:
    """What the items of all these contents have in common. `states` are the numbers of the joined states in which they
    are the contents: of the first in the first, if they are not given, and so on.

    Raises:
        JoinFailure: they have too little in common.
    """
    heap = joiner.heap

    def field(number: int, name: str) -> Value:
        # out of date in its own state, an object is what it was before that
        known = (slots.get((number, name), STALE) for slots in (*own, *joiner.states))
        found = next((v for v in known if v is not STALE), None)
        if found is None:
            found = heap.entry_value(number, name)
        if name == "<items>" and isinstance(found, Union) and is_contents(found) and differ(found):
            return joined(joiner, found, found)
        return found

    element: Value | None = None
    exact = Joiner(heap, 0, widen=False, unions=True, growable_lists=joiner.growable_lists)
    numbers = states if states is not None else range(len(contents))
    found = [(n, v) for n, c in zip(numbers, contents, strict=True) for v in alternatives(c)]
    # lists of several lengths are alike as soon as one of them may have any length
    for number, value in sorted(found, key=lambda pair: not isinstance(pair[1], GrowableList)):
        own = joiner.states[number : number + 1]
        if isinstance(value, GrowableList):
            element = value.element if element is None else exact.join(element, value.element)
            continue
        seen: dict[int, tuple] = {}
        # what the paths of an iteration put into several lists the next round sees apart, as these are growable lists
        # then
        hopes = heap.facts.grows_lists_of_objects and number == 1 and joiner.loop is not None
        owned = joiner.owned_states[number] if number < len(joiner.owned_states) else heap.owned
        for k, item in enumerate(items_of_whole(value)):
            place = (joiner.holder or value, k)
            with heap.owning(owned, hopes):
                one = packed(heap, item, lambda a: hole(a.type), field, joiner.loop, place=place, seen=seen)
            element = hollow(one) if element is None else exact.join(element, hollow(one))
        if joiner.holder is not None:
            with heap.owning(owned):
                for held, place in seen.items():
                    heap.take_ownership(held, joiner.loop, place)
    assert element is not None
    if not isinstance(element, Tuple) and any(isinstance(v, Mapping) for _, v in found):
        raise JoinFailure(contents[0], contents[-1], "are dicts or sets with keys of too many kinds")
    several = joiner.holder is None and any(isinstance(c, Union) for c in contents)
    return disowned(element) if several else element


def classes_of(value: Value) -> set[type]:
    """The classes of the objects that a value holds by value."""
    found = {value.cls} if isinstance(value, Stored) else set()
    parts = (value.element,) if isinstance(value, GrowableList) else value.children()
    return found.union(*(classes_of(part) for part in parts if isinstance(part, Value)))


def has_own(value: Value) -> bool:
    """Whether something in a packed value is the own of what holds it."""
    if isinstance(value, Stored) and value.own or isinstance(value, GrowableList) and has_own(value.element):
        return True
    return any(isinstance(part, Value) and has_own(part) for part in value.children())


def has_choice(value: Value) -> bool:
    """Whether a packed value, or a part of a tuple, is one of several that are no numbers."""
    if isinstance(value, Tuple):
        return any(map(has_choice, value.items))
    return isinstance(value, Union) and not isinstance(value, MixedScalar)


def disowned(value: Value) -> Value:
    """A packed value, or a growable list, to parts of which something else refers."""
    if not has_own(value):
        return value
    if isinstance(value, GrowableList):
        element = disowned(value.element)
        return GrowableList(element, value.rows, value.length, value.capacity, value.elastic, value.loop, value.added)
    if isinstance(value, Stored):
        parts = tuple(map(disowned, value.parts))
        return Stored(value.kind, value.cls, value.names, parts, False, value.factory, value.added, value.lies)
    parts = tuple(disowned(p) if isinstance(p, Value) else p for p in value.children())
    return value.rebuilt(parts)


def generalised(
    old: Value,
    element: Value,
    capacity: int,
    bounds: tuple[int, int],
    elastic: object,
    loop: object,
    fixed: bool = True,
    added: bool = False,
) -> GrowableList:
    """A growable list with holes; `old` itself if that is the same. The length is known if both bounds are one number
    and it is `fixed`: in a loop that may be the length in the only iteration, and not the one after it."""
    settings = (capacity, elastic, added)
    if isinstance(old, GrowableList) and old.element is element and (old.capacity, old.elastic, old.added) == settings:
        hollow_rows = all(isinstance(row, Hole) for row in old.rows)
        length = old.length
        if hollow_rows and isinstance(length, Scalar) and isinstance(length.var, Hole) and length.bounds == bounds:
            return old
        if hollow_rows and isinstance(length, Const) and fixed and bounds == (length.value, length.value):
            return old
    rows = tuple(hole(TensorType((capacity, *h.type.shape), h.type.dtype, h.type.weak)) for h in variables(element))
    known = fixed and bounds[0] == bounds[1]
    length = Const(bounds[0]) if known else Scalar(int, hole(scalar_type(int)), bounds)
    return GrowableList(element, rows, length, capacity, elastic, loop, added)


def joined(joiner: Joiner, a: Value, b: Value) -> GrowableList:
    """The join of contents of which one at least is a growable list."""
    element = element_of(joiner, a, b)
    (low, high), (least, most) = sizes(a), sizes(b)
    found = [v for c in (a, b) for v in alternatives(c) if isinstance(v, GrowableList)]
    elastic = next((v.elastic for v in found if v.elastic), None)
    loop = next((v.loop for v in found if v.loop), None)
    capacity = max(capacity_of(a), capacity_of(b))
    return generalised(a, element, capacity, (min(low, least), max(high, most)), elastic, loop, added=only_added(a, b))


def held(joiner: Joiner, a: Stored, b: Stored) -> GrowableList:
    """The join of the items of two containers in a growable list: of several lengths, or held as growable lists
    already. The length is known if it is the same of both."""
    one, two = held_items(a), held_items(b)
    element = element_of(joiner, one, two)
    capacity = max(capacity_of(one), capacity_of(two))
    found = [v for v in (one, two) if isinstance(v, GrowableList)]
    elastic = next((v.elastic for v in found if v.elastic), None)
    count = known_length(one)
    known = count is not None and count == known_length(two)
    added = all(v.added if v.held is None else v.held.added for v in (a, b))
    loop = next((v.loop for v in found if v.loop is not None), None if found else joiner.loop)
    settings = (capacity, elastic, loop, added)
    if (
        isinstance(one, GrowableList)
        and one.element is element
        and (one.capacity, one.elastic, one.loop, one.added) == settings
    ):
        if isinstance(one.length, Const) == known and all(isinstance(v, Hole) for v in variables(one)):
            return one
    rows = tuple(hole(TensorType((capacity, *h.type.shape), h.type.dtype, h.type.weak)) for h in variables(element))
    length = Const(count) if known else Scalar(int, hole(scalar_type(int)))
    return GrowableList(element, rows, length, *settings)


def number_of_values(value: Value) -> int | None:
    """How many different values a packed value may have; None if that is not known."""
    match value:
        case Const():
            return 1
        case Scalar() | NumpyScalar():
            return 2 if value.var.type.dtype.kind == "b" else None
        case Tuple():
            counts = [number_of_values(item) for item in value.items]
            known = [count for count in counts if count is not None]
            return math.prod(known) if len(known) == len(counts) else None
        case MixedScalar():
            return None
        case Union():
            counts = [number_of_values(item) for item in value.alternatives]
            known = [count for count in counts if count is not None]
            return sum(known) if len(known) == len(counts) else None
    return None


def number_of_keys(pair: Value) -> int | None:
    """How many keys a dict or set with pairs like this one may have; None if that is not known."""
    return number_of_values(pair.items[0]) if isinstance(pair, Tuple) else None


def known_length(contents: GrowableList | Tuple) -> int | None:
    """How many items there are, if that is known."""
    if isinstance(contents, Tuple):
        return len(contents.items)
    return contents.length.value if isinstance(contents.length, Const) else None


def guessed(element: Value) -> int:
    """How many rows an elastic growable list has at first."""
    return guessed_rows(size_of(element))


def guessed_rows(size: int) -> int:
    """The same for rows of so many bytes."""
    return min(max(_GUESS_BYTES // max(size, 1), _GUESS[0]), _GUESS[1])


def inside(element: Value) -> list[GrowableList]:
    """The contents of the containers that an item is, or holds, if these have grown in loops."""
    if isinstance(element, GrowableList):
        return [element, *inside(element.element)]
    return [found for part in element.children() if isinstance(part, Value) for found in inside(part)]


def size_of(element: Value) -> int:
    """The bytes that one item takes."""
    return sum(int(np.prod(h.type.shape)) * h.type.dtype.itemsize for h in variables(element))
