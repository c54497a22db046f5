"""Items of lists that grew in loops: put into the rows of a growable list, taken out, moved; see
`domain.growable_lists`.

    kept = []
    for v in x:
        if v > 0: kept.append((v, i))
"""

from __future__ import annotations

import collections
import contextlib
from collections.abc import Callable, Iterator, Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch import value_selection
from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.numbers.scalar_values import bounds_of, device, scalar
from xlapy.dispatch.protocol import NeedStatic, Refused
from xlapy.dispatch.unions import selects
from xlapy.dispatch.vectors import nested_items
from xlapy.domain import growable_lists, set_iteration_order
from xlapy.domain.coerce import coerce, filler, instantiate, place_in, select
from xlapy.domain.facts import Facts
from xlapy.domain.heap import Borrow
from xlapy.domain.join import Joiner, JoinFailure
from xlapy.domain.ownership import FREE, Ownership
from xlapy.domain.values import (
    DEAD,
    Const,
    GrowableList,
    Hole,
    Mapping,
    MixedScalar,
    NumpyScalar,
    Ref,
    Scalar,
    Stored,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
    held_items,
    holes,
    number_var,
    tuple_items,
    variables,
)
from xlapy.ir import TensorType, Var
from xlapy.ir.stacking_leaves import STACKED, UNSET, stacked, unset
from xlapy.lowering.primitives import row_moves

_INT64 = np.dtype(np.int64)
_ZERO, _ONE = Const(0), Const(1)
_CONTAINERS = ("list", "dict", "set", "instance")
#: the codes of refusals of a number of items that depends on data
_UNKNOWN_NUMBER = ("XP0009", "XP0013")
#: items from which on a list is not taken apart, if that can be
MANY_ITEMS = 100
#: objects that are told apart one by one
_MANY = 8
#: a growable list of known length that is used as if it were a tuple has at most this many items
_MAXIMUM_SPREAD = 4096


def of(machine, value: Value) -> GrowableList | None:
    """The growable list that the contents of a list or tuple are, if they are one."""
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind in ("list", "tuple"):
        contents = machine.heap.read(value.object, "<items>")
        if isinstance(contents, GrowableList):
            return contents
    return None


def grow(machine, items, least: int = 2) -> bool:
    """Whether items are the program's own containers or objects, at `least` so many, and too many to be told apart, or
    with contents that grow: of several lengths, or empty. Where telling a few of them apart leads to obstacles, it is
    tried without."""
    objects = machine.heap.objects
    if len(items) < least or not all(isinstance(v, Ref) and objects[v.object].kind in _CONTAINERS for v in items):
        return False
    if any(objects[v.object].source is not None for v in items):
        return False
    if len(items) > _MANY or _unlike(machine, items):
        return True
    machine.options |= Facts(grows_lists=True)
    return machine.facts.grows_lists


def _unlike(machine, items) -> bool:
    """Whether objects of one kind hold containers of several lengths, or empty ones."""
    heap = machine.heap
    infos = [heap.objects[v.object] for v in items]
    if len({info.cls for info in infos}) > 1 or infos[0].source is not None:
        return False
    if infos[0].kind == "instance":
        names = sorted(infos[0].fields)
        columns = [[heap.read(v.object, name) for v in items] for name in names]
    else:
        contents = [heap.read(v.object, "<items>") for v in items]
        lengths = {growable_lists.sizes(c) for c in contents}
        if len(lengths) > 1 or lengths.pop()[0] == 0:
            return True
        if not all(isinstance(c, Tuple | Mapping) for c in contents):
            return False
        columns = [list(c) for c in zip(*map(growable_lists.values_of, contents), strict=True)]
    nested = [c for c in columns if all(isinstance(v, Ref) and heap.objects[v.object].kind in _CONTAINERS for v in c)]
    return any(_unlike(machine, c) for c in nested)


