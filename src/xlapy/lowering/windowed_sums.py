"""Sums over a range of lanes, a few lanes at a time, and stores into every n-th lane, one at a time.

`vals[rows[i]:rows[i + 1]] @ x[...]` in a loop is, as it stands, work on all of `vals` in every iteration, most of it
masked. Where all that goes into such a sum is computed lane by lane from arrays that are there, a CPU gets a loop over
the range alone: windows of arrays are loaded, and what is computed from them is computed for a window.

`x[p * p::p] = False` is, as it stands, a select over all of `x`; where `p` is no small constant, a CPU gets a loop over
the lanes that are stored.

Only in the form of a program that is not differentiated.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import jax.numpy as jnp
from jax import lax

from xlapy.ir import Operation, Var, constant_value
from xlapy.ir.operations import ELEMENTWISE
from xlapy.ir.vectorisation_notes import Lanewise
from xlapy.lowering.lowering_rules import RULES

#: lanes of an array from which on it pays, and of a window; lanes between stores; stores at once
_LARGE, _WIDTH, _FAR, _TIMES = 64, 8, 4, 16
Environment = dict[Var, Any]


@dataclass
class Plan:
    """How a reduction is computed in windows."""

    root: Operation
    note: Lanewise
    #: the leaf that makes the mask of the range
    lanes: Operation
    width: int
    #: vectors of lanes that are there
    sources: list[Var] = field(default_factory=list)
    #: what is computed for a window, in order
    steps: list[Operation] = field(default_factory=list)
    #: values that are the same for all lanes
    shared: list[Var] = field(default_factory=list)


def planned(root: Operation) -> Plan | None:
    """The plan of a reduction, if it can be computed in windows and that is worth it."""
    note: Lanewise | None = root.attributes.get("lanewise")
    if note is None or note.kind not in ("sum", "dot", "check"):
        return None
    vectors = [root.operands[k] for k in note.operands]
    shape = vectors[0].type.shape
    if len(shape) != 1 or shape[0] < _LARGE:
        return None
    chain = _Chain(shape, root.results[0].depth)
    mask = chain.mask(root.operands[-1]) if note.kind != "check" else None
    if note.kind != "check" and mask is None:
        return None
    if not all(map(chain.visit, vectors)) or len(chain.masks) > 1:
        return None
    lanes = mask or next(iter(chain.masks), None)
    if lanes is None or chain.masks - {lanes} or lanes.attributes["lanewise"].kind != "lanes":
        return None
    if not _read_from_data(lanes.operands):
        return None
    shared = list(dict.fromkeys([*chain.shared, *lanes.operands]))
    return Plan(root, note, lanes, _WIDTH, list(chain.sources), chain.steps, shared)


def planned_store(root: Operation) -> Plan | None:
    """The plan of a select that stores into every n-th lane of a vector, if n is no small number."""
    shape = root.results[0].type.shape
    if len(shape) != 1 or shape[0] < _LARGE:
        return None
    chain = _Chain(shape, root.results[0].depth)
    lanes = chain.mask(root.operands[0])
    if lanes is None or lanes.attributes["lanewise"].kind != "steps" or not chain.visit(root.operands[1]):
        return None
    stride = constant_value(lanes.operands[3])
    if chain.masks - {lanes} or (stride is not None and stride < _FAR):
        return None
    shared = list(dict.fromkeys([*chain.shared, *lanes.operands]))
    return Plan(root, lanes.attributes["lanewise"], lanes, 1, list(chain.sources), chain.steps, shared)


def in_steps(plan: Plan, operands: Sequence, environment: Environment) -> list:
    """The result of a select that stores into every n-th lane."""
    needed = list(dict.fromkeys([*plan.sources, *plan.shared]))

    def one_by_one(operands, values):
        known = dict(zip(needed, values, strict=True))
        start, first, stop, stride = (jnp.asarray(known[v], jnp.int64) for v in plan.lanes.operands)
        ((room,), dtype, _) = plan.root.results[0].type
        stride = jnp.minimum(stride, room)

        def put(state):
            at, array = state
            new = _window(plan, [plan.root.operands[1]], known, at, jnp.ones((1,), bool), 1)[0]
            return at + stride, lax.dynamic_update_slice(array, new.astype(dtype), (at,), allow_negative_indices=False)

        def several(state):
            for _ in range(_TIMES):
                state = put(state)
            return state

        end = start + stop
        state = (start + first, operands[2])
        state = lax.while_loop(lambda s: s[0] + (_TIMES - 1) * stride < end, several, state)
        return lax.while_loop(lambda s: s[0] < end, put, state)[1]

    values = [environment[v] for v in needed]
    return [
        lax.platform_dependent(
            list(operands), values, cpu=one_by_one, default=lambda operands, _: lax.select(*operands)
        )
    ]


def _read_from_data(numbers: Sequence[Var], depth: int = 12) -> bool:
    """Whether numbers come from an array, and not from the index of a loop alone: then a range may be short.

    A range that grows with the index of a loop is half of the room on average: to mask all of the room is faster.
    """
    for number in numbers:
        owner = number.owner
        if isinstance(owner, Operation) and depth:
            if owner.jaxpr is not None and max(prod(v.type.shape) for v in owner.operands) > 1:
                return True
            if _read_from_data(owner.operands, depth - 1):
                return True
    return False


class _Chain:
    """What goes into a reduction, lane by lane."""

    def __init__(self, shape: tuple[int, ...], depth: int) -> None:
        self.shape, self.depth = shape, depth
        self.masks: set[Operation] = set()
        self.sources: dict[Var, None] = {}
        self.steps: list[Operation] = []
        self.shared: list[Var] = []
        self._seen: dict[Var, bool] = {}

    def mask(self, var: Var) -> Operation | None:
        """The leaf that makes a mask of a range of these lanes."""
        owner = var.owner
        if isinstance(owner, Operation) and var.type.shape == self.shape:
            note = owner.attributes.get("lanewise")
            if isinstance(note, Lanewise) and note.kind in ("lanes", "steps"):
                return owner
        return None

    def visit(self, var: Var) -> bool:
        """Whether a vector can be computed in windows."""
        if var not in self._seen:
            self._seen[var] = self._visit(var)
        return self._seen[var]

    def _visit(self, var: Var) -> bool:
        if var.type.shape != self.shape:
            return False
        lanes = self.mask(var)
        if lanes is not None:
            self.masks.add(lanes)
            return True
        owner = var.owner
        if not isinstance(owner, Operation) or var.depth < self.depth or owner.kind == "constant":
            self.sources[var] = None
            return True
        if owner.kind in ELEMENTWISE or owner.kind in ("convert", "live"):
            return all(map(self.visit, owner.operands)) and self._step(owner)
        if owner.kind == "broadcast" and owner.operands[0].type.shape == ():
            self.shared.append(owner.operands[0])
            return self._step(owner)
        if owner.jaxpr is None:
            return False
        if window_of(owner, self.shape[0]) is not None:
            self.shared += owner.operands
            return self._step(owner)
        note = owner.attributes.get("lanewise")
        if not isinstance(note, Lanewise) or note.kind not in ("map", "check") or owner.results[0] is not var:
            return False
        for k, operand in enumerate(owner.operands):
            if k not in note.operands:
                self.shared.append(operand)
            elif operand.type.shape == ():
                self.shared.append(operand)
            elif not self.visit(operand):
                return False
        return self._step(owner)

    def _step(self, operation: Operation) -> bool:
        self.steps.append(operation)
        return True


def window_of(load: Operation, size: int) -> int | None:
    """The dimension of which a load shows all lanes, one after the other; None if it is no such load."""
    dims: tuple | None = load.attributes.get("index")
    if dims is None or load.kind != "load":
        return None
    kept = [k for k, (_, _, length) in enumerate(dims) if length >= 0]
    if len(kept) != 1 or dims[kept[0]][1] != 1 or dims[kept[0]][2] != size:
        return None
    return kept[0]


def in_windows(plan: Plan, whole: Callable[[], Sequence], environment: Environment) -> list:
    """The results of a reduction: in windows on a CPU; elsewhere as `whole` computes them."""
    needed = list(dict.fromkeys([*plan.sources, *plan.shared]))
    lanes = list(whole())
    # What is computed for all lanes (of a check: the indices) is there for who needs it; XLA drops it if nobody does.
    vectors, numbers = (lanes[:1], lanes[1:]) if plan.note.kind == "check" else ([], lanes)
    found = lax.platform_dependent(
        [environment[v] for v in needed],
        numbers,
        cpu=lambda values, _: _loop(plan, dict(zip(needed, values, strict=True))),
        default=lambda _, numbers: numbers,
    )
    return [*vectors, *found]


def _loop(plan: Plan, known: Environment) -> list:
    """The numbers that a reduction gives."""
    note, width = plan.note, plan.width
    room = plan.lanes.results[0].type.shape[0]
    length, start = _range(plan, known)
    end = start + length
    result = plan.root.results[0].type.dtype
    operands = [plan.root.operands[k] for k in note.operands]

    def window(first):
        """The operands for the lanes from `first` on, and which of them count."""
        # At the end of the room, a window starts earlier and has lanes of the one before, which do not count again.
        at = jnp.minimum(first, room - width)
        lane = at + lax.iota(jnp.int64, width)
        valid = (lane >= first) & (lane < end)
        return _window(plan, operands, known, at, valid, width), valid

    def goes(state):
        return state[0] < end

    if note.kind == "check":

        def look(state):
            first, bad, shown = state
            vectors, _ = window(first)
            _, more, which = note.function(*vectors, *note.static)
            return first + width, bad | more, jnp.where(bad, shown, which)

        kinds = [v.type.dtype for v in plan.root.results]
        return list(lax.while_loop(goes, look, (start, jnp.zeros((), bool), jnp.zeros((), kinds[2]))))[1:]

    def add(state):
        first, total = state
        vectors, valid = window(first)
        term = vectors[0] * vectors[1] if note.kind == "dot" else note.function(vectors[0], *note.static)
        return first + width, total + jnp.where(valid, term, jnp.zeros((), term.dtype)).astype(result)

    return [jnp.sum(lax.while_loop(goes, add, (start, jnp.zeros((width,), result)))[1], dtype=result)]


def _window(plan: Plan, wanted: Sequence[Var], known: Environment, at, valid, width: int) -> list:
    """Vectors for `width` lanes from `at` on; `valid` is the mask of the plan for these."""
    values: Environment = {plan.lanes.results[0]: valid}
    values.update((v, lax.dynamic_slice(known[v], (at,), (width,))) for v in plan.sources)
    for step in plan.steps:
        values.update(zip(step.results, _step(step, values, known, at, width), strict=True))
    return [values[v] for v in wanted]


def _range(plan: Plan, known: Environment) -> tuple:
    """Length and first lane of the range."""
    values = [jnp.asarray(known[v], jnp.int64) for v in plan.lanes.operands]
    note: Lanewise = plan.lanes.attributes["lanewise"]
    length, start = [*values, *(jnp.int64(n) for n in note.static)]
    return length, start


def _step(step: Operation, values: Environment, known: Environment, at, width: int) -> Sequence:
    operands = [values[v] if v in values else known[v] for v in step.operands]
    if step.kind == "broadcast":
        return (jnp.broadcast_to(operands[0], (width,)),)
    if step.kind == "live":
        return (operands[1],)
    if step.jaxpr is None:
        return RULES[step.kind](step, operands)
    if "index" in step.attributes:
        return (_load(step, operands, at, width),)
    note: Lanewise = step.attributes["lanewise"]
    found = note.function(*operands, *note.static)
    return found if note.kind == "check" else (found,)


def _load(load: Operation, operands: Sequence, at, width: int):
    """A window of what a load shows."""
    base, *starts = operands
    remaining = iter(starts)
    dims: tuple = load.attributes["index"]
    place = window_of(load, load.results[0].type.shape[0])
    lows = [next(remaining) if start is None else start for start, _, _ in dims]
    lows = [jnp.asarray(low, jnp.int64) + (at if k == place else 0) for k, low in enumerate(lows)]
    spans = [width if k == place else 1 for k in range(len(dims))]
    found = lax.dynamic_slice(base, lows, spans, allow_negative_indices=False)
    return lax.reshape(found, (width,))


__all__ = ["Plan", "in_steps", "in_windows", "planned", "planned_store", "window_of"]
