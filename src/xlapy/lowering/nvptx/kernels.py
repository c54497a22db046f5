"""Which loops are kernels, and how XLA calls them."""

from __future__ import annotations

import contextlib
import functools
import hashlib
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax

from xlapy.ir import Operation, Var, constant_value
from xlapy.lowering.llvm.code_selection import original_form
from xlapy.lowering.llvm.engine import Call, registered
from xlapy.lowering.llvm.programs import Function, function_of
from xlapy.lowering.llvm.text import Unsuitable
from xlapy.lowering.nvptx import ptx
from xlapy.lowering.vectorised_loops import plan_of

#: nanoseconds that a GPU takes to start a kernel, and one of its threads for an instruction
_LAUNCH, _INSTRUCTION = 3000.0, 1.5
#: iterations that a loop is expected to make if that is not known
_ITERATIONS = 1000
#: threads of a grid whose size is not known, and of a block
_THREADS, _BLOCK = 1 << 14, 64
#: XLA's function that starts a kernel of PTX, and the version of its interface
_TARGET, _INTERFACE = "__gpu$xla.gpu.ptx", 2

_interpreting = False


class Kernel(NamedTuple):
    """A loop as a kernel.

    Attributes:
        function: what computes it.
        results: the results of the loop that it computes.
        threads: how many threads run it.
    """

    function: Function
    results: Sequence[Var]
    threads: int


@contextlib.contextmanager
def interpreted() -> Iterator[None]:
    """Within, what is traced for a GPU runs on a CPU, one thread after the other: so that it can be tested there."""
    global _interpreting
    before, _interpreting = _interpreting, True
    try:
        yield
    finally:
        _interpreting = before


def as_kernel(loop: Operation, environment: dict[Var, Any]) -> Sequence | None:
    """The results of a loop, computed on a GPU by one kernel; None if XLA's kernels are better, or it does not suit.

    Args:
        loop: a `for` or a `while`.
        environment: maps its operands, and what its regions capture, to values.
    """
    if plan_of(loop, True) is not None:
        return None
    kernel = _kernel_of(loop, environment)
    return None if kernel is None else _called(kernel, environment, loop)


def _kernel_of(loop: Operation, environment: dict[Var, Any]) -> Kernel | None:
    """A loop as a kernel, which it keeps as its attribute `kernel`."""
    if "kernel" not in loop.attributes:
        loop.attributes = {**loop.attributes, "kernel": _made(loop, environment)}
    return loop.attributes["kernel"]


def _made(loop: Operation, environment: dict[Var, Any]) -> Kernel | None:
    region, results = original_form(loop, environment)
    if any(not isinstance(v.type.dtype, np.dtype) for v in results):
        return None
    try:
        with jax.enable_x64(True):
            function = function_of(region, True, for_gpu=True)
        if function.is_grid:
            count = constant_value(loop.operands[0])
            threads = _THREADS if count is None else min(int(count), _THREADS)
        else:
            threads = 1
        _code(_module(function, threads))
    except Unsuitable:
        return None
    if function.work / threads * _INSTRUCTION > _launches(loop) * _LAUNCH:
        return None
    return Kernel(function, results, threads)


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
    count = _ITERATIONS if known is None else max(int(known), 0)
    return 1 + count * (3 + sum(_launches(o) for region in operation.regions for o in region.operations))


def _called(kernel: Kernel, environment: dict[Var, Any], loop: Operation) -> list:
    function = kernel.function
    values = [lax.convert_element_type(environment[v], v.type.dtype) for v in function.operands]
    values += map(jax.numpy.asarray, function.constants)
    aliases = {}
    for result, var in function.changed.items():
        aliases[len(values)] = result
        values.append(lax.convert_element_type(environment[var], var.type.dtype))
    types = [jax.ShapeDtypeStruct(v.type.shape, v.type.dtype) for v in function.results]
    for size, held in function.rooms:
        if held is not None:
            aliases[len(values)] = len(types)
            values.append(lax.convert_element_type(environment[held], held.type.dtype))
            types.append(jax.ShapeDtypeStruct(held.type.shape, held.type.dtype))
        else:
            types.append(jax.ShapeDtypeStruct((size,), np.uint8))
    results = (_on_cpu if _interpreting else _on_gpu)(kernel, types, aliases, values)
    of = dict(zip(kernel.results, results, strict=False))
    return [of[v] for v in loop.results]


