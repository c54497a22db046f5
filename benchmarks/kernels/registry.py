"""How a kernel is declared: `@kernel(arguments, ...)` on an ordinary NumPy function."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

SAME = "same"  # Numba compiles the NumPy function as it stands


@dataclass(frozen=True)
class Kernel:
    """One kernel.

    `arguments(random, scale)` makes its arguments, NumPy arrays and scalars; scale 1 takes NumPy a millisecond or
    more, smaller scales are for tests. `jax` is the same by hand: it gets the same arguments, and returns what the
    NumPy function returns followed by the arguments it would have written to. `numba` is SAME, a function of its own,
    or None where Numba is not expected to take part. `writes` are the positions of the arguments that are changed.
    `static` are the positions that the JAX version needs at compile time."""

    name: str
    family: str
    function: Callable[..., Any]
    arguments: Callable[[np.random.Generator, float], tuple[Any, ...]]
    jax: Callable[..., Any] | None
    numba: Callable[..., Any] | str | None
    writes: tuple[int, ...]
    static: tuple[int, ...]
    rtol: float
    atol: float

    def made(self, scale: float = 1.0, seed: int = 0) -> tuple[Any, ...]:
        """Arguments, the same for the same scale and seed."""
        return self.arguments(np.random.default_rng(seed), scale)

    def answer(self, result: Any, arguments: tuple[Any, ...]) -> Any:
        """What is compared: the result, then the arguments that were written to; one value alone stays alone."""
        parts = () if result is None else result if isinstance(result, tuple) else (result,)
        parts = (*parts, *(arguments[i] for i in self.writes))
        return parts[0] if len(parts) == 1 else parts


KERNELS: dict[str, Kernel] = {}


def kernel(
    arguments: Callable[[np.random.Generator, float], tuple[Any, ...]],
    jax: Callable[..., Any] | None = None,
    numba: Callable[..., Any] | str | None = SAME,
    writes: tuple[int, ...] = (),
    static: tuple[int, ...] = (),
    rtol: float = 1e-9,
    atol: float = 1e-10,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Registers the function it decorates under its name; its family is its module's name."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name, family = function.__name__, function.__module__.rpartition(".")[2]
        if name in KERNELS:
            raise ValueError(f"two kernels are called {name}")
        KERNELS[name] = Kernel(name, family, function, arguments, jax, numba, writes, static, rtol, atol)
        return function

    return register


def sized(base: int, scale: float, least: int = 8) -> int:
    """A length that grows with the scale."""
    return max(least, round(base * scale))


def side(base: int, scale: float, least: int = 4) -> int:
    """The side of a square whose area grows with the scale."""
    return max(least, round(base * math.sqrt(scale)))


def power(base: int, scale: float, least: int = 8) -> int:
    """A power of two that grows with the scale."""
    return max(least, 1 << round(math.log2(max(1, base * scale))))
