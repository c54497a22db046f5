"""Compiles one workload for an accelerator that is not here; as a process, a JSON request in, one JSON line out."""

import json
import sys
import time
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jax.sharding import Sharding

import xlapy
from benchmarks.ahead_of_time.workloads import WORKLOADS
from benchmarks.hlo import analysis, count_hlo, count_launches
from benchmarks.kernels.all import KERNELS
from benchmarks.kernels.instances import SCALES, made
from benchmarks.peers import package, xlapy_jit
from benchmarks.results import one_line
from xlapy.runtime.targets import target_options, target_sharding


def compiled_for(request: dict[str, Any]) -> dict[str, Any]:
    """Compiles the request's program for a device of its target; seconds, counts and costs."""
    suite, _, name = request["program"].partition(".")
    there = target_sharding(request["target"])
    if suite == "kernels":
        spec = KERNELS[name]
        return compiled_kernel(xlapy_jit(spec.function), spec.jax, spec.static, spec.made, request, there)
    if suite == "instances":
        spec = KERNELS[name]
        arguments, axes = made(spec, SCALES[name], request["batch"])
        by_hand = jax.vmap(spec.jax, in_axes=axes) if spec.jax is not None else None
        mapped = xlapy.vmap(spec.function, in_axes=axes)
        return compiled_kernel(mapped, by_hand, spec.static, lambda: arguments, request, there)
    return compiled_model(name, request, there)


def compiled_kernel(
    compilable: Any,
    by_hand: Callable[..., Any] | None,
    static: tuple[int, ...],
    given: Callable[[], tuple[Any, ...]],
    request: dict[str, Any],
    there: Sharding,
) -> dict[str, Any]:
    """A NumPy kernel, or the same by hand in JAX, with the types of NumPy."""
    arguments = given()
    package(request["peer"])  # what importing it takes is no part of the measurement
    start = time.perf_counter()
    if request["peer"] == "xlapy":
        lowered = compilable.lower(*given())
        middle = time.perf_counter()
        compiled = lowered.compile(target=request["target"]).executable
    else:
        with jax.enable_x64(True):
            # What is static is a number; all else has a place on the device.
            typed = [
                a if k in static else jax.ShapeDtypeStruct(np.shape(a), np.asarray(a).dtype, sharding=there)
                for k, a in enumerate(arguments)
            ]
            jitted = jax.jit(by_hand, static_argnums=static)  # pyright: ignore[reportArgumentType]
            lowered = jitted.lower(*typed)
            middle = time.perf_counter()
            compiled = lowered.compile(target_options(request["target"]))
    end = time.perf_counter()
    figures: dict[str, Any] = analysis(compiled)
    figures["instructions"] = {"after": count_hlo(compiled.as_text() or "").to_json()}
    figures |= launches_of(compiled)
    return {"lower": middle - start, "compile": end - middle, "figures": figures}


def compiled_model(_: str, request: dict[str, Any], there: Sharding) -> dict[str, Any]:
    """One of `WORKLOADS`."""
    function, shapes = WORKLOADS[request["program"]](request["dtype"], request["batch"])
    specs = jax.tree.map(lambda s: jax.ShapeDtypeStruct(s.shape, s.dtype, sharding=there), shapes)
    # An xlapy function inside jax.jit is lowered by xlapy and placed by JAX.
    jitted = jax.jit(xlapy_jit(function) if request["peer"] == "xlapy" else function)
    start = time.perf_counter()
    lowered = jitted.lower(*specs)
    middle = time.perf_counter()
    compiled = lowered.compile(target_options(request["target"]))
    end = time.perf_counter()
    instructions = {"before": count_hlo(lowered.as_text(dialect="hlo")), "after": count_hlo(compiled.as_text() or "")}
    figures: dict[str, Any] = analysis(compiled)
    figures["instructions"] = {name: counts.to_json() for name, counts in instructions.items()}
    figures |= launches_of(compiled)
    return {"lower": middle - start, "compile": end - middle, "figures": figures}


def launches_of(compiled: Any) -> dict[str, int]:
    """The kernels that a program starts, and the iterations that its loops make one after the other."""
    counted = count_launches(compiled.as_text() or "")
    return {"launches": counted.kernels, "steps": counted.steps}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """What `compiled_for` gives, or why it does not."""
    try:
        return compiled_for(request)
    except Exception as error:
        return {"error": one_line(error)}


def main() -> None:
    print(json.dumps(answer(json.loads(sys.argv[1]))), flush=True)


if __name__ == "__main__":
    main()
