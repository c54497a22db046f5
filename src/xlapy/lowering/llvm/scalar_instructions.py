"""What element-wise operations do with numbers: as XLA defines them, also for zeros, infinities and what overflows.

Transcendental functions are those of the C library, which CPython's `math` calls, too.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from xlapy.ir import TensorType
from xlapy.ir.operations import TABLE, computed, infer_elementwise
from xlapy.lowering.llvm.remainders import remainder
from xlapy.lowering.llvm.text import Number, Text, Unsuitable, known_int, known_value, literal, part_of, type_of

Rule = Callable[..., Number]
_BOOL = np.dtype(bool)


def _same(x: Number, *parts: str) -> Number:
    return Number(x.dtype, parts)


def _simple(ints: str | None, floats: str | None, bools: str | None = None) -> Rule:
    """One instruction for each part of a number."""

    def rule(text: Text, x: Number, y: Number) -> Number:
        name = {"b": bools, "i": ints, "u": ints, "f": floats, "c": floats}[x.dtype.kind]
        if name is None:
            raise Unsuitable("an operation on such numbers")
        type = type_of(x.dtype)
        return _same(x, *(text.new(f"{name} {type} {a}, {b}") for a, b in zip(x.parts, y.parts, strict=True)))

    return rule


def _binary(text: Text, name: str, x: Number, y: Number) -> Number:
    return _same(x, text.new(f"{name} {type_of(x.dtype)} {x.name}, {y.name}"))


def _mul(text: Text, x: Number, y: Number) -> Number:
    if x.dtype.kind != "c":
        return _binary(text, {"f": "fmul", "b": "and"}.get(x.dtype.kind, "mul"), x, y)
    type = type_of(x.dtype)
    (a, b), (c, d) = x.parts, y.parts
    ac, bd, ad, bc = (text.new(f"fmul {type} {p}, {q}") for p, q in ((a, c), (b, d), (a, d), (b, c)))
    return _same(x, text.new(f"fsub {type} {ac}, {bd}"), text.new(f"fadd {type} {ad}, {bc}"))


def _is(text: Text, comparison: str, x: Number, y: str) -> str:
    return text.new(f"icmp {comparison} {type_of(x.dtype)} {x.name}, {y}")


def _select(text: Text, predicate: str, type: str, x: str, y: str) -> str:
    return text.new(f"select i1 {predicate}, {type} {x}, {type} {y}")


def _divided(quotient: bool) -> Rule:
    """XLA: `x / 0` is -1 and `x % 0` is `x`; the smallest integer divided by -1 is itself, and leaves 0."""

    def rule(text: Text, x: Number, y: Number) -> Number:
        type, kind = type_of(x.dtype), x.dtype.kind
        if kind == "f":
            return _binary(text, "fdiv", x, y) if quotient else remainder(text, x, y)
        if kind not in "iu":
            raise Unsuitable("a division of such numbers")
        name = ("s" if kind == "i" else "u") + ("div" if quotient else "rem")
        if known_int(y) not in (None, 0, -1):
            return _binary(text, name, x, y)
        zero = _is(text, "eq", y, "0")
        minus = _is(text, "eq", y, "-1") if kind == "i" else "false"
        special = text.new(f"or i1 {zero}, {minus}")
        found = text.new(f"{name} {type} {x.name}, {_select(text, special, type, '1', y.name)}")
        if kind == "i":
            found = _select(text, minus, type, text.new(f"sub {type} 0, {x.name}") if quotient else "0", found)
        return _same(x, _select(text, zero, type, "-1" if quotient else x.name, found))

    return rule


def _extreme(name: str) -> Rule:
    """NaN if one of two floats is."""

    def rule(text: Text, x: Number, y: Number) -> Number:
        type, kind = type_of(x.dtype), x.dtype.kind
        if kind == "b":
            return _binary(text, "or" if name == "max" else "and", x, y)
        if kind == "f":
            return _same(x, text.call(f"llvm.{name}imum.f{8 * x.dtype.itemsize}", type, x.name, y.name))
        if kind == "c":
            raise Unsuitable("the larger one of two complex numbers")
        return _same(x, text.call(f"llvm.{'s' if kind == 'i' else 'u'}{name}.{type}", type, x.name, y.name))

    return rule


def _neg(text: Text, x: Number) -> Number:
    type = type_of(x.dtype)
    if x.dtype.kind in "iu":
        return _same(x, text.new(f"sub {type} 0, {x.name}"))
    if x.dtype.kind == "b":
        raise Unsuitable("a negative truth value")
    return _same(x, *(text.new(f"fneg {type} {part}") for part in x.parts))


def _abs(text: Text, x: Number) -> Number:
    type = type_of(x.dtype)
    if x.dtype.kind == "u":
        return x
    if x.dtype.kind == "i":
        text.declared[f"llvm.abs.{type}"] = f"declare {type} @llvm.abs.{type}({type}, i1)"
        return _same(x, text.new(f"call {type} @llvm.abs.{type}({type} {x.name}, i1 false)"))
    if x.dtype.kind == "f":
        return _intrinsic("fabs")(text, x)
    return _length(text, *(_abs(text, Number(part_of(x.dtype), (part,))) for part in x.parts))


def _length(text: Text, x: Number, y: Number) -> Number:
    """The root of the sum of two squares, which may be too large or too small; infinite if one number is."""
    infinity = literal(np.inf, x.dtype)
    large, small = RULES["max"](text, x, y), RULES["min"](text, x, y)
    ratio = RULES["div"](text, small, large)
    root = _intrinsic("sqrt")(text, RULES["add"](text, RULES["mul"](text, ratio, ratio), literal(1, x.dtype)))
    found = RULES["mul"](text, large, root)
    found = select(text, RULES["eq"](text, large, literal(0, x.dtype)), large, found)
    endless = (RULES["eq"](text, part, infinity).name for part in (x, y))
    return select(text, Number(_BOOL, (text.new(f"or i1 {next(endless)}, {next(endless)}"),)), infinity, found)


def _sign(text: Text, x: Number) -> Number:
    type = type_of(x.dtype)
    if x.dtype.kind == "f":
        one = text.call(f"llvm.copysign.f{8 * x.dtype.itemsize}", type, literal(1, x.dtype).name, x.name)
        usual = text.new(f"fcmp one {type} {x.name}, {literal(0, x.dtype).name}")  # zero and NaN stay what they are
        return _same(x, _select(text, usual, type, one, x.name))
    if x.dtype.kind not in "iu":
        raise Unsuitable("the sign of such a number")
    positive = _is(text, "sgt" if x.dtype.kind == "i" else "ugt", x, "0")
    other = text.new(f"ashr {type} {x.name}, {8 * x.dtype.itemsize - 1}") if x.dtype.kind == "i" else "0"
    return _same(x, _select(text, positive, type, "1", other))


def _intrinsic(name: str) -> Rule:
    """An intrinsic function of LLVM's, of floats."""

    def rule(text: Text, *operands: Number) -> Number:
        first = operands[0]
        if first.dtype.kind != "f":
            raise Unsuitable(f"{name} of numbers of type {first.dtype}")
        type = type_of(first.dtype)
        return _same(first, text.call(f"llvm.{name}.f{8 * first.dtype.itemsize}", type, *(x.name for x in operands)))

    return rule


