"""A character-level LSTM on a text that every Python installation brings: the topics of `help()`."""

from pydoc_data.topics import topics
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.models.digits import cross_entropy

SYMBOLS = 96  # the printable characters of ASCII and a newline


def text_batch(count: int, length: int) -> np.ndarray:
    """`count` passages of `length` + 1 characters as symbol numbers, int32 (count, length + 1)."""
    text = "\n".join(topics[name] for name in sorted(topics)).encode("ascii", "replace")
    codes = np.frombuffer(text, np.uint8).astype(np.int32) - 31
    codes = np.where((codes > 0) & (codes < SYMBOLS), codes, 0)
    starts = np.arange(count) * (len(codes) // (count + 1))
    return codes[starts[:, None] + np.arange(length + 1)]


def entropy(tokens: np.ndarray) -> float:
    """What predicting each symbol from how frequent it is would cost, in the units of `loss`."""
    share = np.bincount(tokens[:, 1:].ravel(), minlength=SYMBOLS) / tokens[:, 1:].size
    return float(-(share[share > 0] * np.log(share[share > 0])).sum())


def initialised(width: int, seed: int = 0) -> dict[str, Any]:
    """Parameters: input (symbols, 4 width), recurrent (width, 4 width), bias, output (width, symbols), float32."""
    random = np.random.default_rng(seed)

    def normal(a: int, b: int) -> Any:
        return jnp.asarray(random.standard_normal((a, b)) / np.sqrt(a), jnp.float32)

    bias = jnp.zeros(4 * width, jnp.float32).at[width : 2 * width].set(1.0)  # forget gates start open
    return {"x": normal(SYMBOLS, 4 * width), "h": normal(width, 4 * width), "b": bias, "out": normal(width, SYMBOLS)}


def cell(parameters: dict[str, Any], h: Any, c: Any, symbols: Any) -> tuple[Any, Any]:
    """One step for a batch: hidden and cell state (n, width), symbols (n,)."""
    gates = parameters["x"][symbols] + h @ parameters["h"] + parameters["b"]
    i, f, g, o = jnp.split(gates, 4, axis=1)
    c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    return jax.nn.sigmoid(o) * jnp.tanh(c), c


def loss(parameters: dict[str, Any], tokens: Any) -> Any:
    """Mean cross-entropy of predicting each next symbol of tokens (n, length + 1), with an ordinary loop over time."""
    n, length = tokens.shape
    h = c = jnp.zeros((n, parameters["h"].shape[0]), jnp.float32)
    total = jnp.zeros((), jnp.float32)
    for t in range(length - 1):
        h, c = cell(parameters, h, c, tokens[:, t])
        total = total + cross_entropy(h @ parameters["out"], tokens[:, t + 1])
    return total / (length - 1)


def loss_by_hand(parameters: dict[str, Any], tokens: Any) -> Any:
    """The same with `lax.scan`."""
    zero = jnp.zeros((tokens.shape[0], parameters["h"].shape[0]), jnp.float32)

    def step(carry: Any, pair: Any) -> tuple[Any, Any]:
        h, c = cell(parameters, carry[0], carry[1], pair[0])
        return (h, c), cross_entropy(h @ parameters["out"], pair[1])

    return jnp.mean(lax.scan(step, (zero, zero), (tokens[:, :-1].T, tokens[:, 1:].T))[1])
