"""What a prefix of shardings is; without the compiler, for the door."""

from __future__ import annotations

from typing import Any

from jax.sharding import PartitionSpec, Sharding


def is_leaf(shardings: Any) -> bool:
    """Whether a prefix of shardings goes no further."""
    return shardings is None or isinstance(shardings, Sharding | PartitionSpec)
