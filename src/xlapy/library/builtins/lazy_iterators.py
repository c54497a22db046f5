"""Iterators that Python has in C: those of itertools, and what is made of filter, map and zip.

itertools.accumulate(x), itertools.takewhile(f, x), itertools.zip_longest(x, y), itertools.tee(x)
"""

from __future__ import annotations

import inspect
import itertools
import operator

from xlapy.library.replacement import replacement

_MISSING = object()


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


@replacement(itertools.accumulate)
def accumulate(iterable, func=None, *, initial=None):
    """`itertools.accumulate(iterable, func, initial=initial)`."""
    return _Accumulate(iterable, func, initial, 0 if initial is None else 1)


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


@replacement(itertools.takewhile)
def takewhile(predicate, iterable, /):
    """`itertools.takewhile(predicate, iterable)`."""
    return _TakeWhile(predicate, iterable)


@replacement(itertools.dropwhile)
def dropwhile(predicate, iterable, /):
    """`itertools.dropwhile(predicate, iterable)`."""
    return _dropping(predicate, iter(iterable))


def _dropping(predicate, iterator):
    dropping = True
    for item in iterator:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


@replacement(itertools.compress)
def compress(data, selectors):
    """`itertools.compress(data, selectors)`."""
    return _selected(iter(data), iter(selectors))


def _selected(data, selectors):
    for item, wanted in zip(data, selectors, strict=False):
        if wanted:
            yield item


def passing(function, iterable):
    """`filter(function, iterable)`."""
    for item in iterable:
        if function(item):
            yield item


def failing(function, iterable):
    """`itertools.filterfalse(function, iterable)`."""
    for item in iterable:
        if not function(item):
            yield item


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
    replacement(_BATCHED)(_batched if "strict" in inspect.signature(_BATCHED).parameters else _batched_loosely)


@replacement(itertools.zip_longest)
def zip_longest(*iterables, fillvalue=None):
    """`itertools.zip_longest(*iterables, fillvalue=fillvalue)`."""
    return _longest([iter(iterable) for iterable in iterables], fillvalue)


def _longest(iterators, fillvalue):
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


@replacement(itertools.tee)
def tee(iterable, n=2, /):
    """`itertools.tee(iterable, n)`, which takes all items at once."""
    count = operator.index(n)
    if count < 0:
        raise ValueError("n must be >= 0")
    items = tuple(iterable)
    return tuple([iter(items) for _ in range(count)])


@replacement(itertools.chain)
def chain(*iterables):
    """`itertools.chain(*iterables)`."""
    return chained(iterables)


def chained(iterables):
    """`itertools.chain.from_iterable(iterables)`."""
    for iterable in iterables:
        for item in iterable:  # noqa: UP028 (advanced step by step, it may be anywhere)
            yield item


def sliced(iterator, start, stop, step):
    """`itertools.islice(iterator, start, stop, step)`."""
    taken, wanted = 0, start
    while taken < stop:
        item = next(iterator, _MISSING)
        if item is _MISSING:
            return
        taken += 1
        if taken > wanted:
            wanted += step
            yield item


def paired(iterator):
    """`itertools.pairwise(iterator)`."""
    before = next(iterator, _MISSING)
    if before is _MISSING:
        return
    for item in iterator:
        yield before, item
        before = item


# -- combinations of items whose number data says ---------------------------------------------------------------------


def pairs(pool):
    """`itertools.combinations(pool, 2)`."""
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            yield pool[i], pool[j]


def triples(pool):
    """`itertools.combinations(pool, 3)`."""
    for i in range(len(pool)):
        for j in range(i + 1, len(pool)):
            for k in range(j + 1, len(pool)):
                yield pool[i], pool[j], pool[k]


def ordered_pairs(pool):
    """`itertools.permutations(pool, 2)`."""
    for i in range(len(pool)):
        for j in range(len(pool)):
            if i != j:
                yield pool[i], pool[j]


def pairs_of_all(pool):
    """`itertools.combinations_with_replacement(pool, 2)`."""
    for i in range(len(pool)):
        for j in range(i, len(pool)):
            yield pool[i], pool[j]


# -- map and zip ------------------------------------------------------------------------------------------------------


def next_items(iterators):
    """`map(next, iterators)`, which the first iterator without items ends."""
    for iterator in iterators:
        try:
            item = next(iterator)
        except StopIteration:
            return
        yield item


def unequal_text(function, position, word):
    """What `zip` or `map` says of an argument that is "shorter" or "longer" than those before it."""
    others = " 1" if position == 1 else f"s 1-{position}"
    return f"{function}() argument {position + 1} is {word} than argument{others}"


def strict_rows(name, first, rest):
    """The rows of `zip(first, *rest, strict=True)`: a handler around the loop sees those before the error."""
    for item in first:
        row = [item]
        for other in rest:
            found = next(other, _MISSING)
            if found is _MISSING:
                raise ValueError(unequal_text(name, len(row), "shorter"))
            row.append(found)
        yield tuple(row)
    count = 0
    for other in rest:
        count += 1
        if next(other, _MISSING) is not _MISSING:
            raise ValueError(unequal_text(name, count, "longer"))


def strict_zip(first, *rest):
    """`zip(first, *rest, strict=True)`."""
    return strict_rows("zip", first, rest)


def strict_map(function, first, *rest):
    """`map(function, first, *rest, strict=True)`."""
    for row in strict_rows("map", first, rest):
        yield function(*row)


def length_hint(value, default, has_length, has_hint):
    """What `operator.length_hint(value, default)` is of an object whose class has `__len__`, or `__length_hint__`."""
    if has_length:
        try:
            return len(value)
        except TypeError:
            pass
    if not has_hint:
        return default
    try:
        found = type(value).__length_hint__(value)
    except TypeError:
        return default
    if found is NotImplemented:
        return default
    if not isinstance(found, int):
        raise TypeError(f"__length_hint__ must be an integer, not {type(found).__name__}")
    if found < 0:
        raise ValueError("__length_hint__() should return >= 0")
    return found
