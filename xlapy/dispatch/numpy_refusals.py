"""The public functions of NumPy that are refused, each with its reason. A test sees to it that none is forgotten."""

from __future__ import annotations

import numpy as np

from xlapy.dispatch.protocol import Refused
from xlapy.dispatch.table import find_function, find_replacement, function

_IO = "reads or writes files or text, which a device cannot"
_TEXT = "makes text, which a device cannot"
_DATES = "is about dates, which XLA does not have"
_STATE = "changes or reads settings of the NumPy library, not data"
_HOST = "is about memory of the host"
_MATRIX = "np.matrix is not supported: its operators mean something else"
_DATA = "gives a result whose dtype or size depends on data"
_TODO = "is not supported yet"

REASONS: dict[str, str] = {
    **dict.fromkeys(
        "fromfile fromregex genfromtxt load loadtxt save savetxt savez savez_compressed fromstring".split(), _IO
    ),
    **dict.fromkeys(
        "array2string array_repr array_str format_float_positional format_float_scientific info show_config"
        " show_runtime".split(),
        _TEXT,
    ),
    **dict.fromkeys("busday_count busday_offset datetime_as_string datetime_data is_busday".split(), _DATES),
    **dict.fromkeys(
        "get_include get_printoptions getbufsize geterr geterrcall printoptions set_printoptions setbufsize seterr"
        " seterrcall test".split(),
        _STATE,
    ),
    **dict.fromkeys("frombuffer from_dlpack nested_iters".split(), _HOST),
    **dict.fromkeys("asmatrix bmat".split(), _MATRIX),
    **dict.fromkeys("real_if_close histogramdd mask_indices poly polydiv row_stack".split(), _DATA),
    **dict.fromkeys("einsum_path frompyfunc packbits unpackbits".split(), _TODO),
}
LINALG_REASONS: dict[str, str] = {"test": _STATE}
FFT_REASONS: dict[str, str] = {"test": _STATE}


def _refusal(name: str, reason: str):
    def rule(machine, *args, **kwargs):
        raise Refused("XP0003", f"{name} {reason}")

    return rule


def register() -> None:
    """Give every function of the tables, and nothing else, a rule that refuses."""
    for module, reasons in ((np, REASONS), (np.linalg, LINALG_REASONS), (np.fft, FFT_REASONS)):
        for name, reason in reasons.items():
            item = getattr(module, name, None)
            if item is not None and find_function(item) is None and find_replacement(item) is None:
                function(item)(_refusal(f"{module.__name__}.{name}", reason))


register()
