"""`while` loops that count become `for` loops, whose number of iterations is known before the first one.

    i = 0
    while i < n:
        total += x[i]
        i += 1

What other passes do to `for` loops, and what XLA does to loops with a known number of iterations, they then do to
these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var, constant_value
from xlapy.passes.code_motion import substitute
from xlapy.passes.store_ordering import emit

_BOOL = np.dtype(bool)
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


class _Counter(NamedTuple):
    """What a loop counts with: from `start` in steps of `step`, while it is below (or above) `limit`."""

    position: int
    start: Var
    step: int
    limit: Var
    including: bool


def count_iterations(region: Region) -> bool:
    """Replace such loops in a region; whether there were any."""
    changed = False
    kept: list[Operation] = []
    replaced: dict[Var, Var] = {}
    for operation in region.operations:
        counter = _counter(operation) if operation.kind == "while" else None
        if counter is None:
            kept.append(operation)
        else:
            replaced.update(_replace(operation, counter, region, kept))
            changed = True
        for nested in operation.regions:
            changed |= count_iterations(nested)
    region.operations = kept
    substitute(region, replaced)
    return changed


def _counter(loop: Operation) -> _Counter | None:
    condition, body = loop.regions
    (result,) = condition.results
    compared = result.owner
    if not isinstance(compared, Operation) or compared.kind not in _MIRRORED or compared not in condition.operations:
        return None
    if any(o is not compared and o.kind != "constant" for o in condition.operations):
        return None
    kind, (counted, limit) = compared.kind, compared.operands
    if limit in condition.params:
        kind, counted, limit = _MIRRORED[kind], limit, counted
    if counted not in condition.params or limit in condition.params or counted.type.dtype.kind != "i":
        return None
    position = condition.params.index(counted)
    step = _step(body.results[position], body.params[position])
    if step is None or step == 0 or (step > 0) != (kind in ("lt", "le")):
        return None
    start = loop.operands[position]
    found = _Counter(position, start, step, limit, kind in ("le", "ge"))
    return found if _is_safe(found) else None


def _step(result: Var, param: Var) -> int | None:
    operation = result.owner
    if not isinstance(operation, Operation) or operation.kind not in ("add", "sub") or param not in operation.operands:
        return None
    left, right = operation.operands
    if operation.kind == "add" and right is param:
        left, right = right, left
    number = constant_value(right)
    if left is not param or number is None:
        return None
    return int(number) if operation.kind == "add" else -int(number)


def _is_safe(counter: _Counter) -> bool:
    """Whether neither the number of iterations overflows nor the counter, before it is beyond the limit."""
    start, limit = constant_value(counter.start), constant_value(counter.limit)
    bounds = np.iinfo(counter.start.type.dtype)
    if limit is not None and not bounds.min + abs(counter.step) < int(limit) < bounds.max - abs(counter.step):
        return False
    if start is not None and limit is not None:
        return abs(int(limit) - int(start)) < bounds.max
    if limit is not None:
        return int(limit) >= 0 and (counter.step < 0 or _is_natural(counter.start))
    # The step beyond the last number below an unknown limit is right for 1 only.
    return counter.step == 1 and not counter.including and _is_natural(counter.start)


def _is_natural(var: Var) -> bool:
    """Whether a number is known not to be negative: a constant, the number of an iteration, or their sum."""
    number = constant_value(var)
    if number is not None:
        return int(number) >= 0
    owner = var.owner
    if isinstance(owner, Operation):
        return owner.kind == "add" and all(map(_is_natural, owner.operands))
    if owner is None or owner.owner is None:
        return False
    return owner.owner.kind == "for" and owner.params[0] is var


def _replace(loop: Operation, counter: _Counter, region: Region, kept: list[Operation]) -> dict[Var, Var]:
    """Append a `for` loop to `kept`; what stands for the results of the `while`."""
    _, body = loop.regions
    position, dtype = counter.position, counter.start.type.dtype
    type = TensorType((), dtype)
    iterations = _iterations(loop, counter, region, kept)
    index, param = Var(type, body, body.depth), body.params[position]
    first: list[Operation] = []
    number = _multiplied(loop, index, counter, body.depth, first)
    body.params = [index, *body.params[:position], *body.params[position + 1 :]]
    body.results = [*body.results[:position], *body.results[position + 1 :]]
    body.operations[:0] = first
    substitute(body, {param: number})
    operands = (*loop.operands[:position], *loop.operands[position + 1 :])
    results = [*loop.results[:position], *loop.results[position + 1 :]]
    types = tuple([v.type for v in results])
    counted = Operation("for", (iterations, *operands), {}, types, (body,), loop.location, region.depth)
    kept.append(counted)
    found = dict(zip(results, counted.results, strict=True))
    found[loop.results[position]] = _multiplied(loop, iterations, counter, region.depth, kept)
    return found


def _multiplied(loop: Operation, number: Var, counter: _Counter, depth: int, kept: list[Operation]) -> Var:
    """The counter after a number of iterations."""
    type = number.type
    if counter.step != 1:
        number = emit(kept, loop, depth, "mul", (number, _constant(kept, loop, depth, counter.step, type)), type)
    result = counter.start.type
    return emit(kept, loop, depth, "add", (counter.start, number), result)


def _iterations(loop: Operation, counter: _Counter, region: Region, kept: list[Operation]) -> Var:
    depth, type = region.depth, TensorType((), counter.start.type.dtype)
    first, last = constant_value(counter.start), constant_value(counter.limit)
    size = abs(counter.step)
    if first is not None and last is not None:
        distance = (int(last) - int(first)) * (1 if counter.step > 0 else -1) + counter.including
        return _constant(kept, loop, depth, max(0, -(-distance // size)), type)

    limit = _outside(counter.limit, loop, region, kept)
    one, other = (counter.start, limit) if counter.step > 0 else (limit, counter.start)
    there = emit(kept, loop, depth, "le" if counter.including else "lt", (one, other), TensorType((), _BOOL))
    distance = emit(kept, loop, depth, "sub", (other, one), type)
    if counter.including:
        distance = emit(kept, loop, depth, "add", (distance, _constant(kept, loop, depth, 1, type)), type)
    if size != 1:
        # rounded up; the distance is at least 1 where it is used
        less = emit(kept, loop, depth, "sub", (distance, _constant(kept, loop, depth, 1, type)), type)
        whole = emit(kept, loop, depth, "div", (less, _constant(kept, loop, depth, size, type)), type)
        distance = emit(kept, loop, depth, "add", (whole, _constant(kept, loop, depth, 1, type)), type)
    return emit(kept, loop, depth, "select", (there, distance, _constant(kept, loop, depth, 0, type)), type)


def _outside(var: Var, loop: Operation, region: Region, kept: list[Operation]) -> Var:
    """A constant of the condition, in the region around."""
    value = constant_value(var)
    return var if value is None else _constant(kept, loop, region.depth, int(value), TensorType((), var.type.dtype))


def _constant(kept: list[Operation], like: Operation, depth: int, number: int, type: TensorType) -> Var:
    return emit(kept, like, depth, "constant", (), type._replace(weak=False), value=np.asarray(number, type.dtype))


__all__ = ["count_iterations"]
