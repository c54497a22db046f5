"""Mutable arrays with NumPy's interface whose elements stay on a device.

What is done to them outside of compiled functions (operators, indexing, NumPy's functions) is compiled, too, one small
program for each kind of call; so results have NumPy's types, and writes happen in place on the device.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from xlapy.api import jit
from xlapy.domain.device_buffers import DeviceBuffer, DeviceView
from xlapy.report import NotOffloadableError

__all__ = ["DeviceArray", "device_array"]
_KINDS = "biufc"
#: functions that make texts of arrays
_TEXTS = (np.array2string, np.array_str, np.array_repr)


def device_array(x: Any, device: Any = None) -> DeviceArray:
    """A mutable array with NumPy's interface whose elements stay on a device.

    Passed to a compiled function that writes to its argument it is updated in place: nothing goes through the host,
    and its memory is donated to the program (where no exception can leave it half written).

    Args:
        x: anything `numpy.asarray` takes, or a `jax.Array`; it is copied.
        device: a `jax.Device` or `jax.sharding.Sharding`; by default JAX's default device.

    Raises:
        TypeError: if the elements are not numbers.
    """
    if isinstance(x, DeviceView):
        x = _value(x)
    with jax.enable_x64(True):
        if not isinstance(x, jax.Array):
            x = np.asarray(x)[...]  # another object than JAX may have spread over devices (see `jax_internals.spread`)
            if x.dtype.kind not in _KINDS:
                raise TypeError(f"XLA has no type {x.dtype}")
        made = jax.numpy.array(x, copy=True)
        return DeviceArray(DeviceBuffer(made if device is None else jax.device_put(made, device)))


@functools.lru_cache(maxsize=1024)
def _compiled(function: Callable) -> Callable:
    return jit(function)


@functools.lru_cache(maxsize=1024)
def _method(name: str) -> Callable:
    def call(array, *args, **kwargs):
        return getattr(array, name)(*args, **kwargs)

    return jit(call)


def _attribute(name: str) -> Callable:
    def read(array):
        return getattr(array, name).copy()

    return jit(read)


@jit
def _read(array):
    return array.copy()


@jit
def _getitem(array, key):
    return array[key]


@jit
def _setitem(array, key, value):
    array[key] = value


def _value(array: DeviceView) -> jax.Array:
    """The elements of an array or view, to be shown to somebody else."""
    if array.steps:
        return _read(array)
    array.device_buffer.shared = True
    return array.device_buffer.array


def _wrap(result: Any) -> Any:
    """Arrays among the results of a program as device arrays."""
    if isinstance(result, jax.Array):
        return DeviceArray(DeviceBuffer(result))
    if isinstance(result, tuple | list):
        items = [_wrap(item) for item in result]
        return type(result)(*items) if hasattr(result, "_fields") else type(result)(items)
    return result


def _host(argument: Any) -> Any:
    """An argument for CPython."""
    if isinstance(argument, DeviceView):
        return np.asarray(argument)
    if isinstance(argument, tuple | list):
        return type(argument)(map(_host, argument))
    return argument


class DeviceArray(DeviceView):
    """A mutable array on a device; made by `xlapy.device_array`. Basic indexing gives views, as in NumPy."""

    __slots__ = ()
    __hash__: Any = None

    # -- what it is -------------------------------------------------------------------------------------------------

    @property
    def _layout(self) -> np.ndarray:
        """An array of the same shape, dtype and strides over nothing."""
        array = self.device_buffer.array
        model = np.lib.stride_tricks.as_strided(np.zeros(1, array.dtype), array.shape, _strides(array))
        for kind, params in self.steps:
            if kind == "index":
                key = tuple(start if n < 0 else _slice(start, step, n) for start, step, n in params)
                model = model[key]
            elif kind == "transpose":
                model = model.transpose(params)
            else:
                model = np.reshape(model, params, copy=False)
        return model

    shape = property(lambda self: self._layout.shape, doc="The shape.")
    ndim = property(lambda self: self._layout.ndim, doc="The number of dimensions.")
    size = property(lambda self: self._layout.size, doc="The number of elements.")
    dtype = property(lambda self: np.dtype(self.device_buffer.array.dtype), doc="The NumPy dtype.")
    itemsize = property(lambda self: self.dtype.itemsize, doc="Bytes of an element.")
    nbytes = property(lambda self: self.size * self.itemsize, doc="Bytes of all elements.")

    @property
    def device(self) -> Any:
        """The JAX device (or sharding) of the elements."""
        return self.device_buffer.array.device

    def block_until_ready(self) -> DeviceArray:
        """Wait until what is computed is there."""
        self.device_buffer.array.block_until_ready()
        return self

    # -- views ------------------------------------------------------------------------------------------------------

    def _view(self, kind: str, params: tuple) -> DeviceArray:
        return DeviceArray(self.device_buffer, (*self.steps, (kind, params)))

    @property
    def T(self) -> DeviceArray:  # noqa: N802
        """The view with reversed axes."""
        return self.transpose()

    def transpose(self, *axes: Any) -> DeviceArray:
        """The view with permuted axes."""
        order = axes[0] if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], tuple | list)) else axes or None
        places = np.arange(self.ndim) if order is not None else np.arange(self.ndim)[::-1]
        order = tuple(int(places[a]) for a in order) if order is not None else tuple(map(int, places))
        return self._view("transpose", order)

    def reshape(self, *shape: Any, order: str = "C") -> DeviceArray:
        """A view with another shape, or a copy where NumPy makes one."""
        wanted = shape[0] if len(shape) == 1 else shape
        if order == "C":
            try:
                return self._view("reshape", np.reshape(self._layout, wanted, copy=False).shape)
            except ValueError:
                pass
        return _wrap(_method("reshape")(self, wanted, order=order))

    def ravel(self, order: str = "C") -> DeviceArray:
        """All elements in one dimension."""
        return self.reshape(-1, order=order)

    def __getitem__(self, key: Any) -> DeviceArray:
        parts = key if isinstance(key, tuple) else (key,)
        if not all(p is None or p is Ellipsis or isinstance(p, slice) or _is_index(p) for p in parts):
            return _wrap(_getitem(self, key))
        model = self._layout[key]
        if not any(p is None or p is Ellipsis or isinstance(p, slice) for p in parts) and len(parts) == self.ndim:
            return _wrap(_getitem(self, key))
        return self._basic(parts, model.shape)

    def _basic(self, parts: tuple, shape: tuple[int, ...]) -> DeviceArray:
        """The view of a key of integers, slices, None and an ellipsis, all in range."""
        used = [p for p in parts if p is not None and p is not Ellipsis]
        place = next((k for k, p in enumerate(parts) if p is Ellipsis), len(parts))
        before = [p for p in parts[:place] if p is not None]
        after = [p for p in parts[place + 1 :] if p is not None]
        whole = [*before, *[slice(None)] * (self.ndim - len(used)), *after]
        dims = []
        for part, n in zip(whole, self.shape, strict=True):
            if isinstance(part, slice):
                start, stop, step = part.indices(n)
                dims.append((start, step, len(range(start, stop, step))))
            else:
                index = operator.index(part)
                dims.append((index + n if index < 0 else index, 1, -1))
        view = self._view("index", tuple(dims))
        return view._view("reshape", shape) if None in parts else view

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, DeviceView) and value.device_buffer is self.device_buffer:
            value = _read(value)
        _setitem(self, key, value)

    # -- protocols --------------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """A copy on the host."""
        if copy is False:
            raise ValueError("the elements are on a device: they cannot be had without a copy")
        return np.array(_read(self) if self.steps else self.device_buffer.array, dtype)

    def __jax_array__(self) -> jax.Array:
        """The elements now, for `jax.numpy.asarray`; what is written later does not show in them."""
        return _value(self)

    def __dlpack__(self, **options: Any) -> Any:
        """A copy of the elements, for other libraries on the same device."""
        return _read(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        array: Any = self.device_buffer.array
        return array.__dlpack_device__()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        """NumPy's ufuncs, compiled; with an `out=` on the host they run there."""
        outs = options.get("out", ())
        if any(isinstance(o, np.ndarray) for o in outs):
            return getattr(ufunc, method)(*map(_host, inputs), **options)
        if outs:
            options["out"] = outs[0] if len(outs) == 1 else outs
        call = ufunc if method == "__call__" else getattr(ufunc, method)
        return self._run(_ufunc(ufunc, method), call, inputs, options)

    def __array_function__(self, function: Callable, types: Any, args: tuple, kwargs: dict) -> Any:
        """NumPy's functions, compiled; those that cannot be, and those that make texts, run on the host, on copies."""
        if function in _TEXTS:
            return function(*map(_host, args), **{k: _host(v) for k, v in kwargs.items()})
        return self._run(_compiled(function), function, args, kwargs)

    @staticmethod
    def _run(compiled: Callable, function: Callable, args: tuple, kwargs: dict) -> Any:
        try:
            result = compiled(*args, **kwargs)
        except NotOffloadableError:
            if "out" in kwargs:
                raise
            return function(*map(_host, args), **{k: _host(v) for k, v in kwargs.items()})
        out = kwargs.get("out")
        return out if out is not None else _wrap(result)

    def __len__(self) -> int:
        return len(self._layout)

    def __iter__(self) -> Any:
        return (self[k] for k in range(len(self)))

    def __bool__(self) -> bool:
        return bool(np.asarray(self))

    def __float__(self) -> float:
        return float(np.asarray(self))

    def __int__(self) -> int:
        return int(np.asarray(self))

    def __complex__(self) -> complex:
        return complex(np.asarray(self))

    def __index__(self) -> int:
        return operator.index(np.asarray(self)[()])

    def __repr__(self) -> str:
        return f"device_array({np.array2string(np.asarray(self), separator=', ')}, dtype={self.dtype})"

    def __getattr__(self, name: str) -> Any:
        """The methods of `numpy.ndarray`, compiled; `real` and `imag` are copies."""
        if name.startswith("_") or not hasattr(np.ndarray, name):
            raise AttributeError(f"'DeviceArray' object has no attribute '{name}'")
        if not callable(getattr(np.ndarray, name)):
            return _wrap(_attribute(name)(self))
        method = _method(name)
        return lambda *args, **kwargs: _wrap(method(self, *args, **kwargs))


