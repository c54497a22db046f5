"""Questions about types and shapes, which are answered at compile time."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.numbers.scalar_values import defines
from xlapy.dispatch.numpy.values import array_type, known
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.table import function
from xlapy.domain.values import Const, Tuple


def _shape_question(*functions):
    for item in functions:

        def rule(machine, a, *args, item=item, **kwargs):
            stand_in = np.broadcast_to(np.zeros((), array_type(machine, a).dtype), array_type(machine, a).shape)
            others = [known(machine, v) for v in args]
            named = {k: known(machine, v) for k, v in kwargs.items()}
            answer = item(stand_in, *others, **named)
            return Tuple(tuple(map(Const, answer))) if isinstance(answer, tuple) else Const(answer)

        function(item)(rule)


_shape_question(np.shape, np.ndim, np.size, np.iscomplexobj, np.isrealobj)


def _dtype_question(item):
    def rule(machine, *args, **kwargs):
        known_args = [_stand_in(machine, v) for v in args]
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
        return Const(bool(np.isscalar(known(machine, element))))
    if isinstance(spec, type):
        return Const(True)
    return Const(issubclass(machine.type_of(element), np.generic))


@function(np.isfortran)
def isfortran(machine, a):
    """np.isfortran."""
    return Const(bool(machine.static(machine.getattr(machine.getattr(a, "flags"), "fortran"))))


@function(np.may_share_memory, np.shares_memory)
def may_share_memory(machine, a, b, /, max_work=None):
    """Arrays of different buffers share nothing; of one buffer it may depend."""
    if getattr(a, "buffer", 0) != getattr(b, "buffer", 1):
        return Const(False)
    if not a.lenses or not b.lenses:
        return Const(True)
    raise Refused("XP0012", "np.shares_memory of two views of one array")


@function(np.iterable)
def iterable(machine, y):
    """np.iterable."""
    cls = machine.type_of(y)
    spec = machine.spec(y)
    if spec is not None and not isinstance(spec, type):
        return Const(bool(spec.shape))
    return Const(defines(machine, cls, "__iter__"))
