"""Where in the caller's world a value was found: one chain of provenance, which serves three readers.

`expression` is Python text that finds the value again (guards and operands of the warm call are generated from it),
`str` is for messages.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """`base` is the source this one is reached from; `kind` and `key` say how."""

    kind: str
    key: object
    base: Source | None = None

    def __str__(self) -> str:
        base = str(self.base) if self.base is not None else ""
        match self.kind:
            case "argument":
                return f"argument {self.key!r}" if not isinstance(self.key, str) else self.key
            case "global" | "object":
                return str(self.key)
            case "cell":
                return f"closure variable {self.key[1]!r}"  # type: ignore[index]
            case "attribute":
                return f"{base}.{self.key}"
            case "item":
                return f"{base}[{self.key!r}]"
        return f"{base}.{self.kind}"


def argument(name: str) -> Source:
    """A parameter of the compiled function."""
    return Source("argument", name)


def attribute(base: Source, name: str) -> Source:
    """`base.name`."""
    return Source("attribute", name, base)


def item(base: Source, key: object) -> Source:
    """`base[key]`, for a list, tuple or dict."""
    return Source("item", key, base)
