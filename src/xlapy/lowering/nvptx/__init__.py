"""Loops become kernels of NVIDIA's GPUs.

    for i in range(1, n):
        for j in range(1, m):
            d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))

XLA starts a kernel for each operation of each iteration, which takes microseconds however little it does: a loop like
this one takes a second. Here it is one kernel. It is written as for a CPU (`lowering.llvm`), which keeps loops,
branches and elements at places that are data as they are, and compiled by LLVM to PTX, the portable language of these
GPUs (`ptx`). A loop whose iterations do not depend on each other (`lowering.llvm.dependence`) is a kernel of as many
threads; another one has a single thread. Which loops are better so is estimated (`kernels`).
"""

from xlapy.lowering.nvptx.kernels import as_kernel, interpreted

__all__ = ["as_kernel", "interpreted"]
