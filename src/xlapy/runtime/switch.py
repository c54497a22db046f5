"""`xlapy.disable_jit`: whether calls of the current thread run in CPython."""

from __future__ import annotations

import threading

#: non-empty while some thread has switched compilation off; all that a warm call looks at
DISABLED: list[int] = []
_HERE = threading.local()


def disable() -> None:
    """Calls of this thread run in CPython, until `enable`."""
    _HERE.depth = getattr(_HERE, "depth", 0) + 1
    DISABLED.append(1)


def enable() -> None:
    """Undo one `disable`."""
    _HERE.depth -= 1
    DISABLED.pop()


def off() -> bool:
    """Whether calls of this thread run in CPython."""
    return getattr(_HERE, "depth", 0) > 0
