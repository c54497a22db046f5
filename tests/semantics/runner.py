"""Run a program in CPython and through xlapy, on equal worlds, and compare everything the caller can see.

    program = Programs()

    @program((X, 1.0), (Y, 2.0))        # two calls of one jitted function
    def clipped(x, t):
        return np.minimum(x, t)

    test_programs = program.test()

A *step* is a tuple of arguments, a single argument that is no tuple, a `Call` (with keyword arguments), or a `do(...)`:
something the caller does between two calls. The steps run in order on one jitted function, first in CPython, then, from
an equal copy of the world, in xlapy; after the last one the first call is made again with fresh copies.

XLAPY_SEMANTICS_REFERENCE_ONLY=1 runs CPython alone, to see that the programs themselves are sound.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import os
import re
import signal
import threading
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from xlapy.verification.comparison import Comparison, Mismatch
from xlapy.verification.world import Slot, capture, copy_together

REFERENCE_ONLY = os.environ.get("XLAPY_SEMANTICS_REFERENCE_ONLY") == "1"
TIME_LIMIT = int(os.environ.get("XLAPY_SEMANTICS_TIME_LIMIT", "120"))


class SilentlyWrong(AssertionError):
    """xlapy gave another answer than CPython: the worst defect; no list of pending programs can hide it."""


class CompilerCrash(Exception):
    """xlapy raised something that is neither CPython's exception nor a `NotOffloadableError`."""


class NotRefused(AssertionError):
    """A program that was expected to be refused compiles, and is right."""


class UnsoundProgram(Exception):
    """A test that does not say what it means, whatever xlapy does."""


class BadRefusal(AssertionError):
    """A refusal without blockers, or with blockers that do not say where and which."""


class TooManyCompiles(AssertionError):
    """The answers are right, but the function was compiled more often than it may."""


@dataclasses.dataclass
class Call:
    """One call of the program."""

    args: tuple = ()
    kwargs: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Do:
    """Something the caller does between two calls; `args` are copied together with those of the calls."""

    action: Callable
    args: tuple = ()


def do(action: Callable, *args: Any) -> Do:
    return Do(action, args)


def set_global(f: Callable, name: str, value: Any) -> Do:
    """Rebind a global of `f`'s module."""

    def rebind(value):
        f.__globals__[name] = value

    rebind.rebinds = (f.__globals__, name)
    return Do(rebind, (value,))


def as_step(step: Any) -> Call | Do:
    if isinstance(step, (Call, Do)):
        return step
    return Call(step if type(step) is tuple else (step,))


@dataclasses.dataclass
class Outcome:
    """What one call did: its value or exception, its output, and the arguments and world after it (and before)."""

    value: Any
    error: BaseException | None
    printed: str
    state: Any
    before: Any
    misses: int = 0


def check(
    fn: Callable,
    *args: Any,
    calls: list | None = None,
    rtol: float | None = None,
    refuse: bool | str = False,
    compiles: int | None = None,
    raises: type | tuple[type, ...] | None = None,
    **kwargs: Any,
) -> None:
    """Assert that `xlapy.jit(fn)` does what `fn` does.

    Args:
        fn: the program.
        args, kwargs: the arguments of one call. Left out if `calls` is given.
        calls: a list of steps (see the module's docstring) run in sequence on the same jitted function.
        rtol: relative (and absolute) tolerance of floats; by default 1e-12 for float64, 1e-5 for float32.
        refuse: True, or the code of an obstacle, if `NotOffloadableError` is the right answer; "maybe" if it is as
            right as CPython's.
        raises: the exception that at least one of the calls ends in; None if none does.
        compiles: how often xlapy may compile during the given calls (by `cache_info().misses`).

    Raises:
        SilentlyWrong, CompilerCrash, NotRefused, BadRefusal, TooManyCompiles: see these.
        xlapy.NotOffloadableError: the program was refused and should not have been.
    """
    steps = [as_step(step) for step in calls] if calls is not None else [Call(args, kwargs)]
    slots = world_of(fn, steps)
    expected: list[Outcome] = []
    run_all(fn, steps, slots, lambda f: f, expected)
    reject_unsound(expected, raises)
    if REFERENCE_ONLY:
        return
    import xlapy

    actual: list[Outcome] = []
    try:
        run_all(fn, steps, slots, xlapy.jit, actual)
    except Refused as refusal:
        check_refusal(refusal)
        compare_outcomes(expected, actual, rtol)
        if refuse in (True, "maybe") or refuse and any(b.code == refuse for b in refusal.error.blockers):
            return
        raise refusal.error from None
    compare_outcomes(expected, actual, rtol)
    if refuse and refuse != "maybe":
        raise NotRefused("this compiles now, and is right: drop refuse=True")
    if compiles is not None:
        check_compiles(actual[: sum(isinstance(step, Call) for step in steps)], compiles)


