"""The published claim: VGG19, forward and gradient, on every device, against PyTorch and hand-written JAX."""

from collections.abc import Iterable
from functools import cache, partial
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.ahead_of_time.compile_rows import ahead_of_time, targets
from benchmarks.chips import chip_of
from benchmarks.environment import memory
from benchmarks.measure import Subject
from benchmarks.models import data, vgg19
from benchmarks.peers import package, xlapy_jit
from benchmarks.plan import Case, Plan, found
from benchmarks.programs import bytes_of, on_device
from benchmarks.race import Contender, Ready, Target, race
from benchmarks.results import FAILED, OK, Result

# Run time of xlapy over that of jax.jit of the same model; the two run the same HLO operations.
RUN_TARGET = 1.0
COMPILE_TARGET = 1.2  # of a gradient, from function to executable
# Relative and absolute. A gradient's values are in units of their root mean square: where two neighbours in a max-pool
# are equal up to rounding, it may go to either, which moves single values of the layers before by a tenth of that.
TOLERANCE = {
    ("forward", "float32"): (1e-3, 1e-6),
    ("forward", "bfloat16"): (6e-2, 2e-3),
    ("gradient", "float32"): (1e-2, 0.2),
    ("gradient", "bfloat16"): (1e-1, 1.0),
}
FLOPS_PER_IMAGE = 39.264e9  # convolutions and dense layers, two per multiply-add
# Bytes that a batch takes beside the parameters, per image: the widest layer in and out, and what convolutions unfold.
BYTES_PER_IMAGE = {"forward": 80e6, "gradient": 300e6}


def cases(plan: Plan) -> list[Case]:
    """Forward and gradient for each device, precision and batch; ahead of time for an accelerator that is not
    there."""
    rows = []
    for kind in plan.devices:
        if found(kind) is None:
            rows += ahead_of_time_cases(kind, plan)
            continue
        for program in ("forward", "gradient"):
            for dtype in plan.dtypes:
                for batch in plan.batches:
                    name = f"{program} {dtype} batch {batch} on {kind}"
                    rows.append(Case("vgg19", name, partial(measured, kind, program, dtype, batch)))
    return rows


def ahead_of_time_cases(kind: str, plan: Plan) -> list[Case]:
    """Forward and gradient, each batch, for each target that the compiler is asked for."""
    return [
        Case(
            "vgg19",
            f"{program} {dtype} batch {batch} for {target}",
            partial(compiled, program, dtype, batch, target),
        )
        for target in targets(kind)
        for program in ("forward", "gradient")
        for dtype in plan.dtypes
        for batch in plan.batches
    ]


def compiled(program: str, dtype: str, batch: int, target: str, plan: Plan) -> Iterable[Result]:
    peers = [peer for peer in ("xlapy", "jax") if plan.wants(peer)]
    return ahead_of_time("vgg19", program, dtype, batch, target, peers)


@cache
def model_of(dtype: str) -> vgg19.VGG19:
    """The model with its parameters, made once for all cases of a precision."""
    return vgg19.initialised(jnp.dtype(dtype))


