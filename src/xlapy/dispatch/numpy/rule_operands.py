"""What every NumPy rule needs: arguments as device values or objects, casts, dummies, results, NumPy's own errors."""

from __future__ import annotations

import collections
import operator
import warnings
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays.array_values import require_sequence
from xlapy.dispatch.containers import container_subclasses
from xlapy.dispatch.numbers.scalar_values import python_int
from xlapy.dispatch.protocol import Machine, NeedStatic, Refused
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import (
    Const,
    JaxArray,
    MixedScalar,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    made_tuple,
)
from xlapy.ir import TensorType, Var, constant_value

#: dtypes that XLA has
KINDS = "biufc"
NO_VALUE = object()


def supported(dtype: np.dtype) -> bool:
    """Whether XLA has this dtype."""
    if dtype.kind in KINDS:
        return dtype.itemsize <= (16 if dtype.kind == "c" else 8)
    return dtype.kind == "V" and dtype.names is None and jnp.issubdtype(dtype, jnp.floating)


def require_dtype(value: Any) -> np.dtype:
    """The dtype that a user's `dtype=` means; refuses what XLA does not have."""
    try:
        dtype = np.dtype(value() if _is_dtype_class(value) else value)
    except TypeError as error:
        raise Refused("XP0005", str(error)) from error
    if not supported(dtype):
        raise Refused("XP0005", f"XLA has no type {dtype}", "use a numeric type of at most 64 bits (complex: 128)")
    if not dtype.isnative:
        raise Refused("XP0005", f"byte-swapped type {dtype}", "use the native byte order")
    return dtype


def _is_dtype_class(value: Any) -> bool:
    """Whether a value is a class of dtypes, such as `np.dtypes.Float64DType`."""
    return isinstance(value, type) and issubclass(value, np.dtype)


def given_dtype(machine: Machine, value: object) -> np.dtype:
    """The type that elements get where `dtype=` says so."""
    return machine.builder.narrowed(require_dtype(known(machine, value, "a dtype")))


def kind_of(dtype: np.dtype) -> str:
    """'b', 'i', 'u', 'f' or 'c': the kind, bfloat16 and its like being floating."""
    return "f" if dtype.kind == "V" else dtype.kind


#: NumPy's mark of an argument that was not passed
_NOT_PASSED = getattr(np, "_NoValue", ())


def absent(value: Any) -> bool:
    """Whether an argument was not given, or given as None."""
    return value is None or (isinstance(value, Const) and value.value is None)


def was_not_passed(value: Any) -> bool:
    """Whether an argument is NumPy's mark of one that was not passed, which a program may pass on."""
    return (value.value if isinstance(value, Const) else value) is _NOT_PASSED


def is_everywhere(where: Any) -> bool:
    """Whether the argument `where=` of a ufunc or reduction leaves nothing out."""
    return where is True or was_not_passed(where) or isinstance(where, Const) and where.value is True


def known_order(machine: Machine, order: Any, among: str = "CFAK", message: str = "") -> Any:
    """The order of memory that an argument asks for; NumPy takes small letters as well. ValueError with a message where
    it is none of some."""
    order = known(machine, order)
    if order is None or isinstance(order, bytes):
        return order
    if not isinstance(order, str) or order.upper() not in {*"CFAK"}:
        try:
            _copied(order)
        except (TypeError, ValueError) as error:
            raise_real(machine, error)
    if order.upper() in {*"CFAK"} - {*among}:
        machine.raise_(ValueError, message)
    return order.upper()


def _copied(order: Any) -> np.ndarray:
    return np.zeros(1).copy(order)


#: for `known_order`, where an array is made that lies as no other one does
ONE_OF_TWO = ("CF", "only 'C' or 'F' order is permitted")


def known(machine: Machine, value: Any, what: str = "this argument") -> Any:
    """The Python object of an argument that must be static; defaults are Python objects already."""
    if not isinstance(value, Value):
        return value
    if isinstance(value, NdArray):
        constant = constant_value(machine.read(value))
        if constant is not None:
            return constant
    if isinstance(value, Tuple):
        items = tuple(known(machine, item, what) for item in value.items)
        return made_tuple(value.cls, items)
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list":
        return [known(machine, item, what) for item in list_items(machine, value)]
    return machine.static(value, what)


