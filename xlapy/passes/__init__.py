"""Passes: from the representation to the representation."""

from xlapy.ir import Module
from xlapy.passes.dead_code import remove_dead_code

PASSES = (remove_dead_code,)


def optimise(module: Module) -> None:
    """Run all passes, in order."""
    for run in PASSES:
        run(module)
