"""Fourier transforms of arrays whose length depends on data, by the chirp transform (Bluestein 1970).

`exp(-2πi jk/n)` is a product of `exp(-πi j²/n)`, `exp(-πi k²/n)` and `exp(πi (k-j)²/n)`: the transform is a
convolution, of static size whatever n is. The squares are reduced modulo 2n as integers, so that nothing is lost in
large angles.
"""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch import registry
from xlapy.dispatch.argument_kinds import DYNAMIC_LENGTH, first_of, involved, require_static
from xlapy.dispatch.bounded import masked_axes
from xlapy.dispatch.bounded.masked_axes import INT64, fresh
from xlapy.dispatch.numpy.rule_operands import absent, kind_of, known
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import BoundedArray, Const, Lanes, Value
from xlapy.ir import Var

_NO_POINTS = "Invalid number of FFT data points ({}) specified."
#: the power of n by which the result is divided, for each `norm`: of the transform, and of its inverse
_POWERS = {None: (0.0, 1.0), "backward": (0.0, 1.0), "ortho": (0.5, 0.5), "forward": (1.0, 0.0)}


def _transform(name: str) -> None:
    item = getattr(np.fft, name)

    def rule(machine, a, n=None, axis=-1, norm=None, out=None):
        how, place = known(machine, norm), known(machine, axis)
        if involved(n, out) or not isinstance(a, BoundedArray) or not absent(out) or how not in _POWERS:
            raise require_static(machine, first_of((a, n, axis, out), {}), f"np.fft.{name} with such arguments")
        rank = len(a.axes)
        if kind_of(a.base.type.dtype) not in "biufc" or not isinstance(place, int) or not -rank <= place < rank:
            raise require_static(machine, a, f"np.fft.{name} of such arrays")
        place %= rank
        options = {"axis": Const(place), "norm": Const(how)}
        if a.axes[place] is None:
            room = machine.new_array(machine.read(a.base))
            result = machine.call(Const(item), (room, n if isinstance(n, Value) else Const(n)), options)
            return masked_axes.made(machine, result, a.axes, own=True)
        if any(x is not None for k, x in enumerate(a.axes) if k != place) or a.base.type.shape[place] == 0:
            raise require_static(machine, a, f"np.fft.{name} of such arrays")
        var, axes = masked_axes.compacted(machine, a)
        zero = machine.builder.constant(0, var.type.dtype)
        var = masked_axes.select_valid(machine, var, zero, axes)
        if not absent(n):
            if not machine.is_static(n):
                raise require_static(machine, a, f"np.fft.{name} of a number of points that depends on data")
            return machine.call(Const(item), (machine.new_array(var), n), options)
        return _of_all(machine, name, var, axes, place, _POWERS[how])

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


def _of_all(machine: Machine, name: str, var: Var, axes, place: int, powers: tuple[float, float]) -> Value:
    """The transform of all elements along one dimension."""
    builder, room = machine.builder, var.type.shape[place]
    size = masked_axes.length_int(machine, axes[place], room)
    number, half = masked_axes.var_of(machine, size), builder.constant(2, INT64)
    if name == "irfft":
        number = builder.elementwise("mul", half, builder.elementwise("sub", number, builder.constant(1, INT64)))
    bad = builder.elementwise("lt", number, builder.constant(1, INT64))
    shown = masked_axes.scalar(machine, masked_axes.as_int(machine, number, (-2, 2 * room)))
    machine.check(bad, ValueError, machine.message(_NO_POINTS, shown))
    dtype = getattr(np.fft, name)(np.zeros(2, var.type.dtype)).dtype
    power = powers[name in ("ifft", "irfft")]
    space = {"rfft": room // 2 + 1, "irfft": max(2 * (room - 1), 1)}.get(name, room)
    result = machine.leaf(_chirped, (var, number), (name, place, space, power, dtype), name=name)[0]
    lanes: list[Lanes | None] = [None] * len(axes)
    if name == "rfft":
        number = builder.elementwise("add", builder.elementwise("div", number, half), builder.constant(1, INT64))
    lanes[place] = Lanes(number)
    return fresh(machine, result, lanes)


def _chirped(x, n, name, axis, space, power, dtype):
    """The first `space` elements of the transform of n elements, of which `n` counts."""
    x = jnp.moveaxis(x, axis, 0).astype(jnp.complex128)
    n = jnp.maximum(n, 1)
    if name == "irfft":
        k = jnp.arange(space)
        given = n // 2 + 1
        mirrored = jnp.take(x, jnp.clip(jnp.where(k < given, k, n - k), 0, x.shape[0] - 1), axis=0)
        first = jnp.reshape(k < given, (-1,) + (1,) * (x.ndim - 1))
        alive = jnp.reshape(k < n, (-1,) + (1,) * (x.ndim - 1))
        x = jnp.where(alive, jnp.where(first, mirrored, jnp.conj(mirrored)), 0)
    room = x.shape[0]
    k = jnp.arange(room)
    angle = (jnp.pi / n) * ((k * k) % (2 * n))
    sign = 1 if name in ("ifft", "irfft") else -1
    chirp = jnp.exp(1j * sign * angle)
    wide = 1 << max(2 * room - 2, 1).bit_length()
    chirp_back = jnp.conj(chirp)
    kernel = jnp.zeros(wide, jnp.complex128).at[:room].set(chirp_back)
    kernel = kernel.at[wide - room + 1 :].set(chirp_back[:0:-1])
    column = (slice(None),) + (None,) * (x.ndim - 1)
    spread = jnp.fft.fft(x * chirp[column], wide, axis=0) * jnp.fft.fft(kernel)[column]
    found = jnp.fft.ifft(spread, axis=0)[:room] * chirp[column]
    found = found[:space] / n.astype(jnp.float64) ** power
    return jnp.moveaxis(found.real if name == "irfft" else found, 0, axis).astype(dtype)


for _name in ("fft", "ifft", "rfft", "irfft"):
    _transform(_name)


def _shift(name: str, shifted) -> None:
    item = getattr(np.fft, name)

    def rule(machine, x, axes=None):
        if len(x.axes) != 1 or known(machine, axes) not in (None, 0, -1, (0,), (-1,)):
            raise require_static(machine, x, f"np.fft.{name} of such arrays")
        return machine.call(Const(shifted), (x,))

    registry.function(item, kind=DYNAMIC_LENGTH)(rule)


_shift("fftshift", lambda x: np.roll(x, len(x) // 2))
_shift("ifftshift", lambda x: np.roll(x, -(len(x) // 2)))
