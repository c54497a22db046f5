"""Which inputs of a program XLA's code for a CPU can read where they lie in the caller's memory.

XLA takes arrays that start at a multiple of 64 bytes, which NumPy's rarely do. A part of an array may start anywhere:
so the program gets memory that begins up to 63 bytes before the array and takes the array as a part of it
(`runtime.transfers`). That costs nothing where XLA computes the part together with what is computed from it, and a copy
elsewhere: for products of matrices, sorts, loops that read it in each iteration.

Products of a matrix and a vector are written so that XLA does: a sum along each row, or, of a vector and a matrix, some
rows at a time in a loop (measured for 4000 x 4000: as fast as NumPy's; a copy of the matrix alone takes eight times as
long).
"""

from __future__ import annotations

import math
from collections.abc import Container, Mapping, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal

from xlapy.ir import Operation, Region, Var, captured, every_operation
from xlapy.ir.called_jaxprs import inner_jaxprs
from xlapy.lowering.cpu_xla.dot_products import DOT, has_faster_form
from xlapy.lowering.cpu_xla.native_functions import available, called_natively
from xlapy.lowering.cpu_xla.reduction_strategies import REDUCTIONS, calls_one, may_use_library
from xlapy.lowering.cpu_xla.rewriting import is_transpose
from xlapy.lowering.cpu_xla.rounding import rounds
from xlapy.lowering.cpu_xla.sums import long_sum
from xlapy.lowering.jaxprs.contents import ELEMENTWISE
from xlapy.lowering.jaxprs.deferred_tracing import is_opaque
from xlapy.lowering.llvm import machine_code_of, may_be_machine_code

#: primitives that move elements, which XLA fuses with what makes their operands
_MOVES = frozenset("slice dynamic_slice pad concatenate rev transpose".split())
#: primitives whose result is the same memory
_VIEWS = frozenset("reshape squeeze expand_dims".split())
_REALS = ("float32", "float64")
#: rows that an iteration of a loop adds, and rows from which on there is a loop; terms from which on a sum has parts
_ROWS, _MANY_ROWS, _MANY_TERMS = 8, 64, 8192
#: places of a parameter of which an element may be computed (measured: of 5, XLA takes a half of the time that a copy
#: takes besides; of 12, 1.7 times as long)
_MOST_PLACES = 6


@jax.tree_util.register_pytree_node_class
class MemorySlice:
    """An array as a part of memory that starts at a multiple of 64 bytes.

    Attributes:
        memory: numbers of the array's dtype, more than it has: what lies before and behind it among them.
        start: which of them is the first of the array's: unsigned, as JAX looks for negative numbers.
        shape: of the array.
    """

    __slots__ = ("memory", "shape", "start")

    def __init__(self, memory: Any, start: Any, shape: tuple[int, ...]) -> None:
        self.memory, self.start, self.shape = memory, start, shape

    def tree_flatten(self) -> tuple:
        """JAX's children and static part."""
        return (self.memory, self.start), self.shape

    @classmethod
    def tree_unflatten(cls, shape: tuple[int, ...], children: tuple) -> MemorySlice:
        """The inverse of `tree_flatten`."""
        memory, start = children
        return cls(memory, start, shape)

    def array(self) -> jax.Array:
        """The array, in a program."""
        return lax.dynamic_slice(self.memory, (self.start,), (math.prod(self.shape),)).reshape(self.shape)

    def rows(self, first: Any, count: int) -> jax.Array:
        """Some rows of a matrix, in a program."""
        width = self.shape[1]
        start = lax.convert_element_type(self.start, np.uint64) + lax.convert_element_type(first, np.uint64) * width
        return lax.dynamic_slice(self.memory, (start,), (count * width,)).reshape(count, width)


def passed_by(entry: Region) -> frozenset[int]:
    """The parameters of a program, by number, that are only read by what is computed from them at once."""
    region = entry.fast or entry
    leaves = [o for o in every_operation(entry) if o.jaxpr is not None]
    if any(map(is_opaque, leaves)):
        return frozenset()
    if not rounds(entry) and any(_reduces_floats(o.jaxpr.jaxpr) for o in leaves):
        return frozenset()  # JAX's programs keep the library, which would copy
    if may_use_library(entry) and any(_reduces_floats(o.jaxpr.jaxpr, True) for o in leaves):
        return frozenset()  # which the library is far better at
    machine_code = _loops_in_machine_code(region)
    return frozenset(k for k, var in enumerate(region.params) if not _is_held(region, var, machine_code))


