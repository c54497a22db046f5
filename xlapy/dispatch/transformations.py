"""`xlapy.grad` and its relatives: JAX's transformations of functions over NumPy arrays, inside and outside of programs.

The function's arguments are what the caller passed: an `ndarray` is a fresh, writable `ndarray` inside, a Python float a
Python number. Results are NumPy values where the arguments are, `jax.Array`s otherwise.
"""

from __future__ import annotations

from collections.abc import Callable

import jax

from xlapy.dispatch import jax_rules, table
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.join import SCALAR_DTYPES
from xlapy.domain.values import Const, JaxArray, Mapping, NdArray, NumpyScalar, Ref, Scalar, Tuple, Value, children, substitute, variables

TRANSFORMATIONS: dict[str, Callable] = {
    "grad": jax.grad,
    "value_and_grad": jax.value_and_grad,
    "jacfwd": jax.jacfwd,
    "jacrev": jax.jacrev,
    "hessian": jax.hessian,
    "vmap": jax.vmap,
    "checkpoint": jax.checkpoint,
}


def apply(name, function, options, args, kwargs):
    """`TRANSFORMATIONS[name](function, **options)(*args, **kwargs)`; only ever interpreted."""
    raise RuntimeError("xlapy's transformations run inside programs only")


def forward(function, primals, tangents):
    """`jax.jvp`; only ever interpreted."""
    raise RuntimeError("xlapy's transformations run inside programs only")


@table.function(apply)
def _apply(machine: Machine, name: Value, function: Value, options: Value, args: Value, kwargs: Value) -> Value:
    transform = TRANSFORMATIONS[str(machine.static(name))]
    arguments = jax_rules.Arguments(machine)
    arguments.has_callables = True
    static = {k: _options(machine, v) for k, v in machine.heap.read(options.object, "items").entries.items()}  # type: ignore
    positional = args.items  # type: ignore[attr-defined]
    named: dict = machine.heap.read(kwargs.object, "items").entries  # type: ignore[attr-defined]
    kinds = [leaf for v in (*positional, *(named[k] for k in sorted(named))) for leaf in _leaves(machine, v)]
    head = _callable(machine, function, kinds)
    second = (tuple(arguments.template(a) for a in positional), {k: arguments.template(v) for k, v in named.items()})
    applied: Callable = jax_rules._Applied(transform)
    reports = isinstance(head, jax_rules.Interpreted) and transform in _WITH_AUXILIARY
    if reports:
        head.returns_errors = True  # type: ignore[attr-defined]
        applied = _Reporting(transform, bool(static.pop("has_aux", False)))
    template = ((((head,), static), second), {})
    numpy = not any(isinstance(k, JaxArray) for k in kinds)
    result = jax_rules.emit_call(machine, applied, template, arguments, True if numpy else None)
    if reports:
        result, errors = result.items  # type: ignore[attr-defined]
        _raise_errors(machine, head, errors)  # type: ignore[arg-type]
    return as_numpy(machine, result) if numpy else result


#: transformations of functions that may return auxiliary data: run-time errors leave the function that way
_WITH_AUXILIARY = (jax.grad, jax.value_and_grad, jax.jacfwd, jax.jacrev, jax.hessian)


class _Reporting:
    """`transform(function)(*args)` for a function that returns `(result, errors)`: `(what it gives, errors)`."""

    def __init__(self, transform: Callable, has_aux: bool) -> None:
        self.transform, self.has_aux = transform, has_aux
        self.__name__ = transform.__name__

    def __call__(self, first, second):
        (args, options), (more, named) = first, second
        function = args[0]

        def split(*inputs, **keywords):
            result, errors = function(*inputs, **keywords)
            if self.has_aux:
                result, auxiliary = result
                return result, (auxiliary, errors)
            return result, errors

        made = self.transform(split, has_aux=True, **options)(*more, **named)
        if self.transform is jax.value_and_grad:
            (value, extra), gradient = made
            if self.has_aux:
                auxiliary, errors = extra
                return ((value, auxiliary), gradient), errors
            return (value, gradient), extra
        gradient, extra = made
        if self.has_aux:
            auxiliary, errors = extra
            return (gradient, auxiliary), errors
        return gradient, extra