def _pointers(function: Function) -> list[tuple[str, int]]:
    """What the parameters of a function are the addresses of, rooms behind the results."""
    count = len(function.results)
    pointers = [(kind, k) if kind != "room" else ("result", count + k) for kind, k in function.pointers]
    return pointers + [("operand", len(function.operands) + k) for k in range(len(function.constants))]


def _module(function: Function, threads: int) -> str:
    """LLVM's module of a kernel, which XLA gives the addresses of the operands, and of the results behind them."""
    held = sum(var is not None for _, var in function.rooms)
    count = len(function.operands) + len(function.constants) + len(function.changed) + held
    parameters = [f"ptr %operand{k}" for k in range(count)]
    parameters += [f"ptr %result{k}" for k in range(len(function.results) + len(function.rooms))]
    arguments = [f"ptr %{kind}{k}" for kind, k in _pointers(function)]
    lines = [function.body, f"define ptx_kernel void @kernel({', '.join(parameters)}) {{"]
    if function.is_grid:
        lines += [
            "  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
            "  %lane = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
            f"  %before = mul i32 %block, {_BLOCK}",
            "  %number = add i32 %before, %lane",
            "  %thread = sext i32 %number to i64",
            f"  %exists = icmp slt i64 %thread, {threads}",
            "  br i1 %exists, label %run, label %end",
            "run:",
        ]
        arguments += ["i64 %thread", f"i64 {threads}"]
    lines.append(f"  call void @main({', '.join(arguments)})")
    lines += ["  br label %end", "end:", "  ret void", "}"] if function.is_grid else ["  ret void", "}"]
    if function.is_grid:
        lines.append("declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()")
        lines.append("declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
    return "\n".join(lines)


def _on_gpu(kernel: Kernel, types: Sequence, aliases: dict[int, int], values: Sequence) -> Sequence[jax.Array]:
    function = kernel.function
    code = _code(_module(function, kernel.threads))
    blocks = -(-kernel.threads // _BLOCK) if function.is_grid else 1
    config = {
        "name": '"kernel"',
        "kernel_type": '"ptx"',
        "kernel_data": _quoted(code),
        **{f"grid_{axis}": f"{blocks if axis == 'x' else 1} : i32" for axis in "xyz"},
        **{f"block_{axis}": f"{_BLOCK if axis == 'x' and function.is_grid else 1} : i32" for axis in "xyz"},
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


def _on_cpu(kernel: Kernel, types: Sequence, aliases: dict[int, int], values: Sequence) -> Sequence[jax.Array]:
    """The same by this machine's processor, one thread after the other."""
    function = kernel.function
    body = function.body
    pointers = _pointers(function)
    if function.is_grid:
        parameters = ", ".join(f"ptr %p{k}" for k in range(len(pointers)))
        arguments = ", ".join([*(f"ptr %p{k}" for k in range(len(pointers))), "i64 %thread", f"i64 {kernel.threads}"])
        body = body.replace("@main(", "@thread(") + "\n".join(
            [
                f"\ndefine internal void @main({parameters}) {{",
                "entry:",
                "  br label %head",
                "head:",
                "  %thread = phi i64 [0, %entry], [%next, %run]",
                f"  %more = icmp slt i64 %thread, {kernel.threads}",
                "  br i1 %more, label %run, label %end",
                "run:",
                f"  call void @thread({arguments})",
                "  %next = add i64 %thread, 1",
                "  br label %head",
                "end:",
                "  ret void",
                "}",
            ]
        )
    sizes = [prod(t.shape) * t.dtype.itemsize for t in types]
    changed = {result: (operand, sizes[result]) for operand, result in aliases.items()}
    call = Call(pointers, changed, {}, len(values), len(types))
    name = registered(body, call, hashlib.sha256(body.encode()).hexdigest())
    return jax.ffi.ffi_call(name, types, input_output_aliases=aliases)(*values)


__all__ = ["as_kernel", "interpreted"]
