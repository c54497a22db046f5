"""The process that compiles one workload for a TPU that is not there: a JSON request in, one JSON line out."""

import json
import sys
import time
from typing import Any

import jax
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

from benchmarks.hlo import analysis, count_hlo
from benchmarks.peers import xlapy_jit
from benchmarks.results import one_line
from benchmarks.tpu.workloads import WORKLOADS


def compiled_for(request: dict[str, Any]) -> dict[str, Any]:
    """Compiles the request's program for the first device of its topology; seconds, counts and costs."""
    device = topologies.get_topology_desc(request["topology"], "tpu").devices[0]
    there = SingleDeviceSharding(device)
    function, shapes = WORKLOADS[request["program"]](request["dtype"], request["batch"])
    specs = jax.tree.map(lambda s: jax.ShapeDtypeStruct(s.shape, s.dtype, sharding=there), shapes)
    # An xlapy function inside jax.jit is lowered by xlapy and placed by JAX.
    jitted = jax.jit(xlapy_jit(function) if request["peer"] == "xlapy" else function)
    start = time.perf_counter()
    lowered = jitted.lower(*specs)
    middle = time.perf_counter()
    compiled = lowered.compile()
    end = time.perf_counter()
    instructions = {"before": count_hlo(lowered.as_text(dialect="hlo")), "after": count_hlo(compiled.as_text() or "")}
    figures: dict[str, Any] = analysis(compiled)
    figures["instructions"] = {name: counts.to_json() for name, counts in instructions.items()}
    return {"lower": middle - start, "compile": end - middle, "figures": figures}


def main() -> None:
    try:
        answer = compiled_for(json.loads(sys.argv[1]))
    except Exception as error:
        answer = {"error": one_line(error)}
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
