"""Which arrays an operation changes in place: stores, and branches and loops with stores in them."""

from __future__ import annotations

from xlapy.ir import Operation, Region, Var
from xlapy.passes.costs import is_store


class Changes:
    """What operations change, each looked into once. Not to be used on after the program has been rewritten."""

    def __init__(self) -> None:
        self._changed: dict[Operation, list[tuple[Var, Var]]] = {}
        self._inside: dict[Region, dict[Var, Operation]] = {}

    def by(self, operation: Operation) -> list[tuple[Var, Var]]:
        """Arrays from outside of an operation that it changes, each with what it is behind it."""
        found = self._changed.get(operation)
        if found is None:
            found = self._changed[operation] = self._by(operation)
        return found

    def _by(self, operation: Operation) -> list[tuple[Var, Var]]:
        if is_store(operation):
            return [(operation.operands[0], operation.results[0])]
        if operation.kind == "if":
            return self._by_branch(operation)
        if operation.kind in ("for", "while"):
            carried = operation.operands[1:] if operation.kind == "for" else operation.operands
            body = operation.regions[-1]
            params = body.params[len(body.params) - len(carried) :]
            found = zip(carried, operation.results, params, body.results, strict=True)
            return [(before, after) for before, after, param, last in found if last is not param]
        return []

    def _by_branch(self, branch: Operation) -> list[tuple[Var, Var]]:
        found = []
        for k, result in enumerate(branch.results):
            arms = [region.results[k] for region in branch.regions]
            one, *others = {self.before_all(v, region) for v, region in zip(arms, branch.regions, strict=True)}
            if one is not None and not others and any(v is not one for v in arms):
                found.append((one, result))
        return found

    def before_all(self, var: Var, region: Region) -> Var | None:
        """The array from outside of a region, or a parameter of it, that `var` is after some changes; `var` itself if
        it comes from outside; None if the region has made it anew."""
        inside = self._inside.get(region)
        if inside is None:
            inside = self._inside[region] = {v: operation for operation in region.operations for v in operation.results}
        while var in inside:
            operation = inside[var]
            before = next((a for a, b in self.by(operation) if b is var), None)
            if before is None or (operation.kind in ("for", "while") and not self._keeps(operation, var)):
                return None
            var = before
        return var

    def _keeps(self, loop: Operation, result: Var) -> bool:
        """Whether what a loop carries stays the array that it was, changed in place."""
        body = loop.regions[-1]
        k = loop.results.index(result)
        return self.before_all(body.results[k], body) is body.params[len(body.params) - len(loop.results) + k]


__all__ = ["Changes"]
