"""Every pass leaves a well-formed program with the same results, on programs as the interpreter emits them."""

import sys

import numpy as np
import pytest

from xlapy.ir import Builder, Module, Region, TensorType, verify
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


def test_work_is_linear_in_the_size_of_the_program():
    """Eight times the operations, about eight times the lines of Python that are executed."""

    def lines(size: int) -> int:
        entry = Region((TensorType((), np.dtype(float)),))
        builder = Builder(entry, lambda: None)
        value = entry.params[0]
        for i in range(size):
            value = builder.elementwise("add", value, builder.constant(float(i % 7) + 0.5))
        entry.results = [value]
        return lines_executed(lambda: optimise(Module(entry, ["x"])))

    assert lines(4000) < 1.1 * 8 * lines(500)


def lines_executed(action) -> int:
    count = 0

    def trace(frame, event, argument):
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count
