"""The public functions of NumPy that are refused, each with its reason. A test sees to it that none is forgotten."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.numpy.reasons import FFT_REASONS, LINALG_REASONS, MASKED, REASONS
from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import find_function, function


def _refusal(name: str, reason: str):
    def rule(machine, /, *args, **kwargs):
        raise Refused("XP0003", f"{name} {reason}")

    return rule


def register() -> None:
    """Give every function of the tables, and nothing else, a rule that refuses."""
    for module, reasons in ((np, REASONS), (np.linalg, LINALG_REASONS), (np.fft, FFT_REASONS)):
        for name, reason in reasons.items():
            item = getattr(module, name, None)
            if item is not None and find_function(item) is None:
                function(item)(_refusal(f"{module.__name__}.{name}", reason))
    # what makes masked arrays; other functions of np.ma do as NumPy's with arrays that are not masked
    for name in np.ma.__all__:
        if name.startswith("masked_") or name in ("array", "asarray", "asanyarray", "fix_invalid", "MaskedArray"):
            item = getattr(np.ma, name)
            if callable(item):
                function(item)(_refusal(f"numpy.ma.{name}", MASKED))


register()
