"""Leaves in other words: what XLA's code for a CPU is slow at, in a form that it is fast at.

A leaf is a jaxpr of one of JAX's functions, or of a derivative. Some of its equations are replaced by what
`convolution_layout`, `pooling`, `dot_products`, `sums` and `llvm` make of them; the rest stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import jax
from jax import lax
from jax.extend.core import Literal, jaxpr_as_fun, primitives

from xlapy.ir import every_operation
from xlapy.ir.called_jaxprs import called, called_on_cpu, is_kernel
from xlapy.lowering.cpu_xla.convolution_layout import CONVOLUTION, with_channels_last
from xlapy.lowering.cpu_xla.dot_products import DOT, has_faster_form, is_of_matrix_and_vector, product, turned_around
from xlapy.lowering.cpu_xla.pooling import UNPOOL, unpooled
from xlapy.lowering.cpu_xla.sums import REDUCTIONS, reduced
from xlapy.lowering.cpu_xla.sums import has_faster_form as is_reduced_otherwise
from xlapy.lowering.jaxprs.deferred_tracing import Untraced, branch_on_cpu, traced
from xlapy.lowering.jaxprs.jaxpr_evaluation import bound
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.llvm import blas, called_by_xla

_TRANSPOSE = primitives.transpose_p
_RULES: dict[object, Callable] = {CONVOLUTION: with_channels_last, UNPOOL: unpooled, DOT: product}
_ENTRY, _LOOPS = frozenset((UNPOOL, DOT)), frozenset((CONVOLUTION, UNPOOL, DOT))


class Cpu(NamedTuple):
    """What is known of a program where it runs on a CPU.

    Attributes:
        certain: whether it runs on a CPU, and nowhere else.
        own_reductions: whether XLA's own code reduces there, not a library (`lowering.cpu_xla.reduction_strategies`).
        machine_code: whether loops over numbers, sorts, and products may be machine code that is not XLA's.
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


def is_to_be_traced(leaf: Untraced, cpu: Cpu | None) -> bool:
    """Whether a leaf that is not traced yet has convolutions in it for machine code that is not XLA's."""
    if cpu is None or not cpu.certain or not cpu.machine_code or leaf.region is None:
        return False
    for operation in every_operation(leaf.region):
        jaxpr = operation.jaxpr
        if isinstance(jaxpr, Untraced) and not jaxpr.looked_into:
            if is_to_be_traced(jaxpr, cpu):
                return True
        elif jaxpr is not None and any(equation.primitive is CONVOLUTION for equation in traced(jaxpr).jaxpr.eqns):
            return True
    return False


def is_transpose(jaxpr: ClosedJaxpr) -> bool:
    """Whether a leaf is the transpose of a matrix and nothing else."""
    equations = jaxpr.jaxpr.eqns
    return len(equations) == 1 and _is_transpose(equations[0])


def is_product(jaxpr: ClosedJaxpr) -> bool:
    """Whether a leaf is the product of two arrays and nothing else."""
    equations = jaxpr.jaxpr.eqns
    return len(equations) == 1 and equations[0].primitive is DOT and equations[0].invars == jaxpr.jaxpr.invars


@lru_cache(maxsize=1024)
def composed(product: ClosedJaxpr, transposes: tuple[ClosedJaxpr | None, ...]) -> ClosedJaxpr:
    """A product of arrays, some of which are made by leaves that are transposes: of what these are made from."""
    pairs = list(zip(product.in_avals, transposes, strict=True))
    avals: list[Any] = [aval if transpose is None else transpose.in_avals[0] for aval, transpose in pairs]
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in avals]

    def whole(*operands: jax.Array) -> list:
        made = [x if t is None else jaxpr_as_fun(t)(x)[0] for x, t in zip(operands, transposes, strict=True)]
        return jaxpr_as_fun(product)(*made)

    with jax.enable_x64(True):
        return jax.make_jaxpr(whole)(*structs)


