"""Functions with a derivative of their own (`jax.custom_vjp`, `jax.custom_jvp`) whose Python code is not JAX's.

JAX runs the function and its rule with tracers, which NumPy's functions do not take, and which cannot be branched on.
Here all of them are interpreted at the call, each to a region, and `jax.custom_vjp` gets functions that evaluate these.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from xlapy.dispatch import leaves, registry
from xlapy.dispatch.jax import jax_functions
from xlapy.dispatch.jax.closure_conversion import Isolated, errors_of, isolate, leave
from xlapy.dispatch.jax.pytrees import Items, Leaf, Node, Opening, Static, parts_of
from xlapy.dispatch.jax.transformations import Call, like
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import NONE, Const, JaxArray, Ref, Tuple, Value, number_var
from xlapy.ir import TensorType, Var, captured
from xlapy.lowering.evaluate import evaluate


def call(machine: Machine, item: Any, args: list[Value], kwargs: dict[str, Value]) -> Value:
    """Call a function with a derivative of its own: as it is, if JAX can trace it and its rule."""
    if jax_functions.is_defined_by_jax(item.fun):
        return jax_functions.call(machine, item, args, kwargs)
    definition = Definition.of(machine, item)
    active = machine.custom_calls
    if not any(a.definition.key == definition.key for a in active) and _traceable(machine, item, args, kwargs):
        return jax_functions.call(machine, item, args, kwargs)
    bound = inspect.signature(item.fun).bind(*args, **kwargs)
    bound.apply_defaults()
    if bound.kwargs:
        raise Refused("XP0011", "keyword-only arguments of a function with a derivative of its own")
    wrap = machine.world.wrap_anchored
    return _apply(machine, definition, [a if isinstance(a, Value) else wrap(a) for a in bound.args])


def _apply(machine: Machine, definition: Definition, args: list[Value]) -> Value:
    custom = _Custom(machine, definition, args)
    for active in machine.custom_calls:
        if active.definition.key == definition.key:
            if active.signature() == custom.signature():
                return active.emit_again(custom.operands)
    return custom.emit()


@dataclass(frozen=True)
class Definition:
    """A function and its rule.

    Attributes:
        key: which one it is.
        functions: `fun`, and `jvp`, or `fwd` and `bwd`.
        fixed: the arguments that are no arrays, by position.
        name: of the function.
    """

    key: object
    functions: dict[str, Value]
    fixed: tuple[int, ...]
    name: str

    @staticmethod
    def of(machine: Machine, item: Any) -> Definition:
        """That of an object of JAX's."""
        names = ("fun", "jvp") if isinstance(item, jax.custom_jvp) else ("fun", "fwd", "bwd")
        wrap = machine.world.wrap_anchored
        functions = {n: wrap(getattr(item, n)) for n in names}
        return Definition(("object", id(item)), functions, tuple(item.nondiff_argnums), item.__name__)


class Local:
    """What `jax.custom_vjp` and `jax.custom_jvp` make inside a program."""

    def __init__(self, fun, nondiff_argnums):
        self.fun, self.nondiff_argnums = fun, nondiff_argnums
        self.rules = None

    def defvjp(self, fwd, bwd, symbolic_zeros=False, optimize_remat=False):
        """The rule of a `jax.custom_vjp`."""
        if symbolic_zeros:
            raise NotImplementedError("symbolic_zeros of a jax.custom_vjp made inside a compiled function")
        self.rules = (fwd, bwd)

    def defjvp(self, jvp, symbolic_zeros=False):
        """The rule of a `jax.custom_jvp`."""
        if symbolic_zeros:
            raise NotImplementedError("symbolic_zeros of a jax.custom_jvp made inside a compiled function")
        self.rules = (jvp,)
        return jvp

    def __call__(self, *args):
        """Call the function, whose derivatives follow its rules."""
        if self.rules is None:
            raise AttributeError("No derivative rule defined for a function with a derivative of its own.")
        return apply_local(self, self.fun, self.rules, self.nondiff_argnums, args)


def apply_local(function, fun, rules, nondiff_argnums, args):
    """Call a `Local`; only ever interpreted."""
    raise RuntimeError("interpreted only")


@registry.function(apply_local)
def _apply_local(machine: Machine, function: Ref, fun: Value, rules: Value, nondiff_argnums: Value, args: Value):
    given = machine.iterate(rules)
    names = ("jvp",) if len(given) == 1 else ("fwd", "bwd")
    fixed = machine.static(nondiff_argnums)
    fixed = (fixed,) if isinstance(fixed, int) else tuple(fixed)
    functions = {"fun": fun, **dict(zip(names, given, strict=True))}
    key = ("local", function.object)
    return _apply(machine, Definition(key, functions, fixed, "custom"), machine.iterate(args))


