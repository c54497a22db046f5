"""Binds the arguments of a call to parameter names, in generated Python: CPython itself checks the call."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable

#: in the place of an argument that was not passed
MISSING = type("Missing", (), {"__repr__": lambda self: "<default>"})()


class Binder:
    """The parameters of a function, and the text of a function with the same signature."""

    def __init__(self, function: types.FunctionType) -> None:
        code = function.__code__
        self.function = function
        count, keyword_only = code.co_argcount, code.co_kwonlyargcount
        self.positional = code.co_varnames[:count]
        self.positional_only = code.co_posonlyargcount
        self.keyword_only = code.co_varnames[count : count + keyword_only]
        rest = count + keyword_only
        self.star = code.co_varnames[rest] if code.co_flags & inspect.CO_VARARGS else None
        rest += self.star is not None
        self.double_star = code.co_varnames[rest] if code.co_flags & inspect.CO_VARKEYWORDS else None
        self.names = [n for n in (*self.positional, *self.keyword_only, self.star, self.double_star) if n is not None]

    def wrapper(self, call: Callable) -> Callable:
        """A function with the signature of the original that hands bound arguments to `call` in the order of `names`."""
        function = self.function
        defaults, named = function.__defaults__ or (), function.__kwdefaults__ or {}
        first_default = len(self.positional) - len(defaults)
        parts: list[str] = []
        optional: list[str] = []
        for index, name in enumerate(self.positional):
            if index == self.positional_only and index:
                parts.append("/")
            with_default = index >= first_default
            parts.append(f"{name}=_missing" if with_default else name)
            optional += [name] * with_default
        if self.positional_only and self.positional_only == len(self.positional):
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
        fill = [f"    if {n} is _missing: {n} = _default({n!r})" for n in optional]
        call_text = f"    return _call({', '.join(self.names)})"
        text = "\n".join([f"def _wrapper({', '.join(parts)}):", *fill, call_text])
        namespace: dict[str, object] = {"_missing": MISSING, "_call": call, "_default": self.default}
        exec(compile(text, "<xlapy call>", "exec"), namespace)
        made: types.FunctionType = namespace["_wrapper"]  # type: ignore[assignment]
        made.__name__, made.__qualname__ = function.__name__, function.__qualname__
        made.__doc__, made.__module__ = function.__doc__, function.__module__
        made.__wrapped__ = function  # type: ignore[attr-defined]
        return made

    def default(self, name: str) -> object:
        """The default of a parameter, as it is now."""
        function = self.function
        if function.__kwdefaults__ and name in function.__kwdefaults__:
            return function.__kwdefaults__[name]
        defaults = function.__defaults__ or ()
        index = self.positional.index(name) - (len(self.positional) - len(defaults))
        if 0 <= index < len(defaults):
            return defaults[index]
        raise TypeError(f"{function.__qualname__}() missing 1 required positional argument: '{name}'")
