"""A short run; `python -m tests.fuzz` makes long ones."""

import collections

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from .arrays import array_programs
from .judge import judge
from .kernels import kernel_programs
from .layouts import layout_programs
from .programs import load, programs
from .recursions import recursive_programs

FAMILIES = [
    (programs, 60),
    (array_programs, 40),
    (kernel_programs, 40),
    (layout_programs, 40),
    (recursive_programs, 30),
]


@pytest.mark.parametrize("strategy, examples", FAMILIES)
def test_generated_programs(strategy, examples):
    """Each is right or refused, and not all are refused."""
    count: collections.Counter = collections.Counter()
    bad = []

    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(strategy())
    def run(program):
        verdict = judge(program)
        count[verdict.kind] += 1
        if verdict.kind in ("wrong", "crash"):
            bad.append(f"{verdict.kind}: {verdict.message}\n{program}")

    run()
    assert not bad, f"{len(bad)} programs, the shortest:\n{min(bad, key=len)}"
    assert count["right"] > count["refused"]


@settings(max_examples=50, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))
@given(programs())
def test_generator_makes_programs(program):
    """The text is Python, and mostly within the size that compiles fast."""
    assert callable(load(program.text).program)
    assert len(str(program).splitlines()) < 120