def summary(tree: Any) -> Any:
    """A tree of large arrays in brief: of each its norm, and about 1024 values spread over it in units of their root
    mean square."""

    def brief(leaf: Any) -> tuple[np.ndarray, np.ndarray]:
        values = np.asarray(leaf).astype(np.float32).reshape(-1)
        norm = np.linalg.norm(values)
        unit = max(float(norm) / np.sqrt(values.size), 1e-30)
        return np.asarray(norm), values[:: max(1, values.size // 1024)] / unit

    return [brief(leaf) for leaf in jax.tree.leaves(tree) if hasattr(leaf, "ndim")]


def too_large(program: str, batch: int, itemsize: int) -> str | None:
    """Why a case would not fit this machine's memory, or None. The operating system kills what does not, with no
    message."""
    copies = 3 if program == "forward" else 6
    needed = vgg19.PARAMETERS * itemsize * copies + batch * BYTES_PER_IMAGE[program]
    available = memory("MemAvailable")
    if available is None or needed < 0.9 * available:
        return None
    return f"too little memory: about {needed / 1e9:.1f} GB needed, {available / 1e9:.1f} GB available"


def measured(kind: str, program: str, dtype: str, batch: int, plan: Plan) -> Iterable[Result]:
    """One race on one device. On devices other than the CPU only JAX and xlapy take part."""
    device = found(kind)
    row = partial(Result, "vgg19", program, device=kind, batch=batch, dtype=dtype)
    if kind == "cpu" and (reason := too_large(program, batch, jnp.dtype(dtype).itemsize)):
        return [row(peer="all", status=FAILED, message=reason)]
    host = data.synthetic_images(batch) if plan.data == "synthetic" else data.photographs(batch)
    images = host.astype(jnp.dtype(dtype))
    with jax.default_device(device):
        build = forward_contenders if program == "forward" else gradient_contenders
        contenders = build(model_of(dtype), images, device, plan.data != "resident")
        if kind != "cpu" or dtype != "float32":
            contenders = [c for c in contenders if c.peer != "torch"]
        rtol, atol = TOLERANCE[program, dtype]
        limit = COMPILE_TARGET if program == "gradient" else None
        targets = [Target("xlapy", "jax", RUN_TARGET, limit), Target("xlapy", "torch"), Target("jax", "by-hand")]
        rows = race(plan, row, contenders, "jax", targets, rtol, atol)
    for result in rows:
        result.figures["parameter_bytes"] = vgg19.PARAMETERS * jnp.dtype(dtype).itemsize
        if result.status == OK:
            result.figures |= speed(result, program, device)
            if program == "forward" and (counted := operations(result)):
                result.figures["operations"] = counted
    return rows


def speed(result: Result, program: str, device: Any) -> dict[str, float]:
    """Images and FLOP per second of a measured row, and the fraction of the device's roofline where that is
    published."""
    batch, seconds = result.batch or 1, result.times["run"].median
    flops = FLOPS_PER_IMAGE * batch * (1 if program == "forward" else 3)
    figures = {"images_per_second": batch / seconds, "flops_per_second": flops / seconds}
    chip = chip_of(device)
    if chip is not None:
        moved = result.figures.get("bytes_accessed", result.figures["parameter_bytes"])
        figures["roofline_fraction"] = chip.seconds(flops, moved, result.dtype) / seconds
    return figures


def operations(result: Result) -> dict[str, int]:
    """How many convolutions, dots and reduce-windows stand in the program before optimisation: 16, 3 and 5 are what the
    architecture implies."""
    total = result.figures.get("instructions", {}).get("before", {}).get("total")
    if total is None:
        return {}
    spelt = {"convolutions": ("convolution",), "dots": ("dot", "dot_general")}
    spelt["reduce-windows"] = ("reduce-window", "reduce_window")
    return {name: sum(total.get(opcode, 0) for opcode in opcodes) for name, opcodes in spelt.items()}


def forward_contenders(model: vgg19.VGG19, images: np.ndarray, device: Any, phases: bool) -> list[Contender]:
    """The forward pass: the same Equinox model under xlapy and under jax.jit, written by hand, eagerly, and in
    PyTorch."""
    arrays, rest = eqx.partition(model, eqx.is_array)
    arrays = jax.device_put(arrays, device)
    model = eqx.combine(arrays, rest)

    def same_model(arrays: Any, x: Any) -> Any:
        return vgg19.forward(eqx.combine(arrays, rest), x)

    def xlapy_ready() -> Ready:
        return on_device(xlapy_jit(vgg19.forward), (model,), (images,), device, phases)

    def jax_ready() -> Ready:
        return on_device(jax.jit(same_model), (arrays,), (images,), device, phases)

    def by_hand_ready() -> Ready:
        return on_device(jax.jit(vgg19.by_hand), (vgg19.parameters(model),), (images,), device, phases)

    def eager_ready() -> Ready:
        there = jax.device_put(images, device)
        return Ready(vgg19.forward, lambda: (model, there))

    def torch_ready() -> Ready:
        torch = package("torch")
        weights, x = vgg19.torch_parameters(torch, model), torch.from_numpy(images)

        def run() -> Any:
            with torch.inference_mode():
                return torch.nn.functional.softmax(vgg19.torch_logits(torch, weights, x), dim=1)

        return Ready(run)

    return [
        Contender("xlapy", xlapy_ready, dtypes=True),
        Contender("jax", jax_ready),
        Contender("by-hand", by_hand_ready),
        Contender("eager", eager_ready),
        Contender("torch", torch_ready),
    ]


def gradient_contenders(model: vgg19.VGG19, images: np.ndarray, device: Any, phases: bool) -> list[Contender]:
    """Cross-entropy and its gradient with respect to all parameters, in one program."""
    arrays, rest = eqx.partition(model, eqx.is_array)
    arrays = jax.device_put(arrays, device)
    model = eqx.combine(arrays, rest)
    labels = (np.arange(len(images)) * 7 % 1000).astype(np.int32)

    def brief(result: Any) -> Any:
        value, gradient = result
        return np.asarray(value), summary(gradient)

    def of_model(arrays: Any, x: Any, labels: Any) -> Any:
        return vgg19.loss(eqx.combine(arrays, rest), x, labels)

    def of_arrays(arrays: Any, x: Any, labels: Any) -> Any:
        return jax.value_and_grad(of_model)(arrays, x, labels)

    def ready(jitted: Any, *resident: Any) -> Ready:
        made = on_device(jitted, resident, (images, labels), device, False, brief)
        if phases:
            upload = lambda: [jax.device_put(x, device) for x in (images, labels)]  # noqa: E731
            made.more.append(Subject("host_to_device", upload))
            made.moved["host_to_device"] = bytes_of(images) + bytes_of(labels)
        return made

    def torch_ready() -> Ready:
        torch = package("torch")
        weights, x = vgg19.torch_parameters(torch, model, gradient=True), torch.from_numpy(images)
        targets = torch.from_numpy(labels.astype(np.int64))
        parameters = jax.tree.leaves(weights["convolution"] + weights["dense"])

        def run() -> Any:
            value = torch.nn.functional.cross_entropy(vgg19.torch_logits(torch, weights, x), targets)
            return value.detach(), torch.autograd.grad(value, parameters)

        return Ready(run, answer=lambda result, _: (result[0].numpy(), summary([g.numpy() for g in result[1]])))

    by_hand = jax.value_and_grad(vgg19.by_hand_loss)
    return [
        Contender("xlapy", lambda: ready(xlapy_jit(of_arrays), arrays)),
        Contender("jax", lambda: ready(jax.jit(of_arrays), arrays)),
        Contender("by-hand", lambda: ready(jax.jit(by_hand), vgg19.parameters(model))),
        Contender("torch", torch_ready),
    ]
