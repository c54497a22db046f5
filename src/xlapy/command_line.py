"""The commands of `python -m xlapy`: explain, hlo, run, doctor and cache."""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.metadata
import importlib.util
import os
import platform
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import jax
import numpy as np

from xlapy.api import code_typed, code_xla, explain, jit
from xlapy.report import NotOffloadableError
from xlapy.stored import folder

#: letters of types, and the names of NumPy's types without their bits
_LETTERS = {"f": "float", "i": "int", "u": "uint", "c": "complex"}
#: what stands for one number, and not for an array
_NUMBERS: dict[str, Any] = {"float64": 1.5, "int64": 2, "complex128": 1.5 + 0.5j, "bool": True}
_LIBRARIES = ("xlapy", "jax", "jaxlib", "numpy", "llvmlite", "bytecode", "scipy", "numba")
#: warm calls that are timed, at most, and for how many seconds
_CALLS, _SECONDS = 1000, 1.0
_ARGUMENTS = """\
FILE:FUNCTION is a path or the name of a module, and a function or Class.method in it.

--args are separated by commas: types with shapes (f64[100,3], f32[8], i32[5], bool[4], c128[2]), of which arrays of
random numbers are made; f64, i64, bool or c128 without a shape, for a number of Python's; files (data.npy); or any
literal of Python's (10, 2.5, 'name', [1, 2], None).
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; 0 if it has succeeded, 1 if the function cannot be compiled, 2 for a wrong command line."""
    parser = argparse.ArgumentParser("python -m xlapy", description="Looks into compiled functions.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="{explain,hlo,run,doctor,cache}")
    for name, command in _COMMANDS.items():
        made = commands.add_parser(
            name,
            help=command.__doc__,
            description=command.__doc__,
            epilog=_ARGUMENTS if name in _WITH_FUNCTION else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(run=command)
        if name in _WITH_FUNCTION:
            made.add_argument("function", metavar="FILE:FUNCTION")
            made.add_argument("--args", default="", metavar='"f64[100,3], i64"')
    commands.choices["explain"].add_argument("--html", metavar="PAGE", type=Path, help="write a page to this file")
    commands.choices["cache"].add_argument("what", nargs="?", choices=("info", "clear"), default="info")
    commands.choices["hlo"].add_argument("--typed", action="store_true", help="the typed program instead")
    commands.choices["hlo"].add_argument("--opt", action="store_true", help="what XLA has made of it for this device")
    given = parser.parse_args(arguments)
    try:
        return given.run(given)
    except NotOffloadableError as error:
        print(error)
        return 1
    except _WrongCommand as error:
        print(f"python -m xlapy: {error}", file=sys.stderr)
        return 2


class _WrongCommand(Exception):
    """The command line names something that is not there."""


# -- the commands -----------------------------------------------------------------------------------------------------


def _explain(given: argparse.Namespace) -> int:
    """Say of each line what became of it, or name every obstacle."""
    explained = explain(_function(given.function), *_arguments(given.args))
    print(explained)
    if given.html is not None:
        given.html.write_text(explained.html(), encoding="utf-8")
    return int("cannot be offloaded" in explained.partition("\n")[0])


def _hlo(given: argparse.Namespace) -> int:
    """Print the program as StableHLO."""
    function, args = _function(given.function), _arguments(given.args)
    print(code_typed(function, *args) if given.typed else code_xla(function, *args, opt=given.opt))
    return 0


def _run(given: argparse.Namespace) -> int:
    """Call the function, and say how long that takes, compiled and in CPython."""
    function, args = _function(given.function), _arguments(given.args)
    plain = getattr(function, "__wrapped__", function)
    compiled = jit(function)
    first, result = _timed(compiled, copy.deepcopy(args))
    print(result)
    count, begin = 0, time.perf_counter()
    warm = float("inf")
    while count < _CALLS and time.perf_counter() - begin < _SECONDS:
        warm = min(warm, _timed(compiled, copy.deepcopy(args))[0])
        count += 1
    print(f"first call {_seconds(first)}, warm call {_seconds(warm)}", end="", flush=True)
    print(f", CPython {_seconds(_timed(plain, args)[0])}")
    return 0


def _timed(function: Callable, args: Sequence) -> tuple[float, Any]:
    begin = time.perf_counter()
    result = jax.block_until_ready(function(*args))
    return time.perf_counter() - begin, result


def _seconds(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.2f} {unit}"
    return f"{seconds * 1e6:.1f} µs"


def _doctor(given: argparse.Namespace) -> int:
    """Show versions, devices, threads, caches and settings, and time one small function."""
    for topic, found in _findings():
        print(f"{topic:<12}{found}")
    return 0


def _cache(given: argparse.Namespace) -> int:
    """Say where programs are kept on disk, and how many; or clear that."""
    if given.what == "clear":
        print(f"{folder.clear()} files removed from {folder.place()}")
        return 0
    print(_kept())
    return 0


def _kept() -> str:
    """What is on disk."""
    count, size = folder.info()
    state = "" if folder.is_on() else ", switched off by XLAPY_CACHE"
    return f"{count} programs, {size / 1e6:.1f} MB, in {folder.place()}{state}"


def _findings() -> Iterator[tuple[str, str]]:
    yield "Python", f"{platform.python_version()} on {platform.platform()}"
    for name in _LIBRARIES:
        try:
            yield name, importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            yield name, "not installed"
    yield "devices", ", ".join(map(str, jax.devices()))
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    yield "threads", f"{processors} of {os.cpu_count()} processors may be used"
    yield "programs", _kept()
    kept = getattr(jax.config, "jax_compilation_cache_dir", None)
    yield "XLA's cache", str(kept or "in this process only: JAX_COMPILATION_CACHE_DIR=FOLDER keeps XLA's programs")
    for name in sorted(name for name in os.environ if name.startswith(("XLAPY_", "JAX_", "XLA_"))):
        yield "setting", f"{name}={os.environ[name]}"
    x, compiled = np.arange(8.0), jit(_small)
    first, warm = _timed(compiled, (x,))[0], min(_timed(compiled, (x,))[0] for _ in range(100))
    how = explain(compiled, x).splitlines()[1].strip()
    yield "a function", f"first call {_seconds(first)} with the import of the compiler, then {_seconds(warm)}; {how}"


def _small(x: np.ndarray) -> float:
    total = 0.0
    for value in x:
        total += value if value > 2.0 else -value
    return total


_COMMANDS = {"explain": _explain, "hlo": _hlo, "run": _run, "doctor": _doctor, "cache": _cache}
_WITH_FUNCTION = frozenset(("explain", "hlo", "run"))


# -- what is named on the command line --------------------------------------------------------------------------------


def _function(text: str) -> Callable:
    """The function that FILE:FUNCTION names."""
    where, found, name = text.rpartition(":")
    if not found or not where or not name:
        raise _WrongCommand(f"{text!r} is not FILE:FUNCTION")
    sys.path.insert(0, str(Path(where).parent) if where.endswith(".py") else os.getcwd())
    try:
        item: Any = _file(Path(where)) if where.endswith(".py") else importlib.import_module(where)
    except (FileNotFoundError, ModuleNotFoundError) as error:
        raise _WrongCommand(str(error)) from None
    for part in name.split("."):
        if not hasattr(item, part):
            raise _WrongCommand(f"there is no {name!r} in {where}")
        item = getattr(item, part)
    return item


def _file(path: Path) -> Any:
    """A file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[path.stem] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _arguments(text: str) -> list:
    """The arguments that --args describes."""
    random = np.random.default_rng(0)
    return [_argument(part.strip(), random) for part in _parts(text)]


def _parts(text: str) -> list[str]:
    """What commas separate that are in no brackets or quotes."""
    parts = re.findall(r"""(?:[^,\[\](){}'"]|\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|'[^']*'|"[^"]*")+""", text)
    return [part for part in parts if part.strip()]


def _argument(text: str, random: np.random.Generator) -> Any:
    array = re.fullmatch(r"([a-z]+\d*)(?:\[([\d, x]*)\])?", text)
    dtype = _dtype(array[1]) if array else None
    if array is not None and dtype is not None:
        if array[2] is None:
            return _NUMBERS.get(dtype.name, dtype.type(1))
        return _array(dtype, tuple(int(n) for n in re.findall(r"\d+", array[2])), random)
    if text.endswith(".npy"):
        try:
            return np.load(text)
        except OSError as error:
            raise _WrongCommand(str(error)) from None
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        raise _WrongCommand(f"--args: {text!r} is no type like f64[3], no file, and no literal of Python's") from None


def _dtype(name: str) -> np.dtype | None:
    letter = re.fullmatch(r"([fiuc])(\d+)", name)
    try:
        return np.dtype(f"{_LETTERS[letter[1]]}{letter[2]}" if letter else name)
    except TypeError:
        return None


def _array(dtype: np.dtype, shape: tuple[int, ...], random: np.random.Generator) -> np.ndarray:
    """Random numbers: floats from 0 to 1, integers from 0 to 9."""
    if dtype.kind in "iu":
        return random.integers(0, 10, shape).astype(dtype)
    if dtype.kind == "b":
        return random.random(shape) < 0.5
    return random.random(shape).astype(dtype)


__all__ = ["main"]
