"""Where a program can be left at once: at its first error, after which nobody wants its other results.

The error tag (`ir.tags`) is carried through loops and branches to the end of a program, and what
follows an error runs as if there were none: XLA has no way out of a loop. Machine code has. What tells the error, and
what its message needs, are stored, and the function returns; so behind each check its condition is known to hold, and
nothing that is looked at can be out of its range.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from xlapy.ir import Operation, Region, Var, captured, constant_value, every_operation
from xlapy.ir.operations import SLOW
from xlapy.ir.stacking_leaves import is_stack
from xlapy.ir.tags import free_tag

#: a result of a program, by number; where results are packed, an element of it
Place = tuple[int, int | None]


class Errors(NamedTuple):
    """What tells the host about errors.

    Attributes:
        tag: where the number of the error is, 0 if there is none; None if there cannot be any.
        messages: for each error, from the one with number 1 on, where the values are that its message needs.
    """

    tag: Place | None
    messages: Sequence[Sequence[Place]]


class Exit(NamedTuple):
    """A way out of a program, behind a check or behind a loop.

    Attributes:
        predicate: whether it is taken; None behind a loop: it is if the tag is not zero.
        tag: what it makes of the tag, if there is an error.
        before: the tag that is kept if it is not taken; None if that is zero.
        stored: what tells of the error, and where it is stored: a value, or a result of a region that computes it.
    """

    predicate: Var | None
    tag: Var
    before: Var | None
    stored: list[tuple[Place, Var, Region | None]]


class _Site(NamedTuple):
    """A check, `select(predicate, number, tag)`, or a loop with checks in it.

    Attributes:
        operation: the check or the loop.
        tag: what it makes of the tag.
        errors: the numbers of what may be raised.
        path: the operations around it from the outermost one on, each with the region in it where that goes on.
    """

    operation: Operation
    tag: Var
    errors: tuple[int, ...]
    path: tuple[tuple[Operation, Region], ...]

    @property
    def predicate(self) -> Var | None:
        """Of a check, whether there is an error."""
        return self.operation.operands[0] if self.operation.kind == "select" else None


def exits_of(region: Region, errors: Errors) -> Mapping[Operation, Exit] | None:
    """The ways out of a program, by the checks and loops behind which they are, so that there is one behind each error;
    None if there are not. Loops of which several iterations at a time take less time make all of them."""
    if errors.tag is None:
        return {}
    tag = _at(region, errors.tag)
    sites: list[_Site] = []
    start = _follow(region, tag, (), sites) if tag is not None else None
    if start is None or constant_value(start) is None:
        return None
    predicates = {site.predicate for site in sites if site.predicate is not None}
    found = {}
    for site in sites:
        exit = _exit(region, errors.tag, errors.messages, site, predicates)
        if exit is None:
            return None
        found[site.operation] = exit
    return found


def _at(region: Region, place: Place) -> Var | None:
    """What a program puts at a place."""
    var, position = region.results[place[0]], place[1]
    if position is None:
        return var if var.type.shape == () else None
    return var.owner.operands[position] if isinstance(var.owner, Operation) and is_stack(var.owner) else None


# -- the tag, from the end of a program to its checks ----------------------------------------------------------------


def _follow(region: Region, tag: Var, path: tuple, sites: list[_Site]) -> Var | None:
    """What a tag is at the start of a region at whose end it is `tag`, zero or a value from outside; None if it may be
    reset."""
    inside = set(region.operations)
    while True:
        known, owner = constant_value(tag), tag.owner
        if known is not None:
            return tag if known.shape == () and known == 0 else None
        if not isinstance(owner, Operation) or owner not in inside:
            return tag
        before = _before(owner, owner.results.index(tag), path, sites)
        if before is None:
            return None
        tag = before


def _before(operation: Operation, place: int, path: tuple, sites: list[_Site]) -> Var | None:
    match operation.kind:
        case "select":
            chosen, number, before = operation.operands
            value = constant_value(number)
            if value is None or value.shape or value == 0 or not _is_first(chosen, before):
                return None
            sites.append(_Site(operation, operation.results[0], (int(value),), path))
            return before
        case "if":
            one, other = (_follow(r, r.results[place], (*path, (operation, r)), sites) for r in operation.regions)
            return one if one is not None and other is not None and _is_same(one, other) else None
        case "for" | "while":
            first = 1 if operation.kind == "for" else 0
            body = operation.regions[-1]
            inside: list[_Site] = []
            start = _follow(body, body.results[place], (*path, (operation, body)), inside)
            if inside and _is_of_vectors(operation, inside):
                numbers = tuple(number for site in inside for number in site.errors)
                inside = [_Site(operation, operation.results[place], numbers, path)]
            sites += inside
            return operation.operands[first + place] if start is body.params[first + place] else None
    return None


def _is_same(one: Var, other: Var) -> bool:
    return one is other or constant_value(one) is not None and constant_value(other) is not None


def _is_first(predicate: Var, tag: Var) -> bool:
    """Whether a predicate holds only where the tag is zero."""
    known, owner = constant_value(tag), predicate.owner
    if known is not None:
        return bool(known == 0)
    if _stops_a_loop(tag):
        return True
    if isinstance(owner, Operation) and owner.kind == "bitwise_and":
        return any(_is_first(part, tag) for part in owner.operands)
    return free_tag(predicate) is tag


def _stops_a_loop(tag: Var) -> bool:
    """Whether there is no iteration of a loop that begins with that tag and another number than zero."""
    body = tag.owner
    if not isinstance(body, Region) or body.owner is None:
        return False
    loop = body.owner
    if loop.kind != "while" or body is not loop.regions[-1]:
        return False
    condition = loop.regions[0]
    return _is_first(condition.results[0], condition.params[body.params.index(tag)])


def _is_of_vectors(loop: Operation, inside: Sequence[_Site]) -> bool:
    """Whether a loop of which all iterations are made takes less time than one that is left at its first error.

    LLVM makes several iterations at a time if it knows before the loop how many there are until the first error. If
    data says that, long functions of one iteration overlap with those of the next one where there is no way out between
    them.
    """
    body = loop.regions[-1]
    operations = list(every_operation(body))
    if loop.kind == "while" or not any(o.kind in SLOW for o in operations):
        return False
    if any(o.kind in ("for", "while") or o.jaxpr is not None and o.kind != "load" for o in operations):
        return False
    return any(site.predicate is not None and _is_of_data(site.predicate, set(operations)) for site in inside)


def _is_of_data(var: Var, inside: set[Operation]) -> bool:
    """Whether a value depends on elements that are read among these operations."""
    owner = var.owner
    if not isinstance(owner, Operation) or owner not in inside:
        return False
    return owner.jaxpr is not None or any(_is_of_data(operand, inside) for operand in owner.operands)


# -- what a message needs --------------------------------------------------------------------------------------------


def _exit(
    region: Region, tag: Place, messages: Sequence[Sequence[Place]], site: _Site, predicates: set[Var]
) -> Exit | None:
    number, before = site.operation.operands[1:] if site.predicate is not None else (site.tag, None)
    stored: list[tuple[Place, Var, Region | None]] = [(tag, number, None)]
    for place in dict.fromkeys(place for error in site.errors for place in messages[error - 1]):
        var = _at(region, place)
        found = None if var is None or var.type.shape else _as_of(region, var, site.path, site, predicates)
        if found is None:
            return None
        stored.append((place, *found))
    return Exit(site.predicate, number, before, stored)


def _as_of(
    region: Region, var: Var, path: Sequence[tuple[Operation, Region]], site: _Site, predicates: set[Var]
) -> tuple[Var, Region | None] | None:
    """What a value, which a region has in the end, is where the program is left: a value, or a result of an arm that is
    not computed yet; None if that is not found out."""
    numbers: dict[object, int] = {o: k for k, o in enumerate(region.operations)}
    around = path[0][0] if path else site.operation
    here = numbers[around]
    while True:
        owner = var.owner
        if not isinstance(owner, Operation) or numbers.get(owner, -1) < here or constant_value(var) is not None:
            return var, None
        place = owner.results.index(var)
        if owner is site.operation:
            return None if site.predicate is not None else (var, None)
        if owner is around:
            inner = path[0][1]
            return _as_of(inner, inner.results[place], path[1:], site, predicates)
        chosen = owner.operands[0] if owner.kind in ("if", "select") else None
        if chosen is not None and chosen is site.predicate:
            if owner.kind == "select":
                var = owner.operands[1]
                continue
            then = owner.regions[0]
            inside = then.results[place]
            if isinstance(inside.owner, Operation) and inside.owner in then.operations:
                late = any(numbers.get(v.owner, -1) >= here for v in captured(then))
                return None if late else (inside, then)
            var = inside
            continue
        following = _unchanged(owner, place, predicates)
        if following is None:
            return None
        var = following


def _unchanged(operation: Operation, place: int, predicates: set[Var]) -> Var | None:
    """What a result of an operation is that comes after the error, in which nothing is changed by a later one."""
    match operation.kind:
        case "select":
            return operation.operands[2] if operation.operands[0] in predicates else None
        case "if":
            arms = operation.regions[1:] if operation.operands[0] in predicates else operation.regions
            ends = [_start(region, region.results[place], predicates) for region in arms]
            return ends[0] if None not in ends and all(end is ends[0] for end in ends) else None
        case "for" | "while":
            return operation.operands[(1 if operation.kind == "for" else 0) + place]
    return None


def _start(region: Region, var: Var, predicates: set[Var]) -> Var | None:
    """The value from outside that a region gives back if nothing in it changes it."""
    inside = set(region.operations)
    found: Var | None = var
    while found is not None and isinstance(found.owner, Operation) and found.owner in inside:
        found = _unchanged(found.owner, found.owner.results.index(found), predicates)
    return found


__all__ = ["Errors", "Exit", "Place", "exits_of"]
