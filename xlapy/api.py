"""The public functions."""

from __future__ import annotations

import types
import warnings
from collections.abc import Callable
from typing import Any, Literal

from xlapy.report import Blocker, NotOffloadableError
from xlapy.runtime.specialisation import Cache, CacheInfo, Policy
from xlapy.runtime.stages import Lowered, explain, lower, typed

__all__ = ["jit"]

_DISABLED = [False]


def jit(
    function: Callable | None = None,
    *,
    dtypes: Literal["numpy", "32bit"] = "numpy",
    returns: Literal["jax", "numpy"] = "jax",
    fallback: bool = False,
    **options: Any,
) -> Any:
    """Compile a Python function over NumPy arrays into one XLA program, from its bytecode.

    Args:
        function: a Python function or method. Its callees are compiled with it.
        dtypes: 'numpy' keeps NumPy's types; '32bit' narrows 64-bit types, for accelerators.
        returns: 'jax' gives `jax.Array`s, which stay on the device; 'numpy' gives writable NumPy arrays.
        fallback: run a function that cannot be offloaded in CPython, after one warning that names the obstacles.
        options: handed to `jax.jit` (`device`, `compiler_options`...).

    Returns:
        A function that behaves like `function`, with `lower`, `explain`, `cache_info` and `cache_clear`.

    Raises:
        NotOffloadableError: when called, if the function cannot become one program; nothing has happened then.
        TypeError: if `function` is not callable.
    """
    if function is None:
        return lambda f: jit(f, dtypes=dtypes, returns=returns, fallback=fallback, **options)
    if dtypes not in ("numpy", "32bit"):
        raise ValueError(f"dtypes must be 'numpy' or '32bit', not {dtypes!r}")
    if returns not in ("jax", "numpy"):
        raise ValueError(f"returns must be 'jax' or 'numpy', not {returns!r}")
    inner = _python_function(function)
    cache = Cache(inner, Policy(dtypes == "32bit", returns == "numpy", options))
    call = cache.call
    if fallback:
        call = _with_fallback(cache)
    wrapper = cache.binder.wrapper(_switch(call, cache))
    wrapper.lower = lambda *args, **kwargs: _lower(cache, args, kwargs)  # type: ignore[attr-defined]
    wrapper.explain = lambda *args, **kwargs: _explain(cache, args, kwargs)  # type: ignore[attr-defined]
    wrapper.cache_info = cache.info  # type: ignore[attr-defined]
    wrapper.cache_clear = cache.clear  # type: ignore[attr-defined]
    wrapper._xlapy_cache = cache  # type: ignore[attr-defined]
    return types.MethodType(wrapper, function.__self__) if isinstance(function, types.MethodType) else wrapper


def _python_function(function: Callable) -> types.FunctionType:
    if isinstance(function, types.MethodType):
        function = function.__func__
    if isinstance(function, types.FunctionType):
        return function
    if not callable(function):
        raise TypeError(f"xlapy.jit takes a callable, not a {type(function).__name__}")
    method = getattr(type(function), "__call__", None)
    if isinstance(method, types.FunctionType):
        target = function

        def call(*args, **kwargs):
            return target(*args, **kwargs)

        call.__name__ = call.__qualname__ = getattr(function, "__name__", type(function).__name__)
        return call
    name = getattr(function, "__qualname__", None) or repr(function)
    raise NotOffloadableError(name, [Blocker("XP0001", f"{name} is compiled code, without bytecode to read")])


def _switch(call: Callable, cache: Cache) -> Callable:
    return call


def _with_fallback(cache: Cache) -> Callable:
    warned: list[bool] = []

    def call(*arguments: Any) -> Any:
        try:
            return cache.call(*arguments)
        except NotOffloadableError as error:
            if not warned:
                warned.append(True)
                warnings.warn(f"running in CPython: {error}", RuntimeWarning, stacklevel=3)
            return _plain_call(cache, arguments)

    return call


def _plain_call(cache: Cache, arguments: tuple) -> Any:
    binder = cache.binder
    named = dict(zip(binder.names, arguments, strict=True))
    positional = [named[n] for n in binder.positional]
    if binder.star is not None:
        positional.extend(named[binder.star])
    keywords = {n: named[n] for n in binder.keyword_only}
    if binder.double_star is not None:
        keywords.update(named[binder.double_star])
    return cache.function(*positional, **keywords)


def _bound(cache: Cache, args: tuple, kwargs: dict) -> tuple:
    found: list[tuple] = []
    cache.binder.wrapper(lambda *arguments: found.append(arguments))(*args, **kwargs)
    return found[0]


def _lower(cache: Cache, args: tuple, kwargs: dict) -> Lowered:
    return lower(cache, _bound(cache, args, kwargs))


def _explain(cache: Cache, args: tuple, kwargs: dict) -> str:
    return explain(cache, _bound(cache, args, kwargs))


def code_typed(function: Callable, *args: Any, **kwargs: Any) -> str:
    """The typed program of `function` for these arguments: operations, types, inlined callees, source lines."""
    cache = _cache_of(function)
    return typed(cache, _bound(cache, args, kwargs))


def code_xla(function: Callable, *args: Any, opt: bool = False, **kwargs: Any) -> str:
    """StableHLO of `function` for these arguments, or with `opt` the optimised HLO of the default device."""
    cache = _cache_of(function)
    lowered = lower(cache, _bound(cache, args, kwargs))
    return lowered.compile().as_text() if opt else lowered.as_text()


def _cache_of(function: Callable) -> Cache:
    cache = getattr(function, "_xlapy_cache", None)
    return cache if cache is not None else Cache(_python_function(function), Policy())


CacheInfo = CacheInfo
