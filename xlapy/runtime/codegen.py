"""Python text for the warm call: guards and operands, generated once for each specialisation.

Every guard and operand is a chain from an argument or from a known object; chains share their prefixes, so that each
attribute is read once.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import jax
import numpy as np

from xlapy.domain.sources import Anchor, Source
from xlapy.interpreter.world import Guard

#: what a specialisation returns when one of its guards does not hold
MISS = object()


class Writer:
    """Collects lines of a function body and the known objects they refer to."""

    def __init__(self) -> None:
        self.namespace: dict[str, object] = {"MISS": MISS, "JaxArray": jax.Array, "isinstance": isinstance}
        self.lines: list[str] = []
        self._names: dict[int, str] = {}
        self._found: dict[Source, str] = {}

    def name(self, item: object) -> str:
        """A name under which the text refers to a known object."""
        known = self._names.get(id(item))
        if known is None:
            known = self._names[id(item)] = f"k{len(self._names)}"
            self.namespace[known] = item
        return known

    def place(self, source: Source) -> str:
        """An expression for what is at a source; it is computed once."""
        known = self._found.get(source)
        if known is not None:
            return known
        expression = self.expression(source)
        if source.kind in ("argument", "object"):
            self._found[source] = expression
            return expression
        local = f"v{len(self._found)}"
        self.lines.append(f"{local} = {expression}")
        self._found[source] = local
        return local

    def expression(self, source: Source) -> str:
        """The text that finds a source from the one before it."""
        key = source.key
        match source.kind:
            case "argument":
                return f"a_{key}"
            case "object":
                item = key[0].item if isinstance(key, tuple) else key.item  # type: ignore[attr-defined]
                return self.name(item)
            case "global":
                return f"{self.name(key[0].item)}[{key[1]!r}]"  # type: ignore[index]
            case "cell":
                return f"{self.name(key[0].item)}.cell_contents"  # type: ignore[index]
            case "entry":
                return f"{self.name(key[0].item)}.__dict__[{key[1]!r}]"  # type: ignore[index]
            case "attribute":
                return f"{self.place(source.base)}.{key}"  # type: ignore[arg-type]
            case "item":
                text = repr(key) if isinstance(key, int | str) else self.name(key)
                return f"{self.place(source.base)}[{text}]"  # type: ignore[arg-type]
        raise AssertionError(source)

    def require(self, condition: str) -> None:
        """Give up unless `condition` holds."""
        self.lines.append(f"if not ({condition}): return MISS")

    def guard(self, guard: Guard) -> None:
        """Check one assumption."""
        if guard.kind == "missing":
            self._missing(guard.source)
            return
        place, value = self.place(guard.source), guard.value
        match guard.kind:
            case "is":
                self.require(f"{place} is {self.name(value)}")
            case "equal":
                self._equal(place, value)
            case "type":
                self.require(f"type({place}) is {self.name(value)}")
            case "isinstance":
                concrete = self.name(_array_type())
                self.require(f"type({place}) is {concrete} or isinstance({place}, JaxArray)")
            case "len":
                self.require(f"len({place}) == {value}")
            case "keys":
                self.require(f"[*{place}] == {self.name(list(value))}")  # type: ignore[call-overload]
            case "same":
                self.require(f"{place} is {self.place(value)}")  # type: ignore[arg-type]
            case "distinct":
                self.require(f"{place} is not {self.place(value)}")  # type: ignore[arg-type]
            case "shape":
                self.require(f"{place}.shape == {value[0]!r} and {place}.dtype == {self.name(value[1])}")  # type: ignore
            case "apart":
                shares = self.name(np.may_share_memory)
                other = self.place(value)  # type: ignore[arg-type]
                self.require(f"not {shares}({place}, {other})")

    def _equal(self, place: str, value: object) -> None:
        kind = type(value)
        if kind in (bool, type(None)):
            self.require(f"{place} is {value!r}")
        elif kind is int or kind is str:
            self.require(f"type({place}) is {self.name(kind)} and {place} == {value!r}")
        elif kind in (float, complex) or isinstance(value, np.generic):
            # by text: -0.0 is not 0.0, and NaN is NaN
            self.require(f"type({place}) is {self.name(kind)} and repr({place}) == {repr(value)!r}")
        else:
            self.require(f"type({place}) is {self.name(kind)} and {place} == {self.name(value)}")

    def _missing(self, source: Source) -> None:
        if source.kind == "global":
            self.require(f"{source.key[1]!r} not in {self.name(source.key[0].item)}")  # type: ignore[index]
        elif source.kind == "attribute":
            self.require(f"{source.key!r} not in {self.place(source.base)}.__dict__")  # type: ignore[arg-type]

    def function(self, name: str, parameters: Sequence[str], result: str) -> Callable:
        """The function: MISS where a guard fails or a source is not there, else `result`."""
        body = "\n        ".join([*self.lines, f"return {result}"])
        signature = ", ".join(f"a_{p}" for p in parameters)
        text = (
            f"def {name}({signature}):\n    try:\n        {body}\n"
            "    except (AttributeError, KeyError, IndexError, TypeError, ValueError):\n        return MISS\n"
        )
        exec(compile(text, f"<xlapy {name}>", "exec"), self.namespace)
        return self.namespace[name]  # type: ignore[return-value]


_ARRAY_TYPE: list[type] = []


def _array_type() -> type:
    """The class of concrete JAX arrays."""
    if not _ARRAY_TYPE:
        _ARRAY_TYPE.append(type(jax.numpy.zeros(())))
    return _ARRAY_TYPE[0]


def locate(source: Source, arguments: dict[str, object]) -> object:
    """What is at a source now."""
    key = source.key
    match source.kind:
        case "argument":
            return arguments[key]  # type: ignore[index]
        case "object":
            return key[0].item if isinstance(key, tuple) else key.item  # type: ignore[attr-defined]
        case "global":
            return key[0].item[key[1]]  # type: ignore[index]
        case "cell":
            return key[0].item.cell_contents  # type: ignore[index]
        case "entry":
            return key[0].item.__dict__[key[1]]  # type: ignore[index]
        case "attribute":
            return getattr(locate(source.base, arguments), key)  # type: ignore[arg-type]
        case "item":
            return locate(source.base, arguments)[key]  # type: ignore[index, arg-type]
    raise AssertionError(source)


__all__ = ["MISS", "Anchor", "Writer", "locate"]
