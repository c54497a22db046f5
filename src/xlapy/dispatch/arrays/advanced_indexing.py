"""Advanced indexing: integer arrays and boolean masks, reading and writing, by NumPy's rules.

The slices of a mixed key are taken first, as a view; then the arrays index the dimensions that are left, with full
slices between them. Where the arrays stand apart, their dimensions come first in the result; else in their place.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.arrays import scalarised_indexing
from xlapy.dispatch.arrays.element_conversion import elements
from xlapy.dispatch.arrays.views import read_view, write_view
from xlapy.dispatch.numpy.rule_operands import broadcast_to, cast, operand, raise_real
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.numbers import known_bounds
from xlapy.domain.values import Const, JaxArray, NdArray, Scalar, Value
from xlapy.ir import Operation, Var, constant_value
from xlapy.ir.value_ranges import elements_between
from xlapy.ir.vectorisation_notes import Lanewise, noted
from xlapy.lowering.jaxprs.kernel_primitives import Kernel
from xlapy.lowering.primitives import scatter_last_wins
from xlapy.lowering.primitives.barrier import loaded

#: indices from which on it is not worth it to look for a wrong one where there is none
_MANY = 4096
#: how many times each element of an array is read that is a table, at least
_TIMES = 4
_INT64 = np.dtype(np.int64)
_BOOL = np.dtype(bool)

Entry = tuple  # ('all',) | ('new',) | ('index', position) | ('mask', position)


def split(machine: Machine, array: NdArray, parts: Sequence[tuple[str, Any]], basic_view: Callable):
    """The view that the slices of a key leave, the advanced key for it, and the index arrays.

    Returns (view, entries, arrays): `entries` has one entry for each part: 'all', 'new', or the number of an array.
    Integers beside arrays are arrays of rank 0.
    """
    basic, entries, arrays = [], [], []
    for kind, value in parts:
        if kind == "new":
            entries.append(("new",))
        elif kind == "int":
            basic.append(("all", None))
            entries.append(("index", len(arrays)))
            arrays.append(_integer(machine, value))
        elif kind == "array":
            mask = value.type.dtype == _BOOL
            basic.extend([("all", None)] * (len(value.type.shape) if mask else 1))
            entries.append(("mask" if mask else "index", len(arrays)))
            arrays.append(value)
        else:
            basic.append((kind, value))
            entries.append(("all",))
    return basic_view(machine, array, basic), tuple(entries), arrays


def _integer(machine: Machine, value: Value) -> Var:
    return machine.builder.convert(operand(machine, value), _INT64)


def take(
    machine: Machine, array: NdArray, entries: tuple[Entry, ...], arrays: list[Var], basic_view: Callable
) -> Value:
    """`array[key]`: always a copy."""
    entries, arrays = _known_masks(machine, array, entries, arrays)
    if any(kind == "mask" for kind, *_ in entries):
        raise Refused(
            "XP0013",
            "the size of array[mask] depends on data",
            "use np.where(mask, array, neutral), or a reduction with where=mask",
        )
    few = scalarised_indexing.at_places(machine, array, entries, arrays, basic_view)
    if few is not None:
        return machine.numpy_result(scalarised_indexing.read(machine, *few))
    arrays = _checked(machine, array, entries, arrays)
    base = read_view(machine, array)
    rule = _take_from_table if _is_table(base, arrays) else _take
    found = machine.leaf(rule, (base, *arrays), (entries,), name="gather")
    if all(kind == "index" for kind, *_ in entries):
        noted(found, Lanewise("map", _take, (entries,), tuple(range(1, len(arrays) + 1))))
    return machine.numpy_result(found[0])


def put(
    machine: Machine,
    array: NdArray,
    entries: tuple[Entry, ...],
    arrays: list[Var],
    value: Value,
    basic_view: Callable,
) -> None:
    """`array[key] = value`; of duplicates the last one stays."""
    masks = [position for kind, *position in entries if kind == "mask"]
    if masks and len(arrays) == 1 and constant_value(arrays[0]) is None:
        _put_mask(machine, array, entries, arrays[0], value)
        return
    entries, arrays = _known_masks(machine, array, entries, arrays)
    if any(kind == "mask" for kind, *_ in entries):
        raise Refused("XP0013", "an assignment to array[mask, indices] whose size depends on data", "use one mask")
    few = scalarised_indexing.at_places(machine, array, entries, arrays, basic_view)
    if few is None:
        arrays = _checked(machine, array, entries, arrays)
    base = read_view(machine, array)
    shape = index_shape(array.type.shape, entries, [v.type.shape for v in arrays])
    new = converted(machine, value, array.type.dtype, shape)
    if few is not None:
        scalarised_indexing.write(machine, *few, new)
        return
    if 0 in shape:
        return
    same = new.type.shape == () or all(n == 1 for n in new.type.shape) or _distinct(arrays)
    new = broadcast_to(machine, new, shape)
    write_view(machine, array, machine.leaf(_put, (base, new, *arrays), (entries, same), name="scatter")[0])


def converted(machine: Machine, value: Value, dtype: np.dtype, shape: tuple[int, ...]) -> Var:
    """A value that is assigned to an advanced index, as `dtype`; ValueError where it does not broadcast."""
    if isinstance(value, Const) and isinstance(value.value, int | float | complex | np.generic | str):
        cell = np.empty(1, dtype)
        try:
            with np.errstate(all="ignore"):
                cell[[0]] = value.value
        except Exception as error:
            raise_real(machine, error)
        return machine.builder.constant(cell[0], dtype)
    var = elements(machine, value, dtype)
    source = var.type.shape
    core = source[max(len(source) - len(shape), 0) :]
    extra = source[: len(source) - len(core)]
    if any(a not in (1, b) for a, b in zip(reversed(core), reversed(shape), strict=False)) or any(
        n != 1 for n in extra
    ):
        message = "shape mismatch: value array of shape {} could not be broadcast to indexing result of shape {}"
        machine.raise_(ValueError, message.format(_text(source), _text(shape)))
    return cast(machine, var, dtype)


def _text(shape: tuple[int, ...]) -> str:
    return "(" + ",".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def index_shape(shape: tuple[int, ...], entries: tuple[Entry, ...], arrays: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of `array[key]`, as NumPy itself gives it."""
    model = np.broadcast_to(np.False_, shape)
    zeros = [np.broadcast_to(np.zeros((), np.int64), s) for s in arrays]
    if 0 not in shape:
        return (
            model[_python_key(entries, zeros)].shape if _small(shape, arrays) else _result_shape(shape, entries, arrays)
        )
    return _result_shape(shape, entries, arrays)


