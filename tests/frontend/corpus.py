"""Code objects to try the frontend on: the standard library, NumPy and JAX, as they are installed."""

from __future__ import annotations

import importlib.util
import os
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

FULL = bool(os.environ.get("XLAPY_FULL_CORPUS"))
"""Whether to take every file, and not one in `SAMPLE`."""
SAMPLE = 12


def nested(root: CodeType) -> Iterator[CodeType]:
    """A code object and all code objects in it."""
    todo = [root]
    while todo:
        code = todo.pop()
        yield code
        todo += [const for const in code.co_consts if isinstance(const, CodeType)]


def sources() -> dict[str, Path]:
    """The directories of the corpus that are there, by name."""
    found = {"stdlib": Path(sysconfig.get_path("stdlib"))}
    for name in ("numpy", "jax"):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            found[name] = Path(spec.origin).parent
    return found


def codes_of(directory: Path) -> Iterator[CodeType]:
    """The code objects of all functions, classes and modules in a directory, or of a fixed sample of its files."""
    files = sorted(path for path in directory.rglob("*.py") if "site-packages" not in path.relative_to(directory).parts)
    for path in files if FULL else files[::SAMPLE]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                root = compile(path.read_bytes(), str(path), "exec")
            except (SyntaxError, ValueError, UnicodeDecodeError, RecursionError):
                continue  # test data of the standard library that is meant not to compile
        yield from nested(root)
