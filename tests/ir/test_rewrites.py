"""Each identity against NumPy, and what NumPy says of known operands against XLA, on the values where they may fail."""

import itertools
from functools import partial

import jax
import numpy as np
import pytest

from xlapy.ir import Builder, Region, TensorType, constant_value
from xlapy.ir.operations import ELEMENTWISE, TABLE, computed, infer_elementwise
from xlapy.ir.rewrites import REWRITES
from xlapy.lowering.lowering_rules import RULES

FLOATS = (0.0, -0.0, 1.0, -1.0, 2.5, np.inf, -np.inf, np.nan, 1e308)
DTYPES = [np.dtype(t) for t in ("?", "i1", "u1", "i8", "u8", "f4", "f8")]


def edges(dtype: np.dtype) -> np.ndarray:
    """Values of a type where identities fail first. Subnormal numbers are zero on XLA's CPU, and not for NumPy."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind == "f":
        with np.errstate(over="ignore"):
            return np.array([*FLOATS, np.finfo(dtype).max, np.finfo(dtype).tiny]).astype(dtype)
    info = np.iinfo(dtype)
    return np.array(sorted({info.min, info.min + 1, -1 if info.min else 1, 0, 1, 2, info.max - 1, info.max}), dtype)


def value_of(var, given):
    """A value, for known parameters."""
    if isinstance(var, np.ndarray):
        return var
    if isinstance(var, tuple):
        kind, operands = var[0], [value_of(v, given) for v in var[1:]]
        return computed(kind, operands, infer_elementwise(kind, tuple(TensorType(x.shape, x.dtype) for x in operands)))
    if var in given:
        return given[var]
    known = constant_value(var)
    if known is not None:
        return known
    owner = var.owner
    return computed(owner.kind, [value_of(v, given) for v in owner.operands], var.type)


def emit(builder, kind, *operands):
    """Without the builder's own identities."""
    return builder.emit(kind, operands, {}, (infer_elementwise(kind, tuple(v.type for v in operands)),))[0]


def forms(kind, dtype, builder, params):
    """Operands of an operation that may be something simpler: known, equal, sums, choices."""
    x, y, p = params
    known = [builder.constant(v) for v in edges(dtype)]
    if kind == "bitwise_not":
        return [(emit(builder, "bitwise_not", x),)] if dtype.kind in "biu" else []
    if kind == "select":
        truths = [p, builder.constant(True), builder.constant(False)]
        inner = [emit(builder, "select", p, x, y), emit(builder, "select", p, y, x)]
        return list(itertools.product(truths, [x, y, *known, *inner], [x, y, *known, *inner]))
    pairs = [(x, x), (x, y), *((x, c) for c in known), *((c, x) for c in known)]
    pairs += [(emit(builder, "select", p, a, b), c) for a, b, c in itertools.product(known[:4], repeat=3)]
    if dtype.kind in "iu":
        sums = [emit(builder, op, x, c) for op in ("add", "sub") for c in known]
        sums += [emit(builder, "add", c, sums[0]) for c in known]
        pairs += itertools.product([x, *sums], repeat=2)
    return pairs


@pytest.mark.parametrize("kind", REWRITES)
def test_identities_hold_for_every_value(kind):
    applied = set()
    for dtype in DTYPES:
        if kind.startswith("bitwise") and dtype.kind == "f" or kind in ("sub", "neg") and dtype.kind == "b":
            continue
        types = [TensorType((), dtype), TensorType((), dtype), TensorType((), np.dtype(bool))]
        entry = Region(tuple(types))
        builder, params = Builder(entry, lambda: None), entry.params
        numbers, truths = edges(dtype), np.array([False, True])
        given = dict(zip(params, (g.ravel() for g in np.meshgrid(numbers, numbers, truths)), strict=True))
        for operands in forms(kind, dtype, builder, params):
            result = infer_elementwise(kind, tuple(v.type for v in operands))
            for rule in REWRITES[kind]:
                expression = rule(kind, *operands)
                if expression is None:
                    continue
                applied.add(rule)
                with np.errstate(all="ignore"):
                    wanted = computed(kind, [value_of(v, given) for v in operands], result)
                    got = value_of(expression, given)
                if dtype.kind == "b" and wanted is None:  # NumPy has no such arithmetic of booleans
                    continue
                assert wanted is not None and got.dtype == wanted.dtype
                wanted, got = np.broadcast_arrays(wanted, got)
                assert got.tobytes() == wanted.tobytes(), (rule, dtype, operands)
    assert applied == set(REWRITES[kind])


@pytest.mark.parametrize("kind", [k for k in TABLE if k in ELEMENTWISE and TABLE[k].value is not None])
def test_known_operands_give_what_the_device_gives(kind):
    for dtype in DTYPES:
        if kind.startswith("bitwise") and dtype.kind == "f" or dtype.kind == "b" and not TABLE[kind].is_predicate:
            continue
        if kind == "is_finite" and dtype.kind != "f" or kind == "abs" and dtype.kind == "u":
            continue
        choice = [np.array([False, True])] if kind == "select" else []
        numbers = [edges(dtype)] * (TABLE[kind].operands - len(choice))
        operands = [np.array(c) for c in zip(*itertools.product(*choice, *numbers), strict=True)]
        operands = [x.astype(bool if k < len(choice) else dtype) for k, x in enumerate(operands)]
        types = [TensorType((), x.dtype) for x in operands]
        result = infer_elementwise(kind, tuple(types))
        with jax.enable_x64(True):
            device = np.asarray(jax.jit(partial(RULES[kind], None))(operands)[0])
        for k, wanted in enumerate(device):
            value = computed(kind, [x[k] for x in operands], result)
            if value is not None and not (dtype.kind == "f" and 0 < abs(value) < np.finfo(dtype).tiny):
                np.testing.assert_array_equal(value, wanted)
                assert value.dtype == wanted.dtype and np.signbit(value * 1.0) == np.signbit(wanted * 1.0)