def _library(name: str) -> Rule:
    """A function of the C library, of floats."""

    def rule(text: Text, *operands: Number) -> Number:
        first = operands[0]
        if first.dtype.kind != "f":
            raise Unsuitable(f"{name} of numbers of type {first.dtype}")
        short = "f" if first.dtype.itemsize == 4 else ""
        return _same(first, text.call(name + short, type_of(first.dtype), *(x.name for x in operands)))

    return rule


def _pow(text: Text, x: Number, y: Number) -> Number:
    """The exponent may be an integer."""
    return _intrinsic("pow")(text, x, convert(text, y, x.dtype))


def _exp(text: Text, x: Number) -> Number:
    """Of a complex number: special values are those of C's `cexp`, and a part overflows only if it is too large."""
    if x.dtype.kind != "c":
        return _intrinsic("exp")(text, x)
    real, imaginary = (Number(part_of(x.dtype), (part,)) for part in x.parts)
    type, zero, one, half = type_of(x.dtype), *(literal(v, real.dtype) for v in (0, 1, 0.5))
    infinity = literal(np.inf, real.dtype)
    whole, root = _exp(text, real), _exp(text, _mul(text, real, half))
    large = RULES["eq"](text, whole, infinity)
    scales = select(text, large, root, whole), select(text, large, root, one)
    turned = [_intrinsic(name)(text, imaginary) for name in ("cos", "sin")]
    parts = [_mul(text, _mul(text, part, scales[0]), scales[1]) for part in turned]
    parts[1] = select(text, RULES["eq"](text, imaginary, zero), imaginary, parts[1])
    # the angle of what is zero, or infinite, does not matter
    endless = RULES["eq"](text, _abs(text, real), infinity)
    somewhere = _not(text, _is_finite(text, imaginary))
    special = text.new(f"and i1 {endless.name}, {somewhere.name}")
    vanishes = text.new(f"and i1 {special}, {RULES['eq'](text, whole, zero).name}")
    real_part = _select(text, special, type, whole.name, parts[0].name)
    return _same(x, real_part, _select(text, vanishes, type, zero.name, parts[1].name))


