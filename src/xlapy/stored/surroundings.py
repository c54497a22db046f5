"""What every program that was compiled depends on besides its function: versions, the processor, settings."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import sys
from pathlib import Path

import jax
import jaxlib.version
import numpy as np

from xlapy.domain.start import IMPORTED

#: the format of the files
_FORMAT = 1
_PACKAGE = Path(__file__).resolve().parent.parent
#: settings of xlapy's that change no code
_HARMLESS = frozenset(f"XLAPY_{name}" for name in ("CACHE", "CACHE_DIR", "CACHE_SIZE", "LOG", "TRACEBACK"))
#: settings of other libraries that do
_OTHERS = ("OMP_NUM_THREADS", "XLA_FLAGS")


def digest(*parts: object) -> str:
    """A hash of the texts of some objects."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class Unstorable(Exception):
    """Something that cannot be told to be the same in another process; the message says what."""


def environment() -> str:
    """A hash that two processes share if a program of one of them can be one of the other, as far as that does not
    depend on the function.

    Raises:
        Unstorable: there is none.
    """
    settings = {name: value for name, value in os.environ.items() if name.startswith("XLAPY_") or name in _OTHERS}
    settings = sorted((name, value) for name, value in settings.items() if name not in _HARMLESS)
    return digest(_of_process(), settings, _processors(), _settings_of_jax(), np.__version__, jax.__version__)


@functools.cache
def _of_process() -> str:
    build = sys.version, sys.abiflags, sys.flags, sys.implementation.cache_tag, object.__basicsize__, sys.platform
    return digest(_FORMAT, build, jaxlib.version.__version__, _llvm(), _processor(), _own_files(_PACKAGE))


def _own_files(folder: Path) -> list[tuple]:
    """All files of ours by name, size and time: those by which Python tells whether a module has to be compiled."""
    found: list[tuple] = []
    todo = [str(folder)]
    while todo:
        with os.scandir(todo.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    if status.st_mtime_ns > IMPORTED:
                        raise Unstorable("files of xlapy's were changed after it was imported")
                    found.append((entry.path, status.st_size, status.st_mtime_ns))
                elif "." not in entry.name and not entry.name.startswith("__") and entry.is_dir():
                    todo.append(entry.path)
    return sorted(found)


def _llvm() -> str:
    """The version of llvmlite, which is not imported for that."""
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        return ""
    folder = Path(spec.origin).parent
    library = [(path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in folder.glob("binding/lib*")]
    return digest((folder / "_version.py").read_bytes(), sorted(library))


def _processor() -> str:
    """The name of the processor and what it can do, as Linux tells."""
    wanted = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags")
    try:
        with open("/proc/cpuinfo") as lines:
            found = []
            for line in lines:
                name, _, value = line.partition(":")
                if not name.strip():
                    break
                if name.strip() in wanted:
                    found.append((name.strip(), value.strip()))
    except OSError:
        return ""
    return repr(found)


def _processors() -> int | None:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count()


def _settings_of_jax() -> list[tuple[str, str]]:
    """Those that may change what functions of JAX's compute, and more; whether 64-bit types are on is a guard."""
    harmless = ("enable_x64", "cache", "dir", "log", "traceback", "profil", "host_id", "cpu_collectives")
    values = jax.config.values.items()
    return sorted((name, repr(value)) for name, value in values if not any(word in name for word in harmless))


__all__ = ["Unstorable", "digest", "environment"]
