"""Loops as pairs of jaxprs, and the loops one derives from them: for tangents, and for batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, TypeVar

import jax
import jax.core
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.extend.core import jaxpr_as_fun

from xlapy.lowering.jaxprs.jaxpr_types import ClosedJaxpr
from xlapy.lowering.loop_derivatives import in_place_loops
from xlapy.lowering.loop_derivatives.zero_derivative_mask import live
from xlapy.lowering.thresholds import ELEMENTS_COPIED_FOR_EXAMPLES

Mask = tuple[bool, ...]

T = TypeVar("T")


class Loop:
    """`while condition(*constants, *carried): carried = body(*constants, *carried)`.

    Both jaxprs take the same operands, of which the first `constants` are only read. Compared by identity; what is
    derived from a loop is remembered with it.
    """

    def __init__(
        self, condition: ClosedJaxpr | None, body: ClosedJaxpr, constants: int, most: int | None = None
    ) -> None:
        self.condition, self.body, self.constants = condition, body, constants
        #: how many iterations there are at most, if that is known
        self.most = most
        #: types of all operands, and of those carried
        avals: list[Any] = body.in_avals
        self.operands = [jax.ShapeDtypeStruct(a.shape, a.dtype) for a in avals]
        self.carried = self.operands[constants:]
        #: bytes of what is carried
        self.size = sum(int(np.prod(t.shape)) * t.dtype.itemsize for t in self.carried)
        self._derived: dict[tuple, Any] = {}

    def goes(self, constants: Sequence, carried: Sequence):
        """Whether there is another iteration."""
        return jaxpr_as_fun(self.condition)(*constants, *carried)[0]

    def step(self, constants: Sequence, carried: Sequence) -> list:
        """One iteration, to be differentiated."""
        return jaxpr_as_fun(self.body)(*constants, *carried)

    def iteration(self, constants: Sequence, carried: Sequence) -> list:
        """One iteration, to be run."""
        return in_place_loops.evaluate(self.body, [*constants, *carried])

    def run(self, constants: Sequence, initial: Sequence) -> list:
        """The whole loop."""
        return lax.while_loop(partial(self.goes, constants), partial(self.iteration, constants), list(initial))

    def once(self, key: tuple, make: Callable[[], T]) -> T:
        """What `make` makes, the same for the same key."""
        key = (*key, jax.dtypes.canonicalize_dtype(np.int64))
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]

    def _closure(self, inputs: Mask, counts: Callable) -> Mask:
        """Which carried values depend on the operands marked, after any number of iterations."""
        constants, carried = inputs[: self.constants], inputs[self.constants :]
        while True:
            reached = dependent(self.body.jaxpr, (*constants, *carried), counts)
            new = tuple(a or b for a, b in zip(carried, reached, strict=True))
            if new == carried:
                return carried
            carried = new

    # -- parts --

    def relevant(self, ends: Mask, active: Mask) -> Mask:
        """Which of the active carried values have a derivative in those marked in `ends`, after any number of
        iterations."""
        return self.once(
            ("relevant", ends, active), lambda: self._influence(ends, lambda a: continuous(a.dtype), active)
        )

    def part(self, wanted: Mask) -> tuple[Loop, Mask]:
        """The iterations as far as they compute the carried values marked, and which carried values that takes. What
        only says when the loop ends is left out, and so is the condition."""
        return self.once(("part", wanted), lambda: self._part(wanted))

    def _part(self, wanted: Mask) -> tuple[Loop, Mask]:
        needed = self._influence(wanted, lambda _: True, (True,) * len(wanted))
        if all(needed):
            return self, needed

        def body(*values):
            carried = merge([None] * len(needed), needed, values[self.constants :])
            return _outputs(self.body, [*values[: self.constants], *carried], needed)

        types = [*self.operands[: self.constants], *pick(self.carried, needed)]
        return Loop(None, jax.make_jaxpr(body)(*types), self.constants, self.most), needed

    def _influence(self, ends: Mask, counts: Callable, among: Mask) -> Mask:
        """Which carried values have an influence on those marked."""
        while True:
            reached = influencing(self.body.jaxpr, ends, counts)[self.constants :]
            new = tuple(a or b and c for a, b, c in zip(ends, reached, among, strict=True))
            if new == ends:
                return ends
            ends = new

    # -- tangents --

    def active(self, inputs: Mask) -> Mask:
        """Which carried values have a derivative by the operands marked."""
        return self.once(("active", inputs), lambda: self._closure(inputs, lambda a: continuous(a.dtype)))

    def with_tangents(self, inputs: Mask, active: Mask) -> Loop:
        """The loop that carries tangents too.

        Its constants are those of this loop, then the tangents of those marked in `inputs`; it carries what this loop
        does, then the tangents of what is marked in `active`.
        """
        return self.once(("tangents", inputs, active), lambda: self._with_tangents(inputs, active))

    def _with_tangents(self, inputs: Mask, active: Mask) -> Loop:
        n, m = self.constants, len(self.carried)
        moving = inputs[:n]
        extra = sum(moving)

        def body(*values):
            constants, dots, (state, state_dots) = values[:n], values[n : n + extra], _cut(values[n + extra :], m)

            def step(*primals):
                out = self.step(merge(constants, moving, primals[:extra]), merge(state, active, primals[extra:]))
                return pick(out, active), out

            primals = [*pick(constants, moving), *pick(state, active)]
            _, new, out = jax.jvp(step, primals, [*dots, *state_dots], has_aux=True)
            return [*out, *new]

        def condition(*values):
            return jaxpr_as_fun(self.condition)(*values[:n], *values[n + extra :][:m])

        types = [*self.operands[:n], *pick(self.operands[:n], moving), *self.carried, *pick(self.carried, active)]
        return Loop(jax.make_jaxpr(condition)(*types), jax.make_jaxpr(body)(*types), n + extra, self.most)

    # -- batches --

    def batched(self, inputs: Mask, size: int) -> tuple[Loop, Mask]:
        """The loop over `size` examples at once, and which of the carried values differ between examples.

        The first axis of the operands marked, and of these carried values, is that of the examples. Where examples
        end after different numbers of iterations, those that have ended keep their state.
        """
        return self.once(("batched", inputs, size), lambda: self._batched(inputs, size))

    def _batched(self, inputs: Mask, size: int) -> tuple[Loop, Mask]:
        n = self.constants
        carried = self._closure(inputs, lambda _: True)
        assert self.condition is not None
        (differs,) = dependent(self.condition.jaxpr, (*inputs[:n], *carried), lambda _: True)
        if differs:
            carried = (True,) * len(carried)
        axes = [0 if b else None for b in (*inputs[:n], *carried)]
        check = jax.vmap(jaxpr_as_fun(self.condition), in_axes=axes, out_axes=0, axis_size=size)
        step = jax.vmap(jaxpr_as_fun(self.body), in_axes=axes, out_axes=axes[n:], axis_size=size)

        small = [
            a is not None or np.prod(t.shape) <= ELEMENTS_COPIED_FOR_EXAMPLES
            for a, t in zip(axes, self.operands, strict=True)
        ]

        def one(goes, *values):
            return jaxpr_as_fun(self.body)(*(live(goes, v) if s else v for v, s in zip(values, small, strict=True)))

        part = jax.vmap(one, in_axes=[0, *axes], out_axes=axes[n:], axis_size=size)

        def condition(*values):
            goes = check(*values)[0]
            return [jnp.any(goes) if differs else goes[0]]

        def body(*values):
            if not differs:
                return step(*values)
            goes = check(*values)[0]
            return [_where(goes, a, b) for a, b in zip(part(goes, *values), values[n:], strict=True)]

        types = [
            t if axis is None else jax.ShapeDtypeStruct((size, *t.shape), t.dtype)
            for t, axis in zip(self.operands, axes, strict=True)
        ]
        return Loop(jax.make_jaxpr(condition)(*types), jax.make_jaxpr(body)(*types), n, self.most), carried


def pick(values: Sequence, mask: Sequence[bool]) -> list:
    """The values marked."""
    return [v for v, m in zip(values, mask, strict=True) if m]


def merge(values: Sequence, mask: Sequence[bool], new: Sequence) -> list:
    """The values, with those marked replaced in order."""
    fresh = iter(new)
    return [next(fresh) if m else v for v, m in zip(values, mask, strict=True)]


def continuous(dtype) -> bool:
    """Whether values of a type have derivatives."""
    return jnp.issubdtype(dtype, np.inexact)


def _cut(values: Sequence, at: int) -> tuple[Sequence, Sequence]:
    return values[:at], values[at:]


def _where(goes, new, old):
    return lax.select(lax.broadcast_in_dim(goes, new.shape, (0,)), new, old)


def dependent(jaxpr, inputs: Sequence[bool], counts: Callable) -> Mask:
    """Which outputs of a jaxpr depend on the inputs marked, through values that count. Errs on the side of yes."""
    marked = {v for v, m in zip(jaxpr.invars, inputs, strict=True) if m and counts(v.aval)}

    def known(atom) -> bool:
        return not hasattr(atom, "val") and atom in marked

    for equation in jaxpr.eqns:
        if any(map(known, equation.invars)):
            marked.update(v for v in equation.outvars if counts(v.aval))
    return tuple(map(known, jaxpr.outvars))


def influencing(jaxpr, outputs: Sequence[bool], counts: Callable) -> Mask:
    """Which inputs of a jaxpr the outputs marked depend on, through values that count. Errs on the side of yes."""
    marked = {v for v, m in zip(jaxpr.outvars, outputs, strict=True) if m and not hasattr(v, "val") and counts(v.aval)}
    for equation in reversed(jaxpr.eqns):
        if any(v in marked for v in equation.outvars):
            marked.update(v for v in equation.invars if not hasattr(v, "val") and counts(v.aval))
    return tuple(v in marked for v in jaxpr.invars)


def _outputs(closed: ClosedJaxpr, operands: Sequence, wanted: Sequence[bool]) -> list:
    """The outputs marked; what they do not depend on is neither computed nor asked for."""
    jaxpr = closed.jaxpr
    outputs = pick(jaxpr.outvars, wanted)
    used = {v for v in outputs if not hasattr(v, "val")}
    equations = []
    for equation in reversed(jaxpr.eqns):
        if any(v in used for v in equation.outvars):
            equations.append(equation)
            used.update(v for v in equation.invars if not hasattr(v, "val"))
    small = jaxpr.replace(eqns=equations[::-1], outvars=outputs)
    return jax.core.eval_jaxpr(small, closed.consts, *operands)
