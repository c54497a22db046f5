"""A plugin of pytest: `pytest --xlapy-verify` runs each call of a compiled function in CPython as well, and compares.

It stands beside the package, since pytest imports its plugins at each start, and `import xlapy` imports JAX.
"""

from __future__ import annotations

import importlib
from typing import Any


def pytest_addoption(parser: Any) -> None:
    """The option."""
    parser.getgroup("xlapy").addoption(
        "--xlapy-verify",
        action="store_true",
        help="run each call of a function of xlapy.jit in CPython as well; a difference is a VerificationError",
    )


def pytest_load_initial_conftests(early_config: Any) -> None:
    """Before any module of tests makes a compiled function."""
    if early_config.known_args_namespace.xlapy_verify:
        importlib.import_module("xlapy.api").ALWAYS_VERIFIED.append(True)
