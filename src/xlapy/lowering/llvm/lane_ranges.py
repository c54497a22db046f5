"""Arrays of which some lanes in a row count: masks, selections, sums and checks of these."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.extend.core

from xlapy.ir import Operation
from xlapy.lowering.llvm import bufferisation, equations
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.lazy_arrays import (
    Extent,
    Lazy,
    Place,
    Value,
    Window,
    dtype_of,
    element,
    inside,
    is_mask,
    is_slow,
    is_view,
    over,
    reads,
    shape_of,
    window_of,
)
from xlapy.lowering.llvm.native_reductions import joined
from xlapy.lowering.llvm.scalar_instructions import RULES, convert, select
from xlapy.lowering.llvm.text import FALSE, INDEX, TRUE, Number, Unsuitable, literal
from xlapy.lowering.llvm.value_storage import Frame


def replaced(frame: Frame, operation: Operation) -> Value | None:
    """A choice for each element; where those in a window are replaced, a store into an array that is there."""
    predicate, new, old = (frame.value(v) for v in operation.operands)
    window = window_of(predicate) if is_mask(predicate, shape_of(old)) else None
    if window is None or not isinstance(old, Array) or not frame.is_own(old.now()):
        return None
    place, keep, inside = old.memory, None, window.inside
    if place in reads(predicate):
        mask = frame.kept(predicate)
        inside = lambda at: element(frame.text, mask, at)  # noqa: E731
    if place in reads(new):
        keep = frame.made(place.dtype, place.shape)
        _fill_window(frame, keep, new, window)
        new = Array(keep, keep.version)
    frame.settle([place])
    _fill_window(frame, place, new, window, inside)
    return place.change()


def _fill_window(
    frame: Frame, place: Memory, value: Value, window: Window, mask: Callable[[Place], Number] | None = None
) -> None:
    """Store the elements of an array that are in a window; those that a mask selects, if there is one."""
    if is_slow(value):
        raise Unsuitable("functions of so many elements")

    def visit(at: Place, numbers: list) -> list:
        new, chosen = element(frame.text, value, at), TRUE if mask is None else mask(at)
        if chosen != TRUE:
            new = select(frame.text, chosen, new, bufferisation.load(frame.text, Array(place, place.version), at))
        bufferisation.put(frame.text, place, new, at)
        return []

    over(frame.text, place.shape, [], visit, window.extents)


def mask_of_range(frame: Frame, operation: Operation, mask: Value) -> Value:
    """A mask of the lanes from one on up to another."""
    note = operation.attributes["lanewise"]
    if not isinstance(mask, Lazy) or len(mask.shape) != 1:
        return mask
    length, *start = (convert(frame.text, frame.number(v), INDEX) for v in operation.operands)
    first = start[0] if start else literal(note.static[0], INDEX)
    room, zero = literal(mask.shape[0], INDEX), literal(0, INDEX)
    ends = [first, RULES["add"](frame.text, first, length)]
    first, end = (RULES["min"](frame.text, RULES["max"](frame.text, x, zero), room).name for x in ends)
    window = Window((Extent(first, end),), FALSE, lambda at: TRUE)
    return mask._replace(is_view=True, window=window)


def mask_in_steps(frame: Frame, operation: Operation) -> Lazy:
    """A mask of every n-th lane from one on up to another."""
    text, (size,) = frame.text, operation.results[0].type.shape
    start, first, stop, step = (convert(text, frame.number(v), INDEX) for v in operation.operands)
    room = literal(size, INDEX)
    first = RULES["max"](text, RULES["add"](text, start, first), literal(0, INDEX))
    end = RULES["min"](text, RULES["add"](text, start, stop), room)
    # One that is longer than the array has one index, and so has this.
    step = RULES["min"](text, RULES["max"](text, step, literal(1, INDEX)), room)

    def at(place: Place) -> Number:
        lane = Number(INDEX, (place[0],))
        away = RULES["rem"](text, RULES["sub"](text, lane, first), step)
        within = RULES["bitwise_and"](text, RULES["ge"](text, lane, first), RULES["lt"](text, lane, end))
        return select(text, within, RULES["eq"](text, away, literal(0, INDEX)), FALSE)

    window = Window((Extent(first.name, end.name, step.name),), FALSE, lambda at: TRUE)
    return Lazy(FALSE.dtype, (size,), at, frozenset(), True, False, window)


def over_range(frame: Frame, operation: Operation) -> Number | None:
    """The sum of some lanes in a row, or of their products."""
    note = operation.attributes["lanewise"]
    mask = frame.value(operation.operands[-1])
    window = window_of(mask)
    if window is None or len(window.extents) != 1 or len(operation.operands) != len(note.operands) + 1:
        return None
    values = [frame.value(operation.operands[k]) for k in note.operands]
    dtype = operation.results[0].type.dtype
    if is_slow(*values) or operation.results[0].type.shape or dtype.kind == "b":
        return None
    if note.kind == "dot" and any(dtype_of(v) != dtype for v in values):
        return None
    lane = jax.ShapeDtypeStruct((1,), dtype_of(values[0]))
    term = jax.make_jaxpr(lambda x: note.function(x, *note.static))(lane) if note.kind == "sum" else None

    def iteration(place: Place, numbers: list[Number]) -> list[Number]:
        factors = [element(frame.text, v, place) for v in values]
        if term is None:
            (new,) = [RULES["mul"](frame.text, *factors)]
        else:
            (new,) = equations.evaluated(frame.text, frame, term, factors)
        assert isinstance(new, Number)
        new, chosen = convert(frame.text, new, dtype), window.inside(place)
        new = new if chosen == TRUE else select(frame.text, chosen, new, literal(0, dtype))
        return [joined(frame.text, "add", numbers[0], new)]

    return over(frame.text, shape_of(mask), [literal(0, dtype)], iteration, window.extents)[0]


def checked(frame: Frame, operation: Operation) -> list[Value]:
    """Each lane of a vector made to what it stands for, whether any lane is bad, and the first one that is: looked
    for where there is one."""
    text, note, value = frame.text, operation.attributes["lanewise"], frame.value(operation.operands[0])
    dtype, shape = dtype_of(value), shape_of(value)

    def one_of(k: int, shape: tuple[int, ...]) -> jax.extend.core.ClosedJaxpr:
        return jax.make_jaxpr(lambda x: note.function(x, *note.static)[k])(jax.ShapeDtypeStruct(shape, dtype))

    def looked_at(number: Number, known: Number) -> list[Number]:
        (bad,) = equations.evaluated(text, frame, is_bad, [number])
        assert isinstance(bad, Number)
        return [RULES["bitwise_or"](text, known, bad)]

    if not is_view(value):
        value = frame.kept(value)
    is_bad, window = one_of(1, (1,)), window_of(value)
    # A lane of nothing but zeros is never bad.
    extents = () if window is None or not bufferisation.is_zero(window.rest) else window.extents
    lane = inside if extents else element
    found = equations.evaluated(text, frame, one_of(0, shape), [value])

    def look(place: Place, numbers: list[Number]) -> list[Number]:
        return looked_at(lane(text, value, place), *numbers)

    def look_for(place: Place, numbers: list[Number]) -> list[Number]:
        (first, known), number = numbers, lane(text, value, place)
        (bad,) = looked_at(number, known)
        is_new = RULES["bitwise_and"](text, bad, RULES["bitwise_not"](text, known))
        return [select(text, is_new, number, first), bad]

    (wrong,) = over(text, shape, [FALSE], look, extents)
    first = literal(0, dtype)
    if frame.uses[operation.results[2]] > 0:
        first = _rarely(frame, wrong, first, lambda: over(text, shape, [first, FALSE], look_for, extents)[0])
    return [*found, wrong, first]


def _rarely(frame: Frame, predicate: Number, usually: Number, otherwise: Callable[[], Number]) -> Number:
    """A number that is computed if a predicate holds, which it hardly ever does, and another one else."""
    text, before = frame.text, frame.text.block
    rare, end = text.label(), text.label()
    text.do(f"br i1 {predicate.name}, label %{rare}, label %{end}, !prof {text.unlikely()}")
    text.begin(rare)
    number = otherwise()
    blocks = [text.block, before]
    text.do(f"br label %{end}")
    text.begin(end)
    return frame.merged(number, usually, blocks)


__all__ = ["checked", "mask_in_steps", "mask_of_range", "over_range", "replaced"]
