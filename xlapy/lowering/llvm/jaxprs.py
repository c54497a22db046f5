"""Leaves: each equation of their jaxprs is a few instructions for each element that is wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from xlapy.ir.operations import SLOW
from xlapy.lowering.barrier import APART
from xlapy.lowering.compaction import presses
from xlapy.lowering.convolutions import mode_of
from xlapy.lowering.gram import form_of
from xlapy.lowering.llvm import blas, exchanging, extremes, lapack, parts, pressing, random
from xlapy.lowering.llvm.apart import joined_in_parts
from xlapy.lowering.llvm.arrays import (
    Extent,
    Lazy,
    Place,
    Room,
    Value,
    Window,
    bounded,
    clamped,
    dtype_of,
    element,
    for_many,
    inside,
    is_little,
    is_mask,
    is_slow,
    is_uniform,
    is_view,
    lies_in_rows,
    meeting,
    origins_of,
    over,
    placed,
    reads,
    rest_of,
    rows_of,
    shape_of,
    uniform,
    view,
    window_of,
    work_of,
)
from xlapy.lowering.llvm.convolving import convolved
from xlapy.lowering.llvm.divisions import DIVISIONS
from xlapy.lowering.llvm.functions import IN_VECTORS
from xlapy.lowering.llvm.fusing import Step, remembered, shared_of
from xlapy.lowering.llvm.indexing import gather, scatter
from xlapy.lowering.llvm.loops import branched, looped
from xlapy.lowering.llvm.memory import Array, Memory, address, put
from xlapy.lowering.llvm.moves import moved_rows
from xlapy.lowering.llvm.numbers import ROUNDED, RULES, any_order, convert, select
from xlapy.lowering.llvm.reshaping import reshaped
from xlapy.lowering.llvm.running import running
from xlapy.lowering.llvm.tables import searched
from xlapy.lowering.llvm.text import (
    FALSE,
    INDEX,
    KEY,
    Number,
    Text,
    Unsuitable,
    known_int,
    known_value,
    literal,
    part_of,
    plus,
    times,
    type_of,
)
from xlapy.lowering.moves import moves
from xlapy.lowering.needed import FOR_XLA, needed, operands_of
from xlapy.lowering.places import Search
from xlapy.lowering.places import search_of as places_of
from xlapy.lowering.searches import search_of
from xlapy.lowering.sorting import ORDERED, sort_of
from xlapy.lowering.untraced import branch_on_cpu

#: multiplications in a product, and in one that reads each element of both operands once; elements of a constant that
#: is written into the program
_MOST_PRODUCTS, _MOST_READ_ONCE, _MOST_WRITTEN = 1 << 14, 1 << 21, 512
#: terms of the sums in a product of many small matrices, and multiplications in all of these
_FEW_TERMS, _MOST_OF_SMALL = 8, 1 << 23
#: elements of a matrix in whose columns the largest or smallest ones are looked for
_MOST_IN_COLUMNS = 256
#: elements from which on functions are computed without calls
_IN_VECTORS = 8
#: terms of a sum of float32 from which on it is made in float64: NumPy adds parts first, which is as exact
_LONG_SUM = 256
#: elements from which on the first of the largest is looked for in blocks
_IN_BLOCKS = 64
#: columns from which on several are reduced at a time
_WIDTH = 4
#: primitives by the kinds of operations that they are
_KINDS = {
    **{name: name for name in RULES},
    "add_any": "add",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "not": "bitwise_not",
}
_SAME = frozenset("copy copy_p stop_gradient optimization_barrier".split())
_CALLS = frozenset(("pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"))
#: what a processor does in one instruction, or hardly more; and what all else is taken for
_QUICK = frozenset(
    "add sub mul neg abs square max min eq ne lt le gt ge and or not bitwise_and bitwise_or bitwise_not select select_n"
    " convert convert_element_type".split()
)
_MANY = 16
_BOOL = np.dtype(bool)


def evaluated(text: Text, room: Room, jaxpr: Any, operands: Sequence[Value]) -> list[Value]:
    """What a closed jaxpr computes; in `room` are all elements of an array of which some are wanted more than once."""
    return _evaluate(text, room, jaxpr.jaxpr, [*(known(text, x) for x in jaxpr.consts), *operands])


def known(text: Text, value: Any) -> Value:
    """A constant."""
    array = np.asarray(value)
    if array.size == 0:
        raise Unsuitable("an array without elements")
    first = literal(array.flat[0], array.dtype)
    if array.size == 1:
        return first
    if _is_all_one(array):
        return uniform(first, array.shape)
    if array.size > _MOST_WRITTEN:
        name = text.constant(array)
    else:
        name = text.table([literal(x, array.dtype) for x in array.flat])
    place = Memory(name, array.dtype, array.shape, True)
    return Array(place, place.version)


def _is_all_one(array: np.ndarray) -> bool:
    """Whether all elements are the same, bit by bit: -0.0 is not 0.0, and NaN is NaN."""
    rows = np.ascontiguousarray(array).reshape(-1).view(np.uint8).reshape(array.size, -1)
    return bool((rows == rows[0]).all())


def _evaluate(text: Text, room: Room, jaxpr: Any, operands: Sequence[Value]) -> list[Value]:
    equations, wanted = needed(jaxpr)
    read_by = (*map(operands_of, equations), jaxpr.outvars)
    uses = Counter(atom for atoms in read_by for atom in atoms if not hasattr(atom, "val"))
    steps = [Step(list(_variables(operands_of(e))), e.outvars, _is_elementwise(e)) for e in equations]
    shared = shared_of(steps, _variables(jaxpr.outvars), lambda var: var.aval.shape)
    environment: dict[Any, Any] = {}

    def define(atoms: Sequence, values: Sequence[Value], reduced: bool = False) -> None:
        for atom, value in zip(atoms, values, strict=True):
            if isinstance(value, Lazy) and not value.is_view and not value.is_shared and (reduced or uses[atom] > 1):
                if atom in shared:
                    value = remembered(text, value)
                elif reduced or not is_little(value):
                    value = room.kept(value)
            environment[atom] = value

    def read(atom: Any) -> Any:
        if hasattr(atom, "val"):
            return known(text, np.asarray(atom.val, atom.aval.dtype))
        return environment[atom] if atom in wanted else environment.get(atom)

    define([*jaxpr.constvars, *jaxpr.invars], operands)
    for equation in equations:
        found = _equation(text, room, equation, [read(atom) for atom in equation.invars])
        define(equation.outvars, found, equation.primitive.name in _REDUCTIONS)
    return [read(atom) for atom in jaxpr.outvars]


def _variables(atoms: Iterable) -> Iterator[Any]:
    return (atom for atom in atoms if not hasattr(atom, "val"))


def is_elementwise(jaxpr: Any) -> bool:
    """Whether each element of the one result of a jaxpr is made of those of its operands at that place."""
    equations, _ = needed(jaxpr)
    shape = jaxpr.outvars[0].aval.shape
    fits = all(_is_elementwise(e) and e.outvars[0].aval.shape == shape or _spreads_number(e) for e in equations)
    return fits and all(v.aval.shape in ((), shape) for v in (*jaxpr.invars, *jaxpr.outvars))


def _is_elementwise(equation: Any) -> bool:
    """Whether each element of the result of an equation is made of those of its operands at that place."""
    name, inner = equation.primitive.name, equation.params.get("jaxpr", equation.params.get("call_jaxpr"))
    if len(equation.outvars) != 1 or equation.effects:
        return False
    if name in _CALLS and equation.params.get("name") in DIVISIONS:
        return True
    if name in _CALLS and inner is not None:
        known = str(equation.params.get("name")).startswith("xlapy_") or equation.params.get("name") in FOR_XLA
        jaxpr = getattr(inner, "jaxpr", inner)
        return not known and all(_is_elementwise(e) or _spreads_number(e) for e in jaxpr.eqns)
    return name in _NUMBERS or name in _KINDS or name in _SAME or name == "random_bits"


def _spreads_number(equation: Any) -> bool:
    return equation.primitive.name == "broadcast_in_dim" and prod(equation.invars[0].aval.shape) == 1


def _equation(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    name, params = equation.primitive.name, equation.params
    if equation.effects:
        raise Unsuitable(f"the effects of {name}")
    if name in _CALLS and params.get("name") in FOR_XLA:
        return operands[: len(equation.outvars)]
    sort = sort_of(params.get("name"), [v.aval.shape for v in equation.invars])
    if name in _CALLS and sort is not None:
        rule = exchanging.ordered if sort[0] == ORDERED else exchanging.places
        return [rule(text, room, tuple(equation.invars[0].aval.shape), sort[1], operands[0])]
    of_rows = form_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if of_rows is not None and blas.suits_itself(equation.invars[0].aval.dtype, shape_of(operands[0]), of_rows):
        return [_multiplied_by_itself(text, room, of_rows, operands[0])]
    if name in _CALLS and presses(params.get("name"), [v.aval.shape for v in equation.invars]):
        if pressing.suits(equation.outvars[0].aval.dtype):
            return [pressing.pressed(text, room, np.dtype(equation.outvars[0].aval.dtype), operands)]
    places = places_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if places is not None and dtype_of(operands[0]).kind in "biuf":
        aval = equation.outvars[0].aval
        return [extremes.first_places(text, room, places, operands[0], tuple(aval.shape), np.dtype(aval.dtype))]
    search = search_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if search is not None:
        return searched(text, room, search, equation.invars[0].aval.shape[0], operands)
    if name in _CALLS and moves(params.get("name"), [v.aval.shape for v in equation.invars]):
        return [moved_rows(text, room, operands)]
    if name == "sort":
        shape, axis, keys = equation.invars[0].aval.shape, params["dimension"], params["num_keys"]
        return exchanging.all_ordered(text, room, tuple(shape), axis, keys, operands)
    if name in _CALLS and params.get("name") in DIVISIONS:
        aval, rule = equation.outvars[0].aval, partial(DIVISIONS[params["name"]], text)
        return [elementwise(text, tuple(aval.shape), np.dtype(aval.dtype), rule, operands)]
    mode = mode_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if mode is not None and equation.outvars[0].aval.size > 1:
        return [convolved(text, room, mode, equation.outvars[0].aval.shape[0], operands)]
    if name in _CALLS and params.get("name") == APART:
        fast = params["jaxpr"].jaxpr.eqns[-1]
        if fast.primitive.name == "cond" and fast.outvars == params["jaxpr"].jaxpr.outvars:
            return evaluated(text, room, fast.params["branches"][-1], operands)
    if name in _CALLS:
        inner = params.get("jaxpr", params.get("call_jaxpr"))
        closed = hasattr(inner, "consts")
        return (evaluated if closed else _evaluate)(text, room, inner, operands)
    if name == "platform_index":
        return [literal(branch_on_cpu(params), np.dtype(np.int32))]
    if name == "cond" and isinstance(operands[0], Number) and known_int(operands[0]) is not None:
        branches = params["branches"]
        chosen = branches[min(max(known_int(operands[0]) or 0, 0), len(branches) - 1)]
        return evaluated(text, room, chosen, operands[1:])
    # In a loop such branches are mostly about vectors, of which a trip looks at a part.
    if name == "cond" and isinstance(operands[0], Number) and len(params["branches"]) == 2 and not text.loops:
        return branched(text, room, equation, operands, lambda jaxpr, values: evaluated(text, room, jaxpr, values))
    if name == "while":
        return looped(text, room, params, operands, lambda jaxpr, values: evaluated(text, room, jaxpr, values))
    if name in _SAME:
        return list(operands)
    if name == "unstack":
        return _unstacked(text, equation, operands[0])
    if name == "tile" and not isinstance(operands[0], Number):
        return [parts.tiled(text, room, tuple(equation.outvars[0].aval.shape), operands[0], params["reps"])]
    if name == "custom_linear_solve":
        return _solved(text, room, params, operands)
    factors = lapack.evaluated(text, room, equation, operands)
    if factors is not None:
        return factors
    if len(equation.outvars) != 1:
        raise Unsuitable(name)
    found = random.drawn(text, name, equation, operands)
    if found is not None:
        return [found]
    aval = equation.outvars[0].aval
    shape, dtype = tuple(aval.shape), KEY if random.is_key(aval.dtype) else aval.dtype
    type_of(dtype)
    rule = _NUMBERS.get(name) or (_plain(name) if name in _KINDS else None)
    if rule is not None:
        operands = [for_many(room, x, shape) for x in operands]
        return [elementwise(text, shape, dtype, partial(rule, text, params), operands, name)]
    shaped, whole = _SHAPES.get(name), _WHOLE.get(name)
    if shaped is None and whole is None and name != "broadcast_in_dim":
        raise Unsuitable(name)
    if prod(shape) == 0 or any(prod(v.aval.shape) == 0 for v in equation.invars):
        raise Unsuitable("an array without elements")
    if name == "dot_general" and (vector := _vector_of_rows(text, equation, operands)) is not None:
        kept = [x if is_view(x) or k != vector else room.kept(x) for k, x in enumerate(operands)]
        made = _product(text, equation, shape, kept)
    elif name == "dot_general" and (joined_all := _product_in_parts(text, room, equation, operands)) is not None:
        made = joined_all
    elif name == "dot_general" and _is_for_library(equation, operands):
        made = _multiplied(text, room, equation, shape, operands)
    elif name in _JOINED and (joined_all := _joined_in_parts(text, room, params["axes"], operands[0], *_JOINED[name])):
        made = joined_all
    elif name in _JOINED and _is_of_columns(equation, operands[0]):
        made = _joined_by_rows(text, room, equation, shape, operands, *_JOINED[name])
    elif name == "broadcast_in_dim":
        made = placed(text, for_many(room, operands[0], shape), shape, params["broadcast_dimensions"])
    elif whole is not None:
        made = whole(text, room, equation, operands)
    else:
        assert shaped is not None
        if name == "dot_general":
            ((axes, _), _) = params["dimension_numbers"]
            terms = prod(equation.invars[0].aval.shape[k] for k in axes)
            operands = [for_many(room, x, (prod(shape) * terms,)) for x in operands]
        made = shaped(text, equation, shape, operands)
    return [element(text, made, ("0",) * len(shape)) if prod(shape) == 1 else made]


def _solved(text: Text, room: Room, params: dict, operands: Sequence[Value]) -> list[Value]:
    """What `lax.custom_linear_solve` computes."""
    lengths, jaxprs = params["const_lengths"], params["jaxprs"]
    first = lengths.matvec + lengths.vecmat
    right = operands[first + lengths.solve + lengths.transpose_solve :]
    return evaluated(text, room, jaxprs.solve, [*operands[first : first + lengths.solve], *right])


def elementwise(
    text: Text, shape: tuple[int, ...], dtype: np.dtype, rule: Callable, operands: Sequence[Value], name: str = ""
) -> Value:
    """What a rule, of that name, makes of each element of operands; an axis of one element stands for a longer one."""
    count, given = prod(shape), rule
    slow = name in SLOW
    if name in IN_VECTORS and count >= _IN_VECTORS and dtype.name in ("float32", "float64"):
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

    return made._replace(parts=parts.apart(text, shape, operands, of_part))


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


def _plain(name: str) -> Callable:
    return lambda text, params, *numbers: RULES[_KINDS[name]](text, *numbers)


# -- numbers --


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


_NUMBERS: dict[str, Callable[..., Number]] = {
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


# -- shapes --


def _reshape(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    return reshaped(text, operands[0], shape)


def _transpose(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    (x,), order = operands, equation.params["permutation"]
    made = view(text, x, shape, lambda at: [at[order.index(k)] for k in range(len(order))])
    made = made._replace(rows=frozenset(order.index(k) for k in rows_of(x, shape_of(x))))
    return made._replace(transposed=x) if isinstance(x, Array) and order == (1, 0) else made


def _rev(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    axes = equation.params["dimensions"]

    def where(at: Place) -> Place:
        return [text.new(f"sub nsw i64 {shape[k] - 1}, {i}") if k in axes else i for k, i in enumerate(at)]

    return view(text, operands[0], shape, where)


def _slice(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    starts, strides = equation.params["start_indices"], equation.params["strides"] or (1,) * len(shape)

    def where(at: Place) -> Place:
        return [
            plus(text, times(text, i, step), str(first)) for i, step, first in zip(at, strides, starts, strict=True)
        ]

    (x,) = operands
    if isinstance(x, Number):
        return x
    rows = frozenset(k for k in rows_of(x, shape_of(x)) if strides[k] == 1)
    return view(text, x, shape, where)._replace(rows=rows)


def _unstacked(text: Text, equation: Any, x: Value) -> list[Value]:
    """The parts of an array along an axis, without that axis."""
    axis, found = equation.params["axis"], []
    for k, var in enumerate(equation.outvars):
        shape = tuple(var.aval.shape)
        if prod(shape) == 0:
            raise Unsuitable("an array without elements")
        where = partial(_with_index, axis, str(k))
        part = x if isinstance(x, Number) else view(text, x, shape, where)
        found.append(element(text, part, ("0",) * len(shape)) if prod(shape) == 1 else part)
    return found


def _with_index(axis: int, index: str, place: Place) -> Place:
    return [*place[:axis], index, *place[axis:]]


def _dynamic_slice(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    x, *starts = operands
    if isinstance(x, Number):
        return x
    first = [clamped(text, element(text, i, ()), n - m) for i, n, m in zip(starts, shape_of(x), shape, strict=True)]
    return view(text, x, shape, lambda at: [plus(text, i, start) for i, start in zip(at, first, strict=True)])


def _iota(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    axis, dtype = equation.params["dimension"], np.dtype(equation.params["dtype"])
    return Lazy(dtype, shape, lambda at: convert(text, Number(INDEX, (at[axis],)), dtype), frozenset(), True, work=1)


def _concatenate(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    lengths = [v.aval.shape[equation.params["dimension"]] for v in equation.invars]
    return parts.concatenated(text, shape, equation.params["dimension"], operands, lengths)


def _stack(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    return parts.stacked(text, shape, equation.params["axis"], operands)


def _pad(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    x, filling = operands
    config = equation.params["padding_config"]
    if any(inner or low < 0 or high < 0 for low, high, inner in config):
        raise Unsuitable("such a padding")
    old = tuple(equation.invars[0].aval.shape)

    def at(place: Place) -> Number:
        inner = [plus(text, i, str(-low)) for i, (low, _, _) in zip(place, config, strict=True)]
        found = element(text, x, [parts.near(text, i, n) for i, n in zip(inner, old, strict=True)])
        for i, n in zip(inner, old, strict=True):
            found = select(text, parts.within(text, i, n), found, element(text, filling, ()))
        return found

    return Lazy(dtype_of(x), shape, at, reads(x), False, is_slow(x))


def _reduction(kind: str, start: Callable[[np.dtype], object]) -> Callable:
    def shaped(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
        (x,), axes = operands, equation.params["axes"]
        if isinstance(x, Number):
            return x
        old, dtype = shape_of(x), dtype_of(x)
        extents = _extents_along(text, x, axes, literal(start(dtype), dtype))
        found = inside if extents and len(axes) == len(old) else element
        in_rows = tuple(axes) == tuple(range(len(old))) and lies_in_rows(x, old)
        lengths = [old[k] for k in axes]
        wide = _wide(kind, dtype, prod(lengths))

        def at(place: Place) -> Number:
            if extremes.suits(kind, dtype, prod(lengths)):
                element_at = lambda inner: found(text, x, _together(axes, inner, place))  # noqa: E731
                return extremes.extreme(text, kind, literal(start(dtype), dtype), lengths, extents, element_at)

            def visit(inner: Place, numbers: list[Number]) -> list[Number]:
                new = convert(text, found(text, x, _together(axes, inner, place)), wide)
                return [joined(text, kind, numbers[0], new)]

            first = literal(start(dtype), wide)
            return convert(text, over(text, lengths, [first], visit, extents, in_rows)[0], dtype)

        return Lazy(dtype, shape, at, reads(x))

    return shaped


def _product_in_parts(text: Text, room: Room, equation: Any, operands: list[Value]) -> Number | None:
    """The product of two long vectors; None if it is another one."""
    types = [v.aval.dtype for v in (*equation.invars, *equation.outvars)]
    if any(isinstance(x, Number) or len(shape_of(x)) != 1 for x in operands) or len(set(types)) > 1:
        return None
    terms = elementwise(
        text, shape_of(operands[0]), dtype_of(operands[0]), partial(RULES["mul"], text), operands, "mul"
    )
    return _joined_in_parts(text, room, (0,), terms, *_JOINED["reduce_sum"])


def _joined_in_parts(
    text: Text, room: Room, axes: Sequence[int], x: Value, kind: str, start: Callable
) -> Number | None:
    """A reduction of many elements to one number, of which each part is joined by itself; None if it is another one."""
    if (
        isinstance(x, Number)
        or tuple(axes) != tuple(range(len(shape_of(x))))
        or text.is_shared
        or window_of(x) is not None
    ):
        return None
    lengths, dtype = shape_of(x), dtype_of(x)
    if extremes.suits(kind, dtype, prod(lengths)):
        return None
    bounded(text, lengths, x)
    wide = _wide(kind, dtype, prod(lengths))
    first = literal(start(dtype), wide)
    total = joined_in_parts(
        text,
        room,
        lengths,
        first,
        lambda old, new: joined(text, kind, old, new),
        lambda place: convert(text, element(text, x, place), wide),
        lies_in_rows(x, lengths),
    )
    return None if total is None else convert(text, total, dtype)


def _wide(kind: str, dtype: np.dtype, count: int) -> np.dtype:
    """The type that so many elements are joined in."""
    is_long = kind == "add" and dtype == np.float32 and count >= _LONG_SUM
    return np.dtype(np.float64) if is_long else dtype


def _extents_along(text: Text, x: Value, axes: Sequence[int], start: Number) -> Sequence[Extent | None]:
    """The window along some axes outside of which all is what a reduction begins with; none if there is none."""
    window = window_of(x)
    if window is None or is_slow(x) or not window.rest == start:
        bounded(text, shape_of(x), x)
        return ()
    return [window.extents[k] for k in axes]


def _together(axes: Sequence[int], reduced: Place, kept: Place) -> Place:
    """A place, from its places along the axes that are reduced, and along the others."""
    along, others = dict(zip(axes, reduced, strict=True)), iter(kept)
    return [along[k] if k in along else next(others) for k in range(len(reduced) + len(kept))]


def _is_of_columns(equation: Any, x: Value) -> bool:
    """Whether a reduction leaves a last axis that is long enough for vectors."""
    old = equation.invars[0].aval.shape
    return not isinstance(x, Number) and len(old) - 1 not in equation.params["axes"] and old[-1] >= _WIDTH


def _joined_by_rows(
    text: Text, room: Room, equation: Any, shape: tuple[int, ...], operands: list[Value], kind: str, start: Callable
) -> Value:
    """A reduction that leaves the last axis: row after row is joined to what is there, several columns at a time."""
    (x,), axes = operands, equation.params["axes"]
    old, dtype = shape_of(x), dtype_of(x)
    first = literal(start(dtype), dtype)
    extents = _extents_along(text, x, axes, first)
    found = room.made(dtype, shape)
    array = Array(found, found.version)

    def begin(place: Place, numbers: list) -> list:
        put(text, found, first, place)
        return []

    def join_row(outer: Place, numbers: list) -> list:
        def visit(place: Place, numbers: list) -> list:
            new = element(text, x, _together(axes, outer, place))
            put(text, found, joined(text, kind, element(text, array, place), new), place)
            return []

        return over(text, shape, [], visit)

    over(text, shape, [], begin, in_rows=True)
    over(text, [old[k] for k in axes], [], join_row, extents)
    return found.change()


def joined(text: Text, kind: str, x: Number, y: Number) -> Number:
    """Two parts of a sum, a product, a maximum ..., in any order."""
    if x.dtype.kind == "f" and kind in ("add", "mul"):
        return any_order(text, f"f{kind}", x, y)
    return RULES[kind](text, x, y)


def _extreme_place(kind: str) -> Callable:
    """Where the first of the largest or smallest elements is, or the first NaN."""

    def shaped(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
        (x,), (axis,) = operands, equation.params["axes"]
        dtype = np.dtype(equation.params["index_dtype"])
        if isinstance(x, Number):
            return literal(0, dtype)
        old = shape_of(x)
        worst = (extremes.least if kind == "gt" else extremes.largest)(dtype_of(x))
        extents = _extents_along(text, x, [axis], literal(worst, dtype_of(x)))
        if axis != len(old) - 1 and prod(old) > _MOST_IN_COLUMNS:
            raise Unsuitable("places in columns, of which XLA looks at several at a time")
        in_blocks = axis == len(old) - 1 and not extents and is_view(x) and old[axis] >= _IN_BLOCKS

        def at(place: Place) -> Number:
            def visit(inner: Place, numbers: list[Number]) -> list[Number]:
                best, found = numbers
                new = element(text, x, [*place[:axis], *inner, *place[axis:]])
                better = RULES[kind](text, new, best)
                if new.dtype.kind == "f":
                    first = RULES["bitwise_and"](text, RULES["ne"](text, new, new), RULES["eq"](text, best, best))
                    better = RULES["bitwise_or"](text, better, first)
                here = Number(INDEX, (inner[0],))
                return [select(text, better, new, best), select(text, better, here, found)]

            if in_blocks:
                search = Search(kind == "gt", 1, old[axis])
                found = extremes.first_of(text, search, lambda k: element(text, x, [*place, k]), dtype_of(x))
                return convert(text, found, dtype)
            first = element(text, x, [*place[:axis], "0", *place[axis:]])
            return convert(text, over(text, [old[axis]], [first, literal(0, INDEX)], visit, extents)[1], dtype)

        return Lazy(dtype, shape, at, reads(x))

    return shaped


def _scatter(kind: str | None) -> Callable:
    def whole(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
        def combine(old: Number, new: Number) -> Number:
            return new if kind is None else RULES[kind](text, old, new)

        if isinstance(operands[0], Number):
            operands = [_of_one(text, room, operands[0], tuple(equation.invars[0].aval.shape)), *operands[1:]]
        return scatter(text, room, equation, operands, combine)

    return whole


def _of_one(text: Text, room: Room, number: Number, shape: tuple[int, ...]) -> Array:
    """An array of one element, in memory."""
    place = room.made(number.dtype, shape)
    put(text, place, number, ("0",) * len(shape))
    return Array(place, place.version)


def _updated(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
    """An array with another one put into it."""
    array, new, *starts = operands
    if isinstance(array, Number):
        return element(text, new, ("0",) * len(shape_of(new)))
    shape = tuple(equation.invars[1].aval.shape)
    bounded(text, shape, new)
    array = room.writable(array)
    if array.memory in reads(new):
        new = room.kept(new)
    sizes = zip(starts, array.memory.shape, shape, strict=True)
    first = [clamped(text, element(text, i, ()), n - m) for i, n, m in sizes]

    def visit(at: Place, numbers: list) -> list:
        place = [plus(text, i, start) for i, start in zip(at, first, strict=True)]
        put(text, array.memory, element(text, new, at), place)
        return []

    over(text, shape, [], visit)
    return array.memory.change()


def _is_for_library(equation: Any, operands: Sequence[Value]) -> bool:
    """Whether NumPy's library computes a product."""
    left, right = (v.aval for v in equation.invars)
    dtype, numbers = equation.outvars[0].aval.dtype, equation.params["dimension_numbers"]
    in_memory = not any(isinstance(x, Number) for x in operands)
    return in_memory and left.dtype == dtype and blas.suits(left, right, numbers)


