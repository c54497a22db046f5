"""A `while` loop with derivatives of every kind and order, whatever its number of iterations.

`lax.while_loop` has no reverse mode, since that needs the states of all iterations. Here the loop and its derivatives
are primitives, each of which knows its own derivative as another one of them:

    run      the loop: y = F(x), where x are the values that it reads and those that it starts from
    keep     the same, with checkpoints for `adjoint` as further results
    tangent  dx -> F'(x) dx, linear in dx; its transpose is `adjoint`
    adjoint  c -> F'(x)^T c, linear in c; its transpose is `tangent`; uses the checkpoints (`checkpoints.py`)
    bend     dx -> d(F'(x)^T c), linear in dx; its transpose is `bend`, since second derivatives are symmetric

`tangent` is the end of a loop that carries tangents too, and `bend` is the adjoint of that loop, so that derivatives
of higher order are those of larger loops.

Parameters of the primitives: `inputs` are the operands x by which is differentiated, `active` the carried values that
depend on them; `unit` is how many iterations the distance of the checkpoints among the operands is a multiple of (0:
there are none, and `adjoint` makes its own).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import jax
import jax.core
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from xlapy.lowering.loop_derivatives.checkpoints import Kept, get, index_type, reverse, run_and_keep, run_and_keep_first
from xlapy.lowering.loop_derivatives.loop_jaxprs import Loop, Mask, continuous, merge, pick
from xlapy.lowering.loop_derivatives.segment_adjoints import tape_of

#: States kept: many where they are small. Twice as many save less than one run of the loop.
_SMALL_BYTES, _MOST_SLOTS = 2**12, 64
#: Otherwise: where many iterations, or each iteration, are reversed at once; but not more bytes than that, nor fewer
#: slots.
_SLOTS_OF_UNITS, _SLOTS_OF_ITERATIONS, _MOST_BYTES, _FEWEST_SLOTS = 24, 32, 2**27, 8


def reversible_while(
    condition: Callable, body: Callable, initial: Sequence[jax.Array], most: int | None = None
) -> list[jax.Array]:
    """`while condition(*carried): carried = body(*carried)`, differentiable by all it starts from and captures.

    Args:
        condition: of the carried values; a boolean scalar.
        body: of the carried values; a list of the same types.
        initial: arrays of strong types.
        most: how many iterations there are at most, if that is known.

    Returns:
        The carried values after the loop.
    """
    types = [jax.ShapeDtypeStruct(np.shape(x), x.dtype) for x in initial]
    test = jax.make_jaxpr(lambda *xs: [condition(*xs)])(*types)
    step = jax.make_jaxpr(lambda *xs: list(body(*xs)))(*types)
    if test.effects or step.effects:
        return list(jax.lax.while_loop(lambda xs: condition(*xs), lambda xs: list(body(*xs)), list(initial)))
    unchanged = [out is x for out, x in zip(step.jaxpr.outvars, step.jaxpr.invars, strict=True)]
    if any(unchanged):
        return _without(unchanged, condition, body, initial, most)
    first, second = ([jnp.asarray(c) for c in closed.consts] for closed in (test, step))
    constants = [*first, *second]

    def opened(closed, start: int, stop: int):
        """With what it captures as operands: the first of all constants."""

        def function(*operands):
            carried = operands[len(constants) :]
            return jax.core.eval_jaxpr(closed.jaxpr, operands[start:stop], *carried)

        return jax.make_jaxpr(function)(*[jax.ShapeDtypeStruct(c.shape, c.dtype) for c in constants], *types)

    n = len(constants)
    loop = Loop(opened(test, 0, len(first)), opened(step, len(first), n), n, most)
    return run_p.bind(*constants, *initial, loop=loop)


def _without(
    unchanged: Sequence[bool], condition: Callable, body: Callable, initial: Sequence, most: int | None
) -> list:
    """The loop with what it never changes captured: to store that with the checkpoints would copy them all."""
    changed = [not u for u in unchanged]

    def whole(carried: Sequence) -> list:
        return merge(initial, changed, carried)

    final = reversible_while(
        lambda *xs: condition(*whole(xs)), lambda *xs: pick(body(*whole(xs)), changed), pick(initial, changed), most
    )
    return whole(final)


def is_short(loop: Loop, unit: int) -> bool:
    """Whether all iterations there may be are reversed at once: the state they start from is all that is kept."""
    return loop.most is not None and loop.most <= unit


def slots_of(loop: Loop, unit: int) -> int:
    """How many states are kept to reverse a loop, `unit` iterations at once."""
    if is_short(loop, unit):
        return 1
    size = max(loop.size, 1)
    fewest = _SLOTS_OF_UNITS if unit > 1 else _SLOTS_OF_ITERATIONS
    wanted = max(min(_SMALL_BYTES // size, _MOST_SLOTS), fewest)
    slots = max(min(wanted, _MOST_BYTES // size), _FEWEST_SLOTS)
    if loop.most is not None:
        # Half of the slots are filled on the way forward.
        slots = min(slots, max(2 * (-(-loop.most // unit) + 1), _FEWEST_SLOTS // 2))
    return slots


def _primitive(name: str, function: Callable, types: Callable) -> Primitive:
    """A primitive that computes what `function(*operands, **parameters)` does, by the operations of `jax.lax`."""
    primitive = Primitive(f"reversible_while_{name}")
    primitive.multiple_results = True
    primitive.def_abstract_eval(
        lambda *_, **parameters: [jax.core.ShapedArray(t.shape, t.dtype) for t in types(**parameters)]
    )
    primitive.def_impl(
        lambda *operands, loop, **parameters: loop.once(
            (name, *parameters.values()), lambda: jax.jit(partial(function, loop=loop, **parameters))
        )(*operands)
    )
    mlir.register_lowering(primitive, mlir.lower_fun(function, multiple_results=True))
    # JAX 0.12 asks for this where the loop has primitives in it that JAX lowers itself.
    primitive.to_lojax = function
    return primitive


def _split(loop: Loop, operands: Sequence) -> tuple[list, list, list]:
    """Constants, initial values, and the rest."""
    n, m = loop.constants, len(loop.operands)
    return list(operands[:n]), list(operands[n:m]), list(operands[m:])


# -- what the primitives compute --------------------------------------------------------------------------------------


def _run(*operands, loop: Loop) -> list:
    constants, initial, _ = _split(loop, operands)
    return loop.run(constants, initial)


def _keep(*operands, loop: Loop, unit: int) -> list:
    constants, initial, _ = _split(loop, operands)
    goes, step = (lambda *xs: loop.goes(constants, xs)), (lambda *xs: loop.iteration(constants, xs))
    if is_short(loop, unit):
        final, kept = run_and_keep_first(goes, step, initial, unit)
    else:
        final, kept = run_and_keep(goes, step, initial, slots_of(loop, unit), unit)
    return [*final, kept.iterations, kept.distance, kept.count, *kept.slots]


def _keep_types(loop: Loop, unit: int) -> list:
    number = jax.ShapeDtypeStruct((), index_type())
    slots = [jax.ShapeDtypeStruct((slots_of(loop, unit), *t.shape), t.dtype) for t in loop.carried]
    return [*loop.carried, number, number, number, *slots]


def _kept(loop: Loop, unit: int) -> int:
    """How many operands are checkpoints."""
    return 3 + len(loop.carried) if unit else 0


def _tangent(*operands, loop: Loop, inputs: Mask, active: Mask, unit: int) -> list:
    constants, initial, rest = _split(loop, operands)
    larger = loop.with_tangents(inputs, active)
    values = _arranged(loop, inputs, active, constants, initial, rest[_kept(loop, unit) :], jnp.zeros_like)
    return run_p.bind(*values, loop=larger)[len(initial) :]


def _arranged(loop: Loop, inputs: Mask, active: Mask, constants, initial, dots, zero: Callable) -> list:
    """Operands of the loop with tangents, in order; `zero` makes the tangent of what does not move at first."""
    n = loop.constants
    extra = sum(inputs[:n])
    fresh = iter(dots[extra:])
    moving = [next(fresh) if i else zero(x) for x, i, a in zip(initial, inputs[n:], active, strict=True) if a]
    return [*constants, *dots[:extra], *initial, *moving]


def _adjoint(*operands, loop: Loop, inputs: Mask, active: Mask, unit: int) -> list:
    constants, initial, rest = _split(loop, operands)
    part, needed = loop.part(active)
    n = loop.constants
    tape = tape_of(part, (*inputs[:n], *pick(inputs[n:], needed)), tuple(pick(active, needed)))
    if not unit:
        unit = tape.iterations
        rest = [*_keep(*constants, *initial, loop=loop, unit=unit)[len(initial) :], *rest]
    stores = 3 + len(initial)
    states = Kept(rest[0], rest[1], rest[2], pick(rest[3:stores], needed))
    totals = [jnp.zeros_like(c) for c in pick(constants, inputs[:n])]
    step, adjoint = partial(part.iteration, constants), partial(tape.adjoint, constants)
    if is_short(loop, unit):
        if is_short(loop, tape.iterations):
            before, totals = adjoint([get(s, 0) for s in states.slots], states.iterations, rest[stores:], totals)
            return [*totals, *pick(before, pick(inputs[n:], active))]
        states = states.with_room(slots_of(loop, tape.iterations))
    # Checkpoints lie at multiples of both: they are powers of two, but where one has room for all iterations. Then
    # there is no checkpoint but the first state, or the other one is the smaller.
    unit = min(unit, tape.iterations)
    before, totals = reverse(lambda *xs: step(xs), adjoint, states, rest[stores:], totals, unit)
    return [*totals, *pick(before, pick(inputs[n:], active))]


def _bend(*operands, loop: Loop, inputs: Mask, active: Mask, along: Mask, moving: Mask) -> list:
    values, parameters = _as_adjoint(operands, loop, inputs, active, along, moving, jnp.zeros_like)
    return adjoint_p.bind(*values, **parameters)


def _as_adjoint(operands, loop: Loop, inputs: Mask, active: Mask, along: Mask, moving: Mask, zero: Callable):
    """Operands and parameters of the `adjoint` that a `bend` is. `along` are the inputs that have tangents, `moving`
    the carried values that depend on those."""
    constants, initial, rest = _split(loop, operands)
    cotangents, dots = rest[: sum(active)], rest[sum(active) :]
    larger = loop.with_tangents(along, moving)
    values = _arranged(loop, along, moving, constants, initial, dots, zero)
    n = loop.constants
    mask = (*inputs[:n], *(False,) * sum(along[:n]), *inputs[n:], *(False,) * sum(moving))
    needed = larger.active(mask)
    # The cotangents are those of the tangents that the loop ends with; those of its own results are zero.
    given = dict(zip((i for i, a in enumerate(active) if a), cotangents, strict=True))
    places = [*(None for _ in initial), *(i for i, m in enumerate(moving) if m)]
    like = [*initial, *pick(initial, moving)]
    ends = [given[p] if p in given else zero(x) for p, x in zip(places, like, strict=True)]
    return [*values, *pick(ends, needed)], {"loop": larger, "inputs": mask, "active": needed, "unit": 0}


def _types_of_active(loop: Loop, inputs: Mask, active: Mask, unit: int) -> list:
    return pick(loop.carried, active)


def _types_of_inputs(loop: Loop, inputs: Mask, **_) -> list:
    return pick(loop.operands, inputs)


run_p = _primitive("run", _run, lambda loop: loop.carried)
keep_p = _primitive("keep", _keep, _keep_types)
tangent_p = _primitive("tangent", _tangent, _types_of_active)
adjoint_p = _primitive("adjoint", _adjoint, _types_of_inputs)
bend_p = _primitive("bend", _bend, _types_of_inputs)


# -- derivatives ------------------------------------------------------------------------------------------------------


def _zero(value) -> ad.Zero:
    return ad.Zero(jax.typeof(value).to_tangent_aval())


def _still(tangent) -> ad.Zero:
    """No tangent, of the type of `tangent`."""
    return ad.Zero(tangent.aval) if isinstance(tangent, ad.Zero) else _zero(tangent)


def _moves(tangent, type) -> bool:
    return not isinstance(tangent, ad.Zero) and continuous(type.dtype)


def _keep_jvp(primals: Sequence, tangents: Sequence, loop: Loop, unit: int):
    results = keep_p.bind(*primals, loop=loop, unit=unit)
    count = len(loop.carried)
    inputs = tuple(map(_moves, tangents, loop.operands))
    dots = [_zero(r) for r in results]
    if any(inputs):
        active = loop.active(inputs)
        operands = [*primals, *results[count:], *pick(tangents, inputs)]
        new = tangent_p.bind(*operands, loop=loop, inputs=inputs, active=active, unit=unit)
        dots[:count] = merge(dots[:count], active, new)
    return results, dots


def _run_jvp(primals: Sequence, tangents: Sequence, loop: Loop):
    inputs = tuple(map(_moves, tangents, loop.operands))
    if not any(inputs):
        results = run_p.bind(*primals, loop=loop)
        return results, [_zero(r) for r in results]
    unit = tape_of(loop, inputs, loop.active(inputs)).iterations
    results, dots = _keep_jvp(primals, tangents, loop, unit)
    return results[: len(loop.carried)], dots[: len(loop.carried)]


def _tangent_jvp(primals: Sequence, tangents: Sequence, loop: Loop, inputs: Mask, active: Mask, unit: int):
    count, kept = len(loop.carried), _kept(loop, unit)
    arranged = partial(_arranged, loop, inputs, active)
    (constants, initial, rest), (d_constants, d_initial, d_rest) = _split(loop, primals), _split(loop, tangents)
    values = arranged(constants, initial, rest[kept:], jnp.zeros_like)
    dots = arranged(d_constants, d_initial, d_rest[kept:], _still)
    results, new = _run_jvp(values, dots, loop.with_tangents(inputs, active))
    return results[count:], new[count:]


def _adjoint_jvp(primals: Sequence, tangents: Sequence, loop: Loop, inputs: Mask, active: Mask, unit: int):
    parameters = {"loop": loop, "inputs": inputs, "active": active, "unit": unit}
    results = adjoint_p.bind(*primals, **parameters)
    m, kept = len(loop.operands), _kept(loop, unit)
    along = tuple(map(_moves, tangents[:m], loop.operands))
    changes = tangents[m + kept :]
    terms = []
    if not all(isinstance(c, ad.Zero) for c in changes):
        terms.append(adjoint_p.bind(*primals[: m + kept], *map(ad.instantiate_zeros, changes), **parameters))
    if any(along):
        terms.append(
            bend_p.bind(
                *primals[:m],
                *primals[m + kept :],
                *pick(tangents[:m], along),
                loop=loop,
                inputs=inputs,
                active=active,
                along=along,
                moving=loop.active(along),
            )
        )
    if not terms:
        return results, [_zero(r) for r in results]
    return results, [sum(parts[1:], parts[0]) for parts in zip(*terms, strict=True)]


def _bend_jvp(primals: Sequence, tangents: Sequence, **parameters):
    values, inner = _as_adjoint(primals, **parameters, zero=jnp.zeros_like)
    dots, _ = _as_adjoint(tangents, **parameters, zero=_still)
    return _adjoint_jvp(values, dots, **inner)


def _linear(operands: Sequence, start: int, results: Sequence) -> list:
    """Cotangents for the linear operands, which come last; none for the others, and for those that are known."""
    found = [r if ad.is_undefined_primal(x) else None for x, r in zip(operands[start:], results, strict=True)]
    return [*(None for _ in operands[:start]), *found]


def _tangent_transpose(cotangents, *operands, loop: Loop, inputs: Mask, active: Mask, unit: int):
    start, n = len(loop.operands) + _kept(loop, unit), loop.constants
    given = [not isinstance(c, ad.Zero) for c in cotangents]
    none = [False] * len(active)
    relevant = loop.relevant(tuple(merge(none, active, given)), active)
    ends = map(ad.instantiate_zeros, pick(cotangents, pick(relevant, active)))
    # What has no influence on a result that is asked for is not differentiated: `diff` of `while diff > tolerance`.
    asked = (*inputs[:n], *(i and r for i, r in zip(inputs[n:], relevant, strict=True)))
    results: list = [_zero(x) for x in pick(operands[: len(loop.operands)], inputs)]
    if any(relevant):
        found = adjoint_p.bind(*operands[:start], *ends, loop=loop, inputs=asked, active=relevant, unit=unit)
        results = merge(results, pick(asked, inputs), found)
    return _linear(operands, start, results)


def _adjoint_transpose(cotangents, *operands, loop: Loop, inputs: Mask, active: Mask, unit: int):
    start = len(loop.operands) + _kept(loop, unit)
    dots = map(ad.instantiate_zeros, cotangents)
    results = tangent_p.bind(*operands[:start], *dots, loop=loop, inputs=inputs, active=active, unit=unit)
    return _linear(operands, start, results)


def _bend_transpose(cotangents, *operands, loop: Loop, inputs: Mask, active: Mask, along: Mask, moving: Mask):
    m = len(loop.operands)
    start = m + sum(active)
    given = dict(zip((i for i, a in enumerate(active) if a), operands[m:start], strict=True))
    ends = [given.get(i, jnp.zeros(t.shape, t.dtype)) for i, t in enumerate(loop.carried)]
    results = bend_p.bind(
        *operands[:m],
        *pick(ends, moving),
        *map(ad.instantiate_zeros, cotangents),
        loop=loop,
        inputs=along,
        active=moving,
        along=inputs,
        moving=active,
    )
    return _linear(operands, start, results)


ad.primitive_jvps[run_p] = _run_jvp
ad.primitive_jvps[keep_p] = _keep_jvp
ad.primitive_jvps[tangent_p] = _tangent_jvp
ad.primitive_jvps[adjoint_p] = _adjoint_jvp
ad.primitive_jvps[bend_p] = _bend_jvp
ad.primitive_transposes[tangent_p] = _tangent_transpose
ad.primitive_transposes[adjoint_p] = _adjoint_transpose
ad.primitive_transposes[bend_p] = _bend_transpose


# -- batches ----------------------------------------------------------------------------------------------------------


class _Batch:
    """Operands with the axis of the examples in front, and the loop over all examples."""

    def __init__(self, loop: Loop, operands: Sequence, axes: Sequence, forced: Sequence[bool]) -> None:
        self.size = next(x.shape[a] for x, a in zip(operands, axes, strict=True) if a is not None)
        self.axes = list(axes)
        m = len(loop.operands)
        marked = tuple(a is not None or f for a, f in zip(axes[:m], forced, strict=True))
        self.loop, self.carried = loop.batched(marked, self.size)
        self.marked = (*marked[: loop.constants], *self.carried)
        self.operands = [self.front(x, a, f) for x, a, f in zip(operands[:m], axes[:m], self.marked, strict=True)]

    def front(self, value, axis, wanted: bool):
        """A value with the axis in front if it is wanted."""
        if axis is not None:
            return jnp.moveaxis(value, axis, 0)
        return jnp.broadcast_to(value, (self.size, *value.shape)) if wanted else value

    def all_front(self, values: Sequence, axes: Sequence, wanted: Sequence[bool]) -> list:
        """The same for several."""
        return [self.front(v, a, w) for v, a, w in zip(values, axes, wanted, strict=True)]

    def checkpoints(self, values: Sequence, axes: Sequence) -> list:
        """Checkpoints, if they have the axis where the loop wants it; else none, and they are made again."""
        expected = [None, None, None, *(1 if c else None for c in self.carried)]
        return list(values) if values and list(axes) == expected else []


def _axes(mask: Sequence[bool]) -> list:
    return [0 if m else None for m in mask]


def _run_batch(operands, axes, loop: Loop):
    batch = _Batch(loop, operands, axes, (False,) * len(operands))
    return run_p.bind(*batch.operands, loop=batch.loop), _axes(batch.carried)


def _keep_batch(operands, axes, loop: Loop, unit: int):
    batch = _Batch(loop, operands, axes, (False,) * len(operands))
    results = keep_p.bind(*batch.operands, loop=batch.loop, unit=unit)
    return results, [*_axes(batch.carried), None, None, None, *(1 if c else None for c in batch.carried)]


def _spread(inputs: Mask, axes: Sequence) -> list[bool]:
    """Which operands have to be batched because a value that belongs to them is."""
    own = iter(axes)
    return [next(own) is not None if i else False for i in inputs]


def _tangent_batch(operands, axes, loop: Loop, inputs: Mask, active: Mask, unit: int):
    m, kept = len(loop.operands), _kept(loop, unit)
    batch = _Batch(loop, operands, axes, _spread(inputs, axes[m + kept :]))
    states = batch.checkpoints(operands[m : m + kept], axes[m : m + kept])
    dots = batch.all_front(operands[m + kept :], axes[m + kept :], pick(batch.marked, inputs))
    results = tangent_p.bind(
        *batch.operands, *states, *dots, loop=batch.loop, inputs=inputs, active=active, unit=unit if states else 0
    )
    return results, _axes(pick(batch.carried, active))


def _adjoint_batch(operands, axes, loop: Loop, inputs: Mask, active: Mask, unit: int):
    m, kept = len(loop.operands), _kept(loop, unit)
    # Every example has cotangents of its own, also of what all examples share.
    batch = _Batch(loop, operands, axes, (*inputs[: loop.constants], *active))
    states = batch.checkpoints(operands[m : m + kept], axes[m : m + kept])
    ends = batch.all_front(operands[m + kept :], axes[m + kept :], (True,) * sum(active))
    results = adjoint_p.bind(
        *batch.operands, *states, *ends, loop=batch.loop, inputs=inputs, active=active, unit=unit if states else 0
    )
    return results, [0] * len(results)


def _bend_batch(operands, axes, loop: Loop, inputs: Mask, active: Mask, along: Mask, moving: Mask):
    m, n = len(loop.operands), loop.constants
    start = m + sum(active)
    spread = _spread(along, axes[start:])
    forced = [
        *(i or s for i, s in zip(inputs[:n], spread[:n], strict=True)),
        *(a or b for a, b in zip(active, moving, strict=True)),
    ]
    batch = _Batch(loop, operands, axes, forced)
    ends = batch.all_front(operands[m:start], axes[m:start], (True,) * sum(active))
    dots = batch.all_front(operands[start:], axes[start:], pick(batch.marked, along))
    results = bend_p.bind(
        *batch.operands, *ends, *dots, loop=batch.loop, inputs=inputs, active=active, along=along, moving=moving
    )
    return results, [0] * len(results)


batching.primitive_batchers[run_p] = _run_batch
batching.primitive_batchers[keep_p] = _keep_batch
batching.primitive_batchers[tangent_p] = _tangent_batch
batching.primitive_batchers[adjoint_p] = _adjoint_batch
batching.primitive_batchers[bend_p] = _bend_batch
