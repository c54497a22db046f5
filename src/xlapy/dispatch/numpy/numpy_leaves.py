"""One table entry makes a NumPy function a leaf.

    numpy_leaf(np.median, jnp.median, "a")

says that `np.median` is computed by `jnp.median`, and that its parameter `a` is an array; the other parameters are
static, and passed on by name. Which dtypes, which ranks and what containers come out, NumPy says: the real function
runs on tiny dummies of the same dtypes, once. Operands are cast first to the dtype in which NumPy computes (`policy`):

    inexact   integers to the real dtype of an inexact result, floats to at least that (default)
    promote   every operand to the dtype of the result
    keep      nothing

Parameters whose name is followed by `*` are sequences of arrays. `out=` works everywhere.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from xlapy.dispatch.numbers.scalar_values import python_int
from xlapy.dispatch.numpy.c_signatures import signature_of
from xlapy.dispatch.numpy.rule_operands import (
    Shape,
    absent,
    cast_array,
    deliver,
    described_call,
    fresh,
    is_one_of_several_numbers,
    kind_of,
    known,
    new_list,
    operand,
    raise_as_numpy,
    sequence_items,
    skeleton,
    supported,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import function
from xlapy.domain.numbers import SCALAR_DTYPES
from xlapy.domain.values import Const, NdArray, NumpyScalar, Scalar, Tuple, Value
from xlapy.ir import Var, constant_value

_IGNORED = frozenset({"like", "subok", "device", "overwrite_input"})
#: parameters that are sequences of arrays (of np.block: of sequences of such); others are arrays, as lists or not
_SEQUENCES = frozenset({"arrays", "tup", "keys"})
#: what JAX raises for arguments it does not take
JAX_ERRORS = (TypeError, ValueError, NotImplementedError, IndexError, AttributeError, AssertionError, OverflowError)


@dataclass(frozen=True)
class Slot:
    """Stands for the operand of that number."""

    number: int


def numpy_leaf(numpy_function: Callable, implementation: Callable, arrays: str, policy: str = "inexact") -> None:
    """Register a NumPy function that `implementation`, of the same parameters, computes."""
    signature = signature_of(numpy_function)
    names = frozenset(name.rstrip("*") for name in arrays.split())

    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        return call_leaf(machine, numpy_function, implementation, signature, names, policy, args, kwargs)

    function(numpy_function)(rule)


def call_leaf(
    machine: Machine,
    numpy_function: Callable,
    implementation: Callable,
    signature: inspect.Signature,
    arrays: frozenset[str],
    policy: str,
    args: Sequence[Value],
    kwargs: dict[str, Value],
) -> Value:
    """Call a leaf: bind, describe the result with NumPy, emit, pack."""
    try:
        arguments = signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        return raise_as_numpy(machine, numpy_function, args, kwargs, error)
    out = arguments.pop("out", None)
    operands: list[Var] = []
    layout: dict[str, object] = {}
    shown: dict[str, object] = {}
    for name, value in arguments.items():
        if name in _IGNORED:
            continue
        if name in arrays and not absent(value):
            if name not in _SEQUENCES:
                value = _one_array(machine, value)
            elif numpy_function is not np.block and (items := _parts(machine, value)) is not None:
                value = Tuple(tuple(_one_array(machine, item) for item in items))
            layout[name] = _array_slots(machine, value, operands, apart=numpy_function is np.block)
            shown[name] = skeleton(machine, value) if isinstance(value, Value) else value
        else:
            layout[name] = hashable(known(machine, value, f"the argument '{name}' of {numpy_function.__name__}"))
            shown[name] = known(machine, value)
    positional, named = _split(signature, shown)
    try:
        result = described_call(numpy_function, positional, named)
    except Exception as error:
        return raise_as_numpy(machine, numpy_function, args, kwargs, error)
    dtypes = flat_dtypes(result)
    if not all(supported(d) for d in dtypes):
        raise Refused("XP0005", f"{numpy_function.__name__} gives dtype {dtypes} here, which XLA does not have")
    return pack(
        machine,
        emit(
            machine, numpy_function, implementation, _split(signature, layout), operands, dtypes, policy, args, kwargs
        ),
        result,
        out,
    )


def _one_array(machine: Machine, value: Any) -> Any:
    """A list of lists or arrays as an array; other values as they are."""
    items = sequence_items(machine, value)
    if items is None or all(_is_number(machine, item) for item in items):
        return value
    return machine.new_array(operand(machine, value))


def _parts(machine: Machine, value: Any) -> list[Value] | None:
    """The arrays of a sequence of them, or the rows of an array."""
    items = sequence_items(machine, value)
    if items is None and isinstance(value, NdArray) and value.type.shape:
        return machine.iterate(value)
    return items


def _array_slots(machine: Machine, value: Any, operands: list[Var], apart: bool = False) -> object:
    """Arrays as operands; `apart` says that a sequence of numbers is not one array."""
    items = sequence_items(machine, value)
    if items and (apart or not all(_is_number(machine, item) for item in items)):
        return tuple(_array_slots(machine, item, operands, apart) for item in items)
    operands.append(operand(machine, value))
    return Slot(len(operands) - 1)


def _is_number(machine: Machine, value: Value) -> bool:
    spec = machine.spec(value)
    return is_one_of_several_numbers(value) or spec is not None and getattr(spec, "shape", ()) == ()


def _split(signature: inspect.Signature, values: dict[str, Any]) -> tuple[tuple, dict]:
    """Positional and keyword arguments for values by parameter name."""
    positional: list[object] = []
    named = {}
    for name, value in values.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.POSITIONAL_ONLY:
            positional.append(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            positional.extend(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            named.update(value)
        else:
            named[name] = value
    return tuple(positional), named


def hashable(value: Any) -> Any:
    """A static argument as JAX takes it: lists and ranges become tuples, arrays tuples of numbers."""
    if isinstance(value, list | tuple | range):
        return tuple(hashable(item) for item in value)
    if isinstance(value, np.ndarray):
        return hashable(value.tolist())
    return value


def flat_dtypes(result: Any) -> tuple[np.dtype, ...]:
    """The dtypes of all arrays in a described result."""
    if isinstance(result, Shape):
        return (result.dtype,)
    if isinstance(result, tuple):
        return tuple(d for item in result[1] for d in flat_dtypes(item))
    if result in SCALAR_DTYPES:
        return (SCALAR_DTYPES[result],)
    raise Refused("XP0011", f"a result of type {getattr(result, '__name__', result)}")


def emit(
    machine: Machine,
    numpy_function: Callable,
    implementation: Callable,
    layout: tuple[tuple, dict],
    operands: list[Var],
    dtypes: tuple[np.dtype, ...],
    policy: str,
    args: Sequence[Value],
    kwargs: dict,
) -> list[Var]:
    """Emit the leaf; JAX's refusals become NumPy's own error, or a refusal."""
    casts = tuple(operand_dtype(v.type.dtype, dtypes[0], policy) if dtypes else v.type.dtype for v in operands)
    static = (implementation, layout[0], tuple(layout[1].items()), casts, dtypes)
    try:
        return machine.leaf(_invoke, operands, static, name=numpy_function.__name__)
    except JAX_ERRORS as error:
        raise_as_numpy(machine, numpy_function, args, kwargs, error)
        raise


def operand_dtype(source: np.dtype, result: np.dtype, policy: str) -> np.dtype:
    """The dtype to which an operand is cast before the computation."""
    if policy == "keep":
        return source
    if policy == "promote":
        return result if kind_of(result) != "b" else source
    if kind_of(result) not in "fc":
        return source
    real = np.dtype(f"f{result.itemsize // 2}") if kind_of(result) == "c" else result
    return real if kind_of(source) in "biu" else np.promote_types(source, real)


def _invoke(*rest):
    *operands, implementation, positional, named, casts, dtypes = rest
    operands = [cast_array(x, d) if x.dtype != d else x for x, d in zip(operands, casts, strict=True)]

    def fill(part):
        if isinstance(part, Slot):
            return operands[part.number]
        if isinstance(part, tuple):
            return type(part)(*map(fill, part)) if hasattr(part, "_fields") else tuple(map(fill, part))
        return part

    results = implementation(*map(fill, positional), **{name: fill(value) for name, value in named})
    return [cast_array(r, d) if r.dtype != d else r for r, d in zip(flatten(results), dtypes, strict=True)]


def flatten(results) -> list:
    """All arrays of a nested result, in order."""
    if isinstance(results, tuple | list):
        return [x for item in results for x in flatten(item)]
    return [np.asarray(results) if isinstance(results, bool | int | float) else results]


def pack(machine: Machine, variables: Sequence[Var], result: Any, out: Any = None) -> Value:
    """The value of a described result."""
    if not absent(out):
        return deliver(machine, variables[0], out, "same_kind")
    remaining = iter(variables)

    def build(part: Any) -> Value:
        if isinstance(part, Shape):
            var = next(remaining)
            return machine.numpy_result(var) if part.scalar or part.ndim else fresh(machine, var)
        if isinstance(part, tuple):
            items = [build(item) for item in part[1]]
            return new_list(machine, items) if part[0] is list else Tuple(tuple(items), part[0])
        return python_scalar(machine, next(remaining), part)

    return build(result)


def python_scalar(machine: Machine, var: Var, kind: type) -> Value:
    """A Python number."""
    known_value = constant_value(var)
    if known_value is not None:
        return Const(kind(known_value[()]))
    var = python_int(machine, var) if kind is int else var
    return Scalar(kind, machine.builder.convert(var, SCALAR_DTYPES[kind], True))


def bounded(machine: Machine, var: Var, low: int, high: int) -> Value:
    """An integer result that is known to lie in a closed interval (an index)."""
    value = machine.numpy_result(var)
    return NumpyScalar(value.var, (low, high)) if isinstance(value, NumpyScalar) else value
