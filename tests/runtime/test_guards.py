"""What changes between two calls is never stale, and costs no compilation that is not needed."""

import functools
import inspect
import sys
import types

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

X = np.array([1.0, 2.0, 3.0])
W = np.array([1.0, 1.0, 1.0])
K = 2.0
FLAG = True
MODE = "sum"
CONFIG = {"a": 1.0, "b": 2.0}
LAYERS = [1.0, 2.0]


def misses(f):
    return f.cache_info().misses


@pytest.fixture(autouse=True)
def _restore_globals():
    before = dict(globals())
    config, layers, w = dict(CONFIG), list(LAYERS), W.copy()
    yield
    globals().update(before)
    CONFIG.clear()
    CONFIG.update(config)
    LAYERS[:] = layers
    W[:] = w


def test_array_global_costs_no_compilation():
    global W
    f = xlapy.jit(lambda x: x + W)
    np.testing.assert_array_equal(f(X), X + 1)
    W[0] = 5.0
    np.testing.assert_array_equal(f(X), X + [5, 1, 1])
    W = np.array([7.0, 7.0, 7.0])
    np.testing.assert_array_equal(f(X), X + 7)
    assert misses(f) == 1
    W = np.array([7, 7, 7])
    assert f(X).dtype == np.float64
    W = 1.0
    np.testing.assert_array_equal(f(X), X + 1)


def test_scalar_global_becomes_an_input_after_its_second_value():
    global K
    f = xlapy.jit(lambda x: x * K)
    for value in (2.0, 3.0, 4.0, 5.0, 2.0):
        K = value
        np.testing.assert_array_equal(f(X), X * value)
    assert misses(f) == 2


@pytest.mark.parametrize("values", [(0.0, -0.0), (-0.0, 0.0), (1.0, float("nan"), 1.0), (1, True, 1.0, 1j)])
def test_values_that_are_nearly_equal(values):
    global K
    f = xlapy.jit(lambda: (np.copysign(1.0, K) if type(K) is float else 5.0, K))
    for value in values:
        K = value
        expected = (np.copysign(1.0, K) if type(K) is float else 5.0, K)
        np.testing.assert_array_equal(f()[0], expected[0])
        np.testing.assert_array_equal(f()[1], expected[1])


def test_flag_and_string():
    global FLAG, MODE
    f = xlapy.jit(lambda x: (x.sum() if MODE == "sum" else x.max()) * (1 if FLAG else -1))
    assert f(X) == 6
    FLAG = False
    assert f(X) == -6
    MODE = "max"
    assert f(X) == -3
    FLAG, MODE = True, "sum"
    count = misses(f)
    assert f(X) == 6 and misses(f) == count


def test_bool_argument():
    f = xlapy.jit(lambda x, up: x + 1 if up else x - 1)
    for up in (True, False, True):
        np.testing.assert_array_equal(f(X, up), X + 1 if up else X - 1)
    assert misses(f) == 1


def test_deleted_and_added_global():
    f = xlapy.jit(lambda x: x * LATER)  # noqa: F821
    with pytest.raises(NameError, match="name 'LATER' is not defined"):
        f(X)
    globals()["LATER"] = 2.0
    np.testing.assert_array_equal(f(X), X * 2)
    del globals()["LATER"]
    with pytest.raises(NameError):
        f(X)


def test_cell():
    k = 2.0

    def change(value):
        nonlocal k
        k = value

    f = xlapy.jit(lambda x: x * k)
    for value in (2.0, 3.0, 4.0):
        change(value)
        np.testing.assert_array_equal(f(X), X * value)
    assert misses(f) == 2


def test_defaults():
    def f(x, k=2.0, *, b=1.0):
        return x * k + b

    jitted = xlapy.jit(f)
    np.testing.assert_array_equal(jitted(X), X * 2 + 1)
    f.__defaults__ = (3.0,)
    f.__kwdefaults__["b"] = 4.0
    np.testing.assert_array_equal(jitted(X), X * 3 + 4)
    assert misses(jitted) == 1


