"""The small programs of the `compiler` and `loops` suites: as users write them, and by hand in JAX beside it."""

import types
from collections.abc import Callable
from itertools import count
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax

# --- Warm calls -------------------------------------------------------------------------------------------------------


def small(a: Any, b: Any) -> Any:
    return a * b + np.sin(a)


def small_jax(a: Any, b: Any) -> Any:
    return a * b + jnp.sin(a)


class Settings:
    """An object whose ten attributes a function reads."""

    def __init__(self) -> None:
        self.a, self.b, self.c, self.d, self.e = 1.0, 2.0, 3.0, 4.0, 5.0
        self.f, self.g, self.h, self.i, self.j = 6.0, 7.0, 8.0, 9.0, 10.0


settings = Settings()
g0, g1, g2, g3, g4, g5, g6, g7, g8, g9 = (0.1 * i for i in range(10))


def reads_twenty(x: Any) -> Any:
    """Reads ten globals and ten attributes of a global object."""
    s = settings
    x = x * g0 + g1 * s.a + g2 * s.b + g3 * s.c + g4 * s.d + g5 * s.e
    return x + g6 * s.f + g7 * s.g + g8 * s.h + g9 * s.i + s.j


rate = 0.0


def reads_rate(x: Any) -> Any:
    return x * rate + 1.0


def takes_rate(x: Any, rate: Any) -> Any:
    return x * rate + 1.0


# --- Loops ------------------------------------------------------------------------------------------------------------


def relax(u: Any, tol: Any, n: Any) -> Any:
    """Jacobi relaxation in place until the largest change is below `tol`, or `n` times. Returns the number of steps
    less one that stopped it, and the last change."""
    it = 0
    while it < n:
        new = u.copy()
        new[1:-1, 1:-1] = 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
        diff = np.abs(new - u).max()
        u[:] = new
        it += 1
        if diff < tol:
            break
    return it, diff


def relax_jax(u: Any, tol: Any, n: Any) -> Any:
    """The same by hand; returns (it, diff, u), since JAX cannot write into `u`."""

    def step(state: Any) -> Any:
        it, _, u = state
        new = u.at[1:-1, 1:-1].set(0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]))
        return it + 1, jnp.abs(new - u).max(), new

    def more(state: Any) -> Any:
        return (state[0] < n) & (state[1] >= tol)

    return lax.while_loop(more, step, (jnp.asarray(0), jnp.array(jnp.inf, u.dtype), u))


def trips_10(x: Any) -> Any:
    for _ in range(10):
        x = np.sin(x) * 0.5 + x
    return x


def trips_1000(x: Any) -> Any:
    for _ in range(1000):
        x = np.sin(x) * 0.5 + x
    return x


def trips_100000(x: Any) -> Any:
    for _ in range(100000):
        x = np.sin(x) * 0.5 + x
    return x


TRIPS = {10: trips_10, 1000: trips_1000, 100000: trips_100000}


def trips_jax(trips: int) -> Callable[[Any], Any]:
    """The same loop by hand, as a `fori_loop`."""

    def looped(x: Any) -> Any:
        return lax.fori_loop(0, trips, lambda _, x: jnp.sin(x) * 0.5 + x, x)

    return looped


def trips_unrolled(trips: int) -> Callable[[Any], Any]:
    """The same loop as `jax.jit` takes it from Python: unrolled."""

    def looped(x: Any) -> Any:
        for _ in range(trips):
            x = jnp.sin(x) * 0.5 + x
        return x

    return looped


def nested(depth: int) -> Callable[[Any, Any], Any]:
    """A NumPy function with `depth` loops inside each other, each of n trips, made from source text."""
    lines = ["def nested(x, n):"]
    for level in range(depth):
        lines.append("    " * (level + 1) + f"for i{level} in range(n):")
        lines.append("    " * (level + 2) + f"x = x + {level + 1}.0")
    lines += ["    " * (depth + 1) + "x = np.sin(x)", "    return x"]
    scope: dict[str, Any] = {"np": np}
    exec(compile("\n".join(lines), f"<{depth} loops>", "exec"), scope)
    return scope["nested"]


def nested_jax(depth: int) -> Callable[[Any, Any], Any]:
    """The same by hand, as `fori_loop`s."""

    def looped(x: Any, n: Any) -> Any:
        def level(i: int, x: Any) -> Any:
            if i == depth:
                return jnp.sin(x)
            return lax.fori_loop(0, n, lambda _, x: level(i + 1, x + (i + 1.0)), x)

        return level(0, x)

    return looped


numbers = count()


def fresh(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function with a code object of its own, so that no compiler remembers it."""
    code = function.__code__.replace(co_name=f"{function.__code__.co_name}_{next(numbers)}")
    return types.FunctionType(code, function.__globals__, code.co_name, function.__defaults__, function.__closure__)