def _small(shape: tuple[int, ...], arrays: list[tuple[int, ...]]) -> bool:
    return float(np.prod(shape)) < 1e4 and all(float(np.prod(s)) < 1e4 for s in arrays)


def _result_shape(shape: tuple[int, ...], entries: tuple[Entry, ...], arrays: list[tuple[int, ...]]) -> tuple[int, ...]:
    common = np.broadcast_shapes(*arrays)
    remaining = iter(shape)
    found: list[int | None] = []
    places = []
    for position, (kind, *_) in enumerate(entries):
        if kind == "new":
            found.append(1)
        elif kind == "all":
            found.append(next(remaining))
        else:
            next(remaining)
            places.append(position)
            found.append(None)
    together = places == list(range(places[0], places[-1] + 1))
    start = places[0] if together else 0
    before = [n for n in found[: places[0]] if n is not None] if together else []
    rest = [n for n in found[start if together else 0 :] if n is not None]
    return (*before, *common, *rest)


def _python_key(entries: tuple[Entry, ...], arrays: Sequence) -> tuple:
    items = {"all": slice(None), "new": None}
    return tuple(items[e[0]] if e[0] in items else arrays[e[1]] for e in entries)


def _known_masks(machine: Machine, array: NdArray, entries: tuple[Entry, ...], arrays: list[Var]):
    """Masks that are known at compile time become index arrays."""
    found: list[Entry] = []
    kept: list[Var] = []
    axis = 0
    for kind, *position in entries:
        if kind in ("all", "new"):
            found.append((kind,))
            axis += kind == "all"
            continue
        var = arrays[position[0]]
        constant = constant_value(var) if kind == "mask" else None
        if kind == "mask" and 0 in var.type.shape:
            constant = np.zeros(var.type.shape, bool)
        if kind == "mask":
            _check_mask_shape(machine, array, var.type.shape, axis)
        axis += len(var.type.shape) if kind == "mask" else 1
        if constant is None or constant.ndim == 0:
            found.append((kind, len(kept)))
            kept.append(var)
            continue
        for indices in np.nonzero(constant):
            found.append(("index", len(kept)))
            kept.append(machine.builder.constant(indices, _INT64))
    return tuple(found), kept


