"""Compiles programs for accelerators that are not here, and makes a row of each: what the compilers count.

The compiler for TPUs needs environment variables that must not leak into the run that measures, hence a process of its
own; the one for GPUs needs none.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.ahead_of_time import worker
from benchmarks.chips import chip_of_target
from benchmarks.measure import single
from benchmarks.results import ESTIMATE, FAILED, Ratio, Result

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 900.0  # seconds for one compilation

# Each topology with the accelerator type that the TPU compiler has to be told.
TOPOLOGIES = {"v5e:2x2": "v5litepod-4", "v4:2x2x1": "v4-8", "v5p:2x2x1": "v5p-8"}
GPUS = ("h100",)
# Of xlapy's program over the one written by hand: kernels started, and temporary memory.
LAUNCHES, MEMORY, COMPILE = 1.0, 1.2, 1.5
NO_MEMORY = 1024.0  # bytes below which temporary memory is none


def targets(kind: str) -> tuple[str, ...]:
    """What is compiled for where no device of a kind is attached, as `Lowered.compile` names it."""
    return tuple(f"gpu:{name}" for name in GPUS) if kind == "gpu" else tuple(f"tpu:{name}" for name in TOPOLOGIES)


def worker_environment(target: str) -> dict[str, str]:
    """The environment under which libtpu compiles without a TPU, and JAX runs on the CPU."""
    return os.environ | {
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_WORKER_HOSTNAMES": "localhost",
        "TPU_ACCELERATOR_TYPE": TOPOLOGIES[target.removeprefix("tpu:")],
        "JAX_PLATFORMS": "cpu",
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",  # compiling needs no TPU for itself alone
    }


def ahead_of_time(
    suite: str, program: str, dtype: str, batch: int | None, target: str, peers: Iterable[str]
) -> list[Result]:
    """One row per peer: compiled or not, seconds, counts, FLOPs, bytes, memory, and the roofline's *estimate*, for
    VGG19: of a program with loops, whose iterations the compiler does not count, there is none. Of two peers
    the first has its ratios to the second."""
    rows = []
    for peer in peers:
        row = Result(suite, program, peer, target, batch=batch, dtype=dtype)
        request = {"program": f"{suite}.{program}", "dtype": dtype, "batch": batch, "target": target, "peer": peer}
        answer = ask(request)
        rows.append(row)
        if "error" in answer:
            row.status, row.message = FAILED, answer["error"]
            continue
        row.times = {name: single(answer[name]) for name in ("lower", "compile")}
        row.figures = answer["figures"]
        row.message = "compiled, not run"
        chip = chip_of_target(target)
        if suite == "vgg19" and chip is not None:
            row.status = ESTIMATE
            # The compiler's own count of FLOPs and bytes, after fusion, for the one device compiled for.
            flops, moved = row.figures["flops"], row.figures["bytes_accessed"]
            row.figures["estimated_seconds"] = chip.seconds(flops, moved, dtype)
            row.message = f"estimate, not measured: roofline of {chip.name}"
    if len(rows) == 2 and not any(row.status == FAILED for row in rows):
        rows[0].ratios += against(*rows)
    return rows


def against(ours: Result, theirs: Result) -> list[Ratio]:
    """The ratios of what one program asks of a device to what another one does."""
    ratios = []
    if "launches" in ours.figures and "launches" in theirs.figures:
        value = max(ours.figures["launches"], 1) / max(theirs.figures["launches"], 1)
        ratios.append(Ratio(f"launches / {theirs.peer}", value, LAUNCHES))
    memory = [max(row.figures.get("temp_bytes", 0.0), NO_MEMORY) for row in (ours, theirs)]
    ratios.append(Ratio(f"temporary memory / {theirs.peer}", memory[0] / memory[1], MEMORY))
    seconds = [row.times["lower"].median + row.times["compile"].median for row in (ours, theirs)]
    ratios.append(Ratio(f"compile / {theirs.peer}", seconds[0] / seconds[1], COMPILE))
    return ratios


def ask(request: dict[str, object]) -> dict:
    """The worker's answer, with 'error' where there is none."""
    if str(request["target"]).startswith("gpu"):
        return worker.answer(request)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.ahead_of_time.worker", json.dumps(request)],
            cwd=ROOT,
            env=worker_environment(str(request["target"])),
            capture_output=True,
            text=True,
            timeout=LIMIT,
        )
    except subprocess.TimeoutExpired:
        return {"error": f"the TPU compiler took longer than {LIMIT:g} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        errors = [line for line in done.stderr.splitlines() if line.strip()]
        return {
            "error": f"the TPU compiler's process ended with {done.returncode}: {errors[-1] if errors else 'no output'}"
        }
    return json.loads(lines[-1])