def helper(x, k=2.0, *, b=1.0):
    return x * k + b


def test_defaults_of_a_callee():
    f = xlapy.jit(lambda x: helper(x))
    before = helper.__defaults__, dict(helper.__kwdefaults__)
    try:
        assert f(X)[0] == 3
        helper.__defaults__ = (3.0,)
        assert f(X)[0] == 4
        helper.__kwdefaults__["b"] = 5.0
        assert f(X)[0] == 8
        helper.__defaults__ = None
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'k'"):
            f(X)
    finally:
        helper.__defaults__, helper.__kwdefaults__ = before


def test_monkey_patched_callee():
    global helper
    f = xlapy.jit(lambda x: helper(x))
    original = helper
    assert f(X)[0] == 3

    def helper(x):
        return x - 1

    assert f(X)[0] == 0
    helper = original
    count = misses(f)
    assert f(X)[0] == 3 and misses(f) == count


def test_changed_code_of_a_callee():
    def inner(x):
        return x + 1

    f = xlapy.jit(lambda x: inner(x))
    assert f(X)[0] == 2
    inner.__code__ = (lambda x: x + 10).__code__
    assert f(X)[0] == 11


def test_changed_code_of_the_function_itself():
    def f(x):
        return x + 1

    jitted = xlapy.jit(f)
    assert jitted(X)[0] == 2
    f.__code__ = (lambda x: x + 10).__code__
    assert jitted(X)[0] == 11


class Model:
    scale = 2.0

    def __init__(self):
        self.w = np.ones(3)
        self.k = 1.0

    def apply(self, x):
        return x * self.w * self.scale + self.k


def test_attributes():
    model = Model()
    f = xlapy.jit(lambda x: model.apply(x))
    assert f(X)[0] == 3
    model.w = np.array([2.0, 2.0, 2.0])
    assert f(X)[0] == 5 and misses(f) == 1
    model.k = 3.0
    assert f(X)[0] == 7
    model.k = 4.0
    assert f(X)[0] == 8 and misses(f) == 2
    model.scale = 5.0
    assert f(X)[0] == 14
    del model.scale
    assert f(X)[0] == 8
    del model.w
    with pytest.raises(AttributeError, match="'Model' object has no attribute 'w'"):
        f(X)


def test_class_attribute_and_method():
    model = Model()
    f = xlapy.jit(lambda x: model.apply(x))
    assert f(X)[0] == 3
    before = Model.scale, Model.apply
    try:
        Model.scale = 4.0
        assert f(X)[0] == 5
        Model.apply = lambda self, x: x
        assert f(X)[0] == 1
        model.apply = lambda x: x + 100
        assert f(X)[0] == 101
    finally:
        Model.scale, Model.apply = before


def test_class_of_an_object():
    class Other(Model):
        def apply(self, x):
            return -x

    f = xlapy.jit(lambda m, x: m.apply(x))
    assert [f(m, X)[0] for m in (Model(), Other(), Model())] == [3, -1, 3]
    assert misses(f) == 2
    model = Model()
    model.__class__ = Other
    assert f(model, X)[0] == -1 and misses(f) == 2


def test_dict_items_and_keys():
    f = xlapy.jit(lambda x: x * CONFIG["a"] + CONFIG.get("c", 0.0))
    assert f(X)[0] == 1
    CONFIG["a"] = 3.0
    assert f(X)[0] == 3
    CONFIG["c"] = 7.0
    assert f(X)[0] == 10
    del CONFIG["a"]
    with pytest.raises(KeyError, match="'a'"):
        f(X)


def test_list_items_and_length():
    def f(x):
        for k in LAYERS:
            x = x * k
        return x

    jitted = xlapy.jit(f)
    assert jitted(X)[0] == 2
    LAYERS[1] = 5.0
    assert jitted(X)[0] == 5
    LAYERS.append(2.0)
    assert jitted(X)[0] == 10
    LAYERS.clear()
    assert jitted(X)[0] == 1


