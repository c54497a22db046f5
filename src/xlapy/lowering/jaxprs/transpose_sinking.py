"""Transposes that cancel: what is computed element by element between one and its inverse is computed in the order of
axes that is there before.

`jax.vmap` puts the axis of the lanes first where operands have it in different places, and back at the end. XLA makes
one pass over the elements of that, but not in place: to it, an array whose elements are read in another order than
they are written has to live on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax import lax
from jax.extend.core import Literal, primitives

from xlapy.lowering.jaxprs.contents import ELEMENTWISE
from xlapy.lowering.jaxprs.jaxpr_evaluation import bound
from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr

_BROADCAST, _TRANSPOSE = primitives.broadcast_in_dim_p, primitives.transpose_p


class _Turned(NamedTuple):
    """`lax.transpose(array, order)`, not yet made."""

    array: jax.Array
    order: tuple[int, ...]


def untransposed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same function of arrays, of which nested tuples and lists are the results."""

    def whole(*operands: jax.Array) -> Any:
        jaxpr, shapes = jax.make_jaxpr(function, return_shape=True)(*operands)
        results = _Evaluation(jaxpr, operands).results
        return jax.tree.unflatten(jax.tree.structure(shapes), results)

    return whole


class _Evaluation:
    def __init__(self, jaxpr: ClosedJaxpr, operands: Sequence) -> None:
        inner = jaxpr.jaxpr
        self._known: dict[Any, Any] = dict(zip(inner.constvars, jaxpr.consts, strict=True))
        self._known.update(zip(inner.invars, operands, strict=True))
        self._befores: dict[tuple, Any] = {}
        self._made_by = {var: equation for equation in inner.eqns for var in equation.outvars}
        for equation in inner.eqns:
            self._evaluate(equation)
        self.results = [self._array(atom) for atom in inner.outvars]

    def _value(self, atom: Any) -> Any:
        return atom.val if isinstance(atom, Literal) else self._known[atom]

    def _array(self, atom: Any) -> Any:
        value = self._value(atom)
        if not isinstance(value, _Turned):
            return value
        self._known[atom] = made = lax.transpose(*value)
        return made

    def _evaluate(self, equation: Any) -> None:
        if equation.primitive is _TRANSPOSE:
            self._known[equation.outvars[0]] = self._transposed(equation)
            return
        if _is_elementwise(equation):
            turned = [value for value in map(self._value, equation.invars) if isinstance(value, _Turned)]
            if turned:
                order = turned[0].order
                operands = [self._before(atom, order) for atom in equation.invars]
                if all(x is not None for x in operands):
                    made = equation.primitive.bind(*operands, **equation.params)
                    self._known[equation.outvars[0]] = _Turned(made, order)
                    return
        found = bound(equation, list(map(self._array, equation.invars)))
        self._known.update(zip(equation.outvars, found, strict=True))

    def _transposed(self, equation: Any) -> Any:
        value, order = self._value(equation.invars[0]), tuple(equation.params["permutation"])
        if isinstance(value, _Turned):
            value, order = value.array, tuple(value.order[k] for k in order)
        return value if order == tuple(range(len(order))) else _Turned(value, order)

    def _before(self, atom: Any, order: tuple[int, ...]) -> Any:
        """What has to be transposed in that order to be a value, if no elements have to move for that; else None."""
        value = self._value(atom)
        if isinstance(value, _Turned):
            return value.array if value.order == order else None
        if np.ndim(value) == 0:
            return value
        if (atom, order) not in self._befores:
            self._befores[atom, order] = self._made_before(atom, order)
        return self._befores[atom, order]

    def _made_before(self, atom: Any, order: tuple[int, ...]) -> Any:
        equation = self._made_by.get(atom)
        if equation is None or len(equation.outvars) > 1:
            return None
        if equation.primitive is _BROADCAST and len(equation.invars) == 1:
            return self._broadcast(equation, order)
        if not _is_elementwise(equation):
            return None
        operands = [self._before(inner, order) for inner in equation.invars]
        if any(x is None for x in operands):
            return None
        return equation.primitive.bind(*operands, **equation.params)

    def _broadcast(self, equation: Any, order: tuple[int, ...]) -> Any:
        """The same broadcast, to the order of axes before."""
        value = self._array(equation.invars[0])
        dims = [order[k] for k in equation.params["broadcast_dimensions"]]
        shape = [0] * len(order)
        for k, size in enumerate(equation.params["shape"]):
            shape[order[k]] = size
        if len(dims) > 1:
            value = lax.transpose(value, sorted(range(len(dims)), key=dims.__getitem__))
        return lax.broadcast_in_dim(value, shape, sorted(dims))


def _is_elementwise(equation: Any) -> bool:
    return equation.primitive.name in ELEMENTWISE and len(equation.outvars) == 1


__all__ = ["untransposed"]
