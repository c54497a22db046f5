"""Iterators: heap objects of kind 'iterator', whose `details` is a `Kind`, the functions of one sort of iterator.

An iterator can be stepped (`step`), and some can be planned (`plan`): then the number of remaining items is a value,
and the k-th one can be computed for an index on the device, which makes a loop over it a loop on the device.
What changes is in slots of the object, values that it refers to too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.dispatch import kinds, unions
from xlapy.dispatch.effects import Trial
from xlapy.dispatch.iterators import deques
from xlapy.dispatch.iterators.dict_views import dict_iterator
from xlapy.dispatch.iterators.sequences import (
    INDEXED,
    SEVERAL,
    Kind,
    Plan,
    Step,
    is_iterator,
    new,
    require_sequences,
    sequence_of,
)
from xlapy.dispatch.numbers.scalar_values import (
    INT_MAX,
    defines,
    logical_and,
    logical_not,
    logical_or,
)
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import (
    UNBOUND,
    Const,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    alternatives,
    as_ref,
)
from xlapy.ir import Var
from xlapy.library.builtins import lazy_iterators

#: items that may be unrolled
MAXIMUM_ITEMS = 100_000
_ZERO = Const(0)
_ONE = Const(1)
_END = Const(-1)


def _kind(machine, iterator: Value) -> Kind | None:
    details = machine.heap.objects[iterator.object].details if isinstance(iterator, Ref) else None
    return details if isinstance(details, Kind) else None


# -- what the interpreter calls ---------------------------------------------------------------------------------------


def make_iterator(machine, value: Value) -> Value:
    """`iter(value)`."""
    if isinstance(value, Union):
        require_sequences(machine, value)
        return new(machine, INDEXED, type(iter([])), source=value, position=_ZERO)
    if is_iterator(machine, value):
        return value
    if deques.is_deque(machine, value):
        return deques.deque_iterator(machine, as_ref(value))
    source = sequence_of(machine, value)
    if source is not None:
        cls = type(iter(())) if not isinstance(value, Ref) else type(iter([]))
        return new(machine, INDEXED, cls, source=source, position=_ZERO)
    if isinstance(value, Ref):
        info = machine.heap.objects[value.object]
        if info.kind in ("dict", "set", "view"):
            return dict_iterator(machine, value)
        if info.kind == "generator":
            return value
        if info.kind == "instance":
            return _user_iterator(machine, value)
    if isinstance(value, Tuple):
        return _user_iterator(machine, value)
    return machine.raise_(TypeError, f"'{type_name(machine, value)}' object is not iterable")


def step(machine, iterator: Value) -> Step:
    """Whether there is a next item, and a function that produces it and advances the iterator."""
    kind = _kind(machine, iterator)
    if kind is not None:
        return kind.step(machine, as_ref(iterator).object)
    if isinstance(iterator, Union):
        raise Refused("XP0004", SEVERAL)
    return _user_step(machine, iterator)


def plan(machine, iterator: Value) -> Plan | None:
    """How to loop over the iterator on the device; None if it is to be unrolled."""
    kind = _kind(machine, iterator)
    return kind.plan(machine, as_ref(iterator).object) if kind is not None else None


def plan_of_short(machine, iterator: Value) -> Plan | None:
    """The same, where a sequence may be short."""
    outer, machine.short_sequence = machine.short_sequence, 1
    try:
        return plan(machine, iterator)
    finally:
        machine.short_sequence = outer


def known_length(machine, iterator: Value) -> int | None:
    """The number of remaining items, if it is known."""
    kind = _kind(machine, iterator)
    if kind is None:
        return None
    found = kind.known_length(machine, as_ref(iterator).object)
    if found is None:
        made = kind.plan(machine, as_ref(iterator).object)
        if made is not None and isinstance(made.iterations, Const) and made.iterations.value != INT_MAX:
            return made.iterations.value
    return found


def items(machine, value: Value, most: int = MAXIMUM_ITEMS) -> list[Value]:
    """All items of an iterable, of which there may be so many; their number is asked for if it is dynamic."""
    if isinstance(value, Tuple) and value.cls is tuple:
        return list(value.items)
    if isinstance(value, Ref):
        kind = machine.heap.objects[value.object].kind
        if kind == "list":
            return list(growable_list_items.items(machine, machine.heap.read(value.object, "<items>")))
        if kind == "generator":
            return machine.run_generator(value)
    iterator = make_iterator(machine, value)
    made = plan(machine, iterator)
    if made is not None:
        iterations = made.iterations
        if isinstance(iterations, Scalar):
            iterations = Const(machine.static(iterations, "the number of items"))
        assert isinstance(iterations, Const)
        if iterations.value > most:
            raise Refused("XP0009", f"an iterable of more than {most} items is taken item by item")
        found = [made.element(Const(k)) for k in range(iterations.value)]
        made.finish(iterations, True)
        return found
    found = []
    while True:
        more, element = step(machine, iterator)
        if isinstance(more, Var):
            raise Refused(
                "XP0013", "the number of items depends on data", "use a loop that appends, or an array with a mask"
            )
        if not more:
            return found
        found.append(element())
        if len(found) > most:
            raise Refused("XP0009", f"an iterable of more than {most} items is taken item by item")


def begun(machine, value: Value, sized: bool = False) -> Value:
    """An object of the user's that is iterable, as the generator or iterator that it gives, which nobody has to call
    `iter` of again; other values as they are.

    Args:
        value: the iterable.
        sized: whether its length is asked for, as CPython does where it makes a list or a tuple.
    """
    if not (is_users(machine, value) and is_iterable(machine, value)):
        return value
    iterator = make_iterator(machine, value)
    if sized:
        cls = machine.type_of(value)
        asks = [defines(machine, cls, name) for name in ("__len__", "__length_hint__")]
        if any(asks):
            machine.call(Const(lazy_iterators.length_hint), [value, Const(0), *map(Const, asks)])
    if is_users(machine, iterator) and not _is_its_own(machine, iterator):
        return new(machine, _BEGUN, type(iter(_Subscriptable())), inner=iterator)
    return iterator


def _is_its_own(machine, iterator: Value) -> bool:
    """Whether `iter(iterator)` is the iterator, and nobody can tell that it was called."""
    with Trial(machine) as trial:
        try:
            same = make_iterator(machine, iterator) == iterator
        except PythonError:
            same = False
        same = same and not trial.changes() and not trial.raises()
        trial.take_back()
    return same


def begun_twice(machine, value: Value) -> Value:
    """The same where CPython makes a list not of the iterable, but of its iterator."""
    return begun(machine, make_iterator(machine, value), True) if is_users(machine, value) else value


def is_users(machine, value: Value) -> bool:
    """Whether a value is an object of a class of the user's."""
    return isinstance(value, Ref) and machine.heap.objects[value.object].kind == "instance"


