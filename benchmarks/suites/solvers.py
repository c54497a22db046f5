"""Solvers with nested loops and data-dependent steps: a truncated SVD and an adaptive Runge-Kutta method."""

from functools import partial

from benchmarks.plan import Case, Plan
from benchmarks.solvers.runge_kutta import RUNGE_KUTTA
from benchmarks.solvers.tsvd import TSVD
from benchmarks.suites.kernels import raced

SOLVERS = (TSVD, RUNGE_KUTTA)


def cases(plan: Plan) -> list[Case]:
    return [Case("solvers", spec.name, partial(raced, spec, suite="solvers")) for spec in SOLVERS]
