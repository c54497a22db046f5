"""Arrays that grow in loops by what is appended, in the room that they keep.

    out = np.append(out, v)

makes an array with more room, of which the next iteration takes over no more than the first had: what is appended can
be stored into the old room then, one element for `np.append(out, v)`, and no array is copied. Under a condition the
array comes out of a branch, which gives one of each size.
"""

from __future__ import annotations

import jax.numpy as jnp
from jax import lax

from xlapy.dispatch.protocol import Machine
from xlapy.ir import Operation, Var

#: the kinds of operations that are found again
APPENDED, RESIZED = "append_in_room", "resize_room"


def one_after_another(machine: Machine, parts: list[Var], places: list[Var], axis: int) -> Var:
    """The first array, and each of the others behind it at its place."""
    return machine.leaf(_joined, (*parts, *places), (len(parts), axis), name=APPENDED)[0]


def resized(machine: Machine, var: Var, shape: tuple[int, ...]) -> Var:
    """An array with other sizes, what it has in both being the same."""
    kept = _in_old_room(machine, var, shape)
    return machine.leaf(_resized, (var,), (shape,), name=RESIZED)[0] if kept is None else kept


def _in_old_room(machine: Machine, var: Var, shape: tuple[int, ...]) -> Var | None:
    """The array made anew, without more room than `shape`, if it comes from one of that shape."""
    owner = var.owner
    if not isinstance(owner, Operation):
        return None
    if owner.kind == "if":
        return _after_branch(machine, owner, owner.results.index(var), shape)
    if not _shrinks_back(owner, var, shape):
        return None
    if owner.kind == RESIZED:
        return owner.operands[0]
    axis = next((k for k, (n, m) in enumerate(zip(var.type.shape, shape, strict=True)) if n != m), 0)
    count = (len(owner.operands) + 1) // 2
    return machine.leaf(_stored, owner.operands, (count, axis))[0]


def _shrinks_back(owner: Operation, var: Var, shape: tuple[int, ...]) -> bool:
    if owner.kind not in (APPENDED, RESIZED):
        return False
    larger = all(n >= m for n, m in zip(var.type.shape, shape, strict=True))
    return larger and owner.operands[0].type.shape == shape


def _after_branch(machine: Machine, branch: Operation, place: int, shape: tuple[int, ...]) -> Var | None:
    """A result of a branch of this region, in whose arms the array is made in the old room; one more result."""
    builder = machine.builder
    if not any(branch is operation for operation in builder.region.operations):
        return None
    made = [arm.results[place] for arm in branch.regions]
    for var, arm in zip(made, branch.regions, strict=True):
        owner = var.owner
        if var.depth != arm.depth or not isinstance(owner, Operation) or not _shrinks_back(owner, var, shape):
            return None
    for var, arm in zip(made, branch.regions, strict=True):
        with builder.inside(arm):
            arm.results.append(resized(machine, var, shape))
    result = Var(branch.regions[0].results[-1].type, branch, builder.region.depth)
    branch.results.append(result)
    return result


def _resized(x, shape):
    x = x[tuple(slice(0, n) for n in shape)]
    pads = [(0, n - m, 0) for m, n in zip(x.shape, shape, strict=True)]
    return lax.pad(x, jnp.zeros((), x.dtype), pads)


def _joined(*rest):
    *values, count, axis = rest
    first, *parts = values[:count]
    pads = [(0, 0, 0)] * first.ndim
    pads[axis] = (0, sum(p.shape[axis] for p in parts), 0)
    whole = lax.pad(first, jnp.zeros((), first.dtype), pads)
    for part, place in zip(parts, values[count:], strict=True):
        whole = lax.dynamic_update_slice_in_dim(whole, part, place, axis)
    return whole


def _stored(*rest):
    """The same in the room of the first; what has no room there is of no lane."""
    *values, count, axis = rest
    whole, *parts = values[:count]
    room = whole.shape[axis]
    for part, place in zip(parts, values[count:], strict=True):
        size = part.shape[axis]
        if size > room:
            return _resized(_joined(*rest), whole.shape)
        start = jnp.clip(place, 0, room - size)
        old = lax.dynamic_slice_in_dim(whole, start, size, axis)
        if size == 1:
            new = jnp.where(place < room, part, old)
        else:
            pads = [(size, 0, 0) if k == axis else (0, 0, 0) for k in range(part.ndim)]
            shifted = lax.pad(part, jnp.zeros((), part.dtype), pads)
            shifted = lax.dynamic_slice_in_dim(shifted, size - jnp.minimum(place - start, size), size, axis)
            new = jnp.where(lax.broadcasted_iota(place.dtype, part.shape, axis) + start >= place, shifted, old)
        whole = lax.dynamic_update_slice_in_dim(whole, new, start, axis)
    return whole
