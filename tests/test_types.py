"""`pyright` reports nothing. That is a minute of work, and a tool of `pip install -e '.[dev]'`: without it this is
skipped."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.skipif(
    importlib.util.find_spec("pyright") is None, reason="pyright is not installed: pip install '.[dev]'"
)
def test_types():
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if "informations" not in done.stdout:
        pytest.skip(f"pyright does not run here, as it has no Node.js: {done.stdout}{done.stderr}")
    assert done.returncode == 0, done.stdout