def _loops_in_machine_code(region: Region) -> set[Operation]:
    """The loops of a program that become machine code, which reads an array wherever it lies."""
    available, found = set(region.params), set()
    for operation in region.operations:
        if operation.kind in ("for", "while") and may_be_machine_code(operation):
            if machine_code_of(operation, available).function is not None:
                found.add(operation)
        available.update(operation.results)
    return found


def product(operation: Operation, environment: Mapping[Var, Any], parts: Mapping[Var, MemorySlice]) -> list | None:
    """The result of a leaf that multiplies a matrix and a vector, if the matrix is one of the parameters in `parts` or
    computed from one element by element; None if it is better left as it is."""
    form = _form_of_product(operation)
    if form is None:
        return None
    matrix, vector, by_rows = form
    given = environment[vector]
    source, transposed = _untransposed(matrix)
    if source in parts:
        if by_rows != transposed:
            return [_rows(environment[source], given)]
        return [_columns(parts[source], given)] if source.type.shape[0] >= _MANY_ROWS else None
    return [_rows(environment[matrix], given)] if by_rows and _is_from(matrix, parts) else None


class _Held(Exception):
    """Something needs an array of its own."""


class _Read(NamedTuple):
    """What is computed from a parameter where it is needed.

    Attributes:
        same: whether it is the same memory.
        moved: of how many places of the parameter an element is computed, if not of its own; it is computed anew for
            each of them, and not in vectors.
    """

    same: bool
    moved: int


def _is_held(region: Region, var: Var, machine_code: Container[Operation] = ()) -> bool:
    """Whether something needs an array of its own for a parameter, or reads too many of its elements for each."""
    reads: dict[Var, _Read | None] = {var: _Read(True, 0)}
    try:
        for operation in region.operations:
            if operation in machine_code:
                if any(v is not var and getattr(reads.get(v), "same", False) for v in _needs(operation)):
                    return True
                continue
            if any(getattr(reads.get(v), "same", False) for inner in operation.regions for v in captured(inner)):
                return True
            given = [reads.get(v) for v in operation.operands]
            if any(given) and operation.kind not in ("for", "while"):  # what these change has a copy of its own
                reads.update(zip(operation.results, _of_operation(operation, given, var), strict=True))
    except _Held:
        return True
    return False


def _needs(loop: Operation) -> list[Var]:
    return [*loop.operands, *(v for inner in loop.regions for v in captured(inner))]


def _of_operation(operation: Operation, given: list[_Read | None], var: Var) -> list[_Read | None]:
    if operation.jaxpr is None:
        return [_computed(operation.kind, operation.operands, given)] * len(operation.results)
    form = _form_of_product(operation)
    if form is not None:
        matrix, vector, by_rows = form
        source, transposed = _untransposed(matrix)
        if source is var and vector is not var and (by_rows != transposed or var.type.shape[0] >= _MANY_ROWS):
            return [None]
    return _of_jaxpr(operation.jaxpr.jaxpr, given)


def _of_jaxpr(jaxpr: Any, given: list[_Read | None]) -> list[_Read | None]:
    reads: dict[Any, _Read | None] = dict(zip(jaxpr.invars, given, strict=True))

    def of(atom: Any) -> _Read | None:
        return None if isinstance(atom, Literal) else reads.get(atom)

    for equation in jaxpr.eqns:
        own, inner = [of(v) for v in equation.invars], inner_jaxprs(equation)
        if not any(own):
            continue
        name = equation.primitive.name
        if calls_one(equation, inner):
            found = _of_jaxpr(inner[0], own)
        elif equation.primitive is DOT and has_faster_form(
            *(v.aval for v in equation.invars), dimension_numbers=equation.params["dimension_numbers"]
        ):
            found = [None]
        else:
            found = [_computed(name, equation.invars, own)] * len(equation.outvars)
        reads.update(zip(equation.outvars, found, strict=True))
    return [of(v) for v in jaxpr.outvars]


def _computed(name: str, operands: Sequence, given: list[_Read | None]) -> _Read | None:
    """The result of an operation or a primitive; None if it lies in memory."""
    known = {id(v): read for v, read in zip(operands, given, strict=True) if read is not None}
    several = sum(read.moved for read in known.values())
    if several > _MOST_PLACES:
        raise _Held
    if name in _VIEWS:
        return next(iter(known.values()))
    if name in ELEMENTWISE or name in ("broadcast", "broadcast_in_dim"):
        return _Read(False, several)
    if name in _MOVES:
        return _Read(name == "transpose" and any(read.same for read in known.values()), max(several, 1))
    if name not in REDUCTIONS and any(read.same for read in known.values()):
        raise _Held
    return None


