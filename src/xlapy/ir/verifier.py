"""Checks that a program is well formed; the tests run it after the interpreter and after every pass."""

from __future__ import annotations

from xlapy.ir.core import Module, Operation, Region, Var
from xlapy.ir.operations import TABLE


class MalformedProgram(Exception):
    """The program breaks a rule of the representation: a defect of xlapy, never of the user's code."""


def verify(module: Module) -> None:
    """Raise `MalformedProgram` unless definitions precede uses and every operation keeps its kind's rules."""
    if len(module.parameter_names) != len(module.entry.params):
        raise MalformedProgram("parameters and their names differ in number")
    _region(module.entry, set())


def _region(region: Region, visible: set[int]) -> None:
    visible = visible | set(map(id, region.params))
    for operation in region.operations:
        _operation(operation, visible)
        visible.update(map(id, operation.results))
    _defined(tuple(region.results), visible, "yield")


def _operation(operation: Operation, visible: set[int]) -> None:
    definition = TABLE.get(operation.kind)
    if definition is None:
        raise MalformedProgram(f"there is no operation {operation.kind!r}")
    _defined(operation.operands, visible, operation.kind)
    if definition.operands is not None and len(operation.operands) != definition.operands:
        raise MalformedProgram(f"{operation.kind} takes {definition.operands} operands, not {len(operation.operands)}")
    if len(operation.regions) != definition.regions:
        raise MalformedProgram(f"{operation.kind} takes {definition.regions} regions, not {len(operation.regions)}")
    for region in operation.regions:
        _region(region, visible)
    problem = definition.check(operation)
    if problem is not None:
        raise MalformedProgram(f"{operation.kind} at {operation.location}: {problem}")


def _defined(operands: tuple[Var, ...], visible: set[int], kind: str) -> None:
    for operand in operands:
        if id(operand) not in visible:
            raise MalformedProgram(f"{kind} uses a value that is not defined before it")
