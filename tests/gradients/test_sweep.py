"""A part of `tests.gradients.sweep`: gradients of the semantic tests' programs."""

import pytest

from .sweep import judged, programs_of

PROGRAMS = [(module, p) for module in ("test_loops", "test_branches") for p in programs_of(module)]


@pytest.mark.parametrize(("module", "program"), PROGRAMS, ids=[f"{m}-{p.name}" for m, p in PROGRAMS])
def test_gradient(module, program):
    verdict = judged(program)
    if verdict.kind == "skipped":
        pytest.skip("nothing to differentiate")
    assert verdict.kind in ("right", "refused"), verdict.detail


def test_most_programs_have_a_gradient():
    """That the sweep judges something at all."""
    verdicts = [judged(p).kind for p in programs_of("test_caught_changes")[:5]]
    assert verdicts.count("right") > len(verdicts) // 3
