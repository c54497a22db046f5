"""Attributes of arrays and NumPy scalars."""

from __future__ import annotations

import types

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.indexing import assign
from xlapy.dispatch.arrays.memory import can_reshape_in_place, layout_model
from xlapy.dispatch.arrays.views import view
from xlapy.dispatch.numpy import views as numpy_views
from xlapy.dispatch.numpy.values import array_type, operand
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.table import attribute
from xlapy.domain.values import Const, NdArray, Tuple, Value

_BOTH = (np.ndarray, np.generic)


def _both(*names: str):
    """Register an attribute for arrays and NumPy scalars."""

    def register(rule):
        for cls in _BOTH:
            attribute(cls, *names)(rule)
        return rule

    return register


@_both("shape")
def shape(machine: Machine, self: Value) -> Value:
    """The shape, a tuple of known ints."""
    return Tuple(tuple(Const(int(n)) for n in array_type(machine, self).shape))


def _fact(question):
    def rule(machine: Machine, self: Value) -> Value:
        return Const(question(array_type(machine, self)))

    return rule


_both("ndim")(_fact(lambda t: len(t.shape)))
_both("size")(_fact(lambda t: int(np.prod(t.shape, dtype=np.int64))))
_both("dtype")(_fact(lambda t: t.dtype))
_both("itemsize")(_fact(lambda t: t.dtype.itemsize))
_both("nbytes")(_fact(lambda t: t.dtype.itemsize * int(np.prod(t.shape, dtype=np.int64))))


@attribute(np.ndarray, "T")
def transposed(machine, self):
    """The view with reversed axes."""
    return numpy_views.permuted(machine, self, np.transpose)


@attribute(np.ndarray, "mT")
def matrix_transposed(machine, self):
    """The view with the last two axes exchanged."""
    if len(self.type.shape) < 2:
        return machine.raise_(ValueError, "matrix transpose with ndim < 2 is undefined")
    return numpy_views.permuted(machine, self, lambda m: m.mT)


@attribute(np.generic, "T")
def scalar_transposed(machine, self):
    """A scalar is its own transpose."""
    return self


@attribute(np.ndarray, "real")
def real(machine, self):
    """The real part: a view."""
    return numpy_views.complex_part(machine, self, "real")


@attribute(np.ndarray, "imag")
def imag(machine, self):
    """The imaginary part: a view of a complex array, else read-only zeros."""
    return numpy_views.complex_part(machine, self, "imag")


def _scalar_part(part: str):
    def rule(machine, self):
        if isinstance(self, Const):
            return Const(getattr(self.value, part))
        var = operand(machine, self)
        if var.type.dtype.kind == "c":
            return machine.numpy_result(machine.leaf(_PARTS[part], (var,), name=part)[0])
        return self if part == "real" else machine.numpy_result(machine.builder.constant(0, var.type.dtype))

    return rule


def _real(x):
    return x.real


def _imag(x):
    return x.imag


_PARTS = {"real": _real, "imag": _imag}
attribute(np.generic, "real")(_scalar_part("real"))
attribute(np.generic, "imag")(_scalar_part("imag"))


@attribute(np.ndarray, "strides")
def strides(machine, self):
    """The strides NumPy's array would have, in bytes."""
    return Const(layout_model(machine, self).strides)


class _Flags(types.SimpleNamespace):
    """The flags of an array, by attribute or by NumPy's keys."""

    _KEYS = {"C": "c_contiguous", "F": "f_contiguous", "W": "writeable", "A": "aligned", "O": "owndata"}

    def __getitem__(self, key: str):
        return getattr(self, self._KEYS.get(key, key).lower())


@attribute(np.ndarray, "flags")
def flags(machine, self):
    """The flags of NumPy's array, as a plain record."""
    model = layout_model(machine, self).flags
    return Const(
        _Flags(
            c_contiguous=model.c_contiguous,
            f_contiguous=model.f_contiguous,
            contiguous=model.contiguous,
            fortran=model.fnc,
            writeable=self.writeable,
            owndata=not self.lenses,
            aligned=True,
        )
    )


@attribute(np.ndarray, "flat")
def flat(machine: Machine, self: NdArray) -> Value:
    """The flat iterator, as a one-dimensional view: also of an array that is not contiguous, where NumPy has none."""
    return view(machine, self, "flat", (int(np.prod(self.type.shape, dtype=np.int64)),))


@attribute(np.ndarray, "base")
def base(machine, self):
    """Who owns the memory is not tracked."""
    raise Refused("XP0003", "'base' of an array")


@_both("device")
def device(machine, self):
    """NumPy's only device."""
    return Const("cpu")


@attribute(np.ndarray, "data", "ctypes", "__array_interface__")
def memory(machine, self):
    """Addresses do not exist on the device."""
    raise Refused("XP0005", "the memory of an array has no address here")


def set_attribute(machine: Machine, self: NdArray, name: str, value: Value) -> None:
    """`array.name = value` for real, imag, flat, which are views, and shape."""
    if name in ("real", "imag"):
        if name == "imag" and self.type.dtype.kind != "c":
            machine.raise_(TypeError, "array does not have imaginary part to set")
        assign(machine, numpy_views.complex_part(machine, self, name), value)
    elif name == "flat":
        target = view(machine, self, "reshape", (int(np.prod(self.type.shape, dtype=np.int64)),))
        new = operand(machine, value, self.type.dtype)
        machine.write(target, machine.leaf(_repeated, (new,), (target.type.shape,), name="resize")[0])
    elif name == "shape":
        shape = numpy_views.new_shape(machine, self, value)
        if not can_reshape_in_place(machine, self, shape):
            text = "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired"
            machine.raise_(AttributeError, text + " shape.")
        machine.replace_array(self, view(machine, self, "reshape", shape))
    else:
        raise Refused("XP0010", f"assigning the array attribute '{name}' is not supported", "make a new array")


def _repeated(x, shape):
    return jnp.resize(x, shape)
