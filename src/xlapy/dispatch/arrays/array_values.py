"""Arrays as device values: what any value is as an array, and what an array holds."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.argument_kinds import require_static
from xlapy.dispatch.arrays import views
from xlapy.dispatch.arrays.flat import is_flat, vector
from xlapy.dispatch.containers import container_subclasses
from xlapy.dispatch.kinds import is_instance, is_numeric_const, require_fixed, type_of
from xlapy.dispatch.numbers.scalar_values import refuse_where
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.python.attributes import find_special
from xlapy.dispatch.unions import over_unions
from xlapy.domain.values import (
    BoundedArray,
    Const,
    JaxArray,
    NdArray,
    NumpyScalar,
    Range,
    Ref,
    Scalar,
    Tuple,
    Union,
    Value,
    constants,
    number_var,
)
from xlapy.ir import Var
from xlapy.ir.stacking_leaves import STACKED, stacked


def read_array(machine: Machine, array: NdArray) -> Var:
    """The elements of an array as they are now."""
    if not array.lenses:
        return number_var(machine.heap.read(array.buffer, "<data>"))
    return views.read_view(machine, array)


def write_array(machine: Machine, array: NdArray, var: Var) -> None:
    """Replace all elements of an array."""
    if not array.writeable:
        machine.raise_(ValueError, "assignment destination is read-only")
    if not array.lenses:
        views.require_told(machine, array)
        machine.heap.write(array.buffer, "<data>", JaxArray(var))
    else:
        views.write_view(machine, array, var)


class _Ragged(Exception):
    """What a sequence holds has different shapes."""


def array(machine: Machine, value: Value) -> Var:
    """Any number, array or nested sequence of numbers as a device value, with the dtype NumPy would give it."""
    try:
        return _array(machine, value)
    except _Ragged:
        # the words of the error tell how far the shapes agree, which NumPy itself finds
        try:
            np.array(_outline(machine, value))
        except ValueError as error:
            machine.raise_(ValueError, *error.args)
        raise


def _outline(machine: Machine, value: Value) -> object:
    """Lists as they are nested, of zeros in the shapes of the arrays in them."""
    is_list = isinstance(value, Ref) and machine.heap.objects[value.object].kind in ("list", "tuple")
    if isinstance(value, Tuple | Range) or is_list and not is_flat(machine, value):
        return [_outline(machine, item) for item in machine.iterate(value)]
    return np.zeros(array(machine, value).type.shape)


def _array(machine: Machine, value: Value) -> Var:
    match value:
        case JaxArray():
            return value.var
        case NdArray():
            return read_array(machine, value)
        case NumpyScalar():
            return value.var
        case BoundedArray():
            raise require_static(machine, value)
        case Scalar():
            return machine.builder.convert(value.var, value.var.type.dtype)
        case Const():
            require_fixed(value.value)
            made = np.asarray(value.value)
            if made.dtype.kind not in "biufc":
                raise Refused("XP0005", f"an array of dtype {made.dtype} cannot be on the device")
            return machine.builder.constant(made)
        case Range():
            return array(machine, Tuple(tuple(machine.iterate(value))))
        case Union():
            return _one_of_several(machine, value)
        case Ref() if is_flat(machine, value):
            return read_array(machine, vector(machine, value))
        case Tuple() | Ref():
            if isinstance(value, Ref) and is_instance(machine, value):
                method = find_special(machine, value, "__array__") or find_special(machine, value, "__jax_array__")
                if method is not None:
                    return array(machine, machine.call(method, ()))
                inner = container_subclasses.plain(machine, value)
                if inner is not value and type_of(machine, inner) is list:
                    return array(machine, inner)
                cls = type_of(machine, value)
                if hasattr(cls, "stands_for"):
                    raise Refused("XP0005", *_USED_AS_A_WHOLE[cls.stands_for is np.matrix])
                raise Refused("XP0005", f"an object of class {cls.__name__} is used as an array")
            require_sequence(machine, value)
            return _nested(machine, machine.iterate(value))
    raise Refused("XP0005", f"{machine.describe(value)} is used as an array")


_USED_AS_A_WHOLE = {
    False: ("a structured array is used as a whole", "use its fields: p['x']"),
    True: ("there is no rule for this function of a np.matrix", "make an array of it: np.asarray(m)"),
}


def require_sequence(machine: Machine, value: Value) -> None:
    """Refuse what can be iterated over and is no sequence, of which NumPy makes an object in an array, or raises."""
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind not in ("list", "tuple", "instance"):
        raise Refused(
            "XP0005",
            f"{machine.describe(value)} in the place of an array: for NumPy it is one object, not what it holds",
            "make a list of it: np.array(list(...))",
        )


def _one_of_several(machine: Machine, value: Union) -> Var:
    """The elements of one array or another of the same type. Where the value is None or a string, an array of it would
    be one of objects: the call is refused there."""
    kinds = set()
    bad = [isinstance(v, Const) and np.asarray(v.value).dtype.kind not in "biufc" for v in value.alternatives]
    if True in bad and False in bad:
        for index in (i for i, b in enumerate(bad) if b):
            number = machine.builder.constant(index, value.selector.type.dtype)
            here = machine.builder.elementwise("eq", value.selector, number)
            refuse_where(machine, here, "XP0005", "an array of dtype object cannot be on the device")
        good = value.alternatives[bad.index(False)]
        value = Union(value.selector, tuple(good if b else v for v, b in zip(value.alternatives, bad, strict=True)))

    def elements(alternative: Value) -> Value:
        var = array(machine, alternative)
        kinds.add((var.type.shape, var.type.dtype))
        return JaxArray(var)

    found = over_unions(machine, (value,), elements)
    if len(kinds) != 1 or not isinstance(found, JaxArray):
        raise Refused("XP0004", f"the type of an array depends on data: it is made of {machine.describe(value)}")
    return found.var


def _of_one_type(machine: Machine, items: list[Value]) -> list[Value]:
    """Items of an array, where numbers of one of several types have the type of the whole array: all that they may be
    is of that type, together with what else is there."""
    rows = [_row(machine, item) for item in items]
    several = [choices for row in rows for item in row or () if (choices := _dtypes(item)) is not None]
    if not several:
        return items
    fixed = {array(machine, item).type.dtype for row in rows for item in row or () if _dtypes(item) is None}
    fixed |= {array(machine, item).type.dtype for item, row in zip(items, rows, strict=True) if row is None}
    whole = np.result_type(*fixed, *(dtype for choices in several for dtype in choices))
    certain = bool(fixed) and np.result_type(*fixed) == whole
    if not certain and not any(all(np.result_type(*fixed, d) == whole for d in choices) for choices in several):
        return items

    def converted(value: Value) -> Value:
        return JaxArray(machine.builder.convert(array(machine, value), whole))

    def chosen(value: Value) -> Value:
        if isinstance(value, Union):
            return over_unions(machine, (value,), converted)
        parts = _row(machine, value)
        return value if parts in (None, [value]) else Tuple(tuple(map(chosen, parts)))

    return list(map(chosen, items))


def _row(machine: Machine, value: Value) -> list[Value] | None:
    """The numbers in a tuple or list of known items, or a number itself; None for all else."""
    if isinstance(value, Ref) and machine.heap.objects[value.object].kind == "list":
        value = machine.heap.read(value.object, "<items>")
    if not isinstance(value, Tuple):
        return [value] if isinstance(value, Const | Scalar | NumpyScalar) or _dtypes(value) else None
    return list(value.items) if all(not isinstance(v, Tuple | Ref) for v in value.items) else None


def _dtypes(value: Value) -> set[np.dtype] | None:
    """The types of the numbers that a value may be, if there are several."""
    if not isinstance(value, Union):
        return None
    found = set()
    for one in value.alternatives:
        if isinstance(one, Const) and is_numeric_const(one):
            found.add(np.asarray(one.value).dtype)
        elif isinstance(one, Scalar | NumpyScalar):
            found.add(one.var.type.dtype)
        else:
            return None
    return found if len(found) > 1 else None


def _nested(machine: Machine, items: list[Value]) -> Var:
    known = constants(items) if all(map(is_numeric_const, items)) else None
    if known is not None:
        return machine.builder.constant(np.asarray(known))
    items = _of_one_type(machine, items)
    parts = [_array(machine, item) for item in items]
    if len({p.type.shape for p in parts}) > 1:
        raise _Ragged
    dtype = np.result_type(*(p.type.dtype for p in parts))
    converted = [machine.builder.convert(p, dtype) for p in parts]
    return machine.leaf(stacked, converted, (), STACKED)[0]
