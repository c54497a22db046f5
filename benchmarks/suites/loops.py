"""Loops stay loops: compile time against trip count and nesting, and a loop whose data decides when it ends."""

import math
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import jax
import numpy as np

from benchmarks.agreement import disagreement
from benchmarks.measure import Stats, Subject, interleave, paired_ratio
from benchmarks.peers import package, xlapy_jit
from benchmarks.plan import Case, Plan
from benchmarks.programs import compiled_figures
from benchmarks.race import Contender, Ready, Target, race
from benchmarks.results import FAILED, SKIPPED, WRONG, Ratio, Result, one_line
from benchmarks.suites import programs

RUN_TARGET = 1.1  # of xlapy's run time over hand-written JAX's
SAME = 1.2  # compile time of many trips over that of ten, where both are the same within noise
LINEAR = 1.3  # the exponent of front-end time over depth: 1 is linear, 2 quadratic
DEPTHS = tuple(range(1, 9))
MOST_UNROLLED = 1000  # trips that jax.jit is asked to unroll; it takes seconds for these already


def cases(plan: Plan) -> list[Case]:
    return [
        Case("loops", "relax", relaxation),
        Case("loops", "trip counts", trip_counts),
        Case("loops", "nesting", nesting),
    ]


def x64() -> AbstractContextManager[Any]:
    """JAX with 64-bit types, as NumPy programs expect; xlapy needs no such setting."""
    return jax.enable_x64(True)


def relaxation(plan: Plan) -> Iterable[Result]:
    """The README's loop in float64 on 128 x 128: n, tol and the data decide at run time when it ends."""
    start = np.zeros((128, 128))
    start[0] = 1.0
    tol, n = 1e-4, 2000

    def arguments() -> tuple[Any, ...]:
        return start.copy(), tol, n

    def with_grid(result: Any, args: tuple[Any, ...]) -> Any:
        return (*result, args[0])

    def python_ready(function: Any, figures: dict[str, Any] | None = None) -> Ready:
        return Ready(function, arguments, fresh=True, answer=with_grid, figures=figures or {})

    def xlapy_ready() -> Ready:
        jitted = xlapy_jit(programs.relax)
        times, figures = compiled_figures(jitted, *arguments())
        return Ready(jitted, arguments, fresh=True, answer=with_grid, times=times, figures=figures)

    def jax_ready() -> Ready:
        jitted = jax.jit(programs.relax_jax)
        with x64():
            times, figures = compiled_figures(jitted, *arguments())
        return Ready(jitted, arguments, x64, fresh=True, times=times, figures=figures)

    contenders = [
        Contender("numpy", lambda: python_ready(programs.relax)),
        Contender("xlapy", xlapy_ready, dtypes=True),
        Contender("jax", jax_ready),
        Contender("numba", lambda: python_ready(package("numba").njit(numba_relax))),
    ]
    targets = [Target("xlapy", "jax", RUN_TARGET), Target("xlapy", "numpy"), Target("xlapy", "numba")]
    rows = race(plan, partial(Result, "loops", "relax"), contenders, "numpy", targets, 1e-9, 1e-12)
    for row in rows:
        if whiles := row.figures.get("instructions", {}).get("before", {}).get("total", {}).get("while"):
            row.ratios.append(Ratio("HLO whiles, of 1", float(whiles), 1.0 if row.peer == "xlapy" else None))
    return rows


def numba_relax(u, tol, n):
    """As a Numba user would write it: loops, since Numba compiles those best."""
    it = 0
    diff = 0.0
    while it < n:
        new = u.copy()
        diff = 0.0
        for i in range(1, u.shape[0] - 1):
            for j in range(1, u.shape[1] - 1):
                new[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1])
                diff = max(diff, abs(new[i, j] - u[i, j]))
        u[:] = new
        it += 1
        if diff < tol:
            break
    return it, diff


def compiling(
    jit: Callable[[Any], Any], function: Any, arguments: Sequence[Any], only_lower: bool
) -> Callable[[], Any]:
    """A call that compiles (or only lowers) a function that no compiler has seen, and returns the outcome's text
    length."""

    def call() -> Any:
        lowered = jit(programs.fresh(function)).lower(*arguments)
        if not only_lower:
            lowered.compile()

    return call


