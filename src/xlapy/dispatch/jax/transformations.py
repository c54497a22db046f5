"""`xlapy.grad` and its relatives, and JAX's own: transformations of functions, inside and outside of programs.

The function is interpreted in a region of its own (`closure_conversion`), whose leaves are the arrays of the arguments
(`pytrees`); JAX transforms the region. Around it stand the rules for what JAX does not know: objects, arrays that are
written, exceptions, and changes of what is outside.

In xlapy's own the arguments are inside what they are outside: a differentiated `ndarray` is a fresh, writable one, a
Python float a Python number. In JAX's they are JAX's arrays.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.jax.closure_conversion import Isolated, emit, errors_of, isolate, leave
from xlapy.dispatch.jax.pytrees import Items, Leaf, Node, Opening, Static, matching, prefix
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.transformation_markers import apply, forward
from xlapy.domain.values import (
    FALSE,
    NONE,
    BoundedArray,
    Const,
    Intrinsic,
    JaxArray,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Value,
    substitute,
    tuple_items,
    variables,
)
from xlapy.ir import Region, TensorType, Var, captured
from xlapy.lowering.evaluate import evaluate
from xlapy.lowering.jaxprs.deferred_tracing import is_safe


@dataclass
class Call:
    """One application of a transformation.

    Attributes:
        machine: the interpreter.
        function: what is transformed.
        args: its positional arguments.
        kwargs: its named arguments.
        jax: whether it is one of JAX's own, inside of which everything is JAX's.
        options: of the transformation, known at compile time.
    """

    machine: Machine
    function: Value
    args: list[Value]
    kwargs: dict[str, Value]
    jax: bool
    options: dict = field(default_factory=dict)

    def opening(self, inexact: bool = True) -> Opening:
        """How arguments are taken apart."""
        return Opening(self.machine, inexact and not self.jax, not self.jax, self.jax)

    def like(self, var: Var, kind: Value) -> Value:
        """A device value as the sort of value that `kind` is, inside the function."""
        return JaxArray(var) if self.jax else like(self.machine, var, kind)

    def element(self, var: Var, kind: Value) -> Value:
        """An element of a mapped argument."""
        if isinstance(kind, NdArray) and not self.jax:
            return self.machine.numpy_result(var)
        return self.like(var, kind)

    def operands(self, opening: Opening) -> list[Var]:
        """The leaves as operands: where 64-bit types are off for the caller, JAX's own narrow them."""
        if not self.jax or self.machine.ambient_x64:
            return opening.vars
        return [jax_functions.canonical(self.machine, v) for v in opening.vars]

    def outside(self, var: Var, *kinds: Value) -> Value:
        """A derivative as a value: NumPy's, unless JAX's arrays come into it."""
        machine = self.machine
        if self.jax or any(isinstance(k, JaxArray) for k in kinds):
            return JaxArray(var)
        if len(kinds) == 1 and isinstance(kinds[0], BoundedArray):
            return BoundedArray(machine.new_array(var), kinds[0].axes)
        return machine.numpy_result(machine.builder.convert(var, var.type.dtype))

    def vector(self, value: Value, type_: TensorType) -> Var:
        """A tangent or cotangent as an operand, of the type of what it belongs to."""
        machine, probe = self.machine, Opening(self.machine, inexact=False)
        probe.open(value)
        if len(probe.vars) != 1:
            machine.raise_(TypeError, "tangents must be numbers or arrays, as what they belong to")
        (found,) = self.operands(probe)
        if found.type.shape != type_.shape:
            text = f"tangents must have the shapes of what they belong to: {found.type.shape} and {type_.shape}"
            machine.raise_(ValueError, text)
        if found.type.dtype != type_.dtype and self.jax and not found.type.weak:
            text = f"tangents must have the dtypes of what they belong to: {found.type.dtype} and {type_.dtype}"
            machine.raise_(TypeError, text)
        return machine.builder.convert(found, type_.dtype, type_.weak)

    def returned(self, value: Value) -> Value:
        """What the function returned: arrays of JAX's where JAX transforms it."""
        if not self.jax:
            return value
        opening = Opening(self.machine, inexact=False)
        node = opening.open(value)
        arrays = self.operands(opening)
        return opening.make(node, lambda i: JaxArray(arrays[i]))


