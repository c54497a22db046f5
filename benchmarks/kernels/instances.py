"""Kernels of which many instances run at once, and the arguments of all of these."""

from typing import Any

import numpy as np

from benchmarks.kernels.registry import Kernel

# Each with the scale of its arguments: those that take much memory for each instance are smaller.
SCALES = {
    "edit_distance": 0.5,
    "common_subsequence": 0.5,
    "longest_increasing": 0.2,
    "knapsack": 0.1,
    "viterbi": 0.1,
    "insertion_sort": 0.5,
    "merge_sorted": 0.1,
    "lu_by_points": 0.3,
    "biquad": 0.1,
    "a_star": 0.2,
}


def made(spec: Kernel, scale: float, many: int) -> tuple[tuple[Any, ...], tuple[int | None, ...]]:
    """Arguments of all instances, and which of them have an axis of instances: the arrays."""
    rows = [spec.made(scale, seed) for seed in range(min(many, 16))]
    axes = tuple(0 if isinstance(x, np.ndarray) else None for x in rows[0])
    pairs = zip(axes, zip(*rows, strict=True), strict=True)
    return tuple(xs[0] if axis is None else np.resize(np.stack(xs), (many, *xs[0].shape)) for axis, xs in pairs), axes