def of_objects(machine, value: Ref) -> GrowableList | None:
    """The growable list that a list of the program's own objects becomes where a loop over it stays a loop: an attempt
    for programs that are refused otherwise, since data says which of the objects are in a list."""
    heap = machine.heap
    contents = heap.read(value.object, "<items>")
    if heap.objects[value.object].cls is not list or not isinstance(contents, Tuple) or len(contents.items) < 2:
        return None
    items = contents.items
    if not all(isinstance(v, Ref) and heap.objects[v.object].kind in ("instance", "list", "dict") for v in items):
        return None
    if len(set(items)) < len(items) or any(heap.objects[as_ref(v).object].source is not None for v in items):
        return None
    machine.options |= Facts(grows_lists_of_objects=True)
    if not machine.facts.grows_lists_of_objects:
        return None
    try:
        element = common_element(machine, items, value)
        if not growable_lists.has_own(element):
            return None
        growable = of_items(machine, items, element, source=value)
    except JoinFailure:
        return None
    with places_kept(machine):
        heap.write(value.object, "<items>", growable)
    return growable


def settled(machine, value: Ref) -> GrowableList | None:
    """The growable list that a list's contents are, or become if the list may have one of several lengths."""
    contents = machine.heap.read(value.object, "<items>")
    if not isinstance(contents, Union):
        return contents if isinstance(contents, GrowableList) else None
    joiner = machine.joiner(0, widen=False, unions=True)
    joiner.states = (machine.heap.slots,)
    skeleton = growable_lists.joined(joiner, contents, contents)
    parts = machine.growable_lists.coerce(contents, skeleton, joiner)
    made = instantiate(skeleton, iter(parts))
    # the same contents in another form: no change of an object whose state something else holds
    with places_kept(machine):
        machine.heap.store(value.object, "<items>", made)
    return made if isinstance(made, GrowableList) else None


def holds_numbers(machine, value: Ref) -> bool:
    """Whether a list has one of several contents, which are numbers of one type alone."""
    return _type_of_numbers(machine, value) is not None


def _type_of_numbers(machine, value: Ref) -> np.dtype | None:
    """The type of the numbers in a list that has one of several contents; None for other lists."""
    if machine.heap.objects[value.object].kind != "list":
        return None
    contents = machine.heap.read(value.object, "<items>")
    if not isinstance(contents, Union) or not all(isinstance(c, GrowableList | Tuple) for c in contents.alternatives):
        return None
    items = [v for c in contents.alternatives for v in ([c.element] if isinstance(c, GrowableList) else c.children())]
    found = {value_selection.signature(v) if isinstance(v, Const | Scalar | NumpyScalar) else None for v in items}
    kind = found.pop() if len(found) == 1 else None
    return np.dtype(kind[1]) if kind is not None and kind[0] in ("python", "numpy") else None


def _may_be_of_another_type(machine, value: Value) -> bool:
    """Whether an array of a list is of another type than its numbers if there is none."""
    dtype = _type_of_numbers(machine, value) if isinstance(value, Ref) else None
    if dtype is None or dtype == np.float64:
        return False
    contents = machine.heap.read(as_ref(value).object, "<items>")
    return any(growable_lists.sizes(c)[0] == 0 for c in contents.alternatives)


def is_short(growable: GrowableList) -> bool:
    """Whether a list has a known number of items, and so few that each may be a value of its own."""
    return isinstance(growable.length, Const) and growable.length.value <= MANY_ITEMS


def is_whole(machine, value: Value) -> bool:
    """Whether a value is a list that is not taken apart: of a length that depends on data, or a long one."""
    found = of(machine, value)
    return found is not None and not is_short(found)


def whole_or_each(
    machine, whole: Callable[[], Value], each: Callable[[], Value], codes: Sequence[str] = _UNKNOWN_NUMBER
) -> Value:
    """`whole()`, which takes all items of an iterable; `each()`, a loop over them, if their number depends on data, or
    that is refused with one of other codes."""
    return _either(machine, whole, each, lambda code: code in codes)


def each_or_whole(machine, each: Callable[[], Value], whole: Callable[[], Value]) -> Value:
    """`each()`, a loop over the items of an iterable; `whole()`, all of them one by one, if that is refused."""
    return _either(machine, each, whole, lambda code: True)


@contextlib.contextmanager
def as_growable_lists(machine, values: Sequence[Value]) -> Iterator[None]:
    """For a while, one growable list in each list of numbers among `values` that may have one of several contents."""
    heap, before = machine.heap, {}
    for value in values:
        if isinstance(value, Ref) and holds_numbers(machine, value):
            contents = heap.read(value.object, "<items>")
            before[value.object] = contents, settled(machine, value)
    yield
    with places_kept(machine):
        for number, (contents, made) in before.items():
            if heap.read(number, "<items>") is made:
                heap.store(number, "<items>", contents)


