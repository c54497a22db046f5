"""Where in the caller's world a value was found: one chain of provenance, which serves three readers.

`str` is for messages; `runtime.codegen` turns it into Python text that finds the value again, for the guards and
operands of the warm call.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from xlapy.immutable import immutable


class Anchor:
    """A real object as part of a key: compared by identity, kept alive."""

    __slots__ = ("item",)

    def __init__(self, item: Any) -> None:
        self.item = item

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Anchor) and other.item is self.item

    def __hash__(self) -> int:
        return id(self.item)


@immutable(eq=False)
class Source:
    """How a value is reached: from `base`, or from a root.

    kind        key                     is
    argument    name                    a parameter of the compiled function
    object      Anchor                  that object itself
    global      (Anchor(dict), name)    a global
    cell        (Anchor(cell), name)    the content of a closure cell
    entry       (Anchor(class), name)   an entry of a class's namespace, without descriptors
    attribute   name                    base.name
    item        key                     base[key]
    field       name                    base[name], of a structured array
    random      None                    the key of the next numbers of the random generator `base`
    value       (Location, what)        what the program asks for there; it stands for no value
    storage     None                    the array that owns the memory of the array `base`
    padded      shape                   an array of that shape, in whose leading corner `base` lies (`domain.rooms`)
    """

    kind: str
    key: Any
    base: Source | None = None
    _hash: int = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._hash = hash((self.kind, self.key, self.base))  # type: ignore[misc]

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other or (
            isinstance(other, Source)
            and self._hash == other._hash
            and (self.kind, self.key, self.base) == (other.kind, other.key, other.base)
        )

    @property
    def outer(self) -> Source:
        """The base, of a source that has one."""
        assert self.base is not None
        return self.base

    def root(self) -> Source:
        """Where the chain starts."""
        source = self
        while source.base is not None:
            source = source.base
        return source

    def __str__(self) -> str:
        base = str(self.base) if self.base is not None else ""
        match self.kind:
            case "argument":
                return str(self.key)
            case "global" | "cell":
                return str(self.key[1])
            case "entry":
                return f"{self.key[0].item.__name__}.{self.key[1]}"
            case "object":
                item = self.key.item
                return getattr(item, "__name__", None) or f"<{type(item).__name__}>"
            case "attribute":
                return f"{base}.{self.key}"
            case "item" | "field":
                return f"{base}[{self.key!r}]"
            case "random":
                return f"the state of {base}"
            case "storage":
                return f"the memory of {base}"
        return base


def argument(name: str) -> Source:
    """A parameter of the compiled function."""
    return Source("argument", name)


def anchor(item: object) -> Source:
    """An object that the program refers to by itself."""
    return Source("object", Anchor(item))


def attribute(base: Source, name: str) -> Source:
    """`base.name`."""
    return Source("attribute", name, base)


def item(base: Source, key: object) -> Source:
    """`base[key]`, for a list, tuple or dict."""
    return Source("item", key, base)


def holder(source: Source) -> Source:
    """The structured array whose field a source is, or itself."""
    while source.kind == "field":
        source = source.outer
    return source
