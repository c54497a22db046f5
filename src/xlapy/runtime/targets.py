"""Devices to compile for: those that are here, and TPUs and GPUs that are not."""

from __future__ import annotations

import contextlib
import importlib.util
import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
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


@dataclass(frozen=True)
class _Gpu:
    """A GPU by NVIDIA's published figures (architecture white papers and datasheets); sizes in bytes, rates per second.

    `bandwidth` and `memory` are those of the main memory, `shared` what a streaming multiprocessor has for all its
    blocks; one block may have 1 KiB less of that."""

    name: str
    capability: tuple[int, int]
    multiprocessors: int
    threads: int
    lanes: int
    shared: int
    l2: int
    clock_ghz: float
    bandwidth: int
    memory: int

    def config(self) -> str:
        """The text of XLA's `GpuTargetConfigProto`."""
        major, minor = self.capability
        return f"""
            gpu_device_info {{
              threads_per_block_limit: 1024
              threads_per_warp: 32
              shared_memory_per_block: {48 << 10}
              shared_memory_per_core: {self.shared}
              shared_memory_per_block_optin: {self.shared - 1024}
              threads_per_core_limit: {self.threads}
              core_count: {self.multiprocessors}
              fpus_per_core: {self.lanes}
              block_dim_limit_x: {2**31 - 1}
              block_dim_limit_y: {2**16 - 1}
              block_dim_limit_z: {2**16 - 1}
              memory_bandwidth: {self.bandwidth}
              l2_cache_size: {self.l2}
              clock_rate_ghz: {self.clock_ghz}
              device_memory_size: {self.memory}
              cuda_compute_capability {{ major: {major} minor: {minor} }}
              registers_per_core_limit: {1 << 16}
              registers_per_block_limit: {1 << 16}
            }}
            platform_name: "CUDA"
            dnn_version_info {{ major: 9 minor: 8 }}
            runtime_version {{ major: 12 minor: 9 patch: 0 }}
            device_description_str: "{self.name}"
        """


_CUDA_VERSIONS = (12, 13)
_KIB, _MIB, _GIB, _GIGA = 1 << 10, 1 << 20, 1 << 30, 10**9
_GPUS = {
    "a100": _Gpu("NVIDIA A100 80GB", (8, 0), 108, 2048, 64, 164 * _KIB, 40 * _MIB, 1.41, 2039 * _GIGA, 80 * _GIB),
    "l4": _Gpu("NVIDIA L4", (8, 9), 58, 1536, 128, 100 * _KIB, 48 * _MIB, 2.04, 300 * _GIGA, 24 * _GIB),
    "h100": _Gpu("NVIDIA H100 80GB HBM3", (9, 0), 132, 2048, 128, 228 * _KIB, 50 * _MIB, 1.98, 3352 * _GIGA, 80 * _GIB),
    "h200": _Gpu("NVIDIA H200", (9, 0), 132, 2048, 128, 228 * _KIB, 50 * _MIB, 1.98, 4800 * _GIGA, 141 * _GIGA),
    "b200": _Gpu("NVIDIA B200", (10, 0), 148, 2048, 128, 228 * _KIB, 126 * _MIB, 1.96, 8000 * _GIGA, 180 * _GIGA),
}


def absent_targets() -> tuple[str, ...]:
    """Examples of what can be compiled for without being here: each GPU, and one topology of TPUs."""
    return (*(f"gpu:{name}" for name in _GPUS), "tpu:v5e:2x2")


def target_sharding(target: str) -> jax.sharding.Sharding:
    """Where a program for one device that is compiled for `target` would run: see `Lowered.compile`."""
    return jax.sharding.SingleDeviceSharding(target_devices(target)[0])


def target_devices(target: str) -> list[Any]:
    """The devices of `target`."""
    platform, _, model = target.partition(":")
    if platform not in _PLATFORMS:
        known = ", ".join(map(repr, absent_targets()))
        raise ValueError(
            f"unknown target {target!r}: use 'cpu', 'gpu' or 'tpu' for a device that is here, or one of {known}"
        )
    if not model:
        return _devices(platform)
    if platform == "tpu":
        return _tpu(model)
    if platform in ("gpu", "cuda"):
        return _gpu(model)
    raise ValueError(f"target {target!r}: only for NVIDIA's GPUs and for TPUs can be compiled without the device")


def target_options(target: str | None) -> dict[str, Any]:
    """XLA's options without which it cannot compile for `target`: kernels of a GPU that is not here cannot be timed."""
    absent_gpu = target is not None and target.partition(":")[0] in ("gpu", "cuda") and ":" in target
    return {"xla_gpu_autotune_level": 0} if absent_gpu else {}


def _devices(platform: str) -> list[Any]:
    try:
        return jax.devices(platform)
    except RuntimeError as error:
        examples = [name for name in absent_targets() if name.startswith(platform if platform == "tpu" else "gpu")]
        hint = (
            f"; to compile for one that is not, name it: {', '.join(map(repr, examples))}" if platform != "cpu" else ""
        )
        raise ValueError(f"there is no {platform} here{hint}") from error


def _tpu(topology: str) -> list[Any]:
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
        return topologies.get_topology_desc(topology, "tpu").devices


def has_cuda_compiler() -> bool:
    """Whether JAX's plugin for CUDA, which compiles for GPUs that are not here, is installed."""
    plugins = importlib.util.find_spec("jax_plugins")
    return plugins is not None and any(
        importlib.util.find_spec(f"jax_plugins.xla_cuda{version}") is not None for version in _CUDA_VERSIONS
    )


def _gpu(model: str) -> list[Any]:
    if model not in _GPUS:
        raise ValueError(f"unknown GPU {model!r}: there are {', '.join(_GPUS)}")
    if not has_cuda_compiler():
        raise ValueError("compiling for a GPU that is not here takes JAX's CUDA compiler: pip install 'xlapy[cuda]'")
    with _environment(CUDA_VISIBLE_DEVICES="-1"):
        config = _GPUS[model].config()
        return topologies.get_topology_desc(platform="cuda", target_config=config, topology="1x1x1").devices


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
