"""Gradients of Flax NNX models, and their training in a program."""

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

import xlapy

nnx = pytest.importorskip("flax.nnx")

X = jnp.asarray(np.random.default_rng(0).random((8, 3)), jnp.float32)


class Net(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(3, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.last = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x):
        return self.last(nnx.relu(self.norm(self.first(x))))


def loss(model):
    return jnp.mean((model(X) - 1.0) ** 2)


@pytest.mark.parametrize("inside", [False, True])
def test_the_gradient_is_that_of_flax(inside):
    one, two = Net(nnx.Rngs(0)), Net(nnx.Rngs(0))
    gradient = xlapy.jit(lambda m: xlapy.grad(loss)(m)) if inside else xlapy.grad(loss)
    found, expected = gradient(one), nnx.grad(loss)(two)
    assert type(found) is Net
    for layer in ("first", "norm", "last"):
        for name, variable in vars(getattr(one, layer)).items():
            if isinstance(variable, nnx.Param):
                a, b = getattr(found, layer).__dict__[name], expected[layer][name]
                np.testing.assert_allclose(a.get_value(), b.get_value(), rtol=1e-4, atol=1e-6)
    # the statistics of the batch have moved, as Flax would have moved them
    np.testing.assert_allclose(one.norm.mean.get_value(), two.norm.mean.get_value(), rtol=1e-5)
    np.testing.assert_allclose(one.norm.var.get_value(), two.norm.var.get_value(), rtol=1e-5)


def test_training_in_a_loop():
    def train(model, steps):
        history = []
        for _ in range(steps):
            value, gradient = xlapy.value_and_grad(loss)(model)
            for layer, slopes in ((model.first, gradient.first), (model.last, gradient.last)):
                layer.kernel.set_value(layer.kernel.get_value() - 0.1 * slopes.kernel.get_value())
                layer.bias.set_value(layer.bias.get_value() - 0.1 * slopes.bias.get_value())
            history.append(value)
        return history

    model = Net(nnx.Rngs(0))
    history = xlapy.jit(train)(model, 40)
    assert len(history) == 40 and float(history[-1]) < 0.2 * float(history[0])
    assert isinstance(model.first.kernel.get_value(), jax.Array)


def test_training_with_an_optimiser_until_it_gets_no_better():
    """`nnx.Optimizer` and a loop that data ends, as one program, against the same steps by Flax."""

    def train(model, optimizer, steps):
        best, waited, count = jnp.inf, 0, 0
        while count < steps:
            value, gradient = xlapy.value_and_grad(loss)(model)
            optimizer.update(model, gradient)
            count += 1
            if value < best:
                best, waited = value, 0
            else:
                waited += 1
            if waited > 2:
                break
        return best, count

    model, other = Net(nnx.Rngs(0)), Net(nnx.Rngs(0))
    optimizer, theirs = (nnx.Optimizer(m, optax.sgd(0.05, momentum=0.9), wrt=nnx.Param) for m in (model, other))
    best, count = xlapy.jit(train)(model, optimizer, 4)
    for _ in range(4):
        value, gradient = nnx.value_and_grad(loss)(other)
        theirs.update(other, gradient)
    assert count == 4 == optimizer.step.get_value()
    np.testing.assert_allclose(best, value, rtol=1e-4)
    for kind in (nnx.Param, nnx.BatchStat):
        found, expected = (jax.tree.leaves(nnx.state(m, kind)) for m in (model, other))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
