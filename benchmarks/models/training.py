"""A whole training run four ways: as ordinary Python, stepped from Python with a compiled step whose data lie on the
device or come from the host, and by hand in `lax.scan`."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax

Loss = Callable[[Any, Any, Any], Any]


def step(loss: Loss, optimiser: Any, parameters: Any, state: Any, images: Any, labels: Any) -> tuple[Any, Any, Any]:
    """One update: parameters and optimiser state in and out, and the loss before it."""
    value, gradient = jax.value_and_grad(loss)(parameters, images, labels)
    updates, state = optimiser.update(gradient, state, parameters)
    return optax.apply_updates(parameters, updates), state, value


def minibatches(key: Any, count: int, batch: int) -> Any:
    """A random order of `count` rows cut into whole batches, (count // batch, batch)."""
    return jax.random.permutation(key, count)[: count // batch * batch].reshape(-1, batch)


def train(
    loss: Loss, optimiser: Any, parameters: Any, images: Any, labels: Any, key: Any, epochs: int, batch: int
) -> tuple[Any, Any]:
    """The whole run as one writes it first: loops over epochs and minibatches. Returns parameters and the loss
    history."""
    state = optimiser.init(parameters)
    history = []
    for _ in range(epochs):
        key, shuffle = jax.random.split(key)
        for rows in minibatches(shuffle, len(labels), batch):
            parameters, state, value = step(loss, optimiser, parameters, state, images[rows], labels[rows])
            history.append(value)
    return parameters, jnp.stack(history)


def train_stepped(
    loss: Loss, optimiser: Any, parameters: Any, images: Any, labels: Any, key: Any, epochs: int, batch: int
) -> Callable[[], tuple[Any, Any]]:
    """The usual way with JAX: the step is compiled, the loops stay in Python. Returns what runs it."""
    return _stepped(loss, optimiser, parameters, images, labels, key, epochs, batch, lambda x: x, jnp.stack)


def train_fed(
    loss: Loss, optimiser: Any, parameters: Any, images: Any, labels: Any, key: Any, epochs: int, batch: int
) -> Callable[[], tuple[Any, Any]]:
    """The same fed from the host, as by a data loader: each step is handed its minibatch of NumPy arrays `images` and
    `labels`, and asked for its loss."""
    return _stepped(loss, optimiser, parameters, images, labels, key, epochs, batch, np.asarray, np.stack)


def _stepped(
    loss: Loss,
    optimiser: Any,
    parameters: Any,
    images: Any,
    labels: Any,
    key: Any,
    epochs: int,
    batch: int,
    fetch: Callable[[Any], Any],
    stack: Callable[[list], Any],
) -> Callable[[], tuple[Any, Any]]:
    """`fetch` takes orders of rows and losses to where the loop has them, `stack` makes the history of the losses."""
    compiled = jax.jit(lambda parameters, state, x, y: step(loss, optimiser, parameters, state, x, y))
    shuffled = jax.jit(lambda key: minibatches(key, len(labels), batch))

    def run() -> tuple[Any, Any]:
        p, state, k = parameters, optimiser.init(parameters), key
        history = []
        for _ in range(epochs):
            k, shuffle = jax.random.split(k)
            for rows in fetch(shuffled(shuffle)):
                p, state, value = compiled(p, state, images[rows], labels[rows])
                history.append(fetch(value))
        return p, stack(history)

    return run


def bytes_fed(images: Any, labels: Any, epochs: int, batch: int) -> tuple[int, int]:
    """The bytes that `train_fed` moves to the device and to the host: minibatches; losses and orders of rows."""
    steps = len(labels) // batch * epochs
    each = batch * (images[0].nbytes + labels[0].nbytes)
    return steps * each, steps * (4 + batch * 4)


def train_by_hand(
    loss: Loss, optimiser: Any, parameters: Any, images: Any, labels: Any, key: Any, epochs: int, batch: int
) -> tuple[Any, Any]:
    """The whole run as `lax.scan`s over epochs and minibatches, for `jax.jit`."""

    def minibatch(carry: Any, rows: Any) -> tuple[Any, Any]:
        parameters, state, value = step(loss, optimiser, carry[0], carry[1], images[rows], labels[rows])
        return (parameters, state), value

    def epoch(carry: Any, _: None) -> tuple[Any, Any]:
        parameters, state, key = carry
        key, shuffle = jax.random.split(key)
        (parameters, state), values = lax.scan(minibatch, (parameters, state), minibatches(shuffle, len(labels), batch))
        return (parameters, state, key), values

    (parameters, _, _), history = lax.scan(epoch, (parameters, optimiser.init(parameters), key), length=epochs)
    return parameters, history.reshape(-1)
