"""VGG19 (Simonyan and Zisserman 2014, configuration E), written with Equinox as its users write models.

Convolutions (64, 2) (128, 2) (256, 4) (512, 4) (512, 4) of 3 x 3 with a max-pool after each group, then dense layers
of 4096, 4096 and 1000: 143,667,240 parameters, 39.3 GFLOP an image (two per multiply-add)."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

GROUPS = ((64, 2), (128, 2), (256, 4), (512, 4), (512, 4))
DENSE = (4096, 4096, 1000)
PARAMETERS = 143_667_240


class VGG19(eqx.Module):
    """One image of shape (3, 224, 224) to the probabilities of 1000 classes."""

    groups: list[list[eqx.nn.Conv2d]]
    pool: eqx.nn.MaxPool2d
    dense: list[eqx.nn.Linear]

    def __init__(self, key: jax.Array, side: int = 224, dense: tuple[int, ...] = DENSE):
        keys = iter(jax.random.split(key, 16 + len(dense)))
        self.groups = []
        channels = 3
        for width, depth in GROUPS:
            group = []
            for _ in range(depth):
                group.append(eqx.nn.Conv2d(channels, width, kernel_size=3, padding=1, key=next(keys)))
                channels = width
            self.groups.append(group)
        self.pool = eqx.nn.MaxPool2d(kernel_size=2, stride=2)
        features = channels * (side // 2 ** len(GROUPS)) ** 2
        self.dense = []
        for width in dense:
            self.dense.append(eqx.nn.Linear(features, width, key=next(keys)))
            features = width

    def logits(self, x: jax.Array) -> jax.Array:
        for group in self.groups:
            for convolution in group:
                x = jax.nn.relu(convolution(x))
            x = self.pool(x)
        x = jnp.ravel(x)
        for layer in self.dense[:-1]:
            x = jax.nn.relu(layer(x))
        return self.dense[-1](x)

    def __call__(self, x: jax.Array) -> jax.Array:
        return jax.nn.softmax(self.logits(x))


def forward(model: VGG19, images: jax.Array) -> jax.Array:
    """Images (n, 3, 224, 224) to probabilities (n, 1000)."""
    return jax.vmap(model)(images)


def loss(model: VGG19, images: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross-entropy of images (n, 3, 224, 224) with labels (n,), a scalar."""
    scores = jax.nn.log_softmax(jax.vmap(model.logits)(images))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


def shapes(dtype: Any = jnp.float32, side: int = 224) -> VGG19:
    """The model with `jax.ShapeDtypeStruct` in the place of parameters: enough to compile, and free."""
    skeleton = eqx.filter_eval_shape(VGG19, jax.random.key(0), side)
    return jax.tree.map(
        lambda leaf: jax.ShapeDtypeStruct(leaf.shape, dtype) if isinstance(leaf, jax.ShapeDtypeStruct) else leaf,
        skeleton,
    )


def initialised(dtype: Any = jnp.float32, seed: int = 0, side: int = 224) -> VGG19:
    """The model with normal weights scaled by sqrt(2 / fan-in) (He et al. 2015), under which activations neither die
    nor grow through nineteen layers, so that comparing outputs means something. Biases are small and not zero for the
    same reason."""
    random = np.random.default_rng(seed)

    def fill(leaf: Any) -> Any:
        if not isinstance(leaf, jax.ShapeDtypeStruct):
            return leaf
        weights = leaf.ndim > 1 and leaf.shape[1:] != (1,) * (leaf.ndim - 1)
        scale = np.sqrt(2.0 / np.prod(leaf.shape[1:])) if weights else 0.05
        return jnp.asarray(random.standard_normal(leaf.shape, np.float32) * np.float32(scale), dtype)

    return jax.tree.map(fill, shapes(side=side))


# --- The same by hand -------------------------------------------------------------------------------------------------


def parameters(model: VGG19) -> dict[str, list[tuple[Any, Any]]]:
    """The weights and biases alone, for the programs written by hand: {'convolution': [(w, b)], 'dense': [(w, b)]}."""
    convolutions = [layer for group in model.groups for layer in group]
    return {
        "convolution": [(layer.weight, layer.bias) for layer in convolutions],
        "dense": [(layer.weight, layer.bias) for layer in model.dense],
    }


def by_hand_logits(weights: dict[str, list[tuple[Any, Any]]], x: jax.Array) -> jax.Array:
    """VGG19 in `jax.lax` for a whole batch (n, 3, 224, 224), to logits (n, 1000)."""
    convolutions = iter(weights["convolution"])
    for _, depth in GROUPS:
        for _ in range(depth):
            w, b = next(convolutions)
            x = lax.conv_general_dilated(x, w, (1, 1), ((1, 1), (1, 1)), dimension_numbers=("NCHW", "OIHW", "NCHW"))
            x = jnp.maximum(x + b, 0)
        lowest = np.array(-np.inf, x.dtype)
        x = lax.reduce_window(x, lowest, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    x = x.reshape(x.shape[0], -1)
    # Not x @ w.T: for one image XLA's CPU backend then copies the transposed weights, half a gigabyte, in each call.
    for w, b in weights["dense"][:-1]:
        x = jnp.maximum((w @ x.T).T + b, 0)
    w, b = weights["dense"][-1]
    return (w @ x.T).T + b


def by_hand(weights: dict[str, list[tuple[Any, Any]]], x: jax.Array) -> jax.Array:
    """Probabilities (n, 1000) of images (n, 3, 224, 224)."""
    return jax.nn.softmax(by_hand_logits(weights, x))


def by_hand_loss(weights: dict[str, list[tuple[Any, Any]]], x: jax.Array, labels: jax.Array) -> jax.Array:
    """Mean cross-entropy, a scalar, as `loss`."""
    scores = jax.nn.log_softmax(by_hand_logits(weights, x))
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


# --- PyTorch ----------------------------------------------------------------------------------------------------------


def torch_parameters(torch: Any, model: VGG19, gradient: bool = False) -> dict[str, list[tuple[Any, Any]]]:
    """The same weights as torch tensors on the CPU, copied."""

    def tensor(leaf: Any) -> Any:
        value = torch.from_numpy(np.array(leaf)).reshape(leaf.shape)
        return value.requires_grad_(gradient)

    return {
        "convolution": [(tensor(w), tensor(b.reshape(-1))) for w, b in parameters(model)["convolution"]],
        "dense": [(tensor(w), tensor(b)) for w, b in parameters(model)["dense"]],
    }


def torch_logits(torch: Any, weights: dict[str, list[tuple[Any, Any]]], x: Any) -> Any:
    """VGG19 in PyTorch, images (n, 3, 224, 224) to logits (n, 1000)."""
    functional = torch.nn.functional
    convolutions = iter(weights["convolution"])
    for _, depth in GROUPS:
        for _ in range(depth):
            w, b = next(convolutions)
            x = functional.relu(functional.conv2d(x, w, b, padding=1))
        x = functional.max_pool2d(x, 2)
    x = x.flatten(1)
    for w, b in weights["dense"][:-1]:
        x = functional.relu(functional.linear(x, w, b))
    return functional.linear(x, *weights["dense"][-1])
