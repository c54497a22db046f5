"""What passes need to know of an operation: how much work it is, whether it reads or writes a part of an array.

A leaf is a jaxpr; its equations are looked at by the names of their primitives only.
"""

from __future__ import annotations

from math import prod

from xlapy.ir import Operation, Var
from xlapy.ir.called_jaxprs import called
from xlapy.ir.operations import ELEMENTWISE, SLOW

#: what costs little per element, on integers and floats alike, and is defined for every operand
_FAST = frozenset(
    "add sub mul div rem max min neg abs sign floor ceil round sqrt rsqrt square integer_pow clamp select_n and or not"
    " xor eq ne lt le gt ge is_finite nextafter shift_left shift_right_arithmetic shift_right_logical conj real imag"
    " complex convert_element_type broadcast_in_dim reshape squeeze expand_dims transpose rev slice dynamic_slice iota"
    " concatenate pad copy copy_p stop_gradient".split()
)
#: what computes no single elements: reductions, products, transforms
_WHOLE = frozenset(
    "reduce_sum reduce_prod reduce_max reduce_min reduce_or reduce_and argmax argmin dot_general fft".split()
)
_SLICES = frozenset(("slice", "dynamic_slice", "squeeze", "reshape", "convert_element_type", "broadcast_in_dim"))
_SHAPES = frozenset(("squeeze", "reshape", "convert_element_type", "broadcast_in_dim", "expand_dims", "transpose"))
_NONE: frozenset[str] = frozenset()
_WEIGHT = 16
#: elements that are reduced to one
_LONG = 32
#: elements; how many times as large an array is as a small part of it
_FEW, _TIMES = 16, 8


def work(operation: Operation) -> int | None:
    """About how many simple operations on elements it takes to run an operation; None if it must not be run in vain."""
    kind = operation.kind
    if kind == "constant":
        return 0
    if operation.jaxpr is not None:
        jaxpr = operation.jaxpr
        return None if jaxpr.effects else _jaxpr_work(jaxpr.jaxpr)
    if kind == "live":
        return 0
    if kind in ELEMENTWISE or kind in ("convert", "broadcast"):
        return _count(operation.results[0].type.shape) * (_WEIGHT if kind in SLOW else 1)
    return None


def work_in_lanes(operation: Operation) -> int | None:
    """The same for an operation that is made for many lanes at once: long reductions, products and transforms, too."""
    if operation.jaxpr is None:
        return work(operation)
    jaxpr = operation.jaxpr
    return None if jaxpr.effects else _jaxpr_work(jaxpr.jaxpr, _WHOLE)


def multiplications(operation: Operation) -> int:
    """Multiplications in a leaf that is a product of arrays and nothing else but changes of shape; 0 for others."""
    jaxpr = operation.jaxpr
    return 0 if jaxpr.effects else _product_only(jaxpr.jaxpr)


def is_rearrangement(operation: Operation) -> bool:
    """Whether an operation only changes the shape, the order or the type of elements."""
    if operation.jaxpr is None:
        return operation.kind in ("convert", "broadcast")
    jaxpr = operation.jaxpr
    return not jaxpr.effects and all(e.primitive.name in _SHAPES for e in jaxpr.jaxpr.eqns)


def _product_only(jaxpr) -> int:
    total = 0
    for equation in jaxpr.eqns:
        inner = called(equation)
        part = _products(equation) if inner is None else _product_only(getattr(inner, "jaxpr", inner))
        if part == 0 and equation.primitive.name not in _SHAPES or part and total:
            return 0
        total += part
    return total


def is_slow(operation: Operation) -> bool:
    """Whether an operation on single elements has a long latency."""
    if operation.jaxpr is not None:
        return _has(operation.jaxpr.jaxpr, SLOW)
    return operation.kind in SLOW


def is_transform(operation: Operation) -> bool:
    """Whether an operation is a Fourier transform."""
    return operation.jaxpr is not None and _has(operation.jaxpr.jaxpr, frozenset(("fft",)))


