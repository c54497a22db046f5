"""One HTML page with everything in it: it needs no network and no file beside it."""

import base64
from html import escape
from pathlib import Path

from benchmarks.report.tables import Table, tables
from benchmarks.results import Run

STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 1200px; padding: 0 1rem; color: #1b1f24; }
table { border-collapse: collapse; margin: 0 0 2rem; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .7rem; border-bottom: 1px solid #d8dee4; text-align: left; vertical-align: top; }
th { position: sticky; top: 0; background: #fff; } tr.bad { color: #b3261e; } .wide { overflow-x: auto; }
img { max-width: 100%; } dd { margin: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
@media (prefers-color-scheme: dark) { body { background: #14171a; color: #e4e7ea; } th { background: #14171a; }
  th, td { border-color: #333a41; } tr.bad { color: #ff8a80; } img { background: #fff; } }
"""


def render(run: Run, pictures: dict[str, Path]) -> str:
    """The page: circumstances, tables, plots (PNG files by their titles, which are embedded)."""
    facts = "".join(f"<dt>{escape(str(k))}</dt><dd>{escape(str(v))}</dd>" for k, v in run.environment.items() if v)
    halted = "<p><strong>Interrupted</strong>: the rows measured until then.</p>" if run.interrupted else ""
    body = "".join(grid(table) for table in tables(run))
    plots = "".join(
        f'<h2>{escape(title)}</h2><img alt="{escape(title)}" src="data:image/png;base64,{encoded(path)}">'
        for title, path in pictures.items()
    )
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>xlapy benchmarks</title><style>{STYLE}</style><h1>xlapy benchmarks</h1>"
        f"<p><code>{escape(' '.join(run.command))}</code></p>{halted}"
        f"<p>Times are medians ± interquartile ranges of interleaved samples.</p><dl>{facts}</dl>{body}{plots}</html>\n"
    )


def grid(table: Table) -> str:
    """One table as HTML."""
    head = "".join(f"<th>{escape(c)}</th>" for c in table.columns)
    rows = "".join(
        f"<tr{' class=bad' if i in table.bad else ''}>{''.join(f'<td>{escape(c)}</td>' for c in cells)}</tr>"
        for i, cells in enumerate(table.rows)
    )
    return f'<h2>{escape(table.heading)}</h2><div class="wide"><table><tr>{head}</tr>{rows}</table></div>'


def encoded(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode("ascii")
