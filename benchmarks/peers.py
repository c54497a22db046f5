"""The peers' packages, imported when they are first needed so that a run works without them."""

import importlib
from typing import Any


def package(name: str) -> Any:
    """The module of that name. Raises ImportError, which becomes the reason of the row that needed it."""
    return importlib.import_module(name)


def xlapy_jit(function: Any) -> Any:
    """`xlapy.jit(function)`."""
    return package("xlapy").jit(function)
