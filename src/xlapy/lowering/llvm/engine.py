"""Functions in LLVM's language become machine code that XLA calls.

XLA calls what is not its own through its foreign function interface: a function that gets one pointer, to a frame with
the addresses of all operands and results. How a frame lies in memory is a stable interface of C
(`xla/ffi/api/c_api.h`, which jaxlib brings along), so the function that reads it is written here, in the same language.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import threading
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import jax
import llvmlite.binding as llvm
import numpy as np

from xlapy.lowering.llvm import guard_pages

#: bytes from the beginning of a frame to its extension, and to the addresses of operands and results
_EXTENSION, _OPERANDS, _RESULTS = 8, 72, 112
#: bytes from the beginning of a buffer to the address of its elements
_DATA = 24
#: of an extension: to its type, and to what it asks for; there: to the versions of the interface
_TYPE, _METADATA, _MAJOR, _MINOR = 8, 24, 24, 28
_ASKS_FOR_METADATA, _VERSION = 1, (0, 1)
#: whether it is LLVM 22, which takes the signs of a vector in a register of `avx512vl` from another register (no
#: `vmovmskpd` can name it), ends the process where `avx512f` stands without `avx512vl` and two selections of short
#: vectors are joined (an assertion: "Cannot BITCAST between types of different sizes"), and joins instructions to
#: vectors that are used before they are there; without AVX-512, 87 kernels take 0.99 of the time in the mean
_MISCOMPILES = llvm.llvm_version_info[0] == 22
#: what processors have that have vectors of so many bytes
_VECTORS = (("avx2", 32),) if _MISCOMPILES else (("avx2", 32), ("avx512f", 64))
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)


class Call(NamedTuple):
    """What XLA calls a function with.

    Attributes:
        pointers: what the parameters of the function are the addresses of: an "operand" or a "result", and which.
        changed: for each result that is an operand changed in place, the operand, and its bytes.
        starts: for each operand that is a part of another array, the operand that says which of its elements is the
            first, and the bytes of an element.
        operands: how many operands there are.
        results: how many results.
    """

    pointers: Sequence[tuple[str, int]]
    changed: Mapping[int, tuple[int, int]]
    starts: Mapping[int, tuple[int, int]]
    operands: int
    results: int


_lock = threading.Lock()
#: functions by name, with what keeps their code
_registered: dict[str, tuple] = {}


def registered(body: str, call: Call, kept: object = None, level: int = 3, long_vectors: bool = False) -> str:
    """The name under which XLA finds a function.

    Args:
        body: the definition of `@main`, all parameters of which are pointers.
        call: what it is called with.
        kept: what has to stay where it is.
        level: how much LLVM does for it (`compiled`).
        long_vectors: whether it may have the longest vectors of the processor (`compiled`).
    """
    handler = _handler(call)
    name = "xlapy_" + hashlib.sha256(f"{body}\n{handler}".encode()).hexdigest()[:32]
    with _lock:
        if name not in _registered:
            engine = compiled(f"{body}\n{handler}", level, long_vectors)
            function = _HANDLER(engine.get_function_address("handler"))
            if guard_pages.SIDE:
                function = guard_pages.handler(function, call.operands, call.results)
            jax.ffi.register_ffi_target(name, jax.ffi.pycapsule(function), platform="cpu")
            _registered[name] = engine, function, kept
    return name


def applied(
    body: str, results: Sequence[tuple], *operands: jax.Array, level: int = 3, long_vectors: bool = False
) -> jax.Array:
    """The first result of a function of arrays, of such shapes and types; the others are memory that it needs.

    Args:
        body: the definition of `@main`, of the addresses of the arrays and of the results.
        results: the shape and type of each.
        operands: the arrays.
        level: how much LLVM does for it.
        long_vectors: whether it may have the longest vectors of the processor (`compiled`).
    """
    pointers = [("operand", k) for k in range(len(operands))] + [("result", k) for k in range(len(results))]
    call = Call(pointers, {}, {}, len(operands), len(results))
    name = registered(body, call, level=level, long_vectors=long_vectors)
    types = [jax.ShapeDtypeStruct(*result) for result in results]
    return jax.ffi.ffi_call(name, types, vmap_method="sequential")(*operands)[0]


def _machine(level: int = 3, long_vectors: bool = False) -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = _processor(long_vectors)
    return llvm.Target.from_default_triple().create_target_machine(cpu=cpu, features=features, opt=level, jit=True)


@functools.cache
def _processor(long_vectors: bool) -> tuple[str, str]:
    """Its name, and what it can do, without what LLVM makes wrong code of, or slower code: an instruction that loads
    the elements of a vector from different places takes longer than as many loads (measured with Zen 4: up to four
    times), of which LLVM is not aware."""
    features = llvm.get_host_cpu_features()
    wrong = ["-avx512f"] if _MISCOMPILES and not long_vectors else []
    slow = ["+prefer-no-gather", "+prefer-no-scatter"] if features.get("avx2") else []
    return llvm.get_host_cpu_name(), ",".join([features.flatten(), *wrong, *slow])


@functools.cache
def vector_of(dtype: np.dtype) -> int:
    """How many numbers a vector has; 1 if that is not known."""
    if dtype.kind not in "iuf":
        return 1
    features = llvm.get_host_cpu_features()
    return max([size for name, size in _VECTORS if features.get(name)], default=0) // dtype.itemsize or 1


#: the machine that code is optimised for
_this_machine = functools.cache(_machine)


def optimised(text: str, level: int = 3, long_vectors: bool = False) -> llvm.ModuleRef:
    """A module after LLVM's own passes, of which there are more on higher levels."""
    machine = _this_machine(long_vectors=long_vectors)
    layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{machine.triple}"\n'
    module = llvm.parse_assembly(layout + text)
    module.verify()
    options = llvm.create_pipeline_tuning_options(speed_level=max(level, 1))
    options.loop_vectorization = level == 3
    options.slp_vectorization = level == 3 and not _MISCOMPILES
    builder = llvm.create_pass_builder(machine, options)
    _passes(builder, level).run(module, builder)
    try:
        module.verify()
    except RuntimeError:
        # What follows would end the process.
        return optimised(text, level - 1) if level > 1 else llvm.parse_assembly(layout + text)
    return module


