"""Write docs/coverage-of-libraries.md from the tables of the tests: python -m tests.libraries"""

from __future__ import annotations

import importlib
import pathlib

FILE = pathlib.Path(__file__).parents[2] / "docs" / "coverage-of-libraries.md"
LIBRARIES = ("scipy", "filterpy", "optax", "equinox", "flax", "diffrax", "numba")
HEADER = """\
# Third-party code

Written by `python -m tests.libraries` from `tests/libraries`. Each line is a test: the library's code is compiled
from its own bytecode (Diffrax's solve is called as JAX code; of SciPy, root finders, QUADPACK and MINPACK, which are
compiled code, take the same steps in Python) and the answer is the library's own, or it is refused, with the reason
given.
"""


def page() -> str:
    """The text of the page."""
    text = HEADER
    for library in LIBRARIES:
        table = importlib.import_module(f"{__package__}.test_{library}").case.table
        works = sum(not case.refused for case in table)
        text += f"\n## {library}: {works} of {len(table)}\n\n| | |\n|---|---|\n"
        for case in table:
            name = case.name.replace("|", "\\|")
            state = f"refused: {case.refused}" if case.refused else "works"
            text += f"| {name} | {state}{f' (works from {library} {case.until} on)' if case.until else ''} |\n"
    return text


if __name__ == "__main__":
    FILE.write_text(page())
