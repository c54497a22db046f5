"""What libraries do around their numbers: questions about functions and options; arrays that happen to be empty."""

import datetime
import gc
import importlib.metadata
import inspect
import json
import keyword
import os
import re
import struct
import sys
import warnings

import numpy as np
import pytest

from .runner import Programs, check

program = Programs()
X = np.array([1.0, -2.0, 3.0, 4.0])


@program(X)
def keywords(x):
    names = [name for name in ("x", "if", "lambda") if keyword.iskeyword(name)]
    member = frozenset((1, 2)).__contains__
    return x * len(names), names, member(2), member(3)


def scaled(x, by=2.0, *rest, shift=0.5, **options):
    return x * by + shift


@program(X)
def arguments_of_a_function(x):
    found = inspect.getfullargspec(scaled)
    options = {name: 3.0 for name in found.args[1:] + found.kwonlyargs}
    return scaled(x, **options), found.defaults, found.varargs, found.varkw, found.kwonlydefaults


@program(X)
def namespace_of_an_array(x):
    if hasattr(x, "__array_namespace__"):
        xp = x.__array_namespace__()
        return xp.sum(x), xp.asarray([1.0, 2.0])
    return x


@program((X, 1), (X, 2))
def rows_of_a_selection(x, k):
    y = x[x > k]
    powers = np.cumprod(np.tile(y, (3, 1)), axis=0)
    return powers, np.tile(y, (2, 2)), np.arange(6.0).reshape(2, 3) @ powers


@program((X, 3), (X, 2), compiles=1)
def rows_of_selections(x, n):
    total = 0.0
    for i in range(n):
        total += np.dot(np.arange(6.0).reshape(2, 3), np.cumprod(np.tile(x[x > i], (3, 1)), axis=0)).sum()
    return total


@program((X, np.zeros(4, bool)), (-X, np.zeros(4, bool)))
def nothing_is_assigned(x, mask):
    x[mask] = np.empty(0)
    return x


@program(X, -X)
def nothing_is_taken(x):
    return x[x > 0][np.array([], int)], x[x > 0].sum()


@program((1.5, 2), (-1.5, 2))
def text_among_numbers(x, k):
    flags = {0: "fine", -1: "bad", 2: "unknown"}
    message = f"{x:.1f}"
    return message in flags, k in flags, flags[0]


class Found(Exception):
    pass


def marked(x):
    error = ValueError("outside")
    if x > 2:
        error.place = x
    if x > 1:
        raise error
    return x


@program(3.0, 1.5, 0.5)
def attribute_on_one_path(x):
    try:
        return marked(x)
    except ValueError as error:
        if hasattr(error, "place"):
            return 10 * error.place
        return -1.0


program.add("attribute_leaves", marked, 3.0, raises=ValueError)
program.add("no_attribute_leaves", marked, 1.5, raises=ValueError)


@program(X)
def without_descriptors(x):
    order = type.__dict__["__mro__"].__get__(np.ndarray)
    shape = np.ndarray.__dict__["shape"]
    missing = object()
    found = inspect.getattr_static(x, "__dataframe__", missing) is missing
    return x * len(order), shape.__get__(x), shape.__get__(None, np.ndarray) is shape, found


@program(X, raises=TypeError)
def descriptor_of_another_class(x):
    return type.__dict__["__mro__"].__get__(x)


@program(X)
def attributes_of_classes_only(x):
    return [hasattr(v, name) for v in ([1], x, {}) for name in ("__call__", "__dict__", "mro", "__mro__")]


@program(X, np.arange(3))
def complex_warnings_are_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        warnings.simplefilter("error", np.exceptions.VisibleDeprecationWarning)
        y = np.asarray(x, dtype=np.float32)
        z = x + 2j
        size = abs(z) + z.real + z.imag
    return y, size


