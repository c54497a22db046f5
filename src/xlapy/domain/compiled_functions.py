"""Which functions `xlapy.jit` has made, and what they belong to."""

from __future__ import annotations

import types
from typing import Any

#: the global of such a function that has its `owner`; no other function has one, nor one that copies its attributes
ENTRANCE = "_xlapy_entrance"


def owner_of(item: object) -> Any:
    """What a compiled function belongs to, with its Python `function`, `binder` and `policy`; None for all else."""
    if not isinstance(item, types.FunctionType) or ENTRANCE not in item.__globals__:
        return None
    return item.__globals__[ENTRANCE].owner


__all__ = ["ENTRANCE", "owner_of"]
