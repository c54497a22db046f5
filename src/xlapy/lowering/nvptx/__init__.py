"""Loops become kernels of NVIDIA's GPUs.

    for i in range(1, n):
        for j in range(1, m):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))

XLA starts a kernel for each operation of each iteration, which takes microseconds however little it does: a loop like
this one takes a second. Here it is one kernel. It is written as for a CPU (`lowering.llvm`), which keeps loops,
branches and elements at places that are data as they are, and compiled by LLVM to PTX, the portable language of these
GPUs (`ptx`). A loop whose iterations do not depend on each other (`lowering.llvm.dependence`) is a kernel of as many
threads. One that computes arrays in each iteration has the threads of a block, which do all iterations together and
share out the elements (`lowering.llvm.gpu_threads`); another one has a single thread. Which of these is best, and
whether XLA's kernels are better, is estimated (`kernels`).
"""

from xlapy.lowering.nvptx.emulator import emulated
from xlapy.lowering.nvptx.kernels import as_kernel, note_errors

__all__ = ["as_kernel", "emulated", "note_errors"]
