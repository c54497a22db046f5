"""Published peaks of accelerators, and the roofline estimate they give. An estimate is not a measurement, and is never
shown as one."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Chip:
    """Peak FLOP/s by the kind of arithmetic, and main-memory bandwidth in bytes/s, of one device as JAX counts
    devices."""

    name: str
    flops: dict[str, float]
    bandwidth: float
    source: str

    def seconds(self, flops: float, moved: float, dtype: str) -> float:
        """The roofline's lower bound: the longer of computing `flops` and of moving `moved` bytes.

        `dtype` names the inputs' type. Where the chip has no figure for it, its fastest is used, which keeps it a
        bound."""
        peak = self.flops.get(dtype, max(self.flops.values()))
        return max(flops / peak, moved / self.bandwidth)


CLOUD = "cloud.google.com/tpu/docs"
# A TPU multiplies float32 matrices in bfloat16 passes at JAX's default precision, so the bfloat16 peak bounds both.
TPUS = {
    "v4": Chip("TPU v4", {"bfloat16": 275e12}, 1228e9, f"{CLOUD}/v4"),
    "v5e": Chip("TPU v5e", {"bfloat16": 197e12}, 819e9, f"{CLOUD}/v5e"),
    "v5p": Chip("TPU v5p", {"bfloat16": 459e12}, 2765e9, f"{CLOUD}/v5p"),
}
# Without sparsity. JAX's default for float32 products on these GPUs is TF32.
GPUS = {
    "H200": Chip(
        "NVIDIA H200", {"bfloat16": 989e12, "float32": 494e12, "float64": 67e12}, 4.8e12, "NVIDIA H200 datasheet"
    ),
    "H100": Chip(
        "NVIDIA H100 SXM", {"bfloat16": 989e12, "float32": 494e12, "float64": 67e12}, 3.35e12, "NVIDIA H100 datasheet"
    ),
    "B200": Chip(
        "NVIDIA B200", {"bfloat16": 2250e12, "float32": 1100e12, "float64": 37e12}, 8e12, "NVIDIA DGX B200 datasheet"
    ),
    "L4": Chip("NVIDIA L4", {"bfloat16": 121e12, "float32": 60e12, "float64": 0.5e12}, 300e9, "NVIDIA L4 datasheet"),
    "A100": Chip(
        "NVIDIA A100 80GB", {"bfloat16": 312e12, "float32": 156e12, "float64": 19.5e12}, 2.0e12, "NVIDIA A100 datasheet"
    ),
}


def chip_of_target(target: str) -> Chip | None:
    """The published figures of the device that is compiled for, such as 'gpu:h100' or 'tpu:v5e:2x2'."""
    kind, _, model = target.partition(":")
    return GPUS.get(model.upper()) if kind == "gpu" else TPUS.get(model.partition(":")[0])


def chip_of(device: Any) -> Chip | None:
    """The published figures of an attached device, by its kind; None for one that is not listed."""
    for name, chip in (GPUS | {"v5 lite": TPUS["v5e"], "v5p": TPUS["v5p"], "v4": TPUS["v4"]}).items():
        if name.lower() in device.device_kind.lower():
            return chip
    return None
