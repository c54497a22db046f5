"""What a run leaves behind: rows with times, ratios and reasons, and their JSON form."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.measure import Stats

FORMAT = 1

OK, FAILED, WRONG, SKIPPED, ESTIMATE = "ok", "failed", "wrong", "skipped", "estimate"
STATUSES = (OK, FAILED, WRONG, SKIPPED, ESTIMATE)


@dataclass(frozen=True)
class Ratio:
    """A figure with the target it has to meet: `value` at most `target`, or at least where `at_least` is true."""

    name: str
    value: float
    target: float | None = None
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        if self.target is None:
            return None
        return self.value >= self.target if self.at_least else self.value <= self.target

    def text(self) -> str:
        """Such as 'warm call / jax.jit 1.32 (at most 1.5: met)'."""
        if self.target is None:
            return f"{self.name} {self.value:.3g}"
        bound = "at least" if self.at_least else "at most"
        return f"{self.name} {self.value:.3g} ({bound} {self.target:g}: {'met' if self.met else 'MISSED'})"


@dataclass
class Result:
    """One row: one peer on one device in one case.

    `times` holds statistics per phase, in seconds: `lower`, `compile` (once each), `run` (a warm call), and where a
    device's work is split `host_to_device`, `compute`, `device_to_host`, `total`. `moved` holds bytes per direction.
    `figures` holds anything else worth keeping, such as instruction counts."""

    suite: str
    case: str
    peer: str
    device: str = "cpu"
    status: str = OK
    message: str = ""
    batch: int | None = None
    dtype: str = ""
    times: dict[str, Stats] = field(default_factory=dict)
    moved: dict[str, int] = field(default_factory=dict)
    ratios: list[Ratio] = field(default_factory=list)
    figures: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.status not in STATUSES:
            raise ValueError(f"no such status: {self.status}")

    @property
    def key(self) -> tuple[Any, ...]:
        """What names this row in another run."""
        return (self.suite, self.case, self.peer, self.device, self.batch, self.dtype)

    def to_json(self) -> dict[str, Any]:
        named = ("suite", "case", "peer", "device", "status")
        data = {k: v for k, v in vars(self).items() if k in named or v not in ("", None, {}, [])}
        if self.times:
            data["times"] = {k: v.to_json() for k, v in self.times.items()}
        if self.ratios:
            data["ratios"] = [vars(r) | {"met": r.met} for r in self.ratios]
        return data

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Result":
        fields = dict(data)
        fields["times"] = {k: Stats.from_json(v) for k, v in data.get("times", {}).items()}
        fields["ratios"] = [Ratio(r["name"], r["value"], r["target"], r["at_least"]) for r in data.get("ratios", [])]
        return cls(**fields)


@dataclass
class Run:
    """All rows of one invocation, and the circumstances they were measured in."""

    environment: dict[str, Any]
    command: list[str]
    results: list[Result] = field(default_factory=list)
    interrupted: bool = False

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "environment": self.environment,
            "command": self.command,
            "interrupted": self.interrupted,
            "results": [r.to_json() for r in self.results],
        }

    def save(self, path: Path) -> None:
        path.write_text(json.dumps(self.to_json(), indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> "Run":
        """Reads what `save` wrote. Raises ValueError, with the reason, for anything else."""
        try:
            data = json.loads(path.read_text())
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is not JSON: {error}") from error
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise ValueError(f"{path} is not a result of `python -m benchmarks` (format {FORMAT})")
        try:
            rows = [Result.from_json(r) for r in data["results"]]
            return cls(data["environment"], data["command"], rows, data["interrupted"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"{path} lacks something a result has: {error}") from error


def one_line(error: BaseException, width: int = 220) -> str:
    """An exception as one clear line: its type and the first line of what it says; of a refusal by xlapy its first
    obstacle and how many more there are."""
    name, text = type(error).__name__, str(error)
    blockers = getattr(error, "blockers", ())
    if blockers:
        text = f"{blockers[0].code} in {blockers[0].function}, line {blockers[0].line}: {blockers[0].message}"
        name += f" (1 of {len(blockers)})" if len(blockers) > 1 else ""
    lines = text.strip().splitlines()
    line = f"{name}: {lines[0].strip()}" if lines else name
    return line if len(line) <= width else line[: width - 1] + "…"
