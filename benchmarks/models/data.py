"""Real inputs: scikit-learn's two photographs and its handwritten digits. Nothing is downloaded."""

from functools import cache

import numpy as np
from PIL import Image
from sklearn.datasets import load_digits, load_sample_images

# The mean and deviation per colour that networks trained on ImageNet expect.
MEAN = np.array([0.485, 0.456, 0.406], np.float32)
DEVIATION = np.array([0.229, 0.224, 0.225], np.float32)


@cache
def photographs(count: int, side: int = 224) -> np.ndarray:
    """`count` different views of the two photographs, normalised.

    View i is a square of the photograph i % 2, as large as the photograph is high for the first two, then moved and
    shrunk; resized with a bicubic filter. Returns float32 of shape (count, 3, side, side)."""
    views = np.empty((count, 3, side, side), np.float32)
    sources = [Image.fromarray(image) for image in load_sample_images().images]
    for i in range(count):
        source = sources[i % 2]
        edge = int(source.height * (1.0 - 0.5 * (i // 2) / max(count // 2, 1)))
        left, top = (37 * i) % (source.width - edge + 1), (23 * i) % (source.height - edge + 1)
        view = source.crop((left, top, left + edge, top + edge)).resize((side, side), Image.Resampling.BICUBIC)
        pixels = np.asarray(view, np.float32) / 255.0
        views[i] = ((pixels - MEAN) / DEVIATION).transpose(2, 0, 1)
    return views


def synthetic_images(count: int, side: int = 224, seed: int = 0) -> np.ndarray:
    """Normal noise in the place of photographs: float32 of shape (count, 3, side, side)."""
    return np.random.default_rng(seed).standard_normal((count, 3, side, side), np.float32)


@cache
def digits(test: int = 297) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The 1,797 handwritten digits of 8 x 8 pixels in 0..1, shuffled with a fixed seed.

    Returns train images (1797 - test, 64) float32, train labels int32, test images (test, 64), test labels.
    """
    images, labels = map(np.asarray, load_digits(return_X_y=True))
    order = np.random.default_rng(0).permutation(len(labels))
    images, labels = (images[order] / 16.0).astype(np.float32), labels[order].astype(np.int32)
    return images[:-test], labels[:-test], images[-test:], labels[-test:]


@cache
def enlarged_digits() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The digits of `digits` at 28 x 28 pixels: each pixel three times as large, with a margin of two. Images are
    (n, 784)."""

    def enlarged(images: np.ndarray) -> np.ndarray:
        squares = np.kron(images.reshape(-1, 8, 8), np.ones((1, 3, 3), np.float32))
        return np.pad(squares, ((0, 0), (2, 2), (2, 2))).reshape(len(images), -1)

    images, labels, test_images, test_labels = digits()
    return enlarged(images), labels, enlarged(test_images), test_labels
