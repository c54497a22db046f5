"""Binds the arguments of a call to parameter names, in generated Python: CPython itself checks the call."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from xlapy.domain.compiled_functions import ENTRANCE
from xlapy.runtime.tracebacks import CALL, shorten


class Missing:
    """In the place of an argument that was not passed."""

    def __repr__(self) -> str:
        return "<default>"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = Missing()
_COPIED = ("__name__", "__qualname__", "__doc__", "__module__", "__annotations__", "__type_params__")


class Entrance:
    """Where a wrapper hands its calls to.

    Attributes:
        call: takes bound arguments; it may be replaced.
        default: gives the default of a parameter.
        owner: what the wrapper belongs to. A copy of the wrapper by value, as cloudpickle makes it, gets the entrance
            of a copy of that.
    """

    __slots__ = ("call", "default", "owner")

    def __init__(self, call: Callable, default: Callable[[str], object]) -> None:
        self.call, self.default = call, default
        self.owner: Any = None

    def __reduce__(self) -> tuple:
        return entrance_of, (self.owner,)


def entrance_of(owner: Any) -> Entrance:
    """The entrance of what has one."""
    return owner.entrance


class Binder:
    """The parameters of a function, and the text of a function with the same signature.

    Args:
        function: a Python function.
        receiver: the object of a bound method, which fills the first parameter; a tuple of it, or ().
    """

    def __init__(self, function: types.FunctionType, receiver: tuple = ()) -> None:
        code = function.__code__
        self.function, self.receiver = function, receiver
        count, keyword_only = code.co_argcount, code.co_kwonlyargcount
        self.positional = code.co_varnames[:count]
        self.positional_only = code.co_posonlyargcount
        self.keyword_only = code.co_varnames[count : count + keyword_only]
        rest = count + keyword_only
        self.star = code.co_varnames[rest] if code.co_flags & inspect.CO_VARARGS else None
        rest += self.star is not None
        self.double_star = code.co_varnames[rest] if code.co_flags & inspect.CO_VARKEYWORDS else None
        self.names = [n for n in (*self.positional, *self.keyword_only, self.star, self.double_star) if n is not None]
        self._bind = self.wrapper(lambda *arguments: arguments)

    def wrapper(self, call: Callable) -> Callable:
        """A function with the signature of the original that hands bound arguments to `call`, in the order of `names`.

        Its global `ENTRANCE` is an `Entrance` with `call`, which may be replaced there.
        """
        function = self.function
        parts, optional = self._parameters()
        fill = [f"    if {n} is _missing: {n} = {ENTRANCE}.default({n!r})" for n in optional]
        given = ["_receiver", *self.names[1:]] if self.receiver and self.positional else self.names
        lines = [f"def _wrapper({', '.join(parts)}):", *fill, f"    _xlapy_call = {ENTRANCE}.call"]
        lines.append(f"    try: return _xlapy_call({', '.join(given)})")
        text = "\n".join([*lines, "    except BaseException as error:", "        _shorten(error)", "        raise"])
        namespace: dict[str, Any] = {"_missing": MISSING, ENTRANCE: Entrance(call, self.default), "_shorten": shorten}
        if self.receiver:
            namespace["_receiver"] = self.receiver[0]
        exec(compile(text, CALL, "exec"), namespace)
        made: types.FunctionType = namespace["_wrapper"]
        for name in _COPIED:
            if hasattr(function, name):
                setattr(made, name, getattr(function, name))
        made.__dict__.update(function.__dict__)
        made.__wrapped__ = types.MethodType(function, *self.receiver) if self.receiver else function
        return made

    def _parameters(self) -> tuple[list[str], list[str]]:
        """The parameter list as text, and the names of those with a default."""
        function = self.function
        defaults, named = function.__defaults__ or (), function.__kwdefaults__ or {}
        first_default = len(self.positional) - len(defaults)
        parts: list[str] = []
        optional: list[str] = []
        for index, name in enumerate(self.positional):
            if index == 0 and self.receiver:
                continue
            with_default = index >= first_default
            parts.append(f"{name}=_missing" if with_default else name)
            optional += [name] * with_default
            if index == self.positional_only - 1:
                parts.append("/")
        if self.star is not None:
            parts.append(f"*{self.star}")
        elif self.keyword_only:
            parts.append("*")
        for name in self.keyword_only:
            parts.append(f"{name}=_missing" if name in named else name)
            optional += [name] * (name in named)
        if self.double_star is not None:
            parts.append(f"**{self.double_star}")
        return parts, optional

    def bind(self, args: tuple, kwargs: dict[str, Any]) -> tuple:
        """The arguments of a call, in the order of `names`; CPython's TypeError where they do not fit."""
        return self._bind(*args, **kwargs)

    def named(self, arguments: tuple) -> dict[str, Any]:
        """Bound arguments by name."""
        return dict(zip(self.names, arguments, strict=True))

    def call(self, arguments: tuple) -> Any:
        """Call the original function, in CPython, with bound arguments."""
        named = self.named(arguments)
        positional = [named[n] for n in self.positional]
        if self.star is not None:
            positional.extend(named[self.star])
        keywords = {n: named[n] for n in self.keyword_only}
        if self.double_star is not None:
            keywords.update(named[self.double_star])
        return self.function(*positional, **keywords)

    def default(self, name: str) -> object:
        """The default of a parameter, as it is now."""
        function = self.function
        if function.__kwdefaults__ and name in function.__kwdefaults__:
            return function.__kwdefaults__[name]
        if name in self.positional:
            defaults = function.__defaults__ or ()
            index = self.positional.index(name) - (len(self.positional) - len(defaults))
            if 0 <= index < len(defaults):
                return defaults[index]
        kind = "positional" if name in self.positional else "keyword-only"
        raise TypeError(f"{function.__qualname__}() missing 1 required {kind} argument: '{name}'")
