"""`xlapy.grad` and its relatives over containers and objects, outside and inside, with both policies of types."""

import dataclasses
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy

X = np.array([1.1, 0.5, 1.9])


class Pair(NamedTuple):
    first: object
    second: object


@dataclasses.dataclass
class Settings:
    w: np.ndarray
    rate: float = 0.5
    name: str = "plain"


class Layer:
    """A model in plain Python, with state that changes when it is called."""

    def __init__(self):
        self.w = np.array([1.0, 2.0, 3.0])
        self.b = np.float64(0.25)
        self.mean = np.zeros(3)
        self.calls = 0
        self.history = []
        self.parts = [np.ones(2), {"deep": np.full(2, 0.5)}]

    def __call__(self, x):
        self.calls += 1
        self.mean = 0.9 * self.mean + 0.1 * x
        self.history.append(np.sum(x))
        return np.sum(np.tanh(self.w * x)) + self.b + (self.parts[0] * self.parts[1]["deep"] ** 2).sum()


@pytest.fixture(params=["numpy", "32bit"])
def compiled(request):
    """How a function is compiled, and the tolerance that goes with it."""
    return lambda f: xlapy.jit(f, dtypes=request.param), 1e-6 if request.param == "numpy" else 1e-3


def differences(function, x, step):
    """The gradient of `function` at an array or a number, by central differences in float64."""
    x = np.array(x, np.float64)
    found = np.zeros(x.shape)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i] += step
        down[i] -= step
        found[i] = (function(up) - function(down)) / (2 * step)
    return found


def by_leaf(function, tree):
    """The gradient with respect to each floating-point leaf of a tree, by central differences."""
    leaves, structure = jax.tree.flatten(tree)

    def one(i):
        if not np.issubdtype(np.asarray(leaves[i]).dtype, np.floating):
            return None
        return differences(
            lambda v: function(jax.tree.unflatten(structure, [*leaves[:i], v, *leaves[i + 1 :]])), leaves[i], 1e-6
        )

    return [one(i) for i in range(len(leaves))]


def agree(found, expected, rtol):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.asarray(a, np.float64), b, rtol=rtol, atol=rtol)


