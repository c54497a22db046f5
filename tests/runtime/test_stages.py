"""Ahead of time: lower, compile, explain, print, and targets that are not here."""

import dataclasses
import importlib.util
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

X = np.array([1.0, 2.0, 3.0])
SPEC = jax.ShapeDtypeStruct((3,), np.float64)


def program(x, k=2.0):
    return np.sin(x) * k, len(x)


def test_compiled_is_called_like_the_function():
    compiled = xlapy.jit(program).lower(X).compile()
    value, count = compiled(X)
    np.testing.assert_allclose(value, np.sin(X) * 2)
    assert count == 3
    assert "fusion" in compiled.as_text() or "sine" in compiled.as_text()
    assert compiled.cost_analysis()["flops"] > 0
    assert compiled.memory_analysis() is not None


def test_compiled_refuses_other_arguments():
    compiled = xlapy.jit(program).lower(X).compile()
    for wrong in (X[:2], X.astype(np.float32), jnp.ones(3), [1.0]):
        with pytest.raises(TypeError, match="compiled for other arguments"):
            compiled(wrong)


def test_compiled_writes_back():
    def fill(x):
        x[0] = 7.0
        return x.sum()

    x = X.copy()
    assert xlapy.jit(fill).lower(x).compile()(x) == 12.0
    assert x[0] == 7.0


def test_compiled_raises():
    compiled = xlapy.jit(lambda x, i: x[i]).lower(X, 1).compile()
    assert compiled(X, 2) == 3.0
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 3"):
        compiled(X, 5)


@dataclasses.dataclass
class Layer:
    w: object
    b: object


@dataclasses.dataclass
class Net:
    layers: list
    scale: float


def forward(net, x):
    for layer in net.layers:
        x = jnp.tanh(layer.w @ x + layer.b)
    return x * net.scale


def test_specs_in_containers_and_models():
    layer = Layer(jax.ShapeDtypeStruct((3, 3), np.float32), jax.ShapeDtypeStruct((3,), np.float32))
    x = jax.ShapeDtypeStruct((3,), np.float32)
    net = Net([layer, layer], 2.0)
    assert "dot_general" in xlapy.code_xla(forward, net, x)
    assert "net.layers[0].w: float32[3x3]" in xlapy.jit(forward).explain(net, x)
    assert "matmul" in xlapy.code_typed(forward, net, x) or "dot" in xlapy.code_typed(forward, net, x)
    assert "stablehlo" in xlapy.code_xla(lambda p: p["a"][0] + p["b"], {"a": (SPEC,), "b": SPEC})


def test_compiled_from_specs_takes_arrays():
    compiled = xlapy.jit(lambda x: x * 2).lower(jax.ShapeDtypeStruct((3,), np.float32)).compile()
    np.testing.assert_array_equal(compiled(jnp.ones(3)), [2, 2, 2])


def test_compiled_from_specs_takes_no_numpy_array():
    """It would not be changed: a spec stands for a `jax.Array`."""

    def scale(x):
        x *= 2
        return x.sum()

    x = np.ones(3, np.float32)
    with pytest.raises(TypeError, match="compiled for other arguments"):
        xlapy.jit(scale).lower(jax.ShapeDtypeStruct((3,), np.float32)).compile()(x)
    np.testing.assert_array_equal(x, 1)


def test_code_xla():
    assert "stablehlo.sine" in xlapy.code_xla(program, X)
    assert "HloModule" in xlapy.code_xla(program, X, opt=True)
    assert "stablehlo.sine" in xlapy.code_xla(xlapy.jit(program), X)


def test_code_typed_shows_callees_and_lines():
    def helper(x):
        return x * 3.0

    def caller(x):
        return helper(x) + 1.0

    text = xlapy.code_typed(caller, X)
    assert "float64[3]" in text and "helper" in text


def test_code_typed_before_the_passes():
    def doubled(x):
        y = x.copy()
        y[1:] += x[1:]
        return y

    before, after = xlapy.code_typed(doubled, X, opt=False), xlapy.code_typed(doubled, X)
    assert before.count("store") == 2 and after.count("store") == 1
    assert before.splitlines()[0] == after.splitlines()[0]


