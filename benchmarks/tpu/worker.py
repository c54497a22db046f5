"""The process that compiles one workload for a TPU that is not there: a JSON request in, one JSON line out."""

import json
import sys
import time
from typing import Any

import jax
import numpy as np
from jax.experimental import topologies
from jax.sharding import SingleDeviceSharding

from benchmarks.hlo import analysis, count_hlo
from benchmarks.kernels.all import KERNELS
from benchmarks.peers import package, xlapy_jit
from benchmarks.results import one_line
from benchmarks.suites.kernels import copied, x64
from benchmarks.tpu.workloads import WORKLOADS


def compiled_for(request: dict[str, Any]) -> dict[str, Any]:
    """Compiles the request's program for the first device of its topology; seconds, counts and costs."""
    device = topologies.get_topology_desc(request["topology"], "tpu").devices[0]
    suite, _, name = request["program"].partition(".")
    compiled = compiled_kernel if suite == "kernels" else compiled_model
    return compiled(name, request, SingleDeviceSharding(device))


def compiled_kernel(name: str, request: dict[str, Any], there: SingleDeviceSharding) -> dict[str, Any]:
    """A NumPy kernel, or the same by hand in JAX, with the types of NumPy."""
    spec = KERNELS[name]
    arguments = spec.made()
    package(request["peer"])  # what importing it takes is no part of the measurement
    start = time.perf_counter()
    if request["peer"] == "xlapy":
        lowered = xlapy_jit(spec.function).lower(*copied(arguments))
        middle = time.perf_counter()
        compiled = lowered.compile(target=f"tpu:{request['topology']}").executable
    else:
        with x64():
            # What is static is a number; all else has a place on the device.
            given = [
                a if k in spec.static else jax.ShapeDtypeStruct(np.shape(a), np.asarray(a).dtype, sharding=there)
                for k, a in enumerate(arguments)
            ]
            jitted = jax.jit(spec.jax, static_argnums=spec.static)  # pyright: ignore[reportArgumentType]
            lowered = jitted.lower(*given)
            middle = time.perf_counter()
            compiled = lowered.compile()
    end = time.perf_counter()
    figures: dict[str, Any] = analysis(compiled)
    figures["instructions"] = {"after": count_hlo(compiled.as_text() or "").to_json()}
    return {"lower": middle - start, "compile": end - middle, "figures": figures}


def compiled_model(_: str, request: dict[str, Any], there: SingleDeviceSharding) -> dict[str, Any]:
    """One of `WORKLOADS`."""
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
