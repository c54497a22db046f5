"""np.einsum: products by subscripts, and views where nothing is summed."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np

from xlapy.dispatch.arrays.views import make_view, view
from xlapy.dispatch.numpy.rule_operands import (
    absent,
    cast_array,
    deliver,
    known,
    operand,
    raise_as_numpy,
    require_dtype,
)
from xlapy.dispatch.protocol import Machine
from xlapy.dispatch.registry import function
from xlapy.domain.values import Const, NdArray, Value

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


@function(np.einsum)
def einsum(machine, *operands, out=None, dtype=None, order="K", casting="safe", optimize=False):
    """np.einsum: a plan of contractions is made at compile time."""
    if len(operands) < 2:
        return raise_as_numpy(machine, np.einsum, operands, {}, "subscripts without arrays")
    first = operands[0]
    if not (isinstance(first, Const) and isinstance(first.value, str)):
        subscripts, arrays = _subscripts(machine, operands)
        return einsum(machine, Const(subscripts), *arrays, out=out, dtype=dtype, order=order, casting=casting)
    subscripts: str = first.value
    if len(operands) == 2 and isinstance(operands[1], NdArray) and absent(out):
        view = _view(machine, operands[1], subscripts)
        if view is not None:
            return view
    variables = [operand(machine, v) for v in operands[1:]]
    given = None if absent(dtype) else require_dtype(known(machine, dtype, "a dtype"))
    rule = known(machine, casting)
    shown = [np.broadcast_to(np.ones((), v.type.dtype), tuple(min(n, 3) for n in v.type.shape)) for v in variables]
    try:
        result = np.einsum(subscripts, *shown, dtype=given, casting=rule)
        dtype_ = np.asarray(result).dtype
        var = machine.leaf(_einsum, variables, (subscripts, dtype_), name="einsum")[0]
    except Exception as error:
        return raise_as_numpy(machine, np.einsum, operands, {"dtype": Const(given), "casting": Const(rule)}, error)
    return deliver(machine, var, out, str(rule))


def _subscripts(machine: Machine, operands) -> tuple[str, list]:
    """`einsum(a, [0, 1], b, [1, 2], [0, 2])` as subscripts and arrays."""
    pairs = len(operands) // 2
    lists = [known(machine, operands[2 * k + 1], "subscripts") for k in range(pairs)]
    if len(operands) % 2:
        lists.append(known(machine, operands[-1], "subscripts"))
    if not all(isinstance(part, list | tuple) for part in lists):
        return raise_as_numpy(machine, np.einsum, operands, {}, "subscripts that are no lists")
    texts = ["".join("..." if n is Ellipsis else _LETTERS[n] for n in part) for part in lists]
    text = ",".join(texts[:pairs])
    return text + ("->" + texts[-1] if len(operands) % 2 else ""), list(operands[0 : 2 * pairs : 2])


def _view(machine: Machine, array: NdArray, subscripts: str) -> Value | None:
    """The view that np.einsum makes of one array where every subscript is one of the result's; else None."""
    given, arrow, wanted = "".join(subscripts.split()).partition("->")
    shape = array.type.shape
    free = [c for c in _LETTERS if c not in subscripts]
    dots = "".join(free[: max(len(shape) - len(given.replace("...", "")), 0)]) if "..." in given else ""
    labels = list(given.replace("...", dots))
    result = list(wanted.replace("...", dots))
    if not arrow:
        result = [*dots, *sorted(c for c in labels if labels.count(c) == 1 and c not in dots)]
    sizes = dict(zip(labels, shape, strict=False))
    same = len(labels) == len(shape) and all(sizes[c] == n for c, n in zip(labels, shape, strict=True))
    if not same or set(labels) != set(result) or len(set(result)) != len(result) or not all(map(str.isalpha, labels)):
        return None
    made = make_view(machine, array, None, array.type)
    while len(set(labels)) < len(labels):
        label = next(c for c in labels if labels.count(c) > 1)
        first = labels.index(label)
        second = labels.index(label, first + 1)
        made = view(machine, made, "diagonal", (0, first, second))
        labels = [c for k, c in enumerate(labels) if k not in (first, second)] + [label]
    order = tuple(labels.index(c) for c in result)
    return made if order == tuple(range(len(order))) else view(machine, made, "transpose", order)


def _einsum(*rest):
    *operands, subscripts, dtype = rest
    if dtype.kind == "b":
        return jnp.einsum(subscripts, *(o.astype(jnp.int32) for o in operands), optimize="optimal") != 0
    return jnp.einsum(subscripts, *(cast_array(o, dtype) for o in operands), optimize="optimal")
