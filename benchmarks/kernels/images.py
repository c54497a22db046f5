"""Image filters."""

import jax.numpy as jnp
import numpy as np
from jax import lax

from benchmarks.kernels.registry import kernel, sized


def picture(side):
    def make(random, scale):
        n = sized(side, scale, 12)
        return (random.random((n, n + 5)),)

    return make


def sobel_with(xp, image):
    across = image[:, 2:] - image[:, :-2]
    down = image[2:] - image[:-2]
    gx = across[:-2] + 2.0 * across[1:-1] + across[2:]
    gy = down[:, :-2] + 2.0 * down[:, 1:-1] + down[:, 2:]
    return xp.sqrt(gx**2 + gy**2)


def sobel_jax(image):
    return sobel_with(jnp, image)


@kernel(picture(800), sobel_jax)
def sobel(image):
    across = image[:, 2:] - image[:, :-2]
    down = image[2:] - image[:-2]
    gx = across[:-2] + 2.0 * across[1:-1] + across[2:]
    gy = down[:, :-2] + 2.0 * down[:, 1:-1] + down[:, 2:]
    return np.sqrt(gx**2 + gy**2)


def filter_arguments(random, scale):
    return (*picture(500)(random, scale), random.random((5, 5)))


def convolve_jax(image, weights):
    out = lax.conv_general_dilated(image[None, None], weights[None, None], (1, 1), "VALID")
    return out[0, 0]


@kernel(filter_arguments, convolve_jax)
def convolve(image, weights):
    k, m = weights.shape
    h, w = image.shape[0] - k + 1, image.shape[1] - m + 1
    out = np.zeros((h, w))
    for i in range(k):
        for j in range(m):
            out += weights[i, j] * image[i : i + h, j : j + w]
    return out


def median_filter_jax(image):
    h, w = image.shape[0] - 2, image.shape[1] - 2
    shifted = jnp.stack([image[i : i + h, j : j + w] for i in range(3) for j in range(3)])
    return jnp.sort(shifted, axis=0)[4]


@kernel(picture(200), median_filter_jax, numba=None)
def median_filter(image):
    h, w = image.shape[0] - 2, image.shape[1] - 2
    shifted = np.stack([image[i : i + h, j : j + w] for i in range(3) for j in range(3)])
    return np.median(shifted, axis=0)


def grey(random, scale):
    n = sized(900, scale)
    return ((random.beta(2, 5, (n, n)) * 255).astype(np.uint8),)


def equalise_jax(image):
    counts = jnp.zeros(256, jnp.int64).at[image.ravel()].add(1)
    share = jnp.cumsum(counts) / image.size
    return (share * 255).astype(jnp.uint8)[image]


@kernel(grey, equalise_jax, numba=None)
def equalise(image):
    counts = np.bincount(image.ravel(), minlength=256)
    share = np.cumsum(counts) / image.size
    return (share * 255).astype(np.uint8)[image]


def resize_arguments(random, scale):
    n = sized(200, scale)
    image = random.random((n, n))
    return image, np.linspace(0, n - 1.001, 2 * n), np.linspace(0, n - 1.001, 2 * n + 3)


def bilinear_jax(image, rows, columns):
    i, j = rows.astype(jnp.int64), columns.astype(jnp.int64)
    y, x = (rows - i)[:, None], (columns - j)[None, :]
    i, j = i[:, None], j[None, :]
    top = image[i, j] * (1 - x) + image[i, j + 1] * x
    return top * (1 - y) + (image[i + 1, j] * (1 - x) + image[i + 1, j + 1] * x) * y


@kernel(resize_arguments, bilinear_jax, numba=None)
def bilinear(image, rows, columns):
    i = rows.astype(np.int64)
    j = columns.astype(np.int64)
    y = (rows - i)[:, None]
    x = (columns - j)[None, :]
    top = image[np.ix_(i, j)] * (1 - x) + image[np.ix_(i, j + 1)] * x
    bottom = image[np.ix_(i + 1, j)] * (1 - x) + image[np.ix_(i + 1, j + 1)] * x
    return top * (1 - y) + bottom * y


@kernel(lambda random, scale: (random.random((sized(150, scale), sized(150, scale))), 3))
def local_contrast(image, k):
    height, width = image.shape
    out = np.zeros_like(image)
    for i in range(height):
        for j in range(width):
            window = image[max(0, i - k) : min(height, i + k + 1), max(0, j - k) : min(width, j + k + 1)]
            out[i, j] = image[i, j] / window.mean()
    return out


def photographs(random, scale):
    shape = 16, sized(128, scale), sized(130, scale), 3
    return random.random(shape), random.random(3), random.random(3) + 0.5


def channels_first_jax(images, mean, spread):
    return jnp.transpose((images - mean) / spread, (0, 3, 1, 2))


@kernel(photographs, channels_first_jax)
def channels_first(images, mean, spread):
    """Photographs as networks take them: scaled, colour by colour."""
    return np.transpose((images - mean) / spread, (0, 3, 1, 2)).copy()


def volume(random, scale):
    return (random.standard_normal((sized(120, scale), sized(110, scale), sized(128, scale))),)


def planes_jax(scan):
    return jnp.transpose(scan, (2, 0, 1)), jnp.transpose(scan, (1, 2, 0)) + 1.0


@kernel(volume, planes_jax)
def planes(scan):
    """A scan as planes along its other axes."""
    return np.transpose(scan, (2, 0, 1)).copy(), np.transpose(scan, (1, 2, 0)).copy() + 1.0
