"""`xlapy.jit` and its options, from outside."""

import functools
import inspect
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

X = np.array([1.0, 2.0, 3.0])


def scaled(x, k=2.0):
    """x times k."""
    return x * k


def test_function_and_decorator():
    @xlapy.jit
    def f(x):
        return x + 1

    @xlapy.jit(returns="jax")
    def g(x):
        return x + 1

    np.testing.assert_array_equal(f(X), X + 1)
    np.testing.assert_array_equal(g(X), X + 1)
    assert isinstance(g(X), jax.Array) and type(f(X)) is np.ndarray and f(X).flags.writeable


def same(wanted, got):
    assert jax.tree.structure(wanted) == jax.tree.structure(got)
    for one, two in zip(jax.tree.leaves(wanted), jax.tree.leaves(got), strict=True):
        assert type(one) is type(two) and np.asarray(one).dtype == np.asarray(two).dtype
        np.testing.assert_allclose(one, two, rtol=1e-6)


def mixed(x, y):
    return x[1:], x * 2, x + y, x.sum(), len(x), {"last": [x[-1], y]}, jnp.sin(x)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_results_are_what_cpython_gives_or_stay_on_the_device(size):
    x = np.arange(float(size))
    compiled = xlapy.jit(mixed)
    for _ in range(2):
        same(mixed(x, x), compiled(x, x))
        assert size == 1 or np.shares_memory(compiled(x, x)[0], x)
    given = jnp.asarray(x, dtype=jnp.float32)
    got = jax.tree.leaves(compiled(x, given))
    assert all(isinstance(leaf, jax.Array | int) for leaf in got[1:])  # the first one is a view of `x`
    assert not any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves(xlapy.jit(mixed, returns="numpy")(x, given)))
    on_device = xlapy.jit(lambda d: (d + 1, d.sum()))(xlapy.device_array(x))
    assert all(isinstance(leaf, jax.Array) for leaf in on_device)
    assert type(xlapy.grad(lambda x: (x**2).sum())(x)) is np.ndarray
    assert isinstance(xlapy.grad(lambda x: (x**2).sum())(given), jax.Array)


def test_numbers_keep_their_precision_from_one_function_to_the_next():
    @xlapy.jit
    def total(n):
        s = 0
        for i in range(n):
            s += i
        return s

    scaled_up, back = xlapy.jit(lambda n: n * 400_000), xlapy.jit(lambda x: x + 1e-8)
    assert scaled_up(total(5000)) == 12_497_500 * 400_000
    same(np.ones(2) + 1e-8 + 1e-8, back(back(np.ones(2))))
    assert scaled_up.cache_info().misses == back.cache_info().misses == 1


def test_looks_like_the_function():
    f = xlapy.jit(scaled)
    assert f.__name__ == "scaled" and f.__doc__ == "x times k." and f.__wrapped__ is scaled
    assert inspect.signature(f) == inspect.signature(scaled)


class Model:
    bias = 1.0

    def __init__(self, k):
        self.k = k

    @xlapy.jit
    def scale(self, x, *, twice=False):
        return x * self.k * (2 if twice else 1) + self.bias

    @xlapy.jit
    @staticmethod
    def fixed(x):
        return x - 1

    @staticmethod
    @xlapy.jit
    def inner(x):
        return x - 2

    @xlapy.jit
    @classmethod
    def shared(cls, x):
        return x + cls.bias

    def __call__(self, x):
        return x * self.k

    def plain(self, x, s=0.0):
        return x * self.k + s


def test_methods():
    m = Model(3.0)
    np.testing.assert_array_equal(m.scale(X), X * 3 + 1)
    np.testing.assert_array_equal(m.scale(X, twice=True), X * 6 + 1)
    np.testing.assert_array_equal(Model.scale(m, X), X * 3 + 1)
    np.testing.assert_array_equal(Model(4.0).scale(X), X * 4 + 1)
    np.testing.assert_array_equal(m.fixed(X), X - 1)
    np.testing.assert_array_equal(m.inner(X), X - 2)
    np.testing.assert_array_equal(Model.shared(X), X + 1)


def test_bound_method():
    m = Model(3.0)
    f = xlapy.jit(m.plain)
    np.testing.assert_array_equal(f(X), X * 3)
    np.testing.assert_array_equal(f(X, s=1.0), X * 3 + 1)
    m.k = 5.0
    np.testing.assert_array_equal(f(X), X * 5)
    assert "stablehlo" in f.lower(X).as_text()
    with pytest.raises(TypeError):
        f()


def test_callables():
    np.testing.assert_array_equal(xlapy.jit(Model(3.0))(X), X * 3)
    np.testing.assert_array_equal(xlapy.jit(functools.partial(scaled, k=4.0))(X), X * 4)
    np.testing.assert_allclose(xlapy.jit(np.sin)(X), np.sin(X))
    assert xlapy.jit(xlapy.jit(scaled)).__wrapped__ is scaled


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"dtypes": "64bit"}, ValueError),
        ({"returns": "torch"}, ValueError),
        ({"fallback": "yes"}, TypeError),
        ({"static_argnum": 0}, TypeError),
        ({"static_argnums": 2}, ValueError),
        ({"static_argnums": "x"}, TypeError),
        ({"donate_argnames": "y"}, ValueError),
        ({"donate_argnames": 0}, TypeError),
        ({"in_shardings": 3}, TypeError),
        ({"out_shardings": ("d",)}, TypeError),
        ({"in_shardings": (None, None, None)}, ValueError),
    ],
    ids=str,
)
def test_bad_options_raise_at_the_door(options, error):
    with pytest.raises(error):
        xlapy.jit(scaled, **options)


def test_not_callable():
    with pytest.raises(TypeError, match="takes a callable, not a int"):
        xlapy.jit(3)


