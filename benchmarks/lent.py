"""Everything that is asked of an accelerator, in the minutes for which it is lent: `python -m benchmarks gpu`."""

import re
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import click
import jax

from benchmarks import environment, plan
from benchmarks.cli import collect, console
from benchmarks.plan import Plan
from benchmarks.report import markdown, terminal
from benchmarks.results import FAILED, WRONG, Run

RESULTS = Path(__file__).parent / "results"
PEERS = ("xlapy", "jax")


@dataclass(frozen=True)
class Part:
    """One file of results: a plan, and by which share of the time it has to be done."""

    name: str
    plan: Plan
    until: float


def parts(device: str, programs: int, gradients: int, instances: int, batches: tuple[int, ...]) -> list[Part]:
    """What is done, in this order: first whether answers are right, then how fast they are."""
    base = Plan(devices=(device,), peers=PEERS, data="resident", programs=programs, gradients=gradients)
    vgg19 = replace(base, suites=("vgg19",), batches=batches, dtypes=plan.DTYPES, data="synthetic", only="forward")
    return [
        Part("check", replace(base, suites=("semantics",)), 0.35),
        Part("kernels", replace(base, suites=("kernels",)), 0.65),
        Part("instances", replace(base, suites=("instances",), instances=instances), 0.73),
        Part("vgg19", vgg19, 0.88),
        Part("training", replace(base, suites=("models",), only="training run"), 1.0),
    ]


def folder_of(device: str) -> str:
    """The name of a device as one of a folder: 'nvidia-h200'."""
    return re.sub(r"[^a-z0-9]+", "-", str(jax.devices(device)[0].device_kind).lower()).strip("-")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--minutes", default=8.0, show_default=True, help="No case begins when they are over.")
@click.option("--device", default="gpu", show_default=True, help="Another one, to try this out: cpu.")
@click.option("--programs", default=400, show_default=True, help="Programs that are checked against CPython.")
@click.option("--gradients", default=100, show_default=True, help="Gradients that are.")
@click.option("--instances", default=10_000, show_default=True, help="Instances of a program under xlapy.vmap.")
@click.option("--batch", "batches", multiple=True, type=click.IntRange(min=1), default=(1, 10, 100), show_default=True)
@click.option("--only", default="", help="Only parts with this name: check kernels instances vgg19 training.")
@click.option("--case", default="", help="Only cases with this text in their name.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Default: benchmarks/results/DEVICE.")
def main(
    minutes: float,
    device: str,
    programs: int,
    gradients: int,
    instances: int,
    batches: tuple[int, ...],
    only: str,
    case: str,
    out: Path | None,
) -> None:
    """Checks programs on a GPU against CPython, then measures kernels, many instances of some, VGG19 and training. The
    results are saved after each case: what ends the process loses one."""
    if device not in plan.DEVICES or plan.found(device) is None:
        raise click.UsageError(
            f"no {device} is attached. `python -m benchmarks kernels --devices gpu` compiles for one."
        )
    screen, start = console(), time.monotonic()
    folder = out or RESULTS / folder_of(device)
    folder.mkdir(parents=True, exist_ok=True)
    run = Run(environment.describe(), environment.command())
    terminal.show_environment(screen, run.environment)
    status = 0
    for part in parts(device, programs, gradients, instances, batches):
        if only in ("", part.name):
            path = folder / f"{device}-{part.name}.json"
            wanted = replace(part.plan, only=case or part.plan.only)
            part_run = Run(run.environment, run.command)
            collect(wanted, part_run, screen, path, start + 60 * minutes * part.until)
            terminal.show(screen, part_run)
            part_run.save(path)
            path.with_suffix(".md").write_text(markdown.render(part_run))
            screen.print(f"[dim]{path}")
            status |= any(row.status in (FAILED, WRONG) for row in part_run.results)
    sys.exit(status)


__all__ = ["main"]
