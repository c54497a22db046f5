"""Operators of NumPy arrays and scalars: each is a ufunc."""

from __future__ import annotations

import collections

import numpy as np

from xlapy.dispatch import symbols
from xlapy.dispatch.arrays.flat import is_flat
from xlapy.dispatch.numpy.rule_operands import array_type, cast, operand, raise_as_numpy, raise_real, sequence_items
from xlapy.dispatch.numpy.ufuncs import call, compute, ufunc_rule
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import method, operator
from xlapy.domain.values import Const, JaxArray, NdArray, NumpyScalar, Range, Scalar, Value, number_var

BINARY: dict[str, np.ufunc] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "@": np.matmul,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "divmod": np.divmod,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}
#: operators that NumPy's complex scalars have not got, and what ufuncs of arrays have another text for
_OF_REALS = (np.floor_divide, np.remainder)
_NUMBERS = (bool, int, float, complex, np.generic)


@operator(np.ndarray, np.generic)
def binary_rule(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`left symbol right` and `left symbol= right` where one of the two is NumPy's; None for NotImplemented."""
    if symbol in ("in", "not in"):
        return _contains(machine, symbol, left, right)
    left, right = (
        machine.call(Const(np.asarray), [v]) if _is_range(v) or is_flat(machine, v) else v for v in (left, right)
    )
    inplace = symbol.endswith("=") and symbol not in BINARY
    ufunc = BINARY.get(symbol[:-1] if inplace else symbol)
    if ufunc is None:
        return None
    if inplace and isinstance(left, NdArray):
        return _inplace(machine, ufunc, left, right)
    if isinstance(left, JaxArray) or isinstance(right, JaxArray):
        return None
    if ufunc is np.multiply and _repeats(machine, left, right):
        return None
    if ufunc is np.matmul and not any(issubclass(machine.type_of(v), np.ndarray) for v in (left, right)):
        # NumPy's scalars have no `@`.
        return None
    if ufunc in _OF_REALS and _are_scalars(left, right) and any(_is_complex(machine, v) for v in (left, right)):
        return None
    for value in (left, right):
        if not _numeric(machine, value):
            return _foreign(machine, symbol, left, right)
    if ufunc is np.power and isinstance(left, Const | NumpyScalar | Scalar | NdArray):
        return _power(machine, left, right)
    if ufunc is np.matmul:
        return ufunc_rule(machine, ufunc, left, right)
    return call(machine, ufunc, (left, right))


def _is_range(value: Value) -> bool:
    return isinstance(value, Range) or isinstance(value, Const) and isinstance(value.value, range)


def _are_scalars(*values: Value) -> bool:
    return all(isinstance(v, NumpyScalar | Scalar) or isinstance(v, Const) and np.isscalar(v.value) for v in values)


def _is_complex(machine: Machine, value: Value) -> bool:
    return issubclass(machine.type_of(value), complex | np.complexfloating)


def _repeats(machine: Machine, left: Value, right: Value) -> bool:
    """Whether one is a sequence of Python's and the other a NumPy scalar, which leaves the product to it."""
    one, two = machine.type_of(left), machine.type_of(right)
    return any(
        issubclass(a, list | tuple | collections.deque) and issubclass(b, np.generic)
        for a, b in ((one, two), (two, one))
    )


def _numeric(machine: Machine, value: Value) -> bool:
    if isinstance(value, NdArray | NumpyScalar | Scalar):
        return True
    if isinstance(value, Const):
        return isinstance(value.value, _NUMBERS) or isinstance(value.value, list | tuple)
    return sequence_items(machine, value) is not None


def _foreign(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """An operand that is no number: comparisons for equality are False everywhere, other operators NumPy's error."""
    other = right if isinstance(left, NdArray | NumpyScalar) else left
    array = left if other is right else right
    if not isinstance(other, Const) or not (other.value is None or isinstance(other.value, str | bytes)):
        return None
    if symbol not in ("==", "!="):
        return None
    answer = machine.builder.constant(symbol == "!=", np.dtype(bool))
    if isinstance(array, NdArray) and array.type.shape != ():
        return machine.new_array(machine.builder.broadcast(answer, array.type.shape))
    # a boolean of NumPy's or of Python's
    dtype = array.type.dtype if isinstance(array, NdArray) else number_var(array).type.dtype
    number = np.zeros((), dtype) if isinstance(array, NdArray) else np.zeros((), dtype)[()]
    one, two = (number, other.value) if array is left else (other.value, number)
    return Const(one == two if symbol == "==" else one != two)


def _power(machine: Machine, left: Value, right: Value) -> Value:
    """`array ** number`: NumPy's operator takes a square or a reciprocal where the exponent is 2 or -1."""
    if isinstance(left, NdArray) and left.type.dtype == bool and isinstance(right, Scalar) and right.kind is int:
        right = Const(machine.static(right, "the exponent of a boolean array (its square is int8, other powers int64)"))
    if isinstance(left, NdArray) and isinstance(right, Const) and type(right.value) in (int, float):
        if right.value == 2 and left.type.dtype.kind in "bfc" and (left.type.dtype != bool or type(right.value) is int):
            return call(machine, np.square, (left,))
        if right.value == -1 and left.type.dtype.kind in "fc":
            return call(machine, np.reciprocal, (left,))
    if _are_scalars(left, right) and isinstance(right, Const) and right.value == 0.5:
        root = _scalar_root(machine, left)
        if root is not None:
            return root
    return call(machine, np.power, (left, right))


def _scalar_root(machine: Machine, value: Value) -> Value | None:
    """A float of NumPy's to the power of a half, by its operator: unlike a square root, it is infinite for -inf, and 0
    for -0.0."""
    if not isinstance(value, NumpyScalar) or value.var.type.dtype.kind != "f":
        return None
    builder, dtype = machine.builder, value.var.type.dtype
    root = builder.elementwise("abs", builder.elementwise("sqrt", value.var))
    endless = builder.elementwise("eq", value.var, builder.constant(-np.inf, dtype))
    return machine.numpy_result(builder.elementwise("select", endless, builder.constant(np.inf, dtype), root))


def _inplace(machine: Machine, ufunc: np.ufunc, left: NdArray, right: Value) -> Value | None:
    """`left op= right`: writes into the array, which stays the same object."""
    if not isinstance(right, JaxArray) and not _numeric(machine, right):
        return None
    if not left.writeable:
        return machine.raise_(ValueError, "output array is read-only")
    if ufunc is np.matmul:
        return _inplace_matmul(machine, left, right)
    if not _fits(array_type(machine, right).shape, left.type.shape):
        return _bad_output(machine, ufunc, left, right)
    (var,) = compute(machine, ufunc, (left, right), (left.type.dtype,))
    if var.type.shape != left.type.shape:
        var = machine.builder.broadcast(var, left.type.shape)
    machine.write(left, cast(machine, var, left.type.dtype))
    return left


def _inplace_matmul(machine: Machine, left: NdArray, right: Value) -> Value:
    return ufunc_rule(machine, np.matmul, left, right, out=left)


def _fits(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Whether an array of one shape broadcasts to another."""
    return len(shape) <= len(target) and all(n in (1, m) for n, m in zip(shape[::-1], target[::-1], strict=False))


def _bad_output(machine: Machine, ufunc: np.ufunc, left: NdArray, right: Value) -> Value:
    other = operand(machine, right).type
    target = np.empty(left.type.shape, left.type.dtype)
    try:
        ufunc(target, np.broadcast_to(np.ones((), other.dtype), other.shape), out=target)
    except (ValueError, TypeError) as error:
        return raise_real(machine, error)
    return raise_as_numpy(machine, ufunc, (left, right), {}, f"an operand has shape {other.shape}")


def _contains(machine: Machine, symbol: str, left: Value, right: Value) -> Value | None:
    """`left in array`: whether any element equals it."""
    if not isinstance(right, NdArray):
        return None
    (hit,) = compute(machine, np.equal, (right, left))
    found = machine.leaf(_any, (hit,), name="any")[0]
    if symbol == "not in":
        found = machine.builder.elementwise("bitwise_not", found)
    return Scalar(bool, machine.builder.convert(found, found.type.dtype, True))


def _any(x):
    return x.any()


# -- the methods behind operators --------------------------------------------------------------------------------------


def _special_method(name: str, symbol: str, reflected: bool):
    def rule(machine: Machine, self: Value, other: Value, /) -> Value:
        pair = (other, self) if reflected else (self, other)
        found = binary_rule(machine, symbol, *pair)
        if found is None and isinstance(self, NdArray) and isinstance(other, Const):
            try:
                getattr(np.ones(self.type.shape, self.type.dtype), name)(other.value)
            except TypeError as error:
                return raise_real(machine, error)
        return Const(NotImplemented) if found is None else found

    return rule


_COMPARISONS = dict(zip(("==", "!=", "<", "<=", ">", ">="), ("eq", "ne", "lt", "le", "gt", "ge"), strict=True))
for _symbol, _name in {**symbols.BINARY, "divmod": "divmod", **_COMPARISONS}.items():
    for _prefix, _suffix in (("", ""), ("r", ""), ("i", "=")):
        _method = f"__{_prefix}{_name}__"
        for _cls in (np.ndarray, np.generic):
            if hasattr(_cls, _method):
                method(_cls, _method)(_special_method(_method, _symbol + _suffix, _prefix == "r"))


def _unary_method(ufunc: np.ufunc):
    def rule(machine: Machine, self: Value, /) -> Value:
        return call(machine, ufunc, (self,))

    return rule


for _name, _ufunc in (("neg", np.negative), ("pos", np.positive), ("abs", np.absolute), ("invert", np.invert)):
    for _cls in (np.ndarray, np.generic):
        method(_cls, f"__{_name}__")(_unary_method(_ufunc))


@method(np.ndarray, "__contains__")
def _contains_method(machine: Machine, self: Value, item: Value, /) -> Value:
    """`item in array`."""
    found = _contains(machine, "in", item, self)
    return Const(NotImplemented) if found is None else found
