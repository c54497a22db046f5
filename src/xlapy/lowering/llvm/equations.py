"""Leaves: each equation of their jaxprs is a few instructions for each element that is wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from xlapy.lowering.jaxprs.deferred_tracing import branch_on_cpu
from xlapy.lowering.jaxprs.jaxpr_dce import FOR_XLA, needed, operands_of
from xlapy.lowering.llvm import (
    blas,
    concatenation,
    inline_sorts,
    lapack,
    min_max_reductions,
    stream_compaction,
    threefry,
)
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.dynamic_update import scattered, updated
from xlapy.lowering.llvm.elementwise import KINDS, NUMBERS, elementwise, plain
from xlapy.lowering.llvm.elementwise_fusion import Step, remembered, shared_of
from xlapy.lowering.llvm.gather_scatter import gather
from xlapy.lowering.llvm.key_search import searched
from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Room,
    Value,
    dtype_of,
    element,
    for_many,
    is_little,
    placed,
    shape_of,
    uniform,
    without_elements,
)
from xlapy.lowering.llvm.leaf_control_flow import branched, looped
from xlapy.lowering.llvm.memmove import moved_rows
from xlapy.lowering.llvm.native_convolution import convolved
from xlapy.lowering.llvm.native_floor_division import DIVISIONS
from xlapy.lowering.llvm.native_products import (
    multiplied_by_itself,
    product,
)
from xlapy.lowering.llvm.native_reductions import (
    JOINED,
    extreme_place,
    reduction,
)
from xlapy.lowering.llvm.prefix_scans import running
from xlapy.lowering.llvm.shaping import SHAPES, unstacked
from xlapy.lowering.llvm.text import (
    KEY,
    Number,
    Text,
    Unsuitable,
    known_int,
    literal,
    type_of,
)
from xlapy.lowering.primitives.argmax import search_of as places_of
from xlapy.lowering.primitives.barrier import APART
from xlapy.lowering.primitives.compaction import compacts
from xlapy.lowering.primitives.long_sorts import ORDERED, sort_of
from xlapy.lowering.primitives.row_moves import moves
from xlapy.lowering.primitives.searches import search_of
from xlapy.lowering.primitives.symmetric_rank_k import form_of
from xlapy.lowering.primitives.vector_convolution import mode_of

#: multiplications in a product, and in one that reads each element of both operands once
_MOST_PRODUCTS, _MOST_READ_ONCE = 1 << 14, 1 << 21

#: elements of a constant that is written into the program
_MOST_WRITTEN = 512

#: terms of the sums in a product of many small matrices, and multiplications in all of these
_FEW_TERMS, _MOST_OF_SMALL = 8, 1 << 23

_SAME = frozenset("copy copy_p stop_gradient optimization_barrier".split())

_CALLS = frozenset(("pjit", "jit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call"))


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
        found = _with_elements(text, room, equation, [read(atom) for atom in equation.invars])
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
    return name in NUMBERS or name in KINDS or name in _SAME or name == "random_bits"


def _spreads_number(equation: Any) -> bool:
    return equation.primitive.name == "broadcast_in_dim" and prod(equation.invars[0].aval.shape) == 1


def _with_elements(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    """What an equation computes: no rule is asked for an array without elements, and none meets one but those that put
    arrays together, or are made of other equations."""
    empty = [prod(v.aval.shape) == 0 for v in equation.outvars]
    if empty and all(empty) and not equation.effects:
        return [without_elements(v.aval.dtype, v.aval.shape) for v in equation.outvars]
    name = equation.primitive.name
    if name != "concatenate" and name not in _CALLS and any(prod(v.aval.shape) == 0 for v in equation.invars):
        raise Unsuitable("an array without elements")
    found = _equation(text, room, equation, operands)
    variables = zip(equation.outvars, found, empty, strict=True)
    return [without_elements(v.aval.dtype, v.aval.shape) if none else value for v, value, none in variables]


def _equation(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    name, params = equation.primitive.name, equation.params
    if equation.effects:
        raise Unsuitable(f"the effects of {name}")
    if name in _CALLS and params.get("name") in FOR_XLA:
        return operands[: len(equation.outvars)]
    sort = sort_of(params.get("name"), [v.aval.shape for v in equation.invars])
    if name in _CALLS and sort is not None:
        rule = inline_sorts.ordered if sort[0] == ORDERED else inline_sorts.places
        return [rule(text, room, tuple(equation.invars[0].aval.shape), sort[1], operands[0])]
    of_rows = form_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if of_rows is not None and blas.suits_itself(equation.invars[0].aval.dtype, shape_of(operands[0]), of_rows):
        return [multiplied_by_itself(text, room, of_rows, operands[0])]
    if name in _CALLS and compacts(params.get("name"), [v.aval.shape for v in equation.invars]):
        if stream_compaction.suits(equation.outvars[0].aval.dtype):
            return [stream_compaction.compacted(text, room, np.dtype(equation.outvars[0].aval.dtype), operands)]
    places = places_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if places is not None and dtype_of(operands[0]).kind in "biuf":
        aval = equation.outvars[0].aval
        return [
            min_max_reductions.first_places(text, room, places, operands[0], tuple(aval.shape), np.dtype(aval.dtype))
        ]
    search = search_of(params.get("name"), [v.aval.shape for v in equation.invars]) if name in _CALLS else None
    if search is not None:
        return searched(text, room, search, equation.invars[0].aval.shape[0], operands)
    if name in _CALLS and moves(params.get("name"), [v.aval.shape for v in equation.invars]):
        return [moved_rows(text, room, operands)]
    if name == "sort":
        shape, axis, keys = equation.invars[0].aval.shape, params["dimension"], params["num_keys"]
        return inline_sorts.all_ordered(text, room, tuple(shape), axis, keys, operands)
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
    # In a loop such branches are mostly about vectors, of which an iteration looks at a part.
    if name == "cond" and isinstance(operands[0], Number) and len(params["branches"]) == 2 and not text.loops:
        return branched(text, room, equation, operands, lambda jaxpr, values: evaluated(text, room, jaxpr, values))
    if name == "while":
        return looped(text, room, params, operands, lambda jaxpr, values: evaluated(text, room, jaxpr, values))
    if name in _SAME:
        return list(operands)
    if name == "unstack":
        return unstacked(text, equation, operands[0])
    if name == "tile" and not isinstance(operands[0], Number):
        return [concatenation.tiled(text, room, tuple(equation.outvars[0].aval.shape), operands[0], params["reps"])]
    if name == "custom_linear_solve":
        return _solved(text, room, params, operands)
    factors = lapack.evaluated(text, room, equation, operands)
    if factors is not None:
        return factors
    if len(equation.outvars) != 1:
        raise Unsuitable(name)
    found = threefry.drawn(text, name, equation, operands)
    if found is not None:
        return [found]
    aval = equation.outvars[0].aval
    shape, dtype = tuple(aval.shape), KEY if threefry.is_key(aval.dtype) else aval.dtype
    type_of(dtype)
    rule = NUMBERS.get(name) or (plain(name) if name in KINDS else None)
    if rule is not None:
        operands = [for_many(room, x, shape) for x in operands]
        return [elementwise(text, shape, dtype, partial(rule, text, params), operands, name)]
    shaped, whole = _SHAPES.get(name), _WHOLE.get(name)
    if shaped is None and whole is None and name != "broadcast_in_dim":
        raise Unsuitable(name)
    if prod(shape) == 0 or any(prod(v.aval.shape) == 0 for v in equation.invars):
        raise Unsuitable("an array without elements")
    if name == "broadcast_in_dim":
        made = placed(text, for_many(room, operands[0], shape), shape, params["broadcast_dimensions"])
    elif whole is not None:
        made = whole(text, room, equation, operands)
    else:
        assert shaped is not None
        made = shaped(text, equation, shape, operands)
    return [element(text, made, ("0",) * len(shape)) if prod(shape) == 1 else made]


def _solved(text: Text, room: Room, params: dict, operands: Sequence[Value]) -> list[Value]:
    """What `lax.custom_linear_solve` computes."""
    lengths, jaxprs = params["const_lengths"], params["jaxprs"]
    first = lengths.matvec + lengths.vecmat
    right = operands[first + lengths.solve + lengths.transpose_solve :]
    return evaluated(text, room, jaxprs.solve, [*operands[first : first + lengths.solve], *right])


#: what takes a loop for each element
_REDUCTIONS = frozenset((*JOINED, "argmax", "argmin", "dot_general"))

_SHAPES: dict[str, Callable[..., Value]] = {
    **SHAPES,
    "argmax": extreme_place("gt"),
    "argmin": extreme_place("lt"),
    "gather": gather,
}

#: what may need room for arrays
_WHOLE: dict[str, Callable[..., Value]] = {
    **{name: reduction(*how) for name, how in JOINED.items()},
    "dot_general": product,
    "cumsum": running("add"),
    "cumprod": running("mul"),
    "cummax": running("max"),
    "cummin": running("min"),
    "dynamic_update_slice": updated,
    "scatter": scattered(None),
    "scatter-add": scattered("add"),
    "scatter-mul": scattered("mul"),
    "scatter-min": scattered("min"),
    "scatter-max": scattered("max"),
}

__all__ = ["evaluated", "is_elementwise", "known"]
