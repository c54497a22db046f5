"""Plots: speed-up per case, scaling with batch and with trip count, and where a device's time goes."""

from collections.abc import Callable, Iterable
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (the backend has to be chosen first)
from matplotlib.axes import Axes  # noqa: E402

from benchmarks.results import OK, Result, Run  # noqa: E402

COLOURS = {
    "xlapy": "#d1495b",
    "jax": "#30638e",
    "by-hand": "#00798c",
    "numpy": "#8d99ae",
    "numba": "#edae49",
    "torch": "#6d597a",
    "eager": "#bbbbbb",
}


def draw(run: Run, folder: Path) -> dict[str, Path]:
    """Draws what the rows allow into PNG files; returns each plot's title and path."""
    rows = [r for r in run.results if r.status == OK and r.times]
    pictures = {}
    for title, stem, plot in (
        ("Speed-up over NumPy, per kernel", "kernels", kernels),
        ("VGG19: seconds against batch", "batch", batches),
        ("Compile time against trip count", "trips", trips),
        ("Where a device's time goes", "split", split),
    ):
        figure, axes = plt.subplots(figsize=(9, 5), layout="constrained")
        if plot(axes, rows):
            axes.set_title(title)
            path = folder / f"{stem}.png"
            figure.savefig(path, dpi=110)
            pictures[title] = path
        plt.close(figure)
    return pictures


def curves(axes: Axes, rows: Iterable[Result], x: Callable[[Result], float | None], phase: str) -> bool:
    """One line per peer and device of a phase's median over x, with its interquartile range; whether any was drawn."""
    lines: dict[tuple[str, str], list[tuple[float, float, float, float]]] = {}
    for r in rows:
        at = x(r)
        if at is not None and phase in r.times:
            stats = r.times[phase]
            lines.setdefault((r.peer, r.device), []).append((at, stats.median, *stats.quartiles))
    for (peer, device), points in lines.items():
        xs, ys, low, high = zip(*sorted(points), strict=True)
        axes.plot(xs, ys, "o-", color=COLOURS.get(peer), label=f"{peer}, {device}")
        axes.fill_between(xs, low, high, color=COLOURS.get(peer), alpha=0.2)
    if not lines:
        return False
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylabel("seconds")
    axes.legend()
    return True


def batches(axes: Axes, rows: list[Result]) -> bool:
    forward = [r for r in rows if r.suite == "vgg19" and r.case == "forward"]
    if len({r.batch for r in forward}) < 2:
        return False
    axes.set_xlabel("batch")
    return curves(axes, forward, lambda r: r.batch, "run")


def trips(axes: Axes, rows: list[Result]) -> bool:
    axes.set_xlabel("trips")
    looping = [r for r in rows if r.suite == "loops"]
    return curves(axes, looping, lambda r: r.figures.get("trips"), "compile_all")


def kernels(axes: Axes, rows: list[Result]) -> bool:
    timed = [r for r in rows if r.suite == "kernels" and "run" in r.times]
    base = {r.case: r.times["run"].median for r in timed if r.peer == "numpy"}
    names = list(base)
    peers = [p for p in COLOURS if p != "numpy" and any(r.peer == p and r.case in base for r in timed)]
    if not names or not peers:
        return False
    height = 0.8 / len(peers)
    for i, peer in enumerate(peers):
        speeds = [
            (names.index(r.case), base[r.case] / r.times["run"].median)
            for r in timed
            if r.peer == peer and r.case in base
        ]
        places, values = zip(*speeds, strict=True)
        axes.barh(
            [p + i * height for p in places], [v - 1 for v in values], height, left=1, color=COLOURS[peer], label=peer
        )
    axes.get_figure(root=True).set_size_inches(9, max(4, 0.32 * len(names)))  # pyright: ignore
    axes.set_yticks([i + 0.4 - height / 2 for i in range(len(names))], names)
    axes.invert_yaxis()
    axes.margins(y=0.01)
    axes.set_xscale("log")
    axes.axvline(1.0, color="black", linewidth=1)
    axes.set_xlabel("times as fast as NumPy")
    axes.legend()
    return True


def split(axes: Axes, rows: list[Result]) -> bool:
    phases = ("host_to_device", "run", "device_to_host")
    split_rows = [r for r in rows if all(p in r.times for p in phases)]
    if not split_rows:
        return False
    labels = [f"{r.peer}, {r.device}, {r.case} {r.batch}" for r in split_rows]
    left = [0.0] * len(split_rows)
    for phase, colour in zip(phases, ("#edae49", "#30638e", "#00798c"), strict=True):
        widths = [r.times[phase].median for r in split_rows]
        axes.barh(labels, widths, left=left, color=colour, label=phase.replace("_", " "))
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.invert_yaxis()
    axes.set_xlabel("seconds")
    axes.legend()
    return True
