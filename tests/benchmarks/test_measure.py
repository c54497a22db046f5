"""Statistics, interleaving, and what happens to a subject that fails."""

import math

import pytest

from benchmarks import measure
from benchmarks.measure import Stats, Subject, calls_for, geometric_mean, interleave, paired_ratio, sample, single


def test_median_and_quartiles():
    stats = Stats((5.0, 1.0, 4.0, 2.0, 3.0))
    assert stats.median == 3.0
    assert stats.quartiles == (2.0, 4.0)
    assert stats.iqr == 2.0
    assert stats.best == 1.0


def test_one_sample_has_no_spread():
    assert single(2.5).median == 2.5
    assert single(2.5).iqr == 0.0


def test_no_samples_are_refused():
    with pytest.raises(ValueError, match="no samples"):
        Stats(())


def test_stats_survive_json():
    stats = Stats((0.1, 0.2, 0.4), 7)
    assert Stats.from_json(stats.to_json()) == stats


def test_paired_ratio_ignores_a_drift_that_both_share():
    drift = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
    slow = Stats(tuple(3.0 * d for d in drift))
    assert paired_ratio(slow, Stats(tuple(drift))) == pytest.approx(3.0)


def test_paired_ratio_of_different_lengths_uses_medians():
    assert paired_ratio(Stats((2.0, 4.0, 6.0)), Stats((2.0,))) == pytest.approx(2.0)


def test_geometric_mean():
    assert geometric_mean([1.0, 4.0]) == pytest.approx(2.0)
    for bad in ([], [1.0, 0.0], [-1.0], [math.nan]):
        with pytest.raises(ValueError):
            geometric_mean(bad)


def test_too_few_repetitions_are_refused():
    with pytest.raises(ValueError, match="at least 7"):
        interleave([Subject("a", int)], repeat=6)


def test_names_have_to_differ():
    with pytest.raises(ValueError, match="distinct"):
        interleave([Subject("a", int), Subject("a", float)])


def test_subjects_take_turns(monkeypatch):
    """Each round holds one sample of each subject, and starts with another one than the round before."""
    order = []
    monkeypatch.setattr(measure, "calls_for", lambda subject: 1)
    monkeypatch.setattr(measure, "sample", lambda subject, calls: order.append(subject.name) or 1.0)
    measured = interleave([Subject("a", int), Subject("b", int), Subject("c", int)], repeat=7)
    rounds = [order[i : i + 3] for i in range(0, 21, 3)]
    assert all(sorted(turn) == ["a", "b", "c"] for turn in rounds)
    assert [turn[0] for turn in rounds] == ["a", "b", "c", "a", "b", "c", "a"]
    assert rounds[:2] == [["a", "b", "c"], ["b", "a", "c"]]
    assert all(len(stats.samples) == 7 for stats in measured.times.values())


def test_a_failing_subject_is_reported_and_the_others_go_on():
    def breaks():
        raise OverflowError("too much")

    calls = iter(range(1000000))

    def breaks_later():
        if next(calls) > 5:
            raise KeyError("late")

    subjects = [Subject("bad", breaks), Subject("good", int), Subject("late", breaks_later, most_calls=1)]
    measured = interleave(subjects)
    assert set(measured.times) == {"good"}
    assert isinstance(measured.failures["bad"], OverflowError)
    assert isinstance(measured.failures["late"], KeyError)


def test_fresh_subjects_get_arguments_of_their_own():
    seen = []
    subject = Subject("writes", lambda box: box.append(1), lambda: (seen.append([]) or seen[-1],), fresh=True)
    sample(subject, 5)
    assert seen == [[1]] * 5


def test_arguments_that_are_not_written_to_are_made_once():
    made = []
    sample(Subject("reads", lambda x: None, lambda: (made.append(1),)), 5)
    assert made == [1]


def test_short_calls_are_repeated_within_a_sample():
    assert calls_for(Subject("short", int)) > 1
    assert calls_for(Subject("short", int, most_calls=3)) == 3
