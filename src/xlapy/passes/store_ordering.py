"""Stores that wait for the loads of what they overwrite, and the branches that keep loads and stores apart.

In `s += x[i]; x[i] = 0`, nothing says that the store comes after the load, which XLA fuses into the sum: it then copies
`x` in every iteration. So the load passes through a branch that hands out a zero with it, and the zero is added to an
index of the store. What XLA computes on the way to the store anyway (`s += x[i]; x[i] = s`) needs nothing,
as long as it computes it once: `v = 0.25 * (x[i - 1] + x[i + 1]); x[i] = v` it computes once for the store and once for
the next iteration, if that gets it, and then nothing says that the store comes after the loads of the latter. It does
not do that to a value of several operands, such as a selection by a predicate that it does not know.
"""

from __future__ import annotations

from math import prod

import numpy as np

from xlapy.ir import Operation, Region, TensorType, Var, captured
from xlapy.passes.code_motion import adopt, rename
from xlapy.passes.costs import is_read, is_small, is_store, work
from xlapy.passes.mutations import Changes

#: elements of an array that takes longer to copy than a branch takes
LARGE = 64
#: operations of a region that is looked at
_MOST = 1000
_NOTHING: frozenset[Var] = frozenset()
_BOOL, _INT64 = np.dtype(bool), np.dtype(np.int64)
#: for each load, the stores that wait for it
Waits = dict[Operation, list[Operation]]


def unordered(region: Region) -> Waits:
    """Loads from arrays that are changed without need of what is computed from the load, and branches and loops that
    read such arrays; each with those stores, branches and loops that do not need them."""
    operations = region.operations
    if len(operations) > _MOST:
        return {}
    known, changes = Changes(), {}
    for operation in operations:
        for array, _ in known.by(operation):
            if prod(array.type.shape) >= LARGE:
                changes.setdefault(array, []).append(operation)
    if not changes:
        return {}
    graph = _Graph(region)
    found: Waits = {}
    for load in operations:
        if load.regions and _token(load) is not None:
            for array in graph.values(load) & changes.keys():
                for change in changes[array] if load not in changes[array] else ():
                    if not graph.needs(change, load) and not graph.needs(load, change):
                        found.setdefault(load, []).append(change)
                        graph.add(load, change)
        if not is_read(load) or load.operands[0] not in changes:
            continue
        if not is_small(load.results[0], load.operands[0]):
            continue
        for change in changes[load.operands[0]]:
            if graph.escapes(load, change) and not graph.needs(load, change):
                waiting = found.setdefault(load, [])
                if not graph.needs(change, load):
                    waiting.append(change)
                    graph.add(load, change)
    return found


def guard_shared(region: Region) -> bool:
    """Let XLA compute once what is made of elements of an array, stored into it, and handed on to the next iteration;
    whether there was such a value."""
    if not any(map(is_store, region.operations)):
        return False
    yielded = set(region.results)
    #: for each value, the arrays that it is computed from elements of
    sources: dict[Var, frozenset[Var]] = {}
    guarded: dict[Operation, Var] = {}
    for operation in region.operations:
        if is_store(operation):
            array, value = operation.operands[:2]
            owner = value.owner
            if _root(array) in sources.get(value, _NOTHING) and value in yielded and prod(array.type.shape) >= LARGE:
                if isinstance(owner, Operation) and not value.type.shape and value.type.dtype.kind in "iuf":
                    guarded[owner] = value
            continue
        found = frozenset().union(*(sources.get(v, _NOTHING) for v in operation.operands))
        if is_read(operation):
            found |= {_root(operation.operands[0])}
        if found:
            sources.update((result, found) for result in operation.results)
    kept: list[Operation] = []
    replaced: dict[Var, Var] = {}
    for operation in region.operations:
        rename(operation, replaced)
        kept.append(operation)
        value = guarded.get(operation)
        if value is not None:
            predicate = _certain(value, operation, region, kept)
            other = emit(kept, operation, region.depth, "neg", (value,), value.type)
            operands = (predicate, value, other)
            replaced[value] = emit(kept, operation, region.depth, "select", operands, value.type, guard=True)
    region.operations = kept
    region.results = [replaced.get(v, v) for v in region.results]
    return bool(replaced)


def _root(array: Var) -> Var:
    """The array that stores made this one of."""
    while isinstance(array.owner, Operation) and is_store(array.owner):
        array = array.owner.operands[0]
    return array


