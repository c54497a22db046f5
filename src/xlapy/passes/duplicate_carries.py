"""Values that a loop carries twice.

    while len(z):
        inside = abs(z) < limit
        z, c = z[inside], c[inside]

Both arrays are the same lanes of what they were, but each has a mask of its own, and for `z + c` the lanes of one are
moved to those of the other. What is equal before a loop, and equal after an iteration if it was before, is equal: it is
assumed of all values that start as one, and values that an iteration then computes differently are told apart, until
nothing changes (Alpern, Wegman and Zadeck, "Detecting equality of variables in programs", POPL 1988).
"""

from __future__ import annotations

from collections import Counter

from xlapy.ir import Module, Operation, Region, Var
from xlapy.passes.code_motion import keep_positions, substitute
from xlapy.passes.folding import compacted
from xlapy.passes.simplify import key_of, simplify

#: operations of a loop that is looked at
_MOST = 5000


def merge_equal_slots(module: Module) -> None:
    """Let loops carry masks, and what depends on them, once."""
    replaced: dict[Var, Var] = {}
    _visit(module.entry, replaced)
    if replaced:
        substitute(module.entry, replaced)
        simplify(module)


def _visit(region: Region, replaced: dict[Var, Var]) -> None:
    for operation in region.operations:
        for nested in operation.regions:
            _visit(nested, replaced)
        if operation.kind in ("for", "while"):
            _merge(operation, replaced)


def _merge(loop: Operation, replaced: dict[Var, Var]) -> None:
    first = 1 if loop.kind == "for" else 0
    body = loop.regions[-1]
    params, initial = body.params[first:], loop.operands[first:]
    masks = Counter(v for v in initial if v.type.shape and v.type.dtype == bool)
    if max(masks.values(), default=0) < 2 or _size(loop) > _MOST:
        return
    classes: list[object] = [(replaced.get(v, v), v.type) for v in initial]
    count = len(set(classes))
    while count < len(classes):
        numbers = _Numbers()
        numbers.known.update((p, ("slot", c)) for p, c in zip(params, map(_place(classes), classes), strict=True))
        numbers.region(body)
        classes = [(c, numbers.of(v)) for c, v in zip(classes, body.results, strict=True)]
        classes = list(map(_place(classes), classes))
        if len(set(classes)) == count:
            break
        count = len(set(classes))
    kept = []
    for k, c in enumerate(classes):
        leader = classes.index(c)
        if leader == k:
            kept.append(k)
            continue
        replaced[params[k]], replaced[loop.results[k]] = params[leader], loop.results[leader]
        if loop.kind == "while":
            replaced[loop.regions[0].params[k]] = loop.regions[0].params[leader]
    if len(kept) < len(classes):
        keep_positions(loop, kept)


def _place(classes: list):
    """A function that gives the number of a class."""
    places: dict[object, int] = {}
    for c in classes:
        places.setdefault(c, len(places))
    return places.__getitem__


def _size(operation: Operation) -> int:
    return 1 + sum(_size(o) for region in operation.regions for o in region.operations)


class _Numbers:
    """Values with one number are equal."""

    def __init__(self) -> None:
        self.known: dict[Var, object] = {}
        self._numbers: dict[object, int] = {}

    def of(self, var: Var) -> object:
        """The number of a value; one from outside stands for itself."""
        return self.known.get(var, var)

    def _number(self, key: object) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def region(self, region: Region) -> None:
        """Number what a region computes."""
        for operation in region.operations:
            for nested in operation.regions:
                self.region(nested)
            numbers = [self.of(v) for v in operation.operands]
            if operation.kind == "if":
                arms = zip(*(r.results for r in operation.regions), strict=True)
                for result, (then, orelse) in zip(operation.results, arms, strict=True):
                    self.known[result] = self._number(("if", numbers[0], self.of(then), self.of(orelse)))
                continue
            source = compacted(operation, self.of)
            if source is not None:
                self.known[operation.results[0]] = self.of(source)
                continue
            key = None if operation.regions else key_of(operation, tuple(numbers))
            for k, result in enumerate(operation.results):
                self.known[result] = result if key is None else self._number((key, k))


__all__ = ["merge_equal_slots"]
