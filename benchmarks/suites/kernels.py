"""The NumPy suite: each kernel against NumPy, Numba and hand-written JAX, NumPy arrays in, answers compared."""

import types
import warnings
from collections.abc import Callable, Iterable
from contextlib import nullcontext
from functools import partial
from typing import Any

import jax
import numpy as np

from benchmarks.ahead_of_time.compile_rows import ahead_of_time, targets
from benchmarks.kernels.all import KERNELS
from benchmarks.kernels.registry import SAME, Kernel
from benchmarks.peers import package, xlapy_jit
from benchmarks.plan import Case, Plan, found
from benchmarks.race import Contender, Ready, Target, race, staged
from benchmarks.results import Result

# Of xlapy's run time over each peer's, per kernel.
AGAINST_JAX, AGAINST_NUMPY = 1.1, 1.2


def cases(plan: Plan) -> list[Case]:
    """One case per kernel; `--data resident` gives JAX and xlapy arguments that lie on the device already. For an
    accelerator that is not there, kernels are compiled."""
    if plan.devices in (("tpu",), ("gpu",)) and found(plan.devices[0]) is None:
        target = targets(plan.devices[0])[0]
        return [
            Case("kernels", f"{name} for {target}", partial(compiled, spec, target)) for name, spec in KERNELS.items()
        ]
    return [Case("kernels", name, partial(raced, spec)) for name, spec in KERNELS.items()]


def compiled(spec: Kernel, target: str, plan: Plan) -> Iterable[Result]:
    """A kernel by the compiler of an accelerator, and the same by hand in JAX where there is that."""
    peers = [peer for peer in ("xlapy", "jax") if plan.wants(peer) and (peer == "xlapy" or spec.jax is not None)]
    return ahead_of_time("kernels", spec.name, "", None, target, peers)


def copied(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """The arguments with arrays of their own."""
    return tuple(a.copy() if isinstance(a, np.ndarray) else a for a in arguments)


def x64() -> Any:
    """JAX with the 64-bit types of NumPy; xlapy needs no such setting."""
    return jax.enable_x64(True)


def placed(arguments: tuple[Any, ...], plan: Plan, writes: tuple[int, ...] = ()) -> Callable[[], tuple[Any, ...]]:
    """What makes the arguments of a call: the NumPy arrays, or with `resident` the same on the device, made once.
    Arrays that the callee writes to are fresh copies each time."""
    kept = arguments
    if plan.data == "resident":
        with x64():
            kept = tuple(
                jax.device_put(a) if isinstance(a, np.ndarray) and i not in writes else a
                for i, a in enumerate(arguments)
            )
    return lambda: tuple(a.copy() if i in writes else a for i, a in enumerate(kept))


def _calling_itself(compiler: Callable[..., Any], function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as `compiler` makes it, in which its own name stands for what has been made."""
    names = dict(function.__globals__)
    compiled = compiler(types.FunctionType(function.__code__, names, function.__name__, function.__defaults__))
    names[function.__name__] = compiled
    return compiled


def raced(spec: Kernel, plan: Plan, suite: str = "kernels") -> Iterable[Result]:
    """One kernel: NumPy is the reference for values, shapes and, of xlapy, dtypes."""
    made = spec.made()
    fresh = bool(spec.writes)

    def python_ready(function: Callable[..., Any]) -> Ready:
        return Ready(function, placed(made, Plan(), spec.writes), fresh=fresh, answer=spec.answer)

    def numba_ready() -> Ready:
        function: Any = spec.function if spec.numba == SAME else spec.numba
        numba = package("numba")
        warnings.simplefilter("ignore", numba.core.errors.NumbaPerformanceWarning)
        return python_ready(_calling_itself(numba.njit, function))

    def xlapy_ready() -> Ready:
        jitted = xlapy_jit(spec.function)
        _, _, times = staged(jitted, *copied(made))
        # with arrays of JAX's that are its 64-bit ones
        context = x64 if plan.data == "resident" else nullcontext
        return Ready(jitted, placed(made, plan, spec.writes), context, fresh, spec.answer, times)

    def jax_ready() -> Ready:
        jitted = jax.jit(spec.jax, static_argnums=spec.static)  # pyright: ignore[reportArgumentType]
        with x64():
            _, _, times = staged(jitted, *made)
        answer = lambda result, _: spec.answer(result, ())  # noqa: E731
        if fresh:
            answer = lambda result, _: result[0] if isinstance(result, tuple) and len(result) == 1 else result  # noqa: E731
        return Ready(jitted, placed(made, plan), x64, answer=answer, times=times)

    contenders = [
        Contender("numpy", lambda: python_ready(spec.function)),
        Contender("xlapy", xlapy_ready, dtypes=True),
    ]
    if spec.jax is not None:
        contenders.append(Contender("jax", jax_ready))
    if spec.numba is not None:
        contenders.append(Contender("numba", numba_ready))
    targets = [
        Target("xlapy", "jax", AGAINST_JAX),
        Target("xlapy", "numpy", AGAINST_NUMPY),
        Target("xlapy", "numba"),
        Target("jax", "numpy"),
        Target("numba", "numpy"),
    ]
    return race(plan, partial(Result, suite, spec.name), contenders, "numpy", targets, spec.rtol, spec.atol)
