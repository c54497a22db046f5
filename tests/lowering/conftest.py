"""What tests of loops that several threads share have in common."""

import pytest

from xlapy.lowering.llvm import sharing
from xlapy.runtime import direct


@pytest.fixture
def parts(monkeypatch):
    """Loops are shared out however little they do, and every program is machine code; what was written as a part of
    one."""
    monkeypatch.setattr(sharing, "_WORTH", 1)
    monkeypatch.setattr(direct, "gained_by_machine_code", lambda region: float("inf"))
    written, original = [], sharing._function
    monkeypatch.setattr(sharing, "_function", lambda *a: written.append(a) or original(*a))
    yield written