def _passes(builder: llvm.PassBuilder, level: int) -> llvm.ModulePassManager:
    """What is run for a level: LLVM's own choice; on the lowest one what takes values out of memory and joins
    instructions, which is most of what can be gained in straight code and takes a tenth of the time."""
    if level > 0:
        return builder.getModulePassManager()
    passes = llvm.create_new_module_pass_manager()
    passes.add_always_inliner_pass()
    passes.add_sroa_pass()
    passes.add_instruction_combine_pass()
    passes.add_simplify_cfg_pass()
    return passes


def compiled(text: str, level: int = 3, long_vectors: bool = False) -> llvm.ExecutionEngine:
    """What keeps the code of a module, and finds its functions; on level 0 it is made quickly, and may be slower.

    `long_vectors`: whether it may have the longest vectors that the processor has, which are kept from code that
    selects between vectors where LLVM does that wrong (`_MISCOMPILES`)."""
    # An engine has its target machine to itself: they go together.
    engine: Any = llvm.create_mcjit_compiler(optimised(text, level, long_vectors), _machine(level, long_vectors))
    engine.set_object_cache(lambda module, object_file: setattr(engine, "object_file", bytes(object_file)))
    engine.finalize_object()
    return engine


def object_file_of(engine: llvm.ExecutionEngine) -> bytes:
    """The code of an engine as an object file, in which the addresses of what is `outside` are still names."""
    return getattr(engine, "object_file", b"")


def outside(name: str, address: int) -> str:
    """Something at an address of this process, by its name in LLVM's language, where it has to be declared."""
    llvm.add_symbol(name, address)
    return f"@{name}"


def _handler(call: Call) -> str:
    """The function that XLA calls: it says what version of the interface it is for, or runs `@main`."""
    lines = [
        "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        "define ptr @handler(ptr %frame) {",
        f"  %extension.p = getelementptr i8, ptr %frame, i64 {_EXTENSION}",
        "  %extension = load ptr, ptr %extension.p",
        "  %none = icmp eq ptr %extension, null",
        "  br i1 %none, label %run, label %look",
        "look:",
        f"  %type.p = getelementptr i8, ptr %extension, i64 {_TYPE}",
        "  %type = load i32, ptr %type.p",
        f"  %asks = icmp eq i32 %type, {_ASKS_FOR_METADATA}",
        "  br i1 %asks, label %say, label %run",
        "say:",
        f"  %metadata.p = getelementptr i8, ptr %extension, i64 {_METADATA}",
        "  %metadata = load ptr, ptr %metadata.p",
        f"  %major = getelementptr i8, ptr %metadata, i64 {_MAJOR}",
        f"  store i32 {_VERSION[0]}, ptr %major",
        f"  %minor = getelementptr i8, ptr %metadata, i64 {_MINOR}",
        f"  store i32 {_VERSION[1]}, ptr %minor",
        "  ret ptr null",
        "run:",
    ]
    for what, start, count in (("operand", _OPERANDS, call.operands), ("result", _RESULTS, call.results)):
        lines.append(f"  %{what}.p = getelementptr i8, ptr %frame, i64 {start}")
        lines.append(f"  %{what} = load ptr, ptr %{what}.p")
        for k in range(count):
            name = f"%{what}{k}"
            lines.append(f"  {name}.p = getelementptr ptr, ptr %{what}, i64 {k}")
            lines.append(f"  {name}.b = load ptr, ptr {name}.p")
            lines.append(f"  {name}.d = getelementptr i8, ptr {name}.b, i64 {_DATA}")
            lines.append(f"  {name} = load ptr, ptr {name}.d")
    for k, (operand, size) in call.changed.items():
        # XLA gives both the same address.
        lines.append(f"  %same{k} = icmp eq ptr %operand{operand}, %result{k}")
        lines.append(f"  br i1 %same{k}, label %there{k}, label %copy{k}")
        lines.append(f"copy{k}:")
        copied = f"ptr %result{k}, ptr %operand{operand}, i64 {size}, i1 false"
        lines.append(f"  call void @llvm.memcpy.p0.p0.i64({copied})")
        lines.append(f"  br label %there{k}")
        lines.append(f"there{k}:")
    for k, (operand, size) in call.starts.items():
        lines.append(f"  %start{k}.n = load i32, ptr %operand{operand}")
        lines.append(f"  %start{k}.w = zext i32 %start{k}.n to i64")
        lines.append(f"  %start{k}.b = mul i64 %start{k}.w, {size}")
        lines.append(f"  %part{k} = getelementptr i8, ptr %operand{k}, i64 %start{k}.b")
    parts = {("operand", k): f"%part{k}" for k in call.starts}
    pointers = ", ".join(f"ptr {parts.get(pointer, '%' + pointer[0] + str(pointer[1]))}" for pointer in call.pointers)
    return "\n".join([*lines, f"  call void @main({pointers}) noinline", "  ret ptr null", "}"])


__all__ = ["applied", "compiled", "optimised", "registered", "vector_of"]
