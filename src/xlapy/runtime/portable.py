"""Programs in files: StableHLO as `jax.export` writes it, and in JSON what calls it. Nothing is pickled.

A file is a ZIP archive of `program.json`, `program.stablehlo`, and one `.npy` file for each array that the function
knew from elsewhere (a closure, a global).
"""

from __future__ import annotations

import builtins
import inspect
import io
import json
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.export
import numpy as np

from xlapy.domain.recipes import Built, Cut, Effect, Known, Leaf, Made, Shared, Text
from xlapy.domain.recipes import Sequence as SequenceRecipe
from xlapy.domain.storage import is_one_to_one
from xlapy.interpreter.analyse import Analysis
from xlapy.report import NotOffloadableError
from xlapy.runtime import outcome
from xlapy.runtime.jax_internals import set_x64, swap_x64

_FORMAT = 1
_DEFAULTS = int | float | str | None
_KINDS: dict[str, type] = {"int": int, "float": float, "bool": bool, "complex": complex}


def save(path: str | Path, analysis: Analysis, exported: jax.export.Exported, function: Any, known: dict) -> None:
    """Write a program.

    Args:
        path: of the file.
        analysis: what calls it.
        exported: the program itself.
        function: the Python function, whose parameters a caller will use.
        known: for parameters of the program that are no argument of the function, by number, the arrays.

    Raises:
        ValueError: for a function whose result or effects are objects that a file cannot hold.
    """
    if analysis.raises is not None or analysis.prints or analysis.guesses:
        raise ValueError(
            "a function that prints, raises for certain, or fills a list of unknown length cannot be saved"
        )
    if any(guard.kind == "gives" for guard in analysis.guards):
        raise ValueError("a function with shapes that depend on the contents of arrays cannot be saved")
    parameters = inspect.signature(function).parameters
    about = {
        "format": _FORMAT,
        "names": list(parameters),
        "defaults": {n: p.default for n, p in parameters.items() if isinstance(p.default, _DEFAULTS)},
        "narrow": all(p.var.type.dtype.itemsize <= 4 for p in analysis.parameters),
        "parameters": [
            None if i in known else {"path": _path(p.source), "python": p.python and p.python.__name__}
            for i, p in enumerate(analysis.parameters)
        ],
        "static": [
            {"path": _path(g.source), "value": g.value}
            for g in analysis.guards
            if g.kind == "equal" and g.source.root().kind == "argument"
        ],
        "result": _written(analysis.result),
        "writes": [{"path": _path(e.source), "output": _buffer(e)} for e in analysis.effects if not _reseeds(e)],
        "errors": [_error(raised.cls, raised.parts) for raised in analysis.errors],
    }
    try:
        text = json.dumps(about, indent=1)
    except TypeError as error:
        raise ValueError(f"the function depends on what a file cannot hold: {error}") from error
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("program.json", text)
        archive.writestr("program.stablehlo", bytes(exported.serialize()))
        for number, array in known.items():
            buffer = io.BytesIO()
            np.save(buffer, np.asarray(array), allow_pickle=False)
            archive.writestr(f"{number}.npy", buffer.getvalue())