def like(machine: Machine, var: Var, kind: Value | None) -> Value:
    """A device value as the sort of value that `kind` is."""
    match kind:
        case NdArray():
            return machine.new_array(var)
        case BoundedArray():
            return BoundedArray(machine.new_array(var), kind.axes)
        case NumpyScalar():
            return machine.numpy_result(var)
        case Const() if isinstance(kind.value, np.generic):
            return machine.numpy_result(var)
        case Scalar() if var.type.shape == ():
            return Scalar(kind.kind, machine.builder.convert(var, SCALAR_DTYPES[kind.kind], True))
        case Const() if var.type.shape == () and type(kind.value) in SCALAR_DTYPES:
            return Scalar(type(kind.value), machine.builder.convert(var, var.type.dtype, True))
    return JaxArray(var)


# -- the function as a region ------------------------------------------------------------------------------------------


@dataclass
class Program:
    """The region of a call: its parameters stand for `leaves`, its first results for `outputs`."""

    found: Isolated
    opening: Opening
    operands: list[Var]
    result: Node
    outputs: list[Value]
    count: int
    needed: list[Var]

    def split(self, program: Callable) -> Callable:
        """The region as a function of its parameters that returns `(outputs, what else leaves it)`."""

        def run(*inputs):
            results = program(*inputs)
            return results[: self.count], results[self.count :]

        return run

    def leave(self, machine: Machine, results: Sequence[Var]) -> Value:
        """Let out what the call left behind, given the values of `needed`; what the function returned."""
        inner = [*self.found.region.params, *self.needed]
        return leave(machine, self.found, zip(inner, [*self.operands, *results], strict=True))


def interpreted(
    call: Call, opening: Opening, nodes: dict[int, Node], auxiliary: bool, inexact: bool = False
) -> Program:
    """Interpret the function with parameters in the places of the leaves of its arguments `nodes`."""
    machine, args = call.machine, call.args
    operands = call.operands(opening)
    outputs = Opening(machine, inexact)
    node: Node = Static(NONE)

    def bind(params: list[Var]) -> list[Value]:
        return [opening.bind(nodes[i], a, params, call.like) if i in nodes else a for i, a in enumerate(args)]

    def run(bound: list[Value]) -> Value:
        nonlocal node
        returned = result = machine.call(call.function, bound, call.kwargs)
        if auxiliary:
            if not isinstance(result, Tuple) or len(result.items) != 2:
                kind = machine.type_of(result).__name__
                text = f"expected function with aux output to return a two-element tuple, but got type {kind}"
                machine.raise_(TypeError, text)
            result = result.items[0]
        node = outputs.open(result)
        return returned

    found = isolate(machine, [v.type for v in operands], bind, run)
    needed = found.needed()
    found.region.results = [*outputs.vars, *needed]
    return Program(found, opening, operands, node, outputs.leaves, len(outputs.leaves), needed)


def raise_for_certain(call: Call, program: Program) -> None:
    """A function that raises for certain has no derivative: it only runs."""
    if program.found.raised is None:
        return
    results = emit(call.machine, program.found, lambda f, *xs: f(*xs), program.operands, "raises")
    program.leave(call.machine, results)


def _positions(call: Call, argnums: Any) -> list[int]:
    """The arguments to differentiate, from 0."""
    wanted = [argnums] if isinstance(argnums, int) else list(argnums)
    found = []
    for number in wanted:
        if not -len(call.args) <= number < len(call.args):
            call.machine.raise_(
                TypeError,
                f"differentiating with respect to argnums={argnums} requires at least {max(number + 1, -number)} "
                f"positional arguments to be passed by the caller, but got only {len(call.args)} positional arguments.",
            )
        found.append(number % len(call.args))
    return found


