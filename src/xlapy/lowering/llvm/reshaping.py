"""The elements of an array in another shape: where they are in memory does not change."""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from xlapy.ir.reshape_groups import groups
from xlapy.lowering.llvm.bufferisation import Array
from xlapy.lowering.llvm.lazy_arrays import Lazy, Place, Value, placed, shape_of, view
from xlapy.lowering.llvm.text import Number, Text, plus, times


def reshaped(text: Text, x: Value, shape: tuple[int, ...]) -> Value:
    """The same elements in another shape."""
    old = shape_of(x)
    if isinstance(x, Number) or old == shape:
        return x
    whole = x if isinstance(x, Array) else x.in_order
    if whole is not None and shape_of(whole) == shape:
        return whole
    if [n for n in old if n > 1] == [n for n in shape if n > 1]:
        longer = iter([k for k, n in enumerate(shape) if n > 1])
        found = placed(text, x, shape, [next(longer) if n > 1 else 0 for n in old])
    else:
        found = view(text, x, shape, places(text, old, shape))
    before = (x.reshaped or x) if isinstance(x, Lazy) else None
    return found._replace(in_order=whole, reshaped=before)


def places(text: Text, old: tuple[int, ...], new: tuple[int, ...]) -> Callable[[Place], Place]:
    """Where in an array of one shape an element is, by where it is in another shape."""
    together = groups(old, new)

    def where(at: Place) -> Place:
        found: list[str] = []
        for olds, news in together:
            flat = "0"
            for k in news:
                flat = plus(text, flat, times(text, at[k], prod(new[j] for j in news if j > k)))
            for k in olds:
                stride = prod(old[j] for j in olds if j > k)
                index = flat if stride == 1 else text.new(f"udiv i64 {flat}, {stride}")
                found.append(index if k == olds[0] else text.new(f"urem i64 {index}, {old[k]}"))
        return found

    return where


__all__ = ["places", "reshaped"]
