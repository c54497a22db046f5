"""The front end keeps its budget: a change that doubles its time fails here."""

import dataclasses

from benchmarks.front_end import Figures, Timing, measure, over_budget, report


def test_the_budget_is_kept():
    figures = measure(every=4)
    assert len(figures.timings) > 300
    assert over_budget(figures) == [], report(figures)


def test_twice_the_time_is_noticed():
    figures = Figures(1.0, tuple(Timing(str(n), 1.0 + n) for n in range(100)))
    slow = dataclasses.replace(figures, unit=1e-3)
    assert over_budget(slow)
    assert "The slowest" in report(slow)