def _local(fun, nondiff_argnums=(), nondiff_argnames=()):
    if nondiff_argnames:
        raise NotImplementedError("nondiff_argnames of a function made inside a compiled function")
    return Local(fun, nondiff_argnums)


registry.replacement(jax.custom_vjp, jax.custom_jvp)(_local)


def _traceable(machine: Machine, item: Any, args: list[Value], kwargs: dict[str, Value]) -> bool:
    arguments = jax_functions.Arguments(machine)
    template = (tuple(map(arguments.template, args)), {k: arguments.template(v) for k, v in kwargs.items()})
    if arguments.has_callables:
        return True
    operands = arguments.operands
    moving = [i for i, v in enumerate(operands) if jnp.issubdtype(v.type.dtype, jnp.inexact)]

    def run(*arrays):
        def function(*some):
            full = list(arrays)
            for i, x in zip(moving, some, strict=True):
                full[i] = x
            positional, named = jax_functions.fill(template, full)
            found = jax.tree.leaves(item(*positional, **named))
            return [x for x in found if isinstance(x, jax.Array) and jnp.issubdtype(x.dtype, jnp.inexact)]

        primals = [arrays[i] for i in moving]
        if isinstance(item, jax.custom_jvp):
            return jax.jvp(function, primals, primals)
        out, pull = jax.vjp(function, *primals)
        return pull(out)

    try:
        leaves.trace(run, tuple(v.type for v in operands), machine.ambient_x64)
    except Exception:
        return False
    return True


@dataclass
class _Region:
    """A function as a region of its own: its first results are those of interest."""

    found: Isolated

    def __call__(self, inputs: Sequence, outer: dict[Var, Any]) -> list:
        region = self.found.region
        return evaluate(region, {**outer, **dict(zip(region.params, inputs, strict=True))})


