"""The public functions."""

from __future__ import annotations

import contextlib
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, ParamSpec, Protocol, TypeVar

import jax
from jax.sharding import AbstractMesh

from xlapy.domain.compiled_functions import ENTRANCE, owner_of
from xlapy.domain.size_bounds import bound
from xlapy.runtime.binding import Binder
from xlapy.runtime.on_demand import LazyCache, compiler
from xlapy.runtime.options import Policy, make_policy
from xlapy.runtime.switch import disable, enable, off
from xlapy.verification import both_ways

if TYPE_CHECKING:
    from xlapy.report.explanation import Explanation
    from xlapy.runtime.portable import Loaded
    from xlapy.runtime.stages import Lowered

__all__ = ["bound", "code_typed", "code_xla", "disable_jit", "explain", "jit", "load", "overload", "verify"]


P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class CompiledFunction(Protocol[P, R]):
    """What `jit` returns, to type checkers: the function's own parameters and result, and these methods."""

    __name__: str
    __wrapped__: Callable

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the compiled program, and compile it first where no one suits the arguments."""
        ...

    def __get__(self, instance: Any, owner: type | None = None) -> Callable[..., R]:
        """The method, where the function is one."""
        ...

    def lower(self, *args: Any, **kwargs: Any) -> Lowered:
        """The program for such arguments."""
        ...

    def explain(self, *args: Any, **kwargs: Any) -> Explanation:
        """What a call would do, line by line, or every obstacle."""
        ...

    def cache_info(self) -> Any:
        """How many programs there are, and how often they were found."""
        ...

    def cache_clear(self) -> None:
        """Forget all programs."""
        ...


@typing.overload
def jit(
    function: Callable[P, R],
    *,
    dtypes: Literal["numpy", "32bit"] = ...,
    returns: Literal["auto", "jax", "numpy"] = ...,
    fallback: bool = ...,
    verify: bool | float = ...,
    **options: Any,
) -> CompiledFunction[P, R]: ...


@typing.overload
def jit(
    function: None = None,
    *,
    dtypes: Literal["numpy", "32bit"] = ...,
    returns: Literal["auto", "jax", "numpy"] = ...,
    fallback: bool = ...,
    verify: bool | float = ...,
    **options: Any,
) -> Callable[[Callable[P, R]], CompiledFunction[P, R]]: ...


def jit(
    function: Callable | None = None,
    *,
    dtypes: Literal["numpy", "32bit"] = "numpy",
    returns: Literal["auto", "jax", "numpy"] = "auto",
    fallback: bool = False,
    verify: bool | float = False,
    **options: Any,
) -> Any:
    """Compile a Python function over NumPy arrays into one XLA program, from its bytecode.

    The function may be a method, a `functools.partial` or an object with `__call__`, too. Its callees are compiled
    with it. As a decorator it stands with or without arguments.

    Args:
        function: the callable.
        dtypes: 'numpy' keeps NumPy's types; '32bit' narrows 64-bit types, for accelerators.
        returns: 'auto' gives what CPython would: NumPy arrays, NumPy scalars and Python numbers; or `jax.Array`s, which
            stay on the device, where an argument or a variable that the function reads is a `jax.Array` or an
            `xlapy.device_array`. 'jax' always gives `jax.Array`s, 'numpy' never.
        fallback: run a function that cannot be offloaded in CPython, after one warning that names the obstacles.
        verify: run each call in CPython as well, first and on copies, and compare all that the caller can see; a number
            is the tolerance (`rtol` of `xlapy.verify`). For tests: calls are slow, and not safe in several threads.
        options: as for `jax.jit`: `static_argnums` and `static_argnames` (numbers to be known at compile time; what the
            program needs to know it finds out without them), `donate_argnums` and `donate_argnames`, `device` (also a
            sharding, by which all arrays are laid out that have its axes), `in_shardings` and `out_shardings`
            (shardings, `PartitionSpec`s of the mesh that `jax.set_mesh` has set, or None, for each parameter and result
            or what is in them), `inline`, `keep_unused`, `compiler_options`.

    Returns:
        A function that behaves like `function`, with the methods
        `lower(*args)` (then `.as_text()`, `.compile(target=None)`, `.save(path)`, `.traffic()`),
        `explain(*args)` (what a call would do, with the bytes it moves, or every obstacle),
        `cache_info()` and `cache_clear()`.
        Where only types matter, arguments may be or hold `jax.ShapeDtypeStruct`s, which stand for `jax.Array`s.

    Raises:
        NotOffloadableError: when called, if the function cannot become one program; nothing has happened then.
        TypeError: if `function` is not callable, or for an unknown option.
        VerificationError: with `verify`, when called, if CPython does something else.
        ValueError: for a value that an option cannot have; when called, before anything has run, for arrays that cannot
            be laid out as they are to be, or lie on different devices.

    Under JAX's own transformations (`jax.grad(xlapy.jit(f))`, `jax.vmap`, `jax.jit`) arguments are `jax.Array`s as
    anywhere in JAX, 64-bit types are on only where the caller has them on, a program that changes its caller's objects
    is refused, and an exception inside `jax.jit` reaches the caller as JAX's `JaxRuntimeError` with its text.
    """
    if function is None:
        return lambda f: jit(f, dtypes=dtypes, returns=returns, fallback=fallback, verify=verify, **options)
    if isinstance(function, staticmethod | classmethod):
        made = jit(function.__func__, dtypes=dtypes, returns=returns, fallback=fallback, verify=verify, **options)
        return type(function)(made)
    python, receiver = _python_function(function)
    binder = Binder(python, receiver)
    lazy = LazyCache(python, binder, make_policy(binder, dtypes, returns, fallback, options))
    wrapper: Any = lazy.wrapper if verify is False and not ALWAYS_VERIFIED else _verifying(lazy, verify)
    methods = (lazy.lower, lazy.explain, lazy.cache_info, lazy.cache_clear)
    own = {method.__name__: method for method in methods} | {"_xlapy_cache": lazy}
    wrapper.__dict__ = _Attributes(wrapper.__dict__, own)
    return wrapper


#: non-empty while every function that `jit` makes verifies its calls: `pytest --xlapy-verify`
ALWAYS_VERIFIED: list[bool] = []


def _verifying(lazy: LazyCache, verify: bool | float) -> Callable:
    """A function that calls the compiled one, and CPython's as well."""
    rtol = None if isinstance(verify, bool) else verify
    made = lazy.binder.wrapper(lambda *arguments: _both_ways(lazy, arguments, rtol, keep=True))
    made.__globals__[ENTRANCE].owner = lazy
    return made


