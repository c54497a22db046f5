"""How much larger an integer is than another one: compared with what the operations compute."""

import numpy as np
import pytest

from xlapy.ir import Builder, Region, TensorType, least_increase

INT, BOOL = TensorType((), np.dtype(np.int64)), TensorType((), np.dtype(bool))


@pytest.fixture
def program():
    entry = Region((INT, INT, BOOL))
    return Builder(entry, lambda: None), *entry.params


def test_sums_of_constants(program):
    builder, x, other, _ = program
    three = builder.constant(3, INT.dtype)
    assert least_increase(x, x) == 0
    assert least_increase(builder.elementwise("add", x, three), x) == 3
    assert least_increase(builder.elementwise("add", three, x), x) == 3
    assert least_increase(builder.elementwise("sub", x, three), x) == -3
    assert least_increase(builder.elementwise("sub", three, x), x) is None
    assert least_increase(builder.elementwise("add", x, other), x) is None
    assert least_increase(three, x) is None


def test_one_of_two(program):
    builder, x, other, chosen = program
    one = builder.constant(1, INT.dtype)
    more = builder.elementwise("add", x, one)
    assert least_increase(builder.elementwise("select", chosen, x, more), x) == 0
    assert least_increase(builder.elementwise("select", chosen, more, other), x) is None
    assert least_increase(builder.elementwise("max", more, other), x) == 1
    assert least_increase(builder.elementwise("min", more, other), x) is None


def test_loops(program):
    builder, x, _, chosen = program

    def after(step: int, iterations: int | None) -> int | None:
        body = builder.open_region((INT, INT))
        with builder.inside(body):
            count = body.params[1]
            grown = builder.elementwise("add", count, builder.constant(step, INT.dtype))
            body.results = [grown]
        number = builder.constant(iterations, INT.dtype) if iterations is not None else x
        return least_increase(builder.emit("for", (number, x), {}, (INT,), (body,))[0], x)

    assert after(2, 5) == 10
    assert after(2, 0) == 0
    assert after(2, None) == 0
    assert after(-1, 5) is None
