"""Front-end time in a fresh process, where nothing is cached: from a function to StableHLO, for one peer and program.

A process of its own each time, since both compilers remember what they have seen. The first, trivial lowering is not
counted: it loads what every lowering needs.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.models import vgg19
from benchmarks.peers import xlapy_jit
from benchmarks.programs import count_lowered
from benchmarks.results import one_line
from benchmarks.suites.programs import relax, relax_jax

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 600.0  # seconds


def vgg19_forward(peer: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The model and a photograph as shapes: xlapy takes the model as it is, jax.jit its arrays alone."""
    model, image = vgg19.shapes(), jax.ShapeDtypeStruct((1, 3, 224, 224), jnp.float32)
    if peer == "xlapy":
        return vgg19.forward, (model, image)
    arrays, rest = eqx.partition(model, lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    return lambda arrays, x: vgg19.forward(eqx.combine(arrays, rest), x), (arrays, image)


def relaxation(peer: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """The NumPy loop of the README against `lax.while_loop` by hand."""
    arguments = (np.zeros((64, 64), np.float32), np.float32(1e-4), 100)
    return relax if peer == "xlapy" else relax_jax, arguments


# Each program with an opcode that its lowered form has to hold, and how often: a lowering that has not happened is not
# timed.
PROGRAMS = {"vgg19": (vgg19_forward, "convolution", 16), "relax": (relaxation, "while", 1)}


def lowering_seconds(program: str, peer: str) -> float:
    """Seconds that the first lowering of a program takes in this process, after a trivial one."""
    jit = xlapy_jit if peer == "xlapy" else jax.jit
    jit(lambda x: x + 1).lower(jax.ShapeDtypeStruct((3,), jnp.float32))
    make, opcode, times = PROGRAMS[program]
    function, arguments = make(peer)
    start = time.perf_counter()
    lowered = jit(function).lower(*arguments)
    seconds = time.perf_counter() - start
    found = count_lowered(lowered).total[opcode]
    if found != times:
        raise RuntimeError(f"the lowered program holds {found} of opcode {opcode!r}, not {times}")
    return seconds


def in_fresh_process(program: str, peer: str) -> float:
    """`lowering_seconds` in a process of its own. Raises RuntimeError with the reason where there is no figure."""
    request = [sys.executable, "-m", "benchmarks.cold", program, peer]
    done = subprocess.run(request, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT)
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not lines:
        raise RuntimeError(f"the process ended with {done.returncode}: {done.stderr.strip().splitlines()[-1:]}")
    answer = json.loads(lines[-1])
    if "error" in answer:
        raise RuntimeError(answer["error"])
    return answer["seconds"]


def main() -> None:
    try:
        answer: dict[str, Any] = {"seconds": lowering_seconds(*sys.argv[1:3])}
    except Exception as error:
        answer = {"error": one_line(error)}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
