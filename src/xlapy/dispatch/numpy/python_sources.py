"""A function of NumPy's that has no rule is interpreted from NumPy's own source, as a user's function would be."""

from __future__ import annotations

import types
from collections.abc import Callable

import numpy as np

from xlapy.dispatch.registry import replacement, replacement_of
from xlapy.library.numpy.array_converter import array_converter


@replacement_of(type(np.median))
def python_source(function: Callable) -> types.FunctionType | None:
    """The function in Python behind NumPy's dispatcher for other arrays than its own; None if it is in C."""
    source = getattr(function, "__wrapped__", None)
    return source if isinstance(source, types.FunctionType) else None


_CONVERTER = getattr(np._core._multiarray_umath, "_array_converter", None)  # type: ignore[attr-defined]
if _CONVERTER is not None:
    replacement(_CONVERTER)(array_converter)
