"""What functions, methods and attributes mean for arrays of dynamic length. The others ask for static lengths."""

from __future__ import annotations

import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.arrays.memory_order import layout_model
from xlapy.dispatch.bounded import bounded_elementwise, bounded_reductions, masked_axes
from xlapy.dispatch.bounded.bounded_indexing import getitem
from xlapy.dispatch.bounded.bounded_slices import reversed_parts
from xlapy.dispatch.bounded.layout_matching import assign
from xlapy.dispatch.bounded.masked_axes import INT64, fresh
from xlapy.dispatch.numpy import array_attributes
from xlapy.dispatch.numpy.conversions import copy_mode
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    given_dtype,
    is_everywhere,
    known,
    known_index,
    known_order,
    sequence_items,
    single,
)
from xlapy.dispatch.numpy.ufunc_table import TABLE
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.symbols import BINARY
from xlapy.domain.values import (
    NONE,
    BoundedArray,
    Const,
    NdArray,
    NumpyScalar,
    Scalar,
    Tuple,
    Value,
    number_var,
)
from xlapy.ir import Var

Rule = Callable[..., Any]
#: NumPy functions that work element by element
_LANEWISE = {
    np.clip,
    np.round,
    np.around,
    np.isclose,
    np.sinc,
    np.empty_like,
}
#: NumPy functions that ask for the types of arrays and whether they have dimensions, not for their lengths
_OF_TYPES = {
    np.result_type,
    np.can_cast,
    np.common_type,
    np.min_scalar_type,
    np.iscomplexobj,
    np.isrealobj,
    np.isscalar,
    np.iterable,
}
#: functions of Python that work through iteration, length and items, or do not look at the array
_GENERIC = {
    enumerate,
    zip,
    iter,
    reversed,
    isinstance,
    type,
    id,
    callable,
    hasattr,
    getattr,
    range,
    list,
    tuple,
    sum,
    max,
    min,
}


@registry.otherwise(DYNAMIC_LENGTH)
def _rule_of_others(machine: Machine, item: Any, values: Sequence[Value]) -> Rule | None:
    """The rule of a callable that has none for arrays of dynamic length: what NumPy has in Python is interpreted.

    Asks for the lengths where a callable is in C, and takes no such array as it takes others."""
    if isinstance(item, types.FunctionType) or _hashable(item) and item in _GENERIC:
        return None
    module = (getattr(item, "__module__", None) or "").partition(".")[0]
    is_ruled, source = registry.find_function(item) is not None, registry.find_replacement(item)
    if module == "_operator" or not is_ruled and source is not None:
        return None
    if source is not None:
        return functools.partial(from_source, item, source)
    if is_ruled or module in ("numpy", "jax"):
        raise require_static(machine, first_of(values, {}), _name(item))
    return None