def known_index(machine: Machine, value: Any, what: str = "this argument") -> int:
    """An integer argument that must be static; `operator.index`'s TypeError for what is none."""
    found = known(machine, value, what)
    try:
        return operator.index(found)
    except TypeError as error:
        raise_real(machine, error)


def try_known(machine: Machine, value: Any) -> Any:
    """The Python object of a static argument, or NO_VALUE if it is dynamic."""
    outer, machine.works_out = machine.works_out, False
    try:
        return known(machine, value)
    except (NeedStatic, Refused):
        return NO_VALUE
    finally:
        machine.works_out = outer


def list_items(machine: Machine, value: Ref) -> tuple[Value, ...]:
    """The items of a list in the heap."""
    return growable_list_items.items(machine, machine.heap.read(value.object, "<items>"))


def sequence_items(machine: Machine, value: Any) -> list[Value] | None:
    """The items of a tuple or list, else None."""
    value = container_subclasses.plain(machine, value) if isinstance(value, Ref) else value
    if isinstance(value, Tuple):
        return list(value.items)
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list":
        return list(list_items(machine, value))
    if isinstance(value, Const) and isinstance(value.value, tuple | list):
        return [Const(item) for item in value.value]
    return None


def items_of(machine: Machine, arrays: Value) -> list[Value]:
    """The arrays of a sequence, or the rows of an array."""
    items = sequence_items(machine, arrays)
    if items is not None:
        return items
    require_sequence(machine, arrays)
    return machine.iterate(arrays)


def is_array_like(machine: Machine, value: Value) -> bool:
    """Whether a value is a number, an array, or a sequence of them."""
    if machine.spec(value) is not None:
        return True
    return sequence_items(machine, value) is not None


class NoNumbers(Refused):
    """An argument of a function of NumPy's is no array of numbers: there may be an exception of NumPy's for that."""


def operand(machine: Machine, value: Any, dtype: np.dtype | None = None) -> Var:
    """`np.asarray(value, dtype)` as a device value of strong type."""
    if not isinstance(value, Value):
        value = Const(value)
    if isinstance(value, NdArray):
        var = machine.read(value)
    elif isinstance(value, JaxArray | NumpyScalar):
        var = value.var
    else:
        if isinstance(value, Const) and (value.value is None or isinstance(value.value, str | bytes | type)):
            raise NoNumbers("XP0005", f"{value.value!r} as an array: XLA has no objects or strings")
        var = machine.array(value)
    if not supported(var.type.dtype):
        raise Refused("XP0005", f"XLA has no type {var.type.dtype}")
    var = machine.builder.convert(var, var.type.dtype)
    return var if dtype is None else cast(machine, var, dtype)


def array_type(machine: Machine, value: Any) -> TensorType:
    """Shape and dtype of `np.asarray(value)`."""
    if isinstance(value, NdArray):
        return value.type
    if isinstance(value, JaxArray | NumpyScalar):
        return TensorType(value.var.type.shape, value.var.type.dtype)
    return TensorType(*operand(machine, value).type[:2])


def promoted_type(machine: Machine, values: Sequence[Value]) -> np.dtype:
    """The dtype of several arrays together, among which Python's numbers are weak (NEP 50)."""
    specs = [machine.spec(v) for v in values]
    if all(isinstance(s, type) for s in specs):
        return np.result_type(*specs)
    types = zip(specs, values, strict=True)
    return np.result_type(*(s(0) if isinstance(s, type) else operand(machine, v).type.dtype for s, v in types))


# -- casts -----------------------------------------------------------------------------------------------------------


