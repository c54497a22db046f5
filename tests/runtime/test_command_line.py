"""`python -m xlapy`: what its commands print, and what they return to the shell."""

import subprocess
import sys

import numpy as np
import pytest

from xlapy import command_line

SOURCE = """\
import numpy as np
import xlapy


def cool(u, k, limit):
    steps = 0
    while u.max() > limit and steps < 100:
        u = k * u
        steps += 1
    return u, steps


class Model:
    @staticmethod
    def total(x, n):
        return x[:n].sum()


def asked(x):
    return input(x)
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "heat_of_a_rod.py"
    path.write_text(SOURCE)
    yield path
    sys.modules.pop(path.stem, None)


def test_explain_in_a_process_of_its_own(file, tmp_path):
    page = tmp_path / "page.html"
    command = [sys.executable, "-m", "xlapy", "explain", f"{file}:cool", "--args", "f64[5], f64, 0.1", "--html", page]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("cool is offloaded as one program") and "# a loop" in done.stdout
    assert page.read_text().startswith("<!doctype html>")


def test_doctor_in_a_process_of_its_own():
    done = subprocess.run([sys.executable, "-m", "xlapy", "doctor"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for topic in ("Python", "xlapy", "jaxlib", "devices", "threads", "XLA's cache", "a function"):
        assert f"\n{topic}" in f"\n{done.stdout}"


def test_run(file, capsys):
    assert command_line.main(["run", f"{file}:Model.total", "--args", "i32[4], 3"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == str(np.random.default_rng(0).integers(0, 10, 4)[:3].sum())
    assert printed[1].startswith("first call ") and ", CPython " in printed[1]


def test_hlo(file, capsys):
    for option, expected in ([], "stablehlo"), (["--typed"], "program(%0: float32[4] = x"), (["--opt"], "HloModule"):
        assert command_line.main(["hlo", f"{file}:Model.total", "--args", "f32[4], 3", *option]) == 0
        assert expected in capsys.readouterr().out


def test_refusals(file, capsys):
    for command in "explain", "hlo", "run":
        assert command_line.main([command, f"{file}:asked", "--args", "'name'"]) == 1
        assert "XP0003" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        ("cool", "", "is not FILE:FUNCTION"),
        ("nowhere.py:f", "", "nowhere.py"),
        ("no_such_module:f", "", "no_such_module"),
        ("{file}:warm", "", "there is no 'warm'"),
        ("{file}:cool", "f65[3]", "'f65[3]' is no type"),
        ("{file}:cool", "missing.npy", "missing.npy"),
    ],
)
def test_wrong_commands(file, capsys, function, arguments, message):
    assert command_line.main(["run", function.format(file=file), "--args", arguments]) == 2
    assert message in capsys.readouterr().err


def test_arguments(tmp_path):
    np.save(tmp_path / "x.npy", np.arange(3))
    text = "f64[2, 3], f32[4], i8[5], bool[2], c128[2], float16[], f64, i64, f32, 10, 'a, b', [1, (2, 3)]"
    made = command_line._arguments(f"{text}, {tmp_path}/x.npy")
    assert [(x.dtype.name, x.shape) for x in made[:6]] == [
        ("float64", (2, 3)),
        ("float32", (4,)),
        ("int8", (5,)),
        ("bool", (2,)),
        ("complex128", (2,)),
        ("float16", ()),
    ]
    assert [type(x) for x in made[6:10]] == [float, int, np.float32, int]
    assert made[9:12] == [10, "a, b", [1, (2, 3)]] and made[12].tolist() == [0, 1, 2]