def settled_or(
    machine, values: Sequence[Value], whole: Callable[[], Value], each: Callable[[], Value], of_places: bool
) -> Value:
    """`whole()`, with one growable list in each list of numbers among `values` that may have one of several contents;
    `each()`, which tells the contents apart, if that is refused, or before that where it gives other types: not
    if the function gives places (`of_places`)."""

    def together() -> Value:
        with as_growable_lists(machine, values):
            return whole()

    exact = not of_places and any(_may_be_of_another_type(machine, value) for value in values)
    return _either(machine, *((each, together) if exact else (together, each)), lambda code: True)


def _either(machine, first: Callable[[], Value], second: Callable[[], Value], gives_up: Callable[[str], bool]) -> Value:
    """`first()`; `second()` in its place if that is refused with a code at which it `gives_up`."""
    state, obstacles = machine.save(), len(machine.blockers)
    try:
        found = first()
        if not any(gives_up(blocker.code) for blocker in machine.blockers[obstacles:]):
            return found
    except Refused as refusal:
        if not gives_up(refusal.code):
            raise
    except JoinFailure:
        if not gives_up("XP0007"):
            raise
    except NeedStatic as need:
        if machine.specialisable(need.var) or not gives_up("XP0013"):
            raise
    machine.rewind(state)
    del machine.blockers[obstacles:]
    return second()


# -- joins ------------------------------------------------------------------------------------------------------------


class Service:
    """What `domain.join` needs for growable lists."""

    def __init__(self, machine) -> None:
        self.machine = machine

    def join(self, joiner: Joiner, a: Value, b: Value) -> Value:
        """The join of contents of a list of which one at least is a growable list."""
        return growable_lists.joined(joiner, a, b)

    def coerce(self, value: Value, skeleton: GrowableList, joiner: Joiner) -> list[Var]:
        """The device values of contents of a list as the growable list `skeleton`: its rows, and its length."""
        if isinstance(value, Union):
            return self._choose(value, skeleton, joiner)
        machine = self.machine
        source, joiner.holder = joiner.holder or value, None  # what it contains is not in it
        growable = (
            value
            if isinstance(value, GrowableList)
            else of_items(machine, growable_lists.items_of_whole(value), skeleton.element, joiner, source)
        )
        # of suspended calls only the last one is ever looked at
        only_pushed = isinstance(source, Ref) and source.object in machine.lists_of_frames
        growable = resized(machine, widened(machine, growable, skeleton.element), skeleton.capacity, only_pushed)
        rows = [
            machine.builder.convert(row, hole.type.dtype, hole.type.weak)
            for row, hole in zip(growable.rows, skeleton.rows, strict=True)
            if isinstance(hole, Hole)
        ]
        if isinstance(skeleton.length, Scalar) and isinstance(skeleton.length.var, Hole):
            rows.append(device(machine, growable.length, int))
        return rows

    def held(self, joiner: Joiner, a: Stored, b: Stored) -> GrowableList:
        """The join of the items of two containers in a growable list, of several lengths or of unknown ones."""
        return growable_lists.held(joiner, a, b)

    def _choose(self, value: Union, skeleton: GrowableList, joiner: Joiner) -> list[Var]:
        builder, holder = self.machine.builder, joiner.holder
        options = []
        for alternative in value.alternatives:
            joiner.holder = holder
            options.append(self.coerce(alternative, skeleton, joiner))
        chosen = options[-1]
        for index, option in reversed(list(enumerate(options[:-1]))):
            here = selects(self.machine, value, index)
            chosen = [select(here, new, old, builder) for new, old in zip(option, chosen, strict=True)]
        return chosen


def exact_joiner(machine) -> Joiner:
    """A joiner that widens nothing: what it joins has to be of one type."""
    return Joiner(machine.heap, 0, widen=False, unions=True, growable_lists=machine.growable_lists)


_Field = Callable[[int, object], Value]


def pack(
    machine,
    value: Value,
    loop: object = None,
    place: tuple | None = None,
    field: _Field | None = None,
    seen: dict[int, tuple] | None = None,
) -> Value:
    """A value as a growable list holds it, which is put into one at `place`; `field` gives the contents of slots, and
    `seen` is as for `domain.growable_lists.packed`."""
    return growable_lists.packed(
        machine.heap, value, machine.read, field or _settling(machine), loop, place=place, seen=seen
    )


