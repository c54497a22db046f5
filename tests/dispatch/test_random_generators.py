"""Random numbers: a stated stream of ours, reproducible, with NumPy's distributions."""

import random

import numpy as np
import pytest

import xlapy

N = 20000
#: name -> (draw, mean, standard deviation)
MOMENTS = {
    "random": (lambda r: r.random(N), 0.5, 12**-0.5),
    "uniform": (lambda r: r.uniform(-1, 3, N), 1.0, 4 * 12**-0.5),
    "normal": (lambda r: r.normal(2, 3, N), 2.0, 3.0),
    "exponential": (lambda r: r.exponential(2.0, N), 2.0, 2.0),
    "gamma": (lambda r: r.gamma(2.0, 1.5, N), 3.0, 1.5 * 2**0.5),
    "beta": (lambda r: r.beta(2.0, 3.0, N), 0.4, 0.2),
    "poisson": (lambda r: r.poisson(3.0, N), 3.0, 3**0.5),
    "binomial": (lambda r: r.binomial(10, 0.3, N), 3.0, 2.1**0.5),
    "integers": (lambda r: r.integers(0, 10, N), 4.5, 8.25**0.5),
    "laplace": (lambda r: r.laplace(1.0, 2.0, N), 1.0, 8**0.5),
    "rayleigh": (lambda r: r.rayleigh(2.0, N), 2 * (np.pi / 2) ** 0.5, 2 * (2 - np.pi / 2) ** 0.5),
    "geometric": (lambda r: r.geometric(0.25, N), 4.0, 12**0.5),
}


@pytest.mark.parametrize("name", MOMENTS)
def test_moments(name):
    draw, mean, deviation = MOMENTS[name]
    sample = np.asarray(xlapy.jit(lambda seed: draw(np.random.default_rng(seed)))(7))
    assert sample.shape == (N,)
    assert sample.dtype == draw(np.random.default_rng(7)).dtype
    assert abs(sample.mean() - mean) < 6 * deviation / N**0.5
    assert abs(sample.std() - deviation) < 0.05 * deviation


def test_a_seed_gives_a_stream_and_draws_differ():
    @xlapy.jit
    def program(seed):
        rng = np.random.default_rng(seed)
        return rng.random(4), rng.random(4)

    first, again, other = program(1), program(1), program(2)
    assert np.array_equal(first, again)
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first, other)


def test_state_is_carried_through_a_loop():
    @xlapy.jit
    def program(n):
        rng = np.random.default_rng(0)
        total = 0.0
        for _ in range(n):
            total += rng.random()
        return total / n

    assert abs(program(4000) - 0.5) < 0.03


def test_shuffles_are_permutations():
    @xlapy.jit
    def program(x):
        rng = np.random.default_rng(3)
        rng.shuffle(x)
        return rng.permutation(10), rng.choice(x, 4, replace=False)

    x = np.arange(50.0)
    order, chosen = program(x)
    assert sorted(x) == list(range(50)) and list(x) != list(range(50))
    assert sorted(map(int, order)) == list(range(10))
    assert len(set(map(float, chosen))) == 4


def test_global_state():
    @xlapy.jit
    def program(seed):
        np.random.seed(seed)
        return np.random.rand(3), np.random.randn(2, 2), np.random.randint(0, 5, 10)

    first, again = program(1), program(1)
    assert all(np.array_equal(a, b) for a, b in zip(first, again))
    assert first[1].shape == (2, 2) and first[2].max() < 5


GENERATOR = np.random.default_rng(0)


def reseeded(x):
    np.random.seed()
    return x + np.random.rand()


@pytest.mark.parametrize(
    "program",
    [
        lambda x: x + np.random.rand(),
        lambda x: x + GENERATOR.random(),
        lambda x: x + np.random.default_rng().random(),
        lambda x: x + np.random.default_rng(None).random(),
        lambda x: x + np.random.RandomState().rand(),
        lambda x: x + random.Random().random(),
        reseeded,
    ],
)
def test_no_number_is_frozen_at_compile_time(program):
    jitted = xlapy.jit(program)
    assert len({float(jitted(1.0)) for _ in range(5)}) == 5


def test_generators_without_a_seed_are_independent():
    def program(n):
        found = [np.random.default_rng().random(n) for _ in range(2)]
        for _ in range(n):
            found.append(np.random.default_rng().random(n))
        return found

    arrays = xlapy.jit(program)(50)
    assert len({float(x) for array in arrays for x in array}) == 52 * 50
    assert all(0.2 < np.mean(array) < 0.8 for array in arrays)
    state = np.random.get_state()[1]
    xlapy.jit(program)(50)
    np.testing.assert_array_equal(np.random.get_state()[1], state)
