"""Functions of SciPy computed by `jax.scipy` and `jax.numpy`; their result types are SciPy's own."""

from __future__ import annotations

import inspect

from xlapy.dispatch.numpy.numpy_leaves import numpy_leaf

#: what says how SciPy is to compute, not what
_IGNORED = frozenset("overwrite_a overwrite_b overwrite_x check_finite workers plan orthogonalize".split())


def leaf(item, implementation, arrays: str) -> None:
    """A function computed by `implementation`, which need not take what says how SciPy is to compute."""
    accepted = inspect.signature(implementation).parameters

    def run(*args, **options):
        return implementation(*args, **{k: v for k, v in options.items() if k in accepted or k not in _IGNORED})

    numpy_leaf(item, run, arrays)
