"""Tests over eight virtual devices, which a process has or has not from its beginning: `needs_devices` marks the tests
of a file that need them, and `run_again(__file__)` runs them in a process that has them."""

import os
import subprocess
import sys
from pathlib import Path

import jax
import pytest

COUNT = 8
HERE = Path(__file__).resolve().parent.parent.parent
ARE_HERE = jax.device_count() == COUNT

needs_devices = pytest.mark.skipif(not ARE_HERE, reason="runs in a process with eight devices")


def run_again(path: str) -> None:
    """Run the tests of a file or folder in a process that has eight devices."""
    flags = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count={COUNT}"
    environment = {**os.environ, "XLA_FLAGS": flags, "JAX_PLATFORMS": "cpu"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-p", "no:xdist", path]
    ended = subprocess.run(command, env=environment, cwd=HERE, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stdout[-6000:] + ended.stderr[-2000:]
    assert " passed" in ended.stdout
