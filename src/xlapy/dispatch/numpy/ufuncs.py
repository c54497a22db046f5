"""Calls of ufuncs, whatever ufunc: NumPy resolves the loop, the table says what it computes.

Python scalars are weak (NEP 50): `resolve_dtypes` is asked with the types `int`, `float`, `complex` in their place.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, NoReturn

import numpy as np

from xlapy.dispatch.arrays.element_conversion import check_python_number
from xlapy.dispatch.arrays.memory_order import arranged, keep_order
from xlapy.dispatch.numpy.gram_matrices import gram
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    any_true,
    array_type,
    as_arrays,
    asks_for_array,
    cast,
    is_everywhere,
    kind_of,
    known,
    known_order,
    operand,
    raise_as_numpy,
    raise_real,
    require_dtype,
    sequence_items,
    supported,
)
from xlapy.dispatch.numpy.ufunc_table import (
    FINITE_SLOPES,
    GENERALISED,
    IN_SINGLE,
    LAX,
    LOGICAL,
    MONOTONE,
    PLAIN_COMPARISON,
    REFUSED,
    TABLE,
    complex_divided_by,
    complex_divided_by_real,
    complex_power_by_products,
    entry,
    identity,
    square,
)
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import Const, NdArray, NumpyScalar, Scalar, Tuple, Value, constants, number_var
from xlapy.ir import Operation, TensorType, Var, constant_value
from xlapy.lowering.numeric import complex_functions

Types = tuple  # of np.dtype, int, float or complex
_BOOL = np.dtype(bool)
_SINGLE = np.dtype(np.float32)
_INT64 = np.dtype(np.int64)
_CLASS = type
UNARY: dict[str, np.ufunc] = {"-": np.negative, "+": np.positive, "~": np.invert, "abs": np.absolute}


@lru_cache(maxsize=65536)
def loop(ufunc: np.ufunc, types: Types, dtype: Any = None, casting: Any = "same_kind") -> tuple[np.dtype, ...]:
    """The dtypes of the loop NumPy runs: inputs, then outputs. `types` may have dtypes for the outputs."""
    types = (*types, *((None,) * (ufunc.nin + ufunc.nout - len(types))))
    signature: Any = None
    if dtype is not None:
        signature = dtype if isinstance(dtype, tuple) else (*(None,) * ufunc.nin, *(dtype,) * ufunc.nout)
    if signature is None:
        return ufunc.resolve_dtypes(types, casting=casting)
    if casting == "equiv" and any(isinstance(t, _CLASS) for t in types[: ufunc.nin]):
        # NumPy 2.4 ends the process when it resolves Python's types here; the call itself says whether they are cast.
        ufunc(*(np.ones((), t) if isinstance(t, np.dtype) else t(1) for t in types[: ufunc.nin]),
              signature=signature, casting=casting)  # fmt: skip
        casting = "unsafe"
    return ufunc.resolve_dtypes(types, signature=signature, casting=casting)


def type_of_operand(machine: Machine, value: Value) -> Any:
    """A Python number's type, or the dtype of anything else."""
    spec = machine.spec(value)
    if spec is None:
        return operand(machine, value).type.dtype
    if isinstance(spec, TensorType):
        return spec.dtype
    return _BOOL if spec is bool else spec


