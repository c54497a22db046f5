"""Many instances of one program at once: `xlapy.vmap` of kernels that are sequential, against `jax.vmap`, NumPy
arrays in."""

from collections.abc import Iterable
from functools import partial
from typing import Any

import jax
import numpy as np

import xlapy
from benchmarks.ahead_of_time.compile_rows import ahead_of_time, targets
from benchmarks.hlo import count_launches
from benchmarks.kernels.all import KERNELS
from benchmarks.kernels.instances import SCALES, made
from benchmarks.plan import Case, Plan, found
from benchmarks.race import Contender, Ready, Target, race, staged
from benchmarks.results import Result

COMPARED = 2  # instances that NumPy computes
# Of xlapy's run time over that of the same by hand.
AGAINST_JAX = 1.0


def cases(plan: Plan) -> list[Case]:
    """A case for each program on the device that is there; for a GPU that is not, they are compiled."""
    if plan.devices == ("gpu",) and found("gpu") is None:
        (target,) = targets("gpu")
        return [Case("instances", f"{name} for {target}", partial(compiled, name, target)) for name in SCALES]
    return [Case("instances", f"{name} x {plan.instances}", partial(raced, name)) for name in SCALES]


def compiled(name: str, target: str, plan: Plan) -> Iterable[Result]:
    """A program by the compiler of an accelerator, and the same by hand in JAX where there is that."""
    peers = [peer for peer in ("xlapy", "jax") if plan.wants(peer) and (peer == "xlapy" or KERNELS[name].jax)]
    return ahead_of_time("instances", name, "", plan.instances, target, peers)


def raced(name: str, plan: Plan) -> Iterable[Result]:
    """One program: NumPy is the reference of a few instances."""
    spec, many = KERNELS[name], plan.instances
    arguments, axes = made(spec, SCALES[name], many)
    few = min(COMPARED, many)

    def first(result: Any, _: Any) -> Any:
        parts = result if isinstance(result, tuple) else (result,)
        return tuple(np.asarray(part)[:few] for part in parts)

    def numpy_ready() -> Ready:
        def one_by_one(*arguments: Any) -> Any:
            rows = [
                spec.function(*(x if a is None else x[k].copy() for x, a in zip(arguments, axes, strict=True)))
                for k in range(few)
            ]
            rows = [row if isinstance(row, tuple) else (row,) for row in rows]
            return tuple(np.stack(parts) for parts in zip(*rows, strict=True))

        return Ready(one_by_one, lambda: arguments, answer=first)

    def xlapy_ready() -> Ready:
        mapped = xlapy.vmap(spec.function, in_axes=axes)
        _, compiled, times = staged(mapped, *arguments)
        figures = {}
        if found("gpu") is not None:
            figures["launches"] = count_launches(compiled.executable.as_text()).kernels
        return Ready(mapped, lambda: arguments, answer=first, times=times, figures=figures)

    def jax_ready() -> Ready:
        by_hand: Any = spec.jax
        mapped = jax.jit(jax.vmap(by_hand, in_axes=axes), static_argnums=spec.static)
        return Ready(mapped, lambda: arguments, partial(jax.enable_x64, True), answer=first)

    contenders = [Contender("numpy", numpy_ready), Contender("xlapy", xlapy_ready)]
    if spec.jax is not None:
        contenders.append(Contender("jax", jax_ready))
    row = partial(Result, "instances", f"{name} x {many}", device=jax.default_backend(), batch=many)
    targets = [Target("xlapy", "jax", AGAINST_JAX)]
    return race(plan, row, contenders, "numpy", targets, max(spec.rtol, 1e-9), spec.atol)
