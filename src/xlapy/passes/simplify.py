"""Folding, common subexpressions and what loops carry without changing it, in one walk over the program.

Values are numbered by hash-consing (Click, "Global code motion, global value numbering", PLDI 1995, without the
motion): an operation that equals one in its region, or in a region around it, is that one. Loops that carry a value
which never changes use it from outside instead. Linear in the size of the program for each round, of which there
are two where a loop loses something, and rarely more.
"""

from __future__ import annotations

import numpy as np

from xlapy.ir import Module, Operation, Region, TensorType, Var, constant_value
from xlapy.ir.operations import infer_elementwise
from xlapy.ir.rewrites import Expression
from xlapy.ir.stacking_leaves import is_stack, is_unstack, rewritten
from xlapy.passes.code_motion import adopt, keep_positions
from xlapy.passes.folding import fold

#: constants larger than this (bytes) are not compared
_LARGEST = 4096


def simplify(module: Module) -> None:
    """Simplify in place, until no more goes away from the loops."""
    walk = _Walk()
    while True:
        walk.again = False
        walk.region(module.entry)
        if not walk.again:
            return


class _Walk:
    def __init__(self) -> None:
        self.replaced: dict[Var, Var] = {}
        self.known: dict[tuple, Operation] = {}
        #: whether parameters of loops were replaced after their uses had been visited
        self.again = False

    def now(self, var: Var) -> Var:
        """What stands for `var`."""
        while (found := self.replaced.get(var)) is not None:
            var = found
        return var

    def region(self, region: Region) -> None:
        """Simplify a region; what it computes is forgotten at its end."""
        mine: list[tuple] = []
        kept: list[Operation] = []
        self._operations(region.operations, region, kept, mine)
        region.operations = kept
        region.results = [self.now(v) for v in region.results]
        for key in mine:
            del self.known[key]

    def _operations(self, operations: list[Operation], region: Region, kept: list[Operation], mine: list) -> None:
        replaced = self.replaced
        for operation in operations:
            operation.operands = tuple([self.now(v) if v in replaced else v for v in operation.operands])
            if operation.regions:
                inlined = self._structured(operation)
                if inlined is None:
                    kept.append(operation)
                else:
                    adopt(inlined.operations, region)
                    self._operations(inlined.operations, region, kept, mine)
                    for result, value in zip(operation.results, inlined.results, strict=True):
                        replaced[result] = self.now(value)
                continue
            results = operation.results
            source = operation.operands[0].owner if is_unstack(operation) else None
            if isinstance(source, Operation) and is_stack(source):
                replaced.update(zip(results, source.operands, strict=True))
                continue
            made = rewritten(operation) if is_stack(operation) else None
            if made is not None:
                if isinstance(made, list):
                    kept += made
                replaced[results[0]] = made[-1].results[0] if isinstance(made, list) else made
                continue
            equal = fold(operation)
            if isinstance(equal, tuple):
                expressed: list[Operation] = []
                result = _expressed(equal, operation, region.depth, expressed)
                self._operations(expressed, region, kept, mine)
                replaced[results[0]] = self.now(result)
                continue
            if isinstance(equal, Var):
                replaced[results[0]] = equal
                continue
            if equal is not None:
                attributes: dict[str, object] = {"value": equal}
                types = (results[0].type,)
                operation = Operation("constant", (), attributes, types, (), operation.location, region.depth)
            key = key_of(operation, operation.operands)
            same = self.known.get(key) if key is not None else None
            if same is None:
                if key is not None:
                    self.known[key] = operation
                    mine.append(key)
                kept.append(operation)
                same = operation
            if same.results is not results:
                replaced.update(zip(results, same.results, strict=True))

    # -- branches and loops --

    def _structured(self, operation: Operation) -> Region | None:
        """Simplify an operation with regions. A region to put in its place, if that is known."""
        if operation.kind == "if":
            return self._if(operation)
        return self._loop(operation)

    def _if(self, operation: Operation) -> Region | None:
        value = constant_value(operation.operands[0])
        if value is not None:
            return operation.regions[0 if value else 1]
        for region in operation.regions:
            self.region(region)
        then, orelse = operation.regions
        same = [i for i, (a, b) in enumerate(zip(then.results, orelse.results, strict=True)) if a is b]
        if same:
            for i in same:
                self.replaced[operation.results[i]] = then.results[i]
            keep_positions(operation, [i for i in range(len(operation.results)) if i not in set(same)])
        return None

    def _loop(self, operation: Operation) -> Region | None:
        first = 1 if operation.kind == "for" else 0
        body = operation.regions[-1]
        if operation.kind == "for":
            iterations = constant_value(operation.operands[0])
            if iterations is not None and iterations <= 0:
                return _values(operation.operands[1:], body)
            if iterations is not None and iterations == 1:
                return self._single(operation, body)
        self._drop_invariant(operation, body, first, inside=False)
        for region in operation.regions:
            self.region(region)
        if operation.kind == "while":
            goes = constant_value(operation.regions[0].results[0])
            if goes is not None and not goes:
                return _values(operation.operands, body)
        self._drop_invariant(operation, body, first, inside=True)
        return None

    def _drop_invariant(self, operation: Operation, body: Region, first: int, inside: bool) -> None:
        """Carried values that the body hands on unchanged, or sets to what they were before the loop."""
        kept = []
        for i, result in enumerate(operation.results):
            param, initial, final = body.params[first + i], operation.operands[first + i], self.now(body.results[i])
            if final is param or final is initial:
                self.replaced[result] = initial
                self.replaced[param] = initial
                if operation.kind == "while":
                    self.replaced[operation.regions[0].params[i]] = initial
                self.again |= inside
            else:
                kept.append(i)
        if len(kept) < len(operation.results):
            keep_positions(operation, kept)

    def _single(self, operation: Operation, body: Region) -> Region:
        """The body of a loop that makes one iteration."""
        index = body.params[0].type
        value = {"value": np.zeros((), index.dtype)}
        zero = Operation("constant", (), value, (index,), (), operation.location, body.depth)
        self.replaced[body.params[0]] = zero.results[0]
        for param, value in zip(body.params[1:], operation.operands[1:], strict=True):
            self.replaced[param] = value
        body.operations.insert(0, zero)
        return body