def ufunc_rule(
    machine: Machine,
    ufunc: np.ufunc,
    *args: Value,
    out: Any = None,
    where: Any = True,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
    signature: Any = None,
    sig: Any = None,
    subok: Any = True,
    axes: Any = None,
    axis: Any = None,
    keepdims: Any = False,
) -> Value:
    """`ufunc(*args, ...)`."""
    if ufunc in REFUSED:
        raise Refused("XP0003", f"numpy.{ufunc.__name__}: {REFUSED[ufunc]}")
    if ufunc not in TABLE and ufunc not in GENERALISED:
        raise Refused("XP0003", f"the ufunc {ufunc.__name__} has no rule", "add one with xlapy.overload")
    if not ufunc.nin <= len(args) <= ufunc.nin + ufunc.nout:
        return raise_as_numpy(machine, ufunc, args, {}, "wrong number of arguments")
    inputs, outs = args[: ufunc.nin], list(args[ufunc.nin :])
    always_array = asks_for_array(out)
    if not absent(out) and not always_array:
        items = sequence_items(machine, out) if not isinstance(out, NdArray) else None
        outs = [out] if items is None else items
    outs += [None] * (ufunc.nout - len(outs))
    options = {"dtype": None, "casting": str(known(machine, casting, "casting"))}
    signature = sig if absent(signature) else signature
    if not absent(signature):
        options["dtype"] = _signature(ufunc, known(machine, signature, "a signature"))
    if not absent(dtype):
        options["dtype"] = require_dtype(known(machine, dtype, "a dtype"))
    if ufunc in GENERALISED:
        if ufunc is getattr(np, "vecdot", None) and isinstance(axis, Value):
            shown = [np.ones((1,) * len(array_type(machine, v).shape)) for v in inputs]
            try:
                ufunc(*shown, axis=known(machine, axis))
            except Exception as error:
                return raise_real(machine, error)
            inputs = [machine.call(Const(np.moveaxis), (v, axis, Const(-1))) for v in inputs]
            axis = None
        if not (absent(axes) and absent(axis)) or known(machine, keepdims):
            raise Refused("XP0011", f"axes of {ufunc.__name__}", "move the axes first")
        result = _generalised(machine, ufunc, inputs, outs, options)
        return as_arrays(machine, result) if always_array else result
    for name, value in (("axes", axes), ("axis", axis), ("keepdims", keepdims)):
        if isinstance(value, Value):
            return machine.raise_(TypeError, f"{ufunc.__name__}() got an unexpected keyword argument '{name}'")
    mask = None
    if not is_everywhere(where):
        mask = operand(machine, where)
        if sequence_items(machine, where) is not None:
            mask = cast(machine, mask, _BOOL)
        if mask.type.dtype != _BOOL:
            message = "Cannot cast array data from {!r} to dtype('bool') according to the rule 'safe'"
            return machine.raise_(TypeError, message.format(mask.type.dtype))
    fresh = all(o is None or absent(o) for o in outs)
    if mask is None and fresh and options["dtype"] is None and options["casting"] == "same_kind":
        result = call(machine, ufunc, inputs)
    else:
        result = _full_call(machine, ufunc, inputs, outs, mask, options)
    asked = "K" if absent(order) else known_order(machine, order)
    result = result if asked == "K" or not fresh else _in_order(machine, result, asked)
    return as_arrays(machine, result) if always_array else result


def _signature(ufunc: np.ufunc, given: Any) -> tuple:
    """The dtypes of a loop, of which None may be any: `"dd->d"`, `"d"`, or a tuple."""
    if isinstance(given, str):
        given = tuple(given.replace("->", "")) if "->" in given else (*(None,) * ufunc.nin, *(given,) * ufunc.nout)
    return tuple(None if item is None else require_dtype(item) for item in given)


def _in_order(machine: Machine, result: Value, order: str) -> Value:
    """What a ufunc gives, in an order of memory that was asked for."""
    if order == "A":
        raise Refused("XP0011", "a ufunc with order='A'", "ask for 'C' or 'F'")
    for value in result.items if isinstance(result, Tuple) else (result,):
        if isinstance(value, NdArray):
            arranged(machine, value, None, order)
    return result


def call(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value]) -> Value:
    """`ufunc(*inputs)` without options: the common case."""
    if all(isinstance(v, Const) for v in inputs):
        return _fold(machine, ufunc, inputs)
    results = compute(machine, ufunc, inputs)
    values = [_result(machine, ufunc, inputs, var) for var in results]
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def unary_rule(machine: Machine, symbol: str, value: Value) -> Value:
    """`-value`, `+value`, `~value`, `abs(value)`."""
    return call(machine, UNARY[symbol], (value,))


