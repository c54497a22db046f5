"""What is compiled ahead of time: for each name a function and the shapes of its arguments."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp

from benchmarks.models import vgg19


def vgg19_arguments(dtype: str, batch: int) -> tuple[Any, Any, jax.ShapeDtypeStruct]:
    """The model's arrays and the rest of it, as shapes, and a batch of images."""
    model = vgg19.shapes(jnp.dtype(dtype))
    arrays, rest = eqx.partition(model, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    return arrays, rest, jax.ShapeDtypeStruct((batch, 3, 224, 224), jnp.dtype(dtype))


def vgg19_forward(dtype: str, batch: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    arrays, rest, images = vgg19_arguments(dtype, batch)
    return lambda arrays, x: vgg19.forward(eqx.combine(arrays, rest), x), (arrays, images)


def vgg19_gradient(dtype: str, batch: int) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    arrays, rest, images = vgg19_arguments(dtype, batch)

    def loss(arrays: Any, x: Any, labels: Any) -> Any:
        return vgg19.loss(eqx.combine(arrays, rest), x, labels)

    labels = jax.ShapeDtypeStruct((batch,), jnp.int32)
    return lambda arrays, x, labels: jax.value_and_grad(loss)(arrays, x, labels), (arrays, images, labels)


# Program name to a function of precision and batch.
WORKLOADS: dict[str, Callable[[str, int], tuple[Callable[..., Any], tuple[Any, ...]]]] = {
    "vgg19.forward": vgg19_forward,
    "vgg19.gradient": vgg19_gradient,
}