def _open_arguments(call: Call) -> tuple[Opening, dict[int, Node], Callable]:
    """The leaves of the arguments `argnums`, and what puts derivatives with respect to them together."""
    argnums = call.options.pop("argnums", 0)
    positions = _positions(call, argnums)
    opening = call.opening()
    nodes = {}
    for i in positions:
        if i not in nodes:
            before = len(opening.leaves)
            nodes[i] = opening.open(call.args[i])
            if len(opening.leaves) == before and not call.jax:
                _open_nothing(call, opening, nodes, i)

    def make(leaf: Callable[[int], Value]) -> Value:
        made = tuple(opening.make(nodes[i], leaf, lambda value: NONE) for i in positions)
        return made[0] if isinstance(argnums, int) else Tuple(made)

    return opening, nodes, make


def _open_nothing(call: Call, opening: Opening, nodes: dict, position: int) -> None:
    """An argument without floating-point numbers: JAX says what is wrong with it."""
    opening.inexact = False
    nodes[position] = opening.open(call.args[position])
    opening.inexact = True
    if not opening.leaves:
        what = call.machine.describe(call.args[position])
        call.machine.raise_(TypeError, f"there is nothing to differentiate in argument {position}, {what}")


# -- derivatives -------------------------------------------------------------------------------------------------------


def _gradient(call: Call, value: bool) -> Value:
    """`jax.grad` and `jax.value_and_grad`."""
    machine = call.machine
    auxiliary = bool(call.options.pop("has_aux", False))
    opening, nodes, make = _open_arguments(call)
    program = interpreted(call, opening, nodes, auxiliary)
    raise_for_certain(call, program)
    count = len(opening.leaves)

    def transformed(region: Callable, *inputs):
        split = program.split(region)

        def scalar(*xs):
            outputs, rest = split(*xs)
            return outputs[0] if isinstance(program.result, Leaf) else outputs, rest

        gradient, rest = jax.grad(scalar, tuple(range(count)), has_aux=True, **call.options)(*inputs)
        return [*gradient, *rest]

    results = emit(machine, program.found, transformed, program.operands, "grad")
    returned = program.leave(machine, results[count:])
    gradient = make(lambda i: call.outside(results[i], opening.leaves[i]))
    if value:
        return Tuple((call.returned(returned), gradient))
    return Tuple((gradient, call.returned(tuple_items(returned)[1]))) if auxiliary else gradient


def _jacobian(call: Call, transform: Callable) -> Value:
    """`jax.jacfwd`, `jax.jacrev` and `jax.hessian`: for each number of the result a structure like the arguments'."""
    machine = call.machine
    auxiliary = bool(call.options.pop("has_aux", False))
    opening, nodes, make = _open_arguments(call)
    program = interpreted(call, opening, nodes, auxiliary)
    raise_for_certain(call, program)
    count, second = len(opening.leaves), transform is jax.hessian

    def transformed(region: Callable, *inputs):
        made, rest = transform(program.split(region), tuple(range(count)), has_aux=True, **call.options)(*inputs)
        return [*jax.tree.leaves(made), *rest]

    total = program.count * count * (count if second else 1)
    results = emit(machine, program.found, transformed, program.operands, transform.__name__)
    returned = program.leave(machine, results[total:])
    kinds = opening.leaves

    def block(out: int) -> Value:
        def entry(*where: int) -> Value:
            place = out
            for i in where:
                place = place * count + i
            return call.outside(results[place], program.outputs[out], *(kinds[i] for i in where))

        if second:
            return make(lambda i: make(lambda j: entry(i, j)))
        return make(entry)

    result = Opening(machine).make(program.result, block)
    return Tuple((result, call.returned(tuple_items(returned)[1]))) if auxiliary else result