def _result(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value], var: Var) -> Value:
    value = machine.numpy_result(var)
    if isinstance(value, NdArray):
        return keep_order(machine, value, inputs)
    if ufunc in MONOTONE and isinstance(value, NumpyScalar) and var.type.dtype.kind in "iu":
        return NumpyScalar(var, _bounds(ufunc, inputs, np.iinfo(var.type.dtype)))
    return value


def _bounds(ufunc: np.ufunc, inputs: Sequence[Value], info: np.iinfo) -> tuple[int, int] | None:
    """The interval of an integer result: its ends are among the results for the ends of the operands."""
    ends = [bounds for v in inputs if (bounds := known_bounds(v)) is not None]
    if len(ends) < len(inputs) or any(max(map(abs, e)) >= 2**31 for e in ends):
        return None
    found = [int(ufunc(*corner)) for corner in itertools.product(*ends)]
    return (min(found), max(found)) if info.min <= min(found) and max(found) <= info.max else None


def _fold(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value]) -> Value:
    """All operands are known: the real ufunc."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = ufunc(*(constants(inputs) or ()))
    except Exception as error:
        return raise_real(machine, error)
    items = result if isinstance(result, tuple) else (result,)
    values = []
    for item in items:
        if isinstance(item, np.ndarray):
            values.append(machine.new_array(machine.builder.constant(item)))
        else:
            values.append(Const(item))
    return Tuple(tuple(values)) if isinstance(result, tuple) else values[0]


def _full_call(
    machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value], outs: list, mask: Var | None, options: dict
) -> Value:
    """A ufunc call with `out=`, `where=`, `dtype=` or `casting=`."""
    targets = [None if absent(o) else o for o in outs]
    for target in targets:
        if target is not None and not isinstance(target, NdArray):
            return machine.raise_(TypeError, "return arrays must be of ArrayType")
        if target is not None and not target.writeable:
            return machine.raise_(ValueError, "output array is read-only")
    out_types = tuple(None if t is None else t.type.dtype for t in targets)
    try:
        np.broadcast_shapes(*(array_type(machine, v).shape for v in inputs))
    except ValueError:
        return _bad_shapes(machine, ufunc, inputs, targets, mask)
    results = compute(machine, ufunc, inputs, out_types, mask, **options)
    values: list[Value] = []
    for var, target in zip(results, targets, strict=True):
        shape = var.type.shape if target is None else target.type.shape
        shapes = (var.type.shape, shape, *(() if mask is None else (mask.type.shape,)))
        try:
            shape = np.broadcast_shapes(*shapes)
        except ValueError:
            return _bad_shapes(machine, ufunc, inputs, targets, mask)
        if target is not None and shape != target.type.shape:
            return _bad_shapes(machine, ufunc, inputs, targets, mask)
        var = machine.builder.broadcast(var, shape)
        if target is not None:
            var = cast(machine, var, target.type.dtype)
        if mask is not None:
            old = machine.builder.constant(0, var.type.dtype) if target is None else machine.read(target)
            old = machine.builder.broadcast(old, shape)
            var = machine.builder.elementwise("select", machine.builder.broadcast(mask, shape), var, old)
        if target is None:
            values.append(machine.numpy_result(var))
        else:
            machine.write(target, var)
            values.append(target)
    return values[0] if len(values) == 1 else Tuple(tuple(values))


def _bad_shapes(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value], targets: list, mask: Var | None) -> Value:
    named = {"out": Tuple(tuple(Const(None) if t is None else t for t in targets))}
    if ufunc.nout == 1:
        dummies = [np.broadcast_to(np.ones((), t.dtype), t.shape) for t in (_type(machine, v) for v in inputs)]
        out = None if targets[0] is None else np.empty(targets[0].type.shape, targets[0].type.dtype)
        masked = {} if mask is None else {"where": np.broadcast_to(np.True_, mask.type.shape)}
        try:
            ufunc(*dummies, out=out, casting="unsafe", **masked)
        except ValueError as error:
            return raise_real(machine, error)
    return raise_as_numpy(machine, ufunc, inputs, named, "out= has a shape that does not fit")


def _type(machine: Machine, value: Value) -> TensorType:
    return operand(machine, value).type


def compute(
    machine: Machine,
    ufunc: np.ufunc,
    inputs: Sequence[Value],
    out_types: tuple = (),
    mask: Var | None = None,
    dtype: Any = None,
    casting: str = "same_kind",
) -> list[Var]:
    """The results of a ufunc call as device values of the loop's dtypes."""
    types = tuple(type_of_operand(machine, v) for v in inputs)
    try:
        dtypes = loop(ufunc, (*types, *out_types), dtype, casting)
    except Exception as error:
        _explain(machine, ufunc, inputs, out_types, dtype, casting)
        raise_real(machine, error)
        raise
    if not all(supported(d) for d in dtypes):
        raise Refused("XP0005", f"{ufunc.__name__} on {', '.join(map(str, types))} computes in a type that XLA lacks")
    if ufunc in PLAIN_COMPARISON and any(t is int for t in types):
        special = _compare_python_int(machine, ufunc, inputs, types, dtypes)
        if special is not None:
            return special
    variables = [_converted(machine, v, t, d) for v, t, d in zip(inputs, types, dtypes, strict=False)]
    return apply(machine, ufunc, variables, dtypes, inputs, mask)


