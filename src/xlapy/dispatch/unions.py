"""Values and contents that are one of several, told apart by branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xlapy.dispatch.numbers import mixed
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.growable_lists import known_length
from xlapy.domain.heap import STATE
from xlapy.domain.values import GrowableList, JaxArray, Ref, Slice, Tuple, Union, Value
from xlapy.ir import Var

#: more alternatives are not told apart by branches
_MOST = 16


def selects(machine: Machine, union: Union, index: int) -> Var:
    """Whether a union is its alternative number `index`."""
    builder = machine.builder
    return builder.elementwise("eq", union.selector, builder.constant(index, union.selector.type.dtype))


def possible(machine: Machine, union: Union) -> list[int]:
    """The alternatives that a union may be, by the branches it comes from; where an error has been met, nobody looks at
    what comes after it."""
    every = range(len(union.alternatives))
    error, found = machine.heap.slots.get((STATE, "error")), machine.outcomes.of(union.selector)
    if isinstance(error, JaxArray):
        found = machine.outcomes.given(union.selector, error.var, 0) or found
    return [index for index in every if found is None or index in found] or list(every)


def over_unions(machine: Machine, values: Sequence[Value], then: Callable[..., Value]) -> Value:
    """`then(*values)` for each alternative of the unions among `values`, under branches that tell them apart."""
    position = next((i for i, value in enumerate(values) if isinstance(value, Union)), None)
    if position is None:
        return then(*values)
    value = values[position]
    assert isinstance(value, Union)
    indices = possible(machine, value)
    if len(indices) > _MOST:
        raise Refused(
            "XP0004",
            f"one of {len(indices)} lists, which is only known on the device, is used as a whole",
            "make an array of the list of lists with np.array",
        )

    def alternative(number: int) -> Value:
        index = indices[number]

        def chosen() -> Value:
            return over_unions(
                machine, (*values[:position], mixed.alternative(machine, value, index), *values[position + 1 :]), then
            )

        if number == len(indices) - 1:
            return chosen()
        return machine.cond(selects(machine, value, index), chosen, lambda: alternative(number + 1))

    return alternative(0)


def union_in(value: Value) -> Union | None:
    """A union that a value is, or that one of the parts of a slice or tuple is."""
    if isinstance(value, Union):
        return value
    parts = (
        (value.start, value.stop, value.step)
        if isinstance(value, Slice)
        else value.items
        if isinstance(value, Tuple)
        else ()
    )
    return next((found for part in parts if (found := union_in(part)) is not None), None)


def with_part(value: Value, part: Value, chosen: Value) -> Value:
    """`value` with `chosen` in the place of `part`."""
    if value is part:
        return chosen
    if isinstance(value, Slice):
        return Slice(*(with_part(p, part, chosen) for p in (value.start, value.stop, value.step)))
    if isinstance(value, Tuple):
        return value.mapped(lambda p: with_part(p, part, chosen))
    return value


def over_parts(machine: Machine, value: Value, then: Callable[[Value], Value]) -> Value:
    """`then(value)` for each alternative of the unions among the parts of a slice or tuple."""
    part = union_in(value)
    if part is None:
        return then(value)
    return over_unions(machine, (part,), lambda v: over_parts(machine, with_part(value, part, v), then))


def contents_of_lists(machine: Machine, lists: Sequence[Value]) -> list[Tuple | GrowableList] | None:
    """The contents of lists, if all are of one known length."""
    if not all(isinstance(value, Ref) for value in lists):
        return None
    found = contents_of_rows(machine, lists)
    if found is None:
        return None
    lengths = {known_length(contents) for contents in found}
    return found if len(lengths) == 1 and not lengths & {None, 0} else None


def contents_of_rows(machine: Machine, rows: Sequence[Value]) -> list[Tuple | GrowableList] | None:
    """The contents of lists and tuples, if none is one of several."""
    found: list[Tuple | GrowableList] = []
    several = False
    for value in rows:
        if isinstance(value, Ref):
            info = machine.heap.objects[value.object]
            if info.kind != "list" or info.cls is not list:
                return None
            value = machine.heap.read(value.object, "<items>")
        elif not isinstance(value, Tuple) or value.cls is not tuple:
            return None
        if isinstance(value, Tuple | GrowableList):
            found.append(value)
        else:
            several = True
    return None if several else found


def over_contents(machine: Machine, values: Sequence[Value], then: Callable[[], Value]) -> Value | None:
    """`then()` for each alternative of the contents of the containers among `values`; None if all contents are known.

    A list that was appended to under a condition has one of several contents: each is looked at in a branch of its own,
    in which the list has that one.
    """
    for value in values:
        if isinstance(value, Ref):
            contents = machine.heap.slots.get((value.object, "<items>"))
            if isinstance(contents, Union):
                return _each_content(machine, value, contents, values, then, possible(machine, contents))
    return None


def _each_content(machine, value: Ref, contents: Union, values, then, indices: list[int]) -> Value:
    index, *others = indices

    def chosen() -> Value:
        machine.heap.write(value.object, "<items>", contents.alternatives[index])
        result = over_contents(machine, values, then)
        return then() if result is None else result

    if not others:
        return chosen()
    following = lambda: _each_content(machine, value, contents, values, then, others)  # noqa: E731
    return machine.cond(selects(machine, contents, index), chosen, following)
