"""Kernels of GPUs on this machine's processor, so that they can be tested where there is no GPU.

One thread of a grid runs after the other. The threads of a block run at the same time, as threads of the system which
wait for each other where those of a GPU do: where one of them would see too early, or too late, what another one
stores, the result differs.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import threading
from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

import jax

from xlapy.lowering.llvm.engine import Call, registered
from xlapy.lowering.llvm.programs import Function
from xlapy.lowering.llvm.text import BARRIER

#: bytes of a `pthread_barrier_t`, or more
_BARRIER_SIZE = 64
_RUN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)
_START = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)

#: how many threads a block has here; None where kernels are for a GPU
_lanes: int | None = None


@contextlib.contextmanager
def emulated(lanes: int = 1) -> Iterator[None]:
    """Within, what is traced for a GPU runs on the CPU, a block by so many threads."""
    global _lanes
    before, _lanes = _lanes, lanes
    try:
        yield
    finally:
        _lanes = before


def is_emulating() -> bool:
    """Whether kernels that are made now run on the CPU."""
    return _lanes is not None


def on_cpu(
    function: Function,
    pointers: Sequence[tuple[str, int]],
    threads: int,
    types: Sequence[Any],
    aliases: dict[int, int],
    values: Sequence,
) -> Sequence[jax.Array]:
    """What a kernel computes; so many `threads` of a grid, if it is one.

    Args:
        function: the function of a thread.
        pointers: what its parameters are the addresses of: an "operand" or a "result", and which.
        threads: how many there are.
        types: those of the results.
        aliases: for operands that are changed, the number of the result.
        values: the operands.
    """
    assert _lanes is not None
    body, kept = function.body, function.constants
    if function.is_grid:
        body = _one_after_the_other(body, len(pointers), threads)
    elif function.shared:
        body, kept = _at_the_same_time(body, len(pointers), _lanes), (function.constants, _block(_lanes))
    sizes = [prod(t.shape) * t.dtype.itemsize for t in types]
    changed = {result: (operand, sizes[result]) for operand, result in aliases.items()}
    name = registered(body, Call(pointers, changed, {}, len(values), len(types)), kept)
    return jax.ffi.ffi_call(name, types, input_output_aliases=aliases)(*values)


def _one_after_the_other(body: str, count: int, threads: int) -> str:
    addresses = [f"ptr %p{k}" for k in range(count)]
    lines = [
        body.replace("@main(", "@thread("),
        f"define internal void @main({', '.join(addresses)}) {{",
        "entry:",
        "  br label %head",
        "head:",
        "  %thread = phi i64 [0, %entry], [%next, %run]",
        f"  %more = icmp slt i64 %thread, {threads}",
        "  br i1 %more, label %run, label %end",
        "run:",
        f"  call void @thread({', '.join([*addresses, 'i64 %thread', f'i64 {threads}'])})",
        "  %next = add i64 %thread, 1",
        "  br label %head",
        "end:",
        "  ret void",
        "}",
    ]
    return "\n".join(lines)


def _at_the_same_time(body: str, count: int, lanes: int) -> str:
    start, wait, barrier = _block(lanes)[:3]
    defined = [
        f"define internal void @{BARRIER}(i32 %x) noinline {{",
        f"  call i32 inttoptr (i64 {wait} to ptr)(ptr inttoptr (i64 {barrier} to ptr))",
        "  ret void",
        "}",
    ]
    lines = [
        body.replace("@main(", "@thread(").replace(f"declare void @{BARRIER}(i32)", "\n".join(defined)),
        "define internal void @lane(ptr %context, i64 %lane) {",
        *(f"  %a{k} = getelementptr ptr, ptr %context, i64 {k}\n  %p{k} = load ptr, ptr %a{k}" for k in range(count)),
        f"  call void @thread({', '.join([*(f'ptr %p{k}' for k in range(count)), 'i64 %lane', f'i64 {lanes}'])})",
        "  ret void",
        "}",
        f"define internal void @main({', '.join(f'ptr %p{k}' for k in range(count))}) {{",
        f"  %context = alloca [{max(count, 1)} x ptr]",
        *(f"  %a{k} = getelementptr ptr, ptr %context, i64 {k}\n  store ptr %p{k}, ptr %a{k}" for k in range(count)),
        f"  call void inttoptr (i64 {start} to ptr)(ptr @lane, ptr %context)",
        "  ret void",
        "}",
    ]
    return "\n".join(lines).replace(BARRIER, "barrier")


@functools.cache
def _block(lanes: int) -> tuple:
    """Addresses of what starts so many threads and waits for them, and of what these wait in, and for; and what keeps
    them."""
    library = ctypes.CDLL(None)
    barrier, one_block = ctypes.create_string_buffer(_BARRIER_SIZE), threading.Lock()
    library.pthread_barrier_init(barrier, None, lanes)

    def start(code: int, context: int) -> None:
        run = _RUN(code)
        threads = [threading.Thread(target=run, args=(context, lane)) for lane in range(lanes)]
        with one_block:
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

    callback = _START(start)
    addresses = (ctypes.cast(f, ctypes.c_void_p).value for f in (callback, library.pthread_barrier_wait))
    return (*addresses, ctypes.addressof(barrier), callback, barrier)


__all__ = ["emulated", "is_emulating", "on_cpu"]
