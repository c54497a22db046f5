"""The few places where xlapy uses what JAX does not document, each with its reason."""

from __future__ import annotations

import contextlib
import functools
import operator
import warnings
from collections.abc import Iterator
from typing import Any

import jax
import numpy as np
from jax._src import config as _config  # reason: below
from jax._src.array import ArrayImpl  # reason: below
from jax._src.core import ShapedArray as _ShapedArray  # reason: below
from jaxlib import xla_client as _xla_client  # reason: below

#: Entering `jax.enable_x64(True)` as a context costs about 0.7 µs of a 4 µs call; swapping the thread-local flag, which
#: is what the context does, costs 0.2 µs. `swap_x64(value)` returns the flag to be given to `set_x64` afterwards.
swap_x64 = _config.enable_x64.swap_local
set_x64 = _config.enable_x64.set_local

#: `[True]` as soon as anybody has asked for checked results (`jax_debug_nans`, `jax_debug_infs`): to ask JAX each time
#: takes 70 ns of a call, and JAX tells of a change by a hook, which has no public form.
MAY_CHECK_RESULTS = [False]


def _note(value: bool | None) -> None:
    if value:
        MAY_CHECK_RESULTS[0] = True


for _checked in (_config.debug_nans, _config.debug_infs):
    _checked._add_hooks(_note, _note)
    _note(_checked.value)


def checks_results() -> bool:
    """Whether JAX checks the results of programs in this thread, which are called by XLA then."""
    return bool(_config.debug_nans.value or _config.debug_infs.value)


#: Where an array lies: 23 ns, and 90 by the public property.
sharding_of = operator.attrgetter("_sharding")
#: The class of arrays that are not tracers: `type(x) is ConcreteArray` costs 30 ns, `isinstance(x, jax.Array)` 400 ns.
ConcreteArray = ArrayImpl


class Adopting:
    """Makes a `jax.Array` of a NumPy array that nobody else has, for programs that are called without XLA.

    An identity through `jax.jit` takes 4 to 17 µs and copies, `jax.device_put` takes 20; this takes 2, and takes over
    memory that begins at a multiple of 64.

    Args:
        shape: its shape.
        dtype: its dtype.
        weak: whether it is of JAX's weak type.
    """

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype, weak: bool) -> None:
        self._type = _ShapedArray(shape, dtype, weak_type=weak)
        self._sharding, self._devices = _first_device()

    def __call__(self, array: np.ndarray) -> jax.Array:
        """The array, on the device that is JAX's default, to which it is not bound."""
        made = _xla_client.batched_device_put(self._type, self._sharding, [array], self._devices, False)
        if _config.default_device.value is not None:
            with jax.ensure_compile_time_eval():
                return _moved(made)
        return made


def spread(array: np.ndarray, sharding: jax.sharding.Sharding) -> jax.Array:
    """A NumPy array on the devices of a sharding, as a `jax.Array` of its own dtype.

    Not by `jax.device_put`: where that has spread the same object over devices with 64-bit types off, and the result is
    still there, the elements come out as 32-bit numbers under a 64-bit type (JAX 0.10.2), and XLA reads beyond their
    end. A view is another object.
    """
    places = sharding.addressable_devices_indices_map(array.shape)
    type_ = _ShapedArray(array.shape, array.dtype, sharding=None)
    parts = [array[place] for place in places.values()]
    return _xla_client.batched_device_put(type_, sharding, parts, list(places), True, enable_x64=True)


def may_take_apart() -> bool:
    """Whether programs make the arrays that `Adopting` makes: the first device is a CPU, and the default."""
    _, (device,) = _first_device()
    return device.platform == "cpu" and _config.default_device.value is None


@jax.jit
def _moved(array: jax.Array) -> jax.Array:
    return array


@functools.cache
def _first_device() -> tuple[jax.sharding.SingleDeviceSharding, list[Any]]:
    device = jax.local_devices()[0]
    return jax.sharding.SingleDeviceSharding(device), [device]


def memory_of(array: jax.Array) -> np.ndarray | None:
    """The elements of a `ConcreteArray` where they lie, as soon as they are there; None if that is not on the first
    device, or if the array is of JAX's weak type, or of a type that NumPy has not."""
    _, devices = _first_device()
    sharding = array.sharding
    if type(sharding) is not jax.sharding.SingleDeviceSharding or sharding.device_set != set(devices):
        return None
    return np.asarray(array) if isinstance(array.dtype, np.dtype) and not array.weak_type else None


@contextlib.contextmanager
def narrowing(narrow: bool) -> Iterator[None]:
    """Where types are narrowed on purpose, JAX need not warn that it does so."""
    if not narrow:
        yield
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Explicitly requested dtype", UserWarning)
        yield


def ambient_x64() -> bool:
    """Whether 64-bit types are on for the caller."""
    return bool(_config.enable_x64.value)
