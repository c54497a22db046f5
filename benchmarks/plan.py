"""What was asked for: suites, batches, devices, peers, and which of them by name."""

import importlib.util
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax

from benchmarks.environment import setting
from benchmarks.results import FAILED, Result
from xlapy.runtime.targets import has_cuda_compiler

SUITES = ("vgg19", "models", "kernels", "solvers", "compiler", "loops", "semantics", "instances")
DEVICES = ("cpu", "gpu", "tpu")
DATA = ("streamed", "resident", "synthetic")
DTYPES = ("float32", "bfloat16")
# Each peer with the package it needs and the extra that brings it.
PEERS = {
    "xlapy": ("xlapy", "bench"),
    "jax": ("jax", "bench"),
    "by-hand": ("jax", "bench"),
    "eager": ("jax", "bench"),
    "unrolled": ("jax", "bench"),
    "fed": ("jax", "bench"),
    "numpy": ("numpy", "bench"),
    "numba": ("numba", "peers"),
    "torch": ("torch", "peers"),
}


@dataclass(frozen=True)
class Plan:
    """One invocation. `named` holds the suites, devices and peers that the user wrote down: only their failures make
    the exit status non-zero. `peers` is None where all that are installed shall run. `programs` and
    `gradients` are how many the suite `semantics` checks, and `instances` those of each program in the suite of that
    name."""

    suites: tuple[str, ...] = ("vgg19",)
    batches: tuple[int, ...] = (1,)
    dtypes: tuple[str, ...] = ("float32",)
    devices: tuple[str, ...] = ("cpu",)
    peers: tuple[str, ...] | None = None
    data: str = "streamed"
    repeat: int = 7
    only: str = ""
    programs: int = 400
    gradients: int = 100
    instances: int = 10_000
    named: frozenset[str] = field(default_factory=frozenset)

    def wants(self, peer: str) -> bool:
        """Whether a peer runs: asked for, or not excluded and installed."""
        if self.peers is not None:
            return peer in self.peers and installed(peer)
        return installed(peer)

    def failures(self, results: Iterable[Result]) -> list[Result]:
        """The rows that failed although they were asked for by name: by their device or peer, or, what is not a peer's
        own trouble, by their suite."""
        bad = [r for r in results if r.status in ("failed", "wrong")]
        return [
            r for r in bad if {r.device, r.peer} & self.named or (r.suite in self.named and r.peer in ("xlapy", "all"))
        ]


@dataclass(frozen=True)
class Case:
    """One thing to measure: yields its rows."""

    suite: str
    name: str
    run: Callable[[Plan], Iterable[Result]]


def installed(peer: str) -> bool:
    """Whether the package that a peer needs can be imported."""
    return importlib.util.find_spec(PEERS[peer][0]) is not None


def missing_peers(plan: Plan) -> list[Result]:
    """A row for each peer that was asked for and is not installed."""
    rows = []
    for peer in plan.peers or ():
        if not installed(peer):
            package, extra = PEERS[peer]
            text = f"{package} is not installed: pip install -e '.[{extra}]'"
            rows.append(Result("peers", peer, peer, "", FAILED, text))
    return rows


def found(device: str) -> Any:
    """The first attached device of a kind, or None."""
    try:
        return jax.devices(device)[0]
    except RuntimeError:
        return None


def skip_absent_tpu() -> None:
    """Keeps JAX from loading libtpu where no TPU is attached: it would complain at length, and hold the lock that the
    processes which compile ahead of time need. Has to be called before the first device is asked for."""
    attached = any(Path("/dev").glob("accel*")) or any(Path("/dev/vfio").glob("*"))
    if tpu_compiler() and not attached and not setting("jax_platforms") and not importlib.util.find_spec("jax_plugins"):
        jax.config.update("jax_platforms", "cpu")


def devices_found() -> tuple[str, ...]:
    """The kinds of devices this machine has, always with the CPU."""
    return tuple(kind for kind in DEVICES if found(kind) is not None)


def tpu_compiler() -> bool:
    """Whether libtpu, which compiles for TPUs that are not there, is installed."""
    return importlib.util.find_spec("libtpu") is not None


def can_compile(kind: str) -> bool:
    """Whether programs can be compiled for a device of a kind that is not attached."""
    return tpu_compiler() if kind == "tpu" else kind == "gpu" and has_cuda_compiler()


def missing_devices(plan: Plan) -> list[Result]:
    """A row for each device that was asked for and can neither run nor be compiled for."""
    rows = []
    for kind in plan.devices:
        if found(kind) is None and not can_compile(kind):
            extra = "tpu" if kind == "tpu" else "cuda"
            text = f"no {kind} is attached; pip install -e '.[{extra}]' to compile for one that is not there"
            rows.append(Result("devices", kind, "", kind, FAILED, text))
    return rows