def _check_mask_shape(machine: Machine, array: NdArray, shape: tuple[int, ...], axis: int) -> None:
    for offset, n in enumerate(shape):
        size = array.type.shape[axis + offset]
        if n not in (size, 0):  # NumPy takes an empty mask for any dimension
            machine.raise_(
                IndexError,
                f"boolean index did not match indexed array along axis {axis + offset};"
                f" size of axis is {size} but size of corresponding boolean axis is {n}",
            )


# -- integer arrays --------------------------------------------------------------------------------------------------


def _checked(machine: Machine, array: NdArray, entries: tuple[Entry, ...], arrays: list[Var]) -> list[Var]:
    """Index arrays with negative indices wrapped; IndexError where one is out of range or their shapes do not match."""
    try:
        nothing = 0 in np.broadcast_shapes(*(v.type.shape for v in arrays))
    except ValueError:
        shapes = " ".join(_text(v.type.shape) for v in arrays)
        machine.raise_(
            IndexError, f"shape mismatch: indexing arrays could not be broadcast together with shapes {shapes} "
        )
    result = list(arrays)
    axis = 0
    for kind, *position in entries:
        if kind == "index" and not nothing:
            result[position[0]] = in_range(machine, arrays[position[0]], array.type.shape[axis], axis)
        axis += kind != "new"
    return result


def in_range(machine: Machine, index: Var, size: int, axis: int) -> Var:
    """Indices into a dimension, wrapped to be non-negative; IndexError where one is out of range."""
    constant = constant_value(index)
    if constant is not None:
        bad = (constant < -size) | (constant >= size)
        if bad.any():
            first = int(constant[bad].flat[0])
            machine.raise_(IndexError, f"index {first} is out of bounds for axis {axis} with size {size}")
        return (
            machine.builder.constant(np.where(constant < 0, constant + size, constant), _INT64)
            if constant.size
            else index
        )
    if 0 in index.type.shape:
        return index
    bounds = known_bounds(Scalar(int, index)) if index.type.shape == () else elements_between(index)
    if bounds is not None and 0 <= bounds[0] and bounds[1] < size:
        return index
    found = machine.leaf(_wrap, (index,), (size,), name="check_indices")
    wrapped, bad, first = noted(found, Lanewise("check", _wrap, (size,)))
    message = machine.message(
        "index {} is out of bounds for axis {} with size {}",
        Scalar(int, machine.builder.convert(first, _INT64, True)),
        axis,
        size,
    )
    if size == 0:
        machine.raise_(IndexError, message)
    machine.check(bad, IndexError, message)
    return wrapped


def _wrap(index, size):
    bad = (index < -size) | (index >= size)
    wrong = jnp.any(bad)

    def first() -> jax.Array:
        return jnp.ravel(index)[jnp.argmax(jnp.ravel(bad))]

    if index.size > _MANY:
        found = lax.cond(wrong, first, lambda: jnp.zeros((), index.dtype))
    else:
        found = first() if index.ndim else index
    return jnp.where(index < 0, index + size, index), wrong, found


def _distinct(arrays: list[Var]) -> bool:
    """Whether it is known that no element is indexed twice."""
    constants = [known for v in arrays if (known := constant_value(v)) is not None]
    if len(constants) < len(arrays):
        return all(v.type.shape == () for v in arrays)
    if sum(c.size for c in constants) > 1 << 20:
        return False
    stacked = np.stack([c.ravel() for c in np.broadcast_arrays(*constants)])
    return np.unique(stacked, axis=1).shape == stacked.shape


def _jax_key(entries, arrays):
    return _python_key(entries, arrays)


def _is_table(base: Var, arrays: list[Var]) -> bool:
    """Whether far more is read from an array than it holds, and the program computes it."""
    read = max((math.prod(v.type.shape) for v in arrays), default=0)
    computed = isinstance(base.owner, Operation) and constant_value(base) is None
    return computed and read >= _MANY and math.prod(base.type.shape) * _TIMES <= read


def _take_from_table(base, *rest):
    """XLA's CPU backend computes an element of the table each time that it is read, were it not for a branch."""
    return _take(_ONCE(base, rest[0])[0], *rest)


