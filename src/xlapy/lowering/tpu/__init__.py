"""What XLA's compiler for TPUs needs done for it."""

from xlapy.lowering.tpu.float64_rewrites import computed

__all__ = ["computed"]
