"""Arrays made of others, one behind the other, in machine code: each part is written by itself, whatever is done with
the array, and wherever it comes from."""

import jax
import numpy as np
import pytest

import xlapy
from xlapy.lowering.llvm import entry_points

from .ways import check_machine_code

pytestmark = pytest.mark.skipif(
    jax.default_backend() != "cpu" or not entry_points.is_possible(), reason="machine code is for CPUs"
)
RNG = np.random.default_rng(5)
VECTOR, MATRIX = RNG.normal(size=40), RNG.normal(size=(9, 12))


def oscillators(s, n):
    for _ in range(n):
        k = np.stack((s[1] * 0.1, s[0] - s[2], s[2] * s[1] * 0.2))
        s = s[:3] + 0.01 * (k + 2 * np.stack((k[2], k[0], k[1])))
    return s


def turned_round(x, n):
    for _ in range(n):
        x = np.concatenate((x[20:], x[:20])) * 0.5 + 1
    return x


def of_several_lengths(x, n):
    for k in range(n):
        x = np.concatenate((x[3:11] * 2, x[:3], x[11:] - x[k])) * 0.5 - x
    return x


def in_columns(a, n):
    for _ in range(n):
        a = np.concatenate((a[:, 6:] + 1, a[:, :6] * a[:, 6:]), axis=1) * 0.5
        a = np.hstack((a[:, 8:], a[:, :8]))
    return a


def along_a_last_axis(a, n):
    total = np.zeros(a.shape)
    for _ in range(n):
        both = np.stack((a, a * 0.5 + total), axis=-1)
        total = both[:, :, 0] * 0.25 + both[:, :, 1]
    return both, total


def parts_of_parts(a, n):
    for _ in range(n):
        upper = np.concatenate((a[:2] * 0.5, a[2:4]))
        a = np.concatenate((a[4:] - 1, upper * 2 + a[:4])) + np.concatenate((upper, a[:5]))
    return a


def with_rows_and_numbers(a, n):
    for k in range(n):
        row, column = a[k], a[:, :1]
        a = np.concatenate((a[:4] * row, a[4:] + row)) * column + np.concatenate((np.ones((4, 12)), a[:5])) * k
    return a


def in_place(x, n):
    for k in range(n):
        x[:] = np.concatenate((x[20:] + k, x[:20]))
        x[4:20] += np.concatenate((x[:8], x[8:16] * 2))
        x[10:26] = np.concatenate((x[18:26], x[10:18])) * 0.5
    return x


def rows_are_changed_later(a, n):
    both = np.concatenate((a[:4] * 2, a[4:]))
    for k in range(n):
        a[k] = both[k] + a[k + 1]
    return both, a


def of_other_types(x, n):
    whole = (x * 10).astype(np.int32)
    for _ in range(n):
        whole = np.concatenate((whole[8:] // 2, whole[:8]))
        mask = np.concatenate((whole[:20] > 3, whole[20:] < -3))
        whole = np.where(mask, whole + 1, np.concatenate((whole[30:], whole[:30])))
    return whole, mask, np.concatenate((whole[:9] * 1j, x[9:] + 2j))


def without_numbers(x, n):
    for _ in range(n):
        x = np.concatenate((x[1:] * 0.5, -x[:1]))
        x = np.concatenate((np.full(8, np.nan), x[8:]))
    return x


def of_data(x, n):
    m = int(abs(x[0]) * 3) + 2
    for _ in range(n):
        x = np.where(np.concatenate((x[:20] > 0, x[20:] > x[m])), np.concatenate((x[2:], x[:2])), x * 0.9)
    return x, np.concatenate((x[:m], x[m:]))


VECTORS = [turned_round, of_several_lengths, in_place, of_other_types, without_numbers, of_data]
MATRICES = [oscillators, in_columns, along_a_last_axis, parts_of_parts, with_rows_and_numbers, rows_are_changed_later]


@pytest.mark.parametrize("way", ["whole", "called by XLA"])
@pytest.mark.parametrize("function", [*VECTORS, *MATRICES])
def test_programs(function, way, monkeypatch):
    given = (MATRIX if function in MATRICES else VECTOR), 5
    check_machine_code(function, given, way == "whole", monkeypatch)


def test_code_grows_with_the_parts_only():
    """A sum of two arrays of parts has the parts of one of them; what is shared is not computed again."""

    def program(x, n):
        for _ in range(n):
            for _ in range(6):
                x = np.concatenate((x[20:], x[:20])) + np.concatenate((x[:10], x[10:]))
        return x

    np.testing.assert_allclose(xlapy.jit(program, returns="numpy")(VECTOR, 3), program(VECTOR, 3), rtol=1e-12)
