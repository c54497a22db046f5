"""Operations on values: attributes, items, operators, and what builds containers and texts."""

from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.arrays import memory_order
from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers import overflow
from xlapy.dispatch.numbers.scalar_values import defines
from xlapy.dispatch.python import attributes, objects, string_formatting
from xlapy.domain import set_iteration_order
from xlapy.domain.values import (
    FALSE,
    NONE,
    TRUE,
    BoundedArray,
    Const,
    GrowableList,
    Intrinsic,
    Mapping,
    NdArray,
    Ref,
    Slice,
    Tuple,
    Union,
    Value,
    as_ref,
)
from xlapy.interpreter.steps import handles, packed
from xlapy.ir import Var

if TYPE_CHECKING:
    from xlapy.interpreter.machine import Machine


@handles("getattr")
def _getattr(machine, frame, op, value):
    return machine.getattr(value, op.imm)


@handles("setattr")
def _setattr(machine, frame, op, value, item):
    if isinstance(value, Union):
        unions.over_unions(machine, [value], lambda one: packed(machine.setattr(one, op.imm, item)))
    else:
        machine.setattr(value, op.imm, item)


@handles("delattr")
def _delattr(machine, frame, op, value):
    machine.delattr(value, op.imm)


@handles("load_super_attr")
def _load_super_attr(machine, frame, op, super_, cls, self):
    name, _ = op.imm
    if not (isinstance(super_, Const) and super_.value is super):
        proxy = machine.call(super_, [cls, self] if op.imm[1] else [])
        return machine.getattr(proxy, name)
    return machine.getattr(Intrinsic("super", None, (cls, self)), name)


@handles("load_special")
def _load_special(machine, frame, op, value):
    return attributes.special(machine, value, op.imm)


@handles("getitem")
def _getitem(machine, frame, op, value, key):
    mark = machine.heap.next_identity
    result = machine.getitem(value, key)
    if type(result) is NdArray or type(result) is BoundedArray:
        memory_order.note_maker(machine, mark, result, operator.getitem, (value, key), {})
    return result


@handles("setitem")
def _setitem(machine, frame, op, value, key, item):
    machine.setitem(value, key, item)


@handles("delitem")
def _delitem(machine, frame, op, value, key):
    machine.delitem(value, key)


@handles("slice")
def _slice(machine, frame, op, start, stop, step=NONE):
    parts = (start, stop, step)
    if all(isinstance(p, Const) for p in parts):
        return Const(slice(*(p.value for p in parts)))
    return Slice(*parts)


@handles("unary")
def _unary(machine, frame, op, value):
    result = machine.unary(op.imm, value)
    return overflow.guarded_negation(machine, value, result) if op.imm == "-" else result


@handles("not")
def _not(machine, frame, op, value):
    test = machine.truth(value)
    if isinstance(test, Var):
        return machine.boolean(machine.builder.elementwise("bitwise_not", test))
    return Const(not test)


#: classes of constants whose truth is no code of the program
_PLAIN_TRUTH = frozenset((bool, int, str, float, types.NoneType, types.FunctionType))


@handles("truth")
def _truth(machine, frame, op, value):
    if type(value) is Const and type(value.value) in _PLAIN_TRUTH:
        return TRUE if value.value else FALSE
    return machine.boolean(machine.truth(value))


@handles("binary")
def _binary(machine, frame, op, left, right):
    return overflow.binary(machine, op.imm, left, right)


@handles("inplace")
def _inplace(machine, frame, op, left, right):
    return overflow.binary(machine, op.imm + "=", left, right)


@handles("compare")
def _compare(machine, frame, op, left, right):
    return machine.compare(op.imm, left, right)


@handles("is")
def _is(machine, frame, op, left, right):
    test = machine.is_(left, right)
    return invert(machine, test) if op.imm else machine.boolean(test)


@handles("contains")
def _contains(machine, frame, op, item, container):
    test = objects.contains(machine, item, container)
    return invert(machine, test) if op.imm else machine.boolean(test)


def invert(machine: Machine, test: bool | Var) -> Value:
    """`not test`."""
    if isinstance(test, Var):
        return machine.boolean(machine.builder.elementwise("bitwise_not", test))
    return Const(not test)


# -- building ----------------------------------------------------------------------------------------------------------


@handles("tuple")
def _tuple(machine, frame, op, *items):
    return Tuple(items)


@handles("list")
def _list(machine, frame, op, *items):
    return machine.new_list(items)


@handles("set")
def _set(machine, frame, op, *items):
    made = machine.new_set([], set_iteration_order.EMPTY)
    _add_each(machine, made, items)
    return made


@handles("dict")
def _dict(machine, frame, op, *parts):
    made = machine.new_dict({})
    for index in range(0, len(parts), 2):
        container_protocol.setitem(machine, made, parts[index], parts[index + 1])
    return made


@handles("string")
def _string(machine, frame, op, *parts):
    return string_formatting.join_strings(machine, parts)


@handles("format")
def _format(machine, frame, op, value, specification=None):
    return string_formatting.format_value(machine, value, specification or Const(""), op.imm)


