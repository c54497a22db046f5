"""What the README, docs/gradients.md and docs/benchmarks.md show runs, and does what they say."""

import re
import shlex
from pathlib import Path

import jax
import numpy as np
import pytest

import xlapy
from benchmarks import calls, cli, lent, plan

ROOT = Path(__file__).parent.parent


def _blocks(page):
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S)


README = (ROOT / "README.md").read_text()
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text()
BLOCKS = _blocks("README.md")
OF_GRADIENTS = _blocks("docs/gradients.md")


def _run(*texts, tmp_path):
    """Run blocks as one file, so that their functions have a source."""
    path = tmp_path / "readme.py"
    path.write_text("\n".join(texts))
    namespace = {"__name__": "readme"}
    exec(compile(path.read_text(), str(path), "exec"), namespace)
    return namespace


def test_the_first_example_converges_without_a_second_compilation(tmp_path):
    found = _run(BLOCKS[0], tmp_path=tmp_path)
    assert int(found["steps"]) > 100
    assert float(found["diff"]) < 1e-4
    assert found["relax"].cache_info().misses == 1
    assert found["u"][1:-1, 1:-1].max() > 0.1


def test_jax_cannot_run_the_first_example(tmp_path):
    assert "`jax.jit` cannot run this function: it branches on values, writes into arrays, and" in README
    plain = _run(BLOCKS[0].replace("@xlapy.jit\n", ""), tmp_path=tmp_path)["relax"]
    u = np.zeros((64, 64))
    with pytest.raises(jax.errors.TracerBoolConversionError):
        jax.jit(plain)(u, 1e-4, 10)
    with pytest.raises(TypeError, match="immutable"):
        jax.jit(plain, static_argnames=("tol", "n"))(u, 1e-4, 10)


@pytest.mark.parametrize("command", re.findall(r"^\| `python -m benchmarks ?(.*?)` \|", BENCHMARKS, re.MULTILINE))
def test_a_command_of_the_benchmarks_is_one(command):
    suites = shlex.split(command)
    if suites[:1] == ["compare"]:
        assert len(suites) - 1 == len(cli.compare.params)
    elif suites[:1] == ["calls"]:
        assert set(suites[1:]) <= set(calls.FUNCTIONS)
    elif suites[:1] in (["scaling"], ["pods"]):
        assert suites[1:] == []
    elif suites[:1] == ["gpu"]:
        assert lent.main.make_context("gpu", suites[1:]).params["minutes"] > 0
    else:
        found = cli.main.make_context("benchmarks", cli.spread(suites)).params
        assert set(found["names"]) <= set(plan.SUITES) and set(found["devices"]) <= set(plan.DEVICES)


def test_the_page_names_every_suite():
    assert all(re.search(rf"^\| `python -m benchmarks.*\b{suite}\b", BENCHMARKS, re.MULTILINE) for suite in plan.SUITES)


def test_the_recursion_is_compiled_once_and_has_a_gradient(tmp_path):
    (block,) = (text for text in OF_GRADIENTS if "Adaptive Simpson" in text)
    area = _run(BLOCKS[0], block, tmp_path=tmp_path)["area"]
    plain = _run(BLOCKS[0], block.replace("@xlapy.jit\n", ""), tmp_path=tmp_path)["area"]
    for k in (1.5, 0.5, 40.0):
        low, expected, high = (plain(k + h) for h in (-1e-5, 0.0, 1e-5))
        np.testing.assert_allclose(area(k), expected, rtol=1e-12)
        np.testing.assert_allclose(xlapy.grad(area)(k), (high - low) / 2e-5, rtol=1e-4)
    assert area.cache_info().misses == 1


def test_the_gradient_of_a_function_made_in_a_loop_is_compiled_once(tmp_path, monkeypatch):
    (block,) = (text for text in OF_GRADIENTS if text.startswith("for x, y in batches"))
    programs, grad = [], xlapy.grad

    def counted(function):
        programs.append(grad(function))
        return programs[-1]

    monkeypatch.setattr(xlapy, "grad", counted)
    random = np.random.default_rng(0)
    x = random.random((40, 20, 3))
    surroundings = {"np": np, "xlapy": xlapy, "w": np.zeros(3), "batches": [(part, part @ np.ones(3)) for part in x]}
    exec(block, surroundings)
    assert len(programs) == 40 and sum(p.cache_info().misses for p in programs) == 1
    w = np.zeros(3)
    for part in x:
        w -= 0.1 * (2.0 / 20.0) * part.T @ (part @ w - part @ np.ones(3))
    np.testing.assert_allclose(surroundings["w"], w, rtol=1e-9)
