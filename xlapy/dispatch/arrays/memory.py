"""How arrays lie in memory: NumPy's order 'K', which decides whether a later `reshape` or `ravel` is a view."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from xlapy.dispatch.arrays.views import buffer_type
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.heap import Object
from xlapy.domain.host_views import step_of_elements
from xlapy.domain.sources import Source, attribute
from xlapy.domain.values import Const, Lens, NdArray, NumpyScalar, Ref, Scalar, Slice, Tuple, Value, tuple_items
from xlapy.ir import TensorType

#: bytes of an array with which NumPy is asked how it lays out a result
_MOST_BYTES = 1 << 26


def note_maker(
    machine: Machine, mark: int, result: Value, function: Any, args: Sequence[Value], kwargs: dict[str, Value]
) -> None:
    """Note the call of a function of NumPy's that has made an array, or a tuple of them, since `mark`. They may lie in
    memory as the arguments do: in C order if these do so, and otherwise as NumPy itself says, if it is asked."""
    items = result.items if isinstance(result, Tuple) else (result,)
    made = [(place, item) for place, item in enumerate(items) if _is_made(item, machine, mark)]
    if not made:
        return
    inputs = _arrays(machine, (*args, *kwargs.values()))
    plain = function is not operator.getitem and all(is_plain(machine, array) for array in inputs)
    for place, item in made:
        info = machine.heap.objects[item.buffer]
        if plain:
            info.follows |= _followed(machine, inputs)
        else:
            info.maker = function, place if isinstance(result, Tuple) else None, args, kwargs


def _is_made(value: Value, machine: Machine, mark: int) -> TypeGuard[NdArray]:
    """Whether a value is an array with memory of its own, made since `mark`, of which more than its shape decides how
    it lies there, and that is not known."""
    if not isinstance(value, NdArray) or value.lenses or len(value.type.shape) < 2 or value.buffer <= mark:
        return False
    info = machine.heap.objects[value.buffer]
    return info.source is None and info.details is None


def _arrays(machine: Machine, values: Sequence[Value]) -> list[NdArray]:
    """The arrays with axes among values, and in the tuples and lists among them."""
    found = []
    for value in values:
        if isinstance(value, NdArray):
            found.append(value)
        elif isinstance(value, Tuple):
            found += _arrays(machine, value.items)
        elif isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list":
            items = machine.heap.read(value.object, "<items>")
            found += _arrays(machine, items.items) if isinstance(items, Tuple) else []
    return found


def _settled(machine: Machine, buffer: int) -> Object:
    """An object whose order is known as far as NumPy says it."""
    info = machine.heap.objects[buffer]
    if info.maker is not None:
        (function, place, args, kwargs), info.maker = info.maker, None
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                named = {k: _real(machine, v) for k, v in kwargs.items()}
                given = function(*(_real(machine, v) for v in args), **named)
                made = given if place is None else given[place]
            order = _order_of(made.strides)
        except Exception:
            # arguments that only data knows, or that these elements do not fit: as most of NumPy's functions do it
            return info
        _lay_out(info, order)
    return info


def _order_of(strides: Sequence[int]) -> tuple[int, ...]:
    """The axes from slowest to fastest."""
    return tuple(int(axis) for axis in np.argsort([-abs(s) for s in strides], kind="stable"))


def _lay_out(info: Object, order: tuple[int, ...]) -> None:
    """Record in what order the axes of an array lie, where that is not C order."""
    if order != tuple(range(len(order))):
        info.details = order


def _real(machine: Machine, value: Value) -> Any:
    """A real argument that lies in memory as the abstract one does; its elements are zero."""
    match value:
        case Const():
            return value.value
        case Scalar():
            return value.kind(1)
        case NumpyScalar():
            return value.var.type.dtype.type(1)
        case Tuple():
            return value.cls(_real(machine, item) for item in value.items)
        case Slice():
            return slice(*(_real(machine, part) for part in value.children()))
        case Ref() if machine.heap.objects[value.object].kind == "list":
            items = machine.heap.read(value.object, "<items>")
            return [_real(machine, item) for item in tuple_items(items)]
        case NdArray():
            model = layout_model(machine, value)
            spans = [s * (n - 1) for s, n in zip(model.strides, model.shape, strict=True)]
            if model.size == 0:
                return np.zeros(model.shape, model.dtype)
            if sum(map(abs, spans)) > _MOST_BYTES:
                raise TypeError("too large")
            memory = np.zeros(sum(map(abs, spans)) + model.itemsize, np.int8)
            start = -sum(span for span in spans if span < 0)
            return np.ndarray(model.shape, model.dtype, memory, start, model.strides)
    raise TypeError(value)


def is_plain(machine: Machine, value: Value) -> bool:
    """Whether an array is certainly in C order, without asking NumPy."""
    if not isinstance(value, NdArray):
        return True
    info = _settled(machine, value.buffer)
    if info.details is not None or (isinstance(info.real, np.ndarray) and not info.real.flags.c_contiguous):
        return False
    return all(lens.kind == "index" for lens in value.lenses)


def keep_order(machine: Machine, result: NdArray, inputs: Sequence[Value]) -> NdArray:
    """Record the memory order (order='K') of an element-wise result of `inputs`."""
    if len(result.type.shape) < 2:
        return result
    if all(is_plain(machine, v) for v in inputs):
        machine.heap.objects[result.buffer].follows = _followed(machine, inputs)
        return result
    models = [layout_model(machine, v) for v in inputs if isinstance(v, NdArray)]
    return set_order(machine, result, _allocated_order(result.type.shape, models))


def _followed(machine: Machine, inputs: Sequence[Value]) -> frozenset[Source]:
    """The arrays of the caller's that have to lie in C order for an element-wise result of `inputs` to lie so."""
    found: frozenset[Source] = frozenset()
    for value in inputs:
        if isinstance(value, NdArray) and len(value.type.shape) > 1:
            info = machine.heap.objects[value.buffer]
            is_found = isinstance(info.real, np.ndarray) and info.source is not None
            found |= {info.found} if is_found else info.follows
    return found


