"""Numbers that are Python's on some paths and NumPy's on others: each use must tell the two apart where CPython
does."""

import math

import numpy as np

from .runner import Programs

program = Programs()
X = np.array([1.0, -2.0, 3.0, 0.5])
K = np.array([4, -2, 3, 7])
HALF = X.astype(np.float32)


@program((X, 0), (X, 1))
def arithmetic_with_python_numbers(x, i):
    a = 2.5
    if x[i] > 0:
        a = x[i]
    return a + 1, 1.5 - a, a * 2j, -a, +a, abs(a), a / 4, a * a, a


@program((X, 0), (X, 1))
def arithmetic_with_numpy_numbers(x, i):
    a = 2.5
    if x[i] > 0:
        a = x[i]
    return a + x[0], x - a, a * np.float64(3.0), np.exp(a), np.maximum(a, 0.0), np.add(x, a)


@program((HALF, X, 0), (HALF, X, 1))
def float32_arrays_see_the_difference(h, x, i):
    a = 0.1
    if x[i] > 0:
        a = x[i]
    return h + a, a * h, np.multiply(h, a), a + h[0], a < h, np.float32(2) - a


@program((X, 0), (X, 1), raises=Exception)
def python_divides_by_zero(x, i):
    a = 0.0
    if x[i] > 0:
        a = x[3] - 0.5
    return 1.0 / a


@program((X, 0), (X, 1))
def numpy_divides_by_zero_caught(x, i):
    a = 0.0
    if x[i] > 0:
        a = x[3] - 0.5
    try:
        return x[2] / a, 1.0 / a
    except ZeroDivisionError:
        return "python", a


@program((K, 0), (K, 1))
def integers(k, i):
    n = 5
    if k[i] > 0:
        n = k[i]
    return n + 1, n * n, n // 2, n % 3, n & 6, n | 1, n ^ 2, -n, abs(n), ~n, n + 0.5, n < 4, n == 5


@program((K, 0), (K, 1))
def integers_as_indices(k, i):
    n = 1
    if k[i] > 3:
        n = k[3] - 5
    items = [10, 20, 30]
    return k[n], k[:n], items[n], k[n:].sum(), (1.5, 2.5, 3.5)[n]


@program((K, 0), (K, 1))
def trips_of_a_range(k, i):
    n = 2
    if k[i] > 0:
        n = k[i]
    s = 0
    for j in range(n):
        s += j
    return s, n


@program((X, 0), (X, 1))
def comparisons(x, i):
    a = 1.0
    if x[i] > 0:
        a = x[i]
    return a < 2.0, a == 1.0, a >= x[2], a != x, 0.5 < a < 2, not a, bool(a)


@program((X, 0), (X, 1))
def flags(x, i):
    found = False
    if x[i] > 0:
        found = x[i] > 0.7
    return found, not found, found & True, found | (x[1] > 0), found == True, found + 1  # noqa: E712


@program((X, 0), (X, 1))
def conversions(x, i):
    a = 2.75
    if x[i] > 0:
        a = x[i]
    return float(a), int(a), complex(a), math.sqrt(a), math.floor(a), round(a), round(a, 1), np.float32(a)


@program((X, 0), (X, 1))
def classes_and_methods(x, i):
    a = 2.75
    if x[i] > 0:
        a = x[i]
    return isinstance(a, float), isinstance(a, np.floating), a.real, a.is_integer(), hasattr(a, "dtype")


@program((X, 0), (X, 1))
def in_text(x, i):
    a = 2.5
    if x[i] > 0:
        a = x[i]
    print(a, [a], f"{a}", f"{a:.3f}", repr(a))
    return a


@program((X, 4), (-X, 4), (X, 0))
def carried_by_a_loop(x, n):
    a, best, seen = 0.0, 1.0, 0
    for i in range(n):
        if x[i] > 0:
            a = x[i]
        if a > best:
            best = a
            seen += 1
        best = best * 0.5 + 0.1
    return a, best, seen


@program((X, 4), (-X, 4), (X, 0))
def carried_with_none(x, n):
    a = None
    for i in range(n):
        if x[i] > 0.7:
            a = x[i]
        elif x[i] > 0:
            a = 0.25
    return a, a is None, None if a is None else a * 2


@program((X, 4), (-X, 4))
def written_into_arrays(x, n):
    a, y, h, k = 0.0, np.zeros(4), np.zeros(4, np.float32), np.zeros(4, int)
    for i in range(n):
        if x[i] > 0:
            a = x[i]
        y[i] = a
        h[i] = a
        k[i] = a
        y[i] += a
    return y, h, k


@program((X, 4), (-X, 4))
def collected(x, n):
    a, found = 0.0, []
    for i in range(n):
        if x[i] > 0:
            a = x[i]
        found.append(a)
    return np.array(found), len(found), found


@program((X, 0), (X, 1))
def in_containers(x, i):
    a = 2.0
    if x[i] > 0:
        a = x[i]
    d = {"a": a}
    d["b"] = a + 1
    items = [a]
    items.append(a * 2)
    items[0] = a - 1
    return d, items, (a, a), sum(items), max(items), min(a, 1.5), sorted(items)


