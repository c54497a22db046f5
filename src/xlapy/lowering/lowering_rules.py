"""One lowering rule for each kind of operation: `rule(operation, operands) -> results` in terms of `jax.lax`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import jax.extend.core
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.ir import Operation, Var
from xlapy.ir.access_regions import touched
from xlapy.lowering import hoisted_products
from xlapy.lowering.jaxprs.deferred_tracing import traced
from xlapy.lowering.jaxprs.derivatives import differentiated_as
from xlapy.lowering.numeric import arctangents, complex_exponential, logarithms, powers_and_cube_roots, sines
from xlapy.lowering.numeric.float_bits import nextafter
from xlapy.lowering.numeric.polynomials import MANY

RULES: dict[str, Callable[[Operation, Sequence], Sequence]] = {}


def _simple(function: Callable) -> Callable[[Operation, Sequence], Sequence]:
    return lambda operation, operands: (function(*operands),)


def _sign_preserving(function: Callable) -> Callable:
    return function


for _kind, _function in {
    "add": lax.add,
    "sub": lax.sub,
    "mul": lax.mul,
    "div": lax.div,
    "rem": lax.rem,
    "max": lax.max,
    "min": lax.min,
    "neg": lax.neg,
    "abs": lax.abs,
    "sign": lax.sign,
    "floor": lax.floor,
    "ceil": lax.ceil,
    "sqrt": lax.sqrt,
    "exp": complex_exponential.exp,
    "expm1": lax.expm1,
    "log": logarithms.log,
    "log1p": logarithms.log1p,
    "sin": sines.sin,
    "cos": sines.cos,
    "tan": sines.tan,
    "asin": arctangents.asin,
    "acos": arctangents.acos,
    "atan": arctangents.atan,
    "sinh": lax.sinh,
    "cosh": lax.cosh,
    "tanh": lax.tanh,
    "asinh": lax.asinh,
    "acosh": lax.acosh,
    "atanh": lax.atanh,
    "atan2": arctangents.atan2,
    "cbrt": lax.cbrt,
    "bitwise_and": lax.bitwise_and,
    "bitwise_or": lax.bitwise_or,
    "bitwise_xor": lax.bitwise_xor,
    "bitwise_not": lax.bitwise_not,
    "shift_left": lax.shift_left,
    "shift_right_arithmetic": lax.shift_right_arithmetic,
    "shift_right_logical": lax.shift_right_logical,
    "nextafter": nextafter,
    "eq": lax.eq,
    "ne": lax.ne,
    "lt": lax.lt,
    "le": lax.le,
    "gt": lax.gt,
    "ge": lax.ge,
    "is_finite": lax.is_finite,
    "select": lax.select,
}.items():
    RULES[_kind] = _simple(_function)

#: functions that are computed for vectors, without calls, and from how many elements on
IN_VECTORS = {
    **dict.fromkeys(("sin", "cos", "tan", "atan2", "pow", "exp"), MANY),
    **dict.fromkeys(("asin", "acos", "atan"), arctangents.FEW),
}


def _constant(operation: Operation, operands: Sequence) -> Sequence:
    return (np.asarray(operation.attributes["value"]),)


def _convert(operation: Operation, operands: Sequence) -> Sequence:
    source, target = operation.operands[0].type.dtype, operation.results[0].type.dtype
    (operand,) = operands
    if source == target:
        return (operand,)
    if np.issubdtype(source, np.complexfloating) and not np.issubdtype(target, np.complexfloating):
        operand = lax.ne(operand, jnp.zeros_like(operand)) if target.kind == "b" else lax.real(operand)
    if source.kind == "b" and target.kind in "fc":
        # XLA takes `convert(p) * x` for `select(p, x, 0)`, which is wrong for infinite and NaN x
        operand = lax.convert_element_type(operand, np.int8)
    return (lax.convert_element_type(operand, target),)


def _broadcast(operation: Operation, operands: Sequence) -> Sequence:
    (operand,), shape = operands, operation.attributes["shape"]
    if np.ndim(operand) == 0:
        return (lax.broadcast(operand, shape),)
    return (jnp.broadcast_to(operand, shape),)


def _leaf(operation: Operation, operands: Sequence) -> Sequence:
    return jax.extend.core.jaxpr_as_fun(traced(operation.jaxpr))(*operands)


def store_block(operation: Operation, operands: Sequence) -> Sequence:
    """A store at a known place, without gaps, in place: see `passes/in_place_stores.py`."""
    array, new = operands
    places = touched(operation) or []
    block = lax.reshape(new, [place.count for place in places])
    starts = [np.int64(place.lowest(place.known_start)) for place in places]
    return (lax.dynamic_update_slice(array, block, starts, allow_negative_indices=False),)


def chosen_store(operation: Operation, operands: Sequence) -> Sequence | None:
    """A store of a block at known places as a choice between the array and new elements; None if it is none.

    Where devices have parts of the array, they exchange what lies at the edges for it. XLA gathers the array for an
    update of a block, and for a scatter, by which gaps are left.
    """
    if operation.kind != "store" or len(operands) > 2:
        return None
    array, new = operands
    places = touched(operation) or []
    block, shape = [place.count for place in places], jnp.shape(array)
    if jnp.ndim(new) == 0 or all(count in (1, n) for count, n in zip(block, shape, strict=True)):
        return None
    new = lax.rev(lax.reshape(new, block), [k for k, place in enumerate(places) if place.step < 0 and place.count > 1])
    edges: list[tuple[int, int, int]] = []
    inside: jax.Array | None = None
    for axis, (place, n) in enumerate(zip(places, shape, strict=True)):
        low, gap = place.lowest(place.known_start), abs(place.step) if place.count > 1 else 1
        edges.append((low, n - low - place.span, 0))
        index = lax.broadcasted_iota(np.int32, shape, axis)
        hits = [lax.ge(index, np.int32(low)), lax.lt(index, np.int32(low + place.span))] if place.span < n else []
        if gap > 1:
            # not padded between, which XLA gets wrong where an axis does not divide
            new = lax.slice_in_dim(jnp.repeat(new, gap, axis), 0, place.span, axis=axis)
            hits.append(lax.eq(lax.rem(lax.sub(index, np.int32(low)), np.int32(gap)), np.int32(0)))
        for hit in hits:
            inside = hit if inside is None else lax.bitwise_and(inside, hit)
    assert inside is not None
    return (lax.select(inside, lax.pad(new, np.zeros((), new.dtype), edges), array),)


#: the largest whole exponent that becomes products: beyond it their roundings add up
_MOST_FACTORS = 16


def has_factors(operation: Operation) -> bool:
    """Whether a power is a product of few factors, or of a root."""
    return _factors(_uniform(operation.operands[1])) is not None


def _factors(exponent: float | None) -> tuple[int, float] | None:
    """How often the base is a factor of a power, and whether its root is one (0.5); None if these are many, or if it
    is none."""
    if exponent is None:
        return None
    whole, rest = divmod(abs(exponent), 1.0)
    few = whole <= (_MOST_FACTORS if rest == 0.0 else 4) and rest in (0.0, 0.5)
    return (int(whole), rest) if few else None


def _power(operation: Operation, operands: Sequence) -> Sequence:
    """Small constant exponents are products and roots, as in NumPy's own loops or a few roundings away from them: the
    processor multiplies whole vectors, and calls the library for one power after the other."""
    base, exponent = operands
    known = _uniform(operation.operands[1])
    parts = _factors(known)
    if known is None or parts is None or jnp.issubdtype(base.dtype, np.complexfloating):
        return (powers_and_cube_roots.power(base, exponent),)
    whole, rest = parts
    factors = [_product(lax.abs(base) if rest else base, whole)] if whole else []
    if rest:
        # (-0.0) ** 0.5 is 0.0 and (-inf) ** 0.5 is inf, unlike the roots.
        zero, infinity = jnp.zeros_like(base), lax.full_like(base, np.inf)
        root = lax.select(lax.eq(base, zero), zero, lax.sqrt(base))
        factors.append(lax.select(lax.eq(base, lax.neg(infinity)), infinity, root))
    found = lax.mul(*factors) if len(factors) == 2 else factors[0] if factors else jnp.ones_like(base)
    if known < 0:
        found = lax.div(jnp.ones_like(base), found)
    if rest and known != 0.5:  # the root has no derivative at zero, some of these powers have
        found = differentiated_as(found, lax.pow(base, exponent))
    return (found,)


def _product(base: jax.Array, exponent: int) -> jax.Array:
    """`base ** exponent`, for an exponent from 1 on, by squaring."""
    if exponent == 1:
        return base
    half = _product(base, exponent // 2)
    square = lax.mul(half, half)
    return lax.mul(square, base) if exponent % 2 else square


def _uniform(var: Var) -> float | None:
    """The value of all elements of a real constant, broadcast or not."""
    owner = var.owner
    while isinstance(owner, Operation) and owner.kind in ("broadcast", "convert", "live"):
        owner = owner.operands[-1].owner
    if isinstance(owner, Operation) and owner.kind == "constant":
        value = np.asarray(owner.attributes["value"])
        if value.size and value.dtype.kind in "fiu" and (value == value.flat[0]).all():
            return float(value.flat[0])
    return None


RULES["pow"] = _power
RULES["constant"] = _constant
RULES["convert"] = _convert
RULES["broadcast"] = _broadcast
RULES["leaf"] = _leaf
RULES["ahead"] = hoisted_products.products
RULES["part"] = hoisted_products.part
