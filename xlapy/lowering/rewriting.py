"""Leaves in other words: what XLA's code for a CPU is slow at, in a form that it is fast at.

A leaf is a jaxpr of one of JAX's functions, or of a derivative. Some of its equations are replaced by what
`convolutions`, `pooling`, `products`, `sums` and `llvm.sorts` make of them; the rest stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

import jax
from jax import lax
from jax.extend.core import ClosedJaxpr, Literal, jaxpr_as_fun, primitives

from xlapy.lowering.convolutions import CONVOLUTION, with_channels_last
from xlapy.lowering.llvm import sorts
from xlapy.lowering.pooling import UNPOOL, unpooled
from xlapy.lowering.products import DOT, has_faster_form, is_of_matrix_and_vector, product, turned_around
from xlapy.lowering.sorting import ORDERED, sort_of
from xlapy.lowering.sums import REDUCTIONS, reduced
from xlapy.lowering.sums import has_faster_form as is_reduced_otherwise
from xlapy.lowering.untraced import branch_on_cpu

_TRANSPOSE, _SORT = primitives.transpose_p, primitives.sort_p
#: operations that call a program, and the parameter that holds it
_CALLS = {"jit": "jaxpr", "custom_jvp_call": "call_jaxpr", "custom_vjp_call": "call_jaxpr"}
_RULES: dict[object, Callable] = {CONVOLUTION: with_channels_last, UNPOOL: unpooled, DOT: product}
_ENTRY, _LOOPS, _SORTS = frozenset((UNPOOL, DOT)), frozenset((CONVOLUTION, UNPOOL, DOT)), frozenset((_SORT,))


class Cpu(NamedTuple):
    """What is known of a program where it runs on a CPU.

    Attributes:
        certain: whether it runs on a CPU, and nowhere else.
        own_reductions: whether XLA's own code reduces there, not a library (`lowering.reductions`).
        machine_code: whether loops over numbers, and sorts, may be machine code that is not XLA's.
    """

    certain: bool
    own_reductions: bool
    machine_code: bool = False


def outside_loops(jaxpr: ClosedJaxpr, cpu: Cpu | None) -> ClosedJaxpr:
    """The same program, with faster products, reductions and derivatives of max-pooling on a CPU. It cannot be
    differentiated by rules of its own (`custom_vjp`) any more. `cpu` is None for what runs elsewhere."""
    return jaxpr if cpu is None else _rewritten(jaxpr, _ENTRY, cpu)


def in_loops(jaxpr: ClosedJaxpr, cpu: Cpu | None) -> ClosedJaxpr:
    """The same for the body of a loop, where convolutions have their channels last, too."""
    return jaxpr if cpu is None else _rewritten(jaxpr, _LOOPS, cpu)


def is_transpose(jaxpr: ClosedJaxpr) -> bool:
    """Whether a leaf is the transpose of a matrix and nothing else."""
    equations = jaxpr.jaxpr.eqns
    return len(equations) == 1 and _is_transpose(equations[0])


def is_matrix_by_vector(jaxpr: ClosedJaxpr) -> bool:
    """Whether a leaf is the product of a matrix and a vector and nothing else."""
    equations = jaxpr.jaxpr.eqns
    if len(equations) != 1 or equations[0].primitive is not DOT or equations[0].invars != jaxpr.jaxpr.invars:
        return False
    return _by_vector(equations[0])


@lru_cache(maxsize=1024)
def composed(transpose: ClosedJaxpr, product: ClosedJaxpr) -> ClosedJaxpr:
    """`product(transpose(matrix), vector)` of a matrix and a vector."""
    avals = (transpose.in_avals[0], product.in_avals[1])
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in avals]
    with jax.enable_x64(True):
        return jax.make_jaxpr(lambda m, v: jaxpr_as_fun(product)(*jaxpr_as_fun(transpose)(m), v))(*structs)


@lru_cache(maxsize=1024)
def _rewritten(jaxpr: ClosedJaxpr, which: frozenset, cpu: Cpu) -> ClosedJaxpr:
    more = (REDUCTIONS if cpu.own_reductions else frozenset()) | (_SORTS if cpu.certain and cpu.machine_code else set())
    rewriter = _Rewriter(which | more, cpu)
    if not rewriter.has(jaxpr):
        return jaxpr
    structs = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype, weak_type=v.aval.weak_type) for v in jaxpr.jaxpr.invars]
    with jax.enable_x64(True):
        return jax.make_jaxpr(lambda *xs: rewriter.evaluate(jaxpr, xs))(*structs)


def _is_transpose(equation) -> bool:
    return equation.primitive is _TRANSPOSE and equation.params["permutation"] == (1, 0)


def _by_vector(equation) -> bool:
    return is_of_matrix_and_vector(*[v.aval for v in equation.invars], equation.params["dimension_numbers"])


class _Rewriter:
    """Replaces the equations of some primitives, where there is something better for them."""

    def __init__(self, which: frozenset, cpu: Cpu) -> None:
        self.which, self.cpu = which, cpu
        #: what transposes of matrices are made from
        self.transposed: dict = {}
        #: numbers of the branches that are for this platform
        self.branches: dict = {}

    def has(self, jaxpr: ClosedJaxpr) -> bool:
        """Whether there is such an equation."""
        for equation in jaxpr.jaxpr.eqns:
            inner = self._called(equation)
            if self._replaces(equation) or (inner is not None and self.has(inner)):
                return True
        return False

    def _called(self, equation) -> ClosedJaxpr | None:
        """The program that an equation calls: for certain, and on this platform."""
        name, params = equation.primitive.name, equation.params
        if name == "platform_index" and self.cpu.certain:
            self.branches[equation.outvars[0]] = branch_on_cpu(params)
        if name == "cond":
            index = equation.invars[0]
            known = not isinstance(index, Literal) and index in self.branches
            return params["branches"][self.branches[index]] if known else None
        return params.get(_CALLS[name]) if name in _CALLS else None

    def _replaces(self, equation) -> bool:
        primitive, params = equation.primitive, equation.params
        if _is_transpose(equation):
            self.transposed[equation.outvars[0]] = equation.invars[0]
        sort = self._sort_of(equation)
        if sort is not None:
            aval = equation.invars[0].aval
            return sorts.suits(aval.dtype, aval.shape, sort[1])
        if primitive not in self.which or primitive is _SORT:
            return False
        if primitive is DOT:
            operands = [v.aval for v in equation.invars]
            if (
                params.get("out_sharding") is not None
                or params["preferred_element_type"] != equation.invars[0].aval.dtype
            ):
                return False
            return has_faster_form(*operands, params["dimension_numbers"]) or self._is_turned(equation)
        return primitive not in REDUCTIONS or is_reduced_otherwise(primitive, equation.invars[0].aval, params["axes"])

    def _sort_of(self, equation) -> tuple[str, int] | None:
        """How an equation puts numbers in order, and along which axis."""
        if _SORT not in self.which:
            return None
        if equation.primitive is _SORT and len(equation.invars) == 1:
            return ORDERED, equation.params["dimension"]
        return sort_of(equation.params.get("name"), [v.aval.shape for v in equation.invars])

    def _is_turned(self, equation) -> bool:
        matrix = equation.invars[0]
        return not isinstance(matrix, Literal) and matrix in self.transposed and _by_vector(equation)

    def evaluate(self, jaxpr: ClosedJaxpr, inputs: Sequence) -> list:
        """The results of a program, from `inputs`."""
        known = dict(zip(jaxpr.jaxpr.constvars, jaxpr.consts, strict=True))
        known.update(zip(jaxpr.jaxpr.invars, inputs, strict=True))

        def read(atom):
            return atom.val if isinstance(atom, Literal) else known[atom]

        for equation in jaxpr.jaxpr.eqns:
            operands = [read(atom) for atom in equation.invars]
            inner = self._called(equation)
            if self._replaces(equation):
                if equation.primitive is DOT and self._is_turned(equation):
                    operands[0] = read(self.transposed[equation.invars[0]])
                    results = [turned_around(*operands, **equation.params)]
                else:
                    results = [self._replaced(equation, operands)]
            elif inner is not None and self.has(inner):
                results = self.evaluate(inner, operands[1:] if equation.primitive.name == "cond" else operands)
            else:
                found = _bound(equation, operands)
                results = found if equation.primitive.multiple_results else [found]
            known.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.jaxpr.outvars]

    def _replaced(self, equation, operands: Sequence):
        primitive, params = equation.primitive, equation.params

        def faster(*operands):
            sort = self._sort_of(equation)
            if sort is not None:
                return (sorts.ordered if sort[0] == ORDERED else sorts.places)(*operands, sort[1])
            if primitive in REDUCTIONS:
                return reduced(primitive, *operands, **params)
            return _RULES[primitive](*operands, **params)

        def plain(*operands):
            return primitive.bind(*operands, **params)

        return faster(*operands) if self.cpu.certain else lax.platform_dependent(*operands, cpu=faster, default=plain)


def _bound(equation, operands: Sequence):
    """An operation on values; before JAX 0.10 callables came apart from other parameters."""
    params = equation.primitive.get_bind_params(equation.params)
    functions, params = params if isinstance(params, tuple) else ((), params)
    return equation.primitive.bind(*functions, *operands, **params)


__all__ = ["Cpu", "composed", "in_loops", "is_matrix_by_vector", "is_transpose", "outside_loops"]
