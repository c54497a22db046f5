"""`np.matrix`, as the methods of SciPy's sparse matrices return it: an array of two dimensions whose operators mean
something else. Interpreted like the user's own classes; what is not written down here is refused."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.numpy.rule_operands import try_known
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.domain.values import Const, Ref, Value


def refuse(what):
    """Refuse to go on (a rule)."""
    raise NotImplementedError(what)


def is_matrix(value):
    """Whether something is a matrix (a rule)."""
    return isinstance(value, Matrix)


def _plain(value):
    return value.elements if is_matrix(value) else value


def _wrapped(found):
    """What NumPy makes a matrix of: an array of two dimensions, or a row."""
    return Matrix(found if found.ndim == 2 else np.reshape(found, (1, -1)))


class Matrix:
    """A matrix.

    Attributes:
        elements: an array of two dimensions.
    """

    stands_for = np.matrix
    __array_priority__ = 10.0

    def __init__(self, elements):
        object.__setattr__(self, "elements", elements)

    def __getattr__(self, name):
        return refuse(f"attribute '{name}' of a np.matrix")

    def __setattr__(self, name, value):
        refuse(f"attribute '{name}' of a np.matrix is set")

    # -- what it is ---------------------------------------------------------------------------------------------------

    @property
    def shape(self):
        """Its shape."""
        return self.elements.shape

    @property
    def dtype(self):
        """The type of its elements."""
        return self.elements.dtype

    @property
    def size(self):
        """The number of its elements."""
        return self.elements.size

    ndim = 2

    @property
    def T(self):  # noqa: N802
        """The transpose."""
        return Matrix(self.elements.T)

    @property
    def A(self):  # noqa: N802
        """The array."""
        return self.elements

    @property
    def A1(self):  # noqa: N802
        """The elements."""
        return self.elements.ravel()

    def __len__(self):
        return len(self.elements)

    def __iter__(self):
        return map(self.__getitem__, range(len(self.elements)))

    def __getitem__(self, key):
        found = self.elements[_plain(key)]
        if np.ndim(found) == 0:
            return found
        if np.ndim(found) == 2:
            return Matrix(found)
        if np.ndim(found) != 1:
            return refuse("an item of a np.matrix with other than two dimensions")
        column = isinstance(key, tuple) and len(key) > 1 and np.isscalar(key[1])
        return Matrix(found[:, None] if column else found[None, :])

    def __setitem__(self, key, value):
        self.elements[_plain(key)] = _plain(value)

    # -- the same elements --------------------------------------------------------------------------------------------

    def copy(self, order="C"):
        """The same elements elsewhere."""
        return Matrix(self.elements.copy())

    __copy__ = copy

    def astype(self, dtype, copy=True):
        """The elements as others."""
        found = self.elements.astype(dtype, copy=copy)
        return self if found is self.elements else Matrix(found)

    def view(self, kind=None):
        """The array, as one."""
        return self.elements if kind is np.ndarray else refuse("a view of a np.matrix")

    def tolist(self):
        """A list of lists."""
        return self.elements.tolist()

    def item(self, *args):
        """One element."""
        return self.elements.item(*args)

    def transpose(self):
        """The transpose."""
        return Matrix(self.elements.T)

    def getA(self):  # noqa: N802
        """The array."""
        return self.elements

    def getA1(self):  # noqa: N802
        """The elements."""
        return self.elements.ravel()

    def ravel(self):
        """A row of all elements."""
        return Matrix(self.elements.ravel()[None, :])

    def flatten(self):
        """A row of all elements, elsewhere."""
        return Matrix(self.elements.flatten()[None, :])

    def reshape(self, *shape):
        """The elements in another shape."""
        return _wrapped(self.elements.reshape(*shape))

    def squeeze(self):
        """The matrix, which keeps its dimensions."""
        return Matrix(self.elements)

    # -- reductions ---------------------------------------------------------------------------------------------------

    def _reduced(self, function, axis, **options):
        options = {name: value for name, value in options.items() if value is not None}
        if axis is None:
            return function(self.elements, **options)
        return Matrix(function(self.elements, axis=axis, keepdims=True, **options))

    def sum(self, axis=None, dtype=None, out=None):
        """np.sum."""
        if out is not None:
            return refuse("the sum of a np.matrix with out")
        return self._reduced(np.sum, axis, dtype=dtype)

    def mean(self, axis=None, dtype=None):
        """np.mean."""
        return self._reduced(np.mean, axis, dtype=dtype)

    def prod(self, axis=None, dtype=None):
        """np.prod."""
        return self._reduced(np.prod, axis, dtype=dtype)

    def std(self, axis=None, dtype=None, out=None, ddof=0):
        """np.std."""
        return self._reduced(np.std, axis, dtype=dtype, ddof=ddof)

    def var(self, axis=None, dtype=None, out=None, ddof=0):
        """np.var."""
        return self._reduced(np.var, axis, dtype=dtype, ddof=ddof)

    def max(self, axis=None):
        """np.max."""
        return self._reduced(np.max, axis)

    def min(self, axis=None):
        """np.min."""
        return self._reduced(np.min, axis)

    def any(self, axis=None):
        """np.any."""
        return self._reduced(np.any, axis)

    def all(self, axis=None):
        """np.all."""
        return self._reduced(np.all, axis)

    def argmax(self, axis=None):
        """np.argmax."""
        return self._reduced(np.argmax, axis)

    def argmin(self, axis=None):
        """np.argmin."""
        return self._reduced(np.argmin, axis)

    def dot(self, other):
        """The product of matrices."""
        return _wrapped(np.dot(self.elements, _plain(other)))

    # -- operators ----------------------------------------------------------------------------------------------------

    def _computed(self, *others):
        return refuse("such an operator on a np.matrix")

    def __mul__(self, other):
        if np.isscalar(other):
            return Matrix(self.elements * other)
        other = other if is_matrix(other) else _wrapped(np.asarray(other))
        return Matrix(np.dot(self.elements, other.elements))

    def __rmul__(self, other):
        if np.isscalar(other):
            return Matrix(other * self.elements)
        return _wrapped(np.dot(other, self.elements))

    def __matmul__(self, other):
        return _wrapped(self.elements @ _plain(other))

    def __rmatmul__(self, other):
        return _wrapped(other @ self.elements)

    def __add__(self, other):
        return _wrapped(self.elements + _plain(other))

    def __radd__(self, other):
        return _wrapped(other + self.elements)

    def __sub__(self, other):
        return _wrapped(self.elements - _plain(other))

    def __rsub__(self, other):
        return _wrapped(other - self.elements)

    def __truediv__(self, other):
        return _wrapped(self.elements / _plain(other))

    def __rtruediv__(self, other):
        return _wrapped(other / self.elements)

    def __eq__(self, other):
        return _wrapped(self.elements == _plain(other))

    def __ne__(self, other):
        return _wrapped(self.elements != _plain(other))

    def __lt__(self, other):
        return _wrapped(self.elements < _plain(other))

    def __le__(self, other):
        return _wrapped(self.elements <= _plain(other))

    def __gt__(self, other):
        return _wrapped(self.elements > _plain(other))

    def __ge__(self, other):
        return _wrapped(self.elements >= _plain(other))

    def __neg__(self):
        return Matrix(-self.elements)

    def __pos__(self):
        return Matrix(+self.elements)

    def __abs__(self):
        return Matrix(abs(self.elements))

    def __invert__(self):
        return Matrix(~self.elements)

    def __hash__(self):
        raise TypeError("unhashable type: 'matrix'")

    def __bool__(self):
        return bool(self.elements)

    def __float__(self):
        return refuse("a np.matrix as a number")

    __int__ = __complex__ = __index__ = __float__
    __pow__ = __rpow__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __and__ = __rand__ = __or__ = _computed
    __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = __iadd__ = __isub__ = __imul__ = __itruediv__ = _computed
    __contains__ = _computed

    def __str__(self):
        return refuse("the text of a np.matrix")

    def __repr__(self):
        return refuse("the text of a np.matrix")

    def __format__(self, specification):
        return refuse("the text of a np.matrix")


# -- NumPy's functions of matrices ------------------------------------------------------------------------------------


def as_matrix(data, dtype=None):
    """np.asmatrix."""
    if is_matrix(data) and (dtype is None or data.dtype == dtype):
        return data
    array = np.asarray(_plain(data), dtype=dtype)
    if array.ndim > 2:
        raise ValueError("shape too large to be a matrix.")
    return Matrix(array[None, :] if array.ndim == 1 else array.reshape(1, 1) if array.ndim == 0 else array)


def _asarray(a, dtype=None, order=None, *, copy=None):
    return np.asarray(a.elements, dtype=dtype, order=order, copy=copy)


def _array(object, dtype=None, *, copy=True, order: Any = "K"):
    return np.array(object.elements, dtype=dtype, copy=copy, order=order)


def _asanyarray(a, dtype=None, order=None):
    return a if dtype is None and order is None else refuse("np.asanyarray of a np.matrix with options")


def _ravel(a, order="C"):
    return a.elements.ravel(order)


def _by_method(name):
    def function(a, axis=None, **options):
        return getattr(a, name)(axis, **options)

    return function


def _computed(ufunc, *arrays):
    found = ufunc(*map(_plain, arrays))
    return tuple(map(_wrapped, found)) if isinstance(found, tuple) else _wrapped(found)


_IMPLEMENTATIONS = {
    np.asarray: _asarray,
    np.array: _array,
    np.asanyarray: _asanyarray,
    np.ravel: _ravel,
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: 2,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.atleast_1d: lambda a: a,
    np.atleast_2d: lambda a: a,
    np.linalg.norm: lambda x, *args, **options: np.linalg.norm(x.elements, *args, **options),
    np.squeeze: lambda a: a.squeeze(),
    np.transpose: lambda a: a.T,
    np.sum: lambda a, axis=None, dtype=None, out=None: a.sum(axis, dtype, out),
    **{getattr(np, n): _by_method(n) for n in "mean prod std var max min any all argmax argmin".split()},
}
_BY_ID = {id(function): stand_in for function, stand_in in _IMPLEMENTATIONS.items()}


@registry.function(refuse)
def _refuse(machine: Machine, what: Value) -> Value:
    text = try_known(machine, what)
    raise Refused("XP0005", text if isinstance(text, str) else "np.matrix", "make an array of it: np.asarray(m)")


@registry.function(is_matrix)
def _is_matrix(machine: Machine, value: Value) -> Value:
    return Const(is_one(machine, value))


def is_one(machine: Machine, value: Value) -> bool:
    """Whether a value is a matrix."""
    return isinstance(value, Ref) and machine.heap.objects[value.object].cls is Matrix


def implementation(machine: Machine, item: object, args: list[Value]) -> tuple | None:
    """What is called in the place of a function of NumPy's that is given a matrix, and with which arguments."""
    if not any(is_one(machine, v) for v in args):
        return None
    if isinstance(item, np.ufunc):
        return _computed, [Const(item), *args]
    stand_in = _BY_ID.get(id(item)) if is_one(machine, args[0]) else None
    return None if stand_in is None else (stand_in, args)


__all__ = ["Matrix", "as_matrix", "implementation", "is_matrix", "is_one"]