def _vector_of_rows(text: Text, equation: Any, operands: Sequence[Value]) -> int | None:
    """Which operand is a vector that is multiplied with rows which are computed, and would be stored only for the
    library to read them once; None if there is no such product."""
    (left, right), batch = equation.params["dimension_numbers"]
    for matrix, (axis,) in enumerate((left, right)) if len(left) == 1 and not batch[0] else ():
        rows, vector = operands[matrix], operands[1 - matrix]
        if isinstance(rows, Lazy) and not isinstance(vector, Number) and len(shape_of(vector)) == 1:
            shape = rows.shape
            known = rows.in_order is None and not rows.is_view and not rows.slow and lies_in_rows(rows, shape)
            if len(shape) == 2 and axis == 1 and known and not text.loops and prod(shape) <= _MOST_READ_ONCE:
                return 1 - matrix
    return None


def vector_product(text: Text, room: Room, jaxpr: Any, operands: Sequence[Value], lanes: Extent) -> Value | None:
    """Some elements of the product of a matrix and a vector; None if a jaxpr does not compute one, or no library does.
    The others may be anything."""
    equations, _ = needed(jaxpr)
    if [e.primitive.name for e in equations] != ["dot_general"] or len(jaxpr.outvars[0].aval.shape) != 1:
        return None
    (equation,) = equations
    if equation.invars != jaxpr.invars or equation.outvars != jaxpr.outvars or not _is_for_library(equation, operands):
        return None
    return _multiplied(text, room, equation, equation.outvars[0].aval.shape, operands, lanes)


