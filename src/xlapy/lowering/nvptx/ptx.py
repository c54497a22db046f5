"""From LLVM's language to PTX."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import llvmlite.binding as llvm

from xlapy.lowering.llvm.text import Unsuitable

#: the oldest processors that kernels run on, and the version of PTX that they need: all later ones run it, too
_PROCESSOR, _VERSION = "sm_70", "+ptx70"
_TRIPLE = "nvptx64-nvidia-cuda"
#: functions of LLVM's that are instructions of PTX, or a few of them
_INSTRUCTIONS = frozenset(
    "abs bitreverse bswap ceil copysign ctlz ctpop cttz fabs floor fma fmuladd fshl fshr maximum maxnum memcpy memmove"
    " memset minimum minnum nearbyint rint round roundeven sadd.with.overflow smax smin smul.with.overflow sqrt"
    " ssub.with.overflow trunc uadd.with.overflow umax umin umul.with.overflow usub.with.overflow vector.reduce".split()
)
#: functions of the C library, and of LLVM's that are calls of it, that NVIDIA's library has under their names
_IN_LIBRARY = frozenset(
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh erf erfc exp exp2 expm1 fmod hypot lgamma log log10 log1p"
    " log2 nextafter pow sin sinh tan tanh tgamma".split()
)
_DECLARED = re.compile(r"^declare (?P<type>\w+) @(?P<name>[\w.]+)\((?P<types>[^)]*)\).*$", re.MULTILINE)
_TYPED = re.compile(r"\.(?:v\d+)?(?:[if]\d+|p0)(?=\.|$)")


def compiled(text: str) -> str:
    """The PTX of a module of LLVM's, in which functions of C's library are NVIDIA's.

    Raises:
        Unsuitable: if it calls what a GPU does not have.
    """
    text, needs_library = _for_gpu(text)
    machine = _machine()
    head = f'target datalayout = "{machine.target_data}"\ntarget triple = "{_TRIPLE}"\n'
    module = llvm.parse_assembly(head + text)
    if needs_library:
        module.link_in(_library())
    module.verify()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
    return machine.emit_assembly(module)


@functools.cache
def _machine() -> llvm.TargetMachine:
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    # Products and sums are rounded one by one, as NumPy rounds them.
    llvm.set_option("xlapy", "--nvptx-fma-level=0")
    return llvm.Target.from_triple(_TRIPLE).create_target_machine(cpu=_PROCESSOR, features=_VERSION, opt=3)


def _for_gpu(text: str) -> tuple[str, bool]:
    """A module that calls NVIDIA's functions in place of C's, and whether it does. LLVM ends the process at a function
    that it cannot translate, so all that is called has to be known here."""
    if "inttoptr" in text or " frem " in text:
        raise Unsuitable("something of the host's")
    renamed: dict[str, str] = {}

    def declaration(found: re.Match) -> str:
        name = found["name"]
        plain = name.removeprefix("llvm.") if name.startswith("llvm.") else name
        plain = _TYPED.sub("", plain)
        if name.startswith("llvm.") and (plain in _INSTRUCTIONS or plain.startswith(("vector.reduce", "nvvm."))):
            return found[0]
        short = found["type"] == "float"
        plain = plain.removesuffix("f") if short and plain not in _IN_LIBRARY else plain
        if plain not in _IN_LIBRARY or found["type"] not in ("float", "double"):
            raise Unsuitable(f"{name} on a GPU")
        renamed[name] = f"__nv_{plain}{'f' if short else ''}"
        return f"declare {found['type']} @{renamed[name]}({found['types']})"

    text = _DECLARED.sub(declaration, text)
    for name, new in renamed.items():
        text = re.sub(rf"@{re.escape(name)}\(", f"@{new}(", text)
    return text, bool(renamed)


@functools.cache
def _bitcode() -> bytes:
    """NVIDIA's library of mathematical functions (libdevice), which CUDA brings along."""
    for folder in _folders():
        for path in sorted(folder.glob("nvvm/libdevice/libdevice*.bc")):
            return path.read_bytes()
    raise Unsuitable("functions of libdevice, which is not installed")


def _folders() -> Iterator[Path]:
    """Where CUDA may be: where its variables say, in a package of Python's, and where it is by itself."""
    yield from (Path(os.environ[name]) for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ)
    for entry in map(Path, sys.path):
        yield from entry.glob("nvidia/cuda_nvcc")
        yield from entry.glob("nvidia/cu*")
    yield Path("/usr/local/cuda")


def _library() -> llvm.ModuleRef:
    library = llvm.parse_bitcode(_bitcode())
    for function in library.functions:
        if not function.is_declaration:
            function.linkage = llvm.Linkage.internal
    return library


__all__ = ["compiled"]