def _rely_on_order(machine: Machine, info: Object) -> None:
    """Use the program only where the arrays that another one is laid out after are in C order."""
    if hasattr(machine, "world"):
        for source in info.follows:
            machine.world.guard("equal", attribute(attribute(source, "flags"), "c_contiguous"), True)


def _allocated_order(shape: tuple[int, ...], models: list[np.ndarray]) -> tuple[int, ...]:
    """The axes from slowest to fastest in what NumPy's iterator allocates for these operands."""
    small = [_shrunk(model) for model in models]
    flags: Any = [["readonly"]] * len(small) + [["writeonly", "allocate"]]
    operands: Any = [*small, None]
    with np.nditer(
        operands, flags=["zerosize_ok", "multi_index"], op_flags=flags, itershape=tuple(min(n, 2) for n in shape)
    ) as iterator:
        strides = iterator.operands[-1].strides
    return _order_of(strides)


def _shrunk(model: np.ndarray) -> np.ndarray:
    """The same strides with at most two elements a dimension; zero-filled memory, never read."""
    shape = tuple(min(n, 2) for n in model.shape)
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, model.strides)


def layout_model(machine: Machine, array: NdArray) -> np.ndarray:
    """A real array with the shape and strides that `array` has under NumPy. Its elements must not be touched."""
    base = buffer_type(machine, array)
    info = _settled(machine, array.buffer)
    if isinstance(info.real, np.ndarray) and info.real.shape == base.shape:
        strides = info.real.strides
        if info.source is not None and hasattr(machine, "world"):
            machine.world.guard("equal", attribute(info.source, "strides"), strides)
    else:
        _rely_on_order(machine, info)
        strides = _strides(base, info.details)
    model = _model(base.shape, strides, base.dtype)
    for lens in array.lenses:
        model = _model_through(model, lens)
    return model


