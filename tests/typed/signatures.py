"""What type checkers know of compiled functions; `tests/test_types.py` has pyright read it."""

from collections.abc import Callable
from typing import assert_type

import numpy as np

import xlapy
from xlapy.report.explanation import Explanation


@xlapy.jit
def scaled(x: np.ndarray, factor: float = 2.0, *, times: int = 1) -> np.ndarray:
    """Its documentation."""
    return x * factor**times


@xlapy.jit(returns="numpy")
def count(x: np.ndarray) -> int:
    return len(x)


class Line:
    slope = 2.0

    @xlapy.jit
    def at(self, x: float) -> float:
        return self.slope * x


assert_type(scaled(np.ones(2), 3.0, times=2), np.ndarray)
assert_type(count(np.ones(2)), int)
assert_type(Line().at(1.0), float)
assert_type(scaled.explain(np.ones(2)), Explanation)
function: Callable[[np.ndarray], int] = count
scaled(np.ones(2), "three")  # type: ignore  # an error: no number
scaled()  # type: ignore  # an error: no array
