"""`warnings.warn` in a compiled function: shown by the host when the run has ended, as CPython would have shown it."""

import warnings

import numpy as np
import pytest

import xlapy

X = np.array([1.0, -2.0, 3.0])


class Unsure(UserWarning):
    pass


def inner(x):
    warnings.warn("deep", Unsure, stacklevel=2)
    return x


def always(x):
    warnings.warn("careful")
    return x * 2


def on_data(x, limit):
    if x.sum() > limit:
        warnings.warn(f"the sum is {x.sum()}", RuntimeWarning, stacklevel=1)
    return x.max()


def instance(x):
    warnings.warn(Unsure("about this"))
    return x


def through_call(x):
    return inner(x) + 1


def in_a_loop(x, n):
    for i in range(n):
        if x[i] < 0:
            warnings.warn("negative", DeprecationWarning)
    return x


def ordered(x):
    warnings.warn("first")
    print("between", x.sum())
    warnings.warn("second")
    return x


def before_an_error(x):
    warnings.warn("soon")
    if x.sum() > 0:
        raise ValueError("now")
    return x


def shown(f, *args):
    """What a call warns of: category, text, line and file."""
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        try:
            f(*args)
        except ValueError as error:
            records = [*records]
            return [(r.category, str(r.message), r.lineno, r.filename) for r in records], str(error)
    return [(r.category, str(r.message), r.lineno, r.filename) for r in records]


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (always, (X,)),
        (on_data, (X, 1.0)),
        (on_data, (X, 100.0)),
        (instance, (X,)),
        (through_call, (X,)),
        (in_a_loop, (X, 3)),
        (ordered, (X,)),
        (before_an_error, (X,)),
    ],
)
def test_warnings_are_those_of_cpython(f, args):
    jitted = xlapy.jit(f)
    for _ in range(2):
        assert shown(jitted, *args) == shown(f, *args)


def test_a_filter_may_make_it_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="careful"):
            xlapy.jit(always)(X)


def test_no_warning_class():
    def f(x):
        warnings.warn("what", int)
        return x

    with pytest.raises(TypeError) as expected:
        f(X)
    with pytest.raises(TypeError) as got:
        xlapy.jit(f)(X)
    assert str(got.value) == str(expected.value)
