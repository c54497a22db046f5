"""Typed static single assignment with regions.

A value (`Var`) has one definition and a `TensorType`. An `Operation` has operands (dynamic), attributes (static),
results, nested regions and a source span. A `Region` is a block with parameters and yielded results; its operations
may use values of the regions around it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

#: how the names of this package's files begin: rules that are written in Python are no functions of the user's
OURS = str(Path(__file__).parents[1]) + os.sep


class TensorType(NamedTuple):
    """The type of a value: `shape` (tuple of int), `dtype` (NumPy's), and JAX's `weak` flag of Python scalars."""

    shape: tuple[int, ...]
    dtype: np.dtype
    weak: bool = False

    def __str__(self) -> str:
        dims = "x".join(map(str, self.shape))
        return f"{self.dtype}[{dims}]" + ("~" if self.weak else "")


class Location(NamedTuple):
    """Where in the user's source an operation comes from, with the chain of inlined calls that led there."""

    filename: str
    function: str
    line: int | None
    end_line: int | None
    column: int | None
    end_column: int | None
    caller: Location | None = None

    def __str__(self) -> str:
        return f"{self.filename}:{self.line} in {self.function}"


class Var:
    """One SSA value. `owner` is what defines it; `depth` the number of regions around its definition."""

    __slots__ = ("depth", "owner", "type")

    def __init__(self, type: TensorType, owner: Operation | Region | None = None, depth: int = 0) -> None:
        self.type = type
        self.owner = owner
        self.depth = depth

    def __repr__(self) -> str:
        return f"<Var {self.type}>"


class Region:
    """A block of operations with parameters; `results` are what it yields."""

    __slots__ = ("depth", "fast", "operations", "owner", "params", "results")

    def __init__(self, param_types: tuple[TensorType, ...] = (), depth: int = 0) -> None:
        self.depth = depth
        self.params = [Var(t, self, depth) for t in param_types]
        self.operations: list[Operation] = []
        self.results: list[Var] = []
        self.owner: Operation | None = None
        #: of the entry of an optimised program: a form that computes the same faster, but whose derivatives are not
        self.fast: Region | None = None

    def size(self) -> int:
        """How many operations it has, those inside of others among them."""
        return sum(operation.size() for operation in self.operations)


class Operation:
    """One operation; `kind` names its entry in the table of `operations`."""

    __slots__ = ("attributes", "kind", "location", "operands", "regions", "results")

    def __init__(
        self,
        kind: str,
        operands: tuple[Var, ...],
        attributes: dict[str, Any],
        result_types: tuple[TensorType, ...],
        regions: tuple[Region, ...] = (),
        location: Location | None = None,
        depth: int = 0,
    ) -> None:
        self.kind = kind
        self.operands = operands
        self.attributes = attributes
        self.results = [Var(t, self, depth) for t in result_types]
        self.regions = regions
        self.location = location
        for region in regions:
            region.owner = self

    @property
    def jaxpr(self) -> Any:
        """The jaxpr that an operation computes, for kinds that are described by one; None for all others."""
        return self.attributes.get("jaxpr")

    def size(self) -> int:
        """How many operations this is, those inside of it among them."""
        return 1 + sum(region.size() for region in self.regions)


def defining(var: Var) -> Operation:
    """The operation of which a value is a result."""
    assert isinstance(var.owner, Operation)
    return var.owner


def constant_value(var: Var) -> np.ndarray | None:
    """The value of a constant, else None."""
    owner = var.owner
    if isinstance(owner, Operation) and owner.kind == "constant":
        return owner.attributes["value"]
    return None


@dataclass
class Module:
    """A whole program: the entry region, and for each parameter the name of where it comes from."""

    entry: Region
    parameter_names: list[str]


def every_operation(region: Region) -> Iterator[Operation]:
    """The operations of a region and of all regions in it."""
    for operation in region.operations:
        yield operation
        for nested in operation.regions:
            yield from every_operation(nested)


def has_effects(*operations: Operation) -> bool:
    """Whether operations, or what is in their regions, do more than to compute their results (`jax.debug.print`)."""
    inside = (o for operation in operations for region in operation.regions for o in every_operation(region))
    return any(o.jaxpr is not None and bool(o.jaxpr.effects) for o in (*operations, *inside))


def captured(region: Region) -> list[Var]:
    """Values of enclosing regions that `region` or a region inside it uses, each once, in order of use."""
    inside: set[int] = set()
    found: dict[int, Var] = {}

    def visit(block: Region) -> None:
        inside.update(map(id, block.params))
        for operation in block.operations:
            for operand in operation.operands:
                if id(operand) not in inside:
                    found.setdefault(id(operand), operand)
            for nested in operation.regions:
                visit(nested)
            inside.update(map(id, operation.results))
        for result in block.results:
            if id(result) not in inside:
                found.setdefault(id(result), result)

    visit(region)
    return list(found.values())