def _has(jaxpr, names: frozenset[str]) -> bool:
    for equation in jaxpr.eqns:
        inner = called(equation)
        if equation.primitive.name in names or (inner is not None and _has(getattr(inner, "jaxpr", inner), names)):
            return True
    return False


def _count(shape: tuple[int, ...]) -> int:
    return prod(shape)


def _jaxpr_work(jaxpr, more: frozenset[str] = _NONE) -> int | None:
    total = 0
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        inner = called(equation)
        if inner is not None:
            part = _jaxpr_work(getattr(inner, "jaxpr", inner), more)
            if part is None:
                return None
            total += part
        elif name in _FAST or name in SLOW:
            total += _largest(equation.outvars) * (_WEIGHT if name in SLOW else 1)
        elif name not in more or _is_short(equation):
            return None
        else:
            total += _products(equation) or max(_largest(equation.outvars), _largest(equation.invars))
    return total


def _largest(atoms) -> int:
    return max(_count(v.aval.shape) for v in atoms)


def _is_short(equation) -> bool:
    """Whether an equation reduces few elements to each one: XLA's CPU backend takes long for many of those."""
    inputs, outputs = _largest(equation.invars), _largest(equation.outvars)
    return "axes" in equation.params and outputs > 1 and inputs < _LONG * outputs


def _products(equation) -> int:
    """Multiplications in a product of arrays; 0 for what is none."""
    if equation.primitive.name != "dot_general":
        return 0
    (contracted, _), (batch, _) = equation.params["dimension_numbers"]
    left, right = (v.aval.shape for v in equation.invars)
    return prod(left) * prod(right) // max(1, prod(left[k] for k in (*contracted, *batch)))


def is_store(operation: Operation) -> bool:
    """Whether an operation is its first operand with a part replaced, which can happen in place."""
    return _stored_by(operation) in ("dynamic_update_slice", "scatter")


def is_block_store(operation: Operation) -> bool:
    """The same, for a part without gaps."""
    return _stored_by(operation) == "dynamic_update_slice"


def is_overlay(operation: Operation) -> bool:
    """Whether an operation is a store of a block that is a select over the whole array."""
    return operation.kind == "store" and not is_store(operation)


def is_small(part: Var, whole: Var) -> bool:
    """Whether a part of an array is so much smaller that to copy the array takes much longer."""
    return prod(part.type.shape) <= _FEW or _TIMES * prod(part.type.shape) <= prod(whole.type.shape)


def _stored_by(operation: Operation) -> str | None:
    """The last primitive of an operation, if that replaces a part of the operation's first operand by another one."""
    if operation.jaxpr is None or len(operation.results) != 1 or len(operation.operands) < 2:
        return None
    if "in_place" in operation.attributes:
        return "dynamic_update_slice"
    jaxpr = operation.jaxpr.jaxpr
    if not jaxpr.eqns or operation.results[0].type[:2] != operation.operands[0].type[:2]:
        return None
    last = jaxpr.eqns[-1]
    in_place = last.outvars[0] is jaxpr.outvars[0] and last.invars[0] is jaxpr.invars[0]
    return last.primitive.name if in_place else None


def is_read(operation: Operation) -> bool:
    """Whether an operation is a part of its first operand."""
    if operation.jaxpr is None or len(operation.results) != 1 or not operation.operands:
        return False
    jaxpr = operation.jaxpr.jaxpr
    names = [e.primitive.name for e in jaxpr.eqns]
    return ("slice" in names or "dynamic_slice" in names) and bool(jaxpr.invars) and _reads_first(jaxpr)


def _reads_first(jaxpr) -> bool:
    """Whether the slices are slices of the first operand, and all else is index arithmetic or a change of shape."""
    source = jaxpr.invars[0]
    for equation in jaxpr.eqns:
        if equation.primitive.name in ("slice", "dynamic_slice"):
            if equation.invars[0] is not source:
                return False
            source = equation.outvars[0]
        elif equation.invars and equation.invars[0] is source:
            source = equation.outvars[0]
    return source is jaxpr.outvars[0]
