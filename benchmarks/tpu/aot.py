"""Asks a worker process to compile a workload for a TPU topology, and turns its answer into rows.

The compiler needs environment variables that must not leak into the run that measures, hence the process of its own.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.chips import TPUS
from benchmarks.measure import single
from benchmarks.results import ESTIMATE, FAILED, Result

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 900.0  # seconds for one compilation

# Each topology with the accelerator type that the compiler has to be told.
TOPOLOGIES = {"v5e:2x2": "v5litepod-4", "v4:2x2x1": "v4-8", "v5p:2x2x1": "v5p-8"}


def topologies() -> tuple[str, ...]:
    return tuple(TOPOLOGIES)


def worker_environment(topology: str) -> dict[str, str]:
    """The environment under which libtpu compiles without a TPU, and JAX runs on the CPU."""
    return os.environ | {
        "TPU_SKIP_MDS_QUERY": "1",
        "TPU_WORKER_HOSTNAMES": "localhost",
        "TPU_ACCELERATOR_TYPE": TOPOLOGIES[topology],
        "JAX_PLATFORMS": "cpu",
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",  # compiling needs no TPU for itself alone
    }


def ahead_of_time(
    suite: str, program: str, dtype: str, batch: int | None, topology: str, peers: Iterable[str]
) -> Iterable[Result]:
    """One row per peer: compiled or not, seconds, counts, FLOPs, bytes, memory, and the roofline's *estimate*, if
    `batch` is given: of a program with loops, whose trips the compiler does not count, there is none."""
    for peer in peers:
        row = Result(suite, program, peer, f"tpu:{topology}", batch=batch, dtype=dtype)
        request = {"program": f"{suite}.{program}", "dtype": dtype, "batch": batch, "topology": topology, "peer": peer}
        answer = ask(request, topology)
        if "error" in answer:
            row.status, row.message = FAILED, answer["error"]
        else:
            row.times = {name: single(answer[name]) for name in ("lower", "compile")}
            row.figures = answer["figures"]
            if batch is None:
                row.message = "compiled, not run"
                yield row
                continue
            row.status = ESTIMATE
            chip = TPUS[topology.partition(":")[0]]
            # The compiler's own count of FLOPs and bytes, after fusion, for the one device compiled for.
            flops, moved = row.figures["flops"], row.figures["bytes_accessed"]
            row.figures["estimated_seconds"] = chip.seconds(flops, moved, dtype)
            row.message = f"estimate, not measured: roofline of {chip.name}"
        yield row


def ask(request: dict[str, object], topology: str) -> dict:
    """Runs the worker and returns its answer, with 'error' where there is none."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.tpu.worker", json.dumps(request)],
            cwd=ROOT,
            env=worker_environment(topology),
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
