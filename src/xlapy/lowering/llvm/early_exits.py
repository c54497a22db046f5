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
#: see `_Site`
_Path = tuple[tuple[Operation, Region, int], ...]


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
        path: the operations around it from the outermost one on, each with the region in it where that goes on, and
            with the place of the tag among its results.
    """

    operation: Operation
    tag: Var
    errors: tuple[int, ...]
    path: _Path

    @property
    def predicate(self) -> Var | None:
        """Of a check, whether there is an error."""
        return self.operation.operands[0] if self.operation.kind == "select" else None


def exits_of(region: Region, errors: Errors) -> Mapping[Operation, Exit] | None:
    """The ways out of a program, by the checks and loops behind which they are, so that there is one behind each error;
    None if there are not. Loops of which several iterations at a time take less time make all of them."""
    if errors.tag is None:
        return {}
    sites = _sites(region, errors.tag, _Tracing(of_vectors=True))
    if sites is None:
        return None
    predicates = {site.predicate for site in sites if site.predicate is not None}
    found = {}
    for site in sites:
        exit = _exit(region, errors.tag, errors.messages, site, predicates)
        if exit is None:
            return None
        found[site.operation] = exit
    return found


def loops_with_errors(region: Region, errors: Errors) -> Mapping[Operation, Var]:
    """The loops of a program in which there may be errors, each with its result that is the tag. Nobody wants anything
    else that they give after the first error but what tells of it; there are none of another program."""
    sites = None if errors.tag is None else _sites(region, errors.tag, _Tracing(by_selects=True))
    around = [one for site in sites or () for one in site.path]
    return {loop: loop.results[place] for loop, _, place in around if loop.kind in ("for", "while")}


def kept_but_at_errors(loop: Operation, place: int) -> frozenset[int]:
    """What a loop carries, by place, and changes only where it also changes the tag, which it carries at a `place`."""
    body = loop.regions[-1]
    params = body.params[len(body.params) - len(body.results) :]
    sites: list[_Site] = []
    if _Tracing().follow(body, body.results[place], (), sites) is not params[place]:
        return frozenset()
    predicates = {site.predicate for site in sites if site.predicate is not None}
    pairs = enumerate(zip(params, body.results, strict=True))
    return frozenset(k for k, (param, result) in pairs if _kept(body, result, predicates) is param)


def _kept(region: Region, var: Var, predicates: set[Var]) -> Var | None:
    """The value from outside that a region gives back if none of some predicates holds; None if that is not known."""
    inside, found = set(region.operations), var
    while isinstance(found.owner, Operation) and found.owner in inside:
        operation = found.owner
        before = _kept_before(operation, operation.results.index(found), predicates)
        if before is None:
            return None
        found = before
    return found


def _kept_before(operation: Operation, place: int, predicates: set[Var]) -> Var | None:
    arms = operation.regions if operation.kind == "if" else operation.regions[-1:]
    ends = [_kept(region, region.results[place], predicates) for region in arms]
    match operation.kind:
        case "select":
            return operation.operands[2] if operation.operands[0] in predicates else None
        case "if":
            ends = ends[1:] if operation.operands[0] in predicates else ends
            return ends[0] if all(end is ends[0] for end in ends) else None
        case "for" | "while":
            first, body = (1 if operation.kind == "for" else 0), operation.regions[-1]
            return operation.operands[first + place] if ends[-1] is body.params[first + place] else None
    return None


def _sites(region: Region, place: Place, tracing: _Tracing) -> list[_Site] | None:
    """The checks of a program that has its tag at a place in the end; None if it may be reset."""
    tag = _at(region, place)
    sites: list[_Site] = []
    start = tracing.follow(region, tag, (), sites) if tag is not None else None
    return None if start is None or constant_value(start) is None else sites


def _at(region: Region, place: Place) -> Var | None:
    """What a program puts at a place."""
    var, position = region.results[place[0]], place[1]
    if position is None:
        return var if var.type.shape == () else None
    return var.owner.operands[position] if isinstance(var.owner, Operation) and is_stack(var.owner) else None


# -- the tag, from the end of a program to its checks ----------------------------------------------------------------


class _Tracing:
    """Follows a tag back.

    Attributes:
        of_vectors: whether loops of which all iterations are made may be one site (`_is_of_vectors`).
        by_selects: whether a tag may be chosen of two: then the predicate of a check may hold where there is no error.
    """

    def __init__(self, of_vectors: bool = False, by_selects: bool = False) -> None:
        self._of_vectors, self._by_selects = of_vectors, by_selects
        self._chosen: dict[Operation, Var | None] = {}

    def follow(self, region: Region, tag: Var, path: _Path, sites: list[_Site]) -> Var | None:
        """What a tag is at the start of a region at whose end it is `tag`, zero or a value from outside; None if it may
        be reset."""
        inside = set(region.operations)
        while True:
            known, owner = constant_value(tag), tag.owner
            if known is not None:
                return tag if known.shape == () and known == 0 else None
            if not isinstance(owner, Operation) or owner not in inside:
                return tag
            if owner.kind == "select" and self._by_selects and constant_value(owner.operands[1]) is None:
                if owner not in self._chosen:
                    one, other = (self.follow(region, choice, path, sites) for choice in owner.operands[1:])
                    is_same = one is not None and other is not None and _is_same(one, other)
                    self._chosen[owner] = one if is_same else None
                return self._chosen[owner]
            before = self._before(owner, owner.results.index(tag), path, sites)
            if before is None:
                return None
            tag = before

    def _before(self, operation: Operation, place: int, path: _Path, sites: list[_Site]) -> Var | None:
        match operation.kind:
            case "select":
                chosen, number, before = operation.operands
                value = constant_value(number)
                if value is None or value.shape or value == 0 or not _is_first(chosen, before):
                    return None
                sites.append(_Site(operation, operation.results[0], (int(value),), path))
                return before
            case "if":
                around = [(*path, (operation, arm, place)) for arm in operation.regions]
                one, other = (self.follow(way[-1][1], way[-1][1].results[place], way, sites) for way in around)
                return one if one is not None and other is not None and _is_same(one, other) else None
            case "for" | "while":
                first = 1 if operation.kind == "for" else 0
                body = operation.regions[-1]
                inside: list[_Site] = []
                start = self.follow(body, body.results[place], (*path, (operation, body, place)), inside)
                if self._of_vectors and inside and _is_of_vectors(operation, inside):
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
    region: Region, var: Var, path: _Path, site: _Site, predicates: set[Var]
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


__all__ = ["Errors", "Exit", "Place", "exits_of", "kept_but_at_errors", "loops_with_errors"]
