"""How precise products of arrays are."""

from __future__ import annotations

from typing import Any

import jax

_config: Any = jax.config


def requested_precision() -> str | None:
    """JAX's setting `jax_default_matmul_precision`."""
    return _config.jax_default_matmul_precision


def precision_of_products() -> str:
    """The precision of NumPy's products on devices that have several: that of their type, unless one is requested.
    (JAX's own default rounds the operands of float32 products to 8 bits on TPUs and to 11 on GPUs.)"""
    return requested_precision() or "highest"
