"""Texts of arrays by NumPy's functions, in plain Python: what `str` and `repr` give, made on the host when wanted."""

from __future__ import annotations

from typing import Any

import numpy as np

from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.registry import function, replacement


def _refuse(what: str) -> Any:
    raise NotImplementedError(what)


@function(_refuse)
def _refuse_rule(machine, what):
    raise Refused("XP0003", f"{machine.static(what)} makes text, which a device cannot", "use str or repr")


@replacement(np.array_str)
def array_str(a, max_line_width=None, precision=None, suppress_small=None):
    """np.array_str, as NumPy has been told to print."""
    if not isinstance(a, np.ndarray) or not (max_line_width is precision is suppress_small is None):
        _refuse("np.array_str with a format of its own")
    return str(a)


@replacement(np.array_repr)
def array_repr(arr, max_line_width=None, precision=None, suppress_small=None):
    """np.array_repr, as NumPy has been told to print."""
    if not isinstance(arr, np.ndarray) or not (max_line_width is precision is suppress_small is None):
        _refuse("np.array_repr with a format of its own")
    return repr(arr)


@replacement(np.array2string)
def array2string(a, *rest, **options):
    """np.array2string, as NumPy has been told to print."""
    if not isinstance(a, np.ndarray) or a.ndim == 0 or rest or options:
        _refuse("np.array2string with a format of its own")
    return str(a)
