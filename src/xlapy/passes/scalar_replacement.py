"""An element that the iteration before has stored is carried to the next one, and not loaded again.

    for i in range(1, n):
        y[i] = a * y[i - 1] + x[i]

An iteration would wait until what was stored a moment ago can be loaded, which takes longer than the arithmetic.
"""

from __future__ import annotations

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var
from xlapy.ir.access_regions import Dimension, touched
from xlapy.ir.affine import affine
from xlapy.passes.code_motion import substitute
from xlapy.passes.costs import is_store

#: stores into one array in an iteration that are looked at
_MOST = 8
#: iterations that an element is carried at most
_FURTHEST = 3
#: a place in a dimension: factors of scalars, and a constant
Place = tuple[dict[Var, int], int]


def carry_stored(region: Region) -> bool:
    """Carry elements from iteration to iteration, in all loops of a region; whether there were any."""
    changed = False
    kept: list[Operation] = []
    for operation in region.operations:
        if "lanes" not in operation.attributes:
            for nested in operation.regions:
                changed |= carry_stored(nested)
            if operation.kind == "for":
                first = _in_loop(operation, region)
                kept += first
                changed |= bool(first)
        kept.append(operation)
    region.operations = kept
    return changed


def _in_loop(loop: Operation, region: Region) -> list[Operation]:
    """What goes before a loop, which carries elements from then on."""
    (body,) = loop.regions
    first: list[Operation] = []
    for k, array in enumerate(list(body.params[1:])):
        stores = [(store.operands[1], _places(store, body)) for store in _stores(body.results[k], array)]
        if not stores:
            continue
        for load in [o for o in body.operations if _is_load(o, array)]:
            found = _stored_before(load, stores, body)
            if found is not None:
                first += _carry(load, *found, loop, region)
    return first


def _is_load(operation: Operation, array: Var) -> bool:
    """Whether an operation loads one element."""
    dims = touched(operation)
    if dims is None or operation.kind != "load" or operation.operands[0] is not array:
        return False
    return all(d.dropped for d in dims)


def _stores(last: Var, array: Var) -> list[Operation]:
    """The stores of single elements that make of an array what the next iteration gets, the last one first; none if it
    is not made so."""
    found: list[Operation] = []
    while last is not array:
        operation = last.owner
        dims = touched(operation)
        if dims is None or not isinstance(operation, Operation) or not is_store(operation) or len(found) == _MOST:
            return []
        if not all(d.dropped for d in dims):
            return []
        found.append(operation)
        last = operation.operands[0]
    return found


def _stored_before(
    load: Operation, stores: list[tuple[Var, list[Place | None]]], body: Region
) -> tuple[Var, int] | None:
    """What an iteration before stored where this one loads, and how many iterations before; None if it is not known
    that one did. `stores` has values and their places."""
    wanted = _places(load, body)
    for iterations in range(1, _FURTHEST + 1):
        for value, places in stores:
            distances = [_distance(a, b, body.params[0], iterations) for a, b in zip(places, wanted, strict=True)]
            if all(d == 0 for d in distances):
                return (value, iterations) if value.type[:2] == load.results[0].type[:2] else None
            if not any(distances):  # this one may have stored there
                return None
    return None


def _places(operation: Operation, body: Region) -> list[Place | None]:
    return [_place(d, body) for d in touched(operation) or ()]


def _place(dim: Dimension, body: Region) -> Place | None:
    """A place as a sum of the number of the iteration and scalars from outside the loop; None if it is not that."""
    if isinstance(dim.start, int):
        return {}, dim.start
    seen: dict[object, Var] = {}

    def name(var: Var) -> int:
        seen[id(var)] = var
        return id(var)

    terms, total = affine(dim.start, name)
    found = {seen[key]: factor for key, factor in terms.items() if factor}
    index = body.params[0]
    return (found, total) if all(v is index or v.depth < body.depth for v in found) else None


def _distance(store: Place | None, load: Place | None, index: Var, iterations: int) -> int | None:
    """From where an iteration stores to where one loads so many iterations later; None if that is not always the
    same."""
    if store is None or load is None or store[0] != load[0]:
        return None
    return load[1] - store[1] + store[0].get(index, 0) * iterations


def _carry(load: Operation, value: Var, iterations: int, loop: Operation, region: Region) -> list[Operation]:
    """Put the value of a load among what a loop carries, for so many iterations; what loads it for the first ones."""
    (body,) = loop.regions
    type = load.results[0].type
    first: list[Operation] = []
    if value.type != type:
        convert = Operation("convert", (value,), {}, (type,), (), load.location, body.depth)
        body.operations.append(convert)
        (value,) = convert.results
    for iteration in reversed(range(iterations)):
        first += _load_ahead(load, iteration, loop, region)
        param = Var(type, body, body.depth)
        body.params = [*body.params, param]
        body.results = [*body.results, value]
        loop.operands = (*loop.operands, first[-1].results[0])
        loop.results = [*loop.results, Var(type, loop, region.depth)]
        value = param
    body.operations.remove(load)
    substitute(body, {load.results[0]: value})
    return first


def _load_ahead(load: Operation, iteration: int, loop: Operation, region: Region) -> list[Operation]:
    """The load as one of the first iterations would do it, before the loop."""
    (body,) = loop.regions
    made: list[Operation] = []

    def emit(kind: str, operands: tuple[Var, ...], attributes: dict, type: TensorType) -> Var:
        made.append(Operation(kind, operands, attributes, (type,), (), load.location, region.depth))
        return made[-1].results[0]

    starts = []
    for dim in touched(load) or ():
        if isinstance(dim.start, int):
            continue
        place = _place(dim, body)
        assert place is not None
        type = TensorType((), dim.start.type.dtype)

        def constant(number: int, type: TensorType = type) -> Var:
            return emit("constant", (), {"value": np.asarray(number, type.dtype)}, type)

        total = constant(place[1] + iteration * place[0].get(body.params[0], 0))
        for var, factor in place[0].items():
            if var is not body.params[0]:
                term = emit("convert", (var,), {}, type)
                total = emit("add", (total, emit("mul", (term, constant(factor)), {}, type)), {}, type)
        starts.append(total)
    array = loop.operands[body.params.index(load.operands[0])]
    emit("load", (array, *starts), load.attributes, load.results[0].type)
    return made


__all__ = ["carry_stored"]
