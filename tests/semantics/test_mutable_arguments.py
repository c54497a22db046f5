"""Objects of Python's own mutable classes that are passed in, and change between calls."""

import argparse
import array
import collections
import functools
import operator
import threading
import types

import numpy as np
import pytest

import xlapy
from tests.semantics.runner import Programs, do

program = Programs()


@program((np.arange(5.0), slice(1, 3)), (np.arange(5.0), slice(None, None, 2)))
def slice_passed(x, part):
    return x[part]


SETTINGS = types.SimpleNamespace(factor=2.0, calls=0, window=[1.0, 2.0])


@program((SETTINGS, np.arange(3.0)), do(lambda: setattr(SETTINGS, "factor", 5)), (SETTINGS, np.arange(3.0)))
def settings_in_a_namespace(settings, x):
    settings.calls += 1
    settings.window.append(float(settings.calls))
    return x * settings.factor, settings.calls, len(settings.window)


def queue(*items, maxlen=None):
    return collections.deque(map(float, items), maxlen)


QUEUE = queue(1, 2)
NUMBERS = array.array("d", [1.0, 2.0])


class Mean:
    """Of the last three numbers."""

    def __init__(self):
        self.last = collections.deque(maxlen=3)

    def put(self, x):
        self.last.append(x)
        return sum(self.last) / len(self.last)


@program((queue(1, 2, 3, maxlen=4), 5.0), (queue(1, 2, 3, maxlen=3), 5.0), (queue(1, 2, 3), 5.0))
def deque_changed(values, x):
    values.append(x)
    values.popleft()
    values.rotate(1)
    values.extendleft([x, 2 * x])
    return sum(values), len(values), values.maxlen, values[0], list(values)


@program((queue(1, 2, 3, maxlen=4), 3), (queue(1, 2), 3))
def deque_filled(values, n):
    for i in range(n):
        values.append(i * 0.5)
    return values, np.array(values).sum()


def longer():
    QUEUE.append(7.0)


@program((), do(longer), (), compiles=2)
def global_deque():
    return sum(QUEUE), QUEUE[0]


@program((Mean(), 1.0), (Mean(), 2.0))
def deque_of_an_object(mean, x):
    return mean.put(x), mean.put(2 * x)


@program(argparse.Namespace(rate=0.5, steps=2), argparse.Namespace(rate=0.25, steps=3))
def namespace(options):
    options.rate = options.rate / 2
    options.used = True
    return options.rate * options.steps


def base(x, k=1.0, shift=0.0):
    return 10 * x + k + shift


PARTIAL = functools.partial(base, k=2.0)
SECOND, PARTS = operator.itemgetter(1), operator.attrgetter("rate", "steps")
SUM = operator.methodcaller("sum", axis=0)


def another_keyword():
    PARTIAL.keywords["k"] = 5.0


def one_more_keyword():
    PARTIAL.keywords["shift"] = 50.0


@program(1.0, do(another_keyword), 1.0, do(one_more_keyword), 1.0)
def keywords_of_a_partial(x):
    return PARTIAL(x), PARTIAL(x, k=7.0)


@program(([1, 5, 2], argparse.Namespace(rate=0.5, steps=2), np.ones((2, 3))))
def getters_made_outside(values, options, x):
    return SECOND(values), PARTS(options), SUM(x), sorted([(1, 3), (2, 1)], key=SECOND)


@program(refuse=True)
def global_array():
    return NUMBERS[0] + len(NUMBERS)


@program(array.array("d", [1.0, 2.0]), refuse=True)
def passed_array(values):
    return np.asarray(values).sum()


@program(bytearray(b"ab"), refuse=True)
def byte_array(values):
    return values[0]


test_programs = program.test()

LOCK = threading.Lock()


def first(values):
    return values[0]


def locked(x):
    with LOCK:
        return 2 * x


@pytest.mark.parametrize(
    ("function", "argument"),
    [
        pytest.param(first, memoryview(bytearray(b"ab")), id="memory view"),
        pytest.param(first, np.ones(3).flat, id="flat iterator"),
        pytest.param(len, types.MappingProxyType({"a": 1.0}), id="proxy"),
        pytest.param(len, {"a": 1.0}.values(), id="view of a dict"),
        pytest.param(locked, 1.0, id="lock"),
    ],
)
def test_refused(function, argument):
    with pytest.raises(xlapy.NotOffloadableError):
        xlapy.jit(lambda x: function(x))(argument)
