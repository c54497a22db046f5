"""Stores into arrays and loads behind them, in loops; which of several errors is raised, and where."""

import numpy as np

from .runner import Programs

program = Programs()

RNG = np.random.default_rng(17)
A6 = RNG.normal(size=(6, 6))
F6 = A6.astype(np.float32)
I6 = RNG.integers(-9, 9, (6, 6))
B6 = RNG.normal(size=(6, 6))
V8 = RNG.normal(size=8)
C345 = RNG.normal(size=(3, 4, 5))


@program((A6, 5), (A6, 6), (A6, 7), (A6, 1), (A6, 0), (F6, 4), (I6, 4))
def sweep_in_order(a, n):
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            a[i, j] += a[i, j - 1]
            a[i, j] //= 2
            a[i, j] -= a[i - 1, j]
    return a[0, 0]


@program((A6, 6), (A6, -2), (A6[:0], 1), (A6, 8), raises=IndexError)
def checks_of_rows_and_columns(a, n):
    total = 0.0
    for i in range(n):
        total += a[i, 0] + a[i, i] + a[i - 1, i] + a[i, i - 1]
        a[i, i] = total
        a[i, i] += a[i, i]
    return total


@program((A6, 3), (A6, 5), (A6, 6), (A6, -6), (A6, -7), (A6, -8), (A6, 2**40), raises=IndexError)
def which_error_comes_first(a, k):
    x = a[k, 0]
    y = a[k + 1, 1]
    z = a[2, k - 1]
    return x + y * z + a[k, 1] + a[k - 1, 2]


@program((V8, 3, 4), (V8, 8, 4), (V8, 3, 9), (V8, 9, 10), (V8, -9, 0), raises=IndexError)
def errors_of_two_indices(x, i, j):
    x[i] = x[j]
    x[i] = x[i] + x[j]
    x[j] = x[i]
    return x[i], x[j]


@program((V8, 3), (V8, 8), (V8, 10))
def an_error_that_is_caught(x, n):
    done = 0
    for i in range(n):
        try:
            x[i] += 1
            x[i] *= x[i]
            done += 1
        except IndexError:
            x[0] = -1
            x[0] += x[0]
            done -= 10
    return done


@program((V8, 2), (V8, 7), (V8, 8))
def an_error_after_a_break(x, n):
    for i in range(20):
        if i == n:
            break
        x[i] = x[i] * 2
        x[i] = x[i] + 1
    return i


@program((V8, 5), (V8, 0))
def overwritten_before_it_is_read(x, n):
    for i in range(n):
        x[i] = 1.0
        x[i] = x[i + 1]
        x[i + 1] = 3.0
        x[i : i + 2] = x[i + 1 : i + 3]
        x[i] += x[i + 1]


@program((A6, 4), (F6, 4))
def rows_columns_and_their_crossings(a, n):
    for i in range(n):
        a[i, :] = a[:, i]
        a[:, i] = a[i, :] * 2
        a[i] += a[i + 1]
        a[i, i] = a[i, 0]
        a[:, i + 1] -= a[:, i]


@program((A6, 2), (A6, 0), (A6, 5))
def a_row_then_elements_of_it(a, k):
    a[k, :] = 7.0
    x = a[k, 1] + a[k, k]
    a[k, 1] = x
    a[k, 1:4] = a[k, 0:3]
    return x + a[k, 2]


@program((V8, 3), (V8, 1), (V8, 0))
def steps_and_directions(x, k):
    x[k : k + 4] = x[k + 3 : k - 1 : -1] if k else x[3::-1]
    y = x[k : k + 4].copy()
    x[k : k + 4 : 2] = 5.0
    z = x[k + 1 : k + 4 : 2].copy()
    x[k + 3 : k : -1] = y[:3]
    return y, z, x[k : k + 4]


@program((C345, 3), (C345, 0))
def planes(c, n):
    for k in range(1, n):
        c[:, :, k] = c[:, :, k] * 0.5
        d = c[:, :, k] - c[:, :, k - 1]
        c[:, :, k] = c[:, :, k] / (1 + d * d)
        c[:, :, k + 1] += c[:, :, k] * d
    return c[0]


