"""Choosing among abstract values by a device value: an item at a dynamic index, one of two values, permutations.

Numbers, JAX arrays and tuples of them are gathered from a stack. Everything else keeps its identity, and becomes a
`Union` through a chain of branches.
"""

from __future__ import annotations

from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays.memory_order import stands_for
from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.numbers.scalar_values import bounds_of, bounds_of_any, device, scalar
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.unions import contents_of_lists, contents_of_rows
from xlapy.domain.facts import Facts
from xlapy.domain.growable_lists import known_length
from xlapy.domain.heap import ORIGIN
from xlapy.domain.join import MAXIMUM_ALTERNATIVES, SELECTOR, JoinFailure
from xlapy.domain.numbers import is_python_scalar, same_constant
from xlapy.domain.values import (
    Const,
    GrowableList,
    JaxArray,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    alternatives,
    constants,
    number_var,
    tuple_items,
    variables,
)
from xlapy.ir import TensorType, Var
from xlapy.ir.affine import affine
from xlapy.ir.stacking_leaves import MANY as _MANY
from xlapy.ir.stacking_leaves import STACKED, UNSTACKED, stacked, unstacked

#: a union has at most this many alternatives
_MAXIMUM_GROUPS = 8
#: in which an object may be put, each with a branch of its own
_MAXIMUM_PLACES = 64
#: a list of lists is a table if it has at least so many items, and at most so many rows
LEAST_TABLE, _MAXIMUM_ROWS = 16, 1024
_INT64 = np.dtype(np.int64)


def signature(value: Value) -> tuple | None:
    """What values must have in common to be stacked; None for a value that has an identity of its own."""
    match value:
        case Scalar():
            return ("python", value.kind)
        case NumpyScalar():
            return ("numpy", value.var.type.dtype)
        case JaxArray():
            return ("jax", value.var.type)
        case Const():
            if is_python_scalar(value.value):
                return ("python", type(value.value))
            if isinstance(value.value, np.generic) and value.value.dtype.kind in "biufc":
                return ("numpy", value.value.dtype)
        case Tuple():
            parts = tuple(map(signature, value.items))
            return None if any(p is None for p in parts) else ("tuple", value.cls, parts)
    return None


def holds_texts(value: Value) -> bool:
    """Whether a value is a known text or None, or a tuple of numbers and of these: they are numbered to be gathered."""
    if isinstance(value, Tuple):
        return all(signature(item) is not None or holds_texts(item) for item in value.items)
    return isinstance(value, Const) and isinstance(value.value, str | None)


def are_arrays(machine, items: Sequence[Value]) -> bool:
    """Whether all items are arrays of one type, which may be taken for copies until one of them is written."""
    first = items[0] if items else None
    if machine.heap.facts.aliases or not isinstance(first, NdArray):
        return not machine.heap.facts.aliases and not items
    return all(isinstance(item, NdArray) and item.type == first.type and item.writeable for item in items)


def stackable(machine, items: Sequence[Value]) -> bool:
    """Whether all items can be gathered from one stack."""
    if not items:
        return False
    if isinstance(items[0], NdArray):
        return are_arrays(machine, items)
    first = signature(items[0])
    return first is not None and all(signature(item) == first for item in items[1:])


def as_var(machine, value: Value, kind: tuple) -> Var:
    """The device value of a number or JAX array with this signature."""
    if kind[0] == "python":
        return device(machine, value, kind[1])
    if isinstance(value, Const):
        return machine.builder.constant(value.value, kind[1])
    return number_var(value)


def from_var(machine, var: Var, kind: tuple, bounds: tuple[int, int] | None = None) -> Value:
    """The inverse of `as_var`."""
    if kind[0] == "python":
        return scalar(machine, kind[1], var, bounds)
    if kind[0] == "numpy":
        return NumpyScalar(machine.builder.convert(var, kind[1]), bounds)
    return JaxArray(machine.builder.convert(var, kind[1].dtype, kind[1].weak))


