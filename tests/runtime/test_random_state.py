"""Random generators made outside of compiled functions: their state is carried from call to call."""

import random

import jax
import numpy as np
import pytest

import xlapy


@xlapy.jit
def area(rng, n):
    inside = 0
    for _ in range(n):
        x, y = rng.random(), rng.random()
        if x * x + y * y < 1.0:
            inside += 1
    return 4.0 * inside / n


@xlapy.jit
def legacy(n):
    return np.random.rand(n), np.random.normal(size=3)


@xlapy.jit
def seeded(n):
    np.random.seed(5)
    return np.random.rand(n)


@xlapy.jit
def python(n):
    items = [1, 2, 3, 4, 5]
    random.shuffle(items)
    total = 0.0
    for _ in range(n):
        total += random.random()
    return total, random.uniform(2.0, 3.0), random.randint(1, 6), random.choice([10, 20]), random.gauss(0.0, 1.0), items


GENERATOR = np.random.default_rng(8)


@xlapy.jit
def of_a_global():
    return GENERATOR.integers(0, 1000, 5)


class Walker:
    def __init__(self, seed):
        self.rng, self.at = np.random.default_rng(seed), np.zeros(3)

    def step(self):
        self.at += self.rng.normal(size=3)
        return self.at.sum()


@xlapy.jit
def raises(rng, x):
    value = rng.normal()
    if x > 0:
        raise ValueError("no")
    return value


def numbers(result):
    return [float(v) for part in jax.tree.leaves(result) for v in np.ravel(part)]


def twice(start, call):
    """Two calls after each of two equal starts."""
    found = []
    for _ in range(2):
        start()
        found.append([numbers(call()), numbers(call())])
    return found


@pytest.mark.parametrize("cls", [np.random.default_rng, np.random.RandomState, random.Random])
def test_streams_go_on_and_can_be_repeated(cls):
    made = {}

    def start():
        made["rng"] = cls(3)

    first, second = twice(start, lambda: area(made["rng"], 4000))
    assert first == second
    assert first[0] != first[1]
    assert abs(np.mean(first) - np.pi) < 0.1


def test_the_global_stream_of_numpy():
    first, second = twice(lambda: np.random.seed(1), lambda: legacy(500))
    assert first == second
    assert first[0] != first[1]
    assert abs(np.mean(first[0][:500]) - 0.5) < 0.06
    assert legacy.cache_info().misses == 1


def test_the_module_random():
    first, second = twice(lambda: random.seed(1), lambda: python(1000))
    assert first == second
    assert first[0] != first[1]
    total, uniform, die, choice, _, *items = first[0]
    assert abs(total / 1000 - 0.5) < 0.05
    assert 2.0 <= uniform < 3.0 and die in range(1, 7) and choice in (10, 20) and sorted(items) == [1, 2, 3, 4, 5]


def test_a_seed_inside_starts_what_follows_outside():
    one = seeded(4)
    after = np.random.rand()
    two = seeded(4)
    assert numbers(one) == numbers(two)
    assert np.random.rand() == after


def test_generators_in_globals_and_attributes():
    assert numbers(of_a_global()) != numbers(of_a_global())
    step = xlapy.jit(Walker.step)
    one, two = Walker(1), Walker(1)
    assert [float(step(one)), float(step(one))] == [float(step(two)), float(step(two))]
    np.testing.assert_array_equal(one.at, two.at)
    assert np.count_nonzero(one.at) == 3


def test_a_call_that_raises_takes_nothing():
    rng = np.random.default_rng(9)
    before = rng.bit_generator.state
    with pytest.raises(ValueError, match="no"):
        raises(rng, 1.0)
    assert rng.bit_generator.state == before
    raises(rng, -1.0)
    assert rng.bit_generator.state != before


def test_another_generator_needs_no_second_compilation():
    jitted = xlapy.jit(area.__wrapped__)
    for seed in range(3):
        jitted(np.random.default_rng(seed), 10)
    assert jitted.cache_info().misses == 1


def test_a_draw_is_never_frozen_by_a_transformation():
    rng = np.random.default_rng(0)
    with pytest.raises(xlapy.NotOffloadableError, match="rng is changed"):
        jax.jit(lambda n: raises(rng, n))(-1.0)