def world_of(fn: Callable, steps: list[Call | Do]) -> list[Slot]:
    target = getattr(fn, "func", fn)
    home = getattr(target, "__module__", None) or type(target).__module__
    return capture(home, fn, *(vars(step) for step in steps))


def run_all(fn: Callable, steps: list, slots: list[Slot], wrap: Callable, outcomes: list[Outcome]) -> None:
    """Run the steps, on copies, on `wrap(fn)`, and append what each call did; the world is put back afterwards."""
    original = [slot.get() for slot in slots]
    try:
        fn, copied = install(fn, steps, slots, original)
        f = wrap_or_refuse(fn, wrap)
        run_steps(f, fn, copied, slots, outcomes)
        if outcomes[-1].error is None:
            _, again = install(None, [first_call(steps)], slots, original)
            run_steps(f, fn, again, slots, outcomes)
    finally:
        for slot, value in zip(slots, original):
            slot.put(value)


def wrap_or_refuse(fn: Callable, wrap: Callable) -> Callable:
    try:
        return wrap(fn)
    except Exception as error:
        if is_refusal(error):
            raise Refused(error, None, None) from error
        raise


def first_call(steps: list) -> Call:
    return next(step for step in steps if isinstance(step, Call))


def install(fn: Callable | None, steps: list, slots: list[Slot], original: list) -> tuple[Callable | None, list]:
    """Put a copy of the original world in place, and copy the program and the steps with it."""
    values, fn, steps = copy_together((original, fn, steps))
    for slot, value in zip(slots, values):
        if hasattr(value, "cache_clear"):
            value.cache_clear()
        slot.put(value)
    return fn, steps


def run_steps(f: Callable, fn: Callable, steps: list, slots: list[Slot], outcomes: list[Outcome]) -> None:
    for step in steps:
        if isinstance(step, Do):
            step.action(*step.args)
        else:
            outcomes.append(run_call(f, fn, step, slots))


def run_call(f: Callable, fn: Callable, call: Call, slots: list[Slot]) -> Outcome:
    value, error, output = None, None, io.StringIO()

    def state():
        return (call.args, call.kwargs, [slot.get() for slot in slots], getattr(fn, "__self__", fn))

    before = copy_together(state())
    with contextlib.redirect_stdout(output), np.errstate(all="ignore"), warnings.catch_warnings(), time_limit():
        warnings.simplefilter("ignore")
        try:
            value = f(*call.args, **call.kwargs)
            wait_for_effects(f)
        except Exception as e:
            error = e
    if error is not None and is_refusal(error):
        raise Refused(error, before, copy_together(state()))
    value, after = copy_together((value, state()))
    misses = f.cache_info().misses if hasattr(f, "cache_info") and f is not fn else 0
    return Outcome(value, error, output.getvalue(), after, before, misses)


def wait_for_effects(f: Callable) -> None:
    if not isinstance(f, types.FunctionType) and not REFERENCE_ONLY:
        import jax

        jax.effects_barrier()


