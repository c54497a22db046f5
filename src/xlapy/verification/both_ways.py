"""One call in CPython and one of the compiled function, on equal worlds, and the first difference between them."""

from __future__ import annotations

import contextlib
import io
import sys
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xlapy.report import NotOffloadableError
from xlapy.verification.comparison import Comparison, Mismatch
from xlapy.verification.world import Slot, capture, copy_together


class VerificationError(AssertionError):
    """A compiled function did not do what CPython does; the message says where they differ first."""


@dataclass
class _Outcome:
    """What a call did: its value or exception, its output, and the arguments and variables after it."""

    value: Any
    error: Exception | None
    printed: str
    state: Any


def both_ways(
    function: types.FunctionType,
    python: Callable[[tuple], Any],
    compiled: Callable[[tuple], Any],
    arguments: tuple,
    rtol: float | None = None,
    keep: bool = True,
) -> Any:
    """Call a function in CPython, on copies of the arguments and of the variables that it can reach, then as a compiled
    function, and compare.

    Args:
        function: the Python function.
        python: calls it, with bound arguments.
        compiled: calls the compiled function.
        arguments: of the call; the compiled function gets them as they are, if its effects are to be kept.
        rtol: relative and absolute tolerance of floating-point numbers; by default 1e-12 for 64 bits, 1e-5 for 32.
        keep: whether the effects of the call stay.

    Returns:
        The result of the compiled function.

    Raises:
        VerificationError: if the two differ in value, dtype, shape, type, structure, aliasing, effects, exception or
            output.
        NotOffloadableError: if the function cannot become one program.
        Exception: what both raise.
    """
    slots = capture(function.__module__, function, arguments)
    expected = _on_a_copy(function, python, arguments, slots)
    run = _run if keep else _on_a_copy
    got = run(function, compiled, arguments, slots)
    try:
        _compare(expected, got, rtol)
    except Mismatch as mismatch:
        raise VerificationError(f"{function.__qualname__}: {mismatch}") from got.error
    if got.error is not None:
        raise got.error
    sys.stdout.write(got.printed)
    return got.value


def _on_a_copy(function: Any, call: Callable, arguments: tuple, slots: list[Slot]) -> _Outcome:
    original = [slot.get() for slot in slots]
    try:
        values, copied = copy_together((original, arguments))
    except Exception as error:
        raise TypeError(
            f"{function.__qualname__} cannot be verified: what it uses cannot be copied: {error}"
        ) from error
    try:
        for slot, value in zip(slots, values, strict=True):
            slot.put(value)
        return _run(function, call, copied, slots)
    finally:
        for slot, value in zip(slots, original, strict=True):
            slot.put(value)


def _run(function: Any, call: Callable, arguments: tuple, slots: list[Slot]) -> _Outcome:
    value, error, output = None, None, io.StringIO()
    with contextlib.redirect_stdout(output):
        try:
            value = call(arguments)
        except NotOffloadableError:
            raise
        except Exception as raised:
            error = raised
    return _Outcome(value, error, output.getvalue(), (arguments, [slot.get() for slot in slots]))


def _compare(expected: _Outcome, got: _Outcome, rtol: float | None) -> None:
    if type(expected.error) is not type(got.error) or str(expected.error) != str(got.error):
        raise Mismatch(f"{_said(expected)} expected, got {_said(got)}")
    if expected.printed != got.printed:
        raise Mismatch(f"output {expected.printed!r} expected, got {got.printed!r}")
    compare = Comparison(rtol)
    (arguments, values), (others, others_values) = expected.state, got.state
    compare(arguments, others, "arguments")
    compare(values, others_values, "global variables and cells")
    if expected.error is None:
        compare(expected.value, got.value, "result")


def _said(outcome: _Outcome) -> str:
    return "a result" if outcome.error is None else repr(outcome.error)


__all__ = ["VerificationError", "both_ways"]
