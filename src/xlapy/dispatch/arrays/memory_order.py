"""How arrays lie in memory: NumPy's order 'K', which decides whether a later `reshape` or `ravel` is a view."""

from __future__ import annotations

import functools
import inspect
import itertools
import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeGuard, TypeVar

import numpy as np

from xlapy.dispatch.arrays.views import buffer_type
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.heap import Object
from xlapy.domain.host_views import step_of_elements
from xlapy.domain.layouts import Layout, Layouts, Strides
from xlapy.domain.sources import Source, attribute
from xlapy.domain.values import (
    BoundedArray,
    Const,
    Lens,
    NdArray,
    NumpyScalar,
    Ref,
    Scalar,
    Slice,
    Tuple,
    Value,
    number_var,
)
from xlapy.ir import TensorType

T = TypeVar("T")
#: bytes of an array with which NumPy is asked how it lays out a result
_MOST_BYTES = 1 << 26
#: combinations of how arguments may lie, for each of which it is asked
_MOST_COMBINATIONS = 16


def note_maker(
    machine: Machine, mark: int, result: Value, function: Any, args: Sequence[Value], kwargs: dict[str, Value]
) -> None:
    """Note the call of a function of NumPy's that has made an array, or a tuple of them, since `mark`. They may lie in
    memory as the arguments do: in C order if these do so, and otherwise as NumPy itself says, if it is asked."""
    items = [_room(item) for item in (result.items if isinstance(result, Tuple) else (result,))]
    made = [(place, item) for place, item in enumerate(items) if _is_made(item, machine, mark)]
    if not made:
        return
    args, kwargs = [_snapshot(machine, v) for v in args], {k: _snapshot(machine, v) for k, v in kwargs.items()}
    inputs = _arrays((*args, *kwargs.values()))
    plain = function is not operator.getitem and all(is_plain(machine, array) for array in inputs)
    for place, item in made:
        info = machine.heap.objects[item.buffer]
        if plain:
            info.lies = Layouts(info.lies.ways, info.lies.follows | _followed(machine, inputs))
        else:
            info.maker = function, place if isinstance(result, Tuple) else None, args, kwargs
            for array in inputs:
                machine.heap.objects[array.buffer].base = _base_type(machine, array)


def _is_made(value: Value, machine: Machine, mark: int) -> TypeGuard[NdArray]:
    """Whether a value is an array with memory of its own, made since `mark`, of which more than its shape decides how
    it lies there, and that is not known. It may be a part of a longer one, if its length was not known at first."""
    if not isinstance(value, NdArray) or len(value.type.shape) < 2 or value.buffer <= mark:
        return False
    if not all(lens.kind == "index" and all(isinstance(part, tuple) for part in lens.params) for lens in value.lenses):
        return False
    info = machine.heap.objects[value.buffer]
    return info.source is None and info.lies.in_rows


def _room(value: Value) -> Value:
    """An array of dynamic length as one that is as long as it may be: it lies in memory in the same order."""
    return value.base if isinstance(value, BoundedArray) else value


def _snapshot(machine: Machine, value: Value) -> Value:
    """An argument as it is now: lists with their contents."""
    value = _room(value)
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list":
        items = machine.heap.read(value.object, "<items>")
        return Tuple(tuple(_snapshot(machine, v) for v in items.items), list) if isinstance(items, Tuple) else value
    if isinstance(value, Tuple):
        return Tuple(tuple(_snapshot(machine, v) for v in value.items), value.cls)
    return value


def _arrays(values: Sequence[Value]) -> list[NdArray]:
    """The arrays with axes among values, and in the tuples and lists among them."""
    found = []
    for value in values:
        if isinstance(value, NdArray):
            found.append(value)
        elif isinstance(value, Tuple):
            found += _arrays(value.items)
    return found


def _settled(machine: Machine, buffer: int) -> Object:
    """An object whose order is known as far as NumPy says it."""
    info = machine.heap.objects[buffer]
    if info.maker is not None:
        (function, place, args, kwargs), info.maker = info.maker, None
        found = set()
        try:
            for strides in _combinations(machine, _arrays((*args, *kwargs.values()))):
                with np.errstate(all="ignore"), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    named = {k: _real(machine, v, strides) for k, v in kwargs.items()}
                    given = function(*(_real(machine, v, strides) for v in args), **named)
                    made = given if place is None else given[place]
                found.add(_order_of(made.strides))
        except Refused:
            raise
        except Exception:
            # arguments that only data knows, or that these elements do not fit: as most of NumPy's functions do it
            return info
        info.lies = Layouts(frozenset(found), info.lies.follows)
    return info


