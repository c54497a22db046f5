"""Machine code touches no byte beside its arrays: a page that may not be touched lies there."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

OVERRUN = """
import numpy as np
from xlapy.lowering.llvm import guard_pages
a = guard_pages.empty(8)
np.lib.stride_tricks.as_strided(a, (PLACE + 1,) if PLACE > 0 else (2,), (1 if PLACE > 0 else -1,))[-1]
print("alive")
"""


def run(side: int, *command: str) -> subprocess.CompletedProcess:
    """A process with guard pages on one side."""
    environment = {**os.environ, "XLAPY_GUARD": str(side)}
    return subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True, timeout=500)


@pytest.mark.parametrize("side", [1, -1])
def test_no_program_touches_a_guard_page(side):
    done = run(side, "-m", "tests.lowering.guarded", "2", str(side + 1))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("side,place,survives", [(1, 7, True), (1, 8, False), (-1, -1, False), (-1, 7, True)])
def test_a_byte_too_far_ends_the_process(side, place, survives):
    done = run(side, "-c", OVERRUN.replace("PLACE", str(place)))
    assert (done.stdout == "alive\n") is survives
    assert (done.returncode == 0) is survives
