"""Arrays of several sizes that are joined after a branch (see `domain.dynamic_sizes`), moved to where they can be."""

from __future__ import annotations

from xlapy.dispatch import kinds
from xlapy.dispatch.argument_kinds import involved
from xlapy.dispatch.arrays.memory_order import stands_for
from xlapy.dispatch.bounded import appending, growable_list_arrays, masked_axes
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain import dynamic_sizes
from xlapy.domain.coerce import select
from xlapy.domain.join import Joiner
from xlapy.domain.values import BoundedArray, Ref, Union, Value
from xlapy.ir import Var


class Service:
    """What `domain.join` needs for arrays of different sizes after a branch."""

    def __init__(self, machine) -> None:
        self.machine = machine

    def join(self, joiner: Joiner, a: Value, b: Value) -> Value | None:
        """The join of two arrays of which one has a dynamic length; in a loop in which arrays change their sizes, of
        any two."""
        if (
            not dynamic_sizes.are_alike(a, b)
            or dynamic_sizes.are_one_kind(a, b)
            or not (dynamic_sizes.is_plain(a) and dynamic_sizes.is_plain(b))
        ):
            return None
        if not (involved(a, b) or self.machine.resizing):
            return None
        room = tuple(map(max, dynamic_sizes.room_of(a), dynamic_sizes.room_of(b)))
        return dynamic_sizes.joined(joiner, a, b, room)

    def one_of(self, value: Value) -> Value:
        """Arrays that are told apart after a branch stay so."""
        return value

    def resized(self, var: Var, shape: tuple[int, ...]) -> Var:
        """An array with other sizes, what it has in both being the same."""
        return appending.resized(self.machine, var, shape)


def one_array(machine: Machine, value: Value) -> Value:
    """A list of numbers whose length depends on data, and one of several arrays that differ in their sizes alone, as
    one array; any other value as it is."""
    if isinstance(value, Ref) and kinds.heap_kind(machine, value) == "list":
        with growable_list_items.as_growable_lists(machine, [value]):
            made = growable_list_arrays.as_array(machine, value)
        value = value if made is None else made
    if isinstance(value, Union) and all(map(dynamic_sizes.is_array, value.alternatives)):
        return as_one(machine, value)
    return value


def is_dynamic(machine: Machine, value: Value) -> bool:
    """Whether `one_array` makes another value of this one."""
    if isinstance(value, Ref) and kinds.heap_kind(machine, value) == "list":
        return growable_list_items.of(machine, value) is not None or growable_list_items.holds_numbers(machine, value)
    return isinstance(value, Union) and all(map(dynamic_sizes.is_array, value.alternatives))


def as_one(machine: Machine, value: Union) -> Value:
    """One of several values, of which arrays that differ in their sizes alone become one of dynamic length."""
    groups: list[list[int]] = []
    for place, option in enumerate(value.alternatives):
        like = (g for g in groups if dynamic_sizes.are_alike(value.alternatives[g[0]], option))
        group = next(like, None)
        if group is None:
            groups.append([place])
        else:
            group.append(place)
    options = [_one(machine, value, group) for group in groups]
    if len(options) == 1:
        return options[0]
    selector = machine.builder.constant(0, value.selector.type.dtype)
    for number, group in enumerate(groups):
        for place in group:
            here = _is(machine, value, place)
            selector = machine.builder.elementwise(
                "select", here, machine.builder.constant(number, selector.type.dtype), selector
            )
    return Union(selector, tuple(options))


def _is(machine: Machine, value: Union, place: int) -> Var:
    return machine.builder.elementwise("eq", value.selector, machine.builder.constant(place, value.selector.type.dtype))


def _one(machine: Machine, value: Union, group: list[int]) -> Value:
    """The alternatives of a group as one array."""
    options = [value.alternatives[k] for k in group]
    if len(options) == 1:
        return options[0]
    room = tuple(map(max, *map(dynamic_sizes.room_of, options)))
    builder = machine.builder
    chosen: list[Var] = []
    static = [all(v is None for v in column) for column in zip(*map(dynamic_sizes.axes_of, options), strict=True)]
    static = [s and len({dynamic_sizes.room_of(v)[k] for v in options}) == 1 for k, s in enumerate(static)]
    for place, option in reversed(list(zip(group, options, strict=True))):
        if isinstance(option, BoundedArray):
            var, axes = masked_axes.compacted(machine, option)
        else:
            var, axes = machine.read(dynamic_sizes.base_of(option)), (None,) * len(room)
        lengths = [masked_axes.length_int(machine, x, n) for x, n in zip(axes, var.type.shape, strict=True)]
        parts = [appending.resized(machine, var, room)]
        parts += [masked_axes.var_of(machine, n) for n in lengths]
        if chosen:
            here = _is(machine, value, place)
            parts = [select(here, new, old, builder) for new, old in zip(parts, chosen, strict=True)]
        chosen = parts
    axes = tuple(None if s else masked_axes.Lanes(n) for s, n in zip(static, chosen[1:], strict=True))
    array = machine.new_array(chosen[0])
    if not all(static):
        return BoundedArray(array, axes)
    return stands_for(machine, array, [dynamic_sizes.base_of(option) for option in options])


def plain(machine: Machine, value: Value) -> Value:
    """A copy of an array that lies at the front of a buffer of its own."""
    if isinstance(value, BoundedArray):
        var, axes = masked_axes.compacted(machine, value)
        return BoundedArray(machine.new_array(var), axes)
    array = dynamic_sizes.base_of(value)
    return stands_for(machine, machine.new_array(machine.read(array)), [array])
