"""`python -m benchmarks calls`: what a warm call of a small function costs, beside Numba and CPython.

The calls of one function are timed by the thousand, interleaved with its peers in the same process; the least of the
rounds counts, since all that disturbs a loop of calls makes it slower. Each call has ended when it returns.
"""

import math
import sys
import timeit
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np

from benchmarks.peers import package, xlapy_jit

CALLS, ROUNDS = 2000, 9


class Small(NamedTuple):
    """A function and its arguments; `numba` says whether Numba takes it."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    numba: bool = True


class Body:
    """Something that moves."""

    def __init__(self) -> None:
        self.place, self.speed = 0.0, 1.0


def of_numbers(a, b):
    """Two floats."""
    return a * b + 1.0


def of_integers(a, b):
    """Two integers, a tuple."""
    return (a * b) % 7, a // b


def weighted(x, y, a):
    """A loop over two arrays."""
    total = 0.0
    for i in range(len(x)):
        total += x[i] * y[i] * a
    return total


def combined(x, y, a):
    """A new array of two."""
    return x + a * y


def scaled(x, k):
    """A new array, by a loop."""
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = x[i] * k
    return out


def running(x):
    """An array is changed."""
    for i in range(1, len(x)):
        x[i] += x[i - 1]


def steps(n):
    """Collatz' steps."""
    count = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        count += 1
    return count


def checked(x):
    """An error is looked for."""
    if x < 0:
        raise ValueError("negative")
    return x**0.5


def item(x, i):
    """One element."""
    return x[i]


def row(n):
    """A dict with a list."""
    return {"twice": n * 2, "all": [n, n + 1]}


def moved(body, dt):
    """An attribute is changed."""
    body.place += body.speed * dt


def noisy(x):
    """A random number of NumPy's global generator."""
    return x + np.random.normal()


X, Y = np.arange(4.0), np.ones(4)
FUNCTIONS = {
    "numbers": Small(of_numbers, (2.0, 3.0)),
    "integers": Small(of_integers, (17, 5)),
    "weighted": Small(weighted, (X, Y, 2.0)),
    "combined": Small(combined, (X, Y, 2.0)),
    "scaled": Small(scaled, (X, 2.0)),
    "running": Small(running, (np.zeros(4),)),
    "steps": Small(steps, (7,)),
    "checked": Small(checked, (2.0,)),
    "item": Small(item, (X, 2)),
    "row": Small(row, (3,), numba=False),
    "moved": Small(moved, (Body(), 0.5), numba=False),
    "noisy": Small(noisy, (1.0,)),
}


def measured(small: Small, calls: int = CALLS, rounds: int = ROUNDS) -> dict[str, float]:
    """Microseconds that a call takes, by peer."""
    peers = {"xlapy": xlapy_jit(small.function), "CPython": small.function}
    if small.numba and find_spec("numba") is not None:
        peers["Numba"] = package("numba").njit(small.function)
    timers = {}
    for peer, function in peers.items():
        for _ in range(3):
            function(*small.arguments)
        timers[peer] = timeit.Timer(lambda function=function: function(*small.arguments))
    times = [{peer: timer.timeit(calls) for peer, timer in timers.items()} for _ in range(rounds)]
    return {peer: min(one[peer] for one in times) / calls * 1e6 for peer in peers}


def calls(arguments: Sequence[str]) -> int:
    """Measure the functions named in `arguments`, or all, and print a line for each."""
    unknown = [name for name in arguments if name not in FUNCTIONS]
    if unknown:
        print(f"unknown function {unknown[0]!r}: there are {', '.join(FUNCTIONS)}", file=sys.stderr)
        return 2
    ratios = []
    for name in arguments or FUNCTIONS:
        times = measured(FUNCTIONS[name])
        if "Numba" in times:
            ratios.append(times["xlapy"] / times["Numba"])
        print(f"{name:9} " + ", ".join(f"{peer} {time:.2f} µs" for peer, time in times.items()), flush=True)
    if ratios:
        print(f"geometric mean of {len(ratios)}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} of Numba's")
    return 0


__all__ = ["FUNCTIONS", "calls", "measured"]
