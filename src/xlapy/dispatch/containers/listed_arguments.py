"""Built-ins that take dicts, sets and views of them whose keys depend on data: they are given lists.

sorted(seen), max(counts.values()), list(groups.items())
for k, v in enumerate(groups): ...
"""

from __future__ import annotations

from xlapy.dispatch import kinds
from xlapy.dispatch.containers import dynamic_dicts
from xlapy.dispatch.containers.dicts import unwrapped
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.vectors import dynamic_set_order
from xlapy.domain.values import Const, Stored, Tuple, Value
from xlapy.library.builtins import dict as dict_library

#: built-ins to which the order of a set does not matter
_UNORDERED = (sorted, min, max, sum, any, all, len)
_ORDERED = (list, tuple, enumerate, zip, map, filter, iter, reversed, frozenset)
#: those of them that take one item after the other, as the dict has it then
_LAZY = (enumerate, zip, map, filter, iter)


def arguments(machine, function: object, args: list[Value], kwargs: dict[str, Value]) -> tuple[list, dict]:
    """The arguments of a built-in, with lists in the place of dicts and sets of unknown keys and their views."""
    try:
        unordered, ordered = function in _UNORDERED[:-1], function in _ORDERED
    except TypeError:
        return args, kwargs
    if not (unordered or ordered):
        return args, kwargs
    args = [unwrapped(machine, a) for a in args]
    if not any(dynamic_dicts.owner(machine, a) for a in args):
        return args, kwargs
    for value in args:
        if kinds.heap_kind(machine, value) == "set" and dynamic_dicts.of(machine, value) is not None:
            if function is reversed:
                raise dynamic_set_order.order_refusal()
    if function in _LAZY:
        found = [
            iteration.make_iterator(machine, a) if dynamic_dicts.owner(machine, a) is not None else a for a in args
        ]
        return found, kwargs
    if function in (sorted, min, max) and len(args) == 1 and "key" not in kwargs and _of_objects(machine, args[0]):
        # no two keys are equal, so that no two values are compared
        kwargs = {**kwargs, "key": Const(dict_library.first)}
    listed = dynamic_dicts.ordered if ordered or "key" in kwargs else dynamic_dicts.whole
    return [listed(machine, a) for a in args], kwargs


def _of_objects(machine, value: Value) -> bool:
    """Whether a value shows the items of a dict whose values are objects."""
    found = dynamic_dicts.owner(machine, value)
    if found is None or found[1] != "items":
        return False
    growable = dynamic_dicts.of(machine, found[0])
    element = growable.element if growable is not None else None
    return isinstance(element, Tuple) and isinstance(element.items[1], Stored)
