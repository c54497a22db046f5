"""The front end over all programs of the semantic tests, in units of a fixed `jax.jit(...).lower` of the same run.

    python -m benchmarks.front_end            # the median, the slowest ten, and whether the budget is kept
    python -m benchmarks.front_end --update   # write the budget

The unit makes machines comparable: a machine that is half as fast takes twice as long for both.
"""

from __future__ import annotations

import gc
import importlib
import json
import pathlib
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

import xlapy

BUDGET = pathlib.Path(__file__).with_suffix(".json")
#: how far a figure may be over the budget
ALLOWED = 2.0
#: programs between two measurements of the unit
_PERIOD = 20


@dataclass(frozen=True)
class Timing:
    """Seconds from bytecode to StableHLO for one program."""

    name: str
    seconds: float


@dataclass(frozen=True)
class Figures:
    """`unit` is the median time of the fixed function; the others are in that unit."""

    unit: float
    timings: tuple[Timing, ...]

    @property
    def median(self) -> float:
        return statistics.median(t.seconds for t in self.timings) / self.unit

    @property
    def slowest(self) -> list[Timing]:
        return sorted(self.timings, key=lambda t: -t.seconds)[:10]

    @property
    def tail(self) -> float:
        """The 95th percentile."""
        return float(np.percentile([t.seconds for t in self.timings], 95)) / self.unit


def programs() -> Iterator[tuple[str, Callable, tuple, dict]]:
    """Every program of the tables of `tests/semantics`, with the arguments of its first call."""
    runner = importlib.import_module("tests.semantics.runner")
    folder = pathlib.Path(runner.__file__).parent
    for file in sorted(folder.glob("test_*.py")):
        module = importlib.import_module(f"tests.semantics.{file.stem}")
        table = getattr(getattr(module, "program", None), "table", ())
        for program in table:
            call = runner.first_call([runner.as_step(step) for step in program.steps])
            yield f"{file.stem}::{program.name}", program.fn, call.args, call.kwargs


def fixed(x):
    """The unit: a loop and some arithmetic."""

    def body(i, y):
        y = y * 0.5 + jnp.sin(x) / (1.0 + i)
        return jnp.where(y > 0, y, -y) + jnp.cumsum(x)

    y = jax.lax.fori_loop(0, 10, body, x)
    return jax.lax.cond(y.sum() > 0, lambda y: y * 2, lambda y: y - 1, y) @ x


def unit() -> float:
    """Seconds to lower the fixed function once."""
    x = jnp.ones(8)
    start = time.perf_counter()
    jax.jit(lambda x: fixed(x)).lower(x)
    return time.perf_counter() - start


def measure(every: int = 1) -> Figures:
    """Time every n-th program; those that are refused are left out."""
    units = [unit() for _ in range(3)][1:]
    timings = []
    # what the process holds already is not gone through by the garbage collections in between
    gc.collect()
    gc.freeze()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        for number, (name, function, args, kwargs) in enumerate(programs()):
            if number % every:
                continue
            if len(timings) % _PERIOD == 0:
                units.append(unit())
            start = time.perf_counter()
            try:
                xlapy.jit(function).lower(*args, **kwargs)
            except Exception:
                continue
            timings.append(Timing(name, time.perf_counter() - start))
    gc.unfreeze()
    return Figures(statistics.median(units), tuple(timings))


def read_budget() -> dict[str, float]:
    """The committed figures, in units."""
    return json.loads(BUDGET.read_text())


def over_budget(figures: Figures) -> list[str]:
    """What is more than `ALLOWED` times what was committed."""
    budget = read_budget()
    return [
        f"{name}: {getattr(figures, name):.2f} units, {budget[name]:.2f} are budgeted"
        for name in budget
        if getattr(figures, name) > ALLOWED * budget[name]
    ]


def report(figures: Figures) -> str:
    """The figures as text."""
    median, unit_ms = figures.median * figures.unit * 1e3, figures.unit * 1e3
    lines = [
        f"{len(figures.timings)} programs, median {median:.1f} ms = {figures.median:.2f} units,"
        f" 95th percentile {figures.tail:.2f} units; a unit is {unit_ms:.1f} ms. The slowest:"
    ]
    lines += [f"  {t.seconds * 1e3:8.1f} ms  {t.name}" for t in figures.slowest]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    figures = measure()
    print(report(figures))
    if "--update" in arguments:
        BUDGET.write_text(json.dumps({"median": round(figures.median, 3), "tail": round(figures.tail, 3)}) + "\n")
        return 0
    complaints = over_budget(figures)
    print("\n".join(complaints) or "within the budget")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
