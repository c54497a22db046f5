"""What is computed element by element: numbers of numbers, at each place of an array."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from math import prod

import numpy as np

from xlapy.ir.operations import SLOW
from xlapy.lowering.llvm import concatenation
from xlapy.lowering.llvm.functions import IN_VECTORS
from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Place,
    Value,
    Window,
    element,
    inside,
    is_mask,
    is_slow,
    is_uniform,
    is_view,
    meeting,
    origins_of,
    reads,
    rest_of,
    rows_of,
    shape_of,
    window_of,
    work_of,
)
from xlapy.lowering.llvm.scalar_instructions import ROUNDED, RULES, convert, select
from xlapy.lowering.llvm.text import (
    FALSE,
    Number,
    Text,
    Unsuitable,
    known_value,
    literal,
    part_of,
    type_of,
)
from xlapy.lowering.thresholds import ELEMENTS_WITHOUT_CALLS

#: primitives by the kinds of operations that they are
KINDS = {
    **{name: name for name in RULES},
    "add_any": "add",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "not": "bitwise_not",
}
#: what a processor does in one instruction, or hardly more; and what all else is taken for
_QUICK = frozenset(
    "add sub mul neg abs square max min eq ne lt le gt ge and or not bitwise_and bitwise_or bitwise_not select select_n"
    " convert convert_element_type clamp".split()
)
_MANY = 16
_BOOL = np.dtype(bool)


def elementwise(
    text: Text, shape: tuple[int, ...], dtype: np.dtype, rule: Callable, operands: Sequence[Value], name: str = ""
) -> Value:
    """What a rule, of that name, makes of each element of operands; an axis of one element stands for a longer one."""
    count, given = prod(shape), rule
    slow = name in SLOW
    if name in IN_VECTORS and count >= ELEMENTS_WITHOUT_CALLS and dtype.name in ("float32", "float64"):
        rule, slow = partial(IN_VECTORS[name], text), False
    if count == 1:
        numbers = [element(text, x, ("0",) * len(shape_of(x))) for x in operands]
        return rule(*numbers)
    if count == 0:
        raise Unsuitable("an array without elements")

    def at(place: Place) -> Number:
        return rule(*(element(text, x, _stretched(place, shape_of(x))) for x in operands))

    window = _window(text, shape, dtype, rule, operands, name)
    loaded = window is not None and all(map(is_view, operands))
    rows = frozenset[int]().union(*(rows_of(x, shape) for x in operands))
    work = sum(map(work_of, operands)) + (1 if name in _QUICK and dtype.kind in "biuf" else _MANY)
    made = Lazy(dtype, shape, at, reads(*operands), loaded, slow or is_slow(*operands), window, rows=rows, work=work)
    origins = [origins_of(x, shape) for x in operands]
    known = [places for places in origins if places is not None]
    if len(known) == len(origins):
        return made._replace(origins=frozenset().union(*known))

    def of_part(shape: tuple[int, ...], operands: Sequence[Value]) -> Value:
        return elementwise(text, shape, dtype, given, operands, name)

    return made._replace(parts=concatenation.apart(text, shape, operands, of_part))


def _stretched(place: Place, shape: tuple[int, ...]) -> Place:
    """Where an element is in an array of which axes of length 1 stand for longer ones."""
    return [i if n > 1 else "0" for i, n in zip(place, shape, strict=True)] if 1 in shape else place


def _window(
    text: Text, shape: tuple[int, ...], dtype: np.dtype, rule: Callable, operands: Sequence[Value], name: str
) -> Window | None:
    """Where the elements are not all the same number, of what is often made of arrays that are so."""
    found: list[Value] = []
    rest: Number | None = None
    if name in ("and", "bitwise_and"):
        found, rest = [x for x in operands if is_mask(x, shape)], FALSE
    elif name in ("select", "select_n"):
        old = operands[2 if name == "select" else 1]
        found = [x for x in operands[:1] if is_mask(x, shape)]
        rest = rest_of(old) if isinstance(old, Number) or is_uniform(old) else None
    elif name in ("convert", "convert_element_type"):
        found, before = list(operands), known_value(rest_of(operands[0]))
        rest = None if before is None or before.dtype.kind == "f" and dtype.kind != "f" else literal(before, dtype)
    elif name == "ne" and operands[0] is operands[1]:
        found, before = list(operands[:1]), known_value(rest_of(operands[0]))
        rest = None if before is None else literal(before != before, _BOOL)
    windows = [window for x in found if (window := window_of(x)) is not None]
    if rest is None or not windows:
        return None

    def within(place: Place) -> Number:
        numbers = []
        for x in operands:
            part = inside if any(x is y for y in found) else element
            numbers.append(part(text, x, _stretched(place, shape_of(x))))
        return rule(*numbers)

    extents = meeting(text, windows)
    return None if extents is None else Window(extents, rest, within)


def plain(name: str) -> Callable:
    """The rule of a primitive that is a kind of operation."""
    return lambda text, params, *numbers: RULES[KINDS[name]](text, *numbers)


def _select(text: Text, params: dict, which: Number, *cases: Number) -> Number:
    if which.dtype.kind != "b" or len(cases) != 2:
        raise Unsuitable("a choice between more than two")
    return select(text, which, cases[1], cases[0])


def _integer_power(text: Text, params: dict, x: Number) -> Number:
    exponent = params["y"]
    one = literal(1, x.dtype)
    if exponent == 0:
        return one
    found, factor, left = None, x, abs(exponent)
    while left:
        if left % 2:
            found = factor if found is None else RULES["mul"](text, found, factor)
        left //= 2
        if left:
            factor = RULES["mul"](text, factor, factor)
    assert found is not None
    return found if exponent > 0 else RULES["div"](text, one, found)


def _complex(text: Text, params: dict, x: Number, y: Number) -> Number:
    return Number(np.dtype(f"c{2 * x.dtype.itemsize}"), (x.name, y.name))


def _logistic(text: Text, params: dict, x: Number) -> Number:
    one = literal(1, x.dtype)
    return RULES["div"](text, one, RULES["add"](text, one, RULES["exp"](text, RULES["neg"](text, x))))


def _part(place: int) -> Callable:
    return lambda text, params, x: Number(part_of(x.dtype), x.parts[place : place + 1])


def _conj(text: Text, params: dict, x: Number) -> Number:
    if x.dtype.kind != "c":
        return convert(text, x, np.dtype(f"c{2 * x.dtype.itemsize}"))
    minus = RULES["neg"](text, Number(part_of(x.dtype), x.parts[1:]))
    return Number(x.dtype, (x.parts[0], minus.name))


def _same_bits(text: Text, params: dict, x: Number) -> Number:
    dtype = np.dtype(params["new_dtype"])
    if "c" in (x.dtype.kind, dtype.kind) or x.dtype.itemsize != dtype.itemsize or "b" in (x.dtype.kind, dtype.kind):
        raise Unsuitable("bits of several numbers")
    old, new = type_of(x.dtype), type_of(dtype)
    return Number(dtype, (x.name if old == new else text.new(f"bitcast {old} {x.name} to {new}"),))


def _counted_bits(name: str) -> Callable:
    """An intrinsic function of LLVM's, of the bits of an integer."""

    def rule(text: Text, params: dict, x: Number) -> Number:
        type = type_of(x.dtype)
        last = ", i1 false" if name == "ctlz" else ""
        text.declared[f"llvm.{name}.{type}"] = f"declare {type} @llvm.{name}.{type}({type}{last and ', i1'})"
        return Number(x.dtype, (text.new(f"call {type} @llvm.{name}.{type}({type} {x.name}{last})"),))

    return rule


NUMBERS: dict[str, Callable[..., Number]] = {
    "bitcast_convert_type": _same_bits,
    "erf_inv": lambda text, params, x: IN_VECTORS["erf_inv"](text, x),
    "convert_element_type": lambda text, params, x: convert(text, x, np.dtype(params["new_dtype"])),
    "select_n": _select,
    "clamp": lambda text, params, low, x, high: RULES["min"](text, RULES["max"](text, low, x), high),
    "integer_pow": _integer_power,
    "square": lambda text, params, x: RULES["mul"](text, x, x),
    "rsqrt": lambda text, params, x: RULES["div"](text, literal(1, x.dtype), RULES["sqrt"](text, x)),
    "round": lambda text, params, x: ROUNDED[int(params["rounding_method"])](text, x),
    "complex": _complex,
    "logistic": _logistic,
    "real": _part(0),
    "imag": _part(1),
    "conj": _conj,
    "clz": _counted_bits("ctlz"),
    "population_count": _counted_bits("ctpop"),
}


__all__ = ["KINDS", "NUMBERS", "elementwise", "plain"]
