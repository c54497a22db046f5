"""Programs that do not compile yet are listed in pending.txt, each with how it fails; they are strict xfails.

Only a refusal, a crash of the compiler or a needless compile can be pending. A wrong answer (`SilentlyWrong`) always
fails the run. `python -m tests.semantics.update_pending` rewrites the list.

On a CPU a loop over numbers has three forms: a part of a program that is machine code as a whole, machine code that XLA
calls, and a loop of XLA's own, as on every other device. Which of them a test may use follows from its name: a half may
use all, a quarter the last two, a quarter the last one.
"""

from __future__ import annotations

import json
import os
import pathlib
import sys
import zlib

import pytest

from xlapy.lowering.llvm import code_selection
from xlapy.lowering.llvm.text import Unsuitable
from xlapy.runtime import native_calls

from . import runner

HERE = pathlib.Path(__file__).parent
PENDING = HERE / "pending.txt"
USE_PENDING = os.environ.get("XLAPY_SEMANTICS_PENDING", "1") == "1" and not runner.REFERENCE_ONLY
REPORT = os.environ.get("XLAPY_SEMANTICS_REPORT")


def failures() -> dict[str, tuple[type, ...]]:
    """How a pending program may fail, by the name in pending.txt."""
    import xlapy

    return {
        "refused": (xlapy.NotOffloadableError,),
        "crash": (runner.CompilerCrash, xlapy.NotOffloadableError),
        "recompiles": (runner.TooManyCompiles,),
        "refusal": (runner.BadRefusal,),
    }


def read_pending() -> dict[str, str]:
    """Test id (file::name, relative to this folder) to how it fails; `refused<3.14` fails before that Python only,
    `refused>=3.14` from it on."""
    lines = PENDING.read_text().splitlines() if PENDING.exists() else []
    pending = {}
    for how, name in (line.split(maxsplit=1) for line in lines if line.strip() and not line.startswith("#")):
        how, since, first = how.partition(">=")
        how, until, last = how.partition("<")
        if not (since and sys.version_info < _version(first) or until and sys.version_info >= _version(last)):
            pending[name] = how
    return pending


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))


@pytest.fixture(autouse=True)
def _form(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which forms of loops the test may use."""
    quarter = zlib.crc32(short_id(request.node).encode()) % 4
    if quarter >= 2:
        monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *_: None)
    if quarter == 3:
        monkeypatch.setattr(code_selection, "function_of", _unsuitable)


def _unsuitable(*_: object) -> None:
    raise Unsuitable("a test of loops of XLA's own")


def short_id(item: pytest.Item) -> str:
    return item.path.relative_to(HERE).as_posix() + "::" + item.nodeid.split("::", 1)[1]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    pending = read_pending() if USE_PENDING else {}
    raises = failures() if pending else {}
    for item in items:
        if item.path.is_relative_to(HERE):
            how = pending.get(short_id(item))
            if how is not None:
                item.add_marker(pytest.mark.xfail(raises=raises[how], strict=True, reason=how))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo):
    report = yield
    if REPORT and call.when == "call" and item.path.is_relative_to(HERE):
        record = {"id": short_id(item), "outcome": report.outcome, "seconds": call.duration}
        if call.excinfo is not None:
            record["error"] = [cls.__name__ for cls in call.excinfo.type.__mro__]
            record["message"] = str(call.excinfo.value)
        with open(REPORT, "a") as file:
            file.write(json.dumps(record) + "\n")
    return report