def _hull(items: Sequence[Value], kind: tuple) -> tuple[int, int] | None:
    if kind == ("python", int):
        found = [bounds_of_any(item) for item in items]
        return (min(low for low, _ in found), max(high for _, high in found))
    return None


def _take(position, *parts):
    return lax.dynamic_index_in_dim(jnp.stack(parts), position, keepdims=False)


def _take_row(position, table):
    return lax.dynamic_index_in_dim(table, position, keepdims=False)


def _permuted(order, table):
    return jnp.take(table, order, axis=0)


def _put(position, new, *parts):
    return tuple(jnp.where(position == i, new, part) for i, part in enumerate(parts))


def _put_row(position, new, table):
    return lax.dynamic_update_index_in_dim(table, new.astype(table.dtype), position, 0)


def stack(machine, parts: Sequence[Var]) -> Var:
    """Values of one type as an array, along a new first axis."""
    return machine.leaf(stacked, parts, name=STACKED)[0]


def unstack(machine, var: Var) -> list[Var]:
    """The values in an array."""
    return machine.leaf(unstacked, [var], name=UNSTACKED)


def coded(
    machine, items: Sequence[Value], most: int = MAXIMUM_ALTERNATIVES
) -> tuple[list[Value], tuple[Const, ...]] | None:
    """Constants that are no numbers, such as texts, and values that are one of several of them, as numbers of these
    constants; None for anything else."""
    known: list[Const] = []
    for item in items:
        for one in item.alternatives if type(item) is Union else (item,):
            if not isinstance(one, Const) or signature(one) is not None:
                return None
            if not any(same_constant(one.value, other.value) for other in known):
                known.append(one)
        if len(known) > most:
            return None
    return [_code(machine, item, known) for item in items], tuple(known)


def coded_objects(machine, items: Sequence[Value]) -> tuple[list[Value], tuple[Ref, ...]] | None:
    """Objects, and values that are one of several of them, as numbers of these objects; None for anything else, and for
    objects alone: branches may make one of two of them that nothing else refers to."""
    if machine.heap.sharing or not any(isinstance(item, Union) for item in items):
        return None
    found = _objects(items)
    if found is None:
        return None
    if len(found) > MAXIMUM_ALTERNATIVES and not _are_rows(machine, found):
        return None
    return [_code(machine, item, found) for item in items], found


def _objects(items: Sequence[Value]) -> tuple[Ref, ...] | None:
    """The objects that values are one of, in order; None for other values."""
    every = [one for item in items for one in alternatives(item)]
    found = dict.fromkeys(one for one in every if isinstance(one, Ref))
    return tuple(found) if all(isinstance(one, Ref) for one in every) else None


def _code(machine, item: Value, known: Sequence[Value]) -> Value:
    def number(one: Value) -> int:
        return next(k for k, other in enumerate(known) if _are_one(one, other))

    if not isinstance(item, Union):
        return Const(SELECTOR.dtype.type(number(item)))
    numbers = [number(one) for one in item.alternatives]
    if numbers == list(range(len(numbers))):
        return NumpyScalar(item.selector)
    table = machine.builder.constant(np.array(numbers, SELECTOR.dtype))
    return NumpyScalar(machine.leaf(_take_row, [item.selector, table])[0])


def _are_one(one: Value, other: Value) -> bool:
    """Whether two values certainly are one object, or one constant."""
    if isinstance(one, Const) and isinstance(other, Const):
        return same_constant(one.value, other.value)
    return isinstance(one, Ref) and one == other


def decoded(code: Value, known: Sequence[Value]) -> Value:
    """The inverse of `coded`, for one number."""
    if isinstance(code, Const):
        return known[code.value]
    return known[0] if len(known) == 1 else Union(number_var(code), tuple(known))


