"""Functions that are known to be interpreted from their bytecode, since no dispatch table has a rule for them."""

from __future__ import annotations

import types

from xlapy.dispatch import libraries

#: by identity; the functions are kept alive
_PLAIN: dict[int, types.FunctionType] = {}
_MAXIMUM = 100_000


def is_plain(item: object) -> bool:
    """Whether that is known of an object."""
    return id(item) in _PLAIN


def note(function: types.FunctionType) -> None:
    """Nothing was found for a function."""
    if len(_PLAIN) < _MAXIMUM:
        _PLAIN[id(function)] = function


def forget() -> None:
    """The dispatch tables have changed: look every function up again."""
    _PLAIN.clear()


libraries.on_growth(forget)
