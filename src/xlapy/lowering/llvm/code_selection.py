"""What becomes machine code: loops, called by a program of XLA's, and whole programs."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from math import inf, prod
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from xlapy.ir import Operation, Region, Var, captured, constant_value, every_operation
from xlapy.ir.called_jaxprs import inner_jaxprs, is_kernel
from xlapy.lowering.jaxprs.contents import is_transcendental, kinds_of
from xlapy.lowering.jaxprs.deferred_tracing import branch_on_cpu, is_opaque, traced
from xlapy.lowering.jaxprs.jaxpr_dce import needed
from xlapy.lowering.llvm.early_exits import Errors
from xlapy.lowering.llvm.engine import Call, registered
from xlapy.lowering.llvm.entry_points import Given, called_directly, is_possible
from xlapy.lowering.llvm.kernel_code import IS_FAST
from xlapy.lowering.llvm.programs import Function, function_of
from xlapy.lowering.llvm.text import Unsuitable
from xlapy.lowering.thresholds import ITERATIONS_FOR_XLA, NUMBERS_FOR_XLA
from xlapy.lowering.vectorised_loops import plan_of
from xlapy.machine_code.object_calls import Plan

#: nanoseconds that it takes to call XLA; and that it takes longer, for each byte of up to so many that are read and
#: left, since it copies them or makes new memory (measured with two processors, as what follows)
_CALL, _BYTE, _MOST_BYTES = 2e4, 0.025, 1 << 25
#: nanoseconds for each byte of an array that is stored and loaded again here, and that XLA computes again: of one that
#: stays in a processor's cache, and of a larger one
_STORED, _STORED_FAR, _FAR = 0.01, 0.02, 1 << 21
#: nanoseconds that an element takes longer here than in XLA's program, by the name of the operation and the bytes of an
#: operand, and of a complex one; for all others it takes less
_LONGER = {("tanh", 8): 0.2}
_LONGER_COMPLEX = {"abs": 0.6}
#: the same for one of few elements that are joined
_ONE_OF_FEW, _FEW = 0.05, 16
#: nanoseconds that factors of a matrix, and the solution of a triangular system, take less here: XLA hands them to
#: other threads, and turns matrices around before and behind
_LESS = {**dict.fromkeys(("cholesky", "lu", "eigh", "qr", "svd"), 4e4), "triangular_solve": 1e4}
#: the same for an iteration of a loop
_ITERATION = 10.0
#: the same for an element of an array that is made of others, for each of which XLA looks where it is, and for one of
#: those that are put into an array, or in order
_EACH = {"concatenate": 1.0, **dict.fromkeys(("scatter", "scatter-add", "scatter_add"), 5.0), "sort": 10.0}
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

    Not if all iterations, unless these are few, are made at once with functions in them that XLA computes for whole
    vectors, and the C library for one number after the other; nor if its vectors become matrices
    (`passes.loop_vectorisation`), for which XLA has products, unless each iteration looks at a part of a vector only.
    """
    inside = [o for region in loop.regions for o in every_operation(region)]
    plans = [(o, plan) for o in (loop, *inside) if (plan := plan_of(o, native=False)) is not None]
    if not all(plan.of_numbers or _looks_at_windows(o) for o, plan in plans):
        return False
    at_once = plan_of(loop, native=False) is not None and not _has_few_iterations(loop)
    return not (at_once and any(map(is_transcendental, inside)))


def _has_few_iterations(loop: Operation) -> bool:
    """Whether a loop makes so few iterations that it takes XLA longer to compile than anything takes to run."""
    iterations = constant_value(loop.operands[0]) if loop.kind == "for" else None
    return iterations is not None and int(iterations) <= ITERATIONS_FOR_XLA


