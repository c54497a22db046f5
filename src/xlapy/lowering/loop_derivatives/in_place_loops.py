"""Evaluates the body of a loop, or its adjoint, so that arrays are updated in place.

The transpose of reading `x[i]` is an array of zeros with one element set, which JAX adds to what was summed before:
work for the whole array in every iteration of a loop. Here such an array is a list of updates until something other
than a sum needs it, and a sum makes the updates in place.

And a value that is loaded from an array is not loaded again behind an update of that array (`barrier.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import Literal

from xlapy.lowering.jaxprs.jaxpr_evaluation import bound
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.primitives.barrier import loaded

_SUMS = ("add", "add_any")
_UPDATES = ("dynamic_update_slice", "scatter", "scatter-add")
#: elements
_LARGE, _LITTLE = 64, 16
#: how much larger than an update an array is at least: XLA fuses sums of arrays, and does updates one by one
_PART = 8
#: adds to an array what an update adds to zeros
Update = Callable[[Any], Any]


@dataclass(frozen=True)
class Sparse:
    """Zeros with updates."""

    shape: tuple[int, ...]
    dtype: Any
    updates: tuple[Update, ...]

    def add_to(self, array: Any) -> Any:
        """`array` plus this."""
        for update in self.updates:
            array = update(array)
        return array

    def dense(self) -> Any:
        """As an array."""
        return self.add_to(lax.full(self.shape, np.zeros((), self.dtype)))


def evaluate(closed: ClosedJaxpr, operands: Sequence) -> list:
    """What the jaxpr computes."""
    jaxpr = closed.jaxpr
    known: dict[Any, Any] = dict(zip(jaxpr.constvars, closed.consts, strict=True))
    known.update(zip(jaxpr.invars, operands, strict=True))
    order = _Order(jaxpr)

    def read(atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else known[atom]

    for equation in order.equations:
        values = order.behind_loads(equation, [read(atom) for atom in equation.invars])
        found = _sparse(equation, values)
        if found is None:
            results = order.loaded(equation, values, bound(equation, list(map(_dense, values))))
        else:
            results = [found]
        known.update(zip(equation.outvars, results, strict=True))
    return [_dense(read(atom)) for atom in jaxpr.outvars]


class _Order:
    """Makes updates of an array wait for the loads from it that come before."""

    def __init__(self, jaxpr: Any) -> None:
        #: for each state of an array, the array that it was at first
        self.origin: dict[Any, Any] = {}
        loads = self._loads(jaxpr)
        self.loads = set(map(id, loads))
        #: all equations, the loads as early as they can be
        self.equations = _early(jaxpr.eqns, self.loads)
        #: for each array zeros that are known when what was loaded from it is
        self.waits: dict[Any, list] = {}

    def _root(self, atom: Any) -> Any:
        return None if isinstance(atom, Literal) else self.origin.get(atom, atom)

    def _loads(self, jaxpr: Any) -> list:
        """Loads of little from arrays that are updated as well, at an index that is not a constant."""
        updated = set()
        loads = []
        for equation in jaxpr.eqns:
            name, (source, *rest) = equation.primitive.name, [*equation.invars, None]
            if name in _UPDATES:
                self.origin[equation.outvars[0]] = root = self._root(source)
                updated.add(root)
            elif name in _SUMS:
                roots = [r for r in map(self._root, equation.invars) if r is not None]
                self.origin.update(dict.fromkeys(equation.outvars, roots[0]) if roots else {})
                updated.update(roots)
            elif name == "dynamic_slice" and not isinstance(source, Literal) and any(map(_is_index, rest)):
                if source.aval.size >= _LARGE and equation.outvars[0].aval.size <= _LITTLE:
                    loads.append(equation)
        return [equation for equation in loads if self._root(equation.invars[0]) in updated]

    def loaded(self, equation: Any, values: list, results: Sequence) -> Sequence:
        """The results of an equation, kept apart if it is such a load."""
        if id(equation) not in self.loads:
            return results
        index = next(v for v, atom in zip(values, equation.invars, strict=True) if _is_index(atom))
        found, same = loaded(results[0], index)
        self.waits.setdefault(self._root(equation.invars[0]), []).append(same - index)
        return [found]

    def behind_loads(self, equation: Any, values: list) -> list:
        """The operands of an equation; if it is an update, those of one that waits."""
        if equation.primitive.name != "dynamic_update_slice" or isinstance(values[0], Sparse) or len(values) < 3:
            return values
        array, part, first, *others = values
        for zero in self.waits.pop(self._root(equation.invars[0]), ()):
            first = first + zero.astype(first.dtype)
        return [array, part, first, *others]


def _early(equations: Sequence, moved: set[int]) -> list:
    """The equations, those marked directly behind what they need."""
    place: dict[Any, int] = {}
    keys = []
    for number, equation in enumerate(equations):
        if id(equation) in moved:
            number = max((place.get(atom, -1) for atom in equation.invars if not isinstance(atom, Literal)), default=-1)
        keys.append((number, id(equation) in moved))
        place.update(dict.fromkeys(equation.outvars, number))
    order = sorted(range(len(keys)), key=keys.__getitem__)
    return [equations[i] for i in order]


def _is_index(atom: Any) -> bool:
    """Whether an operand is an integer that is not a constant."""
    return not isinstance(atom, Literal) and atom is not None and atom.aval.dtype.kind in "iu" and not atom.aval.shape


def _dense(value: Any) -> Any:
    return value.dense() if isinstance(value, Sparse) else value


def _sparse(equation: Any, values: list) -> Any:
    """The result of an equation that makes zeros, updates such or adds them; None for any other."""
    if not equation.outvars:
        return None
    (out, *_), name = equation.outvars, equation.primitive.name
    shape, dtype = out.aval.shape, out.aval.dtype
    if name in _SUMS:
        one, two = values
        return _sum(one, two, shape)
    if not shape or not jnp.issubdtype(dtype, np.inexact):
        return None
    if name == "broadcast_in_dim" and _is_zero(equation.invars[0]):
        return Sparse(shape, dtype, ())
    if name == "pad" and _is_zero(equation.invars[1]) and not isinstance(values[0], Sparse):
        return _placed(equation, values[0], shape, dtype)
    if not isinstance(values[0], Sparse) or values[0].updates or any(isinstance(v, Sparse) for v in values[1:]):
        return None
    if name == "dynamic_update_slice":
        part, *start = values[1:]
        if _PART * np.size(part) > np.prod(shape):
            return None
        return Sparse(shape, dtype, (lambda x: _add_at(x, part, start),))
    if name == "scatter-add":
        return Sparse(shape, dtype, (lambda x: equation.primitive.bind(x, *values[1:], **equation.params),))
    return None


def _is_zero(atom: Any) -> bool:
    return isinstance(atom, Literal) and np.ndim(atom.val) == 0 and bool(atom.val == 0)


def _sum(a: Any, b: Any, shape: tuple[int, ...]) -> Any:
    if isinstance(a, Sparse) and isinstance(b, Sparse):
        return Sparse(shape, a.dtype, (*a.updates, *b.updates))
    if isinstance(a, Sparse):
        a, b = b, a
    return b.add_to(a) if isinstance(b, Sparse) else None


def _placed(equation: Any, part: Any, shape: tuple[int, ...], dtype: Any) -> Sparse | None:
    """The transpose of a slice."""
    widths = equation.params["padding_config"]
    if any(low < 0 or high < 0 or inner for low, high, inner in widths):
        return None
    if not part.size or _PART * part.size > np.prod(shape):
        return None
    start = [np.int32(low) for low, _, _ in widths]
    return Sparse(shape, dtype, (lambda x: _add_at(x, part, start),))


def _add_at(array: Any, part: Any, start: Sequence) -> Any:
    return lax.dynamic_update_slice(array, lax.dynamic_slice(array, start, part.shape) + part, start)
