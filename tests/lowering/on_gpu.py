"""Programs lowered for GPUs, on a machine without one: their kernels run on the CPU, thread after thread."""

import contextlib
from collections.abc import Iterator

import pytest

from xlapy.lowering import evaluate, nvptx
from xlapy.lowering.nvptx import kernels
from xlapy.runtime import native_calls, specialisation


@contextlib.contextmanager
def lowered_for_gpus(lanes: int = 1) -> Iterator[list]:
    """Within, what `xlapy.jit` compiles is lowered for GPUs, whose blocks have so many threads; gives a list of the
    loops that become kernels."""
    made: list = []

    def as_kernel(*arguments):
        results = nvptx.as_kernel(*arguments)
        if results is not None:
            made.append(arguments[0])
        return results

    def for_gpu(region, environment, *rest):
        with nvptx.emulated(lanes):
            return evaluate.evaluate_fast(region, environment, platform="gpu", errors=rest[-1])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evaluate, "as_kernel", as_kernel)
        patch.setattr(kernels, "NANOSECONDS_OF_INSTRUCTION", 0.0)  # every loop that can be a kernel is one
        patch.setattr(specialisation, "evaluate_fast", for_gpu)
        patch.setattr(native_calls, "whole_as_machine_code", lambda *arguments: None)
        yield made


__all__ = ["lowered_for_gpus"]