def _looks_at_windows(loop: Operation) -> bool:
    """Whether the iterations of a loop look at some lanes in a row, and multiply no matrices."""
    operations = [o for region in loop.regions for o in every_operation(region)]
    notes = {note.kind for o in operations if (note := o.attributes.get("lanewise")) is not None}
    return "lanes" in notes and "dot" not in notes and all(_PRODUCTS.isdisjoint(kinds_of(o)) for o in operations)


def gained_by_machine_code(region: Region) -> float:
    """The nanoseconds that a program may take for what it stores besides its results, to be better as machine code as a
    whole: any number where its loops are, and where it computes many single numbers, each of which XLA takes long to
    compile; else what XLA takes longer to be called than it takes less to compute, which is negative for some."""
    operations = list(every_operation(region))
    if any(map(is_opaque, operations)):
        return -inf
    loops = list(_outermost_loops(region))
    if loops:
        return inf if all(map(may_be_machine_code, loops)) else -inf
    numbers = sum(o.kind != "constant" and all(v.type.shape == () for v in o.results) for o in operations)
    if numbers >= NUMBERS_FOR_XLA:
        return inf
    # What JAX's functions compute is what `jax.jit` makes of them, to the last bit.
    is_of_jax = any(o.jaxpr is not None and not o.attributes.get("as_written") for o in operations)
    return -inf if is_of_jax else _gained(region, operations) - sum(map(_longer, operations))


def _gained(region: Region, operations: Sequence[Operation]) -> float:
    """The nanoseconds that it takes to hand a program to XLA, and to get its results."""
    used = {v for o in operations for v in o.operands} | {
        v for r in (region, *(r for o in operations for r in o.regions)) for v in r.results
    }
    passed = {*(p for p in region.params if p in used), *region.results}
    return _CALL + _BYTE * min(sum(map(_bytes, passed)), _MOST_BYTES)


def _stored(size: int) -> float:
    """The nanoseconds that it takes to store so many bytes, and to load them again."""
    return size * (_STORED if size <= _FAR else _STORED_FAR)


def _bytes(var: Var) -> int:
    return prod(var.type.shape) * getattr(var.type.dtype, "itemsize", 8)


def _longer(operation: Operation) -> float:
    """The same of an operation."""
    if operation.jaxpr is not None:
        return _longer_in(traced(operation.jaxpr).jaxpr)
    if operation.kind in ("constant", "if", "broadcast") or not operation.results:
        return 0
    type = operation.results[0].type
    return _for_elements(operation.kind, operation.operands[0].type.dtype, prod(type.shape))


def _for_elements(kind: str, dtype: Any, count: int) -> float:
    """The same of so many elements that an operation of a kind computes of elements of a type."""
    known = isinstance(dtype, np.dtype)
    if known and dtype.kind == "c":
        return _LONGER_COMPLEX.get(kind, 0) * count
    return _LONGER.get((kind, dtype.itemsize), 0) * count if known else 0


def _longer_in(jaxpr: Any) -> float:
    total, branches = 0.0, {}
    for equation in needed(jaxpr)[0]:
        inner = [equation.params["jaxpr"].jaxpr] if is_kernel(equation) else inner_jaxprs(equation)
        if equation.primitive.name == "platform_index":
            branches[equation.outvars[0]] = branch_on_cpu(equation.params)
        if equation.primitive.name == "cond" and not hasattr(equation.invars[0], "val"):
            chosen = branches.get(equation.invars[0])
            inner = inner if chosen is None else [equation.params["branches"][chosen].jaxpr]
        total -= _LESS.get(equation.primitive.name, 0)
        total -= _ITERATION * _iterations(equation)
        if inner:
            total += 0 if equation.primitive in IS_FAST else max(map(_longer_in, inner))
        elif equation.primitive.name in _EACH:
            most = max(prod(v.aval.shape) for v in (*equation.invars[1:], *equation.outvars[:1]))
            total -= _EACH[equation.primitive.name] * most
        elif equation.primitive.name.startswith("reduce_"):
            shape = equation.invars[0].aval.shape
            few = prod(shape[k] for k in equation.params["axes"]) <= _FEW
            total += _ONE_OF_FEW * prod(shape) if few else 0
        elif equation.invars:
            dtype, count = equation.invars[0].aval.dtype, prod(equation.outvars[0].aval.shape)
            total += _for_elements(equation.primitive.name, dtype, count)
    return total


