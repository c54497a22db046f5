"""From the representation to `jax.lax`: evaluates a region on JAX values, structured control flow included.

A program may have two forms. The fast one (`region.fast`) runs; where JAX transforms the program, it gets the other, in
which branches are branches and loops can be reversed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from math import prod
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun

from xlapy.ir import OURS, Location, Operation, Region, Var, captured, constant_value, every_operation
from xlapy.ir.stacking_leaves import MANY, is_stack, is_unstack
from xlapy.lowering import tpu
from xlapy.lowering.cpu_xla import rewriting, scalar_packing
from xlapy.lowering.cpu_xla.broadcast_sinking import operands_of
from xlapy.lowering.cpu_xla.native_functions import as_native, available
from xlapy.lowering.cpu_xla.reduction_strategies import are_own
from xlapy.lowering.cpu_xla.rewriting import Cpu
from xlapy.lowering.cpu_xla.zero_copy_inputs import MemorySlice, product
from xlapy.lowering.jaxprs import varying_axes
from xlapy.lowering.jaxprs.deferred_tracing import MAPPED, Mapped, Untraced, is_opaque, traced
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.llvm import Errors, as_machine_code, may_be_machine_code
from xlapy.lowering.loop_derivatives import reversible_leaves
from xlapy.lowering.loop_derivatives.lax_loops import (
    also,
    counted_loop,
    differentiable_counted_loop,
    differentiable_while_loop,
)
from xlapy.lowering.loop_derivatives.zero_derivative_mask import live
from xlapy.lowering.lowering_rules import RULES, chosen_store, store_block
from xlapy.lowering.nvptx import as_kernel, note_errors
from xlapy.lowering.thresholds import CONSTANT_IN_LOOP, LARGE_READ_IN_PART, READ_IN_PART
from xlapy.lowering.vectorised_loops import in_lanes, plan_of
from xlapy.lowering.windowed_sums import in_steps, in_windows, planned, planned_store

Environment = dict[Var, object]


def evaluate(region: Region, environment: Environment) -> list:
    """The results of a region; `environment` maps its parameters and the values it captures to JAX values.

    For programs that JAX transforms: they can be differentiated.
    """
    return _run(region, environment, _VARYING if varying_axes.is_checked() else _STRUCTURED)


def evaluate_fast(
    region: Region,
    environment: Environment,
    native: bool = True,
    platform: str | None = None,
    own_reductions: bool | None = None,
    memory_slices: Mapping[int, MemorySlice] | None = None,
    machine_code: bool = False,
    partitioned: bool = False,
    errors: Errors | None = None,
) -> list:
    """The same for programs that only have to run; small loops may become `native` functions.

    `platform` is where the program runs, None if that is not known yet: then loops are traced for CPUs and for others.
    `own_reductions` says whether XLA's own code reduces, None if that depends on this program alone. `memory_slices`
    are the parameters, by number, that are parts of memory (see `lowering.cpu_xla.zero_copy_inputs`). What XLA is to
    have `partitioned`, for several devices, has no calls in it of which XLA does not know what they do. `errors` says
    which results tell of errors, if nobody wants the others where there is one.
    """
    gpu = not partitioned and platform in ("gpu", "cuda")
    if partitioned or platform not in (None, "cpu"):
        structured = _fast_rules(None, False, gpu, partitioned)
    else:
        known = not any(map(is_opaque, every_operation(region)))
        own = are_own(region) if own_reductions is None else own_reductions
        structured = _fast_rules(Cpu(platform == "cpu", known and own, machine_code), native)
    if region.fast is not None:
        arguments = [environment[p] for p in region.params]
        region, environment = region.fast, dict(zip(region.fast.params, arguments, strict=True))
    if gpu and errors is not None:
        note_errors(region, errors)
    if memory_slices:
        parts = {region.params[k]: part for k, part in memory_slices.items()}
        loop = _loop_of_slices(structured["for"], parts)
        structured = _Rules(
            {**structured, "leaf": _leaf_of_slices(structured["leaf"], parts), "for": loop, "while": loop}
        )
    if platform in (None, "tpu"):
        values = [environment[p] for p in region.params]
        return tpu.computed(
            lambda *xs: _run(region, dict(zip(region.params, xs, strict=True)), structured), values, platform == "tpu"
        )
    return _run(region, environment, structured)


def _run(region: Region, environment: Environment, structured: dict[str, Callable]) -> list:
    _run_all(region.operations, environment, structured)
    return [environment[v] for v in region.results]


def _run_all(operations: Sequence[Operation], environment: Environment, structured: dict[str, Callable]) -> None:
    for operation in operations:
        operands = [environment[v] for v in operation.operands]
        kind = operation.kind if operation.jaxpr is None else "leaf"
        rule = structured.get(kind)
        try:
            with _scope(operation.location):
                if rule is not None:
                    results = rule(operation, operands, environment)
                elif structured is _VARYING:
                    results = RULES[kind](operation, varying_axes.joined(operands))
                else:
                    results = RULES[kind](operation, operands)
        except (TypeError, ValueError, NotImplementedError) as error:
            _locate(error, operation)
            raise
        environment.update(zip(operation.results, results, strict=True))


def _scope(location: Location | None) -> AbstractContextManager:
    """Around what an operation becomes: profilers and XLA's texts show the user's function and line with that."""
    while location is not None and location.filename.startswith(OURS):
        location = location.caller
    if location is None:
        return nullcontext()
    return jax.named_scope(f"{location.function}:{location.line}".replace("/", "|"))


def _locate(error: Exception, operation: Operation) -> None:
    """Note where in the program it is that JAX cannot transform an operation: the innermost place."""
    if place_of(error) is None and operation.location is not None:
        error.place = operation.location  # type: ignore[attr-defined]
        error.add_note(f"in {operation.location}")


def place_of(error: Exception) -> Location | None:
    """Where in the program the operation is that JAX could not transform."""
    return getattr(error, "place", None)


def _strong(values: Sequence, variables: Sequence[Var]) -> list:
    """Values with exactly the types that the representation says: what control flow of JAX demands."""
    return [_exactly(x, v.type.dtype) for x, v in zip(values, variables, strict=True)]


def _exactly(x, dtype: np.dtype):
    if isinstance(x, jax.Array) and x.dtype == dtype and not x.weak_type:
        return x
    if isinstance(x, np.ndarray) and x.dtype == dtype and not x.shape:
        return x
    return lax.convert_element_type(x, dtype)


def _function(region: Region, environment: Environment, structured: dict[str, Callable]) -> Callable[..., list]:
    """A region as a Python function of its parameters. What it captures is in `environment`."""

    def call(*arguments):
        environment.update(zip(region.params, arguments, strict=True))
        return _strong(_run(region, environment, structured), region.results)

    return call


def _if(structured: dict[str, Callable]) -> Callable:
    def rule(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
        then, orelse = (_function(region, environment, structured) for region in operation.regions)
        if "barrier" in operation.attributes:
            both = lambda predicate: lax.cond(predicate, then, orelse)  # noqa: E731
            return lax.platform_dependent(operands[0], cpu=both, default=lambda _: then())
        return lax.cond(operands[0], then, orelse)

    return rule


def _iterations(operation: Operation, operands: Sequence) -> int | jax.Array:
    iterations = constant_value(operation.operands[0])
    return operands[0] if iterations is None else max(int(iterations), 0)


def _for(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    (region,) = operation.regions
    body = _function(region, environment, _STRUCTURED)
    dtype = region.params[0].type.dtype
    initial = _strong(operands[1:], region.params[1:])
    most: int | None = operation.attributes.get("most")
    iterations = _iterations(operation, operands)
    return differentiable_counted_loop(iterations, body, initial, dtype, _reads_elements(region), most)


def _reads_elements(region: Region) -> bool:
    """Whether few elements of a large array are read, at places that vary."""
    for operation in region.operations:
        if any(map(_reads_elements, operation.regions)):
            return True
        if operation.jaxpr is not None and operation.kind == "load" and len(operation.operands) > 1:
            size = prod(operation.operands[0].type.shape)
            if size >= LARGE_READ_IN_PART and size >= READ_IN_PART * prod(operation.results[0].type.shape):
                return True
    return False


def _while(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    condition, body = (_function(region, environment, _STRUCTURED) for region in operation.regions)
    initial = _strong(operands, operation.regions[1].params)
    most: int | None = operation.attributes.get("most")
    return differentiable_while_loop(lambda *xs: condition(*xs)[0], body, initial, most)


class _Rules(dict[str, Callable]):
    """Rules by the kinds of operations; `at_once` where a loop in a loop makes as many iterations at once as it can: in
    a native function, and on devices where each iteration is slow; `is_elsewhere` on these, `on_gpu` on GPUs."""

    at_once = is_elsewhere = on_gpu = False


@functools.cache
def _fast_rules(cpu: Cpu | None, native: bool, gpu: bool = False, partitioned: bool = False) -> _Rules:
    """Rules for programs that only have to run: a loop is one native function if that is better.

    Args:
        cpu: what is known of the program on a CPU; None if it runs elsewhere.
        native: whether there may be native functions.
        gpu: whether it runs on one of NVIDIA's GPUs.
        partitioned: whether XLA partitions it, which then has `cpu` None and no `gpu`.
    """

    def loop(
        operation: Operation,
        operands: Sequence,
        environment: Environment,
        parts: Mapping[Var, MemorySlice] | None = None,
    ) -> Sequence:
        def run(values: Environment, certain: jax.Array) -> list:
            return list(_looped(operation, values, inside, certain))

        if cpu is not None and cpu.certain and cpu.machine_code and may_be_machine_code(operation):
            results = as_machine_code(operation, environment, parts or {})
            if results is not None:
                return results
        kernel = as_kernel(operation, environment) if gpu else None
        if kernel is not None:
            return kernel
        if not native or cpu is None or plan_of(operation, native=False):
            return _looped(operation, environment, looped)
        found = as_native(operation, run, environment, cpu.certain)
        return _looped(operation, environment, looped) if found is None else found

    def plain_loop(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
        return _looped(operation, environment, inside)

    in_loops: dict[str, Callable] = {
        "live": _fast_live,
        "leaf": _leaf_in_loop(cpu, partitioned),
        "select": _select_in_loop,
    }
    inside, looped, fast = _Rules(), _Rules(), _Rules()
    inside.at_once, looped.at_once, looped.is_elsewhere = True, cpu is None, cpu is None
    looped.on_gpu = gpu
    inside.update({**in_loops, "if": _if(inside), "while": plain_loop, "for": plain_loop})
    looped.update({**in_loops, "if": _if(looped), "while": loop, "for": loop})
    at_once = native and cpu is not None and cpu.certain and available()
    leaf = _leaf(cpu, at_once, partitioned, fast if gpu else None)
    fast.update({"if": _if(fast), "while": loop, "for": loop, "live": _fast_live, "leaf": leaf})
    if cpu is not None:
        fast.update(
            {"leaf": _spread(fast["leaf"]), "broadcast": _spread(lambda o, given, _: RULES["broadcast"](o, given))}
        )
    return fast


def _spread(rule: Callable) -> Callable:
    return lambda operation, operands, environment: rule(operation, operands_of(operation, operands), environment)


def _looped(
    operation: Operation,
    environment: Environment,
    rules: _Rules,
    certain: jax.Array | None = None,
) -> Sequence:
    operands = [environment[v] for v in operation.operands]
    plan = plan_of(operation, rules.at_once)
    if plan is not None:
        rules = _Rules({**rules, "leaf": _leaf_in_lanes})
        return in_lanes(operation, plan, environment, lambda operations, values: _run_all(operations, values, rules))
    if rules.on_gpu:
        environment = _with_hidden_constants(operation, environment)
    if operation.kind == "while":
        condition, body = (_function(region, environment, rules) for region in operation.regions)
        initial = _strong(operands, operation.regions[1].params)
        return lax.while_loop(lambda xs: also(condition(*xs)[0], certain), lambda xs: body(*xs), initial)
    (region,) = operation.regions
    body = _function(region, environment, rules)
    initial = _strong(operands[1:], region.params[1:])
    if "straight" in operation.attributes:
        for k in range(int(_iterations(operation, operands))):
            initial = body(np.asarray(k, region.params[0].type.dtype), *initial)
        return initial
    unroll: int = operation.attributes.get("unroll", 1)
    if rules.at_once:
        unroll = operation.attributes.get("unroll_native", unroll)
    dtype = region.params[0].type.dtype
    iterations = _iterations(operation, operands)
    if rules.is_elsewhere and not isinstance(iterations, int):
        # The condition says that there are none if this is negative: a maximum would be a kernel of its own.
        limit: Any = environment.get(_not_negative(operation.operands[0]), iterations)
        iterations = limit
    return counted_loop(iterations, body, initial, dtype, unroll, certain)


def _with_hidden_constants(loop: Operation, environment: Environment) -> Environment:
    """Known arrays as values that XLA does not know within a loop: for GPUs it puts what is computed of the same array
    into one kernel, but not if it is computed of a constant."""
    hidden = {
        var: lax.optimization_barrier(jax.numpy.asarray(value))
        for region in loop.regions
        for var in captured(region)
        if isinstance(value := environment.get(var), np.ndarray) and value.size >= CONSTANT_IN_LOOP
    }
    return {**environment, **hidden} if hidden else environment


def _not_negative(var: Var) -> Var:
    """The number of which a value is the maximum with zero; the value itself if it is none."""
    owner = var.owner
    if isinstance(owner, Operation) and owner.kind == "max" and owner.results[0].type.shape == ():
        first, second = owner.operands
        for number, other in ((first, second), (second, first)):
            if (known := constant_value(other)) is not None and known == 0 and number.type.dtype == var.type.dtype:
                return number
    return var


def _leaf_in_loop(cpu: Cpu | None, partitioned: bool) -> Callable:
    def rule(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
        if partitioned:
            chosen = chosen_store(operation, operands)
            if chosen is not None:
                return chosen
        elif "in_place" in operation.attributes:
            return store_block(operation, operands)
        plan = planned(operation) if "lanewise" in operation.attributes else None
        if plan is not None:
            return in_windows(plan, lambda: RULES["leaf"](operation, operands), environment)
        jaxpr, operands = _with_transpose(operation, operands, environment)
        return jaxpr_as_fun(rewriting.in_loops(jaxpr, cpu))(*operands)

    return rule


def _leaf_in_lanes(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    return jaxpr_as_fun(_without_rule(operation))(*operands)


def _select_in_loop(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    plan = planned_store(operation)
    return RULES["select"](operation, operands) if plan is None else in_steps(plan, operands, environment)


def _live(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    return (live(*operands),)


def _fast_live(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    return operands[1:]


def _leaf(cpu: Cpu | None, native: bool = False, partitioned: bool = False, mapped: _Rules | None = None) -> Callable:
    """The rule for leaves outside of loops; `native` says whether there may be native functions, and `mapped` has the
    rules for what `vmap` maps, if they are its own."""

    def rule(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
        chosen = chosen_store(operation, operands) if partitioned else None
        if chosen is not None:
            return chosen
        if is_stack(operation) and len(operands) >= MANY and not operation.operands[0].type.shape:
            return (scalar_packing.joined(_strong(operands, operation.operands), native),)
        if is_unstack(operation) and len(operation.results) >= MANY and not operation.results[0].type.shape:
            return scalar_packing.taken_apart(operands[0], native)
        untraced = operation.jaxpr
        if isinstance(untraced, Untraced) and not untraced.looked_into and not rewriting.is_to_be_traced(untraced, cpu):
            return untraced.function(_evaluate_leaves, *operands)
        of_region: Mapped | None = operation.attributes.get(MAPPED)
        if mapped is not None and of_region is not None and of_region.jaxpr is operation.jaxpr:
            return of_region.function(functools.partial(_run, structured=mapped), *operands)
        jaxpr, operands = _with_transpose(operation, operands, environment)
        return jaxpr_as_fun(rewriting.outside_loops(jaxpr, cpu))(*operands)

    return rule


def _leaf_of_slices(rule: Callable, parts: Mapping[Var, MemorySlice]) -> Callable:
    def slice_rule(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
        found = product(operation, environment, parts)
        return rule(operation, operands, environment) if found is None else found

    return slice_rule


def _loop_of_slices(rule: Callable, parts: Mapping[Var, MemorySlice]) -> Callable:
    return lambda operation, operands, environment: rule(operation, operands, environment, parts)


def _with_transpose(operation: Operation, operands: Sequence, environment: Environment) -> tuple[ClosedJaxpr, Sequence]:
    """What a leaf computes, and from what: a product with the transposes that it is made of as part of it."""
    jaxpr = _without_rule(operation)
    if not rewriting.is_product(jaxpr):
        return jaxpr, operands
    transposes, given = [], []
    for var, value in zip(operation.operands, operands, strict=True):
        transpose, made = None, var.owner
        if isinstance(made, Operation) and made.jaxpr is not None and len(made.operands) == 1:
            (source,) = made.operands
            leaf = _without_rule(made) if source in environment else None
            if leaf is not None and rewriting.is_transpose(leaf):
                transpose, value = leaf, environment[source]
        transposes.append(transpose)
        given.append(value)
    return rewriting.composed(jaxpr, tuple(transposes)) if any(transposes) else jaxpr, given


def _reversible_leaf(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    jaxpr = operation.jaxpr
    if isinstance(jaxpr, ClosedJaxpr) and reversible_leaves.has_while(jaxpr):
        return reversible_leaves.evaluate(jaxpr, operands)
    return RULES["leaf"](operation, operands)


def _evaluate_leaves(region: Region, environment: Environment) -> list:
    """`evaluate_fast` for a region inside of a leaf."""
    return _run(region, environment, _LEAVES)


def _without_rule(operation: Operation) -> ClosedJaxpr:
    """What a leaf computes; without the rule for its derivative, if all of it has one (`jax.custom_jvp`)."""
    jaxpr = traced(operation.jaxpr)
    if len(jaxpr.jaxpr.eqns) != 1:
        return jaxpr
    (equation,) = jaxpr.jaxpr.eqns
    whole = [*equation.invars, *equation.outvars] == [*jaxpr.jaxpr.invars, *jaxpr.jaxpr.outvars]
    return equation.params["call_jaxpr"] if whole and equation.primitive.name == "custom_jvp_call" else jaxpr


_STRUCTURED: dict[str, Callable] = {}
_STRUCTURED.update({"if": _if(_STRUCTURED), "while": _while, "for": _for, "live": _live, "leaf": _reversible_leaf})
#: inside of `jax.shard_map`
_VARYING: dict[str, Callable] = {}


def _varying_if(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    then, orelse = (_function(region, environment, _VARYING) for region in operation.regions)
    return varying_axes.chosen(operands[0], [orelse, then], [])


def _varying_while(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    condition, body = (_function(region, environment, _VARYING) for region in operation.regions)
    initial = _strong(operands, operation.regions[1].params)
    return varying_axes.repeated(lambda *xs: condition(*xs)[0], body, initial)


def _varying_for(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    (region,) = operation.regions
    body, initial = _function(region, environment, _VARYING), _strong(operands[1:], region.params[1:])
    return varying_axes.counted(_iterations(operation, operands), body, initial, region.params[0].type.dtype)


def _varying_leaf(operation: Operation, operands: Sequence, environment: Environment) -> Sequence:
    jaxpr = operation.jaxpr
    if isinstance(jaxpr, Untraced):
        return jaxpr.function(lambda region, values: _run(region, values, _VARYING), *operands)
    return varying_axes.computed(jaxpr, operands)


_VARYING.update({"if": _varying_if, "while": _varying_while, "for": _varying_for, "leaf": _varying_leaf})
_VARYING["live"] = lambda operation, operands, environment: (live(*varying_axes.joined(operands)),)

#: for a region without control flow
_LEAVES: dict[str, Callable] = {"live": _fast_live, "leaf": _leaf(Cpu(False, False))}

__all__ = ["Environment", "evaluate", "evaluate_fast", "place_of"]