def _settling(machine) -> _Field:
    """Reads slots; a list of one of several lengths becomes a growable list."""

    def read(number: int, name: object) -> Value:
        if name == "<items>" and isinstance(machine.heap.read(number, name), Union):
            settled(machine, Ref(number))
        return machine.heap.read(number, name)

    return read


def of_several_lengths(machine, items) -> _Field | None:
    """How the slots of lists of numbers, or of tuples of numbers, of several lengths are read if each of them is a
    growable list of its own, since they may grow; None for other items."""
    heap = machine.heap
    if not all(isinstance(v, Ref) and heap.objects[v.object].cls is list for v in items):
        return None
    contents = {v.object: heap.read(v.object, "<items>") for v in items}
    if not all(isinstance(c, Tuple) for c in contents.values()):
        return None
    numbers = [item for c in contents.values() for item in c.items]
    if len({len(c.items) for c in contents.values()}) < 2 or any(value_selection.signature(v) is None for v in numbers):
        return None
    element = common_element(machine, numbers)
    held = {number: of_items(machine, c.items, element) for number, c in contents.items()}
    settling = _settling(machine)
    return lambda number, name: held[number] if name == "<items>" and number in held else settling(number, name)


def of_items(
    machine,
    items,
    element: Value,
    joiner: Joiner | None = None,
    source: Value | None = None,
    field: _Field | None = None,
) -> GrowableList:
    """A growable list of these items, which `element` covers; `source` is the container that they are from, or its
    contents, `field` gives the contents of slots."""
    made_here = joiner is None
    joiner = joiner or exact_joiner(machine)
    parts = []
    for k, item in enumerate(items):
        one = pack(machine, item, joiner.loop, (object(),) if source is None else (source, k), field)
        _require_ownership(one, element)
        parts.append(coerce(one, element, exact_joiner(machine), machine.builder))
    if parts:
        rows = tuple(machine.leaf(stacked, column, name=STACKED)[0] for column in zip(*parts, strict=True))
    else:
        rows = tuple(_empty(machine, hole, (0,)) for hole in variables(element))
    if made_here and isinstance(source, Ref):
        _borrow_items(machine, source, items)
    return GrowableList(element, rows, Const(len(parts)), len(parts))


def of_list(machine, made: Value) -> GrowableList:
    """The contents of a list as a growable list.

    Raises:
        JoinFailure: its items have too little in common.
    """
    growable = of(machine, made)
    if growable is not None:
        return growable
    held = items(machine, machine.heap.read(as_ref(made).object, "<items>"))
    return of_items(machine, held, common_element(machine, held))


def _borrow_items(machine, owner: Ref, items) -> None:
    """What the program holds of the items of a container, which becomes a growable list, may be changed: it lies in its
    row."""
    heap = machine.heap
    inside: dict[object, list[int]] = {}
    for number, ownership in heap.owned.items():
        if isinstance(number, int) and len(ownership.where) > 1 and ownership.where[0] == owner:
            inside.setdefault(ownership.where[1], []).append(number)
    for k, item in enumerate(items):
        if k in inside:
            whole = item.items[1] if heap.objects[owner.object].kind == "dict" else item
            made = tuple(inside[k])
            borrow = Borrow(
                owner.object, Const(k), whole, heap.new("borrow", object), machine.builder.region, (owner, k), made
            )
            heap.add_borrow(borrow)
            heap.borrows.update(dict.fromkeys(made, borrow))


def _require_ownership(value: Value, element: Value) -> None:
    """Refuse an item that something else refers to where items are taken for what nothing else refers to."""
    if isinstance(value, Stored) and isinstance(element, Stored) and element.own and not value.own:
        raise JoinFailure(value, element, "are objects that are in a list more than once")
    if isinstance(value, Stored | Tuple) and isinstance(element, Stored | Tuple):
        for part, inner in zip(value.children(), element.children(), strict=False):
            if isinstance(part, Value) and isinstance(inner, Value):
                _require_ownership(part, inner)