def _base_type(machine: Machine, array: NdArray) -> TensorType:
    """The type of the whole buffer behind an array, which may be one of another state of the heap."""
    heap, number = machine.heap, array.buffer
    info = heap.objects[number]
    elsewhere = info.source is None and (number, "<data>") not in heap.slots
    return info.base if elsewhere and info.base is not None else buffer_type(machine, array)


def _combinations(machine: Machine, arrays: Sequence[NdArray]) -> Iterator[dict[int, tuple[int, ...]]]:
    """How the memory of some arrays may lie: strides by buffer, one dict for each combination."""
    found = {array.buffer: _base_strides(machine, array) for array in arrays}
    if np.prod([len(several) for several in found.values()]) > _MOST_COMBINATIONS:
        raise undecided()
    for strides in itertools.product(*found.values()):
        yield dict(zip(found, strides, strict=True))


def _order_of(strides: Sequence[int]) -> tuple[int, ...]:
    """The axes from slowest to fastest; none for C order."""
    return _shortened(tuple(int(axis) for axis in np.argsort([-abs(s) for s in strides], kind="stable")))


def _shortened(order: tuple[int, ...]) -> tuple[int, ...]:
    return () if order == tuple(range(len(order))) else order


def _real(machine: Machine, value: Value, strides: dict[int, tuple[int, ...]]) -> Any:
    """A real argument that lies in memory as the abstract one does; its elements are zero, or True."""
    match value:
        case Const():
            return value.value
        case Scalar():
            return value.kind(1)
        case NumpyScalar():
            return value.var.type.dtype.type(1)
        case Tuple():
            return value.cls(_real(machine, item, strides) for item in value.items)
        case Slice():
            return slice(*(_real(machine, part, strides) for part in value.children()))
        case NdArray():
            model = _model_of(machine, value, strides)
            spans = [s * (n - 1) for s, n in zip(model.strides, model.shape, strict=True)]
            if model.size == 0:
                return np.zeros(model.shape, model.dtype)
            if sum(map(abs, spans)) > _MOST_BYTES:
                raise TypeError("too large")
            # ones in masks, which select something then
            memory = np.full(sum(map(abs, spans)) + model.itemsize, model.dtype == bool, np.int8)
            start = -sum(span for span in spans if span < 0)
            return np.ndarray(model.shape, model.dtype, memory, start, model.strides)
    raise TypeError(value)


def is_plain(machine: Machine, value: Value) -> bool:
    """Whether an array is certainly in C order, without asking NumPy."""
    if not isinstance(value, NdArray):
        return True
    info = _settled(machine, value.buffer)
    if not info.lies.in_rows or (isinstance(info.real, np.ndarray) and not info.real.flags.c_contiguous):
        return False
    return all(lens.kind == "index" for lens in value.lenses)


def keep_order(machine: Machine, result: NdArray, inputs: Sequence[Value]) -> NdArray:
    """Record the memory order (order='K') of an element-wise result of `inputs`."""
    if len(result.type.shape) < 2 or any(0 in v.type.shape for v in inputs if isinstance(v, NdArray)):
        return result
    if all(is_plain(machine, v) for v in inputs):
        machine.heap.objects[result.buffer].lies = Layouts(follows=_followed(machine, inputs))
        return result
    arrays = [v for v in inputs if isinstance(v, NdArray)]
    found = set()
    for strides in _combinations(machine, arrays):
        found.add(_allocated_order(result.type.shape, [_model_of(machine, array, strides) for array in arrays]))
    machine.heap.objects[result.buffer].lies = Layouts(frozenset(found))
    return result


def _followed(machine: Machine, inputs: Sequence[Value]) -> frozenset[Source]:
    """The arrays of the caller's that have to lie in C order for an element-wise result of `inputs` to lie so."""
    found: frozenset[Source] = frozenset()
    for value in inputs:
        if isinstance(value, NdArray) and len(value.type.shape) > 1:
            info = machine.heap.objects[value.buffer]
            is_found = isinstance(info.real, np.ndarray) and info.source is not None
            found |= {info.found} if is_found else info.lies.follows
    return found


