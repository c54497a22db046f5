"""The command line: values in a row, and bad input."""

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner

from benchmarks import cli, suites
from benchmarks.lent import main
from benchmarks.plan import Case, Plan
from benchmarks.results import FAILED, OK, SKIPPED, WRONG, Result, Run
from benchmarks.suites import semantics


@pytest.mark.parametrize(
    ("typed", "given"),
    [
        (["--batch", "1", "10"], ["--batch", "1", "--batch", "10"]),
        (["--batch", "1", "10", "vgg19"], ["--batch", "1", "--batch", "10", "vgg19"]),
        (["--devices", "cpu", "gpu", "--repeat", "9"], ["--devices", "cpu", "--devices", "gpu", "--repeat", "9"]),
        (["kernels", "--only", "lu"], ["kernels", "--only", "lu"]),
        (["--batch=4", "loops"], ["--batch=4", "loops"]),
        ([], []),
    ],
)
def test_values_in_a_row(typed, given):
    assert cli.spread(typed) == given


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["kernel"], "Did you mean 'kernels'"),
        (["nonsense"], "unknown suite 'nonsense'"),
        (["--devices", "cuda"], "unknown device 'cuda'"),
        (["--devices", "cpu", "quantum"], "unknown device 'quantum'"),
        (["--peers", "tensorflow"], "unknown peer 'tensorflow'"),
        (["--batch", "0"], "0 is not in the range"),
        (["--batch", "many"], "'many' is not a valid integer"),
        (["--repeat", "3"], "fewer than 7"),
        (["--data", "dreamt"], "unknown kind of data"),
        (["--dtypes", "float8"], "unknown dtype"),
        (["--out", __file__], "is a file"),
        (["--out", __file__ + "/results"], "Not a directory"),
        (["--no-such-option"], "No such option"),
    ],
)
def test_bad_input_is_one_clear_line(arguments, says):
    outcome = CliRunner().invoke(cli.main, cli.spread(arguments))
    assert outcome.exit_code == 2
    assert says in outcome.output
    assert "Traceback" not in outcome.output


def test_comparing_bad_files(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    Run({}, []).save(good)
    bad.write_text("no")
    assert CliRunner().invoke(cli.compare, [str(good), str(good)]).exit_code == 0
    assert CliRunner().invoke(cli.compare, [str(good), str(bad)]).exit_code == 2
    assert CliRunner().invoke(cli.compare, [str(good), str(tmp_path / "none.json")]).exit_code == 2


def rows_then(raised):
    def run(plan):
        yield Result("kernels", "first", "xlapy")
        raise raised

    return run


def executed(monkeypatch, tmp_path, case, **plan):
    monkeypatch.setattr(suites, "cases", lambda suite, plan: [case, Case("kernels", "next", lambda plan: [])])
    status = cli.execute(Plan(suites=("kernels",), **plan), tmp_path, cli.Console(quiet=True))
    (path,) = tmp_path.glob("*/results.json")
    return status, Run.load(path)


def test_control_c_keeps_what_was_measured(monkeypatch, tmp_path):
    status, run = executed(monkeypatch, tmp_path, Case("kernels", "x", rows_then(KeyboardInterrupt())))
    assert status == cli.INTERRUPTED and run.interrupted
    assert [r.case for r in run.results] == ["first"]


def test_a_process_that_is_killed_keeps_what_was_measured(monkeypatch, tmp_path):
    def killed(plan):
        (path,) = tmp_path.glob("*/results.json")
        assert [r.case for r in Run.load(path).results] == ["first"]
        return []

    monkeypatch.setattr(
        suites, "cases", lambda suite, plan: [Case("kernels", "x", first_row), Case("kernels", "y", killed)]
    )
    assert cli.execute(Plan(suites=("kernels",)), tmp_path, cli.Console(quiet=True)) == 0


def first_row(plan):
    yield Result("kernels", "first", "xlapy")


@pytest.mark.parametrize(("named", "expected"), [((), 0), (("kernels",), 1)])
def test_a_case_that_breaks_is_a_row(monkeypatch, tmp_path, named, expected):
    case = Case("kernels", "x", rows_then(RuntimeError("broken\nin two lines")))
    status, run = executed(monkeypatch, tmp_path, case, named=frozenset(named))
    assert status == expected
    assert [(r.case, r.status, r.message) for r in run.results][1] == ("x", FAILED, "RuntimeError: broken")


def test_missing_devices_and_peers_are_rows(monkeypatch, tmp_path):
    monkeypatch.setattr("benchmarks.plan.found", lambda kind: None)
    monkeypatch.setattr("benchmarks.plan.installed", lambda peer: False)
    monkeypatch.setattr("benchmarks.plan.has_cuda_compiler", lambda: False)
    case = Case("kernels", "x", lambda plan: [])
    status, run = executed(
        monkeypatch, tmp_path, case, devices=("gpu",), peers=("numba",), named=frozenset({"gpu", "numba"})
    )
    assert status == 1
    assert [r.message for r in run.results] == [
        "no gpu is attached; pip install -e '.[cuda]' to compile for one that is not there",
        "numba is not installed: pip install -e '.[peers]'",
    ]


def lent(tmp_path, *arguments):
    """The exit status of `python -m benchmarks gpu`, tried out on the CPU, and its rows by the files that it wrote."""
    options = ["--device", "cpu", "--out", str(tmp_path), *arguments]
    status = CliRunner().invoke(main, options).exit_code
    return status, {path.stem: Run.load(path).results for path in tmp_path.glob("*.json")}


def test_what_a_lent_device_is_asked_for(tmp_path):
    status, found = lent(tmp_path, "--instances", "2", "--only", "instances", "--case", "knapsack")
    assert status == 0
    (rows,) = found.values()
    assert {row.peer for row in rows} == {"xlapy", "jax"} and all(
        row.status == OK and "run" in row.times for row in rows
    )


def test_a_lent_device_is_given_back_in_time(tmp_path):
    status, found = lent(tmp_path, "--minutes", "0", "--only", "instances")
    assert status == 0
    assert [(row.status, row.message) for row in found["cpu-instances"]] == [(SKIPPED, "no time for 10 cases")]


def test_a_device_that_is_not_lent():
    outcome = CliRunner().invoke(main, ["--device", "npu"])
    assert outcome.exit_code == 2 and "no npu is attached" in outcome.output


def test_programs_that_are_wrong_are_named():
    def program(name, error):
        def check():
            if error:
                raise error

        return SimpleNamespace(name=name, check=check)

    programs = [program("good", None), program("bad", ValueError("not so"))]
    (row,) = semantics.judged("programs", "test_x", programs, semantics.values, Plan())
    assert (row.status, row.message) == (WRONG, "1 of 2 are right; bad: ValueError: not so")


@pytest.mark.parametrize("arguments", [["--help"], ["compare", "--help"], ["gpu", "--help"]])
def test_as_a_module(arguments):
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run([sys.executable, "-m", "benchmarks", *arguments], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0 and "Usage: python -m benchmarks" in done.stdout