def test_explain():
    def f(x, n):
        y = np.zeros(n)
        x[0] = y[n - 1]
        return x[int(x[1])]

    text = xlapy.jit(f).explain(X.copy(), 3)
    assert "offloaded" in text and "static n" in text and "changes x" in text and "may raise IndexError" in text
    assert "assumes that n is 3" in text and "assumes that f.__code__ is the same object as now" in text
    assert "assumes that there is no global int" in text
    assert "XP0003" in xlapy.jit(lambda x: len(memoryview(x))).explain(X)
    assert "raises ZeroDivisionError" in xlapy.jit(lambda x: 1 / 0).explain(X)


def test_operations_of_xla_know_their_lines():
    def halved(x):
        while x.sum() > 1.0:
            x = x / 2.0
        return x

    lowered = xlapy.jit(halved).lower(X.copy())
    first = halved.__code__.co_firstlineno
    assert re.search(rf"/[^/\"]*halved:{first + 2}/div\"", lowered.as_text(debug_info=True))
    assert f"halved:{first + 1}/" in lowered.compile().as_text()


def test_nothing_is_run_or_changed():
    def fill(x):
        x[:] = 0.0

    x = X.copy()
    f = xlapy.jit(fill)
    f.lower(x).compile()
    f.explain(x)
    xlapy.code_typed(f, x)
    np.testing.assert_array_equal(x, X)


def test_refusals_at_every_door():
    def bad(x):
        return len(memoryview(x))

    doors = [xlapy.jit(bad), xlapy.jit(bad).lower]
    doors += [lambda x: xlapy.code_typed(bad, x), lambda x: xlapy.code_xla(bad, x)]
    for door in doors:
        with pytest.raises(xlapy.NotOffloadableError):
            door(X)


# -- targets --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("target", ["abacus", "cpu:2x2", "tpu:v99:2x2", "tpu:v5e:big"])
def test_unknown_targets(target):
    with pytest.raises(ValueError):
        xlapy.jit(program).lower(X).compile(target=target)


def test_cpu_target():
    np.testing.assert_allclose(xlapy.jit(program).lower(X).compile(target="cpu")(X)[0], np.sin(X) * 2)


def test_device_that_is_not_here():
    missing = "gpu" if jax.default_backend() == "cpu" else "tpu"
    with pytest.raises(ValueError, match=f"there is no {missing} here"):
        xlapy.jit(program).lower(X).compile(target=missing)


@pytest.mark.skipif(importlib.util.find_spec("libtpu") is None, reason="libtpu is not installed")
def test_tpu_that_is_not_here(monkeypatch):
    # two processes of one test run may both load the compiler
    monkeypatch.setenv("ALLOW_MULTIPLE_LIBTPU_LOAD", "1")

    def f(a, b, n):
        for _ in range(n):
            a = np.tanh(a @ b)
        return a

    a = np.ones((128, 128), np.float32)
    compiled = xlapy.jit(f, dtypes="32bit").lower(a, a, 10).compile(target="tpu:v5e:2x2")
    text = compiled.as_text()
    assert text.count("while(") == 1 and "T(8,128)" in text
    assert compiled.cost_analysis()["flops"] > 0


# -- files ------------------------------------------------------------------------------------------------------------

SCALE = np.arange(1.0, 4.0)


def saved(x, p, n, k=2.0):
    if n > 5:
        raise ValueError(f"{n} is too much")
    x[0] = 7.0
    return {"sum": x @ SCALE * k, "parts": [p["w"] * n, (int(x.sum()), None)], "masked": x[x > 2.0]}


def test_a_program_in_a_file(tmp_path):
    path = tmp_path / "program.zip"
    w = np.arange(4, dtype=np.float32)
    xlapy.jit(saved).lower(X.copy(), {"w": w}, 3).save(path)
    loaded = xlapy.load(path)
    assert loaded.platforms == ("cpu", "cuda", "tpu") and "stablehlo" in loaded.as_text()
    x, y = X.copy(), X.copy()
    found, expected = loaded(x, {"w": w}, n=4), saved(y, {"w": w}, 4)
    np.testing.assert_array_equal(x, y)
    np.testing.assert_allclose(found["sum"], expected["sum"])
    np.testing.assert_allclose(found["parts"][0], expected["parts"][0])
    assert found["parts"][1] == expected["parts"][1]
    np.testing.assert_array_equal(found["masked"], expected["masked"])
    with pytest.raises(ValueError, match="6 is too much"):
        loaded(x, {"w": w}, 6)
    for wrong in ((x[:2], {"w": w}, 3), (x, {"v": w}, 3), (x, {"w": w}, 3.0), (x, {"w": w}), (x, {"w": w}, 3, 1.0, 2)):
        with pytest.raises(TypeError):
            loaded(*wrong)