def choose(machine, predicate: Var | bool, then: Value, orelse: Value) -> Value:
    """`then if predicate else orelse`, both already evaluated."""
    if not isinstance(predicate, Var):
        return then if predicate else orelse
    if then is orelse:
        return then
    kind = signature(then)
    if kind is not None and kind == signature(orelse):
        return _select(machine, predicate, then, orelse, kind)
    return machine.cond(predicate, lambda: then, lambda: orelse)


def _select(machine, predicate: Var, then: Value, orelse: Value, kind: tuple) -> Value:
    if kind[0] == "tuple":
        parts = [
            _select(machine, predicate, a, b, inner)
            for a, b, inner in zip(tuple_items(then), tuple_items(orelse), kind[2], strict=True)
        ]
        return Tuple(tuple(parts), kind[1])
    if isinstance(then, Const) and isinstance(orelse, Const) and same_constant(then.value, orelse.value):
        return then
    a, b = as_var(machine, then, kind), as_var(machine, orelse, kind)
    spread = machine.builder.broadcast(predicate, a.type.shape)
    var = machine.builder.elementwise("select", spread, a, b)
    return from_var(machine, var, kind, _hull((then, orelse), kind))


def gather(machine, items: Sequence[Value], position: Value) -> Value:
    """`items[position]`, for an int that is known to be in range."""
    if isinstance(position, Const):
        return items[position.value]
    low, high = bounds_of(position)
    low, high = max(low, 0), min(high, len(items) - 1)
    every, items = items, items[low : high + 1]
    if not items:
        raise Refused("XP0099", "a gather from no items")
    if len(items) == 1:
        return items[0]
    kind = _kind_of_numbers(every)
    if kind is not None and constants(items) is None:
        table = stack(machine, [as_var(machine, item, kind) for item in every])
        var = machine.leaf(_take_row, [device(machine, position, int), table])[0]
        return from_var(machine, var, kind, _hull(items, kind))
    if len(items) < len(every) and isinstance(items[0], Ref):
        # the same rows as everywhere else, whatever is known of the position
        one_list = _one_of_lists(machine, every, position)
        if one_list is not None:
            return one_list
    _require_alike(machine, items, position)
    at = machine.binary("-", position, Const(low))
    return _gather(machine, items, at)


def _kind_of_numbers(items: Sequence[Value]) -> tuple | None:
    """The signature of many numbers of one type, which are in one array: all of them, so that it is always the same
    one, whatever is known of the position."""
    kind = signature(items[0]) if len(items) >= _MANY else None
    if kind is None or kind[0] not in ("python", "numpy"):
        return None
    return kind if all(signature(item) == kind for item in items[1:]) else None


def _require_alike(machine, items: Sequence[Value], position: Value) -> None:
    """Arrays of several types, one for each iteration of a short loop: that is to be unrolled.

    Raises:
        JoinFailure: where the loop is not unrolled yet.
    """
    if machine.short_index is None or not _depends(number_var(position), machine.short_index):
        return
    arrays = [item for item in items if isinstance(item, NdArray | JaxArray)]
    for item in arrays[1:]:
        if _type(item)[:2] != _type(arrays[0])[:2]:
            raise JoinFailure(arrays[0], item, "differ in their types from one iteration to the next")


def _type(item: NdArray | JaxArray) -> TensorType:
    return item.type if isinstance(item, NdArray) else item.var.type


def _depends(var: Var, index: Var) -> bool:
    """Whether an integer is the index of a loop, plus or minus and times something."""
    return bool(affine(var)[0].get(id(index)))