def _not(text: Text, x: Number) -> Number:
    return _same(x, text.new(f"xor {type_of(x.dtype)} {x.name}, {'true' if x.dtype.kind == 'b' else -1}"))


def _shift(name: str) -> Rule:
    """XLA: what is shifted by more than its bits is zero, or all sign."""

    def rule(text: Text, x: Number, y: Number) -> Number:
        if x.dtype.kind not in "iu":
            raise Unsuitable("a shift of such a number")
        type, bits = type_of(x.dtype), 8 * x.dtype.itemsize
        known = known_int(y)
        if known is not None and 0 <= known < bits:
            return _binary(text, name, x, y)
        fits = _is(text, "ult", y, str(bits))
        amount = _select(text, fits, type, y.name, str(bits - 1) if name == "ashr" else "0")
        found = text.new(f"{name} {type} {x.name}, {amount}")
        return _same(x, found if name == "ashr" else _select(text, fits, type, found, "0"))

    return rule


def _compared(signed: str, unsigned: str, floats: str) -> Rule:
    def rule(text: Text, x: Number, y: Number) -> Number:
        type, kind = type_of(x.dtype), x.dtype.kind
        if kind == "c":
            if floats not in ("oeq", "une"):
                raise Unsuitable("an order of complex numbers")
            parts = [text.new(f"fcmp {floats} {type} {a}, {b}") for a, b in zip(x.parts, y.parts, strict=True)]
            return Number(_BOOL, (text.new(f"{'and' if floats == 'oeq' else 'or'} i1 {parts[0]}, {parts[1]}"),))
        found = f"fcmp {floats}" if kind == "f" else f"icmp {signed if kind == 'i' else unsigned}"
        return Number(_BOOL, (text.new(f"{found} {type} {x.name}, {y.name}"),))

    return rule


def _is_finite(text: Text, x: Number) -> Number:
    size = _abs(text, x)
    return Number(_BOOL, (text.new(f"fcmp olt {type_of(x.dtype)} {size.name}, {literal(np.inf, x.dtype).name}"),))


def any_order(text: Text, instruction: str, x: Number, y: Number) -> Number:
    """A sum or product of floats that may be put together with others in any order."""
    return _binary(text, f"{instruction} reassoc", x, y)


def select(text: Text, predicate: Number, x: Number, y: Number) -> Number:
    """`x` where a predicate holds, else `y`."""
    if predicate.name in ("true", "false"):
        return x if predicate.name == "true" else y
    type = type_of(x.dtype)
    return _same(x, *(_select(text, predicate.name, type, a, b) for a, b in zip(x.parts, y.parts, strict=True)))


def convert(text: Text, x: Number, dtype: np.dtype, fits: bool = False) -> Number:
    """A number as one of another type; floats beyond all integers become the largest or smallest one, NaN becomes 0,
    unless it is known that there is an integer that `fits`."""
    if x.dtype == dtype:
        return x
    if x.dtype.kind in "biu" and dtype.kind in "iu" and (known := known_value(x)) is not None:
        return literal(known, dtype)
    old, new = type_of(x.dtype), type_of(dtype)
    if dtype.kind == "b":
        zero = literal(0, part_of(x.dtype))
        return RULES["ne"](text, x, Number(x.dtype, zero.parts * len(x.parts)))
    if dtype.kind == "c":
        parts = x.parts if x.dtype.kind == "c" else (x.name, literal(0, part_of(x.dtype)).name)
        converted = (convert(text, Number(part_of(x.dtype), (part,)), part_of(dtype)) for part in parts)
        return Number(dtype, tuple(part.name for part in converted))
    if x.dtype.kind == "c":
        return convert(text, Number(part_of(x.dtype), x.parts[:1]), dtype)
    if fits and x.dtype.kind == "f" and dtype.kind == "i":
        # where it does not, and nobody looks at it, it is any integer
        return Number(dtype, (text.new(f"freeze {new} {text.new(f'fptosi {old} {x.name} to {new}')}"),))
    return Number(dtype, (_converted(text, x, dtype, old, new),))