def _rely_on_order(machine: Machine, info: Object) -> None:
    """Use the program only where the arrays that another one is laid out after are in C order."""
    if hasattr(machine, "world"):
        for source in info.lies.follows:
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
    """A real array with the shape and strides that `array` has under NumPy. Its elements must not be touched.

    Raises:
        Refused: two paths that the program may have taken lay the array out differently.
    """
    found = _layout_models(machine, array)
    if len(found) > 1:
        raise undecided()
    return found[0]


def undecided() -> Refused:
    """The refusal of an array whose memory order depends on the branch that was taken."""
    return Refused(
        "XP0012",
        "how an array lies in memory, which depends on the path that the program has taken",
        "give the array one order, with np.ascontiguousarray",
    )


def _layout_models(machine: Machine, array: NdArray) -> list[np.ndarray]:
    """The same for each of the ways in which the array may lie."""
    found = {}
    for strides in _base_strides(machine, array):
        model = _model_of(machine, array, {array.buffer: strides})
        found[model.strides] = model
    return list(found.values())


def _agreed(machine: Machine, array: NdArray, question: Callable[[np.ndarray], T]) -> T | None:
    """What is true of the array however it may lie; None if that depends on it."""
    answers = {question(model) for model in _layout_models(machine, array)}
    return answers.pop() if len(answers) == 1 else None


def _certain(machine: Machine, array: NdArray, question: Callable[[np.ndarray], T]) -> T:
    """The same where the program depends on it."""
    found = _agreed(machine, array, question)
    if found is None:
        raise undecided()
    return found


def _base_strides(machine: Machine, array: NdArray) -> list[tuple[int, ...]]:
    """The strides that the memory of an array may have, as the array that was made with it has them."""
    base = _base_type(machine, array)
    info = _settled(machine, array.buffer)
    if isinstance(info.real, np.ndarray) and info.real.shape == base.shape:
        if info.source is not None:
            _guard_strides(machine, info)
        return [_strides_here(machine, info.real)]
    _rely_on_order(machine, info)
    return list(dict.fromkeys(_strides(base, order) for order in info.lies.ways))