def _gather(machine, items: Sequence[Value], at: Value) -> Value:
    kind = signature(items[0])
    if kind is not None and all(signature(item) == kind for item in items[1:]):
        return _gather_stack(machine, items, device(machine, at, int), kind)
    pairs = mixed.pairs(machine, items)
    if pairs is not None:
        return mixed.from_pair(_gather(machine, pairs, at))
    codes = coded(machine, items)
    if codes is not None and len(codes[1]) > _MAXIMUM_GROUPS and any(map(machine.settles, variables(at))):
        codes = None  # the position can be known
    codes = codes or coded_objects(machine, items)
    if codes is not None:
        return decoded(_gather(machine, codes[0], at), codes[1])
    if isinstance(items[0], NdArray) and are_arrays(machine, items):
        arrays = [item for item in items if isinstance(item, NdArray)]
        return _gather_arrays(machine, arrays, device(machine, at, int))
    first = items[0]
    if isinstance(first, Tuple) and all(_like(first, item) for item in items):
        columns = zip(*(tuple_items(item) for item in items), strict=True)
        return Tuple(tuple(_gather(machine, column, at) for column in columns), first.cls)
    one_list = _one_of_lists(machine, items, at)
    if one_list is not None:
        return one_list
    groups: list[list[int]] = []
    for number, item in enumerate(items):
        for group in groups:
            if _groups_with(items[group[0]], item):
                group.append(number)
                break
        else:
            groups.append([number])
    if len(groups) > _MAXIMUM_GROUPS and machine.specialisable(number_var(at)):
        return items[machine.static(at, "which of many objects is meant")]
    if len(groups) > _MAXIMUM_GROUPS:
        raise Refused(
            "XP0004",
            f"an index that depends on data chooses one of {len(items)} objects, which are too many to tell apart",
            "keep what they hold in arrays (np.stack), and index those",
        )
    return _chain(machine, items, at, groups)


def _one_of_lists(machine, items: Sequence[Value], at: Value) -> Value | None:
    """One of the rows of a table that is a list of lists (see `vectors.nested_lists`)."""
    if not _are_rows(machine, items):
        return None
    lists = list(dict.fromkeys(items))
    if len(lists) == 1:
        return lists[0]
    which = device(machine, at, int)
    if len(lists) < len(items):
        which = _lookup(machine, np.array([lists.index(item) for item in items], np.int64), at)
    return Union(machine.builder.convert(which, SELECTOR.dtype), tuple(lists))


def _are_rows(machine, items: Sequence[Value]) -> bool:
    """Whether values are taken for the rows of a table."""
    found = not machine.facts.no_tables and len(items) <= _MAXIMUM_ROWS and is_table(machine, items)
    if found:
        machine.options |= Facts(no_tables=True)
    return found


def is_table(machine, lists: Sequence[Value]) -> bool:
    """Whether lists are the rows of a table: of one length, if they have enough items, or of several lengths."""
    contents = contents_of_lists(machine, lists)
    if contents is not None:
        return len(lists) > _MAXIMUM_GROUPS or items_of_table(machine, contents) >= LEAST_TABLE
    return ragged(machine, lists) is not None


def ragged(machine, lists: Sequence[Value]) -> list[Tuple] | None:
    """The contents of lists or tuples of numbers and texts, and of tuples of them, that are of several lengths."""
    found = contents_of_rows(machine, lists)
    rows = [contents for contents in found or () if isinstance(contents, Tuple)]
    if found is None or len(rows) < len(found) or len({len(contents.items) for contents in rows}) < 2:
        return None
    items = [item for contents in rows for item in contents.items]
    alike = all(signature(item) is not None for item in items)
    alike = alike or all(holds_texts(item) and (items[0] is item or _alike(items[0], item)) for item in items)
    return rows if alike else None


def items_of_table(machine, rows: Sequence[Tuple | GrowableList]) -> int:
    """How many items lists with these contents have, and the lists in them, as the first of each has."""
    count = len(rows)
    contents: Tuple | GrowableList | None = rows[0]
    while contents is not None:
        count *= known_length(contents) or 1
        first = contents.items[0] if isinstance(contents, Tuple) else contents.element
        inner = contents_of_lists(machine, (first,))
        contents = None if inner is None else inner[0]
    return count


def _alike(first: Value, item: Value) -> bool:
    """Whether two values are two texts, or tuples of as many items."""
    return _like(first, item) if isinstance(first, Tuple) else isinstance(item, Const)


