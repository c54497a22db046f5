"""heapq, bisect and `functools.cmp_to_key` in Python, from their own source.

heapq.heappush(heap, (d, k)); heapq.nsmallest(3, x)
bisect.bisect_left(edges, v); bisect.insort(items, v)
sorted(x, key=functools.cmp_to_key(compare))
"""

from __future__ import annotations

import bisect
import functools
import heapq
from collections.abc import Callable
from typing import Any

from xlapy.library.own_source import own_source
from xlapy.library.replacement import replacement

_HEAPS = own_source("heapq", without="_heapq")
_BISECT = own_source("bisect", without="_bisect")


def _of_items(function: Callable) -> Callable:
    """A function that says of an empty heap what the compiled one does."""

    def checked(heap, /, *item):
        if not heap:
            raise IndexError("index out of range")
        return function(heap, *item)

    return checked


#: the functions that take a list, those of heaps with the largest item first from Python 3.14 on
OF_A_LIST: dict[Callable, Any] = {
    getattr(heapq, name): _of_items(_HEAPS[name]) if name.startswith(("heappop", "heapreplace")) else _HEAPS[name]
    for kind in ("", "_max")
    for name in (f"{stem}{kind}" for stem in ("heappush", "heappop", "heapreplace", "heappushpop", "heapify"))
    if hasattr(heapq, name)
}
for _name in ("bisect_left", "bisect_right", "insort_left", "insort_right"):
    replacement(getattr(bisect, _name))(_BISECT[_name])
replacement(functools.cmp_to_key)(own_source("functools", without="_functools")["cmp_to_key"])


@replacement(heapq.nsmallest)
def nsmallest(n, iterable, key=None):
    """`heapq.nsmallest(n, iterable, key)`."""
    return sorted(iterable, key=key)[: max(n, 0)]


@replacement(heapq.nlargest)
def nlargest(n, iterable, key=None):
    """`heapq.nlargest(n, iterable, key)`."""
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


_NOTHING = object()


@replacement(heapq.merge)
def merge(*iterables, key=None, reverse=False):
    """The smallest of the first items that are left, again and again; of equal ones that of the first iterable."""
    iterators = [iter(iterable) for iterable in iterables]
    items, ranks, there = [], [], []
    for iterator in iterators:
        item = next(iterator, _NOTHING)
        there.append(item is not _NOTHING)
        items.append(item)
        ranks.append(item if key is None or item is _NOTHING else key(item))
    while True in there:
        best = -1
        for k in range(len(iterators)):
            if there[k] and (best < 0 or (ranks[best] < ranks[k] if reverse else ranks[k] < ranks[best])):
                best = k
        yield items[best]
        for k in range(len(iterators)):
            if k == best:
                item = next(iterators[k], _NOTHING)
                if item is _NOTHING:
                    there[k] = False
                else:
                    items[k] = item
                    ranks[k] = item if key is None else key(item)