def _multiplied(
    text: Text,
    room: Room,
    equation: Any,
    shape: tuple[int, ...],
    operands: Sequence[Value],
    lanes: Extent | None = None,
) -> Value:
    """The product of arrays, in memory of its own."""
    contracted, batch = equation.params["dimension_numbers"]
    shapes, axes, found = [], [], []
    for x, aval, own in zip(operands, (v.aval for v in equation.invars), contracted, strict=True):
        turned = x.transposed if isinstance(x, Lazy) and not batch[0] else None
        found.append(turned or _in_memory(room, x))
        shapes.append(aval.shape[::-1] if turned else aval.shape)
        axes.append(tuple(1 - k for k in own) if turned else own)
    product = blas.product_of(*shapes, dimension_numbers=(axes, batch))
    if product is None:
        raise Unsuitable("a product of arrays in another order")
    place = room.made(equation.outvars[0].aval.dtype, shape)
    left, right = map(address, found)
    blas.multiply(text, place.dtype, product, left, right, place.pointer, lanes)
    text.note_store(place.pointer, "0")
    return place.change()


def _in_memory(room: Room, x: Value) -> Array:
    """An array whose elements lie in memory as those of another one do, in that one's shape or in another."""
    if isinstance(x, Array):
        return x
    return x.in_order if isinstance(x, Lazy) and x.in_order is not None else room.kept(x)


