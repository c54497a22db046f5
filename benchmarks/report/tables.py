"""The cells of the tables, common to the terminal, Markdown and HTML."""

from collections.abc import Iterable
from dataclasses import dataclass

from benchmarks.measure import Stats, geometric_mean
from benchmarks.results import ESTIMATE, OK, Result, Run

PHASES = ("lower", "compile", "run", "total", "host_to_device", "device_to_host")
HEADINGS = {"host_to_device": "to device", "device_to_host": "to host"}


def seconds(value: float) -> str:
    """Three significant figures with the unit that suits them."""
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if value >= factor:
            return f"{value / factor:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def time(stats: Stats | None) -> str:
    """Median ± interquartile range, or the figure alone where it was taken once."""
    if stats is None:
        return ""
    if len(stats.samples) == 1:
        return seconds(stats.median)
    return f"{seconds(stats.median)} ± {seconds(stats.iqr)}"


def size(count: int | float) -> str:
    """Bytes in a unit that suits them."""
    for factor, unit in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= factor:
            return f"{count / factor:.3g} {unit}"
    return f"{count:g} B"


@dataclass(frozen=True)
class Table:
    """A heading, column names, and rows of text; `bad` holds the indices of rows that failed."""

    heading: str
    columns: list[str]
    rows: list[list[str]]
    bad: frozenset[int] = frozenset()


def note(row: Result) -> str:
    """The last cell: why there is no time, or the ratios, bytes and estimates beside it."""
    parts = [row.message] if row.message else []
    parts += [ratio.text() for ratio in row.ratios]
    parts += [f"{HEADINGS.get(k, k)} {size(v)}" for k, v in row.moved.items()]
    figures = row.figures
    if "estimated_seconds" in figures:
        parts.append(f"≥ {seconds(figures['estimated_seconds'])}")
        parts.append(f"{figures['flops'] / 1e9:.3g} GFLOP, {size(figures['bytes_accessed'])}")
    if "temp_bytes" in figures and row.status == ESTIMATE:
        parts.append(f"memory {size(figures['argument_bytes'] + figures['temp_bytes'] + figures['output_bytes'])}")
    if "launches" in figures:
        parts.append(f"{figures['launches']:,} launches, {figures['steps']:,} iterations")
        parts.append(f"temporary memory {size(figures.get('temp_bytes', 0))}")
    if "operations" in figures:
        parts.append(", ".join(f"{count} {name}" for name, count in figures["operations"].items()))
    if "flops_per_second" in figures:
        parts.append(f"{figures['flops_per_second'] / 1e9:.4g} GFLOP/s")
    if "roofline_fraction" in figures:
        parts.append(f"{figures['roofline_fraction']:.0%} of the roofline")
    return "; ".join(parts)


def tables(run: Run) -> list[Table]:
    """One table per suite with its rows, then instruction counts, then the summary of ratios against targets."""
    out = []
    for suite in dict.fromkeys(r.suite for r in run.results):
        rows = [r for r in run.results if r.suite == suite]
        phases = [p for p in PHASES if any(p in r.times for r in rows)]
        extra = sorted({p for r in rows for p in r.times} - set(PHASES))
        columns = ["case", "peer", "device", "batch", *(HEADINGS.get(p, p) for p in (*phases, *extra)), "notes"]
        cells = []
        for r in rows:
            label = r.status if r.status not in (OK, ESTIMATE) else ""
            named = r.case + (f" {r.dtype}" if r.dtype else "")
            times = [time(r.times.get(p)) for p in (*phases, *extra)]
            cells.append([named, r.peer, r.device, str(r.batch or ""), *times, f"{label.upper()} {note(r)}".strip()])
        bad = frozenset(i for i, r in enumerate(rows) if r.status not in (OK, ESTIMATE))
        out.append(Table(suite, columns, cells, bad))
    return [t for t in (*out, by_batch(run.results), instructions(run.results), summary(run.results)) if t.rows]


def by_batch(rows: Iterable[Result]) -> Table:
    """VGG19's forward pass as in the paper's figure 2: one line per peer and device, off the CPU for *total* (from
    host to host) and *compute* apart, one column per batch."""
    lines: dict[str, dict[int, Stats]] = {}
    batches = set()
    for r in rows:
        if r.suite != "vgg19" or r.case != "forward" or r.status != OK or r.batch is None:
            continue
        batches.add(r.batch)
        phases = {"run": ""} if r.device == "cpu" else {"total": " (total)", "run": " (compute)"}
        for phase, suffix in phases.items():
            if phase in r.times:
                lines.setdefault(f"{r.peer} {r.device.upper()} {r.dtype}{suffix}", {})[r.batch] = r.times[phase]
    columns = sorted(batches)
    cells = [[name, *(time(line.get(batch)) for batch in columns)] for name, line in lines.items()]
    return Table("VGG19 forward, by batch", ["", *(f"batch {b}" for b in columns)], cells)


def instructions(rows: Iterable[Result]) -> Table:
    """Instruction counts as in the paper's figure 3: entry and total, before and after the optimiser, by opcode."""
    cells = []
    for r in rows:
        counts = r.figures.get("instructions", {})
        if r.suite != "vgg19" or "before" not in counts or "after" not in counts:
            continue
        top = sorted(counts["before"]["total"].items(), key=lambda item: -item[1])[:8]
        sums = [str(counts[stage][part]) for stage in ("before", "after") for part in ("entry_sum", "total_sum")]
        cells.append(
            [f"{r.case} {r.dtype}", r.peer, r.device, str(r.batch), *sums, ", ".join(f"{k} {v}" for k, v in top)]
        )
    columns = [
        "program",
        "peer",
        "device",
        "batch",
        "entry before",
        "total before",
        "entry after",
        "total after",
        "most, before",
    ]
    return Table("instruction counts", columns, cells)


def summary(rows: Iterable[Result]) -> Table:
    """For each ratio that stands in several rows of a suite and peer: its geometric mean, worst, and how many met the
    target."""
    groups: dict[tuple[str, str, str], list] = {}
    for r in rows:
        for ratio in r.ratios:
            groups.setdefault((r.suite, r.peer, ratio.name), []).append(ratio)
    cells = []
    for (suite, peer, name), ratios in groups.items():
        values = [r.value for r in ratios]
        if len(ratios) < 3 or any(v <= 0 for v in values):
            continue
        targets = {(r.at_least, r.target) for r in ratios if r.target is not None}
        bounds = ", ".join(f"at {'least' if least else 'most'} {target:g}" for least, target in sorted(targets))
        met = f"{sum(bool(r.met) for r in ratios)} of {len(ratios)} ({bounds})" if targets else ""
        cells.append(
            [suite, peer, name, f"{geometric_mean(values):.3g}", f"{min(values):.3g}", f"{max(values):.3g}", met]
        )
    return Table("ratios", ["suite", "peer", "ratio", "geometric mean", "least", "most", "target met"], cells)
