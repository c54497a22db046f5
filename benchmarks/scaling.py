"""`python -m benchmarks scaling`: programs over 1, 2, 4 and 8 virtual devices of a CPU, beside `jax.jit` of the same by
hand, with the same shardings: collectives in the compiled program, run time and compile time.

Each number of devices is a process of its own. Virtual devices share the processors: what is compared is the two
programs, not one device with eight.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from benchmarks.measure import MINIMUM_REPEATS, Subject, interleave, paired_ratio
from benchmarks.peers import package, xlapy_jit

COUNTS = (1, 2, 4, 8)
COLLECTIVES = ("all-gather", "all-reduce", "all-to-all", "collective-permute", "reduce-scatter")
STEPS = 50
LIMIT = 900  # seconds


class Scaled(NamedTuple):
    """A program in NumPy and by hand, and the shapes of its arguments, the first `divided` of which are spread."""

    function: Callable[..., Any]
    by_hand: Callable[..., Any]
    shapes: tuple[tuple[int, ...], ...]
    divided: int = 1


def dense(x, w):
    """A layer."""
    return np.tanh(x @ w).sum()


def batched(e):
    """Products of many matrices."""
    return np.einsum("bij,bjk->bik", e, e)


def columns(x):
    """A loop over columns."""
    total = np.float32(0)
    for j in range(x.shape[1]):
        total += (x[:, j] ** 2).sum()
    return total


def columns_by_hand(x):
    """The same."""
    return jax.lax.fori_loop(0, x.shape[1], lambda j, t: t + (x[:, j] ** 2).sum(), jnp.float32(0))


def stencil(u):
    """Jacobi's iteration, written in place."""
    u = np.array(u)
    for _ in range(STEPS):
        u[1:-1, 1:-1] = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
    return u


def stencil_by_hand(u):
    """The same, as JAX has people write it."""

    def step(_, u):
        new = 0.25 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2])
        return u.at[1:-1, 1:-1].set(new)

    return jax.lax.fori_loop(0, STEPS, step, u)


def _error(numbers: Any) -> Callable[..., Any]:
    return lambda w, v, x: ((numbers.tanh(x @ w) @ v) ** 2).mean()


def training(x, w, v):
    """Gradient descent with a part of the data on each device."""
    grad = package("xlapy").grad
    for _ in range(STEPS):
        a, b = grad(_error(np), argnums=(0, 1))(w, v, x)
        w, v = w - np.float32(0.1) * a, v - np.float32(0.1) * b
    return w, v


def training_by_hand(x, w, v):
    """The same."""

    def step(_, layers):
        slopes = jax.grad(_error(jnp), argnums=(0, 1))(*layers, x)
        return tuple(p - 0.1 * s for p, s in zip(layers, slopes, strict=True))

    return jax.lax.fori_loop(0, STEPS, step, (w, v))


PROGRAMS = {
    "dense": Scaled(dense, lambda x, w: jnp.tanh(x @ w).sum(), ((2048, 512), (512, 512))),
    "batched": Scaled(batched, lambda e: jnp.einsum("bij,bjk->bik", e, e), ((64, 128, 128),)),
    "columns": Scaled(columns, columns_by_hand, ((4096, 512),)),
    "stencil": Scaled(stencil, stencil_by_hand, ((1024, 512),)),
    "training": Scaled(training, training_by_hand, ((2048, 64), (64, 32), (32, 10))),
}


def measured(name: str, repeat: int = MINIMUM_REPEATS) -> dict[str, Any]:
    """Figures of both programs, on all devices of this process."""
    program = PROGRAMS[name]
    mesh = jax.make_mesh((jax.device_count(),), ("d",), axis_types=(AxisType.Auto,))
    spread, everywhere = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (("d",), ()))
    random = np.random.default_rng(0)
    arrays = [random.normal(0, 0.1, shape).astype(np.float32) for shape in program.shapes]
    given = tuple(jax.device_put(x, spread if k < program.divided else everywhere) for k, x in enumerate(arrays))
    figures: dict[str, Any] = {}
    for jit in (xlapy_jit, jax.jit):  # what every compilation needs is loaded by the first one
        jit(lambda x: x + 1).lower(given[0]).compile()
    subjects, results = [], []
    for peer, jitted in (("xlapy", xlapy_jit(program.function)), ("jax", jax.jit(program.by_hand))):
        start = time.perf_counter()
        compiled = jitted.lower(*given).compile()
        seconds = time.perf_counter() - start
        results.append(jax.tree.leaves(jitted(*given)))
        subjects.append(Subject(peer, jitted, lambda: given))
        figures[peer] = {"compile": seconds, "collectives": collectives(compiled.as_text() or "")}
    for mine, by_hand in zip(*results, strict=True):
        np.testing.assert_allclose(mine, by_hand, rtol=1e-3, atol=1e-5)
    times = interleave(subjects, repeat)
    for error in times.failures.values():
        raise error
    for peer, stats in times.times.items():
        figures[peer]["run"] = stats.median
    figures["ratio"] = paired_ratio(times.times["xlapy"], times.times["jax"])
    return figures


def collectives(text: str) -> dict[str, int]:
    """How many instructions of each kind there are by which devices exchange something."""
    found = {kind: len(re.findall(rf" {kind}(?:-start)?\(", text)) for kind in COLLECTIVES}
    return {kind: count for kind, count in found.items() if count}


def in_own_process(name: str, count: int) -> dict[str, Any]:
    """`measured` in a process with so many devices; what it says if it fails."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={count}"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "benchmarks.scaling", name]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
    if ended.returncode:
        return {"failed": (ended.stderr.strip() or "no output").splitlines()[-1]}
    return json.loads(ended.stdout.splitlines()[-1])


def scaling(arguments: Sequence[str]) -> int:
    """Measure the programs named in `arguments`, or all, and print a line for each number of devices."""
    unknown = [name for name in arguments if name not in PROGRAMS]
    if unknown:
        print(f"unknown program {unknown[0]!r}: there are {', '.join(PROGRAMS)}", file=sys.stderr)
        return 2
    failed = False
    for name in arguments or PROGRAMS:
        for count in COUNTS:
            figures = in_own_process(name, count)
            failed |= "failed" in figures
            print(f"{name:9} {count} devices  {described(figures)}", flush=True)
    return int(failed)


def described(figures: dict[str, Any]) -> str:
    """Figures as text."""
    if "failed" in figures:
        return f"failed: {figures['failed']}"
    parts = [f"run {figures['ratio']:.2f} of jax.jit"]
    for peer in ("xlapy", "jax"):
        own = figures[peer]
        exchanged = ", ".join(f"{count} {kind}" for kind, count in own["collectives"].items()) or "no collectives"
        parts.append(f"{peer} {own['run'] * 1e3:.2f} ms, compiled in {own['compile']:.2f} s, {exchanged}")
    return "; ".join(parts)


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1])))