def _reduces_floats(jaxpr: Any, rows: bool = False) -> bool:
    """Whether floating-point numbers are reduced or multiplied; with `rows`, reduced along another axis than the
    last."""
    for equation in jaxpr.eqns:
        name = equation.primitive.name
        first: Any = equation.invars[0].aval if equation.invars else None
        if getattr(getattr(first, "dtype", None), "kind", "i") in "fcV":
            if not rows and (name in REDUCTIONS or equation.primitive is DOT):
                return True
            if rows and name in REDUCTIONS and first.ndim - 1 not in equation.params.get("axes", (first.ndim - 1,)):
                return True
        if any(_reduces_floats(inner, rows) for inner in inner_jaxprs(equation)):
            return True
    return False


def _form_of_product(operation: Operation) -> tuple[Var, Var, bool] | None:
    """The matrix and the vector that a leaf multiplies, if it does nothing else, and whether it sums along rows."""
    equations = operation.jaxpr.jaxpr.eqns if operation.jaxpr is not None else ()
    if len(equations) != 1 or equations[0].primitive is not DOT or len(operation.operands) != 2:
        return None
    (equation,) = equations
    ranks = [v.aval.ndim for v in equation.invars]
    ((left, right), batch) = equation.params["dimension_numbers"]
    types, params = [v.type for v in operation.operands], equation.params
    if ranks not in ([2, 1], [1, 2]) or batch != ((), ()) or types[0].dtype != types[1].dtype:
        return None
    if equation.invars != operation.jaxpr.jaxpr.invars or types[0].dtype.name not in (
        "float32",
        "float64",
    ):
        return None
    if params["preferred_element_type"] not in (None, types[0].dtype) or params.get("out_sharding") is not None:
        return None
    matrix = ranks.index(2)
    (axis,) = (left, right)[matrix]
    return operation.operands[matrix], operation.operands[1 - matrix], axis == 1


def _is_transpose(operation: Operation) -> bool:
    return operation.jaxpr is not None and len(operation.operands) == 1 and is_transpose(operation.jaxpr)


def _untransposed(matrix: Var) -> tuple[Var, bool]:
    """What a matrix is the transpose of, and whether it is one."""
    made = matrix.owner
    if isinstance(made, Operation) and _is_transpose(made):
        return made.operands[0], True
    return matrix, False


def _is_from(var: Var, parts: Mapping[Var, MemorySlice]) -> bool:
    """Whether something is computed from a parameter element by element."""
    made = var.owner
    if var in parts or not isinstance(made, Operation):
        return var in parts
    if made.jaxpr is not None:
        equations = made.jaxpr.jaxpr.eqns
        plain = all(e.primitive.name in ELEMENTWISE | {"broadcast_in_dim"} for e in equations)
    else:
        plain = made.kind in ELEMENTWISE
    return plain and any(v.type.shape == var.type.shape and _is_from(v, parts) for v in made.operands)


def _rows(matrix: Any, vector: Any) -> Any:
    """`matrix @ vector`, a sum along each row."""
    terms = matrix * jnp.expand_dims(vector, 0)
    return lax.reduce_sum(terms, (1,)) if terms.shape[1] < _MANY_TERMS else long_sum(terms)


def _columns(matrix: MemorySlice, vector: Any) -> Any:
    """`vector @ matrix`, some rows at a time."""
    count, width = matrix.shape
    whole = count // _ROWS * _ROWS

    def more(total: Any, numbers: Any, rows: Any) -> Any:
        for k in range(numbers.shape[0]):
            total = total + numbers[k] * rows[k]
        return total

    def summed(memory: Any, start: Any, vector: Any) -> Any:
        part = MemorySlice(memory, start, matrix.shape)

        def iteration(k: Any, total: Any) -> Any:
            return more(total, lax.dynamic_slice(vector, (k * _ROWS,), (_ROWS,)), part.rows(k * _ROWS, _ROWS))

        return lax.fori_loop(np.uint32(0), np.uint32(whole // _ROWS), iteration, jnp.zeros(width, memory.dtype))

    operands = lax.optimization_barrier((matrix.memory, matrix.start, vector))
    total = called_natively(jax.jit(summed), *operands) if available() else summed(*operands)
    return total if whole == count else more(total, vector[whole:], matrix.rows(whole, count - whole))


__all__ = ["MemorySlice", "passed_by", "product"]
