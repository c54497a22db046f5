"""Ranges of numbers: arange, linspace, logspace, and windows that are known at compile time."""

from __future__ import annotations

import math
from typing import Any

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.numpy.creation import SMALL
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    known,
    raise_real,
    require_dtype,
    supported,
)
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, Scalar
from xlapy.ir.builder import MOST_ELEMENTS

# -- ranges ----------------------------------------------------------------------------------------------------------


@function(np.arange)
def arange(machine, /, *args, start=None, stop=None, step=None, dtype=None, device=None, like=None):
    """np.arange: bounds must be known at compile time."""
    what = "a bound of np.arange (the size of an array depends on it)"
    if len(args) == 4 and dtype is None:
        *args, dtype = args
    limits = [known(machine, a, what) for a in args]
    named = {k: known(machine, v, what) for k, v in (("start", start), ("stop", stop), ("step", step)) if v is not None}
    wanted = None if absent(dtype) else require_dtype(known(machine, dtype))
    try:
        first, last, stride, result_type = _arange_parts(limits, named, wanted)
        length = _arange_length(first, last, stride)
        is_whole = length <= SMALL or length >= MOST_ELEMENTS
    except Exception:
        is_whole = True  # sizes that are no numbers, or endless ones: NumPy has messages of its own for them
    if is_whole:
        try:
            whole = np.arange(*limits, **named, dtype=wanted)
        except Exception as error:
            return raise_real(machine, error)
        result_type = whole.dtype
    if not supported(result_type):
        raise Refused("XP0005", f"XLA has no type {result_type}")
    if is_whole:
        return machine.new_array(machine.builder.constant(whole))
    two = np.arange(*_first_two(first, stride), dtype=wanted)
    base, delta = two[0].item(), (two[1] - two[0]).item() if result_type.kind != "b" else 0
    var = machine.leaf(_ramp, (), (length, base, delta, result_type), name="arange")[0]
    return machine.new_array(var)


def _first_two(first, stride):
    return first, first + 2 * stride, stride


def _arange_parts(limits: list, named: dict, dtype: Any):
    first = named.get("start", 0)
    last, stride = named.get("stop"), named.get("step")
    if len(limits) == 1 and last is None and "start" not in named:
        last = limits[0]
    elif limits:
        first = limits[0]
        last = limits[1] if len(limits) > 1 else last
        stride = limits[2] if len(limits) > 2 else stride
    if last is None:
        first, last = 0, first
    stride = 1 if stride is None else stride
    result_type = np.arange(first, first, stride, dtype=dtype).dtype
    return first, last, stride, result_type


def _arange_length(first, last, stride) -> int:
    return max(int(math.ceil((last - first) / stride)), 0)


def _ramp(length, base, delta, dtype):
    if dtype.kind in "iu":
        return jnp.arange(length, dtype=dtype) * np.asarray(delta, dtype) + np.asarray(base, dtype)
    wide = dtype if dtype.kind == "c" or dtype.itemsize == 8 else np.dtype(np.float64)
    return (np.asarray(base, wide) + jnp.arange(length).astype(wide) * np.asarray(delta, wide)).astype(dtype)


def _spaced(numpy_function, base_of):
    """logspace and geomspace of known arguments."""

    def rule(machine, /, *args, **kwargs):
        known_args = [known(machine, a, "an argument") for a in args]
        known_named = {k: known(machine, v, "an argument") for k, v in kwargs.items()}
        try:
            return machine.new_array(machine.builder.constant(numpy_function(*known_args, **known_named)))
        except Exception as error:
            return raise_real(machine, error)

    return rule


def _folded_function(*functions):
    """Functions of known arguments only: the real ones run at compile time."""
    for item in functions:
        function(item)(_spaced(item, None))


_folded_function(np.geomspace, np.kaiser)


def _of_any_size(item, implementation):
    """A function of a number of points: the real one where this is known at compile time."""
    fold = _spaced(item, None)

    def rule(machine, /, *args, **kwargs):
        if args and isinstance(args[0], Scalar) and not machine.specialisable(args[0].var):
            return machine.call(Const(implementation), args, kwargs)
        return fold(machine, *args, **kwargs)

    function(item)(rule)


def _angles(M):
    return np.pi * (2 * np.arange(M) + (1 - M)) / max(M - 1, 1)


def _bartlett(M):
    n = 2 * np.arange(M) + (1 - M)
    return 1.0 - np.abs(n) / max(M - 1, 1)


def _blackman(M):
    n = _angles(M)
    return 0.42 + 0.5 * np.cos(n) + 0.08 * np.cos(2.0 * n)


def _hamming(M):
    return 0.54 + 0.46 * np.cos(_angles(M))


def _hanning(M):
    return 0.5 + 0.5 * np.cos(_angles(M))


def _fftfreq(n, d=1.0, device=None):
    k = np.arange(n)
    return np.where(k < (n - 1) // 2 + 1, k, k - n) * (1.0 / (n * d))


def _rfftfreq(n, d=1.0, device=None):
    return np.arange(n // 2 + 1) * (1.0 / (n * d))


for _item, _implementation in (
    (np.bartlett, _bartlett),
    (np.blackman, _blackman),
    (np.hamming, _hamming),
    (np.hanning, _hanning),
    (np.fft.fftfreq, _fftfreq),
    (np.fft.rfftfreq, _rfftfreq),
):
    _of_any_size(_item, _implementation)