def cast_array(x, dtype):
    """`x.astype(dtype)` with NumPy's (x86's) results: complex loses its imaginary part, out-of-range floats wrap.

    A float that an integer type cannot hold becomes what the machine instruction behind NumPy's C cast gives: the
    smallest 32- or 64-bit integer, of which narrower types take the low bits.
    """
    source, target = kind_of(np.dtype(x.dtype)), kind_of(dtype)
    if source == "c" and target not in "bc":
        x, source = lax.real(x), "f"
    if target == "b":
        return x != 0
    if source == "f" and target in "iu":
        dtype, widest = jax.dtypes.canonicalize_dtype(dtype), jax.dtypes.canonicalize_dtype(np.int64)
        if dtype.itemsize < 4:
            return cast_array(x, np.dtype(np.int32)).astype(dtype)
        if target == "u" and dtype.itemsize < widest.itemsize:
            return cast_array(x, widest).astype(dtype)
        if target == "u":
            half = 2 ** (8 * dtype.itemsize - 1)
            big = x >= float(half)
            low = cast_array(jnp.where(big, x - float(half), x), widest).astype(dtype)
            return jnp.where(big, low + dtype.type(half), low)
        limit = float(2 ** (8 * dtype.itemsize - 1))
        if float(jnp.finfo(x.dtype).max) > limit:
            fits = (x >= -limit) & (x < limit)
            return jnp.where(fits, jnp.where(fits, x, 0).astype(dtype), np.iinfo(dtype).min)
        finite = jnp.isfinite(x)  # as every finite float16 fits
        return jnp.where(finite, jnp.where(finite, x, 0).astype(dtype), np.iinfo(dtype).min)
    return x.astype(dtype)


def _cast_leaf(x, dtype):
    return cast_array(x, dtype)


def cast(machine: Machine, var: Var, dtype: np.dtype) -> Var:
    """`var.astype(dtype)`, by NumPy's rules."""
    source, target = kind_of(var.type.dtype), kind_of(dtype)
    if var.type.dtype == dtype:
        return machine.builder.convert(var, dtype)
    if target == "b":
        zero = machine.builder.constant(0, var.type.dtype)
        return machine.builder.elementwise("ne", var, machine.builder.broadcast(zero, var.type.shape))
    constant = constant_value(var)
    if constant is not None and constant.size <= 4096:
        machine.builder.note_cast(constant.dtype, dtype)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return machine.builder.constant(constant.astype(dtype), dtype)
    if (source == "c" and target != "c") or (source == "f" and target in "iu"):
        return machine.leaf(_cast_leaf, (var,), (dtype,), name="astype")[0]
    return machine.builder.convert(var, dtype)


# -- dummies: arrays of the right shape and dtype that hold nothing --------------------------------------------------


class Dummy(NamedTuple):
    """Stands for an array in a cache key."""

    shape: tuple[int, ...]
    dtype: np.dtype
    scalar: bool = False


class DummyNumber(NamedTuple):
    """Stands for a Python number in a cache key."""

    kind: type


def is_one_of_several_numbers(value: Value) -> bool:
    """Whether a value is a number, of which data decides whether it is Python's or NumPy's, or of which class."""
    if not isinstance(value, Union):
        return False
    numbers = (v.value if isinstance(v, Const) else 0 for v in value.alternatives if not isinstance(v, NumpyScalar))
    scalars = all(isinstance(v, Const | Scalar | NumpyScalar) for v in value.alternatives)
    return scalars and all(isinstance(v, int | float | complex | np.number | np.bool_) for v in numbers)


_DEQUE = collections.deque


def skeleton(machine: Machine, value: Any) -> Any:
    """An argument as a hashable description (for tuples and lists: of the same structure)."""
    match value:
        case Const():
            return value.value
        case Scalar():
            return DummyNumber(value.kind)
        case NumpyScalar():
            return Dummy((), value.var.type.dtype, True)
        case JaxArray():
            return Dummy(value.var.type.shape, value.var.type.dtype)
        case NdArray():
            return Dummy(value.type.shape, value.type.dtype)
        case MixedScalar():
            return DummyNumber(value.python.kind)
        case Tuple():
            if any(map(is_one_of_several_numbers, value.items)):
                return Dummy(*operand(machine, value).type[:2])
            return tuple(skeleton(machine, item) for item in value.items)
        case Ref():
            if machine.heap.objects[value.object].kind == "list":
                found = skeleton(machine, Tuple(tuple(list_items(machine, value))))
                cls = machine.heap.objects[value.object].cls
                return found if isinstance(found, Dummy) else collections.deque(found) if cls is _DEQUE else list(found)
            return machine.static(value)
    return value if not isinstance(value, Value) else machine.static(value)


def materialise(part: Any, shrink: bool = False) -> Any:
    """The dummy object of a skeleton: zero-stride arrays, ones for numbers. `shrink` caps the dimensions at 3."""
    if isinstance(part, Dummy):
        shape = tuple(min(n, 3) for n in part.shape) if shrink else part.shape
        return np.ones((), part.dtype)[()] if part.scalar else _regular(shape, part.dtype)
    if isinstance(part, DummyNumber):
        return part.kind(1)
    if isinstance(part, tuple):
        return tuple(materialise(item, shrink) for item in part)
    if isinstance(part, list | _DEQUE):
        return type(part)(materialise(item, shrink) for item in part)
    return part


