"""Containers of the caller's get other contents, without asking their classes."""

from __future__ import annotations

import collections
from typing import Any

from xlapy.domain.builtin_bases import BASES


def builtin_base(cls: type) -> type:
    """The built-in class whose methods an object of a class has behind its own."""
    return next((base for base in BASES if issubclass(cls, base)), object)


def fill(target: Any, made: Any) -> None:
    """Give a list, dict or set, or an object of a subclass, the contents of another one, whatever its class defines."""
    base: Any = builtin_base(type(target))
    if base is object:  # a deque
        base = type(target)
    base.clear(target)
    if base is collections.Counter:  # `update` counts
        base = dict
    if base is collections.OrderedDict:  # `update` asks the class
        for key, value in made.items():
            base.__setitem__(target, key, value)
    else:
        (base.extend if hasattr(base, "extend") else base.update)(target, made)


__all__ = ["builtin_base", "fill"]