def _like(first: Tuple, item: Value) -> bool:
    return isinstance(item, Tuple) and item.cls is first.cls and len(item.items) == len(first.items)


def _gather_arrays(machine, items: Sequence[NdArray], at: Var) -> Value:
    """One of several arrays: a copy, until somebody writes it or one of them (`Heap.entangled`)."""
    made = machine.new_array(machine.leaf(_take, [at, *map(machine.read, items)])[0])
    heap = machine.heap
    heap.entangled |= {made.buffer, *(item.buffer for item in items)}
    whole = [item.buffer if heap.is_callers_array(item.buffer) and not item.lenses else 0 for item in items]
    if any(whole):
        heap.origins[made.buffer] = frozenset(whole) - {0}
        origin = machine.leaf(_take_row, [at, machine.builder.constant(np.array(whole))])[0]
        heap.slots[(made.buffer, ORIGIN)] = scalar(machine, int, origin)
    return stands_for(machine, made, items)


def _groups_with(first: Value, item: Value) -> bool:
    if first is item or (
        isinstance(first, Const) and isinstance(item, Const) and same_constant(first.value, item.value)
    ):
        return True
    kind = signature(first)
    if kind is not None:
        return kind == signature(item)
    return type(first) is type(item) and first == item


def _chain(machine, items: Sequence[Value], at: Value, groups: list[list[int]]) -> Value:
    group = groups[0]

    def inside() -> Value:
        chosen = [items[i] for i in group]
        kind = signature(chosen[0])
        if len(group) == 1 or kind is None:
            return chosen[0]
        places = np.zeros(len(items), np.int64)
        places[group] = np.arange(len(group))
        place = _lookup(machine, places, at)
        return _gather_stack(machine, chosen, place, kind)

    if len(groups) == 1:
        return inside()
    if len(group) == 1:
        here = machine.truth(machine.compare("==", at, Const(group[0])))
    else:
        mask = np.zeros(len(items), bool)
        mask[group] = True
        here = _lookup(machine, mask, at)
    return machine.cond(here, inside, lambda: _chain(machine, items, at, groups[1:]))


def _lookup(machine, values: np.ndarray, at: Value) -> Var:
    return machine.leaf(_take_row, [device(machine, at, int), machine.builder.constant(values)])[0]


def _gather_stack(machine, items: Sequence[Value], at: Var, kind: tuple) -> Value:
    if kind[0] == "tuple":
        columns = zip(*(tuple_items(item) for item in items), strict=True)
        parts = [_gather_stack(machine, c, at, inner) for c, inner in zip(columns, kind[2], strict=True)]
        return Tuple(tuple(parts), kind[1])
    known = constants(items)
    if known is not None:
        if all(same_constant(known[0], one) for one in known):
            return items[0]
        numbers = np.array(known, as_var(machine, items[0], kind).type.dtype)
        var = machine.leaf(_take_row, [at, machine.builder.constant(numbers)])[0]
    else:
        parts = [as_var(machine, item, kind) for item in items]
        if len(parts) < _MANY:
            var = machine.leaf(_take, [at, *parts])[0]
        else:
            var = machine.leaf(_take_row, [at, stack(machine, parts)])[0]
    return from_var(machine, var, kind, _hull(items, kind))


