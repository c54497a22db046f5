"""What became of a function: as text, and as one HTML page that needs nothing from elsewhere."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass

#: the column where notes begin at the latest
_MARGIN = 56


@dataclass(frozen=True)
class SourceLine:
    """A line of the source, and what became of it."""

    number: int
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Listing:
    """A function that is in the program: its name, its file, and its lines."""

    function: str
    filename: str
    lines: tuple[SourceLine, ...]

    def __str__(self) -> str:
        width = min(max((len(line.text) for line in self.lines if line.notes), default=0), _MARGIN)
        shown = [f"{self.function} in {self.filename}"]
        for line in self.lines:
            text = f"{line.number:5}  {line.text}"
            shown.append(f"{text:<{width + 7}}  # {'; '.join(line.notes)}" if line.notes else text.rstrip())
        return "\n".join(shown)


class Explanation(str):
    """What a call would do, or every obstacle: a text, which notebooks show as a page.

    Attributes:
        facts: the text before the listings.
        listings: the functions that are in the program, line by line.
    """

    facts: str
    listings: tuple[Listing, ...]
    _programs: Callable[[], dict[str, str]]

    def __new__(
        cls, facts: str, listings: Sequence[Listing] = (), programs: Callable[[], dict[str, str]] = dict
    ) -> Explanation:
        """Of facts and listings; `programs` gives what the page shows beside them, by title."""
        made = super().__new__(cls, "\n\n".join([facts, *map(str, listings)]))
        made.facts, made.listings, made._programs = facts, tuple(listings), programs
        return made

    def html(self) -> str:
        """The same as one page: the source on the left, the program and what XLA gets of it on the right. Lines that
        belong together are marked where the pointer is on one of them. The page needs no network."""
        source = "".join(map(_listing, self.listings))
        panes = "".join(
            f"<details{' open' * (k == 0)}><summary>{html.escape(title)}</summary><pre>{_program(text)}</pre></details>"
            for k, (title, text) in enumerate(self._programs().items())
        )
        return _PAGE.format(
            title=html.escape(self.facts.partition("\n")[0]), facts=html.escape(self.facts), source=source, panes=panes
        )

    def _repr_html_(self) -> str:
        """What Jupyter shows; in a frame, so that its styles and scripts are its own."""
        return f'<iframe srcdoc="{html.escape(self.html())}" style="width:100%;height:36em;border:0"></iframe>'


def _listing(listing: Listing) -> str:
    rows = []
    for line in listing.lines:
        notes = "".join(f"<b>{html.escape(note)}</b>" for note in line.notes)
        place = html.escape(f"{listing.function}:{line.number}")
        rows.append(f'<div data-at="{place}"><i>{line.number}</i><code>{html.escape(line.text)} </code>{notes}</div>')
    heading = f"<h2>{html.escape(listing.function)} <small>{html.escape(listing.filename)}</small></h2>"
    return f"{heading}<pre>{''.join(rows)}</pre>"


def _program(text: str) -> str:
    """Lines of a program; behind `#` are the places in the source, from the innermost call outwards."""
    rows = []
    for line in text.splitlines():
        shown, found, places = line.rpartition("  # ")
        if not found:
            shown, places = line, ""
        at = "".join(f" {place.strip()}" for place in places.split(" < ")).strip()
        rows.append(f'<div data-at="{html.escape(at)}">{html.escape(shown.rstrip())}</div>')
    return "".join(rows)


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 14px/1.45 system-ui, sans-serif; margin: 1.5em; color: #222; background: #fff }}
main {{ display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 1.5em; align-items: start }}
pre {{ font: 12px/1.5 ui-monospace, monospace; overflow: auto; background: #f6f7f9; padding: .7em; border-radius: 6px }}
h2 {{ font-size: 1em; margin: 1em 0 .3em }} small {{ color: #777; font-weight: normal }}
div[data-at] {{ white-space: pre; padding: 0 .3em }} div.on {{ background: #ffe9a8 }}
i {{ color: #999; display: inline-block; width: 3em; font-style: normal }}
b {{ font: 11px system-ui, sans-serif; background: #dcebff; border-radius: 4px; padding: 1px 6px; margin-left: 6px }}
summary {{ cursor: pointer; font-weight: 600 }}
@media (prefers-color-scheme: dark) {{ body {{ color: #ddd; background: #16181c }} pre {{ background: #202329 }}
div.on {{ background: #5a4a12 }} b {{ background: #24405f }} }}
</style></head><body>
<pre>{facts}</pre>
<main><section>{source}</section><section>{panes}</section></main>
<script>
const lines = [...document.querySelectorAll("div[data-at]")].filter(line => line.dataset.at);
const places = line => line.dataset.at.split(" ");
for (const line of lines) {{
  line.onmouseenter = () => lines.forEach(other =>
    other.classList.toggle("on", places(line).some(place => places(other).includes(place))));
  line.onmouseleave = () => lines.forEach(other => other.classList.remove("on"));
}}
</script></body></html>
"""

__all__ = ["Explanation", "Listing", "SourceLine"]
