"""`__hash__` and `__eq__` of objects of the user's that are keys: what they raise, or change.

    class Point:
        def __eq__(self, other): return (self.x, self.y) == (other.x, other.y)
        def __hash__(self): return hash((self.x, self.y))
    seen.add(Point(i, j)); Point(i, j) in seen

Keys are compared here, whatever their hashes are. CPython asks a key for its hash each time, and compares those whose
hashes are equal alone. So a `__hash__` is called for what it raises, and one that changes something is refused; so is
an `__eq__` that does either, unless it is known which hashes are equal.
"""

from __future__ import annotations

import types
from collections.abc import Callable

from xlapy.dispatch.effects import Trial
from xlapy.dispatch.protocol import PythonError, Refused
from xlapy.domain.values import Const, Value
from xlapy.ir import Var

_MAY_RAISE = "a key whose __eq__ may raise, where data says whether CPython calls it"
_CHANGES = "a key whose __eq__ changes something"
_HINT = "let __hash__ and __eq__ only compute something"


def ask(machine, key: Value) -> int | None:
    """Call the `__hash__` of an object, for what it raises; the hash, if it is known."""
    cls = machine.type_of(key)
    if not isinstance(cls.__hash__, types.FunctionType):
        return None
    outer, machine.hashing = machine.hashing, []
    with Trial(machine) as trial:
        try:
            result = machine.call(machine.getattr(key, "__hash__"), [])
        except Refused:
            trial.take_back()
            return None
        finally:
            unknown, machine.hashing = machine.hashing, outer
        if trial.changes():
            raise Refused("XP0004", f"a key of class {cls.__name__}, whose __hash__ changes something", _HINT)
        if not trial.raises():
            trial.take_back()
    known = isinstance(result, Const) and isinstance(result.value, int) and not unknown
    return hash(result.value) if known else None


def equal(machine, one: Value, other: Value, compare: Callable[[], bool | Var]) -> bool | Var:
    """What `compare()` gives for two keys, or False if it raises and CPython does not call it, for it is known that the
    hashes differ."""
    with Trial(machine) as trial:
        try:
            same = compare()
        except PythonError:
            if _are_alike(machine, one, other):
                raise
            trial.take_back()
            return False
        if trial.changes():
            raise Refused("XP0004", _CHANGES, _HINT)
        if trial.raises() and not _are_alike(machine, one, other):
            trial.take_back()
            return False
    return same


def only_compared(machine, search: Callable[[], Value]) -> Value:
    """What `search()` finds, which compares a key with others, whatever their hashes are."""
    with Trial(machine) as trial:
        found = search()
        if trial.changes():
            raise Refused("XP0004", _CHANGES, _HINT)
        if trial.raises(in_ours=False):
            raise Refused("XP0004", _MAY_RAISE, _HINT)
    return found


def _are_alike(machine, one: Value, other: Value) -> bool:
    """Whether the hashes of two keys are equal."""
    found = [hash(v.value) if isinstance(v, Const) else ask(machine, v) for v in (one, other)]
    if None in found:
        raise Refused("XP0004", _MAY_RAISE, _HINT)
    return found[0] == found[1]
