"""What a generated program knows at one point of its text: its names, each with a sample of its value.

Samples decide what may be written next (an array can be indexed, a list appended to). They are found by running the
text itself, so that no rule of Python or NumPy is repeated here.
"""

from __future__ import annotations

import copy
import dataclasses
import warnings
from typing import Any

import numpy as np

#: text that no program of ours should reach with its samples
LIMIT = 10**6


class Unusable(Exception):
    """The text cannot be run with the samples."""


def kind_of(value: Any) -> str:
    """The kind that the generator tells apart."""
    match value:
        case bool():
            return "bool"
        case int():
            return "int"
        case float() if not isinstance(value, np.generic):
            return "float"
        case np.bool_():
            return "npbool"
        case np.integer():
            return "npint"
        case np.floating():
            return "npfloat"
        case np.ndarray():
            return ("vector" if value.ndim == 1 else "matrix") if value.ndim in (1, 2) and value.size else "other"
        case list() | tuple() | dict():
            return type(value).__name__
    return "object" if type(value).__name__ in ("Cell", "Sub", "Pair") else "other"


@dataclasses.dataclass
class Scope:
    """Names with samples. `loop` and `function` say what surrounds; `dynamic` whether a loop on data does."""

    names: dict[str, Any]
    globals: dict[str, Any]
    loop: bool = False
    function: bool = False
    dynamic: bool = False
    #: names that text may read but must not bind (counters of `while` loops)
    fixed: frozenset[str] = frozenset()
    #: how many more statements the program may have; shared by all scopes of a program
    left: list[int] = dataclasses.field(default_factory=lambda: [12])

    def inner(self, **changes: Any) -> Scope:
        """A scope for a nested block: what it binds stays in it."""
        return dataclasses.replace(self, names=dict(self.names), **changes)

    def of(self, *kinds: str) -> list[str]:
        """Names whose samples are of these kinds."""
        return [name for name, value in self.names.items() if kind_of(value) in kinds]

    def evaluate(self, text: str) -> Any:
        """The sample value of an expression; the samples stay as they are."""
        return self._run(text, "eval")[0]

    def execute(self, text: str) -> None:
        """Run a statement on copies of the samples, which become the new samples."""
        after = self._run(text, "exec")[1]
        self.names = {
            k: v for k, v in after.items() if k in self.names or k not in self.globals and k != "__builtins__"
        }

    def _run(self, text: str, mode: str) -> tuple[Any, dict]:
        names = {**self.globals, **copy.deepcopy(self.names)}
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                value = eval(compile(text, "<sample>", mode), names)
        except Exception as error:
            raise Unusable(text) from error
        if isinstance(value, int) and abs(value) > LIMIT:
            raise Unusable(text)
        return value, names
