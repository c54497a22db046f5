"""Products of a loop with one and the same matrix are made before it, all at once.

    for t in range(len(x)):
        h = np.tanh(x[t] @ w + h @ u)

An iteration multiplies the matrix by a vector, which takes as long as it takes to load the matrix. The product of all
rows of `x` with it does not load it for each of them. Each iteration takes its part of that.
"""

from __future__ import annotations

from math import prod
from typing import Any

from xlapy.ir import Operation, Region, TensorType, Var, constant_value, defining
from xlapy.ir.access_regions import touched
from xlapy.ir.affine import affine
from xlapy.passes.code_motion import adopt
from xlapy.passes.costs import is_rearrangement, multiplications

#: iterations at least; multiplications in a product; elements that all products have together
_FEWEST, _SMALLEST, _MOST = 8, 1024, 1 << 22
#: multiplications in a product from which on machine code, which multiplies where it is, takes longer
LARGE = 4096


def multiply_ahead(region: Region, smallest: int = _SMALLEST) -> bool:
    """Move products out of loops, in place, that are of so many multiplications; whether there were any."""
    changed = False
    kept: list[Operation] = []
    for operation in region.operations:
        for nested in operation.regions:
            changed |= multiply_ahead(nested, smallest)
        if operation.kind == "for" and "lanes" not in operation.attributes:
            moved = _out_of(operation, region, smallest)
            kept += moved
            changed |= bool(moved)
        kept.append(operation)
    region.operations = kept
    return changed


def _out_of(loop: Operation, region: Region, smallest: int) -> list[Operation]:
    """What goes before a loop, which takes parts of it from then on."""
    iterations = constant_value(loop.operands[0])
    (body,) = loop.regions
    if iterations is None or iterations < _FEWEST:
        return []
    moved: list[Operation] = []
    for product in list(body.operations):
        if product.jaxpr is None or len(product.results) != 1 or len(product.operands) != 2:
            continue
        size, work = prod(product.results[0].type.shape), multiplications(product)
        if work < max(smallest, 4 * size) or int(iterations) * size > _MOST:
            continue
        found = _sides(product, body.params[0], int(iterations), region)
        if found is not None:
            attributes, matrix = found
            moved += matrix
            moved.append(_replace(product, attributes, int(iterations), region, body))
            body.operations = [o for o in body.operations if o not in matrix]
    return moved


def _sides(product: Operation, index: Var, count: int, region: Region) -> tuple[dict[str, Any], list[Operation]] | None:
    """Which operand is another part of an array in each iteration, and where; what the other one is computed by."""
    for side in (0, 1):
        row, matrix = product.operands[side], product.operands[1 - side]
        taken = _taken(row, index, count, region)
        made = _made(matrix, region) if len(matrix.type.shape) == 2 else None
        if taken is not None and made is not None:
            return {"product": product.jaxpr, "side": side, **taken}, made
    return None


def _replace(product: Operation, attributes: dict[str, Any], count: int, region: Region, body: Region) -> Operation:
    """The products of all iterations; each iteration has its part of them in the place of its own."""
    side: int = attributes["side"]
    (result,) = product.results
    load = defining(product.operands[side])
    operands = (load.operands[0], product.operands[1 - side])
    types = (TensorType((count, *result.type.shape), result.type.dtype),)
    ahead = Operation("ahead", operands, attributes, types, (), product.location, region.depth)
    part = Operation("part", (ahead.results[0], body.params[0]), {}, (result.type,), (), product.location, body.depth)
    part.results, result.owner = product.results, part
    body.operations[body.operations.index(product)] = part
    return ahead


def _made(matrix: Var, region: Region) -> list[Operation] | None:
    """The operations of a loop's body that make a matrix, the same one in each iteration, of what is outside; None if
    it is not that. They are adopted by the region around the loop."""
    made: list[Operation] = []
    while matrix.depth > region.depth:
        owner = matrix.owner
        if not isinstance(owner, Operation) or len(owner.operands) != 1 or not is_rearrangement(owner):
            return None
        made.insert(0, owner)
        (matrix,) = owner.operands
    adopt(made, region)
    return made


def _taken(row: Var, index: Var, count: int, region: Region) -> dict[str, Any] | None:
    """Where an array from outside a loop has the places that the iterations load one after the other; None if one of
    them may be missing."""
    load = row.owner
    dims = touched(load)
    if dims is None or not isinstance(load, Operation) or load.kind != "load":
        return None
    array = load.operands[0]
    if array.depth > region.depth:
        return None
    starts, counts = [d.start for d in dims], [d.count for d in dims]
    axis = reverse = None
    for k, dim in enumerate(dims):
        if isinstance(dim.start, int):
            if dim.step != 1 and dim.count != 1:
                return None
            continue
        terms, first = affine(dim.start)
        factor = terms.pop(id(index), 0)
        if axis is not None or dim.count != 1 or not dim.dropped or any(terms.values()) or factor not in (1, -1):
            return None
        axis, reverse = k, factor < 0
        start = first - (count - 1 if reverse else 0)
        starts[k], counts[k] = start, count
        if not 0 <= start <= array.type.shape[k] - count:
            return None
    if axis is None:
        return None
    return {"axis": axis, "reverse": reverse, "starts": tuple(starts), "counts": tuple(counts)}


__all__ = ["LARGE", "multiply_ahead"]