def _explain(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value], out_types: tuple, dtype: Any, casting: str):
    """Raise the error of the real call, which is more precise than that of `resolve_dtypes`."""
    if dtype is None and not any(out_types):
        raise_as_numpy(machine, ufunc, inputs, {}, "no loop for these types")


def _converted(machine: Machine, value: Value, type: Any, dtype: np.dtype) -> Var:
    """An operand as the loop takes it."""
    if isinstance(type, _CLASS) and dtype.kind in "iu":
        if isinstance(value, Const):
            try:
                return machine.builder.constant(np.array(value.value, dtype), dtype)
            except (OverflowError, ValueError) as error:
                raise_real(machine, error)
        elif isinstance(value, Scalar):
            check_python_number(machine, value, dtype)
    if isinstance(value, Const) and isinstance(value.value, int | float | complex | np.generic):
        with np.errstate(all="ignore"):
            return machine.builder.constant(np.asarray(value.value).astype(dtype), dtype)
    if isinstance(value, Scalar | NumpyScalar):
        return cast(machine, machine.builder.convert(value.var, value.var.type.dtype), dtype)
    return operand(machine, value, dtype)


def apply(
    machine: Machine,
    ufunc: np.ufunc,
    variables: Sequence[Var],
    dtypes: tuple[np.dtype, ...],
    inputs: Sequence[Value] = (),
    mask: Var | None = None,
) -> list[Var]:
    """Emit a loop: operands of the loop's dtypes, broadcast to one shape; results of the loop's dtypes."""
    builder = machine.builder
    if dtypes[0] == np.float16 and ufunc in IN_SINGLE:
        variables = [cast(machine, v, _SINGLE) for v in variables]
        wide = apply(machine, ufunc, variables, (_SINGLE,) * len(dtypes), inputs, mask)
        return [cast(machine, v, d) for v, d in zip(wide, dtypes[ufunc.nin :], strict=True)]
    operation = _shortcut(machine, ufunc, variables) or entry(ufunc, kind_of(dtypes[0]))
    if operation is None:
        raise Refused("XP0004", f"{ufunc.__name__} has no rule for {dtypes[0]}")
    if len(variables) == 2 and dtypes[0] == dtypes[1] and ufunc in PLAIN_COMPARISON and not isinstance(operation, str):
        operation = PLAIN_COMPARISON[ufunc] if kind_of(dtypes[0]) != "c" else operation
    try:
        shape = variables[0].type.shape
        if any(v.type.shape != shape for v in variables):
            shape = np.broadcast_shapes(*(v.type.shape for v in variables))
    except ValueError:
        _raise_broadcast(machine, ufunc, variables, inputs)
        raise
    if ufunc is np.power and dtypes[1].kind == "i" and dtypes[0].kind in "iu":
        _check_power(machine, variables[1], mask)
    if mask is not None and ufunc not in FINITE_SLOPES:
        shape = np.broadcast_shapes(shape, mask.type.shape)
        mask = builder.broadcast(mask, shape)
        variables = [builder.live(mask, builder.broadcast(v, shape)) for v in variables]
    variables = [builder.broadcast(v, shape) for v in variables]
    if ufunc in LOGICAL:
        variables = [cast(machine, v, _BOOL) for v in variables]
    if isinstance(operation, str):
        return [builder.convert(builder.elementwise(operation, *variables), dtypes[-1])]
    if operation is identity:
        return [builder.convert(variables[0], dtypes[-1])]
    if operation in (_power_two, square) and dtypes[0] == dtypes[-1]:
        return [builder.elementwise("mul", variables[0], variables[0])]
    return machine.leaf(_call_table, variables, (operation, dtypes[ufunc.nin :]), name=ufunc.__name__)