@lru_cache(maxsize=1024)
def _rewritten(jaxpr: ClosedJaxpr, which: frozenset, cpu: Cpu) -> ClosedJaxpr:
    rewriter = _Rewriter(which | REDUCTIONS if cpu.own_reductions else which, cpu)
    if not rewriter.has(jaxpr):
        return jaxpr
    avals: list[Any] = jaxpr.in_avals
    structs = [jax.ShapeDtypeStruct(a.shape, a.dtype, weak_type=a.weak_type) for a in avals]
    with jax.enable_x64(True):
        return jax.make_jaxpr(lambda *xs: rewriter.evaluate(jaxpr, xs))(*structs)


def _is_transpose(equation) -> bool:
    return equation.primitive is _TRANSPOSE and equation.params["permutation"] == (1, 0)


def _operands(equation) -> tuple[Any, Any]:
    """What a product is of: each has a shape and a dtype."""
    left, right = (v.aval for v in equation.invars)
    return left, right


def _by_vector(equation) -> bool:
    return is_of_matrix_and_vector(*_operands(equation), equation.params["dimension_numbers"])


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
        if is_kernel(equation) and self.cpu.certain:
            return called_on_cpu(equation)
        return params["call_jaxpr"] if name == "custom_vjp_call" else called(equation)

    def _replaces(self, equation) -> bool:
        primitive, params = equation.primitive, equation.params
        if _is_transpose(equation):
            self.transposed[equation.outvars[0]] = equation.invars[0]
        if self._called_by_xla(equation) is not None:
            return True
        if primitive not in self.which:
            return False
        if primitive is DOT:
            operands = _operands(equation)
            if params.get("out_sharding") is not None or params["preferred_element_type"] != operands[0].dtype:
                return False
            faster = has_faster_form(*operands, params["dimension_numbers"]) or self._is_turned(equation)
            return faster or self._is_for_library(equation)
        return primitive not in REDUCTIONS or is_reduced_otherwise(primitive, equation.invars[0].aval, params["axes"])

    def _called_by_xla(self, equation) -> Callable | None:
        """What computes an equation in machine code that is not XLA's."""
        return called_by_xla(equation) if self.cpu.certain and self.cpu.machine_code else None

    def _is_for_library(self, equation) -> bool:
        """Whether NumPy's library computes a product."""
        operands, numbers = _operands(equation), equation.params["dimension_numbers"]
        if not self.cpu.certain or not self.cpu.machine_code or has_faster_form(*operands, numbers):
            return False
        return blas.suits(*operands, numbers)

    def _multiplied(self, equation, operands: Sequence, read: Callable):
        """The product, by NumPy's library, which takes matrices and their transposes."""
        (contracted, batch), given = equation.params["dimension_numbers"], list(operands)
        axes = list(contracted)
        for k, atom in enumerate(equation.invars):
            source = None if isinstance(atom, Literal) else self.transposed.get(atom)
            if source is not None and not batch[k]:
                given[k], axes[k] = read(source), tuple(1 - axis for axis in axes[k])
        return blas.multiplied(*given, dimension_numbers=(tuple(axes), batch))

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
                if equation.primitive is DOT and self._is_for_library(equation):
                    results = [self._multiplied(equation, operands, read)]
                elif equation.primitive is DOT and self._is_turned(equation):
                    operands[0] = read(self.transposed[equation.invars[0]])
                    results = [turned_around(*operands, **equation.params)]
                else:
                    results = [self._replaced(equation, operands)]
            elif inner is not None and self.has(inner):
                results = self.evaluate(inner, operands[1:] if equation.primitive.name == "cond" else operands)
            else:
                results = bound(equation, operands)
            known.update(zip(equation.outvars, results, strict=True))
        return [read(atom) for atom in jaxpr.jaxpr.outvars]

    def _replaced(self, equation, operands: Sequence):
        primitive, params = equation.primitive, equation.params

        def faster(*operands):
            call = self._called_by_xla(equation)
            if call is not None:
                return call(*operands)
            if primitive in REDUCTIONS:
                return reduced(primitive, *operands, **params)
            return _RULES[primitive](*operands, **params)

        def plain(*operands):
            return primitive.bind(*operands, **params)

        return faster(*operands) if self.cpu.certain else lax.platform_dependent(*operands, cpu=faster, default=plain)


__all__ = ["Cpu", "composed", "in_loops", "is_product", "is_to_be_traced", "is_transpose", "outside_loops"]
