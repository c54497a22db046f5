"""Numba's names, on xlapy: `from xlapy import numba` stands where `import numba` stood, and
`xlapy.install_as_numba()` does so for libraries that nobody wants to edit.

What is compiled does what CPython does: bounds are checked, and integers that outgrow 64 bits are refused, not wrapped.
Signatures are read for the types of results where Numba needs them (`vectorize`, `guvectorize`), and say nothing else.
"""

from __future__ import annotations

import functools
import os
import re
import sys
import types as python_types
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xlapy.api import jit as _jit
from xlapy.api import overload

prange = range
#: options that say how Numba compiles; what a program means does not depend on them
_IGNORED = frozenset(
    "nopython cache parallel fastmath nogil boundscheck inline error_model forceobj looplift target no_cpython_wrapper"
    " no_cfunc_wrapper locals debug pipeline_class writable_args identity".split()
)


class Type:
    """A type of Numba's: `float64`, `float64[:, :]`, and `float64(int64)` for a function."""

    def __init__(self, name: str, dtype: Any, arguments: tuple[Type, ...] | None = None, ndim: int = 0) -> None:
        self.name, self.dtype, self.arguments, self.ndim = name, dtype, arguments, ndim

    def __call__(self, *arguments: Any) -> Any:
        """A signature; a number of this type where the argument is one."""
        if all(isinstance(argument, Type) for argument in arguments):
            return Type(self.name, self.dtype, arguments)
        return np.dtype(self.dtype).type(*arguments)

    def __getitem__(self, key: Any) -> Type:
        return Type(self.name, self.dtype, None, len(key) if isinstance(key, tuple) else 1)

    def __repr__(self) -> str:
        return self.name


_NUMBERS = (
    "int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128 intp uintp".split()
)
types = python_types.ModuleType("numba.types", "Types of Numba's.")
vars(types).update({name: Type(name, np.dtype(name)) for name in _NUMBERS})
vars(types).update(
    boolean=Type("boolean", np.dtype(bool)),
    bool_=Type("bool_", np.dtype(bool)),
    void=Type("void", None),
    none=Type("none", None),
    unicode_type=Type("unicode_type", None),
    i4=Type("i4", np.dtype("i4")),
    i8=Type("i8", np.dtype("i8")),
    f4=Type("f4", np.dtype("f4")),
    f8=Type("f8", np.dtype("f8")),
    c8=Type("c8", np.dtype("c8")),
    c16=Type("c16", np.dtype("c16")),
)
globals().update({name: item for name, item in vars(types).items() if isinstance(item, Type)})


def njit(signature_or_function: Any = None, /, *more: Any, **options: Any) -> Any:
    """`xlapy.jit` under Numba's name, with or without a signature. Results are NumPy's and Python's.

    Args:
        signature_or_function: the function; or a signature, or a list of these, which are not looked at.
        more: not looked at.
        options: those of Numba's, which do not change what a program means.

    Returns:
        The compiled function, with `py_func`; or a decorator.

    Raises:
        TypeError: for an option that Numba does not have.
    """
    unknown = set(options) - _IGNORED
    if unknown:
        raise TypeError(f"njit() got an unexpected keyword argument {min(unknown)!r}")
    if isinstance(signature_or_function, python_types.FunctionType):
        return _compiled(signature_or_function, signature_or_function)
    return lambda function: _compiled(function, function)


jit = njit


def _compiled(function: Any, shown: Callable) -> Any:
    compiled: Any = _jit(function, returns="numpy")
    compiled.py_func = shown
    return compiled


def vectorize(signatures_or_function: Any = (), /, **options: Any) -> Any:
    """A function of numbers as one of arrays, which are broadcast.

    Args:
        signatures_or_function: the function; or signatures. If there is one, it says the dtype of the result, which is
            else that of the first element.
        options: as for `njit`.

    Returns:
        A compiled function of arrays and numbers; or a decorator.
    """
    if isinstance(signatures_or_function, python_types.FunctionType):
        return _vectorized(signatures_or_function, None)
    given = [signatures_or_function] if isinstance(signatures_or_function, str | Type) else [*signatures_or_function]
    dtype = _result_dtype(given[0]) if len(given) == 1 else None
    return lambda function: _vectorized(function, dtype)


def _vectorized(function: Callable, dtype: np.dtype | None) -> Any:
    otypes = None if dtype is None else [dtype.char]

    def of_arrays(*arguments):
        return np.vectorize(function, otypes=otypes)(*arguments)[()]

    return _compiled(functools.wraps(function)(of_arrays), function)


def guvectorize(signatures: Sequence[Any], layout: str, /, **options: Any) -> Callable:
    """A function that fills arrays as one that returns them, over all leading dimensions.

    Args:
        signatures: of which the first one says the dtypes of the results.
        layout: the dimensions of arguments and results, such as '(n),()->(n)'.
        options: as for `njit`.

    Returns:
        A decorator. The function is compiled; it takes the results as well, where they are given.

    Raises:
        ValueError: for a layout that is none; when called, for arrays that do not suit it.
    """
    ins, arrow, outs = layout.replace(" ", "").partition("->")
    if not arrow or not re.fullmatch(r"(\(\w*(,\w+)*\),?)*", ins + outs):
        raise ValueError(f"{layout!r} is no layout such as '(n),()->(n)'")
    inner = [_dimensions(part) for part in (ins, outs)]
    dtypes = _array_dtypes(signatures[0])[-len(inner[1]) :]
    return lambda function: _compiled(
        functools.wraps(function)(_generalised(function, inner[0], inner[1], dtypes)), function
    )


