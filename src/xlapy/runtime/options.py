"""The options of `xlapy.jit`, checked at the door."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from xlapy.domain.sources import Source, argument, item
from xlapy.runtime.binding import Binder

#: options that `jax.jit` takes as they are
_PASSED = ("keep_unused", "inline", "compiler_options")
_MAPPED = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames", "device")


@dataclass(frozen=True)
class Policy:
    """How a function is compiled.

    Attributes:
        narrow: 64-bit types become 32-bit ones.
        returns: 'jax', 'numpy' or 'auto', for `runtime.result_kinds`.
        fallback: a refused function runs in CPython, after one warning.
        static: parameters whose numbers are always known at compile time.
        donated: parameters whose arrays XLA may reuse.
        device: where to run, or None.
        jax: options for `jax.jit`.
    """

    narrow: bool = False
    returns: str = "auto"
    fallback: bool = False
    static: frozenset[str] = frozenset()
    donated: frozenset[str] = frozenset()
    device: Any = None
    jax: dict[str, Any] = field(default_factory=dict)


def make_policy(binder: Binder, dtypes: str, returns: str, fallback: bool, options: dict[str, Any]) -> Policy:
    """The policy for the options of one `xlapy.jit`.

    Raises:
        TypeError: for an unknown option or one of the wrong type.
        ValueError: for a value that an option cannot have, or a parameter that the function does not have.
    """
    if dtypes not in ("numpy", "32bit"):
        raise ValueError(f"dtypes must be 'numpy' or '32bit', not {dtypes!r}")
    if returns not in ("auto", "jax", "numpy"):
        raise ValueError(f"returns must be 'auto', 'jax' or 'numpy', not {returns!r}")
    if not isinstance(fallback, bool):
        raise TypeError(f"fallback must be a bool, not {fallback!r}")
    for name in options:
        if name not in _PASSED and name not in _MAPPED:
            raise TypeError(f"jit() got an unexpected keyword argument '{name}'")
    return Policy(
        narrow=dtypes == "32bit",
        returns=returns,
        fallback=fallback,
        static=_parameters(binder, "static", options),
        donated=_parameters(binder, "donate", options),
        device=options.get("device"),
        jax={name: options[name] for name in _PASSED if name in options},
    )


def _parameters(binder: Binder, kind: str, options: dict[str, Any]) -> frozenset[str]:
    """The parameter names that `<kind>_argnums` and `<kind>_argnames` mean."""
    numbers, names = options.get(f"{kind}_argnums"), options.get(f"{kind}_argnames")
    positional = binder.positional[len(binder.receiver) :]
    function = binder.function.__qualname__
    found = set()
    for number in _sequence(numbers, int, f"{kind}_argnums"):
        if not -len(positional) <= number < len(positional):
            raise ValueError(f"{kind}_argnums={numbers!r}: {function} has {len(positional)} positional parameters")
        found.add(positional[number])
    for name in _sequence(names, str, f"{kind}_argnames"):
        if name not in positional and name not in binder.keyword_only:
            raise ValueError(f"{kind}_argnames={names!r}: {function} has no parameter {name!r}")
        found.add(name)
    return frozenset(found)


def _sequence(given: Any, kind: type, option: str) -> tuple:
    if given is None:
        return ()
    if isinstance(given, kind):
        return (given,)
    if not isinstance(given, Iterable) or isinstance(given, str):
        raise TypeError(f"{option} must be {kind.__name__} or a sequence of them, not {given!r}")
    items = tuple(given)
    if not all(isinstance(i, kind) for i in items):
        raise TypeError(f"{option} must be {kind.__name__} or a sequence of them, not {given!r}")
    return items


def static_sources(policy: Policy, arguments: dict[str, object]) -> set[Source]:
    """Where the numbers are that the caller wants known at compile time."""
    found: set[Source] = set()

    def visit(value: object, source: Source) -> None:
        if isinstance(value, dict):
            for key, part in value.items():
                visit(part, item(source, key))
        elif isinstance(value, list | tuple):
            for index, part in enumerate(value):
                visit(part, item(source, index))
        elif hasattr(value, "shape") and getattr(value, "shape", ()) != ():
            raise ValueError(f"{source} is static, and an array; static arguments must be hashable")
        else:
            found.add(source)

    for name in policy.static:
        visit(arguments[name], argument(name))
    return found