def _once(base, places):
    """The table itself; of the places, XLA does not know that they do not matter, and machine code takes none."""
    return loaded(base, places.reshape(-1)[0])[0]


_ONCE = Kernel("once", _once, given=1)


def _take(base, *rest):
    *arrays, entries = rest
    return base.at[_jax_key(entries, arrays)].get(mode="promise_in_bounds", wrap_negative_indices=False)


def _put(base, new, *rest):
    *arrays, entries, distinct = rest
    key = _jax_key(entries, arrays)
    if distinct:
        return base.at[key].set(new, mode="promise_in_bounds", wrap_negative_indices=False)

    def at_once(base, new):
        order = lax.broadcasted_iota(jnp.int32, (new.size,), 0).reshape(new.shape)
        untouched = jnp.full(base.shape, -1, jnp.int32)
        last = untouched.at[key].max(order, mode="promise_in_bounds", wrap_negative_indices=False)
        chosen = jnp.take(jnp.ravel(new), jnp.maximum(last, 0), mode="clip")
        return jnp.where(last >= 0, chosen, base)

    return scatter_last_wins.put(base, key, new, "promise_in_bounds", at_once)


# -- masks -----------------------------------------------------------------------------------------------------------


def _put_mask(machine: Machine, array: NdArray, entries: tuple[Entry, ...], mask: Var, value: Value) -> None:
    """`array[mask] = value` and `array[:, mask] = value` with a mask that is only known on the device."""
    shape = array.type.shape
    axis = sum(kind == "all" for kind, *_ in entries[: [e[0] for e in entries].index("mask")])
    if any(kind == "new" for kind, *_ in entries):
        raise Refused("XP0013", "an assignment through a mask beside np.newaxis")
    _check_mask_shape(machine, array, mask.type.shape, axis)
    rank = len(mask.type.shape)
    before, after = shape[:axis], shape[axis + rank :]
    base = read_view(machine, array)
    if isinstance(value, Const | Scalar):
        new = converted(machine, value, array.type.dtype, ())
    else:
        new = operand(machine, value)
        new = cast(machine, new, array.type.dtype)
    count_axis = len(after) + 1
    counted = new.type.shape[-count_axis] if len(new.type.shape) >= count_axis else 1
    if counted == 1:
        target = (*before, 1, *after)
        new = broadcast_to(machine, converted(machine, JaxArray(new), array.type.dtype, target), target)
        write_view(machine, array, machine.leaf(_select_mask, (base, mask, new), (axis,), name="select")[0])
        return
    if before:
        raise Refused("XP0013", "an assignment of an array through a mask behind other dimensions")
    number = machine.leaf(_count, (mask,), name="count")[0]
    machine_number = Scalar(int, machine.builder.convert(number, _INT64, True))
    bad = machine.builder.elementwise("ne", number, machine.builder.constant(counted, _INT64))
    if rank == len(shape) and len(new.type.shape) == 1:
        template = (
            f"NumPy boolean array indexing assignment cannot assign {counted} input values to the {{}} output values"
            " where the mask is true"
        )
    else:
        rest = "".join(f",{n}" for n in after) or ","
        template = (
            f"shape mismatch: value array of shape {_text(new.type.shape)} could not be broadcast to indexing result of"
            f" shape ({{}}{rest})"
        )
    machine.check(bad, ValueError, machine.message(template, machine_number))
    target = (counted, *after)
    new = broadcast_to(machine, converted(machine, JaxArray(new), array.type.dtype, target), target)
    write_view(machine, array, machine.leaf(_expand_mask, (base, mask, new))[0])


def _mask_like(mask, base, axis):
    rank = mask.ndim
    return jnp.reshape(mask, (1,) * axis + mask.shape + (1,) * (base.ndim - axis - rank))


def _select_mask(base, mask, new, axis):
    shape = new.shape[:axis] + (1,) * mask.ndim + new.shape[axis + 1 :]
    return jnp.where(_mask_like(mask, base, axis), jnp.reshape(new, shape), base)


def _count(mask):
    return jnp.sum(mask, dtype=jnp.int64)


def _expand_mask(base, mask, new):
    if not new.shape[0]:
        return base
    place = jnp.cumsum(jnp.ravel(mask).astype(jnp.int64)).reshape(mask.shape) - 1
    return jnp.where(_mask_like(mask, base, 0), jnp.take(new, jnp.maximum(place, 0), axis=0, mode="clip"), base)