def take(machine, iterator: Value, count: int) -> None:
    """Move an iterator on by so many items, of as many that are known to come."""
    for _ in range(count):
        more, element = step(machine, iterator)
        assert more is True
        element()


def is_generator(machine, value: Value) -> bool:
    """Whether a value is a generator."""
    return isinstance(value, Ref) and machine.heap.objects[value.object].kind == "generator"


def is_iterable(machine, value: Value) -> bool:
    """Whether `iter(value)` may be: a number of NumPy's can be indexed, but not iterated over."""
    cls = machine.type_of(value)
    if issubclass(cls, np.generic) and not issubclass(cls, np.flexible):
        return False
    return defines(machine, cls, "__iter__") or defines(machine, cls, "__getitem__")


def type_name(machine, value: Value) -> str:
    """The name of a value's type in CPython's messages."""
    return kinds.shown(machine.type_of(value))


# -- objects of the user's --------------------------------------------------------------------------------------------


def _special(machine, value: Value, name: str) -> bool:
    return defines(machine, machine.type_of(value), name)


def _user_iterator(machine, value: Value) -> Value:
    if _special(machine, value, "__iter__"):
        made = machine.call(machine.getattr(value, "__iter__"), [])
        if is_iterator(machine, made) or isinstance(made, Union) or _special(machine, made, "__next__"):
            return made
        return machine.raise_(TypeError, f"iter() returned non-iterator of type '{type_name(machine, made)}'")
    if _special(machine, value, "__getitem__"):
        return new(machine, _GETITEM, type(iter(_Subscriptable())), source=value, position=_ZERO)
    return machine.raise_(TypeError, f"'{type_name(machine, value)}' object is not iterable")


