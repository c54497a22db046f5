"""Two small networks for the handwritten digits: a perceptron 64-128-64-10 and a convolutional one."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

WIDTHS = (64, 128, 64, 10)


def perceptron(seed: int = 0, widths: tuple[int, ...] = WIDTHS) -> list[tuple[Any, Any]]:
    """Its parameters: [(weights (a, b), biases (b,))], float32."""
    random = np.random.default_rng(seed)
    return [
        (jnp.asarray(random.standard_normal((a, b)) * np.sqrt(2.0 / a), jnp.float32), jnp.zeros(b, jnp.float32))
        for a, b in zip(widths, widths[1:], strict=False)
    ]


def wide_perceptron() -> list[tuple[Any, Any]]:
    """784-128-64-10, for images of 28 x 28."""
    return perceptron(widths=(784, 128, 64, 10))


def perceptron_logits(parameters: list[tuple[Any, Any]], x: Any) -> Any:
    """Images (n, 64) to logits (n, 10)."""
    for w, b in parameters[:-1]:
        x = jax.nn.relu(x @ w + b)
    w, b = parameters[-1]
    return x @ w + b


def convolutional(seed: int = 0) -> dict[str, Any]:
    """Its parameters: two convolutions of 3 x 3 with 16 and 32 channels, and one dense layer."""
    random = np.random.default_rng(seed)

    def normal(*shape: int) -> Any:
        return jnp.asarray(random.standard_normal(shape) * np.sqrt(2.0 / np.prod(shape[1:])), jnp.float32)

    return {
        "first": normal(16, 1, 3, 3),
        "second": normal(32, 16, 3, 3),
        "dense": normal(10, 128),
        "bias": jnp.zeros(10),
    }


def convolutional_logits(parameters: dict[str, Any], x: Any) -> Any:
    """Images (n, 64) to logits (n, 10)."""
    x = x.reshape(-1, 1, 8, 8)
    for name in ("first", "second"):
        x = jax.nn.relu(lax.conv_general_dilated(x, parameters[name], (1, 1), "SAME"))
        x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    return x.reshape(x.shape[0], -1) @ parameters["dense"].T + parameters["bias"]


def cross_entropy(logits: Any, labels: Any) -> Any:
    """Mean over the batch, a scalar."""
    scores = jax.nn.log_softmax(logits)
    return -jnp.mean(jnp.take_along_axis(scores, labels[:, None], axis=1))


def perceptron_loss(parameters: Any, x: Any, labels: Any) -> Any:
    return cross_entropy(perceptron_logits(parameters, x), labels)


def convolutional_loss(parameters: Any, x: Any, labels: Any) -> Any:
    return cross_entropy(convolutional_logits(parameters, x), labels)
