"""Every kernel: importing the families registers them."""

from benchmarks.kernels import (
    dynamic_programming,
    finance,
    images,
    linear_algebra,
    loops,
    masks,
    monte_carlo,
    particles,
    recurrences,
    recursion,
    spectral,
    stencils,
    tables,
    whole_arrays,
)
from benchmarks.kernels.registry import KERNELS

FAMILIES = (
    stencils,
    linear_algebra,
    particles,
    dynamic_programming,
    images,
    recurrences,
    masks,
    monte_carlo,
    spectral,
    finance,
    loops,
    recursion,
    tables,
    whole_arrays,
)

__all__ = ["FAMILIES", "KERNELS"]