def _regular(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Ones; of moderate size, with a heavy diagonal, so that linear algebra finds a regular matrix."""
    ones = np.broadcast_to(np.ones((), dtype), shape)
    if len(shape) < 2 or dtype.kind not in "iufc" or float(np.prod(shape)) > 1e5:
        return ones
    return ones + (max(shape[-2:]) * np.eye(shape[-2], shape[-1])).astype(dtype)


def real_call(function: Callable, args: Sequence, kwargs: dict, shrink: bool = False) -> Any:
    """The real NumPy function, on the dummies of skeletons, silently."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(
            *(materialise(a, shrink) for a in args), **{k: materialise(v, shrink) for k, v in kwargs.items()}
        )


def raise_as_numpy(
    machine: Machine, function: Callable, args: Sequence, kwargs: dict, failure: BaseException | str
) -> NoReturn:
    """Raise what NumPy raises for such arguments; refuse with `failure` if NumPy would not raise."""
    skeletons = [skeleton(machine, a) for a in args]
    named = {k: skeleton(machine, v) for k, v in kwargs.items() if k != "out"}
    try:
        real_call(function, skeletons, named)
    except Exception as error:
        if not is_about_values(error):
            return raise_real(machine, error)
    name = getattr(function, "__name__", str(function))
    raise Refused("XP0011", f"{name}: {failure}") from (failure if isinstance(failure, BaseException) else None)


def is_about_values(error: Exception) -> bool:
    """Whether NumPy raised because of what the dummies hold, which the program's arrays need not hold."""
    causes = ("Singular", "not positive definite", "did not converge", "infs or NaNs")
    return isinstance(error, np.linalg.LinAlgError) and any(text in str(error) for text in causes)


def require_indices(machine: Machine, function: Callable, *args: Any) -> None:
    """Raise the TypeError of the real function if numbers of these types are no indices for it."""
    try:
        real_call(function, [skeleton(machine, a) for a in args], {}, shrink=True)
    except TypeError as error:
        raise_real(machine, error)
    except (ValueError, IndexError):
        pass  # about the numbers themselves: the dummies are not those of the run


def raise_real(machine: Machine, error: BaseException) -> NoReturn:
    """Raise in the program what a real call raised at compile time."""
    return machine.reraise(error)


def freeze(part: Any) -> Any:
    """A hashable form of a skeleton or static argument."""
    if isinstance(part, Dummy | DummyNumber):
        return part
    if isinstance(part, list):
        return ("list", *map(freeze, part))
    if isinstance(part, tuple):
        return ("tuple", *map(freeze, part))
    if isinstance(part, np.ndarray):
        return ("array", part.shape, part.dtype, part.tobytes())
    if isinstance(part, slice):
        return ("slice", part.start, part.stop, part.step)
    return (type(part), part, repr(part)) if isinstance(part, int | float | complex | np.generic) else part


class Shape(NamedTuple):
    """What one result of a NumPy function is: its dtype, rank, and whether NumPy returns a scalar."""

    dtype: np.dtype
    ndim: int
    scalar: bool


def describe(result: Any) -> Any:
    """A result of a real call on dummies: Shape for arrays and NumPy scalars, (class, items) for sequences."""
    if isinstance(result, np.ndarray):
        return Shape(result.dtype, result.ndim, False)
    if isinstance(result, np.generic):
        return Shape(result.dtype, 0, True)
    if isinstance(result, tuple | list):
        return (type(result), tuple(describe(item) for item in result))
    return type(result)


_DESCRIBED: dict[object, object] = {}


def described_call(function: Callable, args: Sequence, kwargs: dict) -> Any:
    """`describe` of the real function on shrunken dummies (on full ones if it cannot take small ones), memoised."""
    try:
        key = (function, tuple(map(freeze, args)), tuple((k, freeze(v)) for k, v in sorted(kwargs.items())))
        found = _DESCRIBED.get(key)
    except TypeError:
        key = found = None
    if found is None:
        try:
            found = describe(real_call(function, args, kwargs, shrink=True))
        except Exception:
            found = describe(real_call(function, args, kwargs))
        if key is not None:
            _DESCRIBED[key] = found
    return found


