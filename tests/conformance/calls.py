"""One call, as NumPy does it and as a compiled function of that call does it."""

from __future__ import annotations

import collections
import copy
import ctypes
import importlib
import importlib.util
import json
import operator
import time
import types
import warnings
from collections.abc import Callable
from typing import IO, Any

import numpy as np

import xlapy
from xlapy.verification.comparison import Comparison, Mismatch

OPERATORS = {
    "Add": operator.add, "Sub": operator.sub, "Mult": operator.mul, "Div": operator.truediv, "Mod": operator.mod,
    "FloorDiv": operator.floordiv, "Pow": operator.pow, "MatMult": operator.matmul, "BitAnd": operator.and_,
    "BitOr": operator.or_, "BitXor": operator.xor, "LShift": operator.lshift, "RShift": operator.rshift,
    "USub": operator.neg, "UAdd": operator.pos, "Invert": operator.invert, "Lt": operator.lt, "LtE": operator.le,
    "Gt": operator.gt, "GtE": operator.ge, "Eq": operator.eq, "NotEq": operator.ne,
    "In": lambda x, y: x in y, "NotIn": lambda x, y: x not in y,
}  # fmt: skip
SYMBOLS = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "Mod": "%", "FloorDiv": "//", "Pow": "**", "MatMult": "@",
    "BitAnd": "&", "BitOr": "|", "BitXor": "^", "LShift": "<<", "RShift": ">>", "USub": "-", "UAdd": "+",
    "Invert": "~", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=", "Eq": "==", "NotEq": "!=", "In": "in",
    "NotIn": "not in",
}  # fmt: skip
#: what arrays that are compared may hold, and how many elements
_KINDS, _MOST = "?biufc", 20_000
#: `long double` and `long long`, which is another type than `int64`
_OTHER_TYPES = "gGqQ"
#: attributes that are compared
_ATTRIBUTES = ("T", "mT", "dtype", "imag", "itemsize", "nbytes", "ndim", "real", "shape", "size")
#: modules of which functions are compared
_HAS_SCIPY = importlib.util.find_spec("scipy") is not None
_MODULES = ("numpy", "numpy.linalg", "numpy.fft", "numpy.polynomial", "numpy.lib.stride_tricks")
_SCIPY = (
    tuple(f"scipy.{name}" for name in "special linalg fft signal ndimage interpolate stats".split())
    if _HAS_SCIPY
    else ()
)
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

    def __init__(self, file: IO[str], every: int = 1, seconds: float | None = None) -> None:
        self.file, self.every = file, every
        self.end = time.monotonic() + seconds if seconds else None
        self.counts: collections.Counter[str] = collections.Counter()
        self.calls = 0
        self.known: set[tuple] = set()

    def is_due(self) -> bool:
        """Whether the call that comes is one to compare."""
        self.calls += 1
        return not self.calls % self.every and (self.end is None or time.monotonic() < self.end)

    def add(self, verdict: str, what: str, text: str = "") -> None:
        """Note one."""
        self.counts[verdict] += 1
        if verdict not in (SAME, SKIPPED):
            self.file.write(json.dumps({"verdict": verdict, "call": what, "text": text[:400]}) + "\n")
            self.file.flush()


#: public functions by identity
_PUBLIC = {
    id(item): name
    for module in (importlib.import_module(m) for m in (*_MODULES, *_SCIPY))
    for name, item in vars(module).items()
    if callable(item) and not isinstance(item, type) and not name.startswith("_") and name not in _NOT_COMPARED
}


#: the programs of the calls that were made last
_PROGRAMS: dict[tuple, Program] = {}
_MOST_PROGRAMS = 200


