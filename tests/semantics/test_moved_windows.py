"""Numbers that each trip of a loop moves by one place, along a sequence longer than the analysis follows them."""

import collections

import numpy as np

from .runner import Programs

program = Programs()


def numbers(count, seed=0):
    return np.random.default_rng(seed).normal(size=count).round(3).tolist()


@program((numbers(70),), (numbers(70, 1),), (numbers(3),), rtol=1e-6)
def means_of_a_full_deque(samples):
    window = collections.deque([0.0] * 50, maxlen=50)
    means = []
    for sample in samples:
        window.append(sample)
        means.append(sum(window) / len(window))
    return means, list(window)


@program((np.array(numbers(70)), 0.5), (np.array(numbers(70, 1)), 0.25), rtol=1e-6)
def levels_of_an_array(samples, gain):
    window = collections.deque([0.0] * 50, maxlen=50)
    levels = np.zeros(len(samples))
    before = 0.0
    for k in range(len(samples)):
        window.append(abs(gain * samples[k] - before))
        before = samples[k]
        levels[k] = max(window) + sum(window) / len(window)
    return levels


@program((numbers(60), 4), (numbers(60, 1), 60), (numbers(60, 2), 0), rtol=1e-6)
def moved_to_the_right(samples, trips):
    window = collections.deque([1.0] * 48, maxlen=48)
    for k in range(trips):
        window.appendleft(samples[k])
    return list(window)


@program((numbers(60), 4), (numbers(60, 1), 60), (numbers(60, 2), 0), rtol=1e-6)
def moved_by_slices(samples, trips):
    window = [0.5 * k for k in range(45)]
    total = 0.0
    for k in range(trips):
        window = [*window[1:], samples[k]]
        total += window[0]
    return total, window


@program((np.arange(100) % 7, 60), (np.arange(100) % 5, 3), rtol=1e-6)
def counts_that_are_moved(found, trips):
    window = [0] * 45
    seen = 0
    for k in range(trips):
        window.pop(0)
        window.append(int(found[k]))
        seen += window[0] * k
    return seen, window


@program((numbers(60), 3), (numbers(60, 1), 60), rtol=1e-6)
def some_places_are_no_numbers(samples, trips):
    window = collections.deque([None] * 20 + [0.0] * 25, maxlen=45)
    for k in range(trips):
        window.append(samples[k])
    return sum(1 for x in window if x is None), list(window)[-3:]


@program((60,), (3,))
def known_numbers_go_round(trips):
    ring = collections.deque(range(45))
    total = 0
    for k in range(trips):
        ring.rotate(1)
        total += ring[0] * k
    return total, list(ring)


@program((numbers(60), 60), (numbers(60, 1), 3), rtol=1e-6)
def one_place_after_the_other(samples, trips):
    table = [0.0] * 45
    for k in range(trips):
        table[k % 45] = samples[k]
    return table


test_programs = program.test()
