"""Matrices of vectors of dynamic length, or of dynamic size themselves: np.eye, np.diag, np.vander, np.meshgrid."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.bounded_creation import is_dynamic
from xlapy.dispatch.bounded.library_functions import MOST_PAIRS, in_python
from xlapy.dispatch.numpy.rule_operands import absent, known, known_index, sequence_items
from xlapy.domain.numbers import interval
from xlapy.domain.values import BoundedArray, Const, Tuple

# -- of a size --------------------------------------------------------------------------------------------------------


def _eye(N, M=None, k=0, dtype=float):  # noqa: N803
    return (np.arange(N)[:, None] + k == np.arange(N if M is None else M)).astype(dtype)


def _tri(N, M=None, k=0, dtype=float):  # noqa: N803
    return (np.arange(N)[:, None] + k >= np.arange(N if M is None else M)).astype(dtype)


def _of_size(item, implementation) -> None:
    before = registry.function_rule(item)

    def rule(machine, /, *args, **kwargs):
        kwargs = {name: value for name, value in kwargs.items() if not absent(value)}
        sizes = [v for v in args[:2] if is_dynamic(machine, v)]
        room = np.prod([interval(v)[1] for v in sizes] * (2 if len(args) < 2 or absent(args[1]) else 1))
        named = implementation.__code__.co_varnames[: implementation.__code__.co_argcount]
        if not sizes or len(args) > len(named) or not set(kwargs) <= {"k", "dtype"} & set(named) or room > MOST_PAIRS:
            return registry.passed_on(before, machine, *args, **kwargs)
        return machine.call(Const(implementation), args, kwargs)

    registry.function(item)(rule)


_of_size(np.eye, _eye)
_of_size(np.tri, _tri)


def _indices(dimensions, dtype=int, sparse=False):
    axes = []
    for k, size in enumerate(dimensions):
        axes.append(np.arange(size).astype(dtype)[(None,) * k + (slice(None),) + (None,) * (len(dimensions) - 1 - k)])
    if sparse:
        return tuple(axes)
    grids = np.empty((len(axes), *dimensions), dtype)
    for k in range(len(axes)):
        grids[k] = axes[k]
    return grids


_indices_before = registry.function_rule(np.indices)


@registry.function(np.indices)
def _indices_rule(machine, dimensions, *args, **kwargs):
    items = sequence_items(machine, dimensions)
    if items is None or not any(is_dynamic(machine, v) for v in items):
        return registry.passed_on(_indices_before, machine, dimensions, *args, **kwargs)
    return machine.call(Const(_indices), (Tuple(tuple(items)), *args), kwargs)


# -- parts of a matrix ------------------------------------------------------------------------------------------------


def _diagonal_matrix(v, k):
    if k > 0:
        v = np.concatenate((np.zeros(k, v.dtype), v))
    elif k < 0:
        v = np.concatenate((v, np.zeros(-k, v.dtype)))
    places = np.arange(len(v))
    return np.where(places[:, None] + k == places, v, np.zeros(1, v.dtype))


def _diagonal(machine, a, offset=0):
    """np.diagonal: a view of the room, where rows and columns have the same lanes, or begin at the front."""
    place = known_index(machine, offset)
    if not isinstance(a, BoundedArray) or len(a.axes) != 2:
        raise require_static(machine, first_of((a, offset), {}), "np.diagonal of such arrays")
    rows, columns = a.axes
    shape = a.base.type.shape
    front = all(x is None or (x.valid is None and isinstance(x.start, int) and x.start == 0) for x in a.axes)
    alike = rows is not None and columns is not None and shape[0] == shape[1] and masked_axes.same_lanes(rows, columns)
    view = machine.call(Const(np.diagonal), (a.base, Const(place)))
    if alike and place == 0:
        return masked_axes.made(machine, view, (rows,))
    if not front:
        raise require_static(machine, a, "np.diagonal of such selections")
    sizes = [masked_axes.length_int(machine, x, n) for x, n in zip(a.axes, shape, strict=True)]
    cut = [
        masked_axes.subtract(machine, n, masked_axes.known_int(max(s, 0)))
        for n, s in zip(sizes, (-place, place), strict=True)
    ]
    most = masked_axes.known_int(max(view.type.shape[0], 0))
    shorter = masked_axes.clip(
        machine, cut[0], masked_axes.known_int(0), masked_axes.Int(masked_axes.var_of(machine, cut[1]), 0, most.high)
    )
    length = masked_axes.clip(machine, shorter, masked_axes.known_int(0), most)
    return masked_axes.made(machine, view, (masked_axes.Lanes(masked_axes.var_of(machine, length)),))


def _diag(machine, v, k=0):
    if isinstance(v, BoundedArray) and len(v.axes) == 1:
        if v.base.type.shape[0] ** 2 > MOST_PAIRS:
            raise require_static(machine, v, "np.diag of so many elements")
        return machine.call(Const(_diagonal_matrix), (v, Const(known_index(machine, k))))
    return _diagonal(machine, v, k)


def _trace(machine, a, offset=0):
    if not isinstance(a, BoundedArray) or len(a.axes) != 2:
        raise require_static(machine, first_of((a, offset), {}), "np.trace of such arrays")
    var, axes = masked_axes.compacted(machine, a)
    zeros = machine.builder.broadcast(machine.builder.constant(0, var.type.dtype), var.type.shape)
    return machine.call(
        Const(np.trace),
        (machine.new_array(masked_axes.select_valid(machine, var, zeros, axes)), Const(known(machine, offset))),
    )


registry.function(np.diagonal, kind=DYNAMIC_LENGTH)(_diagonal)
registry.method(np.ndarray, "diagonal", kind=DYNAMIC_LENGTH)(_diagonal)
registry.function(np.diag, kind=DYNAMIC_LENGTH)(_diag)
registry.function(np.trace, kind=DYNAMIC_LENGTH)(_trace)
registry.method(np.ndarray, "trace", kind=DYNAMIC_LENGTH)(_trace)

# -- of vectors -------------------------------------------------------------------------------------------------------


def _vander(x, N, increasing=False):  # noqa: N803
    dtype = np.promote_types(x.dtype, int)
    powers = [np.ones(len(x), dtype)]
    for _ in range(N - 1):
        powers.append((powers[-1] * x).astype(dtype))
    return np.column_stack(powers if increasing else powers[::-1])


def _kron(a, b):
    a, b = np.asarray(a), np.asarray(b)
    size = len(b)
    place = np.arange(len(a) * size)
    size = max(size, 1)
    return a[place // size] * b[place % size]


in_python(np.vander, _vander, "x", kinds="iufc")
in_python(np.kron, _kron, "a b", pairs=True, kinds="iufc")


def _meshgrid(*xi, copy=True, sparse=False, indexing="xy"):
    count = len(xi)
    places = list(range(count))
    if indexing == "xy" and count > 1:
        places[0], places[1] = 1, 0
    spread = []
    for x, place in zip(xi, places, strict=True):
        key: list[slice | None] = [None] * count
        key[place] = slice(None)
        spread.append(x[tuple(key)])
    if sparse:
        return tuple([x.copy() for x in spread])
    whole = np.ones((1,) * count, bool)
    for x in spread:
        whole = whole | (x == x)
    return tuple([np.where(whole, x, x) for x in spread])


def _grid(machine, *xi, copy=True, sparse=False, indexing="xy"):
    arrays = [machine.call(Const(np.asarray), (x,)) for x in xi]
    rooms = [masked_axes.taken_apart(machine, x)[0].type.shape for x in arrays]
    plain = absent(copy) or copy is True or known(machine, copy)
    sparse, indexing = bool(known(machine, sparse)), known(machine, indexing)
    if (
        any(len(r) != 1 for r in rooms)
        or not plain
        or not sparse
        and np.prod([float(r[0]) for r in rooms]) > MOST_PAIRS
    ):
        raise require_static(machine, first_of(xi, {}), "np.meshgrid of such arrays")
    return machine.call(Const(_meshgrid), arrays, {"sparse": Const(sparse), "indexing": Const(indexing)})


registry.function(np.meshgrid, kind=DYNAMIC_LENGTH)(_grid)


def _cross(a, b):
    if b.ndim == 1:
        x, y, z = b[0], b[1], b[2]
    else:
        x, y, z = b[:, 0], b[:, 1], b[:, 2]
    if a.ndim == 1:
        u, v, w = a[0], a[1], a[2]
    else:
        u, v, w = a[:, 0], a[:, 1], a[:, 2]
    return np.column_stack([v * z - w * y, w * x - u * z, u * y - v * x])


def _cross_rule(machine, a, b):
    for value in (a, b):
        found = masked_axes.parts(machine, value)
        if found is None or len(found[1]) not in (1, 2) or found[0].type.shape[-1] != 3 or found[1][-1] is not None:
            raise require_static(machine, first_of((a, b), {}), "np.cross of such arrays")
    return machine.call(Const(_cross), (a, b))


registry.function(np.cross, kind=DYNAMIC_LENGTH)(_cross_rule)