def _raise_errors(machine: Machine, function: jax_rules.Interpreted, errors: Value) -> None:
    """Raise outside what the function raised inside."""
    arrays = machine.iterate(errors)
    if not arrays:
        return
    inner = [v for value in function.errors.values() for v in variables(value)]
    outer = {id(v): a.var for v, a in zip(inner, arrays, strict=True)}  # type: ignore[attr-defined]
    found = {slot[1]: substitute(value, lambda v: outer[id(v)]) for slot, value in function.errors.items()}
    code = found.pop("error").var  # type: ignore[attr-defined]
    machine.adopt_errors(code, found)  # type: ignore[attr-defined]


@table.function(forward)
def _forward(machine: Machine, function: Value, primals: Value, tangents: Value) -> Value:
    arguments = jax_rules.Arguments(machine)
    arguments.has_callables = True
    kinds = _leaves(machine, primals)
    template = ((_callable(machine, function, kinds), arguments.template(primals), arguments.template(tangents)), {})
    numpy = not any(isinstance(k, JaxArray) for k in kinds)
    result = jax_rules.emit_call(machine, jax.jvp, template, arguments, True if numpy else None)
    return as_numpy(machine, result) if numpy else result


def _options(machine: Machine, value: Value) -> object:
    return machine.static(value, "an option of a transformation")


def _callable(machine: Machine, function: Value, kinds: list[Value]) -> object:
    if isinstance(function, Const) and jax_rules.is_leaf(function.value):
        return function.value
    return jax_rules.Interpreted(machine, function, kinds)


def _leaves(machine: Machine, value: Value) -> list[Value]:
    """The numbers and arrays of an argument in the order of `jax.tree.leaves`."""
    match value:
        case Const():
            return [value] if isinstance(value.value, int | float | complex) and not isinstance(value.value, bool) else []
        case Scalar() | NumpyScalar() | JaxArray() | NdArray():
            return [value]
        case Ref():
            info = machine.heap.objects[value.object]
            contents = machine.heap.read(value.object, "items")
            if isinstance(contents, Mapping):
                return [leaf for k in sorted(contents.entries) for leaf in _leaves(machine, contents.entries[k])]  # type: ignore
            if isinstance(contents, Tuple):
                return [leaf for v in contents.items for leaf in _leaves(machine, v)]
            tree = machine.world.pytree_children(value) if info.kind == "instance" else None  # type: ignore[attr-defined]
            if tree is None:
                raise Refused("XP0011", f"a {info.cls.__name__} as an argument of a transformed function")
            return [leaf for v in tree[1] for leaf in _leaves(machine, v)]
    return [leaf for part in children(value) if isinstance(part, Value) for leaf in _leaves(machine, part)]


def like(machine: Machine, var, kind: Value | None) -> Value:
    """A device value as the sort of value that `kind` is."""
    match kind:
        case NdArray():
            return machine.new_array(var)
        case NumpyScalar():
            return machine.numpy_result(var)
        case Scalar() if var.type.shape == ():
            return Scalar(kind.kind, machine.builder.convert(var, SCALAR_DTYPES[kind.kind], True))
        case Const() if var.type.shape == () and type(kind.value) in SCALAR_DTYPES:
            return Scalar(type(kind.value), machine.builder.convert(var, var.type.dtype, True))
    return JaxArray(var)


jax_rules.LIKE.append(like)


def as_numpy(machine: Machine, value: Value) -> Value:
    """Results with NumPy values in the place of JAX arrays."""
    match value:
        case JaxArray():
            return machine.numpy_result(machine.builder.convert(value.var, value.var.type.dtype))
        case Tuple():
            return Tuple(tuple(as_numpy(machine, v) for v in value.items), value.cls)
        case Ref():
            contents = machine.heap.read(value.object, "items")
            if isinstance(contents, Tuple):
                return machine.new_list([as_numpy(machine, v) for v in contents.items])  # type: ignore[attr-defined]
            if isinstance(contents, Mapping):
                return machine.new_dict({k: as_numpy(machine, v) for k, v in contents.entries.items()})  # type: ignore
    return value
