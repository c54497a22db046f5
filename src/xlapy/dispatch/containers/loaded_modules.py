"""`sys.modules`, asked for one module. Modules are imported all the time: nothing is assumed of the others.

if "pandas" in sys.modules: ...
sys.modules["math"].sqrt(x), sys.modules.get(name)
"""

from __future__ import annotations

import operator
import sys

from xlapy.dispatch.containers import container_protocol
from xlapy.dispatch.numbers.scalar_values import fold
from xlapy.domain.sources import item
from xlapy.domain.values import Const, Ref, Value


def is_asked(machine, modules: Value, name: Value) -> bool:
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


def module_of(machine, modules: Value, name: Value) -> Value | None:
    """The module of a name, or None, from now on assumed."""
    assert isinstance(modules, Ref) and isinstance(name, Const)
    source = machine.heap.objects[modules.object].source
    assert source is not None
    where = item(source, name.value)
    if name.value not in sys.modules:
        machine.world.guard("missing", where)
        return None
    return machine.world.wrap(sys.modules[name.value], where)


def subscript(machine, modules: Value, name: Value) -> Value:
    """`sys.modules[name]`."""
    assert isinstance(name, Const)
    return module_of(machine, modules, name) or fold(machine, operator.getitem, {}, name.value)