@program(X + 1j)
def complex_warnings_are_errors_no_more(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        y = x * 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return y, x.astype(float)


def real_part(x):
    return np.asarray(x, dtype=float)


def strictly(x, f):
    with warnings.catch_warnings():
        warnings.simplefilter("error", np.exceptions.ComplexWarning)
        return f(x)


@program(X + 1j, refuse=True, raises=np.exceptions.ComplexWarning)
def complex_warning(x):
    return strictly(x, real_part)


@program(X + 1j, refuse=True, raises=np.exceptions.ComplexWarning)
def complex_warning_of_a_remembered_call(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        before = real_part(x)
    return before + strictly(x, real_part)


@program(X, refuse=True, raises=np.exceptions.ComplexWarning)
def complex_warning_of_a_constant(x):
    return strictly(x, lambda x: x * np.full(4, 1j, dtype=float))


@program(X, refuse=True, raises=np.exceptions.ComplexWarning)
def complex_warning_of_a_number(x):
    return strictly(x, lambda x: x * np.float64(np.complex128(1j)))


@program(X + 1j, refuse=True, raises=np.exceptions.ComplexWarning)
def complex_warning_of_an_item(x):
    def assigned(x):
        y = np.zeros(3)
        y[0] = x[1]
        return y

    return strictly(x, assigned)


@program(X, refuse=True)
def runtime_warnings_are_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        return np.log(x)


@program(X, np.arange(6).reshape(2, 3).T)
def by_dlpack(x):
    y = np.from_dlpack(x)
    y[0] = 7
    z = np.from_dlpack(x[::-2], device="cpu", copy=False)
    z[0] = 9
    return x, y is x, np.from_dlpack(x, copy=True), z.strides


@program([1.0], 2.0, raises=AttributeError)
def no_dlpack(x):
    return np.from_dlpack(x)


@program(X, raises=ValueError)
def by_dlpack_elsewhere(x):
    return np.from_dlpack(x, device="gpu")


@program(X)
def a_view_is_another_object(x):
    y = x[::-1]
    return x[1:] is x, x[:] is x, x - y if x is not y else x


@program((X, X), (X, X[:]), (X, X[::-1]), (X, X + 1))
def views_of_arguments(x, y):
    return x is y, x[:] is y, x - y


@program(X)
def limits_of_numbers(x):
    f = sys.float_info
    return x + f.min, f.epsilon, f.max, f[0], f.dig, sys.version_info.major, sys.int_info.bits_per_digit, len(f)


@program(X, raises=AttributeError)
def no_limit_of_numbers(x):
    return x + sys.float_info.eps


@program(X)
def collects_garbage(x):
    gc.collect()
    gc.collect(0)
    return x * len(importlib.metadata.entry_points(group="xlapy.nothing"))


@program(X, refuse=True)
def how_much_garbage(x):
    return x * (gc.collect() > -1)


@program(X, refuse=True)
def returns_how_much_garbage(x):
    return gc.collect()


@pytest.mark.skipif(sys.version_info >= (3, 13), reason="inspect.getattr_static keeps weak references to classes there")
def test_check_array():
    utils = pytest.importorskip("sklearn.utils")
    pairwise = pytest.importorskip("sklearn.metrics.pairwise")
    data = np.arange(12.0).reshape(4, 3) ** 2
    check(lambda x: utils.check_array(x, dtype="numeric") * 2, data)
    check(lambda x: pairwise.rbf_kernel(x, gamma=0.01), data)
    check(lambda x: pairwise.euclidean_distances(x, x[::-1]), data)


@program(("GATTACA-12", "2020-02-28", '{"a": [1, 2.5]}'), ("x-1", "2019-02-28", '{"a": [7, 1]}'))
def texts_dates_and_paths(text, day, data):
    found = re.compile(r"([a-zA-Z]+)-(\d+)").match(text)
    places = [m.span() for m in re.finditer("[AT]", text)]
    start = datetime.date.fromisoformat(day)
    later = [(start + datetime.timedelta(days=k)).strftime("%d.%m.") for k in range(2)]
    span = datetime.datetime(2020, 3, 1) - datetime.datetime.strptime(day, "%Y-%m-%d")
    values = json.loads(data)["a"]
    values.append(start < datetime.date(2020, 1, 1))
    path = os.path.join("a", text, "b.txt")
    return (
        found.groups(), found[1], int(found.group(2)) + 1, places, start, later, span.total_seconds(), values,
        json.dumps({"b": values, "a": None}, sort_keys=True), os.path.splitext(os.path.basename(path)),
        re.search("Q", text), struct.unpack("<hb", struct.pack("<hb", len(text), -1)),
    )  # fmt: skip


@program(datetime.date(2020, 1, 31), datetime.date(2021, 1, 31), compiles=2)
def an_argument_that_is_a_date(day):
    return day + datetime.timedelta(weeks=1), day.year, (day - datetime.date(2020, 1, 1)).days, f"{day:%j}"


test_programs = program.test()
