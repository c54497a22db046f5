"""ResNet50 (He et al. 2015) with batch normalisation, in functions over trees of parameters and running statistics."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.models.digits import cross_entropy

GROUPS = ((64, 3), (128, 4), (256, 6), (512, 3))
EXPANSION = 4
PARAMETERS = 25_557_032
MOMENTUM, EPSILON = 0.9, 1e-5


def initialised(seed: int = 0, classes: int = 1000) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters and running statistics, float32."""
    random = np.random.default_rng(seed)

    def convolution(out: int, into: int, size: int) -> dict[str, Any]:
        scale = np.float32(np.sqrt(2.0 / (into * size * size)))
        weight = jnp.asarray(random.standard_normal((out, into, size, size), np.float32) * scale)
        return {"w": weight, "scale": jnp.ones(out, jnp.float32), "shift": jnp.zeros(out, jnp.float32)}

    parameters: dict[str, Any] = {"stem": convolution(64, 3, 7), "blocks": []}
    into = 64
    for width, depth in GROUPS:
        for i in range(depth):
            out = width * EXPANSION
            layers = [convolution(width, into, 1), convolution(width, width, 3), convolution(out, width, 1)]
            parameters["blocks"].append({"layers": layers, "skip": convolution(out, into, 1) if i == 0 else None})
            into = out
    dense = random.standard_normal((classes, into), np.float32) * np.float32(np.sqrt(1.0 / into))
    parameters["dense"] = {"w": jnp.asarray(dense), "b": jnp.zeros(classes, jnp.float32)}

    def statistics(layer: Any) -> Any:
        if layer is None:
            return None
        width = layer["scale"].shape[0]
        return {"mean": jnp.zeros(width, jnp.float32), "variance": jnp.ones(width, jnp.float32)}

    running = {
        "stem": statistics(parameters["stem"]),
        "blocks": [
            {"layers": [statistics(layer) for layer in block["layers"]], "skip": statistics(block["skip"])}
            for block in parameters["blocks"]
        ],
    }
    return parameters, running


def normalised_convolution(p: Any, s: Any, x: Any, stride: int, training: bool) -> tuple[Any, Any]:
    """Convolution, then batch normalisation; returns the values (n, c, h, w) and the new running statistics."""
    size = p["w"].shape[2]
    pad = (size - 1) // 2
    x = lax.conv_general_dilated(x, p["w"], (stride, stride), ((pad, pad), (pad, pad)))
    if training:
        mean, variance = x.mean(axis=(0, 2, 3)), x.var(axis=(0, 2, 3))
        s = {
            "mean": MOMENTUM * s["mean"] + (1 - MOMENTUM) * mean,
            "variance": MOMENTUM * s["variance"] + (1 - MOMENTUM) * variance,
        }
    else:
        mean, variance = s["mean"], s["variance"]
    factor = p["scale"] * lax.rsqrt(variance + EPSILON)
    return x * factor[:, None, None] + (p["shift"] - mean * factor)[:, None, None], s


def bottleneck(p: Any, s: Any, x: Any, stride: int, training: bool) -> tuple[Any, Any]:
    """One residual block: 1 x 1, 3 x 3 (which strides), 1 x 1."""
    y, statistics = x, []
    for i, (layer, running) in enumerate(zip(p["layers"], s["layers"], strict=True)):
        y, running = normalised_convolution(layer, running, y, stride if i == 1 else 1, training)
        statistics.append(running)
        if i < 2:
            y = jax.nn.relu(y)
    skip = None
    if p["skip"] is not None:
        x, skip = normalised_convolution(p["skip"], s["skip"], x, stride, training)
    return jax.nn.relu(x + y), {"layers": statistics, "skip": skip}


def forward(parameters: Any, running: Any, images: Any, training: bool = False) -> tuple[Any, Any]:
    """Images (n, 3, 224, 224) to logits (n, 1000) and the new running statistics."""
    x, stem = normalised_convolution(parameters["stem"], running["stem"], images, 2, training)
    lowest = np.array(-np.inf, x.dtype)
    ends = ((0, 0), (0, 0), (1, 1), (1, 1))
    x = lax.reduce_window(jax.nn.relu(x), lowest, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), ends)
    blocks, index = [], 0
    for group, (_, depth) in enumerate(GROUPS):
        for i in range(depth):
            stride = 2 if i == 0 and group > 0 else 1
            block, statistics = parameters["blocks"][index], running["blocks"][index]
            x, statistics = bottleneck(block, statistics, x, stride, training)
            blocks.append(statistics)
            index += 1
    x = x.mean(axis=(2, 3))
    return x @ parameters["dense"]["w"].T + parameters["dense"]["b"], {"stem": stem, "blocks": blocks}


def train_step(parameters: Any, running: Any, images: Any, labels: Any) -> tuple[Any, Any, Any]:
    """One step of SGD at rate 0.01: parameters, running statistics, and the loss before it."""

    def loss(parameters: Any) -> tuple[Any, Any]:
        logits, statistics = forward(parameters, running, images, training=True)
        return cross_entropy(logits, labels), statistics

    (value, statistics), gradient = jax.value_and_grad(loss, has_aux=True)(parameters)
    parameters = jax.tree.map(lambda p, g: p - 0.01 * g, parameters, gradient)
    return parameters, statistics, value
