"""Rows, their JSON, comparing two runs, and the written report."""

import json
from types import SimpleNamespace

import pytest

from benchmarks.compare import BROKEN, FASTER, GONE, MENDED, NEW, SAME, SLOWER, compared, verdict
from benchmarks.measure import Stats, single
from benchmarks.plan import Plan
from benchmarks.report import write
from benchmarks.report.tables import seconds, size, summary, time
from benchmarks.results import FAILED, OK, Ratio, Result, Run, one_line


def run_of(*rows):
    return Run({"processor": "one"}, ["python"], list(rows))


def timed(case, *samples, peer="xlapy", status=OK):
    return Result("kernels", case, peer, status=status, times={"run": Stats(samples)})


def test_rows_survive_json(tmp_path):
    row = Result("vgg19", "forward", "jax", "cpu", batch=1, dtype="float32", times={"run": Stats((1.0, 2.0))})
    row.ratios.append(Ratio("run / jax", 1.2, 1.5))
    row.figures["flops"] = 3.0
    path = tmp_path / "r.json"
    run_of(row).save(path)
    assert Run.load(path).results == [row]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1}', '{"format": 99, "results": []}', "\x00"])
def test_files_that_are_no_results_are_refused(tmp_path, text):
    path = tmp_path / "r.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="r.json"):
        Run.load(path)


def test_an_unknown_status_is_refused():
    with pytest.raises(ValueError, match="status"):
        Result("a", "b", "c", status="fine")


def test_targets():
    assert Ratio("r", 1.2, 1.5).met and not Ratio("r", 1.6, 1.5).met
    assert Ratio("r", 1.6, 1.5, at_least=True).met
    assert Ratio("r", 1.6).met is None
    assert Ratio("r", 1.6, 1.5).text() == "r 1.6 (at most 1.5: MISSED)"


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ((1.0, 1.1, 1.2), (1.01, 1.1, 1.25), SAME),
        ((1.0, 1.01, 1.02), (2.0, 2.01, 2.02), SLOWER),
        ((2.0, 2.01, 2.02), (1.0, 1.01, 1.02), FASTER),
        ((1.0, 2.0, 3.0), (1.5, 2.5, 3.5), SAME),  # the ranges overlap
        ((1.0, 1.0, 1.0), (1.04, 1.04, 1.04), SAME),  # too small a change to matter
        ((1.0,), (1.2,), SAME),  # taken once
        ((1.0,), (1.4,), SLOWER),
    ],
)
def test_verdicts(before, after, expected):
    assert verdict(Stats(before), Stats(after)) == expected


def test_comparing_runs():
    before = run_of(timed("a", 1.0, 1.0, 1.0), timed("b", 1.0), timed("c", 1.0), timed("d", 1.0, status=FAILED))
    after = run_of(
        timed("a", 2.0, 2.0, 2.0),
        timed("c", 1.0, status=FAILED),
        timed("d", 1.0),
        timed("e", 1.0),
        timed("b", 1.0, peer="jax"),
    )
    found = [(change.row.case, change.row.peer, change.verdict) for change in compared(before, after)]
    assert found == [
        ("a", "xlapy", SLOWER),
        ("c", "xlapy", BROKEN),
        ("d", "xlapy", MENDED),
        ("e", "xlapy", NEW),
        ("b", "jax", NEW),
        ("b", "xlapy", GONE),
    ]


def test_only_what_was_asked_for_by_name_fails_the_run():
    rows = [
        Result("kernels", "a", "xlapy", status=FAILED),
        Result("kernels", "a", "numba", status=FAILED),
        Result("kernels", "b", "jax"),
    ]
    assert Plan().failures(rows) == []
    assert Plan(named=frozenset({"kernels"})).failures(rows) == rows[:1]
    assert Plan(named=frozenset({"numba"})).failures(rows) == rows[1:2]
    assert Plan(named=frozenset({"jax"})).failures(rows) == []


def test_one_line_of_an_exception():
    assert one_line(ValueError("first\nsecond")) == "ValueError: first"
    assert one_line(KeyError()) == "KeyError"
    assert len(one_line(ValueError("x" * 999))) == 220


def test_one_line_of_a_refusal_names_the_first_obstacle():
    blockers = [SimpleNamespace(code="XP0001", function="f", line=3, message="no"), None]
    error = type("NotOffloadableError", (Exception,), {"blockers": blockers})("f cannot be offloaded: 2 obstacles")
    assert one_line(error) == "NotOffloadableError (1 of 2): XP0001 in f, line 3: no"


def test_units():
    assert [seconds(v) for v in (2.0, 0.0123, 4.5e-6, 7e-9)] == ["2 s", "12.3 ms", "4.5 µs", "7 ns"]
    assert [size(v) for v in (12, 2048, 5.5e6, 1e9)] == ["12 B", "2.05 kB", "5.5 MB", "1 GB"]
    assert time(single(1.0)) == "1 s"
    assert time(None) == ""
    assert time(Stats((1.0, 2.0, 3.0))) == "2 s ± 1 s"


def test_summary_gives_geometric_means():
    rows = []
    for case, value in (("a", 0.5), ("b", 1.0), ("c", 2.0)):
        rows.append(Result("kernels", case, "xlapy", ratios=[Ratio("run / jax", value, 1.1)]))
    assert summary(rows).rows == [["kernels", "xlapy", "run / jax", "1", "0.5", "2", "2 of 3 (at most 1.1)"]]


def test_the_written_report(tmp_path):
    rows = [
        timed("a|b", 1.0, 2.0, peer="numpy"),
        timed("a|b", 0.5, 0.6),
        Result("kernels", "<c>", "jax", status=FAILED),
    ]
    rows[-1].message = "NotOffloadableError: no"
    paths = {path.name: path for path in write(run_of(*rows), tmp_path / "deep" / "out")}
    assert {"results.json", "results.md", "kernels.png", "report.html"} <= set(paths)
    assert len(json.loads(paths["results.json"].read_text())["results"]) == 3
    assert "a\\|b" in paths["results.md"].read_text()
    page = paths["report.html"].read_text()
    assert "&lt;c&gt;" in page and "NotOffloadableError: no" in page and "data:image/png;base64," in page
    assert "http" not in page and 'src="/' not in page  # nothing is fetched