def common_element(machine, items, source: Value | None = None, field: _Field | None = None) -> Value:
    """What items have in common as a growable list holds them; `source` and `field` as for `of_items`.

    Raises:
        JoinFailure: they have too little in common.
    """
    element: Value | None = None
    seen: dict[int, tuple] = {}
    for k, value in enumerate(items):
        place = (source, k)
        read = field or _settling(machine)
        packed = growable_lists.packed(machine.heap, value, machine.read, read, None, place=place, seen=seen)
        one = growable_lists.hollow(packed)
        element = one if element is None else exact_joiner(machine).join(element, one)
    return Const(None) if element is None else element


def widened(machine, growable: GrowableList, element: Value) -> GrowableList:
    """The same growable list with a more general element."""
    if growable.element is element:
        return growable
    rows = _embedded(machine, growable.element, element, iter(growable.rows), (growable.capacity,))
    return GrowableList(
        element, tuple(rows), growable.length, growable.capacity, growable.elastic, growable.loop, growable.added
    )


#: the dimensions of a row before those of an item
Lead = tuple[int, ...]


def _embedded(machine, old: Value, new: Value, rows: Iterator[Var], lead: Lead) -> list[Var]:
    """The rows of the element `old` as rows of the more general element `new`; `lead` are the dimensions before those
    of an item."""
    if old is DEAD:
        types = [h.type for h in holes(new)]
        return [filler(Hole(TensorType((*lead, *t.shape), t.dtype, t.weak)), machine.builder) for t in types]
    if isinstance(new, MixedScalar):
        return _as_mixed(machine, old, new, rows, lead)
    if isinstance(new, Union) and isinstance(new.selector, Hole):
        return _as_alternatives(machine, old, new, rows, lead)
    if isinstance(new, Stored) and new.held is not None:
        assert isinstance(old, Stored)
        return _as_held(machine, old, new.held, rows, lead)
    if isinstance(old, Union) or not new.children():
        _require_same(old, new)
        return []
    if isinstance(old, Const):  # a range, a slice, or a number of one: 0 in range(0, n)
        parts = coerce(old, new, exact_joiner(machine), machine.builder)
        return [machine.builder.broadcast(part, (*lead, *part.type.shape)) for part in parts]
    found: list[Var] = []
    for part, wider in zip(old.children(), new.children(), strict=True):
        if isinstance(wider, Value):
            assert isinstance(part, Value)
            found.extend(_embedded(machine, part, wider, rows, lead))
        elif isinstance(wider, Hole):
            found.append(machine.builder.convert(next(rows), wider.type.dtype, wider.type.weak))
    return found


def _as_held(machine, old: Stored, new: GrowableList, rows: Iterator[Var], lead: Lead) -> list[Var]:
    """Containers as such whose items are a growable list."""
    builder, axis = machine.builder, len(lead)
    length = None
    count = growable_lists.known_length(held_items(old))
    if old.held is not None:
        found = _embedded(machine, old.held.element, new.element, rows, (*lead, old.held.capacity))
        length = next(rows) if count is None else None
    else:
        items = tuple_items(held_items(old))
        parts = [_embedded_item(machine, old, item, new.element, rows, lead) for item in items]
        columns = zip(*parts, strict=True) if parts else ()
        found = [machine.leaf(side_by_side, column, (axis,))[0] for column in columns]
        if not parts:
            found = [_empty(machine, hole, (*lead, 0)) for hole in variables(new.element)]
    made = [machine.leaf(_with_room, [row], (axis, new.capacity))[0] for row in found]
    if isinstance(new.length, Const):
        return made
    return [*made, builder.broadcast(builder.constant(count, _INT64), lead) if length is None else length]


def _embedded_item(machine, old: Stored, item: Value, element: Value, rows: Iterator[Var], lead: Lead) -> list[Var]:
    """An item of a container of known length: of a dict, the key is known."""
    if old.kind == "list":
        return _embedded(machine, item, element, rows, lead)
    (key, part), (wider, value) = tuple_items(item), tuple_items(element)
    known = coerce(pack(machine, key), wider, exact_joiner(machine), machine.builder)
    keys = [machine.builder.broadcast(var, (*lead, *var.type.shape)) for var in known]
    return [*keys, *_embedded(machine, part, value, rows, lead)]


def side_by_side(*parts):
    """The arrays along a new axis, which is the last argument."""
    *parts, axis = parts
    return jnp.stack(parts, axis=axis)


