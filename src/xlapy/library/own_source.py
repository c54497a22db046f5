"""Modules of the standard library in Python, without what replaces their functions by compiled ones.

own_source("heapq", without="_heapq")["heappush"]     # the function that heapq.py defines
"""

from __future__ import annotations

import builtins
import importlib.util
from typing import Any


def own_source(module: str, without: str) -> dict[str, Any]:
    """The namespace of a module run anew, in which the module `without` cannot be imported."""

    def imported(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == without:
            raise ImportError(name)
        return __import__(name, *args, **kwargs)

    found: Any = importlib.util.find_spec(module)
    namespace = {"__name__": module, "__builtins__": {**vars(builtins), "__import__": imported}}
    exec(found.loader.get_code(module), namespace)  # noqa: S102
    namespace["__builtins__"] = builtins
    return namespace
