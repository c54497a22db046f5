"""A call as a region of its own, which JAX can transform: what it returns, what it changes, what it raises.

The region is interpreted once, before JAX sees it. What the call leaves behind refers to values inside the region;
`leave` puts the values in their place that the transformed region gives outside.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from xlapy.dispatch import leaves
from xlapy.dispatch.protocol import Machine, PythonError, Refused
from xlapy.domain.heap import STATE, Slot
from xlapy.domain.join import unchanged
from xlapy.domain.values import NONE, Intrinsic, JaxArray, Value, references, substitute, variables
from xlapy.ir import Region, TensorType, Var, captured, constant_value, defining
from xlapy.lowering.evaluate import evaluate, place_of
from xlapy.lowering.jaxprs.deferred_tracing import MAPPED, Mapped, Untraced
from xlapy.lowering.jaxprs.varying_axes import is_checked
from xlapy.passes import clean

#: what JAX's functions raise for arguments that they do not take
JAX_ERRORS = (TypeError, ValueError, IndexError, NotImplementedError, ZeroDivisionError)


@dataclass
class Isolated:
    """A call that has been interpreted in a region of its own.

    Attributes:
        region: computes it; its results are to be set.
        result: what the call returned; `NONE` if it raised for certain.
        raised: the exception that it raised for certain, or None.
        pending: exceptions that it raised where a predicate holds, which somebody around it may catch.
        slots: what it has changed, and the contents of what it has made.
        changed: the slots of older objects among them, errors excepted.
    """

    region: Region
    result: Value
    raised: Value | None = None
    pending: list[tuple[Var, Value]] = field(default_factory=list)
    slots: dict[Slot, Value] = field(default_factory=dict)
    changed: list[Slot] = field(default_factory=list)

    def inner(self, var: Var) -> bool:
        """Whether a device value exists in the region only."""
        return var.depth >= self.region.depth

    def needed(self, result: bool = True) -> list[Var]:
        """The values of the region that what it leaves behind refers to, constants excepted."""
        kept = [*self.slots.values(), *(v for _, v in self.pending), *([self.raised] if self.raised else [])]
        kept += [self.result] if result else []
        found = [v for value in kept for v in variables(value)] + [bad for bad, _ in self.pending]
        return list({id(v): v for v in found if self.inner(v) and constant_value(v) is None}.values())


def isolate(
    machine: Machine,
    types: Sequence[TensorType],
    bind: Callable[[list[Var]], list[Value]],
    run: Callable[[list[Value]], Value],
    fresh_errors: bool = False,
) -> Isolated:
    """Interpret a call in a region of its own; the state of the machine stays as it is.

    Args:
        machine: the interpreter.
        types: of the region's parameters.
        bind: makes the arguments, given the parameters; what it changes is not the call's doing.
        run: calls the function with them.
        fresh_errors: whether errors are counted from none, for a region that runs several times.
    """
    heap = machine.heap
    region = machine.builder.open_region(tuple(types))
    before, mark = heap.slots, heap.next_identity
    prepared = before
    heap.slots = before.copy()
    if fresh_errors:
        for slot in [s for s in heap.slots if s[0] == STATE]:
            del heap.slots[slot]
    found = Isolated(region, NONE)
    try:
        with machine.region(region):
            try:
                arguments = bind(region.params)
                prepared = heap.slots.copy()
                found.result = run(arguments)
            except PythonError as error:
                found.raised = error.value
            except JAX_ERRORS as error:
                # Not what a JAX function says of its arguments, which is the program's to catch.
                raise RuntimeError(f"xlapy failed inside a transformed function: {error}") from error
            if fresh_errors:
                for bad, exception in machine.pending:
                    machine.register_error(bad, exception)
            else:
                found.pending = list(machine.pending)
            machine.pending.clear()
        after = heap.slots
    finally:
        heap.slots = before
        heap.untold += 1
    for slot, value in after.items():
        old = prepared.get(slot)
        if old is None or fresh_errors and slot[0] == STATE:
            old = heap.initial.get(slot)
        if not heap.made_since(slot[0], mark) and not unchanged(old, value):
            found.slots[slot] = value
            if slot[0] != STATE or slot[1] == "<items>":
                found.changed.append(slot)
    _follow(found, after, lambda number: heap.made_since(number, mark))
    return found


def _follow(found: Isolated, after: dict[Slot, Value], made: Callable[[int], bool]) -> None:
    """Keep what the call has made and what can still be reached."""
    contents: dict[int, list[Slot]] = {}
    for slot in after:
        contents.setdefault(slot[0], []).append(slot)
    todo = [found.result, *found.slots.values(), *(v for _, v in found.pending)]
    todo += [found.raised] if found.raised else []
    seen: set[int] = set()
    while todo:
        for number in references(todo.pop()):
            if made(number) and number not in seen:
                seen.add(number)
                for slot in contents.get(number, ()):
                    found.slots[slot] = after[slot]
                    todo.append(after[slot])


def emit(
    machine: Machine,
    found: Isolated,
    transformed: Callable,
    operands: Sequence[Var],
    name: str,
    types: tuple[TensorType, ...] | None = None,
) -> list[Var]:
    """Emit `transformed(program, *operands)` as one operation; its results.

    `program(*parameters)` computes the results of the region as a list. What else the region uses are operands, too.
    Where `types` of the results are given, nothing can go wrong, and JAX transforms the program when it is lowered.
    """
    region = found.region
    clean(region)
    outer = captured(region)
    count = len(operands)

    def run(evaluate, *arrays):
        environment = dict(zip(outer, arrays[count:], strict=True))

        def program(*inputs):
            return evaluate(region, {**environment, **dict(zip(region.params, inputs, strict=True))})

        return transformed(program, *arrays[:count])

    everything = (*operands, *outer)
    trace = partial(leaves.trace, partial(run, evaluate), tuple(v.type for v in everything), not machine.builder.narrow)
    if types is not None:
        return leaves.emit_typed(machine.builder, Untraced(run, trace, region=region), everything, types, name)
    try:
        jaxpr = trace()
    except leaves.UNKNOWN as error:
        raise Refused("XP0006", f"{name} needs a value at compile time: {str(error).splitlines()[0]}") from error
    except JAX_ERRORS as error:
        if place_of(error) is not None:
            refusal = Refused("XP0016", f"{name}: {str(error).splitlines()[0]}")
            refusal.location = place_of(error)
            raise refusal from error
        machine.reraise(error)
        raise
    if is_checked():
        # What varies from device to device is known when the program is lowered; a sum of derivatives depends on it.
        known = tuple(map(leaves.tensor_type, jaxpr.out_avals))
        return leaves.emit_typed(machine.builder, Untraced(run, lambda: jaxpr), everything, known, name)
    results = leaves.emit_jaxpr(machine.builder, jaxpr, everything, name)
    if name == "vmap" and results:
        defining(results[0]).attributes[MAPPED] = Mapped(run, jaxpr)
    return results


def leave(machine: Machine, found: Isolated, values: Iterable[tuple[Var, Var]]) -> Value:
    """Write what the call changed, raise what it raised, and return its result. `values` pairs values of the region
    with those outside that take their place."""
    outside = {id(inner): outer for inner, outer in values}

    def replace(var):
        if id(var) in outside:
            return outside[id(var)]
        known = constant_value(var)
        if not found.inner(var):
            return var
        assert known is not None, var
        outside[id(var)] = machine.builder.constant(known, weak=var.type.weak)
        return outside[id(var)]

    for slot, value in found.slots.items():
        new = _substituted(value, replace)
        old = machine.heap.slots.get(slot) or machine.heap.initial.get(slot)
        if old is None:
            machine.heap.store(*slot, new)  # of an object made inside, which may be frozen by now
        elif not unchanged(old, new):
            machine.heap.write(*slot, new)
    for bad, exception in found.pending:
        machine.may_raise(replace(bad), _substituted(exception, replace))
    if found.raised is not None:
        raise PythonError(_substituted(found.raised, replace))
    return _substituted(found.result, replace)


def _substituted(value: Value, replace: Callable) -> Value:
    made = substitute(value, replace)
    if made is not value and _holds_rule(value):
        raise Refused("XP0010", "a bound operation leaves the function in which it was made")
    return made


def _holds_rule(value: Value) -> bool:
    """Whether a compile-time callable is in it, whose rule may know the values it was made with."""
    if isinstance(value, Intrinsic):
        return bool(variables(value))
    return any(_holds_rule(part) for part in value.children() if isinstance(part, Value))


def errors_of(found: Isolated) -> tuple[Var | None, dict[str, Value]]:
    """The error tag of a region with fresh errors, and what messages need; both are taken out of what it leaves."""
    state = {slot[1]: found.slots.pop(slot) for slot in list(found.slots) if slot[0] == STATE}
    code = state.pop("error", None)
    return (code.var if isinstance(code, JaxArray) else None), state
