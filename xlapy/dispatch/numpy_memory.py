"""How arrays lie in memory: NumPy's order 'K', which decides whether a later `reshape` or `ravel` is a view."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.views import layout_model, set_order
from xlapy.domain.values import NdArray, Value


def is_plain(machine: Machine, value: Value) -> bool:
    """Whether an array is certainly in C order, without asking NumPy."""
    if not isinstance(value, NdArray):
        return True
    info = machine.heap.objects[value.buffer]
    if info.details is not None or (isinstance(info.real, np.ndarray) and not info.real.flags.c_contiguous):
        return False
    return all(lens.kind == "index" for lens in value.lenses)


def keep_order(machine: Machine, result: NdArray, inputs: Sequence[Value]) -> NdArray:
    """Record the memory order (order='K') of an element-wise result of `inputs`."""
    if len(result.type.shape) < 2 or all(is_plain(machine, v) for v in inputs):
        return result
    models = [layout_model(machine, v) for v in inputs if isinstance(v, NdArray)]
    return set_order(machine, result, _allocated_order(result.type.shape, models))


def _allocated_order(shape: tuple[int, ...], models: list[np.ndarray]) -> tuple[int, ...]:
    """The axes from slowest to fastest in what NumPy's iterator allocates for these operands."""
    small = [_shrunk(model) for model in models]
    flags = [["readonly"]] * len(small) + [["writeonly", "allocate"]]
    with np.nditer(  # type: ignore[call-overload]
        [*small, None], flags=["zerosize_ok", "multi_index"], op_flags=flags, itershape=tuple(min(n, 2) for n in shape)
    ) as iterator:
        strides = iterator.operands[-1].strides
    return tuple(int(axis) for axis in np.argsort([-s for s in strides], kind="stable"))


def _shrunk(model: np.ndarray) -> np.ndarray:
    """The same strides with at most two elements a dimension; zero-filled memory, never read."""
    shape = tuple(min(n, 2) for n in model.shape)
    return np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), shape, model.strides)
