"""Operations that NumPy computes as the device does, bit by bit: known operands make a known result."""

from __future__ import annotations

import numpy as np

#: of all numbers
EXACT: dict[str, np.ufunc] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "neg": np.negative,
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "bitwise_and": np.bitwise_and,
    "bitwise_or": np.bitwise_or,
    "bitwise_xor": np.bitwise_xor,
    "bitwise_not": np.invert,
    "is_finite": np.isfinite,
}
#: exact for integers only: zeros with signs, NaNs and rounding are the device's business
OF_INTEGERS: dict[str, np.ufunc] = {"max": np.maximum, "min": np.minimum, "abs": np.abs, "sign": np.sign}
