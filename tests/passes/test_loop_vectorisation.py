"""Which loops become one trip over vectors."""

import numpy as np
import pytest

from xlapy.passes import optimise
from xlapy.passes.loop_vectorisation import drop_outdated, plans

from . import programs
from .programs import operations, program
from .test_faster import array_copies

RNG = np.random.default_rng(4)
TALL, LONG = RNG.random((900, 40)), RNG.random(200_000)


def lanes_of(function, *arguments):
    module, _ = program(function, arguments)
    optimise(module)
    loops = operations(module.entry.fast or module.entry)
    return [o.attributes["lanes"] for o in loops if "lanes" in o.attributes]


def orthogonal(a):
    q = a.copy()
    for k in range(a.shape[1]):
        q[:, k] /= np.sqrt((q[:, k] ** 2).sum())
        for j in range(k + 1, a.shape[1]):
            q[:, j] -= (q[:, k] @ q[:, j]) * q[:, k]
    return q


def scaled(a):
    total = 0.0
    for j in range(a.shape[1]):
        a[:, j] /= a[:, j].mean()
        total += a[:, j].max()
    return total


def stencil(x):
    y = np.zeros_like(x)
    for i in range(1, len(x) - 1):
        y[i] = x[i - 1] + 2 * x[i] + x[i + 1]
    return y


def spectra(x):
    power = np.zeros(65)
    for i in range(60):
        power += np.abs(np.fft.rfft(x[i * 64 : i * 64 + 128])) ** 2
    return power


def test_the_lanes_of_a_triangle_are_all_columns():
    (lanes,) = lanes_of(orthogonal, TALL)
    assert lanes.frame is not None and lanes.count == 40 and not lanes.folds


def test_the_lanes_of_a_known_number_of_trips_are_the_trips():
    (lanes,) = lanes_of(scaled, TALL)
    assert lanes.frame is None and lanes.count == 40 and len(lanes.stores) == len(lanes.folds) == 1
    (lanes,) = lanes_of(stencil, LONG)
    assert lanes.frame is None and lanes.count == len(LONG) - 2 and len(lanes.axes) == 4


def test_transforms_are_worth_it_wherever_their_operands_come_from():
    (lanes,) = lanes_of(spectra, LONG)
    assert lanes.folds and not lanes.stores and not lanes.axes


def in_order(x):
    for i in range(1, len(x)):
        x[i] = x[i] - 0.5 * x[i - 1]


def reads_what_others_change(a):
    for j in range(a.shape[1]):
        a[:, j] -= 0.01 * a[:, 0]


def reads_rows_writes_columns(a):
    for j in range(a.shape[1]):
        a[:, j] = a[:, j] * a[j, 0]


def stores_twice(a):
    for j in range(a.shape[1]):
        a[:, j] = a[:, j] * 2
        a[:, 0] = a[:, j] + 1


def polynomial(x):
    total = 1.0
    for i in range(len(x)):
        total = total * 0.5 + x[i]
    return total


def sees_the_sum(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        x[i] = total


def rows_in_a_loop(a):
    for _ in range(10):
        for i in range(a.shape[0]):
            a[i] = a[i] * 0.5 + a[i].mean()


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        (in_order, LONG),
        (reads_what_others_change, TALL),
        (reads_rows_writes_columns, TALL),
        (stores_twice, TALL),
        (polynomial, LONG),
        (sees_the_sum, LONG),
        (rows_in_a_loop, TALL),
        (scaled, TALL[:100, :20].copy()),
    ],
)
def test_others_stay_loops(function, argument):
    assert lanes_of(function, argument) == []


def some(x):
    total, best, where, last = 0.0, x[0], 0, -1
    for i in range(len(x)):
        if x[i] > 0.5:
            total += x[i]
            last = i
        if x[i] > best:
            best, where = x[i], i
    return total, best, where, last


def also_asks_what_was_best(x):
    best, later = x[0], 0
    for i in range(len(x)):
        later += x[i] > best
        if x[i] > best:
            best = x[i]
    return best, later


def gathered(x):
    total = 0.0
    for i in range(len(x)):
        total += x[int(x[i] * 10)]
    return total


def test_trips_over_numbers():
    (lanes,) = lanes_of(some, LONG[:600])
    assert lanes.of_numbers and lanes.count == 600 and not lanes.stores
    assert [o.kind for o in lanes.folds.values()] == ["add"]
    assert sorted(choice.record is not None for choice in lanes.choices.values()) == [False, False, True, True]


@pytest.mark.parametrize(("function", "size"), [(some, 100), (also_asks_what_was_best, 600), (gathered, 600)])
def test_other_trips_over_numbers_stay(function, size):
    assert lanes_of(function, LONG[:size]) == []


def loops_inside(function, *arguments):
    module, _ = program(function, arguments)
    optimise(module)
    return [o for o in operations(module.entry.fast or module.entry) if "lanes_inside" in o.attributes]


def test_trips_in_another_loop():
    a = np.ones((20, 30))
    (loop,) = loops_inside(programs.matrix_product, a, a.T.copy())
    assert loop.attributes["lanes_inside"].count == 30
    assert loops_inside(programs.matrix_product, a[:, :9], a.T[:9].copy()) == []  # too few


def clears(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j]
            a[i, j] = 0
    return total


def test_an_array_that_is_read_and_changed_is_not_copied_in_each_trip():
    assert loops_inside(clears, np.ones((20, 30))) == []
    assert array_copies(clears, (np.ones((37, 43)),), 37 * 43) <= 1


def test_a_loop_that_other_passes_change_stays_one():
    module, _ = program(programs.matrix_product, (np.ones((20, 30)), np.ones((30, 20))))
    optimise(module)
    (loop,) = [o for o in operations(module.entry.fast) if "lanes_inside" in o.attributes]
    found = plans(module.entry.fast)
    drop_outdated(found)
    assert "lanes_inside" in loop.attributes
    loop.regions[0].operations.append(loop.regions[0].operations[-1])
    drop_outdated(found)
    assert "lanes_inside" not in loop.attributes
