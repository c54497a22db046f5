"""A case: a function that calls a library, and what is expected of it."""

from __future__ import annotations

import copy
import dataclasses
import importlib.metadata
import warnings
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest
from packaging.version import Version

import xlapy


@dataclasses.dataclass(frozen=True)
class Case:
    """`refused` is a part of the reason with which the function is refused; empty if it compiles. `until` is the first
    version of the library of which it compiles all the same. `tolerance` is relative to the largest element."""

    library: str
    name: str
    function: Callable
    make: Callable[[], tuple]
    refused: str = ""
    tolerance: float = 1e-10
    until: str = ""

    @property
    def compiles(self) -> bool:
        """Whether it compiles with the version that is installed."""
        if self.refused and self.until:
            return Version(importlib.metadata.version(self.library)) >= Version(self.until)
        return not self.refused


class Cases:
    """The table of one library."""

    def __init__(self, library: str, tolerance: float = 1e-10) -> None:
        self.library, self.tolerance = library, tolerance
        self.table: list[Case] = []

    def __call__(
        self,
        name: str,
        make: Callable[[], tuple],
        refused: str = "",
        tolerance: float | None = None,
        until: str = "",
    ) -> Callable:
        """A decorator for a function of what `make` returns; it is called twice, with fresh arguments each time."""

        def enter(function: Callable) -> Callable:
            self.table.append(Case(self.library, name, function, make, refused, tolerance or self.tolerance, until))
            return function

        return enter

    def test(self) -> Callable:
        """The parametrised test of all cases."""

        @pytest.mark.parametrize("case", [pytest.param(case, id=case.name) for case in self.table])
        def test_case(case):
            check(case)

        return test_case


def check(case: Case) -> None:
    """Compare the library's own answer, and what it changed, with the compiled function's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _check(case)


def _check(case: Case) -> None:
    jitted = xlapy.jit(case.function)
    if not case.compiles:
        with pytest.raises(xlapy.NotOffloadableError) as caught:
            jitted(*case.make())
        assert case.refused in str(caught.value), str(caught.value)
        return
    for _ in range(2):
        arguments, mine = case.make(), case.make()
        agree((case.function(*arguments), arguments), (jitted(*mine), mine), case.tolerance)
    assert jitted.cache_info().misses == 1


def agree(expected: Any, got: Any, tolerance: float) -> None:
    """Assert that all numbers in two structures agree, and their dtypes."""
    one, two = numbers(expected), numbers(got)
    assert [path for path, _ in one] == [path for path, _ in two]
    for (path, a), (_, b) in zip(one, two, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        assert a.dtype == b.dtype and a.shape == b.shape, f"{path}: {a.dtype}{a.shape} expected, got {b.dtype}{b.shape}"
        scale = np.max(np.abs(a[np.isfinite(a)]), initial=0.0) if a.dtype.kind in "fc" else 0.0
        np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance * scale, err_msg=path)


def numbers(value: Any, path: str = "", seen: set[int] | None = None) -> list[tuple[str, Any]]:
    """All numbers and arrays in a structure of containers and objects."""
    seen = set() if seen is None else seen
    if isinstance(value, bool | int | float | complex | np.generic | np.ndarray | jax.Array):
        dtype = getattr(value, "dtype", None)
        return [] if dtype is not None and getattr(dtype, "kind", "key") not in "biufc" else [(path, value)]
    if (
        id(value) in seen
        or value is None
        or isinstance(value, str)
        or callable(value)
        and not hasattr(value, "__dict__")
    ):
        return []
    seen.add(id(value))
    if isinstance(value, dict):
        parts = value.items()
    elif isinstance(value, list | tuple):
        parts = enumerate(value)
    elif isinstance(value, type) or not hasattr(value, "__dict__"):
        return []
    else:
        parts = sorted(copy.copy(vars(value)).items())
    return [found for key, part in parts for found in numbers(part, f"{path}.{key}", seen)]
