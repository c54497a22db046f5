"""Loops of little work in each iteration become one native function on CPUs.

XLA's CPU backend runs a program as a sequence of kernels, one or more for each iteration of a loop, at 50 to 100 ns
each. It makes one function of a loop itself if the loop accesses less than a kilobyte (`SmallWhileLoopHoistingPass`),
by calling it in an instruction that has the attribute `xla_cpu_small_call`. Here larger loops get that, as long as
their kernels are small enough for the time between them to matter (measured: 1.3 to 12 times as fast, up to some
thousand elements). Such a function runs on one core, and has no sorts, scatters or calls of libraries in it.

Only with versions of jaxlib that this has been tested with: XLA aborts the process if it finds something in such a
function that it does not expect. That of jaxlib 0.12 makes one function of such loops by itself (measured: as fast).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.xla_metadata import set_xla_metadata
from jaxlib.version import __version__ as jaxlib_version

from xlapy.ir import Operation, Region, Var, captured, constant_value, has_effects
from xlapy.ir.called_jaxprs import called_on_cpu
from xlapy.ir.operations import ELEMENTWISE, SLOW
from xlapy.lowering.primitives.barrier import always
from xlapy.lowering.vectorised_loops import plan_of
from xlapy.lowering.windowed_sums import planned, planned_store

#: elements that an operation computes at most, and one that takes tens of instructions for each, which would use
#: several cores
_MOST, _MOST_SLOW = 4096, 256
#: elements that are reduced, and multiplications in a product of matrices and in a batch of products of vectors:
#: from some more on (4096, 256 and 8192) XLA calls a library, which it cannot do here
_MOST_REDUCED, _MOST_PRODUCTS, _MOST_BATCHED = 2048, 125, 1024
#: operations in the program of the loop: the native compiler's time grows faster than their number
_LONGEST = 2000
#: what XLA's kernels take long for
SLOW_KERNELS = SLOW | {"sqrt", "rsqrt"}
_QUICK = frozenset(
    "add sub mul div rem max min neg abs sign floor ceil round square integer_pow clamp select_n and or not xor eq ne"
    " lt le gt ge is_finite nextafter shift_left shift_right_arithmetic shift_right_logical conj real imag complex"
    " convert_element_type broadcast_in_dim reshape squeeze expand_dims transpose rev slice dynamic_slice iota"
    " concatenate pad copy copy_p stop_gradient gather population_count clz split"
    " reduce_sum reduce_prod reduce_max reduce_min reduce_or reduce_and reduce_xor argmax argmin"
    " cumsum cumprod cummax cummin optimization_barrier".split()
)
#: what reads all of its operand
_REDUCTIONS = frozenset(
    "reduce_sum reduce_prod reduce_max reduce_min reduce_or reduce_and reduce_xor argmax argmin cumsum cumprod cummax"
    " cummin".split()
)
#: what moves elements to other places, if its result is more than a little larger than what it moves
_JOINS = frozenset(("concatenate", "pad"))
_TESTED = jaxlib_version.startswith("0.10.")
_ATTRIBUTES = {"inlineable": "false", "xla_cpu_small_call": "true"}
#: elements up to which a vector is no matter, and up to which it may be copied
_FEW, _TINY = 128, 16


def as_native(
    loop: Operation, run: Callable[[dict, Any], list], environment: dict, only_cpu: bool = False
) -> list | None:
    """The results of a loop, run as one native function where it is run on a CPU; None if it does not suit.

    Args:
        loop: a `for` or a `while`.
        run: computes its results from an environment that maps its operands and what its regions capture to values,
            and a predicate that holds always: part of the condition for another iteration.
        environment: that of the loop.
        only_cpu: whether the program is for a CPU; else the loop is traced for other devices, too.
    """
    if not suits(loop):
        return None
    used = dict.fromkeys((*loop.operands, *(v for region in loop.regions for v in captured(region))))
    constants = {v: environment[v] for v in used if constant_value(v) is not None}
    needed = [v for v in used if v not in constants]
    if any(prod(v.type.shape) == 0 for v in needed):
        return None
    read = _read_only(loop, needed)

    def function(number: Any, *values: Any) -> list:
        number = _from_all([number, *(values[k] for k in read)])
        return [number, *run({**constants, **dict(zip(needed, values, strict=True))}, always(number))]

    once = jax.jit(function)

    def called(*values: Any) -> list:
        # Behind a barrier, an operand that is a constant stays an operand, and the number a result.
        operands = lax.optimization_barrier((_from_all(values), *values))
        results = set_xla_metadata(once(*operands), **_ATTRIBUTES)
        return lax.optimization_barrier(results)[1:]

    def plain(*values: Any) -> list:
        return once(np.int32(0), *values)[1:]

    values = [environment[v] for v in needed]
    return called(*values) if only_cpu else lax.platform_dependent(*values, cpu=called, default=plain)


def called_natively(function: Callable, *values: Any) -> Any:
    """`function(*values)`, a `jax.jit` of some moves of a few elements, as one native function on a CPU, apart from all
    around it. Only where `available()`."""
    return lax.optimization_barrier(set_xla_metadata(function(*values), **_ATTRIBUTES))


def available() -> bool:
    """Whether XLA is one with which native functions have been tested."""
    return _TESTED


def _read_only(loop: Operation, needed: list[Var]) -> list[int]:
    """Places of the values that the function may read besides: XLA copies an array that is read and changed."""
    inside = {v for region in loop.regions for v in captured(region)}
    return [k for k, v in enumerate(needed) if v in inside or prod(v.type.shape) <= _TINY]


def _from_all(values: Sequence) -> Any:
    """A number that XLA cannot compute without any of the values.

    XLA aborts the process where such a function has a parameter that nothing uses, and it may find out that a loop
    does not need one. So the condition for another iteration needs a number that XLA does not know, which is a result
    besides: the loop stays a loop, which starts from the arrays that it changes and ends with them; the number is
    made from all else.
    """
    total = np.zeros((), np.int32)
    for value in values:
        first = lax.reshape(lax.slice(value, (0,) * np.ndim(value), (1,) * np.ndim(value)), ())
        first = lax.real(first) if jnp.iscomplexobj(first) else first
        total = lax.add(total, lax.convert_element_type(first, np.int32))
    return total


def suits(loop: Operation) -> bool:
    """Whether a loop is better run as one native function."""
    if not _TESTED:
        return False
    try:
        return _Count().visit(loop)
    except _Unsuitable:
        return False


class _Unsuitable(Exception):
    pass


class _Count:
    """Looks at everything that is computed in a loop."""

    def __init__(self) -> None:
        self.operations = 0
        #: of the iterations of how many loops' lanes what is looked at is computed at once
        self.lanes = 1
        #: how often the elements of a value are joined and moved, one way and another, before they are stored
        self.joins: dict[Var, int] = {}
        self.plans: dict[Operation, Any] = {}

    def visit(self, loop: Operation) -> bool:
        """Whether all that is in a loop suits."""
        if has_effects(loop):
            return False
        for region in loop.regions:
            self._region(region, set(region.results))
        return self.operations <= _LONGEST

    def _region(self, region: Region, needed: set[Var]) -> None:
        """Look at the operations of which results are needed."""
        live = []
        for operation in reversed(region.operations):
            if needed.isdisjoint(operation.results):
                continue
            live.append(operation)
            needed.update(self._needs(operation, needed))
            for nested in operation.regions:
                needed.update(captured(nested))
        for operation in reversed(live):
            self._operation(operation)
            self.operations += 1
            outside = self.lanes
            plan = plan_of(operation, native=True)
            if plan is not None:
                self.lanes *= plan.count
            for nested in operation.regions:
                self._region(nested, set(nested.results))
            self.lanes = outside

    def _needs(self, operation: Operation, needed: set[Var]) -> Sequence[Var]:
        """The operands that are used to compute an operation, in windows if it is computed so."""
        plan = None
        if operation.kind == "select":
            plan = planned_store(operation)
        elif "lanewise" in operation.attributes:
            plan = planned(operation)
        if plan is None:
            return operation.operands
        self.plans[operation] = plan
        whole = operation.operands[2:] if operation.kind == "select" else ()
        if plan.note.kind == "check" and operation.results[0] in needed:
            whole = operation.operands
        return [*plan.sources, *plan.shared, *whole]

    def _operation(self, operation: Operation) -> None:
        kind = operation.kind
        plan = plan_of(operation, native=True)
        if plan is not None and (not plan.of_numbers or plan.count > _MOST_REDUCED):
            raise _Unsuitable
        if operation in self.plans or kind in ("constant", "live", "if", "for", "while"):
            return
        if operation.jaxpr is not None:
            jaxpr: Any = operation.jaxpr
            joins = dict(zip(jaxpr.jaxpr.invars, (self.joins.get(v, 0) for v in operation.operands), strict=True))
            found = self._jaxpr(jaxpr.jaxpr, joins)
            self.joins.update(zip(operation.results, found, strict=True))
        elif kind in ELEMENTWISE or kind in ("convert", "broadcast"):
            (result,) = operation.results
            self._elements(result.type.dtype, prod(result.type.shape), kind in SLOW_KERNELS)
            self.joins[result] = max((self.joins.get(v, 0) for v in operation.operands), default=0)
        else:
            raise _Unsuitable

    def _jaxpr(self, jaxpr: Any, joins: dict) -> list[int]:
        def known(atom: Any) -> int:
            return 0 if hasattr(atom, "val") else joins.get(atom, 0)

        for equation in jaxpr.eqns:
            name = equation.primitive.name
            most = max(map(known, equation.invars), default=0)
            inner = _inner(equation)
            if inner is not None:
                operands = equation.invars[len(equation.invars) - len(inner.invars) :]
                found = self._jaxpr(inner, dict(zip(inner.invars, map(known, operands), strict=True)))
                joins.update(zip(equation.outvars, found, strict=True))
                continue
            self.operations += 1
            size = _size(equation.outvars)
            if name in _JOINS and size > _FEW and 4 * size > 5 * _size(equation.invars):
                most += 1
                if most > 1:
                    raise _Unsuitable
            elif name == "dynamic_update_slice":
                size, most = _size(equation.invars[1:2]), 0
            elif name in _REDUCTIONS:
                size, most = _size(equation.invars), 0
                if size > _MOST_REDUCED:
                    raise _Unsuitable
            elif name == "dot_general":
                size, most = _products(equation), 0
            elif name == "platform_index":
                continue
            elif name not in _QUICK and name not in SLOW_KERNELS:
                raise _Unsuitable
            self._elements(equation.outvars[0].aval.dtype, size, name in SLOW_KERNELS)
            joins.update(dict.fromkeys(equation.outvars, most))
        return [known(v) for v in jaxpr.outvars]

    def _elements(self, dtype: Any, count: int, slow: bool) -> None:
        if (
            count * self.lanes > (_MOST_SLOW if slow else _MOST)
            or dtype.kind not in "biufc"
            or dtype.itemsize < 4
            and dtype.kind == "f"
        ):
            raise _Unsuitable


def _size(atoms: Sequence[Any]) -> int:
    return max((prod(v.aval.shape) for v in atoms), default=0)


def _products(equation: Any) -> int:
    """Multiplications in a product of arrays, if it is one that XLA has no library for."""
    (contracted, _), (batch, _) = equation.params["dimension_numbers"]
    left, right = equation.invars
    inner, size = (prod(left.aval.shape[k] for k in axes) for axes in (contracted, batch))
    one, two = (prod(v.aval.shape) // max(1, inner * size) for v in (left, right))
    products = one * two * inner * size
    most = _MOST_PRODUCTS if min(one, two) > 1 else _MOST_BATCHED if size > 1 else _MOST
    if products > most or (one == two == 1 and products > _MOST_REDUCED):
        raise _Unsuitable
    return products


def _inner(equation: Any) -> Any:
    """The jaxpr that runs on a CPU where an equation calls one or chooses by platform; None for others."""
    inner = called_on_cpu(equation)
    if inner is not None:
        return getattr(inner, "jaxpr", inner)
    platforms = equation.params.get("branches_platforms")
    if equation.primitive.name != "cond" or platforms is None:
        return None
    chosen = next((k for k, names in enumerate(platforms) if names is None or "cpu" in names), None)
    return None if chosen is None else equation.params["branches"][chosen].jaxpr


__all__ = ["as_native", "suits"]
