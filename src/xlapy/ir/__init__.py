"""Typed SSA with regions: what the interpreter emits, passes rewrite and the lowering reads."""

from xlapy.ir.builder import Builder
from xlapy.ir.core import (
    OURS,
    Location,
    Module,
    Operation,
    Region,
    TensorType,
    Var,
    captured,
    constant_value,
    defining,
    every_operation,
    has_effects,
)
from xlapy.ir.increments import greatest_increase, least_increase
from xlapy.ir.outcomes import Outcomes
from xlapy.ir.printer import to_text
from xlapy.ir.verifier import MalformedProgram, verify

__all__ = [
    "OURS",
    "Builder",
    "Location",
    "MalformedProgram",
    "Module",
    "Operation",
    "Outcomes",
    "Region",
    "TensorType",
    "Var",
    "captured",
    "constant_value",
    "defining",
    "every_operation",
    "has_effects",
    "greatest_increase",
    "least_increase",
    "to_text",
    "verify",
]
