"""Every pass leaves a well-formed program with the same results, on programs as the interpreter emits them."""

import numpy as np
import pytest

from xlapy.ir import verify
from xlapy.passes import PASSES, optimise

from .programs import NAMES, PROGRAMS, operations, program, run


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=NAMES)
def test_programs_stay_well_formed_and_mean_the_same(function, arguments):
    module, operands = program(function, arguments)
    verify(module)
    expected = run(module, operands)
    for one in PASSES:
        one(module)
        verify(module)
    found = run(module, operands)
    for a, b in zip(expected, found, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("function", "arguments"), PROGRAMS, ids=NAMES)
def test_a_second_run_changes_nothing(function, arguments):
    module, _ = program(function, arguments)
    optimise(module)
    before = [(o.kind, len(o.results)) for o in operations(module.entry)]
    optimise(module)
    assert [(o.kind, len(o.results)) for o in operations(module.entry)] == before


def test_time_is_linear_in_the_size_of_the_program():
    """Twice the operations, at most about twice the time; a generous bound, since machines are shared."""
    import time

    from xlapy.ir import Builder, Module, Region, TensorType

    def seconds(size: int) -> float:
        entry = Region((TensorType((), np.dtype(float)),))
        builder = Builder(entry, lambda: None)
        value = entry.params[0]
        for i in range(size):
            value = builder.elementwise("add", value, builder.constant(float(i % 7) + 0.5))
        entry.results = [value]
        start = time.perf_counter()
        optimise(Module(entry, ["x"]))
        return time.perf_counter() - start

    seconds(200)
    small, large = min(seconds(1000) for _ in range(3)), min(seconds(8000) for _ in range(3))
    assert large < 8 * small * 3
