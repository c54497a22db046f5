"""What a program asks of the process that it runs in: the plugins that are installed, the garbage collector."""

from __future__ import annotations

import gc
import importlib.metadata

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import Value


@registry.function(importlib.metadata.entry_points)
def _entry_points(machine: Machine, **params: Value) -> Value:
    """The entry points of what is installed, which is taken for a fact, as code is: none, or a refusal."""
    found = importlib.metadata.entry_points(**{name: machine.static(value) for name, value in params.items()})
    if len(found):
        raise Refused("XP0003", "importlib.metadata.entry_points that finds some reads files")
    return machine.call(machine.world.wrap_anchored(_NoEntryPoints), ())


class _NoEntryPoints:
    """`importlib.metadata.EntryPoints` without one."""

    def __init__(self):
        #: an object of this class cannot leave the program
        self.found = iter(())

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __getitem__(self, name):
        raise KeyError(name)

    def select(self, **params):
        return self

    @property
    def names(self):
        return set()

    @property
    def groups(self):
        return set()


class _Unknown:
    """A number that nobody can tell, such as how many objects the garbage collector has found: to compute with it is
    refused."""

    __array_ufunc__ = None

    def __init__(self):
        #: an object of this class cannot leave the program
        self.number = iter(())


def _ask(*numbers):
    return numbers


@registry.function(_ask)
def _asked(machine: Machine, *numbers: Value) -> Value:
    raise Refused("XP0003", "a number is asked that is known on the host only, when the program has run")


for _name in vars(int).keys() - vars(object).keys() | {"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}:
    if _name.startswith("__"):
        setattr(_Unknown, _name, _ask)


def unknown(machine: Machine) -> Value:
    """A number that nobody can tell."""
    return machine.call(machine.world.wrap_anchored(_Unknown), ())


@registry.function(gc.collect)
def _collect(machine: Machine, generation: Value | None = None) -> Value:
    """`gc.collect()` changes nothing that a program can see but the number that it returns."""
    return unknown(machine)
