"""Leaves: each equation of their jaxprs is a few instructions for each element that is wanted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from xlapy.ir.called_jaxprs import called_on_cpu, is_kernel
from xlapy.lowering.jaxprs.deferred_tracing import branch_on_cpu
from xlapy.lowering.jaxprs.jaxpr_dce import needed, operands_of
from xlapy.lowering.llvm import (
    concatenation,
    inline_sorts,
    lapack,
    threefry,
)
from xlapy.lowering.llvm.bufferisation import Array, Memory
from xlapy.lowering.llvm.dynamic_update import scattered, updated
from xlapy.lowering.llvm.elementwise import KINDS, NUMBERS, elementwise, plain
from xlapy.lowering.llvm.elementwise_fusion import Step, remembered, shared_of
from xlapy.lowering.llvm.gather_scatter import gather
from xlapy.lowering.llvm.kernel_code import ELEMENTWISE, WRITERS
from xlapy.lowering.llvm.lazy_arrays import (
    Lazy,
    Room,
    Value,
    element,
    for_many,
    is_little,
    placed,
    uniform,
    without_elements,
)
from xlapy.lowering.llvm.leaf_control_flow import branched, looped
from xlapy.lowering.llvm.native_products import (
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
from xlapy.lowering.primitives.barrier import APART

#: multiplications in a product, and in one that reads each element of both operands once
_MOST_PRODUCTS, _MOST_READ_ONCE = 1 << 14, 1 << 21

#: elements of a constant that is written into the program
_MOST_WRITTEN = 512

#: terms of the sums in a product of many small matrices, and multiplications in all of these
_FEW_TERMS, _MOST_OF_SMALL = 8, 1 << 23

_SAME = frozenset("copy copy_p stop_gradient optimization_barrier".split())

#: `rule(text, room, equation, operands)` gives the results; None if the equation does not suit
Rule = Callable[[Text, Room, Any, list[Value]], list[Value] | None]

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
    name = equation.primitive.name
    if len(equation.outvars) != 1 or equation.effects:
        return False
    if is_kernel(equation):
        return equation.primitive in ELEMENTWISE
    inner = _inner(equation)
    if inner is not None:
        jaxpr = getattr(inner, "jaxpr", inner)
        return all(_is_elementwise(e) or _spreads_number(e) for e in jaxpr.eqns)
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
    is_made_of_others = name == "concatenate" or name in _CALLS or is_kernel(equation)
    if not is_made_of_others and any(prod(v.aval.shape) == 0 for v in equation.invars):
        raise Unsuitable("an array without elements")
    found = _equation(text, room, equation, operands)
    variables = zip(equation.outvars, found, empty, strict=True)
    return [without_elements(v.aval.dtype, v.aval.shape) if none else value for v, value, none in variables]


def _equation(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    name, results = equation.primitive.name, None
    if equation.effects:
        raise Unsuitable(f"the effects of {name}")
    if equation.params.get("given"):
        return operands[: len(equation.outvars)]
    write = WRITERS.get(equation.primitive)
    if write is not None:
        results = write(text, room, equation, operands)
    rule = _called if is_kernel(equation) else _RULES.get(name)
    if results is None and rule is not None:
        results = rule(text, room, equation, operands)
    if results is None:
        raise Unsuitable(name)
    return results


def _called(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    inner = _inner(equation)
    closed = hasattr(inner, "consts")
    return (evaluated if closed else _evaluate)(text, room, inner, operands)


def _inner(equation: Any) -> Any:
    """The jaxpr that an equation calls; None for another one."""
    if equation.primitive is APART.primitive:
        return _fast(equation.params["jaxpr"])
    is_custom = equation.primitive.name == "custom_vjp_call"
    return equation.params["call_jaxpr"] if is_custom else called_on_cpu(equation)


def _fast(apart: Any) -> Any:
    """What `primitives.barrier.apart` computes, behind its branch."""
    inner = apart.jaxpr.eqns[-1].params["jaxpr"]
    return inner.jaxpr.eqns[-1].params["branches"][-1]


def _sorted(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    shape, axis, keys = equation.invars[0].aval.shape, equation.params["dimension"], equation.params["num_keys"]
    return inline_sorts.all_ordered(text, room, tuple(shape), axis, keys, operands)


def _platform(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    return [literal(branch_on_cpu(equation.params), np.dtype(np.int32))]


def _branched(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value] | None:
    (index, *rest), branches = operands, equation.params["branches"]
    if not isinstance(index, Number):
        return None
    chosen = known_int(index)
    if chosen is not None:
        return evaluated(text, room, branches[min(max(chosen, 0), len(branches) - 1)], rest)
    # In a loop such branches are mostly about vectors, of which an iteration looks at a part.
    if len(branches) != 2 or text.loops:
        return None
    return branched(text, room, equation, operands, partial(evaluated, text, room))


def _looped(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    return looped(text, room, equation.params, operands, partial(evaluated, text, room))


def _same(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    return list(operands)


def _unstacked(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    return unstacked(text, equation, operands[0])


def _tiled(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value] | None:
    (x,), shape = operands, tuple(equation.outvars[0].aval.shape)
    return None if isinstance(x, Number) else [concatenation.tiled(text, room, shape, x, equation.params["reps"])]


def _solved(text: Text, room: Room, equation: Any, operands: Sequence[Value]) -> list[Value]:
    """What `lax.custom_linear_solve` computes."""
    lengths, jaxprs = equation.params["const_lengths"], equation.params["jaxprs"]
    first = lengths.matvec + lengths.vecmat
    right = operands[first + lengths.solve + lengths.transpose_solve :]
    return evaluated(text, room, jaxprs.solve, [*operands[first : first + lengths.solve], *right])


def _drawn(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    return [threefry.drawn(text, equation, operands)]


def _of_numbers(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
    """What is computed element by element."""
    name, (shape, dtype) = equation.primitive.name, _type(equation)
    rule = NUMBERS.get(name) or plain(name)
    operands = [for_many(room, x, shape) for x in operands]
    return [elementwise(text, shape, dtype, partial(rule, text, equation.params), operands, name)]


def _broadcast(text: Text, room: Room, equation: Any, operands: list[Value]) -> Value:
    (x,), shape = operands, tuple(equation.outvars[0].aval.shape)
    return placed(text, for_many(room, x, shape), shape, equation.params["broadcast_dimensions"])


def _type(equation: Any) -> tuple[tuple[int, ...], Any]:
    """The shape and the type of the elements of the only result."""
    aval = equation.outvars[0].aval
    dtype = KEY if threefry.is_key(aval.dtype) else aval.dtype
    type_of(dtype)
    return tuple(aval.shape), dtype


def _with_room(rule: Callable[[Text, Room, Any, list[Value]], Value]) -> Rule:
    """The rule for equations of one array; one of one element is a number."""

    def array(text: Text, room: Room, equation: Any, operands: list[Value]) -> list[Value]:
        shape, _ = _type(equation)
        if prod(shape) == 0 or any(prod(v.aval.shape) == 0 for v in equation.invars):
            raise Unsuitable("an array without elements")
        made = rule(text, room, equation, operands)
        return [element(text, made, ("0",) * len(shape)) if prod(shape) == 1 else made]

    return array


def _shaped(rule: Callable[[Text, Any, tuple[int, ...], list[Value]], Value]) -> Rule:
    """The same for those that need no room for arrays."""
    return _with_room(lambda text, _, equation, operands: rule(text, equation, _type(equation)[0], operands))


#: what takes a loop for each element
_REDUCTIONS = frozenset((*JOINED, "argmax", "argmin", "dot_general"))

#: what makes an array in room of its own
_ARRAYS: dict[str, Callable[..., Value]] = {
    **{name: reduction(*how) for name, how in JOINED.items()},
    "broadcast_in_dim": _broadcast,
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

#: by the names of JAX's primitives, which not all of its versions have
_RULES: dict[str, Rule] = {
    **dict.fromkeys((*KINDS, *NUMBERS), _of_numbers),
    **dict.fromkeys(lapack.FACTORS, lapack.evaluated),
    **dict.fromkeys(threefry.PRIMITIVES, _drawn),
    **{name: _with_room(rule) for name, rule in _ARRAYS.items()},
    **{name: _shaped(rule) for name, rule in SHAPES.items()},
    "argmax": _shaped(extreme_place("gt")),
    "argmin": _shaped(extreme_place("lt")),
    "gather": _shaped(gather),
    **dict.fromkeys(_SAME, _same),
    **dict.fromkeys(_CALLS, _called),
    "cond": _branched,
    "custom_linear_solve": _solved,
    "platform_index": _platform,
    "sort": _sorted,
    "tile": _tiled,
    "unstack": _unstacked,
    "while": _looped,
}

__all__ = ["evaluated", "is_elementwise", "known"]
