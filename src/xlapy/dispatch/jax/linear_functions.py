"""`vjp` and `linearize`: the function's value, and a linear function that may be called later, inside the program or on
the host after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp

from xlapy.dispatch import leaves, registry
from xlapy.dispatch.jax.closure_conversion import emit
from xlapy.dispatch.jax.pytrees import Attributes, Items, Node, Opening, Registered, Static, matching
from xlapy.dispatch.jax.transformations import Call, interpreted, raise_for_certain
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.transformations import Linear, run_linear, with_linear
from xlapy.domain.values import (
    FALSE,
    NONE,
    BoundedArray,
    Const,
    JaxArray,
    Opaque,
    Ref,
    Tuple,
    Value,
    number_var,
    tuple_items,
)
from xlapy.ir import TensorType


@dataclass(frozen=True)
class Side(Opaque):
    """What a linear function takes or gives.

    Attributes:
        node: its structure; None stands where there is no floating-point number.
        types: the types of its leaves.
        arrays: which leaves are JAX's arrays.
        several: whether it is one argument after the other.
        jax: whether everything is JAX's.
    """

    node: Node
    types: tuple[TensorType, ...]
    arrays: tuple[bool, ...]
    several: bool
    jax: bool


def _linear(call: Call, transform: Callable) -> Value:
    """The value of a function and a `Linear`; `call.args` are the primals."""
    machine = call.machine
    auxiliary = bool(call.options.pop("has_aux", False))
    opening = Opening(machine, True, not call.jax)
    nodes = {i: opening.open(a) for i, a in enumerate(call.args)}
    program = interpreted(call, opening, nodes, auxiliary, inexact=True)
    raise_for_certain(call, program)
    if any(isinstance(v, BoundedArray) for v in (*opening.leaves, *program.outputs)):
        raise Refused("XP0011", f"an array whose length depends on data, differentiated by {transform.__name__}")
    found: list = []

    def transformed(region: Callable, *inputs):
        _, linear, rest = transform(program.split(region), *inputs, has_aux=True)
        residuals, structure = jax.tree.flatten(linear)
        found[:] = [structure, len(residuals)]
        return [*map(jnp.asarray, residuals), *rest]

    results = emit(machine, program.found, transformed, program.operands, transform.__name__)
    structure, kept = found
    outer = program.found.region.results[: program.count]
    returned = call.returned(program.leave(machine, results[kept:]))
    arguments = _bare(Items(tuple, tuple(nodes[i] for i in range(len(call.args)))))
    primal = Side(arguments, tuple(v.type for v in program.operands), _arrays(call, opening.leaves), True, call.jax)
    value = Side(_bare(program.result), tuple(v.type for v in outer), _arrays(call, program.outputs), False, call.jax)
    takes, gives = (value, primal) if transform is jax.vjp else (primal, value)
    made = machine.world.helper_instance(
        Linear,
        residuals=Tuple(tuple(map(JaxArray, results[:kept]))),
        structure=Const(structure),
        takes=Const(takes),
        gives=Const(gives),
    )
    if auxiliary:
        return Tuple((tuple_items(returned)[0], made, tuple_items(returned)[1]))
    return Tuple((returned, made))


def _arrays(call: Call, kinds: list[Value]) -> tuple[bool, ...]:
    return tuple(call.jax or isinstance(k, JaxArray) for k in kinds)


def _bare(node: Node) -> Node:
    """A structure without the values that were in it."""
    match node:
        case Static():
            return Static(NONE)
        case Registered():
            return replace(node, parts=tuple(map(_bare, node.parts)), originals=())
        case Items() | Attributes():
            return replace(node, parts=tuple(map(_bare, node.parts)))
    return node


@registry.function(run_linear)
def _run_linear(machine: Machine, linear: Value, vectors: Value) -> Value:
    assert isinstance(linear, Ref)
    field = {name: machine.heap.read(linear.object, name) for name in ("residuals", "structure", "takes", "gives")}
    takes: Side = machine.static(field["takes"])
    gives: Side = machine.static(field["gives"])
    structure = machine.static(field["structure"])
    given = Tuple(tuple(machine.iterate(vectors)))
    if not takes.several:
        if len(given.items) != 1:
            machine.raise_(TypeError, f"expected one argument of the structure of the result, got {len(given.items)}")
        (given,) = given.items
    call = Call(machine, NONE, [], {}, takes.jax)
    parts = matching(machine, takes.node, given, "the argument")
    operands = [call.vector(parts[i], type_) for i, type_ in enumerate(takes.types)]
    residuals = [number_var(v) for v in machine.iterate(field["residuals"])]

    def run(*arrays):
        function = jax.tree.unflatten(structure, arrays[: len(residuals)])
        inputs = arrays[len(residuals) :]
        return list(function(*inputs) if takes.several else function(list(inputs)))

    everything = (*residuals, *operands)
    jaxpr = leaves.trace(run, tuple(v.type for v in everything), not machine.builder.narrow)
    results = leaves.emit_jaxpr(machine.builder, jaxpr, everything, "linear")

    def leaf(i: int) -> Value:
        return JaxArray(results[i]) if gives.arrays[i] else call.outside(results[i])

    return Opening(machine).make(gives.node, leaf)


@registry.function(with_linear)
def _with_linear(machine: Machine, function: Value, primals: Value, has_aux: Value, name: Value) -> Value:
    options = {"has_aux": machine.static(has_aux)}
    call = Call(machine, function, machine.iterate(primals), {}, False, options)
    return _linear(call, getattr(jax, str(machine.static(name))))


@registry.function(jax.vjp)
def _jax_vjp(machine: Machine, fun: Value, *primals: Value, has_aux: Value = FALSE) -> Value:
    return _linear(Call(machine, fun, list(primals), {}, True, {"has_aux": machine.static(has_aux)}), jax.vjp)


@registry.function(jax.linearize)
def _jax_linearize(machine: Machine, fun: Value, *primals: Value, has_aux: Value = FALSE) -> Value:
    return _linear(Call(machine, fun, list(primals), {}, True, {"has_aux": machine.static(has_aux)}), jax.linearize)
