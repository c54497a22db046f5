"""Passes: from the representation to the representation."""

from xlapy.ir import Module
from xlapy.passes.dead_code import remove_dead_code
from xlapy.passes.simplify import simplify

PASSES = (remove_dead_code, simplify, remove_dead_code)


def optimise(module: Module) -> None:
    """Run all passes, in order."""
    for run in PASSES:
        run(module)
