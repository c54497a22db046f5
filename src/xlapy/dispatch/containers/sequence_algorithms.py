"""heapq and bisect in plain Python: the same comparisons as CPython's, interpreted like any callee.

heapq.heappush(heap, (d, k)); d, k = heapq.heappop(heap)
heapq.nsmallest(3, x)
bisect.bisect_left(edges, v); bisect.insort(items, v)
"""

from __future__ import annotations

import bisect
import heapq
import types
from collections.abc import Callable

from xlapy.dispatch import registry
from xlapy.dispatch.numbers.scalar_values import provoke, stand_in
from xlapy.dispatch.protocol import Machine
from xlapy.domain.values import Const, Value


def _of_a_list(function: Callable | None) -> Callable[[types.FunctionType], types.FunctionType]:
    """Register an implementation in Python of a function of `heapq` that wants a list, if this Python has it."""

    def register(implementation: types.FunctionType) -> types.FunctionType:
        if function is None:
            return implementation
        known = function

        def rule(machine: Machine, heap: Value, /, *rest: Value) -> Value:
            if len(rest) != implementation.__code__.co_argcount - 1:
                raise registry.Unfit(f"{known.__name__}() has not so many parameters")
            cls = machine.type_of(heap)
            if not issubclass(cls, list):
                wrong = None if cls is type(None) else stand_in(cls)
                error = provoke(known, wrong, *([None] * len(rest)))
                machine.raise_(type(error), *error.args)
            return machine.call(Const(implementation), [heap, *rest])

        registry.function(function)(rule)
        return implementation

    return register


@_of_a_list(heapq.heappush)
def _heappush(heap, item, /):
    heap.append(item)
    _sift_down(heap, 0, len(heap) - 1)


@_of_a_list(heapq.heappop)
def _heappop(heap, /):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _sift_up(heap, 0)
    return first


@_of_a_list(heapq.heapreplace)
def _heapreplace(heap, item, /):
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _sift_up(heap, 0)
    return first


@_of_a_list(heapq.heappushpop)
def _heappushpop(heap, item, /):
    if heap and heap[0] < item:
        first = heap[0]
        heap[0] = item
        _sift_up(heap, 0)
        return first
    return item


@_of_a_list(heapq.heapify)
def _heapify(heap, /):
    for position in range(len(heap) // 2 - 1, -1, -1):
        _sift_up(heap, position)


def _sift_down(heap, start, position):
    """Move the item at a position towards the root, until its parent is no larger."""
    item = heap[position]
    while position > start:
        parent = (position - 1) >> 1
        above = heap[parent]
        if not item < above:
            break
        heap[position] = above
        position = parent
    heap[position] = item


def _sift_up(heap, position):
    """Move the smaller child up until a leaf is free, and sift the item down from there."""
    end, start = len(heap), position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _sift_down(heap, start, position)


# -- heaps with the largest item first, from Python 3.14 on ------------------------------------------------------------


def _of(name: str) -> Callable | None:
    return getattr(heapq, name, None)


@_of_a_list(_of("heappush_max"))
def _heappush_max(heap, item, /):
    heap.append(item)
    _sift_down_max(heap, 0, len(heap) - 1)


@_of_a_list(_of("heappop_max"))
def _heappop_max(heap, /):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    first = heap[0]
    heap[0] = last
    _sift_up_max(heap, 0)
    return first


@_of_a_list(_of("heapreplace_max"))
def _heapreplace_max(heap, item, /):
    if not heap:
        raise IndexError("index out of range")
    first = heap[0]
    heap[0] = item
    _sift_up_max(heap, 0)
    return first


@_of_a_list(_of("heappushpop_max"))
def _heappushpop_max(heap, item, /):
    if heap and item < heap[0]:
        first = heap[0]
        heap[0] = item
        _sift_up_max(heap, 0)
        return first
    return item


@_of_a_list(_of("heapify_max"))
def _heapify_max(heap, /):
    for position in range(len(heap) // 2 - 1, -1, -1):
        _sift_up_max(heap, position)


def _sift_down_max(heap, start, position):
    """Move the item at a position towards the root, until its parent is no smaller."""
    item = heap[position]
    while position > start:
        parent = (position - 1) >> 1
        above = heap[parent]
        if not above < item:
            break
        heap[position] = above
        position = parent
    heap[position] = item


def _sift_up_max(heap, position):
    """Move the larger child up until a leaf is free, and sift the item down from there."""
    end, start = len(heap), position
    item = heap[position]
    child = 2 * position + 1
    while child < end:
        right = child + 1
        if right < end and not heap[right] < heap[child]:
            child = right
        heap[position] = heap[child]
        position = child
        child = 2 * position + 1
    heap[position] = item
    _sift_down_max(heap, start, position)


@registry.replacement(heapq.nsmallest)
def _nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]


@registry.replacement(heapq.nlargest)
def _nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


_NOTHING = object()


@registry.replacement(heapq.merge)
def _merge(*iterables, key=None, reverse=False):
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


@registry.replacement(bisect.bisect_right)
def _bisect_right(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if x < (a[middle] if key is None else key(a[middle])):
            hi = middle
        else:
            lo = middle + 1
    return lo


@registry.replacement(bisect.bisect_left)
def _bisect_left(a, x, lo=0, hi=None, *, key=None):
    if lo < 0:
        raise ValueError("lo must be non-negative")
    if hi is None:
        hi = len(a)
    while lo < hi:
        middle = (lo + hi) // 2
        if (a[middle] if key is None else key(a[middle])) < x:
            lo = middle + 1
        else:
            hi = middle
    return lo


@registry.replacement(bisect.insort_right)
def _insort_right(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_right(a, x if key is None else key(x), lo, hi, key=key), x)


@registry.replacement(bisect.insort_left)
def _insort_left(a, x, lo=0, hi=None, *, key=None):
    a.insert(bisect.bisect_left(a, x if key is None else key(x), lo, hi, key=key), x)
