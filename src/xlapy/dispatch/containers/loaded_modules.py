"""`sys.modules`, asked for one module. Modules are imported all the time: nothing is assumed of the others."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.containers import container_protocol, dynamic_dict_methods, dynamic_sets  # noqa: F401 (their rules come before)
from xlapy.dispatch.numbers.scalar_values import fold
from xlapy.domain.sources import item
from xlapy.domain.values import NONE, Const, Ref, Value
from xlapy.ir import Var


def _is_asked(machine, modules: Value, name: Value) -> bool:
    """Whether a module is looked for in `sys.modules`, which the program has not read or changed as a whole."""
    if (
        not container_protocol.is_modules(machine, modules)
        or not isinstance(name, Const)
        or type(name.value) is not str
    ):
        return False
    assert isinstance(modules, Ref)
    slot = (modules.object, "<items>")
    return slot not in machine.heap.slots and slot not in machine.heap.initial


def _found(machine, modules: Ref, name: Const) -> Value | None:
    """The module of a name, or None, from now on assumed."""
    source = machine.heap.objects[modules.object].source
    assert source is not None
    where = item(source, name.value)
    if name.value not in sys.modules:
        machine.world.guard("missing", where)
        return None
    return machine.world.wrap(sys.modules[name.value], where)


def _subscripts(before: Callable) -> Callable:
    def getitem(machine, container: Ref, key: Value) -> Value:
        if not _is_asked(machine, container, key):
            return before(machine, container, key)
        assert isinstance(key, Const)
        return _found(machine, container, key) or fold(machine, operator.getitem, {}, key.value)

    return getitem


def _membership(before: Callable) -> Callable:
    def contains(machine, key: Value, container: Value) -> bool | Var:
        if not _is_asked(machine, container, key):
            return before(machine, key, container)
        assert isinstance(key, Const) and isinstance(container, Ref)
        return _found(machine, container, key) is not None

    return contains


def _methods(before: Callable) -> Callable:
    def get(machine, self: Ref, key: Value, default: Value = NONE) -> Value:
        if not _is_asked(machine, self, key):
            return before(machine, self, key, default)
        assert isinstance(key, Const)
        return _found(machine, self, key) or default

    return get


container_protocol.GETITEM[dict] = _subscripts(container_protocol.GETITEM[dict])
container_protocol.CONTAINS[dict] = _membership(container_protocol.CONTAINS[dict])
registry.method(dict, "get")(registry.takes_unions(_methods(registry.method_rule(dict, "get"))))