def test_shapes_dtypes_and_kinds():
    f = xlapy.jit(lambda x: x + 1)
    arguments = [X, X[:2], X, np.float32([1]), np.array([1, 2]), 3, 2.5, np.float32(2), True, 1j, jnp.ones(3), X[None]]
    for _ in range(2):
        for x in arguments:
            expected, made = x + 1, f(x)
            np.testing.assert_array_equal(made, expected)
            assert not hasattr(expected, "dtype") or made.dtype == expected.dtype
    assert misses(f) == len(arguments) - 1


def test_weak_types():
    f = xlapy.jit(lambda x: x + jnp.ones(3, jnp.bfloat16))
    with jax.enable_x64(True):
        for x in (jnp.asarray(1.0), jnp.asarray(1.0, jnp.float64), jnp.asarray(1.0)):
            expected = x + jnp.ones(3, jnp.bfloat16)
            assert f(x).dtype == expected.dtype


def test_caller_setting_of_64_bit_types():
    f = xlapy.jit(lambda x: jnp.sin(x))
    for x64 in (False, True, False):
        with jax.enable_x64(x64):
            assert f(X).dtype == jnp.sin(X.copy()).dtype
    assert misses(f) == 2
    g = xlapy.jit(lambda x: np.sin(x))
    for x64 in (False, True, False):
        with jax.enable_x64(x64):
            assert g(X).dtype == np.float64
    assert misses(g) == 1


def test_static_number_of_a_shape():
    f = xlapy.jit(lambda x, n: np.zeros(n) + x[0])
    for n in (2, 3, 2, 3):
        assert f(X, n).shape == (n,)
    assert misses(f) == 2


def test_partial():
    base = functools.partial(helper, k=3.0)
    f = xlapy.jit(lambda x: base(x))
    assert f(X)[0] == 4


def test_module_attribute():
    module = types.ModuleType("settings")
    module.k = 2.0
    f = xlapy.jit(lambda x: x * module.k)
    assert f(X)[0] == 2
    module.k = 3.0
    assert f(X)[0] == 3


def test_a_failing_compilation_changes_nothing():
    box = Model()

    def f(x, items, how):
        x[0] = 9.0
        items.append(1)
        box.k = 5.0
        return len(memoryview(x)) if how == "bad" else x.sum()

    jitted = xlapy.jit(f)
    x, items = X.copy(), []
    with pytest.raises(xlapy.NotOffloadableError):
        jitted(x, items, "bad")
    np.testing.assert_array_equal(x, X)
    assert items == [] and box.k == 1.0 and jitted.cache_info() == (0, 0, None, 0)
    assert jitted(x, items, "good") == 14
    assert items == [1] and box.k == 5.0
    with pytest.raises(xlapy.NotOffloadableError):
        jitted(x, items, "bad")
    assert items == [1]


def test_a_failing_run_leaves_the_function_usable():
    f = xlapy.jit(lambda x, i: x[i])
    assert f(X, 1) == 2
    with pytest.raises(IndexError):
        f(X, 10)
    assert f(X, 2) == 3 and misses(f) == 1


def test_a_cell_that_gets_its_value_later():
    def program(x):
        return x * late

    f = xlapy.jit(program)
    with pytest.raises(NameError, match="late"):
        f(X)
    late = 2.0
    np.testing.assert_array_equal(f(X), X * 2)
    del late
    with pytest.raises(NameError, match="late"):
        f(X)
    late = 3.0
    np.testing.assert_array_equal(f(X), X * 3)


def test_many_programs_of_one_function():
    """A text of each length is a program of its own; calls that go through all of them do not nest."""

    def f(x, text):
        return x + len(text)

    compiled, depth = xlapy.jit(f), len(inspect.stack())
    for count in range(100):
        assert compiled(1.0, "a" * count) == f(1.0, "a" * count)
    assert misses(compiled) == 100
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 70)
    try:
        found = [float(compiled(1.0, "a" * count)) for count in (3, 99, 50, 3, 0)]
    finally:
        sys.setrecursionlimit(before)
    assert found == [f(1.0, "a" * count) for count in (3, 99, 50, 3, 0)]
    assert misses(compiled) == 100
