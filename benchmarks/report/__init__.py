"""What a run shows and leaves: a terminal table, JSON, Markdown, plots, and one self-contained HTML page."""

from pathlib import Path

from benchmarks.report import markdown, page, plots
from benchmarks.results import Run


def write(run: Run, folder: Path) -> list[Path]:
    """Writes results.json, results.md, the plots and report.html into a folder it makes; returns the paths."""
    folder.mkdir(parents=True, exist_ok=True)
    data, text, html = folder / "results.json", folder / "results.md", folder / "report.html"
    run.save(data)  # first: it is what must not be lost
    text.write_text(markdown.render(run))
    pictures = plots.draw(run, folder)
    html.write_text(page.render(run, pictures))
    return [data, text, *pictures.values(), html]
