"""`python -m benchmarks pods`: training steps of VGG19 on up to 256 chips that are not here, by the TPU compiler.

A line says what memory a chip takes, its FLOPs, the bytes of main memory and those that chips exchange, and the
efficiency to expect from published figures. Nothing is measured but the compiler. Each layout is a process of its own.
"""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import equinox as eqx
import jax
import numpy as np
from jax.experimental import topologies
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from benchmarks.chips import TPUS
from benchmarks.models import vgg19
from benchmarks.peers import xlapy_jit

IMAGES = 32  # a chip
LIMIT = 1800.0  # seconds
#: bytes that a chip sends in a second over all its links: 1,600 Gbit/s (cloud.google.com/tpu/docs/v5e)
LINKS = 200e9
BYTES = {"f32": 4, "bf16": 2, "s32": 4, "u32": 4, "pred": 1}
COLLECTIVE = re.compile(
    r" = (?P<type>[^=]*?) (?P<kind>all-gather|all-reduce|reduce-scatter|all-to-all|collective-permute)(?:-start)?\("
)
ARRAY = re.compile(r"(f32|bf16|s32|u32|pred)\[([\d,]*)\]")


class Layout(NamedTuple):
    """Chips in two dimensions, and how many of them share the dense layers between them."""

    shape: str
    model: int = 1

    @property
    def chips(self) -> int:
        """How many there are."""
        down, across = map(int, self.shape.split("x"))
        return down * across


LAYOUTS = {
    "data-4": Layout("2x2"),
    "data-16": Layout("4x4"),
    "data-64": Layout("8x8"),
    "data-256": Layout("16x16"),
    "data-and-model-64": Layout("8x8", 8),
}


def exchanged(text: str, chips: int) -> dict[str, float]:
    """Bytes that a chip sends for each kind of collective in a program's text, by the usual algorithms on a ring."""
    found: dict[str, float] = {}
    for match in COLLECTIVE.finditer(re.sub(r"/\*.*?\*/", "", text)):  # tuples number their items in comments
        arrays = ARRAY.findall(match["type"])
        size = sum(BYTES[kind] * int(np.prod([int(n) for n in shape.split(",") if n])) for kind, shape in arrays)
        factor = {"all-reduce": 2, "reduce-scatter": chips}.get(match["kind"], 1) * (chips - 1) / chips
        found[match["kind"]] = found.get(match["kind"], 0) + factor * size
    return found


def compiled(name: str) -> dict[str, Any]:
    """The figures of a layout, whose environment the process has."""
    layout = LAYOUTS[name]
    target = f"v5e:{layout.shape}"
    devices = np.array(topologies.get_topology_desc(target, "tpu").devices)
    mesh = Mesh(devices.reshape(-1, layout.model), ("data", "model"))
    arrays, rest = eqx.partition(vgg19.shapes(), lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))

    def step(arrays: Any, momentum: Any, images: Any, labels: Any) -> tuple[Any, Any, Any]:
        value, slopes = jax.value_and_grad(lambda a: vgg19.loss(eqx.combine(a, rest), images, labels))(arrays)
        momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, slopes)
        return jax.tree.map(lambda a, m: a - 0.01 * m, arrays, momentum), momentum, value

    def placed(path: Any, leaf: Any) -> jax.ShapeDtypeStruct:
        where = jax.tree_util.keystr(path)
        divided = layout.model > 1 and ".dense" in where and leaf.shape[0] % layout.model == 0
        spec = PartitionSpec("model") if divided else PartitionSpec()
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=NamedSharding(mesh, spec))

    count = IMAGES * layout.chips
    rows = NamedSharding(mesh, PartitionSpec(("data", "model")))
    images = jax.ShapeDtypeStruct((count, 3, 224, 224), np.float32, sharding=rows)
    labels = jax.ShapeDtypeStruct((count,), np.int32, sharding=rows)
    parameters = jax.tree.map_with_path(placed, arrays)
    start = time.perf_counter()
    lowered = xlapy_jit(step).lower(parameters, parameters, images, labels)
    middle = time.perf_counter()
    program: Any = lowered.compile(f"tpu:{target}").executable
    end = time.perf_counter()
    memory, costs = program.memory_analysis(), program.cost_analysis()
    sent = exchanged(program.as_text() or "", layout.chips)
    chip = TPUS["v5e"]
    alone = chip.seconds(costs["flops"], costs["bytes accessed"], "float32")
    return {
        "lower": middle - start,
        "compile": end - middle,
        "memory": memory.argument_size_in_bytes + memory.temp_size_in_bytes,
        "flops": costs["flops"],
        "bytes": costs["bytes accessed"],
        "sent": sent,
        "efficiency": alone / (alone + sum(sent.values()) / LINKS),
    }


def pods(arguments: Sequence[str]) -> int:
    """Compile the layouts named in `arguments`, or all, and print a line for each."""
    unknown = [name for name in arguments if name not in LAYOUTS]
    if unknown:
        print(f"unknown layout {unknown[0]!r}: there are {', '.join(LAYOUTS)}", file=sys.stderr)
        return 2
    failed = False
    for name in arguments or LAYOUTS:
        environment = os.environ | {
            "TPU_SKIP_MDS_QUERY": "1",
            "TPU_WORKER_HOSTNAMES": "localhost",
            "TPU_ACCELERATOR_TYPE": f"v5litepod-{LAYOUTS[name].chips}",
            "JAX_PLATFORMS": "cpu",
            "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        }
        command = [sys.executable, "-m", "benchmarks.pods", name]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LIMIT, check=False)
        failed |= ended.returncode != 0
        last = ((ended.stdout if not ended.returncode else ended.stderr).strip() or "no output").splitlines()[-1]
        print(f"{name:17} {last if ended.returncode else described(json.loads(last))}", flush=True)
    return int(failed)


def described(figures: dict[str, Any]) -> str:
    """Figures as text; time without exchange is the roofline's, and no exchange is hidden behind it."""
    sent = ", ".join(f"{kind} {size / 1e9:.2f} GB" for kind, size in figures["sent"].items()) or "nothing"
    return (
        f"{figures['memory'] / 1e9:.2f} GB, {figures['flops'] / 1e12:.2f} TFLOP and {figures['bytes'] / 1e9:.1f} GB a"
        f" chip and step; sends {sent}; efficiency at least {figures['efficiency']:.0%} (estimate); lowered in"
        f" {figures['lower']:.1f} s, compiled in {figures['compile']:.0f} s"
    )


if __name__ == "__main__":
    print(json.dumps(compiled(sys.argv[1])))
