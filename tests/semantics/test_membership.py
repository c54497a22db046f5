"""np.isin of many elements in many: they are looked for in order, where few are compared with all."""

import numpy as np
import pytest

from .runner import Programs, check

program = Programs()

RNG = np.random.default_rng(4)
WHOLE, SOME = RNG.integers(-500, 500, 900), RNG.integers(-500, 500, 150)
FLOATS, OTHERS = np.round(RNG.standard_normal(900), 1), np.round(RNG.standard_normal(150), 1)
FLOATS[::50], OTHERS[3], OTHERS[4:9] = np.nan, np.nan, [np.inf, -np.inf, 0.0, -0.0, 1e300]
FLOATS[5:9] = np.inf, -np.inf, -0.0, 0.0
DTYPES = ["int8", "uint8", "int32", "uint64", "int64", "float32", "float64", "complex128", "bool"]


@program(
    (WHOLE, SOME),
    (FLOATS, OTHERS),
    (WHOLE.reshape(30, 30), SOME.reshape(3, 50)),
    (WHOLE[::-2], SOME[::3]),
    (WHOLE, SOME[:10]),
    (WHOLE[:5], SOME),
    (WHOLE, SOME[:0]),
    (WHOLE[:0], SOME),
    (WHOLE.astype(float), SOME),
    (WHOLE, SOME + 0.5),
)
def member(a, b):
    return np.isin(a, b), np.isin(a, b, invert=True), np.isin(a, b).sum(), a[np.isin(a, b)]


@program((WHOLE, SOME, 3), (WHOLE, SOME, 900))
def in_a_loop(a, b, n):
    found = 0
    for k in range(n):
        found += np.isin(a[k], b) + np.isin(a, b + k).sum()
    return found


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("other", ["int16", "uint64", "float32", "float64", "complex64"])
def test_types(dtype, other):
    check(lambda a, b: np.isin(a, b), np.abs(WHOLE).astype(dtype), np.abs(SOME).astype(other))


test_programs = program.test()
