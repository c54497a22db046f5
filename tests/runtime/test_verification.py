"""`xlapy.verify`, `jit(verify=True)` and `pytest --xlapy-verify`: a call both ways."""

import os
import subprocess
import sys

import numpy as np
import pytest

import xlapy

CALLS = []
LIMIT = 3


def shifted(x, counts):
    x += 1
    counts["calls"] = len(x)
    CALLS.append(len(x))
    print("shifted", len(x))
    return x.sum(), x[1:]


def drawn(n):
    return {"numbers": np.random.default_rng(0).normal(size=n)}


def ratio(n):
    return LIMIT // n


@pytest.mark.parametrize("size", [0, 1, 2])
def test_verify_changes_nothing(size, capsys):
    CALLS.clear()
    x, counts = np.ones(size), {}
    total, rest = xlapy.verify(shifted, x, counts)
    assert total == 2 * size and rest.shape == (max(size - 1, 0),)
    assert x.tolist() == [1.0] * size and counts == {} and CALLS == []
    assert capsys.readouterr().out == f"shifted {size}\n"


@pytest.mark.parametrize("size", [0, 1, 2])
def test_a_verifying_function_has_its_effects_once(size, capsys):
    CALLS.clear()
    x, counts = np.ones(size), {}
    verifying = xlapy.jit(shifted, verify=True)
    assert verifying.cache_info().misses == 0
    total, rest = verifying(x, counts)
    assert total == 2 * size and np.shares_memory(rest, x) == (size > 1)
    assert x.tolist() == [2.0] * size and counts == {"calls": size} and CALLS == [size]
    assert capsys.readouterr().out == f"shifted {size}\n"
    assert verifying.cache_info().misses == 1


def test_the_first_difference_is_reported_with_its_place():
    with pytest.raises(xlapy.VerificationError, match=r"drawn: result\['numbers'\]: expected\s+array"):
        xlapy.verify(drawn, 3)
    with pytest.raises(xlapy.VerificationError):
        xlapy.jit(drawn, verify=True)(3)
    assert xlapy.jit(drawn, verify=100.0)(3)["numbers"].shape == (3,)
    assert xlapy.verify(drawn, 3, rtol=100.0)["numbers"].shape == (3,)


def test_exceptions_of_both_reach_the_caller(monkeypatch):
    verifying = xlapy.jit(ratio, verify=True)
    with pytest.raises(ZeroDivisionError):
        verifying(0)
    assert verifying(2) == 1
    monkeypatch.setitem(globals(), "LIMIT", 8)
    assert verifying(2) == 4 and xlapy.verify(verifying, 1) == 8


def test_refusals_and_what_cannot_be_copied():
    with pytest.raises(xlapy.NotOffloadableError):
        xlapy.verify(lambda path: open(path).read(), os.devnull)
    with open(os.devnull) as file, pytest.raises(TypeError, match="cannot be copied"):
        xlapy.verify(lambda file: 1, file)


def test_it_is_compiled_into_others_and_switched_off_with_them():
    verifying = xlapy.jit(drawn, verify=True)
    assert xlapy.jit(lambda n: verifying(n)["numbers"] * 2)(3).shape == (3,)
    with xlapy.disable_jit():
        assert verifying(3)["numbers"].tolist() == drawn(3)["numbers"].tolist()


_SUITE = """
import numpy as np, xlapy

@xlapy.jit
def drawn(n):
    return np.random.default_rng(0).normal(size=n)

@xlapy.jit
def total(x):
    return x.sum()

def test_drawn():
    assert drawn(3).shape == (3,)

def test_total():
    assert total(np.ones(2)) == 2
"""


def test_the_plugin_of_pytest(tmp_path):
    (tmp_path / "test_suite.py").write_text(_SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "xlapy_pytest", "-p", "no:cacheprovider", "--xlapy-verify"]
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    run = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=300)
    assert run.returncode == 1
    assert "1 failed, 1 passed" in run.stdout and "VerificationError: drawn: result: expected" in run.stdout