def _strides_here(machine: Machine, real: np.ndarray) -> tuple[int, ...]:
    """The strides of an array of the caller's, as the type of its elements in the program would have them."""
    itemsize = machine.builder.narrowed(real.dtype).itemsize
    return tuple(step * itemsize // real.itemsize for step in real.strides) if real.itemsize else real.strides


def _guard_strides(machine: Machine, info: Object) -> None:
    """Use the program only where an array of the caller's has the strides that it has now."""
    if hasattr(machine, "world"):
        machine.world.guard("equal", attribute(info.found, "strides"), info.real.strides)


def _model_of(machine: Machine, array: NdArray, strides: dict[int, tuple[int, ...]]) -> np.ndarray:
    """A model of an array, given the strides of its memory."""
    base = _base_type(machine, array)
    model = _model(base.shape, strides[array.buffer], base.dtype)
    for lens in array.lenses:
        model = _model_through(model, lens)
    return model


def join_layouts(machine: Machine, number: int, joined: Sequence[int]) -> bool:
    """Record that the array in the buffer `number` lies in memory as one of those in `joined` does, of which it may be
    one itself; whether it may lie in ways that were not known of it."""
    info = machine.heap.objects[number]
    lies = functools.reduce(operator.or_, (_lies(machine, other) for other in joined))
    if lies == info.lies:
        return False
    info.lies = lies
    return True


def _lies(machine: Machine, number: int) -> Layouts:
    """How the array that was made with a buffer may lie."""
    info = _settled(machine, number)
    if not isinstance(info.real, np.ndarray) or info.source is None:
        return info.lies
    if info.real.flags.c_contiguous:
        return Layouts(follows=frozenset((info.found,)))
    _guard_strides(machine, info)
    return Layouts(frozenset((Strides(_strides_here(machine, info.real)),)))


def layouts(machine: Machine, array: NdArray, data: Value) -> Layouts:
    """How a copy of an array's elements has to lie that stands for the array; `data` is what is in its buffer."""
    lies = _lies(machine, array.buffer)
    if not array.lenses:
        return lies
    machine.heap.objects[array.buffer].base = number_var(data).type
    found = {model.strides: model for model in _layout_models(machine, array)}.values()
    ways = {() if model.flags.c_contiguous else Strides(model.strides) for model in found}
    return Layouts(frozenset(ways), lies.follows)


def stands_for(machine: Machine, copy: NdArray, arrays: Sequence[NdArray]) -> NdArray:
    """An array that has been made to stand for one of several: it lies as that one does, as far as anyone can tell."""
    found = (layouts(machine, array, machine.heap.read(array.buffer, "<data>")) for array in arrays)
    machine.heap.objects[copy.buffer].lies = functools.reduce(operator.or_, found)
    return copy


def _strides(base: TensorType, order: Layout) -> tuple[int, ...]:
    """Strides of an array that lies so."""
    if isinstance(order, Strides):
        if len(order.steps) == len(base.shape):
            return order.steps
        order = ()
    axes = order if len(order) == len(base.shape) else tuple(range(len(base.shape)))
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
                    tuple(lens.params), _strides(TensorType(tuple(lens.params), model.dtype), ()), model.dtype
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


#: whether `np.reshape` has the keyword `copy`, as from NumPy 2.1 on
_MAY_REFUSE_COPIES = "copy" in inspect.signature(np.reshape).parameters


def reshape_in_place(model: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """`model.reshape(shape)` if that is a view under NumPy, else ValueError. Never touches elements.

    NumPy itself decides, from the strides, on an array of one byte an element would be too large for huge shapes: so
    the model stays strided over nothing and `copy=False` makes NumPy refuse instead of copying.
    """
    if _MAY_REFUSE_COPIES:
        return np.reshape(model, shape, copy=False)
    view = model.view()
    try:
        view.shape = shape
    except AttributeError as error:
        raise ValueError(str(error)) from error
    return view


def can_reshape_in_place(machine: Machine, array: NdArray, shape: tuple[int, ...]) -> bool | None:
    """Whether NumPy's `reshape` of this array is a view; None if that depends on the path taken."""
    info = _settled(machine, array.buffer)
    if not array.lenses and info.source is None and info.lies.in_rows:
        _rely_on_order(machine, info)
        return True
    return _agreed(machine, array, lambda model: _reshapes_in_place(model, shape))


def can_ravel_in_place(machine: Machine, array: NdArray) -> bool | None:
    """Whether NumPy's `ravel` of this array is a view; None if that depends on the path taken."""
    size = (int(np.prod(array.type.shape, dtype=np.int64)),)
    return _agreed(
        machine, array, lambda model: model.flags.c_contiguous and (model.ndim == 1 or _reshapes_in_place(model, size))
    )


def _reshapes_in_place(model: np.ndarray, shape: tuple[int, ...]) -> bool:
    try:
        reshape_in_place(model, shape)
    except ValueError:
        return False
    return True


def perhaps_a_view(machine: Machine, array: NdArray, copy: NdArray) -> NdArray:
    """What is a view of an array on some paths and a copy on others: a copy, until one of them is written.

    Raises:
        Refused: one of them is.
    """
    if not machine.heap.optimistic:
        raise undecided()
    machine.heap.entangled |= {array.buffer, copy.buffer}
    return copy


def is_c_contiguous(machine: Machine, array: NdArray) -> bool:
    """`array.flags.c_contiguous`."""
    return _certain(machine, array, lambda model: model.flags.c_contiguous)


def lies(machine: Machine, array: NdArray, order: object) -> bool:
    """Whether an array lies in memory as `order`, an argument of np.asarray, asks."""
    if order not in ("C", "F"):
        return True
    return _certain(machine, array, lambda m: m.flags.c_contiguous if order == "C" else m.flags.f_contiguous)


def arranged(machine: Machine, result: NdArray, source: Value | None, order: object) -> NdArray:
    """Record the memory order of a fresh array, a copy of `source`, for an argument `order` ('C', 'F', 'A' or 'K')."""
    if order == "A" and isinstance(source, NdArray) and layout_model(machine, source).flags.fnc:
        order = "F"
    if order in ("K", None) and isinstance(source, NdArray):
        return keep_order(machine, result, (source,))
    if order not in ("C", "F", "A", "K", None):
        raise Refused("XP0011", f"order={order!r}")
    return set_order(machine, result, tuple(range(len(result.type.shape)))[:: -1 if order == "F" else 1])


def set_strides(machine: Machine, array: NdArray, strides: tuple[int, ...]) -> NdArray:
    """Record that a fresh array lies in memory with other things between its elements."""
    machine.heap.objects[array.buffer].lies = Layouts(frozenset((Strides(strides),)))
    return array


def set_order(machine: Machine, array: NdArray, order: tuple[int, ...]) -> NdArray:
    """Record that a fresh array lies in memory with its axes in `order` (slowest first)."""
    machine.heap.objects[array.buffer].lies = Layouts(frozenset((_shortened(order),)))
    return array
