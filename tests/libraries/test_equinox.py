"""Equinox: layers, called as they are."""

import equinox as eqx
import jax
import jax.numpy as jnp

from .cases import Cases

case = Cases("equinox", tolerance=2e-5)
nn = eqx.nn
KEY = jax.random.key(0)


def values(*shape):
    return jax.random.normal(jax.random.key(1), shape)


LAYERS = {
    "Linear": (nn.Linear(3, 4, key=KEY), values(3)),
    "Linear, no bias": (nn.Linear(3, 4, use_bias=False, key=KEY), values(3)),
    "Linear, scalar": (nn.Linear("scalar", 4, key=KEY), values()),
    "Identity": (nn.Identity(), values(3)),
    "MLP": (nn.MLP(3, 2, 8, 2, key=KEY), values(3)),
    "MLP, tanh at the end": (nn.MLP(3, 2, 8, 1, activation=jnp.tanh, final_activation=jnp.tanh, key=KEY), values(3)),
    "Sequential": (nn.Sequential([nn.Linear(3, 4, key=KEY), nn.Lambda(jax.nn.relu)]), values(3)),
    "Conv1d": (nn.Conv1d(2, 3, 3, key=KEY), values(2, 8)),
    "Conv2d": (nn.Conv2d(2, 4, 3, stride=2, padding=1, key=KEY), values(2, 8, 8)),
    "Conv2d, dilation, groups": (nn.Conv2d(2, 4, 3, dilation=2, groups=2, key=KEY), values(2, 8, 8)),
    "Conv2d, SAME": (nn.Conv2d(2, 4, 3, padding="SAME", key=KEY), values(2, 8, 8)),
    "Conv3d": (nn.Conv3d(1, 2, 2, key=KEY), values(1, 4, 4, 4)),
    "ConvTranspose2d": (nn.ConvTranspose2d(2, 3, 3, stride=2, key=KEY), values(2, 5, 5)),
    "AvgPool2d": (nn.AvgPool2d(2, 2), values(2, 6, 6)),
    "MaxPool2d": (nn.MaxPool2d(2, 2), values(2, 6, 6)),
    "AdaptiveAvgPool2d": (nn.AdaptiveAvgPool2d(3), values(2, 6, 6)),
    "LayerNorm": (nn.LayerNorm(6), values(6)),
    "LayerNorm, without parameters": (nn.LayerNorm(6, use_weight=False, use_bias=False), values(6)),
    "GroupNorm": (nn.GroupNorm(2, 4), values(4, 5)),
    "RMSNorm": (nn.RMSNorm(6), values(6)),
    "Embedding": (nn.Embedding(7, 3, key=KEY), jnp.array(4)),
    "Dropout, inference": (nn.Dropout(0.5, inference=True), values(6)),
    "PReLU": (nn.PReLU(0.3), values(6)),
    "RotaryPositionalEmbedding": (nn.RotaryPositionalEmbedding(4), values(3, 4)),
    "WeightNorm": (nn.WeightNorm(nn.Linear(3, 4, key=KEY)), values(3)),
}
REFUSED = {
    "RotaryPositionalEmbedding": "deleting the attribute",
}
for name, (layer, x) in LAYERS.items():
    case(name, lambda layer=layer, x=x: (layer, x), REFUSED.get(name, ""))(lambda layer, x: layer(x))


@case("GRUCell", lambda: (nn.GRUCell(3, 4, key=KEY), values(3), values(4)))
def gru(cell, x, h):
    return cell(x, h)


@case("LSTMCell", lambda: (nn.LSTMCell(3, 4, key=KEY), values(3), (values(4), values(4) + 1)))
def lstm(cell, x, h):
    return cell(x, h)


@case("GRUCell over a sequence", lambda: (nn.GRUCell(3, 4, key=KEY), values(6, 3)))
def gru_sequence(cell, xs):
    h = jnp.zeros(4)
    for x in xs:
        h = cell(x, h)
    return h


@case("MultiheadAttention", lambda: (nn.MultiheadAttention(2, 8, key=KEY), values(5, 8)))
def attention(layer, x):
    return layer(x, x, x)


@case("MultiheadAttention, masked", lambda: (nn.MultiheadAttention(2, 8, key=KEY), values(5, 8)))
def masked_attention(layer, x):
    return layer(x, x, x, mask=jnp.tril(jnp.ones((5, 5), bool)))


@case("Dropout, training", lambda: (nn.Dropout(0.5), values(6)))
def dropout(layer, x):
    return layer(x, key=jax.random.key(3))


def stateful():
    return nn.make_with_state(nn.BatchNorm)(3, axis_name="batch", mode="batch")


@case("BatchNorm", lambda: (*stateful(), values(4, 3)), refused="the identity of a value on the device")
def batch_norm(layer, state, x):
    return jax.vmap(layer, axis_name="batch", in_axes=(0, None), out_axes=(0, None))(x, state)


@case("a batch by jax.vmap", lambda: (nn.MLP(3, 2, 8, 2, key=KEY), values(5, 3)))
def batch(model, x):
    return jax.vmap(model)(x)


@case("filter_grad", lambda: (nn.MLP(3, 2, 8, 1, key=KEY), values(5, 3)))
def gradient(model, x):
    return eqx.filter_grad(lambda m: jnp.mean(jax.vmap(m)(x) ** 2))(model)


@case("filter, partition, combine", lambda: (nn.MLP(3, 2, 8, 1, key=KEY), values(3)))
def parts(model, x):
    dynamic, static = eqx.partition(model, eqx.is_array)
    return eqx.combine(dynamic, static)(x)


@case("tree_at", lambda: (nn.Linear(3, 4, key=KEY), values(3)))
def tree_at(layer, x):
    return eqx.tree_at(lambda m: m.bias, layer, jnp.zeros(4))(x)


test_cases = case.test()
