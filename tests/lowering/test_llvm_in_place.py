"""Arrays that machine code changes in place, element by element: only where no element is wanted as it was."""

import threading

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points

from .ways import check_machine_code

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(13)
VECTOR, MATRIX = RNG.normal(size=40), RNG.normal(size=(9, 9))


def logistic(x, n):
    for _ in range(n):
        x = 3.2 * x * (1.0 - x)
    return x


def both_from_both(x, n):
    y = x * 2
    for _ in range(n):
        x, y = y + x * 0.5, x - y * 0.25
    return x, y


def one_after_the_other(x, n):
    v = x + 1
    for _ in range(n):
        v = v - 0.1 * x
        x = x + 0.1 * v
    return x, v


def changing_places(x, n):
    y = x + 1
    for _ in range(n):
        x, y = y, x * 0.5
    return x, y


def moved(x, n):
    for _ in range(n):
        x = np.concatenate([x[1:], x[:1]]) * 0.5 + x
    return x


def backwards(x, n):
    for _ in range(n):
        x = x[::-1] * 0.5 + x
    return x


def stores(x, n):
    for k in range(n):
        x[2:] *= 0.5
        x[k:] += x[: len(x) - k] * 0.1
        x[k : k + 5] = x[k : k + 5] * x[k + 1 : k + 6]
        x[:] = x * 2 - x.mean()
    return x


def rows_and_columns(a, n):
    for k in range(1, n):
        a[k] = a[k] * 0.5 + a[k - 1]
        a[k, :] -= a[k, k] * a[0, :]
        a[:, k] += a[k] * a[:, 0]
    return a


def with_the_transpose(a, n):
    for _ in range(n):
        a = a.T * 0.5 + a
    return a


def with_a_row(a, n):
    for _ in range(n):
        a = a + a[0] * 0.1 + a[:, :1]
        a[1:] = a[1:] + a[1] * 0.2
    return a


def chosen(x, n):
    for _ in range(n):
        x = np.where(x > 0, x - 0.1, x + 0.2)
        x[x > 0.5] = 0.1
    return x


def remembered(x, n):
    total, old = np.zeros(len(x)), x
    for _ in range(n):
        old = x
        x = x * 0.9 + total
        total = total + old
    return x, total, old


def in_a_branch(x, n):
    y = x
    for k in range(n):
        if k % 2:
            x = x * 0.5 + y
        else:
            y = y - x
    return x, y


def changed_in_a_branch(x, n):
    total = 0.0
    for k in range(n):
        old = x
        if x[k] > 0:
            x = x.copy()
            x[k + 1] = total
        total += old[k + 1] + x[k + 1]
    return x, total


def changed_in_some_arms(x, n):
    last = x
    for k in range(n):
        if x[k] > 0:
            last = x
            if x[k + 1] > 0:
                x = x.copy()
                x[k + 2] *= 0.5
        else:
            x = x.copy()
            x[k] -= last[k + 1]
    return x, last


def while_it_is_large(x, n):
    while np.abs(x).max() > 1e-3 * n:
        x = x * 0.5 - x * x * 0.01
    return x


def sums_on_the_way(x, n):
    total = 0.0
    for _ in range(n):
        x = x * 0.9
        total += x.sum() * x[0]
        x = x + total * 1e-3
    return x, total


OF_VECTORS = [logistic, both_from_both, one_after_the_other, changing_places, moved, backwards, stores, chosen]
OF_VECTORS += [remembered, in_a_branch, changed_in_a_branch, changed_in_some_arms, while_it_is_large, sums_on_the_way]
OF_MATRICES = [rows_and_columns, with_the_transpose, with_a_row]


@pytest.mark.parametrize("way", ["whole", "called by XLA"])
@pytest.mark.parametrize("function", [*OF_VECTORS, *OF_MATRICES])
def test_programs(function, way, monkeypatch):
    given = (MATRIX if function in OF_MATRICES else VECTOR), 7
    with np.errstate(all="ignore"):
        check_machine_code(function, given, way == "whole", monkeypatch)


def test_no_room_is_made_for_what_becomes_something_else_in_place(monkeypatch):
    functions = []
    original = entry_points.called_directly
    monkeypatch.setattr(
        "xlapy.lowering.llvm.code_selection.called_directly",
        lambda made, *rest: functions.append(made) or original(made, *rest),
    )
    x = RNG.random(4000)
    np.testing.assert_allclose(xlapy.jit(logistic, returns="numpy")(x, 5), logistic(x, 5), rtol=1e-10)
    (function,) = functions
    assert not function.rooms and "alloca" not in function.body


def test_memory_that_is_kept_belongs_to_one_call_at_a_time():
    def program(x):
        y = np.sort(x)[::-1] + x
        return y - y.mean(), (y * y).sum()

    compiled = xlapy.jit(program, returns="numpy")
    arrays = [RNG.random(20_000) for _ in range(4)]
    compiled(arrays[0])
    wrong = []

    def run(x):
        wanted = program(x)
        for _ in range(30):
            for one, other in zip(compiled(x), wanted, strict=True):
                if not np.allclose(one, other, rtol=1e-10):
                    wrong.append(one)

    threads = [threading.Thread(target=run, args=(x,)) for x in arrays]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