def _multiplied_by_itself(text: Text, room: Room, of_rows: bool, x: Value) -> Value:
    """The product of a matrix with its transpose, in memory of its own."""
    array, shape = _in_memory(room, x), shape_of(x)
    place = room.made(dtype_of(x), (shape[0 if of_rows else 1],) * 2)
    blas.multiply_by_itself(text, place.dtype, shape, of_rows, address(array), place.pointer)
    text.note_store(place.pointer, "0")
    return place.change()


def _product(text: Text, equation: Any, shape: tuple[int, ...], operands: list[Value]) -> Value:
    (contracted, batch), (x, y) = equation.params["dimension_numbers"], operands
    left, right = (v.aval.shape for v in equation.invars)
    dtype = np.dtype(equation.outvars[0].aval.dtype)
    extents = [left[k] for k in contracted[0]]
    read_once = prod(shape) * prod(extents) == max(prod(left), prod(right)) and not text.loops
    most = _MOST_READ_ONCE if read_once else _MOST_PRODUCTS
    if batch[0] and prod(extents) <= _FEW_TERMS and prod(shape) <= _FEW_TERMS**2 * prod(left[k] for k in batch[0]):
        most = _MOST_OF_SMALL
    if any(v.aval.dtype != dtype for v in equation.invars) or prod(shape) * prod(extents) > most:
        raise Unsuitable("such a product")
    if is_slow(x, y):
        raise Unsuitable("a product of what takes long to compute")

    def at(place: Place) -> Number:
        shared, rest = place[: len(batch[0])], iter(place[len(batch[0]) :])
        places = []
        for axes, both, whole in ((contracted[0], batch[0], left), (contracted[1], batch[1], right)):
            free = {k: next(rest) for k in range(len(whole)) if k not in axes and k not in both}
            places.append((axes, {**free, **dict(zip(both, shared, strict=True))}, whole))

        def visit(inner: Place, numbers: list[Number]) -> list[Number]:
            factors = []
            for value, (axes, fixed, whole) in zip((x, y), places, strict=True):
                all_of = {**fixed, **dict(zip(axes, inner, strict=True))}
                factors.append(element(text, value, [all_of[k] for k in range(len(whole))]))
            return [joined(text, "add", numbers[0], RULES["mul"](text, *factors))]

        return over(text, extents, [literal(0, dtype)], visit)[0]

    return Lazy(dtype, shape, at, reads(x, y))


