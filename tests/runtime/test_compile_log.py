"""What is said of compilations: by `logging`, and on a terminal."""

import logging
import subprocess
import sys

import numpy as np
import pytest

import xlapy
from xlapy.runtime import compile_log, loggers


@pytest.fixture
def said(caplog):
    for kind in loggers.KINDS:
        caplog.set_level(logging.INFO, f"xlapy.{kind}")
    return lambda kind: [r.getMessage() for r in caplog.records if r.name == f"xlapy.{kind}"]


def test_one_record_for_each_compilation(said):
    @xlapy.jit
    def scaled(x, k):
        return x * k

    x = np.ones(3)
    scaled(x, 2.0), scaled(x, 3.0)
    (first,) = said("compile")
    assert first.startswith(
        "test_one_record_for_each_compilation.<locals>.scaled(x: float64[3], k: float) at test_comp"
    )
    assert "analysis" in first and "LLVM" in first and first.endswith(": machine code")
    assert said("recompile") == []


def test_what_xla_compiles(said):
    f = xlapy.jit(lambda x: x + 1, keep_unused=True)
    f(np.ones(3))
    (record,) = said("compile")
    assert "lowering" in record and "XLA" in record and record.endswith(": XLA")


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ((np.ones(3), 2), (np.ones(3), 2.0), "k is of the class float, and was of int"),
        ((np.ones(3), 2), (np.ones(4), 2), "x is float64[4], and was float64[3]"),
        ((np.ones(3), 2), (np.ones(3, np.float32), 2), "x is float32[3], and was float64[3]"),
        ((np.ones(3), [1]), (np.ones(3), [1, 2]), "k has 2 items, and had 1"),
        ((np.ones(3), "a"), (np.ones(3), "b"), "k is 'b', and was 'a'"),
        ((np.ones(3), None), (np.ones(3), 1), "k is 1, and was None"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_reasons(said, first, second, reason):
    f = xlapy.jit(lambda x, k: (x, k, k == "a", isinstance(k, list) and k[-1]))
    f(*first), f(*second)
    assert [text.split(": ", 1)[1] for text in said("recompile")] == [reason]


class Loud:
    """Whose methods nobody may call."""

    def __len__(self):
        raise AssertionError

    __repr__ = __eq__ = __bool__ = __len__
    __hash__ = object.__hash__


@pytest.mark.parametrize("first", [1, "a", None, [1], (1, 2), {"a": 1}, np.ones(2)], ids=lambda x: type(x).__name__)
@pytest.mark.parametrize("second", [Loud(), None], ids=["loud", "none"])
def test_reasons_run_nothing_of_the_user(said, first, second):
    f = xlapy.jit(lambda x, k: (x, x + k) if isinstance(k, int) else (x, k is None))
    f(1.0, first), f(1.0, second)
    assert len(said("recompile")) == (first is not second)


def test_the_reason_of_a_global(said, monkeypatch):
    f = xlapy.jit(lambda x: helper(x))
    f(np.ones(2))
    monkeypatch.setitem(globals(), "helper", lambda x: x - 1)
    f(np.ones(2))
    assert said("recompile")[0].endswith("helper is another object than it was")


def helper(x):
    return x + 1


def test_a_refusal_is_said_and_a_program_that_was_found_is_not(said):
    f = xlapy.jit(lambda x: input(x))
    with pytest.raises(xlapy.NotOffloadableError):
        f("a")
    (record,) = said("compile")
    assert record.endswith("refused, 1 obstacle")


def test_a_list_that_outgrows_its_room(said):
    def grown(x, limit):
        found = []
        while x.sum() < limit:
            x = x + 1
            found.append(x[0])
        return found

    f = xlapy.jit(grown)
    f(np.zeros(2), 10.0), f(np.zeros(2), 5000.0)
    assert any("outgrew its room" in text for text in said("cache"))


def test_an_unknown_logger():
    with pytest.raises(ValueError, match="'stages' is none of compile, recompile, cache"):
        loggers.turn_on("compile, stages")


def test_the_environment_variable_and_the_progress_on_a_terminal(monkeypatch):
    monkeypatch.setenv("XLAPY_LOG", "compile")
    program = """if True:
        import sys
        import numpy as np, xlapy
        from xlapy.runtime import compile_log
        sys.stderr.isatty = lambda: True
        compile_log._PATIENCE = compile_log._INTERVAL = 0.01
        @xlapy.jit
        def f(x):
            for k in range(40):
                x = np.sin(x) if k % 2 else x[::-1] + k
            return x
        f(np.ones(3))
        """
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    *shown, record, end = done.stderr.decode().split("\r\x1b[K")[1:] + [""]
    assert shown and all(line.startswith("xlapy: compiling f for 0 s: ") for line in shown if line)
    assert record.startswith("xlapy.compile: f(x: float64[3]) at <string>:") and not end
    assert done.stdout == b""


def test_no_thread_where_there_is_no_terminal(monkeypatch):
    def fail(*args, **kwargs):
        raise AssertionError

    monkeypatch.setattr(compile_log.threading, "Thread", fail)
    f = xlapy.jit(lambda x: x + 1)
    np.testing.assert_array_equal(f(np.ones(2)), [2.0, 2.0])
