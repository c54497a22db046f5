"""What tests of loops that several threads share have in common."""

import pytest

from xlapy.lowering.llvm import parallel_outlining
from xlapy.runtime import native_calls


@pytest.fixture
def parts(monkeypatch):
    """Loops are shared out however little they do, and every program is machine code; what was written as a part of
    one."""
    monkeypatch.setattr(parallel_outlining, "INSTRUCTIONS_SHARED", 1)
    monkeypatch.setattr(native_calls, "gained_by_machine_code", lambda region: float("inf"))
    written, original = [], parallel_outlining._function
    monkeypatch.setattr(parallel_outlining, "_function", lambda *a: written.append(a) or original(*a))
    yield written