def _with_room(rows, axis, capacity):
    missing = [(0, capacity - n if k == axis else 0, 0) for k, n in enumerate(rows.shape)]
    return lax.pad(rows, jnp.zeros((), rows.dtype), missing)


def _require_same(old: Value, new: Value) -> None:
    """Elements without holes must be the same thing."""
    if isinstance(old, Union) != isinstance(new, Union):
        raise Refused(
            "XP0007", "a list that grows in a loop has items of too many kinds", "append values of one type and shape"
        )


def _as_mixed(machine, old: Value, new: MixedScalar, rows: Iterator[Var], lead: Lead) -> list[Var]:
    """Numbers of one dtype as numbers that are Python's or NumPy's."""
    number = new.python.var.type
    if isinstance(old, MixedScalar):
        return [next(rows), next(rows)]
    if isinstance(old, Const):
        values = machine.builder.broadcast(machine.builder.constant(old.value, number.dtype, number.weak), lead)
    else:
        values = machine.builder.convert(next(rows), number.dtype, number.weak)
    of_numpy = mixed.is_numpy(old)
    return [
        machine.builder.broadcast(machine.builder.constant(int(of_numpy), new.selector.type.dtype), lead),
        values,
    ]


def _as_alternatives(machine, old: Value, new: Union, rows: Iterator[Var], lead: Lead) -> list[Var]:
    builder, exact = machine.builder, exact_joiner(machine)
    options = alternatives(old)
    chosen = next(rows) if isinstance(old, Union) else None
    places = [place_in(option, new, exact) for option in options]
    dtype = new.selector.type.dtype
    selector = builder.broadcast(builder.constant(places[0], dtype), lead)
    for index, where in enumerate(places[1:], 1):
        assert chosen is not None
        here = builder.elementwise("eq", chosen, builder.broadcast(builder.constant(index, dtype), lead))
        there = builder.broadcast(builder.constant(where, dtype), lead)
        selector = builder.elementwise("select", here, there, selector)
    shared = [next(rows)] if isinstance(old, MixedScalar) else None
    found: dict[int, list[Var]] = {}
    for option, where in zip(options, places, strict=True):
        if where in found:
            raise Refused(
                "XP0007",
                "a list that grows in a loop has items of too many kinds",
                "append values of one type and shape",
            )
        own = rows if shared is None else iter(shared)
        found[where] = _embedded(machine, option, new.alternatives[where], own, lead)
    result = [selector]
    for index, alternative in enumerate(new.alternatives):
        result += found.get(index) or [_empty(machine, h, lead) for h in variables(alternative)]
    return result


def _empty(machine, hole: Var | Hole, lead: Lead) -> Var:
    zero = machine.builder.constant(np.zeros((), hole.type.dtype), weak=hole.type.weak)
    return machine.builder.broadcast(zero, (*lead, *hole.type.shape))


def _unset(machine, hole: Var | Hole, lead: Lead) -> Var:
    found = machine.leaf(unset, [], (*lead, *hole.type.shape, hole.type.dtype), name=UNSET)[0]
    return machine.builder.convert(found, hole.type.dtype, hole.type.weak)


def resized(machine, growable: GrowableList, capacity: int, only_pushed: bool = False) -> GrowableList:
    """The same growable list with room for more or fewer items; `only_pushed` if nobody looks at places where none
    is."""
    if capacity == growable.capacity:
        return growable
    if growable.capacity == 0:
        empty = [Hole(TensorType(row.type.shape[1:], row.type.dtype, row.type.weak)) for row in growable.rows]
        rows = tuple((_unset if only_pushed else _empty)(machine, hole, (capacity,)) for hole in empty)
        return GrowableList(
            growable.element, rows, growable.length, capacity, growable.elastic, growable.loop, growable.added
        )
    rows = tuple(machine.leaf(_resized, [row], (capacity,))[0] for row in growable.rows)
    return GrowableList(
        growable.element, rows, growable.length, capacity, growable.elastic, growable.loop, growable.added
    )


def _resized(rows, capacity):
    if capacity <= rows.shape[0]:
        return rows[:capacity]
    return lax.pad(rows, jnp.zeros((), rows.dtype), [(0, capacity - rows.shape[0], 0)] + [(0, 0, 0)] * (rows.ndim - 1))


# -- items ------------------------------------------------------------------------------------------------------------


