"""Documents that run: `python -m tests.documents.document docs/how-it-works.md` writes what its programs print.

Each block of Python in a Markdown file is run, in order and in one namespace; a block of text right behind it is what
it prints. The blocks of one section, from one heading of the second level to the next, are one file, named for the
heading, so that messages and printed programs name its lines; a section's first block begins at line 1.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import pathlib
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

#: a heading; or a block of Python, and what is said to be printed
_PARTS = re.compile(
    r"^## (?P<heading>[^\n]*)$"
    r"|^```python\n(?P<program>.*?)^```\n(?:\n```text\n(?P<printed>.*?)^```\n)?",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Block:
    """A block of Python: its text, what is said to be printed (None: nothing is said), where in the document the second
    is or would be, and the place in the section's file."""

    program: str
    printed: str | None
    start: int
    end: int
    filename: str
    line: int


def blocks(text: str) -> Iterator[Block]:
    """The blocks of a document, in order."""
    filename, line = "start.py", 1
    for found in _PARTS.finditer(text):
        if found["heading"] is not None:
            filename, line = re.sub(r"\W+", "_", found["heading"].lower()).strip("_") + ".py", 1
            continue
        after = found.end("program") + len("```\n")
        yield Block(found["program"], found["printed"], after, found.end(), filename, line)
        line += found["program"].count("\n") + 1


def outputs(text: str) -> Iterator[tuple[Block, str]]:
    """Run a document; each block with what it prints."""
    space: dict = {"__name__": "document"}
    sources: dict[str, str] = {}
    for block in blocks(text):
        sources[block.filename] = source = sources.get(block.filename, "") + block.program + "\n"
        name = block.filename
        linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (block.line - 1) + block.program, name, "exec", dont_inherit=True), space)
        yield block, "\n".join(line.rstrip() for line in printed.getvalue().rstrip().splitlines())


def written(text: str) -> str:
    """The document with what its blocks print."""
    parts, end = [], 0
    for block, printed in outputs(text):
        parts += [text[end : block.start], f"\n```text\n{printed}\n```\n" if printed else ""]
        end = block.end
    return "".join(parts) + text[end:]


if __name__ == "__main__":
    for path in map(pathlib.Path, sys.argv[1:]):
        path.write_text(written(path.read_text()))