def _strides(array: jax.Array) -> tuple[int, ...]:
    strides, step = [0] * array.ndim, array.dtype.itemsize
    for axis in reversed(range(array.ndim)):
        strides[axis] = step
        step *= max(array.shape[axis], 1)
    return tuple(strides)


def _slice(start: int, step: int, length: int) -> slice:
    stop = start + step * length
    return slice(start, None if stop < 0 else stop, step)


def _is_index(part: Any) -> bool:
    return isinstance(part, int | np.integer) and not isinstance(part, bool)


@functools.lru_cache(maxsize=1024)
def _ufunc(ufunc: np.ufunc, method: str) -> Callable:
    if method == "__call__":
        return jit(lambda *args, **options: ufunc(*args, **options))
    return jit(lambda *args, **options: getattr(ufunc, method)(*args, **options))


def _define_operators() -> None:
    """Operators are ufuncs; the in-place ones write to the array itself."""
    binary = {
        "add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide, "floordiv": np.floor_divide,
        "mod": np.remainder, "pow": np.power, "matmul": np.matmul, "and": np.bitwise_and, "or": np.bitwise_or,
        "xor": np.bitwise_xor, "lshift": np.left_shift, "rshift": np.right_shift,
    }  # fmt: skip
    compared = {
        "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal,
        "ne": np.not_equal,
    }  # fmt: skip

    def forward(ufunc):
        return lambda self, other: ufunc(self, other)

    def reflected(ufunc):
        return lambda self, other: ufunc(other, self)

    def in_place(ufunc):
        def apply(self, other):
            if isinstance(other, DeviceView) and other.device_buffer is self.device_buffer:
                other = _read(other)
            return ufunc(self, other, out=self)

        return apply

    for name, ufunc in (binary | compared).items():
        setattr(DeviceArray, f"__{name}__", forward(ufunc))
    for name, ufunc in binary.items():
        setattr(DeviceArray, f"__r{name}__", reflected(ufunc))
        setattr(DeviceArray, f"__i{name}__", in_place(ufunc))
    for name, ufunc in (("neg", np.negative), ("pos", np.positive), ("abs", np.absolute), ("invert", np.invert)):
        setattr(DeviceArray, f"__{name}__", lambda self, ufunc=ufunc: ufunc(self))


_define_operators()
