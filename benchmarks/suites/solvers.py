"""Solvers with nested loops and data-dependent steps, and gradients through such loops."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import jax

from benchmarks.peers import package, xlapy_jit
from benchmarks.plan import Case, Plan
from benchmarks.programs import compiled_figures
from benchmarks.race import Contender, Ready, Target, race
from benchmarks.results import Ratio, Result
from benchmarks.solvers.gradients import GRADIENTS, Gradient
from benchmarks.solvers.runge_kutta import RUNGE_KUTTA
from benchmarks.solvers.tsvd import TSVD
from benchmarks.suites.kernels import raced, x64

SOLVERS = (TSVD, RUNGE_KUTTA)


def cases(plan: Plan) -> list[Case]:
    return [
        *(Case("solvers", spec.name, partial(raced, spec, suite="solvers")) for spec in SOLVERS),
        *(Case("solvers", spec.name, partial(gradient, spec)) for spec in GRADIENTS),
    ]


def gradient(spec: Gradient, plan: Plan) -> Iterable[Result]:
    """The gradient by `xlapy.grad` against that of a loop by hand, which is the reference; time, and memory for
    temporaries."""

    def xlapy_ready() -> Ready:
        xlapy = package("xlapy")

        def gradient_of(*arguments: Any) -> Any:
            return xlapy.grad(spec.function)(*arguments)

        jitted = xlapy_jit(gradient_of)
        times, figures = compiled_figures(jitted, *spec.arguments())
        return Ready(jitted, spec.arguments, times=times, figures=figures)

    def by_hand_ready() -> Ready:
        jitted = jax.jit(jax.grad(spec.by_hand))
        with x64():
            times, figures = compiled_figures(jitted, *spec.arguments())
        return Ready(jitted, spec.arguments, x64, times=times, figures=figures)

    contenders = [Contender("xlapy", xlapy_ready), Contender("by-hand", by_hand_ready)]
    targets = [Target("xlapy", "by-hand", 1.0, compile=1.2)]
    rows = race(plan, partial(Result, "solvers", spec.name), contenders, "by-hand", targets, 1e-7, 1e-10)
    memory = {row.peer: row.figures.get("temp_bytes") or 0 for row in rows}
    for row in rows:
        if row.peer == "xlapy" and memory["xlapy"] and memory.get("by-hand"):
            row.ratios.append(Ratio("temporary memory of by-hand's", memory["xlapy"] / memory["by-hand"]))
    return rows