class _Custom:
    """One call.

    Args:
        machine: the interpreter.
        definition: of the function and its rule.
        args: its arguments.
    """

    def __init__(self, machine: Machine, definition: Definition, args: list[Value]) -> None:
        self.machine, self.definition, self.args = machine, definition, args
        fixed = {i % len(self.args) for i in definition.fixed}
        self.fixed = [self.args[i] for i in sorted(fixed)]
        self.moving = [i for i in range(len(self.args)) if i not in fixed]
        self.tools = Call(machine, NONE, self.args, {}, False)
        self.opening = Opening(machine, inexact=False, objects=False)
        self.nodes = {i: self.opening.open(self.args[i]) for i in self.moving}
        self.operands = Call(machine, NONE, self.args, {}, True).operands(self.opening)
        self.outputs = Opening(machine, inexact=False, objects=False)
        self.result: Node = Items(tuple, ())
        #: whether a rule calls the function
        self.recursive = False

    def _isolated(self, types: Sequence[TensorType], run: Callable[[list[Var]], list[Var]]) -> _Region:
        results: list[Var] = []

        def body(params: list[Value]) -> Value:
            results[:] = run([number_var(p) for p in params])
            return NONE

        found = isolate(self.machine, types, lambda params: list(map(JaxArray, params)), body, fresh_errors=True)
        if found.raised is not None and not found.needed():
            leave(self.machine, found, ())
        if found.raised is not None or found.changed or errors_of(found)[0] is not None:
            what = "a function with a derivative of its own, or its rule, raises or changes something outside itself"
            raise Refused("XP0010", what)
        found.region.results = results
        return _Region(found)

    def _bound(self, params: Sequence[Var]) -> list[Value]:
        """The arguments, with these values for their leaves."""
        made = partial(like, self.machine)
        return [
            self.opening.bind(self.nodes[i], a, params, made) if i in self.nodes else a for i, a in enumerate(self.args)
        ]

    def _call(self, name: str, args: Sequence[Value]) -> Value:
        return self.machine.call(self.definition.functions[name], list(args), {})

    def _vectors(self, node: Node, value: Value, types: Sequence[TensorType]) -> list[Var]:
        """Tangents or cotangents of the structure of `node`; None is zero."""
        found: dict[int, Value] = {}
        _pair(self.machine, node, value, found)
        made = []
        for i, type_ in enumerate(types):
            zero = _is_none(found[i]) or not _moves(type_)
            made.append(self._zero(type_) if zero else self.tools.vector(found[i], type_))
        return made

    def _zero(self, type_: TensorType) -> Var:
        """A tangent that is zero, also of what has none."""
        dtype = type_.dtype if _moves(type_) else jnp.dtype("float32")
        return self.machine.builder.broadcast(self.machine.builder.constant(0, dtype), type_.shape)

    def signature(self) -> tuple:
        """What calls have in common that are one function of their operands."""
        shapes = tuple(_shape(self.nodes[i]) for i in self.moving)
        fixed = tuple(v.value if isinstance(v, Const) else v for v in self.fixed)
        return [v.type for v in self.operands], shapes, fixed

    def emit(self) -> Value:
        """Emit the call as one operation; its result."""
        types = [v.type for v in self.operands]

        def primal(params: list[Var]) -> list[Var]:
            self.result = self.outputs.open(self._call("fun", self._bound(params)))
            return list(self.outputs.vars)

        self.function = self._isolated(types, primal)
        outs = [v.type for v in self.function.found.region.results]
        self.own = captured(self.function.found.region)
        made = self._with_jvp if "jvp" in self.definition.functions else self._with_vjp
        self.custom, interpret = made(self.function, types, outs)
        self.machine.custom_calls.append(self)
        try:
            regions = interpret()
        finally:
            self.machine.custom_calls.pop()
        outer = list({id(v): v for v in (*self.own, *(v for r in regions for v in captured(r.found.region)))}.values())
        if self.recursive and len(outer) > len(self.own):
            what = "the rule of a function's derivative calls the function, and uses values of the function around it"
            raise Refused("XP0011", what, "make these values arguments")
        return self._emit(self.operands, outer)

    def emit_again(self, operands: Sequence[Var]) -> Value:
        """Emit a call that a rule of this one makes."""
        self.recursive = True
        return self._emit(operands, self.own)

    def _emit(self, operands: Sequence[Var], outer: list[Var]) -> Value:
        count = len(operands)

        def run(*arrays):
            return self.custom(outer)(list(arrays[:count]), list(arrays[count:]))

        everything = (*operands, *outer)
        builder = self.machine.builder
        jaxpr = leaves.trace(run, tuple(v.type for v in everything), not builder.narrow)
        results = leaves.emit_jaxpr(builder, jaxpr, everything, self.definition.name)
        kinds = self.outputs.leaves
        return self.outputs.make(self.result, lambda i: like(self.machine, results[i], kinds[i]))

    def _with_vjp(self, function: _Region, types: list[TensorType], outs: list[TensorType]):
        machine, kept = self.machine, Opening(self.machine, inexact=False, objects=False)
        residual: Node = Items(tuple, ())

        def run_forward(params: list[Var]) -> list[Var]:
            nonlocal residual
            found = self._call("fwd", self._bound(params))
            if not isinstance(found, Tuple) or len(found.items) != 2:
                machine.raise_(TypeError, "the fwd of a custom_vjp function returns a pair: (result, residuals)")
            result = Opening(machine, inexact=False, objects=False)
            result.open(found.items[0])
            if [v.type[:2] for v in result.vars] != [t[:2] for t in outs]:
                machine.raise_(TypeError, "the fwd of a custom_vjp function returns another type than the function")
            residual = kept.open(found.items[1])
            return [*result.vars, *kept.vars]

        arguments = Items(tuple, tuple(self.nodes[i] for i in self.moving))
        given = [i for i, t in enumerate(outs) if _moves(t)]

        def run_backward(params: list[Var]) -> list[Var]:
            values = kept.make(residual, lambda i: JaxArray(params[i]))
            slopes = dict(zip(given, params[len(kept.vars) :], strict=True))
            cotangent = self.outputs.make(
                self.result, lambda i: JaxArray(slopes[i] if i in slopes else self._zero(outs[i]))
            )
            found = self._call("bwd", [*self.fixed, values, cotangent])
            return self._vectors(arguments, Tuple(tuple(machine.iterate(found))), types)

        forward = backward = function

        def interpret() -> tuple[_Region, ...]:
            nonlocal forward, backward
            forward = self._isolated(types, run_forward)
            states = [v.type for v in forward.found.region.results[len(outs) :]]
            backward = self._isolated([*states, *(outs[i] for i in given)], run_backward)
            return forward, backward

        def custom(outer: list[Var]) -> Callable:
            @jax.custom_vjp
            def primal(inputs, others):
                return function(inputs, dict(zip(outer, others, strict=True)))

            def fwd(inputs, others):
                _refuse_outer(x.perturbed and jnp.issubdtype(x.value.dtype, jnp.inexact) for x in others)
                others = [x.value for x in others]
                found = forward([x.value for x in inputs], dict(zip(outer, others, strict=True)))
                return found[: len(outs)], (found[len(outs) :], others)

            def bwd(state, slopes):
                values, others = state
                slopes = [_dense(slopes[i]) for i in given]
                found = backward([*values, *slopes], dict(zip(outer, others, strict=True)))
                return [x if _moves(t) else None for x, t in zip(found, types, strict=True)], [None] * len(outer)

            primal.defvjp(fwd, bwd, symbolic_zeros=True)
            return primal

        return custom, interpret

    def _with_jvp(self, function: _Region, types: list[TensorType], outs: list[TensorType]):
        machine = self.machine
        given = [i for i, t in enumerate(types) if _moves(t)]

        def run(params: list[Var]) -> list[Var]:
            slopes = dict(zip(given, params[len(types) :], strict=True))
            primals = self._bound(params)
            tangents = self._bound([slopes[i] if i in slopes else self._zero(t) for i, t in enumerate(types)])
            pair = [Tuple(tuple(values[i] for i in self.moving)) for values in (primals, tangents)]
            found = self._call("jvp", [*self.fixed, *pair])
            if not isinstance(found, Tuple) or len(found.items) != 2:
                machine.raise_(TypeError, "the rule of a custom_jvp function returns a pair: (result, tangent)")
            result = Opening(machine, inexact=False, objects=False)
            result.open(found.items[0])
            if [v.type[:2] for v in result.vars] != [t[:2] for t in outs]:
                machine.raise_(TypeError, "the rule of a custom_jvp function returns another type than the function")
            return [*result.vars, *self._vectors(self.result, found.items[1], outs)]

        rule = function

        def interpret() -> tuple[_Region, ...]:
            nonlocal rule
            rule = self._isolated([*types, *(types[i] for i in given)], run)
            return (rule,)

        def custom(outer: list[Var]) -> Callable:
            @jax.custom_jvp
            def primal(inputs, others):
                return function(inputs, dict(zip(outer, others, strict=True)))

            def jvp(primals, tangents):
                (inputs, others), (dots, other_dots) = primals, tangents
                _refuse_outer(
                    not _is_zero(d) and jnp.issubdtype(x.dtype, jnp.inexact)
                    for x, d in zip(others, other_dots, strict=True)
                )
                found = rule([*inputs, *(_dense(dots[i]) for i in given)], dict(zip(outer, others, strict=True)))
                result, slopes = found[: len(outs)], found[len(outs) :]
                flat = [s if _moves(t) else _no_tangent(r) for s, t, r in zip(slopes, outs, result, strict=True)]
                return result, flat

            primal.defjvp(jvp, symbolic_zeros=True)
            return primal

        return custom, interpret


