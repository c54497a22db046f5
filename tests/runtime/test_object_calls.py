"""Small programs are called by one C function, from the objects of the arguments to that of the result."""

import collections
import gc
import sys
import threading
import tracemalloc
import warnings

import numpy as np
import pytest

import xlapy
from xlapy.domain.compiled_functions import owner_of
from xlapy.machine_code.object_calls import OTHER
from xlapy.verification.comparison import Comparison

SCALE = 3.0


def objects_of(function):
    """The C function of the newest program, or None."""
    (*_, first) = reversed(owner_of(function).cache.entries)
    return first.jitted.objects[0]


def check(function, *calls, is_called=True):
    """Two calls with each tuple of arguments do what CPython does, the last one by the C function if it `is_called`."""
    compiled = xlapy.jit(function)
    for arguments in [arguments for arguments in calls for _ in range(2)]:
        expected_arguments, given = ([np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments] for _ in "ab")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected, got = function(*expected_arguments), compiled(*given)
        compare = Comparison()
        compare(expected_arguments, given, "arguments")
        compare(expected, got, "result")
        assert type(got) is type(expected)
    assert (objects_of(compiled) is not None) == is_called


def numbers_of_python(a, b, n, flag):
    return a * b, n // 2, flag and n > 3, complex(a, b), None, "text", (n, (a,), ())


def test_numbers_of_python():
    check(numbers_of_python, (2.0, 0.5, 7, True), (-0.0, 1.0, -7, False))


@pytest.mark.parametrize("dtype", [*"?bBhHiIlLfdFD", "e"])
def test_numbers_and_arrays_of_numpy(dtype):
    a = np.arange(6).astype(dtype)
    # half precision is left to XLA
    check(lambda x, y: (x[1], y, x + y, x), (a, a[2]), (a, a[3]), is_called=dtype != "e")


@pytest.mark.parametrize("shape", [(), (0,), (1,), (2,), (2, 0), (2, 3), (1, 2, 3)])
def test_arrays_of_any_shape(shape):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    check(lambda x, k: x * k + SCALE, (x, 2.0), is_called=x.size > 0)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_arguments_that_are_written(size):
    def moved(x, y):
        x[0] += y[-1]
        y[0] = x[0]
        return x, y.sum()

    check(moved, (np.arange(float(size)), np.ones(size)))


def test_what_the_program_is_not_for():
    def shifted(x, n):
        return x + n

    compiled = xlapy.jit(shifted)
    x = np.arange(4.0)
    compiled(x, 1), compiled(x, 2)
    objects = objects_of(compiled)
    assert objects(x, 3).tolist() == [3, 4, 5, 6]
    others = [
        x[:3],
        x[::2],
        x.astype(np.float32),
        x.astype(">f8"),
        x.reshape(2, 2),
        x.view(np.matrix),
        [0.0],
        None,
        2.0,
    ]
    for other in others:
        assert objects(other, 1) is OTHER
    for number in (True, 1.0, np.int64(1), 2**63, -(2**63) - 1, None):
        assert objects(x, number) is OTHER
    assert objects(x, 2**63 - 1).tolist() == (x + (2**63 - 1)).tolist()
    for other in others[:3]:
        assert compiled(other, 1).tolist() == (other + 1).tolist()
    assert compiled(x, 2**70).tolist() == (x + 2**70).tolist()


def test_arrays_that_may_not_be_written():
    def set_first(x):
        x[0] = 1.0

    compiled = xlapy.jit(set_first)
    x = np.zeros(3)
    compiled(x), compiled(x)
    x.flags.writeable = False
    assert objects_of(compiled)(x) is OTHER
    with pytest.raises(ValueError, match="read-only"):
        compiled(x)


def test_errors_change_nothing():
    def divided(x, n):
        x[0] += 1
        return 7 // n, x

    compiled = xlapy.jit(divided)
    x = np.zeros(2)
    assert compiled(x, 2)[0] == compiled(x, 3)[0] + 1 and x[0] == 2
    assert objects_of(compiled)(x, 0) is OTHER and x[0] == 2
    with pytest.raises(ZeroDivisionError):
        compiled(x, 0)
    assert x[0] == 2 and compiled(x, 7) == (1, x)


def test_globals_are_looked_at(monkeypatch):
    compiled = xlapy.jit(lambda x: x * SCALE)
    assert compiled(2.0) == compiled(2.0) == 6.0
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    assert compiled(2.0) == 10.0
    with xlapy.disable_jit():
        assert compiled(2.0) == 10.0
    assert compiled.cache_info().hits == 1


