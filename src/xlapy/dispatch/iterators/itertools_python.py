"""Functions of itertools written in Python: classes whose `__next__` is interpreted, and lists made at compile time."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.iterators import iteration
from xlapy.dispatch.numbers.scalar_values import fold
from xlapy.dispatch.vectors import growable_list_items
from xlapy.domain.values import NONE, BoundedArray, Const, Tuple, Value
from xlapy.ir import Var

_MISSING = object()


# -- lazy ones --------------------------------------------------------------------------------------------------------


class _Iterator:
    """Its own iterator."""

    def __iter__(self):
        return self


class _Accumulate(_Iterator):
    def __init__(self, iterable, function, initial, begun):
        self.iterator = iter(iterable)
        self.function = function
        self.total = initial
        self.begun = begun

    def __next__(self):
        if self.begun == 1:
            self.begun = 2
            return self.total
        item = next(self.iterator)
        if self.begun == 0:
            self.begun = 2
            self.total = item
        elif self.function is None:
            self.total = self.total + item
        else:
            self.total = self.function(self.total, item)
        return self.total


@registry.replacement(itertools.accumulate)
def _accumulate(iterable, func=None, *, initial=None):
    if initial is None:
        return _Accumulate(iterable, func, None, 0)
    return _Accumulate(iterable, func, initial, 1)


class _TakeWhile(_Iterator):
    def __init__(self, predicate, iterable):
        self.predicate = predicate
        self.iterator = iter(iterable)
        self.ended = False

    def __next__(self):
        if self.ended:
            raise StopIteration
        item = next(self.iterator)
        if self.predicate(item):
            return item
        self.ended = True
        raise StopIteration


@registry.replacement(itertools.takewhile)
def _takewhile(predicate, iterable, /):
    return _TakeWhile(predicate, iterable)


def _drop_while(predicate, iterable):
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


@registry.function(itertools.dropwhile)
def dropwhile(machine, predicate: Value, iterable: Value, /) -> Value:
    """`itertools.dropwhile(predicate, iterable)`: at once where the items are known, else a generator."""
    inner = iteration.make_iterator(machine, iterable)
    if (
        inner is iterable
        or iteration.plan(machine, inner) is not None
        or iteration.known_length(machine, inner) is None
    ):
        return machine.call(Const(_drop_while), [predicate, inner])
    items = iteration.items(machine, inner)
    for number, item in enumerate(items):
        dropped = machine.truth(machine.call(predicate, [item]))
        if isinstance(dropped, Var):
            dropped = machine.static(machine.boolean(dropped), "whether dropwhile drops an item")
        if not dropped:
            return iteration.make_iterator(machine, Tuple(tuple(items[number:])))
    return iteration.make_iterator(machine, Tuple(()))


def _select(data, selectors):
    for item, wanted in zip(data, selectors, strict=False):
        if wanted:
            yield item


@registry.function(itertools.compress)
def compress(machine, data: Value, selectors: Value) -> Value:
    """`itertools.compress(data, selectors)`: at once where the selectors are known, else a generator."""
    inners = [iteration.make_iterator(machine, v) for v in (data, selectors)]
    shared = any(i is v for i, v in zip(inners, (data, selectors), strict=True))
    if shared or any(iteration.known_length(machine, i) is None for i in inners):
        return machine.call(Const(_select), inners)
    items, flags = (iteration.items(machine, i) for i in inners)
    known = [machine.truth(flag) for flag in flags]
    if any(isinstance(flag, Var) for flag in known):
        return machine.call(Const(_select), [Tuple(tuple(items)), Tuple(tuple(flags))])
    chosen = [item for item, wanted in zip(items, known, strict=False) if wanted]
    return iteration.make_iterator(machine, Tuple(tuple(chosen)))


class _Batched(_Iterator):
    def __init__(self, iterable, n):
        self.iterator = iter(iterable)
        self.n = n

    def __next__(self):
        items = [next(self.iterator)]
        while len(items) < self.n:
            try:
                items.append(next(self.iterator))
            except StopIteration:
                break
        return tuple(items)


def _batched(iterable, n, *, strict=False):
    if n < 1:
        raise ValueError("n must be at least one")
    if strict:
        iterable = list(iterable)
        if len(iterable) % n:
            raise ValueError("batched(): incomplete batch")
    return _Batched(iterable, n)


def _batched_loosely(iterable, n):
    return _batched(iterable, n)


#: from Python 3.12 on; with `strict` from 3.13 on
_BATCHED = getattr(itertools, "batched", None)
if _BATCHED is not None:
    registry.replacement(_BATCHED)(_batched if "strict" in inspect.signature(_BATCHED).parameters else _batched_loosely)


# -- those that need all items ----------------------------------------------------------------------------------------


def _number(machine, value: Value, what: str) -> int | None:
    return machine.static(value, what)


def _arrangements(function, loops: dict[int, Callable]) -> None:
    """`loops` are generator functions for items whose number data says, by how many of them are chosen."""

    def rule(machine, iterable: Value, r: Value = NONE) -> Value:
        size = _number(machine, r, "how many items are chosen")
        loop = loops.get(size) if size is not None else None

        def whole() -> Value:
            pool = iteration.items(machine, iterable)
            found = fold(machine, function, pool, *([] if size is None else [size]))
            return iteration.make_iterator(machine, Tuple(tuple(Tuple(tuple(parts)) for parts in found.value)))

        if loop is None:
            return whole()
        each = lambda: machine.call(Const(loop), (machine.call(Const(list), (iterable,)),))  # noqa: E731
        grows = isinstance(iterable, BoundedArray) or growable_list_items.is_whole(machine, iterable)
        return each() if grows else growable_list_items.whole_or_each(machine, whole, each)

    registry.function(function)(rule)


def _pairs(pool):
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            yield pool[i], pool[j]


def _triples(pool):
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            for k in range(j + 1, len(pool)):
                yield pool[i], pool[j], pool[k]


def _ordered_pairs(pool):
    for i in range(len(pool)):
        for j in range(len(pool)):
            if i != j:
                yield pool[i], pool[j]


def _pairs_of_all(pool):
    for i in range(len(pool)):
        for j in range(i, len(pool)):
            yield pool[i], pool[j]


_arrangements(itertools.permutations, {2: _ordered_pairs})
_arrangements(itertools.combinations, {2: _pairs, 3: _triples})
_arrangements(itertools.combinations_with_replacement, {2: _pairs_of_all})


@registry.function(itertools.zip_longest)
def zip_longest(machine, *iterables: Value, fillvalue: Value = NONE) -> Value:
    """`itertools.zip_longest(*iterables, fillvalue=...)`."""
    inners = [iteration.make_iterator(machine, i) for i in iterables]
    if any(i is given for i, given in zip(inners, iterables, strict=True)):
        return machine.call(Const(_zip_longest), [Tuple(tuple(inners)), fillvalue])
    columns = [iteration.items(machine, i) for i in inners]
    rows = itertools.zip_longest(*columns, fillvalue=fillvalue)
    return iteration.make_iterator(machine, Tuple(tuple(Tuple(tuple(row)) for row in rows)))


def _zip_longest(iterators, fillvalue):
    active = [True for _ in iterators]
    while True:
        row = ()
        for k, iterator in enumerate(iterators):
            item = next(iterator, _MISSING) if active[k] else _MISSING
            if item is _MISSING:
                active[k] = False
            row += (fillvalue if item is _MISSING else item,)
        if True not in active:
            return
        yield row


@registry.function(itertools.tee)
def tee(machine, iterable: Value, n: Value = Const(2)) -> Value:  # noqa: B008
    """`itertools.tee(iterable, n)`."""
    items = Tuple(tuple(iteration.items(machine, iterable)))
    count = _number(machine, n, "how many iterators are made")
    if count is None:
        return machine.raise_(TypeError, "'NoneType' object cannot be interpreted as an integer")
    fold(machine, itertools.tee, (), count)  # what it says of a wrong one
    return Tuple(tuple(iteration.make_iterator(machine, items) for _ in range(count)))