def _shape(node: Node) -> object:
    """The structure of an argument, to be compared."""
    match node:
        case Leaf():
            return node.index
        case Static():
            return node.value
    return type(node), getattr(node, "keys", None), tuple(map(_shape, getattr(node, "parts", ())))


def _moves(type_: TensorType) -> bool:
    return bool(jnp.issubdtype(type_.dtype, jnp.inexact))


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _is_zero(tangent: Any) -> bool:
    return isinstance(tangent, jax.custom_derivatives.SymbolicZero)


def _dense(tangent: Any) -> Any:
    return jnp.zeros(tangent.shape, tangent.dtype) if _is_zero(tangent) else tangent


def _no_tangent(value: Any) -> Any:
    return jax.custom_derivatives.zero_from_primal(value)


def _refuse_outer(moves: Any) -> None:
    if any(moves):
        raise NotImplementedError(
            "a function with a derivative of its own is differentiated by a value that it closes over: its rule is for"
            " its arguments only"
        )


def _pair(machine: Machine, node: Node, value: Value, found: dict[int, Value]) -> None:
    """What stands where `node` has leaves, by their number; None stands for any structure."""
    if isinstance(node, Leaf):
        found[node.index] = value
        return
    parts = getattr(node, "parts", ())
    items = [NONE] * len(parts) if _is_none(value) else _items(machine, node, value)
    if len(items) != len(parts):
        machine.raise_(TypeError, "a rule of a function must return what has the structure of its arguments")
    for part, item in zip(parts, items, strict=True):
        _pair(machine, part, item, found)


def _items(machine: Machine, node: Any, value: Value) -> list[Value]:
    if not getattr(node, "parts", ()):
        return []
    return parts_of(machine, node, value) or []