def _both_ways(lazy: LazyCache, arguments: tuple, rtol: float | None, keep: bool) -> Any:
    def in_python(arguments: tuple) -> Any:
        with disable_jit():
            return lazy.binder.call(arguments)

    def compiled(arguments: tuple) -> Any:
        return lazy.entrance.call(*arguments)

    if off():
        return lazy.binder.call(arguments)
    return both_ways(lazy.function, in_python, compiled, arguments, rtol, keep)


class _Attributes(dict):
    """The attributes of a compiled function. `functools.wraps`, which JAX uses as well, copies attributes to another
    function; that other one must not be lowered, or compiled, as if it were this one."""

    def __init__(self, copied: dict, own: dict) -> None:
        super().__init__(copied | own)
        self._own = frozenset(own)

    def keys(self) -> Any:
        """The names of what may be copied."""
        return {name: None for name in super().keys() if name not in self._own}.keys()

    def __iter__(self) -> Any:
        return iter(self.keys())


#: where the code is of what `jax.shard_map` returns: the function itself is called by it
_OF_SHARD_MAP = jax.shard_map(lambda: None, mesh=AbstractMesh((), ()), in_specs=(), out_specs=()).__code__.co_filename


def _python_function(function: Callable) -> tuple[types.FunctionType, tuple]:
    """The Python function to compile, and the object that a bound method is bound to (or nothing)."""
    compiled = owner_of(function)
    if compiled is not None:
        return compiled.function, compiled.binder.receiver
    if isinstance(function, types.FunctionType) and function.__code__.co_filename != _OF_SHARD_MAP:
        return function, ()
    if isinstance(function, types.MethodType):
        inner, receiver = _python_function(function.__func__)
        if not receiver and inner.__code__.co_argcount:
            return inner, (function.__self__,)
    if not callable(function):
        raise TypeError(f"xlapy.jit takes a callable, not a {type(function).__name__}")
    target = function

    def call(*args, **kwargs):
        return target(*args, **kwargs)

    call.__name__ = getattr(function, "__name__", type(function).__name__)
    call.__qualname__ = getattr(function, "__qualname__", call.__name__)
    call.__doc__ = function.__doc__
    return call, ()


def _cache_of(function: Callable) -> LazyCache:
    compiled = owner_of(function)
    if compiled is not None:
        return compiled
    python, receiver = _python_function(function)
    return LazyCache(python, Binder(python, receiver), Policy())