def _call_table(*rest):
    *operands, function, dtypes = rest
    results = function(*operands)
    if not isinstance(results, tuple | list):
        results = (results,)
    return [r.astype(d) for r, d in zip(results, dtypes, strict=True)]


def _raise_broadcast(machine: Machine, ufunc: np.ufunc, variables: Sequence[Var], inputs: Sequence[Value]) -> NoReturn:
    shapes = " ".join(_text(v.type.shape) for v in variables)
    machine.raise_(ValueError, f"operands could not be broadcast together with shapes {shapes} ")


def _text(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _shortcut(machine: Machine, ufunc: np.ufunc, variables: Sequence[Var]) -> object:
    """A cheaper operation that NumPy takes too: powers with a known small exponent, quotients of complex numbers by
    real ones."""
    if ufunc is np.divide and kind_of(variables[0].type.dtype) == "c":
        divisor: Any = constant_value(variables[1])
        if divisor is not None and divisor.shape == () and divisor.imag == 0 and 0 < abs(divisor.real) < np.inf:
            return complex_divided_by(float(divisor.real), float(np.copysign(1, divisor.imag)))
        source = variables[1].owner
        if isinstance(source, Operation) and source.kind == "convert" and source.operands[0].type.dtype.kind in "biuf":
            return complex_divided_by_real
    if ufunc is np.power or ufunc is np.float_power:
        exponent: Any = constant_value(variables[1])
        if exponent is not None and exponent.size == 1:
            exponent = exponent.reshape(())
            kind = kind_of(variables[0].type.dtype)
            if exponent == 2:
                return _power_two
            if exponent == 1:
                return _power_one
            if exponent == 0.5 and (kind == "c" or kind == "f" and ufunc is np.power):
                return _complex_root if kind == "c" else _power_half
            if kind in "iu" and 3 <= exponent <= 64:
                return _small_powers(int(exponent))
            if kind == "c" and exponent.imag == 0 and exponent.real % 1 == 0 and 0 < abs(exponent.real) < 100:
                return complex_power_by_products(int(exponent.real))
    return None


def _power_two(x, _):
    return x * x


def _power_one(x, _):
    return x


def _complex_root(x, _):
    return complex_functions.sqrt(x)


def _power_half(x, _):
    return LAX["sqrt"](x)


@lru_cache(maxsize=128)
def _small_powers(exponent: int):
    return partial(_known_power, exponent=exponent)


def _known_power(x, _, exponent: int):
    """An integer power with a known exponent, by squaring."""
    result = None
    while exponent:
        if exponent & 1:
            result = x if result is None else result * x
        x, exponent = x * x, exponent >> 1
    return result


def _check_power(machine: Machine, exponent: Var, mask: Var | None) -> None:
    """Integers to negative powers are an error in NumPy."""
    known_exponent = constant_value(exponent)
    if known_exponent is not None and mask is None:
        if (known_exponent < 0).any():
            machine.raise_(ValueError, "Integers to negative integer powers are not allowed.")
        return
    zero = machine.builder.broadcast(machine.builder.constant(0, exponent.type.dtype), exponent.type.shape)
    bad = machine.builder.elementwise("lt", exponent, zero)
    if mask is not None:
        shape = np.broadcast_shapes(mask.type.shape, exponent.type.shape)
        bad = machine.builder.elementwise(
            "bitwise_and", machine.builder.broadcast(bad, shape), machine.builder.broadcast(mask, shape)
        )
    machine.check(any_true(machine, bad), ValueError, "Integers to negative integer powers are not allowed.")


def _compare_python_int(
    machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value], types: Types, dtypes: tuple[np.dtype, ...]
) -> list[Var] | None:
    """A comparison of an integer array with a Python int, which need not fit the array's dtype."""
    if types[0] is types[1] is int:
        return None
    which = 0 if types[0] is int else 1
    number, other = inputs[which], inputs[1 - which]
    dtype = types[1 - which]
    if not isinstance(dtype, np.dtype) or dtype.kind not in "iu":
        return None
    info = np.iinfo(dtype)
    if isinstance(number, Const):
        if info.min <= number.value <= info.max:
            return None
        sample: list[Any] = [np.zeros((), dtype), np.zeros((), dtype)]
        sample[which] = number.value
        answer = machine.builder.constant(bool(ufunc(*sample)), _BOOL)
        return [machine.builder.broadcast(answer, operand(machine, other).type.shape)]
    array = operand(machine, other)
    pair: list[Var] = [array if dtype == np.uint64 else machine.builder.convert(array, _INT64)]
    pair.insert(which, machine.builder.convert(number_var(number), _INT64))
    return apply(machine, ufunc, pair, (pair[0].type.dtype, pair[1].type.dtype, _BOOL), inputs)


