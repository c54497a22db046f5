"""What becomes machine code: loops, called by a program of XLA's, and whole programs."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from xlapy.ir import Operation, Region, Var, captured, constant_value, every_operation
from xlapy.ir.operations import SLOW
from xlapy.lowering.compaction import presses
from xlapy.lowering.convolutions import mode_of
from xlapy.lowering.divisions import QUOTIENT, REMAINDER
from xlapy.lowering.llvm.direct import Given, called_directly, is_possible
from xlapy.lowering.llvm.engine import Call, registered
from xlapy.lowering.llvm.exits import Errors
from xlapy.lowering.llvm.functions import IN_VECTORS
from xlapy.lowering.llvm.programs import Function, function_of
from xlapy.lowering.llvm.text import Unsuitable
from xlapy.lowering.loops import inner_jaxprs
from xlapy.lowering.native import is_transcendental, kinds_of
from xlapy.lowering.needed import needed
from xlapy.lowering.places import search_of
from xlapy.lowering.rules import IN_VECTORS as IN_LAX
from xlapy.lowering.rules import has_factors
from xlapy.lowering.searches import LEFT, RIGHT
from xlapy.lowering.untraced import branch_on_cpu, is_opaque, traced
from xlapy.lowering.vectors import plan_of

#: operations on single numbers that XLA takes long to compile
_MANY_NUMBERS = 64
#: elements that are loaded, computed and stored in less time than it takes to call XLA, which copies them first, and
#: computes with all processors
_FEW_ELEMENTS = max((1 << 23) // (os.cpu_count() or 1), 1 << 20)
#: how many of them take as long as XLA takes for one that it copies first; how many times as much is read as is left,
#: where that matters
_COPIED, _LITTLE = 4, 8
#: bytes that are stored and loaded again in the time of one such element
_STORED = 4
#: how many of them take as long as one of which a function is taken, of the C library or without a call, as one that is
#: a quotient of integers, and as one that is the result of an instruction
_SLOW, _INLINE, _DIVISION, _INSTRUCTION = 16, 4, 4, 0.25
#: how many of them take as long as XLA takes longer for one that it joins to others, and for one of which it is asked
#: whether it is selected (measured for 1,000,000)
_JOINED, _SELECTED = 8, 16
#: the same for one that is complex, and made by some instructions, which XLA does not do to several elements at a time
_COMPLEX = 4
#: how many of them take as long as one of these kinds, less those in the time that XLA takes for it with all processors
#: (measured for 1,000,000 on two: powers 6.2 ms, here on one 4.0; at places that are computed 1.8 and 0.7)
_BESIDE_XLA = {"pow": 16 - 48 // (os.cpu_count() or 1), "gather": -4}
#: the same for one whose place is looked for (among 100: 16 ms, here 5)
_FOUND = -8
#: what computes no elements here
_VIEWS = frozenset("broadcast_in_dim dynamic_slice expand_dims reshape rev slice squeeze transpose iota".split())
#: what is one instruction, or a few, of several elements at a time
_INSTRUCTIONS = frozenset(
    "abs add and bitcast_convert_type bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp convert"
    " convert_element_type eq floor ge gt imag integer_pow is_finite le lt max min mul ne neg not or real round select"
    " select_n shift_left shift_right_arithmetic shift_right_logical sign square sub xor".split()
)
#: trips of a loop for which vectors are not worth what they cost to compile
_FEW_TRIPS = 64
_PRODUCTS = frozenset(("dot_general", "fft"))


class MachineCode(NamedTuple):
    """A loop in LLVM's language.

    Attributes:
        function: what computes it; None if it does not suit.
        results: the results of the loop that the function computes, in the same order.
    """

    function: Function | None
    results: Sequence[Var]


def may_be_machine_code(loop: Operation) -> bool:
    """Whether a loop is better as machine code, if it can be.

    Not if all trips, unless these are few, are made at once with functions in them that XLA computes for whole vectors,
    and the C library for one number after the other; nor if its vectors become matrices (`passes.lanes`), for which XLA
    has products, unless each trip looks at a part of a vector only.
    """
    inside = [o for region in loop.regions for o in every_operation(region)]
    plans = [(o, plan) for o in (loop, *inside) if (plan := plan_of(o, native=False)) is not None]
    if not all(plan.of_numbers or _looks_at_windows(o) for o, plan in plans):
        return False
    at_once = plan_of(loop, native=False) is not None and not _makes_few_trips(loop)
    return not (at_once and any(map(is_transcendental, inside)))


def _makes_few_trips(loop: Operation) -> bool:
    """Whether a loop makes so few trips that it takes XLA longer to compile than anything takes to run."""
    trips = constant_value(loop.operands[0]) if loop.kind == "for" else None
    return trips is not None and int(trips) <= _FEW_TRIPS


def _looks_at_windows(loop: Operation) -> bool:
    """Whether the trips of a loop look at some lanes in a row, and multiply no matrices."""
    operations = [o for region in loop.regions for o in every_operation(region)]
    notes = {note.kind for o in operations if (note := o.attributes.get("lanewise")) is not None}
    return "lanes" in notes and "dot" not in notes and all(_PRODUCTS.isdisjoint(kinds_of(o)) for o in operations)


def whole_may_be_machine_code(region: Region) -> bool:
    """Whether a program is better as machine code as a whole, if it can be: where its loops are, where it computes
    many single numbers, each of which XLA takes long to compile, and where it computes so little that XLA would take
    longer to be called."""
    operations = list(every_operation(region))
    if any(map(is_opaque, operations)):
        return False
    loops = list(_outermost_loops(region))
    if loops:
        return all(map(may_be_machine_code, loops))
    numbers = sum(o.kind != "constant" and all(v.type.shape == () for v in o.results) for o in operations)
    if numbers >= _MANY_NUMBERS:
        return True
    # What JAX's functions compute is what `jax.jit` makes of them, to the last bit.
    is_of_jax = any(o.kind == "leaf" and not o.attributes.get("as_written") for o in operations)
    uses = Counter(v for o in operations for v in o.operands)
    given = {v for r in (region, *(r for o in operations for r in o.regions)) for v in r.results}
    used = [p for p in region.params if uses[p] or p in given]
    read, written = (sum(prod(v.type.shape) for v in set(values)) for values in (used, region.results))
    # Where little is left of much, to copy it for XLA takes as long as the rest.
    most = _FEW_ELEMENTS + (_COPIED * read if read >= _LITTLE * written else 0)
    # What is used more than once is stored, and loaded again.
    stored = sum(_bytes(v) / _STORED for o in operations for v in o.results if uses[v] > 1)
    return not is_of_jax and read + written + stored + sum(map(_elements, operations)) <= most


def _bytes(var: Var) -> int:
    return prod(var.type.shape) * getattr(var.type.dtype, "itemsize", 8)


def _elements(operation: Operation) -> float:
    """How many elements take as long to load and store as those that an operation computes or looks at, but for
    products that a library computes."""
    if operation.kind == "leaf":
        return _elements_of(traced(operation.attributes["jaxpr"]).jaxpr) - _gained(operation)
    if operation.kind in ("constant", "if", "broadcast"):
        return 0
    kind = "mul" if operation.kind == "pow" and has_factors(operation) else operation.kind
    return _weighed(kind, operation.results[0].type.dtype, max(prod(v.type.shape) for v in operation.results))


def _gained(leaf: Operation) -> float:
    """How many elements take as long as XLA needs more for a leaf: it joins all elements of an array to one number one
    by one, with whatever computes them, and what is selected from an array it moves, and computes with, as if it were
    all of the array."""
    looked_at = max((prod(v.type.shape) for v in leaf.operands), default=0)
    if leaf.attributes.get("name") == "compact":
        return _SELECTED * looked_at
    is_number = all(prod(v.type.shape) == 1 for v in leaf.results)
    return _JOINED * looked_at if is_number and _PRODUCTS.isdisjoint(kinds_of(leaf)) else 0


def _weighed(kind: str, dtype: np.dtype, count: int) -> float:
    """How many elements take as long to load and store as so many that an operation of that kind computes."""
    if kind in _BESIDE_XLA:
        return _BESIDE_XLA[kind] * count
    if kind in _INSTRUCTIONS:
        return (_INSTRUCTION if dtype.kind != "c" else -_COMPLEX) * count
    if kind in IN_VECTORS or count >= IN_LAX.get(kind, np.inf):
        return _INLINE * count
    return (_SLOW if kind in SLOW or kind == "rem" and dtype.kind == "f" else 1) * count


def _elements_of(jaxpr: Any) -> float:
    total, branches = 0.0, {}
    for equation in needed(jaxpr)[0]:
        inner = inner_jaxprs(equation)
        if equation.primitive.name == "platform_index":
            branches[equation.outvars[0]] = branch_on_cpu(equation.params)
        if equation.primitive.name == "cond" and not hasattr(equation.invars[0], "val"):
            chosen = branches.get(equation.invars[0])
            inner = inner if chosen is None else [equation.params["branches"][chosen].jaxpr]
        name, shapes = equation.params.get("name"), [v.aval.shape for v in equation.invars]
        if name in (QUOTIENT, REMAINDER):
            total += _DIVISION * prod(equation.outvars[0].aval.shape)
        elif mode_of(name, shapes) is not None:
            total += 2 * _INSTRUCTION * prod(equation.outvars[0].aval.shape) * shapes[1][0]
        elif presses(name, shapes):
            total += prod(equation.outvars[0].aval.shape)
        elif name in (LEFT, RIGHT):
            total += _FOUND * prod(shapes[1])
        elif search_of(name, shapes) is not None:
            total += (1 if equation.invars[0].aval.dtype == bool else 2) * prod(shapes[0])
        elif inner:
            total += max(map(_elements_of, inner))
        elif equation.primitive.name != "dot_general" and equation.primitive.name not in _VIEWS:
            looked_at = () if equation.primitive.name == "gather" else equation.invars
            count = max(prod(v.aval.shape) for v in (*looked_at, *equation.outvars))
            total += _weighed(equation.primitive.name, equation.outvars[0].aval.dtype, count)
    return total


def _outermost_loops(region: Region) -> Iterator[Operation]:
    for operation in region.operations:
        if operation.kind in ("for", "while"):
            yield operation
        else:
            for nested in operation.regions:
                yield from _outermost_loops(nested)


def whole_as_machine_code(
    region: Region, given: Sequence[Given], aligned: Container[int] = (), errors: Errors | None = None, level: int = 3
) -> Callable[..., tuple | None] | None:
    """A program as a function of NumPy's arrays and Python's numbers (see `lowering.llvm.direct`); None if it does not
    suit.

    Args:
        region: the program, as it was written (`passes.plain`).
        given: what its parameters are.
        aligned: results that begin at multiples of 64 where they are large.
        errors: which results tell of errors, if the others do not matter where there is one.
        level: how much LLVM does for it.
    """
    if not is_possible():
        return None
    try:
        with jax.enable_x64(True):
            function = function_of(region, True, errors)
    except Unsuitable:
        return None
    return called_directly(function, region.params, given, aligned, level)


def machine_code_of(loop: Operation, available: Container[Var]) -> MachineCode:
    """A loop in LLVM's language, which it keeps as its attribute `machine_code`.

    It is made of what the loop was before it was changed for XLA, if the values that takes are still `available`.
    """
    found = loop.attributes.get("machine_code")
    if found is None:
        region, results = _form(loop, available)
        try:
            with jax.enable_x64(True):
                found = MachineCode(function_of(region), results)
        except Unsuitable:
            found = MachineCode(None, results)
        loop.attributes = {**loop.attributes, "machine_code": found}
    return found


def _form(loop: Operation, available: Container[Var]) -> tuple[Region, Sequence[Var]]:
    plain = loop.attributes.get("plain")
    if plain is not None and set(plain.results) >= set(loop.results):
        if all(v in available for v in captured(plain.region)):
            return plain.region, plain.results
    whole = Region((), loop.results[0].depth if loop.results else 0)
    whole.operations, whole.results = [loop], list(loop.results)
    return whole, loop.results


def as_machine_code(loop: Operation, environment: dict[Var, Any], parts: Mapping[Var, Any]) -> Sequence | None:
    """The results of a loop, computed on the CPU by machine code; None if it does not suit.

    Args:
        loop: a `for` or a `while`.
        environment: maps its operands, and what its regions capture, to values.
        parts: the values that are parts of memory (see `lowering.lent`).
    """
    function, results = machine_code_of(loop, environment)
    if function is None:
        return None
    values: list[Any] = []
    starts: dict[int, tuple[int, int]] = {}
    for k, var in enumerate(function.operands):
        if var in parts:
            starts[k] = len(function.operands) + len(starts), var.type.dtype.itemsize
            values.append(parts[var].memory)
        else:
            values.append(lax.convert_element_type(environment[var], var.type.dtype))
    values += [lax.convert_element_type(parts[function.operands[k]].start, "uint32") for k in starts]
    aliases, changed = {}, {}
    for result, var in function.changed.items():
        aliases[len(values)] = result
        changed[result] = len(values), prod(var.type.shape) * var.type.dtype.itemsize
        values.append(lax.convert_element_type(environment[var], var.type.dtype))
    types = [jax.ShapeDtypeStruct(v.type.shape, v.type.dtype) for v in function.results]
    call = Call(function.pointers, changed, starts, len(values), len(types))
    name = registered(function.body, call, function.constants)
    given = jax.ffi.ffi_call(name, types, input_output_aliases=aliases)(*values)
    of = dict(zip(results, given, strict=True))
    return [of[v] for v in loop.results]


__all__ = [
    "as_machine_code",
    "machine_code_of",
    "may_be_machine_code",
    "whole_as_machine_code",
    "whole_may_be_machine_code",
]
