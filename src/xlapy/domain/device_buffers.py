"""Arrays whose elements stay on a device, as the interpreter and the runtime see them: a buffer, and views onto it."""

from __future__ import annotations

import weakref

import jax

#: one step from a buffer to a view: kind and parameters, as in `dispatch.arrays.views`
Step = tuple[str, tuple]


class DeviceBuffer:
    """The elements of a device array and of all its views. Nobody else holds `array`, unless `shared` says so."""

    __slots__ = ("__weakref__", "array", "owner", "shared")

    def __init__(self, array: jax.Array) -> None:
        self.array, self.shared = array, False
        self.owner: weakref.ref | None = None

    @property
    def operand(self) -> jax.Array:
        """The elements, for a program that may reuse their memory."""
        if self.shared:
            with jax.enable_x64(True):
                self.array = jax.numpy.copy(self.array)
            self.shared = False
        return self.array

    def replace(self, array: jax.Array, shared: bool) -> None:
        """Put what a program computed in the place of the elements, where these have been told to be."""
        place = self.array.sharding
        if self.array.committed and not array.sharding.is_equivalent_to(place, array.ndim):
            array, shared = jax.device_put(array, place), False
        if array.dtype != self.array.dtype:
            with jax.enable_x64(True):
                array, shared = array.astype(self.array.dtype), False
        self.array, self.shared = array, shared


class DeviceView:
    """What `xlapy.DeviceArray` is made of: a buffer, and the steps that lead from it to the elements."""

    __slots__ = ("__weakref__", "device_buffer", "steps")

    def __init__(self, buffer: DeviceBuffer, steps: tuple[Step, ...] = ()) -> None:
        self.device_buffer, self.steps = buffer, steps
        if not steps:
            buffer.owner = weakref.ref(self)
