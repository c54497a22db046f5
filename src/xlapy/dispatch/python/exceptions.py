"""Exceptions as values: what is raised, its class, its arguments and its cause."""

from __future__ import annotations

from collections.abc import Sequence

from xlapy.dispatch import registry
from xlapy.dispatch.kinds import type_of
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.unions import over_unions
from xlapy.domain.exception_attributes import ABSENT, INITIALISED, NOTES
from xlapy.domain.values import (
    NONE,
    UNBOUND,
    Const,
    Ref,
    Tuple,
    Union,
    Value,
    as_ref,
    is_none,
)

_NO_EXCEPTION = "exceptions must derive from BaseException"


def as_exception(machine: Machine, value: Value, otherwise: str = _NO_EXCEPTION) -> Value:
    """What `raise value` raises: an instance, or an instance of a class; `otherwise` is the message where it is
    neither."""
    if isinstance(value, Const) and isinstance(value.value, type) and issubclass(value.value, BaseException):
        return machine.call(value, ())
    if is_exception(machine, value):
        return value
    if isinstance(value, Union):
        return over_unions(machine, (value,), lambda v: as_exception(machine, v, otherwise))
    return machine.raise_(TypeError, otherwise)


def is_exception(machine: Machine, value: Value) -> bool:
    """Whether a value is an exception that can be raised as it is."""
    if isinstance(value, Const):
        return isinstance(value.value, BaseException)
    return isinstance(value, Ref) and issubclass(machine.heap.objects[value.object].cls, BaseException)


def arguments(machine: Machine, value: Value) -> Value:
    """`error.args`: a tuple, or one of several."""
    if isinstance(value, Const):
        return Tuple(tuple(map(Const, value.value.args)))
    args = machine.heap.read(as_ref(value).object, "args")
    if not isinstance(args, Union) or UNBOUND not in args.alternatives:
        return args
    # on a path on which it was not made, it is not looked at
    made = [v for v in args.alternatives if v is not UNBOUND]
    return (
        made[0]
        if len(made) == 1
        else Union(args.selector, tuple(v if v in made else made[0] for v in args.alternatives))
    )


def exception_parts(machine: Machine, value: Value) -> tuple[type, tuple[Value, ...]]:
    """The class of an exception and its arguments."""
    args = arguments(machine, value)
    if not isinstance(args, Tuple):
        raise Refused("XP0004", "an exception whose arguments are one tuple or another, depending on data")
    return type_of(machine, value), args.items


# -- attributes -------------------------------------------------------------------------------------------------------


def hidden_attribute(machine: Machine, value: Value, name: str) -> Value | None:
    """An attribute that every exception has of its own accord; None for any other."""
    if name in ("__context__", "__traceback__"):
        what = "what was handled when an exception was raised" if name == "__context__" else "where it was raised"
        raise Refused("XP0003", f"'{name}' of an exception: {what} is not known on the device")
    if not isinstance(value, Ref) or name not in ("__cause__", "__suppress_context__"):
        return None
    cause = machine.heap.read(value.object, "__cause__")
    if name == "__cause__":
        return over_unions(machine, (cause,), lambda v: NONE if v is UNBOUND else v)
    own = machine.heap.read(value.object, name)
    if own is not UNBOUND:
        return own
    return over_unions(machine, (cause,), lambda v: Const(v is not UNBOUND))


def assigned(machine: Machine, value: Ref, name: str, item: Value) -> Value:
    """What an exception holds after `error.name = item`."""
    if name == "args" and issubclass(machine.type_of(value), _HOLDS_MORE):
        raise Refused("XP0010", "the arguments are assigned of an exception that holds what its class made of them")
    if name == "args":
        return machine.call(Const(tuple), [item])
    if name in ("__cause__", "__context__") and not is_none(item) and not is_exception(machine, item):
        if isinstance(item, Union):
            return over_unions(machine, (item,), lambda v: assigned(machine, value, name, v))
        what = name.strip("_")
        machine.raise_(TypeError, f"exception {what} must be None or derive from BaseException")
    return item


def check_made(cls: type, args: Sequence[Value], kwargs: dict[str, Value]) -> None:
    """Refuse an exception of which the class looks at its arguments in compiled code."""
    looks = issubclass(cls, _OF_UNICODE) or issubclass(cls, (OSError, SyntaxError)) and len(args) > 1
    if looks or kwargs and cls.__init__ in _TAKES_NAMES:
        raise Refused("XP0003", f"what {cls.__name__} makes of its arguments", "raise an exception of another class")


_OF_UNICODE = (UnicodeEncodeError, UnicodeDecodeError, UnicodeTranslateError)
#: what keeps what it was made of apart from `args`
_HOLDS_MORE = (OSError, ImportError, SyntaxError, StopIteration, SystemExit, UnicodeError)
_TAKES_NAMES = [c.__init__ for c in (ImportError, AttributeError, NameError)]


def attributes(machine: Machine, value: Value) -> tuple[tuple[str, Value], ...]:
    """What an exception has beside its arguments, by name: attributes that were set, its cause, its notes."""
    if not isinstance(value, Ref):
        return ()
    heap = machine.heap
    found = {name: heap.read(value.object, name) for name in sorted(heap.objects[value.object].fields - {"args"})}
    for name, held in found.items():
        if isinstance(held, Union) and UNBOUND in held.alternatives:
            if name in (NOTES, "__cause__"):
                raise Refused("XP0004", f"an exception that has {name} on some paths only")
            known = tuple(Const(ABSENT) if part is UNBOUND else part for part in held.alternatives)
            found[name] = Union(held.selector, known)
    held = {name: v for name, v in found.items() if v is not UNBOUND and not (name == "__cause__" and v == NONE)}
    done = ((INITIALISED, NONE),) if heap.objects[value.object].details == INITIALISED else ()
    return (*done, *((name, _notes(machine, v) if name == NOTES else v) for name, v in held.items()))


def _notes(machine: Machine, notes: Value) -> Value:
    """The notes of an exception, as they are now."""
    return Tuple(tuple(machine.iterate(notes)))


@registry.method(BaseException, "with_traceback")
def with_traceback(machine: Machine, error: Value, traceback: Value, /) -> Value:
    """`error.with_traceback(None)`."""
    if not is_none(traceback):
        raise Refused("XP0003", "a traceback is set: where an exception was raised is not known on the device")
    return error


@registry.method(BaseException, "add_note")
def add_note(machine: Machine, error: Value, note: Value, /) -> Value:
    """`error.add_note(note)`."""
    if not isinstance(error, Ref):
        raise Refused("XP0003", "a note on an exception that was made outside")
    if not issubclass(machine.type_of(note), str):
        try:
            Exception().add_note(machine.static(note, "a note"))
        except TypeError as failure:
            return machine.reraise(failure)
    notes = machine.heap.read(error.object, NOTES)
    if isinstance(notes, Union):
        raise Refused("XP0004", "a note on an exception that has notes on some paths only")
    if notes is UNBOUND:
        machine.heap.write(error.object, NOTES, machine.new_list([note]))
    else:
        machine.call(machine.getattr(notes, "append"), (note,))
    return NONE
