"""`pyright` reports nothing. That is a minute of work, and a tool of `pip install -e '.[dev]'`: without it this is
skipped."""

import importlib.util
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import xlapy

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


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.skipif(
    importlib.util.find_spec("pyright") is None, reason="pyright is not installed: pip install '.[dev]'"
)
def test_compiled_functions_keep_their_signatures(tmp_path):
    """Checked from another folder, as a user of an installation does; each `type: ignore` has an error to ignore."""
    (tmp_path / "signatures.py").write_text((ROOT / "tests" / "typed" / "signatures.py").read_text())
    settings = '{"reportUnnecessaryTypeIgnoreComment": "error", "reportMissingImports": "error"}'
    (tmp_path / "pyrightconfig.json").write_text(settings)
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "signatures.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    if "informations" not in done.stdout:
        pytest.skip(f"pyright does not run here, as it has no Node.js: {done.stdout}{done.stderr}")
    assert done.returncode == 0, done.stdout


def test_what_a_compiled_function_says_of_itself():
    @xlapy.jit
    def scaled(x, factor=2.0, *, times=1):
        """Its documentation."""
        return x * factor**times

    assert scaled.__name__ == "scaled" and scaled.__doc__ == "Its documentation."
    assert str(inspect.signature(scaled)) == "(x, factor=2.0, *, times=1)"
    assert all(getattr(scaled, name).__doc__ for name in ("lower", "explain", "cache_info", "cache_clear"))
    assert set(dir(xlapy)) == {*xlapy.__all__, "__version__"}
    assert (Path(xlapy.__file__).parent / "py.typed").is_file()
