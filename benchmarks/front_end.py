"""The front end over all programs of the semantic tests: its work, counted against a budget, and its time.

    python -m benchmarks.front_end            # time, work, the slowest ten, and whether the budget is kept
    python -m benchmarks.front_end --update   # write the budget

Work is the number of calls of Python functions between bytecode and StableHLO, in units of what
`jax.jit(...).lower` of a fixed function takes in the same run. Unlike time it is the same on every machine and under
any load, so that a test can hold a change against the budget program by program.
"""

from __future__ import annotations

import contextlib
import cProfile
import gc
import importlib
import json
import math
import pathlib
import statistics
import sys
import time
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

import xlapy

BUDGET = pathlib.Path(__file__).with_suffix(".json")
#: how many times its budget the middle program may take, and how many times one in twenty
ALLOWED = {"median": 1.25, "tail": 2.0}

#: what an action costs
Cost = Callable[[Callable[[], object]], float]


@dataclass(frozen=True)
class Figures:
    """What each program costs, and what the fixed function does."""

    unit: float
    costs: Mapping[str, float]

    @property
    def median(self) -> float:
        """Of the middle program, in units."""
        return statistics.median(self.costs.values()) / self.unit

    @property
    def slowest(self) -> dict[str, float]:
        return {name: self.costs[name] for name in sorted(self.costs, key=lambda name: -self.costs[name])[:10]}


def programs() -> Iterator[tuple[str, Callable, tuple, dict]]:
    """Every program of the tables of `tests/semantics`, with the arguments of its first call."""
    runner = importlib.import_module("tests.semantics.runner")
    folder = pathlib.Path(str(runner.__file__)).parent
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


def lower_the_fixed() -> None:
    jax.jit(lambda x: fixed(x)).lower(jnp.ones(8))


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def calls(action: Callable[[], object]) -> float:
    """How many Python functions were called."""
    with cProfile.Profile(builtins=False, subcalls=False) as profile:
        action()
    return sum(entry.callcount for entry in profile.getstats())


@contextlib.contextmanager
def _at_rest() -> Iterator[None]:
    """No warnings, and no garbage collections of what the process holds already."""
    gc.collect()
    gc.freeze()
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            yield
    finally:
        gc.unfreeze()


def _in_sample(name: str) -> bool:
    """One program in eight, the same ones when others are added."""
    return zlib.crc32(name.encode()) % 8 == 0


def measure(cost: Cost, wanted: Callable[[str], bool] = lambda name: True) -> Figures:
    """The cost of the wanted programs; those that are refused are left out."""
    lower_the_fixed()
    units, costs = [], {}
    with _at_rest():
        for name, function, args, kwargs in programs():
            if not wanted(name):
                continue
            if len(costs) % 20 == 0:
                units.append(cost(lower_the_fixed))
            with contextlib.suppress(Exception):
                costs[name] = cost(partial(xlapy.jit(function).lower, *args, **kwargs))
    return Figures(statistics.median(units), costs)


def work(wanted: Callable[[str], bool] = _in_sample) -> Figures:
    """The calls of some of the programs: what the budget is about."""
    return measure(calls, wanted)


def work_within(budget: Figures, units: float) -> Figures:
    """The calls of the programs that have a budget of at most so many units."""
    return work(lambda name: budget.costs.get(name, math.inf) <= units * budget.unit)


def read_budget() -> Figures:
    """The committed work."""
    return Figures(**json.loads(BUDGET.read_text()))


def growth(figures: Figures, budget: Figures) -> dict[str, float]:
    """How many times its budget each program takes; programs that have none yet are left out."""
    return {
        name: (count / figures.unit) / (budget.costs[name] / budget.unit)
        for name, count in figures.costs.items()
        if name in budget.costs
    }


def summary(ratios: Mapping[str, float]) -> dict[str, float]:
    """The median and the 95th percentile."""
    values = list(ratios.values())
    return {"median": float(np.median(values)), "tail": float(np.percentile(values, 95))}


def over_budget(ratios: Mapping[str, float]) -> list[str]:
    """Which of the two is more than allowed, and the programs that grew most."""
    found = summary(ratios)
    complaints = [f"{name}: {found[name]:.2f} times the budget" for name in found if found[name] > ALLOWED[name]]
    if complaints:
        worst = sorted(ratios, key=lambda name: -ratios[name])[:10]
        complaints += [f"  {ratios[name]:8.2f} times  {name}" for name in worst]
    return complaints


def report(timings: Figures) -> str:
    """The times as text."""
    lines = [
        f"{len(timings.costs)} programs, median {timings.median * timings.unit * 1e3:.1f} ms,"
        f" {timings.median:.2f} of what jax.jit(...).lower of the fixed function takes. The slowest:",
        *(f"  {value * 1e3:8.1f} ms  {name}" for name, value in timings.slowest.items()),
    ]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    # work first: the programs before it would leave traces that it need not make again
    counted = work()
    print(report(measure(seconds)))
    if "--update" in arguments:
        counts = {name: int(count) for name, count in counted.costs.items()}
        BUDGET.write_text(json.dumps({"unit": counted.unit, "costs": counts}, indent=0) + "\n")
        return 0
    complaints = over_budget(growth(counted, read_budget()))
    print("\n".join(complaints) or "within the budget")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
