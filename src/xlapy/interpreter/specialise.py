"""Which inputs of the program a value is computed from: what has to become static when it must be known."""

from __future__ import annotations

from collections.abc import Iterator

from xlapy.ir import Operation, Region, Var, captured


def origins(var: Var) -> Iterator[Operation | Var]:
    """The parameters (of the entry and of loops) and the loops that `var` is computed from."""
    seen: set[int] = set()
    todo = [var]
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        owner = current.owner
        if isinstance(owner, Region):
            yield current
        elif isinstance(owner, Operation) and id(owner) not in seen:
            seen.add(id(owner))
            if owner.kind in ("while", "for"):
                yield owner
            todo.extend(owner.operands)
            for region in owner.regions:
                todo.extend(region.results)
                todo.extend(captured(region))


def entry_parameters(var: Var, entry: Region) -> list[Var] | None:
    """The parameters of `entry` that `var` is computed from; None if it depends on a loop."""
    found = []
    for origin in origins(var):
        if not isinstance(origin, Var) or origin.owner is not entry:
            return None
        found.append(origin)
    return found


def loop_parameters(var: Var, entry: Region) -> list[Region]:
    """The loop bodies whose parameters `var` is computed from."""
    found = (o.owner for o in origins(var) if isinstance(o, Var) and o.owner is not entry)
    return [owner for owner in found if isinstance(owner, Region)]


def bounded_by_program(var: Var) -> bool:
    """Whether `var` is computed, by arithmetic alone, from what the program has given a bound (`xlapy.bound`)."""
    todo, seen = [var], set()
    while todo:
        owner = todo.pop().owner
        if not isinstance(owner, Operation) or id(owner) in seen:
            continue
        seen.add(id(owner))
        if owner.kind == "bound":
            return True
        if not owner.regions:
            todo.extend(v for v in owner.operands if v.type.shape == ())
    return False
