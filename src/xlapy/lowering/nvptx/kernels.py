"""Which loops are kernels, and how XLA calls them."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Sequence, Set
from math import prod
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from xlapy.ir import Operation, Region, Var, captured, constant_value
from xlapy.lowering.llvm.code_selection import as_it_is, original_form
from xlapy.lowering.llvm.early_exits import Errors, loops_with_errors
from xlapy.lowering.llvm.lazy_arrays import SOME
from xlapy.lowering.llvm.programs import Function, function_of
from xlapy.lowering.llvm.text import BLOCK, GRID, THREAD, NoGrid, Unsuitable
from xlapy.lowering.nvptx import ptx
from xlapy.lowering.nvptx.emulator import is_emulating, on_cpu
from xlapy.lowering.nvptx.instances import of_each_thread
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
#: elements of an array of one number each that such threads make themselves
_FILLED = {GRID: 0, BLOCK: 1 << 20, THREAD: 1 << 10}
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
        alone: the same as a kernel of one thread, if it can be one: for many instances, a thread for each.
    """

    function: Function
    results: Sequence[Var]
    threads: int
    is_grid: bool
    tag: Var | None
    alone: Kernel | None = None


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
        if _is_possible(kernel):
            alone = made[_KINDS.index(THREAD)]
            return kernel._replace(alone=alone if alone is not None and _is_possible(alone) else None)
    return None


def _is_possible(kernel: Kernel) -> bool:
    """Whether there is code for a kernel."""
    try:
        _code(_module(kernel))
    except Unsuitable:
        return False
    return True


def _written(region: Region, results: Sequence[Var], loop: Operation, kind: str) -> Kernel | None:
    """A loop as a kernel of some threads; None if it does not suit, or these have nothing to share out."""
    tag: Var | None = loop.attributes.get(_TAG)
    place = next((k for k, v in enumerate(results) if v is tag), None)
    region = _with_fillings(region, _FILLED[kind])
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
    threads = THREADS_OF_GRID if count is None else min(int(count) * function.nested, THREADS_OF_GRID)
    return Kernel(function, results, threads, True, tag)


def _with_fillings(region: Region, most: int) -> Region:
    """A region that also makes the arrays it reads of one known number each, of up to so many elements: another kernel
    would take longer to start."""
    owners = [v.owner for v in captured(region) if 1 < prod(v.type.shape) <= most]
    fillings = [o for o in owners if isinstance(o, Operation) and o.kind == "broadcast"]
    fillings = [o for o in fillings if constant_value(o.operands[0]) is not None and not o.operands[0].type.shape]
    if not fillings:
        return region
    whole = Region((), region.depth)
    whole.operations, whole.results = [*fillings, *region.operations], region.results
    return whole


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
    """The results of a loop that is a kernel; under `jax.vmap`, those of all instances by one kernel."""
    variables = list(dict.fromkeys(v for one in (kernel, kernel.alone) for v in _read(one)))
    given = [lax.convert_element_type(environment[v], v.type.dtype) for v in variables]

    @jax.custom_batching.custom_vmap
    def run(*given: Any) -> tuple:
        return tuple(_run(kernel, dict(zip(variables, given, strict=True))))

    @run.def_vmap
    def run_many(size: int, mapped: Sequence[bool], *given: Any) -> tuple[tuple, tuple]:
        if kernel.alone is None:
            found = lax.map(
                lambda k: run(*(x[k] if is_one else x for x, is_one in zip(given, mapped, strict=True))),
                np.arange(size),
            )
        else:
            found = _instances(kernel.alone, variables, mapped, size)(*given)
        return found, (True,) * len(found)

    of = dict(zip(kernel.results, run(*given), strict=False))
    return [of[v] for v in loop.results]


def _read(kernel: Kernel | None) -> list[Var]:
    """What the caller of a kernel hands over."""
    if kernel is None:
        return []
    held = (var for _, var in kernel.function.rooms if var is not None)
    return [*kernel.function.operands, *kernel.function.changed.values(), *held]


def _instances(kernel: Kernel, variables: Sequence[Var], mapped: Sequence[bool], size: int) -> Callable:
    """What computes so many instances of a kernel of one thread at once; what they read that is not mapped is the same
    for all of them."""

    @jax.custom_batching.custom_vmap
    def run(*given: Any) -> tuple:
        if size == 0:
            return tuple(jax.numpy.zeros((0, *v.type.shape), v.type.dtype) for v in kernel.function.results)
        own = frozenset(v for v, is_own in zip(variables, mapped, strict=True) if is_own)
        return tuple(_run(kernel, dict(zip(variables, given, strict=True)), size, own))

    @run.def_vmap
    def run_many(many: int, outer: Sequence[bool], *given: Any) -> tuple[tuple, tuple]:
        rows = []
        for x, inside, outside in zip(given, mapped, outer, strict=True):
            if inside or outside:
                shape = x.shape[inside + outside :]
                x = x if outside else x[None]
                x = x if inside else x[:, None]
                x = jax.numpy.broadcast_to(x, (many, size, *shape)).reshape(many * size, *shape)
            rows.append(x)
        either = [a or b for a, b in zip(mapped, outer, strict=True)]
        found = _instances(kernel, variables, either, many * size)(*rows)
        return tuple(x.reshape(many, size, *x.shape[1:]) for x in found), (True,) * len(found)

    return run


def _run(kernel: Kernel, environment: dict[Var, Any], size: int | None = None, own: Set[Var] = frozenset()) -> Sequence:
    """What a kernel gives; or so many instances of it, which have their `own` of some of what they read."""
    function, many = kernel.function, () if size is None else (size,)

    def changed(var: Var) -> Any:
        return (
            environment[var]
            if size is None or var in own
            else jax.numpy.broadcast_to(environment[var], (size, *var.type.shape))
        )

    values = [environment[v] for v in function.operands]
    values += map(jax.numpy.asarray, function.constants)
    aliases = {}
    for result, var in function.changed.items():
        aliases[len(values)] = result
        values.append(changed(var))
    threads = dict.fromkeys(function.of_threads, (kernel.threads,))
    types = [(threads.get(k, v.type.shape), v.type.dtype) for k, v in enumerate(function.results)]
    for bytes, held in function.rooms:
        if held is not None:
            aliases[len(values)] = len(types)
            values.append(changed(held))
        types.append(((bytes,), np.dtype(np.uint8)) if held is None else (held.type.shape, held.type.dtype))
    sizes = [prod(shape) * dtype.itemsize for shape, dtype in types]
    types = [jax.ShapeDtypeStruct((*many, *shape), dtype) for shape, dtype in types]
    if size is not None:
        steps = [prod(v.type.shape) * v.type.dtype.itemsize if v in own else 0 for v in function.operands]
        steps += [0] * len(function.constants)
        steps = [(steps if kind == "operand" else sizes)[k] for kind, k in _pointers(function)]
        kernel = kernel._replace(function=of_each_thread(function, steps), threads=size, is_grid=True)
    if is_emulating():
        results = on_cpu(kernel.function, _pointers(function), kernel.threads, types, aliases, values)
    else:
        results = _on_gpu(kernel, types, aliases, values)
    return _joined(kernel, results)


def _joined(kernel: Kernel, results: Sequence[jax.Array]) -> Sequence[jax.Array]:
    """The results of a kernel, of which each thread may have its own (`Function.of_threads`)."""
    joined = list(results[: len(kernel.function.results)])
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
