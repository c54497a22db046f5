"""Questions about types and shapes, which are answered at compile time."""

from __future__ import annotations

import numbers

import numpy as np

from xlapy.dispatch.arrays.memory_order import layout_model
from xlapy.dispatch.arrays.views import buffer_type
from xlapy.dispatch.numbers.scalar_values import defines, fold
from xlapy.dispatch.numpy.rule_operands import array_type, known, raise_real
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function
from xlapy.domain.host_views import shown
from xlapy.domain.values import BoundedArray, Const, NdArray, Tuple
from xlapy.ir import Var


def _shape_question(*functions):
    for item in functions:

        def rule(machine, a, *args, item=item, **kwargs):
            if isinstance(a, Const):
                return fold(machine, item, a.value, *(known(machine, v) for v in args))
            stand_in = np.broadcast_to(np.zeros((), array_type(machine, a).dtype), array_type(machine, a).shape)
            others = [known(machine, v) for v in args]
            named = {k: known(machine, v) for k, v in kwargs.items()}
            try:
                answer = item(stand_in, *others, **named)
            except Exception as error:
                return raise_real(machine, error)
            return Tuple(tuple(map(Const, answer))) if isinstance(answer, tuple) else Const(answer)

        function(item)(rule)


_shape_question(np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj)


@function(np.lib.array_utils.normalize_axis_index)
def _axis_index(machine, axis, ndim, msg_prefix=None):
    """An axis, non-negative."""
    prefix = () if msg_prefix is None else (known(machine, msg_prefix),)
    try:
        index = np.lib.array_utils.normalize_axis_index(known(machine, axis, "an axis"), known(machine, ndim), *prefix)
    except Exception as error:
        return raise_real(machine, error)
    return Const(index)


#: what is asked of these depends on values, not on types
_BY_VALUE = (np.broadcast_shapes, np.base_repr, np.binary_repr)


def array_shape(machine, args) -> tuple[int, ...]:
    """The shape of the first argument, if it is an array."""
    return getattr(machine.spec(args[0]), "shape", ()) if args else ()


def _dtype_question(item):
    def rule(machine, /, *args, **kwargs):
        by_value = item in _BY_VALUE or item is np.min_scalar_type and not array_shape(machine, args)
        known_args = [known(machine, v, "a number") if by_value else _stand_in(machine, v) for v in args]
        try:
            return Const(item(*known_args, **{k: known(machine, v) for k, v in kwargs.items()}))
        except Exception as error:
            return machine.raise_(type(error), *error.args)

    function(item)(rule)


def _stand_in(machine, value):
    spec = machine.spec(value)
    if isinstance(value, Const) or spec is None:
        return known(machine, value, "a type")
    if isinstance(spec, type):
        return spec(0)
    return np.broadcast_to(np.zeros((), spec.dtype), spec.shape) if spec.shape else np.zeros((), spec.dtype)[()]


for _function in (
    np.result_type,
    np.promote_types,
    np.can_cast,
    np.min_scalar_type,
    np.common_type,
    np.issubdtype,
    np.isdtype,
    np.typename,
    np.mintypecode,
    np.broadcast_shapes,
    np.dtype,
    np.finfo,
    np.iinfo,
    np.base_repr,
    np.binary_repr,
):
    _dtype_question(_function)


@function(np.isscalar)
def isscalar(machine, element):
    """np.isscalar: of the kind of thing, not of its value."""
    spec = machine.spec(element)
    if spec is None:
        if not isinstance(element, Const):
            return Const(issubclass(machine.type_of(element), np.generic | numbers.Number | str | bytes | memoryview))
        return Const(bool(np.isscalar(known(machine, element))))
    if isinstance(spec, type):
        return Const(True)
    return Const(issubclass(machine.type_of(element), np.generic))


@function(np.isfortran)
def isfortran(machine, a):
    """np.isfortran."""
    return Const(bool(machine.static(machine.getattr(machine.getattr(a, "flags"), "fnc"))))


@function(np.may_share_memory)
def may_share_memory(machine, a, b, /, max_work=None):
    """np.may_share_memory, at compile time."""
    return _sharing(machine, np.may_share_memory, a, b, max_work)


@function(np.shares_memory)
def shares_memory(machine, a, b, /, max_work=None):
    """np.shares_memory, at compile time."""
    return _sharing(machine, np.shares_memory, a, b, max_work)


def _sharing(machine, question, a, b, max_work):
    """Ask NumPy about arrays that lie as these do. Arrays of different buffers share nothing; those of the caller's
    have different ones as long as they share no memory."""
    if not isinstance(a, NdArray | BoundedArray) or not isinstance(b, NdArray | BoundedArray):
        return Const(False)
    arrays = [v.base if isinstance(v, BoundedArray) else v for v in (a, b)]
    if arrays[0].buffer != arrays[1].buffer:
        first, second = (machine.heap.objects[v.buffer] for v in arrays)
        if isinstance(first.real, np.ndarray) and isinstance(second.real, np.ndarray):
            machine.world.guard("apart", first.source, second.source)
        return Const(False)
    starts = [p for v in arrays for lens in v.lenses for p in _parts(lens.params)]
    if any(isinstance(p, Var) for p in starts) or isinstance(a, BoundedArray) or isinstance(b, BoundedArray):
        raise Refused("XP0012", f"np.{question.__name__} of views of one array that depend on data")
    base = layout_model(machine, NdArray(arrays[0].buffer, (), buffer_type(machine, arrays[0]), 0))
    reach = [(n - 1) * s for n, s in zip(base.shape, base.strides, strict=True)] if base.size else []
    before = -sum(r for r in reach if r < 0)
    room = np.empty(before + sum(r for r in reach if r > 0) + base.itemsize, np.int8)
    memory = np.ndarray(base.shape, base.dtype, room, before, base.strides)
    views = [shown(memory, tuple((lens.kind, lens.params) for lens in v.lenses), int) for v in arrays]
    return Const(bool(question(*views, known(machine, max_work) if max_work is not None else None)))


def _parts(params):
    return [p for part in params for p in (_parts(part) if isinstance(part, tuple) else (part,))]


@function(np.iterable)
def iterable(machine, y):
    """np.iterable."""
    cls = machine.type_of(y)
    spec = machine.spec(y)
    if spec is not None and not isinstance(spec, type):
        return Const(bool(spec.shape))
    return Const(defines(machine, cls, "__iter__"))