def test_nothing_is_kept():
    def mixed(x, n, flag):
        return x + n, x, n, flag, None, "text", x[0], (n * 2.5, x.sum())

    compiled = xlapy.jit(mixed)
    x = np.arange(5.0)
    watched = [x, x.dtype, None, True, OTHER]

    def counts():
        gc.collect()
        return [sys.getrefcount(item) for item in watched]

    compiled(x, 10**6, True), compiled(x, 10**6, True)
    objects = objects_of(compiled)
    before = counts()
    tracemalloc.start()
    first = tracemalloc.get_traced_memory()[0]
    for _ in range(2000):
        compiled(x, 10**6, True), objects(x[:2], 1, True), objects(x, 2**80, True)
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    assert all(abs(a - b) < 100 for a, b in zip(before, counts(), strict=True)) and grown < 50_000


class Point:
    def __init__(self, x, y=0.0):
        self.x, self.y = x, y


def test_objects_that_are_made():
    Pair = collections.namedtuple("Pair", "first second")

    def made(x, n):
        part = x[1:3]
        row = [n, n * 2.5, part]
        point = Point(n, part)
        point.itself = point
        return {"row": row, 3: (row, part), "none": None, "pair": Pair(n + 1, point)}, point, [], part

    check(made, (np.arange(5.0), 2), (np.arange(4.0), 3))


def test_objects_that_change():
    def moved(point, log, table, x):
        old = point.y
        point.x += x[0]
        point.y = point.x * 2
        log.append(point.x)
        table["last"] = (point.y, x)
        x[0] = point.y
        return old, point, log

    compiled = xlapy.jit(moved)
    mine, other = [(Point(1, 2.0), [1.5], {"last": None, "n": 1}, np.ones(3)) for _ in "ab"]
    for _ in range(4):
        expected, got = moved(*mine), compiled(*other)
        Comparison()((mine, expected), (other, got), "arguments and result")
    assert got[1] is other[0] and got[2] is other[1] and other[2]["last"][1] is other[3]


def test_functions_that_are_made_anew():
    def of(k):
        return xlapy.jit(lambda x: [x * k, Point(x)])

    for k in (2.0, 3.0, 4.0):
        compiled = of(k)
        for x in (1.0, 2.0, 3.0):
            doubled, point = compiled(x)
            assert doubled == x * k and type(point) is Point and point.x == x and point.y == 0.0


def test_threads_run_side_by_side():
    def total(x, n):
        t = 0.0
        for _ in range(n):
            for v in x:
                t += v
        return t, x * 2

    compiled = xlapy.jit(total)
    x = np.arange(8.0)
    compiled(x, 2), compiled(x, 3)
    assert objects_of(compiled) is not None
    wrong = []

    def work(k):
        for _ in range(300):
            t, doubled = compiled(x + k, 3)
            if t != 3 * (x + k).sum() or not np.array_equal(doubled, 2 * (x + k)):
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    [t.start() for t in threads], [t.join() for t in threads]
    assert not wrong


def test_large_programs_are_called_as_before():
    check(lambda x: (np.sort(x)[::-1].sum(), x[::-1].copy()), (np.arange(100_000.0),), is_called=False)
    compiled = xlapy.jit(lambda *xs: sum(xs))
    numbers = [float(k) for k in range(100)]
    assert compiled(*numbers) == compiled(*numbers) == sum(numbers) and compiled(*numbers[::-1]) == sum(numbers)


def selected(x, limit):
    chosen = x > limit
    return x[chosen], np.nonzero(chosen)[0], chosen.sum()


def put_in_front(x, limit):
    out, n = np.empty(len(x)), 0
    for v in x:
        if v > limit:
            out[n] = v
            n += 1
    return [out[:n], n]


@pytest.mark.parametrize("function", [selected, put_in_front])
@pytest.mark.parametrize("size", [1, 2, 3000])
def test_arrays_of_a_length_that_data_says(function, size):
    x = np.random.default_rng(size).normal(size=size)
    check(function, *((x, limit) for limit in (-9.0, 9.0, 0.0, 2.0)))


def test_rows_of_a_number_that_data_says():
    x = np.random.default_rng(0).normal(size=(2000, 3))
    check(lambda x, limit: x[x[:, 0] > limit], (x, 0.0), (x, 2.5), (x, 9.0), (x, -9.0))


def test_a_shorter_array_is_the_callers():
    compiled = xlapy.jit(selected)
    x = np.arange(3000.0)
    for limit in (10.0, 2990.0):
        one, places, _ = compiled(x, limit)
        other, *_ = compiled(x, limit)
        one += 1
        assert one.flags.owndata and one.base is None and places.nbytes == 8 * len(places)
        np.testing.assert_array_equal(other, x[x > limit])


def largest(x, start):
    best, at = start, -1
    for i in range(len(x)):
        if x[i] > best:
            best, at = x[i], i
    return best, at, (best,)


def test_a_number_that_is_pythons_or_numpys():
    check(largest, (np.array([-1.0, -2.0]), 0.0), (np.array([-1.0, 2.0]), 0.0), (np.array([3.0, 2.0]), 0.0))
