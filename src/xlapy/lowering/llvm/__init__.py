"""Loops over single numbers become machine code on CPUs, by LLVM, which XLA calls as a part of its program.

XLA's CPU backend keeps all that a loop carries in memory, and runs its body as kernels or at best as one function full
of loads and stores: 2 to 15 times as slow as what LLVM makes of the loop if it sees all of it (measured against Numba,
which lets it). So a loop in which a program computes with single numbers, reads and writes elements, branches and loops
on, is written in LLVM's language (`programs`), compiled (`engine`) and called (`code_selection`). XLA sees to all else:
where arrays lie, what is copied, what surrounds the loop.

A program that is such loops and what is around them, or computes many single numbers, is machine code as a whole, and
is called without XLA where its operands are NumPy's (`entry_points`).

Where JAX transforms a program, and on all other devices, such a loop is a loop of XLA's, as it is in `code_xla` and in
programs that are saved.
"""

from xlapy.lowering.llvm.code_selection import (
    as_machine_code,
    gained_by_machine_code,
    machine_code_of,
    may_be_machine_code,
    whole_as_machine_code,
)
from xlapy.lowering.llvm.early_exits import Errors
from xlapy.lowering.llvm.kernel_code import called_by_xla
from xlapy.lowering.llvm.row_copies import TOGETHER, taken_apart
from xlapy.machine_code.c_calls import Given

__all__ = [
    "TOGETHER",
    "Errors",
    "Given",
    "as_machine_code",
    "called_by_xla",
    "machine_code_of",
    "may_be_machine_code",
    "whole_as_machine_code",
    "gained_by_machine_code",
    "taken_apart",
]
