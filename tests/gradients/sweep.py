"""Gradients of the programs of `tests/semantics`, each against central differences of what CPython computes.

    python -m tests.gradients.sweep                       # all of them, about an hour
    python -m tests.gradients.sweep test_masks test_views

A program becomes a number: the weighted sum of all floats that it returns and leaves in its arguments. It is
differentiated by its arguments that are floats or arrays of float64, moved a little from where they are, since many a
program stands on an edge there. Elements at which two central differences disagree are not judged.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import xlapy
from tests.semantics.runner import CompilerCrash, Program, Programs, as_step, time_limit

#: elements of each argument that are compared
ELEMENTS = 8
STEPS = (1e-5, 2.5e-6)
#: programs whose derivative is what it is by convention, or in single precision (see `xlapy.grad`), with the reason
CONVENTIONS = {
    "golden_section": "the answer is an end of a bracket: a step function of the others",
    "bisection": "the same",
    "bisection_guarded": "the same",
    "householder_r": "rounds its result",
    "kinds_of_results": "computes in float32",
    "n_body_with_energies": "the square root of a distance that is zero",
    "pair_counts_within": "the same",
    "own_warning_ignored": "the square root of a negative number",
}


class Verdict(NamedTuple):
    """What came out: 'right', 'wrong', 'refused', 'crash', or 'skipped' where there is nothing to differentiate."""

    kind: str
    detail: str = ""


def weighed(value: Any) -> Any:
    """The sum of all floats in a value, each with a weight of its own. Compiled with the program."""
    if isinstance(value, tuple | list):
        total, weight = 0.0, 1.0
        for item in value:
            total = total + weight * weighed(item)
            weight += 0.25
        return total
    if isinstance(value, dict):
        total = 0.0
        for item in value.values():
            total = total + 1.5 * weighed(item)
        return total
    if isinstance(value, np.ndarray):
        if value.dtype.kind == "f":
            flat = value.ravel()
            return (flat * np.cos(0.3 * np.arange(len(flat)))).sum()
        if value.dtype.kind == "c":
            flat = value.ravel()
            return (flat.real * np.cos(0.3 * np.arange(len(flat)))).sum() + (flat.imag * 0.7).sum()
        return 0.0
    if isinstance(value, float | np.floating):
        return value * 1.0
    if isinstance(value, complex | np.complexfloating):
        return value.real + 0.5 * value.imag
    return 0.0


def judged(program: Program) -> Verdict:
    """The gradient of a program's first call with positional arguments."""
    calls = [step for step in map(as_step, program.steps) if hasattr(step, "args") and not getattr(step, "kwargs", 1)]
    if program.name in CONVENTIONS or not calls:
        return Verdict("skipped")
    args = moved(copy.deepcopy(calls[0].args), np.random.default_rng(len(program.name)))
    places = tuple(i for i, a in enumerate(args) if is_float(a))

    def number(*args):
        total = weighed(program.fn(*args))
        for place in places:
            total = total + 0.3 * weighed(args[place])
        return total

    def by_python(args: list) -> float:
        return float(number(*copy.deepcopy(args)))

    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            value = by_python(args)
            if not places or not np.isfinite(value) or value != by_python(args):
                return Verdict("skipped")
        except Exception:
            return Verdict("skipped")
        try:
            with time_limit():
                found, slopes = xlapy.value_and_grad(number, argnums=places)(*copy.deepcopy(args))
        except xlapy.NotOffloadableError as refusal:
            return Verdict("refused", str(refusal))
        except (Exception, CompilerCrash) as error:
            return Verdict("crash", repr(error))
        if not np.isclose(found, value, rtol=1e-9, atol=1e-9):
            return Verdict("wrong", f"the value is {found}, not {value}")
        for place, slope in zip(places, slopes, strict=True):
            wrong = difference(by_python, args, place, np.asarray(slope))
            if wrong:
                return Verdict("wrong", wrong)
    return Verdict("right")


def is_float(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype == np.float64 and value.size > 0
    return type(value) in (float, np.float64)


def moved(args: tuple, random: np.random.Generator) -> list:
    """Arguments next to these."""
    return [type(a)(a + 1e-3 * random.uniform(0.3, 1)) if type(a) in (float, np.float64) else
            a + 1e-3 * random.uniform(0.3, 1, a.shape) if is_float(a) else a for a in args]  # fmt: skip


def difference(number: Any, args: list, place: int, slope: np.ndarray) -> str:
    """Where a slope is not the central difference; empty if it is nowhere so."""
    value = np.asarray(args[place], np.float64)
    if slope.shape != value.shape:
        return f"the gradient has the shape {slope.shape}, not {value.shape}"
    for k in np.random.default_rng(0).permutation(value.size)[:ELEMENTS]:
        quotients = []
        for step in STEPS:
            step *= max(1.0, abs(value.flat[k]))
            ends = []
            for sign in (1, -1):
                other = value.copy()
                other.flat[k] += sign * step
                given = other if isinstance(args[place], np.ndarray) else type(args[place])(other)
                try:
                    ends.append(number([*args[:place], given, *args[place + 1 :]]))
                except Exception:
                    ends.append(np.nan)
            quotients.append((ends[0] - ends[1]) / (2 * step))
        if not np.isclose(*quotients, rtol=1e-4, atol=1e-6):
            continue
        if not np.isclose(slope.flat[k], quotients[0], rtol=1e-3, atol=1e-5):
            return f"argument {place}, element {k}: {slope.flat[k]}, and the difference quotient is {quotients[0]}"
    return ""


def programs_of(module: str) -> list[Program]:
    """The programs of a file of `tests/semantics`."""
    found = importlib.import_module(f"tests.semantics.{module}")
    return [program for table in vars(found).values() if isinstance(table, Programs) for program in table.table]


def main() -> int:
    folder = Path(__file__).parent.parent / "semantics"
    modules = sys.argv[1:] or sorted(path.stem for path in folder.glob("test_*.py"))
    total: Counter[str] = Counter()
    for module in modules:
        for program in programs_of(module):
            verdict = judged(program)
            total[verdict.kind] += 1
            if verdict.kind not in ("right", "skipped"):
                print(f"{module}[{program.name}] {verdict.kind}: {verdict.detail}", flush=True)
    print(dict(total))
    return 1 if total["wrong"] + total["crash"] else 0


if __name__ == "__main__":
    sys.exit(main())
