"""Keys of `list.sort` that look at the list: CPython has emptied it while it sorts.

items.sort(key=lambda v: items.index(v))
"""

from __future__ import annotations

from xlapy.dispatch import registry
from xlapy.dispatch.protocol import Refused
from xlapy.domain.values import BoundMethod, Const, Function, Intrinsic, Ref, Tuple, Value, as_ref


def apart(machine, items: Ref, key: Value) -> Value:
    """The key of `items.sort`, refused where it reads or changes the list."""
    function = key.function if isinstance(key, BoundMethod) else key
    runs_code = (
        isinstance(function, Function | Ref) or isinstance(function, Const) and hasattr(function.value, "__code__")
    )
    return BoundMethod(_APART, Tuple((key, items))) if runs_code else key


@registry.takes_mixed
@registry.takes_unions
def _called(machine, both: Tuple, item: Value) -> Value:
    key, items = both.items
    slot = (as_ref(items).object, "<items>")
    heap = machine.heap
    outermost, journal = heap.journal is None, heap.watch()
    reads, writes = len(journal.reads), len(journal.writes)
    try:
        result = machine.call(key, [item])
    finally:
        seen = [*journal.reads[reads:], *journal.writes[writes:]]
        if outermost:
            heap.journal = None
    if any(where == slot for where, _ in seen):
        raise Refused(
            "XP0006",
            "a key of list.sort that looks at the list, or changes it: CPython has emptied the list meanwhile",
            "use sorted(), or look at a copy of the list",
        )
    return result


_APART = Intrinsic("key of sort", _called)