def test_wrong_calls_raise_as_in_cpython():
    f = xlapy.jit(scaled)
    with pytest.raises(TypeError, match=r"missing 1 required positional argument: 'x'"):
        f()
    with pytest.raises(TypeError, match="takes from 1 to 2 positional arguments but 3 were given"):
        f(X, 1.0, 2.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        f(X, z=1)


def test_dtypes():
    def f(x, n):
        return x * n, np.arange(3)

    wide, narrow = xlapy.jit(f)(X, 2), xlapy.jit(f, dtypes="32bit")(X, 2)
    assert [str(a.dtype) for a in wide] == ["float64", "int64"]
    assert [str(a.dtype) for a in narrow] == ["float32", "int32"]


@pytest.mark.parametrize("options", [{"static_argnums": 1}, {"static_argnames": "n"}, {"static_argnames": ["n"]}])
def test_static_arguments(options):
    def f(x, n):
        return x * n

    jitted = xlapy.jit(f, **options)
    for n in (2, 3, 2):
        np.testing.assert_array_equal(jitted(X, n), X * n)
    assert jitted.cache_info().misses == 2
    assert len(jitted._xlapy_cache.cache.entries[0].sources) == 1


def test_static_array_is_refused():
    with pytest.raises(ValueError, match="x is static, and an array"):
        xlapy.jit(scaled, static_argnames="x")(X)


def test_donated_arguments():
    f = xlapy.jit(lambda a, p: a + p["w"], donate_argnames="p")
    a, w = jnp.ones(3), jnp.ones(3)
    np.testing.assert_array_equal(f(a, {"w": w}), [2, 2, 2])
    assert w.is_deleted() and not a.is_deleted()


def test_options_of_jax():
    f = xlapy.jit(
        scaled,
        device=jax.devices()[0],
        inline=True,
        keep_unused=True,
        compiler_options={"xla_embed_ir_in_executable": False},
    )
    assert f(jnp.asarray(X)).device == jax.devices()[0]
    np.testing.assert_array_equal(f(X), X * 2)


def test_fallback_warns_once_and_names_the_obstacle():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        f = xlapy.jit(uses_compiled_code, fallback=True)
        assert f(X) == f(X) == 3
        assert f(X[:2]) == 2
    mine = [w for w in caught if issubclass(w.category, RuntimeWarning)]
    assert len(mine) == 1
    assert "XP0003" in str(mine[0].message) and mine[0].filename == __file__


def uses_compiled_code(x):
    return len(memoryview(x))


def test_without_fallback_refused():
    with pytest.raises(xlapy.NotOffloadableError) as refusal:
        xlapy.jit(uses_compiled_code)(X)
    assert refusal.value.blockers[0].code == "XP0003"


def test_disable_jit():
    f = xlapy.jit(scaled, returns="jax")
    with xlapy.disable_jit():
        assert type(f(X)) is np.ndarray
        with xlapy.disable_jit():
            assert type(f(X)) is np.ndarray
        assert type(f(X)) is np.ndarray
    assert isinstance(f(X), jax.Array)
    with pytest.raises(ZeroDivisionError), xlapy.disable_jit():
        1 / 0  # noqa: B018
    assert isinstance(f(X), jax.Array)


def test_cache_info_and_clear():
    f = xlapy.jit(scaled)
    f(X)
    f(X)
    f(X[:2])
    assert f.cache_info()[:2] == (1, 2)
    f.cache_clear()
    assert f.cache_info() == (0, 0, None, 0)
    np.testing.assert_array_equal(f(X), X * 2)
    assert f.cache_info().misses == 1


def test_integers_beyond_64_bits():
    f = xlapy.jit(lambda n: n + 1)
    assert f(3) == 4 and int(f(2**70)) == 2**70 + 1 and f(5) == 6
    assert f.cache_info().misses == 2


def test_nested_jit_is_inlined():
    inner = xlapy.jit(scaled)
    model = Model(2.0)

    @xlapy.jit
    def outer(x):
        y = inner(x, k=3.0)
        y[0] = 0.0
        return y + model.scale(x) + bound(x)

    bound = xlapy.jit(model.plain)
    np.testing.assert_array_equal(outer(X), [0 + 3 + 2, 6 + 5 + 4, 9 + 7 + 6])
    assert inner.cache_info().misses == 0


def test_nested_jit_with_other_types_is_refused():
    narrow = xlapy.jit(scaled, dtypes="32bit")
    with pytest.raises(xlapy.NotOffloadableError, match="XP0011"):
        xlapy.jit(lambda x: narrow(x))(X)


def test_result_structures():
    def f(x):
        return {"b": x, "a": [x + 1, (len(x), None)]}, "text", 3

    made = xlapy.jit(f)(X)
    assert list(made[0]) == ["b", "a"] and made[1:] == ("text", 3) and made[0]["a"][1] == (3, None)


def test_functions_that_copy_the_attributes_of_a_compiled_one_are_not_taken_for_it():
    jitted = xlapy.jit(lambda x: (x**2).sum())
    jitted.tag = "mine"

    @functools.wraps(jitted)
    def more(x):
        return jitted(x) + 1

    x = np.array([1.0, 2.0])
    assert more.tag == "mine" and not hasattr(more, "lower")
    assert xlapy.jit(more)(x) == 6.0
    assert xlapy.jit(lambda x: more(x) * 2)(x) == 12.0
    with jax.enable_x64(True):
        np.testing.assert_allclose(xlapy.jit(jax.grad(jitted))(x), [2.0, 4.0])
        np.testing.assert_allclose(jax.jit(jax.grad(jitted)).lower(x).compile()(x), [2.0, 4.0])
    assert xlapy.jit(jitted)(x) == 5.0
