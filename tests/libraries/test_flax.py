"""Flax NNX: layers, called as they are."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from .cases import Cases

case = Cases("flax", tolerance=2e-5)
ADAM = optax.adam(0.1)


def values(*shape):
    return jax.random.normal(jax.random.key(1), shape)


def rngs():
    return nnx.Rngs(0)


LAYERS = {
    "Linear": (lambda: nnx.Linear(3, 4, rngs=rngs()), (2, 3)),
    "LinearGeneral": (lambda: nnx.LinearGeneral((2, 3), (4,), axis=(-2, -1), rngs=rngs()), (5, 2, 3)),
    "Einsum": (lambda: nnx.Einsum("ab,bc->ac", (3, 4), (4,), rngs=rngs()), (2, 3)),
    "Conv": (lambda: nnx.Conv(2, 4, (3, 3), strides=2, rngs=rngs()), (2, 8, 8, 2)),
    "Conv, VALID, groups": (
        lambda: nnx.Conv(2, 4, (3,), padding="VALID", feature_group_count=2, rngs=rngs()),
        (2, 8, 2),
    ),
    "ConvTranspose": (lambda: nnx.ConvTranspose(2, 3, (3, 3), strides=2, rngs=rngs()), (2, 5, 5, 2)),
    "LayerNorm": (lambda: nnx.LayerNorm(6, rngs=rngs()), (2, 6)),
    "RMSNorm": (lambda: nnx.RMSNorm(6, rngs=rngs()), (2, 6)),
    "GroupNorm": (lambda: nnx.GroupNorm(4, num_groups=2, rngs=rngs()), (2, 5, 4)),
    "BatchNorm, running average": (lambda: nnx.BatchNorm(6, use_running_average=True, rngs=rngs()), (4, 6)),
    "BatchNorm, training": (lambda: nnx.BatchNorm(6, rngs=rngs()), (4, 6)),
    "Dropout, deterministic": (lambda: nnx.Dropout(0.5, deterministic=True), (4, 6)),
    "MultiHeadAttention": (
        lambda: nnx.MultiHeadAttention(num_heads=2, in_features=8, decode=False, rngs=rngs()),
        (2, 5, 8),
    ),
    "Sequential": (lambda: nnx.Sequential(nnx.Linear(3, 4, rngs=rngs()), nnx.relu), (2, 3)),
}
for name, (layer, shape) in LAYERS.items():
    case(name, lambda layer=layer, shape=shape: (layer(), values(*shape)))(lambda layer, x: layer(x))


@case("Embed", lambda: (nnx.Embed(7, 3, rngs=rngs()), jnp.array([1, 4])))
def embed(layer, x):
    return layer(x)


@case("GRUCell", lambda: (nnx.GRUCell(3, 4, rngs=rngs()), values(2, 4), values(2, 3)))
def gru(cell, h, x):
    return cell(h, x)


@case("LSTMCell", lambda: (nnx.LSTMCell(3, 4, rngs=rngs()), (values(2, 4), values(2, 4)), values(2, 3)))
def lstm(cell, carry, x):
    return cell(carry, x)


@case(
    "OptimizedLSTMCell", lambda: (nnx.OptimizedLSTMCell(3, 4, rngs=rngs()), (values(2, 4), values(2, 4)), values(2, 3))
)
def fast_lstm(cell, carry, x):
    return cell(carry, x)


@case("SimpleCell", lambda: (nnx.SimpleCell(3, 4, rngs=rngs()), values(2, 4), values(2, 3)))
def simple(cell, h, x):
    return cell(h, x)


@case("RNN", lambda: (nnx.RNN(nnx.GRUCell(3, 4, rngs=rngs())), values(2, 5, 3)), refused="the identity of a value")
def rnn(layer, x):
    return layer(x)


@case("LoRA", lambda: (nnx.LoRA(3, 2, 4, rngs=rngs()), values(2, 3)))
def lora(layer, x):
    return layer(x)


class Block(nnx.Module):
    def __init__(self, rngs):
        self.first = nnx.Linear(3, 8, rngs=rngs)
        self.norm = nnx.BatchNorm(8, rngs=rngs)
        self.second = nnx.Linear(8, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.calls.value = self.calls.value + 1
        return self.second(nnx.relu(self.norm(self.first(x))))


@case("a module of one's own, with state", lambda: (Block(rngs()), values(5, 3)))
def block(model, x):
    return model(x)


@case("split, merge, state and update", lambda: (Block(rngs()), values(5, 3)))
def split_and_merge(model, x):
    graph, state = nnx.split(model)
    other = nnx.merge(graph, jax.tree.map(lambda v: 2 * v, state))
    nnx.update(model, jax.tree.map(lambda v: v + 1, nnx.state(model, nnx.Param)))
    return other(x), model(x), jax.tree.leaves(nnx.state(model, nnx.BatchStat))


@case("Optimizer", lambda: (*with_optimizer(), values(5, 3)))
def optimizer(model, optimizer, x):
    for k in range(3):
        optimizer.update(model, jax.tree.map(lambda v: v * (k + x[0, 0]), nnx.state(model, nnx.Param)))
    return model(x), optimizer.step.get_value()


def with_optimizer():
    model = Block(rngs())
    return model, nnx.Optimizer(model, ADAM, wrt=nnx.Param)


test_cases = case.test()
