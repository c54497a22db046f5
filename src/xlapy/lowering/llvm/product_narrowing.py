"""Products of which some lanes in a row are looked at only: `x @ a[:, i:]`, where all of `a` is multiplied by XLA.

The lanes are often known later than the product: it is computed where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from xlapy.ir import Operation, Region, Var


def narrowed(region: Region, uses: Mapping[Var, int]) -> tuple[list[Operation], dict[Operation, Operation]]:
    """The operations of a region, and for each product of which lanes are looked at only what makes the mask of these
    lanes; the product comes behind it.

    Args:
        region: what is computed.
        uses: how often a value is used.
    """
    products = {o.results[0]: o for o in region.operations if o.attributes.get("name") == "matmul"}
    masks: dict[Var, set[Var]] = {var: set() for var in products}
    masked: Counter[Var] = Counter()
    for operation in region.operations if products else ():
        if operation.kind in ("select", "live") and operation.operands[1] in products:
            masks[operation.operands[1]].add(operation.operands[0])
            masked[operation.operands[1]] += 1
    found: dict[Operation, Operation] = {}
    for var, product in products.items():
        owner = next(iter(masks[var])).owner if len(masks[var]) == 1 and masked[var] == uses[var] else None
        if isinstance(owner, Operation) and _makes_lanes(owner) and owner in region.operations:
            found[product] = owner
    if not found:
        return region.operations, found
    behind: dict[Operation, list[Operation]] = {}
    for product, owner in found.items():
        if region.operations.index(owner) > region.operations.index(product):
            behind.setdefault(owner, []).append(product)
    moved = {product for products in behind.values() for product in products}
    order = [one for o in region.operations if o not in moved for one in (o, *behind.get(o, ()))]
    return order, found


def _makes_lanes(operation: Operation) -> bool:
    note = operation.attributes.get("lanewise")
    return note is not None and note.kind == "lanes"


__all__ = ["narrowed"]