TREES = {
    "dict": ({"w": [X, np.ones((2, 2))], "b": 2.0}, lambda p: np.sum(p["w"][0] * p["b"] ** 2) + (p["w"][1] ** 3).sum()),
    "named tuple": (Pair(X, X * 2), lambda p: np.sum(np.sin(p.first) * p.second)),
    "nested tuples": ((X, (X[:2], [1.5])), lambda p: p[0].prod() * p[1][0].sum() ** p[1][1][0]),
    "numbers": ([np.float64(0.3), 0.7], lambda p: np.exp(p[0] * p[1]) / p[1]),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("inside", [False, True])
def test_containers(name, inside, compiled):
    tree, function = TREES[name]
    jit, rtol = compiled
    gradient = jit(lambda p: xlapy.grad(function)(p)) if inside else jit(xlapy.grad(function))
    found = gradient(tree)
    assert jax.tree.structure(found) == jax.tree.structure(tree)
    agree(jax.tree.leaves(found), by_leaf(function, tree), rtol)


def test_what_is_no_floating_point_number_has_no_gradient():
    found = xlapy.grad(lambda p: p["x"] ** 2 * p["n"] if p["train"] else 0.0)(
        {"x": 3.0, "n": 2, "train": True, "a": "b"}
    )
    assert found == {"x": 12.0, "n": None, "train": None, "a": None}


@pytest.mark.parametrize("argnums", [0, 1, -1, (0, 2), (1,)])
def test_argnums_and_keywords(argnums, compiled):
    jit, rtol = compiled

    def f(a, b, c, *, scale=1.0):
        return np.sum(a * b**2) * c * scale

    def g(a, b, c, *, scale=1.0):
        return jnp.sum(a * b**2) * c * scale

    found = jit(lambda *args: xlapy.value_and_grad(f, argnums)(*args, scale=3.0))(X, X + 1, 2.0)
    with jax.enable_x64(True):
        expected = jax.value_and_grad(g, argnums)(jnp.asarray(X), jnp.asarray(X + 1), 2.0, scale=3.0)
    agree(jax.tree.leaves(found), jax.tree.leaves(expected), rtol)
    assert jax.tree.structure(found) == jax.tree.structure(expected)


def test_wrong_argnums_are_the_error_of_jax():
    with pytest.raises(TypeError, match="requires at least 4 positional arguments"):
        xlapy.grad(lambda x: x.sum(), argnums=3)(X)


@pytest.mark.parametrize("argument", [3, True, np.arange(3), "text", None])
def test_an_argument_without_floating_point_numbers_is_a_type_error(argument):
    with pytest.raises(TypeError):
        xlapy.grad(lambda v: np.sum(v) * 1.0)(argument)


def test_a_result_that_is_no_number_is_the_error_of_jax():
    for function in (lambda x: [x.sum()], lambda x: (x.sum(),), lambda x: x, lambda x: None):
        with pytest.raises(TypeError, match="Gradient only defined for scalar-output functions"):
            xlapy.grad(function)(np.ones(2))


def test_auxiliary_data_may_be_anything():
    layer = Layer()

    def f(x):
        return np.sum(x**2), {"double": x * 2, "count": 3, "text": "a", "none": None, "layer": layer}

    (value, aux), gradient = xlapy.value_and_grad(f, has_aux=True)(X)
    np.testing.assert_allclose(value, np.sum(X**2))
    np.testing.assert_allclose(gradient, 2 * X)
    np.testing.assert_allclose(aux["double"], 2 * X)
    assert aux["count"] == 3 and aux["text"] == "a" and aux["none"] is None and aux["layer"] is layer
    gradient, aux = xlapy.grad(lambda x: (np.sum(x), [1]), has_aux=True)(X)
    assert aux == [1] and gradient.tolist() == [1.0, 1.0, 1.0]
    for transform in (xlapy.jacfwd, xlapy.jacrev):
        made, aux = transform(lambda x: (x**2, "aux"), has_aux=True)(X)
        np.testing.assert_allclose(made, np.diag(2 * X))
        assert aux == "aux"


def test_a_dataclass():
    found = xlapy.grad(lambda s: np.sum(s.w**2) * s.rate)(Settings(X))
    assert type(found) is Settings and found.name is None
    np.testing.assert_allclose(found.w, X)
    np.testing.assert_allclose(found.rate, np.sum(X**2))


@pytest.mark.parametrize("inside", [False, True])
def test_a_plain_object(inside, compiled):
    jit, rtol = compiled
    gradient = jit(lambda m, x: xlapy.grad(lambda m: m(x))(m)) if inside else jit(xlapy.grad(lambda m, x: m(x)))
    layer = Layer()
    found = gradient(layer, X)
    assert type(found) is Layer and found.calls is None
    agree([found.w, found.b], [X / np.cosh(np.array([1.0, 2.0, 3.0]) * X) ** 2, 1.0], rtol)
    agree([found.parts[0], found.parts[1]["deep"], found.mean], [np.full(2, 0.25), np.ones(2), np.zeros(3)], rtol)
    # the call was made once, with everything that it changes
    assert layer.calls == 1 and len(layer.history) == 1 and layer.b == 0.25 and type(layer.b) is np.float64
    np.testing.assert_allclose(layer.mean, 0.1 * X, rtol=rtol)
    np.testing.assert_array_equal(layer.w, [1.0, 2.0, 3.0])


def test_a_plain_object_trains_in_place_in_a_loop():
    def train(layer, samples, epochs):
        losses = []
        for _ in range(epochs):
            for x in samples:
                value, gradient = xlapy.value_and_grad(lambda m, x=x: (m(x) - 1.0) ** 2)(layer)
                layer.w -= 0.01 * gradient.w
                layer.b -= 0.01 * gradient.b
                losses.append(value)
        return losses

    def by_hand(layer, samples, epochs):
        losses = []
        for _ in range(epochs):
            for x in samples:
                out = layer(x) - 1.0
                losses.append(out**2)
                layer.b -= 0.02 * out
                layer.w -= 0.02 * out * x / np.cosh(layer.w * x) ** 2
        return losses

    samples = np.random.default_rng(0).random((5, 3))
    one, two = Layer(), Layer()
    found, expected = xlapy.jit(train)(one, samples, 3), by_hand(two, samples, 3)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for name in ("w", "b", "mean", "calls", "history"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=1e-12)
        assert type(getattr(one, name)) is type(getattr(two, name)), name


def test_an_array_that_an_object_holds_twice_has_one_gradient():
    layer = Layer()
    layer.tied = layer.w
    found = xlapy.grad(lambda m: np.sum(m.w * m.tied))(layer)
    np.testing.assert_allclose(found.w, 2 * layer.w)
    assert found.w is found.tied


def test_arrays_of_an_object_that_share_memory_in_parts_are_refused():
    layer = Layer()

    @xlapy.jit
    def f(m):
        m.view = m.w[1:]
        return xlapy.grad(lambda m: np.sum(m.w) * np.sum(m.view))(m).w

    with pytest.raises(xlapy.NotOffloadableError, match="share memory"):
        f(layer)


def test_an_equinox_model_is_differentiated_as_by_filter_grad():
    class Model(eqx.Module):
        mlp: eqx.nn.MLP
        dropout: eqx.nn.Dropout
        scale: float

        def __call__(self, x):
            return jnp.sum(self.dropout(self.mlp(x), inference=True)) * self.scale

    model = Model(eqx.nn.MLP(3, 2, 4, 2, key=jax.random.key(0)), eqx.nn.Dropout(0.5), 3.0)
    x = jnp.asarray(X, jnp.float32)
    expected = eqx.filter_grad(lambda m, x: m(x))(model, x)
    for gradient in (
        xlapy.grad(lambda m, x: m(x)),
        xlapy.jit(lambda m, x: xlapy.grad(lambda m: m(x))(m)),
        xlapy.jit(lambda m, x: eqx.filter_grad(lambda m, x: m(x))(m, x)),
    ):
        found = gradient(model, x)
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        agree(jax.tree.leaves(found), jax.tree.leaves(expected), 1e-5)


# -- more transformations ----------------------------------------------------------------------------------------------


def test_vjp(compiled):
    jit, rtol = compiled

    def f(p, x):
        return {"out": p["w"] * np.sin(x), "count": 3}

    value, pull = xlapy.vjp(f, {"w": X, "n": 1}, X + 1)
    assert value["count"] == 3
    np.testing.assert_allclose(value["out"], X * np.sin(X + 1))
    for cotangent in (np.ones(3), X):  # the pullback may be called again
        first, second = pull({"out": cotangent, "count": None})
        np.testing.assert_allclose(first["w"], cotangent * np.sin(X + 1))
        assert first["n"] is None
        np.testing.assert_allclose(second, cotangent * X * np.cos(X + 1))
    with pytest.raises(TypeError, match="structure"):
        pull({"other": X})
    with pytest.raises(ValueError, match="shapes"):
        pull({"out": X[:2], "count": None})

    @jit
    def inside(x, cotangent):
        y, pull = xlapy.vjp(lambda v: v**2 * np.sum(v), x)
        return y, pull(cotangent)[0], pull(2 * cotangent)[0]

    y, one, two = inside(X, X + 1)
    agree([y, two], [X**2 * X.sum(), 2 * np.asarray(one)], rtol)
    agree([one], [2 * X * X.sum() * (X + 1) + np.sum(X**2 * (X + 1))], rtol)


def test_vjp_and_linearize_with_auxiliary_data():
    value, pull, aux = xlapy.vjp(lambda x: (x**2, "aux"), X, has_aux=True)
    np.testing.assert_allclose(value, X**2)
    np.testing.assert_allclose(pull(X)[0], 2 * X**2)
    assert aux == "aux"
    value, push = xlapy.linearize(np.sin, X)
    np.testing.assert_allclose(push(X), np.cos(X) * X)
    np.testing.assert_allclose(value, np.sin(X))


def test_the_pullback_of_a_program_can_be_returned():
    @xlapy.jit
    def forward(x):
        return xlapy.vjp(lambda v: np.exp(v), x)

    value, pull = forward(X)
    np.testing.assert_allclose(pull(np.ones(3))[0], value)


def test_jvp():
    value, tangent, aux = xlapy.jvp(
        lambda p, n: ((p["a"] * p["b"], n), "aux"), ({"a": X, "b": 2.0}, 3), ({"a": X, "b": 1.0}, 0), has_aux=True
    )
    np.testing.assert_allclose(value[0], 2 * X)
    np.testing.assert_allclose(tangent[0], 3 * X)
    assert value[1] == 3 and tangent[1] is None and aux == "aux"
    with pytest.raises(ValueError, match="shapes"):
        xlapy.jvp(lambda x: x, (X,), (X[:2],))


def test_jacobians_and_hessians_of_structures(compiled):
    jit, rtol = compiled

    def f(p):
        return {"o": p["a"] * p["b"], "s": np.sum(p["a"] ** 2)}

    def g(p):
        return {"o": p["a"] * p["b"], "s": jnp.sum(p["a"] ** 2)}

    def h(p):
        return (p["a"] ** 2).sum() * p["b"] ** 3

    p = {"a": X, "b": np.float64(2.0)}
    with jax.enable_x64(True):
        q = jax.tree.map(jnp.asarray, p)
        for ours, theirs, function, hand in (
            (xlapy.jacfwd, jax.jacfwd, f, g),
            (xlapy.jacrev, jax.jacrev, f, g),
            (xlapy.hessian, jax.hessian, h, h),
        ):
            expected = theirs(hand)(q)
            found = jit(ours(function))(p)
            assert jax.tree.structure(found) == jax.tree.structure(expected)
            agree(jax.tree.leaves(found), jax.tree.leaves(expected), rtol)


def test_nesting(compiled):
    jit, rtol = compiled

    @jit
    def second(x):
        return xlapy.grad(lambda v: np.sum(xlapy.grad(lambda u: np.sum(u**3))(v) * v))(x)

    agree([second(X)], [9 * X**2], rtol)

    @jit
    def mixed(x):
        return xlapy.jvp(xlapy.grad(lambda u: np.sum(np.sin(u) ** 2)), (x,), (x,))[1]

    agree([mixed(X)], [2 * np.cos(2 * X) * X], rtol)
    agree([jit(lambda x: xlapy.vmap(xlapy.grad(lambda u: u**3))(x))(X)], [3 * X**2], rtol)
    agree([jit(lambda x: xlapy.grad(lambda v: xlapy.vmap(lambda u: u**3)(v).sum())(x))(X)], [3 * X**2], rtol)


def test_vmap():
    found = xlapy.vmap(lambda d, k: {"a": d["a"] * k, "s": "text"}, in_axes=({"a": 0, "b": None}, None))(
        {"a": X, "b": 1.0}, 2
    )
    np.testing.assert_allclose(found["a"], 2 * X)
    assert found["s"] == "text"
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(xlapy.vmap(np.sum, in_axes=-1)(a), a.sum(0))
    one, two = xlapy.vmap(lambda v: (v * 2, v.sum()), out_axes=(1, 0))(a)
    np.testing.assert_allclose(one, 2 * a.T)
    np.testing.assert_allclose(two, a.sum(1))
    np.testing.assert_allclose(xlapy.vmap(lambda v, *, k: v * k)(X, k=X), X**2)
    with pytest.raises(ValueError, match="tree prefix"):
        xlapy.vmap(lambda v: v, in_axes=((0, 0),))(X)


def test_checkpoint():
    def f(x):
        return np.sum(xlapy.checkpoint(lambda u: np.sin(u) * u)(x))

    np.testing.assert_allclose(xlapy.grad(f)(X), np.cos(X) * X + np.sin(X))


# -- what the function does besides ------------------------------------------------------------------------------------


def test_exceptions():
    def depends(x):
        if x.sum() > 0:
            raise ValueError(f"the sum is {x.sum():.2f}")
        return x.sum()

    def certain(x):
        raise KeyError(f"{x[0]:.1f}")

    def lane(v):
        if v > 1.0:
            raise OverflowError(f"too large: {v:.2f}")
        return 2 * v

    for transform in (xlapy.grad, xlapy.value_and_grad, xlapy.jacfwd, xlapy.jacrev, xlapy.hessian, xlapy.checkpoint):
        with pytest.raises(ValueError, match="the sum is 3.50"):
            transform(depends)(X)
        with pytest.raises(KeyError, match=r"1\.1"):
            transform(certain)(X)
    for transform in (xlapy.vjp, xlapy.linearize):
        with pytest.raises(ValueError, match="the sum is 3.50"):
            transform(depends, X)
    np.testing.assert_allclose(xlapy.grad(depends)(-X), np.ones(3))
    with pytest.raises(OverflowError, match=r"too large: 1\.10"):
        xlapy.vmap(lane)(X)
    np.testing.assert_allclose(xlapy.vmap(lane)(X - 1), 2 * (X - 1))


def test_exceptions_are_caught_around_a_gradient():
    def depends(x):
        if x.sum() > 0:
            raise ValueError("positive")
        return x.sum()

    @xlapy.jit
    def safe(x):
        try:
            return xlapy.grad(depends)(x)
        except ValueError:
            return x * 0.0

    np.testing.assert_array_equal(safe(X), np.zeros(3))
    np.testing.assert_array_equal(safe(-X), np.ones(3))


def test_effects_happen_once():
    seen, y = [], np.ones(3)

    def f(x, y):
        seen.append(x.sum())
        y += x
        x[0] = x[1] * 2.0  # the differentiated array is a copy
        return (x**2).sum() + y.sum()

    x = X.copy()
    np.testing.assert_allclose(xlapy.grad(f)(x, y), [1.0, 10 * X[1] + 1.0, 2 * X[2] + 1.0])
    np.testing.assert_array_equal(x, X)
    np.testing.assert_allclose(y, 1.0 + X)
    np.testing.assert_allclose(seen, [X.sum()])


def test_effects_under_vmap_are_refused():
    seen = []
    with pytest.raises(xlapy.NotOffloadableError, match="changes something outside itself"):
        xlapy.vmap(lambda v: (seen.append(v), v)[1])(X)
    for held in ([0.0], {}, np.zeros(1), [np.zeros(1)]):

        def change(v, held):
            held[0] = 1.0

        with pytest.raises(xlapy.NotOffloadableError, match="changes something outside itself"):
            xlapy.vmap(change, in_axes=(0, None))(X, held)
    np.testing.assert_array_equal(xlapy.vmap(lambda v, held: v * held["k"][0], (0, None))(X, {"k": [2.0]}), X * 2)


# -- JAX's own ---------------------------------------------------------------------------------------------------------


def loss(w, x):
    return jnp.sum(jnp.tanh(w * x) ** 2)


JAX = {
    "grad": lambda w, x: jax.grad(loss)(w, x),
    "argnums": lambda w, x: jax.grad(loss, argnums=(0, 1))(w, x),
    "value_and_grad": lambda w, x: jax.value_and_grad(loss)(w, x=x),
    "has_aux": lambda w, x: jax.value_and_grad(lambda w: (loss(w, x), {"w": w, "n": 3}), has_aux=True)(w),
    "jacfwd": lambda w, x: jax.jacfwd(lambda w: jnp.outer(w, x))(w),
    "jacrev": lambda w, x: jax.jacrev(lambda w: {"a": w * x, "b": w})(w),
    "jacobian": lambda w, x: jax.jacobian(lambda w: w * x)(w),
    "hessian": lambda w, x: jax.hessian(loss)(w, x),
    "vmap": lambda w, x: jax.vmap(loss, in_axes=(0, None), out_axes=0)(w, x),
    "axis name": lambda w, x: jax.vmap(lambda v: v - jax.lax.pmean(v, "i"), axis_name="i")(w),
    "vmap of grad": lambda w, x: jax.vmap(jax.grad(loss))(w, x),
    "jvp": lambda w, x: jax.jvp(loss, (w, x), (x, w)),
    "vjp": lambda w, x: (lambda y, pull: (y, pull(y)))(*jax.vjp(lambda w: jnp.sin(w) * x, w)),
    "vjp aux": lambda w, x: (lambda y, pull, aux: (y, pull(y), aux))(*jax.vjp(lambda w: (w * x, w), w, has_aux=True)),
    "linearize": lambda w, x: (lambda y, push: (y, push(x)))(*jax.linearize(jnp.sin, w)),
    "checkpoint": lambda w, x: jax.grad(jax.checkpoint(loss))(w, x),
    "remat policy": lambda w, x: jax.grad(jax.remat(loss, policy=jax.checkpoint_policies.dots_saveable))(w, x),
    "jit": lambda w, x: jax.grad(jax.jit(loss))(w, x),
    "of a tree": lambda w, x: jax.grad(lambda p: loss(p["w"], p["x"][0]))({"w": w, "x": (x,)}),
    "stop_gradient": lambda w, x: jax.grad(lambda w: loss(jax.lax.stop_gradient(w), w))(w),
}


@pytest.mark.parametrize("name", JAX)
@pytest.mark.parametrize("x64", [False, True])
def test_transformations_of_jax_mean_the_same(name, x64):
    with jax.enable_x64(x64):
        w, x = jnp.asarray(X), jnp.asarray(X + 1)
        expected, found = JAX[name](w, x), xlapy.jit(JAX[name])(w, x)
        assert jax.tree.structure(found) == jax.tree.structure(expected)
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
            b = jnp.asarray(b)
            assert a.dtype == b.dtype
            np.testing.assert_allclose(a, b, rtol=1e-12 if x64 else 1e-5, atol=1e-6)


def test_jax_does_not_take_objects_apart():
    for argument in (Layer(), {"x": 2.0, "s": "text"}):
        with pytest.raises(TypeError, match="is not a valid JAX type"):
            xlapy.jit(lambda p: jax.grad(lambda p: 1.0)(p))(argument)


def test_custom_derivatives_are_respected():
    @jax.custom_vjp
    def reverse(x):
        return jnp.sin(x)

    reverse.defvjp(lambda x: (jnp.sin(x), x), lambda x, g: (g * 100.0 * x,))

    @jax.custom_jvp
    def forward(x):
        return jnp.sin(x)

    forward.defjvp(lambda p, t: (jnp.sin(p[0]), t[0] * 50.0))
    np.testing.assert_allclose(xlapy.grad(lambda x: np.sum(reverse(x)))(X), 100.0 * X, rtol=1e-6)
    np.testing.assert_allclose(xlapy.grad(lambda x: np.sum(forward(x)))(X), np.full(3, 50.0))
    np.testing.assert_allclose(
        xlapy.jit(lambda x: jax.grad(lambda x: reverse(x).sum())(x))(jnp.asarray(X)), 100.0 * X, rtol=1e-6
    )


def test_a_result_of_one_kind_or_another():
    def f(x):
        s = 0.0
        if x[0] > 1.0:
            s = x[1] ** 2
        return s

    np.testing.assert_array_equal(xlapy.grad(f)(np.array([2.0, 3.0])), [0.0, 6.0])
    np.testing.assert_array_equal(xlapy.jacrev(f)(np.array([0.0, 3.0])), [0.0, 0.0])
    assert xlapy.jit(lambda x, c: xlapy.grad(lambda v: v**2)(x if c else np.float64(2.0)))(3.0, True) == 6.0