def from_source(item: Any, source: Callable, machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
    """What the source of `item` in Python does; where it is refused, the lengths are asked for."""
    try:
        return machine.call(Const(source), args, kwargs)
    except Refused as error:
        if not any(map(involved, (*args, *kwargs.values()))):
            raise
        raise require_static(machine, first_of(args, kwargs), _name(item)) from error


@registry.of_class(np.ufunc, kind=DYNAMIC_LENGTH)
def _ufunc(ufunc: np.ufunc, machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
    """A ufunc of arrays of dynamic length: `np.add(x, y, out=z)`, `np.add(x, y, z)`, with `where=` too."""
    if ufunc in TABLE and not kwargs and len(args) == ufunc.nin:
        return bounded_elementwise.elementwise(machine, ufunc, args)
    inputs, options = args[: ufunc.nin], dict(kwargs)
    out = single(machine, options.pop("out", args[ufunc.nin] if len(args) > ufunc.nin else None))
    where = options.pop("where", None)
    where = None if is_everywhere(where) else where
    array = first_of(args, kwargs)
    if ufunc not in TABLE or ufunc.nout != 1 or len(args) > ufunc.nin + 1 or len(inputs) < ufunc.nin:
        raise require_static(machine, array, f"np.{ufunc.__name__} with options")
    casting = known(machine, options.get("casting", Const("same_kind")))
    if set(options) <= {"casting"}:
        result = bounded_elementwise.elementwise(machine, ufunc, inputs)
    else:
        result = bounded_elementwise.lanewise(machine, ufunc, inputs, options)
    if absent(out):
        if where is not None:
            raise require_static(machine, array, f"np.{ufunc.__name__} with where= and without out=")
        return result
    target, given = masked_axes.parts(machine, out), masked_axes.parts(machine, result)
    if target is None or given is None or not np.can_cast(given[0].type.dtype, target[0].type.dtype, casting):
        raise require_static(machine, array, f"np.{ufunc.__name__} with such an out=")
    return bounded_elementwise.deliver(machine, result, out, inputs, where)


def _register_lanewise(item: Any) -> None:
    @_function(item)
    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        if item is np.empty_like and not absent(kwargs.get("shape")) and isinstance(args[0], BoundedArray):
            return machine.call(Const(item), [args[0].base, *args[1:]], kwargs)
        if any(map(involved, kwargs.values())) or not absent(kwargs.get("out")) or "copy" in kwargs:
            raise require_static(machine, first_of(args, kwargs), _name(item))
        return bounded_elementwise.lanewise(machine, item, args, kwargs)


def _register_of_types(item: Any) -> None:
    @_function(item)
    def rule(machine: Machine, /, *args: Value, **kwargs: Value) -> Value:
        return machine.call(Const(item), [a.base if isinstance(a, BoundedArray) else a for a in args], kwargs)


def _hashable(item: Any) -> bool:
    return getattr(type(item), "__hash__", None) is not None


def _name(item: Any) -> str:
    return f"{getattr(item, '__module__', '') or ''}.{getattr(item, '__name__', item)}".strip(".")


def _function(*items: Any) -> Callable[[Rule], Rule]:
    return registry.function(*items, kind=DYNAMIC_LENGTH)


def _method(*names: str) -> Callable[[Rule], Rule]:
    return registry.method(np.ndarray, *names, kind=DYNAMIC_LENGTH)


def _attribute(*names: str) -> Callable[[Rule], Rule]:
    return registry.attribute(np.ndarray, *names, kind=DYNAMIC_LENGTH)


for _item in _LANEWISE:
    _register_lanewise(_item)
for _item in _OF_TYPES:
    _register_of_types(_item)


def _bounded(machine: Machine, value: Value, what: str, *others: Any) -> BoundedArray:
    """The first argument, which must be the one of dynamic length."""
    if not isinstance(value, BoundedArray) and not involved(*others):
        raise registry.Unfit(what)
    if not isinstance(value, BoundedArray) or involved(*others):
        raise require_static(machine, value if isinstance(value, BoundedArray) else first_of(others, {}), what)
    return value


# -- reductions -------------------------------------------------------------------------------------------------------


def _typed(ufunc: np.ufunc, name: str):
    def rule(machine, a, axis=None, dtype=None, out=None, keepdims=False, initial=None, where=True):
        a = _bounded(machine, a, f"np.{name}", out)
        return bounded_reductions.reduce(machine, ufunc, a, axis, dtype, out, keepdims, initial, where, name)

    return rule


def _untyped(ufunc: np.ufunc, name: str):
    def rule(machine, a, axis=None, out=None, keepdims=False, initial=None, where=True):
        a = _bounded(machine, a, f"np.{name}", out)
        return bounded_reductions.reduce(machine, ufunc, a, axis, None, out, keepdims, initial, where, name)

    return rule


def _moment(function, has_ddof: bool):
    def spread(machine, a, axis=None, dtype=None, out=None, ddof=0, keepdims=False, *, where=True):
        a = _bounded(machine, a, f"np.{function.__name__}", out)
        return bounded_reductions.moment(machine, function, a, axis, dtype, out, known(machine, ddof), keepdims, where)

    def mean(machine, a, axis=None, dtype=None, out=None, keepdims=False, *, where=True):
        return spread(machine, a, axis, dtype, out, 0, keepdims, where=where)

    return spread if has_ddof else mean


def _arg(function):
    def rule(machine, a, axis=None, out=None, *, keepdims=False):
        return bounded_reductions.arg_extreme(machine, function, _bounded(machine, a, "it"), axis, out, keepdims)

    return rule


def _cumulative(ufunc):
    def rule(machine, a, axis=None, dtype=None, out=None):
        return bounded_reductions.accumulate(machine, ufunc, _bounded(machine, a, "it"), axis, dtype, out)

    return rule


for _names, _rule in {
    ("sum",): _typed(np.add, "sum"),
    ("prod",): _typed(np.multiply, "prod"),
    ("max", "amax"): _untyped(np.maximum, "max"),
    ("min", "amin"): _untyped(np.minimum, "min"),
    ("any",): _untyped(np.logical_or, "any"),
    ("all",): _untyped(np.logical_and, "all"),
    ("mean",): _moment(np.mean, False),
    ("std",): _moment(np.std, True),
    ("var",): _moment(np.var, True),
    ("argmax",): _arg(np.argmax),
    ("argmin",): _arg(np.argmin),
    ("cumsum",): _cumulative(np.add),
    ("cumprod",): _cumulative(np.multiply),
}.items():
    _method(_names[0])(_rule)
    _function(*(getattr(np, n) for n in _names))(_rule)

_function(np.count_nonzero)(
    lambda machine, a, axis=None, *, keepdims=False: bounded_reductions.count_nonzero(
        machine, _bounded(machine, a, "np.count_nonzero"), axis, keepdims=keepdims
    )
)
_method("argsort")(bounded_reductions.argsort)


def _of_first(item):
    implementation = getattr(bounded_reductions, item.__name__)

    def rule(machine, a, *args, **kwargs):
        return implementation(machine, _bounded(machine, a, f"np.{item.__name__}"), *args, **kwargs)

    _function(item)(rule)


for _item in (np.sort, np.argsort, np.median, np.diff):
    _of_first(_item)


@_method("sort")
def _sort_in_place(machine, self, axis=-1, kind=None, order=None, *, stable=None):
    assign(machine, self, bounded_reductions.sort(machine, self, axis, kind, order, stable=stable))
    return NONE


def _builtin_truth(ufunc: np.ufunc):
    def rule(machine, a):
        if len(a.axes) != 1:
            raise require_static(machine, a, "the truth of rows")
        return machine.boolean(machine.truth(bounded_reductions.reduce(machine, ufunc, a)))

    return rule


_function(any)(_builtin_truth(np.logical_or))
_function(all)(_builtin_truth(np.logical_and))


@_function(np.take)
@_method("take")
def _take(machine, a, indices, axis=None):
    rank = len((masked_axes.parts(machine, a) or (None, ()))[1])
    if known(machine, axis) not in ((None, 0, -1) if rank == 1 else (0,)):
        raise require_static(machine, first_of((a, indices), {}), "np.take along such dimensions")
    if isinstance(a, BoundedArray) and not isinstance(indices, BoundedArray):
        machine.call(Const(_require_elements), (a, machine.call(Const(np.size), (indices,))))
    return getitem(machine, a, indices)


def _require_elements(a, wanted):
    if wanted > 0 and len(a) == 0:
        raise IndexError("cannot do a non-empty take from an empty axes.")


def contains(machine: Machine, item: Value, array: BoundedArray) -> Value:
    """`item in array`."""
    found = bounded_elementwise.operator(machine, "in", array if item is array else item, array)
    assert found is not None
    return found


# -- products ---------------------------------------------------------------------------------------------------------


def _product(function):
    def rule(machine, a, b, out=None):
        if not absent(out):
            raise require_static(machine, first_of((a, b, out), {}), "out=")
        return bounded_elementwise.product(machine, function, a, b)

    return rule


_function(np.dot)(_product(np.dot))
_function(np.matmul)(_product(np.matmul))
_method("dot")(_product(np.dot))


_function(abs)(lambda machine, a: bounded_elementwise.elementwise(machine, np.absolute, (a,)))


@_function(np.inner)
def _inner(machine, a, b):
    if any(
        len(found[1]) != 1
        for found in (masked_axes.parts(machine, a), masked_axes.parts(machine, b))
        if found is not None
    ):
        raise require_static(machine, first_of((a, b), {}), "np.inner of several dimensions")
    return bounded_elementwise.product(machine, np.dot, a, b)


@_function(np.vdot)
def _vdot(machine, a, b):
    if isinstance(a, BoundedArray) and a.base.type.dtype.kind == "c":
        a = bounded_elementwise.elementwise(machine, np.conjugate, (a,))
    return _inner(machine, a, b)


@_function(np.outer)
def _outer(machine, a, b, out=None):
    if not absent(out):
        raise require_static(machine, first_of((a, b), {}), "out=")
    return bounded_elementwise.outer(machine, a, b)


# -- attributes -------------------------------------------------------------------------------------------------------


def _shape(machine: Machine, array: BoundedArray) -> Value:
    return Tuple(tuple(masked_axes.shape_of(machine, array)))


def _size(machine: Machine, array: BoundedArray) -> Value:
    total: Value = Const(1)
    for length in masked_axes.shape_of(machine, array):
        total = machine.binary("*", total, length)
    return total


def length(machine: Machine, array: BoundedArray) -> Value:
    """`len(array)`."""
    return masked_axes.shape_of(machine, array)[0]


def truth(machine: Machine, array: BoundedArray) -> bool | Var:
    """`bool(array)`: of its one element."""
    number = machine.builder.convert(machine.scalar_var(_size(machine, array), int), INT64)
    one = machine.builder.constant(1, INT64)
    message = "The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()"
    machine.check(machine.builder.elementwise("gt", number, one), ValueError, message)
    empty = "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty."
    machine.check(machine.builder.elementwise("lt", number, one), ValueError, empty)
    return machine.truth(bounded_reductions.reduce(machine, np.logical_or, array))


def transposed(machine: Machine, array: BoundedArray, axes: Any = None) -> BoundedArray:
    """`np.transpose(array, axes)`."""
    base = machine.call(Const(np.transpose), (array.base, *([axes] if isinstance(axes, Value) else [])))
    rank = len(array.axes)
    order = range(rank)[::-1] if absent(axes) else [int(n) % rank for n in known(machine, axes)]
    assert isinstance(base, NdArray)
    return BoundedArray(base, tuple(array.axes[n] for n in order))


_attribute("shape")(_shape)
_attribute("size")(_size)
_attribute("ndim")(lambda machine, array: Const(len(array.axes)))
_attribute("dtype")(lambda machine, array: Const(array.base.type.dtype))
_attribute("itemsize")(lambda machine, array: Const(array.base.type.dtype.itemsize))
_attribute("T")(transposed)
_flags_of_all = registry.find_attribute(np.ndarray, "flags")
assert _flags_of_all is not None
_attribute("flags")(_flags_of_all)


@_function(array_attributes.flag)
def _flag(machine: Machine, array: BoundedArray, name: Value) -> Value:
    asked, layout = known(machine, name), layout_model(machine, array.base)
    if asked in ("writeable", "aligned", "behaved", "writebackifcopy"):
        return machine.call(Const(array_attributes.flag), (array.base, name))
    is_vector = len(array.axes) == 1 and _lies_side_by_side(machine, array)
    if is_vector or layout.flags.c_contiguous and not any(array.axes[1:]):
        # rows may be so few that they lie in both orders
        found = {"c_contiguous": True, "contiguous": True, "forc": True, "fnc": False, "carray": array.base.writeable}
        found |= {"f_contiguous": True, "fortran": True, "farray": False} if is_vector else {}
        if asked in found:
            return Const(found[asked])
    raise require_static(machine, array, f"the flag '{asked}'")


_attribute("real")(lambda machine, a: masked_axes.made(machine, machine.getattr(a.base, "real"), a.axes))
_attribute("imag")(lambda machine, a: masked_axes.made(machine, machine.getattr(a.base, "imag"), a.axes))
_function(len)(length)
_function(np.shape)(_shape)
_function(np.size)(
    lambda machine, a, axis=None: (
        _size(machine, a) if absent(axis) else masked_axes.shape_of(machine, a)[known_index(machine, axis)]
    )
)
_function(np.ndim)(lambda machine, a: Const(len(a.axes)))
_function(np.transpose)(
    lambda machine, a, axes=None: transposed(machine, _bounded(machine, a, "np.transpose", axes), axes)
)


@_method("transpose")
def _transpose_method(machine, self, *axes):
    return transposed(machine, self, None if not axes else axes[0] if len(axes) == 1 else Tuple(tuple(axes)))


# -- copies and shapes ------------------------------------------------------------------------------------------------


@_function(np.copy)
@_method("copy", "__copy__", "__deepcopy__")
def _copy(machine, a, order="C", subok=False):
    return fresh(machine, machine.read(a.base), a.axes)


@_function(np.asarray, np.asanyarray)
def _as_array(machine, a, dtype=None, order=None, *, device=None, copy=None):
    return _array(machine, a, dtype, copy=copy, order=order)


@_function(np.array)
def _array(machine, a, dtype=None, *, copy: Any = True, order=None, subok=False, ndmin=0):
    a = _bounded(machine, a, "np.array")
    mode, asked = copy_mode(machine, copy), known_order(machine, "K" if absent(order) else order)
    in_order = asked in ("K", "A") or len(a.axes) == 1 and _lies_side_by_side(machine, a)
    if not in_order:
        raise require_static(machine, a, "np.array with options")
    missing = known_index(machine, ndmin) - len(a.axes)
    if missing > 0:
        return getitem(machine, _array(machine, a, dtype, copy=copy), Const((None,) * missing))
    same = absent(dtype) or given_dtype(machine, dtype) == a.base.type.dtype
    if mode is not True and same:
        return a
    if mode is False:
        raise require_static(machine, a, "np.array with options")
    return _astype(machine, a, a.base.type.dtype if absent(dtype) else dtype)


@_method("astype")
def _astype(machine, self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    base = machine.call(machine.getattr(self.base, "astype"), (dtype if isinstance(dtype, Value) else Const(dtype),))
    return BoundedArray(base, self.axes)


@_method("fill")
def _fill(machine, self, value):
    assign(machine, self, value)
    return NONE


@_function(np.flip)
def _flip(machine, m, axis=None):
    m = _bounded(machine, m, "np.flip")
    axis = known(machine, axis)
    rank = len(m.axes)
    flipped = range(rank) if axis is None else [int(a) % rank for a in (axis if isinstance(axis, tuple) else (axis,))]
    return reversed_parts(machine, m.base, m.axes, tuple(flipped))


@_method("ravel")
@_function(np.ravel)
def _ravel(machine, a, order="C"):
    a = _read_in(machine, _bounded(machine, a, "np.ravel", order), order)
    if not _lies_side_by_side(machine, a):
        # a copy under NumPy, unless there is one element
        raise require_static(machine, a, "np.ravel of elements that do not lie side by side")
    return _flat(machine, a)


def _lies_side_by_side(machine: Machine, a: BoundedArray) -> bool:
    model = layout_model(machine, a.base)
    return model.flags.c_contiguous if model.ndim > 1 else model.strides[-1:] == (a.base.type.dtype.itemsize,)


@_method("flatten")
def _flatten(machine, a, order="C"):
    return _copy(machine, _flat(machine, _read_in(machine, a, order)))


def _read_in(machine: Machine, a: BoundedArray, order: Any) -> BoundedArray:
    """The array whose elements in C order are those of `a` in `order`."""
    order = known_order(machine, order)
    if order == "C" or len(a.axes) == 1:
        return a
    if order == "F":
        return transposed(machine, a)
    if not _lies_side_by_side(machine, a):
        raise require_static(machine, a, "the elements in the order in which they lie in memory")
    return a


def _flat(machine, a):
    """A view of the elements in one dimension."""
    if len(a.axes) == 1:
        return a
    lanes, *others = a.axes
    if lanes is None or any(x is not None for x in others):
        raise require_static(machine, a, "np.ravel of several dimensions")
    count = int(np.prod(a.base.type.shape[1:]))
    base = machine.call(machine.getattr(a.base, "reshape"), (Const(-1),))
    factor = masked_axes.known_int(count)
    length = masked_axes.multiply(machine, masked_axes.as_int(machine, lanes.length), factor)
    if lanes.valid is not None:
        valid = machine.leaf(_each_of, (lanes.valid,), (count,), name="lanes")[0]
        return BoundedArray(base, (masked_axes.Lanes(masked_axes.var_of(machine, length), 0, valid),))
    start = lanes.start
    if not isinstance(start, int) or start:
        start = masked_axes.multiply(
            machine, masked_axes.as_int(machine, Const(start) if isinstance(start, int) else start), factor
        )
        start = start.value
    return BoundedArray(base, (masked_axes.Lanes(masked_axes.var_of(machine, length), start),))


def _each_of(valid, count):
    return jnp.repeat(valid, count)


@_method("reshape")
def _reshape(machine, self, *shape, order="C", copy=None):
    items = sequence_items(machine, shape[0]) if len(shape) == 1 else None
    wanted = [known(machine, v) if machine.is_static(v) else v for v in (items or shape)]
    order = known_order(machine, order)
    if not absent(copy) or order not in ("C", "F"):
        raise require_static(machine, self, "reshape with these options")
    if order == "F" and (len(self.axes) > 1 or len(wanted) > 1):
        raise require_static(machine, self, "reshape in Fortran's order")
    if len(self.axes) > 1 and wanted == [-1] and _lies_side_by_side(machine, self):
        return _flat(machine, self)
    if len(self.axes) == 1 and len(wanted) == 2 and wanted[0] == -1 and isinstance(wanted[1], int) and wanted[1] > 1:
        return _in_rows(machine, self, wanted[1])
    kept = [k for k, w in enumerate(wanted) if isinstance(w, Value) or w != 1]
    mine = [k for k, (lanes, n) in enumerate(zip(self.axes, self.base.type.shape, strict=True)) if lanes or n != 1]
    if len(kept) != len(mine) or not all(_is_size(machine, self, mine[n], wanted[k]) for n, k in enumerate(kept)):
        raise require_static(machine, self, "reshape")
    # dimensions of 1 come and go
    only = Tuple(tuple(Const(slice(None) if k in mine else 0) for k in range(len(self.axes))))
    key = Tuple(tuple(Const(slice(None)) if k in kept else NONE for k in range(len(wanted))))
    return getitem(machine, self if len(mine) == len(self.axes) else getitem(machine, self, only), key)


def _is_size(machine: Machine, array: BoundedArray, axis: int, wanted: Any) -> bool:
    """Whether a size that is asked for is that of a dimension."""
    length = masked_axes.length_int(machine, array.axes[axis], array.base.type.shape[axis]).value
    if isinstance(wanted, Scalar | NumpyScalar):
        return masked_axes.same_int(masked_axes.as_int(machine, wanted).value, length)
    return wanted in (-1, length)


def _in_rows(machine: Machine, self: BoundedArray, columns: int) -> Value:
    """`vector.reshape(-1, columns)`; ValueError where the length is no multiple of that."""
    (lanes,) = self.axes
    room = self.base.type.shape[0] // columns * columns
    first = lanes is not None and lanes.valid is None and isinstance(lanes.start, int) and lanes.start == 0
    if not first or not room or not _lies_side_by_side(machine, self):
        raise require_static(machine, self, "reshape")
    size = masked_axes.shape_of(machine, self)[0]
    rest = machine.binary("%", size, Const(columns))
    if not isinstance(rest, Const):
        var = number_var(rest)
        bad = machine.builder.elementwise("ne", var, machine.builder.constant(0, var.type.dtype, var.type.weak))
        text = f"cannot reshape array of size {{}} into shape ({columns})"
        machine.check(bad, ValueError, machine.message(text, size))
    base = machine.getitem(self.base, Const(slice(0, room)))
    base = machine.call(machine.getattr(base, "reshape"), (Const(-1), Const(columns)))
    length = masked_axes.as_int(machine, machine.binary("//", size, Const(columns)))
    return masked_axes.made(machine, base, (masked_axes.Lanes(masked_axes.var_of(machine, length)), None))


@_function(np.reshape)
def _reshape_function(machine, a, shape, order="C", copy=None):
    return _reshape(machine, _bounded(machine, a, "np.reshape", shape, order), shape, order=order, copy=copy)


_method("round")(lambda machine, self, *args, **kw: bounded_elementwise.lanewise(machine, np.round, (self, *args), kw))
_method("clip")(lambda machine, self, *args, **kw: bounded_elementwise.lanewise(machine, np.clip, (self, *args), kw))
_method("conj", "conjugate")(
    lambda machine, self: (
        bounded_elementwise.elementwise(machine, np.conjugate, (self,)) if self.base.type.dtype.kind == "c" else self
    )
)


for _symbol, _name_of in BINARY.items():
    _method(f"__{_name_of}__")(lambda machine, self, other, s=_symbol: machine.binary(s, self, other))
    _method(f"__r{_name_of}__")(lambda machine, self, other, s=_symbol: machine.binary(s, other, self))
    _method(f"__i{_name_of}__")(lambda machine, self, other, s=_symbol: machine.binary(s + "=", self, other))
_method("__len__")(length)
_method("__getitem__")(getitem)
