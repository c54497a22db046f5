"""Two runs side by side: what changed beyond noise."""

from dataclasses import dataclass

from benchmarks.measure import Stats
from benchmarks.results import Result, Run

# A time has changed where the medians differ by more than this factor and the interquartile ranges do not touch. A
# figure taken once, such as a compilation, has no range: it has to change by a larger factor.
SMALLEST = 1.05
SMALLEST_SINGLE = 1.25

FASTER, SLOWER, SAME, NEW, GONE, BROKEN, MENDED = "faster", "slower", "same", "new", "gone", "broken", "mended"


@dataclass(frozen=True)
class Change:
    """One phase of one row in both runs; `ratio` is after / before, None where one of them is missing."""

    row: Result
    phase: str
    verdict: str
    before: Stats | None = None
    after: Stats | None = None

    @property
    def ratio(self) -> float | None:
        if self.before is None or self.after is None:
            return None
        return self.after.median / self.before.median


def verdict(before: Stats, after: Stats) -> str:
    """'faster', 'slower', or 'same' within noise."""
    ratio = after.median / before.median
    once = len(before.samples) == 1 or len(after.samples) == 1
    smallest = SMALLEST_SINGLE if once else SMALLEST
    if 1 / smallest <= ratio <= smallest:
        return SAME
    (low_b, high_b), (low_a, high_a) = before.quartiles, after.quartiles
    if not once and low_a <= high_b and low_b <= high_a:
        return SAME
    return FASTER if ratio < 1 else SLOWER


def compared(before: Run, after: Run) -> list[Change]:
    """Every row and phase of either run, in the order of the second, then what is gone."""
    old = {row.key: row for row in before.results}
    changes = []
    for row in after.results:
        earlier = old.pop(row.key, None)
        if earlier is None:
            changes.append(Change(row, "", NEW))
        elif row.status != earlier.status:
            well = row.status in ("ok", "estimate")
            changes.append(Change(row, "", MENDED if well else BROKEN))
        else:
            for phase in row.times.keys() & earlier.times.keys():
                a, b = earlier.times[phase], row.times[phase]
                changes.append(Change(row, phase, verdict(a, b), a, b))
    return changes + [Change(row, "", GONE) for row in old.values()]
