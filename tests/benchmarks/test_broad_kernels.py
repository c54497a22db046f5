"""Kernels of many kinds compute the same when they are compiled, at the size of the benchmark, and repeat."""

import pytest

from benchmarks.agreement import disagreement
from benchmarks.kernels.all import BROAD, KERNELS
from benchmarks.suites.kernels import copied
from xlapy import jit

MODULES = {module.__name__ for module in BROAD}
NAMES = [spec.name for spec in KERNELS.values() if spec.function.__module__ in MODULES]


@pytest.mark.parametrize("name", NAMES)
def test_compiled_at_the_size_of_the_benchmark(name):
    spec = KERNELS[name]
    assert spec.jax is None and not spec.writes
    before, arguments = spec.made(), spec.made()
    expected, compiled = spec.answer(spec.function(*arguments), arguments), jit(spec.function)
    for _ in range(2):
        given = copied(before)
        found = spec.answer(compiled(*given), given)
        assert disagreement(expected, found, spec.rtol, spec.atol, dtypes=True) is None
        assert disagreement((before, before), (arguments, given), 0.0) is None
