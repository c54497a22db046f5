"""Whether programs do on a device what they do in CPython: a part of the semantic tests, and gradients of others."""

import importlib
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import jax

from benchmarks.measure import single
from benchmarks.plan import Case, Plan
from benchmarks.results import WRONG, Result, one_line

TESTS = Path(__file__).resolve().parents[2] / "tests" / "semantics"
SHOWN = 5  # programs that are named, of those that went wrong in a case


def cases(plan: Plan) -> list[Case]:
    """A case for each file of tests, with its part of the programs that the plan wants."""
    found = [(path.stem, program) for path in sorted(TESTS.glob("test_*.py")) for program in programs_of(path.stem)]
    rows = []
    for kind, judge, many in (("programs", values, plan.programs), ("gradients", gradients, plan.gradients)):
        chosen = spread(found, many)
        for module in dict.fromkeys(name for name, _ in chosen):
            programs = [program for name, program in chosen if name == module]
            rows.append(Case("semantics", f"{kind} of {module}", partial(judged, kind, module, programs, judge)))
    Random(0).shuffle(rows)  # where there is no time for all, some of each kind have been looked at
    return rows


def programs_of(module: str) -> list[Any]:
    """The programs in a file of tests."""
    from tests.semantics.runner import Programs

    tables = vars(importlib.import_module(f"tests.semantics.{module}")).values()
    return [program for table in tables if isinstance(table, Programs) for program in table.table]


def spread(items: Sequence, many: int) -> list:
    """So many of some items, at equal distances."""
    return [items[k * len(items) // many] for k in range(min(many, len(items)))] if many < len(items) else list(items)


def values(program: Any) -> str | None:
    """What a program does otherwise than CPython, or None."""
    try:
        program.check()
    except Exception as error:
        return one_line(error)
    return None


def gradients(program: Any) -> str | None:
    """Where a program's gradient is not the central difference, or None."""
    from tests.gradients.sweep import judged

    verdict = judged(program)
    return f"{verdict.kind}: {verdict.detail}" if verdict.kind in ("wrong", "crash") else None


def judged(
    kind: str, module: str, programs: Sequence[Any], judge: Callable[[Any], str | None], plan: Plan
) -> Iterable[Result]:
    """One row: how many programs are right, and which are not."""
    row = Result("semantics", f"{kind} of {module}", "xlapy", jax.default_backend())
    start, wrong = time.perf_counter(), {}
    for program in programs:
        found = judge(program)
        if found is not None:
            wrong[program.name] = found
    row.times["total"] = single(time.perf_counter() - start)
    row.message = f"{len(programs) - len(wrong)} of {len(programs)} are right"
    row.figures = {"programs": len(programs), "right": len(programs) - len(wrong)}
    if wrong:
        row.figures["wrong"] = wrong
        shown = "; ".join(f"{name}: {text}" for name, text in list(wrong.items())[:SHOWN])
        row.status, row.message = WRONG, f"{row.message}; {shown}"
    return [row]
