"""Structured arrays, as programs have them: an array for each field. Interpreted like the user's own classes.

    p = np.zeros(n, dtype=[("x", float), ("v", float, 3), ("kind", np.int8)])

`p["x"]` is one of these arrays, and `p[2:5]`, `p[mask]` and `p[i]` have a part of each: a view where NumPy's is one. A
structured array of the caller's is read, and written, field by field where it lies (see `record_rules`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib import recfunctions

#: how the attributes are named that hold the fields
FIELD = "field "


def refuse(what):
    """Refuse to go on (a rule)."""
    raise NotImplementedError(what)


def subset(dtype, names):
    """The type of what has some fields of another one (a rule)."""
    return np.empty(0, dtype)[list(names)].dtype


def is_records(value):
    """Whether something is a structured array or a record (a rule)."""
    return isinstance(value, Fields)


class Fields:
    """What structured arrays and records have in common.

    Attributes:
        dtype: the type, with names.
        axes: the number of axes.
    """

    dtype: Any
    axes: int
    _like: Any

    def __init__(self, dtype, axes, fields):
        object.__setattr__(self, "dtype", dtype)
        object.__setattr__(self, "axes", axes)
        for name, array in zip(dtype.names, fields, strict=True):
            object.__setattr__(self, FIELD + name, array)

    def _field(self, name):
        if name not in self.dtype.names:
            raise ValueError(f"no field of name {name}")
        return getattr(self, FIELD + name)

    def _fields(self):
        return tuple([getattr(self, FIELD + name) for name in self.dtype.names])

    def __getattr__(self, name):
        if name in self.dtype.names and issubclass(self.dtype.type, np.record):
            return self[name]
        return refuse(f"attribute '{name}' of a structured array")

    def __setattr__(self, name, value):
        if name in self.dtype.names and issubclass(self.dtype.type, np.record):
            self[name] = value
        else:
            refuse(f"a structured array is given an attribute '{name}'")

    def _some(self, names):
        for name in names:
            if name not in self.dtype.names:
                raise KeyError(name)
        return self._like(subset(self.dtype, tuple(names)), self.axes, [self._field(name) for name in names])

    def __getitem__(self, key):
        return refuse("an item of a structured array")

    def __setitem__(self, key, value):
        return refuse("an item of a structured array is replaced")

    def _set(self, key, value):
        """Store into a part of each field."""
        fields = self._fields()
        if is_records(value):
            if len(value.dtype.names) != len(fields):
                refuse("records with other fields are stored in a structured array")
            # All is read before anything is written: both may be parts of one array.
            for field, new in zip(fields, [new.copy() for new in value._fields()], strict=True):
                field[key] = new
        elif isinstance(value, list):
            self._set(key, from_list(value, self.dtype))
        elif isinstance(value, tuple):
            if len(value) != len(fields):
                raise ValueError(
                    f"could not assign tuple of length {len(value)} to structure with {len(fields)} fields."
                )
            for field, new in zip(fields, value, strict=True):
                field[key] = new
        else:
            if np.ndim(value) > 0 and any(is_records(f) or f.ndim > self.axes for f in fields):
                refuse("an array without fields is stored in a structured array whose fields have axes of their own")
            for field in fields:
                field[key] = value

    def _equal(self, other):
        if not is_records(other):
            return refuse("a structured array is compared with something else")
        if self.dtype != other.dtype:
            return refuse("structured arrays of different types are compared")
        equal = True
        for mine, theirs in zip(self._fields(), other._fields(), strict=True):
            same = mine == theirs
            own = tuple(range(self.axes - np.ndim(same), 0))
            equal = np.logical_and(equal, np.all(same, axis=own) if own else same)
        return equal

    def __eq__(self, other):
        return self._equal(other)

    def __ne__(self, other):
        return np.logical_not(self._equal(other))

    def __str__(self):
        return refuse("the text of a structured array")

    def __repr__(self):
        return refuse("the text of a structured array")

    def __format__(self, specification):
        return refuse("the text of a structured array")

    def __bool__(self):
        return refuse("the truth of a structured array")

    def _computed(self, *others):
        return refuse("operators on structured arrays")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _computed
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = _computed
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = _computed
    __neg__ = __pos__ = __abs__ = __invert__ = __lt__ = __le__ = __gt__ = __ge__ = _computed
    __float__ = __int__ = __complex__ = __index__ = _computed

    def __copy__(self):
        return self.copy()

    def __deepcopy__(self, memo):
        return self.copy()

    @property
    def nbytes(self):
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self):
        """Bytes of an element."""
        return self.dtype.itemsize


class Record(Fields):
    """An element of a structured array (`np.void`), which is a view: its fields are those of the array there."""

    stands_for = np.void

    def __getitem__(self, key):
        if isinstance(key, list):
            return self._some(key)
        field = self._named(key)
        return field if is_records(field) else field[()]

    def __setitem__(self, key, value):
        if key is Ellipsis or isinstance(key, tuple):
            self._set(..., value)
        else:
            self._named(key)[...] = value

    def _named(self, key):
        return self._field(key if isinstance(key, str) else self.dtype.names[key])

    def _like(self, dtype, axes, fields):
        return Record(dtype, axes, fields)

    def __len__(self):
        return len(self.dtype.names)

    def __iter__(self):
        return iter(self._values())

    def _values(self):
        return tuple([field if is_records(field) else field[()] for field in self._fields()])

    def __hash__(self):
        return refuse("the hash of a record")

    def copy(self):
        """The same values elsewhere."""
        return Record(self.dtype, 0, [field.copy() for field in self._fields()])

    def item(self):
        """A tuple of Python numbers."""
        return tuple([_listed(field) for field in self._fields()])

    tolist = item

    @property
    def shape(self):
        """No axes."""
        return ()

    @property
    def ndim(self):
        """No axes."""
        return 0

    @property
    def size(self):
        """One element."""
        return 1


class Records(Fields):
    """A structured array."""

    stands_for = np.ndarray
    __hash__ = None

    def _like(self, dtype, axes, fields):
        return Records(dtype, axes, fields)

    @property
    def shape(self):
        """Its shape."""
        return self._fields()[0].shape[: self.axes]

    @property
    def ndim(self):
        """The number of axes."""
        return self.axes

    @property
    def size(self):
        """The number of elements."""
        size = 1
        for n in self.shape:
            size = size * n
        return size

    def __len__(self):
        if self.axes == 0:
            raise TypeError("len() of unsized object")
        return len(self._fields()[0])

    def __iter__(self):
        if self.axes == 0:
            raise TypeError("iteration over a 0-d array")
        return map(self.__getitem__, range(len(self)))

    def __contains__(self, value):
        return refuse("whether a structured array contains something")

    def __getitem__(self, key):
        if isinstance(key, str):
            return self._field(key)
        if isinstance(key, list) and len(key) > 0 and isinstance(key[0], str):
            return self._some(key)
        parts = self._parts(key)
        if len(parts) == self.axes and all(isinstance(k, (int, np.integer)) for k in parts):
            return Record(self.dtype, 0, [field[(*parts, ...)] for field in self._fields()])
        found = [field[parts] for field in self._fields()]
        before = self._fields()[0]
        axes = np.ndim(found[0]) - (before.ndim - self.axes)
        if axes == 0 and isinstance(found[0], np.generic):
            return Record(self.dtype, 0, [np.array(v) for v in found])
        return self._like(self.dtype, axes, found)

    def __setitem__(self, key, value):
        if isinstance(key, str):
            self._field(key)[...] = value
        elif isinstance(key, list) and len(key) > 0 and isinstance(key[0], str):
            self._some(key)._set((), value)
        else:
            self._set(self._parts(key), value)

    def _parts(self, key):
        """An index for the fields, which may have more axes."""
        parts = key if isinstance(key, tuple) else (key,)
        if any(isinstance(k, (bool, np.bool_)) for k in parts):
            refuse("a structured array is indexed with True or False")
        if any(k is Ellipsis for k in parts):
            taken = sum([_axes_of(k) for k in parts])
            place = [k is Ellipsis for k in parts].index(True)
            parts = (*parts[:place], *[slice(None)] * (self.axes - taken), *parts[place + 1 :])
        return parts

    def copy(self, order="C"):
        """The same elements elsewhere."""
        return self._like(self.dtype, self.axes, [field.copy() for field in self._fields()])

    def fill(self, value):
        """Store one record everywhere."""
        self[...] = value

    def tolist(self):
        """A list of tuples."""
        if self.axes == 0:
            return self[()].item()
        return [part.item() if self.axes == 1 else part.tolist() for part in self]

    def reshape(self, *shape, order="C"):
        """The elements in another shape."""
        if order != "C":
            refuse("reshape of a structured array in another order")
        if len(shape) == 1 and not isinstance(shape[0], (int, np.integer)):
            shape = tuple(shape[0])
        if self.axes == 0 or 0 in self.shape:
            refuse("reshape of a structured array without axes or elements")
        fields = [field.reshape((*shape, *field.shape[self.axes :])) for field in self._fields()]
        return self._like(self.dtype, len(shape), fields)

    def ravel(self, order="C"):
        """The elements along one axis."""
        return self.reshape(-1, order=order)

    def flatten(self, order="C"):
        """A copy of the elements along one axis."""
        return self.reshape(-1, order=order).copy()

    def argsort(self, axis=-1, kind=None, order=None, *, stable=None):
        """The places of the elements in order, by the fields in `order` and then by all others."""
        if self.axes != 1:
            return refuse("a structured array of several axes is sorted")
        first = [order] if isinstance(order, str) else [] if order is None else list(order)
        names = first + [name for name in self.dtype.names if name not in first]
        keys = [self._field(name) for name in names]
        if any(is_records(key) or key.ndim > 1 for key in keys):
            return refuse("a structured array is sorted whose fields have axes or fields of their own")
        return np.lexsort(keys[::-1])

    def sort(self, axis=-1, kind=None, order=None, *, stable=None):
        """Put the elements in order."""
        self[...] = self[self.argsort(axis, kind, order)]

    def view(self, *types, type=None):
        """The same array as one with its fields for attributes, or without."""
        kind = types[0] if len(types) == 1 else type
        if kind is np.recarray:
            dtype = np.dtype((np.record, self.dtype))
            return RecordArray(dtype, self.axes, self._fields())
        if kind is np.ndarray:
            return Records(self.dtype, self.axes, self._fields())
        return refuse("a view of a structured array in another type")


class RecordArray(Records):
    """The same with its fields for attributes (`np.recarray`)."""

    stands_for = np.recarray

    def _like(self, dtype, axes, fields):
        return RecordArray(dtype, axes, fields)


def _axes_of(key):
    """How many axes a part of an index stands for."""
    if key is None or key is Ellipsis:
        return 0
    is_mask = isinstance(key, (np.ndarray, list)) and np.asarray(key).dtype == np.bool_
    return np.ndim(key) if is_mask else 1


def _listed(field):
    return field.item() if is_records(field) else field.tolist()


# -- NumPy's functions -------------------------------------------------------------------------------------------------


def new(make, shape, dtype):
    """A structured array of which `make(shape, dtype)` makes the fields."""
    shape = (int(shape),) if isinstance(shape, (int, np.integer)) else tuple(shape)
    fields = []
    for name in dtype.names:
        own = dtype[name]
        whole = (*shape, *own.shape)
        fields.append(new(make, whole, own.base) if own.base.names else make(whole, own.base))
    return (RecordArray if issubclass(dtype.type, np.record) else Records)(dtype, len(shape), fields)


def from_list(items, dtype):
    """A structured array of a list of tuples."""
    if not all(isinstance(item, tuple) for item in items):
        return refuse("a structured array is made of other things than tuples")
    for item in items:
        if len(item) != len(dtype.names):
            raise ValueError(
                f"could not assign tuple of length {len(item)} to structure with {len(dtype.names)} fields."
            )
    if any(dtype[name].base.names for name in dtype.names):
        return refuse("a structured array whose fields have fields is made of tuples")
    columns = []
    for k, name in enumerate(dtype.names):
        own = dtype[name]
        column = np.empty((len(items), *own.shape), own.base)
        for row, item in enumerate(items):
            column[row] = item[k]
        columns.append(column)
    return Records(dtype, 1, columns)


def zeros(shape, dtype=float, order="C", *, device=None, like=None):
    """np.zeros."""
    return new(np.zeros, shape, np.dtype(dtype))


def empty(shape, dtype=float, order="C", *, device=None, like=None):
    """np.empty."""
    return new(np.empty, shape, np.dtype(dtype))


def ones(shape, dtype=None, order="C", *, device=None, like=None):
    """np.ones."""
    return new(np.ones, shape, np.dtype(dtype))


def full(shape, fill_value, dtype=None, order="C", *, device=None, like=None):
    """np.full."""
    if isinstance(fill_value, (tuple, list)) or np.ndim(fill_value) > 0:
        return refuse("np.full of a structured array with a sequence")
    made = new(np.empty, shape, np.dtype(dtype))
    made[...] = fill_value
    return made


def _like(make):
    def like(a, dtype=None, order="K", subok=True, shape=None, *, device=None):
        size = a.shape if shape is None else shape
        if dtype is None and is_records(a):
            return new(make, size, a.dtype)
        return new(make, size, np.dtype(dtype)) if np.dtype(dtype).names else make(size, dtype)

    return like


zeros_like, empty_like, ones_like = _like(np.zeros), _like(np.empty), _like(np.ones)


def array(object, dtype=None, *, copy=True, order="K", subok=False, ndmin=0, ndmax=0, like=None):
    """np.array."""
    if ndmin != 0:
        return refuse("a structured array is made with ndmin")
    if is_records(object):
        if dtype is not None and np.dtype(dtype) != object.dtype:
            return refuse("a structured array is converted to another type")
        if object.stands_for is np.void:
            return Records(object.dtype, 0, [field.copy() for field in object._fields()])
        return object.copy() if copy else object
    if isinstance(object, tuple):
        made = new(np.empty, (), np.dtype(dtype))
        made[()] = object
        return made
    if isinstance(object, list):
        return from_list(object, np.dtype(dtype))
    return refuse("a structured array is made of other things than tuples")


def asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None):
    """np.asarray and its like."""
    return array(a, dtype, copy=bool(copy))


def copy(a, order="K", subok=False):
    """np.copy."""
    return array(a)


def shape(a):
    """np.shape."""
    return a.shape


def ndim(a):
    """np.ndim."""
    return a.ndim


def size(a, axis=None):
    """np.size."""
    return a.size if axis is None else a.shape[axis]


def concatenate(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    """np.concatenate."""
    arrays = list(arrays)
    if out is not None or dtype is not None or axis is None:
        return refuse("structured arrays are joined with out, dtype or axis=None")
    for one in arrays:
        if not is_records(one) or one.dtype != arrays[0].dtype or one.axes != arrays[0].axes:
            return refuse("structured arrays are joined with arrays of other types or numbers of axes")
    if axis < 0:
        axis = axis + arrays[0].axes
    columns = [np.concatenate(fields, axis) for fields in zip(*[one._fields() for one in arrays], strict=True)]
    return arrays[0]._like(arrays[0].dtype, arrays[0].axes, columns)


def sort(a, axis=-1, kind=None, order=None, *, stable=None):
    """np.sort."""
    return a[a.argsort(axis, kind, order)]


def argsort(a, axis=-1, kind=None, order=None, *, stable=None):
    """np.argsort."""
    return a.argsort(axis, kind, order)


def array_equal(a1, a2, equal_nan=False):
    """np.array_equal."""
    if equal_nan or not is_records(a1) or not is_records(a2):
        return refuse("a structured array is compared with something else")
    return a1.shape == a2.shape and bool(np.all(a1 == a2))


def structured_to_unstructured(arr, dtype=None, copy=False, casting: Any = "unsafe"):
    """numpy.lib.recfunctions.structured_to_unstructured, which makes a copy unless all fields are alike."""
    fields = arr._fields()
    if any(is_records(field) for field in fields):
        return refuse("structured_to_unstructured of fields with fields")
    if not copy and len({field.dtype for field in fields}) == 1:
        return refuse("structured_to_unstructured of fields of one type, which may be a view without copy=True")
    columns = [field if field.ndim > arr.axes else field[..., None] for field in fields]
    found = np.concatenate(columns, axis=-1)
    return found if dtype is None else found.astype(dtype, casting=casting)


#: what stands for NumPy's functions where an argument is a structured array, or asks for one
IMPLEMENTATIONS = {
    np.zeros: zeros,
    np.empty: empty,
    np.ones: ones,
    np.full: full,
    np.zeros_like: zeros_like,
    np.empty_like: empty_like,
    np.ones_like: ones_like,
    np.array: array,
    np.asarray: asarray,
    np.asanyarray: asarray,
    np.ascontiguousarray: asarray,
    np.copy: copy,
    np.shape: shape,
    np.ndim: ndim,
    np.size: size,
    np.concatenate: concatenate,
    np.sort: sort,
    np.argsort: argsort,
    np.array_equal: array_equal,
    recfunctions.structured_to_unstructured: structured_to_unstructured,
}

__all__ = ["FIELD", "IMPLEMENTATIONS", "Fields", "Record", "RecordArray", "Records"]
