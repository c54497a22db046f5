"""Devices to compile for: those that are here, and TPUs that are not."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
from collections.abc import Iterator
from typing import Any

import jax
from jax.experimental import topologies

_PLATFORMS = ("cpu", "gpu", "cuda", "rocm", "tpu")
#: the accelerator type that libtpu wants to be told: its name, and the number of its units for each chip
_ACCELERATORS = {
    "v2": ("v2", 2),
    "v3": ("v3", 2),
    "v4": ("v4", 2),
    "v5e": ("v5litepod", 1),
    "v5p": ("v5p", 2),
    "v6e": ("v6e", 1),
}


def target_sharding(target: str) -> jax.sharding.Sharding:
    """Where a program compiled for `target` would run: see `Lowered.compile`."""
    platform, _, topology = target.partition(":")
    if platform not in _PLATFORMS:
        raise ValueError(f"unknown target {target!r}: use 'cpu', 'gpu', 'tpu', or a TPU topology such as 'tpu:v5e:2x2'")
    if not topology:
        return jax.sharding.SingleDeviceSharding(_device(platform))
    if platform != "tpu":
        raise ValueError(f"target {target!r}: only for TPUs can be compiled without the device")
    return jax.sharding.SingleDeviceSharding(_tpu(topology))


def _device(platform: str) -> Any:
    try:
        return jax.devices(platform)[0]
    except RuntimeError as error:
        hint = "; for a TPU that is not here, name its topology: 'tpu:v5e:2x2'" if platform == "tpu" else ""
        raise ValueError(f"there is no {platform} here{hint}") from error


def _tpu(topology: str) -> Any:
    generation, _, shape = topology.partition(":")
    sizes = shape.split("x")
    if generation not in _ACCELERATORS or not all(size.isdigit() for size in sizes):
        known = ", ".join(_ACCELERATORS)
        raise ValueError(f"unknown TPU topology {topology!r}: a generation ({known}) and a shape, as 'v5e:2x2'")
    if importlib.util.find_spec("libtpu") is None:
        raise ValueError("compiling for a TPU that is not here takes the TPU compiler: pip install 'xlapy[tpu]'")
    name, units = _ACCELERATORS[generation]
    chips = math.prod(map(int, sizes))
    with _environment(
        TPU_SKIP_MDS_QUERY="1", TPU_WORKER_HOSTNAMES="localhost", TPU_ACCELERATOR_TYPE=f"{name}-{chips * units}"
    ):
        return topologies.get_topology_desc(topology, "tpu").devices[0]


@contextlib.contextmanager
def _environment(**variables: str) -> Iterator[None]:
    """Set environment variables that have no value, for a while."""
    fresh = {name: value for name, value in variables.items() if name not in os.environ}
    os.environ.update(fresh)
    try:
        yield
    finally:
        for name in fresh:
            del os.environ[name]
