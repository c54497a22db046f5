"""`python -m benchmarks calls`."""

import copy

import pytest

import xlapy
from benchmarks import calls
from xlapy.verification.comparison import Comparison


@pytest.mark.parametrize("name", [name for name in calls.FUNCTIONS if name != "noisy"])
def test_each_function_does_what_cpython_does(name):
    function, arguments, _ = calls.FUNCTIONS[name]
    compiled, (mine, other) = xlapy.jit(function), copy.deepcopy((arguments, arguments))
    for _ in range(3):
        Comparison()((function(*mine), mine), (compiled(*other), other), name)


def test_a_line_is_printed_for_each(capsys):
    assert set(calls.measured(calls.FUNCTIONS["row"], calls=2, rounds=2)) == {"xlapy", "CPython"}
    assert calls.calls(["nothing"]) == 2
    assert "unknown function 'nothing'" in capsys.readouterr().err
    assert calls.calls(["row"]) == 0
    assert capsys.readouterr().out.startswith("row       xlapy ")