class _Graph:
    """What needs what in a region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.place = {operation: k for k, operation in enumerate(region.operations)}
        self.uses: dict[Var, list[Operation]] = {}
        self.needed: list[list[Operation]] = []
        for operation in region.operations:
            values = self.values(operation)
            self.needed.append([v.owner for v in values if v.owner in self.place])
            for value in values:
                self.uses.setdefault(value, []).append(operation)
        self.yielded = set(region.results)
        #: for each operation, a bit for each of those that it needs
        self.before: list[int] = [0] * len(self.place)
        for k, needed in enumerate(self.needed):
            for operation in needed:
                self.before[k] |= self.before[self.place[operation]] | 1 << self.place[operation]

    @staticmethod
    def values(operation: Operation) -> set[Var]:
        """What an operation needs."""
        return {*operation.operands, *(v for nested in operation.regions for v in captured(nested))}

    def users(self, value: Var) -> list[Operation]:
        """What uses a value."""
        return self.uses.get(value, [])

    def needs(self, a: Operation, b: Operation) -> bool:
        """Whether `a` can only come after `b`."""
        return bool(self.before[self.place[a]] >> self.place[b] & 1)

    def add(self, first: Operation, second: Operation) -> None:
        """Let `second`, and all that needs it, come after `first`."""
        more = self.before[self.place[first]] | 1 << self.place[first]
        for k in range(len(self.before)):
            if k == self.place[second] or self.before[k] >> self.place[second] & 1:
                self.before[k] |= more

    def escapes(self, load: Operation, store: Operation) -> bool:
        """Whether something that XLA may compute together with a load does not come before a store."""
        waiting, seen = [load], {load}
        while waiting:
            for result in waiting.pop().results:
                if result in self.yielded:
                    return True
                for user in self.users(result):
                    if user is store or user in seen or "guard" in user.attributes:
                        continue
                    seen.add(user)
                    if not self.needs(store, user):
                        return True
                    if work(user) is not None or not (user.regions or result.type.shape):
                        waiting.append(user)
        return False


def insert(region: Region, kept_apart: set[Operation], waits: Waits) -> None:
    """Put loads behind branches and stores into them; `waits` says which stores wait for a load."""
    replaced: dict[Var, Var] = {}
    kept: list[Operation] = []
    zeros: dict[Operation, list[Var]] = {}
    for operation in _sorted(region, waits):
        rename(operation, replaced)
        number = _delayed(operation, zeros[operation], region, kept) if operation in zeros else None
        if number is None and operation in kept_apart and not operation.regions:
            number = _number(operation, region)
        if number is None:
            kept.append(operation)
        elif operation.kind == "if":
            operands = (operation.operands[0], _certain(number, operation, region, kept))
            operation.operands = (emit(kept, operation, region.depth, "bitwise_and", operands, operands[0].type),)
            kept.append(operation)
        elif is_store(operation) or operation.regions:
            predicate = _certain(number, operation, region, kept)
            replaced.update(_in_branch(operation, predicate, region, kept))
        else:
            kept.append(operation)
            predicate = _certain(number, operation, region, kept)
            replaced[operation.results[0]], zero = _load_behind_branch(operation, predicate, region, kept)
            for store in waits.get(operation, ()):
                zeros.setdefault(store, []).append(zero)
        if operation.regions and operation in waits:
            operation.attributes = {**operation.attributes, "waited_for": True}
            zero = _zero_behind(operation, replaced, region, kept)
            for store in waits[operation]:
                zeros.setdefault(store, []).append(zero)
    region.operations = kept
    region.results = [replaced.get(v, v) for v in region.results]


def _sorted(region: Region, waits: Waits) -> list[Operation]:
    """The operations, each behind those that it needs or waits for, else in the order they are in."""
    if not waits:
        return region.operations
    graph = _Graph(region)
    for load, stores in waits.items():
        for store in stores:
            graph.needed[graph.place[store]].append(load)
    done: set[Operation] = set()
    result: list[Operation] = []
    for first in region.operations:
        stack = [first]
        while stack:
            operation = stack[-1]
            missing = (
                [o for o in graph.needed[graph.place[operation]] if o not in done] if operation not in done else []
            )
            if missing:
                stack.extend(sorted(missing, key=graph.place.__getitem__, reverse=True))
                continue
            stack.pop()
            if operation not in done:
                done.add(operation)
                result.append(operation)
    return result


# -- branches that are always taken -----------------------------------------------------------------------------------


def emit(
    kept: list[Operation], like: Operation, depth: int, kind: str, operands: tuple, type: TensorType, **more
) -> Var:
    """Append an operation to `kept`, with the attributes `more` and the place in the source of `like`; its result."""
    made = Operation(kind, operands, more, (type,), (), like.location, depth)
    kept.append(made)
    return made.results[0]


def _number(operation: Operation, region: Region) -> Var | None:
    """A number that is known when an operation starts; for a load, the index or what was loaded."""
    loaded = () if is_store(operation) else operation.results
    candidates = [*operation.operands[1:], *loaded, *region.params[:1]]
    return next((v for v in candidates if v.type.shape == () and v.type.dtype.kind in "iuf"), None)


def _certain(number: Var, like: Operation, region: Region, kept: list[Operation]) -> Var:
    """A predicate that holds, which XLA does not know."""
    if number.type.dtype.kind not in "iu":
        same = emit(kept, like, region.depth, "eq", (number, number), TensorType((), _BOOL))
        number = emit(kept, like, region.depth, "convert", (same,), TensorType((), _INT64))
    type_ = TensorType((), number.type.dtype)
    one, two = (_constant(kept, like, region.depth, n, type_.dtype) for n in (1, 2))
    low = emit(kept, like, region.depth, "bitwise_and", (number, one), type_)
    return emit(kept, like, region.depth, "lt", (low, two), TensorType((), _BOOL))


def blank(kept: list[Operation], like: Operation, depth: int, type: TensorType) -> Var:
    """Zeros."""
    zero = emit(kept, like, depth, "constant", (), type._replace(shape=()), value=np.zeros((), type.dtype))
    return emit(kept, like, depth, "broadcast", (zero,), type, shape=type.shape) if type.shape else zero


def _constant(kept: list[Operation], like: Operation, depth: int, value: int, dtype: np.dtype) -> Var:
    return emit(kept, like, depth, "constant", (), TensorType((), dtype), value=np.asarray(value, dtype))


def _delayed(store: Operation, zeros: list[Var], region: Region, kept: list[Operation]) -> Var | None:
    """Add zeros to an index of a store. A number that is known when they are, if the store has no index to add to."""
    total = zeros[0]
    for zero in zeros[1:]:
        total = emit(kept, store, region.depth, "add", (total, zero), total.type)
    place = next((k for k, v in enumerate(store.operands) if k > 1 and v.type.shape == ()), None)
    if place is None or store.regions or store.attributes.get("index") is None:
        return total
    index = store.operands[place]
    if index.type.dtype != _INT64:
        total = emit(kept, store, region.depth, "convert", (total,), TensorType((), index.type.dtype))
    later = emit(kept, store, region.depth, "add", (index, total), TensorType((), index.type.dtype))
    store.operands = (*store.operands[:place], later, *store.operands[place + 1 :])
    return None


def _in_branch(operation: Operation, predicate: Var, region: Region, kept: list[Operation]) -> dict[Var, Var]:
    """A store or loop in a branch; what stands for its results."""
    then, orelse = Region((), region.depth + 1), Region((), region.depth + 1)
    then.operations, then.results = [operation], list(operation.results)
    first = 1 if operation.kind == "for" else 0
    orelse.results = list(operation.operands[first : first + len(operation.results)])
    types = tuple([v.type for v in operation.results])
    branch = Operation("if", (predicate,), {"barrier": True}, types, (then, orelse), operation.location, region.depth)
    adopt([operation], then)
    kept.append(branch)
    return dict(zip(then.results, branch.results, strict=True))


def _token(operation: Operation) -> Var | None:
    """A number that is known when a branch or loop is done."""
    return next((v for v in operation.results if v.type.shape == () and v.type.dtype.kind in "iuf"), None)


def _zero_behind(operation: Operation, replaced: dict[Var, Var], region: Region, kept: list[Operation]) -> Var:
    """A zero that XLA cannot know before a branch or loop is done."""
    token = _token(operation)
    assert token is not None
    done = _certain(replaced.get(token, token), operation, region, kept)
    never = emit(kept, operation, region.depth, "bitwise_not", (done,), done.type)
    return emit(kept, operation, region.depth, "convert", (never,), TensorType((), _INT64))


def _load_behind_branch(load: Operation, predicate: Var, region: Region, kept: list[Operation]) -> tuple[Var, Var]:
    """What was loaded, and a zero; both are known when the branch has been taken."""
    (loaded,) = load.results
    then, orelse = Region((), region.depth + 1), Region((), region.depth + 1)
    zero = _constant(then.operations, load, then.depth, 0, _INT64)
    then.results = [loaded, zero]
    orelse.results = [
        blank(orelse.operations, load, then.depth, loaded.type),
        _constant(orelse.operations, load, then.depth, 1, _INT64),
    ]
    types = (loaded.type, zero.type)
    branch = Operation("if", (predicate,), {"barrier": True}, types, (then, orelse), load.location, region.depth)
    kept.append(branch)
    return branch.results[0], branch.results[1]
