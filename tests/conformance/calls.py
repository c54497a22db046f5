"""One call, as NumPy does it and as a compiled function of that call does it."""

from __future__ import annotations

import collections
import copy
import importlib
import json
import operator
import types
import warnings
from collections.abc import Callable
from typing import IO, Any

import numpy as np

import xlapy
from xlapy.verification.comparison import Comparison, Mismatch

_OPERATORS = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "Pow": operator.pow, "MatMult": operator.matmul, "BitAnd": operator.and_,
    "BitOr": operator.or_, "BitXor": operator.xor, "LShift": operator.lshift, "RShift": operator.rshift,
    "USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne,
}  # fmt: skip
_SYMBOLS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Mod": "%", "FloorDiv": "//", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>", "USub": "-", "UAdd": "+",
    "Invert": "~", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!=",
}  # fmt: skip
#: what arrays that are compared may hold, and how many elements
_KINDS, _MOST = "?biufc", 20_000
#: modules of which functions are compared
_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.polynomial", "numpy.lib.stride_tricks")
#: functions that are about files, types, printing, memory or settings, and not about numbers
_NOT_COMPARED = {
    "array2string", "array_repr", "array_str", "asarray", "dtype", "empty", "empty_like", "errstate", "fromfile",
    "frombuffer", "genfromtxt", "get_include", "getbufsize", "geterr", "getprintoptions", "info", "load", "loadtxt",
    "may_share_memory", "memmap", "nditer", "printoptions", "save", "savetxt", "savez", "set_printoptions", "seterr",
    "shares_memory", "show_config", "tofile", "dump", "dumps", "setflags", "resize", "view", "tolist", "seterrcall",
    "frompyfunc", "vectorize", "format_float_positional", "format_float_scientific", "tobytes", "base_repr",
}  # fmt: skip
REFUSED, SAME, DIFFERS, CRASHES, SKIPPED = "refused", "same", "differs", "error of ours", "not compared"


class Log:
    """Counts what became of the calls, and writes each that is not the same to a file."""

    def __init__(self, file: IO[str], every: int = 1) -> None:
        self.file, self.every = file, every
        self.counts: collections.Counter[str] = collections.Counter()
        self.calls = 0
        self.known: set[tuple] = set()

    def add(self, verdict: str, what: str, text: str = "") -> None:
        """Note one."""
        self.counts[verdict] += 1
        if verdict not in (SAME, SKIPPED):
            self.file.write(json.dumps({"verdict": verdict, "call": what, "text": text[:400]}) + "\n")
            self.file.flush()


#: public functions by identity
_PUBLIC = {
    id(item): name
    for module in map(importlib.import_module, _MODULES)
    for name, item in vars(module).items()
    if callable(item) and not isinstance(item, type) and not name.startswith("_") and name not in _NOT_COMPARED
}


