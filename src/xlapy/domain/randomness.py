"""Random generators of the caller's: what a call takes from them, and how it moves them on.

A compiled function draws from a stream of its own (see `dispatch.numpy.random_generators`), whose key is eight bytes
that the generator would give next. They are looked at before the run, and taken after it: a call that fails takes
nothing, and the next call sees other bytes. A generator that a program makes without a seed takes eight bytes of the
operating system's.
"""

from __future__ import annotations

import os
import random
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
        found = os.urandom(_BYTES)
    elif isinstance(generator, np.random.Generator):
        bits = generator.bit_generator
        before = bits.state
        found = generator.bytes(_BYTES)
        bits.state = before
    elif isinstance(generator, np.random.RandomState):
        before = generator.get_state(legacy=False)
        found = generator.bytes(_BYTES)
        generator.set_state(before)
    else:
        before = generator.getstate()
        found = generator.getrandbits(8 * _BYTES).to_bytes(_BYTES, "little")
        generator.setstate(before)
    return np.frombuffer(found, np.uint32).copy()


def advance(generator: Any) -> None:
    """Take what `key` has shown."""
    if isinstance(generator, random.Random):
        generator.getrandbits(8 * _BYTES)
    elif not isinstance(generator, OperatingSystem):
        generator.bytes(_BYTES)


def reseed(generator: Any, state: Any) -> None:
    """Continue after a stream that the program has started itself: `state` is its key and its counter."""
    words, counter = state
    numbers = [*map(int, np.asarray(words)), int(counter)]
    if isinstance(generator, random.Random):
        generator.seed(sum(number << 32 * place for place, number in enumerate(numbers)))
    else:
        generator.seed(numbers)
