"""Which loops are kernels, and how XLA calls them."""

from __future__ import annotations

import contextlib
import functools
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from xlapy.ir import Operation, Region, Var, constant_value
from xlapy.lowering.llvm.code_selection import as_it_is, original_form
from xlapy.lowering.llvm.early_exits import Errors, loops_with_errors
from xlapy.lowering.llvm.lazy_arrays import SOME
from xlapy.lowering.llvm.programs import Function, function_of
from xlapy.lowering.llvm.text import BLOCK, GRID, THREAD, NoGrid, Unsuitable
from xlapy.lowering.nvptx import ptx
from xlapy.lowering.nvptx.emulator import is_emulating, on_cpu
from xlapy.lowering.thresholds import (
    NANOSECONDS_OF_INSTRUCTION,
    NANOSECONDS_OF_LAUNCH,
    THREADS_OF_BLOCK,
    THREADS_OF_GRID,
    THREADS_OF_GRID_BLOCK,
)
from xlapy.lowering.vectorised_loops import added, plan_of

#: the variable of the environment that leaves all loops to XLA
_SWITCH = "XLAPY_GPU_KERNELS"
#: the attribute of a loop that is its result which is an error tag, behind which nobody wants the others
_TAG = "tag"
#: which threads may run a loop
_KINDS = (GRID, BLOCK, THREAD)
#: XLA's function that starts a kernel of PTX, and the version of its interface
_TARGET, _INTERFACE = "__gpu$xla.gpu.ptx", 2


class Kernel(NamedTuple):
    """A loop as a kernel.

    Attributes:
        function: what computes it.
        results: the results of the loop that it computes.
        threads: how many threads run it.
        is_grid: whether each of them does some iterations by itself; if not, they are one block.
        tag: the result that is an error tag, if nobody wants the others behind an error.
    """

    function: Function
    results: Sequence[Var]
    threads: int
    is_grid: bool
    tag: Var | None


def note_errors(program: Region, errors: Errors) -> None:
    """Note where the loops of a program may raise errors, of which the first one ends it."""
    for loop, tag in loops_with_errors(program, errors).items():
        loop.attributes = {**loop.attributes, _TAG: tag}


def as_kernel(loop: Operation, environment: dict[Var, Any]) -> Sequence | None:
    """The results of a loop, computed on a GPU by one kernel; None if XLA's kernels are better, or it does not suit.

    Args:
        loop: a `for` or a `while`.
        environment: maps its operands, and what its regions capture, to values.
    """
    if plan_of(loop, True) is not None or os.environ.get(_SWITCH) == "0":
        return None
    kernel = _kernel_of(loop, environment)
    return None if kernel is None else _called(kernel, environment, loop)


def _kernel_of(loop: Operation, environment: dict[Var, Any]) -> Kernel | None:
    """A loop as a kernel, which it keeps as its attribute `kernel`."""
    if "kernel" not in loop.attributes:
        loop.attributes = {**loop.attributes, "kernel": _made(loop, environment)}
    return loop.attributes["kernel"]


def _made(loop: Operation, environment: dict[Var, Any]) -> Kernel | None:
    """The kernel that takes the least time, if that is less than XLA's kernels take: of what the loop was before it was
    changed for XLA, or of what it is now, from which products may have been taken that XLA has its own kernels for."""
    region, results = original_form(loop, environment)
    kernel = _quickest(region, results, loop)
    if kernel is None and region.operations != [loop]:
        kernel = _quickest(as_it_is(loop), loop.results, loop)
    return kernel


def _quickest(region: Region, results: Sequence[Var], loop: Operation) -> Kernel | None:
    if any(not isinstance(v.type.dtype, np.dtype) for v in results):
        return None
    made = [_written(region, results, loop, kind) for kind in _KINDS]
    kernels = sorted((kernel for kernel in made if kernel is not None), key=_nanoseconds)
    for kernel in kernels:
        if _nanoseconds(kernel) > _launches(loop) * NANOSECONDS_OF_LAUNCH:
            return None
        with contextlib.suppress(Unsuitable):
            _code(_module(kernel))
            return kernel
    return None


def _written(region: Region, results: Sequence[Var], loop: Operation, kind: str) -> Kernel | None:
    """A loop as a kernel of some threads; None if it does not suit, or these have nothing to share out."""
    tag: Var | None = loop.attributes.get(_TAG)
    place = next((k for k, v in enumerate(results) if v is tag), None)
    try:
        with jax.enable_x64(True):
            function = function_of(region, True, None, kind, None if place is None else region.results[place])
    except (Unsuitable, NoGrid):
        return None
    if kind == BLOCK:
        return Kernel(function, results, THREADS_OF_BLOCK, False, tag) if function.shared else None
    if kind == THREAD:
        return Kernel(function, results, 1, False, tag)
    if not function.is_grid:
        return None
    count = constant_value(loop.operands[0])
    threads = THREADS_OF_GRID if count is None else min(int(count), THREADS_OF_GRID)
    return Kernel(function, results, threads, True, tag)


def _nanoseconds(kernel: Kernel) -> float:
    """How long a kernel takes, about."""
    return kernel.function.work / (kernel.threads if kernel.is_grid else 1) * NANOSECONDS_OF_INSTRUCTION