class Checker:
    """What rewritten modules call."""

    def __init__(self, log: Log) -> None:
        self.log = log

    def call(self, function: Any, /, *args: Any, **kwargs: Any) -> Any:
        """`function(*args, **kwargs)`."""
        name = _PUBLIC.get(id(function))
        if name is None:
            return function(*args, **kwargs)
        return self._checked(name, "return f({rest})", {"f": function}, args, kwargs, function)

    def method(self, owner: Any, name: str, /, *args: Any, **kwargs: Any) -> Any:
        """`owner.name(*args, **kwargs)`."""
        function = getattr(owner, name)
        if isinstance(owner, types.ModuleType):
            return self.call(function, *args, **kwargs)
        if isinstance(owner, np.ndarray | np.generic) and name not in _NOT_COMPARED and name.isidentifier():
            text = f"return {{0}}.{name}({{rest}})"
            plain = operator.methodcaller(name, *args, **kwargs)
            return self._checked(
                f"ndarray.{name}", text, {}, (owner, *args), kwargs, lambda owner, *_, **__: plain(owner), skip=1
            )
        return function(*args, **kwargs)

    def operator(self, name: str, /, *operands: Any) -> Any:
        """An operator."""
        if not any(isinstance(x, np.ndarray | np.generic) for x in operands):
            return OPERATORS[name](*operands)
        text = f"{SYMBOLS[name]}{{}}" if len(operands) == 1 else f"{{}} {SYMBOLS[name]} {{}}"
        return self._checked(f"operator {SYMBOLS[name]}", f"return {text}", {}, operands, {}, OPERATORS[name])

    def item(self, owner: Any, key: Any) -> Any:
        """`owner[key]`."""
        if not isinstance(owner, np.ndarray | np.generic):
            return owner[key]
        return self._checked("subscript", "return {}[{}]", {}, (owner, key), {}, operator.getitem)

    def set_item(self, owner: Any, key: Any, value: Any) -> None:
        """`owner[key] = value`."""
        if not isinstance(owner, np.ndarray):
            owner[key] = value
            return
        self._checked("assignment", "{}[{}] = {}", {}, (owner, key, value), {}, operator.setitem)

    def attribute(self, owner: Any, name: str) -> Any:
        """`owner.name`."""
        if not isinstance(owner, np.ndarray | np.generic) or name not in _ATTRIBUTES:
            return getattr(owner, name)
        return self._checked(f"attribute {name}", f"return {{}}.{name}", {}, (owner,), {}, operator.attrgetter(name))

    def _checked(
        self, what: str, text: str, known: dict, args: tuple, kwargs: dict, plain: Callable, skip: int = 0
    ) -> Any:
        if not self._is_compared(args, kwargs) or not self.log.is_due():
            self.log.add(SKIPPED, what)
            return plain(*args, **kwargs)
        program, dynamic, shown = _program(text, known, args, kwargs, skip, self._is_dynamic)
        ours, before = self._copied(dynamic), self._copied(dynamic)
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
            self.log.add(*_verdict(program, ours, dynamic, value, error, f"{what}: {shown} of {key[1:]}"))
        if error is not None:
            raise error
        return self._result(plain, text, value, args, kwargs)

    def _is_compared(self, args: tuple, kwargs: dict) -> bool:
        return all(map(_is_compared, (*args, *kwargs.values()))) and not _is_accepted(args, kwargs)

    def _is_dynamic(self, value: Any) -> bool:
        return _is_dynamic(value)

    def _copied(self, values: list) -> list:
        return _copied(values)

    def _result(self, plain: Callable, text: str, value: Any, args: tuple, kwargs: dict) -> Any:
        """What the test goes on with."""
        return value


def _verdict(program: Program, ours: list, theirs: list, value: Any, error: Exception | None, shown: str) -> tuple:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            got = program.compiled(*ours)
    except xlapy.NotOffloadableError as refusal:
        return REFUSED, shown, str(refusal).split("\n")[1]
    except Exception as raised:
        if type(raised) is type(error):
            return SAME, shown
        kind = DIFFERS if error is not None else CRASHES
        return kind, shown, f"{type(error).__name__} expected, got {type(raised).__name__}: {raised}"
    if isinstance(error, FloatingPointError):  # what np.errstate asks for is not raised
        return SKIPPED, shown
    if error is not None:
        return DIFFERS, shown, f"{type(error).__name__}: {error} expected, got {got!r}"
    try:
        compare = Comparison(rtol=None)
        compare(theirs, ours, "arguments")
        compare(value, got, "result")
        _compare_types(value, got)
    except Mismatch as mismatch:
        return DIFFERS, shown, str(mismatch)
    return SAME, shown


def _compare_types(value: Any, got: Any) -> None:
    if type(value) is not type(got):
        raise Mismatch(f"a {type(value).__name__} expected, got a {type(got).__name__}: {value!r}, {got!r}")
    if isinstance(value, list | tuple):
        for one, other in zip(value, got, strict=True):
            _compare_types(one, other)


def _is_accepted(args: tuple, kwargs: dict) -> bool:
    """Whether xlapy is meant to differ: docs/accepted-differences.md."""
    return kwargs.get("overwrite_input") is True or "empty" in (
        kwargs.get("mode"),
        *(a for a in args if type(a) is str),
    )


def _is_number(value: Any) -> bool:
    return type(value) in (float, complex) or isinstance(value, np.generic)


