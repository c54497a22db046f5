"""Attributes of arrays and NumPy scalars."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.indexing import assign
from xlapy.dispatch.arrays.memory_order import can_reshape_in_place, layout_model, undecided
from xlapy.dispatch.arrays.views import require_told, view
from xlapy.dispatch.numpy import view_functions
from xlapy.dispatch.numpy.rule_operands import array_type, known, operand
from xlapy.dispatch.protocol import Machine, Refused
from xlapy.dispatch.registry import attribute, function
from xlapy.domain.values import NONE, Const, NdArray, Tuple, Value

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
    return view_functions.permuted(machine, self, np.transpose)


@attribute(np.ndarray, "mT")
def matrix_transposed(machine, self):
    """The view with the last two axes exchanged."""
    if len(self.type.shape) < 2:
        return machine.raise_(ValueError, "matrix transpose with ndim < 2 is undefined")
    return view_functions.permuted(machine, self, lambda m: m.mT)


@attribute(np.generic, "T")
def scalar_transposed(machine, self):
    """A scalar is its own transpose."""
    return self


@attribute(np.ndarray, "real")
def real(machine, self):
    """The real part: a view."""
    return view_functions.complex_part(machine, self, "real")


@attribute(np.ndarray, "imag")
def imag(machine, self):
    """The imaginary part: a view of a complex array, else read-only zeros."""
    return view_functions.complex_part(machine, self, "imag")


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


class Flags:
    """The flags of an array, by attribute or by NumPy's keys."""

    def __init__(self, array):
        self.array = array
        #: an object of this class cannot leave the program
        self.iterator = iter(())

    def __getattr__(self, name):
        return flag(self.array, name)

    def __getitem__(self, key):
        if key not in _KEYS:
            raise KeyError("Unknown flag")
        return flag(self.array, _KEYS[key])

    def __setitem__(self, key, value):
        if key not in _KEYS:
            raise KeyError("Unknown flag")
        _assigned_flag(self.array, _KEYS[key], value)

    def __eq__(self, other):
        return isinstance(other, Flags) and all(self[key] == other[key] for key in ("C", "F", "W", "O"))

    __hash__ = None  # type: ignore[assignment]


_FLAGS = "c_contiguous f_contiguous contiguous fortran fnc forc carray farray behaved writeable owndata aligned".split()
_KEYS = {name.upper(): name for name in (*_FLAGS, "writebackifcopy") if name != "contiguous"}
_KEYS |= {"C": "c_contiguous", "CONTIGUOUS": "c_contiguous", "F": "f_contiguous", "FORTRAN": "f_contiguous"}
_KEYS |= {"W": "writeable", "A": "aligned", "O": "owndata", "X": "writebackifcopy", "B": "behaved"}
_KEYS |= {"CA": "carray", "FA": "farray"}


def flag(array, name):
    """`array.flags.name`."""
    return getattr(array.flags, name)


@function(flag)
def _flag_of(machine: Machine, array: NdArray, name: Value) -> Value:
    """One flag of an array, as it is now."""
    require_told(machine, array)
    asked, model = known(machine, name), layout_model(machine, array)
    c, f, writes = model.flags.c_contiguous, model.flags.f_contiguous, array.writeable
    found = {
        "c_contiguous": c, "contiguous": c, "f_contiguous": f, "fortran": f, "fnc": model.flags.fnc, "forc": c or f,
        "carray": c and writes, "farray": not c, "behaved": writes, "writeable": writes,
        "aligned": True, "writebackifcopy": False,
    }  # fmt: skip
    if asked in found:
        return Const(found[asked])
    if asked == "owndata" and array.lenses:
        return Const(False)
    if hasattr(model.flags, asked):
        raise Refused("XP0003", f"the flag '{asked}' of an array")
    return machine.raise_(AttributeError, f"'numpy._core.multiarray.flagsobj' object has no attribute '{asked}'")


def _assigned_flag(array, name, value):
    setattr(array.flags, name, value)


@function(_assigned_flag)
def _assign_flag(machine: Machine, array: NdArray, name: Value, value: Value) -> Value:
    set_flag(machine, array, known(machine, name), value)
    return NONE


def set_flag(machine: Machine, array: NdArray, name: str, value: Value) -> None:
    """`array.flags.name = value`: whether an array that the program has made may be written."""
    if name != "writeable":
        raise Refused("XP0010", f"assigning the flag '{name}' of an array is not supported")
    truth = machine.truth(value)
    if not isinstance(truth, bool):
        raise Refused("XP0010", "whether an array may be written depends on data")
    if truth == array.writeable and not machine.heap.may_be_locked(array):
        return
    if machine.heap.objects[array.buffer].source is not None or array.lenses and truth:
        raise Refused("XP0010", "whether an array of the caller's, or a view, may be written", "copy it")
    machine.replace_array(array, NdArray(array.buffer, array.lenses, array.type, array.identity, truth))


@attribute(np.ndarray, "flags")
def flags(machine, self):
    """The flags of NumPy's array."""
    return machine.call(machine.world.wrap_anchored(Flags), (self,))


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
        assign(machine, view_functions.complex_part(machine, self, name), value)
    elif name == "flat":
        target = view(machine, self, "reshape", (int(np.prod(self.type.shape, dtype=np.int64)),))
        new = operand(machine, value, self.type.dtype)
        machine.write(target, machine.leaf(_repeated, (new,), (target.type.shape,), name="resize")[0])
    elif name == "shape":
        shape = view_functions.new_shape(machine, self, value)
        in_place = can_reshape_in_place(machine, self, shape)
        if in_place is None:
            raise undecided()
        if not in_place:
            text = "Incompatible shape for in-place modification. Use `.reshape()` to make a copy with the desired"
            machine.raise_(AttributeError, text + " shape.")
        machine.replace_array(self, view(machine, self, "reshape", shape))
    else:
        raise Refused("XP0010", f"assigning the array attribute '{name}' is not supported", "make a new array")


def _repeated(x, shape):
    return jnp.resize(x, shape)
