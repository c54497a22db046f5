"""The ways in which a program may run on a CPU, and what holds in all of them."""

import copy
from collections.abc import Callable, Iterator

import jax
import numpy as np

import xlapy
from xlapy.lowering.cpu_xla import rewriting
from xlapy.runtime import native_calls

#: as machine code, by XLA with functions of machine code that it calls, and by XLA without these
ALL = ["machine code", "XLA", "XLA alone"]


def chosen(way: str, monkeypatch, alone: tuple[object, str]) -> Iterator[str]:
    """Makes programs run in one of `ALL`; `alone` is the question whether XLA may call a function, its module and
    name."""
    if way != "machine code":
        monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: None)
    if way == "XLA alone":
        monkeypatch.setattr(*alone, lambda dtype: False)
    rewriting._rewritten.cache_clear()
    yield way
    rewriting._rewritten.cache_clear()


def check_machine_code(function: Callable, given: tuple, whole: bool, monkeypatch) -> None:
    """A program is machine code as a whole, or called by XLA, and does what NumPy does, to its arguments too."""
    made: list = []
    original = native_calls.whole_as_machine_code
    monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *a: made.append(original(*a)) or made[-1])
    if not whole:
        monkeypatch.setattr(native_calls, "whole_as_machine_code", lambda *args: made.append(True))
    theirs, ours = copy.deepcopy(given), copy.deepcopy(given)
    wanted, found = function(*theirs), xlapy.jit(function, returns="numpy")(*ours)
    assert made and made[0] is not None
    for one, other in zip(jax.tree.leaves((found, ours)), jax.tree.leaves((wanted, theirs)), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        assert np.asarray(one).dtype == np.asarray(other).dtype
