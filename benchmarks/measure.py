"""Honest measurement: peers interleaved, warm-up apart, always blocked until ready, median and spread.

Nothing here knows what is measured. All times are in seconds per call.
"""

import gc
import math
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import jax

MINIMUM_REPEATS = 7
SHORTEST_SAMPLE = 2e-3  # a sample repeats its call until it lasts this long, so that the clock's grain does not show
MOST_CALLS = 10_000  # per sample
MOST_FRESH_CALLS = 64  # per sample, where each call needs arguments of its own, all of which are held at once


@dataclass(frozen=True)
class Stats:
    """Seconds per call, one figure per sample, in the order they were taken."""

    samples: tuple[float, ...]
    calls_per_sample: int = 1

    def __post_init__(self) -> None:
        if not self.samples:
            raise ValueError("no samples")

    @property
    def median(self) -> float:
        return statistics.median(self.samples)

    @property
    def quartiles(self) -> tuple[float, float]:
        """The first and third quartile (inclusive method); both the one sample where there is only one."""
        if len(self.samples) == 1:
            return self.samples[0], self.samples[0]
        first, _, third = statistics.quantiles(self.samples, n=4, method="inclusive")
        return first, third

    @property
    def iqr(self) -> float:
        """The interquartile range: the spread that is shown beside the median."""
        first, third = self.quartiles
        return third - first

    @property
    def best(self) -> float:
        return min(self.samples)

    def to_json(self) -> dict[str, Any]:
        return {
            "median": self.median,
            "iqr": self.iqr,
            "best": self.best,
            "samples": list(self.samples),
            "calls_per_sample": self.calls_per_sample,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Stats":
        return cls(tuple(float(x) for x in data["samples"]), int(data["calls_per_sample"]))


def single(seconds: float) -> Stats:
    """One sample of something that happens once, such as a compilation."""
    return Stats((seconds,))


def paired_ratio(numerator: Stats, denominator: Stats) -> float:
    """The median over rounds of numerator / denominator.

    Samples of one round are neighbours in time, so that a slow drift of the machine cancels; ratios of medians keep it.
    Falls back to the ratio of the medians where the numbers of samples differ.
    """
    if len(numerator.samples) != len(denominator.samples):
        return numerator.median / denominator.median
    return statistics.median(a / b for a, b in zip(numerator.samples, denominator.samples, strict=True))


def geometric_mean(values: Sequence[float]) -> float:
    """Of positive values. Raises ValueError for none, or for one that is not positive."""
    if not values or any(not v > 0 for v in values):
        raise ValueError("a geometric mean needs positive values")
    return math.exp(math.fsum(math.log(v) for v in values) / len(values))


def no_arguments() -> tuple[Any, ...]:
    return ()


@dataclass
class Subject:
    """Something to time: `call(*arguments())`, blocked until ready, under `context()`.

    `fresh` says that a call changes its arguments, so that each call gets new ones, made outside the measured time.
    `most_calls` limits how many calls one sample may hold, and with `fresh` how many arguments exist at once.
    """

    name: str
    call: Callable[..., Any]
    arguments: Callable[[], tuple[Any, ...]] = no_arguments
    context: Callable[[], AbstractContextManager[Any]] = nullcontext
    fresh: bool = False
    most_calls: int = MOST_CALLS


@dataclass
class Measured:
    """What came of `interleave`: statistics per subject, and the exception of each that failed."""

    times: dict[str, Stats] = field(default_factory=dict)
    failures: dict[str, Exception] = field(default_factory=dict)


def sample(subject: Subject, calls: int) -> float:
    """Seconds per call over `calls` calls in a row, every result awaited; the garbage collector rests meanwhile."""
    once = None if subject.fresh else subject.arguments()
    arguments = [subject.arguments() if once is None else once for _ in range(calls)]
    jax.block_until_ready(arguments)
    call = subject.call
    collecting = gc.isenabled()
    with subject.context():
        gc.collect(0)
        gc.disable()
        try:
            start = time.perf_counter()
            for args in arguments:
                jax.block_until_ready(call(*args))
            return (time.perf_counter() - start) / calls
        finally:
            if collecting:
                gc.enable()


def calls_for(subject: Subject, shortest: float = SHORTEST_SAMPLE) -> int:
    """How many calls make a sample of at least `shortest` seconds, found by doubling; this is the warm-up."""
    most = min(subject.most_calls, MOST_FRESH_CALLS if subject.fresh else MOST_CALLS)
    calls = 1
    sample(subject, 1)
    while calls < most:
        seconds = sample(subject, calls)
        if seconds * calls >= shortest:
            break
        calls = min(most, max(calls * 2, math.ceil(shortest / max(seconds, 1e-9) * 1.2)))
    return calls


def interleave(subjects: Sequence[Subject], repeat: int = MINIMUM_REPEATS) -> Measured:
    """Times the subjects in rounds, one sample of each per round, starting each round with the next subject.

    Rounds go forwards and backwards by turns: who runs behind another gets its memory, still in the cache.
    A subject that raises is dropped from the rounds and reported; the others go on. `repeat` below MINIMUM_REPEATS
    raises ValueError: fewer samples have no spread to speak of."""
    if repeat < MINIMUM_REPEATS:
        raise ValueError(f"at least {MINIMUM_REPEATS} repetitions are needed, not {repeat}")
    names = [s.name for s in subjects]
    if len(set(names)) != len(names):
        raise ValueError(f"subjects need distinct names: {names}")
    measured = Measured()
    calls: dict[str, int] = {}
    for subject in subjects:
        try:
            calls[subject.name] = calls_for(subject)
        except Exception as error:
            measured.failures[subject.name] = error
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(repeat):
        step = 1 if turn % 2 == 0 else -1
        order = [subjects[(turn + step * i) % len(subjects)] for i in range(len(subjects))]
        for subject in order:
            if subject.name not in calls or subject.name in measured.failures:
                continue
            try:
                taken[subject.name].append(sample(subject, calls[subject.name]))
            except Exception as error:
                measured.failures[subject.name] = error
    for name, samples in taken.items():
        if name not in measured.failures:
            measured.times[name] = Stats(tuple(samples), calls[name])
    return measured
