"""The run as Markdown."""

from benchmarks.report.tables import Table, tables
from benchmarks.results import Run


def render(run: Run) -> str:
    """The circumstances, then every table."""
    parts = ["# Benchmark results", "", f"`{' '.join(run.command)}`", ""]
    if run.interrupted:
        parts += ["**Interrupted**: the rows measured until then.", ""]
    parts += ["Times are medians ± interquartile ranges of interleaved samples.", ""]
    parts += [f"- {name}: {value}" for name, value in run.environment.items() if value not in (None, {}, [])]
    for table in tables(run):
        parts += ["", f"## {table.heading}", "", *grid(table)]
    return "\n".join(parts) + "\n"


def grid(table: Table) -> list[str]:
    """One table, its lines."""
    lines = [row(table.columns), row(["---"] * len(table.columns))]
    return lines + [row(cells) for cells in table.rows]


def row(cells: list[str]) -> str:
    """One line, with the bars inside cells escaped."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