@program((X, 0), (X, 1))
def through_calls_and_attributes(x, i):
    class Point:
        def __init__(self, at):
            self.at = at

        def moved(self, by=1.0):
            return Point(self.at + by)

    a = 2.0
    if x[i] > 0:
        a = x[i]
    p = Point(a).moved(by=a).moved()
    return p.at, (lambda v, *r: v * r[0])(a, a)


@program((K, X, 0), (K, X, 1))
def two_of_them(k, x, i):
    a, b, n = 1.0, 2.0, 3
    if k[i] > 0:
        a = x[i]
    if x[i] > 3:
        b = x[2]
        n = k[0]
    return a + b, a * n, a < b, n - 1, a == b, a - a


@program((X, 0), (X, 1))
def powers_and_modulo(x, i):
    a = 2.0
    if x[i] > 0:
        a = x[i]
    return a**2, 2.0**a, a % 0.75, a // 0.75, divmod(a, 0.75), a**0.5


@program((X, 0), (X, 1))
def as_arrays(x, i):
    a = 2.0
    if x[i] > 0:
        a = x[i]
    return np.array([a, 1.0]), np.full(3, a), np.where(x > 0, a, 0.0), np.asarray(a), np.sum([a, a]), np.clip(x, -a, a)


@program((X, 0), (X, 1))
def known_on_one_path(x, i):
    a = np.float64(1.5)
    if x[i] > 0:
        a = 1.5
    return a, a * 2, a / 1


@program((X, 3), (X, 1))
def swapped_in_while(x, n):
    a, b = 0.0, x[0]
    while n > 0:
        a, b = b, a + 1.0
        n -= 1
    return a, b


@program((X, 0), (X, 1))
def alone_in_a_container(x, i):
    a = None
    if x[i] > 0:
        a = x[i]
    return [a], {"a": a}, [(a,)]


@program((X, 0), (X, 1), (X, 2))
def checks_inside_a_rule_are_caught(x, i):
    a = 1
    if x[i] > 0:
        a = x[i] - 1.0
        a = float(a)
    try:
        return 1 // a, 2 % a
    except ZeroDivisionError as error:
        return str(error)


@program(X, -X)
def sorted_and_indexed(x):
    items = [x[0], 2.0, x[3], 0.25]
    order = sorted(items)
    ranked = sorted(range(4), key=lambda i: -items[i])
    return order, sorted(items, reverse=True), ranked, items[int(x[3] > 0)], items[ranked[0]], max(items), min(items)


@program((np.array([1, 2]), 2**62), (np.array([1, 2]), 3), refuse="maybe")
def a_python_int_that_may_be_numpy_outgrows(a, n):
    x = n
    if a[0] > 5:
        x = a[1]
    y = x + x
    return y if y < 0 else -y


@program((np.array([6, 2**62]), 3), (np.array([6, 7]), 3))
def a_numpy_int_that_may_be_python_wraps(a, n):
    x = n
    if a[0] > 5:
        x = a[1]
    y = x + x
    return y, y < 0


MIXED = [1.5, 4, -3, 2.25, 0, 0.0, 7, 3.5, -2, 1, 9.0]


@program((list(MIXED),), (MIXED[::-1],))
def mixed_list_sorted_by_insertion(items):
    for i in range(1, len(items)):
        held, j = items[i], i
        while j > 0 and items[j - 1] > held:
            items[j] = items[j - 1]
            j -= 1
        items[j] = held
    return items[0], items[-1]


@program((list(MIXED),), (MIXED[::-1],))
def mixed_list_sorted_by_exchange(items):
    found = [v for v in items]
    for i in range(len(found)):
        for j in range(len(found) - 1 - i):
            if found[j] > found[j + 1]:
                found[j], found[j + 1] = found[j + 1], found[j]
    return found


@program((np.array([3, 1, 4, 1, 5, 9, 2, 6]),), (np.array([8, 8, 0, 2, 4, 4, 1, 9]),))
def ints_overwritten_by_floats(k):
    found, counts = [0] * 10, [0] * 10
    for i in range(len(k)):
        found[k[i]] = k[i] * 0.5
        counts[k[i] - 1] += 1 if i % 2 else 0.5
    return found, counts, max(counts), sum(found), found[k[0]]


@program((X, 0, True), (X, 1, True), (X, 1, False))
def truth_values_as_indices(x, i, given):
    flag = x[0] > 0.5 if x[i] > 0 else given
    found = []
    for use in (
        lambda: list(range(flag)),
        lambda: x[:flag],
        lambda: x[flag:2],
        lambda: math.factorial(flag),
        lambda: math.sqrt(flag),
        lambda: round(flag),
        lambda: [1, 2, 3][flag],
    ):
        try:
            found.append(use())
        except TypeError as error:
            found.append(str(error))
    return found


test_programs = program.test()
