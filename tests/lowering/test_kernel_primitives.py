"""Kernels are what they are made of: for XLA on each platform, for derivatives, for batches."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import export

import xlapy
from xlapy.ir.called_jaxprs import called, called_on_cpu, inner_jaxprs, is_kernel
from xlapy.lowering.jaxprs.jaxpr_dce import needed
from xlapy.lowering.jaxprs.kernel_primitives import Kernel, elementwise
from xlapy.lowering.primitives import floor_division, searches

pytestmark = pytest.mark.usefixtures("wide")

TWICE = Kernel("twice", lambda x, k: x + k * x, lambda x, k: (1 + k) * x)
SUM = Kernel("sum", lambda x, y: jnp.sin(x) * y, batch=elementwise(lambda: SUM))
AGAIN = Kernel("again", lambda x, y: x + 0 * y.sum(), given=1)
SPLIT = Kernel("split", lambda n, x: (n + 1, x * n))


@pytest.fixture
def wide():
    with jax.enable_x64(True):
        yield


def equation_of(function, *operands):
    (equation,) = jax.make_jaxpr(function)(*operands).eqns
    return equation


def test_an_equation_holds_what_is_computed():
    equation = equation_of(lambda x: TWICE(x, k=3), jnp.ones(2))
    assert equation.primitive is TWICE.primitive and equation.params["k"] == 3 and is_kernel(equation)
    assert len(inner_jaxprs(equation)) == 2 and called(equation) is None
    assert called_on_cpu(equation) is equation.params["jaxpr"]
    one = equation_of(lambda x: SUM(x, x), jnp.ones(2))
    assert called(one) is called_on_cpu(one) is one.params["jaxpr"] is not None


def test_the_same_call_is_the_same_jaxpr():
    first, second = (equation_of(lambda x: TWICE(x, k=2), jnp.ones(2)) for _ in range(2))
    assert first.params["jaxpr"] is second.params["jaxpr"]
    assert first.params["jaxpr"] is not equation_of(lambda x: TWICE(x, k=2), jnp.ones(3)).params["jaxpr"]


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit, lambda f: lambda x: jax.vmap(f)(x[None])[0]])
def test_values(transform):
    x = jnp.arange(3.0)
    np.testing.assert_array_equal(transform(lambda x: TWICE(x, k=3)[0])(x), 4 * x)
    np.testing.assert_array_equal(transform(lambda x: AGAIN(x, x)[0])(x), x)


def test_derivatives():
    x = jnp.arange(1.0, 4.0)
    np.testing.assert_array_equal(jax.grad(lambda x: TWICE(x, k=3)[0].sum())(x), [4, 4, 4])
    np.testing.assert_array_equal(jax.grad(lambda x: SPLIT(jnp.arange(3), x)[1].sum())(x), [0, 1, 2])
    primals = (jnp.arange(3), x)
    _, changes = jax.jvp(lambda n, x: SPLIT(n, x), primals, (np.zeros(3, jax.dtypes.float0), x))
    assert changes[0].dtype == jax.dtypes.float0
    np.testing.assert_array_equal(changes[1], [0, 2, 6])


@pytest.mark.parametrize("dims", [(0, None), (None, 0), (0, 0), (1, 0)])
def test_batches_of_elements_are_the_kernel(dims):
    operands = [jnp.arange(9.0).reshape(3, 3) if k is not None else jnp.arange(3.0) for k in dims]
    mapped = jax.vmap(lambda x, y: SUM(x, y)[0], dims)
    assert SUM.primitive.name in str(jax.make_jaxpr(mapped)(*operands))
    np.testing.assert_array_equal(mapped(*operands), jax.vmap(lambda x, y: jnp.sin(x) * y, dims)(*operands))


@pytest.mark.parametrize("dims", [(0, None), (None, 0), (0, 0), (1, 0)])
def test_batches_of_given_results(dims):
    operands = [jnp.arange(9.0).reshape(3, 3) if k is not None else jnp.arange(3.0) for k in dims]
    mapped = jax.vmap(lambda x, y: AGAIN(x, y)[0], dims)
    jaxpr = jax.make_jaxpr(mapped)(*operands).jaxpr
    np.testing.assert_array_equal(mapped(*operands), jax.vmap(lambda x, y: x, dims)(*operands))
    equations, wanted = needed(jaxpr)
    assert AGAIN.primitive in [e.primitive for e in equations] and jaxpr.invars[1] not in wanted


def test_other_platforms_have_their_own_form():
    x = jax.ShapeDtypeStruct((3,), np.float64)
    whole = jax.jit(lambda x: TWICE(x, k=3)[0])
    assert "stablehlo.add" in export.export(whole, platforms=["cpu"])(x).mlir_module()
    assert "stablehlo.add" not in export.export(whole, platforms=["cuda"])(x).mlir_module()
    both = export.export(whole, platforms=["cpu", "tpu"])(x)
    np.testing.assert_array_equal(both.call(jnp.ones(3)), [4, 4, 4])


def test_floor_divisions_of_numbers_and_arrays():
    x, y = jnp.arange(-4, 4), jnp.asarray(3)
    np.testing.assert_array_equal(floor_division.floor_divide(x, y), np.arange(-4, 4) // 3)
    np.testing.assert_array_equal(jax.vmap(floor_division.remainder, (0, None))(x, y), np.arange(-4, 4) % 3)


def test_many_keys_in_one_vector_are_one_search():
    a, v = jnp.arange(5.0), jnp.asarray([[0.5, 7.0], [-1.0, 2.0]])
    mapped = jax.vmap(lambda a, v: searches.places(a, v, "left"), (None, 1))
    assert searches.PLACES.primitive.name in str(jax.make_jaxpr(mapped)(a, v))
    np.testing.assert_array_equal(mapped(a, v), np.searchsorted(a, v.T))
    np.testing.assert_array_equal(jax.vmap(lambda a: searches.places(a, v, "left"))(a[None])[0], np.searchsorted(a, v))


def test_derivatives_of_extremes_inside_of_a_program():
    x = np.random.default_rng(3).normal(size=2000)
    got = xlapy.jit(lambda x: jax.value_and_grad(lambda x: np.max(x) + np.max(x * x))(x))(x)
    expected = np.zeros(2000)
    expected[np.argmax(x)] += 1
    expected[np.argmax(x * x)] += 2 * x[np.argmax(x * x)]
    np.testing.assert_allclose(got[0], x.max() + (x * x).max())
    np.testing.assert_allclose(got[1], expected)
