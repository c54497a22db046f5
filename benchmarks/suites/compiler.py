"""What the compiler itself costs: warm calls, guards, and the front end from bytecode to StableHLO."""

from collections.abc import Callable, Iterable
from functools import partial
from itertools import count
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.cold import in_fresh_process
from benchmarks.front_end import ALLOWED, growth, measure, read_budget, seconds, summary, work
from benchmarks.measure import Stats, paired_ratio
from benchmarks.peers import xlapy_jit
from benchmarks.plan import Case, Plan
from benchmarks.race import Contender, Ready, Target, race
from benchmarks.results import FAILED, Ratio, Result, one_line
from benchmarks.suites import programs

# Against jax.jit of the same arithmetic.
WARM_CALL, GUARDED_CALL, FRONT_END = 1.5, 2.0, 1.5


def cases(plan: Plan) -> list[Case]:
    return [
        Case("compiler", "warm call, two small arrays", partial(warm_call, "warm call, two small arrays", jnp.asarray)),
        Case("compiler", "warm call, NumPy arguments", partial(warm_call, "warm call, NumPy arguments", np.asarray)),
        Case("compiler", "warm call, 10 globals and 10 attributes", guarded_call),
        Case("compiler", "a global that changes before every call", changing_global),
        Case("compiler", "front end on VGG19", partial(front_end, "vgg19")),
        Case("compiler", "front end on relax", partial(front_end, "relax")),
        Case("compiler", "front end on the semantic tests", semantic_tests),
    ]


def semantic_tests(plan: Plan) -> Iterable[Result]:
    """The front end over some 2,400 small programs, its work against the committed budget (`benchmarks.front_end`)."""
    counted, timings = work(), measure(seconds)
    row = Result("compiler", "front end on the semantic tests", "xlapy")
    row.times["lower"] = Stats(tuple(timings.costs.values()))
    for name, ratio in summary(growth(counted, read_budget())).items():
        row.ratios.append(Ratio(f"{name} / budget", ratio, ALLOWED[name]))
    row.figures["slowest"] = timings.slowest
    return [row]


def called(jit: Callable[[Any], Any], function: Any, *arguments: Any) -> Ready:
    """A peer whose jitted function is called with the same arguments each time."""
    return Ready(jit(function), lambda: arguments)


def warm_call(name: str, make: Callable[[np.ndarray], Any], plan: Plan) -> Iterable[Result]:
    """A product, a sine and a sum of two arrays of eight: nearly all of the time is the call itself."""
    a, b = make(np.arange(8, dtype=np.float32)), make(np.ones(8, np.float32))
    contenders = [
        Contender("xlapy", lambda: called(xlapy_jit, programs.small, a, b), dtypes=True),
        Contender("jax", lambda: called(jax.jit, programs.small_jax, a, b)),
    ]
    return race(plan, partial(Result, "compiler", name), contenders, "jax", [Target("xlapy", "jax", WARM_CALL)])


def guarded_call(plan: Plan) -> Iterable[Result]:
    """xlapy has to notice if one of twenty values has changed; jax.jit never looks again."""
    x = jnp.arange(8, dtype=jnp.float32)
    contenders = [
        Contender("xlapy", lambda: called(xlapy_jit, programs.reads_twenty, x), dtypes=True),
        Contender("jax", lambda: called(jax.jit, programs.reads_twenty, x)),
    ]
    name = "warm call, 10 globals and 10 attributes"
    return race(plan, partial(Result, "compiler", name), contenders, "jax", [Target("xlapy", "jax", GUARDED_CALL)])


def changing_global(plan: Plan) -> Iterable[Result]:
    """A scalar that keeps changing has to become an input: jax.jit gets it as an argument here, since it would miss
    it."""
    x = jnp.arange(8, dtype=jnp.float32)

    def xlapy_ready() -> Ready:
        jitted, values = xlapy_jit(programs.reads_rate), count()

        def call(x: Any) -> Any:
            programs.rate = float(next(values) % 1000)
            return jitted(x)

        return Ready(call, lambda: (x,), answer=lambda *_: [follow(jitted, x, value) for value in (2.0, 3.0, 5.0, 7.0)])

    def jax_ready() -> Ready:
        jitted, values = jax.jit(programs.takes_rate), count()
        answer = lambda *_: [jitted(x, value) for value in (2.0, 3.0, 5.0, 7.0)]  # noqa: E731
        return Ready(lambda x: jitted(x, float(next(values) % 1000)), lambda: (x,), answer=answer)

    contenders = [Contender("xlapy", xlapy_ready, dtypes=True), Contender("jax", jax_ready)]
    row = partial(Result, "compiler", "a global that changes before every call")
    return race(plan, row, contenders, "jax", [Target("xlapy", "jax", GUARDED_CALL)])


def follow(jitted: Any, x: Any, value: float) -> Any:
    """The answer after the global has been set: a stale one shows as a wrong row."""
    programs.rate = value
    return jitted(x)


def front_end(program: str, plan: Plan) -> Iterable[Result]:
    """Bytecode to StableHLO in fresh processes, in turns with `jax.jit(...).lower` of the same program."""
    name = {"vgg19": "front end on VGG19"}.get(program, f"front end on {program}")
    rows = {peer: Result("compiler", name, peer) for peer in ("xlapy", "jax") if plan.wants(peer)}
    taken: dict[str, list[float]] = {peer: [] for peer in rows}
    for _ in range(plan.repeat):
        for peer, row in rows.items():
            if row.status == FAILED:
                continue
            try:
                taken[peer].append(in_fresh_process(program, peer))
            except Exception as error:
                row.status, row.message = FAILED, one_line(error)
    times = {peer: Stats(tuple(taken[peer])) for peer, row in rows.items() if row.status != FAILED}
    for peer, stats in times.items():
        rows[peer].times["lower"] = stats
    if len(times) == 2:
        ratio = Ratio("front end / jax", paired_ratio(times["xlapy"], times["jax"]), FRONT_END)
        rows["xlapy"].ratios.append(ratio)
    return list(rows.values())