class _Subscriptable:
    """Something with `__getitem__` alone, for the type of its iterator."""

    def __getitem__(self, index: int) -> int:
        raise IndexError(index)


def catching(machine, cls: type, action: Callable[[], Value]) -> tuple[Value, bool | Var]:
    """The value of `action()`, and whether it raised an exception of class `cls` instead (other ones propagate). A
    function does nothing where something has been raised before."""
    outer: list[tuple[Var, Value]] = []
    if any(_may_be(machine, exception, cls) for _, exception in machine.pending):
        outer, machine.pending = machine.pending, []
    machine.catching += 1
    value, certain = UNBOUND, None
    try:
        value = action()
    except PythonError as error:
        certain = error
    finally:
        machine.catching -= 1
        mine, machine.pending = machine.pending, outer
    raised: bool | Var = False
    for bad, exception in mine:
        bad = logical_and(machine, bad, logical_not(machine, raised))
        raised = logical_or(machine, raised, _caught(machine, cls, bad, exception))
    if certain is None:
        return value, raised
    if not isinstance(certain.value, Union) and not issubclass(machine.type_of(certain.value), cls):
        if raised is False:
            raise certain
        machine.may_raise(logical_not(machine, raised), certain.value)
        return UNBOUND, True
    if isinstance(certain.value, Union):
        _caught(machine, cls, logical_not(machine, raised), certain.value)
    return UNBOUND, True


def _may_be(machine, exception: Value, cls: type) -> bool:
    return any(issubclass(machine.type_of(one), cls) for one in alternatives(exception))


def _caught(machine, cls: type, bad: bool | Var, exception: Value) -> bool | Var:
    """Whether an exception that is raised where `bad` is true is one of class `cls`; one of another class
    propagates."""
    if not isinstance(exception, Union):
        if issubclass(machine.type_of(exception), cls):
            return bad
        if bad is True:
            raise PythonError(exception)
        if isinstance(bad, Var):
            machine.may_raise(bad, exception)
        return False
    caught: bool | Var = False
    for index in unions.possible(machine, exception):
        here = logical_and(machine, bad, unions.selects(machine, exception, index))
        caught = logical_or(machine, caught, _caught(machine, cls, here, exception.alternatives[index]))
    return caught


def _user_step(machine, iterator: Value) -> Step:
    """One call of `__next__`; StopIteration is the end."""
    if is_generator(machine, iterator):
        done, item, _ = machine.advance(iterator)
        return logical_not(machine, done), lambda: item
    value, ended = catching(machine, StopIteration, lambda: machine.call(machine.getattr(iterator, "__next__"), []))
    return logical_not(machine, ended), lambda: value


def _getitem_step(machine, number: int) -> Step:
    source, position = machine.heap.read(number, "source"), machine.heap.read(number, "position")
    value, ended = catching(machine, IndexError, lambda: machine.getitem(source, position))

    def element() -> Value:
        machine.heap.write(number, "position", machine.binary("+", position, _ONE))
        return value

    return logical_not(machine, ended), element


_GETITEM = Kind("getitem", _getitem_step)


def _sentinel_step(machine, number: int) -> Step:
    """`iter(function, sentinel)`."""
    if machine.heap.read(number, "position") is not UNBOUND:
        return False, lambda: UNBOUND
    value = machine.call(machine.heap.read(number, "function"), [])
    ended = machine.truth(machine.compare("==", value, machine.heap.read(number, "sentinel")))
    if ended is True:
        machine.heap.write(number, "position", _END)
    return logical_not(machine, ended), lambda: value


def _begun_step(machine, number: int) -> Step:
    return _user_step(machine, machine.heap.read(number, "inner"))


SENTINEL = Kind("sentinel", _sentinel_step)
#: an iterator of the user's, of which `iter` was called
_BEGUN = Kind("begun", _begun_step)
