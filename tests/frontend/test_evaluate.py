"""Small functions do, evaluated by their structured programs, what they do in CPython."""

import pytest

from .evaluate import evaluate, execute
from .programs import CASES, MODULE


def outcome(call, *args):
    """What a call returns, a generator's items, or the exception."""
    try:
        result = call(*args)
        return list(result) if hasattr(result, "send") else result
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("function, args", CASES, ids=lambda x: getattr(x, "__qualname__", None))
def test_evaluates_as_in_cpython(function, args):
    assert outcome(evaluate, function, *args) == outcome(function, *args)


def test_a_module_is_executed_as_in_cpython():
    code = compile(MODULE, "module", "exec")
    ours, theirs = {"__name__": "m"}, {"__name__": "m"}
    execute(code, ours)
    exec(code, theirs)
    assert ours["out"] == theirs["out"]
    assert [n for n in ours if n != "__builtins__"] == [n for n in theirs if n != "__builtins__"]
