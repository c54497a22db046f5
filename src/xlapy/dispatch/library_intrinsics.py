"""Rules of what functions of the library ask the compiler; `xlapy.library.intrinsics` says what they mean."""

from __future__ import annotations

from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.numbers.scalar_values import device, refuse_where, scalar
from xlapy.dispatch.numpy.rule_operands import operand
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import NONE, BoundedArray, Const, Ref, Value
from xlapy.library import intrinsics

_ROOM = "a sparse matrix whose arrays have room for more elements than it has"
_ROOM_HINT = "call its method prune() before"
_UNSORTED = "a sparse matrix with columns that are out of order or twice in a row"
_UNSORTED_HINT = "call its method sum_duplicates() before"


def _intrinsic(function: Callable) -> Callable[[registry.R], registry.R]:
    """Register the rule of a function, for arrays of dynamic length, too."""

    def register(rule: registry.R) -> registry.R:
        registry.function(function, kind=DYNAMIC_LENGTH)(rule)
        return registry.function(function)(rule)

    return register


@_intrinsic(intrinsics.refuse)
def _refuse(machine: Machine, what: Value) -> Value:
    raise Refused("XP0011", machine.static(what))


@_intrinsic(intrinsics.room)
def _room(machine: Machine, array: Value) -> Value:
    parts = masked_axes.parts(machine, array)
    return Const(int((parts[0].type if parts else operand(machine, array).type).shape[0]))


@_intrinsic(intrinsics.known_length)
def _known_length(machine: Machine, array: Value) -> Value:
    return NONE if isinstance(array, BoundedArray) and array.axes[0] is not None else _room(machine, array)


@_intrinsic(intrinsics.at_most)
def _at_most(machine: Machine, number: Value, most: Value) -> Value:
    high = machine.static(most)
    return number if isinstance(number, Const) else scalar(machine, int, device(machine, number, int), (0, int(high)))


@_intrinsic(intrinsics.is_given)
def _is_given(machine: Machine, matrix: Value) -> Value:
    return Const(isinstance(matrix, Ref) and machine.heap.objects[matrix.object].source is not None)


@_intrinsic(intrinsics.is_known)
def _is_known(machine: Machine, flag: Value, value: Value) -> Value:
    return Const(machine.is_static(flag) and machine.is_static(value) and machine.static(flag) == machine.static(value))


@_intrinsic(intrinsics.refuse_room)
def _refuse_room(machine: Machine, bad: Value) -> Value:
    refuse_where(machine, machine.truth(bad), "XP0010", _ROOM, _ROOM_HINT)
    return NONE


@_intrinsic(intrinsics.refuse_unsorted)
def _refuse_unsorted(machine: Machine, bad: Value) -> Value:
    refuse_where(machine, machine.truth(bad), "XP0010", _UNSORTED, _UNSORTED_HINT)
    return NONE