def _converted(text: Text, x: Number, dtype: np.dtype, old: str, new: str) -> str:
    if x.dtype.kind == "f" and dtype.kind == "f":
        return text.new(f"{'fpext' if dtype.itemsize > x.dtype.itemsize else 'fptrunc'} {old} {x.name} to {new}")
    if x.dtype.kind == "f" and x.dtype.itemsize > 2 and dtype.kind == "i":
        return _integer(text, x, dtype, old, new)
    if x.dtype.kind == "f":
        function = f"llvm.fpto{'s' if dtype.kind == 'i' else 'u'}i.sat.{new}.f{8 * x.dtype.itemsize}"
        text.declared[function] = f"declare {new} @{function}({old})"
        return text.new(f"call {new} @{function}({old} {x.name})")
    if dtype.kind == "f":
        return text.new(f"{'sitofp' if x.dtype.kind == 'i' else 'uitofp'} {old} {x.name} to {new}")
    bits = 1 if x.dtype.kind == "b" else 8 * x.dtype.itemsize
    if 8 * dtype.itemsize == bits:
        return x.name
    longer = "sext" if x.dtype.kind == "i" else "zext"
    return text.new(f"{longer if 8 * dtype.itemsize > bits else 'trunc'} {old} {x.name} to {new}")


def _integer(text: Text, x: Number, dtype: np.dtype, old: str, new: str) -> str:
    """A float as a signed integer. LLVM's own instruction for that is several that do not fall away where it is known
    that there is such an integer; what is not chosen here is not defined."""
    limits = np.iinfo(dtype)
    above, below = (literal(end, x.dtype).name for end in (-float(limits.min), float(limits.min)))
    truncated = text.new(f"fptosi {old} {x.name} to {new}")
    for relation, limit, value in (("oge", above, limits.max), ("olt", below, limits.min), ("uno", x.name, 0)):
        beyond = text.new(f"fcmp {relation} {old} {x.name}, {limit}")
        truncated = text.new(f"select i1 {beyond}, {new} {value}, {new} {truncated}")
    return truncated


def _unless_known(name: str, rule: Rule) -> Rule:
    """A rule; of two known integers or truth values the result is known, too, so that what comes of it may be, too."""

    def either(text: Text, x: Number, y: Number) -> Number:
        if x.dtype.kind in "biu":
            one, other = known_value(x), known_value(y)
            if one is not None and other is not None:
                result = infer_elementwise(name, (TensorType((), x.dtype),) * 2)
                value = computed(name, (np.asarray(one), np.asarray(other)), result)
                if value is not None:
                    return literal(value[()], result.dtype)
        return rule(text, x, y)

    return either


RULES: dict[str, Rule] = {
    "add": _simple("add", "fadd"),
    "sub": _simple("sub", "fsub"),
    "mul": _mul,
    "div": _divided(True),
    "rem": _divided(False),
    "max": _extreme("max"),
    "min": _extreme("min"),
    "neg": _neg,
    "abs": _abs,
    "sign": _sign,
    "bitwise_and": _simple("and", None, "and"),
    "bitwise_or": _simple("or", None, "or"),
    "bitwise_xor": _simple("xor", None, "xor"),
    "bitwise_not": _not,
    "shift_left": _shift("shl"),
    "shift_right_arithmetic": _shift("ashr"),
    "shift_right_logical": _shift("lshr"),
    "eq": _compared("eq", "eq", "oeq"),
    "ne": _compared("ne", "ne", "une"),
    "lt": _compared("slt", "ult", "olt"),
    "le": _compared("sle", "ule", "ole"),
    "gt": _compared("sgt", "ugt", "ogt"),
    "ge": _compared("sge", "uge", "oge"),
    "is_finite": _is_finite,
    "select": select,
    **{name: _intrinsic(name) for name in "floor ceil sqrt exp2 log sin cos".split()},
    "exp": _exp,
    "pow": _pow,
    **{name: _library(name) for name in "expm1 log1p tan asin acos atan sinh cosh tanh atan2 cbrt erf erfc".split()},
    **{name: _library(name) for name in "asinh acosh atanh lgamma".split()},
}

RULES |= {
    name: _unless_known(name, RULES[name])
    for name, definition in TABLE.items()
    if definition.is_elementwise and definition.operands == 2 and definition.value is not None
}


def filling(dtype: np.dtype, value: object) -> Number:
    """What a gather gives beyond an array: `value`, or what JAX takes where that is None."""
    if value is None:
        value = {"i": lambda: np.iinfo(dtype).min, "u": lambda: np.iinfo(dtype).max, "b": lambda: True}.get(
            dtype.kind, lambda: np.nan
        )()
    return literal(value, dtype)


#: how a float is rounded to a whole one, by the parameter of `lax.round_p`: away from zero, to even
ROUNDED = (_intrinsic("round"), _intrinsic("roundeven"))

__all__ = ["ROUNDED", "RULES", "any_order", "convert", "filling", "select"]
