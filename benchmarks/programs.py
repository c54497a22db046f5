"""From a function to a peer that is ready to race, with its compile times, instruction counts and transfers."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from benchmarks.hlo import Counts, analysis, count_hlo, count_stablehlo
from benchmarks.measure import Stats, Subject
from benchmarks.race import Ready, staged


def count_lowered(lowered: Any) -> Counts:
    """Counts before optimisation: in HLO where the lowered program can be printed so, else in StableHLO."""
    try:
        return count_hlo(lowered.as_text(dialect="hlo"))
    except (TypeError, ValueError):
        return count_stablehlo(lowered.as_text())


def compiled_figures(jitted: Any, *arguments: Any) -> tuple[dict[str, Stats], dict[str, Any]]:
    """Lowers and compiles `jitted` for the arguments: `lower` and `compile` times, and instruction counts and costs.

    A program that cannot be inspected (no printed form, no analysis) simply has fewer figures; one that cannot be
    compiled raises what its compiler raises."""
    lowered, compiled, times = staged(jitted, *arguments)
    figures: dict[str, Any] = {}
    for name, count in (("before", lambda: count_lowered(lowered)), ("after", lambda: count_hlo(compiled.as_text()))):
        try:
            figures.setdefault("instructions", {})[name] = count().to_json()
        except (AttributeError, TypeError, ValueError, NotImplementedError):
            continue
    try:
        figures |= analysis(compiled)
    except (AttributeError, TypeError, NotImplementedError):
        pass
    return times, figures


def on_device(
    jitted: Any,
    resident: tuple[Any, ...],
    streamed: tuple[np.ndarray, ...],
    device: Any,
    phases: bool = True,
    answer: Callable[[Any], Any] = lambda result: result,
) -> Ready:
    """A peer whose program is called as `jitted(*resident, *streamed)`.

    `resident` (parameters) lies on the device already; `streamed` are NumPy arrays that come from the host. The run is
    timed with all arguments on the device, which is *compute*; with `phases` so are the transfers, and, off the CPU,
    the *total* from NumPy arrays to NumPy arrays. On the CPU device and host share their memory and the run is the
    total."""
    there = tuple(jax.device_put(x, device) for x in streamed)
    times, figures = compiled_figures(jitted, *resident, *there)

    def upload() -> Any:
        return [jax.device_put(x, device) for x in streamed]

    def total() -> Any:
        return jax.tree.map(np.asarray, jitted(*resident, *upload()))

    more, moved = [], {}
    if phases:
        moved = {"host_to_device": sum(x.nbytes for x in streamed)}
        if "output_bytes" in figures:
            moved["device_to_host"] = int(figures["output_bytes"])
        more.append(Subject("host_to_device", upload))
        fetch = lambda out: jax.tree.map(np.asarray, out)  # noqa: E731
        # An array keeps the copy it has fetched, so that each fetch needs a result of its own.
        more.append(Subject("device_to_host", fetch, lambda: (jitted(*resident, *there),), fresh=True, most_calls=1))
        if device.platform != "cpu":
            more.append(Subject("total", total))
    return Ready(
        call=jitted,
        arguments=lambda: (*resident, *there),
        answer=lambda result, _: answer(result),
        times=times,
        figures=figures,
        more=more,
        moved=moved,
    )


def bytes_of(tree: Any) -> int:
    """The bytes of all arrays in a tree."""
    return sum(leaf.nbytes for leaf in jax.tree.leaves(tree) if hasattr(leaf, "nbytes"))