def code_typed(function: Callable, *args: Any, opt: bool = True, **kwargs: Any) -> str:
    """The typed program of `function` for these arguments: operations, types, inlined callees, source lines.

    Arguments may be or hold `jax.ShapeDtypeStruct`s. Without `opt` the program is as the interpreter has emitted it,
    before any pass.

    Raises:
        NotOffloadableError: if the function cannot become one program.
    """
    lazy = _cache_of(function)
    return compiler().stages.typed(lazy.cache, lazy.binder.bind(args, kwargs), opt)


def code_xla(function: Callable, *args: Any, opt: bool = False, **kwargs: Any) -> str:
    """StableHLO of `function` for these arguments, or with `opt` the optimised HLO of the default device.

    Arguments may be or hold `jax.ShapeDtypeStruct`s.

    Raises:
        NotOffloadableError: if the function cannot become one program.
    """
    lazy = _cache_of(function)
    lowered = compiler().stages.Lowered(lazy.cache, lazy.binder.bind(args, kwargs))
    return lowered.compile().as_text() if opt else lowered.as_text()


def explain(function: Callable, *args: Any, **kwargs: Any) -> Explanation:
    """What a call of `function` with these arguments would do, without running it.

    Returns:
        A text: how the program runs (machine code, or XLA on which device), its inputs with shapes and dtypes, what is
        static and why, what it assumes, copies, changes and may raise, what was compiled so far and why; and the
        source, with what became of each line: loops that are kept, unrolled or vectorised, branches on data, inlined
        functions, the type of what is computed. For a function that cannot become one program: every obstacle.
        `.html()` gives the same as one page, with the program and its StableHLO beside the source; Jupyter shows it.

    Arguments may be or hold `jax.ShapeDtypeStruct`s.

        print(xlapy.explain(relax, np.zeros((64, 64)), 1e-4, 10_000))
        Path("relax.html").write_text(xlapy.explain(relax, np.zeros((64, 64)), 1e-4, 10_000).html())
    """
    lazy = _cache_of(function)
    return compiler().explaining.explain(lazy.cache, lazy.binder.bind(args, kwargs))


def load(path: str | Path) -> Loaded:
    """A program that `Lowered.save` wrote, ready to be called like the function.

    It runs on any of the platforms for which it was saved. The function itself is not needed. Arguments have to have
    the types and shapes that it was saved for.

    Raises:
        ValueError: for a file that is none of these.
    """
    return compiler().load(path)


def verify(function: Callable, *args: Any, rtol: float | None = None, **kwargs: Any) -> Any:
    """Call `function` in CPython and compiled, and compare all that the caller can see.

    Both run on copies of the arguments and of the global variables and cells that the function can reach: nothing of
    the caller's changes. Random numbers differ on purpose, as the page *Accepted differences* says.

    Args:
        function: the function, compiled or not.
        args: of the call.
        rtol: relative and absolute tolerance of floating-point numbers; by default 1e-12 for 64 bits, 1e-5 for 32.
        kwargs: of the call.

    Returns:
        The result of the compiled function.

    Raises:
        VerificationError: if the two differ in value, dtype, shape, type, structure, aliasing, effects, exception or
            output; the message says where they do first.
        NotOffloadableError: if the function cannot become one program.
        TypeError: if an argument or variable cannot be copied.

    An exception that both raise reaches the caller.

        xlapy.verify(relax, np.zeros((64, 64)), 1e-4, 10_000)
    """
    lazy = _cache_of(function)
    return _both_ways(lazy, lazy.binder.bind(args, kwargs), rtol, keep=False)


@contextlib.contextmanager
def disable_jit() -> Iterator[None]:
    """Within this context, calls of compiled functions from this thread run in CPython."""
    disable()
    try:
        yield
    finally:
        enable()


def overload(target: Callable) -> Callable[[Callable], Callable]:
    """Register a Python function that is compiled wherever a program calls `target`.

    For compiled functions that xlapy has no rule for, or to replace a rule:

        @xlapy.overload(scipy.special.some_function)
        def some_function(x):
            return ...

    Programs compiled before are forgotten. CPython itself still calls `target`.

    Raises:
        TypeError: if `target` is not callable, is a bound method, or the replacement has no bytecode.
    """
    if not callable(target):
        raise TypeError(f"xlapy.overload takes a callable, not a {type(target).__name__}")
    if isinstance(target, types.MethodType):
        raise TypeError(f"xlapy.overload: {target.__qualname__} is a bound method; overload the function of its class")

    def register(implementation: Callable) -> Callable:
        if not isinstance(implementation, types.FunctionType):
            raise TypeError(f"the replacement must be a Python function, not a {type(implementation).__name__}")

        compiler().overload(target, implementation)
        return implementation

    return register