def _forward(call: Call, tangents: Value) -> Value:
    """`jax.jvp`; `call.args` are the primals. What is no floating-point number has no tangent: None."""
    machine = call.machine
    auxiliary = bool(call.options.pop("has_aux", False))
    opening = Opening(machine, True, not call.jax)
    nodes = {i: opening.open(a) for i, a in enumerate(call.args)}
    program = interpreted(call, opening, nodes, auxiliary, inexact=True)
    raise_for_certain(call, program)
    everything = Items(tuple, tuple(nodes.values()))
    given = matching(machine, everything, Tuple(tuple(machine.iterate(tangents))), "tangents")
    count = len(opening.leaves)
    vectors = [call.vector(given[i], x.type) for i, x in enumerate(program.operands)]

    def transformed(region: Callable, *inputs):
        _, out, rest = jax.jvp(program.split(region), inputs[:count], inputs[count:], has_aux=True)
        return [*out, *rest]

    results = emit(machine, program.found, transformed, [*program.operands, *vectors], "jvp")
    returned = program.leave(machine, results[program.count :])
    kinds = opening.leaves

    def tangent(i: int) -> Value:
        return call.outside(results[i], program.outputs[i], *kinds)

    made = Opening(machine).make(program.result, tangent, lambda value: NONE)
    returned = call.returned(returned)
    if auxiliary:
        return Tuple((tuple_items(returned)[0], made, tuple_items(returned)[1]))
    return Tuple((returned, made))


def _checkpoint(call: Call) -> Value:
    """`jax.checkpoint`: the function as it is, computed anew in the backward pass."""
    machine = call.machine
    found = isolate(machine, (), lambda params: call.args, lambda args: machine.call(call.function, args, call.kwargs))
    needed = found.needed()
    found.region.results = list(needed)
    outer = captured(found.region)
    free = Isolated(Region(tuple(v.type for v in outer), found.region.depth), NONE)
    options = {k: v for k, v in call.options.items() if k != "static_argnums"}

    def transformed(region: Callable, *inputs):
        def program(*values):
            return evaluate(found.region, dict(zip(outer, values, strict=True)))

        return jax.checkpoint(program, **options)(*inputs)

    results = emit(machine, free, transformed, outer, "checkpoint")
    return leave(machine, found, zip(needed, results, strict=True))


# -- maps --------------------------------------------------------------------------------------------------------------


def _open_argument(opening: Opening, argument: Value, axis: Any) -> Node:
    """An argument of `vmap`, which may be anything if it is not mapped: JAX gets copies of containers then."""
    if axis is None and opening.objects:
        return Static(argument)
    strict, opening.strict = opening.strict, opening.strict and axis is not None
    try:
        return opening.open(argument)
    finally:
        opening.strict = strict


