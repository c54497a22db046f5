"""Why a function cannot be offloaded: coded, located obstacles, and the error that carries them all."""

from __future__ import annotations

import linecache
from dataclasses import dataclass
from itertools import groupby

#: every code, with what it means; the documentation and a test go through this table
CODES: dict[str, str] = {
    "XP0002": "a bytecode operation is not supported",
    "XP0003": "a built-in or compiled function has no rule",
    "XP0004": "an operation has no rule for these types",
    "XP0005": "an object has a type that XLA cannot hold",
    "XP0006": "a value must be known at compile time but depends on array data",
    "XP0007": "the paths of a branch or loop give values that have no common type",
    "XP0008": "recursion whose depth depends on data",
    "XP0009": "a loop cannot be kept and cannot be unrolled",
    "XP0010": "an effect that cannot be brought back to the caller",
    "XP0011": "an argument of a library function is not supported",
    "XP0012": "arrays overlap in memory in a way that is not tracked",
    "XP0013": "a shape depends on data",
    "XP0014": "the bytecode cannot be structured",
    "XP0015": "something that cannot be done under a JAX transformation from outside",
    "XP0016": "an operation that JAX cannot differentiate or batch",
    "XP0099": "an internal error of xlapy",
}


@dataclass(frozen=True)
class Blocker:
    """One obstacle: `code` (see `CODES`), `message`, place in the source, call chain (innermost first), `hint`."""

    code: str
    message: str
    filename: str | None = None
    function: str | None = None
    line: int | None = None
    end_line: int | None = None
    column: int | None = None
    end_column: int | None = None
    chain: tuple[tuple[str, str, int | None], ...] = ()
    hint: str = ""

    def __str__(self) -> str:
        lines = [f"{self.code}: {self.message}"]
        if self.filename is not None:
            lines.append(f'  File "{self.filename}", line {self.line}, in {self.function}')
            lines.extend(_caret(self))
        for (function, filename, line), times in groupby(self.chain):
            count = len(list(times))
            again = f" ({count} times)" if count > 1 else ""
            lines.append(f'  called from "{filename}", line {line}, in {function}{again}')
        if self.hint:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


def _caret(blocker: Blocker) -> list[str]:
    if blocker.filename is None or blocker.line is None:
        return []
    text = linecache.getline(blocker.filename, blocker.line).rstrip("\n")
    if not text.strip():
        return []
    stripped = text.lstrip()
    indent = len(text) - len(stripped)
    shown = [f"    {stripped}"]
    if blocker.column is not None:
        encoded = text.encode()
        start = len(encoded[: blocker.column].decode(errors="replace")) - indent
        end = len(stripped)
        if blocker.end_line == blocker.line and blocker.end_column is not None:
            end = len(encoded[: blocker.end_column].decode(errors="replace")) - indent
        shown.append("    " + " " * max(start, 0) + "^" * max(end - start, 1))
    return shown


class NotOffloadableError(Exception):
    """The function cannot become one XLA program. Nothing was run and nothing was changed.

    Attributes:
        blockers: every obstacle that was found, in program order.
    """

    def __init__(self, function: str, blockers: list[Blocker]) -> None:
        self.function = function
        self.blockers = tuple(blockers)
        count = len(self.blockers)
        heading = f"{function} cannot be offloaded: {count} obstacle{'s' if count != 1 else ''}"
        super().__init__("\n".join([heading, *map(str, self.blockers)]))
