"""The command line of `python -m benchmarks`."""

import difflib
import sys
import tempfile
import time
from datetime import datetime
from math import inf
from pathlib import Path

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from benchmarks import environment, plan, suites
from benchmarks.calls import calls
from benchmarks.compare import compared
from benchmarks.measure import MINIMUM_REPEATS
from benchmarks.plan import Plan
from benchmarks.pods import pods
from benchmarks.report import terminal, write
from benchmarks.results import FAILED, OK, SKIPPED, Result, Run, one_line
from benchmarks.scaling import scaling

SEVERAL = ("--batch", "--devices", "--peers", "--dtypes")
INTERRUPTED = 130


def console() -> Console:
    """The terminal; where the output goes to a file instead, wide enough that tables do not fold."""
    return Console() if sys.stdout.isatty() else Console(width=200)


def spread(arguments: list[str]) -> list[str]:
    """Lets an option take several values in a row, which click does not: '--batch 1 10' becomes '--batch 1 --batch 10'.

    The values end at the next option, at '--', or at a suite's name.
    """
    out: list[str] = []
    option = ""
    for word in arguments:
        if word.startswith("-") and not word.lstrip("-").isdigit():
            name, equals, _ = word.partition("=")
            option = name if name in SEVERAL and not equals else ""
            if not option:
                out.append(word)
        elif option and word not in plan.SUITES:
            out += [option, word]
        else:
            option = ""
            out.append(word)
    return out


def one_of(values: tuple[str, ...], allowed: tuple[str, ...], what: str) -> None:
    """Refuses a value that is not allowed, with the nearest that is."""
    for value in values:
        if value not in allowed:
            near = difflib.get_close_matches(value, allowed, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"unknown {what} {value!r}.{hint} There are: {', '.join(allowed)}.")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", nargs=-1, metavar="[SUITE]...")