def _strides(base: TensorType, order: object) -> tuple[int, ...]:
    """Strides of a fresh array: C order, or the axes from slowest to fastest in `order`."""
    axes = order if isinstance(order, tuple) and len(order) == len(base.shape) else tuple(range(len(base.shape)))
    strides, step = [0] * len(base.shape), base.dtype.itemsize
    for axis in reversed(axes):
        strides[axis] = step
        step *= max(base.shape[axis], 1)
    return tuple(strides)


def _model(shape: tuple[int, ...], strides: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    return np.lib.stride_tricks.as_strided(np.zeros(1, dtype), shape, strides)


def _model_through(model: Any, lens: Lens) -> np.ndarray:
    match lens.kind:
        case "index":
            kept = [(s * step, n) for s, (_, step, n) in zip(model.strides, lens.params, strict=True) if n >= 0]
            return _model(tuple(n for _, n in kept), tuple(s for s, _ in kept), model.dtype)
        case "transpose":
            return model.transpose(lens.params)
        case "reshape" | "flat":
            try:
                return reshape_in_place(model, tuple(lens.params))
            except ValueError:  # `flat`, or an empty array
                return _model(
                    tuple(lens.params), _strides(TensorType(tuple(lens.params), model.dtype), None), model.dtype
                )
        case "real":
            return model.real
        case "imag":
            return model.imag
        case "bitcast":
            return _model(model.shape, model.strides, lens.params[0])
        case "windows":
            extents, axes = lens.params
            return np.lib.stride_tricks.sliding_window_view(model, extents, axes)
        case "strided":
            shape, steps, _ = lens.params
            return _model(shape, tuple(step * step_of_elements(model) for step in steps), model.dtype)
        case "diagonal":
            return model.diagonal(*lens.params)
        case "broadcast":
            return np.broadcast_to(model, lens.params)
    raise Refused("XP0012", f"a view of kind {lens.kind!r}")


def reshape_in_place(model: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`model.reshape(shape)` if that is a view under NumPy, else ValueError. Never touches elements.

    NumPy itself decides, from the strides, on an array of one byte an element would be too large for huge shapes: so
    the model stays strided over nothing and `copy=False` makes NumPy refuse instead of copying.
    """
    return np.reshape(model, shape, copy=False)


def can_reshape_in_place(machine: Machine, array: NdArray, shape: tuple[int, ...]) -> bool:
    """Whether NumPy's `reshape` of this array is a view."""
    info = _settled(machine, array.buffer)
    if not array.lenses and info.source is None and not isinstance(info.details, tuple):
        _rely_on_order(machine, info)
        return True
    try:
        reshape_in_place(layout_model(machine, array), shape)
    except ValueError:
        return False
    return True


def is_c_contiguous(machine: Machine, array: NdArray) -> bool:
    """`array.flags.c_contiguous`."""
    return layout_model(machine, array).flags.c_contiguous


def lies(machine: Machine, array: NdArray, order: object) -> bool:
    """Whether an array lies in memory as `order`, an argument of np.asarray, asks."""
    if order not in ("C", "F"):
        return True
    flags = layout_model(machine, array).flags
    return flags.c_contiguous if order == "C" else flags.f_contiguous


def arranged(machine: Machine, result: NdArray, source: Value | None, order: object) -> NdArray:
    """Record the memory order of a fresh array, a copy of `source`, for an argument `order` ('C', 'F', 'A' or 'K')."""
    if order == "A" and isinstance(source, NdArray) and layout_model(machine, source).flags.fnc:
        order = "F"
    if order in ("K", None) and isinstance(source, NdArray):
        return keep_order(machine, result, (source,))
    if order not in ("C", "F", "A", "K", None):
        raise Refused("XP0011", f"order={order!r}")
    return set_order(machine, result, tuple(range(len(result.type.shape)))[:: -1 if order == "F" else 1])


def set_order(machine: Machine, array: NdArray, order: tuple[int, ...]) -> NdArray:
    """Record that a fresh array lies in memory with its axes in `order` (slowest first), where that is not C order."""
    _lay_out(machine.heap.objects[array.buffer], order)
    return array
