"""JAX's transformations of compiled functions, with and without 64-bit types outside."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import xlapy


@pytest.fixture(params=[False, True], ids=["32", "64"], autouse=True)
def x64(request):
    with jax.enable_x64(request.param), warnings.catch_warnings():
        warnings.simplefilter("error")
        yield request.param


def vector():
    return np.array([0.5, -1.0, 2.0])


def loss(x, w):
    """NumPy code with a loop, a branch, a view that is written, and constants of 64 bits."""
    y = np.zeros(3)
    y[1:] = np.sin(x[:2])
    total = 0.0
    for i in range(3):
        if total > 0.1:
            total = total + y[i] * w[i]
        else:
            total = total + np.sum(x * w) + np.sort(y)[0]
    return total + np.cumsum(y)[-1] + np.max(x * x)


def reference(x, w):
    x, w = jnp.asarray(x), jnp.asarray(w)
    y = jnp.zeros(3, x.dtype).at[1:].set(jnp.sin(x[:2]))
    total = jnp.zeros((), x.dtype)
    for i in range(3):
        total = jnp.where(total > 0.1, total + y[i] * w[i], total + jnp.sum(x * w) + jnp.sort(y)[0])
    return total + jnp.cumsum(y)[-1] + jnp.max(x * x)


TRANSFORMS = {
    "jit": lambda f: jax.jit(f),
    "grad": lambda f: jax.grad(f),
    "grad 1": lambda f: jax.grad(f, argnums=1),
    "value_and_grad": lambda f: jax.value_and_grad(f, argnums=(0, 1)),
    "jit of grad": lambda f: jax.jit(jax.grad(f)),
    "grad of jit": lambda f: jax.grad(jax.jit(f)),
    "hessian": lambda f: jax.hessian(f),
    "jacfwd": lambda f: jax.jacfwd(f),
    "jacrev": lambda f: jax.jacrev(f),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f)),
    "linearize": lambda f: lambda x, w: jax.linearize(f, jnp.asarray(x), jnp.asarray(w))[0],
    "vmap": lambda f: lambda x, w: jax.vmap(f, (0, None))(np.stack([x, 2 * x]), w),
    "vmap of grad": lambda f: lambda x, w: jax.vmap(jax.grad(f), (None, 0))(x, np.stack([w, -w])),
    "grad of vmap": lambda f: jax.grad(lambda x, w: jax.vmap(f, (0, None))(jnp.stack([x, 2 * x]), w).sum()),
    "scan": lambda f: lambda x, w: jax.lax.scan(lambda c, _: (c + f(c, w), None), jnp.asarray(x), None, length=2)[0],
}


@pytest.mark.parametrize("name", TRANSFORMS)
@pytest.mark.parametrize("kind", ["numpy", "jax"])
def test_transformations(name, kind, x64):
    x, w = vector(), np.array([1.0, 2.0, 3.0])
    if kind == "jax":
        x, w = jnp.asarray(x), jnp.asarray(w)
    made = TRANSFORMS[name](xlapy.jit(loss))(x, w)
    expected = TRANSFORMS[name](reference)(x, w)
    for a, b in zip(jax.tree.leaves(made), jax.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype == (np.float64 if x64 else np.float32)
        np.testing.assert_allclose(a, b, rtol=1e-10 if x64 else 1e-5)


def test_pytrees():
    f = xlapy.jit(lambda p, x: {"out": p["w"] * x + p["b"][0], "w": (p["w"],)})
    p, x = {"w": jnp.ones(3), "b": [jnp.zeros(3)]}, vector()
    made = jax.jit(f)(p, x)
    np.testing.assert_allclose(made["out"], x)
    grads = jax.grad(lambda p: f(p, x)["out"].sum())(p)
    assert jax.tree.structure(grads) == jax.tree.structure(p)
    np.testing.assert_allclose(grads["w"], x)


def test_no_compilation_for_a_second_transformation_of_the_same_kind():
    f = xlapy.jit(loss)
    x, w = jnp.asarray(vector()), jnp.ones(3)
    jax.grad(f)(x, w)
    jax.jit(f)(x, w)
    jax.jit(jax.grad(f))(x, w)
    assert f.cache_info().misses == 1
    f(x, w)
    assert f.cache_info().misses == 2


def test_narrow_program_under_a_transformation():
    f = xlapy.jit(lambda x: (np.sin(x) * np.arange(3)).sum(), dtypes="32bit")
    grad = jax.jit(jax.grad(f))(vector())
    np.testing.assert_allclose(grad, np.cos(vector()) * np.arange(3), rtol=1e-5)


def test_numpy_results_are_tracers_inside():
    f = xlapy.jit(lambda x: (x * 2, len(x)), returns="numpy")
    np.testing.assert_allclose(jax.jit(lambda x: f(x)[0])(vector()), vector() * 2)


# -- errors ---------------------------------------------------------------------------------------------------------


def checked(x, n):
    """Raises for a negative sum."""
    if np.sum(x) < 0:
        raise ValueError("negative:", n)
    return np.sum(x * x)


def test_error_tag_known():
    f = xlapy.jit(checked)
    np.testing.assert_allclose(jax.grad(f)(vector(), 3), 2 * vector())
    with pytest.raises(ValueError, match="negative"):
        jax.grad(f)(-vector(), 3)


@pytest.mark.parametrize(
    "transform",
    [jax.jit, lambda f: jax.jit(jax.grad(f)), lambda f: jax.jit(lambda x, n: jax.vmap(f, (0, None))(x[None], n))],
    ids=["jit", "jit of grad", "jit of vmap"],
)
def test_error_inside_jit_is_never_dropped(transform):
    f = transform(xlapy.jit(checked))
    jax.block_until_ready(f(vector(), 3))
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"ValueError: .*negative"):
        jax.block_until_ready(f(-vector(), 3))


def test_error_under_vmap():
    f = jax.vmap(xlapy.jit(checked), (0, None))
    f(np.stack([vector(), vector()]), 3)
    with pytest.raises((ValueError, jax.errors.JaxRuntimeError), match="negative"):
        jax.block_until_ready(f(np.stack([vector(), -vector()]), 3))


def test_certain_error():
    def f(x):
        raise KeyError(x.shape[0])

    with pytest.raises(KeyError, match="3"):
        jax.jit(xlapy.jit(f))(vector())


# -- effects --------------------------------------------------------------------------------------------------------


class Box:
    count = 0


def test_effects_are_refused():
    box = Box()

    def f(x):
        box.count = box.count + 1
        return x.sum()

    jitted = xlapy.jit(f)
    with pytest.raises(xlapy.NotOffloadableError) as refusal:
        jax.grad(jitted)(vector())
    (blocker,) = refusal.value.blockers
    assert blocker.code == "XP0015" and blocker.line == f.__code__.co_firstlineno and box.count == 0
    jitted(vector())
    assert box.count == 1


def test_choice_of_structure_is_refused():
    def f(x):
        return (x, x) if x.sum() > 0 else [x]

    with pytest.raises(xlapy.NotOffloadableError, match="XP0015"):
        jax.jit(xlapy.jit(f))(vector())


def test_known_operands_inside_a_transformation_run_at_once():
    def f(u):
        u[0] = 9.0
        return u.sum()

    u = vector()
    jitted = xlapy.jit(f)

    def outer(z):
        total = jitted(u)
        assert float(u[0]) == 9.0
        return z * jnp.asarray(total, z.dtype)

    assert jax.jit(outer)(jnp.asarray(2.0)) == 20.0
    np.testing.assert_array_equal(u, [9.0, -1.0, 2.0])


def test_closed_over_tracer():
    def outer(z):
        return xlapy.jit(lambda x: x * z)(jnp.ones(3)).sum()

    assert jax.grad(outer)(2.0) == 3.0
    assert jax.jit(outer)(2.0) == 6.0