def load(path: str | Path) -> Loaded:
    """The program in a file; see `xlapy.load`."""
    try:
        with zipfile.ZipFile(path) as archive:
            about = json.loads(archive.read("program.json"))
            exported = jax.export.deserialize(bytearray(archive.read("program.stablehlo")))
            known = {
                int(name.removesuffix(".npy")): np.load(io.BytesIO(archive.read(name)), allow_pickle=False)
                for name in archive.namelist()
                if name.endswith(".npy")
            }
    except (zipfile.BadZipFile, KeyError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no program that xlapy has saved") from error
    if about.get("format") != _FORMAT:
        raise ValueError(f"{path} was written by another version of xlapy")
    return Loaded(about, exported, known)


class Loaded:
    """A program from a file; called like the function it was made from."""

    def __init__(self, about: dict, exported: jax.export.Exported, known: dict[int, np.ndarray]) -> None:
        self._about, self._known = about, known
        self.exported = exported
        self._call = jax.jit(exported.call)
        self._result = _read(about["result"])

    @property
    def platforms(self) -> tuple[str, ...]:
        """Where it runs."""
        return tuple(self.exported.platforms)

    def as_text(self) -> str:
        """StableHLO."""
        return self.exported.mlir_module()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run; `TypeError` for other arguments than those it was saved for."""
        names = self._about["names"]
        if len(args) > len(names) or set(kwargs) - set(names[len(args) :]):
            raise TypeError(f"the program takes the arguments {', '.join(names)}")
        named = {**self._about["defaults"], **dict(zip(names, args, strict=False)), **kwargs}
        operands = [self._operand(i, p, named) for i, p in enumerate(self._about["parameters"])]
        for guard in self._about["static"]:
            if _find(guard["path"], named) != guard["value"]:
                raise TypeError(f"the program was saved for {_name(guard['path'])} = {guard['value']!r}")
        self._check_memory(named)
        before = swap_x64(True)
        try:
            outputs = self._call(*operands)
        finally:
            set_x64(before)
        self._raise(outputs)
        made = outcome.Finisher(outputs, named, outcome.to_jax).make(self._result)
        for write in self._about["writes"]:
            _find(write["path"], named)[...] = np.asarray(outputs[write["output"]])
        return made

    def _check_memory(self, named: dict) -> None:
        """Arrays that the program writes share no memory with others, nor have two elements in one place."""
        paths = [p["path"] for p in self._about["parameters"] if p is not None and p["python"] is None]
        for write in self._about["writes"]:
            written = _find(write["path"], named)
            if isinstance(written, np.ndarray) and not is_one_to_one(written):
                raise TypeError(f"elements of {_name(write['path'])} share memory, and it is written to")
            for path in paths:
                array, other = _find(write["path"], named), _find(path, named)
                if path != write["path"] and isinstance(other, np.ndarray) and np.may_share_memory(array, other):
                    names = f"{_name(write['path'])} and {_name(path)}"
                    raise TypeError(f"the program was saved for arrays apart, and {names} share memory")

    def _operand(self, number: int, parameter: dict | None, named: dict) -> Any:
        aval = self.exported.in_avals[number]
        if parameter is None:
            return self._known[number]
        found = _find(parameter["path"], named)
        if parameter["python"] is not None:
            if type(found) is not _KINDS[parameter["python"]]:
                raise TypeError(f"{_name(parameter['path'])} has to be of type {parameter['python']}")
            return np.asarray(found, aval.dtype)
        shape, dtype = getattr(found, "shape", None), getattr(found, "dtype", None)
        narrowed = {"float64": "float32", "int64": "int32", "uint64": "uint32", "complex128": "complex64"}
        if shape != aval.shape or (dtype != aval.dtype and narrowed.get(str(dtype)) != str(aval.dtype)):
            raise TypeError(f"{_name(parameter['path'])} has to be an array of type {aval.str_short()}")
        return found if dtype == aval.dtype else found.astype(aval.dtype)

    def _raise(self, outputs: Sequence) -> None:
        number = int(outputs[-1]) if self._about["errors"] else 0
        if number:
            error = self._about["errors"][number - 1]
            args = tuple(map(_read, error["args"]))
            raise outcome.make_exception(getattr(builtins, error["class"]), args, outputs, {})


# -- paths -------------------------------------------------------------------------------------------------------------


def _path(source: Any) -> list:
    if source.root().kind != "argument":
        raise ValueError(f"the function changes or depends on {source}, which is none of its arguments")
    steps: list = []
    while source.base is not None:
        if source.kind == "storage":
            raise ValueError(f"{source.base} shares memory with another argument, which cannot be saved")
        steps.append([source.kind, source.key])
        source = source.base
    return [["argument", source.key], *reversed(steps)]


def _find(path: list, named: dict) -> Any:
    found: Any = named
    for kind, key in path:
        try:
            found = getattr(found, key) if kind == "attribute" else found[key]
        except (KeyError, IndexError, AttributeError, TypeError) as error:
            raise TypeError(f"the program needs {_name(path)}") from error
    return found


def _name(path: list) -> str:
    return "".join(f".{k}" if kind == "attribute" else f"[{k!r}]" if kind == "item" else k for kind, k in path)


# -- recipes -----------------------------------------------------------------------------------------------------------


def _written(recipe: Any) -> Any:
    match recipe:
        case Leaf():
            return {"leaf": recipe.index, "python": recipe.python and recipe.python.__name__, "array": recipe.mutable}
        case Shared():
            return _written(recipe.copy)
        case Cut():
            return {"cut": _written(recipe.whole), "lengths": recipe.lengths}
        case Known(value=None | bool() | int() | float() | str() as value):
            return {"known": value}
        case SequenceRecipe() if recipe.cls is tuple:
            return {"tuple": [_written(part) for part in recipe.items]}
        case Text():
            return {"text": recipe.template, "parts": [_written(part) for part in recipe.parts]}
        case Built(cls=cls, parts=parts) if cls in (slice, range):
            return {"built": cls.__name__, "parts": [_written(part) for part in parts]}
        case Made(kind="list", cls=cls) if cls is list and not any(isinstance(e, tuple) for e in recipe.entries):
            return {"list": [_written(part) for part in recipe.entries]}
        case Made(kind="dict", cls=cls) if cls is dict:
            return {"dict": [[_written(key), _written(value)] for key, value in recipe.entries]}
    raise ValueError(f"a result that holds a {type(recipe).__name__.lower()} object cannot be saved")


def _read(made: dict) -> Any:
    match made:
        case {"leaf": index, "python": python, "array": mutable}:
            return Leaf(index, _KINDS[python] if python else None, mutable)
        case {"cut": whole, "lengths": lengths}:
            return Cut(_read(whole), tuple(lengths))
        case {"known": value}:
            return Known(value)
        case {"tuple": parts}:
            return SequenceRecipe(tuple, tuple(map(_read, parts)))
        case {"text": template, "parts": parts}:
            return Text(template, tuple(map(_read, parts)))
        case {"built": name, "parts": parts}:
            return Built(getattr(builtins, name), tuple(map(_read, parts)))
        case {"list": parts}:
            return Made("list", list, {}, tuple(map(_read, parts)))
        case {"dict": entries}:
            return Made("dict", dict, {}, tuple((_read(key), _read(value)) for key, value in entries))
    raise ValueError(f"unknown part of a program: {made}")


def _reseeds(effect: Effect) -> bool:
    """Whether the program starts a random stream itself, which who draws afterwards goes on with."""
    return effect.kind == "random" and effect.reconstruction is not None


def _buffer(effect: Effect) -> int:
    if effect.kind != "buffer" or not isinstance(effect.reconstruction, Leaf):
        raise ValueError(
            f"a function that changes {effect.source} otherwise than by writing to an array cannot be saved"
        )
    return effect.reconstruction.index


def _error(cls: type, args: tuple) -> dict:
    if issubclass(cls, NotOffloadableError):
        text = "the program was called with what it cannot compute on the device"
        return {"class": "RuntimeError", "args": [{"known": text}]}
    if getattr(builtins, cls.__name__, None) is not cls:
        raise ValueError(f"a function that may raise {cls.__name__} cannot be saved: only built-in exceptions can")
    return {"class": cls.__name__, "args": [_written(a) for a in args]}