def test_a_program_of_32_bits_in_a_file(tmp_path):
    path = tmp_path / "program.zip"
    xlapy.jit(lambda x: np.sin(x), dtypes="32bit").lower(SPEC).save(path, platforms=["cpu"])
    found = xlapy.load(path)(X)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, np.sin(X), rtol=1e-6)


def _add_into(x, y):
    x += y


def test_what_cannot_be_saved(tmp_path):
    class Box:
        def __init__(self, x):
            self.x = x

    def sets(layer, x):
        layer.b = x

    path = tmp_path / "program.zip"
    for function, arguments in ((lambda x: Box(x), (X,)), (sets, (Layer(X, X), X)), (lambda x: print(x), (X,))):
        with pytest.raises(ValueError, match="cannot be saved"):
            xlapy.jit(function).lower(*arguments).save(path)
    shared = np.array([2.0, 3.0, 1.0])
    for function, arguments in ((lambda x: np.zeros(int(x.max())), (shared,)), (_add_into, (shared[:2], shared[1:]))):
        with pytest.raises(ValueError, match="cannot be saved"):
            xlapy.jit(function).lower(*arguments).save(path)
    xlapy.jit(_add_into).lower(shared[:2], shared[1:].copy()).save(path)
    twice = np.lib.stride_tricks.as_strided(shared, (2,), (0,))
    for wrong in ((shared[:2], shared[1:]), (shared[:2],) * 2, (twice, shared[:2].copy())):
        with pytest.raises(TypeError, match="share memory"):
            xlapy.load(path)(*wrong)
    np.testing.assert_array_equal(shared, [2.0, 3.0, 1.0])
    with pytest.raises(ValueError, match="unknown platforms: abacus"):
        xlapy.jit(program).lower(X).save(path, platforms=["abacus"])
    path.write_text("no program")
    with pytest.raises(ValueError, match="no program that xlapy has saved"):
        xlapy.load(path)


def test_traffic():
    def f(x, y, n):
        x += 1.0
        return y * n, float(y.sum())

    jitted = xlapy.jit(f, donate_argnums=1)
    arguments = (np.ones(4, np.float32), jnp.ones(8, jnp.float32), 3)
    moved = jitted.lower(*arguments).traffic()
    assert (moved.host_to_device, moved.resident, moved.donated) == (16 + 8, 32, 32)
    assert (moved.device_to_host, moved.left_on_device) == (16 + 8, 32)
    assert str(moved) in jitted.explain(*arguments)


def test_traffic_of_each_input_and_of_what_is_stored():
    def step(params, layer, x):
        layer.w = layer.w * 2
        layer.b -= 1
        return {name: p - x.sum() for name, p in params.items()}

    def arguments():
        return {"w": jnp.ones(8, jnp.float32)}, Layer(jnp.ones(3, jnp.float32), np.ones(5)), np.ones(4)

    jitted = xlapy.jit(step, donate_argnums=0)
    given = arguments()
    moved = jitted.lower(*given).traffic()
    assert {i.source: (i.bytes, i.how) for i in moved.inputs} == {
        "params['w']": (32, "donated"),
        "layer.w": (12, "resident"),
        "layer.b": (40, "transferred"),
        "x": (32, "transferred"),
    }
    assert (moved.device_to_host, moved.left_on_device) == (40, 12 + 32)
    assert "donates params['w']" in jitted.explain(*given)
    params, layer, x = given
    new = jitted(*given)
    assert params["w"].is_deleted() and not layer.w.is_deleted() and isinstance(layer.w, jax.Array)
    np.testing.assert_array_equal(new["w"], np.full(8, -3.0))


def test_keys_of_random_numbers_are_told_apart_by_their_type():
    def f(key):
        return jax.random.uniform(key, (2,))

    key = jax.random.key(1)
    lowered = xlapy.jit(f).lower(key)
    np.testing.assert_array_equal(lowered.compile()(key), f(key))
    assert lowered.traffic().resident > 0
    with pytest.raises(TypeError, match="compiled for other arguments"):
        lowered.compile()(jnp.ones(2))
