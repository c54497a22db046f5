"""Which inputs of the program a value is computed from: what has to become static when it must be known."""

from __future__ import annotations

from xlapy.ir import Operation, Region, Var, captured


def origins(var: Var) -> set[Region | Operation | Var]:
    """The parameters (of the entry and of loops) and the loops' results that `var` is computed from."""
    found: set = set()
    seen: set[int] = set()
    todo = [var]
    while todo:
        current = todo.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        owner = current.owner
        if isinstance(owner, Region):
            found.add(current)
        elif isinstance(owner, Operation):
            if owner.kind in ("while", "for"):
                found.add(owner)
            todo.extend(owner.operands)
            for region in owner.regions:
                todo.extend(region.results)
                todo.extend(captured(region))
    return found


def entry_parameters(var: Var, entry: Region) -> list[Var] | None:
    """The parameters of `entry` that `var` is computed from; None if it depends on a loop."""
    found = origins(var)
    if any(not isinstance(o, Var) or o.owner is not entry for o in found):
        return None
    return list(found)


def loop_parameters(var: Var, entry: Region) -> list[Region]:
    """The loop bodies whose parameters `var` is computed from."""
    return [o.owner for o in origins(var) if isinstance(o, Var) and o.owner is not entry]


def bounded_by_program(var: Var) -> bool:
    """Whether `var` is computed, by arithmetic alone, from what the program has given a bound (`xlapy.bound`)."""
    todo, seen = [var], set()
    while todo:
        owner = todo.pop().owner
        if not isinstance(owner, Operation) or id(owner) in seen:
            continue
        seen.add(id(owner))
        if owner.kind == "leaf" and owner.attributes["name"] == "bound":
            return True
        if not owner.regions:
            todo.extend(v for v in owner.operands if v.type.shape == ())
    return False