#: how elements are joined, and with what that begins
_JOINED: dict[str, tuple[str, Callable[[np.dtype], object]]] = {
    "reduce_sum": ("add", lambda dtype: 0),
    "reduce_prod": ("mul", lambda dtype: 1),
    "reduce_max": ("max", extremes.least),
    "reduce_min": ("min", extremes.largest),
    "reduce_or": ("bitwise_or", lambda dtype: 0),
    "reduce_and": ("bitwise_and", lambda dtype: -1 if dtype.kind in "iu" else True),
    "reduce_xor": ("bitwise_xor", lambda dtype: 0),
}
#: what takes a loop for each element
_REDUCTIONS = frozenset((*_JOINED, "argmax", "argmin", "dot_general"))
_SHAPES: dict[str, Callable[..., Value]] = {
    "reshape": _reshape,
    "squeeze": _reshape,
    "expand_dims": _reshape,
    "transpose": _transpose,
    "rev": _rev,
    "slice": _slice,
    "dynamic_slice": _dynamic_slice,
    "iota": _iota,
    "concatenate": _concatenate,
    "stack": _stack,
    "pad": _pad,
    **{name: _reduction(*how) for name, how in _JOINED.items()},
    "argmax": _extreme_place("gt"),
    "argmin": _extreme_place("lt"),
    "dot_general": _product,
    "gather": gather,
}
#: what writes all elements of its result
_WHOLE: dict[str, Callable[..., Value]] = {
    "cumsum": running("add"),
    "cumprod": running("mul"),
    "cummax": running("max"),
    "cummin": running("min"),
    "dynamic_update_slice": _updated,
    "scatter": _scatter(None),
    "scatter-add": _scatter("add"),
    "scatter-mul": _scatter("mul"),
    "scatter-min": _scatter("min"),
    "scatter-max": _scatter("max"),
}

__all__ = ["elementwise", "evaluated", "joined", "known"]