@lru_cache(maxsize=4096)
def inexact(dtype: np.dtype) -> np.dtype:
    """The dtype in which NumPy's statistics compute: float64 for integers and booleans."""
    return dtype if kind_of(dtype) in "fc" else np.dtype(np.float64)


# -- results ---------------------------------------------------------------------------------------------------------


def deliver(machine: Machine, var: Var, out: Any, casting: Any = "unsafe") -> Value:
    """What a function with `out=` returns: `out` with the result written into it, else a fresh result."""
    if absent(out):
        return machine.numpy_result(var)
    out = single(machine, out)
    if isinstance(out, JaxArray):
        return machine.raise_(TypeError, "return arrays must be of ArrayType")
    if not isinstance(out, NdArray):
        return machine.raise_(TypeError, "return arrays must be of ArrayType")
    if not out.writeable:
        return machine.raise_(ValueError, "output array is read-only")
    if var.type.shape != out.type.shape:
        raise Refused("XP0011", f"out= has shape {out.type.shape}, the result {var.type.shape}")
    if not np.can_cast(var.type.dtype, out.type.dtype, casting):
        message = (
            f"Cannot cast array data from {var.type.dtype!r} to {out.type.dtype!r} according to the rule '{casting}'"
        )
        return machine.raise_(TypeError, message)
    machine.write(out, cast(machine, var, out.type.dtype))
    return out


def single(machine: Machine, out: Any) -> Any:
    """`out` of a function of one result: the array, or the one item of a tuple."""
    items = sequence_items(machine, out)
    return items[0] if items is not None and len(items) == 1 else out


#: whether `out=...` asks ufuncs for an array where they would give a number
_MAY_ASK_FOR_ARRAY = np.lib.NumpyVersion(np.__version__) >= "2.3.0"


def asks_for_array(out: Any) -> bool:
    """Whether `out` is `...`, which asks a ufunc for an array in any case: `np.add(1.0, 2.0, out=...)`."""
    return _MAY_ASK_FOR_ARRAY and isinstance(out, Const) and out.value is ...


def as_arrays(machine: Machine, results: Value) -> Value:
    """What a ufunc gives where it is asked for an array."""
    if isinstance(results, Tuple):
        return Tuple(tuple(as_arrays(machine, item) for item in results.items))
    return results if isinstance(results, NdArray) else fresh(machine, operand(machine, results))


def fresh(machine: Machine, var: Var) -> NdArray:
    """A fresh array, also for rank 0."""
    return machine.new_array(var)


def new_list(machine: Machine, items: Sequence[Value]) -> Value:
    """A fresh list."""
    return Ref(machine.heap.new("list", list, None, Tuple(tuple(items))))


def broadcast_to(machine: Machine, var: Var, shape: tuple[int, ...]) -> Var:
    """`var` broadcast, also where it has leading dimensions of 1 that `shape` has not (as in assignments)."""
    extra = len(var.type.shape) - len(shape)
    if extra > 0 and all(n == 1 for n in var.type.shape[:extra]):
        var = machine.leaf(_reshape, (var,), (var.type.shape[extra:],), name="reshape")[0]
    return machine.builder.broadcast(var, shape)


def _reshape(x, shape):
    return jnp.reshape(x, shape)


def reshape(machine: Machine, var: Var, shape: tuple[int, ...]) -> Var:
    """`var` with another shape of the same size, in C order."""
    if var.type.shape == shape:
        return var
    return machine.leaf(_reshape, (var,), (tuple(map(int, shape)),), name="reshape")[0]


def scalar_int(machine: Machine, value: Value) -> Var:
    """A dynamic integer (Python's or NumPy's) as an int64 device scalar."""
    return machine.builder.convert(
        python_int(machine, operand(machine, value), known_bounds(value)), np.dtype(np.int64)
    )


def constant(machine: Machine, value: Any, dtype: Any = None) -> Var:
    """A constant."""
    return machine.builder.constant(value, None if dtype is None else np.dtype(dtype))


def any_true(machine: Machine, var: Var) -> Var:
    """Whether any element of a boolean array is true: what `Machine.check` takes."""
    return var if var.type.shape == () else machine.leaf(_any, (var,), name="any")[0]


def _any(x):
    return jnp.any(x)