@handles("convert")
def _convert(machine, frame, op, value):
    return string_formatting.format_value(machine, value, Const(""), op.imm)


@handles("list_append")
def _list_append(machine, frame, op, target, value):
    append(machine, target, value)


def append(machine: Machine, target: Ref, value: Value) -> None:
    """`target.append(value)` of a list."""
    items = machine.heap.read(target.object, "<items>")
    if isinstance(items, Tuple):
        machine.heap.write(target.object, "<items>", Tuple((*items.items, value)))
    else:
        machine.call(machine.getattr(target, "append"), [value])


@handles("set_add")
def _set_add(machine, frame, op, target, value):
    _add_each(machine, target, [value])


def _add_each(machine, target, items):
    add = machine.getattr(target, "add")
    for item in items:
        machine.call(add, [item])


@handles("dict_set")
def _dict_set(machine, frame, op, target, key, value):
    container_protocol.setitem(machine, target, key, value)


@handles("list_extend")
def _list_extend(machine, frame, op, target, iterable):
    if not isinstance(iterable, Union) and not iteration.is_iterable(machine, iterable):
        name = iteration.type_name(machine, iterable)
        machine.raise_(TypeError, f"Value after * must be an iterable, not {name}")
    machine.call(machine.getattr(target, "extend"), [iterable])


@handles("set_update")
def _set_update(machine, frame, op, target, iterable):
    machine.call(machine.getattr(target, "update"), [iterable])


@handles("dict_update", "dict_merge")
def _dict_update(machine, frame, op, target, mapping, function=None):
    if op.kind == "dict_update":
        if not isinstance(mapping, Union) and not defines(machine, machine.type_of(mapping), "keys"):
            machine.raise_(TypeError, f"'{iteration.type_name(machine, mapping)}' object is not a mapping")
        machine.call(machine.getattr(target, "update"), [mapping])
        return
    if not isinstance(mapping, Union) and not defines(machine, machine.type_of(mapping), "keys"):
        name, given = objects.called_name(machine, function), iteration.type_name(machine, mapping)
        machine.raise_(TypeError, f"{name} argument after ** must be a mapping, not {given}")
    entries = container_protocol.entries(machine, target)
    new = objects.mapping_entries(machine, mapping)
    for key in new:
        if key in entries:
            name = objects.called_name(machine, function)
            machine.raise_(TypeError, f"{name} got multiple values for keyword argument '{key}'")
    machine.heap.write(target.object, "<items>", Mapping({**entries, **new}))


@handles("list_to_tuple")
def _list_to_tuple(machine, frame, op, target):
    if _has_dynamic_length(machine, target):
        return machine.call(Const(tuple), (target,))
    return Tuple(tuple(machine.iterate(target)))


def _has_dynamic_length(machine, sequence) -> bool:
    """Whether data says how many items an array or a list has."""
    if isinstance(sequence, Ref) and machine.heap.objects[sequence.object].kind in ("list", "tuple"):
        return isinstance(machine.heap.read(sequence.object, "<items>"), GrowableList)
    return isinstance(sequence, BoundedArray) and sequence.axes[0] is not None


@handles("unpack")
def _unpack(machine, frame, op, sequence):
    before, after = op.imm
    if after is None and _has_dynamic_length(machine, sequence):
        machine.call(Const(objects.check_items), (sequence, Const(before)))
        return tuple([machine.getitem(sequence, Const(k)) for k in range(before)])
    if after is not None and _has_dynamic_length(machine, sequence):
        parts = machine.call(Const(objects.unpacked_around), (sequence, Const(before), Const(after)))
        return tuple(machine.iterate(parts))
    if not isinstance(sequence, Union) and not iteration.is_iterable(machine, sequence):
        machine.raise_(TypeError, f"cannot unpack non-iterable {iteration.type_name(machine, sequence)} object")
    if after is not None and iteration.is_users(machine, sequence):
        begun = iteration.make_iterator(machine, sequence)
        parts = machine.call(Const(objects.unpacked_users), (begun, *map(Const, op.imm)))
        return tuple(machine.iterate(parts))
    begun = machine.save() if machine.catching and isinstance(sequence, Ref) else None
    items = machine.iterate(sequence)
    count = len(items)
    if after is None:
        if count < before:
            machine.raise_(ValueError, f"not enough values to unpack (expected {before}, got {count})")
        if count > before:
            if begun is not None and machine.heap.objects[as_ref(sequence).object].kind in ("iterator", "generator"):
                machine.rewind(begun)
                iteration.take(machine, sequence, before + 1)  # what is behind stays for others
            known = isinstance(sequence, Tuple) or kinds.type_of(machine, sequence) in (list, dict)
            got = f", got {count}" if known and objects.REPORTS_TOO_MANY else ""
            machine.raise_(ValueError, f"too many values to unpack (expected {before}{got})")
        return tuple(items)
    if count < before + after:
        machine.raise_(ValueError, f"not enough values to unpack (expected at least {before + after}, got {count})")
    middle = machine.new_list(items[before : count - after])
    return (*items[:before], middle, *items[count - after :])
