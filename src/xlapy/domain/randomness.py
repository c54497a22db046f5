"""Random generators of the caller's: what a call takes from them, and how it moves them on.

A compiled function draws from a stream of its own (see `dispatch.numpy.random_generators`), whose key is eight bytes
that the generator would give next. They are looked at before the run, and taken after it: a call that fails takes
nothing, and the next call sees other bytes. A generator that a program makes without a seed takes eight bytes of the
operating system's.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

_BYTES = 8


class OperatingSystem:
    """Where the seeds come from that nobody gives: other ones with each call, in every thread and process."""

    __name__ = "the operating system's random numbers"


OPERATING_SYSTEM = OperatingSystem()
CLASSES = (np.random.Generator, np.random.RandomState, random.Random, OperatingSystem)


def key(generator: Any) -> np.ndarray:
    """The two 32-bit words that come next, as uint32[2]; the generator stays as it is."""
    if isinstance(generator, OperatingSystem):
        return np.frombuffer(os.urandom(_BYTES), np.uint32)
    if _lies_as_expected(type(generator), type(_bit_generator(generator))):
        return np.array(_peeked(generator), np.uint32)
    get, put = _STATE[next(cls for cls in CLASSES if isinstance(generator, cls))]
    before = get(generator)
    found = _drawn(generator)
    put(generator, before)
    return np.frombuffer(found, np.uint32)


def _drawn(generator: Any) -> bytes:
    """The bytes that come next."""
    if isinstance(generator, random.Random):
        return generator.getrandbits(8 * _BYTES).to_bytes(_BYTES, "little")
    return generator.bytes(_BYTES)


def _words(generator: Any) -> tuple[int, int]:
    """The same as words, of which NumPy makes these bytes one by one."""
    bits = _bit_generator(generator)
    if bits is None:
        found = generator.getrandbits(8 * _BYTES)
        return found & 0xFFFFFFFF, found >> 32
    interface = bits.ctypes
    return interface.next_uint32(interface.state), interface.next_uint32(interface.state)


def _bit_generator(generator: Any) -> Any:
    """What NumPy's generators take their bits from."""
    if isinstance(generator, np.random.Generator):
        return generator.bit_generator
    return getattr(generator, "_bit_generator", None)


def _set_bits(generator: np.random.Generator, state: Any) -> None:
    generator.bit_generator.state = state


#: how the state of a generator is read and set by its own methods, which takes up to 200 µs
_STATE: dict[type, tuple[Callable, Callable]] = {
    np.random.Generator: (lambda generator: generator.bit_generator.state, _set_bits),
    np.random.RandomState: (lambda generator: generator.get_state(legacy=False), np.random.RandomState.set_state),
    random.Random: (random.Random.getstate, random.Random.setstate),
}
#: bytes of the state of a Mersenne Twister: 624 words and a place among them; of that of a PCG64, and of what points
#: to it, with a word that is left over
_TWISTER, _PCG, _OF_PCG = 625 * 4, 32, 16


def _memory(generator: Any) -> list[tuple[int, int]]:
    """Where the state of a generator lies: addresses, and how many bytes are there."""
    bits = _bit_generator(generator)
    if bits is None:
        return [(id(generator) + object.__basicsize__, _TWISTER)]
    address = bits.ctypes.state_address
    if isinstance(bits, np.random.MT19937):
        return [(address, _TWISTER)]
    return [(address, _OF_PCG), (ctypes.c_void_p.from_address(address).value or 0, _PCG)]


def _peeked(generator: Any) -> tuple[int, int]:
    """What comes next; the memory of the generator is put back as it was."""
    with getattr(_bit_generator(generator), "lock", contextlib.nullcontext()):
        places = _memory(generator)
        before = [ctypes.string_at(*place) for place in places]
        found = _words(generator)
        for (address, size), state in zip(places, before, strict=True):
            ctypes.memmove(address, state, size)
    return found


@functools.cache
def _lies_as_expected(cls: type, bits: type) -> bool:
    """Whether the memory of such generators is where `_memory` says: this is tried."""
    if sys.implementation.name != "cpython":
        return False
    if cls is random.Random:
        trial: Any = random.Random(1)
        if cls.__basicsize__ < object.__basicsize__ + _TWISTER:
            return False
    elif cls in (np.random.Generator, np.random.RandomState) and bits in (np.random.PCG64, np.random.MT19937):
        trial = cls(bits(1))
    else:
        return False
    get, _ = _STATE[cls]
    odd: Any = {np.random.Generator: "integers", np.random.RandomState: "randint"}.get(cls)
    for _ in range(700):
        before = repr(get(trial))
        found = _peeked(trial)
        if repr(get(trial)) != before or np.array(found, np.uint32).tobytes() != _drawn(trial):
            return False
        if odd is not None:  # half of what PCG64 draws is left over
            getattr(trial, odd)(2**32, dtype=np.uint32)
    return True


def advance(generator: Any) -> None:
    """Take what `key` has shown."""
    if isinstance(generator, OperatingSystem):
        return
    bits = _bit_generator(generator)
    if bits is None or not _lies_as_expected(type(generator), type(bits)):
        _drawn(generator)
    else:
        with bits.lock:
            _words(generator)


def reseed(generator: Any, state: Any) -> None:
    """Continue after a stream that the program has started itself: `state` is its key and its counter."""
    words, counter = state
    numbers = [*map(int, np.asarray(words)), int(counter)]
    if isinstance(generator, random.Random):
        generator.seed(sum(number << 32 * place for place, number in enumerate(numbers)))
    else:
        generator.seed(numbers)