def _iterations(equation: Any) -> int:
    """How many iterations a loop of JAX's makes, about: as many as there are elements, if nothing else is known."""
    if equation.primitive.name == "while":
        return max((prod(v.aval.shape) for v in equation.invars), default=0)
    return equation.params["length"] if equation.primitive.name == "scan" else 0


def _outermost_loops(region: Region) -> Iterator[Operation]:
    for operation in region.operations:
        if operation.kind in ("for", "while"):
            yield operation
        else:
            for nested in operation.regions:
                yield from _outermost_loops(nested)


def whole_as_machine_code(
    region: Region,
    given: Sequence[Given],
    aligned: Container[int] = (),
    errors: Errors | None = None,
    gained: float = inf,
    level: int = 3,
    plan: Plan | None = None,
) -> Callable[..., tuple | None] | None:
    """A program as a function of NumPy's arrays and Python's numbers (see `lowering.llvm.entry_points`); None if it
    does not suit.

    Args:
        region: the program, as it was written (`passes.native_loop_forms`).
        given: what its parameters are.
        aligned: results that begin at multiples of 64 where they are large.
        errors: which results tell of errors, if the others do not matter where there is one.
        gained: nanoseconds that it may take for what it stores (`gained_by_machine_code`).
        level: how much LLVM does for it.
        plan: what becomes of its results, if it may be called with Python's objects (`called_directly`).
    """
    if not is_possible():
        return None
    try:
        with jax.enable_x64(True):
            function = function_of(region, True, errors)
    except Unsuitable:
        return None
    if sum(_stored(size) for size, _ in function.rooms) > gained:
        return None
    return called_directly(function, region.params, given, aligned, level, plan)


def machine_code_of(loop: Operation, available: Container[Var]) -> MachineCode:
    """A loop in LLVM's language, which it keeps as its attribute `machine_code`.

    It is made of what the loop was before it was changed for XLA, if the values that takes are still `available`.
    """
    found = loop.attributes.get("machine_code")
    if found is None:
        region, results = original_form(loop, available)
        try:
            with jax.enable_x64(True):
                found = MachineCode(function_of(region), results)
        except Unsuitable:
            found = MachineCode(None, results)
        loop.attributes = {**loop.attributes, "machine_code": found}
    return found


def original_form(loop: Operation, available: Container[Var]) -> tuple[Region, Sequence[Var]]:
    """What a loop was before it was changed for XLA, if what that reads is there, and the results of that."""
    plain = loop.attributes.get("plain")
    if plain is not None and set(plain.results) >= set(loop.results):
        if all(v in available for v in captured(plain.region)):
            return plain.region, plain.results
    return as_it_is(loop), loop.results


def as_it_is(loop: Operation) -> Region:
    """A region of a loop and nothing else."""
    whole = Region((), loop.results[0].depth if loop.results else 0)
    whole.operations, whole.results = [loop], list(loop.results)
    return whole


def as_machine_code(loop: Operation, environment: dict[Var, Any], parts: Mapping[Var, Any]) -> Sequence | None:
    """The results of a loop, computed on the CPU by machine code; None if it does not suit.

    Args:
        loop: a `for` or a `while`.
        environment: maps its operands, and what its regions capture, to values.
        parts: the values that are parts of memory (see `lowering.cpu_xla.zero_copy_inputs`).
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
    "as_it_is",
    "as_machine_code",
    "machine_code_of",
    "may_be_machine_code",
    "original_form",
    "whole_as_machine_code",
    "gained_by_machine_code",
]