def resized_by(machine, growable: GrowableList, by: int) -> Value:
    """The length after `by` more items."""
    low, high = bounds_of(growable.length)
    if isinstance(growable.length, Const):
        return Const(growable.length.value + by)
    var = machine.builder.elementwise("add", number_var(growable.length), machine.builder.constant(by, _INT64, True))
    # not cut at 0: how much a list grows in an iteration is read off the change of these bounds
    bounds = (low + by, min(high + by, growable.capacity))
    return scalar(machine, int, var, bounds) if bounds[0] < bounds[1] else Scalar(int, var, bounds)


def with_room(machine, growable: GrowableList) -> GrowableList:
    """The growable list with room for one more item: an elastic one raises an error on the device where it is full."""
    most = bounds_of(growable.length)[1]
    if most < growable.capacity:
        return growable
    if growable.elastic is None:
        return resized(machine, growable, max(growable.capacity, most) + 1)
    full = machine.compare("==", growable.length, Const(growable.capacity))
    error = machine.exception(growable_lists.Overfull, Const(growable.elastic))
    if isinstance(full, Const):
        if full.value:
            return resized(machine, growable, growable.capacity + 1)
        return growable
    machine.register_error(full.var, error)
    return growable


def put(
    machine, growable: GrowableList, at: Value, value: Value, place: tuple[object, ...] | None = None
) -> GrowableList:
    """The growable list after `items[at] = value`, for a position within its room; `place` tells one assignment from
    others."""
    item = pack(machine, value, growable.loop, place or (object(),))
    element = exact_joiner(machine).join(growable.element, growable_lists.hollow(item))
    growable = widened(machine, growable, element)
    parts = coerce(item, element, exact_joiner(machine), machine.builder)
    where = device(machine, at, int)
    rows = tuple(nested_items.put(machine, row, part, where) for row, part in zip(growable.rows, parts, strict=True))
    return growable.with_rows(rows)


@contextlib.contextmanager
def places_kept(machine) -> Iterator[None]:
    """Within this context, items of containers that are written stay where they are."""
    heap = machine.heap
    outer, heap.keeps_places = heap.keeps_places, True
    try:
        yield
    finally:
        heap.keeps_places = outer


def push(
    machine, growable: GrowableList, value: Value, place: tuple[object, ...] | None = None, at: Value | None = None
) -> GrowableList:
    """The growable list after `append(value)`; `at` is where the item goes, if there is a gap for it."""
    added = growable.added and at is None
    growable = put(machine, with_room(machine, growable), growable.length if at is None else at, value, place)
    return growable.with_rows(growable.rows, resized_by(machine, growable, 1), added)


def push_first(machine, growable: GrowableList, value: Value) -> GrowableList:
    """The growable list after `appendleft(value)`."""
    growable = put(machine, moved(machine, with_room(machine, growable), growable.length, 0, 1), _ZERO, value)
    return growable.with_rows(growable.rows, resized_by(machine, growable, 1))


def moved(machine, growable: GrowableList, count: Value, source: Value | int, target: Value | int) -> GrowableList:
    """The growable list after `items[target : target + count] = items[source : source + count]`."""
    operands = [device(machine, x if isinstance(x, Value) else Const(x), int) for x in (count, source, target)]
    rows = tuple(machine.leaf(row_moves.moved, [row, *operands], name="moved rows")[0] for row in growable.rows)
    return growable.with_rows(rows)


def pop(machine, growable: GrowableList) -> tuple[GrowableList, Value]:
    """The growable list without its last item, and that item; there is one."""
    shorter = growable.with_rows(growable.rows, resized_by(machine, growable, -1))
    return shorter, item(machine, growable, shorter.length, place=FREE)


def pop_first(machine, growable: GrowableList) -> tuple[GrowableList, Value]:
    """The growable list without its first item, and that item; there is one."""
    first = item(machine, growable, _ZERO, place=FREE)  # before its row is another's
    shorter = resized_by(machine, growable, -1)
    return moved(machine, growable.with_rows(growable.rows, shorter), shorter, 1, 0), first


def item(machine, growable: GrowableList, at: Value, made: list[int] | None = None, place=None) -> Value:
    """`items[at]`, for a position in range; `made` and `place` as for `unpacked`."""
    where = device(machine, at, int)
    fill = iter([nested_items.take(machine, row, where) for row in growable.rows])
    return unpacked(machine, instantiate(growable.element, fill), growable.loop, place, made)