@click.option("--batch", "batches", multiple=True, type=click.IntRange(min=1), help="Batch sizes, such as 1 10 100.")
@click.option("--devices", multiple=True, help="Of: cpu gpu tpu. Default: those found.")
@click.option("--peers", multiple=True, help=f"Of: {' '.join(plan.PEERS)}. Default: those installed, eager apart.")
@click.option("--dtypes", multiple=True, help="Precision of the models: float32 bfloat16.")
@click.option(
    "--data", default=plan.DATA[0], show_default=True, help="streamed (with transfers), resident, or synthetic."
)
@click.option("--repeat", default=MINIMUM_REPEATS, show_default=True, help="Samples of each time; at least 7.")
@click.option("--only", default="", help="Only cases with this text in their name.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=Path("results"), show_default=True)
def main(
    names: tuple[str, ...],
    batches: tuple[int, ...],
    devices: tuple[str, ...],
    peers: tuple[str, ...],
    dtypes: tuple[str, ...],
    data: str,
    repeat: int,
    only: str,
    out: Path,
) -> None:
    """Times xlapy against its peers. SUITE is any of: vgg19 models kernels solvers compiler loops
    semantics instances.

    Without a suite: VGG19 forward at batch 1 on the devices found. `python -m benchmarks compare A.json B.json` sets
    two runs side by side; `python -m benchmarks scaling` runs programs over 1, 2, 4 and 8 virtual devices, and
    `python -m benchmarks pods` compiles training for up to 256 chips."""
    one_of(names, plan.SUITES, "suite")
    one_of(devices, plan.DEVICES, "device")
    one_of(peers, tuple(plan.PEERS), "peer")
    one_of(dtypes, plan.DTYPES, "dtype")
    one_of((data,), plan.DATA, "kind of data")
    if repeat < MINIMUM_REPEATS:
        raise click.UsageError(f"--repeat {repeat}: fewer than {MINIMUM_REPEATS} samples show no spread.")
    try:
        out.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=out).close()
    except OSError as error:
        raise click.UsageError(f"--out {out}: {error.strerror or error}.") from error
    plan.skip_absent_tpu()
    wanted = Plan(
        suites=names or ("vgg19",),
        batches=batches or (1,),
        devices=devices or plan.devices_found(),
        peers=peers or None,
        dtypes=dtypes or ("float32",),
        data=data,
        repeat=repeat,
        only=only or ("" if names else "forward"),
        named=frozenset((*names, *devices, *peers)),
    )
    sys.exit(execute(wanted, out, console()))


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("before", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.argument("after", type=click.Path(path_type=Path, exists=True, dir_okay=False))
def compare(before: Path, after: Path) -> None:
    """Shows what changed beyond noise between two results.json."""
    try:
        old, new = Run.load(before), Run.load(after)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    terminal.show_changes(console(), compared(old, new), old, new)


def execute(wanted: Plan, out: Path, screen: Console) -> int:
    """Runs a plan, shows and writes its rows, and returns the exit status: 0, 1 where something asked for by name
    failed, or 130 after Ctrl-C, which keeps what was measured."""
    run = Run(environment.describe(), environment.command())
    terminal.show_environment(screen, run.environment)
    run.results += plan.missing_devices(wanted) + plan.missing_peers(wanted)
    folder = out / datetime.now().strftime("%Y%m%d-%H%M%S")
    try:
        collect(wanted, run, screen, folder / "results.json")
    except KeyboardInterrupt:
        run.interrupted = True
        screen.print("[yellow]Interrupted: what was measured until here is kept.")
    terminal.show(screen, run)
    if run.results:
        for path in write(run, folder):
            screen.print(f"[dim]{path}")
    failures = wanted.failures(run.results)
    return INTERRUPTED if run.interrupted else 1 if failures else 0


def collect(wanted: Plan, run: Run, screen: Console, path: Path, until: float = inf) -> None:
    """Runs every case of the plan, adding its rows to the run as they come. A case that breaks is a row of its own.
    What there is after each case is saved at `path`, for the process may be killed. At a time (`time.monotonic()`)
    the cases that are left are given up."""
    cases = []
    for suite in wanted.suites:
        try:
            cases += suites.cases(suite, wanted)
        except ImportError as error:
            run.results.append(Result(suite, "all", "all", "", FAILED, f"{one_line(error)}: pip install -e '.[bench]'"))
    if not cases:
        screen.print(f"[yellow]No case matches{f' --only {wanted.only!r}' if wanted.only else ' these devices'}.")
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=screen, transient=True) as progress:
        task = progress.add_task("", total=len(cases))
        for k, case in enumerate(cases):
            if time.monotonic() > until:
                rest = Result(case.suite, "the rest", "all", "", SKIPPED, f"no time for {len(cases) - k} cases")
                run.results.append(rest)
                run.save(path)
                break
            progress.update(task, description=f"{case.suite}: {case.name}")
            try:
                for row in case.run(wanted):
                    run.results.append(row)
                    if row.status != OK:
                        progress.console.print(terminal.line(row))
            except Exception as error:
                row = Result(case.suite, case.name, "all", "", FAILED, one_line(error))
                run.results.append(row)
                progress.console.print(terminal.line(row))
            path.parent.mkdir(parents=True, exist_ok=True)
            run.save(path)
            progress.advance(task)


def entry(gpu: click.Command) -> None:
    """`python -m benchmarks`: `compare`, `calls`, `scaling`, `pods`, `gpu` are commands, anything else names suites."""
    arguments = sys.argv[1:]
    if arguments[:1] == ["gpu"]:
        gpu(arguments[1:], prog_name="python -m benchmarks gpu")
    if arguments[:1] == ["calls"]:
        sys.exit(calls(arguments[1:]))
    if arguments[:1] == ["scaling"]:
        sys.exit(scaling(arguments[1:]))
    if arguments[:1] == ["pods"]:
        sys.exit(pods(arguments[1:]))
    if arguments[:1] == ["compare"]:
        compare(arguments[1:], prog_name="python -m benchmarks compare")
    main(spread(arguments), prog_name="python -m benchmarks")