def _mapped(call: Call) -> Value:
    """`jax.vmap`. An exception is the first one that CPython would have met in a loop."""
    machine, options = call.machine, call.options
    opening = Opening(machine, False, not call.jax, call.jax)
    names = sorted(call.kwargs)
    arguments = Tuple(tuple(call.args))
    in_axes = _in_axes(options.pop("in_axes", 0), len(call.args))
    whole = in_axes if isinstance(in_axes, tuple) and len(in_axes) == len(call.args) else (0,) * len(call.args)
    opened = (_open_argument(opening, argument, axis) for argument, axis in zip(call.args, whole, strict=True))
    node, placed = Items(tuple, tuple(opened)), {}
    prefix(machine, node, in_axes, placed, "in_axes")
    named = [opening.open(call.kwargs[name]) for name in names]
    axes = [placed.get(i, 0) for i in range(len(opening.leaves))]
    everything = call.operands(opening)
    lanes = [i for i, axis in enumerate(axes) if axis is not None]
    types_ = [_without(everything[i].type, axes[i]) for i in lanes]

    def bind(params: list[Var]) -> list[Value]:
        places: list = [None] * len(axes)
        for i, var in zip(lanes, params, strict=True):
            places[i] = var
        positional = opening.bind(node, arguments, places, call.element)
        given = [opening.bind(k, call.kwargs[n], places, call.element) for n, k in zip(names, named, strict=True)]
        return [*tuple_items(positional), *given]

    def run(bound: list[Value]) -> Value:
        nonlocal result
        count = len(call.args)
        returned = machine.call(call.function, bound[:count], dict(zip(names, bound[count:], strict=True)))
        result = outputs.open(returned)
        # What leaves the lanes are arrays: no views, and no numbers that are Python's in some lanes only.
        return outputs.make(result, lambda i: JaxArray(outputs.vars[i]))

    outputs, result = Opening(machine, inexact=False), Static(NONE)

    found = isolate(machine, types_, bind, run, fresh_errors=True)
    code, payloads = errors_of(found)
    if found.changed:
        raise Refused("XP0010", "a function given to vmap changes something outside itself", "return the new value")
    operands, used = [everything[i] for i in lanes], tuple(axes[i] for i in lanes)
    if found.raised is not None:
        found.region.results = found.needed()
        first = emit(machine, found, lambda f, *xs: [x[0] for x in jax.vmap(f, used)(*xs)], operands, "vmap")
        return leave(machine, found, zip(found.region.results, first, strict=True))
    inner = {id(v) for v in outputs.vars}
    if any(id(v) not in inner for v in found.needed()):
        raise Refused("XP0011", "a function given to vmap returns what is neither numbers nor arrays")
    placed = {}
    prefix(machine, result, options.pop("out_axes", 0), placed, "out_axes")
    out_axes = [placed[i] for i in range(len(outputs.leaves))]
    errors = [] if code is None else [code, *(v for p in payloads.values() for v in variables(p))]
    found.region.results = [*outputs.vars, *errors]
    every_axis = [*out_axes, *[0] * len(errors)]
    special = any(option is not None for option in options.values())
    types_ = None if special else _mapped_types(found.region, [v.type for v in operands], used, every_axis)

    def transformed(region: Callable, *inputs):
        return jax.vmap(region, used, every_axis, **options)(*inputs)

    results = emit(machine, found, transformed, operands, "vmap", types_)
    if code is not None:
        _raise_first(machine, errors, payloads, results[len(outputs.leaves) :])
    return outputs.make(result, lambda i: call.outside(results[i], outputs.leaves[i]))


def _raise_first(machine: Machine, errors: list[Var], payloads: dict[str, Value], lanes: Sequence[Var]) -> None:
    """Raise the first exception of those that the lanes of a mapped function have raised.

    Args:
        errors: the error code of one lane, and the variables of `payloads`.
        payloads: what the exceptions' messages are made of.
        lanes: these for all lanes.
    """
    first = machine.leaf(first_error, lanes)
    outside = dict(zip(map(id, errors), first, strict=True))
    known = {name: substitute(value, lambda v: outside[id(v)]) for name, value in payloads.items()}
    machine.adopt_errors(first[0], known)


def _mapped_types(
    region: Region, operands: list[TensorType], in_axes: tuple, out_axes: list
) -> tuple[TensorType, ...] | None:
    """The types of what a mapped region gives, if it is certain that JAX can map it; else None.

    Args:
        region: with its results.
        operands: types of what stands in the place of its parameters; no argument is one that is not mapped.
        in_axes: one for each.
        out_axes: one for each result.
    """
    results = [v.type for v in region.results]
    fits = all(-len(t.shape) <= a < len(t.shape) for t, a in zip(operands, in_axes, strict=True))
    fits &= all(type(a) is int and 0 <= a <= len(t.shape) for t, a in zip(results, out_axes, strict=True))
    sizes = {t.shape[a] for t, a in zip(operands, in_axes, strict=True)} if fits else ()
    if len(sizes) != 1 or any(t.weak for t in results) or not is_safe(region):
        return None
    (size,) = sizes
    return tuple(
        TensorType((*t.shape[:axis], size, *t.shape[axis:]), t.dtype, False)
        for t, axis in zip(results, out_axes, strict=True)
    )