def unpacked(machine, value: Value, loop: object = None, place: tuple[object, ...] | None = None, made=None) -> Value:
    """A value that a growable list held. Objects are made anew, at `place` (FREE if the growable list holds it no
    more); those in the list `made` may be changed, others must not be, since the list would not see it."""
    place = place or (object(),)
    if isinstance(value, Stored):
        return _unpacked_object(machine, value, loop, place, made)
    parts = value.children()
    if not any(isinstance(p, Value) for p in parts):
        if isinstance(value, Scalar):
            return scalar(machine, value.kind, value.var, value.bounds)
        return value
    found = tuple(
        unpacked(machine, p, loop, _inside(place, k), made) if isinstance(p, Value) else p for k, p in enumerate(parts)
    )
    return value.rebuilt(found)


def _inside(place: tuple[object, ...], at: object) -> tuple[object, ...]:
    return FREE if place is FREE else (*place, at)


def _unpacked_object(machine, value: Stored, loop: object, place: tuple[object, ...], made) -> Value:
    heap = machine.heap
    if value.held is not None:
        contents = value.held
        if isinstance(contents.length, Scalar):
            bounds = (0, contents.capacity)
            length = scalar(machine, int, contents.length.var, bounds)
            contents = contents.with_rows(contents.rows, length, contents.added)
        number = heap.new(value.kind, value.cls, machine.location(), contents, **_settings(value))
    else:
        names = value.names or range(len(value.parts))
        parts = [unpacked(machine, p, loop, _inside(place, n), made) for n, p in zip(names, value.parts, strict=False)]
        if value.kind == "buffer":
            array = machine.new_array(number_var(parts[0]))
            heap.objects[array.buffer].lies = value.lies
            _taken(machine, array.buffer, value, loop, place, made)
            return array
        if value.kind == "instance":
            fields = dict(zip(value.names, parts, strict=True))
            known = heap.order.sorted(value.cls, value.cls, set(fields))
            number = heap.new("instance", value.cls, machine.location(), **fields)
            if known is None:
                heap.order.forget(number)
        elif value.kind == "list":
            number = heap.new("list", value.cls, machine.location(), Tuple(tuple(parts)), **_settings(value))
        else:
            history = (
                set_iteration_order.SetHistory(set_iteration_order.EMPTY, set.update, (list(value.names),))
                if value.added
                else None
            )
            entries = Mapping(dict(zip(value.names, parts, strict=True)), history)
            number = heap.new(value.kind, value.cls, machine.location(), entries, **_settings(value))
    _taken(machine, number, value, loop, place, made)
    return Ref(number)


def _taken(machine, number: int, value: Stored, loop: object, place: tuple[object, ...], made) -> None:
    """An object has been made of one that lies in a growable list."""
    heap = machine.heap
    free = place is FREE and value.own and not heap.is_twice(value.cls)
    heap.hold(number, Ownership(loop, place if free or place is not FREE else (object(),)))
    heap.show(number)
    heap.taken.add(number)
    if made is not None and value.own:
        made.append(number)


def _settings(value: Stored) -> dict[str, Value]:
    """The slots of a container besides its contents."""
    if issubclass(value.cls, collections.deque):
        return {"maxlen": Const(None)}
    return {} if value.factory is None else {"default_factory": value.factory}


def spread(machine, growable: GrowableList) -> tuple[Value, ...]:
    """All items of a growable list of known length."""
    if not isinstance(growable.length, Const):
        raise Refused(
            "XP0004",
            "there is no rule for this operation on a list whose length depends on data",
            "make an array of it with np.array",
        )
    count: int = growable.length.value
    if count > _MAXIMUM_SPREAD:
        raise Refused(
            "XP0009", f"a list of more than {_MAXIMUM_SPREAD} items is used item by item", "make an array of it"
        )
    return tuple(item(machine, growable, Const(k)) for k in range(count))


def items(machine, contents: Value) -> tuple[Value, ...]:
    """The items of a list's contents."""
    if isinstance(contents, Union):
        raise Refused(
            "XP0004",
            "a list whose size depends on data, inside another container",
            "keep it under a name of its own, or keep its items in an array",
        )
    return spread(machine, contents) if isinstance(contents, GrowableList) else tuple_items(contents)
