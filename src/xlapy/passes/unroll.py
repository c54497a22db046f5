"""How many iterations of a small loop XLA's CPU backend is given at once.

It keeps what a loop carries in memory between iterations, about three nanoseconds each way for every value. Four
iterations in a row keep it in registers (measured: 2.4 to 3.6 times as fast). Not where an iteration loads what an
earlier one stored: XLA then copies the array. Where the nest gets so large that XLA does not compile it as one native
function by itself (its `SmallWhileLoopHoistingPass`: 1024 bytes accessed, by its cost analysis, which a nest shares),
only if the lowering makes it one.

A loop of few iterations over large arrays, `for k in range(5): y += w[k] * x[k : k + n]`, becomes straight code: what
is element-wise is then one pass over the arrays instead of one for each iteration. So does one over a few numbers
inside another loop, `for bit in range(8): ...`, which then stay in registers (measured: 3 times as fast).
"""

from __future__ import annotations

from math import prod

from xlapy.ir import Operation, Region, Var, constant_value
from xlapy.passes.costs import is_read, is_store, work

_TIMES = 4
#: bytes that a nest may access by our estimate, which is on the safe side of XLA's
_MOST_BYTES = 900
#: operations of a larger one
_LONGEST_NATIVE = 40
#: iterations and operations of a loop that becomes straight code, elements of what it changes
_FEW, _LONGEST, _LARGE = 8, 200, 1 << 13
#: the same of a loop over a few numbers inside another one
_LONGEST_OF_NUMBERS, _NUMBERS = 100, 16


def unroll(region: Region) -> bool:
    """Set the attribute `unroll` of innermost `for` loops, or `unroll_native` of those that are not small enough for
    XLA, and `straight` of those that become straight code; whether there were any."""
    changed = _straighten(region)
    for operation in region.operations:
        if operation.kind in ("for", "while"):
            changed |= _nest(operation)
        else:
            for nested in operation.regions:
                changed |= unroll(nested)
    return changed


def _straighten(region: Region, inside_loop: bool = False) -> bool:
    changed = False
    for operation in region.operations:
        for nested in operation.regions:
            changed |= _straighten(nested, inside_loop or operation.kind in ("for", "while"))
        # What a store waits for is computed once as long as it is a loop.
        if operation.kind == "for" and operation.attributes.keys().isdisjoint(("lanes", "waited_for")):
            largest = max((prod(v.type.shape) for v in operation.results), default=0)
            most = _LONGEST if largest >= _LARGE else _LONGEST_OF_NUMBERS if inside_loop and largest <= _NUMBERS else -1
            if _length(operation) <= most:
                operation.attributes = {**operation.attributes, "straight": True}
                changed = True
    return changed


def _length(loop: Operation) -> int:
    """Operations of a loop as straight code; more than may be if it cannot become that."""
    iterations = constant_value(loop.operands[0])
    if iterations is None or iterations > _FEW:
        return _LONGEST + 1
    total = 0
    for operation in loop.regions[0].operations:
        if "straight" in operation.attributes:
            total += _length(operation)
        elif work(operation) is None or is_store(operation):
            return _LONGEST + 1
        else:
            total += operation.kind != "constant"
    return total * int(iterations)


def _nest(outermost: Operation) -> bool:
    changed = False
    total = _bytes(outermost)
    for loop in _innermost(outermost):
        if not _suits(loop.regions[0]):
            continue
        extra = _TIMES * sum(map(_bytes, loop.regions[0].operations))
        if total + extra <= _MOST_BYTES:
            loop.attributes = {**loop.attributes, "unroll": _TIMES}
            total += extra
            changed = True
        elif len(loop.regions[0].operations) <= _LONGEST_NATIVE:
            loop.attributes = {**loop.attributes, "unroll_native": _TIMES}
            changed = True
    return changed


def _innermost(operation: Operation) -> list[Operation]:
    inner = [o for r in operation.regions for o in r.operations if o.regions]
    if "lanes" in operation.attributes:
        return []
    if operation.kind == "for" and not inner:
        return [operation]
    return [found for o in inner for found in _innermost(o)]


def _suits(body: Region) -> bool:
    assert body.owner is not None
    iterations = constant_value(body.owner.operands[0])
    if iterations is not None and iterations < 2 * _TIMES:
        return False
    stored: set[Var] = {o.operands[0] for o in body.operations if is_store(o)}
    for operation in body.operations:
        if is_read(operation) and operation.operands[0] in stored:
            return False
        if not is_store(operation) and (work(operation) is None or prod(operation.results[0].type.shape) > 16):
            return False
    return True


def _bytes(operation: Operation) -> int:
    """About what XLA's cost analysis says an operation accesses, after fusion."""
    if operation.kind == "constant":
        return 0
    if operation.regions:
        return sum(_bytes(o) for r in operation.regions for o in r.operations) + 24
    if is_store(operation) or is_read(operation):
        part = operation.operands[1] if is_store(operation) else operation.results[0]
        return 2 * _size(part) + 8 * len(operation.operands)
    return sum(map(_size, operation.results)) // 2


def _size(var: Var) -> int:
    return prod(var.type.shape) * var.type.dtype.itemsize