def _launches(operation: Operation) -> float:
    """How many kernels XLA starts for an operation, about."""
    if operation.kind == "if":
        return 2 + max(sum(map(_launches, region.operations)) for region in operation.regions)
    if operation.kind not in ("for", "while"):
        # Operations on elements become parts of others.
        return 0.25 if operation.jaxpr is None else 0.5
    if plan_of(operation, True) is not None:
        return 4
    known = constant_value(operation.operands[0]) if operation.kind == "for" else None
    count = SOME if known is None else max(int(known), 0)
    return 1 + count * (3 + sum(_launches(o) for region in operation.regions for o in region.operations))


def _called(kernel: Kernel, environment: dict[Var, Any], loop: Operation) -> list:
    function = kernel.function
    values = [lax.convert_element_type(environment[v], v.type.dtype) for v in function.operands]
    values += map(jax.numpy.asarray, function.constants)
    aliases = {}
    for result, var in function.changed.items():
        aliases[len(values)] = result
        values.append(lax.convert_element_type(environment[var], var.type.dtype))
    own = dict.fromkeys(function.of_threads, (kernel.threads,))
    types = [jax.ShapeDtypeStruct(own.get(k, v.type.shape), v.type.dtype) for k, v in enumerate(function.results)]
    for size, held in function.rooms:
        if held is not None:
            aliases[len(values)] = len(types)
            values.append(lax.convert_element_type(environment[held], held.type.dtype))
            types.append(jax.ShapeDtypeStruct(held.type.shape, held.type.dtype))
        else:
            types.append(jax.ShapeDtypeStruct((size,), np.uint8))
    if is_emulating():
        results = on_cpu(function, _pointers(function), kernel.threads, types, aliases, values)
    else:
        results = _on_gpu(kernel, types, aliases, values)
    of = dict(zip(kernel.results, _joined(kernel, results), strict=False))
    return [of[v] for v in loop.results]


def _joined(kernel: Kernel, results: Sequence[jax.Array]) -> Sequence[jax.Array]:
    """The results of a kernel, of which each thread may have its own (`Function.of_threads`)."""
    joined = list(results)
    tag = next((k for k, v in enumerate(kernel.results) if v is kernel.tag), None)
    first = None if tag is None else jax.numpy.argmax(results[tag] != 0)
    for k, is_sum in kernel.function.of_threads.items():
        joined[k] = added(results[k]) if is_sum else results[k][first]
    return joined


def _pointers(function: Function) -> list[tuple[str, int]]:
    """What the parameters of a function are the addresses of, rooms behind the results."""
    count = len(function.results)
    pointers = [(kind, k) if kind != "room" else ("result", count + k) for kind, k in function.pointers]
    return pointers + [("operand", len(function.operands) + k) for k in range(len(function.constants))]


def _module(kernel: Kernel) -> str:
    """LLVM's module of a kernel, which XLA gives the addresses of the operands, and of the results behind them."""
    function = kernel.function
    held = sum(var is not None for _, var in function.rooms)
    count = len(function.operands) + len(function.constants) + len(function.changed) + held
    parameters = [f"ptr %operand{k}" for k in range(count)]
    parameters += [f"ptr %result{k}" for k in range(len(function.results) + len(function.rooms))]
    arguments = [f"ptr %{kind}{k}" for kind, k in _pointers(function)]
    width = THREADS_OF_GRID_BLOCK if kernel.is_grid else kernel.threads
    lines = [
        function.body,
        f'define ptx_kernel void @kernel({", ".join(parameters)}) "nvvm.maxntid"="{width}" {{',
        "  %lane.short = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "  %lane = sext i32 %lane.short to i64",
    ]
    if kernel.is_grid:
        lines += [
            "  %block.short = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
            "  %block = sext i32 %block.short to i64",
            f"  %before = mul i64 %block, {width}",
            "  %thread = add i64 %before, %lane",
            f"  %exists = icmp slt i64 %thread, {kernel.threads}",
            "  br i1 %exists, label %run, label %end",
            "run:",
        ]
        arguments += ["i64 %thread", f"i64 {kernel.threads}"]
    elif function.shared:
        arguments += ["i64 %lane", f"i64 {width}"]
    lines.append(f"  call void @main({', '.join(arguments)})")
    lines += ["  br label %end", "end:"] if kernel.is_grid else []
    lines += ["  ret void", "}"]
    lines += [f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in ("tid", "ctaid")]
    return "\n".join(lines)


def _on_gpu(kernel: Kernel, types: Sequence, aliases: dict[int, int], values: Sequence) -> Sequence[jax.Array]:
    blocks, width = (
        (-(-kernel.threads // THREADS_OF_GRID_BLOCK), THREADS_OF_GRID_BLOCK) if kernel.is_grid else (1, kernel.threads)
    )
    config = {
        "name": '"kernel"',
        "kernel_type": '"ptx"',
        "kernel_data": _quoted(_code(_module(kernel))),
        **{f"grid_{axis}": f"{blocks if axis == 'x' else 1} : i32" for axis in "xyz"},
        **{f"block_{axis}": f"{width if axis == 'x' else 1} : i32" for axis in "xyz"},
        "shared_mem_bytes": "0 : i32",
    }
    text = "{" + ", ".join(f"{name} = {value}" for name, value in config.items()) + "}"
    return jax.ffi.ffi_call(
        _TARGET,
        types,
        input_output_aliases=aliases,
        custom_call_api_version=_INTERFACE,
        legacy_backend_config=text,
    )(*values)


_code = functools.lru_cache(maxsize=256)(ptx.compiled)


def _quoted(text: str) -> str:
    """A string of MLIR's."""
    escaped = text.replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A").replace("\t", "\\09")
    return f'"{escaped}"'


__all__ = ["as_kernel", "note_errors"]