def _dimensions(layout: str) -> list[tuple[str, ...]]:
    return [tuple(filter(None, part.split(","))) for part in re.findall(r"\(([^)]*)\)", layout)]


def _generalised(function: Callable, ins: list, outs: list, dtypes: list) -> Callable:
    def gufunc(*arguments):
        sizes = {}
        arrays = [np.asarray(a) for a in arguments[: len(ins)]]
        for array, names in zip(arrays, ins, strict=True):
            if array.ndim < len(names):
                raise ValueError(f"an argument has {array.ndim} dimensions, and {len(names)} are needed")
            for name, size in zip(names, array.shape[array.ndim - len(names) :], strict=True):
                if sizes.setdefault(name, size) != size:
                    raise ValueError(f"dimension {name} is {sizes[name]} and {size}")
        shapes = [array.shape[: array.ndim - len(names)] for array, names in zip(arrays, ins, strict=True)]
        outer = np.broadcast_shapes(*shapes)
        count = 1
        for size in outer:
            count *= size
        rows = []
        for array, names in zip(arrays, ins, strict=True):
            inner = tuple([sizes[name] for name in names])
            rows.append(np.broadcast_to(array, outer + inner).reshape((count, *inner)))
        made = []
        for names, dtype in zip(outs, dtypes, strict=True):
            made.append(np.zeros((count, *[sizes[name] for name in names]) if names else (count, 1), dtype))
        for k in range(count):
            function(*[row[k] for row in rows], *[out[k] for out in made])
        results = []
        for out, names in zip(made, outs, strict=True):
            results.append(out.reshape(outer + tuple([sizes[name] for name in names])))
        for given, result in zip(arguments[len(ins) :], results, strict=False):
            given[...] = result
        return results[0][()] if len(results) == 1 else tuple(results)

    return gufunc


def _result_dtype(signature: Any) -> np.dtype | None:
    """The dtype of the result in a signature, such as `float64(int64)`."""
    if isinstance(signature, str):
        return _dtype_of(signature.partition("(")[0])
    return signature.dtype if isinstance(signature, Type) else None


def _array_dtypes(signature: Any) -> list[np.dtype]:
    """The dtypes of the arguments in a signature, such as `void(float64[:], float64[:])` or a tuple of types."""
    if isinstance(signature, str):
        parts = re.findall(r"(\w+)(?:\[[^]]*\])?\s*[,)]", signature)
        return [_dtype_of(part) for part in parts]
    arguments = signature.arguments if isinstance(signature, Type) else signature
    return [argument.dtype for argument in arguments or ()]


def _dtype_of(name: str) -> np.dtype:
    found = vars(types).get(name.strip())
    if not isinstance(found, Type) or found.dtype is None:
        raise ValueError(f"{name!r} is no type of numbers")
    return found.dtype


def jitclass(spec_or_class: Any = None, spec: Any = None) -> Any:
    """An ordinary class: what uses it is compiled with it."""
    return spec_or_class if isinstance(spec_or_class, type) else lambda cls: cls


def literal_unroll(items: Any) -> Any:
    """The items themselves: a loop over items of several types is unrolled where it has to be."""
    return items


def get_num_threads() -> int:
    """The number of processors, of which XLA uses all."""
    return os.cpu_count() or 1


def set_num_threads(count: int) -> None:
    """Nothing: how many threads XLA uses, `XLA_FLAGS` says.

    Raises:
        ValueError: for less than one, or more than there are processors.
    """
    if not 1 <= count <= get_num_threads():
        raise ValueError(f"the number of threads must be between 1 and {get_num_threads()}")


class List:
    """`numba.typed.List`, which is a list."""

    def __new__(cls, items=()):
        return list(items)

    @staticmethod
    def empty_list(item_type, allocated=0):
        """A list without items."""
        return []


class Dict:
    """`numba.typed.Dict`, which is a dict."""

    def __new__(cls, items=()):
        return dict(items)

    @staticmethod
    def empty(key_type, value_type, n_keys=0):
        """A dict without items."""
        return {}


typed = python_types.ModuleType("numba.typed", "Containers of Numba's.")
vars(typed).update(List=List, Dict=Dict)
experimental = python_types.ModuleType("numba.experimental", "Classes of Numba's.")
vars(experimental).update(jitclass=jitclass)


def install_as_numba() -> None:
    """Let `import numba` give this module from now on, in this process.

    Raises:
        RuntimeError: Numba itself has been imported.
    """
    here = sys.modules[__name__]
    if sys.modules.get("numba", here) is not here:
        raise RuntimeError("Numba has been imported: call xlapy.install_as_numba() before anything imports it")
    sys.modules |= {"numba": here, "numba.typed": typed, "numba.types": types, "numba.experimental": experimental}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"xlapy.numba has no {name!r}; docs/coming-from-numba.md says what to write")


__all__ = [
    "Type",
    "experimental",
    "get_num_threads",
    "guvectorize",
    "install_as_numba",
    "jit",
    "jitclass",
    "literal_unroll",
    "njit",
    "overload",
    "prange",
    "set_num_threads",
    "typed",
    "types",
    "vectorize",
]
