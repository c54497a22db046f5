"""`python -m tests.report.page` writes docs/errors.md from the table of codes and the programs that are refused."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np

from xlapy.report import CODES, NotOffloadableError

from .programs import PROGRAMS, Program, source_of, standalone

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "errors.md"
HEAD = """\
# What is refused, and what to write instead

Written by `python -m tests.report.page` from `xlapy.report.CODES` and the programs of `tests/report/programs.py`, each
of which is run by a test; another one fails where this page is stale.

A function that cannot become one program is refused by `xlapy.NotOffloadableError` when it is called. Nothing has run
then, and nothing has been changed. The error lists every obstacle that was found, each with

- a *code*, which is explained here;
- the place in the source, with the calls that lead there, the innermost first;
- a *hint* at what to write instead: one of its own, or that of the code.

`error.blockers` has them as data. `xlapy.jit(f).explain(*args)` gives the same text without raising.
`xlapy.jit(f, fallback=True)` runs such a function in CPython, after one warning.
"""


def written(argument: Any) -> str:
    """An argument as it is written in a call."""
    if not isinstance(argument, np.ndarray):
        return repr(argument)
    if argument.size > 10:
        return f"np.ones({argument.size})"
    elements = str(argument.tolist()).replace("nan", "np.nan")
    return f"np.array({elements}{', dtype=object' if argument.dtype == object else ''})"


def call(known: Program, name: str, args: tuple) -> str:
    """The text of a call."""
    return f"{known.compiled.format(name)}({', '.join(map(written, args))})"


def message(known: Program) -> str:
    """What a user reads."""
    try:
        standalone(known, "program.py")(*known.args)
    except NotOffloadableError as error:
        return str(error)
    raise AssertionError(f"{known.function.__name__} is not refused")


def example(known: Program) -> list[str]:
    """A program, its refusal, and what to write instead."""
    name = known.function.__name__
    source = "\n\n\n".join(map(source_of, (*known.others, known.function)))
    parts = [
        f"```python\n{source}\n\n\n{call(known, name, known.args)}\n```",
        f"```text\n{message(known)}\n```",
    ]
    if known.instead is not None:
        text = call(known, known.instead.__name__, known.instead_args)
        parts += ["Instead:", f"```python\n{source_of(known.instead)}\n\n\n{text}\n```"]
    return parts


def text() -> str:
    """The page."""
    parts = [HEAD.rstrip()]
    for code, what in CODES.items():
        parts += [f"## {code}", f"**{what.meaning[0].upper()}{what.meaning[1:]}.** {what.why}"]
        shown = [known for known in PROGRAMS.values() if known.code == code and known.instead is not None]
        parts += [part for known in shown for part in example(known)] or [f"What to do: {what.advice}."]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    PAGE.write_text(text())
