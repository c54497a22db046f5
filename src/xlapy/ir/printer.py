"""The readable form of a program: the paper's `code_typed_xla`."""

from __future__ import annotations

import numpy as np

from xlapy.ir.core import Location, Module, Operation, Region, Var

_SHORT = 60


def to_text(module: Module, locations: bool = True) -> str:
    """The whole program as text, one operation a line, inlined callees and source lines beside them."""
    return _Printer(locations).module(module)


class _Printer:
    def __init__(self, locations: bool) -> None:
        self.names: dict[int, str] = {}
        self.locations = locations
        self.lines: list[str] = []

    def name(self, var: Var) -> str:
        return self.names.setdefault(id(var), f"%{len(self.names)}")

    def module(self, module: Module) -> str:
        params = ", ".join(
            f"{self.name(v)}: {v.type} = {n}" for v, n in zip(module.entry.params, module.parameter_names, strict=True)
        )
        self.lines.append(f"program({params}) {{")
        self.body(module.entry, 1)
        self.lines.append("}")
        return "\n".join(self.lines) + "\n"

    def body(self, region: Region, depth: int) -> None:
        for operation in region.operations:
            self.operation(operation, depth)
        self.lines.append("  " * depth + "yield " + ", ".join(map(self.name, region.results)))

    def operation(self, operation: Operation, depth: int) -> None:
        indent = "  " * depth
        results = ", ".join(f"{self.name(v)}: {v.type}" for v in operation.results)
        operands = ", ".join(map(self.name, operation.operands))
        text = f"{indent}{results} = {_title(operation)}({operands})"
        if self.locations and operation.location is not None:
            text = f"{text:<72} # {_chain(operation.location)}"
        self.lines.append(text)
        for region in operation.regions:
            params = ", ".join(f"{self.name(v)}: {v.type}" for v in region.params)
            self.lines.append(f"{indent}  ({params}) {{")
            self.body(region, depth + 2)
            self.lines.append(f"{indent}  }}")


def _title(operation: Operation) -> str:
    if operation.kind == "constant":
        text = np.array2string(np.asarray(operation.attributes["value"]), threshold=8, separator=",").replace("\n", "")
        return f"constant[{text[:_SHORT]}]"
    if operation.kind == "leaf":
        return f"leaf[{operation.attributes['name']}]"
    return operation.kind


def _chain(location: Location) -> str:
    parts = []
    current: Location | None = location
    while current is not None:
        parts.append(f"{current.function}:{current.line}")
        current = current.caller
    return " < ".join(parts)
