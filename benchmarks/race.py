"""Peers of one case against each other: prepare, compare the answers, only then time, in one interleaved run."""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

import jax

from benchmarks.agreement import disagreement
from benchmarks.measure import Stats, Subject, interleave, no_arguments, paired_ratio, single
from benchmarks.plan import Plan
from benchmarks.results import FAILED, WRONG, Ratio, Result, one_line


def returned(result: Any, arguments: tuple[Any, ...]) -> Any:
    """The default for what a call's answer is: what it returns."""
    return result


@dataclass
class Ready:
    """A peer that is compiled and can be called.

    `answer(result, arguments)` picks what is compared with the other peers: programs that write into their arguments
    answer with those as well. `more` holds further phases to be timed in the same rounds, each named for its phase;
    `moved` the bytes that one call transfers."""

    call: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]] = no_arguments
    context: Callable[[], AbstractContextManager[Any]] = nullcontext
    fresh: bool = False
    answer: Callable[[Any, tuple[Any, ...]], Any] = returned
    times: dict[str, Stats] = field(default_factory=dict)
    figures: dict[str, Any] = field(default_factory=dict)
    more: list[Subject] = field(default_factory=list)
    moved: dict[str, int] = field(default_factory=dict)

    def subjects(self, peer: str) -> list[Subject]:
        """What is timed: the run and the further phases, named 'peer/phase'."""
        run = Subject(f"{peer}/run", self.call, self.arguments, self.context, self.fresh)
        return [run, *(replace(phase, name=f"{peer}/{phase.name}") for phase in self.more)]


@dataclass
class Contender:
    """A peer in a race: `prepare` compiles it and may raise, which becomes the row's reason."""

    peer: str
    prepare: Callable[[], Ready]
    dtypes: bool = False  # whether its answer's dtypes have to be the reference's


@dataclass
class Target:
    """A ratio to print: `peer`'s run time over `against`'s, to be at most `limit`; with `compile`, also of the times
    from function to executable, to be at most that."""

    peer: str
    against: str
    limit: float | None = None
    compile: float | None = None


def race(
    plan: Plan,
    row: Callable[..., Result],
    contenders: Sequence[Contender],
    reference: str,
    targets: Sequence[Target] = (),
    rtol: float = 1e-5,
    atol: float = 0.0,
) -> list[Result]:
    """Runs the contenders that the plan wants, and gives one row each.

    `row(peer=..., ...)` makes a row of this case. `reference` names the contender whose answer is the right one; it is
    prepared and asked for its answer even where the plan does not want it timed. Where it fails itself, no time is
    shown."""
    rows: dict[str, Result] = {}
    ready: dict[str, Ready] = {}
    answers: dict[str, Any] = {}
    wanted = [c for c in contenders if plan.wants(c.peer)]
    needed = wanted + [c for c in contenders if c.peer == reference and c not in wanted]
    for contender in needed:
        rows[contender.peer] = result = row(peer=contender.peer)
        try:
            prepared = contender.prepare()
            result.times |= prepared.times
            result.figures |= prepared.figures
            result.moved |= prepared.moved
            answers[contender.peer] = answer_of(prepared)
            ready[contender.peer] = prepared
        except Exception as error:
            result.status, result.message = FAILED, one_line(error)
    for contender in needed:
        if contender.peer == reference or contender.peer not in ready:
            continue
        if reference not in answers:
            text = f"not timed: the reference, {reference}, failed"
            rows[contender.peer].status, rows[contender.peer].message = FAILED, text
            del ready[contender.peer]
            continue
        wrong = disagreement(answers[reference], answers[contender.peer], rtol, atol, contender.dtypes)
        if wrong is not None:
            rows[contender.peer].status = WRONG
            rows[contender.peer].message = f"not timed: unlike {reference}, {wrong}"
            del ready[contender.peer]
    answers.clear()
    measured = interleave([s for c in wanted if c.peer in ready for s in ready[c.peer].subjects(c.peer)], plan.repeat)
    for name, error in measured.failures.items():
        peer, _, phase = name.partition("/")
        rows[peer].status, rows[peer].message = FAILED, f"{phase}: {one_line(error)}"
    for name, stats in measured.times.items():
        peer, _, phase = name.partition("/")
        rows[peer].times[phase] = stats
    for target in targets:
        ours, theirs = (measured.times.get(f"{peer}/run") for peer in (target.peer, target.against))
        if ours is not None and theirs is not None:
            rows[target.peer].ratios.append(Ratio(f"run / {target.against}", paired_ratio(ours, theirs), target.limit))
        if target.compile is not None and target.peer in ready and target.against in ready:
            ratio = compile_seconds(ready[target.peer]) / compile_seconds(ready[target.against])
            rows[target.peer].ratios.append(Ratio(f"compile / {target.against}", ratio, target.compile))
    return [rows[c.peer] for c in wanted]


def compile_seconds(ready: Ready) -> float:
    """From the function to the executable."""
    return ready.times["lower"].median + ready.times["compile"].median


def answer_of(ready: Ready) -> Any:
    """Calls a peer once, on arguments of its own, and picks its answer."""
    arguments = ready.arguments()
    with ready.context():
        return ready.answer(jax.block_until_ready(ready.call(*arguments)), arguments)


def staged(jitted: Any, *arguments: Any) -> tuple[Any, Any, dict[str, Stats]]:
    """Lowers and compiles ahead of time, timing each: `jitted.lower(*arguments).compile()`.

    Returns the lowered and the compiled program, and `lower` and `compile` in seconds.
    """
    start = time.perf_counter()
    lowered = jitted.lower(*arguments)
    middle = time.perf_counter()
    compiled = lowered.compile()
    return lowered, compiled, {"lower": single(middle - start), "compile": single(time.perf_counter() - middle)}