def _is_compared(value: Any) -> bool:
    """Whether an argument is an array or number of kinds that are compared, or something known at compile time."""
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray and _is_compared(value.dtype) and value.size <= _MOST
    if isinstance(value, np.generic):
        return _is_compared(value.dtype)
    if isinstance(value, list | tuple):
        return len(value) <= 100 and all(map(_is_compared, value))
    if isinstance(value, np.dtype):
        return value.kind in _KINDS and value.char not in _OTHER_TYPES and value.isnative
    if isinstance(value, type) and (value is object or issubclass(value, np.generic)):
        return _is_compared(np.dtype(value))
    plain = value is None or value is Ellipsis or value is np._NoValue
    return plain or type(value) in (int, float, complex, bool, str, slice) or isinstance(value, type | np.ufunc)


def _is_dynamic(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(map(_is_dynamic, value))
    return isinstance(value, np.ndarray) or _is_number(value)


class Program:
    """A function of the arrays and floats among the arguments of a call; the rest is known to it."""

    def __init__(self, source: str, namespace: dict) -> None:
        exec(compile(source, "<one call>", "exec"), namespace)
        self.namespace, self.function = namespace, namespace["program"]
        self.compiled = xlapy.jit(self.function)

    def __call__(self, *args: Any) -> Any:
        """As CPython and NumPy run it."""
        return self.function(*args)


def _program(
    text: str, known: dict, args: tuple, kwargs: dict, skip: int, is_dynamic: Callable
) -> tuple[Program, list, str]:
    """The program of a call, what it is given, and how it reads; a call that was made before is compiled once."""
    namespace, dynamic, shown = dict(known), [], []
    for name, value in [*((None, a) for a in args), *kwargs.items()]:
        if is_dynamic(value):
            word = f"a{len(dynamic)}"
            dynamic.append(value)
        else:
            word = f"k{len(namespace)}"
            namespace[word] = value
        shown.append((f"{name}=" if name else "") + word)
    body = text.format(*shown, rest=", ".join(shown[skip:]))
    parameters = ", ".join(f"a{k}" for k in range(len(dynamic)))
    source = f"def program({parameters}):\n    {body}"
    literals = {word: value for word, value in namespace.items() if word[0] == "k"}
    key = (source, repr(literals), *map(id, known.values()))
    program = _PROGRAMS.pop(key, None) or Program(source, namespace)
    _PROGRAMS[key] = program
    if len(_PROGRAMS) > _MOST_PROGRAMS:
        del _PROGRAMS[next(iter(_PROGRAMS))]
    return program, dynamic, f"{body.removeprefix('return ')} {literals}"


class _Copies:
    """Copies of arguments that share memory, strides and permission to write as the arguments do."""

    def __init__(self) -> None:
        self.owners: dict[int, np.ndarray] = {}
        self.arrays: dict[int, np.ndarray] = {}

    def copy(self, value: Any) -> Any:
        """A copy of one argument."""
        if isinstance(value, list | tuple):
            return type(value)(map(self.copy, value))
        if not isinstance(value, np.ndarray):
            return copy.deepcopy(value)
        if id(value) not in self.arrays:
            self.arrays[id(value)] = self._array(value)
        return self.arrays[id(value)]

    def _array(self, value: np.ndarray) -> np.ndarray:
        owner = value
        while isinstance(owner.base, np.ndarray):
            owner = owner.base
        low, high = np.lib.array_utils.byte_bounds(owner)
        first = value.__array_interface__["data"][0]
        if not low <= first < high or high - low > 8 * _MOST:
            result = value.copy(order="K")
        else:
            if id(owner) not in self.owners:
                memory = np.empty(high - low + 64, np.uint8)
                start = (low - memory.ctypes.data) % 64
                self.owners[id(owner)] = memory[start : start + high - low]
                ctypes.memmove(self.owners[id(owner)].ctypes.data, low, high - low)
            result = np.ndarray(value.shape, value.dtype, self.owners[id(owner)], first - low, value.strides)
        result.flags.writeable = value.flags.writeable
        return result


def _copied(values: list) -> list:
    copies = _Copies()
    return [copies.copy(value) for value in values]


def _summary(value: Any) -> str:
    text = repr(value).replace("\n", "")
    return text if len(text) < 120 else f"{text[:100]}... {getattr(value, 'shape', '')} {getattr(value, 'dtype', '')}"


__all__ = ["OPERATORS", "SYMBOLS", "CRASHES", "DIFFERS", "REFUSED", "SAME", "SKIPPED", "Checker", "Log"]
