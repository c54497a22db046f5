"""Tables on the terminal."""

from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from benchmarks.compare import BROKEN, FASTER, GONE, MENDED, NEW, SAME, SLOWER, Change
from benchmarks.report.tables import HEADINGS, seconds, tables
from benchmarks.results import Result, Run

# Columns that only the files show.
TOO_WIDE = ("most, before",)
COLOURS = {FASTER: "green", SLOWER: "red", BROKEN: "red", MENDED: "green", NEW: "cyan", GONE: "yellow", SAME: "dim"}


def line(row: Result) -> str:
    """One line for a row that has no time."""
    where = " ".join(
        filter(None, [row.suite, row.case, row.dtype, f"batch {row.batch}" if row.batch else "", row.device])
    )
    colour = "yellow" if row.status in ("estimate", "skipped") else "red"
    return f"[{colour}]{row.status}[/] {escape(where)} · [bold]{escape(row.peer)}[/]: {escape(row.message)}"


def show_environment(console: Console, facts: dict[str, Any]) -> None:
    """One line on what this runs on, two where flags are set."""
    versions = " ".join(f"{k} {v}" for k, v in facts["versions"].items())
    console.print(
        f"{facts['processor']}, {facts['cores']} cores · Python {facts['python']} · {versions}", highlight=False
    )
    if facts["flags"]:
        console.print(" ".join(f"{k}={v}" for k, v in facts["flags"].items()), style="dim", highlight=False)


def show(console: Console, run: Run) -> None:
    """All tables of a run."""
    for table in tables(run):
        shown = [i for i, column in enumerate(table.columns) if column not in TOO_WIDE]
        grid = Grid(title=table.heading, title_justify="left", header_style="bold")
        for column in (table.columns[i] for i in shown):
            grid.add_column(
                column, overflow="fold", justify="right" if column not in ("case", "peer", "notes") else "left"
            )
        for i, cells in enumerate(table.rows):
            grid.add_row(*(escape(cells[j]) for j in shown), style="red" if i in table.bad else None)
        console.print(grid)


def show_changes(console: Console, changes: list[Change], before: Run, after: Run) -> None:
    """What changed beyond noise between two runs, and how many times did not."""
    for name, run in (("before", before), ("after", after)):
        facts = run.environment
        console.print(
            f"{name}: {facts.get('when')} · {facts.get('processor')} · {facts.get('commit')}", highlight=False
        )
    grid = Grid(header_style="bold")
    for column in ("case", "peer", "device", "batch", "phase", "before", "after", "after / before", ""):
        grid.add_column(column)
    shown = [c for c in changes if c.verdict != SAME]
    for c in shown:
        row = c.row
        old, new = (seconds(s.median) if s is not None else "" for s in (c.before, c.after))
        ratio = f"{c.ratio:.3f}" if c.ratio is not None else ""
        colour, phase = COLOURS[c.verdict], HEADINGS.get(c.phase, c.phase)
        cells = [
            f"{row.suite}: {row.case} {row.dtype}",
            row.peer,
            row.device,
            str(row.batch or ""),
            phase,
            old,
            new,
            ratio,
        ]
        grid.add_row(*map(escape, cells), f"[{colour}]{c.verdict}[/]")
    if shown:
        console.print(grid)
    console.print(f"{len(changes) - len(shown)} times the same within noise, {len(shown)} changed.")
