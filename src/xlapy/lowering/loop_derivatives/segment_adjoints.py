"""The adjoint of several iterations of a loop at once: run them, keep what their derivatives need, and go back.

So a checkpoint is read once for many iterations, which matters where the loop carries a large array of which each
iteration changes an element: the derivative of that needs the index and not the array.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from xlapy.lowering.loop_derivatives import in_place_loops
from xlapy.lowering.loop_derivatives.checkpoints import get, index_type, put
from xlapy.lowering.loop_derivatives.loop_jaxprs import Loop, Mask, dependent, merge, pick

#: bytes of a tape if a state is no larger, and the most iterations on it; for so many iterations it may be larger, up
#: to that; fewer are reversed one by one
_BYTES, _MOST, _ENOUGH, _MOST_BYTES, _FEWEST = 2**13, 128, 4, 2**19, 4
#: bytes of a tape of all iterations of a loop that is known to make no more than so many
_WHOLE_BYTES = 2**22
#: how much larger than what the loop carries a part of the tape may be: the checkpoints of an inner loop are not taped
_LARGEST_RATIO = 6


def tape_of(loop: Loop, inputs: Mask, active: Mask) -> Tape:
    """The tape of a loop that is differentiated by the operands marked in `inputs`."""
    return loop.once(("tape", inputs, active), lambda: Tape(loop, inputs, active))


class Tape:
    """What the derivatives of an iteration need.

    Args:
        loop: the loop.
        inputs: the operands by which it is differentiated.
        active: the carried values that depend on them.
    """

    def __init__(self, loop: Loop, inputs: Mask, active: Mask) -> None:
        self.loop, self.active = loop, active
        self.read = inputs[: loop.constants]
        self.forward = jax.make_jaxpr(self._forward)(*loop.operands)
        outputs = self.forward.jaxpr.outvars[len(loop.carried) :]
        carried = [False] * loop.constants + [True] * len(loop.carried)
        #: which parts of the tape differ from iteration to iteration
        self.varies = dependent(self.forward.jaxpr, carried, lambda _: True)[len(loop.carried) :]
        #: for each of these the first one that is the same value
        varying = pick(outputs, self.varies)
        self.place = [next(i for i, other in enumerate(varying) if other is var) for var in varying]
        size = sum(int(np.prod(varying[i].aval.shape)) * varying[i].aval.dtype.itemsize for i in set(self.place))
        iterations = min(max(max(_BYTES, loop.size) // max(size, 1), min(_ENOUGH, _MOST_BYTES // max(size, 1))), _MOST)
        if loop.most is not None:
            iterations = min(iterations, 1 << (loop.most - 1).bit_length())
        if loop.most is not None and loop.most * size <= _WHOLE_BYTES:
            iterations = max(loop.most, _FEWEST)
        elif size > max(_LARGEST_RATIO * loop.size, _MOST_BYTES // _MOST):
            iterations = 1
        #: for how many iterations there is room: all there may be, or a power of two
        self.iterations = 1 << (iterations.bit_length() - 1) if iterations >= _FEWEST else 1
        if loop.most is not None and _FEWEST <= loop.most <= iterations:
            self.iterations = loop.most

    def _pull(self, constants: Sequence, carried: Sequence) -> tuple:
        """What maps the cotangents after an iteration to those before it, and the carried values after it."""

        def step(read, moving):
            out = self.loop.step(merge(constants, self.read, read), merge(carried, self.active, moving))
            return pick(out, self.active), out

        _, pull, out = jax.vjp(step, pick(constants, self.read), pick(carried, self.active), has_aux=True)
        return pull, out

    def _forward(self, *operands) -> list:
        n = self.loop.constants
        pull, out = self._pull(operands[:n], operands[n:])
        leaves, self.structure = jax.tree.flatten(pull)
        return [*out, *leaves]

    def adjoint(
        self, constants: Sequence, carried: list, iterations, cotangents: list, totals: list
    ) -> tuple[list, list]:
        """Reverse `iterations` iterations, at most as many as there is room for, and at least one.

        Args:
            constants: what the loop reads.
            carried: the carried values before these iterations.
            iterations: an integer scalar.
            cotangents: of the active carried values after these iterations.
            totals: where the cotangents of what the loop reads are summed.

        Returns:
            The cotangents of the active carried values before these iterations, and the totals.
        """
        if self.iterations == 1:
            pull, _ = self._pull(constants, carried)
            return _added(pull, cotangents, totals)
        m = len(self.loop.carried)
        forward = partial(in_place_loops.evaluate, self.forward)
        fixed = forward([*constants, *carried])[m:]
        distinct = sorted(set(self.place))
        one, zero = np.ones((), index_type()), np.zeros((), index_type())

        def record(state):
            i, carried, tapes = state
            found = forward([*constants, *carried])
            values = pick(found[m:], self.varies)
            return i + one, found[:m], [put(t, values[p], i) for t, p in zip(tapes, distinct, strict=True)]

        def back(state):
            i, cotangents, totals = state
            read = dict(zip(distinct, (get(t, i) for t in tapes), strict=True))
            pull = jax.tree.unflatten(self.structure, merge(fixed, self.varies, [read[p] for p in self.place]))
            return i - one, *_added(pull, cotangents, totals)

        values = pick(fixed, self.varies)
        tapes = [lax.empty((self.iterations, *values[p].shape), values[p].dtype) for p in distinct]
        _, _, tapes = lax.while_loop(lambda s: s[0] < iterations, record, (zero, list(carried), tapes))
        state = lax.while_loop(lambda s: s[0] >= zero, back, (iterations - one, list(cotangents), list(totals)))
        return state[1], state[2]


def _added(pull, cotangents: list, totals: list) -> tuple[list, list]:
    """The cotangents before an iteration, and the totals with what the iteration adds."""

    def whole(cotangents, totals):
        added, before = pull(cotangents)
        return [*before, *(jnp.add(a, b) for a, b in zip(totals, added, strict=True))]

    operands = [*cotangents, *totals]
    found = in_place_loops.evaluate(jax.make_jaxpr(whole)(list(cotangents), list(totals)), operands)
    return found[: len(cotangents)], found[len(cotangents) :]
