"""Compiled functions are pickled as their Python functions and their options; programs stay where they are."""

import copy
import functools
import pickle
import subprocess
import sys

import cloudpickle
import numpy as np
import pytest

import xlapy


@xlapy.jit
def doubled(x, k=2.0, *, shift=0.0):
    """Twice as much."""
    return x * k + shift


class Model:
    def __init__(self, w):
        self.w = w

    @xlapy.jit
    def __call__(self, x):
        return x @ self.w


X = np.arange(3.0)


def test_one_that_a_module_defines_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert cloudpickle.loads(cloudpickle.dumps(doubled)) is doubled
    model = pickle.loads(pickle.dumps(Model(X)))
    assert float(model(X)) == 5.0


def test_copies_are_the_function_itself():
    assert copy.deepcopy(doubled) is doubled and copy.copy(doubled) is doubled


def test_others_are_pickled_by_value():
    factor = 3.0
    made = xlapy.jit(lambda x, k=1.0, *, shift=0.0: factor * x * k + shift, returns="numpy", fallback=True)
    np.testing.assert_array_equal(made(X), 3.0 * X)
    again = cloudpickle.loads(cloudpickle.dumps(made))
    assert again is not made
    for call in (lambda f: f(X), lambda f: f(X, 2.0), lambda f: f(X, shift=1.0)):
        expected, found = call(made), call(again)
        np.testing.assert_array_equal(found, expected)
        assert type(found) is type(expected)
    assert made.cache_info().misses == 1 and again.cache_info().misses == 1
    assert "offloaded as one program" in again.explain(X) and again.lower(X).compile()(X) is not None
    assert again.__wrapped__(X).tolist() == [0.0, 3.0, 6.0]
    twice = cloudpickle.loads(cloudpickle.dumps(again))
    np.testing.assert_array_equal(twice(X), 3.0 * X)
    again.cache_clear()
    assert again.cache_info().currsize == 0


def test_options_are_kept():
    again = cloudpickle.loads(cloudpickle.dumps(xlapy.jit(lambda x: x * 2, dtypes="32bit")))
    assert np.asarray(again(X)).dtype == np.float32


def test_bound_methods_and_gradients():
    bound = xlapy.jit(Model(X).__call__)
    assert float(cloudpickle.loads(cloudpickle.dumps(bound))(X)) == 5.0
    slope = xlapy.grad(lambda x: (x * x).sum())
    np.testing.assert_array_equal(cloudpickle.loads(cloudpickle.dumps(slope))(X), 2 * X)


def test_a_copy_is_inlined_and_compiled_again():
    again = cloudpickle.loads(cloudpickle.dumps(xlapy.jit(lambda x: x + 1)))
    assert xlapy.jit(again).__wrapped__ is again.__wrapped__
    np.testing.assert_array_equal(xlapy.jit(lambda x: again(x) * 2)(X), (X + 1) * 2)

    @functools.wraps(again)
    def other(x):
        return again(x) - 1

    np.testing.assert_array_equal(xlapy.jit(lambda x: other(x))(X), X)
    np.testing.assert_array_equal(xlapy.jit(other)(X), X)


def test_in_another_process(tmp_path):
    power = 3
    path = tmp_path / "f.pickle"
    path.write_bytes(cloudpickle.dumps(xlapy.jit(lambda x: x**power)))
    program = f"import pickle; f = pickle.load(open({str(path)!r}, 'rb')); print(f(2.0), f.cache_info().misses)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "8.0 1\n", done.stderr


def test_joblib():
    joblib = pytest.importorskip("joblib")
    factor = 2.0
    scaled = xlapy.jit(lambda x: x * factor)
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(scaled)(float(k)) for k in range(4))
    assert [float(x) for x in found] == [0.0, 2.0, 4.0, 6.0]


def test_methods_are_documented():
    assert all(getattr(doubled, name).__doc__ for name in ("lower", "explain", "cache_info", "cache_clear"))
    assert doubled.__doc__ == "Twice as much."