def _generalised(machine: Machine, ufunc: np.ufunc, inputs: Sequence[Value], outs: list, options: dict) -> Value:
    """`matmul` and its like."""
    types = tuple(type_of_operand(machine, v) for v in inputs)
    target = None if absent(outs[0]) else outs[0]
    try:
        dtypes = loop(ufunc, types, options["dtype"], options["casting"])
        variables = [_converted(machine, v, t, d) for v, t, d in zip(inputs, types, dtypes, strict=False)]
        shape_of(ufunc, *(v.type.shape for v in variables))
    except (TypeError, ValueError):
        named = {} if options["dtype"] is None else {"dtype": Const(options["dtype"])}
        return raise_as_numpy(machine, ufunc, inputs, named, "the shapes or types do not fit")
    var = gram(machine, *inputs) if ufunc is np.matmul and dtypes[0] == dtypes[2] == types[0] else None
    if var is None:
        var = machine.leaf(_call_table, variables, (GENERALISED[ufunc], dtypes[ufunc.nin :]), name=ufunc.__name__)[0]
    if target is None:
        return machine.numpy_result(var)
    if not isinstance(target, NdArray) or target.type.shape != var.type.shape:
        raise Refused("XP0011", f"{ufunc.__name__}: out= has another shape than the result")
    if not np.can_cast(var.type.dtype, target.type.dtype, options["casting"]):
        return raise_as_numpy(machine, ufunc, inputs, {"out": target}, "out= has a dtype that does not fit")
    machine.write(target, cast(machine, var, target.type.dtype))
    return target


@lru_cache(maxsize=4096)
def shape_of(ufunc: np.ufunc, *shapes: tuple[int, ...]) -> None:
    """ValueError unless a generalised ufunc takes operands of these shapes."""
    cores = (ufunc.signature or "").split("->")[0].strip("()").split("),(")
    sizes: dict[str, int] = {}
    for core, shape in zip(cores, shapes, strict=True):
        names = [n for n in core.split(",") if n]
        optional = [n for n in names if n.endswith("?")]
        if len(shape) < len(names) - len(optional):
            raise ValueError("too few dimensions")
        if len(shape) < len(names):
            names = [n for n in names if not n.endswith("?")]
        for name, size in zip(names, shape[len(shape) - len(names) :], strict=True):
            if sizes.setdefault(name.rstrip("?"), size) != size:
                raise ValueError("core dimensions differ")
    np.broadcast_shapes(*(s[: max(len(s) - 2, 0)] for s in shapes)) if ufunc is np.matmul else None
