"""Rules for methods of dicts and sets: whether the keys are known, or are to be looked for on the device.

    counts.get(k, 0), counts.pop(k), seen.add(k), seen.discard(k)

A dict of known keys becomes one of unknown keys with the first key that data gives (see `dynamic_dicts`).
"""

from __future__ import annotations

from collections.abc import Callable

from xlapy.dispatch import kinds, registry, unions
from xlapy.dispatch.containers import container_protocol, dynamic_dicts, known_keys, loaded_modules
from xlapy.dispatch.numbers.scalar_values import logical_not
from xlapy.domain.growable_lists import Overfull
from xlapy.domain.values import Const, Ref, Union, Value, as_ref


def is_unknown(machine, self: Value, key: Value) -> bool:
    """Whether a key is looked for row by row in a dict or set, or in one that becomes one of unknown keys for it."""
    if dynamic_dicts.of(machine, self) is not None:
        return True
    if not isinstance(self, Ref):
        return False
    if dynamic_dicts.holds_tuples(machine, key):
        return kinds.heap_kind(machine, self) in ("dict", "set")
    if not container_protocol.compares_by_value(machine, key):
        return False
    known = container_protocol.entries(machine, self)
    return container_protocol.resolved(machine, known, as_ref(key)) is None


def takes_new(machine, self: Ref, key: Value) -> bool:
    """Whether a dict of known keys becomes one of unknown keys with this key. Where it may be one of those that are
    there, it is taken for one at first: if it is not, the call is compiled again."""
    known = container_protocol.entries(machine, self)
    if dynamic_dicts.holds_tuples(machine, key):
        return True
    if container_protocol.compares_by_value(machine, key) and container_protocol.resolved(machine, known, key) is None:
        return True
    if not dynamic_dicts.is_new(machine, key):
        return False
    one_of = dynamic_dicts.choices(key)
    if one_of is not None:
        return not all(container_protocol.key_of(machine, one, known) in known for one in one_of)
    if len(known) < 2 or isinstance(key, Ref):
        return True
    _, there = known_keys.find(machine, known, key)
    if isinstance(there, bool):
        return not there
    guess = ("keys", machine.builder.location())
    if machine.capacities.get(guess):
        return True
    machine.guesses[guess] = 1
    machine.register_error(logical_not(machine, there), machine.exception(Overfull, Const(guess)))
    return False


def keyed(name: str, *classes: type, grows: bool = False) -> Callable:
    """Register `rule(machine, self, unknown, *args)` for a method of dicts or sets whose first argument, if it has any,
    is a key; `unknown` says whether keys are looked for on the device. With `grows`, a new key may make them so."""

    def register(rule: Callable) -> Callable:
        @registry.takes_unions
        def with_key(machine, self: Value, /, *args: Value, **kwargs: Value) -> Value:
            key, more = args[:1], args[1:]

            def chosen(self: Value, *rest: Value) -> Value:
                named = dict(zip(kwargs, rest[len(more) :], strict=True))
                return with_key(machine, self, *key, *rest[: len(more)], **named)

            others = (self, *more, *kwargs.values())
            if any(type(v) is Union for v in others):
                return unions.over_unions(machine, others, chosen)
            if not key:
                unknown = dynamic_dicts.of(machine, self) is not None
                return registry.passed_on(rule, machine, self, unknown, **kwargs)
            if container_protocol.is_hashable_or_not(machine, key[0]):
                return unions.over_parts(machine, key[0], lambda k: with_key(machine, self, k, *more, **kwargs))
            if loaded_modules.is_asked(machine, self, key[0]):
                return registry.passed_on(rule, machine, self, False, *args, **kwargs)
            unknown = is_unknown(machine, self, key[0])
            if unknown or grows and isinstance(self, Ref) and takes_new(machine, self, key[0]):
                return registry.passed_on(rule, machine, self, True, *args, **kwargs)
            apart = lambda k: registry.passed_on(rule, machine, self, False, k, *more, **kwargs)  # noqa: E731
            return unions.over_parts(machine, key[0], apart)

        for cls in classes:
            registry.method(cls, name)(with_key)
        return rule

    return register