def scatter(machine, items: Sequence[Value], position: Value, value: Value) -> list[Value]:
    """The items after `items[position] = value`, for an int that is known to be in range."""
    changed = list(items)
    if isinstance(position, Const):
        changed[position.value] = value
        return changed
    low, high = bounds_of(position)
    low, high = max(low, 0), min(high, len(items) - 1)
    if low == high:
        changed[low] = value
        return changed
    part = changed[low : high + 1]
    kind = signature(value)
    if kind is not None and kind == _kind_of_numbers(items):
        table = stack(machine, [as_var(machine, item, kind) for item in items])
        where = device(machine, position, int)
        vars_ = unstack(machine, machine.leaf(_put_row, [where, as_var(machine, value, kind), table])[0])
        for number, (var, item) in enumerate(zip(vars_, items, strict=True)):
            held = (item, value) if low <= number <= high else (item,)
            changed[number] = from_var(machine, var, kind, _hull(held, kind))
        return changed
    _require_alike(machine, part, position)
    if kind is not None and kind[0] != "tuple" and all(signature(item) == kind for item in part):
        at = device(machine, machine.binary("-", position, Const(low)), int)
        vars_ = machine.leaf(_put, [at, as_var(machine, value, kind), *(as_var(machine, i, kind) for i in part)])
        for number, (var, item) in enumerate(zip(vars_, part, strict=True)):
            changed[low + number] = from_var(machine, var, kind, _hull((item, value), kind))
        return changed
    codes = coded(machine, [*part, value])
    if codes is not None:
        numbers = scatter(machine, codes[0][:-1], machine.binary("-", position, Const(low)), codes[0][-1])
        changed[low : high + 1] = [decoded(number, codes[1]) for number in numbers]
        return changed
    if len(part) > _MAXIMUM_PLACES and kind is None:
        raise JoinFailure(value, part[0], f"differ, in one of {len(part)} places of a list that only the device knows")
    for number in range(low, high + 1):
        here = machine.truth(machine.compare("==", position, Const(number)))
        changed[number] = _one_of_two(machine, here, value, items[number])
    return changed


def _one_of_two(machine, predicate: Var | bool, then: Value, orelse: Value) -> Value:
    """`choose` for a value that goes to one of several places: objects stay apart, since all may be in the list."""
    found = _objects((orelse, then))
    if not isinstance(predicate, Var) or found is None or machine.heap.sharing:
        return choose(machine, predicate, then, orelse)
    if len(found) > MAXIMUM_ALTERNATIVES and not _are_rows(machine, found):
        return choose(machine, predicate, then, orelse)
    one, two = (as_var(machine, _code(machine, v, found), ("numpy", SELECTOR.dtype)) for v in (then, orelse))
    return decoded(NumpyScalar(machine.builder.elementwise("select", predicate, one, two)), found)


def permute(machine, items: Sequence[Value], order: Var) -> list[Value]:
    """`[items[i] for i in order]` for a permutation on the device."""
    pairs = mixed.pairs(machine, items)
    if pairs is not None:
        return list(map(mixed.from_pair, permute(machine, pairs, order)))
    kind = signature(items[0])
    if kind is not None and all(signature(item) == kind for item in items):
        return _permute_stack(machine, items, order, kind)
    codes = coded(machine, items) or coded_objects(machine, items)
    if codes is not None:
        return [decoded(code, codes[1]) for code in permute(machine, codes[0], order)]
    first = items[0]
    if isinstance(first, Tuple) and all(_like(first, item) for item in items):
        columns = [permute(machine, column, order) for column in zip(*(tuple_items(i) for i in items), strict=True)]
        return [Tuple(tuple(column[i] for column in columns), first.cls) for i in range(len(items))]
    found = []
    for number in range(len(items)):
        at = machine.leaf(_take_row, [machine.builder.constant(number, _INT64), order])[0]
        found.append(gather(machine, items, scalar(machine, int, at, (0, len(items) - 1))))
    return found


def _permute_stack(machine, items: Sequence[Value], order: Var, kind: tuple) -> list[Value]:
    if kind[0] == "tuple":
        columns = [
            _permute_stack(machine, column, order, inner)
            for column, inner in zip(zip(*(tuple_items(i) for i in items), strict=True), kind[2], strict=True)
        ]
        return [Tuple(tuple(column[i] for column in columns), kind[1]) for i in range(len(items))]
    table = stack(machine, [as_var(machine, item, kind) for item in items])
    vars_ = unstack(machine, machine.leaf(_permuted, [order, table])[0])
    return [from_var(machine, var, kind, _hull(items, kind)) for var in vars_]
