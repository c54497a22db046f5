"""The parameters of NumPy's functions, of those in C as well, which say them themselves from NumPy 2.4 on."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable

import numpy as np

from xlapy.domain.values import Const, Value

#: as NumPy's documentation has them
_TEXTS = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None, like=None)
array(object, dtype=None, *, copy=True, order='K', subok=False, ndmin=0, like=None)
asanyarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)
asarray(a, dtype=None, order=None, *, device=None, copy=None, like=None)
ascontiguousarray(a, dtype=None, *, like=None)
asfortranarray(a, dtype=None, *, like=None)
bincount(x, /, weights=None, minlength=0)
can_cast(from_, to, casting='safe')
concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting='same_kind')
copyto(dst, src, casting='same_kind', where=True)
dot(a, b, out=None)
empty(shape, dtype=None, order='C', *, device=None, like=None)
empty_like(prototype, /, dtype=None, order='K', subok=True, shape=None, *, device=None)
from_dlpack(x, /, *, device=None, copy=None)
frombuffer(buffer, dtype=None, count=-1, offset=0, *, like=None)
fromiter(iter, dtype, count=-1, *, like=None)
inner(a, b, /)
lexsort(keys, axis=-1)
may_share_memory(a, b, /, max_work=0)
min_scalar_type(a, /)
packbits(a, /, axis=None, bitorder='big')
promote_types(type1, type2, /)
putmask(a, /, mask, values)
ravel_multi_index(multi_index, dims, mode='raise', order='C')
result_type(*arrays_and_dtypes)
shares_memory(a, b, /, max_work=-1)
unpackbits(a, /, axis=None, count=None, bitorder='big')
unravel_index(indices, shape, order='C')
vdot(a, b, /)
where(condition, x=None, y=None, /)
zeros(shape, dtype=None, order='C', *, device=None, like=None)
"""


@functools.cache
def _stated() -> dict[Callable, inspect.Signature]:
    found: dict[Callable, inspect.Signature] = {}
    for line in _TEXTS.split("\n"):
        if line:
            namespace: dict = {}
            exec(f"def {line}: ...", namespace)
            name = line.partition("(")[0]
            found[getattr(np, name)] = inspect.signature(namespace[name])
    return found


def signature_of(function: Callable) -> inspect.Signature:
    """The signature of a function, of NumPy's in C as well.

    Raises:
        ValueError: nobody says what it is.
    """
    try:
        return inspect.signature(function)
    except ValueError:
        if function in _stated():
            return _stated()[function]
        raise


#: stands in NumPy's signatures for an argument that was not passed
_NO_VALUE = getattr(np, "_NoValue", None)


def passed(function: Callable, args: list[Value], kwargs: dict[str, Value]) -> tuple[list[Value], dict[str, Value]]:
    """The arguments of a call without those that are `np._NoValue`, where this is what the parameter is by default.

    def total(x, keepdims=np._NoValue):
        return np.sum(x, keepdims=keepdims)
    """
    if not any(map(_is_no_value, args)) and not any(map(_is_no_value, kwargs.values())):
        return args, kwargs
    if function is np.clip:  # whether both bounds were passed decides over a TypeError; the rule refuses the mark
        return args, kwargs
    names, optional = _optional(function)
    first = next((k for k, v in enumerate(args) if _is_no_value(v)), len(args))
    if not names[first : len(args)] or not set(names[first : len(args)]) <= optional:
        first = len(args)
    given = {**dict(zip(names[first:], args[first:], strict=False)), **kwargs}
    return args[:first], {n: v for n, v in given.items() if not (n in optional and _is_no_value(v))}


def _is_no_value(value: Value) -> bool:
    return type(value) is Const and value.value is _NO_VALUE is not None


@functools.lru_cache(maxsize=1000)
def _optional(function: Callable) -> tuple[tuple[str, ...], frozenset[str]]:
    """The names of the parameters that may be passed by position, and the names of those that are `np._NoValue`."""
    try:
        parameters = signature_of(function).parameters.values()
    except (TypeError, ValueError):
        return (), frozenset()
    positional = tuple(p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD or p.kind is p.POSITIONAL_ONLY)
    return positional, frozenset(p.name for p in parameters if p.default is _NO_VALUE)


__all__ = ["passed", "signature_of"]
