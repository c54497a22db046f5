"""Libraries whose functions are taken as they are."""

from __future__ import annotations

import sys

_ROOTS = frozenset({"numpy", "jax", "jaxlib", "builtins", *sys.stdlib_module_names}) - {"__main__"}


def trusted(name: str | None) -> bool:
    """Whether a module belongs to a library whose functions nobody replaces while a program runs."""
    return name is not None and name.partition(".")[0] in _ROOTS


__all__ = ["trusted"]