@contextlib.contextmanager
def time_limit():
    """A compiler that does not come to an end is a crash, too."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(signum, frame):
        raise CompilerCrash(f"still running after {TIME_LIMIT} s")

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(TIME_LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


class Refused(Exception):
    """xlapy refused a call: its error, and the world before and after it."""

    def __init__(self, error: BaseException, before: Any, after: Any):
        super().__init__(str(error))
        self.error, self.before, self.after = error, before, after


def is_refusal(error: BaseException) -> bool:
    return any(cls.__name__ == "NotOffloadableError" for cls in type(error).__mro__)


def reject_unsound(outcomes: list[Outcome], raises: type | tuple[type, ...] | None) -> None:
    """Complain of a test that cannot be meant so: CPython raises where no one said it would, or the other way."""
    errors = [outcome.error for outcome in outcomes if outcome.error is not None]
    for error in errors:
        if raises is None or not isinstance(error, raises):
            raise UnsoundProgram(f"CPython raised {error!r}") from error
    if raises is not None and not errors:
        raise UnsoundProgram(f"CPython never raised {raises.__name__}")
    for outcome in outcomes[:-1]:
        if outcome.error is not None and not same(outcome.before, outcome.state):
            raise UnsoundProgram("a call that changes its world and raises must be the last") from outcome.error


def same(a: Any, b: Any) -> bool:
    try:
        Comparison()(a, b, "")
    except Mismatch:
        return False
    return True


def compare_outcomes(expected: list[Outcome], actual: list[Outcome], rtol: float | None) -> None:
    for number, (ref, got) in enumerate(zip(expected, actual)):
        where = "the repeated first call" if number and number == len(expected) - 1 else f"call {number}"
        try:
            compare_outcome(ref, got, rtol)
        except Mismatch as mismatch:
            raise SilentlyWrong(f"{where}: {mismatch}") from got.error


def compare_outcome(ref: Outcome, got: Outcome, rtol: float | None) -> None:
    if got.error is not None and type(got.error) is not type(ref.error):
        expected = "a value" if ref.error is None else repr(ref.error)
        raise CompilerCrash(f"expected {expected}, got {type(got.error).__name__}: {got.error}") from got.error
    if ref.printed != got.printed:
        raise Mismatch(f"printed {ref.printed!r} expected, got {got.printed!r}")
    if ref.error is not None:
        compare_errors(ref.error, got)
        return
    same_objects = Comparison(rtol)
    same_objects(ref.state, got.state, "(args, kwargs, globals and cells, self)")
    same_objects(ref.value, got.value, "result")


def compare_errors(ref: BaseException, got: Outcome) -> None:
    if got.error is None:
        raise Mismatch(f"expected {ref!r}, got the value {got.value!r}")
    if str(ref) != str(got.error):
        raise Mismatch(f"message {str(ref)!r} expected, got {str(got.error)!r}")
    if type(ref.__cause__) is not type(got.error.__cause__) or str(ref.__cause__) != str(got.error.__cause__):
        raise Mismatch(f"cause {ref.__cause__!r} expected, got {got.error.__cause__!r}")
    if getattr(ref, "__notes__", None) != getattr(got.error, "__notes__", None):
        raise Mismatch(f"notes {ref.__notes__!r} expected")
    if type(ref).__module__.startswith("tests."):
        Comparison()(vars(ref), vars(got.error), "attributes of the exception")
    try:
        Comparison()(got.before, got.state, "(args, kwargs, globals and cells, self)")
    except Mismatch as mismatch:
        raise Mismatch(f"something was changed although the call raised: {mismatch}") from None


def check_refusal(refusal: Refused) -> None:
    """A refusal changes nothing, and each of its blockers has a code and a place."""
    try:
        Comparison()(refusal.before, refusal.after, "(args, kwargs, globals and cells, self)")
    except Mismatch as mismatch:
        raise SilentlyWrong(f"refused, but something was changed: {mismatch}") from refusal.error
    blockers = getattr(refusal.error, "blockers", None)
    if not blockers:
        raise BadRefusal("NotOffloadableError without blockers") from refusal.error
    for blocker in blockers:
        if not re.fullmatch(r"XP\d{4}", str(blocker.code)):
            raise BadRefusal(f"{blocker.code!r} is no code") from refusal.error
        if not blocker.filename or not isinstance(blocker.line, int) or blocker.line < 1:
            raise BadRefusal(f"blocker {blocker.code} does not say where it is") from refusal.error


def check_compiles(outcomes: list[Outcome], compiles: int) -> None:
    """The repeated first call is not counted: its world is a fresh copy."""
    history = [outcome.misses for outcome in outcomes]
    if history[-1] > compiles:
        raise TooManyCompiles(f"compiled {history[-1]} times where {compiles} are enough (after each call: {history})")


@dataclasses.dataclass
class Program:
    name: str
    fn: Callable
    steps: list
    options: dict

    def check(self) -> None:
        check(self.fn, calls=self.steps, **self.options)


class Programs:
    """The table of one test file. Call it as a decorator on a program, or `add` a callable under a name."""

    def __init__(self) -> None:
        self.table: list[Program] = []

    def __call__(self, *steps: Any, **options: Any) -> Callable:
        def register(fn):
            self.add(fn.__name__, fn, *steps, **options)
            return fn

        return register

    def add(self, name: str, fn: Callable, *steps: Any, **options: Any) -> None:
        if any(program.name == name for program in self.table):
            raise ValueError(f"two programs are called {name}")
        self.table.append(Program(name, fn, list(steps) or [()], options))

    def each(self, *steps: Any, options: dict | None = None, **programs: Callable) -> None:
        """Several one-line programs with the same steps."""
        for name, fn in programs.items():
            self.add(name, fn, *steps, **(options or {}))

    def test(self) -> Callable:
        """The parametrised test of all programs entered so far."""

        @pytest.mark.parametrize("program", [pytest.param(p, id=p.name) for p in self.table])
        def test_program(program):
            program.check()

        return test_program