def answers(jit: Callable[[Any], Any], function: Any, arguments: Sequence[Any], expected: Any) -> str | None:
    """What is wrong with a compiled function's answer, or None."""
    return disagreement(expected, jit(function)(*arguments), rtol=1e-4, atol=1e-5)


def timed_compiles(
    plan: Plan,
    subjects: dict[tuple[str, int], tuple[Any, Any, tuple[Any, ...], Any]],
    only_lower: bool,
    phase: str,
    case: str,
) -> tuple[dict[tuple[str, int], Result], dict[tuple[str, int], Stats]]:
    """Checks the answer of each (peer, size): (jit, function, arguments, expected), then times their compilation in
    turns."""
    rows: dict[tuple[str, int], Result] = {}
    timed: list[Subject] = []
    for (peer, size), (jit, function, arguments, expected) in subjects.items():
        row = rows[peer, size] = Result("loops", f"{case} {size}", peer)
        row.figures[{"trip count": "trips"}.get(case, "depth")] = size
        try:
            wrong = answers(jit, function, arguments, expected)
        except Exception as error:
            row.status, row.message = FAILED, one_line(error)
            continue
        if wrong is not None:
            row.status, row.message = WRONG, f"not timed: unlike NumPy, {wrong}"
            continue
        timed.append(Subject(f"{peer}/{size}", compiling(jit, function, arguments, only_lower), most_calls=1))
    measured = interleave(timed, plan.repeat)
    times = {(name.partition("/")[0], int(name.partition("/")[2])): stats for name, stats in measured.times.items()}
    for key, stats in times.items():
        rows[key].times[phase] = stats
    return rows, times


def trip_counts(plan: Plan) -> Iterable[Result]:
    """10, 1,000 and 100,000 trips: the time from function to executable has to be the same."""
    x = np.linspace(0.1, 0.9, 16, dtype=np.float32)
    subjects: dict[tuple[str, int], tuple[Any, Any, tuple[Any, ...], Any]] = {}
    for trips, function in programs.TRIPS.items():
        expected = function(x)
        made = {"xlapy": (xlapy_jit, function), "jax": (jax.jit, programs.trips_jax(trips))}
        if trips <= MOST_UNROLLED:
            made["unrolled"] = (jax.jit, programs.trips_unrolled(trips))
        for peer, (jit, program) in made.items():
            if plan.wants(peer):
                subjects[peer, trips] = (jit, program, (x,), expected)
    rows, times = timed_compiles(plan, subjects, False, "compile_all", "trip count")
    for (peer, trips), stats in times.items():
        if trips != 10 and (peer, 10) in times:
            ratio = Ratio(
                "compile time / that of 10 trips",
                paired_ratio(stats, times[peer, 10]),
                SAME if peer == "xlapy" else None,
            )
            rows[peer, trips].ratios.append(ratio)
    out = list(rows.values())
    if plan.wants("unrolled"):
        text = "not attempted: jax.jit unrolls Python loops"
        out.append(Result("loops", "trip count 100000", "unrolled", status=SKIPPED, message=text))
    return out


def nesting(plan: Plan) -> Iterable[Result]:
    """One to eight loops inside each other, trip count at run time: front-end time has to grow about linearly."""
    x, n = np.linspace(0.1, 0.9, 16, dtype=np.float32), 2
    subjects: dict[tuple[str, int], tuple[Any, Any, tuple[Any, ...], Any]] = {}
    for depth in DEPTHS:
        expected = programs.nested(depth)(x.copy(), n)
        for peer, jit, program in (
            ("xlapy", xlapy_jit, programs.nested(depth)),
            ("jax", jax.jit, programs.nested_jax(depth)),
        ):
            if plan.wants(peer):
                subjects[peer, depth] = (jit, program, (x, n), expected)
    rows, times = timed_compiles(plan, subjects, True, "lower", "nesting depth")
    for peer in ("xlapy", "jax"):
        curve = {depth: times[peer, depth].median for depth in DEPTHS if (peer, depth) in times}
        if len(curve) == len(DEPTHS):
            target = LINEAR if peer == "xlapy" else None
            rows[peer, DEPTHS[-1]].ratios.append(Ratio("exponent of time over depth", exponent(curve), target))
    return list(rows.values())


def exponent(curve: dict[int, float]) -> float:
    """The slope of log(value) over log(argument) by least squares: 1 for a line through the origin, 2 for a
    parabola."""
    xs, ys = [math.log(k) for k in curve], [math.log(v) for v in curve.values()]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)