class Checker:
    """What rewritten modules call."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`."""
        name = _PUBLIC.get(id(function))
        if name is None:
            return function(*args, **kwargs)
        return self._checked(name, "f", {"f": function}, args, kwargs, function)

    def method(self, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """`owner.name(*args, **kwargs)`."""
        function = getattr(owner, name)
        if isinstance(owner, types.ModuleType):
            return self.call(function, *args, **kwargs)
        if isinstance(owner, np.ndarray | np.generic) and name not in _NOT_COMPARED and name.isidentifier():
            return self._checked(f"ndarray.{name}", f"a0.{name}", {}, (owner, *args), kwargs, None, skip=1)
        return function(*args, **kwargs)

    def operator(self, name: str, /, *operands: Any) -> Any:
        """An operator."""
        if not any(isinstance(x, np.ndarray | np.generic) for x in operands):
            return _OPERATORS[name](*operands)
        return self._checked(f"operator {_SYMBOLS[name]}", _SYMBOLS[name], {}, operands, {}, _OPERATORS[name])

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        if not isinstance(owner, np.ndarray | np.generic):
            return owner[key]
        return self._checked("subscript", "[]", {}, (owner, key), {}, operator.getitem)

    def _checked(
        self, what: str, text: str, known: dict, args: tuple, kwargs: dict, plain: Callable | None, skip: int = 0
    ) -> Any:
        self.log.calls += 1
        wanted = all(map(_is_compared, (*args, *kwargs.values())))
        if not wanted or self.log.calls % self.log.every:
            self.log.add(SKIPPED, what)
            return plain(*args, **kwargs) if plain is not None else getattr(args[0], what[8:])(*args[1:], **kwargs)
        program, dynamic, shown = _program(what, text, known, args, kwargs, skip)
        ours, before = _copied(dynamic), _copied(dynamic)
        error = value = None
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = program(*dynamic)
        except Exception as raised:
            error = raised
        key = (shown, *map(_summary, before))
        if key in self.log.known:
            self.log.add(SKIPPED, what)
        else:
            self.log.known.add(key)
            self.log.add(*_verdict(program, ours, dynamic, value, error, f"{shown} of {key[1:]}"))
        if error is not None:
            raise error
        return value


def _verdict(program: Callable, ours: list, theirs: list, value: Any, error: Exception | None, shown: str) -> tuple:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = xlapy.jit(program)(*ours)
    except xlapy.NotOffloadableError as refusal:
        return REFUSED, shown, str(refusal).split("\n")[1]
    except Exception as raised:
        if type(raised) is type(error):
            return SAME, shown
        kind = DIFFERS if error is not None else CRASHES
        return kind, shown, f"{type(error).__name__} expected, got {type(raised).__name__}: {raised}"
    if error is not None:
        return DIFFERS, shown, f"{type(error).__name__}: {error} expected, got {got!r}"
    try:
        compare = Comparison(rtol=None)
        compare(theirs, ours, "arguments")
        compare(value, got, "result")
    except Mismatch as mismatch:
        return DIFFERS, shown, str(mismatch)
    return SAME, shown


def _is_number(value: Any) -> bool:
    return type(value) in (float, complex) or isinstance(value, np.generic)


def _is_compared(value: Any) -> bool:
    """Whether an argument is an array or number of kinds that are compared, or something known at compile time."""
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray and value.dtype.kind in _KINDS and value.size <= _MOST and value.dtype.isnative
    if isinstance(value, np.generic):
        return value.dtype.kind in _KINDS and value.dtype.itemsize <= 16 and value.dtype.char not in "gG"
    if isinstance(value, list | tuple):
        return len(value) <= 100 and all(map(_is_compared, value))
    if isinstance(value, np.dtype):
        return value.kind in _KINDS and value.char not in "gG"
    plain = value is None or value is Ellipsis or value is np._NoValue
    return plain or type(value) in (int, float, complex, bool, str, slice) or isinstance(value, type | np.ufunc)


def _is_dynamic(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_dynamic, value))
    return isinstance(value, np.ndarray) or _is_number(value)


def _program(what: str, text: str, known: dict, args: tuple, kwargs: dict, skip: int) -> tuple[Callable, list, str]:
    """A function of the arrays and floats among the arguments; the rest is known to it."""
    namespace, dynamic, shown = dict(known), [], []
    for name, value in [*((None, a) for a in args), *kwargs.items()]:
        if _is_dynamic(value):
            word = f"a{len(dynamic)}"
            dynamic.append(value)
        else:
            word = f"k{len(namespace)}"
            namespace[word] = value
        shown.append((f"{name}=" if name else "") + word)
    if what.startswith("operator"):
        body = text + shown[0] if len(shown) == 1 else f"{shown[0]} {text} {shown[1]}"
    elif text == "[]":
        body = f"{shown[0]}[{shown[1]}]"
    else:
        body = f"{text}({', '.join(shown[skip:])})"
    parameters = ", ".join(f"a{k}" for k in range(len(dynamic)))
    exec(compile(f"program = lambda {parameters}: {body}", "<one call>", "exec"), namespace)
    literals = {word: value for word, value in namespace.items() if word[0] == "k"}
    return namespace["program"], dynamic, f"{what}: {body} {literals}"


def _copied(values: list) -> list:
    """Copies with the same strides where that matters: views stay views of a copy."""
    return [copy.deepcopy(v) if not isinstance(v, np.ndarray) else v.copy(order="K") for v in values]


def _summary(value: Any) -> str:
    text = repr(value).replace("\n", "")
    return text if len(text) < 120 else f"{text[:100]}... {getattr(value, 'shape', '')} {getattr(value, 'dtype', '')}"


__all__ = ["CRASHES", "DIFFERS", "REFUSED", "SAME", "SKIPPED", "Checker", "Log"]