@program((V8, 3), (V8, 7), (V8, 0))
def a_store_under_a_branch(x, n):
    for i in range(n):
        x[i] = x[i] + 1
        if x[i] > 0.5:
            x[i] = -x[i]
            x[i + 1] = x[i]
        x[i] -= 1
    return x[n]


@program((np.arange(8, dtype=np.uint8), 250), (np.arange(8, dtype=np.int16), 9))
def stores_round_to_the_type(x, n):
    for i in range(6):
        x[i] += x[i + 1]
        x[i] *= x[i]
        y = x[i] * 3
        x[i] = y
    return y


@program((A6, B6, 4), (A6, B6, 6))
def two_arrays(a, b, n):
    for i in range(n):
        for j in range(n):
            b[i, j] = a[j, i]
            a[j, i] = b[j, i]
            b[i, j] -= a[j, i]


@program((A6, 3), (A6, 6))
def views_of_what_is_written(a, n):
    t = a.T
    for i in range(n):
        row = a[i]
        row += t[i]
        t[i, 0] = row[0]
        row[1] = a[i, 1] + t[0, i]
    return t


@program((V8, 6), (V8, 0))
def windows_that_overlap(x, n):
    for i in range(n):
        x[i : i + 3] = x[i : i + 3][::-1]
        x[i + 1 : i + 3] += x[i : i + 2]


L100 = RNG.normal(size=100)
M100 = RNG.normal(size=100)
A20 = RNG.normal(size=(20, 20))
B20 = RNG.normal(size=(20, 20))
P100 = RNG.permutation(100)


@program((L100, 100), (L100, 0), (L100.astype(np.float32), 99))
def sum_and_clear(x, n):
    s = x.dtype.type(0)
    for i in range(n):
        s += x[i]
        x[i] = 0
    return s


@program((L100, M100), (L100[:70], M100))
def swap_and_shift(x, y):
    for i in range(2, x.shape[0] - 1):
        x[i], y[i] = y[i], x[i]
        x[i - 1] = y[i + 1]
        y[i - 2] = x[i + 1] - x[i - 1]


@program((L100, M100), (np.repeat(L100, 2)[::2], M100))
def differences_with_a_maximum(x, y):
    m = -np.inf
    at = 0
    for i in range(1, x.shape[0]):
        x[i] = x[i] - x[i - 1]
        if x[i - 1] + x[i] > m:
            m = x[i - 1] + x[i]
            at = i
        y[at] = y[i] + x[0]
    return m, at


@program((L100, P100), (L100, P100[::-1].copy()))
def chase(x, p):
    k = 0
    t = 0.0
    for i in range(x.shape[0]):
        t += x[p[i]] * x[i]
        x[p[i]] = x[p[p[i]]] + 1
        p[i] = p[p[i]]
        k = p[k]
        x[k] = 0.5 * x[i]
    return k, t


@program((L100, 0), (L100, 3))
def an_index_that_is_not_a_number_of_the_loop(x, k):
    total = 0.0
    for _ in range(50):
        total += x[5] + x[k]
        x[5] = 1.0
        x[k] = x[6] - 1
        x[6] = x[k] + x[5]
    return total


@program((A20, B20), (A20.T, B20), (A20.astype(np.float32), B20))
def rows_between_two_arrays(a, b):
    for i in range(1, a.shape[0] - 1):
        b[i] = a[i - 1] + a[i + 1]
        a[i] = b[i] * a[i - 1]
        r = a[i + 1] * 2
        a[i + 1] = r - 1
        b[i] += r + b[i - 1]
        b[:, i] = a[i]
        a[:, 0] = b[i, ::-1]


@program((A20, B20, 12), (A20, B20, 0))
def loops_in_loops_between_two_arrays(a, b, n):
    for i in range(1, n):
        t = a[i, 0]
        s = 0.0
        for j in range(1, n):
            s += a[i, j]
            a[i, j] = b[j, i] - t
            b[j, i] = a[i - 1, j]
            t = a[i, j - 1]
        a[0, i] = s
        b[i] = a[i] + s


@program((A20, 7), (A20, 0))
def stores_under_branches(a, n):
    c = 0
    for i in range(1, n):
        old = a[i, i]
        if a[i, i - 1] > a[i - 1, i]:
            a[i, i] = a[i - 1, i]
            c += 1
        else:
            a[i - 1, i] = old
        a[i, 0] = old + a[i, i]
    return c


test_programs = program.test()
