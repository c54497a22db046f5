"""Views: an array is a buffer and a chain of lenses that lead from the buffer to the array's elements.

Every lens can be read through (`read_lens`) and written through (`write_lens`, which gives the new base). The kinds:

    index      ((start, step, length), ...), one triple a dimension of the base; `start` may be a device scalar, and
               lies in range; length -1 is an integer index, which drops its dimension
    transpose  permutation of the axes
    reshape    new shape, of an array whose elements lie so in memory that NumPy gives a view
    flat       the number of elements; what is indexed of it is a copy
    real, imag of a complex array
    diagonal   (offset, axis1, axis2)
    broadcast  new shape; read only
    bitcast    another dtype of the same size
    windows    (window shape, axes), `sliding_window_view`; read only
    strided    (shape, steps, first), `as_strided`: places and steps count elements of the base in C order

Indices move to the front of the chain, since an index into the buffer is one in-place slice for XLA.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import JaxArray, Lens, NdArray, number_var
from xlapy.ir import TensorType, Var, defining

#: a strided write that leaves at least this many elements for each it changes is a scatter; measured on CPU
_SPARSE = 4

Dim = tuple  # (start: int | Var, step: int, length: int)


# -- types -----------------------------------------------------------------------------------------------------------


def lens_type(lens: Lens, base: TensorType) -> TensorType:
    """The type of what a lens shows of a base of type `base`."""
    shape, dtype = base.shape, base.dtype
    match lens.kind:
        case "index":
            shape = tuple(length for _, _, length in lens.params if length >= 0)
        case "transpose":
            shape = tuple(shape[axis] for axis in lens.params)
        case "reshape" | "flat" | "broadcast":
            shape = tuple(lens.params)
        case "real" | "imag":
            dtype = np.dtype(f"f{dtype.itemsize // 2}")
        case "bitcast":
            (dtype,) = lens.params
        case "windows":
            extents, axes = lens.params
            sizes = list(shape)
            for extent, axis in zip(extents, axes, strict=True):
                sizes[axis] -= extent - 1
            shape = (*sizes, *extents)
        case "strided":
            shape = lens.params[0]
        case "diagonal":
            shape = _diagonal_model(lens, shape).shape
        case _:
            raise Refused("XP0012", f"a view of kind {lens.kind!r}")
    return TensorType(shape, dtype)


def _diagonal_model(lens: Lens, shape: tuple[int, ...]) -> np.ndarray:
    return np.broadcast_to(np.False_, shape).diagonal(*lens.params)


def _types(base: TensorType, lenses: tuple[Lens, ...]) -> list[TensorType]:
    found = [TensorType(base.shape, base.dtype)]
    for lens in lenses:
        found.append(lens_type(lens, found[-1]))
    return found


def buffer_type(machine: Machine, array: NdArray) -> TensorType:
    """The type of the whole buffer behind an array."""
    return number_var(machine.heap.read(array.buffer, "<data>")).type


# -- whole arrays ----------------------------------------------------------------------------------------------------


def read_view(machine: Machine, array: NdArray) -> Var:
    """The elements of an array as they are now."""
    var = number_var(machine.heap.read(array.buffer, "<data>"))
    for lens in array.lenses:
        var = read_lens(machine, var, lens)
    return var


def write_view(machine: Machine, array: NdArray, var: Var) -> None:
    """Replace all elements of an array; `var` has its shape and dtype."""
    require_told(machine, array)
    var = machine.builder.convert(var, var.type.dtype)
    bases: list[Var] = []
    if array.lenses:
        bases.append(number_var(machine.heap.read(array.buffer, "<data>")))
        for lens in array.lenses[:-1]:
            bases.append(read_lens(machine, bases[-1], lens))
    for base, lens in zip(reversed(bases), reversed(array.lenses), strict=True):
        var = write_lens(machine, base, lens, var)
    machine.heap.write(array.buffer, "<data>", JaxArray(var))


def make_view(machine: Machine, array: NdArray, lens: Lens | None, type: TensorType, writeable: bool = True) -> NdArray:
    """A new array object that shows `array` through one more lens; `type` is the type of the view."""
    lenses = array.lenses
    if lens is not None:
        lenses = _append(machine, lenses, lens, _types(buffer_type(machine, array), lenses))
    made = NdArray(array.buffer, lenses, type, machine.heap.identity(), array.writeable and writeable)
    if machine.heap.may_be_locked(array):
        machine.heap.locked.add(made.identity)
    return made


def require_told(machine: Machine, array: NdArray) -> None:
    """Refuse to write an array, or to say whether it may be written, that a function which it was passed to may have
    made read-only."""
    if machine.heap.may_be_locked(array):
        what = "an array is written that a function which it was passed to may have made read-only"
        raise Refused("XP0010", what, "write to a copy")


def view(machine: Machine, array: NdArray, kind: str, params: tuple, writeable: bool = True) -> NdArray:
    """`make_view` with the type worked out."""
    lens = Lens(kind, params)
    return make_view(machine, array, lens, lens_type(lens, array.type), writeable)


def _append(machine: Machine, lenses: tuple[Lens, ...], lens: Lens, types: list[TensorType]) -> tuple[Lens, ...]:
    """The chain with one more lens: indices are merged and moved before transpositions and real or imaginary parts."""
    base = types[-1]
    if _is_identity(lens, base):
        return lenses
    last = lenses[-1] if lenses else None
    if last is None:
        return (lens,)
    if lens.kind == "transpose" and last.kind == "transpose":
        merged = Lens("transpose", tuple(last.params[axis] for axis in lens.params))
        return _append(machine, lenses[:-1], merged, types[:-1])
    if lens.kind == "reshape" and last.kind == "reshape":
        return _append(machine, lenses[:-1], lens, types[:-1])
    if lens.kind == "index":
        if last.kind == "index":
            return _append(machine, lenses[:-1], _compose(machine, last, lens), types[:-1])
        if last.kind in ("real", "imag"):
            return (*_append(machine, lenses[:-1], lens, types[:-1]), last)
        if last.kind == "transpose":
            inner: list = [None] * len(lens.params)
            for position, axis in enumerate(last.params):
                inner[axis] = lens.params[position]
            kept = [axis for axis in last.params if inner[axis][2] >= 0]
            order = tuple(sorted(kept).index(axis) for axis in kept)
            moved = _append(machine, lenses[:-1], Lens("index", tuple(inner)), types[:-1])
            return moved if order == tuple(range(len(order))) else (*moved, Lens("transpose", order))
    return (*lenses, lens)


def _is_identity(lens: Lens, base: TensorType) -> bool:
    match lens.kind:
        case "index":
            return all(_whole(dim, n) for dim, n in zip(lens.params, base.shape, strict=True))
        case "transpose":
            return lens.params == tuple(range(len(base.shape)))
        case "reshape" | "broadcast":
            return lens.params == base.shape
    return False


def _whole(dim: Dim, size: int) -> bool:
    return not isinstance(dim[0], Var) and tuple(dim) == (0, 1, size)


def _compose(machine: Machine, outer: Lens, inner: Lens) -> Lens:
    """The index that first takes `outer`, then `inner` of what is left."""
    remaining = iter(inner.params)
    dims = []
    for start, step, length in outer.params:
        if length < 0:
            dims.append((start, step, length))
            continue
        first, stride, count = next(remaining)
        dims.append((_offset(machine, start, step, first), step * stride if count >= 0 else 1, count))
    return Lens("index", tuple(dims))


def _offset(machine: Machine, start: int | Var, step: int, first: int | Var) -> int | Var:
    """`start + step * first`."""
    if not isinstance(start, Var) and not isinstance(first, Var):
        return start + step * first
    builder = machine.builder
    int64 = np.dtype(np.int64)
    if isinstance(first, Var):
        scaled: int | Var = first if step == 1 else builder.elementwise("mul", first, builder.constant(step, int64))
    else:
        scaled = step * first
    terms = [
        t if isinstance(t, Var) else builder.constant(t, int64) for t in (start, scaled) if isinstance(t, Var) or t
    ]
    return terms[0] if len(terms) == 1 else builder.elementwise("add", *terms)


# -- one lens --------------------------------------------------------------------------------------------------------


def read_lens(machine: Machine, base: Var, lens: Lens) -> Var:
    """What the lens shows of `base`."""
    if lens.kind == "broadcast":
        return machine.builder.broadcast(base, tuple(lens.params))
    if lens.kind == "index":
        starts, dims = split_starts(lens.params)
        return _annotated(machine, machine.leaf(_read_index, (base, *starts), (dims,), name="load")[0], dims)
    return machine.leaf(_READ[lens.kind], (base,), tuple(lens.params), name=lens.kind)[0]


def write_lens(machine: Machine, base: Var, lens: Lens, new: Var) -> Var:
    """`base` with what the lens shows of it replaced by `new`."""
    if lens.kind == "index":
        if all(_whole(dim, n) for dim, n in zip(lens.params, base.type.shape, strict=True)):
            return new
        if 0 in new.type.shape:
            return base
        starts, dims = split_starts(lens.params)
        result = machine.leaf(_write_index, (base, new, *starts), (dims,), name="store")[0]
        return _annotated(machine, result, dims)
    if lens.kind in ("transpose", "reshape", "flat", "bitcast"):
        return machine.leaf(_WRITE[lens.kind], (new,), (base.type, *lens.params), name=lens.kind)[0]
    overlaps = lens.kind == "strided" and not _apart(*lens.params[:2])
    if lens.kind in ("broadcast", "windows") or overlaps:
        raise Refused(
            "XP0012",
            "writing to a view that shows the same elements several times",
            "write to a copy, or to the array itself",
        )
    return machine.leaf(_WRITE[lens.kind], (base, new), tuple(lens.params), name=f"update_{lens.kind}")[0]


def split_starts(params: tuple[Dim, ...]) -> tuple[list[Var], tuple[Dim, ...]]:
    """The dynamic starts of an index, and its dimensions with None in their place."""
    starts = [start for start, _, _ in params if isinstance(start, Var)]
    return starts, tuple((None if isinstance(s, Var) else s, step, length) for s, step, length in params)


def _annotated(machine: Machine, result: Var, dims: tuple[Dim, ...]) -> Var:
    """A load or store that says which part it loads or stores, to the passes; and whether an index that is out of range
    has set the error tag before. Where somebody catches the error, its branch comes after the load."""
    defining(result).attributes.update(index=dims, checked=not machine.catching)
    return result


def _regions(dims: tuple[Dim, ...], starts: tuple) -> tuple[list, list[int]]:
    """Lowest index and extent of the region that an index touches, for each dimension."""
    remaining = iter(starts)
    lows, spans = [], []
    for start, step, length in dims:
        count = 1 if length < 0 else length
        start = next(remaining) if start is None else start
        reach = max(count - 1, 0) * step
        lows.append(start if step > 0 or count <= 1 else start + reach)
        spans.append(0 if count == 0 else abs(reach) + 1)
    return lows, spans


def _read_index(base, *rest):
    *starts, dims = rest
    lows, spans = _regions(dims, tuple(starts))
    strides = [abs(step) for _, step, _ in dims]
    if starts:
        base = _dynamic_slice(base, lows, spans)
        lows = [0] * len(spans)
    lows = [min(max(low, 0), n) for low, n in zip(lows, base.shape, strict=True)]
    if any(s != 1 and n > 1 for s, n in zip(strides, spans, strict=True)) or tuple(spans) != base.shape:
        base = lax.slice(base, lows, [low + span for low, span in zip(lows, spans, strict=True)], strides)
    flipped = [axis for axis, (_, step, length) in enumerate(dims) if step < 0 and length > 1]
    if flipped:
        base = lax.rev(base, flipped)
    dropped = [axis for axis, (_, _, length) in enumerate(dims) if length < 0]
    return lax.squeeze(base, dropped) if dropped else base


def _dynamic_slice(base, lows, spans):
    return lax.dynamic_slice(base, [jnp.asarray(low, jnp.int64) for low in lows], spans, allow_negative_indices=False)


def _dynamic_update(base, new, lows):
    starts = [jnp.asarray(low, jnp.int64) for low in lows]
    return lax.dynamic_update_slice(base, new, starts, allow_negative_indices=False)


def _write_index(base, new, *rest):
    *starts, dims = rest
    lows, spans = _regions(dims, tuple(starts))
    new = lax.reshape(new, [1 if length < 0 else length for _, _, length in dims])
    flipped = [axis for axis, (_, step, length) in enumerate(dims) if step < 0 and length > 1]
    if flipped:
        new = lax.rev(new, flipped)
    gaps = [abs(step) if span > 1 else 1 for (_, step, _), span in zip(dims, spans, strict=True)]
    if all(gap == 1 for gap in gaps):
        if new.shape == base.shape:
            return new
        if not starts and 2 * new.size >= base.size:
            return _overlay(base, new, lows)
        return _dynamic_update(base, new, lows)
    if gaps[-1] == 1 or np.prod(gaps) >= _SPARSE:
        options = {"indices_are_sorted": True, "unique_indices": True, "mode": "promise_in_bounds"}
        if not starts:
            key = tuple(slice(low, low + span, gap) for low, span, gap in zip(lows, spans, gaps, strict=True))
            return base.at[key].set(new, **options)
        region = _dynamic_slice(base, lows, spans)
        key = tuple(slice(0, span, gap) for span, gap in zip(spans, gaps, strict=True))
        region = region.at[key].set(new, **options)
        return _dynamic_update(base, region, lows)
    whole = tuple(spans) == base.shape
    region = base if whole else _dynamic_slice(base, lows, spans)
    region = _interleave(region, new, gaps)
    return region if whole else _dynamic_update(base, region, lows)


def _overlay(base, new, lows):
    """`base` with a block of it from `new`: a select, which fuses with what made `new` and needs no copy of `base`.

    For blocks of at least half the array; a stencil's update is three times as fast so as a dynamic-update-slice.
    """
    edges = [(low, n - low - span, 0) for low, span, n in zip(lows, new.shape, base.shape, strict=True)]
    inside: Any = None
    for axis, (low, span, n) in enumerate(zip(lows, new.shape, base.shape, strict=True)):
        if span < n:
            # functions of lax, which the tracer meets directly: this is the most frequent store
            index = lax.broadcasted_iota(np.int32, base.shape, axis)
            for hit in (lax.ge(index, np.int32(low)), lax.lt(index, np.int32(low + span))):
                inside = hit if inside is None else lax.bitwise_and(inside, hit)
    return lax.select(inside, lax.pad(new, np.zeros((), new.dtype), edges), base)


def _interleave(region, new, gaps):
    """`region` with every `gaps`-th element from `new`: a select, which fuses with what made `new`."""
    split = [n for pair in zip(new.shape, (1,) * new.ndim, strict=True) for n in pair]
    repeated = [n for pair in zip(new.shape, gaps, strict=True) for n in pair]
    extents = [n * gap for n, gap in zip(new.shape, gaps, strict=True)]
    spread = jnp.broadcast_to(new.reshape(split), repeated).reshape(extents)
    spread = lax.slice(spread, [0] * new.ndim, region.shape)
    mask: Any = None
    for axis, gap in enumerate(gaps):
        if gap > 1:
            hit = lax.broadcasted_iota(jnp.int32, region.shape, axis) % gap == 0
            mask = hit if mask is None else mask & hit
    return jnp.where(mask, spread, region)


def _read_transpose(base, *axes):
    return lax.transpose(base, axes)


def _write_transpose(new, *rest):
    axes = rest[1:]
    return lax.transpose(new, tuple(int(i) for i in np.argsort(axes)))


def _read_reshape(base, *shape):
    return lax.reshape(base, shape)


def _write_reshape(new, *rest):
    return lax.reshape(new, rest[0].shape)


def _bitcast(x, dtype):
    if "b" in (x.dtype.kind, dtype.kind):
        return x.astype(dtype)
    return lax.bitcast_convert_type(x, dtype)


def _write_bitcast(new, *rest):
    return _bitcast(new, rest[0].dtype)


#: elements of a window that are read by a slice each
_MOST_SLICES = 8


def _read_windows(base, extents, axes):
    for extent, axis in zip(extents, axes, strict=True):
        count = base.shape[axis] - extent + 1
        if extent <= _MOST_SLICES:
            parts = [lax.slice_in_dim(base, k, k + count, axis=axis) for k in range(extent)]
            base = jnp.stack(parts, axis=-1)
        else:
            places = _places((count, extent), (1, 1), 0)
            found = base.at[(slice(None),) * axis + (places,)].get(mode="promise_in_bounds")
            base = jnp.moveaxis(found, axis + 1, -1)
    return base


def _apart(shape, steps):
    """Whether no element is seen twice: each step leads over all that the smaller ones reach."""
    reach = 0
    for step, n in sorted((abs(step), n) for step, n in zip(steps, shape, strict=True) if n > 1):
        if step <= reach:
            return False
        reach += step * (n - 1)
    return True


def _places(shape, steps, first):
    """The places of strided elements in the base, which they do not leave."""
    ramps = [lax.broadcasted_iota(jnp.int64, shape, axis) * step for axis, step in enumerate(steps)]
    return sum(ramps, jnp.full(shape, first, jnp.int64))


def _read_strided(base, shape, steps, first):
    return base.reshape(-1).at[_places(shape, steps, first)].get(mode="promise_in_bounds")


def _write_strided(base, new, shape, steps, first):
    flat = base.reshape(-1).at[_places(shape, steps, first)].set(new, mode="promise_in_bounds", unique_indices=True)
    return flat.reshape(base.shape)


def _read_real(base):
    return lax.real(base)


def _read_imag(base):
    return lax.imag(base)


def _write_real(base, new):
    return lax.complex(new, lax.imag(base))


def _write_imag(base, new):
    return lax.complex(lax.real(base), new)


def _read_diagonal(base, offset, axis1, axis2):
    return jnp.diagonal(base, offset, axis1, axis2)


def _write_diagonal(base, new, offset, axis1, axis2):
    moved = jnp.moveaxis(base, (axis1, axis2), (-2, -1))
    rows, columns = moved.shape[-2:]
    length = new.shape[-1]
    first = max(-offset, 0)
    column = lax.pad(new, jnp.zeros((), new.dtype), [(0, 0, 0)] * (new.ndim - 1) + [(first, rows - first - length, 0)])
    shape = (rows, columns)
    hit = lax.broadcasted_iota(jnp.int32, shape, 1) - lax.broadcasted_iota(jnp.int32, shape, 0) == offset
    return jnp.moveaxis(jnp.where(hit, column[..., None], moved), (-2, -1), (axis1, axis2))


_READ: dict[str, Callable] = {
    "transpose": _read_transpose,
    "reshape": _read_reshape,
    "flat": _read_reshape,
    "real": _read_real,
    "imag": _read_imag,
    "diagonal": _read_diagonal,
    "bitcast": _bitcast,
    "windows": _read_windows,
    "strided": _read_strided,
}
_WRITE: dict[str, Callable] = {
    "transpose": _write_transpose,
    "reshape": _write_reshape,
    "flat": _write_reshape,
    "real": _write_real,
    "imag": _write_imag,
    "diagonal": _write_diagonal,
    "bitcast": _write_bitcast,
    "strided": _write_strided,
}