def _values(values: tuple[Var, ...], like: Region) -> Region:
    region = Region((), like.depth)
    region.results = list(values)
    return region


def _expressed(expression: Expression, like: Operation, depth: int, operations: list[Operation]) -> Var:
    """The value of an expression; the operations that make it are appended to `operations`."""
    if isinstance(expression, Var):
        return expression
    kind, attributes, operands = "constant", {"value": expression}, ()
    if isinstance(expression, tuple):
        kind, attributes = expression[0], {}
        operands = tuple(_expressed(part, like, depth, operations) for part in expression[1:])
        type_ = infer_elementwise(kind, tuple(v.type for v in operands))
    else:
        type_ = TensorType(expression.shape, expression.dtype)
    operations.append(Operation(kind, operands, attributes, (type_,), (), like.location, depth))
    return operations[-1].results[0]


def key_of(operation: Operation, operands: tuple) -> tuple | None:
    """What makes operations without regions equal, `operands` standing for what they take; None if nothing may take
    this one's place."""
    kind = operation.kind
    if operation.jaxpr is not None:
        jaxpr = operation.jaxpr
        return None if jaxpr.effects else (id(jaxpr), operands)
    types = tuple(v.type for v in operation.results)
    if kind == "constant":
        value: np.ndarray = operation.attributes["value"]
        return None if value.nbytes > _LARGEST else (_typed(types), value.tobytes())
    return (kind, operands, _typed(types), operation.attributes.get("unset", False))


def _typed(types: tuple[TensorType, ...]) -> tuple:
    return tuple((t.shape, t.dtype, t.weak) for t in types)
