"""The circumstances of a run: versions, processor, devices, flags, precision."""

import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

import jax

PACKAGES = (
    "xlapy",
    "numpy",
    "jax",
    "jaxlib",
    "equinox",
    "optax",
    "numba",
    "torch",
    "scikit-learn",
    "libtpu",
    "bytecode",
)
# Settings that change what is measured.
FLAGS = (
    "XLA_FLAGS",
    "LIBTPU_INIT_ARGS",
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


def describe() -> dict[str, Any]:
    """Everything a reader needs to judge a time, as JSON-ready values."""
    flags = {name: os.environ[name] for name in FLAGS if name in os.environ}
    flags |= {name: value for name, value in sorted(os.environ.items()) if name.startswith("JAX_")}
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_bytes": memory("MemTotal"),
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
        "versions": versions(),
        "flags": flags,
        "x64": setting("jax_enable_x64"),
        "matmul_precision": setting("jax_default_matmul_precision"),
        "devices": [f"{d.platform}: {d.device_kind}" for d in jax.devices()],
        "commit": commit(),
    }


def setting(name: str) -> Any:
    """The value of a JAX setting, such as 'jax_enable_x64'."""
    return getattr(jax.config, name)


def versions() -> dict[str, str]:
    """Versions of the packages that are installed."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def processor() -> str:
    """The processor's name, with its vector extensions where the system tells them."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    facts = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in lines)}
    name = facts.get("model name") or platform.machine()
    vectors = [f for f in ("avx2", "avx512f", "amx_tile", "asimd", "sve") if f in facts.get("flags", "").split()]
    return f"{name} ({' '.join(vectors)})" if vectors else name


def memory(field: str) -> int | None:
    """Bytes of one field of /proc/meminfo, such as 'MemTotal' or 'MemAvailable'; None where the system has none."""
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    return None


def commit() -> str | None:
    """The commit of this checkout, with '+' where the working tree differs from it."""
    here = Path(__file__).resolve().parent
    try:
        name = subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=here, capture_output=True, text=True, check=True, timeout=10
        )
        dirty = subprocess.run(["git", "status", "--porcelain"], cwd=here, capture_output=True, text=True, timeout=10)
    except (OSError, subprocess.SubprocessError):
        return None
    return name.stdout.strip() + ("+" if dirty.stdout.strip() else "")


def command() -> list[str]:
    """The command line of this run, as one would type it."""
    return ["python", "-m", "benchmarks", *sys.argv[1:]]