def first_error(codes, *payloads):
    """The error of the first lane that has one."""
    lane = jnp.argmax(codes != 0)
    return [codes[lane], *(p[lane] for p in payloads)]


def _in_axes(axes: Any, count: int) -> object:
    """A list of axes stands for a tuple of them, as for JAX; one axis for all arguments."""
    if isinstance(axes, list):
        axes = tuple(axes)
    return axes if isinstance(axes, tuple) else (axes,) * count


def _without(type_: TensorType, axis: int) -> TensorType:
    """The type of an element along an axis; JAX says what is wrong with an axis that is none."""
    rank = len(type_.shape)
    if not -rank <= axis < rank:
        return type_
    axis %= rank
    return TensorType(type_.shape[:axis] + type_.shape[axis + 1 :], type_.dtype, type_.weak)


# -- rules -------------------------------------------------------------------------------------------------------------

TRANSFORMATIONS: dict[str, Callable[[Call], Value]] = {
    "grad": lambda call: _gradient(call, value=False),
    "value_and_grad": lambda call: _gradient(call, value=True),
    "jacfwd": lambda call: _jacobian(call, jax.jacfwd),
    "jacrev": lambda call: _jacobian(call, jax.jacrev),
    "hessian": lambda call: _jacobian(call, jax.hessian),
    "vmap": _mapped,
    "checkpoint": _checkpoint,
}


@registry.function(apply)
def _apply(machine: Machine, name: Value, function: Value, options: Ref, args: Tuple, kwargs: Ref) -> Value:
    entries = machine.heap.entries(options.object)
    static = {k: machine.static(v, "an option of a transformation") for k, v in entries.items()}
    named = machine.heap.entries(kwargs.object)
    call = Call(machine, function, list(args.items), dict(named), False, static)
    return TRANSFORMATIONS[str(machine.static(name))](call)


@registry.function(forward)
def _apply_forward(machine: Machine, function: Value, primals: Value, tangents: Value, has_aux: Value) -> Value:
    options = {"has_aux": machine.static(has_aux)}
    return _forward(Call(machine, function, machine.iterate(primals), {}, False, options), tangents)


@registry.function(jax.jvp)
def _jax_forward(machine: Machine, fun: Value, primals: Value, tangents: Value, has_aux: Value = FALSE) -> Value:
    options = {"has_aux": machine.static(has_aux)}
    return _forward(Call(machine, fun, machine.iterate(primals), {}, True, options), tangents)


def _deferring(name: str, *transforms: Callable) -> None:
    """JAX's own transformation, under all its names: a callable that is applied when it is called."""
    transform = transforms[0]
    signature = inspect.signature(transform)

    @registry.function(*transforms)
    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        given = signature.bind(*args, **kwargs).arguments
        function = given.pop(next(iter(signature.parameters)))
        static = {k: machine.static(v, "an option of a transformation") for k, v in given.items()}
        if static.get("axis_name") is not None:
            return jax_functions.deferred(machine, transform, list(args), kwargs)

        def applied(inner: Machine, *more: Value, **named: Value) -> Value:
            return TRANSFORMATIONS[name](Call(inner, function, list(more), named, True, dict(static)))

        return Intrinsic(name, applied, (function,))


_deferring("grad", jax.grad)
_deferring("value_and_grad", jax.value_and_grad)
_deferring("jacfwd", jax.jacfwd)
_deferring("jacrev", jax.jacrev, jax.jacobian)
_deferring("hessian", jax.hessian)
_deferring("vmap", jax.vmap)
_deferring("checkpoint", jax.checkpoint, jax.remat)
