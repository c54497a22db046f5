"""Many Python numbers go in and come out as one array of each kind; nothing else about them changes."""

import math

import jax
import numpy as np
import pytest

import xlapy

COUNT = 20
FLOATS = [0.5 * k - 3 for k in range(COUNT)]
FLOATS[3:6] = [-0.0, math.nan, math.inf]
INTS = [k - 4 for k in range(COUNT)]
INTS[2] = 2**62
BOOLS = [k % 3 == 0 for k in range(COUNT)]
COMPLEX = [complex(k, -0.0) for k in range(COUNT)]


def same(one, two):
    """Alike in type and text: -0.0 is not 0.0, and 1 is not True."""
    assert type(one) is type(two)
    if isinstance(one, dict):
        assert list(one) == list(two)
        one, two = list(one.values()), list(two.values())
    if isinstance(one, list | tuple):
        assert len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            same(a, b)
        return
    assert repr(one) == repr(two)


def each(numbers):
    return [numbers[k] for k in range(len(numbers))], {"all": tuple(numbers), "first": numbers[0]}


@pytest.mark.parametrize("numbers", [FLOATS, INTS, BOOLS, COMPLEX, FLOATS[:9] + INTS + BOOLS + [1j]])
def test_numbers_come_back_as_they_were(numbers):
    compiled = xlapy.jit(each, returns="numpy")
    for _ in range(2):
        same(each(numbers), compiled(numbers))
    same(each(numbers[::-1]), compiled(numbers[::-1]))


def scaled(numbers, factor):
    total = 0.0
    for k in range(len(numbers)):
        numbers[k] = numbers[k] * factor
        total += numbers[k]
    return total, numbers


def test_lists_that_are_changed():
    compiled = xlapy.jit(scaled, returns="numpy")
    for factor in (2.0, -1.5):
        one, two = FLOATS[6:], FLOATS[6:]
        same(scaled(one, factor), compiled(two, factor))
        same(one, two)
    assert compiled.cache_info().misses == 1


class Body:
    """Something with many numbers."""

    def __init__(self):
        for k in range(12):
            setattr(self, f"x{k}", 0.25 * k)
            setattr(self, f"n{k}", k)
        self.on = True


def moved(body):
    body.x0, body.x1, body.x2 = body.x1 * 2, body.x2 + body.n3, body.x0 - 1
    body.n0, body.n1 = body.n1 + body.n11, body.n2 * body.n10
    body.x3 = body.x4 = body.x5 = body.x6 = sum(getattr(body, f"x{k}") for k in range(12))
    body.on = not body.on
    return body.x3 > 0


def test_attributes():
    one, two, compiled = Body(), Body(), xlapy.jit(moved, returns="numpy")
    for _ in range(3):
        same(moved(one), compiled(two))
        same(vars(one), vars(two))


def test_another_type_is_another_program():
    compiled = xlapy.jit(each, returns="numpy")
    mixed = [*FLOATS[6:], 3]
    for numbers in (FLOATS[6:] + [3.0], mixed, INTS, BOOLS, FLOATS[6:] + [True], [np.float64(2), *FLOATS[6:]]):
        same(each(numbers), compiled(numbers))


def test_integers_without_room():
    compiled = xlapy.jit(lambda numbers: sum(numbers))
    assert int(compiled(list(range(COUNT)))) == sum(range(COUNT))
    large = [2**70, *range(COUNT - 1)]
    few = xlapy.jit(lambda numbers: sum(numbers))
    few([1, 2, 3])
    outcomes = []
    for function, numbers in ((compiled, large), (few, [2**70, 1, 2])):
        try:
            outcomes.append(("value", function(numbers) - sum(numbers)))
        except Exception as error:
            outcomes.append((type(error), error.blockers[0].code if hasattr(error, "blockers") else str(error)))
    assert outcomes[0] == outcomes[1]


def test_weak_types():
    compiled = xlapy.jit(each, returns="jax")
    few, many = compiled(FLOATS[:3]), compiled(FLOATS)
    for one, two in zip(jax.tree.leaves(few), jax.tree.leaves(many), strict=False):
        assert (one.dtype, one.weak_type) == (two.dtype, two.weak_type)


def test_under_a_transformation():
    compiled = xlapy.jit(lambda numbers, x: sum(numbers) * x)
    numbers = FLOATS[6:]
    assert float(compiled(numbers, 2.0)) == sum(numbers) * 2
    assert float(jax.grad(lambda x: compiled(numbers, x))(3.0)) == pytest.approx(sum(numbers))
    gradient = jax.grad(lambda values: compiled(values, 3.0))(numbers)
    assert [float(g) for g in gradient] == [3.0] * len(numbers)
    assert float(jax.jit(lambda: compiled(numbers, 2.0))()) == sum(numbers) * 2


def test_exceptions_with_many_results():
    def checked(numbers, limit):
        doubled = [n * 2 for n in numbers]
        for n in doubled:
            if n > limit:
                raise ValueError(f"{n} is too much")
        return doubled

    compiled, numbers = xlapy.jit(checked, returns="numpy"), FLOATS[6:]
    same(checked(numbers, 100.0), compiled(numbers, 100.0))
    with pytest.raises(ValueError) as expected:
        checked(numbers, 1.0)
    with pytest.raises(ValueError) as found:
        compiled(numbers, 1.0)
    assert str(expected.value) == str(found.value)


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("count", [1, 8, 9, 70])
def test_vectors_taken_apart_and_joined(count, native):
    from xlapy.lowering.cpu_xla.scalar_packing import joined, taken_apart

    for dtype in (bool, np.int32, np.float32, np.complex64):
        vector = np.arange(count).astype(dtype)
        numbers = jax.jit(lambda v: taken_apart(v, native))(vector)
        assert [n.item() for n in numbers] == vector.tolist()
        back = jax.jit(lambda *n: joined(n, native))(*numbers)
        assert np.array_equal(np.asarray(back), vector)
        assert back.dtype == vector.dtype
