"""Every kernel is deterministic, and compiled or written by hand in JAX it computes the same."""

import importlib.util

import jax
import numpy as np
import pytest

from benchmarks.agreement import disagreement
from benchmarks.kernels.all import BROAD, FAMILIES, KERNELS
from benchmarks.kernels.registry import kernel
from benchmarks.plan import Plan, found
from benchmarks.suites import kernels
from benchmarks.suites.kernels import copied
from xlapy import jit

SCALE = 0.05
FEW = [spec.name for spec in KERNELS.values() if spec.function.__module__ not in {m.__name__ for m in BROAD}]


def answer(spec, scale=SCALE, function=None):
    arguments = copied(spec.made(scale))
    return spec.answer((function or spec.function)(*arguments), arguments)


def test_there_are_enough():
    assert len(KERNELS) >= 30
    assert {spec.family for spec in KERNELS.values()} == {module.__name__.rpartition(".")[2] for module in FAMILIES}


@pytest.mark.parametrize("name", FEW)
def test_arguments_and_answers_repeat(name):
    first, second = answer(KERNELS[name]), answer(KERNELS[name])
    assert disagreement(first, second, rtol=0.0, dtypes=True) is None


@pytest.mark.parametrize("name", FEW)
def test_only_the_declared_arguments_are_written_to(name):
    spec = KERNELS[name]
    before, after = spec.made(SCALE), spec.made(SCALE)
    spec.function(*after)
    changed = {i for i, (a, b) in enumerate(zip(before, after, strict=True)) if not np.array_equal(a, b)}
    assert changed <= set(spec.writes)


@pytest.mark.parametrize("name", [name for name, spec in KERNELS.items() if spec.jax is not None])
def test_hand_written_jax_agrees(name):
    spec = KERNELS[name]
    with jax.enable_x64(True):
        result = jax.jit(spec.jax, static_argnums=spec.static)(*spec.made(SCALE))
    if isinstance(result, tuple) and len(result) == 1:
        (result,) = result
    assert disagreement(answer(spec), result, spec.rtol, spec.atol) is None


@pytest.mark.parametrize("name", FEW)
def test_compiled_at_the_size_of_the_benchmark(name):
    """Large arrays take other ways through the compiler than small ones."""
    spec = KERNELS[name]
    compiled = jit(spec.function)
    expected = answer(spec, 1.0)
    for _ in range(2):
        assert disagreement(expected, answer(spec, 1.0, compiled), spec.rtol, spec.atol) is None


def test_two_kernels_of_one_name_are_refused():
    name = next(iter(KERNELS))
    function = KERNELS[name].function
    with pytest.raises(ValueError, match=name):
        kernel(lambda random, scale: ())(function)


@pytest.mark.skipif(found("tpu") is not None, reason="a TPU is here")
def test_for_a_tpu_that_is_not_here_kernels_are_compiled():
    cases = kernels.cases(Plan(suites=("kernels",), devices=("tpu",)))
    assert [case.name for case in cases] == [f"{name} for tpu:v5e:2x2" for name in KERNELS]
    assert [case.name for case in kernels.cases(Plan(suites=("kernels",)))] == list(KERNELS)


@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu is not installed")
@pytest.mark.skipif(found("tpu") is not None, reason="a TPU is here")
@pytest.mark.parametrize(("name", "peers"), [("cholesky", ["xlapy", "jax"]), ("queens", ["xlapy"])])
def test_a_compiled_kernel_has_counts(name, peers):
    plan = Plan(suites=("kernels",), devices=("tpu",), only=name)
    (case,) = (case for case in kernels.cases(plan) if case.name.startswith(f"{name} "))
    rows = list(case.run(plan))
    assert [(row.peer, row.status, row.message) for row in rows] == [(p, "ok", "compiled, not run") for p in peers]
    for row in rows:
        assert row.figures["flops"] > 0 and row.figures["instructions"]["after"]["total"]
        assert row.times["lower"].median > 0 and row.times["compile"].median > 0
