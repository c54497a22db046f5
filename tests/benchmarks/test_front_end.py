"""The front end keeps its budget: a change that makes it work more fails here, on any machine and under any load."""

from benchmarks.front_end import calls, growth, lower_the_fixed, over_budget, read_budget, work_within


def test_the_budget_is_kept():
    """The few programs that take more than ten times the unit, half of all work, are left to the command."""
    budget = read_budget()
    ratios = growth(work_within(budget, 10), budget)
    assert len(ratios) > 300
    assert over_budget(ratios) == []


def test_work_is_the_same_each_time():
    lower_the_fixed()
    first, second = calls(lower_the_fixed), calls(lower_the_fixed)
    assert abs(first - second) < 0.05 * first  # finalisers may run in between


def test_more_work_is_noticed():
    usual = {str(n): 1.0 for n in range(100)}
    assert over_budget(usual) == []
    assert over_budget({name: 1.5 for name in usual})
    complaints = over_budget(usual | {str(n): 3.0 for n in range(10)})
    assert "times the budget" in complaints[0]
    assert any(line.endswith("times  7") for line in complaints)
